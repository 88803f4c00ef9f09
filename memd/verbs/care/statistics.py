"""The verb of figures: what a workspace holds and how it grows, what was refused and why, what to look at, and what is to come."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any

from msgspec import Meta

from memd.engine.keep.aging import DAY_S, worth_now
from memd.engine.keep.conflict import nearest
from memd.errors import BadParamsError
from memd.formats.times import to_iso, to_seconds
from memd.model.memory import NOTE
from memd.protocol.fields import MaybeRole, Paged, Request
from memd.protocol.statistics import (
    MONTHS,
    MOST,
    SHOWN_CHARS,
    SOON_DAYS,
    Ahead,
    Cluster,
    Contradiction,
    Excerpt,
    Forecast,
    NearEdge,
    RoleStatistics,
    Statistics,
    ToReview,
    Tried,
    Tuned,
    UsedMemory,
)
from memd.protocol.views import nearest_texts
from memd.service.edge import Decided, decisions, is_near_edge, noted_lines
from memd.service.screening import make_ready
from memd.storage.layout import ARCHIVE, PRIVATE
from memd.verbs.declared import Service, verb

if TYPE_CHECKING:
    from memd.model.memory import Memory
    from memd.model.settings import GateSettings, Settings
    from memd.store.role.role import Role
    from memd.store.store import Store

CLUSTERED = 1000  # memories that are looked at for clusters, the newest
OF_ONE_SUBJECT = 0.5  # of the telling words of a memory that another has
AT_ONCE = 20
AHEAD_DAYS = (30, 90)
GROWTH_DAYS, EDGE_DAYS = 30, 30


class TellStatistics(Paged):
    """One role, or all; of their figures one part, of the sums all."""

    role: MaybeRole = ""


@verb("stats")
async def tell_statistics(service: Service, asked: TellStatistics) -> Statistics:
    """Tell totals, use, growth, refusals, clusters, and a forecast."""
    store = service.store
    await make_ready(store)
    if asked.role:
        roles = [await store.role(asked.role)]
    else:
        await store.roles.look()
        roles = [store.roles[name] for name in sorted(store.roles)]
    now_s = store.ports.now()
    shown = [await _of_role(store, role, now_s) for role in asked.part(roles)]
    names = {role.name for role in roles}
    noted = await asyncio.to_thread(noted_lines, store, names, store.writer.waiting_lines(PRIVATE))
    return Statistics(
        at=to_iso(now_s),
        total=sum(role.figures.memories for role in roles),
        roles_total=len(roles),
        roles=shown,
        refusals=_refusals(noted),
        near_edge=_near_edge(store, names, noted, now_s),
        waiting_for_review=sum(one.get("role") in names for one in store.keeping.quarantine.held.values()),
        scorings_today=store.room.scorings.count,
    )


async def _of_role(store: Store, role: Role, now_s: float) -> RoleStatistics:
    async with role.turn:
        await store.look(role)
        memories = list(role.compiled.memories.values())
        settings = store.settings_of(role)
        size = role.file.bytes + role.file.extra_bytes + role.unsaved.waiting_bytes
    uses = dict(store.recalled.uses.get(role.name, {}))
    standing = [one for one in memories if not one.superseded_by and not one.disabled]
    used = sorted((one for one in standing if one.id in uses), key=lambda one: -uses[one.id][0])
    never = [one for one in standing if one.id not in uses and not one.constant]
    return RoleStatistics(
        role=role.name,
        total=len(memories),
        bytes=size,
        by_kind=_counts(one.kind.value for one in memories),
        by_trigger=_counts(_trigger_type(one) for one in memories),
        by_emotion=_counts(word for one in memories for word in one.emotions),
        by_importance=_counts(_importance(one) for one in memories),
        by_source=_counts(one.source or "unknown" for one in memories),
        by_validity=_counts(one.validity or "not said" for one in memories),
        growth=_growth(memories),
        most_used=[UsedMemory(one.id, one.content[:SHOWN_CHARS], uses[one.id][0]) for one in used[:MOST]],
        least_used=[_short(one) for one in sorted(never, key=lambda one: one.when_s or 0.0)[:MOST]],
        never_used=len(never),
        contradictions=_contradictions(role, memories),
        clusters=await _clusters(role, standing),
        to_review=_to_review(memories, uses, settings, now_s),
        forecast=_forecast(memories, uses, settings, size, now_s),
    )


def _counts(words: Iterable[str]) -> dict[str, int]:
    return dict(Counter(words).most_common())


def _trigger_type(memory: Memory) -> str:
    if memory.constant:
        return "constant"
    return memory.trigger_type or ("keyword" if memory.keys else "semantic")


def _importance(memory: Memory) -> str:
    if memory.score is None:
        return "not scored"
    return (
        "9 to 10"
        if memory.score >= 9
        else "8 to 9"
        if memory.score >= 8
        else "7 to 8"
        if memory.score >= 7
        else "below 7"
    )


def _growth(memories: list[Memory]) -> dict[str, int]:
    months = Counter(
        datetime.fromtimestamp(one.when_s, UTC).strftime("%Y-%m")
        for one in memories
        if _has_date(one) and one.when_s is not None
    )
    return dict(sorted(months.items())[-MONTHS:])


def _has_date(memory: Memory) -> bool:
    return memory.when_s is not None and -6e10 < memory.when_s < 2.5e11


def _contradictions(role: Role, memories: list[Memory]) -> list[Contradiction]:
    """Return pairs of which one took the other's place, the latest first: a person may think otherwise."""
    known = role.compiled.memories
    pairs = [(known[one.superseded_by], one) for one in memories if one.superseded_by in known]
    pairs.sort(key=lambda pair: -(pair[0].when_s or 0.0))
    return [Contradiction(_short(new), _short(old)) for new, old in pairs[: MOST * 2]]


async def _clusters(role: Role, memories: list[Memory]) -> list[Cluster]:
    """Return groups of three and more memories of one subject, the largest first."""
    newest = sorted(memories, key=lambda one: -(one.when_s or 0.0))[:CLUSTERED]
    among = {one.id: one for one in newest}
    home = {one.id: one.id for one in newest}

    def root(memory_id: str) -> str:
        while home[memory_id] != memory_id:
            memory_id = home[memory_id]
        return memory_id

    for number, memory in enumerate(newest):
        found = nearest(role.compiled, memory.content)
        terms = set(role.compiled.lexicon.terms(memory.id)) if memory.id in role.compiled.memories else set()
        for other in found.ids:
            if other != memory.id and other in among and terms:
                rarity = role.compiled.lexicon.rarity
                shared = sum(rarity(term) for term in terms & set(role.compiled.lexicon.terms(other)))
                if shared >= OF_ONE_SUBJECT * sum(map(rarity, terms)):
                    home[root(other)] = root(memory.id)
        if number % AT_ONCE == AT_ONCE - 1:
            await asyncio.sleep(0)
    groups: dict[str, list[Memory]] = {}
    for one in newest:
        groups.setdefault(root(one.id), []).append(one)
    large = sorted((group for group in groups.values() if len(group) > 2), key=lambda group: -len(group))
    return [Cluster(len(group), [_short(one) for one in group[:MOST]]) for group in large[:MOST]]


def _to_review(
    memories: list[Memory], uses: dict[str, tuple[int, float]], settings: Settings, now_s: float
) -> ToReview:
    soon = [one for one in memories if one.expires_s is not None and now_s < one.expires_s < now_s + SOON_DAYS * DAY_S]
    below = [one for one in memories if not one.constant and _worth(one, uses, now_s) < settings.upkeep.floor]
    return ToReview(
        expired=sum(one.is_expired(now_s) for one in memories),
        expiring=[_short(one) for one in soon[:MOST]],
        below_floor=len(below),
        worth_least=[_short(one) for one in sorted(below, key=lambda one: _worth(one, uses, now_s))[:MOST]],
    )


def _forecast(
    memories: list[Memory], uses: dict[str, tuple[int, float]], settings: Settings, size: int, now_s: float
) -> Forecast:
    """Return what decay and limits will move out when, if all goes on as in the last month and nothing is used."""
    recent = [one for one in memories if one.when_s is not None and now_s - GROWTH_DAYS * DAY_S < one.when_s <= now_s]
    a_day = len(recent) / GROWTH_DAYS
    bytes_a_day = sum(len(one.content.encode()) + 200 for one in recent) / GROWTH_DAYS
    limits = settings.limits
    floor = settings.upkeep.floor
    ahead = {
        f"{days} days": Ahead(
            below_floor=sum(not one.constant and _worth(one, uses, now_s + days * DAY_S) < floor for one in memories),
            expired=sum(one.is_expired(now_s + days * DAY_S) for one in memories),
        )
        for days in AHEAD_DAYS
    }
    return Forecast(
        memories_a_day=round(a_day, 2),
        days_to_limit_of_memories=_days(limits.role_memories - len(memories), a_day),
        days_to_limit_of_bytes=_days(limits.role_bytes - size, bytes_a_day),
        ahead=ahead,
    )


def _days(left: float, a_day: float) -> int | None:
    return max(0, int(left / a_day)) if a_day > 0 else None


def _worth(memory: Memory, uses: dict[str, tuple[int, float]], now_s: float) -> float:
    times, used_s = uses.get(memory.id, (0, None))
    return worth_now(memory, times, used_s, now_s)


def _refusals(noted: list[dict[str, Any]]) -> dict[str, int]:
    """Count refusals and the like, by reason."""
    counts: Counter[str] = Counter()
    for value in noted:
        what = str(value.get("what", ""))
        if what == "refused":
            weakest = str(value.get("reason", "")).partition("weakest: ")[2].split(" ")[0]
            what = f"refused, weakest in {weakest or 'nothing'}"
        elif what == NOTE:
            continue  # it is told beside
        counts[what] += 1
    return dict(counts.most_common())


def _near_edge(store: Store, roles: set[str], noted: list[dict[str, Any]], now_s: float) -> NearEdge:
    lately = [one for one in noted if (to_seconds(one.get("at")) or 0.0) > now_s - EDGE_DAYS * DAY_S]
    near = [one for one in lately if one.get("what") == "refused" and is_near_edge(store, one)]
    waiting = [one for one in store.keeping.inbox.waiting.values() if one.get("role") in roles]
    became = Counter(str(one.get("became")) for one in lately if one.get("what") == NOTE)
    return NearEdge(EDGE_DAYS, len(near), len(waiting), dict(became.most_common()), nearest_texts(waiting, MOST))


def _short(memory: Memory) -> Excerpt:
    return Excerpt(memory.id, memory.content[:SHOWN_CHARS])


# The verb that asks how other thresholds would have judged what people decided; nothing is changed by it.

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
