"""Histories: what of a session, and of those it goes on from, a model is shown again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from memd.engine.keep.leaves import changed, texts_in
from memd.engine.work.visible import Tail, chars_of, tail_of
from memd.errors import SessionUnknownError
from memd.service.memory.egress import for_record
from memd.service.screening import ready
from memd.service.work.sessions import session_of, settings_of

if TYPE_CHECKING:
    from memd.model.sessions import Event
    from memd.store.session_log import SessionLog
    from memd.store.store import Store

GENERATIONS = 20  # sessions that are followed back


async def safe_tail(
    store: Store, logs: list[tuple[SessionLog, int]], *, max_messages: int, budget_chars: int, before: str = ""
) -> Tail:
    """Return the tail of a session and those before it, as a model may read it.

    What gives orders is marked as a record, nothing is unseen or secret. `logs`: each with the place behind its last event,
    0 for all; limits of 0 are the settings'; `before`: an event's id, for the page before it.
    """
    settings = settings_of(store, logs[0][0])
    most = min(max_messages or settings.max_context_messages, settings.max_context_messages)
    tail = tail_of(_newest_first(logs, before), most, budget_chars or settings.history_chars)
    role = str(logs[0][0].totals.opened.get("role", ""))
    if not store.in_force.of_name(store.roles, role).gate.scan:
        return tail
    await ready(store, texts_in(tail.entries))
    told = for_record(store, secrets=settings.secrets == "redact")
    entries: list[dict[str, Any]] = changed(tail.entries, told)
    return tail if entries is tail.entries else Tail(entries, sum(map(chars_of, entries)), tail.cut)


def _newest_first(logs: list[tuple[SessionLog, int]], before: str) -> Iterator[Event]:
    begun = not before
    for log, stop in logs:
        top = stop
        if not begun:
            seq = log.find(before)
            if not seq:
                continue
            begun, top = True, min(seq, stop) if stop else seq
        yield from log.visible_back(top)


async def lineage_of(store: Store, name: str, *, whole: bool = True) -> list[tuple[SessionLog, int]]:
    """Return a session and those it goes on from, each with the place where it was left (0: its end)."""
    async with store.working.turn_of(name):
        logs = [(await session_of(store, name), 0)]
    while whole and len(logs) < GENERATIONS:
        origin = logs[-1][0].totals.opened.get("from")
        if not isinstance(origin, dict) or any(log.name == origin.get("session") for log, _ in logs):
            break
        try:
            async with store.working.turn_of(str(origin.get("session", ""))):
                parent = await session_of(store, str(origin.get("session", "")))
        except SessionUnknownError:
            break  # the parent was removed: what this session itself says stands
        seq = parent.find(str(origin.get("at", "")))
        logs.append((parent, seq + 1 if seq else 0))
    return logs
