"""The verb that serves other programs in their own protocol: mcp."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import os
import shlex
import threading
import time
from collections.abc import AsyncIterator
from typing import Any

import click

from memd.cli.reach import json_option, place_here, workspace_option
from memd.cli.running import start_detached
from memd.cli.show import emit
from memd.client import AsyncClient, Client, find_workspace, socket_of
from memd.errors import DaemonLostError, DaemonMissingError, DeadlineError, ExtraMissingError, MemdError

AGAIN_S = 0.3  # a daemon that is started anew answers after about this long
OTHER_S = 2.0  # another process may be starting it at the same moment
LET_BE_S = 60.0  # a daemon that could not be started is not tried at every call
CALL_S = 30.0
REPEATABLE = (
    "trigger", "search", "memory.get", "memory.list", "role.list", "role.get", "role.of", "curated.read", "context.render", "session.search",
)  # fmt: skip
TOKEN = "MEMD_MCP_TOKEN"  # noqa: S105  the name of a variable, not a token


@click.command("mcp")
@click.option(
    "--http", "port", type=click.IntRange(0, 65535), help="Serve on this port of 127.0.0.1; 0 takes a free one."
)
@click.option(
    "--role", default="", help="Whose memory, where a call names nobody; else what the directory gets (`memd role of`)."
)
@click.option("--no-start", is_flag=True, help="Start no daemon; where none runs, do the work in this process.")
@click.option("--print", "only_print", is_flag=True, help="Print what an agent's settings need, and serve nothing.")
@json_option
@workspace_option
def mcp_command(port: int | None, role: str, no_start: bool, only_print: bool, as_json: bool, workspace: str) -> None:
    """Serve an agent over the Model Context Protocol, on standard input and output. Needs the extra memdaemon[mcp].

    With --http and MEMD_MCP_TOKEN set, only requests with that token are answered.

    \b
    memd mcp
    memd mcp --role nora --workspace my-memory
    memd mcp --http 8787
    memd mcp --print      the line that starts it from anywhere; with --json as `command` and `args`
    """
    if only_print:
        _print_call(find_workspace(workspace), port, role, no_start, as_json=as_json)
        return
    token = os.environ.get(TOKEN)
    if port is not None and token is not None and not token.strip():
        raise click.UsageError(f"{TOKEN} is set, but empty: give it a value, or unset it to serve without a token")
    reach = Reach(find_workspace(workspace), starts=not no_start)
    if not no_start:  # it takes as long as the import, so both at once
        threading.Thread(target=reach.start, daemon=True).start()
    gc.disable()  # the import makes tens of thousands of things, and none of them goes: a tenth of its time is the collector's
    try:
        from memd.doors.mcp.asking import InProject
        from memd.doors.mcp.serving import serve_http, serve_stdio
    except ModuleNotFoundError as error:
        raise ExtraMissingError("mcp") from error
    finally:
        gc.freeze()
        gc.enable()

    if port is None:
        place = {} if role else place_here(reach.workspace)
        asker = InProject(reach, place, lambda path: Reach(path, starts=not no_start)) if place else reach
        asyncio.run(serve_stdio(asker, role, place))
        return

    def ready(address: str) -> None:
        click.echo(f"memd mcp answers at {address}", err=True)

    asyncio.run(serve_http(reach, role, port, (token or "").strip(), ready))


def _print_call(workspace: str, port: int | None, role: str, no_start: bool, *, as_json: bool) -> None:
    """Print how this server is started from anywhere: absolute paths, and the options that were given."""
    from memd.storage.itself import own_command

    given = [("--http", "" if port is None else str(port)), ("--role", role), ("--workspace", workspace)]
    words = [*own_command(), "mcp", *(word for name, value in given if value for word in (name, value))]
    words += ["--no-start"] * no_start
    emit({"command": words[0], "args": words[1:]}, as_json, shlex.join(words))


class Reach:
    """The way to a workspace: its daemon, started where none runs, or the same work here.

    A call has a connection of its own: that nobody listens is known before anything is sent, so that a daemon which went
    away is found or started again without asking anything twice.
    """

    def __init__(self, workspace: str, *, starts: bool) -> None:
        self.workspace, self.socket, self.starts = workspace, os.path.realpath(socket_of(workspace)), starts
        self._lock = threading.Lock()
        self._pid, self._not_before_s = 0, 0.0

    async def call(self, method: str, **params: Any) -> dict[str, Any]:
        """Return the result of one call. What was sent to a daemon that then ended is asked again only if it may be."""
        try:
            return await self._call(method, params)
        except DaemonLostError:
            if method not in REPEATABLE:
                raise
        except DaemonMissingError:
            pass  # it ended, and this was surely not done
        return await self._call(method, params)

    async def _call(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        try:
            client = await AsyncClient(self.socket, deadline_s=CALL_S).connect()
        except DaemonMissingError:
            await asyncio.to_thread(self.start if self.starts else self.find)
            try:
                client = await AsyncClient(self.socket, deadline_s=CALL_S).connect()
            except DaemonMissingError:  # what stopped a daemon may not stop this; if it does, it is told
                return await self._here(method, params)
        try:
            return await client.call(method, **params)
        except (DaemonMissingError, DeadlineError) as error:
            may_be_done = isinstance(error, (DaemonLostError, DeadlineError)) and method not in REPEATABLE
            error.sent = may_be_done  # type: ignore[union-attr]  # read by doors.mcp.wording
            raise
        finally:
            await client.close()

    async def events(self) -> AsyncIterator[dict[str, Any]]:
        """Yield what changes, from whatever daemon there is; starts none. `anew` where one was not there before."""
        anew = False
        while True:
            with contextlib.suppress(MemdError):
                async for happening in AsyncClient(self.socket).events():
                    yield {**happening, "anew": anew} if happening["topic"] == "subscribed" else happening
            anew = True
            await asyncio.sleep(AGAIN_S)

    def start(self) -> None:
        """Start a daemon where none answers, and wait until it does. Blocks. What cannot be started is let be for a while."""
        with self._lock:
            if self.find() or time.monotonic() < self._not_before_s:
                return
            if self._pid:
                with contextlib.suppress(ChildProcessError):
                    os.waitpid(self._pid, os.WNOHANG)  # the daemon before this one, so that it leaves no zombie
            try:
                self._pid = start_detached(self.workspace, self.socket)
            except (click.ClickException, MemdError):  # it ended at once; perhaps because another process was quicker
                self._not_before_s = time.monotonic() + LET_BE_S
                until_s = time.monotonic() + OTHER_S
                while not self.find() and time.monotonic() < until_s:
                    time.sleep(AGAIN_S)

    def find(self) -> bool:
        """Tell whether a daemon of this workspace answers, wherever it listens.

        Agents pass on little of the environment, so that the daemon a person started may listen at another place.
        """
        with contextlib.suppress(MemdError), Client.of_workspace(self.workspace) as client:
            self.socket = client.path
            return True
        return False

    async def _here(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        from memd.config import place_of
        from memd.daemon import local, writes

        async with local(place_of(self.workspace), writes=writes(method)) as service:
            return await service.call(method, **params)
