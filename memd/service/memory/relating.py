"""How an offered text stands to what a role holds: which memory it repeats, adds to or contradicts, or feeds back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from heapq import nlargest
from typing import TYPE_CHECKING

from memd.engine.keep.aging import is_expired
from memd.engine.keep.cues import find_cues
from memd.engine.keep.relation.judge import judge_relation
from memd.engine.keep.relation.units import likeness, shared_mass
from memd.engine.keep.succeed import digests_of, holding
from memd.model.relation import Judged, Relation
from memd.text.clauses import Clause, clauses, rest_of
from memd.text.fold import fingerprint, fold

if TYPE_CHECKING:
    from memd.engine.keep.conflict import Nearest
    from memd.model.memory import Memory
    from memd.store.keep.learned import Learned
    from memd.store.role.role import Role
    from memd.store.store import Store

LOOKED_AT = 3  # memories that a text is compared with closely
LIKE = 0.3  # and how much of either must stand in the other
LEAST_PRINT = 6  # letters of a memory that are looked for in a text
FED_BACK = 0.35  # of a text's letters that are a memory's, where something says that it was recalled
SURE_OF_MANY = 0.55  # how sure a refinement must be where it was looked for among many
LEFT, LEFT_OF_TOLD = 1.0, 8.0  # words that may stand beside recalled memories, and beside those just told
LEAST_UNITS = 1.5  # words in common
MANY = 2  # statements of a memory that is judged by them
JUDGED = 48  # pairs of statements that are judged for one memory
FEW = 3  # memories of a role, among which nothing is alike by accident
_RANK = {Relation.DUPLICATE: 3, Relation.CONTRADICTION: 2, Relation.REFINEMENT: 1}


@dataclass(frozen=True, slots=True)
class Related:
    """The memory concerned, and the judgement; of a contradiction, the digests of what it covers (none: all of it)."""

    memory: Memory
    judged: Judged
    covers: tuple[str, ...] = ()

    def left(self) -> str:
        """Return what still holds of a memory of which a part is contradicted; "" where that is all of it."""
        if not self.covers:
            return ""
        kept = {one.digest for one in holding(self.memory)} - set(self.covers)
        return rest_of(self.memory.content, set(digests_of(self.memory)) - kept) if kept else ""


@dataclass(frozen=True, slots=True)
class Spoken:
    """Who says a text, and in which session. `turn`: of what is kept as it was said there, None for any other text."""

    speaker: str = ""
    session: str = ""
    turn: int | None = None

    @property
    def is_turn(self) -> bool:
        """Tell whether the text is kept as it was said: it concerns no memory but itself."""
        return bool(self.speaker and self.session) and self.turn is not None

    def may_concern(self, memory: Memory) -> bool:
        """Tell whether a text said so may repeat or change a memory: what others said of themselves it leaves alone."""
        if self.is_turn or memory.is_turn:
            return (memory.session, memory.speaker, memory.turn) == (self.session, self.speaker, self.turn)
        return not (self.speaker and memory.speaker) or fold(self.speaker) == fold(memory.speaker)


def relate(store: Store, role: Role, text: str, spoken: Spoken, near: Nearest) -> Related | None:
    """Return what an offered text is to the memory it concerns most, None where it concerns none."""
    memories = role.compiled.memories
    now_s, session = store.ports.now(), spoken.session
    same = (one for one in role.prints.all(text) if _stands(memories[one], now_s))
    older = next((one for one in same if spoken.may_concern(memories[one])), "")
    if older:
        return Related(memories[older], Judged(Relation.DUPLICATE, 1.0, "the same letters and figures", 1.0))
    if spoken.is_turn or not store.settings_of(role).gate.relations:
        return None
    known = [memories[one] for one in near.ids if one in memories and _stands(memories[one], now_s)]
    candidates = [one for one in known if spoken.may_concern(one)]
    fed_back = _fed_back(store, role, text, session, candidates)
    if fed_back:
        return fed_back
    learned = store.keeping.learned
    new = learned.read(text)
    like = [(likeness(learned.read(one.said), new), one.id) for one in candidates]
    found: list[Related] = []
    for share, memory_id in nlargest(LOOKED_AT, like):
        memory = memories[memory_id]
        whole = _of_all(learned, memory, text, share, len(memories))
        one = _of_parts(learned, memory, holding(memory), text, whole, len(memories))
        found += [one] if one else []
    return max(found, key=lambda one: (_RANK[one.judged.relation], one.judged.sure), default=None)


def _of_all(learned: Learned, memory: Memory, text: str, share: float, among: int) -> Related | None:
    """Return how a text stands to all that holds of a memory, None where it does not concern it."""
    old, new = learned.read(memory.said), learned.read(text)
    judged = judge_relation(learned.relations, old, new, among)
    doubtful = judged.relation is Relation.REFINEMENT and judged.sure < SURE_OF_MANY
    faint = share < LIKE or shared_mass(new, old) < LEAST_UNITS
    if judged.relation is Relation.UNRELATED or (among > FEW and (doubtful or faint)):
        return None
    return Related(memory, judged)


def _of_parts(
    learned: Learned, memory: Memory, parts: Sequence[Clause], text: str, whole: Related | None, among: int
) -> Related | None:
    """Return the judgement on a memory of several statements: what contradicts one of them leaves the others alone."""
    if len(clauses(memory.content)) < MANY or (whole and whole.judged.relation is Relation.DUPLICATE):
        return whole
    told = list(dict.fromkeys([text, *(one.said for one in clauses(text))]))
    news = [learned.read(one) for one in (told if len(parts) * len(told) <= JUDGED else [text])]
    against: dict[str, Judged] = {}
    near: list[str] = []
    for part in parts:
        for new in news:
            old = learned.read(part.said)
            judged, share = judge_relation(learned.relations, old, new, among), likeness(old, new)
            faint = among > FEW and (share < LIKE or shared_mass(old, new) < LEAST_UNITS)
            if judged.relation is Relation.CONTRADICTION and not faint:
                against[part.digest] = max(against.get(part.digest, judged), judged, key=lambda one: one.sure)
            elif judged.relation is not Relation.UNRELATED or share >= LIKE:
                near.append(part.digest)
    if whole and whole.judged.relation is Relation.CONTRADICTION:
        judged, covers = whole.judged, tuple(against or dict.fromkeys(near or (one.digest for one in parts)))
    elif against:
        judged, covers = max(against.values(), key=lambda one: one.sure), tuple(against)
    else:
        return whole
    return Related(memory, judged, () if set(digests_of(memory)) <= set(covers) else covers)


def _stands(memory: Memory, now_s: float) -> bool:
    return not (memory.disabled or memory.superseded_by or is_expired(memory, now_s))


def _fed_back(store: Store, role: Role, text: str, session: str, candidates: list[Memory]) -> Related | None:
    """Tell whether a text is what was recalled, told again: memories stand in it word for word, and little else does."""
    whole = fingerprint(text)
    held = [
        one
        for one in candidates
        if len(said := role.prints.of(one.id)) >= LEAST_PRINT and said in whole and said != whole
    ]
    if not held:
        return None
    talk = store.recalled.talks.get((role.name, session)) if session else None
    told = any(f"{role.name}/{one.id}" in talk.injected for one in held) if talk else False
    share = sum(len(role.prints.of(one.id)) for one in held) / len(whole)
    marked = any(cue.name == "recalled memory" for cue in find_cues(fold(text))[1])
    rest = text
    for one in held:
        rest = rest.replace(one.said, " ")
    if not _adds_nothing(store, text, held):
        return None
    left = sum(1.0 if len(unit.form) > 1 else 0.5 for unit in store.keeping.learned.read(rest).units)
    if (share >= FED_BACK and (told or marked) and left <= LEFT_OF_TOLD) or (share >= 0.5 and left <= LEFT):
        why = "it was injected in this session" if told else "a memory stands in it word for word"
        longest = max(held, key=lambda one: len(one.said))
        return Related(longest, Judged(Relation.DUPLICATE, 1.0, why, 1.0))
    return None


def _adds_nothing(store: Store, text: str, held: list[Memory]) -> bool:
    """Tell whether memories stand in a text as whole words, and it has no figure, name or denial that they have not."""
    read = store.keeping.learned.read
    new, olds = read(text), [read(one.said) for one in held]
    words = " ".join(new.words)
    whole = all(f" {' '.join(one.words)} " in f" {words} " for one in olds)
    figures = new.figures <= frozenset().union(*(one.figures for one in olds))
    return whole and figures and new.denials <= sum(one.denials for one in olds)
