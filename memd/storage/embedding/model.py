"""What makes vectors: one interface over the packaged model, a model in a directory, and an endpoint.

Every implementation may be asked by two threads at once. EmbeddingsError where it fails.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from memd.errors import EmbeddingsError

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    from memd.storage.embedding.wire import Begin

    Floats = NDArray[numpy.float32]


class Model(Protocol):
    """Makes vectors of length 1. `key` stands for its weights, `batch` is how many texts it is best given at once."""

    key: str
    name: str
    chinese: bool  # whether it knows Chinese
    batch: int

    def tokens(self, text: str) -> int:
        """Return how long a text is to the model."""

    def questions(self, texts: Sequence[str]) -> Floats:
        """Return the vectors of questions, one a row."""

    def passages(self, texts: Sequence[str]) -> Floats:
        """Return the vectors of stored texts, one a row."""

    def release(self) -> None:
        """Give back memory that comes again by itself."""


def load_model(begin: Begin) -> Model:
    """Return the model that is wanted, or raise EmbeddingsError."""
    if begin.kind == "packaged":
        from memd.storage.embedding.packaged import Packaged  # noqa: PLC0415 - only what is wanted need be installed
        from memd.storage.embedding.shape import shaped  # noqa: PLC0415 - the same

        return shaped(Packaged(begin.digest))
    if begin.kind == "onnx":
        from memd.storage.embedding.onnx_model import OnnxModel  # noqa: PLC0415 - the same

        return OnnxModel(begin.where, begin.digest)
    if begin.kind == "endpoint":
        from memd.storage.embedding.endpoint import Endpoint  # noqa: PLC0415 - the same

        return Endpoint(begin.where, begin.model)
    raise EmbeddingsError(f"{begin.kind[:40]!r} is no kind of model")
