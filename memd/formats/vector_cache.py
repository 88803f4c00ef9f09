"""Cached vectors of texts, by the digest of each, so that no text is embedded twice. Never pickle."""

from __future__ import annotations

import hashlib
from array import array

import msgspec


class VectorCache(msgspec.Struct):
    """`model` is the key of what made them; a vector is 32-bit floats."""

    model: str = ""
    vectors: dict[bytes, bytes] = {}


def text_key(text: str) -> bytes:
    """Return 12 bytes that stand for a text."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=12).digest()


def pack(vector: list[float]) -> bytes:
    """Return a vector as bytes."""
    return array("f", vector).tobytes()


def unpack(data: bytes) -> array[float]:
    """Return the vector that bytes are."""
    found = array("f")
    found.frombytes(data[: len(data) // 4 * 4])
    return found


def dump_vectors(cache: VectorCache) -> bytes:
    """Return the bytes of a cache, led by their digest."""
    body = msgspec.msgpack.encode(cache)
    return hashlib.sha256(body).digest() + body


def load_vectors(data: bytes, model: str) -> VectorCache:
    """Return a cache; an empty one where the bytes are damaged or another model made them."""
    digest, body = data[:32], data[32:]
    try:
        cache = (
            msgspec.msgpack.decode(body, type=VectorCache) if hashlib.sha256(body).digest() == digest else VectorCache()
        )
    except msgspec.MsgspecError:
        cache = VectorCache()
    return cache if cache.model == model else VectorCache(model)
