"""The pictures of docs/: each is shown by a page, is what memd prints today, and says so in both languages."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

import pytest

from tests.support import ROOT
from tools import pictures

PAGES = sorted(ROOT.glob("docs/**/*.md"))


@pytest.mark.parametrize("name", pictures.PICTURES)
def test_a_picture_is_what_memd_prints(name: str) -> None:
    picture = pictures.PICTURES[name]
    seen = pictures.screen(picture)
    made = pictures.drawn(picture.says, seen)
    kept = (pictures.FOLDER / f"{name}.svg").read_text("utf-8")
    assert pictures.shape(made) == pictures.shape(kept), f"python -m tools.pictures {name}"
    words = "".join(ET.fromstring(kept).itertext())
    for line in picture.typed:
        assert line.split('"')[0] in words


def test_each_picture_is_shown_and_none_is_left_over() -> None:
    shown = {found for page in PAGES for found in re.findall(r"pictures/([\w.]+\.svg)\)", page.read_text("utf-8"))}
    assert shown == {f"{name}.svg" for name in pictures.PICTURES} == {one.name for one in pictures.FOLDER.glob("*.svg")}


def test_a_screen_that_says_something_else_is_another_picture() -> None:
    one, other = (pictures.drawn("", f"$ memd list\nport {port}\n") for port in ("5433", "6001"))
    assert one != other
    assert pictures.shape(one) == pictures.shape(other), "a figure may move a little"
    assert pictures.shape(one) != pictures.shape(pictures.drawn("", "$ memd list\nports 5433\n"))


def test_wide_characters_and_styles_have_their_columns() -> None:
    text = ET.fromstring(pictures.drawn("<", "\x1b[1m端口\x1b[0m is 1 < 2\n"))
    wide, plain = (one for one in text if one.tag.endswith("text"))
    assert (wide.text, wide.get("class"), wide.get("textLength")) == ("端口", "b", f"{4 * pictures.WIDTH:g}")
    assert (plain.text, plain.get("x")) == (" is 1 < 2", f"{pictures.MARGIN + 4 * pictures.WIDTH:g}")


def test_what_differs_each_time_is_drawn_alike_and_the_same_id_stays_the_same() -> None:
    assert pictures.same("aaaabbb1 process 77\n12345678 aaaabbb1 3.25 ms") == (
        "1f0c2a9b process 4711\n2e1d3b4a 1f0c2a9b 8.14 ms"
    )
