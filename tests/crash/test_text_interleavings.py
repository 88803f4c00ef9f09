"""An editor acts between any two of memd's calls to the operating system: nothing is lost, and nothing is doubled.

The editor saves again and again, in one manner after another, a step at a time; how many of memd's calls come before each
step is drawn. Every save adds an entry, some take one out that had stood there long; memd adds entries of its own, made of
whatever it reads at that moment, half a file too. In the end, when both are done:

- each entry that memd has added and each that the editor has saved stands in the file once;
- what the editor took out is gone;
- there is no conflict copy and no temporary.

After a kill at any call the same holds, but that a save which had just been exchanged out takes nothing out any more.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from memd.formats.curated import Edit, edited
from memd.storage.system import System
from memd.store.writing.targets import HeldError
from memd.store.writing.text_files import clear_text_leftovers
from tests.service.test_text_files import HEAD, Editing

OLD = ["- 厦门的旧事", "- qwertyuiop", "- 1234567890", "- ΑΒΓΔΕΖΗΘ"]
ADDED = [f"- {letter * 9}" for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"]
SAVED = [f"- {letter * 9}" for letter in "vwxyz"]
START = HEAD + "".join(f"{one}\n" for one in OLD)
MANNERS = ("atomic", "truncating", "vim", "excl", "append", "late")


class Killed(BaseException):
    """The process is gone in the middle of a call."""


class Between(System):
    """Before every call the editor may take a step; the n-th call from now may be the last."""

    def __init__(self) -> None:
        self.before: Callable[[], None] = lambda: None
        self.lives = -1

    def call(self, name: str, *args: Any, **kwargs: Any) -> Any:
        self.before()
        if self.lives == 0:
            raise Killed
        self.lives -= 1
        return getattr(System, name)(self, *args, **kwargs)


def _wrapped(name: str) -> Callable[..., Any]:
    return lambda self, *args, **kwargs: self.call(name, *args, **kwargs)


for _name in (
    "open",
    "read",
    "write",
    "sync",
    "fstat",
    "stat",
    "exchange",
    "rename_new",
    "rename",
    "unlink",
    "is_open_elsewhere",
):
    setattr(Between, _name, _wrapped(_name))


def saving(path: Path, manner: str, entry: str, removed: str, cut: int) -> Iterator[None]:
    """One save of an editor, a step at a time."""
    line = f"{entry}\n".encode()
    if manner == "append":
        with path.open("ab", buffering=0) as file:
            yield
            yield from _written(file.write, line, cut)
        return
    if manner == "late":
        with path.open("r+b", buffering=0) as file:
            data = _changed(file.read(), line, removed)
            for _ in range(6):
                yield
            file.seek(0)
            file.truncate(0)
            yield
            yield from _written(file.write, data, cut)
        return
    data = _changed(path.read_bytes(), line, removed)
    yield
    if manner == "atomic":
        swap = path.with_name("MEMORY.swap")
        swap.write_bytes(data)
        yield
        swap.replace(path)
        return
    if manner == "truncating":
        handle = os.open(path, os.O_RDWR)
        os.ftruncate(handle, 0)
    else:
        aside = path.with_name("MEMORY.md~")
        path.rename(aside)
        if manner == "excl":
            aside.unlink()
        yield
        if manner == "excl" and path.exists():
            path.unlink()  # a file that was never seen with a text may be made anew: the person is told, and saves again
        handle = os.open(path, os.O_CREAT | os.O_WRONLY | (os.O_EXCL if manner == "excl" else os.O_TRUNC), 0o644)
    with open(handle, "wb", buffering=0) as file:
        yield
        yield from _written(file.write, data, cut)
    path.with_name("MEMORY.md~").unlink(missing_ok=True)


def _changed(data: bytes, line: bytes, removed: str) -> bytes:
    return data.replace(f"{removed}\n".encode(), b"") + line if removed else data + line


def _written(write: Callable[[bytes], object], data: bytes, cut: int) -> Iterator[None]:
    at = len(data) * cut // 4
    write(data[:at])
    yield
    write(data[at:])
    yield


class Run:
    """One run: the editor's steps, and what memd adds meanwhile."""

    def __init__(self, folder: Path, saves: list[tuple[str, int, int]], gaps: list[int]) -> None:
        self.at = Editing(folder, "MEMORY.md", START)
        self.system = Between()
        self.at.tree.system = self.system
        self.system.before = self.call
        self.gaps, self.left = iter(gaps), 0
        self.saves = [
            (manner, SAVED[number], OLD[old] if old < len(OLD) else "", cut)
            for number, (manner, old, cut) in enumerate(saves)
        ]
        self.steps = self.editing()
        self.acting = self.over = False
        self.known: set[str] = {START}
        self.queued: dict[int, Any] = {}

    def editing(self) -> Iterator[None]:
        for manner, entry, removed, cut in self.saves:
            yield from saving(self.at.path, manner, entry, removed, cut)
            yield

    def call(self) -> None:
        if self.left > 0:
            self.left -= 1
            return
        self.left = next(self.gaps, 0)
        self.step()

    def step(self) -> None:
        if not self.acting:
            self.acting = True
            self.over = next(self.steps, "over") == "over"
            self.acting = False

    def add(self, number: int) -> None:
        """Add an entry to what is queued, or else to what is read just now: half a file, or none."""
        queue = self.at.files.queues.get("MEMORY.md")
        try:
            before = queue[-1][1].after if queue else self.at.text
        except FileNotFoundError:
            before = None
        except UnicodeDecodeError:
            return self.add_after_a_step(number)
        put = self.at.put(edited(before or "", "MEMORY.md", [Edit("add", ADDED[number])]), before=before)
        self.queued[self.at.number] = put
        self.known |= {one for one in (put.before, put.after) if one}
        return None

    def add_after_a_step(self, number: int) -> None:
        self.step()
        self.add(number)

    def write(self) -> None:
        try:
            self.at.write()
        except HeldError:
            self.at.now_s += 0.5

    def start_again(self) -> None:
        """Start as after a kill: the log has every change, and has not heard of the last one that is in the file."""
        self.system.lives = -1
        done = sorted(self.at.done)[:-1]
        self.at.done = done
        clear_text_leftovers(self.at.tree, self.known)
        self.at.files = self.at.started()
        self.at.files.take_over([self.queued[n] for n in done], self.known)
        for n, put in self.queued.items():
            if n not in done:
                self.at.files.take(n, put)

    def finish(self) -> str:
        while not self.over:
            self.step()
            self.write()
        self.at.settle()
        return self.at.text


EXAMPLES = int(os.environ.get("TORTURE_EXAMPLES", "40"))
SAVES = st.lists(st.tuples(st.sampled_from(MANNERS), st.integers(0, 7), st.integers(0, 4)), min_size=1, max_size=5)
GAPS = st.lists(st.integers(0, 12), max_size=40)
ADDS = st.lists(st.sampled_from(["add", "add", "write", "step"]), min_size=1, max_size=10)


def started(run: Run, adds: list[str]) -> int:
    """Add and write as drawn; return how many entries were added."""
    added = 0
    for what in adds:
        if what == "step":
            run.step()
        elif what == "add":
            run.add(added)
            added += 1
        else:
            run.write()
    return added


def entries(text: str) -> list[str]:
    return sorted(line for line in text.splitlines() if line.startswith("- "))


@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
@given(SAVES, GAPS, ADDS)
@example(
    # The file was not there for a moment: no save is made from that nothing.
    saves=[("vim", 0, 0), ("vim", 0, 0), ("atomic", 1, 0)],
    gaps=[0, 0, 0, 0, 0, 1, 8, 12],
    adds=["write", "step", "add", "write", "step"],
)
def test_nothing_is_lost_or_doubled_whatever_an_editor_does_between_two_calls(
    saves: list[tuple[str, int, int]], gaps: list[int], adds: list[str]
) -> None:
    with TemporaryDirectory() as folder:
        run = Run(Path(folder), saves, gaps)
        added = started(run, adds)
        text = run.finish()
        taken = {gone for manner, _, gone, _ in run.saves if manner != "append"}
        wanted = [*ADDED[:added], *SAVED[: len(saves)], *(one for one in OLD if one not in taken)]
        assert entries(text) == sorted(wanted)
        assert text.count(HEAD) == 1
        assert run.at.beside == []
        run.at.tree.close()


@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
@given(SAVES, GAPS, ADDS, st.integers(0, 120), ADDS)
@example(
    # What was written late is merged, taken out again by an outdated save, and memd is killed before it has seen that.
    saves=[("atomic", 0, 0), ("atomic", 0, 0), ("truncating", 0, 0), ("atomic", 0, 0)],
    gaps=[5, 0, 0, 0, 0, 0, 0, 0, 3, 12, 12],
    adds=["add", "step"],
    lives=52,
    more=["add"],
)
def test_nothing_is_lost_or_doubled_by_a_kill_at_any_call(
    saves: list[tuple[str, int, int]], gaps: list[int], adds: list[str], lives: int, more: list[str]
) -> None:
    with TemporaryDirectory() as folder:
        run = Run(Path(folder), saves, gaps)
        run.system.lives = lives
        added = 0
        try:
            added = started(run, adds)
            run.write()
        except Killed:
            added = len(run.queued)
        run.start_again()
        for _ in more:
            run.add(added)
            added += 1
        text = run.finish()
        wanted = [*ADDED[:added], *SAVED[: len(saves)]]
        found = entries(text)
        copies = "".join((Path(folder) / one).read_text("utf-8") for one in run.at.beside if ".conflict-" in one)
        assert [
            one for one in wanted if found.count(one) != 1 and (one in found or one in ADDED or one not in copies)
        ] == []
        assert [one for one in run.at.beside if ".memd-tmp" in one] == []
        run.at.tree.close()
