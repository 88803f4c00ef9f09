"""A file of another program, whatever it is: told apart by what it holds, read by its own module."""

from __future__ import annotations

import base64
import binascii
import contextlib
import json
from collections.abc import Iterator
from typing import Any

from memd.errors import Fault, RejectedFileError
from memd.formats.foreign import agent_files, lorebooks, memories, promptx_memory
from memd.formats.foreign.memories import Foreign
from memd.formats.strict_json import read_json

FORMS = ("auto", "memory", "management", "book", "promptx", "promptx-dpml", "hermes", "agent")
TITLE_CHARS = 60
# A picture that carries a card: text chunks of a PNG (its specification, 11.3.4), base64 of JSON.
SIGNATURE = b"\x89PNG\r\n\x1a\n"
KEYWORDS = ("ccv3", "chara", "naidata")  # the newer spec first
TEXT_BYTES = 32_000_000


def read_foreign(name: str, data: bytes, form: str = "auto") -> Foreign:
    """Return what a file holds, or raise RejectedFileError saying why it cannot be taken in."""
    if data.startswith(SIGNATURE):
        for inside in _cards_in(data):
            with contextlib.suppress(RejectedFileError):
                return _from_json(name, inside, form)
        raise RejectedFileError(Fault(name, 1, 1, "the picture carries no card with a book", "file.broken"))
    if data.startswith(b"SQLite format 3"):
        why = "an SQLite file; export it from PromptX as text, memd reads no databases"
        raise RejectedFileError(Fault(name, 1, 1, why, "file.broken"))
    text = _text(name, data)
    if form in ("promptx", "promptx-dpml", "hermes", "agent"):
        return _from_text(name, text, form)
    head = text.lstrip("\ufeff \t\r\n")[:1]
    if head in ("{", "[") or form in ("memory", "management", "book"):
        return _from_json(name, data, form)
    return _from_text(name, text, form)


def _text(name: str, data: bytes) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise RejectedFileError(Fault(name, line, 1, "this is not UTF-8", "text.not_utf8")) from None


def _from_text(name: str, text: str, form: str) -> Foreign:
    if form == "promptx-dpml" or (form == "auto" and promptx_memory.is_dpml(text)):
        return promptx_memory.read_dpml(text)
    if form == "hermes" or (form == "auto" and memories.MARK in text.replace("\r\n", "\n")):
        return memories.read_hermes(text, name)
    if form == "agent" or (form == "auto" and agent_files.is_it(text, name)):
        return agent_files.read(text, name)
    if form == "promptx" or promptx_memory.is_markdown(text, name):
        return promptx_memory.read_markdown(text)
    if memories.is_hermes(text, name):
        return memories.read_hermes(text, name)
    raise RejectedFileError(Fault(name, 1, 1, "this is of no form memd can import", "file.broken"))


def _from_json(name: str, data: bytes, form: str) -> Foreign:
    value = read_json(data, name)
    if form == "memory" or (form == "auto" and memories.is_memory(value)):
        if memories.is_memory(value):
            return memories.read_memory(value)
    elif form == "management" or (form == "auto" and memories.is_management(value)):
        if memories.is_management(value):
            return memories.read_management(value)
    else:
        kind, book = lorebooks.lorebook_of(value)
        if book is not None:
            return _book(name, data, value, kind, book)
    raise RejectedFileError(Fault(name, 1, 1, "this JSON is of no form memd can import", "file.broken"))


def _book(name: str, data: bytes, value: Any, kind: str, book: dict[str, Any]) -> Foreign:
    found = Foreign(kind)
    title = name.rpartition("/")[2].rpartition(".")[0] or name
    if kind == "world-info" and book is value and isinstance(value, dict):
        text = data.decode("utf-8-sig")
    else:
        if kind == "card":
            title = _card_title(value) or title
            about = _card_rest(value)
            if about:
                book = {**book, "card": about}
                found.notes.append("what the card says beside its book is kept under `card`")
        text = json.dumps(book, ensure_ascii=False, indent=2, allow_nan=False) + "\n"
    found.books.append((title[:TITLE_CHARS], text))
    return found


def _card_title(value: Any) -> str:
    data = value.get("data") if isinstance(value.get("data"), dict) else value
    book = lorebooks.book_of(value)
    named = (book.get("name") if book else "") or data.get("name")
    return named.strip() if isinstance(named, str) else ""


def _card_rest(value: Any) -> dict[str, Any]:
    """Return a card without its book; nothing where the file is only a book."""
    if value.get("spec") == "lorebook_v3" or lorebooks.book_of(value) is value:
        return {}
    if isinstance(value.get("data"), dict):
        return {**value, "data": {key: one for key, one in value["data"].items() if key != "character_book"}}
    return {key: one for key, one in value.items() if key != "character_book"}


def _cards_in(data: bytes) -> Iterator[bytes]:
    """Yield what a PNG carries as JSON, the likeliest first."""
    chunks = _chunks(data)
    for keyword in KEYWORDS:
        for found in chunks.get(keyword, ()):
            with contextlib.suppress(binascii.Error, ValueError):
                yield base64.b64decode(found, validate=False)


def _chunks(data: bytes) -> dict[str, list[bytes]]:
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
