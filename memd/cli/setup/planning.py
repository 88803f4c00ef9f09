"""What `memd setup` would do, found out without doing anything; with what agents keep of conversations."""

from __future__ import annotations

import os
import secrets
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from memd.cli.reach import is_running
from memd.cli.services import has_units
from memd.cli.setup.agents import KNOWN, Found, agents_here
from memd.cli.show import Part, own, own_call
from memd.cli.tables import Column, listing, whole_text
from memd.cli.trusting import remotes_here
from memd.config import place_at
from memd.errors import MemdError, ServiceMissingError, SetupBlockedError
from memd.formats.times import to_day
from memd.model.trust import PAST, past_order
from memd.service.capture.past import find
from memd.service.granting import let_take_past
from memd.service.setup import Records, check_place, check_writable, lacks_start
from memd.storage.processes import run_program
from memd.store.trust import Trust
from memd.text.counting import counted

if TYPE_CHECKING:
    from memd.formats.setup_files import Record
    from memd.storage.files import Tree

USUAL = "~/memory"
PROPOSED = "auto"
SYSTEMD, UNITS, BY_HOOKS = "systemd", "units", "hooks"


@dataclass(frozen=True, slots=True)
class Plan:
    """What would be done for a workspace. `project`: agents are told only for work in this directory, "" everywhere.

    `makes` the workspace, with `git` where there is a program; `keeps` says by what the daemon is kept up; `begins` it now, `grants` it to
    hooks; `level` of capture, which is new here where it `raises`; `serves` agents' plugins, which did not find it.
    `past` is what agents keep of conversations, which comes in only where it `takes` that.
    """

    workspace: str
    project: str
    state: str
    cache: str
    makes: bool
    git: bool
    level: str
    raises: bool
    remotes: tuple[str, ...] | None
    keeps: str
    begins: bool
    grants: bool
    serves: bool
    agents: tuple[Found, ...]
    record: Record | None
    past: Offer
    takes: bool = False

    @property
    def changes(self) -> bool:
        """Whether there is anything to do."""
        own = self.makes or self.raises or self.begins or self.grants or self.serves or self.keeps == SYSTEMD
        return own or self.takes or any(one.edits for one in self.agents)


def place_for(named: str) -> str:
    """Return the path of the workspace that is meant: the one named, MEMD_WORKSPACE, else ~/memory; SetupBlockedError without a home."""
    check_home()
    wanted = named or os.environ.get("MEMD_WORKSPACE", "") or os.path.expanduser(USUAL)
    path = os.path.abspath(os.path.expanduser(wanted))
    return os.path.realpath(path) if os.path.exists(path) or not os.path.islink(path) else path


def check_home() -> None:
    """Raise SetupBlockedError where it is not known whose home this is: agents look for their settings there, and so does memd."""
    home = os.environ.get("HOME", "")
    if not os.path.isabs(home):
        raise _home(home or "HOME", "it is not set, or no absolute path")
    if not os.path.isdir(home):
        raise _home(home, "HOME is no directory")
    if os.stat(home).st_uid != os.geteuid():
        raise _home(home, "HOME belongs to another user")


def _home(path: str, why: str) -> SetupBlockedError:
    error = SetupBlockedError(path, why)
    error.hint = "Run it as the user whose agents are to have a memory, with HOME set to that user's directory."
    return error


def plan_for(workspace: str, project: str, level: str, *, takes: bool = False) -> Plan:
    """Return what would be done; `level` of capture, "" for what memd proposes. SetupBlockedError where nothing can be.

    `takes`: the conversations that agents keep come in, too.
    """
    place = place_at(workspace)
    state, cache = place.state, place.cache
    record = Records(state).read()
    makes = check_place(workspace, record)
    check_writable(state)
    wanted, raises, grants = (level or PROPOSED, True, True) if makes else _standing(workspace, state, level, record)
    git = _has_git()
    remotes = (() if git else None) if makes else _remotes(workspace)
    keeps = _kept_by(workspace)
    begins = makes or not is_running(workspace)
    serves = not project and lacks_start(state, workspace)
    agents = tuple(agents_here(workspace, project))
    past = _past_of(workspace, state, project, makes=makes)
    takes = takes and bool(past.rows) and not past.ordered
    return Plan(
        workspace, project, state, cache, makes, git, wanted, raises, remotes, keeps, begins, grants, serves, agents, record,
        past, takes,
    )  # fmt: skip


def _past_of(workspace: str, state: str, project: str, *, makes: bool) -> Offer:
    """Return what agents keep of conversations; nothing where this is only for one project, which is not all they are about."""
    from memd.storage.files import Tree

    if project:
        return Offer((), {})
    tree = None if makes else Tree(workspace)
    try:
        return offer_of(tree, state, time.time())
    finally:
        if tree:
            tree.close()


def _standing(workspace: str, state: str, level: str, record: Record | None) -> tuple[str, bool, bool]:
    """Return the level a workspace that is there shall have, whether that changes anything, and whether hooks may not start it yet."""
    from memd.model.trust import CAPTURE, START
    from memd.service.granting import RAISED
    from memd.storage.files import Tree
    from memd.store.in_force import read_settings
    from memd.store.trust import Trust

    tree = Tree(workspace)
    try:
        asked = read_settings(tree).capture.level
        trust = Trust(state)
        trust.look(tree)
    finally:
        tree.close()
    granted = trust.trusted.granted
    wanted = level or (PROPOSED if asked == "explicit" and record is None else asked)
    raises = wanted != asked or (wanted in RAISED and granted.get(CAPTURE) != wanted)
    return wanted, raises, granted.get(START) is not True


def _has_git() -> bool:
    from memd.storage.history import Git

    try:
        return bool(Git("/").program)
    except MemdError:
        return False


def _remotes(workspace: str) -> tuple[str, ...] | None:
    found = remotes_here(workspace)
    return None if found is None else tuple(found)


def _kept_by(workspace: str) -> str:
    """Return by what the daemon is kept up: units that are there, systemd where it answers this user, else agents' hooks."""
    try:
        if has_units(workspace):
            return UNITS
    except (MemdError, OSError):
        return BY_HOOKS  # what is there is in the way, or cannot be read
    try:
        answers = run_program(["systemctl", "--user", "show-environment"]).status == 0
    except ServiceMissingError:
        answers = False
    return SYSTEMD if answers else BY_HOOKS


# The offer of the past: the conversations that agents keep on this machine, shown, and ordered where a person wants them.

AGENTS = {"claude": "projects", "codex": "", "gemini": "tmp"}  # and the directory below its own where it keeps them
COMES_OF_IT = {
    "off": "Nothing of them becomes a memory at the level off; they can be searched.",
    "explicit": "Nothing of them becomes a memory at the level explicit; they can be searched, and `memd consolidate` goes through them.",
    "inbox": "What was told in them waits in the inbox (`memd review`), as long as that is not half full.",
    "auto": "What you clearly told in them becomes memories, dated as it was said; what is doubtful or delicate waits in the inbox, as long as that is not half full.",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Offer:
    """What agents keep here: of each its name, directory, conversations, bytes, first and last day; why how many are left out.

    `ordered` is the id of the order that is being carried out, "" where there is none.
    """

    rows: tuple[tuple[str, str, int, int, str, str], ...]
    left: dict[str, int]
    ordered: str = ""

    @property
    def count(self) -> int:
        """How many conversations can be taken in."""
        return sum(row[2] for row in self.rows)

    @property
    def said(self) -> str:
        """All of it in one sentence."""
        parts = [f"{KNOWN[agent].title} {count} ({_size(size)}, {_days(first, last)})" for agent, _, count, size, first, last in self.rows]  # fmt: skip
        return f"{counted(self.count, 'conversation')}: {'; '.join(parts)}"

    def reply(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        names = ("agent", "folder", "conversations", "bytes", "from", "to")
        return {"agents": [dict(zip(names, row, strict=True)) for row in self.rows], "left": self.left}


def offer_of(tree: Tree | None, state: str, now_s: float, agents: Sequence[str] = ()) -> Offer:
    """Return what agents keep on this machine that is not known here; `tree`: None where there is no workspace yet."""
    named = {one: os.path.join(KNOWN[one].folder(), below).rstrip("/") for one, below in AGENTS.items()}
    roots = {one: path for one, path in named.items() if os.path.isdir(path) and (not agents or one in agents)}
    ordered = ""
    if tree is not None:
        trust = Trust(state)
        trust.look(tree)
        ordered = past_order(trust.trusted.granted).get("id", "")
    found = find(tree, roots, now_s, ordered)
    rows = []
    for agent, root in roots.items():
        mine = [one for one in found.conversations if one.agent == agent]
        if mine:
            size = sum(one.size for one in mine)
            rows.append((agent, root, len(mine), size, to_day(mine[0].began_s), to_day(mine[-1].began_s)))
    return Offer(tuple(rows), found.left, ordered)


def _size(size_bytes: int) -> str:
    return f"{size_bytes / 1e6:.1f} MB" if size_bytes >= 1e6 else f"{max(1, round(size_bytes / 1e3))} kB"


def _days(first: str, last: str) -> str:
    return first if first == last else f"{first} to {last}"


def take(tree: Tree, state: str, offer: Offer, role: str = "") -> str:
    """Order that what is offered is taken in, and return the id of the order; one that is carried out already stands."""
    if offer.ordered:
        return offer.ordered
    past_id = f"{PAST}-{secrets.token_hex(4)}"
    roots = {agent: root for agent, root, *_ in offer.rows}
    let_take_past(tree, Trust(state), {"id": past_id, **({"role": role} if role else {}), **roots})
    return past_id


def offer_parts(offer: Offer, level: str) -> list[Part]:
    """Return an offer for a person, and what comes of it."""
    left = [f"left out: {counted(count, 'conversation')}, {why}" for why, count in offer.left.items()]
    if not offer.rows:
        return ["There is no past conversation of an agent to take in.", *left]
    rows = [(KNOWN[agent].title, count, _size(size), _days(first, last), root) for agent, root, count, size, first, last in offer.rows]  # fmt: skip
    table = listing(rows, Column("agent"), Column("conversations"), Column("size"), Column("held"), whole_text("in"))
    kept = "They go into sessions/ of this workspace (git-ignored, as what hooks write), without secrets and without what was said off the record; the files of the agents stay as they are."
    return [table, *left, kept, own(COMES_OF_IT[level])]


def begun_parts(past_id: str, *, runs: bool) -> list[Part]:
    """Return what to know of an order that was given."""
    when = (
        "It goes on in the background"
        if runs
        else "It begins when the daemon runs (`memd up`), and goes on in the background"
    )
    return [
        own(f"{when}: `memd status` tells how far it is, `memd pause` holds it up."),
        f"To take all of it back: {own_call('import', '--undo', past_id)}",
    ]
