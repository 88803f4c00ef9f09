"""Two edits of one text merged: what only one side touched is as that side has it, and no line is lost."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memd.engine.merge_text import is_made, merge_branch_text, merge_text
from memd.formats.git_files import Sides

BASE = "one\ntwo\nthree\nfour\nfive\n"


@pytest.mark.parametrize(
    ("ours", "theirs", "merged"),
    [
        pytest.param("one\nTWO\nthree\nfour\nfive\n", BASE, "one\nTWO\nthree\nfour\nfive\n", id="only we changed it"),
        pytest.param(BASE, "one\n", "one\n", id="only they changed it"),
        pytest.param("ONE\ntwo\nthree\nfour\nfive\n", BASE + "six\n", "ONE\ntwo\nthree\nfour\nfive\nsix\n", id="apart"),
        pytest.param(BASE + "ours\n", BASE + "theirs\n", BASE + "theirs\nours\n", id="both added at one place"),
        pytest.param("one\nthree\nfour\nfive\n", BASE + "six\n", "one\nthree\nfour\nfive\nsix\n", id="we removed a line"),
        pytest.param(BASE + "six\n", "one\nthree\nfour\nfive\n", "one\nthree\nfour\nfive\nsix\n", id="they removed one"),
        pytest.param("one\nTWO\nthree\nfour\nfive\n", "one\nTWO\nthree\nfour\n", "one\nTWO\nthree\nfour\n", id="the same"),
        pytest.param("新\n" + BASE, BASE.replace("five", "五"), "新\none\ntwo\nthree\nfour\n五\n", id="Chinese"),
        pytest.param(BASE + "six", BASE.replace("one", "1"), "1\ntwo\nthree\nfour\nfive\nsix\n", id="their last newline"),
    ],
)  # fmt: skip
def test_what_one_side_touched_is_as_that_side_has_it(ours: str, theirs: str, merged: str) -> None:
    assert merge_text(BASE, ours, theirs) == (merged, True)


@pytest.mark.parametrize(
    ("ours", "theirs", "stands"),
    [
        pytest.param("one\nTWO\nthree\nfour\nfive\n", "one\n2\nthree\nfour\nfive\n", "one\n2\nthree\nfour\nfive\n", id="a line"),
        pytest.param("one\nTWO\nthree\nfour\nFIVE\n", "one\n2\nthree\nfour\nfive\n", "one\n2\nthree\nfour\nFIVE\n", id="beside"),
        pytest.param("one\nTWO\nthree\nfour\nfive\n", "one\nthree\nfour\nfive\n", "one\nthree\nfour\nfive\n", id="gone"),
        pytest.param("one\nthree\nfour\nfive\n", "one\n2\nthree\nfour\nfive\n", "one\n2\nthree\nfour\nfive\n", id="changed"),
        pytest.param(BASE + "six\n", "", "", id="all gone"),
    ],
)  # fmt: skip
def test_in_a_conflict_theirs_stands_and_it_is_told(ours: str, theirs: str, stands: str) -> None:
    assert merge_text(BASE, ours, theirs) == (stands, False)


@pytest.mark.parametrize(
    ("base", "ours", "theirs", "merged"),
    [
        pytest.param("a\n§\nb", "a\n§\nb\n§\nours", "a\n§\nb\n§\ntheirs", "a\n§\nb\n§\ntheirs\n§\nours", id="sections"),
        pytest.param("a", "a\n§\nours", "a\n§\ntheirs", "a\n§\ntheirs\n§\nours", id="the first § on both sides"),
        pytest.param("a\n§\nb", "a\n§\nb\n§\nnew", "a\n§\nb\n§\nnew", "a\n§\nb\n§\nnew", id="the same section once"),
        pytest.param(
            "- a\n", "- a\n- new\n- ours\n", "- a\n- new\n", "- a\n- new\n- ours\n", id="the same bullet once"
        ),
        pytest.param("a\n§\nx\n§\nb", "a\n§\nx", "A\n§\nx\n§\nb", "A\n§\nx", id="one replaced, one removed"),
        pytest.param("- a\n- b\n", "- a\n- 乙\n", "- 甲\n- b\n", "- 甲\n- 乙\n", id="neighbours, each another's"),
    ],
)
def test_entries_of_curated_files_are_merged_entry_by_entry(base: str, ours: str, theirs: str, merged: str) -> None:
    assert merge_text(base, ours, theirs, entries=True) == (merged, True)


@pytest.mark.parametrize(
    ("base", "ours", "now", "made"),
    [
        pytest.param("a\n", "a\nb\n", "a\nb\nnew\n", True, id="what we added is there"),
        pytest.param("a\n", "a\nb\nc\n", "a\nc\n", False, id="a part of it is not"),
        pytest.param("a\nb\n", "a\nB\n", "a\nB\nnew\n", True, id="what we changed is as we have it"),
        pytest.param("a\nb\n", "a\nB\n", "a\nb\nB\n", False, id="what we took out is there too"),
        pytest.param("a\nb\n", "a\n", "a\n2\n", False, id="who knows whether it was removed or changed"),
        pytest.param("x\n", "x\nx\n", "x\n", False, id="once is not twice"),
        pytest.param("a\nb\n", "b\na\n", "a\nb\n", False, id="what is only moved is never taken for made"),
        pytest.param("a\n", "a\n", "x\n", False, id="we changed nothing"),
    ],
)
def test_a_change_that_a_text_has_already_is_known(base: str, ours: str, now: str, made: bool) -> None:
    assert is_made(base, ours, now) is made


def test_a_change_of_lines_that_is_made_already_is_not_made_twice() -> None:
    assert merge_text("a\n", "a\nb\n", "a\nb\ntheirs\n") == ("a\nb\ntheirs\n", True)
    assert merge_text("", "a\nb\n", "a\nb\ntheirs\n") == ("a\nb\ntheirs\n", True)


@pytest.mark.parametrize(
    ("base", "ours", "theirs", "merged"),
    [
        pytest.param("- a\n- b\n- c\n", "- a\n- b\n- c\n- new\n", "- new\n- a\n- b\n- c\n", "- new\n- a\n- b\n- c\n", id="moved up"),
        pytest.param("- a\n- b\n- c\n", "- a\n- new\n- b\n- c\n", "- a\n- b\n- x\n- new\n", "- a\n- b\n- x\n- new\n", id="moved down"),
        pytest.param("A.\n\nB.\n", "A.\n\nB.\n\nNew.\n", "New.\n\nA.\n\nB.\n", "New.\n\nA.\n\nB.\n", id="a paragraph"),
        pytest.param("a\n§\nb", "a\n§\nb\n§\nnew", "new\n§\na\n§\nb", "new\n§\na\n§\nb", id="a section"),
        pytest.param(
            "- a\n- b\n- c\n", "- a\n- b\n- c\n- new\n- ours\n", "- A and more\n- new\n- b\n- c\n",
            "- A and more\n- new\n- b\n- c\n- ours\n", id="beside another",
        ),
    ],
)  # fmt: skip
def test_an_entry_that_both_added_in_different_places_stands_once_where_the_person_has_it(
    base: str, ours: str, theirs: str, merged: str
) -> None:
    assert merge_text(base, ours, theirs, entries=True) == (merged, True)


@pytest.mark.parametrize(
    ("ours", "theirs", "merged"),
    [
        pytest.param(
            "- a\n- Ours 我们.\n", "- a\n- Something else\n", "- a\n- Something else\n- Ours 我们.\n", id="both"
        ),
        pytest.param("- a\n- Ours 我们.\n", "- a\n", "- a\n- Ours 我们.\n", id="they only removed it"),
        pytest.param(
            "- a\n- Ours 我们.\n",
            "- a\n- The last one!\n",
            "- a\n- The last one!\n- Ours 我们.\n",
            id="they changed it",
        ),
    ],
)
def test_an_entry_added_where_another_was_taken_out_is_no_change_of_it(ours: str, theirs: str, merged: str) -> None:
    assert merge_text("- a\n- The last one.\n", ours, theirs, entries=True) == (merged, True)


def test_what_is_added_finds_its_place_however_much_a_person_changed() -> None:
    base = "".join(f"- Entry {number} of many.\n" for number in range(200))
    theirs = "".join(f"- {chr(0x4E00 + number)} 改写了的 {number * 7919} 一条。\n" for number in range(200))
    merged = merge_text(base, f"{base}- Ours.\n", theirs, entries=True)
    assert merged == (f"{theirs}- Ours.\n", True)


LINES = st.lists(st.sampled_from(["", "a", "b", "c", "- d", "§", "厦门", "a\r"]), max_size=8)
TEXT = st.tuples(LINES, st.sampled_from(["", "\n"])).map(lambda one: "\n".join(one[0]) + one[1])


@given(TEXT, TEXT, st.booleans())
def test_an_unchanged_side_leaves_the_other_as_it_is(base: str, other: str, entries: bool) -> None:
    assert merge_text(base, other, base, entries=entries) == (other, True)
    assert merge_text(base, base, other, entries=entries) == (other, True)
    assert merge_text(base, other, other, entries=entries) == (other, True)


@given(TEXT, TEXT, TEXT)
def test_a_whole_merge_has_every_line_that_either_side_added(base: str, ours: str, theirs: str) -> None:
    merged = merge_text(base, ours, theirs)
    here = set(merged.text.split("\n"))
    assert {one for one in theirs.split("\n") if one} - set(base.split("\n")) <= here
    if merged.whole:
        assert {one for one in ours.split("\n") if one} - set(base.split("\n")) <= here


@given(TEXT, TEXT, TEXT)
def test_no_line_stands_in_a_merge_more_often_than_both_sides_have_it(base: str, ours: str, theirs: str) -> None:
    merged = Counter(merge_text(base, ours, theirs).text.split("\n"))
    sides = Counter(ours.split("\n")) + Counter(theirs.split("\n"))
    assert all(count <= sides[line] for line, count in merged.items() if line)


@given(st.data())
def test_changes_that_lie_apart_both_stand_in_their_places(data: st.DataObject) -> None:
    base = [f"line {n}" for n in range(data.draw(st.integers(5, 12)))]
    middle = data.draw(st.integers(2, len(base) - 3))
    upper = data.draw(st.lists(st.sampled_from(["ours", "另一行", "x"]), max_size=3))
    lower = data.draw(st.lists(st.sampled_from(["theirs", "他们", "y"]), max_size=3))
    first, last = data.draw(st.integers(0, middle - 1)), data.draw(st.integers(middle + 1, len(base) - 1))
    ours = [*base[:first], *upper, *base[middle:]]
    theirs = [*base[:last], *lower]
    merged = [*base[:first], *upper, *base[middle:last], *lower]

    def text(lines: list[str]) -> str:
        return "".join(f"{one}\n" for one in lines)

    assert merge_text(text(base), text(ours), text(theirs)) == (text(merged), True)
    assert merge_text(text(base), text(theirs), text(ours)) == (text(merged), True)


def test_paragraphs_that_both_sides_added_stay_two_paragraphs() -> None:
    merged = merge_text("A.\n", "A.\n\nOurs.\n", "A.\n\nTheirs.\n", entries=True)
    assert merged == ("A.\n\nTheirs.\n\nOurs.\n", True)


@pytest.mark.parametrize(
    ("base", "ours", "theirs", "merged"),
    [
        pytest.param(
            "# M\n", "# M\n## 2026-11-21\n- x\n", "# M\n## 2026-11-21\n- y\n## 2026-11-22\n- z\n",
            "# M\n## 2026-11-21\n- y\n- x\n## 2026-11-22\n- z\n", id="each below its own heading",
        ),
        pytest.param(
            "intro\n", "intro\n```\ncode1\n```\n", "intro\n```\ncode2\n```\n", "intro\n```\ncode2\n```\n```\ncode1\n```\n",
            id="both added a block of code",
        ),
        pytest.param(
            "A\r\n§\r\nB", "A\r\n§\r\nB\r\n§\r\nC1\r\nC2", "A\r\n§\r\nB\r\n§\r\nD1\r\nD2",
            "A\r\n§\r\nB\r\n§\r\nD1\r\nD2\r\n§\r\nC1\r\nC2", id="sections of Windows",
        ),
        pytest.param(
            "a\n§\nb\n", "a\n§\nb\n§\nnew\n", "a\n§\nb\n§\nnew\n§\nother\n", "a\n§\nb\n§\nnew\n§\nother\n",
            id="the newline at the end is nobody's",
        ),
        pytest.param(
            "- tea\n- 猫\n- b\n", "- tea chO1\n- 猫\n- b\n", "- 猫\n- b\n- tea\n", "- tea chO1\n- 猫\n- b\n- tea\n",
            id="changed here, moved there",
        ),
        pytest.param("- one\n- two\n", "- one\n", "- one\n- zwei\n", "- one\n- zwei\n", id="removed here, changed there"),
    ],
)  # fmt: skip
def test_two_branches_of_a_curated_file_are_one(base: str, ours: str, theirs: str, merged: str) -> None:
    assert merge_branch_text(base, ours, theirs, Sides()) == (merged, True)


def test_an_entry_of_several_lines_is_one_when_both_changed_it() -> None:
    base = "Alice lives in Kiel.\nShe likes tea.\n"
    ours, theirs = "Bob lives in Rome.\nHe likes wine.\n", "Alice lives in Kiel.\nShe likes 绿茶.\n"
    found = merge_branch_text(base, ours, theirs, Sides())
    assert found == (f"<<<<<<< ours\n{ours}=======\n{theirs}>>>>>>> theirs\n", False)


@given(TEXT, TEXT, TEXT)
def test_two_branches_of_a_curated_file_lose_no_line_of_either(base: str, ours: str, theirs: str) -> None:
    merged = merge_branch_text(base, ours, theirs, Sides()).text
    for side in (ours, theirs):
        added = {one.strip() for one in side.splitlines() if one.strip()} - {one.strip() for one in base.splitlines()}
        assert added <= {one.strip() for one in merged.splitlines()}


ENTRIES = [f"- {word}" for word in ("one", "two", "three", "four", "五", "六", "same", "same again")]


@given(st.data())
def test_every_entry_that_one_side_added_stands_once_wherever_it_was_added(data: st.DataObject) -> None:
    base = data.draw(st.lists(st.sampled_from(ENTRIES[:6]), unique=True))
    added = data.draw(st.lists(st.sampled_from(["- ours", "- 我们的", "- same", "- same again"]), unique=True))
    ours = list(base)
    for one in added:
        ours.insert(data.draw(st.integers(0, len(ours))), one)
    theirs = data.draw(st.permutations([*base, "- same", "- theirs"]))
    removed = data.draw(st.sets(st.sampled_from(base))) if base else set()
    theirs = [one for one in theirs if one not in removed]

    def text(entries: list[str]) -> str:
        return "".join(f"{one}\n" for one in entries)

    merged = merge_text(text(base), text(ours), text(theirs), entries=True)
    assert sorted(merged.text.splitlines()) == sorted({*theirs, *added})
    assert merged.whole
