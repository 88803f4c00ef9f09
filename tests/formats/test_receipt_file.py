"""Receipts of runs: what is read is what was written, and what a person makes of it counts."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memd.formats.receipt_file import TEXT_CHARS, dump_receipt, is_sealed, judged, load_receipt
from memd.model.runs import Acceptance, Receipt, RunState, SkillUse, Step

NAME = "runs/2026-11/r1.md"
FULL = Receipt(
    run="r1", state=RunState.FAILED, acceptance=Acceptance.REVISED, final=True, task="修复-登录", session="s-1",
    role="main", started_at="2026-11-21T16:19:19Z", ended_at="2026-11-21T16:20:00Z", snapshot="0" * 64,
    skills=(SkillUse("fix-login", 3), SkillUse("own")), injected=("main/id-1", "名字/记忆"),
    tools={"read_file": 2, "运行 测试": 1, "a: b": 3, '"': 1}, iterations=6, events=12,
    usage={"input_tokens": 100, "cost": 0.25, "calls": 2}, asked="Fix it.\n\n## Steps\n\n1. `rm` x",
    summary="# Done\n---\n\\# kept", words="不要改测试\n## Asked", evidence=("[passed] 12 tests", "seen"),
    changed=("src/a.py", "remembered main/1: x"),
    steps=(Step("read_file", {"path": "a", "n": 1}), Step("shell", "ls -la", failed=True, result="no such file")),
)  # fmt: skip


def again(receipt: Receipt) -> Receipt:
    found, faults = load_receipt(dump_receipt(receipt), NAME)
    assert faults == ()
    return found


def test_a_receipt_is_read_as_it_was_written() -> None:
    assert again(FULL) == FULL
    assert again(Receipt("r1")) == Receipt("r1")


# What a text loses: NUL, CR before LF, and the white space around it.
ODD = ["---", "...", "# x", "## Steps", "## Asked", "### y", "\\# z", "\\\\---", "- a", "1. `t` {}", "   in", "", "\0", "厦门",
       "😀", "[[x]]", "run: r9", "state: odd", "<!-- -->", "```", "\\", "acceptance: accepted", "\ufeffx", "a\u2028b"]  # fmt: skip
TEXTS = st.builds(
    lambda lines, end: end.join(lines), st.lists(st.sampled_from(ODD), max_size=8), st.sampled_from(["\n", "\r\n"])
) | st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r"), max_size=60)
LINE = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=40).map(lambda one: " ".join(one.split()))


def kept(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\0", "").strip()


@given(TEXTS, TEXTS, TEXTS)
def test_whatever_was_said_is_read_as_it_was_said(asked: str, summary: str, words: str) -> None:
    found = again(Receipt("r1", asked=asked, summary=summary, words=words))
    assert (found.asked, found.summary, found.words) == (kept(asked), kept(summary), kept(words))
    assert not found.edited


@given(TEXTS, TEXTS, TEXTS)
def test_a_verdict_adds_the_words_and_leaves_the_rest(asked: str, summary: str, words: str) -> None:
    before = Receipt("r1", asked=asked, summary=summary, steps=FULL.steps)
    found, _ = load_receipt(judged(dump_receipt(before), Acceptance.ACCEPTED, words, final=True), NAME)
    wanted = replace(before, asked=kept(asked), summary=kept(summary), words=kept(words))
    assert found == replace(wanted, acceptance=Acceptance.ACCEPTED, final=True)


PLAIN = st.text(st.characters(categories=["L", "N", "P", "S", "Zs"], exclude_characters="\ufffe\uffff"), max_size=30)


@given(st.lists(LINE.filter(bool), max_size=4), st.lists(LINE.filter(bool), max_size=4), st.lists(PLAIN, max_size=4))
def test_evidence_changes_and_ids_are_read_as_they_were_written(
    evidence: list[str], changed: list[str], injected: list[str]
) -> None:
    found = again(Receipt("r1", evidence=tuple(evidence), changed=tuple(changed), injected=tuple(injected)))
    assert (found.evidence, found.changed, found.injected) == (tuple(evidence), tuple(changed), tuple(injected))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-1000, 1000) | LINE, lambda one: st.lists(one, max_size=3), max_leaves=5
)
TOOLS = st.text(st.characters(categories=["L", "N"], include_characters="_-./"), min_size=1, max_size=20)


@given(st.lists(st.builds(Step, TOOLS, st.dictionaries(LINE, JSON, max_size=3), st.booleans()), max_size=5))
def test_steps_are_read_as_they_were_written(steps: list[Step]) -> None:
    assert again(Receipt("r1", steps=tuple(steps))).steps == tuple(steps)


def test_a_long_text_is_cut_and_everything_else_stands() -> None:
    found = again(replace(FULL, asked="字" * (TEXT_CHARS + 1)))
    assert found == replace(FULL, asked="字" * TEXT_CHARS)


@pytest.mark.parametrize(
    ("old", "new", "field", "value"),
    [
        pytest.param("state: failed", "state: completed", "state", RunState.COMPLETED, id="a word in the header"),
        pytest.param("不要改测试", "要改测试", "words", "要改测试\n## Asked", id="a word in the body"),
        pytest.param("\n## Evidence\n", "\n## Other\n", "evidence", (), id="a heading"),
        pytest.param("  - fix-login@3\n", "  - fix-login@4\n", "skills", (SkillUse("fix-login", 4), SkillUse("own")), id="a skill"),
        pytest.param("- seen\n", "- seen\n- and more\n", "evidence", (*FULL.evidence, "and more"), id="a line more"),
    ],
)  # fmt: skip
def test_what_a_person_changed_counts_and_is_told(old: str, new: str, field: str, value: Any) -> None:
    text = dump_receipt(FULL)
    assert text.count(old) == 1
    found, _ = load_receipt(text.replace(old, new), NAME)
    assert found == replace(FULL, edited=True, **{field: value})
    later, _ = load_receipt(judged(text.replace(old, new), Acceptance.ACCEPTED, "ok", final=True), NAME)
    assert (later.edited, later.acceptance, getattr(later, field) if field != "words" else value) == (
        True, Acceptance.ACCEPTED, value,
    )  # fmt: skip


def test_other_line_ends_are_no_edit() -> None:
    text = dump_receipt(FULL).replace("\n", "\r\n")
    assert is_sealed(text)
    assert load_receipt(text, NAME)[0] == FULL
    after = judged(text, Acceptance.ABANDONED, "one\ntwo", final=False)
    assert is_sealed(after)
    assert load_receipt(after, NAME)[0].words == f"one\ntwo\n\n{FULL.words}"


def test_a_verdict_keeps_the_line_ends_of_a_receipt() -> None:
    text = dump_receipt(FULL).replace("\n", "\r\n")
    after = judged(text, Acceptance.ABANDONED, "one\ntwo", final=False)
    assert "\n" not in after.replace("\r\n", "")


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("", []),
        ("No header at all.\n", []),
        ("---\nstate: odd\nacceptance: maybe\n---\n", ["run.value", "run.value"]),
        ("---\nrun: [\n---\n## Asked\n\nx\n", ["yaml.syntax"]),
        ("---\nrun: r1\n", ["yaml.unclosed"]),
    ],
)
def test_what_cannot_be_read_is_told_and_the_rest_serves(text: str, codes: list[str]) -> None:
    found, faults = load_receipt(text, NAME)
    assert (found.run, [one.code for one in faults]) == ("r1", codes)
    assert load_receipt(judged(text, Acceptance.ACCEPTED, "ok", final=True), NAME)[0].words in ("ok", "")


@pytest.mark.parametrize("line", ['seal: "abc"', "seal: ", "seal: 0123"])
def test_a_text_with_a_line_like_the_seal_keeps_it(line: str) -> None:
    assert again(Receipt("r1", asked=f"before\n{line}\nafter")).asked == f"before\n{line}\nafter"


@pytest.mark.parametrize(
    "much",
    [
        pytest.param({"injected": tuple(f"记忆管理员的角色名字，一共二十个字那么长/{n:032d}" for n in range(200))}, id="Chinese role"),
        pytest.param({"tools": {f"mcp__some_server__some_tool_with_a_long_name_{'x' * 40}_{n}": 1 for n in range(200)}}, id="tools"),
    ],
)  # fmt: skip
def test_a_long_header_can_still_be_read(much: dict[str, Any]) -> None:
    found, faults = load_receipt(dump_receipt(replace(FULL, **much)), NAME)
    assert faults == ()
    assert (found.state, found.acceptance, found.skills) == (FULL.state, FULL.acceptance, FULL.skills)


@pytest.mark.parametrize("sign", ["\x7f", "\x85", "\u2028", "\u2029", "\ufffe"])
def test_a_tool_of_any_name_leaves_the_header_readable(sign: str) -> None:
    assert again(replace(FULL, tools={f"a{sign}b": 1})).state is RunState.FAILED


@pytest.mark.parametrize("tool", ["on", "no", "y", "true"])
def test_memds_own_header_has_nothing_to_be_told_of(tool: str) -> None:
    assert again(replace(FULL, tools={tool: 1})).tools == {tool: 1}


@pytest.mark.parametrize("cost", [0.00001, 0.000049])
def test_a_small_cost_is_read_as_it_was_written(cost: float) -> None:
    assert again(replace(FULL, usage={"cost": cost})).usage == {"cost": cost}


def test_the_blanks_in_arguments_stay() -> None:
    step = Step("edit", {"old": "a  b", "new": "    return 1"})
    assert again(Receipt("r1", steps=(step,))).steps == (step,)
