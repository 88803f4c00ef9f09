"""Roles that are closed: they cost a start next to nothing, open when somebody asks, and answer as if they had been open."""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from memd.config import Place
from memd.daemon import Local, service_of
from memd.errors import RoleRejectedError
from memd.model.change import Change
from memd.model.memory import Kind
from memd.store.opening import open_workspace
from memd.store.ports import Ports
from memd.store.reading.roles import IDLE_S, KEPT_OPEN
from memd.store.reading.seen import close_idle
from memd.store.recover import recoverable
from memd.store.role.role import Role
from memd.store.store import Store
from tests.support import Daemon, Folder, until

MORE = 8
NAMES = [f"role{number:02}" for number in range(KEPT_OPEN + MORE - 1)] + ["洛伊"]
NOW = "2026-11-21T00:00:00Z"
Work = Callable[[Local], Awaitable[Any]]


def record(name: str, number: int) -> dict[str, Any]:
    english, chinese = f"The kiln of {name} is fired on day {number}.", f"{name}在第{number}天去看苍鹭。"
    return {
        "id": f"{name}-{number}", "content": chinese if number % 2 else english, "keywords": [name], "session": "",
        "isConstant": number == 2, "supersedes": [f"{name}-0"] if number == 3 else [],
    }  # fmt: skip


def save(folder: Folder, name: str, records: list[dict[str, Any]], **more: Any) -> None:
    folder.file(name).parent.mkdir(parents=True, exist_ok=True)
    whole = {"characterUuid": f"uuid-of-{name}", "semantic": records[:3], "episodic": records[3:], **more}
    beside = folder.path / "saved"
    beside.write_text(json.dumps(whole, ensure_ascii=False), "utf-8")
    beside.rename(folder.file(name))


@pytest.fixture
def many(tmp_path: Path) -> Folder:
    """A workspace with more roles than stay open."""
    folder = Folder.make(tmp_path / "memory", demo=False)
    shutil.rmtree(folder.path / "roles")
    for name in NAMES:
        save(folder, name, [record(name, number) for number in range(5)])
    (folder.path / "roles/role03/role.toml").write_text('display_name = "Third"\n', "utf-8")
    return folder


@dataclass
class Clock:
    """Real time, and what is added to it: to what has passed, and to the day's."""

    ahead_s: float = 0.0
    later_s: float = 0.0

    def ports(self) -> Ports:
        real = Ports()
        return Ports(lambda: real.now() + self.later_s, lambda: real.monotonic() + self.ahead_s, real.new_id)


def with_store(folder: Folder, work: Work, *, cache: Path | None = None, clock: Clock | None = None) -> Any:
    """Do something with a store that was just opened, and write what the cache is given."""

    async def run() -> Any:
        await asyncio.sleep(0.1)  # a file that was just written is read once more, whatever is known of it
        place = Place(str(folder.path), "", str(cache or ""))
        ports = (clock or Clock()).ports()
        store = await open_workspace(
            place.workspace, holder={"pid": 1, "what": "test"}, cache_dir=place.cache, ports=ports
        )
        try:
            return await work(Local(store, service_of(store, place, daemon=False)))
        finally:
            await store.close()
            store.roles.save_cache(changed=True)

    return asyncio.run(run())


def opened(store: Store) -> list[str]:
    return sorted(name for name, role in store.roles.items() if role.is_open)


async def open_all(local: Local) -> None:
    for role in list(local.store.roles.values()):
        await local.store.roles.open(role)


def comparable(reply: Any) -> Any:
    if isinstance(reply, dict):
        timed = ("elapsed_ms", "uptime_s", "at", "took_ms", "times")  # "times": of aging, counted from now
        return {key: comparable(one) for key, one in reply.items() if key not in timed}
    return [comparable(one) for one in reply] if isinstance(reply, list) else reply


ASKED: list[tuple[str, dict[str, Any]]] = [
    ("role.list", {}),
    ("role.get", {"role": "role07"}),
    ("role.get", {"role": "uuid-of-洛伊"}),
    ("role.get", {"role": "Third"}),
    ("trigger", {"role": "洛伊", "message": "苍鹭 kiln", "now": NOW}),
    ("trigger", {"role": "uuid-of-role09", "message": "the kiln of role09", "now": NOW}),
    ("search", {"query": "kiln"}),
    ("search", {"query": "苍鹭", "limit": 100}),
    ("search", {"query": '"fired on day 4"', "limit": 100}),
    ("search", {"query": "kiln", "role": "role11"}),
    ("search", {"query": "kiln", "kind": "page"}),
    ("search", {"query": "kiln", "seen_by": "role11"}),
    ("memory.list", {"role": "role12"}),
    ("memory.get", {"role": "role12", "id": "role12-3"}),
    ("memory.get", {"role": "role12", "id": "role12-0", "history": True}),
    ("export", {"role": "洛伊"}),
    ("stats", {}),
    ("upkeep.plan", {}),
    ("review.list", {"memories": True}),
    ("status", {}),
]


@pytest.mark.parametrize(("method", "params"), ASKED, ids=[f"{one} {json.dumps(more)}" for one, more in ASKED])
def test_the_first_question_is_answered_as_if_all_had_been_open(
    many: Folder, method: str, params: dict[str, Any]
) -> None:
    async def closed(local: Local) -> Any:
        assert opened(local.store) == []
        return comparable(await local.call(method, **params))

    async def after_opening(local: Local) -> Any:
        await open_all(local)
        assert len(opened(local.store)) == len(NAMES)
        return comparable(await local.call(method, **params))

    answer = with_store(many, closed)
    assert answer == with_store(many, after_opening)
    assert answer


def test_who_does_not_open_first_is_not_told_of_an_empty_role(many: Folder) -> None:
    async def work(local: Local) -> None:
        role = local.store.roles["role20"]
        assert not role.is_open
        assert role.raw(Kind.SEMANTIC, "role20-1") == record("role20", 1)
        assert local.store.roles["role21"].compiled.memories.keys() == {f"role21-{number}" for number in range(5)}
        assert opened(local.store) == ["role20", "role21"]

    with_store(many, work)
    alone = Role("alone", indexes=None)
    alone.file.held = None
    for ask in (lambda: alone.compiled, lambda: alone.prints, lambda: alone.elements, lambda: alone.file.document):
        with pytest.raises(RuntimeError, match="closed"):
            ask()


def test_lists_and_limits_open_nobody(many: Folder, tmp_path: Path) -> None:
    async def work(local: Local) -> list[dict[str, Any]]:
        found = (await local.call("role.list"))["roles"]
        await local.call("status")
        await local.call("role.get", role="uuid-of-洛伊")
        assert opened(local.store) == []
        return list(found)

    cache = tmp_path / "own-cache"
    cold = with_store(many, work, cache=cache)
    assert [one["memories"] for one in cold] == [5] * len(NAMES)
    assert {one["name"]: one["character_uuid"] for one in cold} == {name: f"uuid-of-{name}" for name in NAMES}
    assert cold[0]["by_kind"] == {"semantic": 3, "episodic": 2}
    assert [one["constant"] for one in cold] == [1] * len(NAMES)
    assert with_store(many, work, cache=cache) == cold
    kept = cache / "figures.bin"
    whole = kept.read_bytes()
    for damage in (b"", b"rubbish", whole[:-5], bytes(100)):
        kept.write_bytes(damage)
        assert with_store(many, work, cache=cache) == cold
        assert kept.read_bytes() == whole  # and it is made anew
    save(many, "role05", [record("role05", number) for number in range(4)])
    stale = with_store(many, work, cache=cache)
    assert [one["memories"] for one in stale if one["name"] == "role05"] == [4]
    shutil.rmtree(cache)
    assert with_store(many, work, cache=cache) == stale


def test_what_the_cache_says_of_a_file_is_believed_only_of_that_state(many: Folder, tmp_path: Path) -> None:
    cache = tmp_path / "own-cache"

    async def nothing(local: Local) -> None: ...

    async def figures(local: Local) -> int:
        return local.store.roles["role05"].figures.memories

    with_store(many, nothing, cache=cache)
    known = cache / "figures.bin"
    assert b"uuid-of-role05" in known.read_bytes()
    text = many.file("role05").read_text("utf-8").replace('"id": "role05-4"', '"ID": "role05-4", "id": 7')
    many.file("role05").write_text(text, "utf-8")  # the same size or not: another state
    assert with_store(many, figures, cache=cache) == with_store(many, figures)


def test_idle_roles_close_and_answer_the_same_again(many: Folder) -> None:
    clock = Clock()

    async def work(local: Local) -> None:
        store = local.store
        asked: dict[str, Any] = {"query": "kiln", "limit": 100}
        before = comparable(await local.call("search", **asked))
        assert len(opened(store)) == len(NAMES)
        assert await close_idle(store) == []
        clock.ahead_s += IDLE_S + 1
        await store.roles.open(store.roles["role00"])
        closed = await close_idle(store)
        assert len(closed) == MORE
        assert "role00" not in closed
        assert opened(store) == sorted(set(NAMES) - set(closed))
        assert comparable(await local.call("search", **asked)) == before
        assert await close_idle(store) == []

    with_store(many, work, clock=clock)


def test_what_is_not_in_the_files_stays_open(many: Folder) -> None:
    clock = Clock()

    async def work(local: Local) -> None:
        store = local.store
        await open_all(local)
        busy, broken, unsaved = (store.roles[name] for name in ("role01", "role02", "role03"))
        many.file("role02").write_text("{ broken", "utf-8")
        async with broken.turn:
            await store.refresh(broken)
        assert broken.file.rejected
        clock.ahead_s += IDLE_S + 1
        for name in NAMES[4 : 4 + KEPT_OPEN]:  # lately asked for: the others are to close
            await store.roles.open(store.roles[name])
        made = {"id": "new", "content": "Tea at four."}
        done = store.commit(lambda _: [Change("role03", Kind.SEMANTIC, "new", None, made)], at_s=0.0)
        async with busy.turn:
            closed = await close_idle(store)
        assert closed
        assert not {"role01", "role02", "role03"} & set(closed)
        await done
        assert broken.compiled.memories.keys() == {f"role02-{number}" for number in range(5)}  # its last good state
        assert unsaved.raw(Kind.SEMANTIC, "new") == made
        assert "role01" in await close_idle(store)

    with_store(many, work, clock=clock)


def test_a_change_of_a_closed_file_is_in_the_next_answers(many: Folder) -> None:
    async def work(local: Local) -> None:
        store = local.store
        save(many, "role06", [record("role06", 0), {"id": "tea", "content": "Marmalade for the quokka."}])
        assert (await local.call("status"))["limits"]["role_memories role06"]["used"] == 2
        assert opened(store) == []
        found = await local.call("trigger", role="role06", message="a quokka with marmalade", now=NOW)
        assert "tea" in [one["id"] for one in found["activated"]]
        assert opened(store) == ["role06"]
        assert [one["id"] for one in (await local.call("search", query="quokka"))["hits"]] == ["tea"]

    with_store(many, work)


def test_the_index_is_not_believed_of_a_closed_file_that_changed(many: Folder, tmp_path: Path) -> None:
    async def work(local: Local) -> None:
        await local.call("rebuild")
        role = local.store.roles["role06"]
        assert role.marks.touched == set()
        save(many, "role06", [{"id": "tea", "content": "Marmalade for the quokka."}])
        await local.call("status")
        assert not role.is_open
        assert local.store.roles["role06"].marks.touched is None
        found = await local.call("search", query='"for the quokka"')
        assert [one["id"] for one in found["hits"]] == ["tea"]
        assert (await local.call("search", query='"kiln of role06"'))["hits"] == []

    with_store(many, work, cache=tmp_path / "own-cache")


def test_a_change_of_a_closed_role_is_told_without_opening_it(many: Folder) -> None:
    async def work(local: Local) -> None:
        told: list[dict[str, Any]] = []
        local.store.happenings.listeners.append(told.append)
        save(many, "role06", [record("role06", 0)])
        await local.call("status")
        async with asyncio.timeout(30):
            while not told:
                await asyncio.sleep(0.01)
        assert told == [{"topic": "memory", "role": "role06", "ids": [], "more": True}]
        assert opened(local.store) == []

    with_store(many, work)


def test_a_closed_role_whose_file_breaks_is_rejected_until_it_is_mended(many: Folder) -> None:
    async def work(local: Local) -> None:
        many.file("role04").write_text("{ broken", "utf-8")
        with pytest.raises(RoleRejectedError):
            await local.call("trigger", role="role04", message="kiln", now=NOW)
        assert any("role04" in one for one in (await local.call("status"))["rejected"])
        save(many, "role04", [record("role04", 0)])
        found = await local.call("trigger", role="role04", message="role04", now=NOW)
        assert [one["id"] for one in found["activated"]] == ["role04-0"]

    with_store(many, work)


def test_a_directory_that_went_empties_no_role(many: Folder) -> None:
    async def work(local: Local) -> None:
        store, role = local.store, local.store.roles["role08"]
        folder, away = many.path / "roles/role08", many.path.parent / "away"
        folder.rename(away)
        async with role.turn:
            with pytest.raises(RoleRejectedError):
                await store.refresh(role)
        away.rename(folder)
        async with role.turn:
            await store.refresh(role)
        assert len(role.compiled.memories) == 5

    with_store(many, work)


def test_a_closed_role_whose_directory_goes_is_not_opened_for_it(many: Folder) -> None:
    async def work(local: Local) -> None:
        gone = local.store.roles["role07"]
        (many.path / "roles/role07").rename(many.path.parent / "away")
        await local.call("role.list")
        assert "role07" not in local.store.roles
        assert not gone.is_open

    with_store(many, work)


def test_recovery_takes_no_memory_of_a_closed_role_for_lost(many: Folder) -> None:
    async def remember(local: Local) -> None:
        await local.call("remember", role="role07", content="The heron stands in the canal.", explicit=True)

    async def recover(local: Local) -> list[dict[str, Any]]:
        assert opened(local.store) == []
        assert local.store.writer.records()
        return list((await recoverable(local.store))["dropped"])

    with_store(many, remember)
    later = Clock(later_s=60.0)  # what was written a moment ago is guarded still
    assert with_store(many, recover, clock=later) == []
    save(many, "role07", [])
    assert [one["role"] for one in with_store(many, recover, clock=later)] == ["role07"]


@pytest.fixture
def daemon(many: Folder, short_dir: Path) -> Iterator[Daemon]:
    made = Daemon(many, short_dir / "s")
    made.start()
    yield made
    made.stop()


def test_a_daemon_follows_closed_roles_and_a_kill_costs_nothing(daemon: Daemon) -> None:
    folder = daemon.folder

    def listed() -> dict[str, int]:
        return {one["name"]: one["memories"] for one in daemon.call("role.list")["roles"]}

    assert listed() == dict.fromkeys(NAMES, 5)
    save(folder, "role10", [record("role10", 0), {"id": "tea", "content": "Marmalade for the quokka."}])
    until(lambda: listed()["role10"] == 2, 30, "the change of a closed role is known")
    assert [one["id"] for one in daemon.call("search", query="quokka")["hits"]] == ["tea"]
    told = {one: f"Jasmine tea is what {one} drinks at breakfast. 早饭喝茉莉花茶。" for one in NAMES}
    made = {one: daemon.call("remember", role=one, content=text, explicit=True)["id"] for one, text in told.items()}
    daemon.kill()
    daemon.start()
    for name, memory_id in made.items():
        assert daemon.call("memory.get", role=name, id=memory_id)["content"] == told[name]
    assert listed() == {name: 3 if name == "role10" else 6 for name in NAMES}
    until(lambda: daemon.call("status")["log"]["waiting"] == 0, 30, "all is in the files")
    assert [len(folder.records(name)) for name in NAMES] == [listed()[name] for name in NAMES]
