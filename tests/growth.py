"""What a scanner does with the worst texts: a search for units that cost it much when they are repeated.

The units are made of the scanner's own words: of every regular expression in its modules come the shortest texts that
its branches match, and the beginnings of these, which make an engine hope and turn back.
"""

from __future__ import annotations

import random
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from heapq import nlargest
from time import process_time
from types import ModuleType
from typing import Any, NamedTuple, cast

from memd.text.expressions import Expression

parser: Any = re._parser  # type: ignore[attr-defined]
Scanner = Callable[[str], object]

EVERYWHERE = ("'", '"', '\\"', "\\", "(", ")", "[", "{", "}", "<", ">", "`", "$(", "\n", " ", "\t", "-", "a", "A1", "9", ".",
              ",", "=", ":", "/", "@", "a ", "a\n", "的", "。", "，", "\u200b", "\u0301", "&lt;", "aA1-", "a.", "- ", "# ")  # fmt: skip
SHORT = 40  # characters of a unit
LONG_S = 0.1  # of runs that took so long together no other is needed to know what one costs


class Growth(NamedTuple):
    """CPU seconds for a repeated unit at n and 4n characters."""

    unit: str
    seconds: tuple[float, float]

    @property
    def ratio(self) -> float:
        """How many times as much four times the text costs: 4 where the cost is linear, 16 where it is square."""
        return self.seconds[1] / self.seconds[0]


def samples(pattern: re.Pattern[str]) -> set[str]:
    """Return short texts that the branches of a pattern match, and their beginnings."""
    found: set[str] = set()
    for text in _written(parser.parse(pattern.pattern, pattern.flags & ~re.UNICODE), 60):
        found |= {text[:SHORT], text[: max(1, len(text) // 2)], text[:-1]}
    return {text for text in found if text}


def _written(tree: Any, most: int) -> list[str]:
    """Return up to so many texts, one for each way through a parsed pattern, each part as short as it may be."""
    texts = [""]
    for name, given in tree:
        parts = _parts(str(name), given, most) or [""]
        if len(texts) == 1 or len(parts) == 1:
            texts = [text + part for text in texts for part in parts][:most]
        else:
            texts = [
                texts[at % len(texts)] + parts[at % len(parts)] for at in range(min(most, max(len(texts), len(parts))))
            ]
    return texts


def _parts(name: str, given: Any, most: int) -> list[str]:
    match name:
        case "LITERAL":
            return [chr(given)]
        case "NOT_LITERAL":
            return ["a" if given != ord("a") else "b"]
        case "ANY":
            return ["a"]
        case "IN":
            return [_of_class(given)]
        case "BRANCH":
            return [text for branch in given[1] for text in _written(branch, most)][:most]
        case "SUBPATTERN":
            return _written(given[3], most)
        case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
            return [text * max(1, min(given[0], 3)) for text in _written(given[2], most)]
        case "ATOMIC_GROUP":
            return _written(given, most)
    return [""]


def _of_class(given: Any) -> str:
    kinds = {"CATEGORY_DIGIT": "7", "CATEGORY_SPACE": " ", "CATEGORY_WORD": "w", "CATEGORY_NOT_SPACE": "x"}
    if str(given[0][0]) == "NEGATE":
        barred = {chr(value) for name, value in given if str(name) == "LITERAL"}
        return next(char for char in "a1 -x" if char not in barred)
    name, value = given[0]
    return (
        chr(value) if str(name) == "LITERAL" else chr(value[0]) if str(name) == "RANGE" else kinds.get(str(value), "-")
    )


def units_of(modules: Iterable[ModuleType], most: int, seed: int = 15) -> list[str]:
    """Return units to repeat: of the patterns of some modules, alone and joined, and of what is hostile everywhere."""
    patterns = {value.pattern: value for module in modules for value in _patterns(vars(module).values())}
    own = sorted({text for pattern in patterns.values() for text in samples(pattern)})
    chance = random.Random(seed)
    chosen = chance.sample(own, min(len(own), most * 2 // 3))
    joined = [chance.choice(own or EVERYWHERE) + chance.choice(EVERYWHERE) for _ in range(most // 3)] if own else []
    return [*EVERYWHERE, *chosen, *joined]


def _patterns(values: Iterable[Any]) -> Iterator[re.Pattern[str]]:
    for value in values:
        if isinstance(value, (re.Pattern, Expression)):
            yield cast("re.Pattern[str]", value)
        elif isinstance(value, (tuple, list)):
            yield from _patterns(value)


@cache
def compile_all() -> None:
    """Compile what is compiled at its first use, which would else count as what a text costs."""
    for name, module in [*sys.modules.items()]:
        if name.startswith("memd."):
            assert all(one.groups >= 0 for one in _patterns(vars(module).values()))


def worst(scanner: Scanner, units: Sequence[str], prefixes: Sequence[str], chars: int, most: int) -> list[Growth]:
    """Return the units that cost a scanner most, with what they cost at `chars` and four times as many.

    A busy machine only adds. What is short counts as the least of three runs, so that nothing square passes; what is long
    is run once, and a caller looks again at what seems square.
    """
    compile_all()
    costs = {}
    for unit in units:
        for prefix in prefixes:
            if unit:
                costs[prefix, unit] = _seconds(scanner, prefix, unit, chars // 2, 1)
    found = []
    for prefix, unit in nlargest(most, costs, key=lambda one: costs[one]):
        one, four = (_seconds(scanner, prefix, unit, chars * more, runs) for more, runs in ((1, 3), (4, 1)))
        found.append(Growth(prefix + unit, (one, four)))
    return found


def _seconds(scanner: Scanner, prefix: str, unit: str, chars: int, times: int) -> float:
    """Return the CPU seconds that a repeated unit takes: the least of some runs, of fewer where they are long."""
    taken = []
    for number in range(times):
        text = (prefix + unit * (chars // len(unit)) + " " * number)[
            : chars + number
        ]  # each run is of a text of its own
        start = process_time()
        scanner(text)
        taken.append(process_time() - start)
        if sum(taken) > LONG_S:
            break
    return min(taken)
