"""What every store promises: what is acknowledged is there, at once and after a new start, beside what others saved."""

from __future__ import annotations

import asyncio
import json
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, Protocol

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memd.errors import MemdError, RoleUnknownError
from memd.model.change import Change, Erasure, Line, Operation, Put
from memd.model.memory import Kind
from memd.store.opening import open_workspace
from memd.store.store import Store
from tests.contract.stores import HeldStore, Key
from tests.support import Folder, examples

ROLES, KINDS = ("main", "洛伊"), (Kind.SEMANTIC, Kind.EPISODIC)
OURS, THEIRS = (
    ("a", "b", "c"),
    ("x", "y"),
)  # a save that takes back what was just written is an outdated one: that has tests of its own
LOG, PAGE = "sessions/s.jsonl", "USER.md"


class AnyStore(Protocol):
    """What the contract asks of a store."""

    async def commit(self, *operations: Operation) -> None: ...
    async def save(self, role: str, kind: Kind, memory_id: str, record: dict[str, Any] | None) -> None: ...
    async def records(self, role: str) -> dict[Key, dict[str, Any]]: ...
    def text(self, name: str) -> str | None: ...
    async def lines(self, name: str) -> list[str]: ...
    async def again(self) -> None: ...
    async def close(self) -> None: ...


class OnDisk:
    """The real one, over a workspace on disk; a save by somebody else is a file exchanged under it."""

    def __init__(self, folder: Folder, store: Store) -> None:
        self.folder, self.store = folder, store

    @classmethod
    async def make(cls, path: Path) -> OnDisk:
        folder = Folder.make(path, demo=False)
        for role in ROLES:
            folder.file(role).parent.mkdir(parents=True, exist_ok=True)
            folder.file(role).write_text(json.dumps({kind.value: [] for kind in Kind}), "utf-8")
        return cls(folder, await _opened(path))

    async def commit(self, *operations: Operation) -> None:
        await self.store.commit(lambda _: operations, at_s=0.0)

    async def save(self, role: str, kind: Kind, memory_id: str, record: dict[str, Any] | None) -> None:
        await self._written()
        whole = self.folder.load(role)
        whole[kind.value] = [one for one in whole[kind.value] if one["id"] != memory_id]
        whole[kind.value] += [record] if record is not None else []
        beside = self.folder.path / "saved"
        beside.write_text(json.dumps(whole, ensure_ascii=False), "utf-8")
        beside.rename(self.folder.path / f"roles/{role}/memory.json")
        async with asyncio.timeout(60):  # it is taken in when memd's own look at the file is over
            while (await self.records(role)).get((kind, memory_id)) != record:
                await asyncio.sleep(0.005)

    async def records(self, role: str) -> dict[Key, dict[str, Any]]:
        held = await self.store.role(role)
        async with held.turn:
            await self.store.refresh(held)
            return {
                (one.kind, one.id): dict(raw)
                for one in held.compiled.memories.values()
                if (raw := held.raw(one.kind, one.id)) is not None
            }

    def text(self, name: str) -> str | None:
        return self.store.texts.read(self.store.tree, name)

    async def lines(self, name: str) -> list[str]:
        await self._written()
        path = self.folder.path / name
        return path.read_text("utf-8").splitlines(keepends=True) if path.exists() else []

    async def again(self) -> None:
        await self.store.close()
        self.store = await _opened(self.folder.path)

    async def close(self) -> None:
        await self.store.close()

    async def _written(self) -> None:
        """Wait until the files have what was acknowledged: a save after that is made of it."""
        async with asyncio.timeout(60):
            while self.store.writer.depth:
                await asyncio.sleep(0.005)


async def _opened(path: Path) -> Store:
    return await open_workspace(str(path), holder={"pid": 1, "what": "test"})


Work = Callable[[AnyStore], Awaitable[None]]


def over_each(work: Work) -> None:
    """Do the same with the real one and its twin."""

    async def do() -> None:
        with tempfile.TemporaryDirectory() as folder:
            for store in (HeldStore({role: {} for role in ROLES}), await OnDisk.make(Path(folder) / "memory")):
                try:
                    await work(store)
                finally:
                    await store.close()

    asyncio.run(do())


def memory(memory_id: str, content: str) -> dict[str, Any]:
    return {"id": memory_id, "content": content}


def put(memory_id: str, content: str, before: str | None = None, role: str = "main") -> Change:
    was = None if before is None else memory(memory_id, before)
    return Change(role, Kind.SEMANTIC, memory_id, was, memory(memory_id, content))


def test_what_is_acknowledged_is_served_at_once_and_after_a_new_start() -> None:
    async def work(store: AnyStore) -> None:
        await store.commit(put("a", "The kiln is fired on Mondays."), put("b", "苍鹭站在运河里。", role="洛伊"))
        await store.commit(put("a", "The kiln is fired on Fridays.", "The kiln is fired on Mondays."))
        for _ in range(2):
            assert await store.records("main") == {(Kind.SEMANTIC, "a"): memory("a", "The kiln is fired on Fridays.")}
            assert await store.records("洛伊") == {(Kind.SEMANTIC, "b"): memory("b", "苍鹭站在运河里。")}
            await store.again()

    over_each(work)


def test_a_batch_with_one_part_that_cannot_be_leaves_nothing_of_itself() -> None:
    async def work(store: AnyStore) -> None:
        with pytest.raises(RoleUnknownError):
            await store.commit(
                put("a", "One."), put("b", "Two.", role="nobody"), Put("notes/kiln.md", None, "Three.\n")
            )
        for _ in range(2):
            assert await store.records("main") == {}
            assert store.text("notes/kiln.md") is None
            await store.again()

    over_each(work)


def test_what_somebody_saved_stands_beside_what_was_acknowledged() -> None:
    async def work(store: AnyStore) -> None:
        await store.commit(put("a", "One."))
        await store.save("main", Kind.SEMANTIC, "b", memory("b", "Two, by hand."))
        await store.commit(put("c", "Three."))
        ids = {(Kind.SEMANTIC, one) for one in "abc"}
        for _ in range(2):
            assert (await store.records("main")).keys() == ids
            await store.again()
        await store.save("main", Kind.SEMANTIC, "a", None)
        assert (await store.records("main")).keys() == ids - {(Kind.SEMANTIC, "a")}

    over_each(work)


def test_what_was_erased_stays_away() -> None:
    async def work(store: AnyStore) -> None:
        await store.commit(put("a", "Do not tell."), put("b", "Tell."))
        await store.commit(Erasure("main", Kind.SEMANTIC, "a"))
        for _ in range(2):
            assert await store.records("main") == {(Kind.SEMANTIC, "b"): memory("b", "Tell.")}
            await store.again()

    over_each(work)


def test_lines_stand_once_in_the_order_of_their_acknowledgement_and_the_last_text_holds() -> None:
    async def work(store: AnyStore) -> None:
        said = [json.dumps({"w": "x", "n": n, "i": 0, "said": f"{n} 周"}, ensure_ascii=False) + "\n" for n in range(5)]
        for line in said[:4]:
            await store.commit(Line(LOG, line))
        await store.commit(Put(PAGE, store.text(PAGE), "- Tea.\n"))
        await store.commit(Put(PAGE, "- Tea.\n", "- Coffee.\n"), Line(LOG, said[4]))
        for _ in range(2):
            assert await store.lines(LOG) == said
            assert store.text(PAGE) == "- Coffee.\n"
            await store.again()

    over_each(work)


STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("commit"), st.sampled_from(ROLES), st.sampled_from(KINDS), st.sampled_from(OURS), st.integers(0, 9)),
        st.tuples(st.just("save"), st.sampled_from(ROLES), st.sampled_from(KINDS), st.sampled_from(THEIRS), st.integers(0, 9)),
        st.tuples(st.just("erase"), st.sampled_from(ROLES), st.sampled_from(KINDS), st.sampled_from(OURS), st.just(0)),
        st.tuples(st.just("again"), st.just("main"), st.just(Kind.SEMANTIC), st.just("a"), st.just(0)),
    ),
    max_size=12,
)  # fmt: skip


@settings(max_examples=examples(25), deadline=None, suppress_health_check=list(HealthCheck))
@given(STEPS)
def test_any_history_leaves_the_same_in_both(steps: list[tuple[str, str, Kind, str, int]]) -> None:
    async def through(store: AnyStore) -> list[Any]:
        seen: list[Any] = []
        for step, role, kind, memory_id, number in steps:
            held = await store.records(role)
            elsewhere = any(known == memory_id and other != kind for other, known in held)
            record = memory(memory_id, f"{number} 号 kiln") if number else None
            try:
                if step == "again":
                    await store.again()
                elif step == "commit" and not elsewhere:
                    await store.commit(Change(role, kind, memory_id, held.get((kind, memory_id)), record))
                elif step == "save" and not elsewhere:
                    await store.save(role, kind, memory_id, record)
                elif step == "erase" and (kind, memory_id) in held:
                    await store.commit(Erasure(role, kind, memory_id))
            except MemdError as error:
                seen.append(error.code)
            seen.append({role: await store.records(role) for role in ROLES})
        return seen

    found: list[list[Any]] = []

    async def work(store: AnyStore) -> None:
        found.append(await through(store))

    over_each(work)
    assert found[0] == found[1]
