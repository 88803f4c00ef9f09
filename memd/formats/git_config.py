"""Read values out of a git configuration file, and which merges its attributes name; includes are not followed.

Source
    git-config(1), "Syntax"; gitattributes(5), "Description".
"""

from __future__ import annotations

import re

_SECTION = re.compile(r'\[\s*([A-Za-z0-9.-]+)(?:\s+"((?:[^"\\]|\\.)*)")?\s*\]')
_VALUE = re.compile(r"([A-Za-z][A-Za-z0-9-]*)\s*(?:=\s*(.*))?$", re.DOTALL)
_ESCAPES = {"n": "\n", "t": "\t", "b": "\b"}


def read_git_config(text: str) -> dict[str, str]:
    """Return the last value of each key, as `section.subsection.key`; lines that are none are passed over."""
    found: dict[str, str] = {}
    section = ""
    for line in re.sub(r"\\\r?\n", "", text).splitlines():
        rest = line.strip()
        while head := _SECTION.match(rest):
            inner = re.sub(r"\\(.)", r"\1", head[2]) if head[2] is not None else None
            section = head[1].lower() if inner is None else f"{head[1].lower()}.{inner}"
            rest = rest[head.end() :].strip()
        value = _VALUE.match(rest) if rest[:1] not in ("", "#", ";") else None
        if section and value:
            found[f"{section}.{value[1].lower()}"] = "true" if value[2] is None else _plain(value[2])
    return found


def merge_names(text: str) -> set[str]:
    """Return the merge drivers that a file of attributes names; a line that begins with # is a comment."""
    lines = [line.split() for line in text.splitlines() if line.strip()[:1] not in ("", "#")]
    return {one.removeprefix("merge=") for words in lines for one in words[1:] if one.startswith("merge=")}


def _plain(value: str) -> str:
    """Return a value without its quotes, escapes and comment; blanks outside quotes go from the end."""
    said: list[str] = []
    quoted, kept, at = False, 0, 0
    while at < len(value):
        char = value[at]
        if char == "\\" and at + 1 < len(value):
            at += 1
            said.append(_ESCAPES.get(value[at], value[at]))
            kept = len(said)
        elif char == '"':
            quoted = not quoted
            kept = len(said)
        elif char in "#;" and not quoted:
            break
        else:
            said.append(char)
            if quoted or not char.isspace():
                kept = len(said)
        at += 1
    return "".join(said[:kept])
