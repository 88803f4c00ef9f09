"""How a verb reaches the workspace: the daemon's socket, or the same work in this process where none runs."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, TypeVar

import click

from memd.cli.starting import place_here
from memd.client import Client, find_workspace
from memd.errors import (
    DaemonLostError,
    DaemonMissingError,
    DeadlineError,
    MethodUnknownError,
    StorageReadOnlyError,
)
from memd.model.files import ROLES

SETTLE_S = 10.0
PART = 1000  # of a list that comes in parts
HERE = "@"  # before a directory, for the role whose memory it gets; alone, for this one

F = TypeVar("F", bound=Callable[..., Any])


def workspace_option(function: F) -> F:
    """Add --workspace to a verb."""
    return click.option(
        "--workspace",
        "-w",
        default="",
        metavar="DIR",
        help="The workspace; else MEMD_WORKSPACE, else the nearest above, else the one of `memd setup`.",
    )(function)


def json_option(function: F) -> F:
    """Add --json to a verb."""
    return click.option("--json", "as_json", is_flag=True, help="Print the reply as JSON.")(function)


def roles_in(workspace: str) -> list[str]:
    """Return the names of a workspace's roles, without asking anybody. MemdError where there is no workspace, OSError."""
    with os.scandir(os.path.join(find_workspace(workspace), ROLES)) as found:
        return sorted(one.name for one in found if one.is_dir(follow_symlinks=False) and one.name[:1] != ".")


def ask(workspace: str, method: str, *, deadline_s: float = 30.0, **params: Any) -> dict[str, Any]:
    """Return the answer of the daemon, or, where none runs, of this process."""
    path = find_workspace(workspace)
    given = {key: value for key, value in params.items() if value not in (None, "", (), [], {})}
    if str(given.get("role", "")).startswith(HERE):
        path, given = _in_directory(path, method, given)
    return _asked(path, method, deadline_s, given)


def ask_all(workspace: str, method: str, *lists: str, **params: Any) -> dict[str, Any]:
    """Return an answer with the whole of these lists of it, however many parts they take."""
    reply = ask(workspace, method, limit=PART, **params)
    for offset in range(PART, reply["total"], PART):
        more = ask(workspace, method, limit=PART, offset=offset, **params)
        for name in lists:
            if name in more:
                reply[name] += more[name]
    return reply


def _in_directory(path: str, method: str, given: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """Return where a call goes whose role is `@` and a directory, and its parameters with the role that directory gets."""
    from memd.engine.scope import routed

    directory = given["role"].removeprefix(HERE)
    if directory and not os.path.isdir(directory):
        return path, given  # a project itself, or nothing: whoever answers says so
    scope = _asked(path, "role.of", 30.0, place_here(path, directory or "."))
    elsewhere, params = routed(scope, method, {**given, "role": scope["address"]})
    return elsewhere or path, params


def _asked(path: str, method: str, deadline_s: float, given: dict[str, Any]) -> dict[str, Any]:
    try:
        client = Client.of_workspace(path, deadline_s=deadline_s)
    except DaemonMissingError:
        return _here(path, method, given)
    with client:
        try:
            return client.call(method, **given)
        except DaemonLostError:
            raise
        except DaemonMissingError:  # it ended meanwhile, and this was surely not done
            return _here(path, method, given)


def is_running(workspace: str) -> bool:
    """Tell whether a daemon answers for this workspace."""
    try:
        with Client.of_workspace(workspace):
            return True
    except DaemonMissingError:
        return False


def flush(path: str) -> str | None:
    """Have the daemon bring everything acknowledged into the files; return what is not there, None where no daemon runs."""
    try:
        with Client.of_workspace(path, deadline_s=SETTLE_S) as client:
            held = client.call("flush")["held"]
    except DeadlineError:
        return "the daemon does not answer; what it has not written yet is in its log, and comes along next time"
    except MethodUnknownError:
        return "the daemon is of another version: `memd down` and `memd up` start this one"
    except StorageReadOnlyError as error:
        return str(error)
    except DaemonMissingError:
        return None
    told = "; ".join(f"{place}: {why}" for place, why in held.items())
    return (
        f"the daemon still has something to write, {told}; it is in its log, and comes along next time" if held else ""
    )


def settle(path: str) -> str:
    """Have everything that was acknowledged in the files, without a daemon by this process. Return what is not."""
    remark = flush(path)
    log = os.path.join(path, ".memory", "wal.jsonl")
    if remark is not None or not os.path.isfile(log) or not os.path.getsize(log):
        return remark or ""
    import asyncio

    from memd.config import place_of
    from memd.daemon import local

    async def bring() -> None:
        async with local(place_of(path), writes=True):
            pass  # opening redoes what the log has, closing waits for it

    asyncio.run(bring())
    return ""


def _here(path: str, method: str, params: dict[str, Any]) -> dict[str, Any]:
    import asyncio

    from memd.config import place_of
    from memd.daemon import local, writes

    async def work() -> dict[str, Any]:
        async with local(place_of(path), writes=writes(method)) as service:
            return await service.call(method, **params)

    return asyncio.run(work())
