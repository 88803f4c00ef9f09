"""What is written into the text chunks of a PNG: character cards, NovelAI lorebooks. Nothing of the picture is read.

Source
    W3C PNG: an eight-byte signature, then chunks of length, type, data and checksum; tEXt has a keyword, a zero byte and
    Latin-1 text. Cards put base64 of JSON under `chara` (V2) and `ccv3` (V3), NovelAI under `naidata`.
"""

from __future__ import annotations

import base64
import binascii
import contextlib
import zlib
from collections.abc import Iterator

SIGNATURE = b"\x89PNG\r\n\x1a\n"
KEYWORDS = ("ccv3", "chara", "naidata")  # the newer spec first
TEXT_BYTES = 32_000_000


def is_png(data: bytes) -> bool:
    """Tell whether bytes are a PNG."""
    return data.startswith(SIGNATURE)


def cards_in(data: bytes) -> Iterator[bytes]:
    """Yield what a PNG carries as JSON, the likeliest first."""
    texts = _texts(data)
    for keyword in KEYWORDS:
        for found in texts.get(keyword, ()):
            with contextlib.suppress(binascii.Error, ValueError):
                yield base64.b64decode(found, validate=False)


def with_card(data: bytes, keyword: str, text: bytes) -> bytes:
    """Return a PNG with one more text chunk before its end."""
    chunk = b"tEXt" + keyword.encode() + b"\0" + base64.b64encode(text)
    body = len(chunk[4:]).to_bytes(4) + chunk + zlib.crc32(chunk).to_bytes(4)
    end = data.rindex(b"IEND") - 4
    return data[:end] + body + data[end:]


def _texts(data: bytes) -> dict[str, list[bytes]]:
    found: dict[str, list[bytes]] = {}
    at = len(SIGNATURE)
    while at + 12 <= len(data):
        size = int.from_bytes(data[at : at + 4])
        kind, body = data[at + 4 : at + 8], data[at + 8 : at + 8 + size]
        if len(body) < size or kind == b"IEND":
            break
        if kind == b"tEXt" and size <= TEXT_BYTES:
            keyword, _, text = body.partition(b"\0")
            found.setdefault(keyword.decode("latin-1").lower(), []).append(text)
        at += 12 + size
    return found
