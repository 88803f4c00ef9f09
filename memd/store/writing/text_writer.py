"""Write a text file against people who edit it at the same time.

This blocks and runs in a worker thread; it touches the disk and the values it is given, nothing else.

How a write goes: look at what is there, waiting out an editor in the middle of saving; put back what an outdated save
has taken; merge what editors wrote late to files exchanged out; make our own changes; exchange; look at what came out.
What came out stays on disk while anybody has it open, and is merged where it is no longer what was read.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from memd.engine.merge_text import MergedText, is_made, merge_text
from memd.engine.outdated import By, Version, caught_up, made_from, with_added
from memd.errors import BadSettingsError, StorageError
from memd.formats.curated import Edit, edited, entries_of
from memd.formats.front_matter import split
from memd.formats.settings import load_table
from memd.storage.files import TEMPORARY_SUFFIX, Tree
from memd.storage.layout import CURATED
from memd.storage.replace import create, exchange, swap_back
from memd.store.writing.targets import HeldError
from memd.store.writing.text_parked import RECENT_S, Late, Parked, keep_aside, keep_beside, let_go, read_text, sweep

if TYPE_CHECKING:
    from memd.model.change import Put

TRIES = 12
SETTLE_S = 0.5  # an editor in the middle of saving is waited for this long at a time,
UNSETTLED_S = 5.0  # and in all; then what stands there is what somebody wants
STEP_S = 0.01


@dataclass(slots=True)
class Followed:
    """A file we wrote a moment ago: the texts that stood in it since, oldest first, and what was exchanged out of it.

    `known` are texts that may have stood there before, where that was not seen. `unsettled_since_s`: an editor has been at it at each look
    since; `blank_since_s`: and each found nothing there. `taken_over`: a process before us wrote last, and may have written more than it could note.
    """

    versions: list[Version] = field(default_factory=list)
    parked: list[Parked] = field(default_factory=list)
    known: tuple[str, ...] = ()
    unsettled_since_s: float | None = None
    blank_since_s: float | None = None
    taken_over: bool = False

    def forget(self, now_s: float) -> bool:
        """Forget what no editor can have in hand any more; tell whether there is nothing left to answer."""
        while self.versions and self.versions[0].until_s + RECENT_S < now_s:
            del self.versions[0]
        return not self.parked and all(one.by is By.SAVE for one in self.versions[1:])


@dataclass(slots=True)
class Brought:
    """What a write came to: conflict copies that were made, and whether an outdated save was answered."""

    conflicts: list[str] = field(default_factory=list)
    again: bool = False


class TextWriter:
    """One write of one file. `brought` has what it came to, also where it raises."""

    def __init__(self, tree: Tree, name: str, followed: Followed, monotonic: Callable[[], float]) -> None:
        self.tree, self.name, self.followed, self.monotonic = tree, name, followed, monotonic
        self.folder, self.entries = name.rpartition("/")[0], name in CURATED
        self.brought = Brought()
        self._more = False  # something came out that was not what we had read
        self._durable = True
        self._beside: list[str] = []  # texts of which something found no place

    def write(self, puts: Sequence[Put]) -> None:
        """Bring a chain of changes into the file, and what others wrote meanwhile. HeldError: it cannot be now."""
        done = False
        for _ in range(TRIES):
            try:
                placed = self._try(() if done else puts)
            except HeldError:
                if done:
                    return  # what is left is somebody's save: it is looked at again soon
                raise
            done = done or placed
            if placed and not self._more and not self._swept():
                return
        if not done:
            raise StorageError(self.name, "it changes again and again")

    def _try(self, puts: Sequence[Put]) -> bool:
        """Look once and write once; tell whether what we want stands there now."""
        self._more, self._durable = False, True
        self._beside.clear()
        late = self._swept()
        current = self._look(puts)
        ours = self.followed.taken_over and any(put.after == current for put in puts)
        merged = wanted = self._with_late(current if ours else self._caught_up(current), late)
        for put in puts[self._already(puts, wanted) :]:
            wanted = self._with_put(wanted, put)
        for text in dict.fromkeys(self._beside):
            self.brought.conflicts.append(keep_beside(self.tree, self.name, text))
        if wanted == current:
            if current is not None and (puts or late):
                self.tree.sync_dir(self.folder or ".")
        elif not self._place(wanted, current):
            return False
        self._record(current, merged, wanted)
        self.followed.taken_over = False
        if not self._durable:
            raise HeldError("the directory would not sync; the change is visible, its durability unknown")
        let_go(late, self.monotonic())
        return True

    def _look(self, puts: Sequence[Put]) -> str | None:
        """Return what stands in the file, waiting out an editor in the middle of saving."""
        versions = self.followed.versions
        known = versions[-1].text if versions else (puts[0].before or "") if puts else ""
        until = self.monotonic() + SETTLE_S
        while True:
            why = "an editor is saving it"
            try:
                text = read_text(self.tree, self.name)
                if (text == known and known.strip()) or self._is_settled(text, known):
                    self.followed.unsettled_since_s = self.followed.blank_since_s = None
                    return text
            except HeldError as error:
                why = str(error)
            if self.monotonic() > until:
                raise HeldError(why)
            time.sleep(STEP_S)

    def _is_settled(self, text: str | None, known: str) -> bool:
        """Tell whether a text is what somebody wants to stand there: not a file missing, empty or open for a moment."""
        now_s, followed = self.monotonic(), self.followed
        if followed.unsettled_since_s is None:
            followed.unsettled_since_s = now_s
        if not (text or "").strip() and known.strip():
            # However long editors are at it: what is empty in between, for a moment of a save, is not what anybody wants.
            followed.blank_since_s = now_s if followed.blank_since_s is None else followed.blank_since_s
            return now_s - followed.blank_since_s > UNSETTLED_S
        followed.blank_since_s = None
        if now_s - followed.unsettled_since_s > UNSETTLED_S:
            return True
        if text is None:
            return True
        try:
            # Nobody had it open after we read it, and it is the same still: what we read was whole.
            return not self.tree.open_elsewhere(self.name) and read_text(self.tree, self.name) == text
        except FileNotFoundError:
            return False

    def _swept(self) -> list[Late]:
        """Look after what was exchanged out; return what was written to it late."""
        swept = sweep(self.tree, self.name, self.followed.parked, self.monotonic())
        self.brought.conflicts += swept.copies
        return swept.late

    def _caught_up(self, current: str | None) -> str | None:
        """Return what stands in the file with what an outdated save has taken back."""
        versions = self.followed.versions
        if not versions or current is None or not current.strip() or current == versions[-1].text:
            return current
        merged = self._checked(caught_up(versions, current, entries=self.entries), current, versions[-1].text)
        self.brought.again = self.brought.again or merged.text != current
        return merged.text

    def _with_late(self, wanted: str | None, late: list[Late]) -> str | None:
        """Return a text with what editors wrote to files that had been exchanged out."""
        versions = self.followed.versions
        for one in late:
            now = wanted or ""
            if wanted is None and not self.entries:
                wanted = one.text  # somebody changed what was to go: it stays
                continue
            if one.parked.text is None:
                known = [*self.followed.known, *(each.text for each in versions)]
                merged = with_added(known, one.text, now, entries=self.entries)
            else:
                bases = [Version(one.parked.text, By.SAVE), *versions]
                merged = merge_text(bases[made_from(bases, one.text)].text, one.text, now, entries=self.entries)
            merged = self._checked(merged, now, one.text)
            wanted = wanted if merged.text == now else merged.text
        return wanted

    def _already(self, puts: Sequence[Put], wanted: str | None) -> int:
        """Return how many of our changes a text has already: a process before us may have made them."""
        made = 0
        for number, put in enumerate(puts, 1):
            if put.after == wanted:
                made = number
            elif not self.entries and None not in (put.after, wanted):
                made = number if is_made(put.before or "", put.after or "", wanted or "") else made
        return made

    def _with_put(self, wanted: str | None, put: Put) -> str | None:
        """Return a text with one change of ours; the same text where it has it already."""
        if wanted in (put.before, put.after):
            return put.after
        if put.after is None:
            return wanted  # somebody changed what was to go: it stays
        if not self.entries and (wanted is None or put.before is None):
            self._beside.append(put.after)  # a person removed it, or made another: that is as the person wants it
            return wanted
        if self.entries and not (put.before or "").strip() and (wanted or "").strip():
            # It was made of a file that was missing or empty for a moment: its entries go where entries go.
            return edited(wanted or "", self.name, [Edit("add", one.text) for one in entries_of(put.after)])
        merged = merge_text(put.before or "", put.after, wanted or "", entries=self.entries)
        merged = self._checked(merged, wanted or "", put.after)
        return wanted if merged.text == (wanted or "") else merged.text

    def _checked(self, merged: MergedText, theirs: str, ours: str) -> MergedText:
        """Return a merge, or theirs where it would break the file. Where something of ours found no place, ours is kept."""
        broken = _is_good(self.name, theirs) and not _is_good(self.name, merged.text)
        if broken or not merged.whole:
            self._beside.append(ours)
        return MergedText(theirs, whole=False) if broken else merged

    def _place(self, wanted: str | None, current: str | None) -> bool:
        """Put a text in the place of another; tell whether it stands there. `_more`: what came out is to be looked at."""
        try:
            if wanted is None:
                self._take_away(current)
            elif current is None:
                if self.folder:
                    self.tree.make_dirs(self.folder)
                create(self.tree, self.name, wanted.encode("utf-8"), 0o644)
            else:
                self._exchange(wanted, current)
        except (FileExistsError, FileNotFoundError):
            return False  # it came or went between two looks: an editor is saving
        return True

    def _take_away(self, current: str | None) -> None:
        aside = f"{self.folder}/" if self.folder else ""
        aside += f".{self.name.rpartition('/')[2]}.{secrets.token_hex(6)}{TEMPORARY_SUFFIX}"
        self.tree.rename(self.name, aside)
        self.followed.parked.append(Parked(aside, current, self.monotonic()))
        self._more = True

    def _exchange(self, wanted: str, current: str) -> None:
        displaced = exchange(self.tree, self.name, wanted.encode("utf-8"), current.encode("utf-8"), must_exist=True)
        parked = Parked(displaced.temporary, current, self.monotonic())
        self.followed.parked.append(parked)
        if displaced.data != current.encode("utf-8"):
            self._more = True
            self._give_back_broken(parked, wanted)
        self._durable = displaced.durable

    def _give_back_broken(self, parked: Parked, wanted: str) -> None:
        """Put a save that is no text back in its place, unless it becomes one: somebody has it open, or saves again."""
        until = self.monotonic() + SETTLE_S
        while self.monotonic() <= until:
            try:
                read_text(self.tree, parked.temporary)
                return
            except HeldError:
                if self.tree.open_elsewhere(parked.temporary):
                    return
                time.sleep(STEP_S)
        if swap_back(self.tree, self.name, parked.temporary) == wanted.encode("utf-8"):
            # Ours is parked, not removed: an editor may have opened it while it stood in place.
            parked.text = wanted
            raise HeldError(f"{self.name}: it is not UTF-8")
        broken = swap_back(self.tree, self.name, parked.temporary)  # somebody saved over ours: the newer stands
        self.brought.conflicts.append(keep_aside(self.tree, self.name, parked.temporary, broken))
        self.followed.parked.remove(parked)

    def _record(self, current: str | None, merged: str | None, wanted: str | None) -> None:
        """Note which texts stood in the file, one after the other, and how each came of the one before."""
        versions, now_s = self.followed.versions, self.monotonic()
        if versions and versions[-1].text.strip() and not (current or "").strip():
            versions.clear()  # somebody emptied or removed it: what stood there before is meant to be gone
        for text, by in ((current or "", By.SAVE), (merged or "", By.MERGE), (wanted or "", By.CHANGE)):
            if not versions or versions[-1].text != text:
                versions[-1:] = [one._replace(until_s=now_s) for one in versions[-1:]]
                versions.append(Version(text, by))


def _is_good(name: str, text: str) -> bool:
    """Tell whether a text can be read as its name says: TOML, or Markdown whose header, if any, is whole."""
    if name.endswith(".toml"):
        try:
            load_table(text.encode("utf-8", "surrogatepass"), name)
        except BadSettingsError:
            return False
        return True
    return not name.endswith(".md") or not split(text, name).faults
