"""`memd hook AGENT`: standard input is what an agent sends its hook, standard output what the agent is told.

It runs before every prompt and every tool call of an agent, so it imports next to nothing, waits for nobody long, and
ends with status 0 whatever happens: an agent must never stop because of its memory.
"""

from __future__ import annotations

import json
import os
import select
import time
from collections.abc import Sequence
from typing import Any

from memd.doors.hooks.payloads import (
    LateError,
    LostError,
    NoAnswerError,
    StrangerError,
    ask,
    frame_of,
    output_of,
    params_of,
    passing_of,
)
from memd.model.agents import AGENTS
from memd.places import socket_path, state_path
from memd.whereabouts import SETTINGS, is_workspace, nearest_workspace, socket_of, surroundings

STDIN, STDOUT, STDERR = 0, 1, 2
INPUT_BYTES = 8 * 1024 * 1024
READ_BYTES = 1 << 20
DEADLINES_S = {"stop": 5.0, "compact": 5.0, "end": 5.0, "tool": 0.5}
DEADLINE_S = 2.0
LONG_BYTES = 20_000  # a longer event takes the daemon longer to read
INPUT_S = 2.0  # standard input that stays open is not waited for longer
LATE_S = 30.0  # a daemon that was late is asked only where it answers a ping at once
LATE_PING_S = 0.1
LATE = ".late"  # behind the socket's name: a mark that the daemon was late
INT_DIGITS = 18
PING = b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n'
NO_ANSWER = "memory: no daemon answers yet; what is said waits until one does ({doctor} says more)"
NO_ANSWER_ZH = "记忆：守护进程还没有响应，对话内容先存着等它处理（原因见 {doctor}）"
GONE = "memory: there is no memd workspace at {where}, so nothing is remembered or recalled; memd setup names another"
GONE_ZH = "记忆：{where} 没有 memd 工作区，现在不记忆也不回忆；用 memd setup 换一个"
FULL = (
    "memd's daemon does not run, and its spool for this memory is full ({why}): what is said now is NOT kept."
    " Tell the person: {start} starts the daemon, which takes in what waits."
)
OPTIONS = {"--workspace": "workspace", "-w": "workspace", "--role": "role", "--socket": "socket"}


class BadCallError(Exception):
    """What came cannot be used; the text says why."""


def main(arguments: Sequence[str]) -> int:
    """Serve one event; `arguments` begin with the agent's name. The status is always 0."""
    try:
        _serve(_agent(arguments), _options(arguments[1:]))
    except (BadCallError, NoAnswerError) as error:
        _say(str(error))
    except BaseException as error:  # another status than 0 may stop the agent, or lose its prompt
        _say(f"{type(error).__name__}: {error}")
    return 0


def _agent(arguments: Sequence[str]) -> str:
    name = arguments[0] if arguments else ""
    if name.casefold() not in AGENTS:
        raise BadCallError(f"{name[:80]!r} is no agent; the agent comes first, and is one of {', '.join(AGENTS)}")
    return name.casefold()


def _serve(agent: str, options: dict[str, str]) -> None:
    payload = _payload()
    params = params_of(agent, payload)
    workspace = _workspace(options, payload)
    if params is None or not workspace:
        _print(_passing(agent, options, payload, workspace))
        return
    params |= {"role": options["role"]} if options.get("role") else _place(payload, workspace)
    named = options.get("socket") or os.environ.get("MEMD_SOCKET")
    path = options.get("socket") or socket_of(workspace)
    reply = _answered(workspace, path, params, known=_is_known(options, workspace), named=bool(named))
    if reply and reply.get("elsewhere"):
        reply = _beside(reply, params)
    output = output_of(agent, payload, reply) if reply else None
    output = output or _passing(agent, options, payload, workspace)
    _print(output)


def _print(output: dict[str, Any] | None) -> None:
    if output:
        _write(STDOUT, json.dumps(output, ensure_ascii=False).encode("utf-8", "replace") + b"\n")


def _place(payload: dict[str, Any], workspace: str) -> dict[str, Any]:
    """Return what the directory that the agent works in says of itself."""
    from memd.storage.checkouts import look_at  # noqa: PLC0415  only where something is asked

    found = look_at(_cwd(payload), workspace)
    said = {"project": found.project, "named": found.named, "mark": found.mark}
    return {key: value for key, value in said.items() if value}


def _beside(reply: dict[str, Any], params: dict[str, Any]) -> dict[str, Any]:
    """Return what the workspace that has a project's memory says, behind what the person's own said."""
    path = str(reply["elsewhere"])
    more = (
        _answered(
            path, socket_path(path, surroundings()), {**params, "shared": True}, known=_is_known({}, path), named=False
        )
        or {}
    )
    texts = [str(one.get("text") or "") for one in (reply, more)]
    return {**reply, **more, "text": "\n".join(filter(None, texts))}


def _reads_chinese() -> bool:
    named = next(filter(None, (os.environ.get(name, "") for name in ("LC_ALL", "LC_MESSAGES", "LANG"))), "")
    return named.startswith("zh")


def _cwd(payload: dict[str, Any]) -> str:
    cwd = payload.get("cwd")
    return cwd if isinstance(cwd, str) and cwd and "\0" not in cwd else "."


def _is_known(options: dict[str, str], workspace: str) -> bool:
    """Tell whether a person said that this is the memory, or a daemon of this machine has served it: anybody may have put it there."""
    if options.get("workspace") or os.environ.get("MEMD_WORKSPACE"):
        return True
    state = state_path(workspace, surroundings())
    return bool(state) and os.path.isdir(f"{state}/spool")


def _passing(agent: str, options: dict[str, str], payload: dict[str, Any], workspace: str) -> dict[str, Any] | None:
    """Return what lets a call of memd's own tools pass without a question, None for anything else."""
    if not workspace or passing_of(agent, payload, "") is None or not _is_known(options, workspace):
        return None
    from memd.doors.hooks.own_tools import REASON, is_own  # noqa: PLC0415  only before a call

    return passing_of(agent, payload, REASON) if is_own(agent, payload, workspace) else None


def _answered(workspace: str, path: str, params: dict[str, Any], *, known: bool, named: bool) -> dict[str, Any] | None:
    """Return the daemon's answer; where none hears, start one with a session, else leave the event for the next.

    `path`: its socket, and whether a person `named` that one; `known`: whether the workspace is this person's memory.
    """
    reply = _heard(path, params)
    if reply is None and not named:
        elsewhere = _elsewhere(workspace)
        reply = _heard(elsewhere, params) if elsewhere else None
    if reply is not None or params["event"] == "tool":
        return reply
    if not known:
        return None
    if not is_workspace(workspace):
        return _status(GONE, GONE_ZH, where=workspace) if params["event"] == "start" else None
    said = ""
    if params["event"] == "start":
        from memd.doors.hooks.starting import started  # noqa: PLC0415  only where no daemon answers

        reply, said = started(params["agent"], workspace, path, surroundings(), lambda: _heard(path, params))
        if reply is not None:
            return reply
    told = _spooled(workspace, params) or said
    if params["event"] != "start":
        return {"text": told}
    return {"text": told, **_status(NO_ANSWER, NO_ANSWER_ZH, doctor=_line("doctor", "--workspace", workspace))}


def _status(english: str, chinese: str, **names: str) -> dict[str, Any]:
    """Return a line for the person, in their language."""
    return {"status": (chinese if _reads_chinese() else english).format(**names)}


def _spooled(workspace: str, params: dict[str, Any]) -> str:
    """Leave what nobody heard for the next daemon; return what the agent has to be told of it, "" where nothing.

    Nothing is left where this machine or the workspace says that nothing is to be kept.
    """
    from memd.formats.spooled import KEPT, Spooled, dump_spooled, keeps_nothing, paused_until  # noqa: PLC0415  only where nobody hears
    from memd.storage.leaving import SpoolError, SpoolFullError, leave, marks_of, read_small  # noqa: PLC0415  as above

    state = state_path(workspace, surroundings())
    if params["event"] not in KEPT or not state or not is_workspace(workspace):
        return ""
    now_s = time.time()
    try:
        trust = read_small(f"{state}/trust.json")
        if paused_until(trust) > now_s or keeps_nothing(read_small(f"{workspace}/memd.toml")):
            return ""
        event = json.loads(frame_of(params))["params"]
        one = Spooled(os.urandom(8).hex(), round(now_s, 3), workspace, marks_of(workspace)[0], event)
        leave(state, workspace, dump_spooled(one))
    except SpoolFullError as error:
        return FULL.format(why=error, start=_line("up", "--detach", "--workspace", workspace))
    except SpoolError as error:
        _say(f"what was said could not be left for the daemon: {error}")
    return ""


def _heard(path: str, params: dict[str, Any]) -> dict[str, Any] | None:
    """Return the daemon's answer, None where none heard, or one that went away meanwhile may not have."""
    try:
        return _asked(path, params)
    except LostError as error:
        _say(str(error))
        return None


def _asked(path: str, params: dict[str, Any]) -> dict[str, Any] | None:
    """Return the daemon's answer, None where none listens or it has been late a moment ago and still is."""
    long = len(frame_of(params)) > LONG_BYTES
    deadline_s = max(DEADLINES_S.get(params["event"], DEADLINE_S), DEADLINE_S if long else 0)
    try:
        if _was_late(path):
            if ask(path, PING, LATE_PING_S) is None:
                return None
            _take_mark_away(path)
        until_ms = int((time.time() + deadline_s) * 1000)
        reads = {"chinese": True} if params["event"] == "start" and _reads_chinese() else {}
        return ask(path, frame_of({**params, **reads, "until_ms": until_ms}), deadline_s)
    except LateError:
        if _was_late(path):
            return None
        _mark_late(path)
        raise
    except StrangerError as error:
        _say(str(error))
        return None


def _was_late(path: str) -> bool:
    try:
        mark = os.lstat(path + LATE)
    except OSError:
        return False
    return mark.st_uid == os.geteuid() and 0 <= time.time() - mark.st_mtime < LATE_S


def _take_mark_away(path: str) -> None:
    try:
        os.unlink(path + LATE)
    except OSError:
        return  # another hook was quicker


def _mark_late(path: str) -> None:
    from memd.storage.system import System  # noqa: PLC0415  only where the daemon was late

    try:
        os.close(System().open(path + LATE, os.O_WRONLY | os.O_CREAT))
        os.utime(path + LATE, follow_symlinks=False)
    except OSError:
        return  # the next waits as long


def _elsewhere(workspace: str) -> str:
    """Return where the workspace's daemon says it listens: an agent may pass on less of the environment than it had."""
    from memd.storage.leaving import read_small  # noqa: PLC0415  only where nobody listens

    try:
        named = json.loads(read_small(f"{workspace}/.memory/lock"))["socket"]
        if not os.path.lexists(named):
            return ""  # as after any daemon that ended well
    except (ValueError, LookupError, TypeError, RecursionError):
        return ""
    from memd.storage.lock import told_socket  # noqa: PLC0415  only where somebody may listen elsewhere

    path = told_socket(workspace)
    pinged = ask(path, PING, DEADLINE_S) if path else None
    return path if pinged and pinged.get("workspace") == workspace else ""


def _options(arguments: Sequence[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    left = list(arguments)
    while left:
        name, equals, value = left.pop(0).partition("=")
        if name not in OPTIONS or (not equals and not left):
            raise BadCallError(
                f"{name[:80]!r} is no option, or has no value; {_line('hook', '--help')} has the options"
            )
        found[OPTIONS[name]] = value if equals else left.pop(0)
    return found


def _payload() -> dict[str, Any]:
    if os.isatty(STDIN):
        raise BadCallError(
            f"an agent calls this and gives it JSON; {_line('hook', 'install', '--help')} says how to set that up"
        )
    data = _input()
    if len(data) > INPUT_BYTES:
        raise BadCallError(f"the input is longer than {INPUT_BYTES} bytes")
    try:
        payload = json.loads(data.decode("utf-8", "replace"), parse_constant=str, parse_int=_whole)
    except (ValueError, RecursionError) as error:
        raise BadCallError(f"the input is not JSON: {str(error)[:120]}") from None
    if not isinstance(payload, dict):
        raise BadCallError("the input is not one JSON object")
    return payload


def _input() -> bytes:
    """Return what the agent sent: all of it, or what came before it was silent for too long."""
    data = bytearray()
    while select.select([STDIN], [], [], INPUT_S)[0]:
        piece = os.read(STDIN, READ_BYTES)
        if not piece:
            break
        room = INPUT_BYTES + 1 - len(data)
        data += piece[:room]  # what is beyond is read all the same: a full pipe blocks the agent
    return bytes(data)


def _whole(digits: str) -> int | str:
    return int(digits) if len(digits) <= INT_DIGITS else digits


def _workspace(options: dict[str, str], payload: dict[str, Any]) -> str:
    """Return the workspace's resolved path, "" where the agent works outside of any."""
    named = options.get("workspace") or os.environ.get("MEMD_WORKSPACE", "")
    if named:
        return os.path.realpath(named)
    found = nearest_workspace(_cwd(payload))
    return found if found and os.stat(os.path.join(found, SETTINGS)).st_uid in (os.geteuid(), 0) else ""


def _line(*words: str) -> str:
    from memd.storage.itself import own_line  # noqa: PLC0415  only where something is wrong

    return f"`{own_line(*words)}`"


def _say(why: str) -> None:
    line = " ".join(f"memd hook: {why}".split())[:500]
    try:
        _write(STDERR, line.encode("utf-8", "replace") + b"\n")
    except OSError:
        return  # nobody to tell


def _write(handle: int, data: bytes) -> None:
    while data:
        data = data[os.write(handle, data) :]
