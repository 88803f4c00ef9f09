"""How well a skill does: figures worked out by hand, and an interval found another way."""

from __future__ import annotations

import itertools
from math import sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memd.engine.work.effects import Regression, judge, regressions, tally
from memd.model.runs import Acceptance
from memd.model.tasks import Counts, Effect

A, R, X, P = Acceptance.ACCEPTED, Acceptance.REVISED, Acceptance.ABANDONED, Acceptance.PENDING
counts = st.builds(Counts, *[st.integers(0, 200)] * 3)


@pytest.mark.parametrize(
    ("said", "mean", "low", "high"),
    [
        pytest.param((0, 0, 0), 0.5, 0.0, 1.0, id="nobody judged it"),
        pytest.param((3, 1, 0), 0.75, 0.3958, 0.9868, id="(3.5 + 1) / (4 + 2)"),
        pytest.param((1, 0, 0), 0.6667, 0.2065, 1.0, id="2 / 3"),
        pytest.param((0, 0, 1), 0.3333, 0.0, 0.7935, id="1 / 3"),
        pytest.param((0, 1, 0), 0.5, 0.0546, 0.9454, id="one revised is one half"),
        pytest.param((8, 0, 2), 0.75, 0.4902, 0.9433, id="9 / 12; the textbook's eight of ten"),
        pytest.param((0, 0, 10), 0.0833, 0.0, 0.2775, id="1 / 12; the textbook's none of ten"),
        pytest.param((7, 6, 7), 0.5, 0.2993, 0.7007, id="11 / 22"),
    ],
)
def test_figures(said: tuple[int, int, int], mean: float, low: float, high: float) -> None:
    assert judge("pdf", 2, Counts(*said)) == Effect("pdf", 2, Counts(*said), mean, low, high)


def ends_of(share: float, total: int) -> tuple[float, float]:
    """The shares that lie exactly 1.96 standard errors of their own from the one seen, by halving."""

    def is_near(real: float) -> bool:
        return abs(share - real) <= 1.96 * sqrt(real * (1 - real) / total)

    def end(near: float, far: float) -> float:
        for _ in range(60):
            middle = (near + far) / 2
            near, far = (middle, far) if is_near(middle) else (near, middle)
        return near

    return end(share, 0.0), end(share, 1.0)


@given(counts.filter(lambda one: one.total > 0))
def test_the_interval_is_where_the_standard_error_says(said: Counts) -> None:
    effect = judge("pdf", 1, said)
    low, high = ends_of((said.accepted + said.revised / 2) / said.total, said.total)
    assert (effect.low, effect.high) == pytest.approx((low, high), abs=0.00006)


@given(counts)
def test_mean_and_interval_stay_within_bounds(said: Counts) -> None:
    effect = judge("pdf", 1, said)
    assert 0 <= effect.low <= effect.mean <= effect.high <= 1


def test_tally() -> None:
    uses = [("pdf", 2, A), ("pdf", 1, X), ("pdf", 2, R), ("csv", 0, A), ("pdf", 2, A), ("pdf", 3, P), ("pdf", 1, P)]
    assert list(tally(uses).items()) == [
        (("csv", 0), Counts(accepted=1)),
        (("pdf", 1), Counts(abandoned=1)),
        (("pdf", 2), Counts(accepted=2, revised=1)),
    ]


def test_the_order_of_receipts_does_not_matter() -> None:
    uses = [("pdf", 1, A), ("pdf", 2, A), ("pdf", 1, R), ("csv", 1, X), ("pdf", 2, P)]
    assert len({repr(tally(order)) for order in itertools.permutations(uses)}) == 1


def effect(skill: str, version: int, *said: int) -> Effect:
    return judge(skill, version, Counts(*said))


@pytest.mark.parametrize(
    ("effects", "found"),
    [
        pytest.param([], [], id="nothing"),
        pytest.param([effect("pdf", 1, 1), effect("pdf", 2, 5)], [], id="better"),
        pytest.param([effect("pdf", 1, 4), effect("pdf", 2, 4)], [], id="as good"),
        pytest.param(
            [effect("pdf", 1, 4), effect("pdf", 2, 3, 0, 1)], [("pdf", 2, 0.6667, 1, 0.8333, False)], id="worse"
        ),
        pytest.param(
            [effect("pdf", 2, 0, 0, 20), effect("pdf", 1, 20)],
            [("pdf", 2, 0.0455, 1, 0.9545, True)],
            id="certainly worse, in whatever order",
        ),
        pytest.param(
            [effect("pdf", 1, 4), effect("pdf", 2), effect("pdf", 5, 0, 0, 1)],
            [("pdf", 5, 0.3333, 1, 0.8333, False)],
            id="what nobody judged is passed over",
        ),
        pytest.param([effect("pdf", 1, 4), effect("pdf", 2)], [], id="a new one that nobody judged"),
        pytest.param([effect("pdf", 0, 4), effect("pdf", 1, 0, 0, 1)], [], id="an unknown version is no predecessor"),
        pytest.param([effect("csv", 1, 4), effect("pdf", 2, 0, 0, 4)], [], id="another skill is no predecessor"),
        pytest.param(
            [
                effect("pdf", 1, 4),
                effect("pdf", 2, 0, 4),
                effect("pdf", 3, 0, 0, 4),
                effect("csv", 1, 2),
                effect("csv", 2, 1),
            ],
            [
                ("csv", 2, 0.6667, 1, 0.75, False),
                ("pdf", 2, 0.5, 1, 0.8333, False),
                ("pdf", 3, 0.1667, 2, 0.5, False),
            ],
            id="one after another",
        ),
    ],
)
def test_regressions(effects: list[Effect], found: list[tuple[str, int, float, int, float, bool]]) -> None:
    assert regressions(effects) == [Regression(*one) for one in found]


def test_certain_means_that_the_intervals_do_not_meet() -> None:
    old, touching, apart = (Effect("pdf", 1, Counts(9), 0.9, 0.6, 1.0), *(
        Effect("pdf", 2, Counts(9), 0.4, 0.1, high) for high in (0.6, 0.5999)
    ))  # fmt: skip
    assert [regressions([old, new])[0].certain for new in (touching, apart)] == [False, True]
