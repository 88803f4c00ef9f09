"""Embeddings, where the user's environment names a model or an endpoint: vectors of memories and messages.

What cannot be had degrades to words alone, with a note in the reply and never an error. A workspace cannot name a model or
an endpoint: it may be a stranger's. Memories are embedded in the background, once for each text.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from memd.errors import EmbeddingsError
from memd.formats.vector_cache import VectorCache, pack, text_key, unpack
from memd.store.reading.cache import load_vector_cache, save_vector_cache
from memd.text.scripts import cjk_share

if TYPE_CHECKING:
    from memd.engine.recall.vectors import Vectors
    from memd.store.role.role import Role

logger = logging.getLogger(__name__)

MESSAGE_S = 1.0  # how long a trigger waits for the vector of its message
AGAIN_S = 30.0  # after a failure, embeddings are left alone for so long
CHINESE_SHARE = 0.3  # of its letters, from which a text is Chinese
AT_ONCE = 64  # texts between two saves of progress
KEPT_MESSAGES = 256
MESSAGE_CHARS = 2000


class Embedder(Protocol):
    """What makes vectors of length 1. `key` stands for the model."""

    key: str
    chinese: bool  # whether it knows Chinese

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Return a vector for each text, or raise EmbeddingsError. Blocks."""


@dataclass(slots=True)
class Meaning:
    """`make` gives the embedder when it is first needed; None where the environment names none."""

    make: Callable[[], Embedder] | None = None
    cache_dir: str = ""
    trouble: str = ""
    waits: bool = False  # for memories that have no vector yet: a command does, the daemon does not
    _embedder: Embedder | None = None
    _cache: VectorCache = field(default_factory=VectorCache)
    _failed_s: float = float("-inf")
    _turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    _messages: OrderedDict[str, list[float]] = field(default_factory=OrderedDict)
    _roles: dict[str, tuple[int, int, Vectors]] = field(default_factory=dict)
    _filling: dict[str, asyncio.Task[None]] = field(default_factory=dict)

    @property
    def state(self) -> tuple[int, str]:
        """What an answer depends on: how many texts have vectors, and what is wrong."""
        return len(self._cache.vectors), self.trouble

    async def vector(self, message: str) -> list[float] | None:
        """Return the vector of a message; None where there is none, with the reason in `trouble`."""
        if self.make is None:
            return None
        message = message[-MESSAGE_CHARS:]
        known = self._messages.get(message)
        if known is not None:
            return known
        if time.monotonic() - self._failed_s < AGAIN_S:
            return None
        try:
            if not await self._reads(message):
                return None
            async with asyncio.timeout(MESSAGE_S if self._embedder else MESSAGE_S * 10):
                (vector,) = await self._embed([message])
        except (EmbeddingsError, TimeoutError) as error:
            self._fail(error)
            return None
        self._messages[message] = vector
        if len(self._messages) > KEPT_MESSAGES:
            self._messages.popitem(last=False)
        return vector

    async def cosines(self, role: Role, vector: Sequence[float] | None) -> Mapping[str, float]:
        """Return how near a role's memories are to a message; those without a vector yet are left out."""
        if vector is None:
            return {}
        from memd.engine.recall.vectors import Vectors  # noqa: PLC0415 - numpy comes with the extra

        known = self._roles.get(role.name)
        vectors = self._cache.vectors
        if known is None or known[:2] != (role.marks.changes, len(vectors)):
            memories = role.compiled.memories.values()
            wanted = {one.id: text_key(one.text) for one in memories if await self._reads(one.text)}
            missing = [role.compiled.memories[key].text for key, digest in wanted.items() if digest not in vectors]
            if missing:
                await self._fill(role.name, missing)
            held = {key: unpack(vectors[digest]) for key, digest in wanted.items() if digest in vectors}
            known = self._roles[role.name] = (role.marks.changes, len(vectors), Vectors(held))
        return known[2].cosines(vector)

    def forget(self, role: str) -> None:
        """Let go of the vectors of a role that is closed; the texts' own stay in the cache."""
        self._roles.pop(role, None)

    async def _fill(self, name: str, texts: list[str]) -> None:
        """Embed texts: now, where this process waits for it, else in the background, one role at a time."""
        if name not in self._filling or self._filling[name].done():
            self._filling[name] = asyncio.create_task(self._fill_all(texts))
        if self.waits:
            await self._filling[name]

    async def _fill_all(self, texts: list[str]) -> None:
        try:
            for at in range(0, len(texts), AT_ONCE):
                batch = texts[at : at + AT_ONCE]
                for text, vector in zip(batch, await self._embed(batch), strict=True):
                    self._cache.vectors[text_key(text)] = pack(vector)
        except EmbeddingsError as error:
            self._fail(error)
        await asyncio.to_thread(save_vector_cache, self.cache_dir, self._cache)

    async def _reads(self, text: str) -> bool:
        """Tell whether the model knows the language of a text, as far as it can be told."""
        await self._open()
        return self._embedder is None or self._embedder.chinese or cjk_share(text) < CHINESE_SHARE

    async def _open(self) -> None:
        if self._embedder is not None or self.make is None:
            return
        async with self._turn:
            if self._embedder is None:
                made = await asyncio.to_thread(self.make)
                self._cache = await asyncio.to_thread(load_vector_cache, self.cache_dir, made.key)
                self._embedder, self.trouble = made, ""

    async def _embed(self, texts: list[str]) -> list[list[float]]:
        await self._open()
        async with self._turn:
            if self._embedder is None:
                raise EmbeddingsError("no model is named")
            found = await asyncio.to_thread(self._embedder.embed, texts)
            self.trouble = ""
            return found

    def _fail(self, error: Exception) -> None:
        self._failed_s = time.monotonic()
        self.trouble = str(error) or "the model did not answer in time"
        logger.warning("embeddings: %s", self.trouble)
