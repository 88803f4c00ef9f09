"""What becomes of each statement of a conversation: judged as remember judges, at the time when it was said."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from memd.engine.keep.aging import lasting
from memd.engine.keep.fate import AUTO, Decided, Fate, Weight, fate_of
from memd.engine.keep.talk.changes import bare, says_change, says_unchanged
from memd.errors import BadMemoryError, BadParamsError, LimitExceededError, SecretRefusedError
from memd.formats.times import to_seconds
from memd.model.change import Judged, Relation
from memd.model.memory import Band, Source
from memd.model.scan import digest_of_text
from memd.service.event_times import of_another_day
from memd.service.inbox import waiting_like
from memd.service.judging.offers import (
    RememberRequest,
    as_meant,
    check_size,
    look_ahead,
    look_at,
    must_wait,
    read_offer,
)
from memd.service.judging.relating import Bounds, Related, Standing, changed
from memd.service.judging.vectors import NO_VECTORS, Vectors, vectors_of
from memd.service.judging.weighing import NOT_ASSERTED, Weighed
from memd.service.memory.remember import judged
from memd.service.screening import beside
from memd.store.capture import told_id
from memd.text.characters import fingerprint

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from memd.model.memory import Memory
    from memd.model.sessions import Told
    from memd.service.judging.offers import Offer
    from memd.service.judging.weighing import Weighed
    from memd.store.role.role import Role
    from memd.store.store import Store

BY_WORDS = Vectors(late=True)  # of a first look: what words say then is not what holds for the session
A_QUESTION = NOT_ASSERTED[0]
WAITS = 0.05  # of what lies between the gate's edges, the upper part that waits in the inbox: of what lies lower, next to nothing is a fact
SAME_S = 2.0  # times are written to the second
NEAR_WORDS = 1.0  # below the edge by so much, by words alone, and a model is not asked
_REDACTED = re.compile(r"\[secret:[^\]\n]{0,60} redacted\]")  # as sessions are kept
LIKE = 0.3  # how much of either statement the other has, for them to be compared closely


@dataclass(slots=True)
class Statement:
    """A statement with its id, and what was decided of it; `weighed` is None where it was refused before it was judged.

    `again`: the text of the inbox that says the same, and is now told another time; `seen`: how often the role had changed.
    """

    told: Told
    id: str
    decided: Decided
    weighed: Weighed | None = None
    vectors: Vectors = NO_VECTORS
    again: Mapping[str, Any] | None = None
    seen: int = 0

    @property
    def total(self) -> float:
        """What it came to, 0 to 10."""
        return self.weighed.verdict.total if self.weighed else 0.0

    @property
    def target(self) -> str:
        """The memory that it would change, or ""."""
        related = self.weighed.related if self.weighed else None
        return related.memory.id if related and self.decided.fate is Fate.KEPT else ""

    def group(self) -> str:
        """Return of what lasting it tells where it is kept and tells of the user: "" where it does not."""
        if self.weighed is None or self.decided.fate is not Fate.KEPT or self.told.source != Source.USER:
            return ""
        fields = self.weighed.offer.fields
        passing = bool(fields.get("event_start") or fields.get("expires_at") or fields.get("valid_until"))
        return "" if passing else lasting(self.weighed.offer.text)


def id_of(session: str, event: str, told: Told) -> str:
    """Return what a statement is known by, always the same for what one event says."""
    return told_id(session, event, digest_of_text(fingerprint(told.text) or told.text))


async def decided(store: Store, role: Role, session: str, told: Told, told_as: str, level: str) -> Statement:
    """Return a statement with what becomes of it; a model is asked only where words do not drop it."""
    asked = told.asked and told.source == Source.USER
    request = RememberRequest(
        role.name, told.text, fields={"turn": told.turn}, explicit=asked, source=told.source, session=session, put=True,
        id=told_as, overheard=not asked,
    )  # fmt: skip
    try:
        offer = await beside(store, told.text, read_offer, request)
        await look_ahead(store, role, offer)
        offer = as_meant(role, replace(look_at(store, role, offer), own=told.own))
        check_size(store, role, offer)
    except (BadMemoryError, BadParamsError, LimitExceededError, SecretRefusedError) as error:
        return Statement(told, told_as, Decided(Fate.REFUSED, error.code))
    if offer.redacted or _REDACTED.search(offer.text):
        return Statement(told, told_as, Decided(Fate.REFUSED, "a secret stands in it"))
    if must_wait(store, offer):
        return Statement(told, told_as, Decided(Fate.REFUSED, "it has the form of an order to its reader"))
    first = Statement(told, told_as, Decided(Fate.REFUSED, ""), vectors=BY_WORDS)
    one = weighed_anew(store, role, first, offer, level)
    if one.total >= store.settings_of(role).gate.warn_from - NEAR_WORDS:
        one.vectors = await _vectors_of(store, role, offer, told.after)
        one = weighed_anew(store, role, one, offer, level)
    return one


async def _vectors_of(store: Store, role: Role, offer: Offer, after: str) -> Vectors:
    """Ask the model about a statement, and about it behind what was said before it."""
    vectors = await vectors_of(store, role, offer)
    if not after or not vectors.vectors:
        return vectors
    behind = await store.meaning.statements((), [store.keeping.learned.plain(f"{after} {offer.text}")])
    return replace(vectors, vectors={**vectors.vectors, **behind.vectors})


def weighed_anew(store: Store, role: Role, one: Statement, offer: Offer, level: str) -> Statement:
    """Return a statement as it is judged beside what the role holds now."""
    told = one.told
    weighed = judged(store, role, offer, one.vectors, told.at_s)
    if told.source == Source.USER:
        weighed = with_change(store, role, weighed, one.vectors, Said(told.at_s, told.after))
    result = replace(one, weighed=weighed, decided=fate_of(_weight(store, role, told, weighed), level), again=None)
    result.seen = role.marks.changes
    if result.decided.fate is not Fate.STAGED or told.source != Source.USER or told.delicate or level != AUTO:
        return result
    entry = waiting_like(store, role, weighed.offer, closely=True)
    zone = store.settings_of(role).trigger.zone
    if entry is not None and store.keeping.inbox.is_told_anew(entry, weighed.offer.request.session, zone, told.at_s):
        return replace(result, again=entry, decided=Decided(Fate.KEPT, "told again in another session on another day"))
    return result


def _weight(store: Store, role: Role, told: Told, weighed: Weighed) -> Weight:
    verdict, (related, doubted) = weighed.verdict, weighed.standing
    relation = related.judged.relation if related else Relation.UNRELATED
    later = related is not None and (related.memory.when_s or 0.0) > told.at_s + SAME_S
    gate = store.settings_of(role).gate
    doubts = set(store.keeping.learned.doubts(weighed.offer.text))
    if len(told.proof) > 1:
        doubts.discard(A_QUESTION)  # it is one that was answered
    ends_s = to_seconds(weighed.offer.fields.get("expires_at"))
    return Weight(
        verdict.total,
        near=verdict.total >= gate.keep_from - WAITS * (gate.keep_from - gate.warn_from),
        keep=verdict.keep,
        by_user=told.source == Source.USER,
        asked=told.asked and told.source == Source.USER,
        asserted=doubts.isdisjoint(NOT_ASSERTED),
        delicate=told.delicate,
        known=relation is Relation.DUPLICATE,
        later=later and relation is Relation.CONTRADICTION,
        doubt=doubted is not None,
        over=ends_s is not None and ends_s <= store.ports.now(),
    )


def apart(store: Store, kept: list[Statement], one: Statement) -> bool:
    """Tell whether a statement can be kept in one step with others: it changes no memory that they change, and says nothing like them."""
    learned, text = store.keeping.learned, one.told.text
    for other in kept:
        if one.target and one.target == other.target:
            return False
        if learned.share(other.told.text, text) >= LIKE and (
            learned.relate(other.told.text, text).relation is not Relation.UNRELATED
        ):
            return False
    return True


# Which memory a statement of a conversation changes, at the time when it was said.

# A conversation tells changes sooner than what is offered by itself; not where too little is known to compare it with.
# Of what is a little less likely still one in five is a change: four of five conflicts would be nonsense.
IN_TALK = (Bounds(0.6, 0.5), Bounds(0.6, 0.5), Bounds(0.3, 0.27))
IN_TALK_BY_WORDS = (
    *IN_TALK[:-1],
    Bounds(0.27, 0.2),
)  # of hands that were left out it takes .63 rightly there, and by meaning .65
KEPT = 0.5  # how likely it changes one, to be kept however it is judged by itself
SAME = 0.6  # of a statement that something is still so, how much of it a memory has


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
    if found is not None and found.judged.relation is Relation.CONTRADICTION:
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
    text, known = weighed.offer.text, _known(store, role, weighed, vectors)
    meant = vectors.turned.get(store.keeping.learned.plain(text)) is not None
    bounds = IN_TALK if meant else IN_TALK_BY_WORDS
    found = changed(store.keeping.learned, text, known, vectors, bounds, said.after)
    return next((one for one in found if not of_another_day(weighed.offer, one, said.at_s)), None)


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
    verdict, gate = weighed.verdict, store.settings_of(role).gate
    if not verdict.keep and (related.judged.sure >= KEPT or verdict.total >= (gate.warn_from + gate.keep_from) / 2):
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
