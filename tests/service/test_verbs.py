"""The verbs over memories, in this process, on real files."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import hashlib
import json
import os
import time
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from memd.config import Place, place_of
from memd.daemon import Local, service_of
from memd.errors import (
    BadMemoryError,
    BadParamsError,
    LimitExceededError,
    MemdError,
    MemoryAmbiguousError,
    MemoryUnknownError,
    RemoteError,
    RoleUnknownError,
    StaleMemoryError,
    StorageReadOnlyError,
    WorkspaceGoneError,
    by_code,
)
from memd.formats.records import dump_record
from memd.storage.system import System
from memd.store import opening
from memd.store.opening import open_workspace
from memd.store.ports import Ports
from tests.support import Folder

pytestmark = pytest.mark.demo

DAY_S = 86_400.0


class Clock:
    def __init__(self, now_s: float = 1_795_225_077.0) -> None:
        self.now_s = now_s

    def __call__(self) -> float:
        return self.now_s


@asynccontextmanager
async def opened(folder: Folder, clock: Clock | None = None, *, daemon: bool = False) -> AsyncIterator[Local]:
    """Open a workspace as a program does that is no daemon, or as one that listens but follows no index."""
    ports = Ports(now=clock) if clock else Ports()
    state = place_of(str(folder.path)).state
    store = await open_workspace(str(folder.path), holder={"pid": 1, "what": "test"}, ports=ports, state_dir=state)
    try:
        yield Local(store, service_of(store, Place(str(folder.path), "", ""), daemon=daemon))
    finally:
        await store.close()


def work(folder: Folder, steps: Callable[[Local], Coroutine[Any, Any, Any]], clock: Clock | None = None) -> Any:
    async def run() -> Any:
        async with opened(folder, clock) as service:
            return await steps(service)

    return asyncio.run(run())


SCORES = dict(
    zip(
        ("importance", "novelty", "relevance", "credibility", "granularity", "timeliness"),
        (9, 7, 9, 8, 8, 9),
        strict=True,
    )
)


def test_remember_stores_with_a_receipt_a_line_and_a_scoring(workspace: Folder) -> None:
    async def steps(service: Local) -> dict[str, Any]:
        return await service.call(
            "remember",
            role="main",
            content="User number 12345 is the account of the studio.",
            scores=SCORES,
            tags=["account"],
        )

    reply = work(workspace, steps)
    assert (reply["stored"], reply["total"], reply["band"], reply["verdict"]) == (True, 8.5, "keep", "stored")
    assert reply["dimensions"]["importance"] == {
        "value": 9, "given": True, "basis": "given without a basis", "weight": 0.3,
    }  # fmt: skip
    (record,) = workspace.records("main")
    canonical = json.dumps(record, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode()
    assert reply["receipt"] == {"file": "roles/main/memory.json", "digest": hashlib.sha256(canonical).hexdigest()}
    declared = (workspace.path / ".memory/declarative.md").read_text("utf-8")
    assert f"User number 12345 is the account of the studio. #account #id:{reply['id']} #评分:8.5" in declared
    (scores,) = list((workspace.path / ".memory/scores").iterdir())
    assert json.loads(scores.read_text("utf-8"))["total"] == 8.5


def test_a_refusal_is_audited_and_leaves_the_file_alone(workspace: Folder) -> None:
    before = workspace.file("nora").read_bytes()

    async def steps(service: Local) -> dict[str, Any]:
        low = dict(zip(SCORES, (3, 5, 4, 7, 6, 2), strict=True))
        return await service.call("remember", role="nora", content="Something said in passing today.", scores=low)

    reply = work(workspace, steps)
    assert (reply["stored"], reply["total"], reply["band"], reply["id"]) == (False, 4.4, "discard", None)
    assert workspace.file("nora").read_bytes() == before
    audit = json.loads((workspace.path / ".memory/audit.jsonl").read_text("utf-8"))
    assert (audit["what"], audit["total"]) == ("refused", 4.4)


@pytest.mark.parametrize(
    ("text", "content", "total", "validity"),
    [
        ("用户ID: 12345 #用户信息 #核心信息 #评分:9 #有效期:长期", "用户ID: 12345", 9.0, "long"),
        (
            "User prefers a plain interface #prefs #score:8 #validity:medium",
            "User prefers a plain interface",
            8.0,
            "medium",
        ),
    ],
)
def test_inline_tags_are_understood(workspace: Folder, text: str, content: str, total: float, validity: str) -> None:
    reply = work(workspace, lambda service: service.call("remember", role="main", content=text))
    assert reply["total"] == total
    assert not any(one["given"] for one in reply["dimensions"].values()), "a total says nothing of any one dimension"
    assert "moved by the claimed total" in reply["dimensions"]["importance"]["basis"]
    (record,) = workspace.records("main")
    assert (record["content"], record["validity"]) == (content, validity)
    assert record["tags"]


@pytest.mark.parametrize("text", ["ok then", "好的"])
def test_a_claimed_total_moves_the_assessment_by_four_at_most_and_says_so(workspace: Folder, text: str) -> None:
    async def steps(service: Local) -> None:
        plain = await service.call("score", role="main", content=text)
        claimed = await service.call("score", role="main", content=f"{text} #评分:10")
        assert plain["total"] < 6
        assert claimed["total"] == pytest.approx(plain["total"] + 4, abs=0.06)
        assert not any(one["given"] for one in claimed["dimensions"].values())
        low = await service.call("score", role="main", content=f"{text} #score:0")
        assert low["total"] == pytest.approx(max(0.0, plain["total"] - 4), abs=0.06)
        given = await service.call("score", role="main", content=f"{text} #评分:10", scores={"importance": 2})
        shown = given["dimensions"]
        assert (shown["importance"]["value"], shown["importance"]["given"], shown["novelty"]["given"]) == (
            2,
            True,
            False,
        )
        kept = await service.call("remember", role="main", content=f"{text} #评分:10", explicit=True)
        assert any("claimed total 10 is far" in one for one in kept["remarks"])

    work(workspace, steps)


def test_traits_and_goals_that_are_asked_for_are_judged_told_and_kept_whatever_they_score(workspace: Folder) -> None:
    async def steps(service: Local) -> None:
        before = (await service.call("status"))["limits"]["scorings_per_day"]["used"]
        made = await service.call(
            "traits.update", role="main", explicit=True, traits=[{"name": "Tone", "value": "dry"}]
        )
        (trait,) = made["added"]
        told = made["scores"][trait]
        assert told["total"] == max(8.0, told["computed_total"]), "what is asked for is an explicit instruction"
        assert set(told["dimensions"]) == {
            "importance", "novelty", "relevance", "credibility", "granularity", "timeliness",
        }  # fmt: skip
        goals = await service.call("goals.update", role="main", explicit=True, goals=[{"value": "学会驾驶帆船。"}])
        (goal,) = goals["added"]
        assert goals["scores"][goal]["total"] >= 8
        shown = await service.call("memory.get", role="main", id=trait)
        assert shown["score"] == told["total"]
        await service.call("traits.update", role="main", explicit=True, traits=[{"name": "tone", "value": "warm"}])
        assert (await service.call("status"))["limits"]["scorings_per_day"]["used"] == before

    work(workspace, steps)
    lines = [
        json.loads(line)
        for path in (workspace.path / ".memory/scores").iterdir()
        for line in path.read_text("utf-8").splitlines()
    ]
    assert [one["what"] for one in lines] == ["put"] * 3

    async def used(service: Local) -> int:
        return int((await service.call("status"))["limits"]["scorings_per_day"]["used"])

    assert work(workspace, used) == 0, "nor after a restart"


def test_a_trait_with_an_empty_content_and_a_value_serves_and_is_changed_in_its_value(workspace: Folder) -> None:
    workspace.write("main")
    document = workspace.load("main")
    document["traits"] = [
        {"id": "t1", "name": "Tone", "content": "", "value": "dry humour"},
        {"id": "t2", "name": "语气", "content": "  ", "value": "说话温和"},
        {"id": "t3", "name": "None", "content": "", "value": ""},
    ]
    workspace.file("main").write_text(json.dumps(document, ensure_ascii=False), "utf-8")

    async def steps(service: Local) -> None:
        told = await service.call("memory.list", role="main")
        assert {one["content"] for one in told["memories"]} == {"dry humour", "说话温和"}
        assert any("memory.bad" in one for one in (await service.call("status"))["rejected"]), "the third says nothing"
        await service.call(
            "traits.update", role="main", explicit=True, traits=[{"name": "Tone", "value": "warm humour"}]
        )

    work(workspace, steps)
    (changed,) = [one for one in workspace.load("main")["traits"] if one["id"] == "t1"]
    assert (changed["content"], changed["value"]) == ("", "warm humour")


def test_the_same_text_again_is_a_duplicate_that_adds_its_keys(workspace: Folder) -> None:
    async def steps(service: Local) -> list[dict[str, Any]]:
        first = await service.call("remember", role="main", content="The gate code is 4411.", explicit=True)
        second = await service.call(
            "remember", role="main", content="the gate code is 4411", explicit=True, keys=["gate"]
        )
        return [first, second]

    first, second = work(workspace, steps)
    assert (second["stored"], second["verdict"], second["id"]) == (False, "duplicate", first["id"])
    (record,) = workspace.records("main")
    assert record["keywords"] == ["gate"]


def test_score_judges_and_stores_nothing(workspace: Folder) -> None:
    reply = work(
        workspace, lambda service: service.call("score", role="main", content="I am allergic to sesame.", source="user")
    )
    assert (reply["stored"], reply["verdict"]) == (False, "would store")
    assert workspace.records("main") == []


def test_update_forget_restore_and_erase(workspace: Folder) -> None:
    async def steps(service: Local) -> None:
        made = await service.call("remember", role="main", content="The wifi name is halfmoon-guest.", explicit=True)
        one = made["id"]
        shown = await service.call("memory.get", role="main", id=one[:8])
        changed = await service.call(
            "memory.update", role="main", id=one, content="The wifi is halfmoon-2.", digest=shown["digest"]
        )
        assert changed["content"] == "The wifi is halfmoon-2."
        with pytest.raises(StaleMemoryError):
            await service.call("memory.update", role="main", id=one, priority=90, digest=shown["digest"])
        with pytest.raises(BadMemoryError):
            await service.call("memory.update", role="main", id=one, content="  ")
        forgotten = await service.call("memory.forget", role="main", id=one, reason="moved")
        assert forgotten["archived"].startswith("archive/")
        with pytest.raises(MemoryUnknownError):
            await service.call("memory.get", role="main", id=one)
        listed = await service.call("memory.list", role="main", forgotten=True)
        assert [item["id"] for item in listed["memories"]] == [one]
        restored = await service.call("memory.restore", role="main", id=one)
        assert restored["content"] == "The wifi is halfmoon-2."
        erased = await service.call("memory.forget", role="main", id=one, erase=True)
        assert "git" in erased["remains"]

    work(workspace, steps)
    for path in workspace.path.rglob("*"):
        if path.is_file():
            assert b"halfmoon" not in path.read_bytes() or "nora" in str(path), path


@pytest.mark.parametrize("how", ["memory.restore", "memory.undo"])
def test_what_expired_and_is_brought_back_stays(workspace: Folder, how: str) -> None:
    async def steps(service: Local) -> dict[str, Any]:
        made = await service.call("remember", role="main", content="The wifi name is halfmoon-guest.", explicit=True)
        await service.call("memory.update", role="main", id=made["id"], expires_at="2020-01-01T00:00:00Z")
        await service.call("upkeep.run", role="main")
        assert [one["id"] for one in (await service.call("memory.list", role="main", forgotten=True))["memories"]]
        back = await service.call(how, role="main", id=made["id"])
        await service.call("upkeep.run", role="main")
        shown = await service.call("memory.get", role="main", id=made["id"])
        assert "expiresAt" not in shown["record"]
        return back

    reply = work(workspace, steps)
    if how == "memory.restore":
        assert reply["remarks"] == ["its time was over: it has no end any more"]


def test_erasing_one_memory_leaves_those_whose_ids_begin_alike(workspace: Folder) -> None:
    workspace.write("main", "Number zero is kept.", "Number one goes.", "Number two is kept.")
    path = workspace.file("main")
    path.write_text(
        path.read_text("utf-8").replace("id-00001", "m1").replace("id-00002", "m10").replace("id-00000", "m11")
    )

    async def steps(service: Local) -> list[str]:
        for one in ("m10", "m11"):
            await service.call("memory.forget", role="main", id=one)
        await service.call("memory.forget", role="main", id="m1", erase=True)
        listed = await service.call("memory.list", role="main", forgotten=True)
        return sorted(item["id"] for item in listed["memories"])

    assert work(workspace, steps) == ["m10", "m11"]
    assert (
        work(workspace, lambda service: service.call("memory.restore", role="main", id="m10"))["content"]
        == "Number two is kept."
    )


def test_ids_may_be_shortened_while_they_are_clear(workspace: Folder) -> None:
    workspace.write("main", "One.", "Two.")

    async def steps(service: Local) -> None:
        with pytest.raises(MemoryAmbiguousError):
            await service.call("memory.get", role="main", id="id-0000")
        with pytest.raises(MemoryUnknownError):
            await service.call("memory.get", role="main", id="id")

    work(workspace, steps)


def test_traits_are_put_by_name_and_replaced_only_when_told(workspace: Folder) -> None:
    async def steps(service: Local) -> None:
        first = await service.call(
            "traits.update",
            role="main",
            explicit=True,
            traits=[{"name": "Tone", "value": "dry"}, {"name": "Pace", "value": "slow"}],
        )
        assert len(first["added"]) == 2
        second = await service.call(
            "traits.update", role="main", explicit=True, traits=[{"name": "tone", "value": "warm", "constant": True}]
        )
        assert (len(second["updated"]), len(second["added"])) == (1, 0)
        assert {one["content"] for one in second["memories"]} == {"warm", "slow"}
        third = await service.call(
            "traits.update", role="main", explicit=True, traits=[{"name": "Tone", "value": "warm"}], replace_all=True
        )
        assert len(third["archived"]) == 1
        with pytest.raises(BadParamsError):
            await service.call("traits.update", role="main", explicit=True, traits=[])

    work(workspace, steps)
    assert workspace.contents("main") == ["warm"]


def test_goals_are_put_by_what_they_say_and_never_over_another_kind(workspace: Folder) -> None:
    async def steps(service: Local) -> None:
        made = await service.call("goals.update", role="main", explicit=True, goals=[{"value": "Learn to sail."}])
        same = await service.call(
            "goals.update", role="main", explicit=True, goals=[{"value": "learn to sail", "priority": 90}]
        )
        assert same["updated"] == made["added"]
        fact = await service.call("remember", role="main", content="The boat is moored at pier five.", explicit=True)
        with pytest.raises(BadParamsError):
            await service.call("goals.update", role="main", explicit=True, goals=[{"id": fact["id"], "value": "Sail."}])

    work(workspace, steps)


def test_linking_supersedes_in_the_next_trigger(workspace: Folder) -> None:
    async def steps(service: Local) -> None:
        old = await service.call("remember", role="main", content="Petra lives in Bonn.", explicit=True)
        new = await service.call("remember", role="main", content="Petra lives in Kiel.", explicit=True)
        await service.call("memory.link", role="main", id=new["id"], to=old["id"], relation="supersedes")
        reply = await service.call("trigger", role="main", message="Where does Petra live?", explain=True)
        assert [one["id"] for one in reply["activated"]] == [new["id"]]
        assert [(one["id"], one["why"]) for one in reply["refused"]] == [(old["id"], "superseded")]
        with pytest.raises(BadParamsError):
            await service.call("memory.link", role="main", id=new["id"], to=new["id"])

    work(workspace, steps)


def test_roles_are_isolated_until_their_own_file_links_them(workspace: Folder) -> None:
    ask = {"role": "main", "message": "the celadon glaze"}
    assert work(workspace, lambda service: service.call("trigger", **ask))["activated"] == []
    (workspace.path / "roles/main/role.toml").write_text('[[link]]\nrole = "nora"\nweight = 1.0\n', "utf-8")
    reply = work(workspace, lambda service: service.call("trigger", **ask))
    assert {one["role"] for one in reply["activated"]} == {"nora"}
    assert "from nora" in reply["content"]
    assert all("Address" not in one["text"] for one in reply["activated"]), "another role's constants do not come along"


def test_aliases_and_display_names_name_a_role_and_an_unknown_one_is_never_made(workspace: Folder) -> None:
    async def steps(service: Local) -> None:
        for name in ("yuan", "阿远的写作助手", "阿远"):
            assert (await service.call("trigger", role=name, message="咖啡"))["role"] == "阿远"
        with pytest.raises(RoleUnknownError):
            await service.call("remember", role="nobody", content="x y z", explicit=True)

    work(workspace, steps)
    assert not (workspace.path / "roles/nobody").exists()


def test_explain_accounts_for_every_candidate(workspace: Folder) -> None:
    workspace.settings(trigger__max_semantic=1, trigger__max_episodic=1, trigger__relevance_threshold=0.1)
    reply = work(
        workspace,
        lambda service: service.call("trigger", role="nora", message="kiln shop glaze firing tomasz", explain=True),
    )
    counts = reply["counts"]
    assert (
        counts["candidates"]
        == counts["activated"] + counts["refused"]
        == len(reply["activated"]) + len(reply["refused"])
    )
    assert {"limit of its kind", "below threshold"} <= {one["why"] for one in reply["refused"]}
    assert all(one["detail"] and one["reasons"] for one in reply["refused"])


@pytest.mark.parametrize(
    ("settings", "code", "figures"),
    [
        ({"limits__memory_chars": 20}, "limit.memory_chars", "limit 20 characters"),
        ({"limits__role_memories": 60}, "limit.role_memories", "61 memories, limit 60"),
        ({"limits__role_bytes": 7_000}, "limit.role_bytes", "largest:"),
        ({"limits__memory_dir_bytes": 1000}, "limit.memory_dir_bytes", ".memory/"),
    ],
)
def test_limits_refuse_with_figures(workspace: Folder, settings: dict[str, int], code: str, figures: str) -> None:
    workspace.write(
        "stone", *(f"Stone {n} of the wall was cut in Carrara and must stay." for n in range(60)), isConstant=True
    )
    workspace.settings(**settings)
    (workspace.path / ".memory").mkdir(exist_ok=True)
    (workspace.path / ".memory/declarative.md").write_text("# x\n" * 100, "utf-8")
    before = workspace.file("stone").read_bytes()

    async def steps(service: Local) -> LimitExceededError:
        with pytest.raises(LimitExceededError) as refused:
            await service.call(
                "remember", role="stone", content="The kiln has a new thermocouple since today.", explicit=True
            )
        return refused.value

    error = work(workspace, steps)
    assert error.code == code
    assert figures in str(error)
    assert workspace.file("stone").read_bytes() == before


def test_before_a_role_is_full_the_least_worth_goes_to_the_archive(workspace: Folder) -> None:
    facts = [f"Allotment {n} belongs to the family of gardener number {n}." for n in range(20)]
    workspace.write("main", *facts, timestamp=1700000000000)
    document = workspace.load("main")
    document["semantic"][3]["score"], document["semantic"][4]["isConstant"] = 1.0, True
    document["semantic"][5]["expiresAt"] = 1700000001000
    workspace.file("main").write_text(json.dumps(document), "utf-8")
    workspace.settings(limits__role_memories=20)

    async def steps(service: Local) -> tuple[int, list[str]]:
        for text in ("The kiln has a new thermocouple since today.", "Odile keeps the keys of the chapel in Ghent."):
            reply = await service.call("remember", role="main", content=text, explicit=True)
            assert reply["stored"]
        gone = await service.call("memory.list", role="main", forgotten=True)
        return (await service.call("memory.list", role="main"))["total"], [one["content"] for one in gone["memories"]]

    total, gone = work(workspace, steps)
    assert total == 20
    assert gone == [facts[5], facts[3]]


def test_the_days_scorings_hold_over_restarts_and_clocks_that_jump(workspace: Folder) -> None:
    workspace.settings(limits__scorings_per_day=3)
    clock = Clock()

    async def scorings(service: Local, count: int) -> int:
        done = 0
        for number in range(count):
            with contextlib.suppress(LimitExceededError):
                await service.call("score", role="main", content=f"Offer number {number}.")
                done += 1
        return done

    assert work(workspace, lambda service: scorings(service, 2), clock) == 2
    assert work(workspace, lambda service: scorings(service, 5), clock) == 1, "two are held from before"
    clock.now_s -= 3 * DAY_S
    assert work(workspace, lambda service: scorings(service, 5), clock) == 0, "a clock that goes back gives nothing"
    clock.now_s += 4 * DAY_S
    assert work(workspace, lambda service: scorings(service, 5), clock) == 3
    clock.now_s += 9000 * DAY_S
    assert work(workspace, lambda service: scorings(service, 1), clock) == 1
    clock.now_s -= 8990 * DAY_S
    assert work(workspace, lambda service: scorings(service, 5), clock) == 3, (
        "a jump ahead takes nothing away for years"
    )


def test_a_role_whose_directory_is_renamed_moves_with_it(workspace: Folder) -> None:
    async def steps(service: Local) -> None:
        await service.call("trigger", role="nora", message="x")
        (workspace.path / "roles/nora").rename(workspace.path / "roles/eleonora")
        reply = await service.call("trigger", role="half-moon", message="celadon")
        assert reply["role"] == "eleonora"
        with pytest.raises(RoleUnknownError):
            await service.call("remember", role="nora", content="Something for the old name.", explicit=True)

    work(workspace, steps)
    assert not (workspace.path / "roles/nora").exists()


def test_the_log_of_a_strangers_clone_can_name_no_file_outside(workspace: Folder, tmp_path: Path) -> None:
    (workspace.path / ".memory").mkdir()
    ops = [
        {"do": "line", "name": "../../evil", "text": "evil\n", "header": ""},
        {"do": "line", "name": "memd.toml", "text": "evil\n", "header": ""},
        {
            "do": "change",
            "role": "../../out",
            "kind": "goal",
            "id": "x",
            "before": None,
            "after": {"id": "x", "value": "evil"},
        },
        {
            "do": "change",
            "role": "main",
            "kind": "strange",
            "id": "x",
            "before": None,
            "after": {"id": "x", "value": "evil"},
        },
        {"do": "dance"},
    ]
    log = dump_record({"memd": "wal", "version": 1, "writer": "a", "n": 0}) + dump_record(
        {"n": 1, "at": "x", "ops": ops}
    )
    (workspace.path / ".memory/wal.jsonl").write_bytes(log)
    before = sorted(path.name for path in tmp_path.rglob("*"))
    work(workspace, lambda service: service.call("ping"))
    assert "evil" not in (workspace.path / "memd.toml").read_text("utf-8")
    after = sorted(path.name for path in tmp_path.rglob("*") if ".memory" not in str(path))
    assert set(after) <= set(before)


class ReadOnly(System):
    over = False

    def open(self, name: str, flags: int, mode: int = 0o600, *, at: int | None = None) -> int:
        if not self.over and flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
            raise OSError(errno.EROFS, os.strerror(errno.EROFS))
        return super().open(name, flags, mode, at=at)

    def make_dir(self, name: str, *, at: int) -> None:
        if not self.over:
            raise OSError(errno.EROFS, os.strerror(errno.EROFS))
        super().make_dir(name, at=at)


def test_on_a_read_only_disk_memd_recalls_and_refuses_to_write(workspace: Folder) -> None:
    async def steps() -> None:
        opened = await open_workspace(str(workspace.path), holder={"pid": 1, "what": "test"}, system=ReadOnly())
        service = Local(opened, service_of(opened, Place(str(workspace.path), "", "")))
        assert (await service.call("trigger", role="nora", message="celadon"))["activated"]
        assert (await service.call("status"))["mode"].startswith("read-only")
        for method, params in (
            ("remember", {"content": "x y z", "explicit": True}),
            ("memory.forget", {"id": service.store.roles["nora"].file.document.arrays[0].elements[0].id}),
            ("traits.update", {"traits": [{"name": "a", "value": "b"}]}),
        ):
            with pytest.raises(StorageReadOnlyError):
                await service.call(method, role="nora", **params)
        with pytest.raises(StorageReadOnlyError):
            await service.call("role.create", name="new")
        await opened.close()

    asyncio.run(steps())


@pytest.mark.parametrize("has_log", [False, True])
def test_a_disk_that_can_be_written_later_is_written_without_a_restart(
    workspace: Folder, monkeypatch: pytest.MonkeyPatch, has_log: bool
) -> None:
    monkeypatch.setattr(opening, "TRY_S", 0.01)
    if has_log:  # acknowledged by a process that died: it is read from the log, then brought into its file
        (workspace.path / ".memory").mkdir()
        entry = {"id": "late", "content": "The late kiln.", "updatedAt": 1_700_000_000_000}
        op = {"do": "change", "role": "nora", "kind": "semantic", "id": "late", "before": None, "after": entry}
        line = dump_record({"memd": "wal", "version": 1, "writer": "0a0a0a0a", "n": 0}) + dump_record(
            {"n": 1, "at": "2026-11-22T00:00:00Z", "ops": [op]}
        )
        (workspace.path / ".memory/wal.jsonl").write_bytes(line)

    async def steps() -> None:
        system, holder, stop = ReadOnly(), {"pid": 1, "what": "test"}, asyncio.Event()
        opened = await open_workspace(str(workspace.path), holder=holder, system=system)
        service = Local(opened, service_of(opened, Place(str(workspace.path), "", "")))
        trying = asyncio.create_task(opening.keep_trying(opened, holder, stop))
        with pytest.raises(StorageReadOnlyError):
            await service.call("remember", role="nora", content="The kiln holds forty mugs.", explicit=True)
        assert "late" in opened.roles["nora"].compiled.memories or not has_log
        system.over = True
        await asyncio.wait_for(trying, 20)
        assert (await service.call("status"))["mode"] == "read-write"
        told = await service.call("remember", role="nora", content="The kiln holds forty mugs.", explicit=True)
        assert told["stored"]
        await opened.close()

    asyncio.run(steps())
    assert "The kiln holds forty mugs." in workspace.contents("nora")
    assert workspace.contents("nora").count("The late kiln.") == has_log


def test_a_workspace_that_was_moved_away_is_told_and_never_made_again(workspace: Folder, tmp_path: Path) -> None:
    async def steps(service: Local) -> None:
        workspace.path.rename(tmp_path / "moved")
        with pytest.raises(WorkspaceGoneError):
            await service.call("remember", role="main", content="x y z", explicit=True)

    work(workspace, steps)
    assert not workspace.path.exists()


def test_git_at_work_holds_the_files_and_not_the_answers(workspace: Folder) -> None:
    (workspace.path / ".git").mkdir()
    (workspace.path / ".git/MERGE_HEAD").write_text("x")

    async def steps(service: Local) -> None:
        assert (await service.call("remember", role="main", content="Held while git merges.", explicit=True))["stored"]
        await asyncio.sleep(0.1)  # longer than the applier waits before its first write
        assert not workspace.contents("main")
        status = await service.call("status")
        assert "git is at work (MERGE_HEAD)" in str(status["held"])
        (workspace.path / ".git/MERGE_HEAD").unlink()

    work(workspace, steps)
    assert workspace.contents("main") == ["Held while git merges."]


def test_a_late_save_into_the_file_that_was_exchanged_out_is_merged(workspace: Folder) -> None:
    workspace.write("main", "The first.")
    path = workspace.file("main")

    async def steps(service: Local) -> None:
        await service.call("trigger", role="main", message="x")
        with open(path, "r+", encoding="utf-8") as editor:  # opened before memd writes, saved after
            text = editor.read()
            await service.call("remember", role="main", content="The daemon's own.", explicit=True)
            while "The daemon's own." not in workspace.contents("main"):
                await asyncio.sleep(0.01)
            editor.seek(0)
            editor.write(text.replace("The first.", "The first, edited late."))
            editor.truncate()
        while "The first, edited late." not in workspace.contents("main"):
            await asyncio.sleep(0.01)
        async with asyncio.timeout(5):
            # The write itself takes the edit in; the indexes follow when it has ended.
            while (await service.call("memory.get", role="main", id="id-00000"))[
                "content"
            ] != "The first, edited late.":
                await asyncio.sleep(0.01)

    work(workspace, steps)
    assert sorted(workspace.contents("main")) == ["The daemon's own.", "The first, edited late."]


def test_an_outdated_save_is_answered_and_told(workspace: Folder) -> None:
    workspace.write("main", "The first.")
    old = workspace.file("main").read_text("utf-8")

    async def steps(service: Local) -> None:
        await service.call("remember", role="main", content="The daemon's own.", explicit=True)
        while "The daemon's own." not in workspace.contents("main"):
            await asyncio.sleep(0.01)
        workspace.file("main").write_text(old.replace("The first.", "The first, edited."), "utf-8")
        while "The daemon's own." not in workspace.contents("main"):
            await asyncio.sleep(0.01)

    work(workspace, steps)
    assert sorted(workspace.contents("main")) == ["The daemon's own.", "The first, edited."]
    assert "reapplied_after_external_save" in (workspace.path / ".memory/audit.jsonl").read_text("utf-8")


def test_what_both_sides_changed_keeps_the_persons_word_and_a_copy_of_the_other(workspace: Folder) -> None:
    workspace.write("main", "The first.")

    async def steps(service: Local) -> None:
        await service.call("trigger", role="main", message="x")
        done = asyncio.create_task(
            service.call("memory.update", role="main", id="id-00000", content="The daemon's word.")
        )
        await done
        text = workspace.file("main").read_text("utf-8")
        workspace.file("main").write_text(text.replace("The first.", "The person's word."), "utf-8")

    work(workspace, steps)
    assert workspace.contents("main") == ["The person's word."]
    (copy,) = list((workspace.path / "roles/main").glob("memory.conflict-*.json"))
    assert "The daemon's word." in copy.read_text("utf-8")


def test_every_error_a_verb_raises_has_a_code_and_a_hint_that_begins_with_a_verb() -> None:
    def below(kind: type[MemdError]) -> list[type[MemdError]]:
        return [one for sub in kind.__subclasses__() for one in (sub, *below(sub))]

    known = by_code()  # makes every class: an error's is made when it is first asked for
    # Those of a family are raised as one of their own; what a daemon answered has its daemon's code.
    raised = [one for one in below(MemdError) if not (one.__subclasses__() or issubclass(one, RemoteError))]
    assert len(raised) > 80
    for kind in [*raised, *known.values()]:
        assert kind.code, kind
        assert kind.hint, kind
        assert kind.hint.split()[0].istitle() or kind.hint.startswith("`"), kind


def test_an_erased_memory_stays_away_from_saves_of_before_and_from_restarts(workspace: Folder) -> None:
    workspace.write("main", "The first.")

    async def steps(service: Local) -> None:
        made = await service.call(
            "remember", role="main", content="The parade opens with 7743 drummers.", explicit=True
        )
        while "The parade opens with 7743 drummers." not in workspace.contents("main"):
            await asyncio.sleep(0.01)
        outdated = workspace.file("main").read_text("utf-8")
        await service.call("memory.forget", role="main", id=made["id"], erase=True)
        while "The parade opens with 7743 drummers." in workspace.contents("main"):
            await asyncio.sleep(0.01)
        workspace.file("main").write_text(outdated, "utf-8")
        while "The parade opens with 7743 drummers." in workspace.contents("main"):
            await asyncio.sleep(0.01)
        assert (await service.call("memory.list", role="main"))["total"] == 1

    work(workspace, steps)
    for path in workspace.path.rglob("*"):
        assert not path.is_file() or b"7743" not in path.read_bytes(), path


def test_what_is_done_for_one_role_is_not_done_again_because_another_is_held(workspace: Folder) -> None:
    workspace.write("main", "The first.")
    workspace.write("other", "Another first.")
    good = workspace.file("other").read_text("utf-8")

    async def hold(service: Local) -> None:
        await service.call("trigger", role="other", message="x")
        workspace.file("other").write_text("broken", "utf-8")
        await service.call("remember", role="other", content="Held for a while.", explicit=True)
        await service.call("remember", role="main", content="Deleted by hand later.", explicit=True)
        while "Deleted by hand later." not in workspace.contents("main"):
            await asyncio.sleep(0.01)

    work(workspace, hold)
    workspace.write("main", "The first.")
    workspace.file("other").write_text(good, "utf-8")

    async def later(service: Local) -> None:
        await service.call("remember", role="main", content="Something new.", explicit=True)

    for _ in range(2):
        work(workspace, later, Clock(time.time() + 60.0))  # within ten seconds it would be an outdated save
    assert sorted(workspace.contents("main")) == ["Something new.", "The first."]
    assert "Held for a while." in workspace.contents("other")
