"""The verb that asks how other thresholds would have judged what people decided; nothing is changed by it."""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import TYPE_CHECKING, Annotated

from msgspec import Meta

from memd.errors import BadParamsError
from memd.formats.times import to_iso, to_seconds
from memd.protocol.fields import MaybeRole, Request
from memd.protocol.statistics import Tried, Tuned
from memd.service.inbox.edge import Decided, decisions
from memd.service.screening import make_ready
from memd.storage.layout import ARCHIVE, PRIVATE
from memd.verbs.declared import Service, verb

if TYPE_CHECKING:
    from memd.model.settings import GateSettings

STEP, ABOVE = 0.5, 1.0  # thresholds that are tried, and how far above the present one


class Tune(Request):
    """Of which role, since when, and which threshold besides those that are tried anyhow."""

    role: MaybeRole = ""
    keep_from: Annotated[float, Meta(ge=0, le=10, description="a threshold to try too")] | None = None
    since: Annotated[str, Meta(max_length=40, description="only what was decided from this day or time on, ISO 8601")] = ""  # fmt: skip


@verb("tune")
async def tune_gate(service: Service, asked: Tune) -> Tuned:
    """Tell how other thresholds would have judged what people decided; change nothing."""
    store = service.store
    await make_ready(store)
    since_s = 0.0
    if asked.since:
        told = to_seconds(asked.since)
        if told is None:
            raise BadParamsError(f"since: {asked.since!r} is no time; write 2026-05-08, or ISO 8601")
        since_s = told
    await store.roles.look()
    roles = {(await store.role(asked.role)).name} if asked.role else set(store.roles)
    gate = (store.settings_of(store.roles[min(roles)]) if asked.role else store.settings).gate
    waiting_lines = [*store.writer.waiting_lines(PRIVATE), *store.writer.waiting_lines(ARCHIVE)]
    found = await asyncio.to_thread(decisions, store, roles, since_s, waiting_lines)
    waiting = [one["total"] for one in store.keeping.inbox.waiting.values() if one.get("role") in roles]
    return Tuned(
        since=to_iso(since_s) if asked.since else "",
        decided=dict(Counter(one.known_from for one in found).most_common()),
        kept=sum(one.keep for one in found),
        dropped=sum(not one.keep for one in found),
        waiting=len(waiting),
        thresholds=[_tried(one, gate, found, waiting) for one in _thresholds(gate, asked.keep_from)],
    )


def _thresholds(gate: GateSettings, also: float | None) -> list[float]:
    steps = int((gate.keep_from + ABOVE - gate.warn_from) / STEP) + 1
    tried = {round(gate.warn_from + STEP * number, 2) for number in range(max(steps, 1))}
    return sorted(one for one in {*tried, gate.keep_from, *(() if also is None else (also,))} if one <= 10)


def _tried(threshold: float, gate: GateSettings, found: list[Decided], waiting: list[float]) -> Tried:
    kept = [one for one in found if one.total >= threshold]
    dropped = [one for one in found if one.total < threshold]
    return Tried(
        keep_from=threshold,
        in_force=threshold == gate.keep_from,
        would_keep=len(kept),
        would_drop=len(dropped),
        right=sum(one.keep for one in kept) + sum(not one.keep for one in dropped),
        lost=sum(one.keep for one in dropped),
        noise=sum(not one.keep for one in kept),
        waiting_kept=sum(total >= threshold for total in waiting),
    )
