"""What the conformance tests share: their cases, and a table of figures that is always shown."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest

from memd.storage.embedding import process
from tests.conformance import vectors

HERE = Path(__file__).parent / "cases"
Show = Callable[[str, Sequence[str], Iterable[Sequence[Any]]], None]


def read_cases(path: Path) -> list[dict[str, Any]]:
    """Return the cases of a file, one a line."""
    return [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]


_recorder = vectors.Recorder()


@pytest.fixture(autouse=True)
def _recorded(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """With --record, hear what is embedded."""
    if request.config.getoption("--record"):
        monkeypatch.setattr(process, "frame", _recorder.frame)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """With --record, keep what was heard."""
    if session.config.getoption("--record") and _recorder.heard:
        _recorder.write()


@pytest.fixture
def cases(request: pytest.FixtureRequest) -> list[dict[str, Any]]:
    """The cases of a test's own file, or of the one given with --cases."""
    stem = request.path.stem.removeprefix("test_").replace("_", "-")
    path = Path(request.config.getoption("--cases") or HERE / f"{stem}.jsonl")
    return read_cases(path)


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
