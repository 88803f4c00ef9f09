"""Whole texts on their way into files that people change, or take away, meanwhile.

Each test is one thing that an editor does at one moment of a write, and what stands in the file in the end. The editor
acts at a call to the operating system, or between two writes.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import pytest

from memd.model.change import Put
from memd.storage.files import Tree
from memd.storage.system import System
from memd.store.recover import clear_known
from memd.store.writing.targets import HeldError
from memd.store.writing.text_files import TextFiles, clear_text_leftovers

HEAD = "# Memory\n\n"
ONE, TWO = f"{HEAD}- One. 一。\n", f"{HEAD}- One. 一。\n- Two. 二。\n"
TASK = 'state = "open"\ntitle = "Report"\nnote = ""\n'


class Acting(System):
    """A system at whose n-th call of one kind, from the moment it is told so, an editor acts first."""

    def __init__(self) -> None:
        self.plan: list[tuple[str, int, Callable[[], object]]] = []

    def at(self, call: str, number: int, act: Callable[[], object]) -> None:
        self.plan.append((call, number, act))

    def comes(self, call: str) -> None:
        self.plan, due = [], self.plan
        for name, number, act in due:
            if name != call:
                self.plan.append((name, number, act))
            elif number > 1:
                self.plan.append((name, number - 1, act))
            else:
                act()

    def open(self, name: str, flags: int, mode: int = 0o600, *, at: int | None = None) -> int:
        self.comes(f"open {name}")
        return super().open(name, flags, mode, at=at)

    def exchange(self, one: str, other: str, *, at: int) -> None:
        self.comes("exchange")
        super().exchange(one, other, at=at)
        self.comes("exchanged")

    def rename_new(self, one: str, other: str, *, at: int) -> None:
        self.comes("rename_new")
        super().rename_new(one, other, at=at)

    def is_open_elsewhere(self, handle: int) -> bool | None:
        self.comes("is_open_elsewhere")
        return super().is_open_elsewhere(handle)


class Editing:
    """One file in a directory, written by memd's own steps and by whoever holds `path`. Its clock goes with the looks."""

    def __init__(self, folder: Path, name: str, text: str | None) -> None:
        self.folder, self.name, self.path = folder, name, folder / name
        self.path.parent.mkdir(parents=True, exist_ok=True)
        if text is not None:
            self.path.write_bytes(text.encode())
        self.now_s = 0.0
        self.system = Acting()
        self.tree = Tree(str(folder), self.system)
        self.done: list[int] = []
        self.told: list[str] = []
        self.files = self.started()
        self.before = text
        self.number = 0

    def started(self) -> TextFiles:
        return TextFiles(self.tree, self.monotonic, self.written, lambda what: self.told.append(str(what["what"])))

    def written(self, name: str, number: int) -> None:
        assert name == self.name
        self.done += range(self.done[-1] + 1 if self.done else 1, number + 1)

    def monotonic(self) -> float:
        self.now_s += 0.02
        return self.now_s

    def put(self, after: str | None, before: str | None = "as last") -> Put:
        put = Put(self.name, self.before if before == "as last" else before, after)
        self.number += 1
        self.files.take(self.number, put)
        self.before = after
        return put

    def write(self) -> None:
        asyncio.run(self.files.write(self.name))

    def settle(self) -> None:
        """Look as often as memd does until nothing is left to answer."""
        for _ in range(100):
            if not self.files.has_work(self.name, closing=False):
                return
            self.write()
            self.now_s += 1
        raise AssertionError("there is always something left to answer")

    def save(self, text: str) -> None:
        """Save as an editor that writes another file and renames it."""
        swap = self.path.with_name(".swap")
        swap.write_bytes(text.encode())
        swap.replace(self.path)

    @property
    def text(self) -> str:
        return self.path.read_bytes().decode()

    @property
    def beside(self) -> list[str]:
        return sorted(one.name for one in self.path.parent.iterdir() if one != self.path and one.is_file())


@contextmanager
def editing(folder: Path, text: str | None = ONE, name: str = "MEMORY.md") -> Iterator[Editing]:
    made = Editing(folder, name, text)
    try:
        yield made
        assert not made.system.plan, "the editor never came to act"
    finally:
        made.tree.close()


def finish(file: BinaryIO, data: bytes) -> None:
    file.write(data)
    file.close()


@pytest.mark.parametrize("half", [0, len(HEAD) + 9, len(HEAD.encode()) + 10], ids=["empty", "half", "half a character"])
def test_an_editor_that_truncates_and_writes_is_waited_for(tmp_path: Path, half: int) -> None:
    theirs = f"{ONE}- Theirs.\n"
    with editing(tmp_path) as at:
        file = at.path.open("r+b", buffering=0)
        file.truncate(0)
        file.write(theirs.encode()[:half])
        at.system.at("open MEMORY.md", 8, lambda: finish(file, theirs.encode()[half:]))
        at.put(TWO)
        at.write()
        assert (at.text, at.done) == (f"{theirs}- Two. 二。\n", [1])
        at.settle()
        assert (at.text, at.beside) == (f"{theirs}- Two. 二。\n", [])


def test_an_editor_that_truncates_is_waited_for_also_where_the_file_was_never_seen_whole(tmp_path: Path) -> None:
    with editing(tmp_path, "") as at:
        file = at.path.open("r+b", buffering=0)
        at.system.at("open MEMORY.md", 8, lambda: finish(file, ONE.encode()))
        at.put("- Ours.\n")
        at.write()
        assert at.text == f"{ONE}- Ours.\n"


@pytest.mark.parametrize("half", [0, len(HEAD) + 9])
def test_what_an_editor_is_writing_when_it_is_exchanged_out_is_merged_when_it_is_whole(
    tmp_path: Path, half: int
) -> None:
    theirs = f"{ONE}- Theirs.\n"
    with editing(tmp_path) as at:
        files: list[BinaryIO] = []

        def truncate() -> None:
            files.append(at.path.open("r+b", buffering=0))
            files[0].truncate(0)
            files[0].write(theirs.encode()[:half])

        at.system.at("exchange", 1, truncate)
        at.put(TWO)
        at.write()
        assert (at.text, at.done) == (TWO, [1]), "ours does not wait for it"
        finish(files[0], theirs.encode()[half:])
        at.write()
        assert at.text == f"{TWO}- Theirs.\n"
        at.settle()
        assert at.beside == []


def test_what_an_editor_writes_by_an_old_handle_is_merged_however_late(tmp_path: Path) -> None:
    with editing(tmp_path) as at:
        file = at.path.open("r+b", buffering=0)
        at.put(TWO)
        at.write()
        for _ in range(20):
            at.now_s += 5
            at.write()
        file.truncate(0)
        finish(file, f"{ONE}- Theirs.\n".encode())
        at.settle()
        assert (at.text, at.beside) == (f"{TWO}- Theirs.\n", [])


def test_what_is_appended_by_a_handle_that_stays_open_is_merged_once_it_is_quiet(tmp_path: Path) -> None:
    with editing(tmp_path) as at:
        file = at.path.open("ab", buffering=0)
        at.put(TWO)
        at.write()
        file.write(b"- The first by it.\n")
        at.write()
        assert at.text == TWO, "it may be in the middle of writing"
        at.now_s += 3
        at.write()
        assert at.text == f"{TWO}- The first by it.\n"
        finish(file, b"- The second by it.\n")
        at.settle()
        assert (at.text, at.beside) == (f"{TWO}- The first by it.\n- The second by it.\n", [])


def test_what_is_appended_just_before_the_exchange_is_merged(tmp_path: Path) -> None:
    with editing(tmp_path) as at:
        at.system.at("exchange", 1, lambda: finish(at.path.open("ab"), b"- Theirs.\n"))
        at.put(TWO)
        at.write()
        assert sorted(at.text.splitlines()) == sorted(f"{TWO}- Theirs.\n".splitlines())
        at.settle()
        assert at.beside == []


@pytest.mark.parametrize("moment", ["open MEMORY.md", "exchange", "exchanged"])
@pytest.mark.parametrize("manner", ["unlinks", "renames"])
def test_an_editor_that_makes_the_file_anew_is_waited_for(tmp_path: Path, moment: str, manner: str) -> None:
    theirs = f"{ONE}- Theirs.\n"
    with editing(tmp_path) as at:
        aside = tmp_path / "MEMORY.md~"

        def go() -> None:
            at.path.rename(aside)
            if manner == "unlinks":
                aside.unlink()

        def come() -> None:
            handle = os.open(at.path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o644)
            with open(handle, "wb") as file:
                file.write(theirs.encode())
            aside.unlink(missing_ok=True)

        at.put(TWO)

        def begin() -> None:
            go()
            at.system.at("open MEMORY.md", 5, come)

        at.system.at(moment, 1, begin)
        at.write()
        at.settle()
        assert (at.text, at.beside) == (f"{theirs}- Two. 二。\n", [])


def test_an_outdated_save_takes_back_nothing_that_was_acknowledged(tmp_path: Path) -> None:
    with editing(tmp_path) as at:
        at.put(TWO)
        at.write()
        at.put(f"{TWO}- Three.\n")
        at.put(f"{TWO}- Three.\n- Four.\n")
        at.write()
        at.save(f"{TWO}- Theirs.\n")  # it knows of Two
        at.write()
        assert at.text == f"{TWO}- Theirs.\n- Three.\n- Four.\n"
        at.save(f"{ONE}- Theirs.\n- Theirs too.\n")  # and this of nothing, once more
        at.settle()
        entries = ["- Four.", "- One. 一。", "- Theirs too.", "- Theirs.", "- Three.", "- Two. 二。"]
        assert sorted(at.text.splitlines()[2:]) == entries
        assert at.told == ["reapplied_after_external_save"] * 2


def test_a_change_that_was_made_again_is_not_made_twice(tmp_path: Path) -> None:
    with editing(tmp_path) as at:
        at.put(TWO)
        at.write()
        for _ in range(3):
            at.save(f"{ONE}- Theirs.\n")
            at.write()
        at.settle()
        assert at.text == f"{ONE}- Theirs.\n- Two. 二。\n"


def test_a_save_brought_in_late_is_guarded_like_our_own_change(tmp_path: Path) -> None:
    with editing(tmp_path) as at:
        at.system.at("exchange", 1, lambda: at.save(f"{ONE}- Theirs.\n"))
        at.put(TWO)
        at.write()
        at.save(f"{TWO}- What was typed before the first save was back.\n")
        at.settle()
        for entry in ("- One. 一。", "- Two. 二。", "- Theirs.", "- What was typed before the first save was back."):
            assert at.text.splitlines().count(entry) == 1


def test_two_saves_that_take_out_the_same_lose_nothing_of_each_other(tmp_path: Path) -> None:
    old = "".join(f"- Old {number}.\n" for number in range(9))
    with editing(tmp_path, f"{ONE}{old}") as at:
        at.system.at("exchange", 1, lambda: at.save(f"{ONE}- Theirs.\n"))
        at.system.at("exchanged", 2, lambda: at.save(f"{TWO}- Made before the first save was back.\n"))
        at.put(f"{ONE}{old}- Two. 二。\n")
        at.settle()
        entries = ["- Made before the first save was back.", "- One. 一。", "- Theirs.", "- Two. 二。"]
        assert sorted(at.text.splitlines()[2:]) == entries


def test_saves_that_go_on_from_an_old_reading_take_nothing_out_that_was_brought_in_late(tmp_path: Path) -> None:
    with editing(tmp_path) as at:
        at.system.at("exchange", 1, lambda: at.save(f"{ONE}- First.\n"))
        at.system.at("exchanged", 1, lambda: at.save(f"{TWO}- Second.\n"))
        at.system.at("exchange", 2, lambda: at.save(f"{TWO}- Second.\n- Third.\n- Fourth.\n"))
        at.system.at("exchanged", 3, lambda: at.save(f"{TWO}- Second.\n- Third.\n- Fourth.\n- Fifth.\n"))
        at.put(TWO)
        at.settle()
        entries = ["- Fifth.", "- First.", "- Fourth.", "- One. 一。", "- Second.", "- Third.", "- Two. 二。"]
        assert sorted(at.text.splitlines()[2:]) == entries


def test_what_a_person_took_out_stays_out_also_within_the_ten_seconds(tmp_path: Path) -> None:
    with editing(tmp_path, TWO) as at:
        at.put(f"{TWO}- Three.\n")
        at.write()
        at.save(f"{HEAD}- Two. 二。\n- Three.\n- Theirs.\n")
        at.settle()
        assert at.text == f"{HEAD}- Two. 二。\n- Three.\n- Theirs.\n"
        assert at.told == []


def test_a_person_may_take_back_what_they_wrote_themselves(tmp_path: Path) -> None:
    with editing(tmp_path) as at:
        at.put(TWO)
        at.write()
        at.save(f"{TWO}- Theirs.\n")
        at.write()
        at.save(TWO)
        at.settle()
        assert (at.text, at.told) == (TWO, [])


@pytest.mark.parametrize(("later_s", "stands"), [(8, f"{ONE}- Theirs.\n- Two. 二。\n"), (12, f"{ONE}- Theirs.\n")])
def test_what_is_older_than_ten_seconds_is_removed_by_who_saves_without_it(
    tmp_path: Path, later_s: float, stands: str
) -> None:
    with editing(tmp_path) as at:
        at.put(TWO)
        at.write()
        at.now_s += later_s
        at.save(f"{ONE}- Theirs.\n")
        at.settle()
        assert at.text == stands


def test_an_entry_that_was_moved_while_it_was_written_stands_once(tmp_path: Path) -> None:
    with editing(tmp_path) as at:
        put = at.put(TWO)
        at.write()
        at.save(f"{HEAD}- Two. 二。\n- One. 一。\n- Theirs.\n")
        at.files = at.started()  # as after a kill: the log says it again
        at.files.take(2, put)
        at.settle()
        assert at.text == f"{HEAD}- Two. 二。\n- One. 一。\n- Theirs.\n"


def test_a_chain_of_changes_of_which_the_file_has_some_is_brought_in_once(tmp_path: Path) -> None:
    three = f"{TWO}- Three.\n"
    with editing(tmp_path, f"{HEAD}- Theirs.\n- One. 一。\n- Two. 二。\n- Three.\n") as at:
        at.put(TWO, before=ONE)
        at.put(three)
        at.put(TWO)  # Three goes again
        at.put(f"{TWO}- Four.\n")
        at.settle()
        assert at.text == f"{HEAD}- Theirs.\n- One. 一。\n- Two. 二。\n- Four.\n"
        assert at.done == [1, 2, 3, 4]


def test_a_chain_of_changes_of_another_text_is_brought_in_once(tmp_path: Path) -> None:
    running, done = TASK.replace("open", "running"), TASK.replace("open", "done")
    with editing(tmp_path, f"{running}# Theirs.\n", "tasks/t.toml") as at:
        at.put(TASK, before=None)
        at.put(running)
        at.put(done)
        at.settle()
        assert (at.text, at.beside, at.done) == (f"{done}# Theirs.\n", [], [1, 2, 3])


def test_a_file_that_a_person_made_meanwhile_stands_and_ours_is_kept_beside_it(tmp_path: Path) -> None:
    with editing(tmp_path, 'title = "Another"\n', "tasks/t.toml") as at:
        at.put(TASK, before=None)
        at.settle()
        (copy,) = at.beside
        assert (at.text, (at.path.parent / copy).read_text("utf-8")) == ('title = "Another"\n', TASK)


def test_a_change_made_of_half_a_text_adds_what_it_added(tmp_path: Path) -> None:
    half = TWO[: len(TWO) - 4]
    with editing(tmp_path, f"{TWO}- Three.\n") as at:
        at.put(f"{half}\n- Ours.\n", before=half)
        at.settle()
        assert (at.text, at.beside) == (f"{TWO}- Three.\n- Ours.\n", [])


@pytest.mark.parametrize("before", [None, "", "\n"])
def test_what_was_added_to_a_file_that_was_missing_for_a_moment_stands_below_its_head(
    tmp_path: Path, before: str | None
) -> None:
    with editing(tmp_path, TWO) as at:
        at.put("- Ours.\n", before=before)
        at.put("- Ours.\n- Two. 二。\n- Ours too.\n  It goes on.\n")
        at.settle()
        assert (at.text, at.beside) == (f"{TWO}- Ours.\n- Ours too.\n  It goes on.\n", [])


def test_what_is_no_text_is_held_until_it_is_mended(tmp_path: Path) -> None:
    with editing(tmp_path) as at:
        broken = b"- \xff broken.\n"
        at.path.write_bytes(broken)
        at.put(TWO)
        with pytest.raises(HeldError, match="byte 2 is not UTF-8"):
            at.write()
        assert (at.path.read_bytes(), at.done) == (broken, [])
        at.save(f"{ONE}- Mended.\n")
        at.settle()
        assert (at.text, at.done) == (f"{ONE}- Mended.\n- Two. 二。\n", [1])


def test_what_is_no_text_goes_back_in_its_place_when_it_came_out(tmp_path: Path) -> None:
    with editing(tmp_path) as at:
        at.system.at("exchange", 1, lambda: at.path.write_bytes(b"- \xff broken.\n"))
        at.put(TWO)
        with pytest.raises(HeldError, match="UTF-8"):
            at.write()
        assert (at.path.read_bytes(), at.done) == (b"- \xff broken.\n", [])
        at.save(f"{ONE}- Mended.\n")
        at.settle()
        assert (at.text, at.beside) == (f"{ONE}- Mended.\n- Two. 二。\n", [])


def test_what_is_added_to_a_file_that_was_removed_stands_in_a_new_one(tmp_path: Path) -> None:
    with editing(tmp_path) as at:
        at.put(TWO)
        at.path.unlink()
        with pytest.raises(HeldError, match="an editor is saving it"):
            at.write()
        at.now_s += 6
        at.settle()
        assert (at.text, at.beside, at.done) == ("- Two. 二。\n", [], [1])


def test_a_file_that_is_empty_for_a_moment_of_a_long_row_of_saves_is_not_emptied(tmp_path: Path) -> None:
    with editing(tmp_path) as at:
        at.put(TWO)
        at.write()
        file = at.path.open("r+b", buffering=0)
        file.write(f"{TWO}- Theirs.\n".encode())
        at.put(f"{TWO}- Three. 三。\n")
        with pytest.raises(HeldError, match="an editor is saving it"):
            at.write()
        at.now_s += 6
        file.seek(0)
        file.truncate(0)
        at.system.at("open MEMORY.md", 3, lambda: finish(file, f"{ONE}- Theirs.\n- And more.\n".encode()))
        at.write()
        at.settle()
        assert sorted(at.text.splitlines()[2:]) == [
            "- And more.",
            "- One. 一。",
            "- Theirs.",
            "- Three. 三。",
            "- Two. 二。",
        ]


def test_a_file_that_a_person_emptied_stays_empty(tmp_path: Path) -> None:
    with editing(tmp_path) as at:
        at.put(TWO)
        at.write()
        at.save("")
        at.write()
        at.now_s += 6
        at.settle()
        assert (at.text, at.beside) == ("", [])


def test_what_a_person_emptied_and_wrote_anew_is_as_they_wrote_it(tmp_path: Path) -> None:
    with editing(tmp_path) as at:
        at.put(TWO)
        at.write()
        at.save("")
        at.write()
        at.now_s += 6
        at.write()
        at.save(f"{ONE}- Anew.\n")
        at.settle()
        assert (at.text, at.told) == (f"{ONE}- Anew.\n", [])


def test_another_file_that_a_person_removed_stays_removed_and_the_change_is_kept_beside_it(tmp_path: Path) -> None:
    with editing(tmp_path, TASK, "tasks/t.toml") as at:
        at.put(TASK.replace("open", "done"))
        at.path.unlink()
        at.now_s += 6
        with pytest.raises(HeldError):
            at.write()
        at.now_s += 6
        at.settle()
        (copy,) = at.beside
        assert (at.path.parent / copy).read_text("utf-8") == TASK.replace("open", "done")
        assert at.told == ["conflict"]


def test_what_was_to_go_and_was_changed_meanwhile_stays(tmp_path: Path) -> None:
    with editing(tmp_path, TASK, "tasks/t.toml") as at:
        at.put(None)
        at.save(f"{TASK}# Theirs.\n")
        at.settle()
        assert (at.text, at.beside) == (f"{TASK}# Theirs.\n", [])


def test_what_goes_while_it_is_saved_comes_back_with_the_save(tmp_path: Path) -> None:
    with editing(tmp_path, TASK, "tasks/t.toml") as at:
        at.put(None)
        at.system.at("rename_new", 1, lambda: at.save(f"{TASK}# Theirs.\n"))
        at.settle()
        assert (at.text, at.beside) == (f"{TASK}# Theirs.\n", [])


def test_what_goes_is_gone(tmp_path: Path) -> None:
    with editing(tmp_path, TASK, "tasks/t.toml") as at:
        at.put(None)
        at.settle()
        assert (at.path.exists(), at.beside) == (False, [])


def test_a_late_save_of_another_text_is_merged_by_line_or_kept_beside_it(tmp_path: Path) -> None:
    done = TASK.replace("open", "done")
    with editing(tmp_path, TASK, "tasks/t.toml") as at:
        file = at.path.open("r+b", buffering=0)
        at.put(done)
        at.write()
        file.truncate(0)
        file.write(TASK.replace('note = ""', 'note = "Theirs."').encode())
        at.now_s += 1
        at.write()
        assert at.text == done
        at.now_s += 3
        at.write()
        assert at.text == done.replace('note = ""', 'note = "Theirs."')
        file.seek(0)
        file.truncate(0)
        finish(file, TASK.replace("open", "halted").encode())
        at.settle()
        assert (at.text, at.told) == (done.replace('note = ""', 'note = "Theirs."'), ["conflict"])
        (copy,) = at.beside
        assert "halted" in (at.path.parent / copy).read_text("utf-8")


LEFT = ".MEMORY.md.0123456789ab.memd-tmp"


def test_a_save_that_a_kill_left_exchanged_out_is_merged(tmp_path: Path) -> None:
    with editing(tmp_path, f"{TWO}- Before.\n") as at:
        (tmp_path / LEFT).write_bytes(f"{ONE}- Before.\n- Theirs.\n".encode())
        assert clear_text_leftovers(at.tree, {ONE, TWO}) == []
        assert at.files.take_over([], [ONE, TWO]) == ["MEMORY.md"]
        at.settle()
        assert (sorted(at.text.splitlines()), at.beside) == (
            sorted(f"{TWO}- Before.\n- Theirs.\n".splitlines()), []
        )  # fmt: skip


def test_a_save_that_a_kill_left_takes_nothing_out(tmp_path: Path) -> None:
    with editing(tmp_path, f"{TWO}- Three.\n") as at:
        (tmp_path / LEFT).write_bytes(f"{HEAD}- Theirs.\n".encode())
        assert clear_text_leftovers(at.tree, {ONE, TWO}) == []
        assert at.files.take_over([], [ONE, TWO]) == ["MEMORY.md"]
        at.settle()
        assert sorted(at.text.splitlines()) == sorted(f"{TWO}- Three.\n- Theirs.\n".splitlines())
        assert at.beside == []


def test_another_text_that_a_kill_left_and_that_cannot_be_merged_is_kept_as_a_copy(tmp_path: Path) -> None:
    with editing(tmp_path, TASK, "tasks/t.toml") as at:
        (tmp_path / "tasks/.t.toml.0123456789ab.memd-tmp").write_text(TASK.replace("open", "halted"), "utf-8")
        (copy,) = clear_text_leftovers(at.tree, {TASK})
        assert (at.text, at.beside) == (TASK, [copy.removeprefix("tasks/")])
        assert (tmp_path / copy).read_text("utf-8") == TASK.replace("open", "halted")


def test_what_was_written_before_a_kill_is_guarded_after_it(tmp_path: Path) -> None:
    with editing(tmp_path) as at:
        put = at.put(TWO)
        at.write()
        at.files = at.started()
        assert at.files.take_over([put], []) == ["MEMORY.md"]
        at.save(f"{ONE}- Theirs.\n")
        at.settle()
        assert at.text == f"{ONE}- Theirs.\n- Two. 二。\n"


def test_a_leftover_of_known_text_stays_while_an_editor_has_it_open(tmp_path: Path) -> None:
    with editing(tmp_path, TWO) as at:
        (tmp_path / LEFT).write_bytes(ONE.encode())
        file = (tmp_path / LEFT).open("ab", buffering=0)
        assert clear_text_leftovers(at.tree, {ONE, TWO}) == []
        at.files.take_over([], [ONE, TWO])
        at.write()
        finish(file, b"- Theirs.\n")
        at.settle()
        assert (at.text, at.beside) == (f"{TWO}- Theirs.\n", [])


def test_a_leftover_that_an_editor_has_open_is_looked_after_with_the_next_write(tmp_path: Path) -> None:
    with editing(tmp_path, TWO) as at:
        (tmp_path / LEFT).write_bytes(f"{ONE}- Half".encode())
        file = (tmp_path / LEFT).open("ab", buffering=0)
        assert clear_text_leftovers(at.tree, {ONE, TWO}) == []
        at.put(f"{TWO}- Three.\n")
        at.write()
        assert (at.text, len(at.beside)) == (f"{TWO}- Three.\n", 1)
        finish(file, b" of it.\n")
        at.settle()
        assert sorted(at.text.splitlines()) == sorted(f"{TWO}- Three.\n- Half of it.\n".splitlines())
        assert at.beside == []


def test_what_was_read_and_only_read_by_others_is_nobodys_loss_after_a_kill(tmp_path: Path) -> None:
    with editing(tmp_path, TWO) as at:
        reader = at.path.open("rb")
        at.put(ONE)
        at.write()
        at.files = at.started()
        clear_known(at.tree)
        assert clear_text_leftovers(at.tree, set()) == []
        assert at.files.take_over([], []) == ["MEMORY.md"]
        at.write()
        reader.close()
        at.settle()
        assert (at.text, at.beside, at.told) == (ONE, [], []), "what was taken out does not come back"


def test_what_an_editor_writes_after_a_kill_to_what_was_read_is_merged(tmp_path: Path) -> None:
    with editing(tmp_path, ONE) as at:
        file = at.path.open("ab", buffering=0)
        at.put(TWO)
        at.write()
        at.files = at.started()
        clear_known(at.tree)
        assert clear_text_leftovers(at.tree, set()) == []
        at.files.take_over([], [])
        at.write()
        finish(file, b"- Theirs.\n")
        at.settle()
        assert (sorted(at.text.splitlines()), at.beside) == (sorted(f"{TWO}- Theirs.\n".splitlines()), [])


@pytest.mark.parametrize(
    "later", [f"{HEAD}- One. 一。\n- 2.\n", ONE, f"{TWO}- Three.\n"], ids=["replaced", "out", "in"]
)
def test_what_a_process_before_us_made_and_could_not_note_is_no_editors_save(tmp_path: Path, later: str) -> None:
    with editing(tmp_path) as at:
        done = at.put(TWO)
        at.write()
        at.files = at.started()
        at.files.take_over([done], [])
        at.path.write_bytes(later.encode())  # the kill came before it was noted
        at.put(later)
        at.put(f"{later}- Last.\n")
        at.write()
        at.settle()
        assert (at.text, at.beside, at.told) == (f"{later}- Last.\n", [], [])
