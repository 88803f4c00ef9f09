"""What must stand in a text for an expression to be found in it: literals, of which each of a few sets has at least one there.

To look for a literal costs a hundredth of what an expression takes that tries at every character; most texts have none of
what most rules need. Read from the expression itself, so that nobody keeps two lists. Where Python's own reader of
expressions is not to be had, nothing is known to be needed, and every expression is tried.

Units
    Literals are casefolded; DIGIT stands for any digit.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

try:
    from re import _parser as reader  # type: ignore[attr-defined]
except ImportError:  # pragma: no cover  a Python that has it elsewhere
    reader = None

DIGIT = "\\d"
MOST, LARGEST = 5, 40  # sets that are looked at, and literals of one
_SET = 12  # characters of a class that are taken for as many literals

Needs = tuple[tuple[str, ...], ...]


def needs_of(pattern: str) -> Needs:
    """Return sets of literals of which a text that has the pattern, in any case, has at least one each; () where none is known."""
    if reader is None:
        return ()
    found = _of_row(reader.parse(pattern))
    kept = [one for one in dict.fromkeys(found) if len(one) <= LARGEST]
    kept = [one for one in kept if " " not in one]
    kept.sort(key=lambda one: (one != frozenset((DIGIT,)), -min(map(len, one)), len(one)))
    return tuple(tuple(sorted(one)) for one in kept[:MOST])


class Held:
    """What a text has of literals; each is looked for once."""

    def __init__(self, text: str, *, digits: bool) -> None:
        # In any case: the dotless i and I with a dot are taken for an i, as expressions do.
        self._text, self._known = text.casefold().replace("ı", "i").replace("\u0307", ""), {DIGIT: digits}

    def has(self, needs: Needs) -> bool:
        """Tell whether at least one literal of each set stands in the text."""
        return all(any(map(self._stands, one)) for one in needs)

    def _stands(self, literal: str) -> bool:
        known = self._known.get(literal)
        if known is None:
            known = self._known[literal] = literal in self._text
        return known


def _of_row(row: Iterable[Any]) -> list[frozenset[str]]:
    """Return the sets that what stands in a row needs, runs of characters as one literal."""
    found: list[frozenset[str]] = []
    run = ""
    for code, given in [*row, (None, None)]:
        if code is not None and code.name == "LITERAL":
            run += chr(given)
            continue
        if run:
            found.append(frozenset((_plain(run),)))
            run = ""
        if code is not None:
            found += _of_one(code.name, given)
    return [one for one in found if all(one)]


def _of_one(name: str, given: Any) -> list[frozenset[str]]:
    """Return the sets that one part of an expression needs."""
    if name == "SUBPATTERN":
        return _of_row(given[-1])
    if name == "ATOMIC_GROUP":
        return _of_row(given)
    if name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
        return _of_row(given[2]) if given[0] else []
    if name == "BRANCH":
        best = [max(sets, key=lambda one: min(map(len, one)), default=None) for sets in map(_of_row, given[1])]
        return [frozenset().union(*(one for one in best if one))] if all(best) else []
    return [some] if name == "IN" and (some := _of_class(given)) else []


def _of_class(given: Iterable[tuple[Any, Any]]) -> frozenset[str]:
    """Return the characters of a class as literals; none where they are many, or those that it has not."""
    found: set[str] = set()
    for code, value in given:
        if code.name == "LITERAL":
            found.add(_plain(chr(value)))
        elif code.name == "RANGE" and value[1] - value[0] < _SET:
            found |= {_plain(chr(one)) for one in range(value[0], value[1] + 1)}
        elif code.name == "CATEGORY" and value.name == "CATEGORY_DIGIT":
            found.add(DIGIT)
        else:
            return frozenset()
    return frozenset(found)


def _plain(literal: str) -> str:
    return literal.casefold().replace("\u0307", "")
