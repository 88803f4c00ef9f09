"""One pass as one record of the log: what is kept, what waits, which statements were offered, and the report of it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from memd.engine.keep.fate import Decided, Fate
from memd.errors import LimitExceededError, StorageError
from memd.formats.times import to_iso
from memd.model.change import Change, Operation, Put, Relation
from memd.model.memory import AGAIN, KEPT
from memd.model.trust import PAST
from memd.service.capture.deciding import Statement, weighed_anew
from memd.service.inbox import held, let_wait, waiting_like
from memd.service.memory.records import digest_of, removals, room_in_role
from memd.service.memory.remember import let_through
from memd.service.memory.storing import add, refine
from memd.service.recent import outcome, tell_verdicts
from memd.storage.layout import CONSOLIDATIONS, OFFERED
from memd.store.capture import Became, Report, dump_report, offered_line, report_file, too_many

if TYPE_CHECKING:
    from typing import Any

    from memd.model.memory import Verdict
    from memd.service.capture.turns import NewTurns
    from memd.service.judging.offers import Offer
    from memd.service.judging.weighing import Weighed
    from memd.service.walks import Consolidate
    from memd.store.keep.inbox import Steps
    from memd.store.keep.provisional import Noted
    from memd.store.role.role import Role
    from memd.store.store import Store

WAITS_DAYS = 7.0  # what was said longer ago than this waits in the inbox as if it had been said then
DAY_S = 86_400.0
RECORD_BYTES = 1500  # of a memory, about, when room is made for several


@dataclass(slots=True)
class _Step:
    """What a pass does: what makes its operations, and what takes back what they made true in the inbox."""

    builds: list[Callable[[int], list[Operation]]] = field(default_factory=list)
    steps: list[Steps | Noted] = field(default_factory=list)
    became: list[Became] = field(default_factory=list)
    kept: list[dict[str, Any]] = field(default_factory=list)  # the replies of what is kept

    def roll_back(self) -> None:
        while self.steps:
            self.steps.pop().roll_back()


Pass = tuple[Report, list[Statement]]


async def keep(
    store: Store, asked: Consolidate, session: str, role: Role, part: NewTurns, statements: list[Statement], upto: int
) -> Pass:  # fmt: skip
    """Make what was decided true, durably, all or nothing; return the report, and the statements as they were decided at last."""
    async with store.keeping.judging:
        async with role.turn:
            await store.refresh(role)
            statements = [_still(store, role, asked.level, one) for one in statements]
            await _make_room(store, role, sum(one.decided.fate is Fate.KEPT for one in statements))
            report, kept, done = _submit(store, asked, session, role, part, statements, upto)
        await asyncio.sleep(0)
    await done
    for reply in kept:
        await let_through(store, reply)
    for one in statements:
        if one.decided.fate is Fate.KNOWN and one.weighed and one.weighed.related:
            store.recalled.use(role.name, [one.weighed.related.memory.id], one.told.at_s)
    _tell(store, report, statements)
    await asyncio.to_thread(_tidy, store)
    return report, statements


def _tell(store: Store, report: Report, statements: Sequence[Statement]) -> None:
    """Tell what became of each statement of a pass."""
    texts = {one.id: one.weighed.offer.text if one.weighed else one.told.text for one in statements}
    words = {Fate.STAGED.value: "waiting", Fate.KNOWN.value: "duplicate"}
    told = [
        outcome(
            one.how or words.get(one.fate, one.fate), one.memory, texts[one.id], one.why, one.total,
            supersedes=one.supersedes, inbox=one.inbox,
        )
        for one in report.became
    ]  # fmt: skip
    turn = report.became[-1].turn if report.became else 0
    tell_verdicts(store, "consolidate", report.role, told, session=report.session, turn=turn, unnamed=report.dropped)


def shown(
    store: Store, asked: Consolidate, session: str, role: Role, part: NewTurns, statements: Sequence[Statement]
) -> Report:  # fmt: skip
    """Return the report that a pass would have."""
    became = [_became(one) for one in statements if not _is_dropped(one)]
    return _report(store, asked, session, role, part, became, len(statements) - len(became))


def _still(store: Store, role: Role, level: str, one: Statement) -> Statement:
    """Return what is about to be kept as it stands to what the role holds now, where it was judged beside something else."""
    if one.decided.fate is not Fate.KEPT or one.weighed is None or one.seen == role.marks.changes:
        return one
    return weighed_anew(store, role, one, one.weighed.offer, level)


async def _make_room(store: Store, role: Role, count: int) -> None:
    """Let memories go that must, before others come: a step of its own."""
    now_s = store.ports.now()
    with suppress(LimitExceededError):  # then each is asked for itself, and waits
        gone = room_in_role(store, role, count * RECORD_BYTES, now_s, more=count) if count else []
        if gone:
            await store.commit(lambda n: removals(store, role, gone, "the role is at its limit", n, now_s), at_s=now_s)


def _submit(
    store: Store, asked: Consolidate, session: str, role: Role, part: NewTurns, statements: list[Statement], upto: int
) -> tuple[Report, list[dict[str, Any]], asyncio.Future[None]]:  # fmt: skip
    now_s = store.ports.now()
    step = _Step()
    plans = [_plan(store, asked, role, one, now_s) for one in statements]
    made: list[Report] = []

    def build(n: int) -> list[Operation]:
        operations = [operation for plan in plans for operation in plan(step, n)]
        report = _report(store, asked, session, role, part, step.became, len(statements) - len(step.became))
        made.append(report)
        ids = [one.id for one in step.became]
        operations.append(store.record(OFFERED, n, offered_line(session, upto, ids), now_s))
        if step.became:
            operations.append(Put(report_file(report.id), None, dump_report(report)))
        return operations

    try:
        done = store.commit(build, at_s=now_s, roll_back=step.roll_back)
    except BaseException:
        step.roll_back()
        raise
    return made[0], step.kept, done


_Plan = Callable[[_Step, int], list[Operation]]


def _plan(store: Store, asked: Consolidate, role: Role, one: Statement, now_s: float) -> _Plan:
    """Return what carries out what was decided of a statement."""
    if one.decided.fate is Fate.KEPT and one.weighed is not None:
        try:
            return _kept(store, role, one, one.weighed, now_s)
        except LimitExceededError as error:
            one.decided = Decided(Fate.STAGED, f"there is no room for it ({error.code})")
    if one.decided.fate is Fate.STAGED and one.weighed is not None:
        return _staged(store, asked, role, one, one.weighed, now_s)

    def nothing(step: _Step, _: int) -> list[Operation]:
        if not _is_dropped(one):
            step.became.append(_became(one))
        return []

    return nothing


def _kept(store: Store, role: Role, one: Statement, weighed: Weighed, now_s: float) -> _Plan:
    offer, verdict, (related, doubted) = weighed.offer, weighed.verdict, weighed.standing
    refines = related is not None and related.judged.relation is Relation.REFINEMENT
    if related is not None and refines:
        reply, built = refine(store, role, offer, verdict, one.told.at_s, related)
    else:
        reply, built = add(store, role, offer, verdict, one.told.at_s, related, doubted)
    waited = one.again or store.keeping.inbox.same(role.name, offer.text)

    def plan(step: _Step, n: int) -> list[Operation]:
        operations = built(n)
        changes = [made for made in operations if isinstance(made, Change) and made.after is not None]
        became = _became(one)
        became.memory, became.how = changes[0].id, reply["verdict"]
        became.digest = digest_of(changes[0].after or {})
        became.supersedes = str(reply.get("supersedes") or "")
        became.lasting = one.group()
        step.became.append(became)
        step.kept.append(reply)
        if waited is not None:
            steps = store.keeping.inbox.steps(store.record, now_s)
            steps.close(waited, AGAIN if one.again else KEPT, became.memory, made=reply["verdict"] != "refined")
            step.steps.append(steps)
            operations += steps.operations(n)
        return [*operations, *_held(store, role, one, offer, verdict, (reply, became.digest), step, n)]

    return plan


def _held(
    store: Store, role: Role, one: Statement, offer: Offer, verdict: Verdict, kept: tuple[dict[str, Any], str],
    step: _Step, n: int,
) -> list[Operation]:  # fmt: skip
    """Hold what words judged alone, while the model had no time, until it is judged again, as of when it was said."""
    reply, digest = kept
    if not one.vectors.late:
        return []
    told = {"verdict": reply["verdict"], "id": reply["id"], "receipt": {"digest": digest}}
    later = held(store, role, offer, verdict, told, one.told.at_s)
    if later is None:
        return []
    step.steps.append(later)
    return later.operations(n)


def _staged(store: Store, asked: Consolidate, role: Role, one: Statement, weighed: Weighed, now_s: float) -> _Plan:
    def plan(step: _Step, n: int) -> list[Operation]:
        became = _became(one)
        step.became.append(became)
        if asked.by == PAST and len(store.keeping.inbox.waiting) >= store.settings.limits.inbox_entries // 2:
            became.fate, became.why = Fate.REFUSED.value, "the inbox has its share of the past"
            return []
        waiting = waiting_like(store, role, weighed.offer, closely=False)
        if waiting is not None:
            became.why, became.inbox = "it waits there already", ""
            return []
        steps = store.keeping.inbox.steps(store.record, now_s)
        step.steps.append(steps)
        said_s = max(one.told.at_s, now_s - WAITS_DAYS * DAY_S)
        verdict = replace(weighed.verdict, reason=one.decided.why)
        became.inbox = let_wait(steps, store, role, weighed.offer, verdict, said_s=said_s)
        if not became.inbox:
            became.fate, became.why = Fate.REFUSED.value, "there is no room in the inbox"
            return []
        return steps.operations(n)

    return plan


def _became(one: Statement) -> Became:
    told = one.told
    memory = (
        one.weighed.related.memory.id if one.decided.fate is Fate.KNOWN and one.weighed and one.weighed.related else ""
    )
    return Became(
        one.decided.fate.value, one.id, told.turn, one.total, one.decided.why, to_iso(told.at_s), told.source, memory
    )


def _is_dropped(one: Statement) -> bool:
    """Tell whether a statement was not worth a word: it is counted, and not named."""
    return one.decided.fate is Fate.REFUSED and one.weighed is not None and one.decided.why == "not worth keeping"


def _report(
    store: Store, asked: Consolidate, session: str, role: Role, part: NewTurns, became: list[Became], dropped: int
) -> Report:  # fmt: skip
    numbers = [one.number for one in part.turns]
    return Report(
        _new_id(store), to_iso(store.ports.now()), session, role.name, asked.level, asked.by,
        min(numbers), max(numbers), len(numbers), became, dropped,
    )  # fmt: skip


def _new_id(store: Store) -> str:
    """Return the name of a pass: its time, and a piece of chance."""
    stamp = to_iso(store.ports.now()).replace("-", "").replace(":", "").replace("T", "-")[:15]
    return f"c{stamp}-{store.ports.new_id()[:8]}"


def _tidy(store: Store) -> None:
    """Let the oldest reports go where they are more than they may be. Blocks."""
    with suppress(StorageError):
        sizes = list(store.tree.sizes(CONSOLIDATIONS))
        for name in too_many(sizes, store.settings.limits.consolidation_bytes):
            store.tree.remove(name)
