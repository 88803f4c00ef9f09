"""Bring acknowledged lines into the workspace's own logs: once each, in order, within their limits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from memd.formats.records import read_lines
from memd.formats.times import to_stamp
from memd.model.change import Line
from memd.model.settings import LimitSettings
from memd.storage.append import append, cut_torn
from memd.storage.files import Identity, Tree
from memd.storage.layout import AUDIT, PRIVATE, RUNNING, SCORES
from memd.storage.replace import replace

AUDIT_OLD = "audit-"
TIDY_BYTES = 64 * 1024


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
    before = tree.identify(name)
    if maybe_there and before is not None:
        cut_torn(tree, name, [text.encode("utf-8") for text in (lines[0].header, *wanted)])
        before = tree.identify(name)
        held = set(tree.read(name)[0].decode("utf-8", "replace").split("\n"))
        wanted = [text for text in wanted if text.rstrip("\n") not in held]
    if not wanted:
        return Appended(before, before, "")
    folder = name.rpartition("/")[0]
    if folder:
        tree.make_dirs(folder)
    header = "" if before is not None and before.size else lines[0].header
    text = header + "".join(wanted)
    torn = append(tree, name, text.encode("utf-8"))
    return Appended(before, tree.identify(name), ("\n" if torn else "") + text)


def rotate_audit(tree: Tree, limits: LimitSettings, now_s: float) -> None:
    """Keep the audit within its limit: half of it in the present file, half in the one before, older ones dropped."""
    state = tree.identify(AUDIT)
    if state is None or state.size < limits.audit_bytes // 2:
        return
    older = [entry.name for entry in tree.entries(PRIVATE) if entry.is_file and entry.name.startswith(AUDIT_OLD)]
    numbers = (name.rpartition("-")[2].removesuffix(".jsonl") for name in older)
    number = 1 + max((int(one) for one in numbers if one.isascii() and one.isdigit()), default=0)
    tree.rename(AUDIT, f"{PRIVATE}/{AUDIT_OLD}{to_stamp(now_s)}-{number:03d}.jsonl")
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
    state = tree.identify(RUNNING)
    if state is None or state.size < TIDY_BYTES:
        return
    data = tree.read(RUNNING)[0]
    said = [(line, str((line.value or {}).get("run", ""))) for line in read_lines(data)]
    running: set[str] = set()
    for line, run in said:  # a run may begin again
        (running.discard if (line.value or {}).get("what") == "ended" else running.add)(run)
    replace(tree, RUNNING, b"".join(data[line.start : line.stop] for line, run in said if run in running))
