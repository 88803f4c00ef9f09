"""An OpenAI-compatible endpoint that embeds texts, such as Ollama's. Only the user's own environment can name one."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Sequence
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

import numpy

from memd.errors import EmbeddingsError
from memd.storage.posting.post import Post, PostError, address_of

if TYPE_CHECKING:
    from memd.storage.embedding.model import Floats

DEADLINE_S = 5.0
BATCH = 32
BYTES_OF_TOKEN = 4  # of English a word, of Chinese somewhat more than a character
REPLY_BYTES = 64_000_000


class Endpoint:
    """Asks `URL/embeddings`."""

    batch = BATCH

    def __init__(self, url: str, model: str) -> None:
        try:
            parts = address_of(url)
        except ValueError as error:
            raise EmbeddingsError(str(error)) from None
        self._parts, self._model = parts, model
        self.key = hashlib.sha256(f"{url} {model}".encode()).hexdigest()
        self.name = f"{model or 'a model'} at {parts.hostname}"
        self.chinese = True  # what a model behind an address knows cannot be told

    def tokens(self, text: str) -> int:
        """Return about how long a text is to a model that is not here."""
        return len(text.encode("utf-8", "ignore")) // BYTES_OF_TOKEN

    def questions(self, texts: Sequence[str]) -> Floats:
        """Return the vectors of questions, one a row: the same as of other texts."""
        return self.passages(texts)

    def passages(self, texts: Sequence[str]) -> Floats:
        """Return the vectors of texts, one a row. Blocks, at most DEADLINE_S for each batch."""
        found: list[list[float]] = []
        for at in range(0, len(texts), BATCH):
            found += self._batch(list(texts[at : at + BATCH]))
        if len({len(one) for one in found}) > 1:
            raise EmbeddingsError("the endpoint's embeddings are of several lengths")
        return numpy.array(found, dtype=numpy.float32)

    def release(self) -> None:
        """Nothing is mapped that could be given back."""

    def _batch(self, texts: list[str]) -> list[list[float]]:
        post = Post(self._parts, "embeddings", json.dumps({"model": self._model, "input": texts}).encode())
        try:
            status, data = post.run(deadline_s=DEADLINE_S, most_bytes=REPLY_BYTES)
        except PostError as error:
            raise EmbeddingsError(str(error)) from None
        if status != HTTPStatus.OK:
            raise EmbeddingsError(f"{self._parts.hostname} answers {status}")
        return [_unit(one) for one in _vectors(data, len(texts))]


def _vectors(data: bytes, count: int) -> list[Any]:
    try:
        rows = json.loads(data)["data"]
        rows = sorted(rows, key=lambda one: one.get("index", 0))
        vectors = [one["embedding"] for one in rows]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise EmbeddingsError("the endpoint's answer has no embeddings") from None
    if len(vectors) != count:
        raise EmbeddingsError(f"the endpoint gave {len(vectors)} embeddings for {count} texts")
    return vectors


def _unit(vector: Any) -> list[float]:
    try:
        numbers = [float(one) for one in vector]
    except (TypeError, ValueError):
        raise EmbeddingsError("the endpoint's embedding has no numbers") from None
    length = math.sqrt(sum(one * one for one in numbers))
    if not numbers or not math.isfinite(length):
        raise EmbeddingsError("the endpoint's embedding has no numbers")
    return [one / (length or 1.0) for one in numbers]
