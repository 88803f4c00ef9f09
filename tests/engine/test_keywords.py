"""Keys are found wherever they stand, however long the text and however they overlap."""

from __future__ import annotations

import pytest

from memd.engine.recall.keywords import PIECE_CHARS, Keys
from memd.text.characters import fold


def keys_of(*keys: str) -> Keys:
    keys_by_owner = Keys(fold)
    for key in keys:
        keys_by_owner.put(f"of {key}", [key])
    return keys_by_owner


@pytest.mark.parametrize("ahead", range(PIECE_CHARS - 14, PIECE_CHARS + 2))
def test_a_key_across_two_pieces_of_a_long_text_is_found_once(ahead: int) -> None:
    held = keys_of("harbour wall", "wall")
    text = "." * (ahead - 1) + " harbour wall " + "." * 20
    assert list(held.places(text)) == [("harbour wall", ahead, ahead + 12), ("wall", ahead + 8, ahead + 12)]
    assert held.scan(text) == {"harbour wall": True, "wall": True}


def test_a_key_that_one_of_its_owners_gave_up_is_still_the_others() -> None:
    held = keys_of("wall")
    held.put("other", ["wall", "gate"])
    assert held.owners("wall") == {"of wall", "other"}
    held.put("other", ["gate"])
    assert (held.owners("wall"), held.owners("gate")) == ({"of wall"}, {"other"})
    held.drop("of wall")
    assert held.owners("wall") == frozenset()
    held.settle()
    assert held.scan("the wall and the gate") == {"gate": True}


def test_a_key_is_whole_where_one_of_its_places_is() -> None:
    held = keys_of("wall")
    assert held.scan("wallpaper") == {"wall": False}
    assert held.scan("wallpaper on the wall") == {"wall": True}
