"""What agents keep of conversations is read as hooks would have heard it, whatever else stands in the files."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memd.formats.foreign.transcripts import HELPER, LINE_BYTES, TEXT_CHARS, Transcript, own_words

AT = "2026-03-01T10:00:00.000Z"


def read(agent: str, *lines: Any, whole: bool = False) -> tuple[list[tuple[str, str]], Transcript]:
    transcript = Transcript(agent)
    data = b"\n".join(one if isinstance(one, bytes) else json.dumps(one).encode() for one in lines)
    return [(one.speaker, one.text) for one in transcript.take(data, whole=whole)], transcript


def claude(text: Any, speaker: str = "user", **more: Any) -> dict[str, Any]:
    return {"type": speaker, "message": {"role": speaker, "content": text}, "timestamp": AT, "cwd": "/w", **more}


def codex(text: str, role: str = "user", kind: str | None = None) -> dict[str, Any]:
    payload: dict[str, Any] = {"type": "message", "role": role, "content": [{"type": "input_text", "text": text}]}
    if kind:
        payload["internal_chat_message_metadata_passthrough"] = {"content_item_kinds": [kind]}
    return {"timestamp": AT, "type": "response_item", "payload": payload}


@pytest.mark.parametrize(
    "line",
    [
        pytest.param(claude("x", isMeta=True), id="what the agent wrote of itself"),
        pytest.param(claude("x", isCompactSummary=True), id="a summary"),
        pytest.param(claude("x", isSidechain=True), id="of a helper"),
        pytest.param(claude("x", origin={"kind": "peer"}), id="of another program"),
        pytest.param(claude("x", "assistant", isApiErrorMessage=True), id="an error"),
        pytest.param(claude([{"type": "tool_result", "content": [{"type": "text", "text": "x"}]}]), id="of a tool"),
        pytest.param(claude([{"type": "thinking", "thinking": "x"}], "assistant"), id="a thought"),
        pytest.param(claude("<command-name>/compact</command-name>\n<command-args>x</command-args>"), id="a command"),
        pytest.param(claude("[Request interrupted by user for tool use]"), id="an interruption"),
        pytest.param({"type": "user", "message": {"content": {"deep": 1}}}, id="of another shape"),
        pytest.param({"type": "user", "message": "x"}, id="no message"),
        pytest.param({"type": "summary", "summary": "x"}, id="a title"),
        pytest.param([1, 2], id="no object"),
        pytest.param(b'{"type":"user","message":{"content":"to', id="torn"),
        pytest.param(b'{"type":"user","x":' + b"[" * 100_000, id="deep"),
        pytest.param(b'{"type":"user","message":{"content":"' + b"x" * LINE_BYTES + b'"}}', id="enormous"),
        pytest.param(b'{"type":"user","message":{"content":"\xff\xfe"}}', id="no UTF-8"),
    ],
)
def test_what_nobody_said_is_passed_over_and_the_rest_is_read(line: Any) -> None:
    found, _ = read("claude", claude("before"), line, claude([{"type": "text", "text": "之后"}], "assistant"))
    assert found == [("user", "before"), ("assistant", "之后")]


def test_a_line_that_cannot_be_read_is_counted() -> None:
    assert read("claude", b'{"type":"user"', claude("a"))[1].unread == 1


def test_where_and_when_a_conversation_was_held_is_known() -> None:
    _, one = read("claude", claude("a"))
    assert (one.directory, one.began) == ("/w", AT)
    meta = {
        "timestamp": AT,
        "type": "session_meta",
        "payload": {"id": "s", "cwd": "/w", "timestamp": AT, "source": "cli"},
    }
    found, one = read("codex", meta, codex("a"), codex("b", "assistant"))
    assert (found, one.session, one.directory, one.began) == ([("user", "a"), ("assistant", "b")], "s", "/w", AT)


def test_codex_says_of_each_part_whether_the_person_wrote_it() -> None:
    lines = [codex("x", kind="environments.environment_context"), codex("# AGENTS.md instructions for /w\n\nx"), codex("<user_instructions>x</user_instructions>"), codex("a", kind="user.text"), codex("x", "developer")]  # fmt: skip
    assert read("codex", *lines)[0] == [("user", "a")]


def test_codex_as_it_was_in_the_beginning() -> None:
    head = {"id": "s", "timestamp": AT, "instructions": None}
    turn = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "a"}]}
    found, one = read("codex", head, turn, {"record_type": "state"})
    assert (found, one.session, one.began) == ([("user", "a")], "s", AT)


@pytest.mark.parametrize("more", [{"source": {"subagent": "review"}}, {"source": "cli", "thread_source": "subagent"}])
def test_what_a_helper_was_told_is_nobodys_word(more: dict[str, Any]) -> None:
    meta = {"timestamp": AT, "type": "session_meta", "payload": {"id": "s", **more}}
    found, one = read("codex", meta, codex("a"))
    assert (found, one.aside) == ([], HELPER)
    found, one = read("gemini", {"sessionId": "s", "projectHash": "h", "startTime": AT, "kind": "subagent"}, {"id": "1", "type": "user", "content": "a"})  # fmt: skip
    assert (found, one.aside) == ([], HELPER)


def test_gemini_writes_a_conversation_again_where_it_goes_on_and_each_turn_is_one() -> None:
    head = {"sessionId": "s", "projectHash": "h", "startTime": AT, "kind": "main"}
    one = {"id": "1", "timestamp": AT, "type": "user", "content": [{"text": "<hook_context>x</hook_context>\n\na"}, {"text": "<hook_context>x</hook_context>"}]}  # fmt: skip
    two = {"id": "2", "timestamp": AT, "type": "gemini", "content": "b", "thoughts": [{"subject": "x"}]}
    note = {"id": "3", "timestamp": AT, "type": "info", "content": "x"}
    again = {"$set": {"messages": [one, {**two, "content": [{"text": "b"}]}]}}
    found, transcript = read("gemini", head, one, two, note, head, again, {"$rewindTo": "2"})
    assert (found, transcript.session) == ([("user", "a"), ("assistant", "b")], "s")
    found, _ = read("gemini", json.dumps({**head, "messages": [one, two, note]}, indent=2).encode(), whole=True)
    assert found == [("user", "a"), ("assistant", "b")]


@pytest.mark.parametrize(
    ("text", "own"),
    [
        ("<system-reminder>x</system-reminder>我左撇子", "我左撇子"),
        ("I say\n<system-reminder>x</system-reminder>\nthis", "I say\n\nthis"),
        ("<memd-memory 12ab>x</memd-memory 12ab>a", "a"),
        ("<div>x</div> Why is it not centred?", "Why is it not centred?"),
        ("a < b and c > d", "a < b and c > d"),
        ("<unclosed> I say this", "<unclosed> I say this"),
        ("<system-reminder>never closed", "<system-reminder>never closed"),
    ],
)
def test_a_prompt_is_the_persons_without_what_was_put_into_it(text: str, own: str) -> None:
    assert own_words(text) == own


def test_a_long_turn_is_cut_and_has_no_nul() -> None:
    found, _ = read("claude", claude("a\0b" + "x" * 2 * TEXT_CHARS))
    assert len(found[0][1]) == TEXT_CHARS - 1
    assert "\0" not in found[0][1]


@given(st.sampled_from(["claude", "codex", "gemini"]), st.binary(max_size=400), st.booleans())
def test_whatever_stands_in_a_file_is_read_or_passed_over(agent: str, data: bytes, whole: bool) -> None:
    list(Transcript(agent).take(data, whole=whole))


JSON = st.recursive(st.none() | st.booleans() | st.integers() | st.text(max_size=5), lambda one: st.lists(one, max_size=3) | st.dictionaries(st.sampled_from(["type", "message", "role", "content", "text", "payload", "id", "$set", "messages", "source", "timestamp", "kind"]), one, max_size=5), max_leaves=20)  # fmt: skip


@given(st.sampled_from(["claude", "codex", "gemini"]), JSON)
def test_whatever_json_stands_in_a_line_is_read_or_passed_over(agent: str, value: Any) -> None:
    found, _ = read(agent, value)
    assert all(speaker in ("user", "assistant") and text for speaker, text in found)
