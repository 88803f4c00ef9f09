"""Which version a save was made from, and what comes to it of what we have written since."""

from __future__ import annotations

import pytest

from memd.engine.outdated import By, Version, caught_up, made_from

A, ANOTHER, B, C = "- the kiln is fired on Mondays\n", "- the kiln is fired on Tuesdays\n", "- bees\n", "- 茶\n"


def versions(*texts: str) -> list[Version]:
    return [Version(text, By.CHANGE if n else By.SAVE) for n, text in enumerate(texts)]


@pytest.mark.parametrize(
    ("texts", "saved", "origin"),
    [
        pytest.param((A, A + B), A + C, 0, id="it lacks what we added"),
        pytest.param((A, A + B), A + B + C, 1, id="it has what we added"),
        pytest.param((A, ANOTHER, "", C), "", 2, id="what a kill left is itself, and no save of what it was made of"),
        pytest.param((A, B, A, A + C), A, 2, id="of several that are equal the newest"),
        pytest.param((A + B, "", C), A, 0, id="nobody saves what was made of nothing"),
        pytest.param(("", C), A, 0, id="akin to none of them: the oldest"),
    ],
)
def test_origin(texts: tuple[str, ...], saved: str, origin: int) -> None:
    assert made_from(versions(*texts), saved) == origin


def test_what_a_kill_left_gets_only_what_was_to_come() -> None:
    assert caught_up(versions(A, ANOTHER, "", C), "", entries=True) == (C, True)
