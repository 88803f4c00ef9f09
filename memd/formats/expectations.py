"""expect/*.toml: what a message must bring to mind in this workspace, and what it must not.

role = "main"
[[case]]
message = "Where is the boiler?"
must = ["1f0c2a9b", "Vaillant"]      # an id or its beginning, or words of the memory
must_not = ["the picnic"]
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from memd.errors import BadSettingsError, Fault
from memd.formats.settings import load_table

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
    if not isinstance(case.get("message"), str) and not _is_texts(case.get("messages")):
        return "a [[case]] needs a message, or messages"
    for key in ("must", "must_not"):
        if not _is_texts(case.get(key, [])) and not isinstance(case.get(key), str):
            return f"{key} must be a text or a list of texts"
    if not (case.get("must") or case.get("must_not") or case.get("nothing")):
        return "a [[case]] needs must, must_not or nothing = true"
    return ""


def _is_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) for one in value)


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
