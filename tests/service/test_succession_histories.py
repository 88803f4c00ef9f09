"""Random histories of superseding and its undoing: what is served is what a fresh reader makes of the files alone."""

from __future__ import annotations

import asyncio
import json
import shutil
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memd.config import place_of
from memd.daemon import Local, local
from memd.errors import MemdError
from memd.formats.times import to_seconds
from memd.text.clauses import clauses, rest_of
from tests.support import Folder, examples

Record = dict[str, Any]
PLACES = ("Porto", "Lisbon", "Faro", "福州")
TEXTS = (
    *(f"User lives in {one} and works at Siemens." for one in PLACES),
    *(f"User moved to {one}." for one in PLACES),
    "User works at Bosch now.", "我住在厦门，对花生过敏。", "我搬到上海了。", "The kiln is fired on Friday.",
)  # fmt: skip

which = st.integers(0, 5)
steps = st.one_of(
    st.tuples(st.just("remember"), st.integers(0, len(TEXTS) - 1), which),
    st.tuples(st.just("link"), which, which),
    st.tuples(st.just("cover"), which, which),
    st.tuples(st.sampled_from(["forget", "erase", "restore", "undo", "disable", "enable", "edit"]), which, which),
    st.tuples(st.sampled_from(["expire", "prolong", "wait"]), which, which),
)


def standing(records: list[Record], now_s: float) -> dict[str, str]:
    """What a reader makes of a memory.json by the rules of docs/workspace.md: what holds of each memory, "" of none."""
    known = {one["id"]: one for one in records}
    live = {
        one["id"]
        for one in records
        if not one.get("disabled") and (one.get("expiresAt") is None or (to_seconds(one["expiresAt"]) or 0) > now_s)
    }
    named = {
        one: {other for other in known[one].get("supersedes", []) if other != one} if one in live else set()
        for one in known
    }

    def leads(start: str, goal: str) -> bool:
        seen: set[str] = set()
        waiting = [start]
        while waiting:
            one = waiting.pop()
            if one == goal:
                return True
            if one not in seen:
                seen.add(one)
                waiting += named.get(one, ())
        return False

    found = {}
    for one, record in known.items():
        content = record["content"]
        takers = [known[other] for other in live if one in named[other] and not leads(one, other)]
        if any(not other.get("covers") for other in takers):
            found[one] = ""
            continue
        found[one] = rest_of(content, {digest for other in takers for digest in other["covers"]})
    return found


class History:
    """One workspace under way, with a clock of its own."""

    def __init__(self, service: Local) -> None:
        self.service = service
        self.ids: list[str] = []
        self.ports = service.store.ports
        self.ahead_s = 0.0
        service.store.ports = replace(self.ports, now=self.now)

    def now(self) -> float:
        return self.ports.now() + self.ahead_s

    async def call(self, method: str, **given: Any) -> Record:
        try:
            return await self.service.call(method, role="main", **given)
        except MemdError:
            return {}

    async def step(self, what: str, one: int, other: int) -> None:
        if what == "remember":
            reply = await self.call("remember", content=TEXTS[one], explicit=True)
            if reply.get("stored") and reply["id"] not in self.ids:
                self.ids.append(reply["id"])
            return
        if what == "wait":
            self.ahead_s += 3600
            return
        if not self.ids:
            return
        memory, peer = self.ids[one % len(self.ids)], self.ids[other % len(self.ids)]
        given: Record = {"id": memory}
        if what in ("link", "cover"):
            given |= {"to": peer, "relation": "supersedes"}
            if what == "cover":
                shown = await self.call("memory.get", id=peer)
                given["covers"] = [one.digest for one in clauses(shown.get("content", "x"))][:1]
        changes: dict[str, Record] = {
            "disable": {"disabled": True}, "enable": {"disabled": None}, "edit": {"content": TEXTS[other]},
            "expire": {"expires_at": self.now() + 1800}, "prolong": {"expires_at": None},
        }  # fmt: skip
        method = {"link": "link", "cover": "link", "erase": "forget"}.get(what, "update" if what in changes else what)
        reply = await self.call(
            f"memory.{method}", **given, **changes.get(what, {}), **({"erase": True} if what == "erase" else {})
        )
        self.ids += [reply["stored"]] if isinstance(reply.get("stored"), str) else []

    async def served(self) -> dict[str, str]:
        listed = (await self.service.call("memory.list", role="main"))["memories"]
        return {one["id"]: "" if one.get("superseded_by") else one.get("holds", one["content"]) for one in listed}


async def run(folder: Folder, history: list[tuple[str, int, int]]) -> None:
    async with local(place_of(str(folder.path)), writes=True) as service:
        under_way = History(service)
        for step in history:
            await under_way.step(*step)
            await under_way.served()
        await service.store.writer.applier.finish(10.0)  # type: ignore[union-attr]
        told, now_s = await under_way.served(), under_way.now()
        assert told == standing(folder.records("main"), now_s), history
        role = service.store.roles["main"]
        for memory in role.compiled.memories.values():
            assert role.prints.find(memory.text), "what is compared is what holds"
            assert memory.as_written() == memory or memory.superseded_by or memory.holds or memory.rivals
    async with local(place_of(str(folder.path)), writes=False) as service:
        again = History(service)
        again.ahead_s = now_s - again.now()
        assert await again.served() == told, "and after a restart"


@settings(max_examples=examples(20), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(history=st.lists(steps, min_size=4, max_size=16))
def test_what_is_served_is_what_the_files_say(history: list[tuple[str, int, int]]) -> None:
    path = Path(tempfile.mkdtemp(prefix="memd-h"))
    try:
        folder = Folder.make(path / "memory", demo=False)
        empty = {"characterUuid": "main", "episodic": [], "semantic": [], "traits": [], "goals": []}
        folder.file("main").parent.mkdir(parents=True, exist_ok=True)
        folder.file("main").write_text(json.dumps(empty), "utf-8")
        asyncio.run(run(folder, [("remember", 0, 0), ("remember", 4, 0), *history]))
    finally:
        shutil.rmtree(path)
