"""What comes to mind in ordinary talk: LoCoMo's own observations as the memories of one role, its turns and questions as messages.

    python -m tests.bench.observations FILE...

Of each conversation every observation is a memory without keys; evenly chosen turns (those of real people talking to each
other) and questions go to `trigger`. Needed are the observations whose evidence is the question's. With the packaged
model, and by words alone. The data is CC BY-NC: it is measured with and not shipped (github.com/snap-research/locomo).
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from memd.config import place_of
from memd.daemon import local

TURNS, QUESTIONS = 120, 200
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
                for text in spread(turns_of(conversation), TURNS):
                    reply = await service.call("trigger", role=f"talk-{number}", message=text, now=now)
                    figures.turns += 1
                    figures.injected += len(reply["activated"])
                proved = {turn for _, turns, _ in observed for turn in turns}
                asked = [
                    (one["question"], frozenset(re.findall(r"D\d+:\d+", " ".join(map(str, one.get("evidence", []))))))
                    for one in conversation["qa"]
                    if one["category"] != 5
                ]
                for question, proof in spread(
                    [one for one in asked if one[1] & proved], QUESTIONS // len(conversations)
                ):
                    reply = await service.call("trigger", role=f"talk-{number}", message=question, now=now)
                    came = {one["id"] for one in reply["activated"]}
                    needed = {f"o{at}" for at, (_, turns, _) in enumerate(observed) if turns & proof}
                    figures.needed += len(needed)
                    figures.found += len(came & needed)
                    figures.came += len(came)
    return figures


def main(files: Sequence[str]) -> None:
    """Print the figures of both ways beside the goals."""
    conversations = [one for name in files for one in json.loads(Path(name).read_text("utf-8"))]
    columns = {embedder: asyncio.run(measure(conversations, embedder)).rows() for embedder in ("packaged", "none")}
    print(f"LoCoMo observations, {len(conversations)} conversations: packaged model; words alone")
    for name, goal in GOALS.items():
        print(f"  {name:28} {columns['packaged'][name]:.2f}   {columns['none'][name]:.2f}   {goal}")


if __name__ == "__main__":
    main(sys.argv[1:])
