"""A role's memories as they were known and held at a time, as its records, its archive and declarative.md tell it.

What was stored later is not there; what was changed, superseded or archived later is as it was before. Pure.

Units
    seconds since the epoch; a line of declarative.md knows its time to the minute, and its text on one line.
Source
    docs/trigger.md#as-of-a-time. What has no date is taken as it is now, and is told: nothing is guessed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from memd.engine.keep.leaves import taken_back
from memd.errors import BadMemoryError
from memd.formats.entry import to_memory
from memd.formats.role_memory import read_inline
from memd.formats.times import to_seconds

if TYPE_CHECKING:
    from memd.model.memory import Kind, Memory

MINUTE_S = 60.0
_BLANKS = re.compile(r"\s+")
_LINE = re.compile(r"- (\d{4})/(\d\d)/(\d\d) (\d\d:\d\d) (.*) #id:(\S+)(?: #\S+)*\s*")


class Told(NamedTuple):
    """What declarative.md told of a memory: when, to the minute, and its text on one line."""

    at_s: float
    text: str


class Moved(NamedTuple):
    """A line of the archive: a memory went there, as this record, or came back from there (None)."""

    at_s: float
    kind: Kind
    record: Mapping[str, Any] | None
    line: Mapping[str, Any]


@dataclass(slots=True)
class Then:
    """Memories as they were, without what others took the place of; the archive's lines of those that were forgotten.

    `undated`: ids of which nobody knows whether they were known then; `unclear`: whose text may have been another.
    """

    memories: list[Memory] = field(default_factory=list)
    archived: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    undated: list[str] = field(default_factory=list)
    unclear: list[str] = field(default_factory=list)


def told_in(text: str, found: dict[str, list[Told]]) -> None:
    """Put what a declarative.md tells of each memory into `found`, by id."""
    for line in text.split("\n"):
        match = _LINE.fullmatch(line) if line.startswith("- ") else None
        at_s = to_seconds(f"{match[1]}-{match[2]}-{match[3]}T{match[4]}:00Z") if match else None
        if match and at_s is not None:
            found.setdefault(match[6], []).append(Told(at_s, read_inline(match[5]).content))


def as_of(
    at_s: float,
    standing: Mapping[str, tuple[Kind, Mapping[str, Any]]],
    moved: Mapping[str, Sequence[Moved]],
    told: Mapping[str, Sequence[Told]],
) -> Then:
    """Return a role's memories as they were at a time; `standing` are its records of now by id, `moved` is in the archive's order."""
    then = Then()
    for memory_id in dict.fromkeys((*standing, *moved)):
        found = _record_at(at_s, standing.get(memory_id), moved.get(memory_id, ()))
        if isinstance(found, Moved):
            then.archived[memory_id] = found.line
        elif found is not None:
            _take(then, memory_id, found, sorted(told.get(memory_id, ()), key=lambda one: one.at_s), at_s)
    return then


def _record_at(
    at_s: float, now: tuple[Kind, Mapping[str, Any]] | None, moved: Sequence[Moved]
) -> tuple[Kind, Mapping[str, Any]] | Moved | None:
    """Return a memory's record that tells of a time, or the line by which it was in the archive then; None: neither."""
    before = next((one for one in reversed(moved) if one.at_s <= at_s), None)
    after = next((one for one in moved if one.at_s > at_s), None)
    gone = before is not None and before.record is not None
    if after is not None:
        if after.record is not None and not gone:
            return after.kind, after.record
        return before if gone else None
    return now if now is not None or not gone else before


def _take(then: Then, memory_id: str, found: tuple[Kind, Mapping[str, Any]], told: list[Told], at_s: float) -> None:
    kind, record = found
    made_s = _made_s(record, told)
    if made_s is not None and made_s > at_s:
        return
    was, clear = _at(record, told, at_s, made_s)
    try:
        memory = to_memory(was, kind, memory_id)
    except BadMemoryError:
        return
    since_s, until_s = to_seconds(record.get("validFrom")), to_seconds(record.get("validUntil"))
    if since_s is not None and since_s > at_s:
        return
    # With supersededBy it is a note: the successor is what counts. What was told as over is known ever since.
    told_as_over = until_s is not None and made_s is not None and until_s <= made_s
    if until_s is not None and not told_as_over and not record.get("supersededBy"):
        memory = replace(memory, expires_s=until_s if memory.expires_s is None else min(until_s, memory.expires_s))
    if memory.when_s is not None and memory.when_s > at_s:
        memory = replace(memory, when_s=made_s)
    then.memories.append(memory)
    if made_s is None:
        then.undated.append(memory_id)
    if not clear:
        then.unclear.append(memory_id)


def _made_s(record: Mapping[str, Any], told: Sequence[Told]) -> float | None:
    """Return since when a memory is known, None where nobody can tell."""
    for key in ("createdAt", "timestamp"):
        if (at_s := to_seconds(record.get(key))) is not None:
            return at_s
    changed_s = to_seconds(record.get("updatedAt"))
    if told:
        first_s = told[0].at_s
        return changed_s if changed_s is not None and 0 <= changed_s - first_s < MINUTE_S else first_s
    return None if _past(record) else changed_s


def _past(record: Mapping[str, Any]) -> list[tuple[float, Mapping[str, Any]]]:
    """Return the earlier texts of a record, each until when it stood, the oldest first; what has no time is left out."""
    past = record.get("history")
    found = [
        (until_s, one)
        for one in (past if isinstance(past, list) else ())
        if isinstance(one, dict) and isinstance(one.get("content"), str)
        if (until_s := to_seconds(one.get("until"))) is not None
    ]
    return sorted(found, key=lambda pair: pair[0])


def _at(
    record: Mapping[str, Any], told: Sequence[Told], at_s: float, made_s: float | None
) -> tuple[dict[str, Any], bool]:
    """Return a record as it was at a time, and whether that is sure."""
    key = "value" if "value" in record and not str(record.get("content") or "").strip() else "content"
    was, since_s, until_s = dict(record), made_s, None
    for end_s, past in reversed(_past(record)):
        if end_s <= at_s:
            since_s = end_s
            break
        before = past.get("was")
        was = {**taken_back(was, before if isinstance(before, dict) else {}), key: past["content"]}
        until_s = end_s
    text, clear = _said(
        str(was.get(key) or ""),
        [one for one in told if _within(one, since_s, until_s)],
        at_s,
        (to_seconds(record.get("updatedAt")) if until_s is None else None, since_s),
    )
    return {**was, key: text}, clear


def _within(one: Told, since_s: float | None, until_s: float | None) -> bool:
    return (since_s is None or one.at_s + MINUTE_S > since_s) and (until_s is None or one.at_s + MINUTE_S <= until_s)


def _said(text: str, told: Sequence[Told], at_s: float, times: tuple[float | None, float | None]) -> tuple[str, bool]:
    """Return the text of a stretch without a history at a time in it, and whether that is sure.

    `text` is the last of the stretch, `told` what was told of it; `times`: when it was changed last and when the stretch began.
    """
    changed_s, since_s = times
    later = changed_s is not None and since_s is not None and changed_s > since_s + 1.0
    if told:
        if _one_line(told[-1].text) == _one_line(text):
            return text, True
        if later and changed_s is not None and changed_s >= told[-1].at_s:
            return (told[-1].text, True) if at_s < changed_s else (text, True)
        return text, False
    return text, not later or changed_s is None or at_s >= changed_s


def _one_line(text: str) -> str:
    return _BLANKS.sub(" ", text).strip()
