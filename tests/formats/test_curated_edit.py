"""MEMORY.md and USER.md edited entry by entry: what is touched, and that nothing else is."""

from __future__ import annotations

import re

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from memd.errors import BadParamsError, CuratedAmbiguousError, CuratedUnknownError
from memd.formats.curated import SEPARATOR, Edit, edited, entries_of, form_of

BULLETS = "# Memory\n\n<!-- One statement a line. -->\n\n- Nora fires with gas.\n- 用户住在厦门。\n\n## Later\n\nText below.\n"
PARAGRAPHS = "# 记忆\n\nNora fires with gas.\nSince March.\n\n用户住在厦门。\n"
SECTIONS = "Nora fires with gas.\n§\n用户住在厦门。\nA second line."


def add(content: str) -> Edit:
    return Edit("add", content)


def replace(old: str, content: str) -> Edit:
    return Edit("replace", content, old)


def remove(old: str) -> Edit:
    return Edit("remove", "", old)


def texts(text: str) -> list[str]:
    return [one.text for one in entries_of(text)]


@pytest.mark.parametrize(
    ("before", "edit", "after"),
    [
        pytest.param("", add("One."), "- One.\n", id="a file that says nothing gets bullets"),
        pytest.param("# M\n\n<!-- c -->\n", add("One."), "# M\n\n<!-- c -->\n\n- One.\n", id="below what is for people"),
        pytest.param(
            BULLETS, add("新的。"), BULLETS.replace("厦门。\n", "厦门。\n- 新的。\n"), id="behind the last bullet"
        ),
        pytest.param(BULLETS, replace("gas", "Wood."), BULLETS.replace("Nora fires with gas.", "Wood."), id="one bullet"),
        pytest.param(BULLETS, remove("厦门"), BULLETS.replace("- 用户住在厦门。\n", ""), id="one bullet goes"),
        pytest.param(BULLETS, remove("Text below"), BULLETS.replace("\nText below.\n", "\n"), id="one paragraph goes"),
        pytest.param("* a\n* b\n", add("c"), "* a\n* b\n* c\n", id="the bullet that the file has"),
        pytest.param("1. a\n2. b\n", add("c"), "1. a\n2. b\n3. c\n", id="the next number"),
        pytest.param("- a", add("b"), "- a\n- b\n", id="a last line without its end"),
        pytest.param("- a\n", add("- b"), "- a\n- b\n", id="a content that brings its bullet"),
        pytest.param("- a\n", add("b\nmore"), "- a\n- b\n  more\n", id="further lines are indented"),
        pytest.param("- a\n  more\n- b\n", remove("more"), "- b\n", id="a bullet goes with its further lines"),
        pytest.param(PARAGRAPHS, add("New."), PARAGRAPHS + "\nNew.\n", id="a paragraph more"),
        pytest.param(
            PARAGRAPHS, replace("厦门", "用户住在福州。"), PARAGRAPHS.replace("厦门", "福州"), id="a paragraph anew"
        ),
        pytest.param(
            PARAGRAPHS, remove("March"), PARAGRAPHS.replace("Nora fires with gas.\nSince March.\n\n", ""), id="its lines"
        ),
        pytest.param(SECTIONS, add("New."), f"{SECTIONS}{SEPARATOR}New.", id="a section more, without a last newline"),
        pytest.param(SECTIONS, replace("gas", "Wood."), SECTIONS.replace("Nora fires with gas.", "Wood."), id="section"),
        pytest.param("a\n§\nb\n§\nc", remove("b"), "a\n§\nc", id="a section goes"),
        pytest.param("a\n§\nb §5 c", replace("§5", "b §6"), "a\n§\nb §6", id="a § inside of a line is a sign like any"),
        pytest.param("# M\r\n\r\n- a\r\n", add("b\nc"), "# M\r\n\r\n- a\r\n- b\r\n  c\r\n", id="CR LF stays"),
        pytest.param("- a\r\n- b\r\n", replace("a", "z"), "- z\r\n- b\r\n", id="CR LF stays where a bullet changes"),
        pytest.param("\ufeff# M\n\n- a\n", add("b"), "\ufeff# M\n\n- a\n- b\n", id="a byte order mark stays"),
        pytest.param("- a\n- a\n- b\n", remove("a"), "- a\n- b\n", id="of two that say the same, the first"),
        pytest.param("- a\n\n```\n- code\n```\n", remove("a"), "\n```\n- code\n```\n", id="code is nobody's entry"),
    ],
)  # fmt: skip
def test_an_edit_changes_its_entry_and_nothing_else(before: str, edit: Edit, after: str) -> None:
    assert edited(before, "MEMORY.md", [edit]) == after


@pytest.mark.parametrize(
    ("text", "form", "entries"),
    [
        ("", "bullets", []),
        (BULLETS, "bullets", ["Nora fires with gas.", "用户住在厦门。", "Text below."]),
        (PARAGRAPHS, "paragraphs", ["Nora fires with gas.\nSince March.", "用户住在厦门。"]),
        (SECTIONS, "sections", ["Nora fires with gas.", "用户住在厦门。\nA second line."]),
        ("\n§\n \n§\na\n§\n", "sections", ["a"]),
        ("- a\n---\n***\n- b\n", "bullets", ["a", "b"]),
        ("<!-- one\n- hidden\n-->\n- a\n", "bullets", ["a"]),
        ("~~~\n- hidden\n~~~\n- a\n", "bullets", ["a"]),
    ],
)
def test_entries_are_bullets_paragraphs_or_sections(text: str, form: str, entries: list[str]) -> None:
    assert (form_of(text), texts(text)) == (form, entries)


@pytest.mark.parametrize(
    ("edit", "error", "told"),
    [
        (remove("cat"), CuratedAmbiguousError, "2 entries of MEMORY.md have 'cat': 'The cat sleeps.'; 'The cat eats.'"),
        (replace("dog", "x"), CuratedUnknownError, "no entry of MEMORY.md has 'dog'"),
        (remove("Heading"), CuratedUnknownError, "Heading"),
        (remove("comment"), CuratedUnknownError, "comment"),
        (remove("  "), BadParamsError, "old_text"),
        (add(" \n "), BadParamsError, "content"),
        (add("a\n§\nb"), BadParamsError, "§"),
        (add("a\0b"), BadParamsError, "NUL"),
        (Edit("rename", "a", "b"), BadParamsError, "rename"),
    ],
)
def test_an_edit_that_cannot_be_made_is_refused_with_the_reason(edit: Edit, error: type[Exception], told: str) -> None:
    text = "# Heading\n\n<!-- comment -->\n\n- The cat sleeps.\n- The cat eats.\n"
    with pytest.raises(error, match=re.escape(told)):
        edited(text, "MEMORY.md", [edit])


def test_a_batch_is_the_edits_one_after_the_other() -> None:
    batch = [add("One."), replace("One", "Two."), remove("gas"), add("One.")]
    text = BULLETS
    for one in batch:
        text = edited(text, "MEMORY.md", [one])
    assert edited(BULLETS, "MEMORY.md", batch) == text
    assert texts(text) == ["用户住在厦门。", "Two.", "One.", "Text below."]


def test_what_stands_there_already_is_not_added_again() -> None:
    for text in (BULLETS, PARAGRAPHS, SECTIONS):
        assert edited(text, "MEMORY.md", [add(texts(text)[0])]) == text


# Words that no form takes for its own marks; what breaks that is below, defect by defect.
WORD = st.text("abcdefgh 住在厦门。,:é😀", min_size=1, max_size=30).map(lambda one: " ".join(one.split()) or "a")
ENTRIES = st.lists(WORD, min_size=1, max_size=8, unique=True)
ANY = st.text(st.sampled_from("ab -*#§\n\r\t`<>!1.\ufeff\u2028厦"), max_size=80)
FORMS = {
    "bullets": lambda found: "# M\n\n" + "".join(f"- {one}\n" for one in found),
    "paragraphs": lambda found: "# M\n\n" + "\n\n".join(found) + "\n",
    "sections": SEPARATOR.join,
}


@given(ANY)
def test_entries_stand_where_they_are_said_to_stand(text: str) -> None:
    at = 0
    for one in entries_of(text):
        assert at <= one.start < one.stop <= len(text)
        assert text[one.start : one.stop].strip()
        at = one.stop


@given(ANY, WORD)
def test_a_replaced_entry_leaves_all_before_and_behind_it(text: str, said: str) -> None:
    found = entries_of(text)
    assume(form_of(text) != "sections" or "\r" not in text)  # told below
    for one in found:
        if sum(one.text in other.text or one.text in text[other.start : other.stop] for other in found) == 1:
            after = edited(text, "MEMORY.md", [replace(one.text, said)])
            assert after.startswith(text[: one.start])
            assert after.endswith(text[one.stop :])


@given(st.sampled_from(sorted(FORMS)), ENTRIES, WORD)
def test_an_entry_added_and_removed_leaves_the_entries_as_they_were(form: str, found: list[str], said: str) -> None:
    if any(said in one for one in found):
        return
    text = FORMS[form](found)
    more = edited(text, "MEMORY.md", [add(said)])
    assert texts(more) == [*found, said]
    if all(said not in one for one in texts(text)):
        assert texts(edited(more, "MEMORY.md", [remove(said)])) == found


@given(st.lists(WORD, min_size=2, max_size=8, unique=True), WORD, st.data())
def test_a_hermes_file_stays_as_hermes_writes_it(found: list[str], said: str, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(found) - 1))
    if said in found or sum(found[at] in one for one in found) > 1:
        return
    text = SEPARATOR.join(found)
    assert edited(text, "MEMORY.md", [add(said)]) == SEPARATOR.join([*found, said])
    changed = [*found[:at], said, *found[at + 1 :]]
    assert edited(text, "MEMORY.md", [replace(found[at], said)]) == SEPARATOR.join(changed)
    assert edited(text, "MEMORY.md", [remove(found[at])]) == SEPARATOR.join([*found[:at], *found[at + 1 :]])


def test_a_hermes_file_with_one_entry_left_is_still_a_hermes_file() -> None:
    assert edited("a\n§\nb", "MEMORY.md", [remove("b"), add("c")]) == "a\n§\nc"


def test_a_hermes_file_with_cr_lf_has_its_entries() -> None:
    assert texts("a\r\n§\r\nb\r\n§\r\nc") == ["a", "b", "c"]
    assert texts(edited("a\r\n§\r\nb", "MEMORY.md", [add("c")])) == ["a", "b", "c"]
    assert edited("a\r\nb\n§\nc\n§\nd", "MEMORY.md", [remove("a\r\nb")]) == "c\n§\nd"


@pytest.mark.parametrize(
    ("before", "edit", "after"),
    [
        pytest.param("\ufeff# M\n\n- a\n", remove("# M"), None, id="a heading behind it is taken for an entry"),
        pytest.param("\ufeff- a\n- b\n", replace("a", "z"), "\ufeff- z\n- b\n", id="a bullet behind it loses both"),
        pytest.param("\ufeffa\n§\nb", remove("a"), "\ufeffb", id="a section takes it away"),
    ],
)
def test_a_byte_order_mark_is_no_part_of_an_entry(before: str, edit: Edit, after: str | None) -> None:
    if after is None:
        with pytest.raises(CuratedUnknownError):
            edited(before, "MEMORY.md", [edit])
    else:
        assert edited(before, "MEMORY.md", [edit]) == after


@pytest.mark.parametrize(
    ("before", "content"),
    [
        pytest.param("Para.\n", "# Not an entry", id="a heading among paragraphs"),
        pytest.param("Para.\n", "---", id="a rule among paragraphs"),
        pytest.param("Para.\n", "<!-- never closed", id="a comment that swallows what follows"),
        pytest.param("Para.\n", "```\nnever closed", id="a fence that swallows what follows"),
        pytest.param("- a\n", "Steps:\n- one\n- two", id="a list in a bullet"),
        pytest.param("- a\n", "Run:\n```\nmake\n```\nthen stop", id="code in a bullet"),
        pytest.param("- a\n", "Title\n# Part\nmore", id="a heading in a bullet"),
    ],
)
def test_whatever_is_added_is_one_entry_more(before: str, content: str) -> None:
    after = edited(before, "MEMORY.md", [add(content), add("Later.")])
    assert len(texts(after)) == len(texts(before)) + 2
    assert texts(after)[-1] == "Later."


def test_a_blank_line_goes_with_its_entry_under_cr_lf_as_under_lf() -> None:
    assert edited("- a\n\n- b\n\n- c\n", "MEMORY.md", [remove("b")]) == "- a\n\n- c\n"
    assert edited("- a\r\n\r\n- b\r\n\r\n- c\r\n", "MEMORY.md", [remove("b")]) == "- a\r\n\r\n- c\r\n"


@pytest.mark.parametrize("content", ["# Not an entry", "---", "a\n```"])
def test_what_was_escaped_is_not_added_again(content: str) -> None:
    once = edited("Para.\n", "MEMORY.md", [add(content)])
    assert edited(once, "MEMORY.md", [add(content)]) == once
