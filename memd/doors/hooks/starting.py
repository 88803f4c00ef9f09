"""Start the daemon when an agent's window begins, where this machine lets hooks do that; else say, once a day, what to do.

Order: the grant is looked at first, whatever else the workspace says of itself. Of several windows one starts it (MARK, made
by nobody twice), the others wait for its answer; the lock of the workspace has the last word. Imported only where no daemon
answers at the start of a window, so it may take its time.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable
from typing import Any

from memd.model.trust import START
from memd.places import Surroundings, state_path, workspace_key
from memd.service.care.units import unit_dir
from memd.storage.files import Tree
from memd.storage.itself import child_command, own_line
from memd.storage.leaving import SpoolError, open_spool, read_small
from memd.storage.lock import holder_of
from memd.storage.processes import run_program
from memd.storage.system import System
from memd.store.trust import Trust

WAITS_S = 3.0  # for the first answer of a daemon that starts
STEP_S = 0.03
STARTS_S = 20.0  # a mark that is older was left by a hook that was killed
SYSTEMCTL_S = 2.0
ONCE_S = 86_400.0
MARK, SAID, DIARY = "starting", "said", "start.log"
WHY_CHARS = 300
Asked = Callable[[], dict[str, Any] | None]


class _NobodyError(Exception):
    """No daemon was started; the text says why."""


def started(
    agent: str, workspace: str, socket: str, around: Surroundings, asked: Asked
) -> tuple[dict[str, Any] | None, str]:
    """Return the answer of the daemon that was started, or what the agent is to be told, "" where it was told today."""
    state = state_path(workspace, around)
    if not state:
        return None, ""
    try:
        if not _may(workspace, state):
            lets = f"`{own_line('hook', 'install', agent, '--workspace', workspace)}` lets hooks start it"
            return None, _once(
                state, workspace, f"its daemon does not run, and this machine has not let hooks start it: {lets}"
            )
        reply = _started(workspace, socket, state, around, asked)
    except _NobodyError as error:
        return None, _once(state, workspace, f"its daemon does not run, and could not be started: {error}")
    except SpoolError:
        return None, ""
    return reply, ""


def _may(workspace: str, state: str) -> bool:
    """Tell whether this machine lets hooks start a daemon for the workspace that is at a path now."""
    tree = Tree(workspace)
    try:
        trust = Trust(state)
        trust.look(tree)
        return trust.trusted.granted.get(START) is True
    finally:
        tree.close()


def _started(workspace: str, socket: str, state: str, around: Surroundings, asked: Asked) -> dict[str, Any] | None:
    """Return the answer of the daemon that starts now, None where it takes longer than a hook waits."""
    at = open_spool(state, workspace, makes=True)
    pid, ours = 0, False
    until_s = time.monotonic() + WAITS_S
    try:
        ours = _mark(at)
        while True:
            if (reply := asked()) is not None:
                return reply
            if ours and not pid and holder_of(workspace) is None:
                pid = -1 if _by_service(workspace, around) else _spawned(workspace, socket, at)
            elif pid > 0 and os.waitpid(pid, os.WNOHANG)[0]:
                if holder_of(workspace) is None:
                    raise _NobodyError(_why(state))
                pid = -1  # another process was quicker
            if time.monotonic() > until_s:
                return None
            time.sleep(STEP_S)
    finally:
        if ours:
            with contextlib.suppress(OSError):
                System().unlink(MARK, at=at)
        os.close(at)


def _mark(at: int) -> bool:
    """Tell whether it is this hook that starts the daemon: nobody else does at this moment."""
    system = System()
    for _ in range(2):
        try:
            os.close(system.open(MARK, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600, at=at))
        except FileExistsError:
            with contextlib.suppress(FileNotFoundError):
                if 0 <= time.time() - system.stat(MARK, at=at).st_mtime < STARTS_S:
                    return False
                system.unlink(MARK, at=at)
        else:
            return True
    return False


def _by_service(workspace: str, around: Surroundings) -> bool:
    """Have the system's manager listen, where a person installed the units; tell whether it does."""
    name = f"memd-{workspace_key(workspace)}.socket"
    folder = unit_dir(os.path.expanduser("~"), os.environ.get("XDG_CONFIG_HOME", ""))
    if not around.runtime_dir or not os.path.isfile(f"{folder}/{name}"):
        return False
    return run_program(["systemctl", "--user", "start", name], deadline_s=SYSTEMCTL_S).status == 0


def _spawned(workspace: str, socket: str, at: int) -> int:
    """Start the daemon in a session of its own, so that it outlives the agent; return its process."""
    words = [*child_command(), "up", "--workspace", workspace, "--socket", socket, "--silent-later"]
    diary = System().open(DIARY, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600, at=at)
    actions = [
        (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
        (os.POSIX_SPAWN_DUP2, diary, 1),
        (os.POSIX_SPAWN_DUP2, diary, 2),
    ]
    try:
        return os.posix_spawn(words[0], words, os.environ, file_actions=actions, setsid=True)
    except OSError as error:
        raise _NobodyError(f"{words[0]}: {error.strerror}") from None
    finally:
        os.close(diary)


def _why(state: str) -> str:
    lines = read_small(f"{state}/spool/{DIARY}").decode("utf-8", "replace").splitlines()
    said = [line.removeprefix("Error: ") for line in lines if line.startswith("Error: ")] or lines[-1:]
    return "".join(sign for sign in (said[-1] if said else "it said nothing") if sign.isprintable())[:WHY_CHARS]


def _once(state: str, workspace: str, why: str) -> str:
    """Return a sentence with what to do, "" where it was said within a day."""
    system = System()
    try:
        at = open_spool(state, workspace, makes=True)
    except SpoolError:
        return ""
    try:
        with contextlib.suppress(FileNotFoundError):
            if 0 <= time.time() - system.stat(SAID, at=at).st_mtime < ONCE_S:
                return ""
            system.unlink(SAID, at=at)
        os.close(system.open(SAID, os.O_WRONLY | os.O_CREAT, 0o600, at=at))
    except OSError:
        return ""
    finally:
        os.close(at)
    up = own_line("up", "--detach", "--workspace", workspace)
    told = f"memd recalls nothing in this conversation: {why}. Tell the person: `{up}` starts it. What is said waits until it runs."
    return "".join(sign if sign.isprintable() else " " for sign in told)
