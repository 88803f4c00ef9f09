"""What the model knows of an offer before it is judged: vectors of its statements and of the memories it may concern.

It is asked outside the role's turn and without the event loop waiting; what it does not give in time, words judge.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from memd.engine.keep.succeed import holding
from memd.model.memory import READ_CHARS, Source
from memd.service.judging.parts import MOST_JUDGED, likely_left, said_in
from memd.text.characters import is_chinese
from memd.text.clauses import clauses
from memd.text.statements import statements

if TYPE_CHECKING:
    from memd.model.memory import Memory
    from memd.service.judging.offers import Offer
    from memd.store.role.role import Role
    from memd.store.store import Store

EMBEDDED = 4  # statements of a content that are embedded: those that words like best
ALIKE = 8  # memories that are looked at for being most alike
PARTED, PARTS = 3, 6  # memories of several statements whose statements are embedded as well, and how many of each


@dataclass(frozen=True, slots=True)
class Vectors:
    """Vectors by text, and the ids of the memories most alike. `late`: there is a model, and it had no time.

    `whole`: it had time for the memories as well that a text is compared with.
    """

    vectors: Mapping[str, array[float]] = field(default_factory=dict)
    alike: tuple[str, ...] = ()
    late: bool = False
    whole: bool = True

    def of(self, text: str) -> array[float] | None:
        """Return the vector of a text, stored or offered (as `Learned.plain` has it), None where there is none."""
        return self.vectors.get(text)


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
    content, source = offer.text[:READ_CHARS], offer.request.source
    parts = judged_parts(said_in(offer)[:READ_CHARS])
    if len(parts) > EMBEDDED:
        said_by = Source(source) if source in Source.__members__.values() else None
        parts = sorted(parts, key=lambda one: -learned.by_words(one, said_by))[:EMBEDDED]
    asked = list(dict.fromkeys(learned.plain(one) for one in (content, *parts)))
    vectors = await meaning.vectors(asked)
    if meaning.key != learned.judged_by:
        return Vectors(late=meaning.expected and not meaning.key)
    if not vectors:
        return Vectors(late=True)
    alike: list[str] = []
    async with role.turn:
        whole = vectors.get(asked[0])
        if whole is not None:
            alike = await meaning.alike(role, whole, is_chinese(content), most=ALIKE)
        near = learned.nearest(role.compiled, content)
        memories = [
            role.compiled.memories[one] for one in dict.fromkeys((*alike, *near.ids)) if one in role.compiled.memories
        ]
        left = likely_left(store, role, offer, vectors)
    told = [learned.plain(left)] if left and learned.plain(left) not in vectors else []
    stored = list(_stored(memories))
    known = await meaning.vectors(dict.fromkeys([*told, *stored]))
    late = len(vectors) < len(asked) or any(one not in known for one in told)
    return Vectors({**known, **vectors}, tuple(alike), late=late, whole=all(one in known for one in stored))


def _stored(memories: Iterable[Memory]) -> Iterable[str]:
    """Yield the texts of memories that an offer is compared with: each whole, then the statements of those that have several."""
    whole = list(memories)
    yield from (one.text for one in whole)
    for one in whole[:PARTED]:
        if len(clauses(one.content)) > 1:
            yield from (part.said for part in holding(one)[:PARTS])
