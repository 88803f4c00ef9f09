"""Looking at texts beside the event loop: long ones in a thread, with the loop answering meanwhile."""

from __future__ import annotations

import asyncio
import threading

import pytest

from memd.engine.keep.scan.scan import scan
from memd.store.keep.learned import Learned
from memd.store.keep.quarantine import KEPT_CHARS, LOOP_CHARS, Looks

ORDERS = Learned().orders
TEXT = "The token is ghp_0123456789abcdefghijABCDEFGHIJ456789 until May. "


def test_a_long_text_is_looked_at_in_another_thread_and_a_short_one_is_not() -> None:
    looks = Looks()
    short = asyncio.run(looks.beside("x" * LOOP_CHARS, threading.get_ident))
    long = asyncio.run(looks.beside("x" * (LOOP_CHARS + 1), threading.get_ident))
    assert short == threading.get_ident() != long


@pytest.mark.parametrize(
    ("value", "long"),
    [
        ("x" * 4096, False),
        ("x" * 4097, True),
        (("x" * 4000, "y" * 90), False),
        (("x" * 4000, "y" * 99), True),
        ([{"content": ["x" * 5000]}], True),
        ({"x" * 5000: None}, True),
        ([[]] * 5000, True),
        (("", {}, None, 10**9), False),
    ],
)
def test_what_is_long_is_what_has_many_characters_or_parts(value: object, long: bool) -> None:
    assert Looks.is_long(value) is long


def test_what_was_looked_at_is_known_afterwards() -> None:
    looks, text = Looks(), TEXT * 200
    seen = asyncio.run(looks.look_at((text, text, "short"), ORDERS))
    assert seen == {text: scan(text, ORDERS), "short": scan("short", ORDERS)}
    assert looks.look(text, ORDERS) is seen[text]


def test_the_texts_that_are_known_have_a_limit_in_all() -> None:
    looks = Looks()
    seen = scan("x", ORDERS)
    texts = [f"{number} " + "x " * 30_000 for number in range(60)]
    for text in texts:
        looks._keep(text, seen)
    assert sum(map(len, looks._known)) == looks._chars <= KEPT_CHARS
    assert texts[-1] in looks._known
    assert texts[0] not in looks._known
    huge = "y " * KEPT_CHARS
    looks._keep(huge, seen)
    assert list(looks._known) == [huge]
