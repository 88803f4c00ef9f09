"""`memd hook AGENT`: standard input is what an agent sends its hook, standard output what the agent is told.

It runs before every prompt and every tool call of an agent, so it imports next to nothing, waits for nobody long, and
ends with status 0 whatever happens: an agent must never stop because of its memory.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from typing import Any

from memd.doors.hooks.asking import NoAnswerError, ask
from memd.doors.hooks.payloads import frame_of, output_of, params_of
from memd.whereabouts import nearest_workspace, socket_of

STDIN, STDOUT, STDERR = 0, 1, 2
INPUT_BYTES = 8 * 1024 * 1024
READ_BYTES = 1 << 20
DEADLINES_S = {"stop": 5.0, "compact": 5.0, "end": 5.0}
DEADLINE_S = 2.0
PING = b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n'
OPTIONS = {"--workspace": "workspace", "-w": "workspace", "--role": "role", "--socket": "socket"}


class BadCallError(Exception):
    """What came cannot be used; the text says why."""


def main(arguments: Sequence[str]) -> int:
    """Serve one event; `arguments` begin with the agent's name. The status is always 0."""
    try:
        _serve(arguments[0], _options(arguments[1:]))
    except (BadCallError, NoAnswerError) as error:
        _say(str(error))
    except BaseException as error:  # another status than 0 may stop the agent, or lose its prompt
        _say(f"{type(error).__name__}: {error}")
    return 0


def _serve(agent: str, options: dict[str, str]) -> None:
    payload = _payload()
    params = params_of(agent, payload)
    workspace = _workspace(options, payload)
    if params is None or not workspace:
        return
    if options.get("role"):
        params["role"] = options["role"]
    frame, deadline_s = frame_of(params), DEADLINES_S.get(params["event"], DEADLINE_S)
    reply = ask(options.get("socket") or socket_of(workspace), frame, deadline_s)
    if reply is None and not (options.get("socket") or os.environ.get("MEMD_SOCKET")):
        elsewhere = _elsewhere(workspace)
        reply = ask(elsewhere, frame, deadline_s) if elsewhere else None
    output = output_of(agent, payload, reply) if reply else None
    if output:
        _write(STDOUT, json.dumps(output, ensure_ascii=False).encode("utf-8", "replace") + b"\n")


def _elsewhere(workspace: str) -> str:
    """Return where the workspace's daemon says it listens: an agent may pass on less of the environment than it had."""
    from memd.storage.lock import told_socket  # noqa: PLC0415  only where nobody listens

    path = told_socket(workspace)
    pinged = ask(path, PING, DEADLINE_S) if path else None
    return path if pinged and pinged.get("workspace") == workspace else ""


def _options(arguments: Sequence[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    left = list(arguments)
    while left:
        name, equals, value = left.pop(0).partition("=")
        if name not in OPTIONS or (not equals and not left):
            raise BadCallError(f"{name[:80]!r} is no option, or has no value; `memd hook --help` has the options")
        found[OPTIONS[name]] = value if equals else left.pop(0)
    return found


def _payload() -> dict[str, Any]:
    if os.isatty(STDIN):
        raise BadCallError("an agent calls this and gives it JSON; `memd hook install --help` says how to set that up")
    data = bytearray()
    while piece := os.read(STDIN, READ_BYTES):
        data += piece[
            : INPUT_BYTES + 1 - len(data)
        ]  # what is beyond is read all the same: a full pipe blocks the agent
    if len(data) > INPUT_BYTES:
        raise BadCallError(f"the input is longer than {INPUT_BYTES} bytes")
    try:
        payload = json.loads(data.decode("utf-8", "replace"), parse_constant=lambda _: None)
    except (ValueError, RecursionError) as error:
        raise BadCallError(f"the input is not JSON: {str(error)[:120]}") from None
    if not isinstance(payload, dict):
        raise BadCallError("the input is not one JSON object")
    return payload


def _workspace(options: dict[str, str], payload: dict[str, Any]) -> str:
    """Return the workspace's resolved path, "" where the agent works outside of any."""
    named = options.get("workspace") or os.environ.get("MEMD_WORKSPACE", "")
    if named:
        return os.path.realpath(named)
    cwd = payload.get("cwd")
    return nearest_workspace(cwd if isinstance(cwd, str) and "\0" not in cwd else ".")


def _say(why: str) -> None:
    line = " ".join(f"memd hook: {why}".split())[:500]
    try:
        _write(STDERR, line.encode("utf-8", "replace") + b"\n")
    except OSError:
        return  # nobody to tell


def _write(handle: int, data: bytes) -> None:
    while data:
        data = data[os.write(handle, data) :]
