"""What agents keep beside memd: the memory files of Claude Code, and instructions in CLAUDE.md, AGENTS.md and GEMINI.md.

Claude Code has a file a memory, with a header that says of which type it is, and an index of them, MEMORY.md, which says nothing of its own;
or what it remembers stands in MEMORY.md itself, as a list.
Instructions are Markdown: each item of a list and each paragraph is a statement, wherever it stands; headings, code, comments, tables
and lines that bring in another file are none.

Source
    Files that Claude Code 2.1.330 writes and asks for; https://agents.md; Gemini CLI 0.61.0, which adds what it is told under a heading of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from memd.formats.foreign.lorebooks import mapping
from memd.formats.front_matter import split
from memd.model.memory import Kind

INSTRUCTIONS = ("CLAUDE.md", "CLAUDE.local.md", "AGENTS.md", "GEMINI.md")
TYPES = ("user", "feedback", "project", "reference")
MOST, CHARS = 2000, 2000
INDEX_NOTE = "an index: what it names is in files of their own"
_WHY = ("Why:", "How to apply:")  # behind what a memory of Claude Code says
_ITEM = re.compile(r"\s{0,12}(?:[-*+]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?(?P<text>\S.*)")
_INDEX = re.compile(r"\s*[-*] \[[^\]]*\]\([^)]*\.md\).*")
_NOTHING = re.compile(r"\s*(?:#{1,6}\s|\||>|@\S|<!--|-{3,}\s*$|\*{3,}\s*$|={3,}\s*$|<[a-z/!])", re.IGNORECASE)
_FENCE = re.compile(r"\s{0,12}(`{3,}|~{3,})")
_MARKS = re.compile(r"\*\*(?=\S)(.+?)(?<=\S)\*\*|__(?=\S)(.+?)(?<=\S)__")


class Stated(NamedTuple):
    """A statement of a file, and the line (from 1) on which it begins."""

    line: int
    text: str


def is_it(text: str, name: str) -> bool:
    """Tell whether a file is one of these."""
    leaf = name.rpartition("/")[2]
    return (
        leaf in INSTRUCTIONS
        or (leaf.endswith(".md") and (_is_index(text) or bool(type_of(text, name))))
        or _is_list(text, leaf)
    )


def type_of(text: str, name: str) -> str:
    """Return of which type a memory of Claude Code is, "" where a file is none."""
    header = split(text, name).header
    about = header.get("metadata")
    named = about.get("type") if isinstance(about, dict) else header.get("type")
    return named if isinstance(named, str) and named in TYPES and "name" in header else ""


def read(text: str, name: str) -> Foreign:
    """Return what such a file says, as facts with the tags of where they come from."""
    text, kind = text.replace("\r\n", "\n"), type_of(text, name)
    instructs = not (kind or _is_index(text) or _is_list(text, name.rpartition("/")[2]))
    found = Foreign("instructions" if instructs else "claude-memory")
    if _is_index(text):
        found.notes.append(INDEX_NOTE)
    elif kind:
        body = split(text, name).body.strip()
        if body:
            found.memories.append((Kind.SEMANTIC, {"content": body, "tags": [kind]}))
    else:
        for one in stated(text, name):
            found.memories.append(
                (Kind.SEMANTIC, {"content": one.text, **({"tags": ["instructions"]} if instructs else {})})
            )
    return found


def stated(text: str, name: str) -> list[Stated]:
    """Return the statements of a file, each with its line; none of an index, and no reasons of a memory."""
    text = text.replace("\r\n", "\n")
    if _is_index(text):
        return []
    page = split(text, name)
    found = [Stated(line, _plain(said)) for line, said in _blocks(page.body, page.line)]
    why = _WHY if type_of(text, name) else ()
    return [one for one in found if one.text and not one.text.startswith(why)][:MOST]


def _blocks(body: str, first: int) -> Iterator[tuple[int, str]]:
    """Yield items of lists and paragraphs, their lines joined, with the line of each."""
    begun, said, fence, comment = 0, "", "", False
    for number, line in enumerate([*body.split("\n"), ""], first):
        item = _ITEM.fullmatch(line)
        opens = _FENCE.match(line)
        inside = bool(fence) or comment
        comment = (comment or "<!--" in line) and "-->" not in line
        if opens and not comment:
            fence = "" if fence and opens[1].startswith(fence) else fence or opens[1]
        ends = inside or comment or opens or item or not line.strip() or _NOTHING.match(line)
        if ends and said:
            yield begun, said
            said = ""
        if item and not (inside or comment):
            begun, said = number, item["text"].strip()
        elif not ends:
            begun, said = (begun, f"{said} {line.strip()}") if said else (number, line.strip())


def _plain(text: str) -> str:
    """Return a statement without the marks of what is bold."""
    return _MARKS.sub(lambda found: found[1] or found[2], text)[:CHARS].strip()


def _is_list(text: str, leaf: str) -> bool:
    """Tell whether a file is a MEMORY.md whose statements are items of lists. Entries between lines of § are hermes'."""
    return leaf == "MEMORY.md" and any(map(_ITEM.fullmatch, text.replace("\r\n", "\n").split("\n")))


def _is_index(text: str) -> bool:
    """Tell whether a file only names memories that lie in files of their own."""
    lines = [line for line in text.split("\n") if line.strip() and not line.startswith("#")]
    return bool(lines) and all(map(_INDEX.fullmatch, lines))


# Memories of other programs: what a file of theirs holds, the role memory's own files, hermes' entries.


@dataclass(slots=True)
class Foreign:
    """`refused` pairs a place in the file with the reason. `role` is whom the file says it belongs to, "" where it does not."""

    form: str
    memories: list[tuple[Kind, dict[str, Any]]] = field(default_factory=list)
    books: list[tuple[str, str]] = field(default_factory=list)
    refused: list[tuple[str, str]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    role: str = ""


# The role memory's own memory.json, and its management export.
#
# Source
#     docs/design/origins.md#the-role-memory: members, the export's names for them, and the stray `is_constant` of its tools, which
#     that system never believed; `isConstant` stays in force and the other is told.

ARRAYS = {"episodic": Kind.EPISODIC, "semantic": Kind.SEMANTIC, "traits": Kind.TRAIT, "goals": Kind.GOAL}
_TYPES = {**{kind.value: kind for kind in Kind}, "traits": Kind.TRAIT, "goals": Kind.GOAL}
_RENAMED = {"importanceScore": "relevanceWeight", "emotionScore": "emotionalWeight"}


def is_memory(value: Any) -> bool:
    """Tell whether a value is a memory.json."""
    return isinstance(value, dict) and any(isinstance(value.get(name), list) for name in ARRAYS)


def is_management(value: Any) -> bool:
    """Tell whether a value is a management export."""
    return (
        isinstance(value, list)
        and bool(value)
        and all(isinstance(one, dict) and "type" in one and "content" in one for one in value)
    )


def read_memory(value: dict[str, Any]) -> Foreign:
    """Return the records of a memory.json, as they are."""
    found = Foreign("memory", role=str(value.get("characterUuid") or ""))
    doubtful = 0
    for name, kind in ARRAYS.items():
        records = value.get(name)
        for number, record in enumerate(records if isinstance(records, list) else ()):
            if not isinstance(record, dict):
                found.refused.append((f"{name}[{number}]", "it is no object"))
                continue
            doubtful += "is_constant" in record and record["is_constant"] != record.get("isConstant")
            found.memories.append((kind, record))
    if doubtful:
        found.notes.append(f"{doubtful} records asked for another is_constant than their isConstant; isConstant counts")
    return found


def read_management(value: list[dict[str, Any]]) -> Foreign:
    """Return the records of a management export; what memory.json has no name for is kept under its own."""
    found = Foreign("management")
    for number, one in enumerate(value):
        kind = _TYPES.get(str(one.get("type")))
        if kind is None:
            found.refused.append((f"[{number}]", f"type {str(one.get('type'))[:40]!r} is unknown"))
            continue
        record = {_RENAMED.get(key, key): member for key, member in one.items() if key != "type"}
        if kind in (Kind.TRAIT, Kind.GOAL):
            record = {("value" if key == "content" else key): member for key, member in record.items()}
        moment = one.get("timestamp", mapping(one.get("context")).get("timestamp", one.get("createdAt")))
        if moment is not None:
            record["timestamp"] = moment
        found.memories.append((kind, record))
    return found


def dump_management(memories: list[tuple[Kind, dict[str, Any]]]) -> list[dict[str, Any]]:
    """Return records as a management export."""
    back = {ours: theirs for theirs, ours in _RENAMED.items()}
    exported: list[dict[str, Any]] = []
    for kind, record in memories:
        one: dict[str, Any] = {"id": record.get("id", ""), "type": kind.value}
        one["content"] = record.get("content", record.get("value", ""))
        one |= {back.get(key, key): member for key, member in record.items() if key not in ("id", "content", "value")}
        one.setdefault("keywords", [])
        if "context" not in one and "timestamp" in one:
            one["context"] = {"timestamp": one.pop("timestamp")}
        exported.append(one)
    return exported


# hermes MEMORY.md and USER.md: entries with a line `§` between them.
#
# Source
#     docs/design/origins.md#hermes: joined by exactly a line break, §, a line break; no header, no last line break.

MARK = "\n§\n"


def is_hermes(text: str, name: str) -> bool:
    """Tell whether a text is a file of § entries."""
    return MARK in text.replace("\r\n", "\n") or name.rpartition("/")[2] in ("MEMORY.md", "USER.md")


def read_hermes(text: str, name: str) -> Foreign:
    """Return the entries: what the agent knows as facts, what is in USER.md tagged with it."""
    found = Foreign("hermes")
    leaf = name.rpartition("/")[2]
    tags = ["user"] if leaf == "USER.md" else []
    for entry in dict.fromkeys(one.strip() for one in text.replace("\r\n", "\n").split(MARK)):
        if entry:
            found.memories.append((Kind.SEMANTIC, {"content": entry, **({"tags": tags} if tags else {})}))
    return found
