"""Files that memd makes of others and can make again: the index's manifest, the cache of tokens, when what was recalled."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING, TypeVar

import msgspec

from memd import __version__
from memd.model.lore import Timer
from memd.text.analysis import ANALYZER

if TYPE_CHECKING:
    from memd.model.memory import Memory


LAYOUT = 3  # raise when the fields of the index change

Digest = bytes
Sum = tuple[int, bytes]


class IndexedFile(msgspec.Struct, array_like=True):
    """One file as it was indexed: its state (device, inode, size, times), and its documents by key.

    Of a session, which grows at its end, also the digest of its bytes and the number of its lines.
    """

    identity: tuple[int, int, int, int, int]  # a storage.files.Identity
    documents: dict[str, Digest]
    prefix: Digest = b""
    lines: int = 0


class Manifest(msgspec.Struct):
    """`folder` is where the index's own files lie; `sums` their sizes and sha256 digests."""

    folder: str
    sums: dict[str, Sum]
    files: dict[str, IndexedFile]
    built_at: float = 0.0
    layout: int = LAYOUT
    analyzer: int = ANALYZER

    @property
    def documents(self) -> int:
        """How many documents the index has."""
        return sum(len(one.documents) for one in self.files.values())


_manifest_decoder = msgspec.msgpack.Decoder(Manifest)


def load_manifest(data: bytes) -> Manifest | None:
    """Return a manifest, or None where the bytes are damaged or of another layout or analyzer."""
    digest, body = data[:32], data[32:]
    if hashlib.sha256(body).digest() != digest:
        return None
    try:
        manifest = _manifest_decoder.decode(body)
    except msgspec.MsgspecError:
        return None
    return manifest if (manifest.layout, manifest.analyzer) == (LAYOUT, ANALYZER) else None


def dump_manifest(manifest: Manifest) -> bytes:
    """Return the bytes of a manifest, led by their digest."""
    body = msgspec.msgpack.encode(manifest)
    return hashlib.sha256(body).digest() + body


Cache = TypeVar("Cache")


class TokenCache(msgspec.Struct):
    """Terms and weights by the digest of what they were made from."""

    analyzer: int = ANALYZER
    terms: dict[bytes, tuple[list[str], list[float]]] = {}


class Figures(msgspec.Struct, frozen=True):
    """What is told of a role without its memories at hand: how many of each kind and constant, its characterUuid, their runs."""

    by_kind: dict[str, int] = {}
    constant: int = 0
    character_uuid: str = ""
    runs: frozenset[str] = frozenset()

    @property
    def memories(self) -> int:
        """How many there are."""
        return sum(self.by_kind.values())


class KnownFile(msgspec.Struct):
    """A memory.json as it was read well: its state, and what it holds."""

    identity: tuple[int, ...]
    figures: Figures


class FigureCache(msgspec.Struct):
    """Files by role, as this version of memd reads them."""

    version: str = __version__
    files: dict[str, KnownFile] = {}


_tokens_decoder = msgspec.msgpack.Decoder(TokenCache)
_figures = msgspec.msgpack.Decoder(FigureCache)


def figures_of(memories: Iterable[Memory], uuid: str) -> Figures:
    """Return the figures of memories in the order of their file; of one id the last counts."""
    held = {one.id: one for one in memories}.values()
    kinds = dict(Counter(one.kind.value for one in held))
    runs = frozenset(one.run for one in held if one.run)
    return Figures(kinds, sum(one.constant for one in held), uuid, runs)


def cache_key(memory: Memory) -> bytes:
    """Return 12 bytes that change with anything that is indexed of a memory."""
    parts = "\0".join((memory.text, "\1".join(memory.keys), "\1".join(memory.topics), "\1".join(memory.tags)))
    return hashlib.blake2b(parts.encode("utf-8", "surrogatepass"), digest_size=12).digest()


def load_cache(data: bytes) -> TokenCache:
    """Return a cache, empty where the bytes are damaged or of another analyzer."""
    cache = _decoded(data, _tokens_decoder)
    return cache if cache and cache.analyzer == ANALYZER else TokenCache()


def load_figures(data: bytes) -> FigureCache:
    """Return the figures of roles, none where the bytes are damaged or of another version."""
    cache = _decoded(data, _figures)
    return cache if cache and cache.version == __version__ else FigureCache()


def dump_cache(cache: TokenCache | FigureCache) -> bytes:
    """Return the bytes of a cache, led by their digest."""
    body = msgspec.msgpack.encode(cache)
    return hashlib.sha256(body).digest() + body


def _decoded(data: bytes, decoder: msgspec.msgpack.Decoder[Cache]) -> Cache | None:
    digest, body = data[:32], data[32:]
    if hashlib.sha256(body).digest() != digest:
        return None
    try:
        return decoder.decode(body)
    except msgspec.MsgspecError:
        return None


class TalkState(msgspec.Struct):
    """One session of a role; timers by group of entries, then by entry."""

    turn: int = 0
    said: str = ""
    injected: dict[str, int] = {}
    sticky: dict[str, dict[str, Timer]] = {}
    cooldown: dict[str, dict[str, Timer]] = {}


class RecallState(msgspec.Struct):
    """Sessions by role and name with a line break between; uses by role and memory: how often, and when last."""

    talks: dict[str, TalkState] = {}
    uses: dict[str, dict[str, tuple[int, float]]] = {}


def dump_state(state: RecallState) -> bytes:
    """Return the bytes of a state."""
    return msgspec.json.encode(state)


def load_state(data: bytes) -> RecallState:
    """Return the state that bytes hold; an empty one where they hold none."""
    try:
        return msgspec.json.decode(data, type=RecallState)
    except (msgspec.MsgspecError, RecursionError):
        return RecallState()
