"""A tool is its verb with a model's words: schemas follow from the declaration, and values are checked by it."""

from __future__ import annotations

import contextlib
import json
from collections.abc import AsyncIterator, Callable, Coroutine
from dataclasses import replace
from typing import Annotated, Any

import pytest
from msgspec import UNSET, Meta, UnsetType

from memd.daemon import Local
from memd.doors.mcp.answers import Tools, as_meant, listed, taken
from memd.doors.mcp.asking import Desk
from memd.doors.mcp.declared import Given, Key, Tool, keys_of, shown
from memd.doors.mcp.tools import DECLARED, TOOLS
from memd.doors.rpc import METHODS
from memd.errors import BadParamsError, MemdError, MemoryUnknownError, RoleUnknownError
from memd.protocol.recall import Recalled
from memd.service.walks import TriggerRequest
from tests.service.test_addresses import work
from tests.support import Folder
from tools import mcp_tools

pytestmark = pytest.mark.demo

TRIGGER = TOOLS["memory_trigger"]
OFFERED = [one for one in DECLARED if one.verb in METHODS]


def test_the_schemas_that_are_shipped_are_made_of_the_declarations() -> None:
    assert listed() == mcp_tools.listed(), "run `make docs`"


def test_a_tool_is_offered_where_its_verb_is_and_nowhere_else(monkeypatch: pytest.MonkeyPatch) -> None:
    assert [one["name"] for one in listed()] == [one.name for one in OFFERED]
    monkeypatch.setattr(mcp_tools, "METHODS", {"trigger": METHODS["trigger"]})
    assert [one["name"] for one in mcp_tools.listed()] == ["memory_trigger"]


class Warmer(TriggerRequest):
    """A trigger's request with one parameter more."""

    warmth: Annotated[int, Meta(ge=1, le=5, description="how warm the scene is")] = 3


class Warmed(Recalled, kw_only=True):
    """A trigger's reply with one key more."""

    warmed: Annotated[str, Meta(description="how warm it became")] | UnsetType = UNSET


def test_a_new_parameter_and_a_new_key_need_their_names_and_nothing_else() -> None:
    verb = replace(METHODS["trigger"], request=Warmer, reply=Warmed)
    tool = replace(TRIGGER, takes=(*TRIGGER.takes, Given("warmth")), shows=f"{TRIGGER.shows} warmed")
    told = mcp_tools.told(tool, verb)
    declared = {"type": "integer", "minimum": 1, "maximum": 5, "default": 3, "description": "how warm the scene is"}
    assert told["inputSchema"]["properties"]["warmth"] == declared
    assert told["outputSchema"]["properties"]["warmed"] == {"type": "string", "description": "how warm it became"}
    assert taken(tool, told["inputSchema"], {"message": "hi", "warmth": "4"})["warmth"] == 4
    assert shown(tool.keys, {"content": "", "role": "nora", "warmed": "very"})["warmed"] == "very"


# What of a declared schema a word of the tool's declaration takes the place of.
SAID = {
    "says": {"description"},
    "choices": {"enum", "maxLength", "pattern"},
    "least": {"minLength", "minItems", "minimum"},
    "most": {"maxLength", "maxItems", "maximum"},
    "each_most": {"items"},
    "default": {"default"},
}


@pytest.mark.parametrize("tool", OFFERED, ids=lambda one: one.name)
def test_every_parameter_is_the_declared_one_but_for_what_the_tool_says_of_it(tool: Tool) -> None:
    declared = mcp_tools.declared_of(METHODS[tool.verb].request)["properties"]
    told = mcp_tools.told(tool, METHODS[tool.verb])["inputSchema"]
    for one in tool.takes:
        if one.schema:
            continue  # said whole
        own, was = told["properties"][one.name], {**declared[one.field]}
        if set(was.get("pattern", "")) & {"|"}:
            was["enum"] = was.pop("pattern").strip("^$?()").split("|")
        if one.name not in told.get("required", ()) and was.get("minLength") == 1:
            del was["minLength"]
        differs = {key for key in {*own, *was} if own.get(key) != was.get(key)}
        allowed = {key for word, keys in SAID.items() if getattr(one, word) not in ("", None, ()) for key in keys}
        assert differs <= allowed, one.name


@pytest.mark.parametrize("tool", OFFERED, ids=lambda one: one.name)
def test_every_key_of_a_result_is_a_declared_one_with_its_type(tool: Tool) -> None:
    verb = METHODS[tool.verb]

    def look(keys: tuple[Key, ...], told: dict[str, Any], declared: dict[str, Any]) -> None:
        assert told.get("required", []) == [one.name for one in keys if one.always]
        assert set(told["properties"]) - {"next_offset"} == {one.name for one in keys}
        for one in keys:
            own, was = told["properties"][one.name], declared["properties"][one.of]
            assert own.get("type") == was.get("type")
            assert own.get("enum") == was.get("enum")
            if one.within:
                each = "additionalProperties" if one.named else "items" if own["type"] == "array" else ""
                look(one.within, own[each] if each else own, was[each] if each else was)

    look(tool.keys, mcp_tools.told(tool, verb)["outputSchema"], mcp_tools.declared_of(verb.reply))


def test_no_schema_has_what_models_read_differently() -> None:
    for one in listed():
        for schema in (one["inputSchema"], one["outputSchema"]):
            assert "$" not in json.dumps(schema)
            assert '"null"' not in json.dumps(schema)
        assert not {"anyOf", "oneOf", "allOf"} & set(json.dumps(one["inputSchema"]).split('"'))


def test_a_tool_cannot_name_a_parameter_that_its_verb_has_not_or_leave_out_what_it_needs() -> None:
    verb = METHODS["memory.get"]
    get = TOOLS["memory_get"]
    with pytest.raises(ValueError, match=r"memory\.get has no parameter colour"):
        mcp_tools.told(replace(get, takes=(*get.takes, Given("colour"))), verb)
    with pytest.raises(ValueError, match=r"memory\.get needs id"):
        mcp_tools.told(replace(get, takes=get.takes[1:]), verb)


def test_keys_are_read_as_they_are_written() -> None:
    hits = Key("hits", "hits", True, (Key("id", "id", True), Key("text", "text", False)))
    by_name = Key("by_name", "by_name", False, (Key("score", "score", False),), True)
    keys = keys_of("digest=snapshot* hits*(id* text) by_name{score} note")
    assert keys == (Key("digest", "snapshot", True), hits, by_name, Key("note", "note", False))
    reply = {
        "snapshot": "",
        "hits": [{"id": "a", "text": "", "more": 1}],
        "by_name": {"x": {"score": 0, "y": 1}},
        "z": 1,
    }
    assert shown(keys, reply) == {"digest": "", "hits": [{"id": "a"}], "by_name": {"x": {"score": 0}}}


@pytest.mark.parametrize(
    ("value", "kind", "meant"),
    [
        ("5", "integer", 5), (5.0, "integer", 5), (5.5, "integer", 5.5), ("true", "boolean", True), ("False", "boolean", False), ("yes", "boolean", "yes"), ('["一"]', "array", ["一"]),
        ("null", "integer", None), ("five", "integer", "five"), ("[" * 100_000, "array", "[" * 100_000),
        ("5", "string", "5"), ('["a"]', "string", '["a"]'), ('"5"', "integer", '"5"'),
    ],
)  # fmt: skip
def test_values_are_read_as_models_write_them(value: Any, kind: str, meant: Any) -> None:
    assert as_meant(value, kind) == meant


class Here:
    """What the tools ask: this process. Keeps what it was asked."""

    def __init__(self, service: Local) -> None:
        self.service = service
        self.asked: list[tuple[str, dict[str, Any]]] = []

    async def call(self, method: str, **params: Any) -> dict[str, Any]:
        self.asked.append((method, params))
        return await self.service.call(method, **params)

    def events(self) -> AsyncIterator[dict[str, Any]]:
        raise NotImplementedError


def over(folder: Folder, steps: Callable[[Tools, Here], Coroutine[Any, Any, None]]) -> None:
    async def run(service: Local) -> None:
        here = Here(service)
        await steps(Tools(Desk(here, "nora")), here)

    work(folder, run)


REFUSED: tuple[tuple[str, dict[str, Any], str], ...] = (
    # by the tool
    ("memory_trigger", {}, "message: it is missing"),
    ("memory_trigger", {"message": ""}, "message: it is empty"),
    ("memory_trigger", {"message": "x", "earlier": ["a"] * 21}, "earlier: there must be at most 20"),
    ("memory_trigger", {"message": "x", "earlier": ["好" * 8_001]}, "earlier: it must have at most 8000 characters"),
    ("memory_get", {"id": "abc"}, "id: it must have at least 4 characters"),
    ("memory_search", {"query": "x", "limit": 51}, "limit: it must be at most 50"),
    ("memory_search", {"query": "x", "kind": "odd"}, "kind: it must be one of memory, episodic"),
    ("memory_search", {"query": "x", "knd": "page"}, "memory_search has no parameter 'knd'; it has query, role"),
    # by the daemon, in the tool's words
    ("memory_trigger", {"message": 5}, "message: it must be a text, not a whole number"),
    ("memory_trigger", {"message": "x", "earlier": "abc"}, 'earlier: it must be a list, not a text; write ["abc"]'),
    ("memory_remember", {"content": "x", "tags": "陶艺"}, 'tags: it must be a list, not a text; write ["陶艺"]'),
    ("memory_remember", {"content": "x", "event_start": "明天"}, "event_start: '明天' is no time; write 2026-05-08"),
    ("memory_remember", {"content": "x", "event_start": "2026-05", "event_end": "x"}, "event_end: 'x' is no time"),
    ("memory_remember", {"content": "x", "constant": True}, "constant: it counts only with explicit=true"),
    ("memory_list", {"limit": 101}, "limit: it must be at most 100"),
    ("memory_list", {"offset": -1}, "offset: it must be at least 0"),
    ("memory_list", {"order": "date"}, "order: it must be one of file, newest, oldest, score, worth, key"),
    ("memory_review", {"memories": True}, "memory_review has no parameter 'memories'; it has role"),
    ("memory_trigger", {"message": "x", "earlier": ["a", 1]}, "earlier[1]: it must be a text, not a whole number"),
    ("memory_trigger", {"message": "x", "budget_chars": "many"}, "budget_chars: it must be a whole number, not a text"),
    (
        "memory_trigger",
        {"message": "x", "budget_chars": True},
        "budget_chars: it must be a whole number, not true or false",
    ),
    ("memory_trigger", {"message": "x", "role": 7}, "role: it must be a text, not a whole number"),
    ("memory_search", {"query": "x", "role": "r" * 201}, "role: it must have at most 200 characters"),
    ("memory_search", {"query": "x", "limit": 0}, "limit: it must be at least 1"),
    ("memory_remember", {"content": "x", "kind": "odd"}, "kind: it must be one of episodic, semantic, trait, goal"),
    ("memory_remember", {"content": "x", "scores": {"importance": "much"}}, "scores[...].value: it must be a number"),
)


def test_what_does_not_fit_is_refused_by_the_tools_own_name_for_it(workspace: Folder) -> None:
    async def steps(tools: Tools, _: Here) -> None:
        for name, given, why in REFUSED:
            with pytest.raises(MemdError) as refused:
                await tools.call(name, given)
            assert refused.value.code == BadParamsError.code
            assert why in str(refused.value), (name, given)

    over(workspace, steps)


ASKED: tuple[tuple[str, dict[str, Any], dict[str, Any]], ...] = (
    ("memory_trigger", {"message": "hi", "earlier": ["一"]}, {"role": "nora", "message": "hi", "messages": ["一"]}),
    ("memory_trigger", {"message": "hi", "budget_chars": 5}, {"role": "nora", "message": "hi", "budget": 100}),
    ("memory_trigger", {"message": "hi", "role": "", "session": None}, {"role": "nora", "message": "hi"}),
    ("memory_search", {"query": "kiln"}, {"query": "kiln", "seen_by": "nora"}),
    ("memory_search", {"query": "kiln", "role": "*"}, {"query": "kiln"}),
    ("session_search", {}, {"limit": 5}),
    ("memory_snapshot", {}, {}),
    ("memory_list", {}, {"role": "nora", "limit": 20}),
    ("memory_list", {"role": "阿远", "kind": "trait", "offset": "2"}, {"role": "阿远", "kind": "trait", "limit": 20, "offset": 2}),
    ("memory_review", {}, {"role": "nora"}),
    ("memory_review", {"role": "*"}, {}),
    ("memory_get", {"id": 12345678}, {"role": "nora", "id": "12345678"}),
    ("memory_remember", {"content": "阿远去体检。", "validity": "短期", "emotions": ["担心"], "event_start": "2026-12-03"},
     {"role": "nora", "content": "阿远去体检。", "validity": "short", "emotions": ["担心"], "event_start": "2026-12-03", "source": "agent"}),
)  # fmt: skip


def test_what_is_given_is_asked_and_nothing_else(workspace: Folder) -> None:
    async def steps(tools: Tools, here: Here) -> None:
        for name, given, params in ASKED:
            with contextlib.suppress(MemoryUnknownError):
                await tools.call(name, given)
            assert here.asked.pop() == (TOOLS[name].verb, {"reader": "model", **params})

    over(workspace, steps)


@pytest.mark.parametrize(
    ("given", "source"), [({}, "agent"), ({"source": "tool"}, "tool"), ({"explicit": True}, "user")]
)
def test_an_offer_says_whose_it_is_and_what_its_scores_rest_on(
    workspace: Folder, given: dict[str, Any], source: str
) -> None:
    async def steps(tools: Tools, here: Here) -> None:
        await tools.call("memory_remember", {"content": "Nora fires at cone 6.", "scores": {"importance": 9}, **given})
        _, params = here.asked[-1]
        assert params["source"] == source
        assert params["scores"] == {"importance": {"value": 9, "basis": "the agent's own judgement"}}

    over(workspace, steps)


def test_an_empty_list_is_a_change_and_what_is_left_out_is_none(workspace: Folder) -> None:
    async def steps(tools: Tools, here: Here) -> None:
        given = {"content": "Nora fires at cone 6.", "explicit": True, "tags": ["kiln"], "keys": ["cone"]}
        kept = (await tools.call("memory_remember", given)).structure
        changed = {"id": kept["id"], "tags": [], "content": "", "keys": None, "validity": ""}
        now = (await tools.call("memory_update", changed)).structure
        assert here.asked[-1][1] == {"reader": "model", "role": "nora", "id": kept["id"], "tags": [], "source": "agent"}
        assert (now.get("tags"), now["keys"], now["content"]) == (None, ["cone"], "Nora fires at cone 6.")

    over(workspace, steps)


@pytest.mark.parametrize(("role", "word"), [("nora", "kiln"), ("阿远", "阿远")])
def test_pages_have_all_of_it_each_once_and_tell_where_the_next_begins(workspace: Folder, role: str, word: str) -> None:
    async def steps(tools: Tools, here: Here) -> None:
        pages: list[dict[str, Any]] = [{"next_offset": 0}]
        while (offset := pages[-1].get("next_offset")) is not None:
            text, page = await tools.call("memory_list", {"role": role, "limit": 25, "offset": offset})
            assert (f"offset={page['next_offset']}" in text) if "next_offset" in page else "offset" not in text
            pages.append(page)
        ids = [one["id"] for page in pages[1:] for one in page["memories"]]
        whole = (await here.service.call("memory.list", role=role, limit=1000))["memories"]
        assert ids == [one["id"] for one in whole]
        assert len(pages) == 1 + 3
        found = (await tools.call("memory_search", {"query": word, "role": role, "limit": 1})).structure
        assert found["next_offset"] == 1
        beyond = (await tools.call("memory_list", {"role": role, "offset": 1000})).structure
        assert (beyond["memories"], beyond["total"], "next_offset" in beyond) == ([], len(whole), False)

    over(workspace, steps)


def test_a_hit_that_holds_no_longer_says_what_took_its_place(workspace: Folder) -> None:
    async def steps(tools: Tools, _: Here) -> None:
        for one in ("User lives in Rome.", "User lives in Milan now, not in Rome."):
            kept = await tools.call("memory_remember", {"content": one, "explicit": True})
        text, page = await tools.call("memory_search", {"query": "Rome"})
        (line,) = [one for one in text.splitlines() if "lives in" in one and "Milan" not in one]
        assert line.endswith(f"(holds no longer: {kept.structure['id'][:8]} took its place)")
        assert [one.get("superseded_by") for one in page["hits"] if "Milan" not in one["snippet"]] == [
            kept.structure["id"]
        ]

    over(workspace, steps)


def test_of_a_memory_that_was_replaced_in_part_the_list_has_the_rest(workspace: Folder) -> None:
    async def steps(tools: Tools, _: Here) -> None:
        for one in ("User lives in Rome and works at Siemens.", "User moved to Milan."):
            kept = await tools.call("memory_remember", {"content": one, "explicit": True})
        assert kept.structure["verdict"] == "superseding"
        text, page = await tools.call("memory_list", {"limit": 100})
        (line,) = [one for one in text.splitlines() if "Siemens" in one]
        assert "Rome" not in line
        assert line.endswith("(a part that others took the place of is left out)")
        assert [one["holds"] for one in page["memories"] if "Siemens" in one["content"]] == ["User works at Siemens."]

    over(workspace, steps)


WITH_ROLE = [one for one in OFFERED if any(given.whose for given in one.takes)]
LEAST = {"memory_trigger": {"message": "x"}, "memory_search": {"query": "x"}, "memory_remember": {"content": "x"},
         "memory_get": {"id": "beef0000"}, "memory_update": {"id": "beef0000"}, "memory_forget": {"id": "beef0000"}}  # fmt: skip


@pytest.mark.parametrize("tool", WITH_ROLE, ids=lambda one: one.name)
@pytest.mark.parametrize("role", ["norra", "没有这个人", "12345678-1234-1234-1234-123456789abc", "**"])
def test_a_role_that_is_unknown_is_an_error_and_never_another_roles_answer(
    workspace: Folder, tool: Tool, role: str
) -> None:
    async def steps(tools: Tools, here: Here) -> None:
        with pytest.raises(RoleUnknownError):
            await tools.call(tool.name, {**LEAST.get(tool.name, {}), "role": role})
        with pytest.raises(RoleUnknownError):
            await Tools(Desk(here, role)).call(tool.name, LEAST.get(tool.name, {}))

    over(workspace, steps)
