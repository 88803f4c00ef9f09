"""What agents keep beside memd is read statement by statement, each with its line."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memd.formats.foreign.agent_files import INDEX_NOTE, stated
from memd.formats.foreign.reading import read_foreign

MEMORY = """---
name: deploy-tool
description: how we deploy
metadata:
  type: project
---

We deploy the shop with Nomad.

**Why:** the last manual deploy lost orders.
"""
INSTRUCTIONS = """# Project
@docs/more.md

Run `make check` before every
commit.

## 规矩
- **缩进** 用四个空格。
  不用制表符。
1. 提交信息用中文写。
```sh
- not this
```
<!-- nor
- this -->
| a | b |
> nor a quote
* Tests come first.
"""


def test_a_statement_has_its_line_and_nothing_else_is_one() -> None:
    assert stated(INSTRUCTIONS, "CLAUDE.md") == [
        (4, "Run `make check` before every commit."),
        (8, "缩进 用四个空格。 不用制表符。"),
        (10, "提交信息用中文写。"),
        (18, "Tests come first."),
    ]


def test_a_memory_of_claude_code_says_one_thing_and_the_index_none() -> None:
    assert stated(MEMORY, "memory/deploy.md") == [(8, "We deploy the shop with Nomad.")]
    assert stated("# Memory\n\n- [Deploy](deploy.md) — how\n", "memory/MEMORY.md") == []


@pytest.mark.parametrize(
    ("name", "text", "form", "taken", "tags"),
    [
        ("deploy.md", MEMORY, "claude-memory", [MEMORY.partition("---\n\n")[2].strip()], ["project"]),
        ("deploy.md", MEMORY.replace("metadata:\n  type", "type"), "claude-memory", [MEMORY.partition("---\n\n")[2].strip()], ["project"]),
        ("GEMINI.md", "## Gemini Added Memories\n- 我对花生过敏。\r\n- I live in Oslo.\n", "instructions", ["我对花生过敏。", "I live in Oslo."], ["instructions"]),
        ("AGENTS.md", "Use tabs.\n", "instructions", ["Use tabs."], ["instructions"]),
        ("MEMORY.md", "- [Deploy](deploy.md) — how\n", "claude-memory", [], []),
        ("MEMORY.md", "# Memory\n\n- I live in Oslo.\n- **Key**: 在保险柜里。\n", "claude-memory", ["I live in Oslo.", "Key: 在保险柜里。"], None),
        ("MEMORY.md", "I live in Oslo.\n§\n- I use vim.", "hermes", ["I live in Oslo.", "- I use vim."], None),
        ("MEMORY.md", "I live in Oslo.\n§\nI use vim.", "hermes", ["I live in Oslo.", "I use vim."], None),
        ("notes.md", "- 2025/03/01 10:00 我住在杭州 #评分:9 #有效期:长期\n", "promptx", ["我住在杭州"], None),
    ],
)  # fmt: skip
def test_such_files_are_told_from_others_and_read(
    name: str, text: str, form: str, taken: list[str], tags: list[str] | None
) -> None:
    found = read_foreign(name, text.encode())
    assert (found.form, [one["content"] for _, one in found.memories]) == (form, taken)
    if tags is not None:
        assert all(one["tags"] == tags for _, one in found.memories)
        assert found.notes == ([] if taken else [INDEX_NOTE])


@given(st.text(alphabet="-*#`~<>!|@ \t\n1.ab甲", max_size=200))
def test_any_text_is_read_and_lines_are_those_of_the_file(text: str) -> None:
    lines = text.split("\n")
    for one in stated(text, "CLAUDE.md"):
        assert one.text.split()[0].strip("*_")[:1] in lines[one.line - 1]
