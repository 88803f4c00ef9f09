"""memory.json: unchanged bytes stay, a change touches one record, whatever the file's style."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memd.errors import RejectedFileError
from memd.formats.role_memory import new_document
from memd.formats.role_reader import load
from memd.model.memory import Kind
from tests.support import examples

# The seed system's own form: one line, no final newline, milliseconds, unknown keys, a stray is_constant, no id.
SEED = (
    '{"characterUuid":"0000","episodic":[{"id":"e19c","timestamp":1795225077894,"content":"外婆家门前有一条清澈的小溪。",'
    '"keywords":["老家","外婆"],"triggerType":"keyword","priority":80,"isConstant":false,"relevanceWeight":0.80,'
    '"metadata":{"source":"manual","version":"enhanced"}},{"timestamp":1795225077895,"content":"没有编号的记忆。"}],'
    '"semantic":[{"id":"s1","content":"用户喜欢喝咖啡，尤其是美式咖啡。","updatedAt":1795225077894,"tags":["咖啡"]}],'
    '"traits":[{"name":"脾气","value":"直爽","confidence":0.9,"is_constant":false,"isConstant":true}],"goals":[],'
    '"lastSyncedAt":1795225077894}'
)
text = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1).filter(str.strip)
plain = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**9), 10**9) | st.floats(-1e6, 1e6) | text,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(text, inner, max_size=3),
    max_leaves=6,
)
record = st.fixed_dictionaries(
    {"content": text}, optional={"x": plain, "价": plain, "keywords": st.lists(text, max_size=3)}
)


@st.composite
def files(draw: st.DrawFn) -> str:
    kinds = draw(st.permutations(["episodic", "semantic", "traits", "goals"]))
    number = 0
    document: dict[str, Any] = {"characterUuid": "u"}
    for kind in kinds[: draw(st.integers(0, 4))]:
        records = draw(st.lists(record, max_size=4))
        for one in records:
            number += 1
            if draw(st.booleans()):
                one["id"] = f"{draw(st.integers(0, 99)):02d}-{number}"
        document[kind] = records
        if draw(st.booleans()):
            document[f"other {kind}"] = draw(plain)
    style = draw(st.sampled_from([None, 1, 2, 4, "\t"]))
    separators = (",", ":") if style is None and draw(st.booleans()) else None
    result = json.dumps(document, ensure_ascii=draw(st.booleans()), indent=style, separators=separators)
    if draw(st.booleans()):
        result = result.replace("\n", "\r\n")
    return draw(st.sampled_from(["", "\ufeff"])) + result + draw(st.sampled_from(["", "\n", "\n\n"]))


@given(files())
@settings(max_examples=examples(300), deadline=None)
def test_loading_and_dumping_unchanged_gives_the_same_bytes(content: str) -> None:
    data = content.encode()
    assert load(data, "f", "r").document.dump() == data


@given(files(), text)
@settings(max_examples=examples(300), deadline=None)
def test_a_changed_record_changes_only_its_own_bytes(content: str, wanted: str) -> None:
    parsed = load(content.encode(), "f", "r")
    for entry in parsed.entries:
        value = entry.element.value()
        value["content"] = wanted
        changed = parsed.document.with_records({(entry.memory.kind, entry.memory.id): value})
        before = [element.raw for _, element in parsed.document.elements() if element.id != entry.memory.id]
        after = [element.raw for _, element in changed.elements() if element.id != entry.memory.id]
        assert after == before
        assert changed.literals == parsed.document.literals
        again = load(changed.dump(), "f", "r")
        assert again.document.dump() == changed.dump()
        (found,) = [one for one in again.document.elements() if one[1].body == changed_body(changed, entry.memory.id)][
            :1
        ]
        assert found[1].value() == value
        untouched = [key for key in value if key != "content"]
        for key in untouched:
            assert json.dumps(found[1].value()[key]) == json.dumps(entry.element.value()[key])


def changed_body(document: Any, memory_id: str) -> bytes:
    body: bytes = next(element.body for _, element in document.elements() if element.id == memory_id)
    return body


@given(files(), st.lists(st.integers(0, 9999), max_size=5, unique=True))
@settings(max_examples=examples(200), deadline=None)
def test_records_put_and_removed_leave_the_others_as_they_were(content: str, numbers: list[int]) -> None:
    parsed = load(content.encode(), "f", "r")
    puts = {(Kind.SEMANTIC, f"new-{n:04d}"): {"id": f"new-{n:04d}", "content": f"新 {n}"} for n in numbers}
    full = parsed.document.with_records(puts)
    again = load(full.dump(), "f", "r")
    assert not [fault for fault in again.faults if "new-" in fault.why]
    ids = [
        one.memory.id for one in again.entries if one.memory.kind is Kind.SEMANTIC and one.memory.id.startswith("new")
    ]
    assert ids == sorted(ids)
    assert {one.memory.id for one in again.entries} == {one.memory.id for one in parsed.entries} | {
        key[1] for key in puts
    }
    empty = again.document.with_records(dict.fromkeys(puts))
    assert [one.memory for one in load(empty.dump(), "f", "r").entries] == [one.memory for one in parsed.entries]


def test_the_seeds_own_file_loads_and_stays() -> None:
    parsed = load(SEED.encode(), "f", "r")
    assert parsed.document.dump() == SEED.encode()
    assert not parsed.faults
    by_content = {one.memory.content: one.memory for one in parsed.entries}
    assert by_content["外婆家门前有一条清澈的小溪。"].when_s == pytest.approx(1795225077.894)
    assert by_content["直爽"].constant, "isConstant counts, the stray is_constant does not"
    assert len(by_content["没有编号的记忆。"].id) == 36


def test_a_record_without_an_id_gets_one_only_when_it_changes() -> None:
    parsed = load(SEED.encode(), "f", "r")
    entry = next(one for one in parsed.entries if one.memory.content == "没有编号的记忆。")
    value = {**entry.element.value(), "id": entry.memory.id, "priority": 9}
    changed = parsed.document.with_records({(Kind.EPISODIC, entry.memory.id): value}).dump().decode()
    assert changed == SEED.replace(
        '"content":"没有编号的记忆。"}', f'"content":"没有编号的记忆。","id":"{entry.memory.id}","priority":9}}'
    )
    assert load(changed.encode(), "f", "r").entries[1].memory.id == entry.memory.id


def test_number_spellings_and_inner_layout_of_a_changed_record_stay() -> None:
    content = '{\n  "semantic": [\n    { "id": "a", "weight": 0.80, "n": 1E3,\n      "content": "old", "keywords": ["x","y"] }\n  ]\n}\n'
    parsed = load(content.encode(), "f", "r")
    value = {**parsed.entries[0].element.value(), "content": "new"}
    assert parsed.document.with_records({(Kind.SEMANTIC, "a"): value}).dump().decode() == content.replace("old", "new")


@pytest.mark.parametrize("indent", [None, 2])
def test_one_change_among_ten_thousand_is_one_records_bytes(indent: int | None) -> None:
    separators = (",", ":") if indent is None else None
    records = [{"id": f"{n:05d}", "content": f"记忆 {n}", "weight": 0.5} for n in range(10_000)]
    data = json.dumps({"semantic": records}, ensure_ascii=False, indent=indent, separators=separators).encode()
    parsed = load(data, "f", "r")
    assert parsed.document.dump() == data
    changed = parsed.document.with_records({(Kind.SEMANTIC, "05000"): {**records[5000], "content": "变了"}}).dump()
    assert changed == data.replace("记忆 5000".encode(), "变了".encode())
    put = parsed.document.with_records({(Kind.SEMANTIC, "05000a"): {"id": "05000a", "content": "x"}}).dump()
    assert put.startswith(data[: data.index(b"05001") - 20])
    assert len(json.loads(put)["semantic"]) == 10_001


def test_a_file_of_memds_own_is_indented_and_ends_with_a_newline() -> None:
    document = new_document("u").with_records({(Kind.GOAL, "g"): {"id": "g", "value": "去大理"}})
    expected = {
        "characterUuid": "u",
        "episodic": [],
        "semantic": [],
        "traits": [],
        "goals": [{"id": "g", "value": "去大理"}],
    }
    assert document.dump().decode() == json.dumps(expected, ensure_ascii=False, indent=2) + "\n"


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ('{"id": "b"}', "content"),
        ('{"id": "b", "content": 5}', "str"),
        ('{"id": "b", "content": "x", "priority": 101}', "100"),
        ('{"id": "b", "content": "x", "keywords": "tea"}', "array"),
        ('{"id": "b", "content": "x", "timestamp": "soon"}', "time"),
        ('{"id": "b", "content": "x", "timestamp": 1' + "0" * 400 + "}", "time"),
        ('{"id": "b", "content": "x", "relevanceWeight": NaN}', "NaN"),
        ('{"id": "b", "content": "x", "content": "y"}', "twice"),
        ('{"id": "b", "content": "\\ud800"}', "surrogate"),
        ('{"id": "b", "content": "a\\u0000"}', "NUL"),
        ('{"id": "b", "content": "x", "deep": ' + "[" * 70 + "]" * 70 + "}", "deeper"),
        ('{"id": "b", "content": "x", "deep": ' + "[" * 5000 + "]" * 5000 + "}", "deep"),
        ('{"id": "b", "content": "x", "n": 1' + "0" * 5000 + "}", "digits"),
        ('{"id": "a", "content": "a twin"}', "twice"),
        ('"a text"', "object"),
        ("null", "object"),
    ],
)  # fmt: skip
def test_a_bad_record_is_named_with_its_line_and_the_others_serve(body: str, why: str) -> None:
    content = '{"semantic": [\n{"id": "a", "content": "good"},\n' + body + ',\n{"id": "c", "content": "also good"}]}'
    parsed = load(content.encode(), "roles/r/memory.json", "r")
    assert [one.memory.id for one in parsed.entries] == ["a", "c"]
    (fault,) = parsed.faults
    assert fault.line == 3
    assert why in fault.why
    assert parsed.document.dump() == content.encode(), "its bytes stay"


@pytest.mark.parametrize(
    ("content", "line"),
    [
        ("", 1),
        ("   \n", 1),
        ("[]", 1),
        ('{"semantic": {}}', 1),
        ('{"semantic": [\n{"id": 1,}\n]}', 2),
        ('{"semantic": []} x', 1),
        ('{"a": 1, "a": 2}', 1),
        ('{\n<<<<<<< HEAD\n"semantic": []\n=======\n}', 2),
        ('{"semantic": [\n\n{"id": "x", "content": "cut', 3),
        ("[" * 100_000, 1),
    ],
)
def test_a_file_that_cannot_be_read_is_rejected_with_its_line(content: str, line: int) -> None:
    with pytest.raises(RejectedFileError) as rejected:
        load(content.encode(), "f", "r")
    assert rejected.value.fault.line == line


def test_a_strangers_word_covers_is_kept_and_serves_where_nothing_is_superseded() -> None:
    parsed = load(
        b'{"semantic": [{"id": "a", "content": "x is here", "covers": "fire and theft"}]}', "memory.json", "r"
    )
    assert not parsed.faults
    assert parsed.entries[0].memory.covers == ()
