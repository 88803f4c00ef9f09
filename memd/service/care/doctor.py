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
from typing import Any, NamedTuple

from memd.errors import BadSettingsError, Fault, MemdError, NotRegularError, StorageError
from memd.formats.times import to_seconds
from memd.model.findings import severity_of
from memd.service.care.check import Checked, check
from memd.service.care.check_index import check_index
from memd.service.settings_file import read_settings
from memd.storage.files import Tree
from memd.storage.layout import LOG, QUARANTINE, SETTINGS
from memd.storage.wal import Held, read_log

logger = logging.getLogger(__name__)

OK, WARN, FAIL, SKIP = "ok", "warn", "fail", "skip"
LATE_S = 60.0  # what was acknowledged is in its file long before
SECOND_LOOK_S = 1.0  # a change under way is in the index by then
LARGEST_BYTES = 1 << 30
SEEN_CHARS = 300


class Row(NamedTuple):
    """What one check saw: its name, ok, warn, fail or skip, a sentence, and what to do about it."""

    name: str
    state: str
    seen: str
    do: str = ""


@dataclass
class Scope:
    """What is looked at, with what the environment says of it; `status` is a running daemon's, None where none runs."""

    workspace: str
    cache: str
    socket: str
    home: str
    here: str
    environment: Mapping[str, str]
    version: str
    status: dict[str, Any] | None = None
    unit_folder: str = ""
    units: Mapping[str, str] = field(default_factory=dict)
    now_s: float = field(default_factory=time.time)

    @cached_property
    def tree(self) -> Tree:
        """The workspace's folder, opened when it is first needed."""
        return Tree(self.workspace)

    @cached_property
    def checked(self) -> Checked:
        """What `memd check` says."""
        return check(self.tree)


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
        do = "Put memd.toml back; `memd init` in an empty folder makes one."
        yield Row("settings", FAIL, "there is no memd.toml", do)
    except BadSettingsError as error:
        do = "Correct the lines named; until then the last good settings, or the defaults, are in force."
        yield Row("settings", FAIL, _first(error.faults), do)
    else:
        yield Row("settings", OK, "memd.toml is valid")


def check_files(scope: Scope) -> Iterator[Row]:
    """Every file can be read as what it should be."""
    marked = [one for one in scope.checked.faults if one.code == "file.conflict_marker"]
    told_apart = {id(one) for one in (*marked, *_of_limits(scope.checked))}
    faults = [one for one in scope.checked.faults if id(one) not in told_apart and one.name != SETTINGS]
    counts = Counter(severity_of(one.code) for one in faults)
    graves = [one for one in faults if severity_of(one.code) != "note"]
    files = f"{len(scope.checked.names)} files"
    if graves:
        told = ", ".join(f"{counts[one]} {one}s" for one in ("error", "warning") if counts[one])
        graves.sort(key=lambda one: severity_of(one.code) != "error")
        state = FAIL if counts["error"] else WARN
        yield Row("files", state, f"{files}, {told}: {_first(graves)}", "Run `memd check`, and mend what it names.")
    else:
        yield Row("files", OK, f"{files}, nothing wrong")
    if marked:
        do = "Edit the lines between <<<<<<< and >>>>>>>; the last good state serves until then."
        yield Row("conflicts", FAIL, f"git left a conflict in {len(marked)} places: {_first(marked)}", do)


def check_limits(scope: Scope) -> Iterator[Row]:
    """No limit is near."""
    faults = _of_limits(scope.checked)
    if not faults:
        yield Row("limits", OK, "none is near")
        return
    reached = [one for one in faults if severity_of(one.code) == "error"]
    do = "Run `memd upkeep --dry-run` to see what would make room, or raise the limit in memd.toml."
    yield Row("limits", FAIL if reached else WARN, _first(reached or faults), do)


def check_log(scope: Scope) -> Iterator[Row]:
    """The log can be read, and what was acknowledged is in its files."""
    try:
        data = scope.tree.read(LOG)[0]
    except FileNotFoundError:
        yield Row("log", OK, "there is none: nothing waits")
        return
    held = read_log(data)
    if held.damaged:
        yield _damaged(held, data)
    kept = len(scope.tree.entries(QUARANTINE))
    aside = f"; {kept} files in {QUARANTINE}" if kept else ""
    waiting = [one for one in held.records if one.n > held.applied and one.n not in held.done]
    if not waiting:
        yield Row("log", OK, f"{len(held.records)} batches, all in their files{aside}")
        return
    since = waiting[0].at
    late = scope.now_s - (to_seconds(since) or scope.now_s) > LATE_S
    seen = f"{len(waiting)} acknowledged batches are not in their files, the oldest since {since}{aside}"
    if scope.status is None:
        yield Row("log", WARN, seen, "Run `memd up`: it writes them; until then the log has them.")
    elif late:
        yield Row("log", WARN, seen, "Run `memd status`: it names what holds them up.")
    else:
        yield Row("log", OK, seen)


def _damaged(held: Held, data: bytes) -> Row:
    do = "Run `memd up`: it puts the damaged part aside and goes on with all the rest."
    torn = data.endswith(held.damaged) and not held.damaged.endswith(b"\n")
    if torn:
        seen = f"the last line is torn after {len(held.damaged)} bytes: it was never acknowledged"
        return Row("log", WARN, seen, do)
    return Row("log", FAIL, f"{len(held.damaged)} bytes are no lines of the log", do)


def check_the_index(scope: Scope) -> Iterator[Row]:
    """The full-text index has every document as its file has it."""
    if not os.path.isdir(scope.cache):
        yield Row("index", SKIP, "there is none yet: the first search makes it")
        return
    faults, count = check_index(scope.tree, scope.cache, LARGEST_BYTES)
    if faults and scope.status is not None and faults[0].code != "index.unusable":
        time.sleep(SECOND_LOOK_S)  # a save of this moment may not be in it yet
        faults, count = check_index(scope.tree, scope.cache, LARGEST_BYTES)
    if not faults:
        yield Row("index", OK, f"{count} documents, as their files have them")
    elif faults[0].code == "index.unusable":
        yield Row("index", WARN, faults[0].why[:SEEN_CHARS], "Run `memd rebuild`; nothing but time is lost.")
    elif scope.status is None:
        seen = f"{len(faults)} documents are behind: {_first(faults)}"
        yield Row("index", WARN, seen, "Run `memd up`, which brings it up, or `memd rebuild`.")
    else:
        yield Row("index", FAIL, f"{len(faults)} documents differ: {_first(faults)}", "Run `memd rebuild`.")


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
    yield Row("workspace", OK, tree.path)


def _of_limits(checked: Checked) -> list[Fault]:
    return [one for one in checked.faults if one.code.startswith("limit.")]


def _first(faults: Sequence[Fault]) -> str:
    more = f", and {len(faults) - 1} more" if len(faults) > 1 else ""
    return str(faults[0])[:SEEN_CHARS] + more


OF_WORKSPACE: tuple[tuple[str, Check], ...] = (
    ("workspace", check_workspace),
    ("settings", check_settings),
    ("files", check_files),
    ("limits", check_limits),
    ("log", check_log),
    ("index", check_the_index),
)
