"""A request to a line, a line to a reply, a reply to its result or its error; and which requests may be sent again."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from functools import cache
from typing import Any

from memd.client.methods import REPEATABLE
from memd.errors import (
    BadFrameError,
    BadReplyError,
    LimitExceededError,
    ProtocolVersionError,
    RemoteError,
    WorkspaceMissingError,
    by_code,
)
from memd.whereabouts import is_workspace, nearest_workspace, socket_of

DEADLINE_S = 10.0
CONNECT_S = 2.0
READ_BYTES = 262_144
REPLY_BYTES = 256 * 1024 * 1024
STRANGER = "another user's process answers at {0}; nothing was sent to it"
# A refusal of the connection, not of a request: it had been idle too long before its first line.
TOO_LATE = "frame.slow"
# What only this side of the socket can say. A daemon that answers it speaks of another.
OURS = ("internal", "daemon", "client", "socket")


class GoneError(Exception):
    """The other end is gone. `sent`: whether the request may have reached it whole."""

    def __init__(self, *, sent: bool) -> None:
        super().__init__(sent)
        self.sent = sent


def is_repeatable(method: str) -> bool:
    """Tell whether a request may be sent again that was perhaps carried out: it is known to write nothing."""
    return method in REPEATABLE


def frame_of(request_id: int, method: str, params: Mapping[str, Any]) -> bytes:
    """Return a request as its line."""
    request = {"jsonrpc": "2.0", "id": request_id, "method": method, "params": params}
    try:
        return json.dumps(request, ensure_ascii=False, allow_nan=False).encode("utf-8") + b"\n"
    except (UnicodeEncodeError, ValueError, TypeError) as error:
        raise BadFrameError(f"this cannot be sent: {error}") from None


def reply_of(line: bytes, path: str) -> dict[str, Any]:
    """Return a reply, or a notification, from its line."""
    try:
        reply = json.loads(line)
    except (ValueError, RecursionError):
        raise BadReplyError(path) from None
    if not isinstance(reply, dict) or reply.get("jsonrpc") != "2.0":
        raise BadReplyError(path)
    return reply


def is_refusal(reply: Mapping[str, Any]) -> bool:
    """Tell whether a reply is to the connection: it answers no request, and the daemon closes behind it."""
    return "error" in reply and reply.get("id") is None


def is_too_late(reply: Mapping[str, Any]) -> bool:
    """Tell whether a connection was refused for its silence: nothing that came on it was carried out."""
    error = reply.get("error")
    more = error.get("data") if isinstance(error, dict) else None
    return reply.get("id") is None and isinstance(more, dict) and more.get("code") == TOO_LATE


def result_of(reply: Mapping[str, Any], path: str) -> dict[str, Any]:
    """Return what a request was answered, or raise the error that it was answered with."""
    error, result = reply.get("error"), reply.get("result")
    if error is None and isinstance(result, dict):
        return result
    if not isinstance(error, dict):
        raise BadReplyError(path)
    more = error.get("data")
    more = more if isinstance(more, dict) else {}
    number, said, code = error.get("code", 0), str(error.get("message", "")), str(more.get("code", "internal"))
    raise _kind_of(code)(number, said, code, str(more.get("hint", "")))


def check_greeting(reply: Mapping[str, Any], protocol: int, path: str) -> None:
    """Raise ProtocolVersionError where a ping that told our protocol was answered by what speaks an older one."""
    try:
        spoken = result_of(reply, path).get("protocol", 0)
    except RemoteError as error:
        if error.code == "params.bad":  # from before the protocol had a number: it knows no such parameter
            raise ProtocolVersionError(protocol, "an older one") from None
        raise
    if not isinstance(spoken, int) or spoken < protocol:
        raise ProtocolVersionError(protocol, spoken or "an older one")


@cache
def _kind_of(code: str) -> type[RemoteError]:
    """Return the class of what a daemon answers with this code: a RemoteError that is also what the code stands for."""
    family = code.partition(".")[0]
    if family in OURS:
        return RemoteError
    named = by_code().get(code) or (LimitExceededError if family == "limit" else None)
    if named is None:
        return RemoteError
    return type(named.__name__, (RemoteError, named), {"__init__": RemoteError.__init__, "__doc__": named.__doc__})


# Which workspace is meant, and where its daemon may listen.


def find_workspace(start: str = "") -> str:
    """Return the resolved path of a workspace: the one named, MEMD_WORKSPACE, the nearest memd.toml above, or what `memd setup` made."""
    named = start or os.environ.get("MEMD_WORKSPACE", "")
    path = os.path.realpath(named or ".")
    found = (path if is_workspace(path) else "") if named else nearest_workspace(path) or _set_up()
    if not found:
        raise WorkspaceMissingError(path, _why_none(path, "" if start else "MEMD_WORKSPACE: ") if named else "")
    return found


def _set_up() -> str:
    from memd.storage.machine import set_up_workspace  # noqa: PLC0415  only where no other is meant

    return set_up_workspace()


def elsewhere(workspace: str) -> str:
    """Return another socket to try, "" where there is none: a daemon started in another environment may listen there."""
    if os.environ.get("MEMD_SOCKET"):
        return ""
    from memd.storage.lock import told_socket  # noqa: PLC0415  only where nobody listens

    told = told_socket(workspace)
    return "" if told == socket_of(workspace) else told


def _why_none(path: str, whose: str) -> str:
    """Say why a path that was named, by `whose` word, is no workspace."""
    if os.path.isdir(path):
        return f"{whose}{path} is no workspace: there is no memd.toml in it"
    return (
        f"{whose}{path} is a file, and a workspace is a directory"
        if os.path.exists(path)
        else f"{whose}there is no {path}"
    )
