"""Files that memd makes of others and can make again: the index's manifest, what is kept of a role's file, when what was recalled."""

from __future__ import annotations

import hashlib
import sys
from array import array
from collections import Counter
from collections.abc import Iterable
from dataclasses import fields
from itertools import islice
from typing import Any, TypeVar

import msgspec

from memd import __version__
from memd.formats.entry import to_memory
from memd.formats.json_style import Style
from memd.formats.role_memory import Array, Document, Element
from memd.formats.role_reader import Entry, Parsed
from memd.model.lore import Timer
from memd.model.memory import Kind, Memory, Period
from memd.model.search import NO_ROWS, Rows
from memd.text.analysis import ANALYZER

LAYOUT = 3  # raise when the fields of the index change

Digest = bytes
Times = tuple[Period | None, Period | None, bool]  # what a memory's own words tell: event, held, planned
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
    manifest = _decoded(data, _manifest_decoder)
    return manifest if manifest and (manifest.layout, manifest.analyzer) == (LAYOUT, ANALYZER) else None


Cache = TypeVar("Cache")


class Pieces(msgspec.Struct, array_like=True):
    """How a memory.json is cut: the literals, each array with how many elements it has, and of each element length, start and stop."""

    literals: list[bytes]
    arrays: list[tuple[Kind, int, bytes]]
    spans: bytes
    style: Style


class RoleCache(msgspec.Struct):
    """What was made of a role's memory.json: the terms of its memories, by the digests of what they were made from.

    Of a file without faults also the `digest` of its bytes, how it is cut, its memories (list[Memory], encoded), and which
    of them stand in every conversation (a byte each: NO, YES, ANEW). Where their own words were read for times, also in which
    `zone` (formats/zones.mark_of), what they `told`, and which are `unread`, by their places in the file.
    """

    version: str = __version__
    analyzer: int = ANALYZER
    order: str = sys.byteorder
    keys: list[str] = []
    rows: Rows = NO_ROWS
    digest: bytes = b""
    pieces: Pieces | None = None
    memories: msgspec.Raw = msgspec.Raw(b"\x90")
    stands: bytes = b""
    zone: str = ""
    told: dict[int, Times] = {}
    unread: list[int] = []


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


_roles = msgspec.msgpack.Decoder(RoleCache)
_memories = msgspec.msgpack.Decoder(tuple[Memory, ...])
_FIELDS = [(one.name, one.default) for one in fields(Memory)]
NO, YES, ANEW = range(
    3
)  # whether a memory stands in every conversation; ANEW: its record is to be read, and it is to be judged
_figures = msgspec.msgpack.Decoder(FigureCache)


def figures_of(memories: Iterable[Memory], uuid: str) -> Figures:
    """Return the figures of memories in the order of their file; of one id the last counts."""
    held = {one.id: one for one in memories}.values()
    kinds = dict(Counter(one.kind.value for one in held))
    runs = frozenset(one.run for one in held if one.run)
    return Figures(kinds, sum(one.constant for one in held), uuid, runs)


def cache_key(memory: Memory) -> str:
    """Return 24 digits that change with anything that is indexed of a memory."""
    parts = "\0".join((memory.text, "\1".join(memory.keys), "\1".join(memory.topics), "\1".join(memory.tags)))
    return hashlib.blake2b(parts.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()


def kept_of(parsed: Parsed, rows: Rows, stands: bytes) -> RoleCache:
    """Return what is kept of a file that was parsed: the terms of its memories, and who stands, are in the order of the file."""
    memories = [entry.memory for entry in parsed.entries]
    made = RoleCache(keys=list(map(cache_key, memories)), rows=rows)
    if parsed.faults:
        return made
    document = parsed.document
    cut = [number for _, one in document.elements() for number in (len(one.raw), one.start, one.stop)]
    arrays = [(one.kind, len(one.elements), one.inner) for one in document.arrays]
    try:
        made.memories = msgspec.Raw(msgspec.msgpack.encode([_written(one) for one in memories]))
    except (ValueError, OverflowError):  # half a character, or a number that is none of a machine's
        return made
    made.pieces = Pieces(list(document.literals), arrays, array("I", cut).tobytes(), document.style)
    made.digest = hashlib.sha256(document.dump()).digest()
    made.stands = bytes(ANEW if one.lore else stand for one, stand in zip(memories, stands, strict=True))
    return made


def _written(memory: Memory) -> dict[str, Any]:
    """Return the fields of a memory that say anything."""
    said = {name: value for name, unsaid in _FIELDS if (value := getattr(memory, name)) != unsaid}
    said.pop("lore", None)  # rules of its own are read anew
    return said


def memories_of(kept: RoleCache) -> tuple[Memory, ...] | None:
    """Return the memories that are kept, in the order of their file, as they are written; None where none are, or they cannot be read."""
    try:
        return None if kept.pieces is None else _memories.decode(kept.memories)
    except msgspec.MsgspecError:
        return None


def parsed_of(kept: RoleCache, data: bytes) -> Parsed | None:
    """Return what was read of these bytes before; None where they were others, or what is kept cannot be read."""
    if kept.pieces is None or hashlib.sha256(data).digest() != kept.digest:
        return None
    memories = memories_of(kept)
    if memories is None:
        return None
    spans, held = iter(array("I", kept.pieces.spans)), zip(memories, kept.stands, strict=True)
    entries: list[Entry] = []
    arrays: list[Array] = []
    at = 0
    for literal, (kind, count, inner) in zip(kept.pieces.literals, kept.pieces.arrays, strict=False):
        at += len(literal)
        elements: list[Element] = []
        for (memory, stands), size, start, stop in islice(zip(held, spans, spans, spans, strict=False), count):
            element = Element(data[at : at + size], start, stop, memory.id)
            elements.append(element)
            at += size + 1
            entries.append(Entry(to_memory(element.value(), kind, memory.id) if stands == ANEW else memory, element))
        at += len(inner) if not elements else -1
        arrays.append(Array(kind, tuple(elements), inner))
    document = Document(tuple(kept.pieces.literals), tuple(arrays), kept.pieces.style)
    return Parsed(document, tuple(entries), ())


def load_cache(data: bytes) -> RoleCache:
    """Return what is kept of a role, nothing where the bytes are damaged, or of another version, analyzer or machine."""
    kept = _decoded(data, _roles)
    fits = kept and (kept.version, kept.analyzer, kept.order) == (__version__, ANALYZER, sys.byteorder)
    return kept if kept and fits else RoleCache()


def load_figures(data: bytes) -> FigureCache:
    """Return the figures of roles, none where the bytes are damaged or of another version."""
    cache = _decoded(data, _figures)
    return cache if cache and cache.version == __version__ else FigureCache()


def dump_cache(cache: RoleCache | FigureCache | Manifest) -> bytes:
    """Return the bytes of a cache or a manifest, led by their digest."""
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
