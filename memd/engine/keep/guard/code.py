"""Writes to memory files in a line of code: Python, JavaScript, Ruby, Perl, PHP, PowerShell.

Code is not run and not parsed: it writes a memory file where a literal names one and a call that writes stands beside
it. What it writes is in its other literals.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import NamedTuple

from memd.engine.keep.guard.files import is_memory_file
from memd.engine.keep.guard.shell import expand, unescape
from memd.model.scan import Write
from memd.text import expressions as re
from memd.text.expressions import is_in, without

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
