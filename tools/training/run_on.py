"""`python -m tools.training.run_on`: learn where clauses begin in Chinese without marks, and print the table of memd/text/run_on.py.

Whoever wrote marks showed where: between two characters of Han that a mark parts a clause begins, between all others it goes on
(which is too strict: many write without). The table that memd has is not made anew, as digests in people's files hang on it.
"""

from __future__ import annotations

import json
import math
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from random import Random

from memd.text.run_on import LEAST_HAN, signs_at
from tools.training.talks import HELD

SETS = Path(__file__).parent / "sets"
MEASURE = (
    "held",
    "strangers",
    "prompts",
    "observed",
    "attack",
)  # how names of sets begin that only measure, or are no statements
FIELDS = ("text", "content", "old", "new", "turns", "memories", "keep", "existing", "query", "said")
_MARKS = re.compile(r"([，。！？；,;!?…\s]+)")
_BORDER = re.compile(r"[，。！？；]")
_HAN = re.compile("[\u4e00-\u9fff]")
LEAST_SEEN, LEAST_WEIGHT, QUARTERS = 12, 0.3, 4  # a sign's occurrences and weight; weights are told in quarters
ROUNDS, STEP, DECAY, SEED = 5, 0.12, 2e-4, 7
BIAS, BIAS_STEP = -2.0, 0.02
ROW_CHARS = 110

Sample = tuple[list[str], float]


def texts_in(value: object) -> Iterator[str]:
    """Yield the texts of a row of a set."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for one in value:
            yield from texts_in(one)
    elif isinstance(value, dict):
        for name in FIELDS:
            yield from texts_in(value.get(name))


def samples_of(text: str) -> Iterator[Sample]:
    """Yield the places between two characters of a text without its marks: their signs, and 1 where a mark stood."""
    bare, borders, blanks = "", set[int](), set[int]()
    for part in _MARKS.split(text):
        if _MARKS.fullmatch(part):
            (borders if _BORDER.search(part) else blanks).add(len(bare))
        else:
            bare += part
    if len(_HAN.findall(bare)) < 2 * LEAST_HAN:
        return
    for at in range(2, len(bare) - 1):
        if at not in blanks and _HAN.match(bare[at]) and re.match(r"[\u4e00-\u9fff0-9]", bare[at - 1]):
            yield signs_at(bare, at), float(at in borders)


def read_samples() -> list[Sample]:
    """Return all places of the texts that show where clauses begin."""
    texts: dict[str, None] = {}
    for path in sorted(SETS.glob("*.jsonl")):
        if not path.name.startswith(MEASURE) and HELD not in path.name:
            for line in path.read_text("utf-8").splitlines():
                texts |= dict.fromkeys(
                    one for one in texts_in(json.loads(line)) if _BORDER.search(one.rstrip("。！？"))
                )
    return [one for text in texts for one in samples_of(text)]


def learn(samples: list[Sample]) -> tuple[float, dict[str, int]]:
    """Return the bias, and the weight of each sign in quarters: logistic regression by steps that adapt (Duchi and others 2011)."""
    seen = Counter(sign for signs, _ in samples for sign in signs)
    kept = [([one for one in signs if seen[one] >= LEAST_SEEN], label) for signs, label in samples]
    weights: defaultdict[str, float] = defaultdict(float)
    squares: defaultdict[str, float] = defaultdict(lambda: 1e-3)
    bias, chance = BIAS, Random(SEED)  # noqa: S311  an order, no secret
    for _ in range(ROUNDS):
        chance.shuffle(kept)
        for signs, label in kept:
            odds = bias + sum(weights[one] for one in signs)
            wrong = 1 / (1 + math.exp(-max(-30.0, min(30.0, odds)))) - label
            bias -= BIAS_STEP * wrong
            for one in signs:
                slope = wrong + DECAY * weights[one]
                squares[one] += slope * slope
                weights[one] -= STEP * slope / math.sqrt(squares[one])
    quarters = {one: round(weight * QUARTERS) for one, weight in weights.items() if abs(weight) >= LEAST_WEIGHT}
    return bias, {one: weight for one, weight in quarters.items() if weight}


def rows_of(weights: dict[str, int]) -> Iterator[str]:
    """Yield the rows of the table: a kind of sign, its weight, and all signs that have it, one behind the other."""
    groups: defaultdict[tuple[str, int], list[str]] = defaultdict(list)
    for sign, weight in weights.items():
        groups[sign[0], weight].append(sign[1:])
    for (kind, weight), signs in sorted(groups.items()):
        size = len(signs[0])
        each = max(1, ROW_CHARS // size)
        signs.sort()
        for at in range(0, len(signs), each):
            yield f"{kind}{weight:+d} {''.join(signs[at : at + each])}"


if __name__ == "__main__":
    found_bias, found = learn(read_samples())
    print(f"bias {found_bias:.2f}, {len(found)} signs", file=sys.stderr)
    print("\n".join(rows_of(found)))
