"""What the conformance tests share: their cases, and a table of figures that is always shown."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent / "cases"
Show = Callable[[str, Sequence[str], Iterable[Sequence[Any]]], None]


@pytest.fixture
def cases(request: pytest.FixtureRequest) -> list[dict[str, Any]]:
    """The cases of a test's own file, or of the one given with --cases."""
    stem = request.path.stem.removeprefix("test_").replace("_", "-")
    path = Path(request.config.getoption("--cases") or HERE / f"{stem}.jsonl")
    return [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]


@pytest.fixture
def show(capsys: pytest.CaptureFixture[str]) -> Show:
    """Print a table past pytest's capture."""

    def print_table(title: str, head: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
        lines = [[str(cell) for cell in row] for row in (head, *rows)]
        widths = [max(len(line[column]) for line in lines) for column in range(len(head))]
        with capsys.disabled():
            print(f"\n{title}")
            for line in lines:
                print("  " + "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip())

    return print_table
