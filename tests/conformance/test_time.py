"""Times in English and Chinese sentences: the interval that was meant, and nothing where no time is meant."""

from __future__ import annotations

import re
from collections import Counter
from datetime import datetime
from typing import Any

from memd.engine.keep.event.resolve import Told, resolve
from memd.text.times import Mention, read_times
from tests.conformance.conftest import Show

RIGHT_FLOOR, CLEAN_FLOOR = 0.95, 0.95
WRITTEN_FLOOR = 0.95
QUESTION = re.compile(r"[?？吗]\s*\Z")


def test_times_are_read_as_they_are_meant(cases: list[dict[str, Any]], show: Show) -> None:
    right: Counter[str] = Counter()
    asked: Counter[str] = Counter()
    clean: Counter[str] = Counter()
    negatives: Counter[str] = Counter()
    wrong: list[str] = []
    for case in cases:
        found = read_times(case["text"], datetime.fromisoformat(case["now"]))
        language = case["lang"]
        if not case["expect"]:
            negatives[language] += 1
            clean[language] += not found
        for expected in case["expect"]:
            asked[language] += 1
            if is_right(case["text"], expected, found):
                right[language] += 1
            else:
                wrong.append(case["id"])
    rows = [(one, right[one], asked[one], clean[one], negatives[one]) for one in sorted({*asked, *negatives})]
    show("Times", ("language", "right", "of", "clean", "of"), rows)
    assert sum(right.values()) >= RIGHT_FLOOR * sum(asked.values()), wrong
    assert sum(clean.values()) >= CLEAN_FLOOR * sum(negatives.values())


def test_times_are_resolved_when_they_are_told(cases: list[dict[str, Any]], show: Show) -> None:
    """What is stored of a text that tells a time: an event, a beginning or an end; of a question, or one that names none, nothing."""
    right: Counter[str] = Counter()
    asked: Counter[str] = Counter()
    clean: Counter[str] = Counter()
    negatives: Counter[str] = Counter()
    for case in cases:
        found = resolve(case["text"], datetime.fromisoformat(case["now"]))
        language = case["lang"]
        if not case["expect"] or QUESTION.search(case["text"]):
            negatives[language] += 1
            clean[language] += found == (None, None, None)
            continue
        asked[language] += 1
        right[language] += any(is_stored(one, found) for one in case["expect"])
    rows = [(one, right[one], asked[one], clean[one], negatives[one]) for one in sorted({*asked, *negatives})]
    show("Times at writing", ("language", "right", "of", "clean", "of"), rows)
    assert sum(right.values()) >= WRITTEN_FLOOR * sum(asked.values())
    assert sum(clean.values()) >= CLEAN_FLOOR * sum(negatives.values())


def is_stored(expected: dict[str, Any], found: Told) -> bool:
    """Tell whether an event, a beginning or an end is the interval that was meant, or of a loose one in it."""
    start, end = (datetime.fromisoformat(expected[one]) for one in ("start", "end"))
    loose = expected.get("loose")
    if found.event is not None:
        event = found.event
        return bool(event.start < end and event.end > start if loose else event[:2] == (start, end))
    return any(
        at is not None and (start <= at <= end if loose else at in (start, end)) for at in (found.since, found.until)
    )


def is_right(text: str, expected: dict[str, Any], found: list[Mention]) -> bool:
    begin = text.find(expected["span"])
    start, end = (datetime.fromisoformat(expected[one]) for one in ("start", "end"))
    for one in found:
        if one.begin >= begin + len(expected["span"]) or one.stop <= begin:
            continue
        interval = one.interval
        if (interval.start < end and interval.end > start) if expected.get("loose") else interval[:2] == (start, end):
            return True
    return False
