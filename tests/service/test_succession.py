"""Who took whose place: known from the successors alone, in whole or in part, and every such decision taken back."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

import pytest

from memd.config import place_of
from memd.daemon import Local, local
from memd.errors import (
    EditedSinceError,
    MemoryUnknownError,
    NotForgottenError,
    NothingToUndoError,
    SupersedeCircleError,
)
from memd.text.clauses import clauses
from tests.support import Folder

Steps = Callable[[Local], Awaitable[None]]
PORTO, LISBON, FARO = "User lives in Porto.", "User moved to Lisbon in May.", "User has moved to Faro now."
BOTH = "I live in Hamburg, allergic to peanuts."
BOTH_ZH = "我住在厦门，对花生过敏。"


def work(folder: Folder, *steps: Steps) -> None:
    """Each step finds what the one before left in the files."""

    async def one(step: Steps) -> None:
        async with local(place_of(str(folder.path)), writes=True) as service:
            await step(service)

    for step in steps:
        asyncio.run(one(step))


async def keep(service: Local, text: str, **given: Any) -> dict[str, Any]:
    return await service.call("remember", **{"role": "main", "content": text, "explicit": True, **given})


async def told(service: Local, message: str) -> tuple[set[str], dict[str, str]]:
    """The ids that a message brings, and why others do not come."""
    reply = await service.call("trigger", role="main", message=message, explain=True)
    return {one["id"] for one in reply["activated"]}, {one["id"]: one["why"] for one in reply["refused"]}


async def standing(service: Local) -> set[str]:
    listed = (await service.call("memory.list", role="main"))["memories"]
    return {one["id"] for one in listed if "superseded_by" not in one}


async def one_of(service: Local, memory_id: str) -> dict[str, Any]:
    return await service.call("memory.get", role="main", id=memory_id)


@pytest.fixture
def empty(workspace: Folder) -> Folder:
    workspace.write("main")
    return workspace


def test_superseding_writes_the_successor_alone(empty: Folder) -> None:
    before: list[dict[str, Any]] = []

    async def first(service: Local) -> None:
        await keep(service, PORTO)

    async def second(service: Local) -> None:
        before.extend(empty.records("main"))
        assert (await keep(service, LISBON))["verdict"] == "superseding"

    work(empty, first, second)
    after = empty.records("main")
    (new,) = [one for one in after if one not in before]
    assert before == [one for one in after if one != new]
    assert new["supersedes"] == [before[0]["id"]]
    assert "covers" not in new


def taken_away(how: str) -> Callable[[Local, Folder, str], Awaitable[None]]:
    async def act(service: Local, folder: Folder, memory_id: str) -> None:
        ports = service.store.ports
        if how == "disabled":
            await service.call("memory.update", role="main", id=memory_id, disabled=True)
        elif how == "expired":
            await service.call("memory.update", role="main", id=memory_id, expires_at=ports.now() + 60)
            assert len(await standing(service)) == 1
            now = ports.now
            service.store.ports = replace(ports, now=lambda: now() + 61)
        elif how == "deleted by an editor":
            await service.store.writer.applier.finish(5.0)  # type: ignore[union-attr]
            whole = folder.load("main")
            whole["semantic"] = [one for one in whole["semantic"] if one["id"] != memory_id]
            folder.file("main").write_text(json.dumps(whole), "utf-8")
        else:
            await service.call("memory.forget", role="main", id=memory_id, erase=how == "erased")

    return act


@pytest.mark.parametrize("how", ["forgotten", "erased", "disabled", "expired", "deleted by an editor"])
def test_what_was_replaced_is_back_the_moment_its_successor_is_gone(empty: Folder, how: str) -> None:
    ids: list[str] = []

    async def steps(service: Local) -> None:
        old, new = await keep(service, PORTO), await keep(service, LISBON)
        ids.append(old["id"])
        came, stopped = await told(service, "Does the user live in Porto?")
        assert (old["id"] in came, stopped[old["id"]]) == (False, "superseded")
        (hit,) = (await service.call("search", query="Porto", kind="semantic", role="main"))["hits"]
        assert hit["superseded_by"] == new["id"]
        await taken_away(how)(service, empty, new["id"])
        came, _ = await told(service, "Does the user live in Porto?")
        assert old["id"] in came
        (hit,) = (await service.call("search", query="Porto", kind="semantic", role="main"))["hits"]
        assert "superseded_by" not in hit
        assert "superseded_by" not in await one_of(service, old["id"])
        assert (await service.call("stats", role="main"))["roles"][0]["contradictions"] == []

    async def after(service: Local) -> None:
        if how != "expired":
            assert ids[0] in await standing(service)

    work(empty, steps, after)


def test_a_trigger_that_says_its_time_sees_what_holds_then(empty: Folder) -> None:
    async def steps(service: Local) -> None:
        old = await keep(service, PORTO)
        new = await keep(service, LISBON, validity="short")
        now_s = service.store.ports.now()
        for days, why in ((1, "superseded"), (30, "")):
            reply = await service.call(
                "trigger",
                role="main",
                message="Does the user live in Porto or in Lisbon?",
                now=now_s + days * 86_400,
                explain=True,
            )
            refused = {one["id"]: one["why"] for one in reply["refused"]}
            assert refused.get(old["id"], "") == why
        assert new["id"] in {one["id"] for one in reply["refused"]}

    work(empty, steps)


def test_forgetting_the_middle_of_a_chain_does_not_bring_back_its_oldest(empty: Folder) -> None:
    async def steps(service: Local) -> None:
        first, second = await keep(service, PORTO), await keep(service, LISBON)
        third = await keep(service, FARO)
        assert third["verdict"] == "superseding"
        assert (await one_of(service, third["id"]))["supersedes_all"] == [second["id"], first["id"]]
        await service.call("memory.forget", role="main", id=second["id"])
        assert await standing(service) == {third["id"]}
        await service.call("memory.forget", role="main", id=third["id"])
        assert await standing(service) == {first["id"]}
        await service.call("memory.restore", role="main", id=second["id"])
        assert await standing(service) == {second["id"]}

    work(empty, steps)


def test_a_note_that_something_was_superseded_is_not_believed(workspace: Folder) -> None:
    workspace.write("main", "The kiosk runs on a Raspberry Pi.", supersededBy="gone")
    workspace.write("old", "The kiosk runs on a Raspberry Pi.", "The kiosk runs on a NUC.")
    whole = workspace.load("old")
    whole["semantic"][1]["supersedes"] = "id-00000"  # as older files have it
    workspace.file("old").write_text(json.dumps(whole), "utf-8")

    async def steps(service: Local) -> None:
        assert await standing(service) == {"id-00000"}
        listed = (await service.call("memory.list", role="old"))["memories"]
        assert [one.get("superseded_by") for one in listed] == ["id-00001", None]

    work(workspace, steps)


@pytest.mark.parametrize(
    ("old", "new", "gone", "rest", "asks"),
    [
        (BOTH, "I do not live in Hamburg any more, I live in Munich now.", "Hamburg", "peanuts", "Any allergic reaction to peanuts?"),
        ("User lives in Rome and works at Siemens.", "User moved to Milan.", "Rome", "Siemens", "Who works at Siemens?"),
        (BOTH_ZH, "我搬到福州了。", "厦门", "花生过敏", "我对花生过敏吗"),
        ("The deploy runs on Friday; the team uses Postgres 15.", "The team uses Postgres 16 now.", "15", "Friday", "When does the deploy run?"),
    ],
)  # fmt: skip
def test_a_change_of_one_statement_leaves_the_others_of_the_memory_alone(
    empty: Folder, old: str, new: str, gone: str, rest: str, asks: str
) -> None:
    async def steps(service: Local) -> None:
        first, second = await keep(service, old), await keep(service, new)
        assert (second["verdict"], second["supersedes"]) == ("superseding", first["id"]), second.get("relation")
        assert rest in second["holds"]
        shown = await one_of(service, first["id"])
        assert (shown["content"], shown["covered_by"], "superseded_by" in shown) == (old, [second["id"]], False)
        assert rest in shown["holds"]
        assert gone not in shown["holds"]
        assert [gone in one for one in shown["covered"]] == [True]
        taken = (await one_of(service, second["id"]))["record"]["covers"]
        assert taken == [one.digest for one in clauses(old) if gone in one.said]
        reply = await service.call("trigger", role="main", message=asks)
        assert rest in reply["content"]
        assert gone not in reply["content"]
        hits = (await service.call("search", query=gone))["hits"]
        assert first["id"] not in {one["id"] for one in hits}
        (hit,) = [one for one in (await service.call("search", query=rest))["hits"] if one["id"] == first["id"]]
        assert gone not in hit["snippet"]

    async def after(service: Local) -> None:
        (left,) = [one for one in (await service.call("memory.list", role="main"))["memories"] if "holds" in one]
        assert rest in left["holds"]
        await service.call("memory.forget", role="main", id=left["covered_by"][0])
        assert "holds" not in await one_of(service, left["id"])
        assert (await service.call("search", query=gone))["total"] == 1

    work(empty, steps, after)


def test_a_memory_whose_statements_were_all_replaced_is_superseded(empty: Folder) -> None:
    async def steps(service: Local) -> None:
        first = await keep(service, "User lives in Rome and works at Siemens.")
        second = await keep(service, "User moved to Milan.")
        third = await keep(service, "User works at Bosch now.")
        assert (await one_of(service, first["id"]))["superseded_by"] in (second["id"], third["id"])
        assert await standing(service) == {second["id"], third["id"]}
        await service.call("memory.undo", role="main", id=first["id"])
        assert (await one_of(service, first["id"]))["holds"] == "User works at Siemens."
        await service.call("memory.undo", role="main", id=first["id"])
        assert "holds" not in await one_of(service, first["id"])

    work(empty, steps)


def test_what_still_holds_is_what_a_new_text_is_compared_with(empty: Folder) -> None:
    async def steps(service: Local) -> None:
        first = await keep(service, "User lives in Rome and works at Siemens.")
        await keep(service, "User moved to Milan.")
        again = await keep(service, "works at Siemens")
        assert (again["verdict"], again["id"]) == ("duplicate", first["id"])
        back = await keep(service, "User lives in Rome.")
        assert back["id"] != first["id"]

    work(empty, steps)


def test_what_is_added_to_the_rest_of_a_memory_does_not_bring_back_what_was_replaced(empty: Folder) -> None:
    async def steps(service: Local) -> None:
        first = await keep(service, "User has a dog; User lives in Rome")
        second = await keep(service, "User lives in Milan now.")
        assert second["verdict"] == "superseding"
        third = await keep(service, "User has a dog called Biscuit, a lurcher from the shelter.")
        assert (third["verdict"], third["id"]) == ("refined", first["id"])
        shown = await one_of(service, first["id"])
        assert "Rome" in shown["content"]
        assert "Rome" not in shown["holds"]
        assert "Biscuit" in shown["holds"]

    work(empty, steps)


@pytest.mark.parametrize("side", ["older", "newer", "a beginning"])
def test_undoing_a_supersede_lets_both_stand_and_is_done_again_by_a_link(empty: Folder, side: str) -> None:
    async def steps(service: Local) -> None:
        old, new = await keep(service, PORTO), await keep(service, LISBON)
        asked = {"older": old["id"], "newer": new["id"], "a beginning": new["id"][:8]}[side]
        with pytest.raises(NotForgottenError) as refused:
            await service.call("memory.restore", role="main", id=old["id"])
        assert "memd undo main" in refused.value.hint
        reply = await service.call("memory.undo", role="main", id=asked)
        assert reply["took_back"] == "supersede"
        assert {one["id"] for one in reply["standing"]} == {old["id"], new["id"]} == await standing(service)
        for one in (old, new):
            with pytest.raises(NothingToUndoError):
                await service.call("memory.undo", role="main", id=one["id"])
        await service.call("memory.link", role="main", id=new["id"], to=old["id"], relation="supersedes")
        assert await standing(service) == {new["id"]}
        with pytest.raises(SupersedeCircleError):
            await service.call("memory.link", role="main", id=old["id"], to=new["id"], relation="supersedes")

    async def after(service: Local) -> None:
        assert [one["supersedes"] for one in empty.records("main") if "supersedes" in one] == [
            [one["id"] for one in empty.records("main") if "supersedes" not in one]
        ]
        assert len(await standing(service)) == 1

    work(empty, steps, after)


def test_undoing_a_part_lets_the_whole_stand(empty: Folder) -> None:
    async def steps(service: Local) -> None:
        old = await keep(service, "User lives in Rome and works at Siemens.")
        new = await keep(service, "User moved to Milan.")
        reply = await service.call("memory.undo", role="main", id=old["id"])
        assert [one.get("holds") for one in reply["standing"]] == [None, None]
        covers = reply["had"]["covers"]
        assert all(f"--cover {one}" in reply["hint"] for one in covers)
        await service.call("memory.link", role="main", id=new["id"], to=old["id"], relation="supersedes", covers=covers)
        assert (await one_of(service, old["id"]))["holds"] == "User works at Siemens."

    work(empty, steps)


def test_undoing_a_refinement_gives_back_the_text_and_lets_the_addition_stand(empty: Folder) -> None:
    async def steps(service: Local) -> None:
        old = await keep(service, "Nora has a dog.", keys=["dog"])
        new = await keep(service, "Nora has a dog called Biscuit, a lurcher from the shelter.", keys=["Biscuit"])
        assert (new["verdict"], new["id"]) == ("refined", old["id"])
        reply = await service.call("memory.undo", role="main", id=old["id"])
        assert reply["took_back"] == "refine"
        shown = await one_of(service, old["id"])
        assert (shown["content"], shown["keys"]) == ("Nora has a dog.", ["dog"])
        assert "history" not in shown["record"]
        stored = await one_of(service, reply["stored"])
        assert "Biscuit" in stored["content"]
        assert await standing(service) == {old["id"], reply["stored"]}

    work(empty, steps)


def test_undoing_a_repetition_stores_the_text_and_takes_back_what_the_older_memory_got(empty: Folder) -> None:
    async def steps(service: Local) -> None:
        old = await keep(service, "The deadline is on Friday.", tags=["work"])
        again = await keep(service, "The due date is Friday.", tags=["kiosk"], validity="long")
        assert (again["verdict"], again["id"]) == ("duplicate", old["id"])
        assert (await one_of(service, old["id"]))["tags"] == ["work", "kiosk"]
        reply = await service.call("memory.undo", role="main", id=old["id"])
        assert reply["took_back"] == "duplicate"
        assert (await one_of(service, old["id"]))["tags"] == ["work"]
        stored = await one_of(service, reply["stored"])
        assert (stored["content"], stored["tags"], stored["validity"]) == ("The due date is Friday.", ["kiosk"], "long")
        with pytest.raises(NothingToUndoError):
            await service.call("memory.undo", role="main", id=old["id"])
        await service.call("memory.forget", role="main", id=reply["stored"], erase=True)

    work(empty, steps)
    private = [one for one in (empty.path / ".memory").rglob("*") if one.is_file()]
    assert not [one for one in private if "due date" in one.read_text("utf-8", "replace")]


def test_where_the_audit_log_is_gone_undo_says_what_it_cannot_know(empty: Folder) -> None:
    async def first(service: Local) -> None:
        await keep(service, "The deadline is on Friday.")
        await keep(service, "The due date is Friday.")

    async def second(service: Local) -> None:
        (one,) = await standing(service)
        with pytest.raises(NothingToUndoError, match="audit"):
            await service.call("memory.undo", role="main", id=one)

    work(empty, first)
    (empty.path / ".memory/audit.jsonl").unlink()
    work(empty, second)


def test_an_edit_made_since_is_not_overwritten(empty: Folder) -> None:
    async def steps(service: Local) -> None:
        old = await keep(service, "Nora has a dog.")
        await keep(service, "Nora has a dog called Biscuit, a lurcher from the shelter.")
        await service.call("memory.update", role="main", id=old["id"], content="Nora has a cat called Biscuit.")
        with pytest.raises(EditedSinceError, match="content"):
            await service.call("memory.undo", role="main", id=old["id"])
        assert (await one_of(service, old["id"]))["content"] == "Nora has a cat called Biscuit."
        repeated = await keep(service, "The deadline is on Friday.", tags=["work"])
        await keep(service, "The due date is Friday.", tags=["kiosk"])
        await service.call("memory.update", role="main", id=repeated["id"], tags=["mine"])
        with pytest.raises(EditedSinceError, match="tags"):
            await service.call("memory.undo", role="main", id=repeated["id"])

    work(empty, steps)


@pytest.mark.parametrize("side", ["folded", "episode"])
@pytest.mark.parametrize("edited", [False, True])
def test_undoing_a_fold_brings_its_episodes_back(empty: Folder, side: str, edited: bool) -> None:
    records = [
        {
            "id": f"e{n}",
            "content": f"Checked the kiln log with Tomasz{end}",
            "timestamp": 1_700_000_000_000 + n * 86_400_000,
        }
        for n, end in enumerate((".", "!", ", again."))
    ]
    empty.file("main").write_text(json.dumps({"characterUuid": "main", "episodic": records}), "utf-8")
    empty.settings(upkeep__fold=True, limits__role_memories=3)

    async def steps(service: Local) -> None:
        await service.call("upkeep.run", role="main")
        (folded,) = await standing(service)
        assert folded not in {"e0", "e1", "e2"}
        if edited:
            await service.call("memory.update", role="main", id=folded, keys=["kiln"])
            with pytest.raises(EditedSinceError, match="keywords"):
                await service.call("memory.undo", role="main", id=folded)
            return
        reply = await service.call("memory.undo", role="main", id=folded if side == "folded" else "e1")
        assert (reply["took_back"], reply["archived"]) == ("fold", folded)
        assert await standing(service) == {"e0", "e1", "e2"}
        with pytest.raises(NothingToUndoError):
            await service.call("memory.undo", role="main", id=folded)

    work(empty, steps)
    if not edited:
        assert empty.records("main") == records


def test_undoing_what_went_to_the_archive_brings_it_back(empty: Folder) -> None:
    async def steps(service: Local) -> None:
        old, new = await keep(service, PORTO), await keep(service, LISBON)
        await service.call("memory.forget", role="main", id=new["id"])
        reply = await service.call("memory.undo", role="main", id=new["id"])
        assert (reply["took_back"], await standing(service)) == ("archive", {new["id"]})
        await service.call("memory.forget", role="main", id=old["id"], erase=True)
        with pytest.raises(MemoryUnknownError):
            await service.call("memory.undo", role="main", id=old["id"])
        assert (await service.call("memory.undo", role="main", id=new["id"]))["took_back"] == "supersede"

    work(empty, steps)


def test_an_import_brings_who_took_whose_place_under_the_ids_it_gets_here(workspace: Folder) -> None:
    workspace.write("main", "The lease on the unit ends in June.", "The pump leaks at the valve.")
    came = [
        {"id": "id-00000", "content": "The harbour office opens at eight.", "supersededBy": "b"},
        {"id": "b", "content": "The harbour office opens at nine since May.", "supersedes": "id-00000"},
        {"id": "c", "content": "The pump leaks at the valve."},
        {"id": "d", "content": "The pump is dry since the repair.", "supersedes": ["c"]},
    ]

    async def steps(service: Local) -> None:
        reply = await service.call(
            "import", role="main", import_id="one", memories=[{"kind": "semantic", "record": one} for one in came]
        )
        ids = {one["text"]: one["id"] for one in reply["taken"]}
        office = ids["The harbour office opens at eight."]
        assert office != "id-00000"
        assert await standing(service) == {"id-00000", "b", "d"}
        assert (await one_of(service, office))["superseded_by"] == "b"
        await service.call("import", import_id="one", undo=True)
        assert await standing(service) == {"id-00000", "id-00001"}

    work(workspace, steps)


def test_two_who_took_the_same_place_are_told_as_a_conflict_the_newest_first(workspace: Folder) -> None:
    workspace.write("main")
    texts = {"old": "The depot is in Bremen.", "x": "The depot moved to Kiel.", "y": "The depot moved to Jena."}
    records = [
        {"id": one, "content": text, "updatedAt": f"2026-0{n}-01T00:00:00Z", "keywords": ["depot"]}
        for n, (one, text) in enumerate(texts.items(), 1)
    ]
    for one in records[1:]:
        one["supersedes"] = ["old"]
    workspace.file("main").write_text(json.dumps({"characterUuid": "main", "semantic": records}), "utf-8")

    async def steps(service: Local) -> None:
        reply = await service.call("trigger", role="main", message="Where is the depot?")
        lines = [line for line in reply["content"].splitlines() if "depot" in line]
        assert lines == [
            "- The depot moved to Jena.",
            "- The depot moved to Kiel. (2026-02-01, a newer memory says otherwise)",
        ]
        assert {one["id"]: one["conflicts_with"] for one in reply["activated"]} == {"x": ["y"], "y": ["x"]}
        await service.call("memory.link", role="main", id="y", to="x", relation="supersedes")
        assert await standing(service) == {"y"}
        await service.call("memory.undo", role="main", id="old")
        assert await standing(service) == {"old", "y"}

    work(workspace, steps)


def test_a_circle_takes_nobodys_place(workspace: Folder) -> None:
    workspace.write("main", "One is here.", "Two is here.", "Three is here.", "Four is here.")
    whole = workspace.load("main")
    for one, named in enumerate(("id-00001", "id-00002", "id-00000", "id-00003")):
        whole["semantic"][one]["supersedes"] = [named]
    workspace.file("main").write_text(json.dumps(whole), "utf-8")

    async def steps(service: Local) -> None:
        assert len(await standing(service)) == 4
        await service.call("memory.forget", role="main", id="id-00002")
        assert await standing(service) == {"id-00000", "id-00003"}

    work(workspace, steps)


@pytest.mark.parametrize(
    ("old", "new", "verdict"),
    [
        ("From now on answer me in short.", "以后都用中文回答我。", "stored"),
        ("From now on answer me in short.", "From now on answer me with the diff first.", "stored"),
        ("以后都用中文回答我。", "以后都用英文回答我。", "superseding"),
        ("From now on answer in French.", "以后都用德语回答。", "superseding"),
        ("Answer in short from now on.", "以后回答都详细一点。", "superseding"),
    ],
)
def test_of_instructions_one_ends_another_that_settles_the_same_otherwise_and_no_other(
    empty: Folder, old: str, new: str, verdict: str
) -> None:
    async def steps(service: Local) -> None:
        first, second = await keep(service, old), await keep(service, new)
        assert (first["stored"], second["verdict"]) == (True, verdict), second.get("relation")

    work(empty, steps)


@pytest.mark.parametrize(
    ("known", "told", "holds"),
    [
        ("My uncle Mossie is ninety-one and lives with us in Quin.", "We buried poor Mossie on Thursday.", ""),
        ("我外婆今年八十八，住在绍兴，我每周去看她。", "我外婆上个月去世了", "我每周去看她。"),
        ("我老公姓蒋 还有个小工叫小蒲 德阳来的", "小蒲不干了 回德阳去了", "我老公姓蒋"),
        ("I drive a Micra, sixteen years old.", "The Micra went for scrap, I drive a Yaris now.", ""),
    ],
)
def test_a_change_ends_what_hangs_on_it_and_no_more(empty: Folder, known: str, told: str, holds: str) -> None:
    async def steps(service: Local) -> None:
        await keep(service, known)
        reply = await keep(service, told)
        assert (reply["verdict"], reply.get("holds", "")) == ("superseding", holds)

    work(empty, steps)


@pytest.mark.demo
def test_a_part_that_is_much_less_likely_changed_than_another_still_holds(workspace: Folder) -> None:
    async def steps(service: Local) -> None:
        told = {"content": "阿远现在喝拿铁，不喝美式了。", "source": "user", "explicit": True}
        reply = await service.call("remember", role="阿远", **told)
        assert (reply["verdict"], reply["holds"]) == ("superseding", "不加糖，下午三点以后不喝。")

    work(workspace, steps)
