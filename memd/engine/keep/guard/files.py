"""Which files are memory, and what a text in one of them says, fact by fact."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from memd.formats.role_memory import read_inline
from memd.model.scan import Meant, Write
from memd.text import expressions as re

MOST_NAMED, NAMED_CHARS = 8, 200  # memory files that one long text is said to write, and how long their paths may be
_ROLE = re.compile(r"(?:^|/)roles/([^/]+)/memory\.json$")
_NAMES = ("MEMORY.md", "USER.md")
_BULLET = re.compile(r"^\s*(?:[-*+•]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?(?:\[[\w -]{1,20}\]\s+)?|^\s*>\s+")
_STAMP = re.compile(
    r"^(?:\$\([^)]*\)|`[^`]*`|\$\{?\w+\}?)\s+|^\[?\d{4}[-/.年]\d{1,2}[-/.月]\d{1,2}日?(?:[ T]\d{1,2}:\d\d(?::\d\d)?(?:Z|[+-]\d\d:?\d\d)?)?\]?\s*[:：|-]?\s+"
)
_HEADING = re.compile(r"^\s*(?:#{1,6}\s|<!--|---+\s*$|===+\s*$|```)|^\s*#{1,6}$")
_MEMBER = re.compile(
    r"[\"']?\b(?P<key>content|value|name|text)\b[\"']?\s*(?::|=>|=)\s*(?P<quote>[\"'`])(?P<text>(?:\\.|(?!(?P=quote))[^\\])*)(?P=quote)",
    re.DOTALL,
)
_ARRAYS = {"episodic": "episodic", "semantic": "semantic", "traits": "trait", "goals": "goal"}
_IN_ARRAY = re.compile(r"\b(episodic|semantic|traits|goals)\b")


def is_memory_file(path: str) -> bool:
    """Tell whether a path is curated memory, a role's memory.json or the log of stored memories."""
    plain = path.strip().strip("\"'").replace("\\", "/")
    name = plain.rpartition("/")[2]
    return name in _NAMES or bool(_ROLE.search(plain)) or plain.endswith(".memory/declarative.md")


def named_in(text: str) -> list[str]:
    """Return the memory files that are named anywhere in a text that is too long to be read, each once."""
    found: dict[str, None] = {}
    for name in (*_NAMES, "memory.json", "declarative.md"):
        at = text.find(name)
        while at >= 0 and len(found) < MOST_NAMED:
            words = text[max(0, at - NAMED_CHARS) : at + len(name)].split()
            path = words[-1].lstrip("\"'<>=") if words else name
            if is_memory_file(path):
                found[path] = None
            at = text.find(name, at + len(name))
    return list(found)


def facts_of(write: Write, standing: str = "") -> Iterator[Meant]:
    """Yield what a write would have remembered; lines that stand in the file already say nothing new."""
    plain = write.path.replace("\\", "/")
    role = _ROLE.search(plain)
    if role or write.path.endswith(".json"):
        yield from _entries(write.text, standing, role[1] if role else "")
        return
    known = {line.strip() for line in standing.split("\n")} if standing else set()
    for line in write.text.split("\n"):
        if line.strip() in known:
            continue
        meant = fact_of_line(line)
        if meant:
            yield meant


def fact_of_line(line: str) -> Meant | None:
    """Return what one line of Markdown states, its bullet, its stamp and its tags read; None for headings and blanks."""
    if _HEADING.match(line):
        return None
    text = _BULLET.sub("", line, count=1).strip()
    text = _STAMP.sub("", text, count=1).strip()
    if not text:
        return None
    inline = read_inline(text)
    if not any(map(str.isalnum, inline.content)):
        return None
    return Meant(inline.content, tags=inline.tags, validity=inline.validity, score=inline.score)


def _entries(text: str, standing: str, role: str) -> Iterator[Meant]:
    try:
        whole = json.loads(text)
    except (ValueError, RecursionError):
        whole = None
    if isinstance(whole, dict) and _ARRAYS.keys() & whole.keys():
        found = list(_of_document(whole, role))
    else:
        found = list(_of_fragment(text, role))
    known = {one.content for one in _of_fragment(standing, role)} if standing else set()
    for one in found:
        if one.content not in known:
            yield one


def _of_document(whole: dict[str, Any], role: str) -> Iterator[Meant]:
    for array, kind in _ARRAYS.items():
        entries = whole.get(array)
        for entry in entries if isinstance(entries, list) else ():
            if isinstance(entry, dict):
                content = entry.get("content") or entry.get("value")
                if isinstance(content, str) and content.strip():
                    keys = entry.get("keys")
                    told = tuple(key for key in keys if isinstance(key, str)) if isinstance(keys, list) else ()
                    name = entry.get("name") if kind == "trait" else ""
                    yield Meant(content.strip(), role, kind, name if isinstance(name, str) else "", keys=told)


def _of_fragment(text: str, role: str) -> Iterator[Meant]:
    """Entries as they are written in a part of a memory.json, or in code that makes one."""
    name = kind_so_far = ""
    arrays = _IN_ARRAY.finditer(text)
    ahead = next(arrays, None)
    for match in _MEMBER.finditer(text):
        while ahead is not None and ahead.start() < match.start():
            kind_so_far, ahead = _ARRAYS[ahead[1]], next(arrays, None)
        said = _unquoted(match["text"])
        if match["key"] == "name":
            name = said
        elif said.strip():
            kind = "trait" if name and match["key"] == "value" else kind_so_far
            yield Meant(said.strip(), role, kind, name if kind == "trait" else "")
            name = ""


def _unquoted(text: str) -> str:
    try:
        said = json.loads(f'"{text}"', strict=False)
    except ValueError:
        return text
    return said if isinstance(said, str) else text


# Patches that touch memory files: Codex's own form, unified diffs, search-and-replace blocks.

_FILE = re.compile(r"^(?:\*\*\* (?:Add|Update) File: |\*\*\* Move to: |\+\+\+ (?:b/)?)(?P<path>[^\t\n]+)", re.MULTILINE)
_OPENED, _TURNED, _CLOSED = (re.compile(mark) for mark in (r"(?:<{5,}|-{5,}) ?", r"={5,}$", r"(?:>{5,}|\+{5,})"))


def is_patch(text: str) -> bool:
    """Tell whether a text is a patch that names its files."""
    return "*** Begin Patch" in text or ("\n+++ " in f"\n{text}" and "\n@@" in text)


def writes_of_patch(text: str) -> Iterator[Write]:
    """Yield what a patch adds to memory files."""
    files = list(_FILE.finditer(text))
    for number, match in enumerate(files):
        stop = files[number + 1].start() if number + 1 < len(files) else len(text)
        path = match["path"].strip()
        if is_memory_file(path):
            lines = text[match.end() : stop].split("\n")
            gone = {line[1:].strip() for line in lines if line.startswith("-")}
            added = [line[1:] for line in lines if line.startswith("+") and not line.startswith("+++")]
            yield Write(path, "\n".join(line for line in added if line.strip() not in gone))


def added_by_blocks(text: str) -> str:
    """Return the lines that search-and-replace blocks add."""
    added: list[str] = []
    old: list[str] | None = None
    new: list[str] | None = None
    for line in text.split("\n"):
        if new is not None and old is not None:
            if _CLOSED.match(line):
                added.append(gained("\n".join(old), "\n".join(new)))
                old = new = None
            else:
                new.append(line)
        elif old is not None:
            if _TURNED.match(line):
                new = []
            else:
                old.append(line)
        elif _OPENED.match(line):
            old = []
    return "\n".join(added)


def gained(old: str, new: str) -> str:
    """Return the lines of a new text that the old one has not."""
    had = {line.strip() for line in old.split("\n")}
    return "\n".join(line for line in new.split("\n") if line.strip() not in had)
