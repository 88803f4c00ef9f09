"""What is known already: the same text whoever holds it, and the nearest one in memories and beside them."""

from __future__ import annotations

import pytest

from memd.engine.keep.conflict import LOOKED_AT, Fingerprints, nearest
from memd.engine.keep.succeed import digests_of
from memd.engine.recall.compiled import Compiled
from memd.model.memory import Kind, Memory


def role_of(*texts: str) -> Compiled:
    role = Compiled()
    for number, text in enumerate(texts):
        role.put(Memory(f"m{number}", Kind.SEMANTIC, text))
    return role


def test_the_same_text_is_known_until_the_last_that_holds_it_is_gone() -> None:
    prints = Fingerprints()
    prints.put("a", "It's OK.")
    prints.put("b", "its ok")
    prints.put("c", "…")
    assert (prints.all("ITS OK!"), prints.find("its  ok")) == (("a", "b"), "a")
    prints.drop("a")
    assert prints.all("it's ok") == ("b",)
    prints.put("b", "Something else.")
    assert (prints.find("its ok"), prints.find("something ELSE")) == ("", "b")
    assert (prints.find("…"), prints.find("!!!")) == ("c", "")


def test_the_nearest_is_the_one_that_has_most_of_the_telling_words() -> None:
    role = role_of("The boiler in the cellar is a Vaillant.", "The boiler was serviced.", "Nora plays the cello.")
    found = nearest(role, "The Vaillant boiler in the cellar leaks.")
    assert found.id == "m0"
    assert 0.5 < found.share < 1.0
    assert found.ids == ("m0", "m1", "m2"), "of few memories all are looked at"
    assert nearest(role, "Nora plays the cello.").share == pytest.approx(1.0)


def test_what_is_known_beside_the_memories_counts_too() -> None:
    role = role_of("Nora plays the cello.")
    found = nearest(role, "The bakery opens at seven.", ["The bakery in our street opens at seven."])
    assert found.id == ""
    assert found.share == pytest.approx(1.0)


def test_of_many_memories_only_the_nearest_are_named() -> None:
    role = role_of(*(f"Shelf number {n} holds {chr(97 + n % 26) * 7} screws." for n in range(60)))
    found = nearest(role, "Shelf number 7 holds hhhhhhh screws.")
    assert found.id in ("m7", "m33")
    assert 0 < len(found.ids) <= LOOKED_AT
    assert nearest(role, "...").ids == ()


def test_parts_of_memories_take_no_place_among_the_nearest() -> None:
    role = role_of("The cello is in the cellar.")
    for number in range(LOOKED_AT + 4):
        old = Memory(
            f"o{number}", Kind.SEMANTIC, f"Nora plays the cello in hall {number}. Ben{number} keeps bees there."
        )
        role.put(old)
        hall, _ = digests_of(old)
        role.put(Memory(f"n{number}", Kind.SEMANTIC, f"Moved to room {number}.", supersedes=(old.id,), covers=(hall,)))
    found = nearest(role, "Nora plays the cello.")
    assert found.id == "m0"
