"""The verbs that serve: other programs in their own protocol, and a person in the browser."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shlex
import signal
import sys
import tempfile
import threading
from collections.abc import AsyncIterator, Sequence
from typing import Any

import click

from memd.cli.reach import json_option, workspace_option
from memd.cli.show import emit
from memd.cli.starting import AGAIN_S, CALL_S, REPEATABLE, Way, worked_here
from memd.client import AsyncClient, find_workspace
from memd.errors import DaemonLostError, DaemonMissingError, DeadlineError, ExtraMissingError, MemdError

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
    """Serve an agent over the Model Context Protocol, on standard input and output.

    --http needs the extra memdaemon[mcp]; with MEMD_MCP_TOKEN set, only requests with that token are answered.

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
    found = find_workspace(workspace)
    if port is None:
        from memd.cli.mcp_entry import Asked, serve_here

        serve_here(Asked(found, role, not no_start))
        return
    reach = Reach(found, starts=not no_start)
    threading.Thread(target=reach.start, daemon=True).start()  # it takes as long as the import, so both at once
    try:
        from memd.doors.mcp.http import serve_http
    except ModuleNotFoundError as error:
        raise ExtraMissingError("mcp") from error

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


@click.command("ui")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=0, help="Serve on this port of 127.0.0.1; else a free one."
)
@click.option("--open", "opens", is_flag=True, help="Open it in the browser.")
@click.option("--print", "prints", is_flag=True, help="Print the address alone, for a program to read.")
@workspace_option
def ui_command(port: int, opens: bool, prints: bool, workspace: str) -> None:
    """See what is remembered on a page in the browser, and correct it. Serves until it is stopped.

    Only this machine is answered, and the address opens one window, once. Needs the extra memdaemon[ui].

    \b
    memd ui --open
    memd ui --port 8790 --workspace my-memory
    """
    reach = Reach(find_workspace(workspace), starts=True)
    threading.Thread(target=reach.start, daemon=True).start()
    try:
        from memd.doors.web.app import serve
    except ModuleNotFoundError as error:
        raise ExtraMissingError("ui") from error
    left: list[str] = []

    def ready(address: str) -> None:
        click.echo(
            address if prints else f"memd ui answers at {address}\nThe address opens one window, once. Ctrl-C ends it.",
            err=not prints,
        )
        if opens:
            _open_page(address, left)

    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))  # so that what was left is taken away
    try:
        asyncio.run(serve(reach, port, ready))
    finally:
        for path in left:
            os.unlink(path)


def _open_page(address: str, left: list[str]) -> None:
    """Open an address in the browser by a file that leads there, noted in `left`: what stands in the arguments of a program, all may read."""
    import webbrowser

    handle, path = tempfile.mkstemp(prefix="memd-ui-", suffix=".html")  # 0600
    left.append(path)
    try:
        os.write(handle, f'<!doctype html><meta http-equiv="refresh" content="0; url={address}">'.encode())
    finally:
        os.close(handle)

    def opening() -> None:
        if not webbrowser.open(f"file://{path}"):
            click.echo("No browser could be opened: open the address yourself.", err=True)

    threading.Thread(target=opening, daemon=True).start()  # a browser may keep its starter waiting until it ends


class Reach(Way):
    """The same way for who has a loop."""

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
            await asyncio.to_thread(self.start)
            try:
                client = await AsyncClient(self.socket, deadline_s=CALL_S).connect()
            except DaemonMissingError:  # what stopped a daemon may not stop this; if it does, it is told
                self.without = self.why
                return await worked_here(self.workspace, method, params)
        self.without = None
        try:
            return await client.call(method, **params)
        except (DaemonMissingError, DeadlineError) as error:
            may_be_done = isinstance(error, (DaemonLostError, DeadlineError)) and method not in REPEATABLE
            error.sent = may_be_done  # type: ignore[union-attr]  # read by doors.mcp.texts
            raise
        finally:
            await client.close()

    async def events(self, topics: Sequence[str] = ()) -> AsyncIterator[dict[str, Any]]:
        """Yield what changes, of these topics, from whatever daemon there is; starts none. `anew` where one was not there before."""
        anew = False
        while True:
            with contextlib.suppress(MemdError):
                async for happening in AsyncClient(self.socket).events(topics):
                    yield {**happening, "anew": anew} if happening["topic"] == "subscribed" else happening
            anew = True
            await asyncio.sleep(AGAIN_S)
