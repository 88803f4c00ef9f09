"""Conversations, and what of them is kept: the facts in words that stand by themselves, what replaces what, and what tempts."""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from memd.config import place_of
from memd.daemon import Local, local
from memd.engine.keep.talk.told import told_in
from memd.errors import MemdError
from memd.model.work.told import Told, Turn
from tests.conformance.asked import EMBEDDERS, PACKAGED, WORDS, write_role
from tests.conformance.conftest import Show
from tests.conformance.offered import begin
from tests.support import Folder

FLOORS = {
    PACKAGED: (0.58, 0.55, 0.25),
    WORDS: (0.55, 0.52, 0.20),
}  # kept or in the inbox; kept; superseded rightly (.45 is wanted)
STATEMENTS_A_FACT = {PACKAGED: 1.65, WORDS: 2.0}  # 1.6 is wanted
TEMPTED = {PACKAGED: 0.21, WORDS: 0.32}  # .08 is wanted


@dataclass(frozen=True)
class Taken:
    """A statement that was kept, or waits in the inbox. `superseded`: the ids that it took the place of, and they of others."""

    text: str
    turns: tuple[int, ...]
    kept: bool
    superseded: frozenset[str] = frozenset()


@dataclass
class Count:
    """What came of conversations."""

    facts: int = 0
    staged: int = 0
    kept: int = 0
    told: int = 0
    tempting: int = 0
    tempted: int = 0
    replacing: int = 0
    replaced: int = 0
    taken: int = 0
    why: Counter[str] = field(default_factory=Counter)
    of: Counter[str] = field(default_factory=Counter)


async def consolidated(service: Local, role: str, told: list[Told]) -> list[Taken]:
    """Take what a conversation tells into a role; return what of it was kept or waits."""
    taken = []
    replaced: dict[str, frozenset[str]] = {}
    for one in told:
        given = {"role": role, "content": one.text, "source": one.source, "session": role, "turn": one.turn}
        try:
            reply = await service.call("remember", **given, explicit=one.asked)
        except MemdError:
            continue  # a secret, or too long
        waits = "inbox" in reply or "conflict" in reply
        if reply["stored"] or waits:
            older = reply.get("supersedes", "")
            replaced[reply["id"]] = frozenset({older} - {""}) | replaced.get(older, frozenset())
            taken.append(Taken(reply.get("content", one.text), one.proof, reply["stored"], replaced[reply["id"]]))
    return taken


def turns_of(case: dict[str, Any]) -> list[Turn]:
    """The turns of a case, each with its time."""
    return [
        Turn(number, one["who"], one["text"], datetime.fromisoformat(one["at"]).timestamp())
        for number, one in enumerate(case["turns"], 1)
    ]


def counted(case: dict[str, Any], told: list[Told], taken: list[Taken], count: Count) -> None:
    """Count what came of one conversation."""
    for fact in case["keep"]:
        forms = [re.compile(one, re.IGNORECASE) for one in fact["must"]]
        found = [one for one in taken if all(form.search(one.text) for form in forms)]
        count.facts += 1
        count.told += any(all(form.search(one.text) for form in forms) for one in told)
        count.staged += bool(found)
        count.kept += any(one.kept for one in found)
        if fact["supersedes"]:
            count.replacing += 1
            count.replaced += any(fact["supersedes"] in one.superseded for one in found)
    count.taken += len(taken)
    for tempting in case["not"]:
        count.tempting += 1
        is_taken = any(tempting["turn"] == one.turns[-1] for one in taken)
        facts = [fact for fact in case["keep"] if fact["turn"] == tempting["turn"]]
        count.tempted += is_taken and not facts
        count.of[tempting["why"]] += 1
        count.why[tempting["why"]] += is_taken and not facts


async def _all(path: Path, cases: list[dict[str, Any]]) -> tuple[dict[str, Count], list[tuple[str, list[Taken]]]]:
    counts = {lang: Count() for lang in (*sorted({case["lang"] for case in cases}), "all")}
    everything = []
    async with local(place_of(str(path)), writes=True) as service:
        for number, case in enumerate(cases):
            now = datetime.fromisoformat(case["now"])
            told = told_in(turns_of(case), f"{now:%z}")
            taken = await consolidated(service, f"case-{number}", told)
            for lang in (case["lang"], "all"):
                counted(case, told, taken, counts[lang])
            everything.append((case["id"], taken))
    return counts, everything


@pytest.mark.parametrize("embedder", EMBEDDERS)
def test_what_is_told_in_a_conversation_is_kept_and_what_tempts_is_not(
    cases: list[dict[str, Any]], workspace: Folder, show: Show, embedder: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    begin(workspace, embedder, monkeypatch)
    for number, case in enumerate(cases):
        write_role(
            Path(workspace.path) / "roles" / f"case-{number}", [{"kind": "semantic", **one} for one in case["existing"]]
        )
    counts, _ = asyncio.run(_all(Path(workspace.path), cases))
    head = ("of", "facts", "told", "kept or inbox", "kept", "taken a fact", "tempting taken", "superseded rightly")
    show(f"Sessions, {embedder}", head, [row(lang, count) for lang, count in counts.items()])
    count = counts["all"]
    kinds = [(kind, taken, count.of[kind]) for kind, taken in count.why.most_common() if taken]
    show(f"Sessions, {embedder}: tempting turns that were taken, by kind", ("kind", "taken", "of"), kinds)
    staged, kept, replaced = FLOORS[embedder]
    assert count.staged >= staged * count.facts
    assert count.kept >= kept * count.facts
    assert count.taken <= STATEMENTS_A_FACT[embedder] * count.facts
    assert count.tempted <= TEMPTED[embedder] * count.tempting
    assert count.replaced >= replaced * count.replacing


def row(lang: str, count: Count) -> tuple[str, ...]:
    """Return a line of the table."""

    def share(some: int, of: int) -> str:
        return f"{some / of:.3f} ({some}/{of})" if of else "-"

    return (
        lang,
        str(count.facts),
        share(count.told, count.facts),
        share(count.staged, count.facts),
        share(count.kept, count.facts),
        f"{count.taken / max(1, count.facts):.2f}",
        share(count.tempted, count.tempting),
        share(count.replaced, count.replacing),
    )
