"""Cached terms of memories, so that a start need not analyse every text again. Never pickle."""

from __future__ import annotations

import hashlib

import msgspec

from memd.model.memory import Memory
from memd.text.analysis import ANALYZER


class TokenCache(msgspec.Struct):
    """Terms and weights by the digest of what they were made from."""

    analyzer: int = ANALYZER
    terms: dict[bytes, tuple[list[str], list[float]]] = {}


_decoder = msgspec.msgpack.Decoder(TokenCache)


def cache_key(memory: Memory) -> bytes:
    """Return 12 bytes that change with anything that is indexed of a memory."""
    parts = "\0".join((memory.text, "\1".join(memory.keys), "\1".join(memory.topics), "\1".join(memory.tags)))
    return hashlib.blake2b(parts.encode("utf-8", "surrogatepass"), digest_size=12).digest()


def load_cache(data: bytes) -> TokenCache:
    """Return a cache, empty where the bytes are damaged or of another analyzer."""
    digest, body = data[:32], data[32:]
    if hashlib.sha256(body).digest() != digest:
        return TokenCache()
    try:
        cache = _decoder.decode(body)
    except msgspec.MsgspecError:
        return TokenCache()
    return cache if cache.analyzer == ANALYZER else TokenCache()


def dump_cache(cache: TokenCache) -> bytes:
    """Return the bytes of a cache, led by their digest."""
    body = msgspec.msgpack.encode(cache)
    return hashlib.sha256(body).digest() + body
