"""Learn what a message brings to mind: the shape of the packaged model's vectors, and how meaning and words are weighed.

What one part says of a text it must not have learned from that text: so every writer's roles are judged by a shape and a
need that were learned from the others', and the weights from all that. The writers that came last teach no shape, so that what
else was learned of vectors in it stands.

Source
    tools/training/sets/recall_*.jsonl, asked_*.jsonl: roles of memories with messages, and which are wanted; a file is a writer.
"""

from __future__ import annotations

import json
import re
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from memd.engine.linear import Boosted
from memd.engine.recall.compiled import Compiled
from memd.engine.recall.wanted.doing import touches_of
from memd.engine.recall.wanted.evidence import STRANGER, bearing_of, features, standing_of
from memd.engine.recall.wanted.weighing import LEVEL_SPAN, Weighing, question_of
from memd.engine.recall.wanted.wording import Frequencies, Sharing
from memd.model.memory import Kind, Memory
from memd.storage.embedding.background import (
    TEXTS,
    Background,
    Line,
    Shaped,
    digest_of,
    dump_background,
    load_shape,
    read_lines,
    shape_key,
)
from memd.storage.embedding.background import embedded as embedded_lines
from memd.storage.embedding.model import Packaged
from memd.text.acts import read_message
from memd.text.analysis import CHINESE_CHARS, CHINESE_PHRASES, ENGLISH, tokens, words
from memd.text.characters import is_chinese
from tools.training import boost
from tools.training.vectors import Vectors
from tools.training.written import dump_shape, dump_trees, dump_weights

Floats = npt.NDArray[np.float32]
SHORT_WORDS = 4
_GRAMMAR = re.compile("|".join([*CHINESE_PHRASES, f"[{''.join(CHINESE_CHARS)}]", r"[\\W_]+"]))
MIDDLE = 0.9  # of the mean of all statements, what texts are measured from
FOLDS = 3
SETS, LATER = ("recall", "asked"), "asked"  # files of writers, and of those who teach no shape
OF_WORDS = frozenset({"radek"})  # of these, who teaches the judge by words alone
SIZES = (1, 3, 8)  # of roles that are made of others, so that few memories are judged as many are
STRANGERS = 60  # memories of others beside a role's own, when the turn is fitted
SCALE, STEPS, RATE = 20.0, 80, 2e-3
SMALL = 0.1  # how strongly the turn is kept small
NEED_SCALE, NEED_STRENGTH = 3.0, 10.0
LONGEST_COUNTED = 300  # characters of a message whose words are counted: longer ones are pasted
LEAST_TEXTS = 2  # of a word that is counted
NOTHING = 0.6  # the share of messages that want nothing, of each writer: as many as they wrote, they count as that


@dataclass
class Role:
    """A role of a writer, with its messages: `wanted` of each, and `maybe`, which count as neither."""

    writer: str
    texts: dict[str, str]
    messages: list[str]
    wanted: list[set[str]]
    maybe: list[set[str]]
    memories: Floats = field(default_factory=lambda: np.zeros((0, 0), np.float32))
    questions: Floats = field(default_factory=lambda: np.zeros((0, 0), np.float32))

    counts: float = 1.0
    is_later: bool = False

    def importance(self, at: int) -> float:
        """Return how much a message counts: `counts` where it wants nothing."""
        return 1.0 if self.wanted[at] else self.counts

    @property
    def ids(self) -> list[str]:
        """The ids of its memories, in the order of `memories`."""
        return list(self.texts)


def read_roles(folder: Path) -> list[Role]:
    """Return the roles of every writer, each with what a message that wants nothing counts."""
    roles = []
    for path in sorted((one for stem in SETS for one in folder.glob(f"{stem}_*.jsonl")), key=_writer_of):
        for row in map(json.loads, path.read_text("utf-8").splitlines()):
            asked = row["queries"] + [
                {**one, "text": short}
                for one in row["queries"]
                if one["note"] == "direct" and (short := telegraphic(one["text"]))
            ]
            roles.append(
                Role(
                    _writer_of(path),
                    {one["id"]: one["text"] for one in row["memories"]},
                    [one["text"] for one in asked],
                    [set(one["relevant"]) for one in asked],
                    [set(one.get("maybe", ())) for one in asked],
                    is_later=path.stem.startswith(LATER),
                )
            )
    for writer in {one.writer for one in roles}:
        of_writer = [one for one in roles if one.writer == writer]
        wanting = [bool(wanted) for one in of_writer for wanted in one.wanted]
        nothing = wanting.count(False) or 1
        for one in of_writer:
            one.counts = NOTHING / (1 - NOTHING) * wanting.count(True) / nothing
    return roles


def _writer_of(path: Path) -> str:
    return path.stem.partition("_")[2]


def telegraphic(message: str) -> str:
    """Return a question as people type it into a search: its telling words alone, "" where these are all or none."""
    if is_chinese(message):
        kept = [piece for piece in _GRAMMAR.split(message) if len(piece) > 1]
    else:
        kept = [one for one in words(message) if one not in ENGLISH]
    short = " ".join(kept[:SHORT_WORDS])
    return "" if short == message.casefold() else short


@dataclass(frozen=True)
class Texts:
    """Everything that is learned from: roles with vectors of the bare model, and the background with its."""

    roles: list[Role]
    lines: list[Line]
    background: Floats


def embedded(roles: list[Role], lines: list[Line], vectors: Callable[[str, list[str]], Floats]) -> Texts:
    """Return roles and background with their vectors. `vectors`: of texts as a kind, "question" or "statement"."""
    for role in roles:
        role.memories = vectors("statement", list(role.texts.values()))
        role.questions = vectors("question", [read_message(one).question for one in role.messages])
    sets = [vectors(kind, [one.text for one in lines if one.kind == kind]) for kind in ("statement", "question")]
    return Texts(roles, lines, np.concatenate(sets))


def middle_of(texts: Texts) -> Floats:
    """Return what vectors are measured from."""
    statements = texts.background[[one.kind == "statement" for one in texts.lines]]
    found: Floats = MIDDLE * statements.mean(axis=0)
    return found


def centred(vectors: Floats, middle: Floats) -> Floats:
    """Return vectors measured from the middle, of length 1."""
    moved = vectors - middle
    found: Floats = moved / np.maximum(np.linalg.norm(moved, axis=1, keepdims=True), 1e-6)
    return found


def turn_of(roles: Sequence[Role], middle: Floats) -> Floats:
    """Fit the turn: a question's likeness with what it wants against that with others, by softmax (InfoNCE)."""
    memories = np.concatenate([centred(role.memories, middle) for role in roles])
    chance = np.random.default_rng(0)
    asked, targets, masks = [], [], []
    begin = 0
    for role in roles:
        place = {one: begin + at for at, one in enumerate(role.ids)}
        questions = centred(role.questions, middle)
        for vector, wanted, maybe in zip(questions, role.wanted, role.maybe, strict=True):
            if wanted:
                target = np.zeros(len(memories), np.float32)
                target[[place[one] for one in wanted]] = 1 / len(wanted)
                mask = np.zeros(len(memories), bool)
                mask[chance.choice(len(memories), STRANGERS, replace=False)] = True
                mask[begin : begin + len(role.texts)] = True
                mask[[place[one] for one in maybe]] = False
                asked.append(vector)
                targets.append(target)
                masks.append(mask)
        begin += len(role.texts)
    return _descend(np.array(asked), memories, np.array(targets), np.array(masks))


def _descend(asked: Floats, memories: Floats, targets: Floats, masks: npt.NDArray[np.bool_]) -> Floats:
    size = asked.shape[1]
    turn, first, second = (np.zeros((size, size), np.float32) for _ in range(3))
    for step in range(1, STEPS + 1):
        scores = np.where(masks, SCALE * ((asked + asked @ turn) @ memories.T), -1e9)
        scores -= scores.max(axis=1, keepdims=True)
        chances = np.exp(scores)
        chances /= chances.sum(axis=1, keepdims=True)
        slope = asked.T @ ((chances - targets) * (SCALE / len(asked))) @ memories + SMALL * turn
        first = (0.9 * first + 0.1 * slope).astype(np.float32)
        second = (0.999 * second + 0.001 * slope**2).astype(np.float32)
        turn -= RATE * (first / (1 - 0.9**step)) / (np.sqrt(second / (1 - 0.999**step)) + 1e-8)
    return turn


class Judge:
    """What a shape and a need that were learned from some roles say of others."""

    def __init__(self, texts: Texts, roles: Sequence[Role], middle: Floats) -> None:
        self.middle, self.turn = middle, turn_of([one for one in roles if not one.is_later], middle)
        self.need = need_of(roles, self)
        lines = texts.lines
        ordered = [one for kind in ("statement", "question") for one in lines if one.kind == kind]
        statements = sum(one.kind == "statement" for one in lines)
        vectors = np.concatenate(
            [centred(texts.background[:statements], middle), self.questions(texts.background[statements:])]
        )
        self.background = Background(ordered, vectors)

    def questions(self, vectors: Floats) -> Floats:
        """Return questions as the shaped model gives them."""
        found: Floats = centred(vectors, self.middle) @ (np.eye(len(self.turn), dtype=np.float32) + self.turn)
        return found


def need_of(roles: Sequence[Role], judge: Judge) -> tuple[float, Floats]:
    """Fit by which of its vector a question wants any memory: logistic regression, by Newton's steps."""
    table = np.concatenate([judge.questions(role.questions) for role in roles]) * NEED_SCALE
    labels = np.array([float(bool(wanted)) for role in roles for wanted in role.wanted])
    importance = np.array([role.importance(at) for role in roles for at in range(len(role.messages))])
    table = np.column_stack([table, np.ones(len(table), np.float32)]).astype(float)
    weights = np.zeros(table.shape[1])
    keep = np.full(len(weights), NEED_STRENGTH)
    keep[-1] = 1e-6
    for _ in range(12):
        chance = 1 / (1 + np.exp(-table @ weights))
        curve = (table * (importance * chance * (1 - chance))[:, None]).T @ table + np.diag(keep)
        weights -= np.linalg.solve(curve, table.T @ (importance * (chance - labels)) + keep * weights)
    return float(weights[-1]), (weights[:-1] * NEED_SCALE).astype(np.float32)


@dataclass
class Rows:
    """Features of pairs, as numbers of names beside values, whether each is wanted, and how much it counts."""

    names: dict[str, int] = field(default_factory=dict)
    features: list[tuple[array[int], array[float]]] = field(default_factory=list)
    labels: list[float] = field(default_factory=list)
    importance: list[float] = field(default_factory=list)

    def add(self, said: dict[str, float], importance: float, *, wanted: bool) -> None:
        """Add a pair."""
        numbers = array("H", (self.names.setdefault(name, len(self.names)) for name in said))
        self.features.append((numbers, array("f", said.values())))
        self.labels.append(float(wanted))
        self.importance.append(importance)

    def table(self) -> Floats:
        """Return the features as a table: a row a pair, a column a name."""
        table = np.zeros((len(self.features), len(self.names)), np.float32)
        for row, (numbers, values) in enumerate(self.features):
            table[row, np.frombuffer(numbers, np.uint16)] = np.frombuffer(values, np.float32)
        return table


@dataclass(frozen=True)
class Likeness:
    """How much alike the memories of a role are to one message: levels, and how far the two sides of each disagree."""

    need: float
    levels: list[float]
    leans: list[float]


def likenesses(role: Role, judge: Judge, chosen: Sequence[int]) -> Iterator[Likeness]:
    """Yield how much alike some memories of a role are to each of its messages."""
    memories = centred(role.memories[list(chosen)], judge.middle)
    levels = judge.background.levels(memories)
    chinese = np.array([is_chinese(role.texts[role.ids[at]]) for at in chosen])
    weighing = Weighing(need=(judge.need[0], array("f", judge.need[1].tolist())))
    for message, vector in zip(role.messages, judge.questions(role.questions), strict=True):
        asked = judge.background.asked(vector)
        cosines = memories @ vector
        mean = np.where(chinese, asked.chinese.mean, asked.english.mean)
        deviation = np.where(chinese, asked.chinese.deviation, asked.english.deviation)
        side = 2 * read_message(message).chinese
        asked_z, text_z = (cosines - mean) / deviation, (cosines - levels[:, side]) / levels[:, side + 1]
        yield Likeness(
            weighing.needed(vector.tolist()),
            ((asked_z + text_z) / LEVEL_SPAN).tolist(),
            ((asked_z - text_z) / LEVEL_SPAN).tolist(),
        )


def rows_of(role: Role, judge: Judge | None, known: Frequencies, rows: Rows, chosen: Sequence[int]) -> None:
    """Add what there is to say of some memories of a role to each of its messages; by words alone without a judge."""
    compiled = Compiled()
    ids = [role.ids[at] for at in chosen]
    for one in ids:
        compiled.put(Memory(one, Kind.SEMANTIC, role.texts[one]))
    likely = list(likenesses(role, judge, chosen)) if judge else []
    for at, message in enumerate(role.messages):
        question = question_of([message], "", Weighing(known=known))
        like = likely[at] if judge else None
        standings = standing_of(like.levels) if like else [STRANGER] * len(ids)
        sharing = Sharing(question.asked, compiled.lexicon, known)
        for n, one in enumerate(ids):
            if one in role.maybe[at]:
                continue
            said = features(
                question.said,
                question.doing,
                like.need if like else 0.0,
                bearing_of(role.texts[one]),
                like.levels[n] if like else None,
                like.leans[n] if like else 0.0,
                standings[n],
                sharing.of(one),
            )
            rows.add(said, role.importance(at), wanted=one in role.wanted[at])


def frequencies(texts: Iterable[str]) -> Frequencies:
    """Return in how many of some texts each word stands."""
    counts: Counter[str] = Counter()
    total = 0
    for text in texts:
        counts.update(set(tokens(text)))
        total += 1
    return Frequencies(total, {term: count for term, count in counts.items() if count >= LEAST_TEXTS})


def folds(roles: Sequence[Role]) -> Iterator[tuple[list[Role], list[Role]]]:
    """Yield roles to learn from and roles of other writers to judge, every role judged once."""
    writers = sorted({(role.is_later, role.writer) for role in roles})
    for part in range(min(FOLDS, len(writers))):
        judged = {writer for _, writer in writers[part::FOLDS]}
        yield [one for one in roles if one.writer not in judged], [one for one in roles if one.writer in judged]


def all_rows(texts: Texts, known: Frequencies, *, meaning: bool) -> Rows:
    """Return the rows of whole roles and of small ones made of them, judged by what others taught."""
    middle, rows = middle_of(texts), Rows()
    chance = np.random.default_rng(0)
    for taught, judged in folds(texts.roles):
        judge = Judge(texts, taught, middle) if meaning else None
        for role in judged:
            rows_of(role, judge, known, rows, range(len(role.texts)))
            for size in SIZES:
                some = sorted(chance.choice(len(role.texts), min(size, len(role.texts)), replace=False).tolist())
                rows_of(role, judge, known, rows, some)
    return rows


def learn(rows: Rows) -> Boosted:
    """Return trees that say how likely a memory is wanted."""
    return boost.fit(list(rows.names), rows.table(), np.array(rows.labels), np.array(rows.importance))


FILES = ("shape.bin", "background.bin", "need.txt", "frequencies.txt", "recall_meaning.txt", "recall_words.txt")


def make(sets: Path, lexicons: Path, inputs: str, title: str) -> dict[str, bytes]:
    """Return the files of all that is learned here, by name. `inputs` stands for what they are made of."""
    model = Packaged()
    known_vectors = Vectors(model)
    background = (lexicons / TEXTS).read_bytes()
    texts = embedded(read_roles(sets), read_lines(background), known_vectors.of)
    known_vectors.save()
    touches = touches_of((lexicons / "touches.txt").read_text("utf-8"))
    meant = replace(texts, roles=[one for one in texts.roles if one.writer not in OF_WORDS])
    judge = Judge(texts, meant.roles, middle_of(texts))
    shape = dump_shape(judge.middle, judge.turn, model.key)
    middle, turn = load_shape(shape, model.key) or (judge.middle, judge.turn)
    shipped = Shaped(model, middle, turn, shape_key(model.key, shape))
    vectors = np.concatenate(list(embedded_lines(shipped, texts.lines)))
    known = {
        one: replace(frequencies(everyday_texts(sets, taught)), touches=touches)
        for one, taught in (("meaning", meant), ("words", texts))
    }
    counts = {term: float(count) for term, count in known["words"].counts.items()}
    bias, need = judge.need
    told = f"{title} from {sum(len(one.messages) for one in texts.roles)} messages to {len(texts.roles)} roles; inputs {inputs}"
    made = {
        "shape.bin": shape,
        "background.bin": dump_background(vectors, shipped.key, digest_of(background)),
        "need.txt": _numbers(bias, need.tolist(), f"whether a question wants any memory, by its vector; {told}"),
        "frequencies.txt": dump_weights(known["words"].total, counts, f"in how many texts a word stands; {told}"),
    }
    for name, taught in (("meaning", meant), ("words", texts)):
        trees = learn(all_rows(taught, known[name], meaning=taught is meant))
        made[f"recall_{name}.txt"] = dump_trees(
            trees.bias, trees.trees, f"whether a message wants a memory, by {name}; {told}"
        )
    return made


def everyday_texts(sets: Path, texts: Texts) -> Iterator[str]:
    """Yield the texts of which words are counted: all of ours that people and their assistants write."""
    for line in texts.lines:
        yield line.text
    for role in texts.roles:
        yield from role.texts.values()
        yield from (one for one in role.messages if len(one) < LONGEST_COUNTED)
    for stem, names in (("gate", ("text",)), ("relation", ("old", "new"))):
        for path in sorted(sets.glob(f"{stem}_*.jsonl")):
            for row in map(json.loads, path.read_text("utf-8").splitlines()):
                yield from (row[name] for name in names)


def _numbers(bias: float, numbers: list[float], title: str) -> bytes:
    rows = [f"# {title}", f"{bias:.4f}\t*", *(f"{number:.4f}\t{at}" for at, number in enumerate(numbers)), ""]
    return "\n".join(rows).encode()
