"""Which memory a statement of a conversation changes, where its words say that something changed.

The judge of relations sees two texts, and of several memories takes the one of which it is surest. A person who says "not any
more", 改成 speaks of one memory of all those they have, most likely the one that is most like what they say; and what has nothing
in common with a memory, in words or in meaning, changes nothing of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from operator import mul
from typing import TYPE_CHECKING, NamedTuple

from memd.engine.keep.succeed import holding
from memd.engine.keep.talk.changes import says_change, says_end
from memd.model.relation import DOUBTED, Relation
from memd.model.scores import Band
from memd.service.event_times import of_another_day
from memd.service.judging.relating import Related, Standing
from memd.service.judging.weighing import SURE_CHANGE
from memd.text.clauses import clauses

if TYPE_CHECKING:
    from memd.model.memory import Memory
    from memd.model.relation import Judged
    from memd.service.judging.vectors import Vectors
    from memd.service.judging.weighing import Weighed
    from memd.store.role.role import Role
    from memd.store.store import Store

LOOKED_AT = 2  # memories, those most like the statement
# How like a memory a statement must be, in words and in meaning together, to change it; and where the judge is sure of it.
LIKE, LIKE_WHERE_SURE, SURELY = 0.45, 0.35, 0.85
LEAST_LIKE = (
    0.2  # of the memory that is most like what has words of change, where the judge is as sure as for any change
)
SURELY_BY_ITSELF = 0.8  # what has no word of change, and is not worth keeping by itself
_BESIDE = re.compile(r"\s*[（(](?:[^()（）]|[（(][^()（）]*[)）])*[)）]")  # dates, and the question of an answer


class Said(NamedTuple):
    """When a statement was said, in seconds since 1970; `answered`: it is an answer with its question; `changes`: it has words of change."""

    at_s: float
    answered: bool = False
    changes: bool = False


class _Like(NamedTuple):
    """A memory beside a statement: how much of either the other has in words, how alike they are in meaning (None: not known)."""

    memory: Memory
    share: float
    cosine: float | None

    @property
    def both(self) -> float:
        return self.share + (self.share if self.cosine is None else self.cosine)


def with_change(store: Store, role: Role, weighed: Weighed, vectors: Vectors, said: Said) -> Weighed:
    """Return a statement as it stands to what it changes; call in the role's turn."""
    related, doubted = weighed.standing
    if related is not None and related.judged.relation is Relation.DUPLICATE:
        return weighed
    changes = says_change(_BESIDE.sub("", weighed.offer.text))
    if related is not None and related.judged.relation is Relation.REFINEMENT and not changes:
        return weighed
    found = _changed(store, role, weighed, vectors, said._replace(changes=changes))
    if found is not None and (changes or _is_worth(store, role, weighed, found)):
        return _changing(store, role, weighed, found) if changes else weighed._replace(standing=Standing(found, None))
    if related is not None and related.judged.relation is Relation.CONTRADICTION:
        return _unchanging(store, role, weighed)
    if (
        related is None
        and doubted is not None
        and _like(store, weighed.offer.text, vectors, doubted.memory).both < LIKE
    ):
        return weighed._replace(standing=Standing())
    return weighed


def _is_worth(store: Store, role: Role, weighed: Weighed, found: Related) -> bool:
    """Tell whether what has no word of change is worth keeping by itself, or surely a change."""
    keep_from = store.settings_of(role).gate.keep_from
    return weighed.verdict.computed_total >= keep_from or found.judged.sure >= SURELY_BY_ITSELF


def _changed(store: Store, role: Role, weighed: Weighed, vectors: Vectors, said: Said) -> Related | None:
    """Return the memory most like a statement that it may change, None where it may change none of them."""
    text, learned, related = weighed.offer.text, store.keeping.learned, weighed.related
    likes = (_like(store, text, vectors, one) for one in _known(store, role, weighed, vectors))
    for n, like in enumerate(sorted(likes, key=lambda one: -one.both)[:LOOKED_AT]):
        stored, told = vectors.of(like.memory.text), vectors.of(learned.plain(text))
        found = Related(like.memory, learned.relate(like.memory.said, text, (stored, told)))
        if related is not None and related.memory.id == like.memory.id:
            found = related
        elif of_another_day(weighed.offer, found, said.at_s):
            continue
        else:
            found = replace(found, covers=_covered(store, like.memory, text))
        least = LIKE_WHERE_SURE if found.judged.doubt >= SURELY else LIKE
        if n == 0 and said.changes and found.judged.doubt >= SURE_CHANGE:
            least = LEAST_LIKE
        if like.both >= least and _is_change(found.judged, text, said):
            return _as_contradiction(found)
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


def _like(store: Store, text: str, vectors: Vectors, memory: Memory) -> _Like:
    learned = store.keeping.learned
    told, stored = vectors.of(learned.plain(text)), vectors.of(memory.text)
    cosine = sum(map(mul, told, stored)) if told is not None and stored is not None else None
    return _Like(memory, learned.share(memory.said, text), cosine)


def _is_change(judged: Judged, text: str, said: Said) -> bool:
    """Tell whether a statement changes a memory: with words of change what may contradict it does, and what completes it where it ends something."""
    if judged.relation is Relation.REFINEMENT:
        return said.changes and (said.answered or says_end(_BESIDE.sub("", text)))
    return judged.relation is Relation.CONTRADICTION or (said.changes and judged.doubt >= DOUBTED)


def _as_contradiction(related: Related) -> Related:
    judged = related.judged
    if judged.relation is Relation.CONTRADICTION:
        return related
    return replace(related, judged=replace(judged, relation=Relation.CONTRADICTION, sure=judged.doubt))


def _changing(store: Store, role: Role, weighed: Weighed, related: Related) -> Weighed:
    verdict = weighed.verdict
    if not verdict.keep and verdict.total >= store.settings_of(role).gate.warn_from:
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
