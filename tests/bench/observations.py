"""What comes to mind in ordinary talk: LoCoMo's own observations as the memories of one role, its turns and questions as messages.

    python -m tests.bench.observations FILE...
    python -m tests.bench.observations tools/training/sets/observed_*.jsonl

Of each conversation every observation is a memory without keys; evenly chosen turns (those of real people talking to each
other) and questions go to `trigger`. Needed are the observations whose evidence is the question's. With the packaged
model, and by words alone. LoCoMo is CC BY-NC: it is measured with and not shipped (github.com/snap-research/locomo).
Files of lines are roles of our own of the same kind, each message with what it wants.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from memd.config import place_of
from memd.daemon import Local, local

TURNS, QUESTIONS = 120, 200
TRIES = 600  # a second apart, for vectors on a busy machine
NOW_MS = 1_780_000_000_000
GOALS = {
    "injected an ordinary turn": "<= 1.0 (goal 0.5)",
    "needed found": ">= .56 (goal .65)",
    "precision": ">= .32 (goal .50)",
}


@dataclass
class Figures:
    """What came, of what was needed."""

    turns: int = 0
    injected: int = 0
    needed: int = 0
    found: int = 0
    came: int = 0

    def rows(self) -> dict[str, float]:
        """Return the three figures by their names."""
        return {
            "injected an ordinary turn": self.injected / max(1, self.turns),
            "needed found": self.found / max(1, self.needed),
            "precision": self.found / max(1, self.came),
        }


def observations_of(conversation: dict[str, Any]) -> list[tuple[str, frozenset[str], float]]:
    """The observations with the turns that prove them, and when they were made."""
    found = []
    for name, people in conversation["observation"].items():
        session = name.removesuffix("_observation")
        stamp = conversation["conversation"][f"{session}_date_time"]
        made_s = datetime.strptime(stamp, "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC).timestamp()
        for rows in people.values():
            for text, proof in rows:
                turns = frozenset(re.findall(r"D\d+:\d+", str(proof)))
                found.append((text, turns, made_s))
    return found


def turns_of(conversation: dict[str, Any]) -> list[str]:
    """What was said, in order."""
    said = conversation["conversation"]
    return [turn["text"] for number in range(1, 200) for turn in said.get(f"session_{number}", [])]


def spread(items: Sequence[Any], count: int) -> list[Any]:
    """Some of many, evenly."""
    return list(items) if len(items) <= count else [items[at * len(items) // count] for at in range(count)]


async def embedded(service: Local, role: str) -> None:
    """Wait until every memory of a role has a vector: on a busy machine words alone would be measured instead."""
    for _ in range(TRIES):
        await service.call("trigger", role=role, message="Is anybody there?")
        embedder = (await service.call("status"))["embedder"]
        if embedder["state"] == "off" or not (embedder["behind"] or embedder["why"]):
            return
        await asyncio.sleep(1.0)
    sys.exit(f"there are no vectors: {embedder}")


async def _came(service: Local, **asked: object) -> set[str]:
    """The memories that a trigger brings, with all that meaning says."""
    reply = await service.call("trigger", **asked)
    if any("words alone" in one for one in reply.get("notes", ())):
        sys.exit(str(reply["notes"]))
    return {one["id"] for one in reply["activated"]}


async def measure(conversations: Sequence[dict[str, Any]], embedder: str) -> Figures:
    """Ask every conversation."""
    figures = Figures()
    os.environ["MEMD_EMBEDDINGS"] = embedder
    with tempfile.TemporaryDirectory(prefix="memd-observations") as folder:
        path = Path(folder) / "memory"
        path.mkdir()
        (path / "memd.toml").write_text("", "utf-8")
        known = []
        for number, conversation in enumerate(conversations):
            observed = observations_of(conversation)
            rows = [
                {"id": f"o{at}", "content": text, "timestamp": int(made_s * 1000)}
                for at, (text, _, made_s) in enumerate(observed)
            ]
            role = path / "roles" / f"talk-{number}"
            role.mkdir(parents=True)
            (role / "memory.json").write_text(
                json.dumps({"characterUuid": "", "episodic": [], "semantic": rows, "traits": [], "goals": []}), "utf-8"
            )
            known.append(observed)
        async with local(place_of(str(path)), writes=False) as service:
            for number, (conversation, observed) in enumerate(zip(conversations, known, strict=True)):
                now = max(made_s for _, _, made_s in observed) + 86_400
                await embedded(service, f"talk-{number}")
                for text in spread(turns_of(conversation), TURNS):
                    figures.turns += 1
                    figures.injected += len(await _came(service, role=f"talk-{number}", message=text, now=now))
                proved = {turn for _, turns, _ in observed for turn in turns}
                asked = [
                    (one["question"], frozenset(re.findall(r"D\d+:\d+", " ".join(map(str, one.get("evidence", []))))))
                    for one in conversation["qa"]
                    if one["category"] != 5
                ]
                for question, proof in spread(
                    [one for one in asked if one[1] & proved], QUESTIONS // len(conversations)
                ):
                    came = await _came(service, role=f"talk-{number}", message=question, now=now)
                    needed = {f"o{at}" for at, (_, turns, _) in enumerate(observed) if turns & proof}
                    figures.needed += len(needed)
                    figures.found += len(came & needed)
                    figures.came += len(came)
    return figures


async def measure_own(roles: Sequence[dict[str, Any]], embedder: str) -> dict[str, tuple[float, float]]:
    """Return of each kind of message the share of what it wants that came, and how much else came with one."""
    os.environ["MEMD_EMBEDDINGS"] = embedder
    wanted, found, other, asked = Counter[str](), Counter[str](), Counter[str](), Counter[str]()
    with tempfile.TemporaryDirectory(prefix="memd-observed") as folder:
        path = Path(folder) / "memory"
        for role in roles:
            rows = [{"id": one["id"], "content": one["text"], "timestamp": NOW_MS} for one in role["memories"]]
            (path / "roles" / role["role"]).mkdir(parents=True)
            document = {"characterUuid": "", "episodic": [], "semantic": rows, "traits": [], "goals": []}
            (path / "roles" / role["role"] / "memory.json").write_text(json.dumps(document), "utf-8")
        (path / "memd.toml").write_text("", "utf-8")
        async with local(place_of(str(path)), writes=False) as service:
            for role in roles:
                await embedded(service, role["role"])
                for query in role["queries"]:
                    came = await _came(service, role=role["role"], message=query["text"], now=NOW_MS / 1000)
                    needed = set(query["relevant"])
                    kind = query["note"]
                    asked[kind] += 1
                    wanted[kind] += len(needed)
                    found[kind] += len(came & needed)
                    other[kind] += len(came - needed - set(query["maybe"]))
    return {one: (found[one] / max(1, wanted[one]), other[one] / asked[one]) for one in sorted(asked)}


def main(files: Sequence[str]) -> None:
    """Print the figures of both ways beside the goals."""
    if own := [one for one in files if one.endswith(".jsonl")]:
        roles = [json.loads(line) for name in own for line in Path(name).read_text("utf-8").splitlines()]
        for embedder in ("packaged", "none"):
            print(
                f"{len(roles)} roles of what was observed, {embedder}: found of what is wanted; what else came a message"
            )
            for kind, (share, more) in asyncio.run(measure_own(roles, embedder)).items():
                print(f"  {kind:8} {share:.2f}   {more:.2f}")
        return
    conversations = [one for name in files for one in json.loads(Path(name).read_text("utf-8"))]
    columns = {embedder: asyncio.run(measure(conversations, embedder)).rows() for embedder in ("packaged", "none")}
    print(f"LoCoMo observations, {len(conversations)} conversations: packaged model; words alone")
    for name, goal in GOALS.items():
        print(f"  {name:28} {columns['packaged'][name]:.2f}   {columns['none'][name]:.2f}   {goal}")


if __name__ == "__main__":
    main(sys.argv[1:])
