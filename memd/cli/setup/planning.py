"""What `memd setup` would do, found out without doing anything."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memd.cli.reach import is_running
from memd.cli.services import has_units
from memd.cli.setup.agents import Found, agents_here
from memd.cli.trusting import remotes_here
from memd.config import place_at
from memd.errors import MemdError, ServiceMissingError, SetupBlockedError
from memd.service.setup import Records, check_place, check_writable, lacks_start
from memd.storage.processes import run_program

if TYPE_CHECKING:
    from memd.cli.setup.past import Offer
    from memd.formats.setup_files import Record

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
    from memd.cli.setup.past import Offer, offer_of
    from memd.storage.files import Tree

    if project:
        return Offer((), {}, {})
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
    from memd.store.settings_file import read_settings
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
