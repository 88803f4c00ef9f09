"""The gate's verdict on an offer: its statements are judged one by one, and the best of them decides.

What is stored is the content byte for byte, less what was only courtesy, question or request at its beginning and its
end; lists, verse and code stay whole, and so does what was asked for in so many words.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from memd.engine.keep.gate import as_meant_for, claimed, judge, of_one_world
from memd.model.change import Relation
from memd.model.memory import READ_CHARS, Dimension, Kind, Rating, Verdict
from memd.service.judging.offers import Offer, as_meant, must_wait
from memd.service.judging.relating import Related, Spoken, Standing, relate
from memd.service.judging.vectors import (
    MOST_JUDGED,
    NO_VECTORS,
    Vectors,
    judging_of,
    may_be_trimmed,
    said_in,
    without_ends,
)
from memd.text.characters import fingerprint
from memd.text.statements import statements

if TYPE_CHECKING:
    from memd.engine.keep.conflict import Nearest
    from memd.service.judging.vectors import Judging
    from memd.store.role.role import Role
    from memd.store.store import Store

SURE_CHANGE = 0.7  # from which what is asserted, and changes what is known, is kept however it is judged by itself
COMPLETES = 5.5  # the least importance of what completes what is remembered
NOT_ASSERTED = ("a question", "a hypothesis", "a joke", "a guess")
EXCERPT = 120


class Part(NamedTuple):
    """A statement of a content, and what it came to."""

    text: str
    total: float


class Weighed(NamedTuple):
    """An offer as it would be stored, the verdict on it, how it stands to what is known, and its statements."""

    offer: Offer
    verdict: Verdict
    standing: Standing
    parts: tuple[Part, ...] = ()

    @property
    def related(self) -> Related | None:
        """The memory that it repeats, completes or changes."""
        return self.standing.related


def weigh(store: Store, role: Role, offer: Offer, vectors: Vectors = NO_VECTORS) -> Weighed:
    """Judge an offer; what waits for a person concerns no memory."""
    settings = store.settings_of(role).gate
    judging = judging_of(store, role, offer)
    offer, assessed, parts = _best_part(store, role, offer, judging, vectors)
    standing = Standing() if must_wait(store, offer) else _standing(store, role, offer, judging.near, vectors)
    assessed[Dimension.IMPORTANCE] = as_meant_for(offer.meant, assessed[Dimension.IMPORTANCE])
    if offer.meant.played:
        assessed[Dimension.RELEVANCE] = as_meant_for(offer.meant, assessed[Dimension.RELEVANCE])
    related = standing.related
    if related is not None and related.judged.relation is Relation.REFINEMENT:
        assessed[Dimension.IMPORTANCE] = _completing(assessed[Dimension.IMPORTANCE], related)
    remark = ""
    if offer.claimed is not None:
        assessed, remark = claimed(assessed, offer.given, offer.claimed)
    raised = _raised(store, offer, related)
    verdict = judge(assessed, offer.given, explicit=offer.request.explicit, settings=settings, raised=raised)
    if remark:
        verdict = replace(verdict, remarks=(*verdict.remarks, remark))
    return Weighed(offer, verdict, standing, parts)


def _best_part(
    store: Store, role: Role, offer: Offer, judging: Judging, vectors: Vectors
) -> tuple[Offer, dict[Dimension, Rating], tuple[Part, ...]]:
    """Return the offer less what may be left out, the ratings of its best statement, and each with its total."""
    said = said_in(offer)
    cut = statements(said[:READ_CHARS])
    found = {n: one.text for n, one in enumerate(cut) if one.text and not one.handed}
    if len(found) < 2:
        text = next(iter(found.values()), said)
        return offer, judging.ratings(text, vectors), ()
    rated = {n: judging.ratings(text, vectors) for n, text in list(found.items())[:MOST_JUDGED]}
    totals = {n: judging.total(one) for n, one in rated.items()}
    best = max(totals, key=lambda n: (totals[n], -n))
    parts = tuple(Part(found[n][:EXCERPT], total) for n, total in totals.items())
    keep_from = store.settings_of(role).gate.keep_from
    if may_be_trimmed(offer) and totals[best] >= keep_from:
        text = without_ends(said, cut, totals, keep_from)
        if text.strip() and text != said:
            offer = as_meant(role, replace(offer, text=text))
    return offer, rated[best], parts


def _standing(store: Store, role: Role, offer: Offer, near: Nearest, vectors: Vectors) -> Standing:
    """Return how an offer stands to what is known: of a story beside the story, of life beside life."""
    memories, world = role.compiled.memories, offer.meant.world
    ids = of_one_world((*near.ids, *vectors.alike), memories, world=world)
    found = relate(store, role, offer.text, _spoken(offer), ids, vectors)
    if found.related is not None and found.related.memory.is_of_world is not world:
        return Standing()
    return found


def _raised(store: Store, offer: Offer, related: Related | None) -> str:
    """Return why an offer is kept however it is judged by itself: it asserts what surely changes a memory; "" where not."""
    if related is None or related.judged.relation is not Relation.CONTRADICTION or related.judged.sure < SURE_CHANGE:
        return ""
    if offer.meant.world or any(one in NOT_ASSERTED for one in store.keeping.learned.doubts(offer.text)):
        return ""
    return f"it changes memory {related.memory.id[:8]}"


def _completing(rating: Rating, related: Related) -> Rating:
    if rating.value >= COMPLETES:
        return rating
    basis = f"it adds to memory {related.memory.id[:8]}; by itself {rating.value:g} ({rating.basis})"
    return Rating(COMPLETES, False, basis)


def _spoken(offer: Offer) -> Spoken:
    """Return who says it and where; of a kind that was found out, it is what it tells that counts, not that it was said."""
    turn = offer.fields.get("turn") if offer.request.kind == Kind.EPISODIC else None
    return Spoken(str(offer.fields.get("speaker") or ""), offer.request.session, turn)


def as_before(store: Store, role: Role, offer: Offer, weighed: Weighed, *, late: bool) -> Weighed:
    """Return an offer with the verdict that the same had in its session, where it had one.

    What words judged alone because a model was `late` does not hold; without a session nothing does.
    """
    if not offer.request.session:
        return weighed
    scored, gate, key = store.keeping.scored, store.settings_of(role).gate, _key_of(role, offer)
    known = scored.of(key, gate)
    if known is None:
        if not late:
            scored.hold(key, gate, weighed.offer.text, weighed.verdict, weighed.parts)
        return weighed
    parts = tuple(Part(*one) for one in known.parts)
    return weighed._replace(offer=replace(weighed.offer, text=known.text), verdict=known.verdict, parts=parts)


def _key_of(role: Role, offer: Offer) -> Hashable:
    """Return by what an offer is the same as another: all that its score hangs on but what is known; letters, not how they stand."""
    request = offer.request
    given = tuple(sorted((one.value, rating.value, rating.basis) for one, rating in offer.given.items()))
    said = (fingerprint(offer.text) or offer.text, request.source, request.kind, offer.fields.get("validity"))
    return role.name, request.session, *said, request.explicit, offer.claimed, given, offer.meant
