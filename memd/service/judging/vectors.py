"""What the model knows of an offer before it is judged: vectors of its statements and of the memories it may concern.

It is asked outside the role's turn and without the event loop waiting; what it does not give in time, words judge.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import sqrt
from operator import mul
from typing import TYPE_CHECKING

from memd.engine.keep.gate import judge
from memd.engine.keep.succeed import holding
from memd.model.memory import READ_CHARS, Offered, Source
from memd.text.characters import is_chinese
from memd.text.clauses import clauses
from memd.text.statements import statements, trimmed
from memd.text.story import remark_of

if TYPE_CHECKING:
    from memd.engine.keep.conflict import Nearest
    from memd.engine.recall.compiled import Compiled
    from memd.model.memory import Dimension, Memory, Rating
    from memd.model.settings import GateSettings
    from memd.service.judging.offers import Offer
    from memd.store.keep.learned import Learned, Triple
    from memd.store.role.role import Role
    from memd.store.store import Store
    from memd.text.statements import Statement

EMBEDDED = 4  # statements of a content that are embedded: those that words like best
ALIKE = 8  # memories that are looked at for being most alike
PARTED, PARTS = 3, 6  # memories of several statements whose statements are embedded as well, and how many of each


@dataclass(frozen=True, slots=True)
class Vectors:
    """Vectors by text, those of what is offered turned as well, and the ids of the memories that are most of one matter with it.

    `late`: there is a model, and it had no time. `whole`: it had time for the memories as well that a text is compared with.
    """

    vectors: Mapping[str, array[float]] = field(default_factory=dict)
    turned: Mapping[str, array[float]] = field(default_factory=dict)
    alike: tuple[str, ...] = ()
    late: bool = False
    whole: bool = True

    def of(self, text: str) -> array[float] | None:
        """Return the vector of a text, stored or offered (as `Learned.plain` has it); None where there is none."""
        return self.vectors.get(text)

    def pair(self, stored: str, told: str) -> Triple:
        """Return the vectors of a stored text, of one that is offered, and of this turned; as far as there are any."""
        return self.vectors.get(stored), self.vectors.get(told), self.turned.get(told)


NO_VECTORS = Vectors()


def judged_parts(content: str) -> list[str]:
    """Return the statements of a content that are judged: those that are nobody else's words, at most MOST_JUDGED."""
    return [one.text for one in statements(content) if one.text and not one.handed][:MOST_JUDGED] or [content]


async def vectors_of(store: Store, role: Role, offer: Offer) -> Vectors:
    """Ask the model about what is offered to a role; call outside the role's turn.

    The offer is one that was looked at: a model may be another machine's, and no secret reaches it.
    """
    meaning, learned = store.meaning, store.keeping.learned
    # There is no model, or nothing was learned of this one's vectors.
    if not meaning.expected or meaning.key not in ("", learned.judged_by):
        return NO_VECTORS
    content, asked = offer.text[:READ_CHARS], _parts_of(learned, offer)
    vectors, turned = await meaning.statements(asked)
    if meaning.key != learned.judged_by:
        return Vectors(late=meaning.expected and not meaning.key)
    if not vectors:
        return Vectors(late=True)
    plain = learned.plain(content)
    _put_together(plain, asked, vectors, turned)
    alike: list[str] = []
    async with role.turn:
        if (whole := turned.get(plain)) is not None:
            alike = await meaning.alike(role, whole, is_chinese(content), most=ALIKE)
        near = learned.nearest(role.compiled, content)
        memories = [
            role.compiled.memories[one] for one in dict.fromkeys((*alike, *near.ids)) if one in role.compiled.memories
        ]
        left = likely_left(store, role, offer, vectors)
    if left:
        of_left = [learned.plain(one) for one in judged_parts(left)]
        left = learned.plain(left)
        _put_together(left, of_left, vectors, turned)
    told = [left] if left and left not in turned else []  # cut otherwise where it stands by itself
    stored = list(_stored(memories))
    known, also_turned = await meaning.statements(told, stored)
    late = any(one not in vectors for one in asked) or any(one not in known for one in told)
    whole_too = all(one in known for one in stored)
    return Vectors({**known, **vectors}, {**also_turned, **turned}, tuple(alike), late=late, whole=whole_too)


def _parts_of(learned: Learned, offer: Offer) -> list[str]:
    """Return the statements of an offer that are embedded, as they are embedded."""
    source, parts = offer.request.source, judged_parts(said_in(offer)[:READ_CHARS])
    if len(parts) > EMBEDDED:
        said_by = Source(source) if source in Source.__members__.values() else None
        parts = sorted(parts, key=lambda one: -learned.by_words(one, said_by))[:EMBEDDED]
    return list(dict.fromkeys(learned.plain(one) for one in parts))


def _put_together(
    plain: str, parts: Iterable[str], vectors: dict[str, array[float]], turned: dict[str, array[float]]
) -> None:
    """Add the vectors of a text, made of those of its parts that have one; all as they are embedded.

    To embed the whole as well would cost as much as all its statements.
    """
    found = [(vectors[one], turned[one], len(one)) for one in parts if one in turned]
    if plain not in turned and found:
        vectors[plain], turned[plain] = _mean(found)


def _mean(parts: Sequence[tuple[array[float], array[float], int]]) -> tuple[array[float], array[float]]:
    """Return the mean of vectors, of length 1, and that of them turned; `parts`: both, and the characters that they count by."""
    vectors, turned, lengths = zip(*parts, strict=True)
    sums = [[sum(map(mul, lengths, numbers)) for numbers in zip(*rows, strict=True)] for rows in (vectors, turned)]
    scale = sqrt(sum(one * one for one in sums[0])) or 1.0
    whole, turned_too = (array("f", [one / scale for one in row]) for row in sums)
    return whole, turned_too


def _stored(memories: Iterable[Memory]) -> Iterable[str]:
    """Yield the texts of memories that an offer is compared with: each whole, then the statements of those that have several."""
    whole = list(memories)
    yield from (one.text for one in whole)
    for one in whole[:PARTED]:
        if len(clauses(one.content)) > 1:
            yield from (part.said for part in holding(one)[:PARTS])


# The statements of an offer: what each is worth by itself, and which of them at its ends are left out of what is stored.

GOALS = 50
TALKS = 20  # sessions that are looked at for topics that come again
MOST_JUDGED = 24  # statements of one content


@dataclass(frozen=True, slots=True)
class Judging:
    """What statements of an offer are judged beside: what was learned, the role, and what is near the offer in it; and as what."""

    learned: Learned
    compiled: Compiled
    gate: GateSettings
    source: Source | None
    validity: str
    beside: Sequence[str]
    topics: Sequence[str]
    near: Nearest
    overheard: bool

    def ratings(self, text: str, vectors: Vectors | Mapping[str, array[float]]) -> dict[Dimension, Rating]:
        """Return the ratings of a statement; by its vector, where there is one."""
        of = vectors.get if isinstance(vectors, Mapping) else vectors.of
        offered = Offered(text, self.source, self.validity, self.beside, self.topics, self.overheard)
        return self.learned.assess(offered, self.compiled, self.near, of(self.learned.plain(text)))

    def total(self, ratings: Mapping[Dimension, Rating]) -> float:
        """Return what ratings come to."""
        return judge(ratings, {}, explicit=False, settings=self.gate).total


def judging_of(store: Store, role: Role, offer: Offer) -> Judging:
    """Return what the statements of an offer are judged beside; call in the role's turn."""
    learned, beside = store.keeping.learned, _beside(store, role)
    source = Source(offer.request.source) if offer.request.source else None
    near = learned.nearest(role.compiled, offer.text[:READ_CHARS], beside)
    gate, validity = store.settings_of(role).gate, str(offer.fields["validity"])
    return Judging(
        learned, role.compiled, gate, source, validity, beside, _topics(store, role), near, offer.request.overheard
    )


def said_in(offer: Offer) -> str:
    """Return the words of an offer that are cut into statements: of a remark out of character, what it says."""
    return remark_of(offer.text) or offer.text


def may_be_trimmed(offer: Offer) -> bool:
    """Tell whether statements may be left out of an offer: it was not given as one that stands as it is."""
    request = offer.request
    as_told = request.explicit or request.kind or request.scores or request.fields.get("keys")
    return not as_told and len(offer.text) <= READ_CHARS


def is_beside(one: Statement) -> bool:
    """Tell whether a statement is one that is left out at an end where it is not worth keeping by itself."""
    return one.question or one.courtesy or one.request


def without_ends(said: str, cut: Sequence[Statement], totals: Mapping[int, float], keep_from: float) -> str:
    """Return what was said without what is beside it at its ends; what has no total counts as worth keeping."""
    kept = [not is_beside(one) or totals.get(n, keep_from) >= keep_from for n, one in enumerate(cut)]
    return trimmed(said, kept)


def likely_left(store: Store, role: Role, offer: Offer, vectors: Mapping[str, array[float]]) -> str:
    """Return what will be stored of an offer that is kept, "" where that is all of it; call in the role's turn."""
    if not may_be_trimmed(offer):
        return ""
    said = said_in(offer)
    cut = statements(said)
    least = trimmed(said, [not is_beside(one) for one in cut])
    if not least.strip() or least == said:
        return ""
    judging = judging_of(store, role, offer)
    beside = [(n, one.text) for n, one in enumerate(cut) if is_beside(one) and one.text and not one.handed]
    totals = {n: judging.total(judging.ratings(text, vectors)) for n, text in beside[:MOST_JUDGED]}
    left = without_ends(said, cut, totals, judging.gate.keep_from)
    return left if left.strip() and left != said else ""


def _beside(store: Store, role: Role) -> list[str]:
    memories = role.compiled.memories
    return [
        *store.curated.look(store.tree),
        *(memories[one].text for one in sorted(role.compiled.goals)[:GOALS]),
    ]


def _topics(store: Store, role: Role) -> list[str]:
    """Return what was last said in the sessions of a role, the newest first."""
    said = [talk.said for (name, _), talk in reversed(store.recalled.talks.items()) if name == role.name]
    return [text for text in said[:TALKS] if text]
