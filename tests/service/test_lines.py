"""Lines come into the logs once each, whole, and in order, whatever a kill left there."""

from __future__ import annotations

from pathlib import Path

import pytest

from memd.model.change import Line
from memd.storage.files import Tree
from memd.store.writing.lines import append_lines

NAME = "sessions/2026-11/s.jsonl"
TEXTS = ('{"n":1,"say":"你好"}\n', '{"n":2}\n', '{"n":3}\n')
HEADER = "# Head\n"
WHOLE = (HEADER + "".join(TEXTS)).encode()


def lines() -> list[Line]:
    return [Line(NAME, text, HEADER) for text in TEXTS]


@pytest.mark.parametrize("cut", range(len(WHOLE) + 1))
def test_a_write_that_a_kill_tore_at_any_byte_is_made_whole(tmp_path: Path, cut: int) -> None:
    path = tmp_path / NAME
    path.parent.mkdir(parents=True)
    path.write_bytes(WHOLE[:cut])
    append_lines(Tree(str(tmp_path)), NAME, lines(), maybe_there=True)
    assert path.read_bytes() == WHOLE


def test_an_end_that_somebody_else_left_stays(tmp_path: Path) -> None:
    path = tmp_path / NAME
    path.parent.mkdir(parents=True)
    path.write_bytes(HEADER.encode() + b"a person's line")
    append_lines(Tree(str(tmp_path)), NAME, lines(), maybe_there=True)
    assert path.read_text("utf-8") == f"{HEADER}a person's line\n" + "".join(TEXTS)


def test_a_head_stands_once_at_the_beginning_and_every_line_once(tmp_path: Path) -> None:
    tree, path = Tree(str(tmp_path)), tmp_path / NAME
    first = append_lines(tree, NAME, lines()[:2], maybe_there=False)
    second = append_lines(tree, NAME, lines()[2:], maybe_there=False)
    assert path.read_bytes() == WHOLE
    assert (first.is_whole, first.before, second.is_whole, second.text) == (True, None, True, TEXTS[2])
    nothing = append_lines(tree, NAME, lines(), maybe_there=True)
    assert (path.read_bytes(), nothing.text, nothing.before) == (WHOLE, "", nothing.after)
