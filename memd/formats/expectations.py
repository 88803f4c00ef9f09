"""Recorded turns, and what is expected of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from memd.errors import BadSettingsError, Fault
from memd.formats.documents import event_text
from memd.formats.settings import load_table
from memd.formats.strict_json import StrictError, is_texts, loads

# The turns of a recorded conversation: what was said, and what came to mind then, where that was recorded.
#
# One JSON object a line. A line with `message`, or with `content` or `text` of a user, is a turn; one with `activated` (ids,
# or objects with an `id`) says what came to mind for the turn before it, or for its own. Other lines are no turns.

USERS = ("user", "human", "用户")


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn. `recalled` are the ids that came then, None where that is not recorded; `now` as it is written, or None."""

    line: int
    message: str
    now: Any = None
    role: str = ""
    recalled: tuple[str, ...] | None = None


def turns_of(data: bytes) -> tuple[list[Turn], list[int]]:
    """Return the turns in order, and the numbers of lines that are no JSON objects."""
    turns: list[Turn] = []
    bad: list[int] = []
    for number, line in enumerate(data.removeprefix(b"\xef\xbb\xbf").split(b"\n"), 1):
        if not line.strip():
            continue
        try:
            value = loads(line)
        except StrictError:
            value = None
        if not isinstance(value, dict):
            bad.append(number)
            continue
        said = _said(value)
        recalled = _recalled(value)
        if said:
            at = next((value[key] for key in ("now", "at", "timestamp", "time") if value.get(key) is not None), None)
            role = value.get("memd_role")
            turns.append(Turn(number, said, at, role if isinstance(role, str) else "", recalled))
        elif recalled is not None and turns:
            turns[-1] = replace(turns[-1], recalled=recalled)
    return turns, bad


def _said(value: Mapping[str, Any]) -> str:
    if isinstance(value.get("message"), str):
        return str(value["message"]).strip()
    who = value.get("role") or value.get("speaker") or value.get("kind") or value.get("type")
    if isinstance(value.get("message"), dict):
        who = value["message"].get("role", who)
    return event_text(dict(value)).strip() if isinstance(who, str) and who.lower() in USERS else ""


def _recalled(value: Mapping[str, Any]) -> tuple[str, ...] | None:
    found = value.get("activated")
    if not isinstance(found, list):
        return None
    ids = (one.get("id") if isinstance(one, dict) else one for one in found)
    return tuple(one for one in ids if isinstance(one, str))


# expect/*.toml: what a message must bring to mind in this workspace, and what it must not.
#
# role = "main"
# [[case]]
# message = "Where is the boiler?"
# must = ["1f0c2a9b", "Vaillant"]      # an id or its beginning, or words of the memory
# must_not = ["the picnic"]

_TOP = ("role", "now", "zone", "case")
_CASE = ("role", "message", "messages", "now", "zone", "emotion", "must", "must_not", "nothing")


@dataclass(frozen=True, slots=True)
class Expectation:
    """One case with the line it begins on. `nothing`: nothing at all may come but constants."""

    name: str
    line: int
    role: str
    messages: tuple[str, ...]
    now: str | None = None
    zone: str = ""
    emotion: str = ""
    must: tuple[str, ...] = ()
    must_not: tuple[str, ...] = ()
    nothing: bool = False


def load_expectations(data: bytes, name: str) -> list[Expectation]:
    """Return the cases of a file, or raise BadSettingsError with every fault in it."""
    text, table = load_table(data, name)
    lines = [number for number, line in enumerate(text.split("\n"), 1) if line.strip().startswith("[[case]]")]
    faults: list[Fault] = []

    def fault(line: int, why: str, code: str = "settings.value") -> None:
        faults.append(Fault(name, line, 1, why, code))

    for key in table:
        if key not in _TOP:
            fault(1, f"unknown key {key!r}; known are {', '.join(_TOP)}", "settings.unknown")
    cases = table.get("case", [])
    found: list[Expectation] = []
    for number, case in enumerate(cases if isinstance(cases, list) else [cases]):
        line = lines[number] if number < len(lines) else 1
        why = _fault(case, table)
        if why:
            fault(line, why)
        else:
            found.append(
                _made(name, line, {**{key: table[key] for key in ("role", "now", "zone") if key in table}, **case})
            )
    if not found and not faults:
        fault(1, "it has no [[case]]")
    if faults:
        raise BadSettingsError(tuple(faults))
    return found


def _fault(case: Any, table: dict[str, Any]) -> str:
    if not isinstance(case, dict):
        return "a [[case]] is a table"
    unknown = [key for key in case if key not in _CASE]
    if unknown:
        return f"unknown key {unknown[0]!r} in a [[case]]; known are {', '.join(_CASE)}"
    if not isinstance(case.get("role", table.get("role")), str):
        return "say whose memory is asked: role, at the top or in the [[case]]"
    if not isinstance(case.get("message"), str) and not is_texts(case.get("messages")):
        return "a [[case]] needs a message, or messages"
    for key in ("must", "must_not"):
        if not is_texts(case.get(key, [])) and not isinstance(case.get(key), str):
            return f"{key} must be a text or a list of texts"
    if not (case.get("must") or case.get("must_not") or case.get("nothing")):
        return "a [[case]] needs must, must_not or nothing = true"
    return ""


def _made(name: str, line: int, case: dict[str, Any]) -> Expectation:
    def texts(key: str) -> tuple[str, ...]:
        value = case.get(key, [])
        return (value,) if isinstance(value, str) else tuple(value)

    now = case.get("now")
    return Expectation(
        name, line, case["role"], (*texts("messages"), *texts("message")),
        None if now is None else str(now.isoformat() if hasattr(now, "isoformat") else now),
        str(case.get("zone", "")), str(case.get("emotion", "")), texts("must"), texts("must_not"),
        case.get("nothing") is True,
    )  # fmt: skip
