"""What is kept of a role's file comes back as it was read; of any other file, nothing does."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memd.formats.derived import NO, YES, RoleCache, dump_cache, kept_of, load_cache, parsed_of
from memd.formats.role_reader import Parsed, load
from memd.model.search import NO_ROWS

PLAIN = {"content": "Ada keeps bees."}
ODD = [
    {"id": "a", "content": "Times.", "timestamp": 1_760_000_000_000, "eventStart": "2026-05-08", "validFrom": 5},
    {"id": "b", "content": "Told.", "createdAt": 1_760_000_000_000.5, "score": 8, "priority": 99.6, "turn": 3},
    {"id": "c", "content": "Rules.", "keywords": ["x", "/y/i"], "order": 7, "sticky": 2, "probability": 50},
    {"id": "d", "value": "Named", "name": "n", "supersedes": ["a"], "covers": ["k"], "conflictsWith": ["b"]},
    {"id": "e", "content": "蜂蜜 🐝", "tags": ["world"], "emotionalContext": ["joy"], "bothHold": {"a": {}}, "own": {"z": [1]}},
]  # fmt: skip


def kept(data: bytes) -> RoleCache:
    parsed = load(data, "roles/ada/memory.json", "ada")
    stands = bytes(YES if at % 2 else NO for at, _ in enumerate(parsed.entries))
    return load_cache(dump_cache(kept_of(parsed, NO_ROWS, stands)))


def texts_of(role: dict[str, Any]) -> list[bytes]:
    indented = json.dumps(role, ensure_ascii=False, indent="\t")
    forms = (indented, json.dumps(role), f"\ufeff{indented}\n", indented.replace("\n", "\r\n"))
    return [one.encode() for one in forms]


@pytest.mark.parametrize(
    "role",
    [
        {},
        {"characterUuid": "u", "episodic": [], "semantic": [], "traits": [], "goals": []},
        {"goals": [PLAIN, PLAIN], "more": 1, "episodic": [*ODD, PLAIN]},
        {"semantic": [{**PLAIN, "timestamp": 1.5}], "traits": [{"name": "calm", "value": "is calm"}]},
    ],
)
def test_what_is_kept_of_a_file_is_what_was_read(role: dict[str, Any]) -> None:
    for data in texts_of(role):
        read = load(data, "roles/ada/memory.json", "ada")
        again = parsed_of(kept(data), data)
        assert again == read
        assert again is not None
        assert again.document.dump() == data
        assert list(map(_types, again.entries)) == list(map(_types, read.entries))


def _types(entry: Any) -> list[type]:
    memory = entry.memory
    return [type(getattr(memory, name)) for name in memory.__slots__ if name != "undated"]  # its number may be whole


@given(
    st.lists(
        st.fixed_dictionaries(
            {"content": st.text(min_size=1)},
            optional={
                "id": st.text(min_size=1, max_size=4),
                "keywords": st.lists(st.text(max_size=5), max_size=3),
                "timestamp": st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
                "priority": st.floats(0, 100),
                "turn": st.integers() | st.text(max_size=3),
                "session": st.text(max_size=3),
                "isConstant": st.booleans(),
                "other": st.recursive(st.none() | st.integers(), st.lists, max_leaves=3),
            },
        ),
        max_size=6,
    )
)
def test_of_any_records_comes_back_what_was_read_or_nothing(records: list[dict[str, Any]]) -> None:
    data = json.dumps({"semantic": records}, ensure_ascii=True).encode()
    read: Parsed = load(data, "roles/ada/memory.json", "ada")
    assert parsed_of(kept(data), data) in ((read,) if not read.faults else (None,)) or not _can_be_kept(records)


def _can_be_kept(records: list[dict[str, Any]]) -> bool:
    try:
        json.dumps(records, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return all(abs(number) < 2**63 for one in records for number in one.values() if isinstance(number, int))


@pytest.mark.parametrize("content", ["\ud800 half a character", "plain"])
def test_what_no_cache_can_hold_is_read_from_the_file(content: str) -> None:
    record = {"content": content, "createdAt": 10**30 if content == "plain" else 1}
    data = json.dumps({"semantic": [record]}).encode()
    assert parsed_of(kept(data), data) is None


def test_another_file_is_not_taken_for_the_one_that_was_read() -> None:
    data = texts_of({"semantic": [PLAIN]})[0]
    assert parsed_of(kept(data), data + b"\n") is None
    assert parsed_of(RoleCache(), data) is None


def test_what_another_version_kept_is_nothing() -> None:
    data = texts_of({"semantic": [PLAIN]})[0]
    one = kept(data)
    assert one.digest
    for other in (RoleCache(version="0"), RoleCache(order="other"), RoleCache(analyzer=0)):
        other.digest, other.pieces, other.memories = one.digest, one.pieces, one.memories
        assert load_cache(dump_cache(other)) == RoleCache()
