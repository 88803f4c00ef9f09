"""What memd has learned, as it is shipped: models of importance, of orders, of relations, and the thesaurus."""

from __future__ import annotations

from array import array
from collections import OrderedDict
from dataclasses import dataclass, field
from functools import cache
from math import exp
from statistics import fmean
from threading import Lock
from typing import TYPE_CHECKING

from memd.engine.keep.assess import assess
from memd.engine.keep.conflict import nearest
from memd.engine.keep.cues import find_cues
from memd.engine.keep.guard.wishes import read_prompt
from memd.engine.keep.relation.judge import NOT_MEANT, Meant, Relations, by_relation, judge_relation, likeness_of
from memd.engine.keep.relation.units import Statement, Thesaurus, likeness, read_statement, share_in
from memd.engine.keep.scan.scan import scan
from memd.engine.keep.talk.changes import alike, beside, change_features, question_before
from memd.engine.keep.worth import Worth, plain_of, read_worth, undated
from memd.engine.linear import Boosted, Linear
from memd.engine.recall.compiled import Compiled
from memd.engine.recall.wanted.doing import touches_of
from memd.engine.recall.wanted.weighing import Weighing
from memd.engine.recall.wanted.wording import Frequencies, synonyms_of
from memd.formats.lexicons import Planes, load_planes, load_thesaurus, load_trees, load_weights
from memd.model.change import Relation
from memd.model.memory import Offered, Source
from memd.store.keep.template import shipped_lexicon
from memd.text.characters import fold
from memd.text.statements import statements
from memd.text.story import remark_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from memd.engine.keep.conflict import Nearest
    from memd.engine.keep.talk.changes import Beside, Vector

    Triple = tuple[Vector, Vector, Vector]  # of a known text, of one that is told, and of this turned
    from memd.model.change import Judged
    from memd.model.memory import Dimension, Rating

READ = 1024  # statements that are kept as they were read
SAMPLES = (
    "Remember that my sister Anna moved to Lyon in May 2019, and she doesn't eat meat any more. What do you think?",
    "请记住：我妹妹五月搬到里昂了，她不再吃肉。你觉得呢？",
)


@dataclass(slots=True)
class Learned:
    """Read once in a process; `load` may be called from several threads, and one of them reads."""

    loaded: bool = False
    has_orders: bool = False  # what a trigger needs has been read
    _loading: Lock = field(default_factory=Lock)
    _read: OrderedDict[str, Statement] = field(default_factory=OrderedDict)

    def load(self) -> None:
        """Read everything. Blocks for some 50 ms."""
        self.load_orders()
        with self._loading:
            if not self.loaded:
                _ = self.worth, self.relations, self.thesaurus
                self.loaded = True

    def warm_up(self) -> None:
        """Judge a text of each language as one that is offered is judged, which compiles what the first would wait for. Blocks for 0.2 s."""
        self.load()
        for text in SAMPLES:
            scan(text, self.orders)
            read_prompt(text)
            for one in statements(text):
                self.assess(Offered(one.text, Source.USER, "", ()), Compiled())
                self.relate(one.text, text)

    def load_orders(self) -> None:
        """Read what a trigger needs. Blocks for some 50 ms."""
        with self._loading:
            _ = self.orders, self.weighing
            self.has_orders = True

    @property
    def worth(self) -> Worth:
        """The models of what is worth keeping."""
        return _worth()

    @property
    def judged_by(self) -> str:
        """What stands for the model of whose vectors something was learned."""
        return _planes("judging.bin").key

    @property
    def orders(self) -> Linear:
        """The model of texts that give orders to their reader."""
        return _linear("orders.txt")

    @property
    def weighing(self) -> Weighing:
        """The models of what a message brings to mind."""
        return _weighing()

    @property
    def relations(self) -> Relations:
        """The models of how two statements stand to each other."""
        return _relations()

    @property
    def thesaurus(self) -> Thesaurus:
        """Words and what they are to each other."""
        return _thesaurus()

    def assess(
        self, offered: Offered, role: Compiled, near: Nearest | None = None, vector: Sequence[float] | None = None
    ) -> dict[Dimension, Rating]:
        """Return a rating of an offered statement for every dimension."""
        read = read_worth(offered.text, offered.source, overheard=offered.overheard)
        return assess(offered, role, self.worth, read, near, vector)

    def nearest(self, role: Compiled, text: str, beside: Iterable[str] = ()) -> Nearest:
        """Return the memory whose words cover most of a text's, and those that share much; `beside`: other texts."""
        return nearest(role, text, beside)

    def by_words(self, text: str, source: Source | None) -> float:
        """Return how much words say for a statement, in points: a quick look."""
        return self.worth.words.value(read_worth(text, source).features)

    def plain(self, text: str) -> str:
        """Return a statement as it is embedded to be judged."""
        return plain_of(text)

    def doubts(self, text: str) -> list[str]:
        """Return the names of what speaks against keeping a text."""
        return [cue.name for cue in find_cues(fold(text))[1]]

    def relate(self, known: str, told: str, vectors: Triple = NOT_MEANT) -> Judged:
        """Return how a statement that is told stands to a known one; `vectors` of both, where there are any."""
        return judge_relation(self.relations, self.read(known), self.read(told), Meant(*vectors))

    def beside(self, known: str, told: str, after: str, vectors: Triple, behind: Vector = None) -> Beside:
        """Return a memory beside a statement told `after` something; `vectors` of both, and `behind`: of the two told after one another."""
        question = question_before(after)
        asked = self.read(question) if question else None
        return beside(self.relations, self.read(known), self.read(undated(told)), asked, Meant(*vectors), behind)

    def alike(self, known: str, told: str, vectors: Triple) -> float:
        """Return how alike a memory and a statement are, in words and in matter; `vectors` of both."""
        stored, _, turned = vectors
        matter = None if stored is None or turned is None else likeness_of(stored, turned)
        return alike(self.share(known, undated(told)), matter)

    def changes(self, told: str, memories: Sequence[Beside], after: str = "") -> list[float]:
        """Return how likely a statement told `after` something changes each of a person's memories, 0 to 1."""
        words, meaning = _changes()
        rows = zip(memories, change_features(told, memories, after), strict=True)
        means = (fmean(each.value(row) for each in (words if one.cosine is None else meaning)) for one, row in rows)
        return [1 / (1 + exp(-value)) for value in means]

    def why_changed(self, one: Beside) -> str:
        """Return what says most that a statement changes a memory, as a person would name it."""
        named = self.relations.telling(Relation.CONTRADICTION, one.amounts, meant=one.cosine is not None)
        return ", ".join(named) or "of all that is known"

    def share(self, one: str, other: str) -> float:
        """Return how much of either statement the other has, in words, 0 to 1."""
        return likeness(self.read(one), self.read(other))

    def held_in(self, one: str, other: str) -> float:
        """Return how much of the first statement the other has, in words, 0 to 1."""
        return share_in(self.read(one), self.read(other))

    def read(self, text: str) -> Statement:
        """Return a text as a statement; those read last are kept."""
        known = self._read.get(text)
        if known is None:
            said = remark_of(text) or text  # that both are out of character makes them no more alike
            known = self._read[text] = read_statement(said, self.thesaurus)
            if len(self._read) > READ:
                self._read.popitem(last=False)
        else:
            self._read.move_to_end(text)
        return known


@cache
def _linear(name: str) -> Linear:
    return Linear(*load_weights(shipped_lexicon(name), name))


@cache
def _planes(name: str) -> Planes:
    return load_planes(shipped_lexicon(name), name)


@cache
def _worth() -> Worth:
    rows = dict(_planes("judging.bin").rows)
    plane = rows.pop("worth", array("f"))
    known: dict[str, str] = {}
    words, meaning = (
        Linear(*load_weights(shipped_lexicon(one), one, known)) for one in ("worth.txt", "worth_meaning.txt")
    )
    return Worth(words, meaning, plane, rows)


@cache
def _relations() -> Relations:
    known: dict[str, str] = {}
    words, meaning = (
        by_relation(*load_weights(shipped_lexicon(one), one), known)
        for one in ("relations.txt", "relations_meaning.txt")
    )
    return Relations(words, meaning, _planes("relating.bin").rows)


@cache
def _changes() -> tuple[tuple[Linear, Boosted], tuple[Linear, Boosted]]:
    """Return the weights and trees that see words alone, and those that see vectors as well: each says as much as the other."""
    words, meaning = (
        (_linear(f"{one}.txt"), Boosted(*load_trees(shipped_lexicon(f"{one}_trees.txt"), f"{one}_trees.txt")))
        for one in ("changes", "changes_meaning")
    )
    return words, meaning


@cache
def _thesaurus() -> Thesaurus:
    return Thesaurus(load_thesaurus(shipped_lexicon("thesaurus.txt"), "thesaurus.txt"))


@cache
def _weighing() -> Weighing:
    bias, need = load_weights(shipped_lexicon("need.txt"), "need.txt")
    total, counts = load_weights(shipped_lexicon("frequencies.txt"), "frequencies.txt")
    return Weighing(
        Boosted(*load_trees(shipped_lexicon("recall_meaning.txt"), "recall_meaning.txt")),
        Boosted(*load_trees(shipped_lexicon("recall_words.txt"), "recall_words.txt")),
        (bias, array("f", (need.get(str(at), 0.0) for at in range(len(need))))),
        Frequencies(
            total, counts, synonyms_of(_thesaurus().groups), touches_of(shipped_lexicon("touches.txt").decode())
        ),
    )
