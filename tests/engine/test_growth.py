"""What a scanner costs grows with the text and no faster, whatever is repeated in it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from types import ModuleType

import pytest

from memd.engine.keep.event.written import asked_times
from memd.engine.keep.guard import asking, calls, files, shell
from memd.engine.keep.relation import figures, numerals
from memd.engine.keep.scan import invisible, numbers, orders, secrets
from memd.engine.work import toolcall, toolcall_forms, toolcall_json
from memd.formats import curated, front_matter, role_memory
from memd.text import borders, statement_words, statements
from memd.text.times import read_times
from tests.growth import Scanner, units_of, worst
from tests.support import examples

CHARS, UNITS, MOST = 3000, 45, 3
SQUARE = 8.0  # 4 is linear, 16 is square
FLOOR_S = 0.02  # below, the clock tells nothing
GUARD = (asking, calls, files, shell)
CALLS = (toolcall, toolcall_forms, toolcall_json)
NOW = datetime(2026, 11, 22, tzinfo=UTC)


def call(tool: str, key: str, **beside: str) -> Callable[[str], object]:
    return lambda text: calls.rule_on_call(tool, {key: text, **beside}, lambda _: "")


SCANNERS: dict[str, tuple[Scanner, tuple[ModuleType, ...], tuple[str, ...]]] = {
    "unseen characters": (invisible.find_invisible, (invisible,), ("", "\u05d0")),
    "secrets": (secrets.find_secrets, (secrets, numbers), ("", "password ")),
    "numbers": (lambda text: list(numbers.find_numbers(text)), (numbers,), ("",)),
    "orders": (orders.order_features, (orders,), ("",)),
    "messages": (calls.rule_on_message, (asking,), ("", "remember ")),
    "shell": (call("Bash", "command"), GUARD, ("", "python -c '", "cat <<E >> MEMORY.md\n")),
    "code": (call("Write", "content", file_path="x.py"), GUARD, ('open("MEMORY.md","a").write("',)),
    "memory files": (call("Write", "content", file_path="MEMORY.md"), GUARD, ("",)),
    "memory.json": (call("Write", "content", file_path="roles/a/memory.json"), (files,), ("", '{"content": "')),
    "patches": (call("apply_patch", "input"), (files,), ("*** Begin Patch\n*** Update File: MEMORY.md\n+",)),
    "blocks": (call("Edit", "diff", path="MEMORY.md"), (files,), ("", "<<<<<\n")),
    "other memories": (call("mcp__mem0__add", "content"), (files, role_memory), ("",)),
    "tool calls": (toolcall.find_raw_call, CALLS, ("", "<tool_call>")),
    "front matter": (lambda text: front_matter.split(text, "a.md"), (front_matter,), ("---\n",)),
    "curated files": (curated.entries_of, (curated,), ("",)),
    "statements": (statements.statements.__wrapped__, (statements, borders, statement_words), ("",)),
    "figures": (figures.figured.__wrapped__, (figures, numerals), ("", "two ", "二")),
    "times": (lambda text: read_times(text, NOW), (), ("",)),
    "asked times": (lambda text: asked_times(text, NOW), (), ("Friday ", "Friday 节")),
}
KNOWN = ("'", "a'", "token=", '<tool_call>{"name": ', "eyJ-", "《", "春晚", "${a:", "#a ", "sudo ", "cd a;", "bash ", "a=1 ", "<<<<<\n")  # fmt: skip


@pytest.mark.slice
@pytest.mark.parametrize("name", SCANNERS)
def test_four_times_the_text_costs_about_four_times_as_much(name: str) -> None:
    scanner, modules, prefixes = SCANNERS[name]
    units = [*units_of(modules, examples(UNITS)), *KNOWN]
    found = worst(scanner, units, prefixes, CHARS, MOST)
    square = [one for one in found if one.seconds[1] > FLOOR_S and one.ratio > SQUARE]
    # A busy machine may have hit one measurement: what is square is so again.
    again = worst(scanner, [one.unit for one in square], ("",), CHARS, MOST) if square else []
    assert [one for one in again if one.seconds[1] > FLOOR_S and one.ratio > SQUARE] == []


def test_the_search_finds_what_is_square() -> None:
    def square(text: str) -> int:
        return sum(text.count("'", at) for at in range(0, len(text), 4) if text[at] == "'")

    found = worst(square, units_of((), 0), ("",), 12_000, 1)
    assert found[0].unit.startswith("'")
    assert found[0].ratio > SQUARE
