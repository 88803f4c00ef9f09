"""Regular expressions that are compiled when they are first used: `from memd.text import expressions as re`; and a search in a
long text, some thousand characters at a time.

To compile all that memd has takes half a second, which neither a start nor a command that asks for none of them should wait for.
Only `compile` is another than that of the standard library's `re`. It works later: a fault in an expression is raised at the first
use, not at the import. And what is written in simplified characters finds the traditional ones as well.

A call of `re` keeps the interpreter to itself until it ends, in whatever thread it runs. In slices, other threads have
their turn between two calls; what lies across a border is found whole, because every slice reaches over the next.

Units
    Characters.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from re import DOTALL, IGNORECASE, MULTILINE, Match, Pattern, escape, findall, fullmatch, match, search, split, sub
from typing import Any, cast

SLICE_CHARS = 4096
REACH_CHARS = 512  # over the border: longer than what a pattern needs to begin with, and to look at behind it
LONGEST = 32_768  # of one match


__all__ = [
    "DOTALL", "IGNORECASE", "MULTILINE", "Expression", "Match", "Pattern", "compile", "escape", "findall", "fullmatch", "match",
    "search", "split", "sub",
]  # fmt: skip
_POSSESSIVE_GROUP = re.compile(r"\)(?:[*+?]|\{[\d,]*\})\+")
_METHODS = (
    "findall",
    "finditer",
    "fullmatch",
    "match",
    "search",
    "split",
    "sub",
    "subn",
    "flags",
    "groupindex",
    "groups",
)


class Expression:
    """What stands for a pattern; at the first use it takes the compiled one's methods for its own, so that each later use costs nothing.

    It is no `re.Pattern`: the functions of `re` take none, its methods do what they do.
    """

    __slots__ = ("_flags", "pattern", *_METHODS)

    def __init__(self, source: str, flags: int) -> None:
        self.pattern, self._flags = source, flags

    def __getattr__(self, name: str) -> Any:
        """Compile it: nothing has been asked of it yet. Raises re.error where it cannot be compiled."""
        if name not in _METHODS:
            raise AttributeError(name)
        source = self.pattern
        if not source.isascii():
            from memd.text.simplified import in_either  # noqa: PLC0415 - what has no Chinese in it needs no table

            source = in_either(source)
        compiled = compiled_as_meant(source, self._flags)
        for each in _METHODS:
            setattr(self, each, getattr(compiled, each))
        return getattr(compiled, name)


GOES_BACK = sys.version_info < (3, 11, 5)  # into a possessive group: CPython gh-106052


def compiled_as_meant(source: str, flags: int = 0, *, goes_back: bool = GOES_BACK) -> Pattern[str]:
    """Return a compiled pattern. `goes_back`: this Python goes back into a possessive group, not into an atomic one, which means
    the same: each becomes one."""
    if not goes_back or not _POSSESSIVE_GROUP.search(source):
        return re.compile(source, flags)
    from re import _compiler, _parser  # type: ignore[attr-defined]  # noqa: PLC0415 - only there

    read = _parser.parse(source, flags)
    _make_atomic(read)
    compiled: Pattern[str] = _compiler.compile(read, flags)
    return compiled


def _make_atomic(read: Any) -> None:
    """Make each possessive repetition of a read pattern an atomic group of a greedy one."""
    from re import _constants, _parser  # type: ignore[attr-defined]  # noqa: PLC0415 - as above

    if not isinstance(read, _parser.SubPattern):
        for one in read if isinstance(read, list | tuple) else ():
            _make_atomic(one)
        return
    for at, (kind, given) in enumerate(read.data):
        _make_atomic(given)
        if kind is _constants.POSSESSIVE_REPEAT:
            greedy = _parser.SubPattern(read.state, [(_constants.MAX_REPEAT, given)])
            read.data[at] = (_constants.ATOMIC_GROUP, greedy)


def compile(source: str, flags: int = 0) -> Pattern[str]:  # noqa: A001  in the place of re.compile
    """Return a pattern that is compiled when it is first used."""
    return cast("Pattern[str]", Expression(source, flags))


def matches_in(pattern: re.Pattern[str], text: str, reach: int = REACH_CHARS) -> Iterator[re.Match[str]]:
    """Yield what `pattern.finditer(text)` would, no call looking at more than a slice and its reach.

    A match that ends where its call had to stop is matched once more with room for LONGEST characters. The pattern may
    not match the empty text.
    """
    at, size = 0, len(text)
    if size <= SLICE_CHARS:
        yield from pattern.finditer(text)
        return
    while at < size:
        border = at + SLICE_CHARS
        stop = min(size, border + reach)
        for hit in pattern.finditer(text, at, stop):
            if hit.start() >= border:
                break
            whole = hit if hit.end() < stop or stop == size else pattern.match(text, hit.start(), stop + LONGEST)
            if whole is not None:
                yield whole
                at = whole.end()
        at = max(at, border)


def is_in(pattern: re.Pattern[str], text: str, reach: int = REACH_CHARS) -> bool:
    """Tell whether a pattern is found anywhere in a text, in calls of at most a slice and its reach."""
    size = len(text)
    if size <= SLICE_CHARS:
        return pattern.search(text) is not None
    starts = range(0, max(size, 1), SLICE_CHARS)
    return any(pattern.search(text, at, min(size, at + SLICE_CHARS + reach)) for at in starts)


def without(pattern: re.Pattern[str], text: str, reach: int = REACH_CHARS) -> str:
    """Return a text without what a pattern matches in it, in calls of at most a slice and its reach."""
    parts, at = [], 0
    for hit in matches_in(pattern, text, reach):
        parts.append(text[at : hit.start()])
        at = hit.end()
    return "".join([*parts, text[at:]]) if at else text
