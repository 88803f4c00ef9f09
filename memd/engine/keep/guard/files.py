"""Which files are memory, what a text in one of them says, fact by fact, and what patches and code write there."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any, NamedTuple

from memd.formats.role_memory import read_inline
from memd.model.scan import Meant, Write
from memd.text import expressions as re
from memd.text.expressions import is_in, without

LONGEST = 200_000  # characters that are read of a call's text
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


# Writes to memory files in a line of code: Python, JavaScript, Ruby, Perl, PHP, PowerShell.
#
# Code is not run and not parsed: it writes a memory file where a literal names one and a call that writes stands beside
# it. What it writes is in its other literals.

_WRITES = re.compile(
    r"\.write(?:lines|_text|_bytes|String)?\s{0,40}\(|\bwrite(?:File|FileSync|TextFile\w{0,40}|AllText|AllLines)?\s{0,40}\(|append(?:File|FileSync|AllText|AllLines|_text)\s{0,40}\(|\bdump\s{0,40}\("
    r"|\bputs\b|\bfile_put_contents\b|\bfwrite\b|\bprint\b[^\n]{0,300}\bfile\s{0,9}=|\bprint\s{1,40}(?:\{\s{0,9}\$\w{1,64}\s{0,9}\}|[A-Z]{1,64}\b|\$\w{1,64})\s{1,40}[\"'$]|\b(?:Add|Set)-Content\b|\bOut-File\b|\bTee-Object\b|File\.(?:write|open)\b|\bnew-item\b[^\n]{0,300}-value|<<",
    re.IGNORECASE,
)
_PRINTS = re.compile(
    r"(?:sys\.|process\.)?\b(?:stdout|stderr)\.write\s{0,40}\(|json\.dump\([^()]{0,300},\s{0,40}sys\.std\w{1,9}|(?<![.\w])puts\b",
    re.IGNORECASE,
)
_FOR_WRITING = re.compile(
    r"[\"'](?:[aw]x?b?\+?t?|r\+|>>?|ab|wb|at|wt)[\"']|\bmode\s{0,40}=|>>?:|[\"']<?>>?[^\"']", re.IGNORECASE
)
_MODE = re.compile(
    r"(?:[rawx]{1,2}b?\+?t?|>>?|utf-?8(?:-sig)?|ascii|gbk|end|json|fs|node:fs|fs/promises|os|io|pathlib|\\n|\\n\\n|\n+|\s*)",
    re.IGNORECASE,
)
_PARTS = re.compile(r"(?P<quote>[\"'])\s{0,200}+\+\s{0,200}+(?P=quote)")  # a literal in two parts
_WORD = re.compile(r"[^\s'\"`;,()]++")
_OPENS = re.compile(r"\bopen\s{0,40}\(|File\.open")
_SURELY = re.compile(r"write_text|writeFile|appendFile|File\.write|AppendAll|WriteAll|-Content|Out-File")
_IMPORTS = re.compile(r"(?:require|import|from|use)\s*\(?\s*$")
_CODED = re.compile(r"(?:encoding|Encoding|newline|errors|-Encoding)\s*[=:]?\s*$")
_BLANK = re.compile(r"\s")
MOST_PATHS = 8  # memory files that one piece of code is said to write


def writes_of(code: str, known: Mapping[str, str], folder: str = "") -> Iterator[Write]:
    """Yield the write that a piece of code makes to a memory file, with its literals as text; at most one a file.

    `folder` is where the code runs, as far as it is known.
    """
    code = _PARTS.sub("", expand(code, known))
    prefix = f"{folder}/" if folder else ""
    literals = [(one, unescape(one.said)) for one in literals_in(code)]
    named = (said if is_memory_file(said) else prefix + said for _, said in literals if not _BLANK.search(said.strip()))
    paths = list(islice(dict.fromkeys(one for one in named if is_memory_file(one)), MOST_PATHS))
    if not paths:
        bare = (match[0] for match in _WORD.finditer(code) if is_memory_file(match[0]))
        paths = list(islice(dict.fromkeys(bare), MOST_PATHS))
    if not paths or not _writes(code):
        return
    text = "\n".join(said.strip("\n") for one, said in literals if _is_text(said, code, one))
    for path in paths:
        yield Write(path, code if path.endswith(".json") else text)


def _writes(code: str) -> bool:
    code = without(_PRINTS, code)
    if not is_in(_WRITES, code):
        return False
    reads_only = is_in(_OPENS, code) and not is_in(_FOR_WRITING, code)
    return not reads_only or is_in(_SURELY, code)


def _is_text(said: str, code: str, literal: Literal) -> bool:
    """Tell whether a literal can be what is written: no path, no mode, no name of a module or of a member."""
    if (
        is_memory_file(said)
        or _MODE.fullmatch(said)
        or (said.startswith("-") and said[1:].isascii() and said[1:].isalpha())
        or not any(map(str.isalnum, said))
    ):
        return False
    before = code[max(0, literal.start - 24) : literal.start]
    if _IMPORTS.search(before) or (before.endswith("[") and code[literal.stop : literal.stop + 1] == "]"):
        return False
    return not _CODED.search(before)


# The quoted strings of a piece of code, whatever its language: Python, JavaScript, Ruby, Perl, PHP, PowerShell, jq.
#
# A quote that is opened and never closed is none. Cost is linear: where one quote of a kind finds no end, those of its
# kind up to there need not look for theirs.

_QUOTE = re.compile(r"\"\"\"|'''|[\"'`«]")
_BODY = {quote: re.compile(rf"(?:[^{quote}\\]++|\\.)*+") for quote in "\"'`"}


class Literal(NamedTuple):
    """A quoted string: where it stands with its quotes, and what is between them, as it is written."""

    start: int
    stop: int
    said: str


def literals_in(code: str, quotes: str = "\"'`") -> Iterator[Literal]:
    """Yield the strings of a piece of code in order; `quotes`: those it knows, three in a row included."""
    barred: dict[str, int] = {}  # up to where a quote of a kind has no end
    at = 0
    while match := _QUOTE.search(code, at):
        start, at, mark = match.start(), match.start() + 1, match[0]
        if mark[0] not in quotes:
            continue
        for quote in (mark, mark[0]) if len(mark) == 3 else (mark,):
            stop = -1 if start < barred.get(quote, 0) else _end(code, start, quote, barred)
            if stop >= 0:
                yield Literal(start, stop, code[start + len(quote) : stop - (len(quote))])
                at = stop
                break


def _end(code: str, start: int, quote: str, barred: dict[str, int]) -> int:
    """Return where a string ends, its quote included; -1 where it does not."""
    begin = start + len(quote)
    if len(quote) == 3 or quote == "«":
        found = code.find("»" if quote == "«" else quote, begin)
        if found < 0:
            barred[quote] = len(code)
        return found + len(quote) if found >= 0 else -1
    body = _BODY[quote].match(code, begin)
    stop = body.end() if body else begin
    if code.startswith(quote, stop):
        return stop + 1
    barred[quote] = max(stop, begin)
    return -1


# What quotes and dollar signs stand for.

_VARIABLE = re.compile(r"\$\{(\w{1,200}+)(?:[:%#/^,-][^}]{0,400}+)?\}|\$(\w{1,200}+)")
_ESCAPE = re.compile(r"\\(n|t|r|\\|'|\"|0?[0-7]{1,3}|x[0-9a-fA-F]{1,2}|u[0-9a-fA-F]{4})")
_SIMPLE = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\", "'": "'", '"': '"'}


def expand(text: str, known: Mapping[str, str]) -> str:
    """Put in the variables that are known; others stay as written."""
    if "$" not in text:
        return text[:LONGEST]
    parts, at, size = [], 0, 0
    for match in _VARIABLE.finditer(text[:LONGEST]):
        said = known.get(match[1] or match[2])
        if said is not None:
            parts += [text[at : match.start()], said]
            at, size = match.end(), size + len(said)
            if size > LONGEST:
                break
    return "".join([*parts, text[at:]])[:LONGEST]


def unescape(text: str) -> str:
    """Undo the escapes that echo -e, printf and $'...' know."""

    def one(match: re.Match[str]) -> str:
        said = match[1]
        if said in _SIMPLE:
            return _SIMPLE[said]
        code = int(said[1:], 16) if said[0] in "xu" else int(said, 8)
        return "\ufffd" if 0xD800 <= code <= 0xDFFF else chr(code)

    return _ESCAPE.sub(one, text)
