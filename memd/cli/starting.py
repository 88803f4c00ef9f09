"""The way to a workspace's daemon: where it listens, and how one is started and waited for where none answers."""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections.abc import Iterator
from typing import Any

from memd.client import Client, socket_of
from memd.errors import DaemonFailedError, DaemonLostError, DaemonMissingError, DeadlineError, MemdError

START_S = 30.0


def start_detached(workspace: str, socket: str) -> int:
    """Start a daemon in the background, wait until it answers, and return its pid.

    DaemonFailedError with what it said where it ended before. What it says later goes nowhere.
    """
    import tempfile

    from memd.storage.itself import child_command

    arguments = [*child_command(), "up", "--workspace", workspace, "--socket", socket, "--silent-later"]
    with tempfile.TemporaryFile() as said:
        actions = [(os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0), (os.POSIX_SPAWN_DUP2, said.fileno(), 1)]
        pid = os.posix_spawn(
            arguments[0], arguments, os.environ, file_actions=[*actions, (os.POSIX_SPAWN_DUP2, 1, 2)], setsid=True
        )
        until = time.monotonic() + START_S
        while time.monotonic() < until:
            if answering := _answering(workspace, socket):
                return answering
            ended, status = os.waitpid(pid, os.WNOHANG)
            if ended:
                said.seek(0)
                raise _failed(socket, os.waitstatus_to_exitcode(status), said.read())
            time.sleep(0.02)
    raise DeadlineError("memd up", START_S)


def _answering(workspace: str, socket: str) -> int:
    """Return the process that answers at a socket for a workspace, 0 where none does: yet, or where it is another's."""
    try:
        with Client(socket) as client:
            said = client.call("ping")
    except DaemonMissingError:
        return 0
    return int(said["pid"]) if said["workspace"] == workspace else 0


def _failed(socket: str, status: int, said: bytes) -> DaemonFailedError:
    """Return why a daemon ended, of all it said: its error and what it advises, else its last line."""
    lines = said.decode("utf-8", "replace").splitlines()
    errors = [at for at, line in enumerate(lines) if line.startswith("Error: ")]
    told = lines[errors[-1] :] if errors else lines[-1:]
    hints = [line.removeprefix("  Try: ") for line in told if line.startswith("  Try: ")]
    words = "\n".join(line for line in told if not line.startswith("  Try: "))
    why, hint = words.removeprefix("Error: ") or "it said nothing", " ".join(hints) or DaemonFailedError.hint
    return DaemonFailedError(socket, status, why, hint)


AGAIN_S = 0.3  # a daemon that is started anew answers after about this long
SELDOM_S = 3.0  # whether one is there again is looked for so seldom in the end
OTHER_S = 2.0  # another process may be starting it at the same moment
LET_BE_S = 60.0  # a daemon that could not be started is not tried at every call
CALL_S = 30.0
REPEATABLE = (
    "trigger", "search", "memory.get", "memory.list", "role.list", "role.get", "role.of", "curated.read", "context.render",
    "session.search", "review.list", "profile",
)  # fmt: skip


class Way:
    """Knows a workspace's daemon, and starts one where none runs, if it may.

    A call has a connection of its own: that nobody listens is known before anything is sent, so that a daemon which went
    away is found or started again without asking anything twice.
    """

    def __init__(self, workspace: str, *, starts: bool) -> None:
        self.workspace, self.socket, self.starts = workspace, os.path.realpath(socket_of(workspace)), starts
        self.why = ""  # no daemon could be started
        self.without: str | None = (
            None  # the same where the last call was carried out without one; None where one answered
        )
        self._lock = threading.Lock()
        self._pid, self._not_before_s = 0, 0.0

    def start(self) -> None:
        """Start a daemon where none answers, and wait until it does. Blocks. What cannot be started is let be for a while."""
        if not self.starts:
            self.find()
            return
        with self._lock:
            if self.find() or time.monotonic() < self._not_before_s:
                return
            if self._pid:
                with contextlib.suppress(ChildProcessError):
                    os.waitpid(self._pid, os.WNOHANG)  # the daemon before this one, so that it leaves no zombie
            try:
                self._pid = start_detached(self.workspace, self.socket)
                self.why = ""
            except (OSError, MemdError) as error:  # it ended at once; perhaps because another process was quicker
                self.why = str(error)
                self._not_before_s = time.monotonic() + LET_BE_S
                until_s = time.monotonic() + OTHER_S
                while not self.find() and time.monotonic() < until_s:
                    time.sleep(AGAIN_S)

    def find(self) -> bool:
        """Tell whether a daemon of this workspace answers, wherever it listens.

        Agents pass on little of the environment, so that the daemon a person started may listen at another place.
        """
        with contextlib.suppress(MemdError), Client.of_workspace(self.workspace) as client:
            self.socket, self.why = client.path, ""
            return True
        return False


class BlockingWay(Way):
    """Asks the daemon, and blocks meanwhile; where there is none and none can be started, the work is done here."""

    def __init__(self, workspace: str, *, starts: bool) -> None:
        super().__init__(workspace, starts=starts)
        self._here = threading.Lock()  # one at a time: each holds the workspace's lock

    async def call(self, method: str, **params: Any) -> dict[str, Any]:
        """Return the result of one call. What was sent to a daemon that then ended is asked again only if it may be.

        It waits for no loop: whoever asks runs it to its end.
        """
        try:
            return self._call(method, params)
        except DaemonLostError:
            if method not in REPEATABLE:
                raise
        except DaemonMissingError:
            pass  # it ended, and this was surely not done
        return self._call(method, params)

    def happenings(self) -> Iterator[dict[str, Any]]:
        """Yield what changes, from whatever daemon there is; starts none. `anew` where one was not there before."""
        anew, rest_s = False, AGAIN_S
        while True:
            with contextlib.suppress(MemdError), Client(self.socket) as client:
                for happening in client.events():
                    rest_s = AGAIN_S
                    yield {**happening, "anew": anew} if happening["topic"] == "subscribed" else happening
            anew = True
            time.sleep(rest_s)
            rest_s = min(2 * rest_s, SELDOM_S)

    def _call(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        client = self._connected()
        if client is None:
            self.start()
            client = self._connected()
        self.without = self.why if client is None else None
        if client is None:  # what stopped a daemon may not stop this; if it does, it is told
            return self._worked_here(method, params)
        with client:
            try:
                return client.call(method, **params)
            except (DaemonMissingError, DeadlineError) as error:
                may_be_done = isinstance(error, (DaemonLostError, DeadlineError)) and method not in REPEATABLE
                error.sent = may_be_done  # type: ignore[union-attr]  # read by doors.mcp.texts
                raise

    def _connected(self) -> Client | None:
        try:
            return Client(self.socket, deadline_s=CALL_S)
        except DaemonMissingError:
            return None

    def _worked_here(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        import asyncio

        with self._here:
            return asyncio.run(worked_here(self.workspace, method, params))


async def worked_here(workspace: str, method: str, params: dict[str, Any]) -> dict[str, Any]:
    """Return the result of one call that is carried out in this process."""
    from memd.config import place_of
    from memd.daemon import local, writes

    async with local(place_of(workspace), writes=writes(method)) as service:
        return await service.call(method, **params)


def place_here(workspace: str, directory: str = ".") -> dict[str, str]:
    """Return what a directory says of whose memory it gets, as role.of takes it."""
    from memd.storage.checkouts import look_at

    found = look_at(directory, workspace)
    said = {"project": found.project, "named": found.named, "mark": found.mark}
    return {key: value for key, value in said.items() if value}
