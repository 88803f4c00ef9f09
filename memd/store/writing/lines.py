"""Bring acknowledged lines into the workspace's own logs: once each, in order, within their limits."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import date
from typing import TYPE_CHECKING, NamedTuple

from memd.errors import StorageError
from memd.formats.records import read_lines
from memd.formats.role_memory import HEADER
from memd.formats.times import to_stamp
from memd.storage.layout import (
    ARCHIVE,
    AUDIT,
    DECLARATIVE,
    DECLARED,
    INBOX,
    OFFERED,
    PRIVATE,
    PROVISIONAL,
    RUNNING,
    SCORES,
    declarative_archive,
)
from memd.storage.listing import list_side, side_pieces
from memd.storage.replace import append, cut_torn, replace
from memd.store.capture import shortened
from memd.store.writing.erasing import put_edited

if TYPE_CHECKING:
    from memd.model.change import Line
    from memd.model.settings import LimitSettings
    from memd.storage.files import Identity, Tree

logger = logging.getLogger(__name__)

AUDIT_OLD = "audit-"
NEAR_DAYS = 7
FIRST_BYTES = 4096
TIDY_BYTES = 64 * 1024
TIDY_PROVISIONAL_BYTES, TOLD_AGAIN = 1024 * 1024, 500  # more than what is held and told can be
ARCHIVE_PART_BYTES = 16 * 1024 * 1024  # what one file of the archive may have before a new one is begun
_WAITS = '"what":"waiting"'
_YEAR = re.compile(r"- (\d{4})/\d\d/\d\d ")


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
    elif name == DECLARATIVE:
        _begin_year(tree, wanted)
    before = tree.identify(name)
    if maybe_there and before is not None:
        cut_torn(tree, name, [text.encode("utf-8") for text in (lines[0].header, *wanted)])
        before = tree.identify(name)
    if maybe_there:
        held = _held(tree, name, frozenset(wanted))
        wanted = [text for text in wanted if text not in held]
    if not wanted:
        return Appended(before, before, "")
    folder = name.rpartition("/")[0]
    if folder:
        tree.make_dirs(folder)
    header = "" if before is not None and before.size else lines[0].header
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


def _begin_year(tree: Tree, wanted: Sequence[str]) -> None:
    """Put the lines of years before that of the newest line into the archive, a file for each year."""
    year = max((found[1] for text in wanted if (found := _YEAR.match(text))), default="")
    first = next(side_pieces(tree, DECLARATIVE, FIRST_BYTES), b"")
    if all(found[1] >= year for line in first.decode("utf-8", "replace").split("\n") if (found := _YEAR.match(line))):
        return  # its first lines are of this year: so are the others
    with _left_for_later(DECLARATIVE):
        data = tree.read(DECLARATIVE)[0]
        old: dict[str, list[bytes]] = {}
        for line in data.split(b"\n"):
            found = _YEAR.match(line.decode("utf-8", "replace"))
            if found and found[1] < year:
                old.setdefault(found[1], []).append(line + b"\n")
        for one, lines in sorted(old.items()):
            file = declarative_archive(one)
            there = set(b"".join(side_pieces(tree, file)).split(b"\n"))
            late = b"".join(line for line in lines if line[:-1] not in there)  # a kill may have come in between
            tree.make_dirs(ARCHIVE)
            if late:
                append(tree, file, late if tree.identify(file) else HEADER.encode() + late)
        gone = {line for lines in old.values() for line in lines}
        put_edited(
            tree, DECLARATIVE, data, lambda read: b"".join(x for x in read.splitlines(keepends=True) if x not in gone)
        )


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
    archive = (
        [f"{ARCHIVE}/{one.name}" for one in list_side(tree, ARCHIVE)] if name.startswith((ARCHIVE, DECLARATIVE)) else []
    )
    held: set[str] = set()
    for one in (name, *(part for part in archive if part.startswith((f"{stem}-", DECLARED)))):
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
    """Keep score records of so many days by the calendar (UTC), and so many bytes: the oldest go first, today's stays."""
    with _left_for_later(SCORES):
        sizes = dict(tree.sizes(SCORES))
        total = sum(sizes.values())
        days = sorted(day for name in sizes if is_day(day := name.rpartition("/")[2].removesuffix(".jsonl")))
        old = out_of_date(days, limits.score_days)
        for day in days[:-1]:
            name = f"{SCORES}/{day}.jsonl"
            if day in old or total > limits.score_bytes:
                tree.remove(name)
                total -= sizes[name]


def is_day(word: str) -> bool:
    """Tell whether a word is a date, YYYY-MM-DD."""
    try:
        return str(date.fromisoformat(word)) == word
    except ValueError:
        return False


def out_of_date(days: Sequence[str], kept: int) -> list[str]:
    """Return which of these days (YYYY-MM-DD, in their order) are older than so many, today counted.

    A clock that has jumped ahead must not make everything old at once: the newest day counts as today only where the one
    before lies within NEAR_DAYS, else that one does. So a jump takes nothing, or at most NEAR_DAYS too early; after a long
    pause the second day of use tells what is old.
    """
    dates = [date.fromisoformat(day) for day in days]
    if len(dates) < 2:
        return []
    today = dates[-1] if (dates[-1] - dates[-2]).days <= NEAR_DAYS else dates[-2]
    return [str(day) for day in dates if (today - day).days >= kept]


def tidy_runs(tree: Tree) -> None:
    """Shorten the list of runs under way where it has grown long: of those that have ended nothing need be told."""
    with _left_for_later(RUNNING):
        state = tree.identify(RUNNING)
        if state is not None and state.size >= TIDY_BYTES:
            _tidy(tree, tree.read(RUNNING)[0])


def tidy_inbox(tree: Tree, lines: Sequence[Line]) -> None:
    """Shorten the inbox where it has grown long and something left it: of what left nothing need be told there."""
    with _left_for_later(INBOX):
        state = tree.identify(INBOX)
        if state is None or state.size < TIDY_BYTES or all(_WAITS in line.text for line in lines):
            return
        data = tree.read(INBOX)[0]
        last = {str((line.value or {}).get("id")): line for line in read_lines(data)}
        kept = [data[one.start : one.stop] for one in last.values() if (one.value or {}).get("what") == "waiting"]
        replace(tree, INBOX, b"".join(kept))


def tidy_offered(tree: Tree, limits: LimitSettings) -> None:
    """Forget the oldest ids of what was offered where they have grown beyond their limit: half of it stays."""
    with _left_for_later(OFFERED):
        state = tree.identify(OFFERED)
        if state is not None and state.size > limits.offered_bytes:
            data = tree.read(OFFERED)[0]
            put_edited(tree, OFFERED, data, lambda read: shortened(read, limits.offered_bytes // 2))


def tidy_provisional(tree: Tree) -> None:
    """Shorten the list of provisional verdicts where it has grown long: of each the last line counts, of those told of the latest."""
    with _left_for_later(PROVISIONAL):
        state = tree.identify(PROVISIONAL)
        if state is None or state.size < TIDY_PROVISIONAL_BYTES:
            return
        data = tree.read(PROVISIONAL)[0]
        last = {str((line.value or {}).get("id")): line for line in read_lines(data)}
        ours = [one for one in last.values() if (one.value or {}).get("what") in ("provisional", "judged")]
        held = [one for one in ours if (one.value or {})["what"] == "provisional"]
        told = sorted((one for one in ours if one not in held), key=lambda one: one.start)[-TOLD_AGAIN:]
        kept = sorted((*held, *told), key=lambda one: one.start)
        replace(tree, PROVISIONAL, b"".join(data[one.start : one.stop] for one in kept))


def _tidy(tree: Tree, data: bytes) -> None:
    said = [(line, str((line.value or {}).get("run", ""))) for line in read_lines(data)]
    running: set[str] = set()
    for line, run in said:  # a run may begin again
        (running.discard if (line.value or {}).get("what") == "ended" else running.add)(run)
    replace(tree, RUNNING, b"".join(data[line.start : line.stop] for line, run in said if run in running))
