"""Evaluations observed from SillyTavern 1.18.0, replayed with its rules: activated, placed, timed, rolled alike."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

from memd.engine.recall.lore.entries import Lore
from memd.engine.recall.lore.evaluate import Scan, evaluate
from memd.engine.recall.lore.placing import place
from memd.formats.books import to_entry
from memd.model.lore import SILLYTAVERN, LoreSettings, Timers
from tests.conformance.conftest import Show

FLOOR = 1.0


def test_every_case_evaluates_as_it_was_observed(cases: list[dict[str, Any]], show: Show) -> None:
    right: Counter[str] = Counter()
    wrong = {case["id"]: why for case in cases if (why := difference(case))}
    right.update(case["feature"] for case in cases if case["id"] not in wrong)
    total = Counter(case["feature"] for case in cases)
    show("World Info, as SillyTavern", ("feature", "right", "of"), [(one, right[one], total[one]) for one in total])
    assert len(cases) - len(wrong) >= FLOOR * len(cases), dict(list(wrong.items())[:5])


def difference(case: dict[str, Any]) -> str:
    """Return how memd's evaluation differs from the observed one; empty where it does not."""
    given = case["settings"]
    settings = LoreSettings(
        scan_depth=given["depth"],
        recursive=given["recursive"],
        max_steps=given["max_recursion_steps"],
        min_activations=given["min_activations"],
        case_sensitive=given["case_sensitive"],
        whole_words=given["match_whole_words"],
        group_scoring=given["use_group_scoring"],
    )
    budget = math.floor(given["budget_percent"] * given["context"] / 100 + 0.5) or 1
    budget = min(budget, given["budget_cap"]) if given["budget_cap"] > 0 else budget
    lore = Lore(SILLYTAVERN, case_sensitive=settings.case_sensitive)
    lore.load(to_entry(entry, str(entry["uid"]), "book") for entry in case["entries"])
    timers = Timers()
    for number, step in enumerate(case["steps"]):
        rolls = iter(step["rolls"])
        scan = Scan(step["chat"][::-1], len(step["chat"]), lambda rolls=rolls: next(rolls), budget, timers=timers)  # type: ignore[misc]
        try:
            found = evaluate(lore, scan, settings)
        except StopIteration:
            return f"step {number}: more rolls were asked for"
        timers = found.timers
        placed = place(found.activated)
        got = {
            "rolls": list(rolls),
            "activated": sorted(int(one.entry.id) for one in found.activated),
            "before": "\n".join(placed.before),
            "after": "\n".join(placed.after),
            "at_depth": [{"depth": d, "role": role, "entries": texts} for (d, role), texts in placed.at_depth.items()],
        }
        for key, expected in {**{one: step[one] for one in got}, "rolls": []}.items():
            if got[key] != expected:
                return f"step {number}: {key} is {got[key]!r}, observed was {expected!r}"
    return ""
