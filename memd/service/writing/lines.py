"""Bring acknowledged lines into the workspace's own logs: once each, in order, within their limits."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from memd.errors import StorageError
from memd.formats.records import read_lines
from memd.formats.times import to_stamp
from memd.model.change import Line
from memd.model.settings import LimitSettings
from memd.storage.append import append
from memd.storage.files import Identity, Tree
from memd.storage.layout import ARCHIVE, AUDIT, PRIVATE, RUNNING, SCORES
from memd.storage.replace import replace
from memd.storage.side import list_side, side_pieces

logger = logging.getLogger(__name__)

AUDIT_OLD = "audit-"
TIDY_BYTES = 64 * 1024
ARCHIVE_PART_BYTES = 16 * 1024 * 1024  # what one file of the archive may have before a new one is begun


class Appended(NamedTuple):
    """A file before and after lines were added to it; `text` is what was added. `before` is None for a new file."""

    before: Identity | None
    after: Identity | None
    text: str

    @property
    def is_whole(self) -> bool:
        """Whether the file has grown by this text and nothing else, and each line of it is whole."""
        had, has = (one.size if one else 0 for one in (self.before, self.after))
        return not self.text.startswith("\n") and has - had == len(self.text.encode("utf-8", "surrogatepass"))


def append_lines(tree: Tree, name: str, lines: Sequence[Line], *, maybe_there: bool) -> Appended:
    """Append lines to one file with one sync. `maybe_there`: after a crash, leave out those that stand already."""
    wanted = [line.text for line in lines]
    if name.startswith(ARCHIVE):
        _begin_part(tree, name)
    before = tree.identify(name)
    exists = before is not None
    if maybe_there:
        held = _held(tree, name, frozenset(wanted))
        wanted = [text for text in wanted if text not in held]
    if not wanted:
        return Appended(before, before, "")
    folder = name.rpartition("/")[0]
    if folder:
        tree.make_dirs(folder)
    header = "" if exists else lines[0].header
    text = header + "".join(wanted)
    torn = append(tree, name, text.encode("utf-8"))
    return Appended(before, tree.identify(name), ("\n" if torn else "") + text)


def _begin_part(tree: Tree, name: str) -> None:
    """Put an archive that has grown long aside as a part of its month: parts sort before what is written now."""
    state = tree.identify(name)
    if state is None or state.size < ARCHIVE_PART_BYTES:
        return
    stem = name.removesuffix(".jsonl")
    parts = [one.name for one in tree.entries(ARCHIVE) if f"{ARCHIVE}/{one.name}".startswith(f"{stem}-")]
    tree.rename(name, f"{stem}-{_next_number(parts):03d}.jsonl")


def _next_number(names: Sequence[str]) -> int:
    numbers = (name.rpartition("-")[2].removesuffix(".jsonl") for name in names)
    return 1 + max((int(one) for one in numbers if one.isascii() and one.isdigit()), default=0)


@contextmanager
def _left_for_later(name: str) -> Iterator[None]:
    """What is only tidied is left where the system refuses: the lines are in."""
    try:
        yield
    except StorageError as error:
        logger.info("%s is not tidied now: %s", name, error)


def _held(tree: Tree, name: str, wanted: frozenset[str]) -> set[str]:
    """Return which of these lines stand in a file already, or in a part of it that was put aside."""
    stem = name.removesuffix(".jsonl")
    parts = [f"{ARCHIVE}/{one.name}" for one in list_side(tree, ARCHIVE)] if name.startswith(ARCHIVE) else []
    held: set[str] = set()
    for one in (name, *(part for part in parts if part.startswith(f"{stem}-"))):
        for data in side_pieces(tree, one):
            standing = set(data.decode("utf-8", "replace").split("\n"))
            held |= {text for text in wanted if text.rstrip("\n") in standing}
    return held


def rotate_audit(tree: Tree, limits: LimitSettings, now_s: float) -> None:
    """Keep the audit within its limit: half of it in the present file, half in the one before, older ones dropped."""
    with _left_for_later(AUDIT):
        state = tree.identify(AUDIT)
        if state is None or state.size < limits.audit_bytes // 2:
            return
        older = [one.name for one in tree.entries(PRIVATE) if one.is_file and one.name.startswith(AUDIT_OLD)]
        tree.rename(AUDIT, f"{PRIVATE}/{AUDIT_OLD}{to_stamp(now_s)}-{_next_number(older):03d}.jsonl")
        for name in older:
            tree.remove(f"{PRIVATE}/{name}")


def prune_scores(tree: Tree, limits: LimitSettings) -> None:
    """Keep so many days of score records, and so many bytes: the oldest go first, today's stays.

    Days are counted by files, not by the clock, so that a clock that jumps forward removes nothing.
    """
    files = [(entry.name, f"{SCORES}/{entry.name}") for entry in tree.entries(SCORES) if entry.is_file]
    sizes = dict(tree.sizes(SCORES))
    total = sum(sizes.values())
    for position, (_, name) in enumerate(files[:-1]):
        if len(files) - position <= limits.score_days and total <= limits.score_bytes:
            break
        tree.remove(name)
        total -= sizes.get(name, 0)


def tidy_runs(tree: Tree) -> None:
    """Shorten the list of runs under way where it has grown long: of those that have ended nothing need be told."""
    with _left_for_later(RUNNING):
        state = tree.identify(RUNNING)
        if state is not None and state.size >= TIDY_BYTES:
            _tidy(tree, tree.read(RUNNING)[0])


def _tidy(tree: Tree, data: bytes) -> None:
    said = [(line, str((line.value or {}).get("run", ""))) for line in read_lines(data)]
    running: set[str] = set()
    for line, run in said:  # a run may begin again
        (running.discard if (line.value or {}).get("what") == "ended" else running.add)(run)
    replace(tree, RUNNING, b"".join(data[line.start : line.stop] for line, run in said if run in running))
