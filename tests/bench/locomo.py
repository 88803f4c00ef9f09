"""LoCoMo through memd's own verbs: recall at 5 and 10, MRR and nDCG at 10, by category of question.

    python -m tests.bench.locomo FILE...
    python -m tests.bench.locomo tools/training/sets/dialogue_*.jsonl

Each conversation is a role, each turn a memory that comes in by `import`, once with its speaker, session and number of its turn,
once with its text and time alone; the question goes to `search` in that role. The data is CC BY-NC: it is measured with and not shipped (github.com/snap-research/locomo).
Files of lines are conversations of our own in the same form.
"""

from __future__ import annotations

import asyncio
import json
import math
import re
import statistics
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from memd.config import place_of
from memd.daemon import Local, local
from tests.bench.observations import embedded
from tests.support import Folder

CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}
FIGURES = ("recall@5", "recall@10", "MRR", "nDCG@10")
DEPTH = 50
BATCH = 200  # rows that an import takes at once


class Question(NamedTuple):
    role: str
    text: str
    gold: frozenset[str]
    category: int


def rows_of(conversation: dict[str, Any], *, spoken: bool) -> list[dict[str, Any]]:
    """The turns of a conversation as rows of an import, a second apart within a session; `spoken`: with who says it where."""
    found: list[dict[str, Any]] = []
    for number in range(1, 200):
        for at, turn in enumerate(conversation.get(f"session_{number}", [])):
            stamp = conversation[f"session_{number}_date_time"]
            start = datetime.strptime(stamp, "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC).timestamp()
            text = f"{turn['text']} {turn.get('blip_caption', '')}".strip()
            record = {"id": turn["dia_id"], "content": text, "timestamp": int((start + at) * 1000)}
            beside = {"speaker": turn["speaker"], "session": f"session-{number}", "turn": at + 1} if spoken else {}
            found.append({"kind": "episodic", "record": record, **beside})
    return found


def questions_of(role: str, conversation: dict[str, Any], known: set[str]) -> Iterator[Question]:
    """The questions whose evidence is in the conversation; malformed ids are repaired."""
    for one in conversation["qa"]:
        gold = {
            key for text in one.get("evidence", []) for key in re.findall(r"D\d+:\d+", text.replace("D:", "D"))
        } & known
        if gold:
            yield Question(role, one["question"], frozenset(gold), one["category"])


def scored(ranked: list[str], gold: frozenset[str]) -> tuple[float, float, float, float]:
    """Recall at 5 and 10, reciprocal rank, nDCG at 10."""
    first = next((1 / at for at, one in enumerate(ranked, 1) if one in gold), 0.0)
    gained = sum(1 / math.log2(at + 1) for at, one in enumerate(ranked[:10], 1) if one in gold)
    ideal = sum(1 / math.log2(at + 1) for at in range(1, min(10, len(gold)) + 1))
    return len(set(ranked[:5]) & gold) / len(gold), len(set(ranked[:10]) & gold) / len(gold), first, gained / ideal


async def brought(service: Local, path: str, *, spoken: bool) -> list[Question]:
    """Take every conversation of a file into a role of its own; the questions about them."""
    questions: list[Question] = []
    text = Path(path).read_text("utf-8")
    for conversation in map(json.loads, text.splitlines()) if path.endswith(".jsonl") else json.loads(text):
        role = conversation["sample_id"]
        await service.call("role.create", name=role)
        rows = rows_of(conversation["conversation"], spoken=spoken)
        known: set[str] = set()
        for at in range(0, len(rows), BATCH):
            reply = await service.call("import", role=role, import_id=role, memories=rows[at : at + BATCH])
            known |= {one["id"] for one in reply["taken"]}
        questions += questions_of(role, conversation, known)
    return questions


async def ask(service: Local, questions: list[Question]) -> tuple[dict[str, list[tuple[float, ...]]], list[float]]:
    """Ask everything; the figures by category, and how long each answer took in ms."""
    figures: dict[str, list[tuple[float, ...]]] = defaultdict(list)
    took: list[float] = []
    for one in questions:
        query = re.sub(r"[^\w\s'’]", " ", one.text)
        started = time.perf_counter()
        reply = await service.call("search", query=query, role=one.role, limit=DEPTH)
        took.append((time.perf_counter() - started) * 1000)
        figure = scored([hit["id"] for hit in reply["hits"]], one.gold)
        for name in (CATEGORIES[one.category], "all five", *(("1 to 4",) if one.category < 5 else ())):
            figures[name].append(figure)
    return figures, took


async def measure(paths: list[str], *, spoken: bool) -> None:
    """Print the table of one kind of records."""
    with tempfile.TemporaryDirectory() as home:
        folder = Folder.make(Path(home) / "memory", demo=False)
        async with local(place_of(str(folder.path)), writes=True) as service:
            questions = [one for path in paths for one in await brought(service, path, spoken=spoken)]
            for role in dict.fromkeys(one.role for one in questions):
                await embedded(service, role)
            figures, took = await ask(service, questions)
    print("with speaker, session and turn" if spoken else "text and time alone")
    print(f"{'':14}{'questions':>10}" + "".join(f"{name:>11}" for name in FIGURES))
    for name in (*CATEGORIES.values(), "1 to 4", "all five"):
        if figures[name]:
            means = [statistics.fmean(one[at] for one in figures[name]) for at in range(4)]
            print(f"{name:14}{len(figures[name]):>10}" + "".join(f"{mean:>11.3f}" for mean in means))
    took.sort()
    print(f"a search p50 {took[len(took) // 2]:.1f} ms, p99 {took[len(took) * 99 // 100]:.1f} ms\n")


if __name__ == "__main__":
    if not sys.argv[1:]:
        sys.exit(__doc__)
    for kept in (True, False):
        asyncio.run(measure(sys.argv[1:], spoken=kept))
