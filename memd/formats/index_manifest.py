"""What the index on disk is made of: the digests of its own files, and of every document in it."""

from __future__ import annotations

import hashlib

import msgspec

from memd.text.analysis import ANALYZER

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


_decoder = msgspec.msgpack.Decoder(Manifest)


def load_manifest(data: bytes) -> Manifest | None:
    """Return a manifest, or None where the bytes are damaged or of another layout or analyzer."""
    digest, body = data[:32], data[32:]
    if hashlib.sha256(body).digest() != digest:
        return None
    try:
        manifest = _decoder.decode(body)
    except msgspec.MsgspecError:
        return None
    return manifest if (manifest.layout, manifest.analyzer) == (LAYOUT, ANALYZER) else None


def dump_manifest(manifest: Manifest) -> bytes:
    """Return the bytes of a manifest, led by their digest."""
    body = msgspec.msgpack.encode(manifest)
    return hashlib.sha256(body).digest() + body
