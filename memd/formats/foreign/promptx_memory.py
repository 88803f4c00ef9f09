"""PromptX memory of every plain-text generation, to the character.

A record begins with `- ` and a time and runs to the next such line, or to `- END`; tags are peeled off its end, never out
of its middle. A file without a single timed record has bare bullets. The XML form was written by a program that did not
check it, so it is read by its own pattern.

Source
    docs/design/origins.md#promptx: the generations G0 to G4, and the rule that was verified on all 460 known records.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from typing import Any

from memd.formats.foreign.memories import Foreign
from memd.model.memory import VALIDITY_WORDS, Kind

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
