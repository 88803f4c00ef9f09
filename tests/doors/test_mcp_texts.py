"""Replies as agents read them: what is there to act on stands in them, and nothing a reader cannot use."""

from __future__ import annotations

from memd.doors.mcp.texts import event_line, of_trigger

ID = "1f0c2a9b-0000-4000-8000-000000000000"


def test_a_memory_of_another_role_says_whose_it_is() -> None:
    own, other = (
        {"id": ID, "kind": "trait", "text": "Call me Ana.", "role": "main"},
        {"id": ID, "kind": "goal", "role": "nora"},
    )
    told = of_trigger({"content": "…", "role": "main", "activated": [own, other]}).splitlines()
    assert told[-2:] == ["- 1f0c2a9b trait: Call me Ana.", "- 1f0c2a9b goal of nora: "]


def test_an_event_without_words_tells_how_many_ids_it_has_and_not_which() -> None:
    event = {"seq": 4, "kind": "injected", "role": "main", "memories": [ID, ID.replace("1", "2")]}
    assert event_line(event) == "4 injected: role main, 2 memories"
