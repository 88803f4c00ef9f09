"""Times as files have them."""

from __future__ import annotations

import pytest

from memd.formats.times import to_exact_iso, to_seconds


@pytest.mark.parametrize(
    ("seconds", "written"),
    [
        (1_790_000_000.0, "2026-09-21T14:13:20Z"),
        (1_790_000_000.25, "2026-09-21T14:13:20.250Z"),
        (1_790_000_000.9996, "2026-09-21T14:13:21Z"),
        (-0.5, "1969-12-31T23:59:59.500Z"),
    ],
)
def test_what_follows_within_a_second_keeps_its_order(seconds: float, written: str) -> None:
    assert to_exact_iso(seconds) == written
    assert to_seconds(written) == pytest.approx(seconds, abs=0.001)
