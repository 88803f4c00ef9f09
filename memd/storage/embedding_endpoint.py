"""An OpenAI-compatible endpoint that embeds texts, such as Ollama's. Only the user's own environment can name one."""

from __future__ import annotations

import http.client
import json
import math
from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit

from memd.errors import EmbeddingsError

DEADLINE_S = 5.0
BATCH = 32
REPLY_BYTES = 64_000_000


class Endpoint:
    """Asks `URL/embeddings`. `key` stands for the model there."""

    def __init__(self, url: str, model: str) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise EmbeddingsError(f"{url[:80]!r} is no http address")
        self._parts, self._model = parts, model
        self.key = f"{url} {model}"
        self.chinese = True  # what a model behind an address knows cannot be told

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Return a vector of length 1 for each text. Blocks, at most DEADLINE_S for each batch."""
        found: list[list[float]] = []
        for at in range(0, len(texts), BATCH):
            found += self._batch(list(texts[at : at + BATCH]))
        return found

    def _batch(self, texts: list[str]) -> list[list[float]]:
        kind = http.client.HTTPSConnection if self._parts.scheme == "https" else http.client.HTTPConnection
        connection = kind(self._parts.hostname or "", self._parts.port, timeout=DEADLINE_S)
        body = json.dumps({"model": self._model, "input": texts}).encode()
        try:
            path = f"{self._parts.path.rstrip('/')}/embeddings"
            connection.request("POST", path, body, {"Content-Type": "application/json"})
            with connection.getresponse() as reply:
                data, status = reply.read(REPLY_BYTES), reply.status
        except (OSError, http.client.HTTPException) as error:
            raise EmbeddingsError(f"{self._parts.hostname}: {error}") from None
        finally:
            connection.close()
        if status != http.client.OK:
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
