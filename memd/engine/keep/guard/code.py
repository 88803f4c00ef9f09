"""Writes to memory files in a line of code: Python, JavaScript, Ruby, Perl, PHP, PowerShell.

Code is not run and not parsed: it writes a memory file where a literal names one and a call that writes stands beside
it. What it writes is in its other literals.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from memd.engine.keep.guard.files import is_memory_file
from memd.engine.keep.guard.shell import expand, unescape
from memd.model.guard import Write

_LITERAL = re.compile(
    r"\"\"\"(?P<a>[\s\S]*?)\"\"\"|'''(?P<b>[\s\S]*?)'''|\"(?P<c>(?:\\.|[^\"\\])*)\"|'(?P<d>(?:\\.|[^'\\])*)'|`(?P<e>(?:\\.|[^`\\])*)`"
)
_WRITES = re.compile(
    r"\.write(?:lines|_text|_bytes|String)?\s*\(|\bwrite(?:File|FileSync|TextFile\w*|AllText|AllLines)?\s*\(|append(?:File|FileSync|AllText|AllLines|_text)\s*\(|\bdump\s*\("
    r"|\bputs\b|\bfile_put_contents\b|\bfwrite\b|\bprint\b[^\n]{0,300}\bfile\s*=|\bprint\s+(?:\{\s*\$\w+\s*\}|[A-Z]+\b|\$\w+)\s+[\"'$]|\b(?:Add|Set)-Content\b|\bOut-File\b|\bTee-Object\b|File\.(?:write|open)\b|\bnew-item\b[^\n]{0,300}-value|<<",
    re.IGNORECASE,
)
_PRINTS = re.compile(
    r"(?:sys\.|process\.)?\b(?:stdout|stderr)\.write\s*\(|json\.dump\([^()]{0,300},\s*sys\.std\w+|(?<![.\w])puts\b",
    re.IGNORECASE,
)
_FOR_WRITING = re.compile(
    r"[\"'](?:[aw]x?b?\+?t?|r\+|>>?|ab|wb|at|wt)[\"']|\bmode\s*=|>>?:|[\"']<?>>?[^\"']", re.IGNORECASE
)
_MODE = re.compile(
    r"(?:[rawx]{1,2}b?\+?t?|>>?|utf-?8(?:-sig)?|ascii|gbk|end|json|fs|node:fs|fs/promises|os|io|pathlib|\\n|\\n\\n|\n+|\s*)",
    re.IGNORECASE,
)
_PARTS = re.compile(r"(?P<quote>[\"'])\s*\+\s*(?P=quote)")  # a literal in two parts


def writes_of(code: str, known: Mapping[str, str], folder: str = "") -> Iterator[Write]:
    """Yield the write that a piece of code makes to a memory file, with its literals as text; at most one a file.

    `folder` is where the code runs, as far as it is known.
    """
    code = _PARTS.sub("", expand(code, known))
    prefix = f"{folder}/" if folder else ""
    literals = [(match, _said(match)) for match in _LITERAL.finditer(code)]
    named = (
        said if is_memory_file(said) else prefix + said for _, said in literals if not re.search(r"\s", said.strip())
    )
    paths = dict.fromkeys(one for one in named if is_memory_file(one))
    bare = [word for word in re.findall(r"[^\s'\"`;,()]+", code) if is_memory_file(word)] if not paths else []
    paths.update(dict.fromkeys(bare))
    if not paths or not _writes(code):
        return
    for path in paths:
        if path.endswith(".json"):
            yield Write(path, code)
        else:
            texts = [said for match, said in literals if _is_text(said, code, match)]
            yield Write(path, "\n".join(text.strip("\n") for text in texts))


def _writes(code: str) -> bool:
    code = _PRINTS.sub("", code)
    calls = _WRITES.search(code)
    if not calls:
        return False
    reads_only = re.search(r"\bopen\s*\(|File\.open", code) and not _FOR_WRITING.search(code)
    return not (
        reads_only
        and not re.search(r"write_text|writeFile|appendFile|File\.write|AppendAll|WriteAll|-Content|Out-File", code)
    )


def _said(match: re.Match[str]) -> str:
    return unescape(next(group for group in match.groups() if group is not None))


def _is_text(said: str, code: str, match: re.Match[str]) -> bool:
    """Tell whether a literal can be what is written: no path, no mode, no name of a module or of a member."""
    if (
        is_memory_file(said)
        or _MODE.fullmatch(said)
        or (said.startswith("-") and said[1:].isascii() and said[1:].isalpha())
        or not any(map(str.isalnum, said))
    ):
        return False
    before = code[max(0, match.start() - 24) : match.start()]
    if re.search(r"(?:require|import|from|use)\s*\(?\s*$", before) or (
        re.search(r"\[$", before) and code[match.end() : match.end() + 1] == "]"
    ):
        return False
    return not re.search(r"(?:encoding|Encoding|newline|errors|-Encoding)\s*[=:]?\s*$", before)
