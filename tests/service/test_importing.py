"""import and export in a workspace: planned, carried out once, undone, and out again."""

from __future__ import annotations

import json
import shutil
from typing import Any

import pytest

from memd.daemon import Local
from memd.errors import BadParamsError, RejectedFileError
from tests.service.test_trigger import BOOK
from tests.service.test_verbs import work
from tests.support import Folder

RECORDS = [
    {
        "kind": "episodic",
        "record": {"id": "e", "content": "外婆家门前有条小溪。", "keywords": ["小溪"], "custom": {"kept": 1}},
    },
    {"kind": "trait", "record": {"name": "tone", "value": "curt", "is_constant": True, "isConstant": False}},
]


async def bring(service: Local, **given: Any) -> dict[str, Any]:
    return await service.call("import", role="main", import_id="i1", source="f.json", **given)


def test_a_dry_run_changes_nothing_and_an_import_comes_in_once(workspace: Folder) -> None:
    async def steps(service: Local) -> None:
        plan = await bring(service, memories=RECORDS, dry_run=True)
        assert len(plan["taken"]) == 2
        assert (await service.call("memory.list", role="main"))["total"] == 0
        done = await bring(service, memories=RECORDS)
        assert [one["id"] for one in done["taken"]] == [one["id"] for one in plan["taken"]], "the plan says what comes"
        again = await bring(service, memories=RECORDS)
        assert again["taken"] == []
        assert {one["why"] for one in again["refused"]} == {"duplicate"}
        assert (await service.call("trigger", role="main", message="小溪"))["activated"][0]["id"] == "e"

    work(workspace, steps)
    (record,) = [one for one in workspace.records("main") if one["id"] == "e"]
    assert record["custom"] == {"kept": 1}


def test_an_import_is_undone_and_can_be_brought_back(workspace: Folder) -> None:
    async def steps(service: Local) -> None:
        await bring(service, memories=RECORDS, book="world", text=json.dumps(BOOK))
        assert "world:0" in [
            one["id"] for one in (await service.call("trigger", role="main", message="castle"))["activated"]
        ]
        undone = await service.call("import", import_id="i1", undo=True)
        assert undone["archived"] == 2
        assert undone["books"] == ["roles/main/books/world.json"]
        assert (await service.call("trigger", role="main", message="castle 小溪"))["activated"] == []
        await service.call("memory.restore", role="main", id="e")
        assert (await service.call("trigger", role="main", message="小溪"))["activated"][0]["id"] == "e"
        with pytest.raises(BadParamsError):
            await service.call("import", import_id="never", undo=True)

    work(workspace, steps)


@pytest.mark.demo
def test_a_book_comes_in_parts_and_goes_out_as_it_was(workspace: Folder) -> None:
    text = json.dumps(BOOK, ensure_ascii=False, indent=1)

    async def steps(service: Local) -> None:
        half = len(text) // 2
        assert (await bring(service, book="世界/..\\x", text=text[:half], more=True))["waiting"] == half
        with pytest.raises(BadParamsError):
            await bring(service, book="世界/..\\x", text=text[half:], at=half + 1)
        await bring(service, book="世界/..\\x", text=text[:half], more=True)
        other = await service.call("import", role="nora", import_id="i2", book="世界/..\\x", text="{", more=True)
        assert other["waiting"] == 1, "another import's parts do not disturb"
        done = await bring(service, book="世界/..\\x", text=text[half:], at=half)
        (book,) = done["books"]
        assert book["name"].startswith("roles/main/books/世界")
        assert "/" not in book["name"].removeprefix("roles/main/books/")
        out = await service.call("export", role="main", form="world-info")
        assert out["content"] == text
        card = json.loads((await service.call("export", role="main", form="card-v2"))["content"])
        assert [one["keys"] for one in card["data"]["character_book"]["entries"]] == [
            ["castle", "城堡"],
            ["手机"],
            ["bell"],
            ["castle"],
        ]
        same = await bring(service, book="世界/..\\x", text=text)
        assert [one["why"] for one in same["refused"]] == ["duplicate"]
        bad = await bring(service, book="b", text="{")
        assert bad["refused"][0]["why"] == "file.rejected"

    work(workspace, steps)


def test_what_comes_in_goes_out_with_its_uses(workspace: Folder) -> None:
    async def steps(service: Local) -> None:
        await bring(service, memories=RECORDS)
        await service.call("trigger", role="main", message="小溪")
        out = json.loads((await service.call("export", role="main"))["content"])
        (record,) = out["episodic"]
        assert record["accessCount"] == 1
        assert record["custom"] == {"kept": 1}
        assert "importId" not in record
        (trait,) = json.loads((await service.call("export", role="main", form="management"))["content"])[1:]
        assert (trait["type"], trait["content"], trait["is_constant"]) == ("trait", "curt", True)

    work(workspace, steps)


def test_a_book_that_is_none_is_not_given_out(workspace: Folder) -> None:
    folder = workspace.path / "roles/main/books"
    folder.mkdir()
    (folder / "世界.json").write_text('{"shelf": 3}', "utf-8")

    async def steps(service: Local) -> None:
        with pytest.raises(RejectedFileError, match=r"世界\.json:1:1: book\.unknown this is no lorebook"):
            await service.call("export", role="main", form="world-info")

    work(workspace, steps)


def test_bad_records_are_refused_one_by_one(workspace: Folder) -> None:
    bad = [
        {"kind": "semantic", "record": {"content": ""}},
        {"kind": "semantic", "record": {"content": "x" * 5000}},
        {"kind": "semantic", "record": {"content": "y", "priority": 1e300}},
        {"kind": "semantic", "record": {"content": "good", "timestamp": "not a time"}},
        {"kind": "semantic", "record": {"content": "Only this one stands."}},
        {"kind": "semantic", "record": {"id": "same", "content": "first"}},
        {"kind": "semantic", "record": {"id": "same", "content": "second"}},
    ]

    async def steps(service: Local) -> None:
        reply = await bring(service, memories=bad)
        assert [one["number"] for one in reply["refused"]] == [0, 1, 2, 3]
        assert [one["text"] for one in reply["taken"]] == ["Only this one stands.", "first", "second"]
        assert reply["taken"][2]["was"] == "same", "a taken id is changed and told"

    work(workspace, steps)


def test_an_import_is_taken_back_once_and_takes_nothing_of_another(workspace: Folder) -> None:
    text = json.dumps(BOOK)

    async def steps(service: Local) -> None:
        await bring(service, book="world", text=text, memories=RECORDS)
        await service.call("import", import_id="i1", undo=True)
        again = await service.call("import", role="main", import_id="i2", book="world", text=text)
        assert again["books"] == [{"name": "roles/main/books/world.json"}]
        with pytest.raises(BadParamsError):
            await service.call("import", import_id="i1", undo=True)
        assert (workspace.path / "roles/main/books/world.json").exists()

    work(workspace, steps)


def test_a_book_that_a_cut_off_import_left_is_adopted_by_the_next(workspace: Folder) -> None:
    text = json.dumps(BOOK)
    (workspace.path / "roles/main/books").mkdir(parents=True, exist_ok=True)
    (workspace.path / "roles/main/books/world.json").write_text(text, "utf-8")

    async def steps(service: Local) -> None:
        assert (await bring(service, book="world", text=text))["books"] == [{"name": "roles/main/books/world.json"}]
        assert (await service.call("import", import_id="i1", undo=True))["books"] == ["roles/main/books/world.json"]

    work(workspace, steps)


def test_a_role_that_is_gone_does_not_keep_the_others_from_being_taken_back(workspace: Folder) -> None:
    async def steps(service: Local) -> None:
        await service.call("role.create", name="gone")
        await service.call("import", role="gone", import_id="i1", memories=RECORDS[:1])
        await bring(service, memories=RECORDS)
        await service.store.writer.applier.finish(5)  # type: ignore[union-attr]
        shutil.rmtree(workspace.path / "roles/gone")
        undone = await service.call("import", import_id="i1", undo=True)
        assert undone["archived"] == 2
        assert undone["kept"] == ["the role gone is gone"]

    work(workspace, steps)


def test_the_parts_of_an_export_are_of_one_state(workspace: Folder) -> None:
    workspace.write("main", *(f"The shelf number {n} holds {'x' * 200} jars." for n in range(3000)), keywords=["jars"])

    async def steps(service: Local) -> None:
        text, digest = "", ""
        at: int | None = 0
        while at is not None:
            part = await service.call("export", role="main", offset=at, digest=digest)
            text, at, digest = text + part["content"], part["next"], part["digest"]
            await service.call("trigger", role="main", message=f"jars on shelf {len(text)}")
        assert len(json.loads(text)["semantic"]) == 3000
        with pytest.raises(BadParamsError):
            await service.call("export", role="main", offset=5, digest="0" * 64)

    work(workspace, steps)


def test_a_book_that_was_edited_is_taken_out_once_it_is_as_it_came_again(workspace: Folder) -> None:
    file = workspace.path / "roles/main/books/world.json"

    async def steps(service: Local) -> None:
        async def undone() -> dict[str, Any]:
            return await service.call("import", import_id="i1", undo=True)

        await bring(service, memories=RECORDS, book="world", text=json.dumps(BOOK))
        as_it_came = file.read_bytes()
        file.write_bytes(as_it_came + b"\n")
        assert (await undone())["kept"] == ["roles/main/books/world.json"]
        file.write_bytes(as_it_came)
        assert (await undone())["books"] == ["roles/main/books/world.json"]
        with pytest.raises(BadParamsError, match="taken back already"):
            await undone()

    work(workspace, steps)
