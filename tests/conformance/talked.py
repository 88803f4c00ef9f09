"""Labelled conversations that become memories by consolidation: what of each was kept or waits, and what it took the place of."""

from __future__ import annotations

import asyncio
import json
import re
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from memd.config import place_of
from memd.daemon import Local, service_of
from memd.store.opening import open_workspace
from memd.store.ports import Ports
from tests.conformance.asked import write_role
from tests.conformance.conftest import Show
from tests.support import Folder

HEAD = ("of", "facts", "kept or inbox", "kept", "taken a fact", "tempting taken", "superseded rightly")


@dataclass(frozen=True)
class Taken:
    """A statement that was kept, or waits in the inbox. `superseded`: the memories that it took the place of, and they of others."""

    text: str
    turn: int
    kept: bool
    why: str = ""
    memory: str = ""
    superseded: frozenset[str] = frozenset()


@dataclass
class Count:
    """What came of conversations. `tempted`, `of`: of the tempting turns, by why they tempt."""

    facts: int = 0
    staged: int = 0
    kept: int = 0
    replacing: int = 0
    replaced: int = 0
    taken: int = 0
    tempted: Counter[str] = field(default_factory=Counter)
    of: Counter[str] = field(default_factory=Counter)

    def row(self, name: str) -> tuple[str, ...]:
        """Return a line of the table, by HEAD."""
        tempted = _share(self.tempted.total(), self.of.total())
        each = (_share(self.staged, self.facts), _share(self.kept, self.facts))
        return (
            name, str(self.facts), *each, f"{self.taken / max(1, self.facts):.2f}", tempted,
            _share(self.replaced, self.replacing),
        )  # fmt: skip


def _share(some: int, of: int) -> str:
    return f"{some / of:.3f} ({some}/{of})" if of else "-"


def consolidate_all(cases: Sequence[dict[str, Any]], workspace: Folder, embeddings: str) -> list[list[Taken]]:
    """Let every conversation be told to a role of its own, and consolidated at the level auto; return what was taken of each."""
    path = Path(workspace.path)
    for number, case in enumerate(cases):
        folder = path / "roles" / f"case-{number}"
        write_role(folder, [{"kind": "semantic", **one} for one in case["existing"]])
        zone = datetime.fromisoformat(case["now"]).strftime("%z")
        (folder / "role.toml").write_text(f'[trigger]\nzone = "{zone[:3]}:{zone[3:]}"\n', "utf-8")
    return asyncio.run(_all(path, cases, embeddings))


async def _all(path: Path, cases: Sequence[dict[str, Any]], embeddings: str) -> list[list[Taken]]:
    clock = _Clock()
    found: dict[int, list[Taken]] = {}
    async with _opened(path, clock, embeddings) as service:
        for number in sorted(range(len(cases)), key=lambda one: _second(cases[one]["turns"][0]["at"])):
            found[number] = await _consolidated(service, clock, f"case-{number}", cases[number])
    return [found[number] for number in range(len(cases))]


@asynccontextmanager
async def _opened(path: Path, clock: _Clock, embeddings: str) -> AsyncIterator[Local]:
    place = place_of(str(path))
    assert place.embeddings.where == embeddings
    ports = Ports(now=clock)
    holder = {"pid": 1, "what": "test"}
    store = await open_workspace(
        place.workspace, holder=holder, cache_dir=place.cache, state_dir=place.state, ports=ports
    )
    service = service_of(store, place, daemon=False)
    try:
        yield Local(store, service)
    finally:
        service.indexing.close()
        await store.close(deadline_s=5.0)


class _Clock:
    """Tells when the last turn was said: it only goes forward."""

    def __init__(self) -> None:
        self.now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


async def _consolidated(service: Local, clock: _Clock, role: str, case: dict[str, Any]) -> list[Taken]:
    taken: list[Taken] = []
    for session, turns in _sessions(case):
        clock.now_s = max(clock.now_s, _second(turns[-1][1]["at"]) + 1800)
        name = f"{role}-{session}"
        await service.call("session.open", session=name, role=role)
        events = [
            {"kind": "message", "speaker": one["who"], "content": one["text"], "at": one["at"]} for _, one in turns
        ]
        appended = (await service.call("session.append", session=name, events=events))["events"]
        reply = await service.call("consolidate.run", session=name)
        assert not reply["skipped"]
        numbers = {one["seq"]: number for one, (number, _) in zip(appended, turns, strict=True)}
        before = {one.memory: one.superseded for one in taken if one.memory}
        for one in (one for made in reply["passes"] for one in made["became"]):
            found = _taken(one, numbers, before)
            if found is not None:
                taken.append(found)
                before[found.memory] = found.superseded
    return taken


def _sessions(case: dict[str, Any]) -> Iterator[tuple[int, list[tuple[int, dict[str, Any]]]]]:
    """Yield the sessions of a case, each with the numbers of its turns in the case; a turn that names none is of the first."""
    turns = list(enumerate(case["turns"], 1))
    for session in sorted({one.get("session", 1) for _, one in turns}):
        yield session, [(number, one) for number, one in turns if one.get("session", 1) == session]


def _taken(one: dict[str, Any], numbers: dict[int, int], before: dict[str, frozenset[str]]) -> Taken | None:
    if one["fate"] not in ("kept", "staged"):
        return None
    older = one.get("supersedes", "")
    superseded = frozenset({older} - {""}) | before.get(older, frozenset())
    kept, memory = one["fate"] == "kept", one.get("memory", "")
    if memory in before:
        superseded |= before[memory]  # it was completed
    return Taken(one.get("text", ""), numbers[one["turn"]], kept, one.get("why", ""), memory, superseded)


def _second(at: str) -> float:
    return datetime.fromisoformat(at).timestamp()


def counted(case: dict[str, Any], taken: list[Taken], count: Count) -> None:
    """Count what came of one conversation. A fact `supersedes` a memory by its id, or what a turn told: "turn 3".

    What was corrected before it was kept is nothing that could be superseded: where nothing of that turn is kept, that is right.
    """
    made: dict[str, set[str]] = {}
    for one in taken:
        made.setdefault(f"turn {one.turn}", set()).add(one.memory)
    for fact in case["keep"]:
        found = found_for(fact, taken)
        count.facts += 1
        count.staged += bool(found)
        count.kept += any(one.kept for one in found)
        if fact["supersedes"]:
            older = made.get(fact["supersedes"], {fact["supersedes"]})
            count.replacing += 1
            corrected = fact["supersedes"].startswith("turn ") and fact["supersedes"] not in made
            count.replaced += any(corrected or older & one.superseded for one in found)
    count.taken += len(taken)
    for tempting in case["not"]:
        count.of[tempting["why"]] += 1
        count.tempted[tempting["why"]] += tempts(case, tempting["turn"], taken)


def found_for(fact: dict[str, Any], taken: Sequence[Taken]) -> list[Taken]:
    """Return what was taken that says a fact."""
    forms = [re.compile(one, re.IGNORECASE) for one in fact["must"]]
    return [one for one in taken if all(form.search(one.text) for form in forms)]


def tempts(case: dict[str, Any], turn: int, taken: Sequence[Taken]) -> bool:
    """Tell whether something was taken of a turn that has no fact."""
    return any(turn == one.turn for one in taken) and not any(fact["turn"] == turn for fact in case["keep"])


def told_of_talks(cases: Sequence[dict[str, Any]], found: Sequence[list[Taken]], show: Show, title: str) -> Count:
    """Print what came of conversations, by language, and the tempting turns by kind; return the count of all."""
    counts = {lang: Count() for lang in (*sorted({case["lang"] for case in cases}), "all")}
    for case, taken in zip(cases, found, strict=True):
        for lang in (case["lang"], "all"):
            counted(case, taken, counts[lang])
    show(title, HEAD, [count.row(lang) for lang, count in counts.items()])
    count = counts["all"]
    kinds = [(kind, taken, count.of[kind]) for kind, taken in count.tempted.most_common() if taken]
    show(f"{title}: tempting turns that were taken, by kind", ("kind", "taken", "of"), kinds)
    waiting = Counter(one.why for taken in found for one in taken if not one.kept)
    show(f"{title}: what waits in the inbox", ("why", "statements"), waiting.most_common())
    return count


def read_talks(*files: Path) -> list[dict[str, Any]]:
    """Return the conversations of files."""
    return [json.loads(line) for file in files for line in file.read_text("utf-8").splitlines() if line.strip()]
