"""What is put between the packaged model and its cosines: texts are measured from their middle, and a question is turned
towards what answers it. Learned on memd's own texts; another model's vectors stay as they come.

A model trained on search holds every text near one middle, and a question near its own rewording. Away from the middle
cosines spread; turned, "do I have to be up early on Friday?" comes to lie nearer to "the shift starts at six".

Source
    Centring: Mu and Viswanath 2018. The turn is I + D with D kept small, fitted by `python -m tools.training shape`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from memd.errors import StorageError
from memd.storage.embedding.background import FOLDER
from memd.storage.embedding.table import packed, unpacked
from memd.storage.files import Tree

if TYPE_CHECKING:
    from memd.storage.embedding.model import Floats, Model

FILE = "shape.bin"
MAGIC = b"memd shape 1\n"
CHECK_BYTES = 32


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
    tree = Tree(FOLDER)
    try:
        data = tree.read(FILE)[0]
    except (FileNotFoundError, StorageError):
        return model
    finally:
        tree.close()
    found = load_shape(data, model.key)
    return model if found is None else Shaped(model, *found, shape_key(model.key, data))


def shape_key(key: str, data: bytes) -> str:
    """Return what stands for a model in a shape: its own key and the file of the shape."""
    return hashlib.sha256(key.encode() + data).hexdigest()


def dump_shape(middle: Floats, turn: Floats, key: str) -> bytes:
    """Return a shape as a file; `key` of the model that it is for."""
    numbers, scales = packed(turn)
    head = b"%s%s %d\n" % (MAGIC, key.encode(), len(middle))
    body: bytes = head + middle.astype("<f4").tobytes() + scales.astype("<f4").tobytes() + numbers.tobytes()
    return body + hashlib.sha256(body).digest()


def load_shape(data: bytes, key: str) -> tuple[Floats, Floats] | None:
    """Return the middle and the turn of a file, None where it is damaged or for another model."""
    body, check = data[:-CHECK_BYTES], data[-CHECK_BYTES:]
    end = body.find(b"\n", len(MAGIC)) + 1
    if not body.startswith(MAGIC) or hashlib.sha256(body).digest() != check:
        return None
    of, count = body[len(MAGIC) : end].decode("ascii").split()
    size = int(count)
    if of != key:
        return None
    middle = np.frombuffer(body, dtype="<f4", count=size, offset=end)
    scales = np.frombuffer(body, dtype="<f4", count=size, offset=end + 4 * size)
    numbers = np.frombuffer(body, dtype=np.int8, offset=end + 8 * size).reshape(size, size)
    return middle.copy(), unpacked(numbers, scales)
