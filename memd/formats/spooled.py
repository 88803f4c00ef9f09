"""One event of an agent that no daemon heard, as the bytes of one file: a line with the form and a digest, then JSON.

Pure, and light: a hook imports it. A file may be anybody's by the time it is read, so every field is looked at.

Units
    `at_s` in seconds since 1970. Texts in characters.
"""

from __future__ import annotations

import hashlib
import json
import re
import tomllib
from typing import Any, NamedTuple

FORM = b"memd-unheard 1 "
KEPT = ("start", "prompt", "stop", "compact", "end")  # a call of a tool is over by the time that it could be ruled on
NAMES = ("session", "key", "source", "role", "project", "named", "mark")
TEXTS = ("message", "reply")
NAME_CHARS, TEXT_CHARS = 200, 900_000
SPOOLED_BYTES = 2_000_000  # of a file: an event that is left is one frame of the protocol
_AGENT = re.compile("[a-z][a-z0-9_-]{0,19}")
_ID = re.compile("[0-9a-f]{16}")


class Spooled(NamedTuple):
    """An event and where it belongs. `mark` tells the workspace from another at the same path; `event` has hook.event's words."""

    id: str
    at_s: float
    workspace: str
    mark: str
    event: dict[str, str | bool]


def dump_spooled(one: Spooled) -> bytes:
    """Return the bytes of a file."""
    value = {**one._asdict(), "workspace": _plain(one.workspace)}
    body = json.dumps(value, ensure_ascii=False).encode("utf-8", "replace")
    return FORM + hashlib.sha256(body).hexdigest().encode() + b"\n" + body + b"\n"


def load_spooled(data: bytes) -> Spooled:
    """Return what a file says; ValueError says why it is none of ours, or not as it was written."""
    head, _, body = data.partition(b"\n")
    body = body.removesuffix(b"\n")
    if not head.startswith(FORM):
        raise ValueError("it is of a form that this memd does not know")
    if head.removeprefix(FORM) != hashlib.sha256(body).hexdigest().encode():
        raise ValueError("it is damaged: its digest differs")
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        raise ValueError("it is not JSON") from None
    if not isinstance(value, dict):
        raise ValueError("it is not one object")  # noqa: TRY004  a fault of the file's
    known, at_s = value.get("id"), value.get("at_s")
    if not (isinstance(known, str) and _ID.fullmatch(known)):
        raise ValueError("its id is none")
    if isinstance(at_s, bool) or not isinstance(at_s, (int, float)) or not 0 < at_s < 1e11:
        raise ValueError("its time is none")
    if not all(isinstance(value.get(key), str) for key in ("workspace", "mark")):
        raise ValueError("it does not say of which workspace it is")
    return Spooled(known, float(at_s), value["workspace"], value["mark"], _event(value.get("event")))


def _event(value: Any) -> dict[str, str | bool]:
    if not isinstance(value, dict):
        raise ValueError("it has no event")  # noqa: TRY004  a fault of the file's
    for key, one in value.items():
        if key == "shared" and one is True:
            continue
        most = TEXT_CHARS if key in TEXTS else NAME_CHARS
        if key not in ("agent", "event", *NAMES, *TEXTS) or not isinstance(one, str) or len(one) > most:
            raise ValueError(f"its field {str(key)[:40]!r} is none that an event has, or too long")
        if "\0" in one or not _is_text(one):
            raise ValueError(f"its field {key!r} is no text")
    if not _AGENT.fullmatch(value.get("agent", "")) or value.get("event") not in KEPT:
        raise ValueError("its agent or its kind is none")
    return {key: one if one is True else str(one) for key, one in value.items()}


def _is_text(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def is_of(one: Spooled, workspace: str, marks: tuple[str, ...]) -> bool:
    """Tell whether an event is of the workspace at a path that has one of these marks."""
    return one.workspace == _plain(workspace) and one.mark in marks


def load_toml(data: bytes) -> dict[str, Any]:
    """Return what a TOML file says; ValueError."""
    return tomllib.loads(data.decode())


def keeps_nothing(settings: bytes) -> bool:
    """Tell whether a memd.toml says that nothing of conversations is kept; one that cannot be read does not."""
    try:
        capture = tomllib.loads(settings.decode("utf-8", "replace")).get("capture")
    except (tomllib.TOMLDecodeError, RecursionError):
        return False
    return isinstance(capture, dict) and capture.get("level") == "off"


def paused_until(trust: bytes) -> float:
    """Return until when this machine's file on a workspace says that nothing is kept, 0 where it does not say so."""
    try:
        value = json.loads(trust).get("paused_until", 0)
    except (ValueError, RecursionError, AttributeError):
        return 0.0
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else 0.0


def _plain(path: str) -> str:
    return path.encode("utf-8", "backslashreplace").decode()  # a path may have bytes that are no text
