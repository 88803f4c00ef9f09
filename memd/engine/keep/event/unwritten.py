"""The times that a memory's own words tell, where its record has none: it was written by hand, or by another program.

They are read against the time the record says it was told at, and stand beside the record, never in it. Where it says no
time, nothing is guessed.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from memd.engine.keep.event.resolve import names_time
from memd.engine.keep.event.written import resolve_written
from memd.formats.times import moment_in, period_of

if TYPE_CHECKING:
    from datetime import datetime, tzinfo

    from memd.model.memory import Memory


def dated(memory: Memory, zone: tzinfo | None) -> Memory:
    """Return a memory with the times that its own words tell, in a zone (None: the system's own); as it is where they tell none."""
    if memory.undated is None or memory.is_of_world or not names_time(memory.content):
        return memory
    told = moment_in(memory.undated, zone)
    if told is None:
        return memory
    try:
        found = resolve_written(memory.content, told)
        event = found.event and period_of(_written(found.event.start), _written(found.event.end))
        held = period_of(_written(found.since), _written(found.until))
        planned = bool(event and event.start_s is not None and event.start_s > told.timestamp())
    except (OverflowError, ValueError, OSError):
        return memory  # at the ends of the calendar
    return replace(memory, event=event, held=held, planned=planned) if event or held else memory


def _written(at: datetime | None) -> str | None:
    return None if at is None else at.isoformat(timespec="seconds")
