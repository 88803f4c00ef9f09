"""Two branches of a memory.json become one file, whatever both did to it and however it is written."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memd.engine.merge_branches import MergedFile, merge_file
from memd.formats.git_files import Sides

NAME = "roles/main/memory.json"
Record = dict[str, Any]

BASE: list[Record] = [
    {"id": "b", "content": "我喜欢绿茶。", "keywords": ["茶"], "priority": 1},
    {"id": "d", "content": "I live in Berlin.", "score": 7.5, "extra": {"x": 1, "y": [1]}},
    {"id": "f", "content": "A cat.", "updatedAt": 1_700_000_000_000},
    {"content": "no id"},
]
FORMS = {
    "memd's own": {"indent": 2, "ensure_ascii": False},
    "compact": {"separators": (",", ":"), "ensure_ascii": False},
    "one line": {"ensure_ascii": True},
    "tabs": {"indent": "\t", "ensure_ascii": False},
}


def dumped(records: list[Record], form: str = "memd's own", **more: Any) -> bytes:
    document = {"characterUuid": "main", "episodic": [], "semantic": records, "traits": [], "goals": [], **more}
    return (json.dumps(document, **FORMS[form]) + "\n").encode()  # type: ignore[arg-type]


def merged(base: bytes, ours: bytes, theirs: bytes, sides: Sides = Sides()) -> MergedFile:  # noqa: B008
    found = merge_file("memory", (base, ours, theirs), NAME, sides)
    assert found is not None
    return found


def records(data: bytes) -> list[Record]:
    found: list[Record] = json.loads(data)["semantic"]
    return found


def choose(data: bytes, side: str) -> bytes:
    """Take one side of every conflict, as a person would."""
    kept, now = [], "both"
    for line in data.decode().split("\n"):
        mark = line[:8].rstrip("\r")
        if mark in ("<<<<<<< ", "=======", ">>>>>>> "):
            now = {"<<<<<<< ": "ours", "=======": "theirs", ">>>>>>> ": "both"}[mark]
        elif now in ("both", side):
            kept.append(line)
    return "\n".join(kept).encode()


FIELDS = st.sampled_from(["content", "priority", "keywords", "name", "supersededBy", "updatedAt"])
VALUES = {
    "content": st.sampled_from(["a", "乙", "c"]),
    "priority": st.integers(0, 3),
    "keywords": st.lists(st.sampled_from(["茶", "x", "y"]), unique=True),
    "name": st.sampled_from(["n", None]),
    "supersededBy": st.sampled_from(["b", "d"]),
    "updatedAt": st.integers(1_700_000_000_000, 1_700_000_000_009),
}


@st.composite
def edited(draw: st.DrawFn) -> list[Record]:
    """The base after a few edits of one person."""
    found = copy.deepcopy(BASE)
    for _ in range(draw(st.integers(0, 5))):
        what = draw(st.sampled_from(["set", "set", "drop", "add", "remove", "move"]))
        at = draw(st.integers(0, max(0, len(found) - 1)))
        if what == "add":
            fresh = {"id": draw(st.sampled_from("acegz")), "content": draw(st.sampled_from(["neu", "新"]))}
            if fresh["id"] not in {one.get("id") for one in found}:
                found.insert(at, fresh)
        elif found and what == "set":
            field = draw(FIELDS)
            found[at][field] = draw(VALUES[field])
        elif found and what == "drop":
            found[at].pop(draw(FIELDS.filter(lambda one: one != "content")), None)
        elif found and what == "remove":
            found.pop(at)
        elif found:
            found.insert(0, found.pop(at))
    return found


@pytest.mark.parametrize("form", FORMS)
@given(side=edited())
def test_an_unchanged_side_leaves_the_other_as_it_is(form: str, side: list[Record]) -> None:
    base, other = dumped(BASE, form), dumped(side, form)
    assert merged(base, other, base).data == other
    assert records(merged(base, base, other).data) == side
    assert merged(base, other, other).data == other


@pytest.mark.parametrize("form", FORMS)
@given(ours=edited(), theirs=edited())
def test_nothing_that_one_side_wrote_is_missing(form: str, ours: list[Record], theirs: list[Record]) -> None:
    base = {one.get("id"): one for one in BASE}
    found = merged(dumped(BASE, form), dumped(ours, form), dumped(theirs, form))
    for side in ("ours", "theirs"):
        chosen = records(choose(found.data, side))
        by_id = {one.get("id"): one for one in chosen}
        assert len([one for one in chosen if one.get("id")]) == len(by_id.keys() - {None}), "each once"
        for record, mine in [(one, True) for one in ours] + [(one, False) for one in theirs]:
            known = base.get(record.get("id"))
            if not record.get("id"):
                assert record["content"] in {one["content"] for one in chosen} or record["content"] == "no id"
            elif known is None or record != known:
                assert record["id"] in by_id, "what was added or changed stays"
                if mine is (side == "ours"):
                    told = by_id[record["id"]]
                    for field, value in record.items():
                        plain = field not in ("keywords", "updatedAt", "supersededBy")
                        if plain and (known is None or known.get(field) != value):
                            assert told[field] == value


@given(ours=edited(), theirs=edited())
def test_both_clones_come_to_the_same_memories_whoever_merges(ours: list[Record], theirs: list[Record]) -> None:
    base, one, other = dumped(BASE), dumped(ours), dumped(theirs)
    here, there = merged(base, one, other), merged(base, other, one)
    assert here.clean == there.clean
    if here.clean:
        left, right = (
            sorted(
                json.dumps({**one, "keywords": sorted(one.get("keywords", []))}, sort_keys=True)
                for one in records(x.data)
            )
            for x in (here, there)
        )
        assert left == right


@pytest.mark.parametrize("form", FORMS)
def test_a_contested_field_leaves_two_whole_choices_in_every_form(form: str) -> None:
    ours, theirs = copy.deepcopy(BASE), copy.deepcopy(BASE)
    ours[1]["content"], theirs[1]["content"] = "Kiel", "汉堡"
    theirs[0]["priority"] = 5
    found = merged(dumped(BASE, form), dumped(ours, form), dumped(theirs, form))
    assert not found.clean
    assert records(choose(found.data, "ours"))[1]["content"] == "Kiel"
    assert records(choose(found.data, "theirs"))[1]["content"] == "汉堡"
    assert records(choose(found.data, "ours"))[0]["priority"] == 5


@pytest.mark.parametrize(("field", "earlier", "later"), [("score", 9.0, 6.5), ("supersededBy", "z", "a")])
def test_what_memd_decides_stands_as_the_side_has_it_that_was_changed_later(
    field: str, earlier: Any, later: Any
) -> None:
    was = {"id": "d", "content": "I live in Berlin.", "updatedAt": 1_700_000_000_000}
    older = {**was, "updatedAt": 1_700_000_000_001, field: earlier}
    newer = {**was, "updatedAt": 1_700_000_000_002, field: later}
    for ours, theirs in ((older, newer), (newer, older)):
        assert records(merged(dumped([was]), dumped([ours]), dumped([theirs])).data) == [newer]


def test_windows_line_ends_stay() -> None:
    base, ours, theirs = (
        dumped(one).replace(b"\n", b"\r\n") for one in (BASE, BASE[1:], [*BASE, {"id": "z", "content": "z"}])
    )
    found = merged(base, ours, theirs).data
    assert found.count(b"\n") == found.count(b"\r\n")
    assert [one.get("id") for one in records(found)] == ["d", "f", None, "z"]


def test_a_form_that_only_one_side_uses_does_not_mix_into_the_other() -> None:
    theirs = [*BASE[:3], {"id": "z", "content": "新", "keywords": ["k"]}]
    found = merged(dumped(BASE), dumped(BASE[1:]), dumped(theirs, "compact")).data
    assert json.loads(found)["semantic"] == [*BASE[1:3], theirs[-1]]
    assert found == dumped([*BASE[1:3], theirs[-1]])


def test_what_stands_beside_the_records_merges_by_key() -> None:
    found = merged(dumped(BASE), dumped(BASE, ours=1), dumped(BASE, theirs=["x"])).data
    assert json.loads(found)["ours"] == 1
    assert json.loads(found)["theirs"] == ["x"]
    assert merge_file("memory", (dumped(BASE, x=0), dumped(BASE, x=1), dumped(BASE, x=2)), NAME, Sides()) is None


def test_a_record_nobody_can_read_is_not_lost() -> None:
    base, ours = dumped(BASE), dumped([*BASE, {"id": "h", "content": "h"}])
    theirs = base.replace(b'"no id"', b'"no id"').replace(b'  ],\n  "traits"', b'    ,\n    17\n  ],\n  "traits"')
    found = json.loads(merged(base, ours, theirs).data)["semantic"]
    assert 17 in found
    assert found[-1] in (17, {"id": "h", "content": "h"})


def test_an_array_that_one_side_has_not_takes_nothing_from_the_other() -> None:
    goal = {"id": "g", "value": "学会游泳"}
    base = dumped(BASE)
    ours = dumped(BASE, goals=[goal])
    without = json.loads(dumped([*BASE, {"id": "z", "content": "z"}]))
    del without["goals"]
    theirs = json.dumps(without, ensure_ascii=False, indent=2).encode()
    for states in ((base, ours, theirs), (b"", ours, theirs), (base, theirs, ours), (b"", theirs, ours)):
        found = json.loads(merged(*states).data)
        assert found["goals"] == [goal]
        assert "z" in {one.get("id") for one in found["semantic"]}
