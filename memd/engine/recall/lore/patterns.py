"""Regular expressions of people we do not know, which cannot hang the daemon.

A key between slashes is JavaScript's. What the linear-time engine can say runs there; what it cannot (looking around,
back references) runs with a deadline, and a pattern that once ran into it matches nothing from then on.

Source
    ECMA-262 for syntax and flags; RE2's syntax page for what it lacks.
"""

from __future__ import annotations

import re as spelling
from functools import lru_cache
from typing import Any

import re2
import regex

DEADLINE_S = 0.02
LATE = 3  # times a pattern may run into the deadline before it is given up
LINEAR_CHARS, SLOW_CHARS = 20_000, 5000  # of a window, the newest first, that patterns look at
LONGEST_CHARS = 2000
MEMORY_BYTES = 1 << 21

_DELIMITED = spelling.compile(r"/([\w\W]+?)/([gimsuy]*)\Z")
# What JavaScript does not know: other groups, verbs, possessive and fuzzy quantifiers, quantified assertions.
_FOREIGN = spelling.compile(r"\(\?(?![:=!]|<[=!A-Za-z_$])|\(\*|[*+?}]\+|[\^$][*+?{]")
_BARE = spelling.compile(r"(\\[bB])|\\.|\[(?:\\.|[^\]\\])*\]", spelling.DOTALL)
_LITERAL_BRACE = spelling.compile(r"(?<!\\)\{(?!\d+(?:,\d*)?\})")
_PAIR = spelling.compile(r"\\u([dD][89abAB][0-9A-Fa-f]{2})\\u([dD][c-fC-F][0-9A-Fa-f]{2})")
_ESCAPE = spelling.compile(
    r"\\([pP]\{[\w=]+\})|\\k<(\w+)>|\\u\{([0-9A-Fa-f]{1,6})\}|\\u([0-9A-Fa-f]{4})|\\x([0-9A-Fa-f]{2})|\\c([A-Za-z])|\\(.)|(\[\^\])|(\[\])|(\[)|(\])|(\$)|(\.)",
    spelling.DOTALL,
)
_SPACES = r"\t\n\v\f\r \x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff}"
_NOT_WORD = r"\x00-/:-@\[-\^`{-\U0010ffff"
_NOT_DIGIT = r"\x00-/:-\U0010ffff"
_LINE_ENDS = r"\n\r\x{2028}\x{2029}"


class Pattern:
    """A compiled key. `has` never raises and never takes long; one that ran late three times matches nothing any more."""

    __slots__ = ("_late", "_linear", "_slow", "source")

    def __init__(self, source: str, linear: Any, slow: Any) -> None:
        self.source = source
        self._linear = linear
        self._slow = slow
        self._late = 0

    @property
    def is_late(self) -> bool:
        """Whether it was given up."""
        return self._late >= LATE

    def has(self, text: str) -> bool:
        """Tell whether the pattern is found in the text."""
        if self._linear is not None:
            return self._linear.search(text[:LINEAR_CHARS]) is not None
        if self.is_late:
            return False
        try:
            return self._slow.search(text[:SLOW_CHARS], timeout=DEADLINE_S) is not None
        except TimeoutError:
            self._late += 1
            return False


@lru_cache(maxsize=4096)
def pattern_of(key: str) -> Pattern | None:
    """Return the pattern of a key written /so/i, or None where the key is plain text."""
    found = _DELIMITED.match(key) if key.startswith("/") and len(key) <= LONGEST_CHARS else None
    if found is None or _has_inner_slash(found[1]):
        return None
    source, flags = found[1], found[2]
    if len(set(flags)) < len(flags) or _is_foreign(source):
        return None
    source = _PAIR.sub(lambda pair: _joined(int(pair[1], 16), int(pair[2], 16)), source.replace("\\/", "/"))
    return _compiled(key, _LITERAL_BRACE.sub(r"\\{", source) if "u" not in flags else source, flags)


def _is_foreign(source: str) -> bool:
    """Tell whether a source, its escapes and classes aside, has what JavaScript refuses."""
    return _FOREIGN.search(_BARE.sub(lambda found: "^" if found[1] else "x", source)) is not None


def _joined(high: int, low: int) -> str:
    """Return the character that two halves of UTF-16 are."""
    return chr(0x10000 + (high - 0xD800) * 0x400 + low - 0xDC00)


def _has_inner_slash(source: str) -> bool:
    escaped = False
    for char in source:
        if char == "/" and not escaped:
            return True
        escaped = char == "\\" and not escaped
    return escaped  # a source cannot end with the backslash that would have escaped its closing slash


def _compiled(key: str, source: str, flags: str) -> Pattern | None:
    modes = "".join(one for one in "ims" if one in flags)
    prefix = f"(?{modes})" if modes else ""
    anchor = r"\A" if "y" in flags else ""
    try:
        linear = re2.compile(f"{prefix}{anchor}(?:{_translated(source, flags, linear=True)})", options=_options())
    except (re2.error, ValueError, OverflowError):
        linear = None
    if linear is not None:
        return Pattern(key, linear, None)
    try:
        slow = regex.compile(f"{prefix}{anchor}(?:{_translated(source, flags, linear=False)})", regex.V0)
    except (regex.error, ValueError, OverflowError, RecursionError, KeyError, IndexError):
        return None
    return Pattern(key, None, slow)


def _options() -> Any:
    options = re2.Options()
    options.log_errors = False
    options.max_mem = MEMORY_BYTES
    return options


def _translated(source: str, flags: str, *, linear: bool) -> str:  # noqa: C901 - one line a kind of escape
    """Return a JavaScript pattern in the words of the engine that will run it."""
    inside = False

    def put(found: spelling.Match[str]) -> str:
        nonlocal inside
        kind, name, wide, four, two, control, escaped, anything, nothing, opens, closes, dollar, dot = found.groups()
        if kind:
            return _property(kind, flags, linear=linear)
        if name:
            return _back_reference(name, linear=linear)
        if wide or four or two:
            return _char(int(wide or four or two, 16), linear=linear)
        if control:
            return _char(ord(control) % 32, linear=linear)
        if escaped:
            return _escaped(escaped, inside=inside, linear=linear)
        if anything and not inside:
            return r"[\x00-\x{10ffff}]" if linear else r"[\s\S]"
        if nothing and not inside:
            return r"[^\x00-\x{10ffff}]" if linear else r"(?!)"
        if opens:
            literal, inside = inside, True
            return r"\[" if literal else "["
        if closes:
            inside = False
            return "]"
        if dollar and not inside:
            return "$" if "m" in flags else r"\z" if linear else r"\Z"
        if dot and not inside and "s" not in flags:
            return _spelled(f"[^{_LINE_ENDS}]", linear=linear)
        return found[0]

    return _ESCAPE.sub(put, source)


def _property(kind: str, flags: str, *, linear: bool) -> str:
    """Return a property of Unicode, which JavaScript knows with the flag u alone."""
    if "u" not in flags:
        return kind
    return "\\" + (kind.replace("Script=", "").replace("sc=", "") if linear else kind)


def _back_reference(name: str, *, linear: bool) -> str:
    if linear:
        raise ValueError("a back reference is not linear")
    return f"(?P={name})"


def _escaped(char: str, *, inside: bool, linear: bool) -> str:
    if char == "s":
        return _spelled(_SPACES if inside else f"[{_SPACES}]", linear=linear)
    if char == "S" and not inside:
        return _spelled(f"[^{_SPACES}]", linear=linear)
    if char in "wWdDbB" and not linear:
        return {
            "w": "A-Za-z0-9_" if inside else "[A-Za-z0-9_]", "W": _NOT_WORD if inside else "[^A-Za-z0-9_]",
            "d": "0-9" if inside else "[0-9]", "D": _NOT_DIGIT if inside else "[^0-9]",
            "b": r"\x08" if inside else r"(?a:\b)", "B": r"(?a:\B)",
        }[char]  # fmt: skip
    if char in "wWdDSbBfnrtv" or char.isdigit() or (char == "k" and not linear):
        return "\\" + char
    if char.isalpha():
        return char
    return "\\" + char if char.isascii() else char


def _char(point: int, *, linear: bool) -> str:
    if point > 0x10FFFF:
        raise ValueError("no such character")
    return f"\\x{{{point:x}}}" if linear else f"\\U{point:08x}"


def _spelled(text: str, *, linear: bool) -> str:
    if linear:
        return text
    return spelling.sub(r"\\x\{([0-9a-f]+)\}", lambda found: f"\\u{int(found[1], 16):04x}", text)
