"""Which memory a statement of a conversation changes.

The judge of relations sees two texts, and of several memories takes the one of which it is surest. A statement of a conversation
speaks of one memory of all that a person has: which, engine/keep/talk/changes.py tells by all of them side by side.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from memd.engine.keep.succeed import holding
from memd.engine.keep.talk.changes import bare, says_change, says_unchanged
from memd.model.change import Judged, Relation
from memd.model.memory import Band
from memd.service.event_times import of_another_day
from memd.service.judging.relating import Related, Standing
from memd.text.clauses import clauses

if TYPE_CHECKING:
    from memd.model.memory import Memory
    from memd.service.judging.vectors import Vectors
    from memd.service.judging.weighing import Weighed
    from memd.store.role.role import Role
    from memd.store.store import Store

LOOKED_AT = 6  # memories, those most like the statement
SURELY, PERHAPS = 0.5, 0.48  # how likely it changes one, to take its place, and to be worth asking a person
KEPT = 0.8  # how likely, to be kept however it is judged by itself
SAME = 0.6  # of a statement that something is still so, how much of it a memory has
WHY = "of what is known, this is what it changes"


class Said(NamedTuple):
    """When a statement was said, in seconds since 1970, and what was said right before it."""

    at_s: float
    after: str = ""


def with_change(store: Store, role: Role, weighed: Weighed, vectors: Vectors, said: Said) -> Weighed:
    """Return a statement as it stands to what it changes; call in the role's turn."""
    related, _ = weighed.standing
    relation = related.judged.relation if related is not None else Relation.UNRELATED
    if relation is Relation.DUPLICATE:
        return weighed
    if says_unchanged(bare(weighed.offer.text)):
        return _unchanged(store, role, weighed, vectors)
    if relation is Relation.REFINEMENT and not says_change(bare(weighed.offer.text)):
        return weighed
    found = _changed(store, role, weighed, vectors, said)
    if found is not None and found.judged.sure >= SURELY:
        return _changing(store, role, weighed, found)
    if relation is Relation.REFINEMENT:
        return weighed
    if related is not None:
        weighed = _unchanging(store, role, weighed)
    return weighed._replace(standing=Standing(None, found))


def _unchanged(store: Store, role: Role, weighed: Weighed, vectors: Vectors) -> Weighed:
    """Return what says that something is still so: as said again of the memory that says it, where there is one."""
    text, learned = bare(weighed.offer.text), store.keeping.learned
    near = [(one, learned.held_in(text, one.said)) for one in _known(store, role, weighed, vectors)]
    memory, most = max(near, key=lambda one: one[1], default=(None, 0.0))
    if memory is None or most < SAME:
        changes = weighed.related is not None and weighed.related.judged.relation is Relation.CONTRADICTION
        return _unchanging(store, role, weighed) if changes else weighed
    judged = Judged(Relation.DUPLICATE, round(most, 3), "it says that this is still so", most)
    return weighed._replace(standing=Standing(Related(memory, judged), None))


def _changed(store: Store, role: Role, weighed: Weighed, vectors: Vectors, said: Said) -> Related | None:
    """Return the memory that a statement most likely changes, with how likely it is; None where it is likely of none."""
    text, learned = weighed.offer.text, store.keeping.learned
    told, behind = vectors.of(learned.plain(text)), vectors.of(learned.plain(f"{said.after} {text}"))
    near = [
        (one, learned.beside(one.said, text, said.after, (vectors.of(one.text), told, behind)))
        for one in _known(store, role, weighed, vectors)
    ]
    near = sorted(near, key=lambda one: -one[1].alike)[:LOOKED_AT]
    chances = learned.changes(text, [beside for _, beside in near], said.after)
    for chance, (memory, beside) in sorted(zip(chances, near, strict=True), key=lambda one: -one[0]):
        if chance < PERHAPS:
            return None
        sure, shared = round(chance, 3), beside.amounts.get("[old in new]", 0.0)
        judged = Judged(Relation.CONTRADICTION, sure, WHY, shared, sure)
        found = Related(memory, judged, _covered(store, memory, text))
        if not of_another_day(weighed.offer, found, said.at_s):
            return found
    return None


def _covered(store: Store, memory: Memory, text: str) -> tuple[str, ...]:
    """Return the digest of the statement of a memory that is most like a text, of what says several things; none where it says one."""
    parts = holding(memory)
    if len(parts) < 2 or len(clauses(memory.content)) < 2:
        return ()
    return (max(parts, key=lambda one: store.keeping.learned.share(one.said, text)).digest,)


def _known(store: Store, role: Role, weighed: Weighed, vectors: Vectors) -> Iterator[Memory]:
    """Yield the memories near a statement that hold now."""
    memories, world = role.compiled.memories, weighed.offer.meant.world
    near = store.keeping.learned.nearest(role.compiled, weighed.offer.text)
    held = [one.memory.id for one in weighed.standing if one is not None]
    for one in dict.fromkeys((*held, *vectors.alike, *near.ids)):
        memory = memories.get(one)
        if memory is None or memory.disabled or memory.superseded_by or memory.is_turn:
            continue
        if memory.is_of_world is world:
            yield memory


def _changing(store: Store, role: Role, weighed: Weighed, related: Related) -> Weighed:
    verdict = weighed.verdict
    if not verdict.keep and (related.judged.sure >= KEPT or verdict.total >= store.settings_of(role).gate.warn_from):
        reason = f"total {verdict.total:g}, and it says that it changes memory {related.memory.id[:8]}"
        verdict = replace(verdict, keep=True, reason=reason, hint="")
    return weighed._replace(verdict=verdict, standing=Standing(related, None))


def _unchanging(store: Store, role: Role, weighed: Weighed) -> Weighed:
    """Return a statement as one that changes nothing: what raised its total goes as well."""
    verdict, gate = weighed.verdict, store.settings_of(role).gate
    if verdict.keep and verdict.computed_total < gate.keep_from:
        band = Band.BORDERLINE if verdict.computed_total >= gate.warn_from else Band.DISCARD
        reason = f"total {verdict.computed_total:g} is below {gate.keep_from:g}"
        verdict = replace(verdict, keep=False, total=verdict.computed_total, band=band, reason=reason)
    return weighed._replace(verdict=verdict, standing=Standing())
