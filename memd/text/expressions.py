"""Regular expressions that are compiled when they are first used: `from memd.text import expressions as re`.

To compile all that memd has takes half a second, which neither a start nor a command that asks for none of them should wait for.
Only `compile` is another than that of the standard library's `re`, and only in when it works: a fault in an expression is raised at
the first use, not at the import.
"""

from __future__ import annotations

import re
from re import DOTALL, IGNORECASE, MULTILINE, Match, Pattern, escape, findall, fullmatch, match, search, split, sub
from typing import Any, cast

__all__ = [
    "DOTALL", "IGNORECASE", "MULTILINE", "Expression", "Match", "Pattern", "compile", "escape", "findall", "fullmatch", "match",
    "search", "split", "sub",
]  # fmt: skip
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
        compiled = re.compile(self.pattern, self._flags)
        for each in _METHODS:
            setattr(self, each, getattr(compiled, each))
        return getattr(compiled, name)


def compile(source: str, flags: int = 0) -> Pattern[str]:  # noqa: A001  in the place of re.compile
    """Return a pattern that is compiled when it is first used."""
    return cast("Pattern[str]", Expression(source, flags))
