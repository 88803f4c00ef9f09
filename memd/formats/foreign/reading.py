"""A file of another program, whatever it is: told apart by what it holds, read by its own module."""

from __future__ import annotations

import base64
import binascii
import contextlib
import json
import re
from collections.abc import Iterator
from html import unescape
from typing import Any

from memd.errors import Fault, RejectedFileError
from memd.formats.foreign import agent_files, lorebooks
from memd.formats.foreign.agent_files import Foreign
from memd.formats.strict_json import read_json
from memd.model.memory import VALIDITY_WORDS, Kind

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
    if form == "promptx-dpml" or (form == "auto" and is_dpml(text)):
        return read_dpml(text)
    if form == "hermes" or (form == "auto" and agent_files.MARK in text.replace("\r\n", "\n")):
        return agent_files.read_hermes(text, name)
    if form == "agent" or (form == "auto" and agent_files.is_it(text, name)):
        return agent_files.read(text, name)
    if form == "promptx" or is_markdown(text, name):
        return read_markdown(text)
    if agent_files.is_hermes(text, name):
        return agent_files.read_hermes(text, name)
    raise RejectedFileError(Fault(name, 1, 1, "this is of no form memd can import", "file.broken"))


def _from_json(name: str, data: bytes, form: str) -> Foreign:
    value = read_json(data, name)
    if form == "memory" or (form == "auto" and agent_files.is_memory(value)):
        if agent_files.is_memory(value):
            return agent_files.read_memory(value)
    elif form == "management" or (form == "auto" and agent_files.is_management(value)):
        if agent_files.is_management(value):
            return agent_files.read_management(value)
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


# PromptX memory of every plain-text generation, to the character.
#
# A record begins with `- ` and a time and runs to the next such line, or to `- END`; tags are peeled off its end, never out
# of its middle. A file without a single timed record has bare bullets. The XML form was written by a program that did not
# check it, so it is read by its own pattern.
#
# Source
#     docs/design/origins.md#promptx: the generations G0 to G4, and the rule that was verified on all 460 known records.

TAIL_CHARS = 2000  # behind a text may be so many characters of tags
_START = re.compile(r"^- ([0-9]{4}/[0-9]{2}/[0-9]{2} [0-9]{2}:[0-9]{2}) ", re.MULTILINE)
_BULLET = re.compile(r"^- ", re.MULTILINE)
_TAIL = re.compile(r"(?:(?:^|(?<=\s))(?:--tags(?:[ \t]+[^\s#][^\s]*)*|#{1,2}[^\s#]+))[ \t]*\Z")
_SCORE = re.compile(r"评分[:：]([0-9]{1,2}(?:\.[0-9])?)\Z")
_ID = re.compile(r"id:\S+\Z")
_VALIDITY = re.compile(r"有效期[:：](短期|中期|长期)\Z")
_TIMED = re.compile(r"#时间[:：](\d{4}/\d\d/\d\d) (\d\d:\d\d)\s*\Z")
_ITEM = re.compile(r"<item\s+id=\"([^\"]*)\"\s+time=\"([^\"]*)\">")
_PROMPTX = re.compile(r"陈述性记忆|#评分[:：]|^- \d{4}/\d\d/\d\d \d\d:\d\d |#[^\s#]+\s*$", re.MULTILINE)


def is_markdown(text: str, name: str) -> bool:
    """Tell whether a text is a declarative.md."""
    return name.endswith(("declarative.md", "declarative.md.bak")) or (
        bool(_PROMPTX.search(text)) and bool(_BULLET.search(text))
    )


def is_dpml(text: str) -> bool:
    """Tell whether a text is a declarative.dpml."""
    return "<memory>" in text[:2000] and ("<item" in text or "</memory>" in text)


def read_markdown(text: str) -> Foreign:
    """Return the records of a declarative.md of any generation, memd's own among them."""
    text = text.replace("\r\n", "\n")
    found = Foreign("promptx")
    starts = [one.start() for one in _START.finditer(text)]
    bare = not starts
    if bare:
        starts = [one.start() for one in _BULLET.finditer(text)]
    line, counted = 1, 0
    for begin, end in zip(starts, [*starts[1:], len(text)], strict=True):
        block = text[begin:end]
        if not block.strip("- \n"):
            continue
        record = _record(block, bare=bare)
        if record is None:
            line, counted = line + text.count("\n", counted, begin), begin
            found.refused.append((f"line {line}", "the record has no content"))
        else:
            found.memories.append((Kind.SEMANTIC, record))
    return found


def _record(block: str, *, bare: bool) -> dict[str, Any] | None:
    stamp = "" if bare else block[2:18]
    body = block[2:] if bare else block[19:]
    if body.startswith("START\n"):
        ends = [one.start() for one in re.finditer(r"\n- END[ \t]*(?=\n|\Z)", body)]
        body = body[: ends[-1]] if ends else body
    body = _without_headings(body).rstrip()
    fields: dict[str, Any] = {"tags": []}
    if timed := _TIMED.search(body):
        stamp, body = stamp or f"{timed[1]} {timed[2]}", body[: timed.start()].rstrip()
    listed = False
    while (tail := _TAIL.search(body, max(0, len(body) - TAIL_CHARS))) is not None:
        words = tail[0].strip()
        if listed and not words.startswith("--tags"):
            break  # before a list of tags everything is the text's own
        if not words.startswith("--tags") and not any(map(str.isalpha, words)):
            break  # fixed in #123
        listed = listed or words.startswith("--tags")
        _take_tag(words, fields)
        body = body[: tail.start()].rstrip()
    body = body.removeprefix("START\n") if body.startswith("START\n") else body
    if not body.strip():
        return None
    return _made(body, fields, stamp)


def _take_tag(words: str, fields: dict[str, Any]) -> None:
    """Take one group of tags in front of those taken already."""
    if words.startswith("--tags"):
        fields["tags"] = [*words.split()[1:], *fields["tags"]]
        return
    word = words.lstrip("#")
    if found := _SCORE.match(word):
        fields.setdefault("score", float(found[1]))
    elif _ID.match(word):
        fields.setdefault("id", word[3:])
    elif found := _VALIDITY.match(word):
        fields.setdefault("validity", VALIDITY_WORDS[found[1]].value)
    else:
        fields["tags"] = [word, *fields["tags"]]


def _without_headings(body: str) -> str:
    """Return a record without the headings of the file that stand behind it."""
    lines = body.rstrip("\n").split("\n")
    while len(lines) > 1 and (
        not lines[-1].strip() or re.fullmatch(r"#{1,2} (?:陈述性记忆|高价值记忆)[^#]*", lines[-1])
    ):
        lines.pop()
    return "\n".join(lines)


def _made(body: str, fields: dict[str, Any], stamp: str) -> dict[str, Any]:
    record: dict[str, Any] = {"content": body}
    if stamp:
        record["timestamp"] = stamp.replace("/", "-").replace(" ", "T")
    tags = [one for one in dict.fromkeys(fields["tags"]) if one]
    if tags:
        record["tags"] = tags
        record["keywords"] = [one for one in tags if one != "其他"]
    if fields.get("id"):
        record = {"id": fields["id"], **record}
    score = fields.get("score")
    if score is not None and score <= 10:
        record["score"] = score
    if "validity" in fields:
        record["validity"] = fields["validity"]
    return record


def read_dpml(text: str) -> Foreign:
    """Return the records of a declarative.dpml."""
    found = Foreign("promptx-dpml")
    for number, (item_id, stamp, inside) in enumerate(_items(text.replace("\r\n", "\n"))):
        body = _unindented(unescape(_between(inside, "<content>", "</content>")))
        if not body.strip():
            found.refused.append((f"item {number + 1}", "the item has no content"))
            continue
        fields = {"tags": [word.lstrip("#") for word in unescape(_between(inside, "<tags>", "</tags>")).split()]}
        when = stamp if re.fullmatch(r"\d{4}/\d\d/\d\d \d\d:\d\d", stamp) else ""
        found.memories.append((Kind.SEMANTIC, {**({"id": item_id} if item_id else {}), **_made(body, fields, when)}))
    return found


def _items(text: str) -> Iterator[tuple[str, str, str]]:
    """Yield id, time and inside of every item that is closed."""
    for chunk in text.split("</item>")[:-1]:
        opened = list(_ITEM.finditer(chunk))
        if opened:
            yield opened[0][1], opened[0][2], chunk[opened[0].end() :]


def _between(text: str, opens: str, closes: str) -> str:
    begin, end = text.find(opens), text.find(closes)
    return text[begin + len(opens) : end] if 0 <= begin < end else ""


def _unindented(content: str) -> str:
    """Return the text that was set six blanks deep, or as it is where it was not."""
    lines = content.strip("\n").rstrip().split("\n")
    if all(line.startswith("      ") or not line.strip() for line in lines):
        lines = [line[6:] if line.strip() else "" for line in lines]
    return "\n".join(lines).strip("\n")
