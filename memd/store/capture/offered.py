"""Which statements of sessions were offered to memory, as ids without text, and how far each session was looked through.

Kept as lines of `.memory/offered.jsonl`, one a pass: the session, the number of the last own event that was looked at, and the
ids. It is versioned, and two machines' lines merge by union: each of them concerns its own writer's events alone.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from memd.formats.records import dump_record, read_lines
from memd.storage.layout import OFFERED
from memd.storage.side import read_side

if TYPE_CHECKING:
    from memd.storage.files import Tree

NAMESPACE = uuid.uuid5(uuid.NAMESPACE_URL, "memd:told")
READ_BYTES = 64_000_000  # of a file that may be anybody's
WHAT = "offered"


@dataclass(slots=True)
class Offered:
    """`ids` of all machines; `upto` has, for each session, the number of the last event of this writer that was looked at."""

    ids: set[str] = field(default_factory=set)
    upto: dict[str, int] = field(default_factory=dict)


def told_id(session: str, event: str, digest: str) -> str:
    """Return what a statement is known by: its session, the event (writer and number) that settles it, its text's digest."""
    return str(uuid.uuid5(NAMESPACE, f"{session}\n{event}\n{digest}"))


def offered_line(session: str, upto: int, ids: Sequence[str]) -> dict[str, Any]:
    """Return what the line of a pass says beside its key."""
    return {"what": WHAT, "session": session, "upto": upto, "ids": list(ids)}


def read_offered(tree: Tree, waiting: Iterable[str], writer: str) -> Offered:
    """Return what the file and the acknowledged lines that are not in it yet say. Blocks."""
    found = Offered()
    for data in (read_side(tree, OFFERED, READ_BYTES) or b"", "".join(waiting).encode()):
        for value in (line.value for line in read_lines(data)):
            if value is None or value.get("what") != WHAT:
                continue
            ids, session, upto = value.get("ids"), value.get("session"), value.get("upto")
            found.ids.update(one for one in (ids if isinstance(ids, list) else ()) if isinstance(one, str))
            if value.get("w") == writer and isinstance(session, str) and isinstance(upto, int):
                found.upto[session] = max(upto, found.upto.get(session, 0))
    return found


def shortened(data: bytes, room_bytes: int) -> bytes:
    """Return the newest lines of the file that have this room; of what goes, how far a session was looked through stays."""
    lines = [(data[one.start : one.stop], one.value) for one in read_lines(data) if one.value is not None]
    kept: list[bytes] = []
    while lines and room_bytes >= len(lines[-1][0]):
        line, _ = lines.pop()
        room_bytes -= len(line)
        kept.append(line)
    ends: dict[tuple[str, str], dict[str, Any]] = {}
    for _, value in lines:
        key = (str(value.get("w")), str(value.get("session")))
        is_end = value.get("what") == WHAT and isinstance(value.get("upto"), int)
        if is_end and (key not in ends or ends[key]["upto"] <= value["upto"]):
            ends[key] = {**{name: one for name, one in value.items() if name != "c"}, "ids": []}
    return b"".join([*(dump_record(one) for one in ends.values()), *reversed(kept)])
