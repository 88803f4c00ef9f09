"""What every text is measured against: unrelated statements and questions of ours, in English and in Chinese; and the middle that
the packaged model's vectors are measured from, with the turns that bring a question towards what answers it, and a statement
towards what is of one matter with it.

A model calls everything a little alike, one more than another. So a cosine counts by how far it stands above those that a
text has with the background: a role of one memory is judged as one of a thousand, and any model after it embedded the
background once. For the packaged model its vectors are shipped beside the texts.

A model trained on search holds every text near one middle, and a question near its own rewording. Away from the middle
cosines spread; turned, "do I have to be up early on Friday?" comes to lie nearer to "the shift starts at six", and "I bought a
Tesla" to "I drive a Golf". All are learned on memd's own texts; another model's vectors stay as they come.

Source
    Centring: Mu and Viswanath 2018. A turn is I + D with D kept small, fitted by softmax among what one writer told (InfoNCE, van den
    Oord 2018): of questions by `python -m tools.training recall`, of statements by `python -m tools.training judging`.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

import memd
from memd.errors import EmbeddingsError, StorageError
from memd.storage.embedding.table import LEVELS, packed, unpacked
from memd.storage.embedding.wire import Level, Levels
from memd.storage.files import Tree

if TYPE_CHECKING:
    from memd.storage.embedding.model import Floats, Model

FOLDER = os.path.join(os.path.dirname(os.path.abspath(memd.__file__)), "lexicons")
TEXTS, VECTORS = "background.jsonl", "background.bin"
MAGIC = b"memd background 1\n"
CHECK_BYTES = 32
LEAST_DEVIATION = 0.004  # of a model to which everything is alike
STATEMENTS, QUESTIONS = "statement", "question"


class Line(NamedTuple):
    """A text of the background."""

    text: str
    chinese: bool
    kind: str


class Background:
    """The background's vectors, by kind and language."""

    def __init__(self, lines: Sequence[Line], vectors: Floats) -> None:
        self._sets = [
            vectors[[one.kind == kind and one.chinese is chinese for one in lines]]
            for kind in (QUESTIONS, STATEMENTS)
            for chinese in (False, True)
        ]

    def levels(self, vectors: Floats) -> Any:
        """Return LEVELS of every vector: mean and deviation with questions, then with statements, English before Chinese."""
        found = np.zeros((len(vectors), LEVELS), dtype=np.float32)
        for at, those in enumerate(self._sets):
            cosines = vectors @ those.T
            found[:, 2 * at] = cosines.mean(axis=1)
            found[:, 2 * at + 1] = np.maximum(cosines.std(axis=1), LEAST_DEVIATION)
        return found

    def asked(self, vector: Floats) -> Levels:
        """Return how alike the statements are to what is asked."""
        numbers = [float(one) for one in self.levels(vector[None, :])[0, LEVELS // 2 :]]
        return Levels(Level(*numbers[:2]), Level(*numbers[2:]))


def read_lines(data: bytes) -> list[Line]:
    """Return the texts of the background, statements first; EmbeddingsError where a language lacks a kind."""
    try:
        rows = [json.loads(row) for row in data.decode("utf-8").splitlines()]
        lines = [Line(str(row["text"]), row["lang"] == "zh", row["kind"]) for row in rows]
    except (ValueError, KeyError, TypeError) as error:
        raise EmbeddingsError(f"{TEXTS}: {error}") from None
    if len({(one.kind, one.chinese) for one in lines}) != 4:
        raise EmbeddingsError(f"{TEXTS} has not both kinds in both languages")
    return sorted(lines, key=lambda one: one.kind != STATEMENTS)


def embedded(model: Model, lines: Sequence[Line]) -> Iterator[Floats]:
    """Yield the vectors of the background in order, some at a time."""
    for kind, make in ((STATEMENTS, model.passages), (QUESTIONS, model.questions)):
        texts = [one.text for one in lines if one.kind == kind]
        for begin in range(0, len(texts), model.batch):
            yield make(texts[begin : begin + model.batch])


def dump_background(vectors: Floats, key: str, texts: str) -> bytes:
    """Return vectors as a file; `key` of the model that made them, `texts`: the digest of what they are of."""
    numbers, scales = packed(vectors)
    head = b"%s%s %s %d %d\n" % (MAGIC, key.encode(), texts.encode(), *numbers.shape)
    body: bytes = head + scales.astype("<f4").tobytes() + numbers.tobytes()
    return body + hashlib.sha256(body).digest()


def load_background(data: bytes, key: str, texts: str) -> Floats | None:
    """Return the vectors of a file, None where it is damaged, or made by another model or of other texts."""
    body, check = data[:-CHECK_BYTES], data[-CHECK_BYTES:]
    end = body.find(b"\n", len(MAGIC)) + 1
    if not body.startswith(MAGIC) or hashlib.sha256(body).digest() != check:
        return None
    made_by, of, count, length = body[len(MAGIC) : end].decode("ascii").split()
    if (made_by, of) != (key, texts):
        return None
    scales = np.frombuffer(body, dtype="<f4", count=int(count), offset=end)
    numbers = np.frombuffer(body, dtype=np.int8, offset=end + 4 * int(count))
    return unpacked(numbers.reshape(int(count), int(length)), scales)


def shipped() -> tuple[bytes, bytes]:
    """Return the texts and the vectors that memd is shipped with; no vectors where they are missing."""
    tree = Tree(FOLDER)
    try:
        texts = tree.read(TEXTS)[0]
        try:
            return texts, tree.read(VECTORS)[0]
        except (FileNotFoundError, StorageError):
            return texts, b""
    finally:
        tree.close()


def digest_of(texts: bytes) -> str:
    """Return what stands for the texts of a background."""
    return hashlib.sha256(texts).hexdigest()


FILE, MATTER = "shape.bin", "matter.bin"
SHAPE_MAGIC, MATTER_MAGIC = b"memd shape 1\n", b"memd matter 1\n"


class Shaped:
    """A model whose vectors are measured from `middle`, its questions turned by `turn`: (I + turn)ᵀ on the left."""

    def __init__(self, model: Model, middle: Floats, turn: Floats, key: str) -> None:
        self._model, self._middle = model, middle
        self._turn = np.eye(len(turn), dtype=np.float32) + turn
        self.name, self.chinese, self.batch = model.name, model.chinese, model.batch
        self.key = key

    def tokens(self, text: str) -> int:
        """Return how long a text is to the model."""
        return self._model.tokens(text)

    def questions(self, texts: Sequence[str]) -> Floats:
        """Return the vectors of questions, one a row; about of length 1."""
        turned: Floats = self.centred(self._model.questions(texts)) @ self._turn
        return turned

    def passages(self, texts: Sequence[str]) -> Floats:
        """Return the vectors of stored texts, one a row."""
        return self.centred(self._model.passages(texts))

    def release(self) -> None:
        """Give back memory that comes again by itself."""
        self._model.release()

    def centred(self, vectors: Floats) -> Floats:
        """Return vectors measured from the middle, of length 1."""
        moved = vectors - self._middle
        found: Floats = moved / np.maximum(np.linalg.norm(moved, axis=1, keepdims=True), 1e-6)
        return found


def shaped(model: Model) -> Model:
    """Return a model with the shape that is shipped for it; as it is where there is none."""
    data = _read(FILE)
    found = load_shape(data, model.key)
    return model if found is None else Shaped(model, *found, shape_key(model.key, data))


def shape_key(key: str, data: bytes) -> str:
    """Return what stands for a model in a shape: its own key and the file of the shape."""
    return hashlib.sha256(key.encode() + data).hexdigest()


def load_shape(data: bytes, key: str) -> tuple[Floats, Floats] | None:
    """Return the middle and the turn of a file, None where it is damaged or for another model."""
    found = _opened(data, SHAPE_MAGIC, key)
    if found is None:
        return None
    body, size = found
    middle = np.frombuffer(body, dtype="<f4", count=size)
    return middle.copy(), _square(body[4 * size :], size)


def turn_of_statements(key: str) -> Floats | None:
    """Return the turn that is shipped for what is told, None where there is none for a model."""
    return load_turn(_read(MATTER), key)


def load_turn(data: bytes, key: str) -> Floats | None:
    """Return the turn of a file, None where it is damaged or for another model."""
    found = _opened(data, MATTER_MAGIC, key)
    return None if found is None else _square(*found)


def _read(name: str) -> bytes:
    tree = Tree(FOLDER)
    try:
        return tree.read(name)[0]
    except (FileNotFoundError, StorageError):
        return b""
    finally:
        tree.close()


def _opened(data: bytes, magic: bytes, key: str) -> tuple[bytes, int] | None:
    """Return the numbers of a file and the length of a vector, None where it is damaged or for another model."""
    body, check = data[:-CHECK_BYTES], data[-CHECK_BYTES:]
    end = body.find(b"\n", len(magic)) + 1
    if not body.startswith(magic) or hashlib.sha256(body).digest() != check:
        return None
    of, size = body[len(magic) : end].decode("ascii").split()
    return (body[end:], int(size)) if of == key else None


def _square(body: bytes, size: int) -> Floats:
    scales = np.frombuffer(body, dtype="<f4", count=size)
    numbers = np.frombuffer(body, dtype=np.int8, offset=4 * size).reshape(size, size)
    return unpacked(numbers, scales)
