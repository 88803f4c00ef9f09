"""The turns of a recorded conversation: what was said, and what came to mind then, where that was recorded.

One JSON object a line. A line with `message`, or with `content` or `text` of a user, is a turn; one with `activated` (ids,
or objects with an `id`) says what came to mind for the turn before it, or for its own. Other lines are no turns.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from memd.formats.documents import event_text
from memd.formats.strict_json import StrictError, loads

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
