"""The order of what comes: evidence, weights and links decide whether, priority and age decide when."""

from __future__ import annotations

from typing import Any

import pytest

from memd.engine.recall.activate import gather
from memd.engine.recall.compiled import Compiled
from memd.engine.recall.rank import rank, relevance
from memd.model.memory import Kind, Memory
from memd.model.scene import Candidate, Evidence, Scene, Strategy
from memd.model.settings import TriggerSettings

NOW_S = 1_795_225_077.0
DAY_S = 86_400.0


def one(name: str, *scores: float, weight: float = 1.0, **fields: Any) -> Candidate:
    evidence = [Evidence(Strategy.KEYWORD, score, str) for score in scores]
    return Candidate("r", Memory(name, Kind.SEMANTIC, name, **fields), weight, evidence=evidence)


def ranked(*candidates: Candidate, threshold: float = 0.3, use_decay: bool = True, **given: Any) -> list[str]:
    above, below = rank(candidates, threshold=threshold, now_s=NOW_S, use_decay=use_decay, **given)
    assert {id(no.candidate) for no in below}.isdisjoint(map(id, above))
    return [candidate.memory.id for candidate in above]


def test_each_evidence_halves_the_doubt_the_others_left_and_the_weights_take_their_part() -> None:
    assert relevance(one("a", 0.5, 0.5)) == pytest.approx(0.75)
    assert relevance(one("a", 0.5, 0.5, weight=0.5, relevance_weight=0.8)) == pytest.approx(0.3)
    assert relevance(one("a")) == 0.0
    assert relevance(one("a", 1.0, 1.0)) < 1.0


def test_what_reaches_the_threshold_exactly_comes() -> None:
    assert ranked(one("at", 0.5), one("below", 0.49), threshold=0.5) == ["at"]


def test_the_better_comes_first_then_the_more_important_then_by_name() -> None:
    assert ranked(one("b", 0.6), one("a", 0.6), one("best", 0.9), one("less", 0.6, priority=10)) == [
        "best",
        "a",
        "b",
        "less",
    ]


def test_what_matters_more_comes_before_what_fits_a_little_better() -> None:
    assert ranked(one("fits", 0.62, priority=20), one("matters", 0.6, priority=90)) == ["matters", "fits"]
    assert ranked(one("fits", 0.95, priority=50), one("matters", 0.6, priority=90)) == ["fits", "matters"]


def test_age_moves_down_and_use_brings_back_and_both_may_be_switched_off() -> None:
    old = one("old", 0.6, when_s=NOW_S - 400 * DAY_S, decay_per_day=0.1)
    new = one("new", 0.59, when_s=NOW_S, decay_per_day=0.1)
    assert ranked(old, new) == ["new", "old"]
    assert ranked(old, new, used=lambda candidate: NOW_S if candidate is old else None) == ["old", "new"]
    assert ranked(old, new, use_decay=False) == ["old", "new"]


def test_what_was_said_further_back_counts_less() -> None:
    role = Compiled()
    role.put(Memory("now", Kind.SEMANTIC, "Of the first.", keys=("zebra",)))
    role.put(Memory("before", Kind.SEMANTIC, "Of the second.", keys=("walrus",)))
    settings = TriggerSettings(semantic=False)
    found = gather(role, "r", Scene(("a walrus", "nothing", "a zebra"), NOW_S), settings)
    scores = {candidate.memory.id: candidate.evidence[0].score for candidate in found.candidates}
    assert 0 < scores["before"] < scores["now"]
    swapped = gather(role, "r", Scene(("a walrus and a zebra",), NOW_S), settings)
    assert len({candidate.evidence[0].score for candidate in swapped.candidates}) == 1


def test_a_key_that_was_taken_from_a_memory_calls_it_no_more() -> None:
    role = Compiled()
    for keys in (("zebra", "walrus"), ("zebra",), ()):
        role.put(Memory("m", Kind.SEMANTIC, "Of an animal.", keys=keys, constant=bool(keys)))
        called = {
            word: bool(gather(role, "r", Scene((word,), NOW_S), TriggerSettings()).candidates or role.constants)
            for word in ("zebra", "walrus")
        }
        found = gather(role, "r", Scene(("walrus",), NOW_S), TriggerSettings(), own=False, always=False)
        assert bool(found.candidates) is ("walrus" in keys)
        assert called["zebra"] is bool(keys)
