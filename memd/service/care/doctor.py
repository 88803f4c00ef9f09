"""doctor: prove that a workspace, its log and its index agree and that nothing stands in memd's way. Reads only.

Every check stands alone: one that fails, or that nobody foresaw to fail, is a row, and the others go on.
"""

from __future__ import annotations

import logging
import os
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from memd.errors import BadSettingsError, Fault, MemdError, NotRegularError, StorageError
from memd.formats.times import to_seconds
from memd.model.files import severity_of
from memd.service.care.check import Checked, check
from memd.service.granting import asks_of, in_vain
from memd.storage.files import Tree
from memd.storage.layout import LOG, PRIVATE, QUARANTINE, ROLES, SETTINGS
from memd.storage.wal import Held, read_log
from memd.store.in_force import read_settings
from memd.store.trust import Trust
from memd.text.counting import counted

if TYPE_CHECKING:
    from memd.storage.lock import Holder

logger = logging.getLogger(__name__)

OK, WARN, FAIL, SKIP = "ok", "warn", "fail", "skip"
LATE_S = 180.0  # what was acknowledged is in its file before: one of 10 MB follows after 100 s at latest
SEEN_CHARS = 300
RAISE = "Raise the limit under [limits] in memd.toml, or take something out: `memd forget ROLE ID` puts it into the archive."
ROOM = {
    "memory_chars": "Shorten it with `memd edit`, or raise memory_chars under [limits] in memd.toml.",
    "curated": "Shorten MEMORY.md or USER.md, or raise memory_md_chars or user_md_chars under [limits] in memd.toml.",
    "sessions_bytes": "Move old sessions away, or raise sessions_bytes under [limits] in memd.toml.",
    "memory_dir_bytes": "Raise memory_dir_bytes under [limits] in memd.toml, or lower score_days or audit_bytes there.",
}


class Row(NamedTuple):
    """What one check saw: its name, ok, warn, fail or skip, a sentence, and what to do about it."""

    name: str
    state: str
    seen: str
    do: str = ""


@dataclass
class Scope:
    """What is looked at, with what the environment says of it.

    `status` is the daemon's, None where none answers; `ask` gets it anew; `holder` has the workspace, answering or not.
    """

    workspace: str
    cache: str
    socket: str
    home: str
    here: str
    environment: Mapping[str, str]
    version: str
    status: dict[str, Any] | None = None
    holder: Holder | None = None
    ask: Callable[[], dict[str, Any] | None] = lambda: None
    unit_folder: str = ""
    units: Mapping[str, str] = field(default_factory=dict)
    now_s: float = field(default_factory=time.time)
    state: str = ""

    @cached_property
    def tree(self) -> Tree:
        """The workspace's folder, opened when it is first needed."""
        return Tree(self.workspace)

    @property
    def again(self) -> str:
        """What to do so that a daemon starts afresh: how the one that runs is stopped, too."""
        pid = self.holder.pid if self.holder else self.status["pid"] if self.status else 0
        stop = (
            f"Stop process {pid} (`kill {pid}`, or `kill -9 {pid}` where it does not end), then run" if pid else "Run"
        )
        return f"{stop} `memd up`"

    @property
    def blocked(self) -> bool:
        """Something that is no directory stands where memd keeps its log: told once, of the workspace."""
        private = f"{self.workspace}/{PRIVATE}"
        return os.path.lexists(private) and (os.path.islink(private) or not os.path.isdir(private))

    @cached_property
    def checked(self) -> Checked:
        """What `memd check` says."""
        return check(self.tree, (), self.trust)

    @cached_property
    def trust(self) -> Trust:
        """What this machine grants to the workspace."""
        trust = Trust(self.state)
        trust.look(self.tree)
        return trust


Check = Callable[[Scope], Iterable[Row]]


def examine(scope: Scope, checks: Sequence[tuple[str, Check]]) -> list[Row]:
    """Return the rows of all checks, in their order."""
    rows: list[Row] = []
    for name, one in checks:
        try:
            rows += list(one(scope))
        except (MemdError, OSError) as error:
            do = error.hint if isinstance(error, MemdError) else "Look at the disk and its permissions."
            rows.append(Row(name, FAIL, str(error)[:SEEN_CHARS], do))
        except Exception as error:
            logger.debug("the check %s failed", name, exc_info=True)
            why = f"this check itself failed: {type(error).__name__}: {error}"
            rows.append(Row(name, FAIL, why[:SEEN_CHARS], "Report this with what `memd --debug doctor` prints."))
    return rows


def check_settings(scope: Scope) -> Iterator[Row]:
    """memd.toml can be read, and is in force."""
    try:
        read_settings(scope.tree)
    except FileNotFoundError:
        yield _no_settings(scope, "there is no memd.toml")
    except NotRegularError:
        yield _no_settings(scope, "memd.toml is no regular file")
    except BadSettingsError as error:
        do = "Correct the lines named; until then the last good settings, or the defaults, are in force."
        yield Row("settings", FAIL, first_of(error.faults), do)
    else:
        yield Row("settings", OK, "memd.toml is valid")


def check_trust(scope: Scope) -> Iterator[Row]:
    """What the workspace asks for that weakens a protection is granted, or not in force."""
    asks, trust = asks_of(scope.tree, scope.trust.trusted), scope.trust
    vain = in_vain(asks)
    granted = [one.said for one in asks if one.granted]
    told = f"granted: {', '.join(granted)}" if granted else "nothing that weakens a protection is in force"
    if vain:
        seen = f"asked for and not granted on this machine: {', '.join(one.said for one in vain)}"
        do = (
            "Look with `memd trust` at what it means; `memd trust --grant NAME` grants it, or take it out of the files."
        )
        yield Row("trust", WARN, seen[:SEEN_CHARS], do)
    elif trust.fault:
        do = "Make the directory yours and no link, then grant again with `memd trust`."
        yield Row("trust", WARN, f"nothing is granted: {trust.fault}"[:SEEN_CHARS], do)
    else:
        yield Row("trust", OK, told[:SEEN_CHARS])


def _no_settings(scope: Scope, why: str) -> Row:
    roles = [one.name for one in scope.tree.entries(ROLES) if one.is_dir]
    there = f"; there are roles: {', '.join(roles)}" if roles else ""
    do = "Put memd.toml back, an empty one means the defaults: without it no command finds the workspace."
    return Row("settings", FAIL, f"{why}{there}"[:SEEN_CHARS], do)


def check_files(scope: Scope) -> Iterator[Row]:
    """Every file can be read as what it should be."""
    if scope.blocked:
        yield Row("files", SKIP, f"{PRIVATE} is no directory")
        return
    marked = [one for one in scope.checked.faults if one.code == "file.conflict_marker"]
    trust = [one for one in scope.checked.faults if one.code.startswith("trust.")]
    told_apart = {id(one) for one in (*marked, *trust, *_of_limits(scope.checked))}
    faults = [one for one in scope.checked.faults if id(one) not in told_apart and one.name != SETTINGS]
    counts = Counter(severity_of(one.code) for one in faults)
    graves = [one for one in faults if severity_of(one.code) != "note"]
    files = counted(len(scope.checked.names), "file")
    if graves:
        told = ", ".join(counted(counts[one], one) for one in ("error", "warning") if counts[one])
        graves.sort(key=lambda one: severity_of(one.code) != "error")
        state = FAIL if counts["error"] else WARN
        yield Row("files", state, f"{files}, {told}: {first_of(graves)}", "Run `memd check`, and fix what it names.")
    else:
        yield Row("files", OK, f"{files}, nothing wrong")
    if marked:
        do = "Edit the lines between <<<<<<< and >>>>>>>; the last good state serves until then."
        yield Row("conflicts", FAIL, f"git left a conflict in {counted(len(marked), 'place')}: {first_of(marked)}", do)


def check_limits(scope: Scope) -> Iterator[Row]:
    """No limit is near."""
    if scope.blocked:
        yield Row("limits", SKIP, f"{PRIVATE} is no directory")
        return
    faults = _of_limits(scope.checked)
    if not faults:
        yield Row("limits", OK, "none is near")
        return
    reached = [one for one in faults if severity_of(one.code) == "error"]
    first, *_ = reached or faults
    limit = first.code.partition(".")[2]
    yield Row("limits", FAIL if reached else WARN, first_of(reached or faults), ROOM.get(limit, RAISE))


def check_log(scope: Scope) -> Iterator[Row]:
    """The log can be read, and what was acknowledged is in its files."""
    if scope.blocked:
        yield Row("log", SKIP, f"{PRIVATE} is no directory")
        return
    try:
        data = scope.tree.read(LOG)[0]
    except FileNotFoundError:
        yield Row("log", OK, "there is none: nothing waits")
        return
    held = read_log(data)
    if held.damaged:
        yield _damaged(scope, held, data)
    kept = len(scope.tree.entries(QUARANTINE))
    aside = f"; {counted(kept, 'file')} in {QUARANTINE}" if kept else ""
    waiting = [one for one in held.records if held.pending(one)]
    if not waiting:
        yield Row("log", OK, f"{counted(len(held.records), 'batch')}, all in their files{aside}")
        return
    since = waiting[0].at
    late = scope.now_s - (to_seconds(since) or scope.now_s) > LATE_S
    seen = f"{counted(len(waiting), 'acknowledged batch')} not yet in the files, the oldest since {since}{aside}"
    if scope.status is None:
        yield Row("log", WARN, seen, f"{scope.again}: it writes them; until then the log has them.")
    elif late:
        yield Row("log", WARN, seen, "Run `memd status`: it names what holds them up.")
    else:
        yield Row("log", OK, seen)


def _damaged(scope: Scope, held: Held, data: bytes) -> Row:
    do = f"{scope.again}: it puts the damaged part aside and goes on with all the rest."
    torn = data.endswith(held.damaged) and not held.damaged.endswith(b"\n")
    if torn:
        seen = f"the last line is torn after {counted(len(held.damaged), 'byte')}: it was never acknowledged"
        return Row("log", WARN, seen, do)
    return Row("log", FAIL, f"the log has {counted(len(held.damaged), 'byte')} that are no lines of it", do)


def check_workspace(scope: Scope) -> Iterator[Row]:
    """The folder can be opened, and written."""
    try:
        tree = scope.tree
    except (FileNotFoundError, NotRegularError, StorageError):
        yield Row("workspace", FAIL, f"{scope.workspace} cannot be opened", "Name the workspace with --workspace.")
        return
    if not os.access(tree.path, os.W_OK):
        yield Row("workspace", WARN, f"{tree.path} cannot be written", "Make it writable; until then memd only reads.")
        return
    if scope.blocked:
        do = f"Move {PRIVATE} away; memd makes a directory of that name for its log and its audit."
        yield Row("workspace", FAIL, f"{scope.workspace}/{PRIVATE} is no directory", do)
        return
    yield Row("workspace", OK, tree.path)


def _of_limits(checked: Checked) -> list[Fault]:
    return [one for one in checked.faults if one.code.startswith("limit.")]


def first_of(faults: Sequence[Fault]) -> str:
    """Return the first of what was found, and how many more there are."""
    more = f", and {len(faults) - 1} more" if len(faults) > 1 else ""
    return str(faults[0])[:SEEN_CHARS] + more


OF_WORKSPACE: tuple[tuple[str, Check], ...] = (
    ("workspace", check_workspace),
    ("settings", check_settings),
    ("trust", check_trust),
    ("files", check_files),
    ("limits", check_limits),
    ("log", check_log),
)
