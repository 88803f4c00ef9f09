"""Looking at texts beside the event loop: long ones in a thread, with the loop answering meanwhile."""

from __future__ import annotations

import asyncio
import threading

from memd.engine.keep.scan.scan import scan
from memd.service.learned import Learned
from memd.service.looks import KEPT_CHARS, LOOP_CHARS, Looks

ORDERS = Learned().orders
TEXT = "The token is ghp_0123456789abcdefghijABCDEFGHIJ456789 until May. "


def test_a_long_text_is_looked_at_in_another_thread_and_a_short_one_is_not() -> None:
    looks = Looks()
    short = asyncio.run(looks.beside(LOOP_CHARS, threading.get_ident))
    long = asyncio.run(looks.beside(LOOP_CHARS + 1, threading.get_ident))
    assert short == threading.get_ident() != long


def test_what_was_looked_at_ahead_is_known_afterwards() -> None:
    looks, text = Looks(), TEXT * 200
    asyncio.run(looks.look_ahead((text, text, "short"), ORDERS))
    assert looks.look(text, ORDERS) is looks.look(text, ORDERS)
    assert looks.look(text, ORDERS) == scan(text, ORDERS)
    assert list(looks._known) == [text]


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
