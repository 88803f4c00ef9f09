"""Tool calls that leaked as text are told from talk about tools and from data."""

from __future__ import annotations

from collections import Counter
from typing import Any

from memd.engine.work.toolcall import find_raw_call
from tests.conformance.conftest import Show

ACCURACY_FLOOR = 0.95


def test_leaked_calls_are_told_from_talk_about_them(cases: list[dict[str, Any]], show: Show) -> None:
    total: Counter[tuple[str, bool]] = Counter()
    right: Counter[tuple[str, bool]] = Counter()
    wrong = []
    for case in cases:
        kind = (case["lang"], case["raw_tool_call"])
        call = find_raw_call(case["text"])
        total[kind] += 1
        right[kind] += (call is not None) == case["raw_tool_call"]
        if (call is not None) != case["raw_tool_call"]:
            wrong.append((case["id"], call.form if call else "not found"))
    show(
        "Leaked tool calls",
        ("lang", "label", "right", "of"),
        [
            (lang, "call" if label else "no call", right[lang, label], total[lang, label])
            for lang, label in sorted(total)
        ],
    )
    accuracy = right.total() / max(1, total.total())
    show("Leaked tool calls, in all", ("accuracy", "wrong"), [(f"{accuracy:.3f}", wrong or "none")])
    assert accuracy >= ACCURACY_FLOOR
