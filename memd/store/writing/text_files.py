"""Bring acknowledged texts into their files: curated memory, tasks, receipts, skills. People edit the same files.

What an editor saved meanwhile is merged; what cannot be merged is kept beside the file as a conflict copy. A save that
takes back what was written within the last seconds is answered by writing it again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from memd.engine.outdated import By, Version
from memd.errors import MemdError, StorageError
from memd.formats.documents import PAGE_BYTES
from memd.formats.texts import decoded
from memd.model.change import Operation, Put
from memd.storage.files import TEMPORARY_SUFFIX, UNFINISHED_SUFFIX, Tree
from memd.storage.layout import CONSOLIDATIONS, CURATED, LEARNING, ROLES, RUNS, SKILLS, TASKS, books_dir, role_dir
from memd.storage.listing import list_side
from memd.store.writing.targets import HeldError
from memd.store.writing.text_parked import found_again, keep_beside, leave, left_behind, read_text
from memd.store.writing.text_writer import SETTLE_S, STEP_S, Followed, TextWriter

# The texts that memd writes as a whole, as they are known: what was said last, even before it is in its file.


@dataclass(slots=True)
class Texts:
    """Owned by the event loop. What is held here is acknowledged or about to be, and not in its file yet."""

    held: dict[str, tuple[int, str | None]] = field(default_factory=dict)
    lines: dict[str, list[str]] = field(default_factory=dict)  # for who only reads: what the log has for each file
    erasing: set[tuple[str, str]] = field(default_factory=set)  # the same: role and id of what is to be erased
    _had_text: set[str] = field(default_factory=set)

    def read(self, tree: Tree, name: str) -> str | None:
        """Return a text, None where there is none. RejectedFileError where the file cannot be read as a text."""
        if name in self.held:
            return self.held[name][1]
        try:
            return decoded(name, tree.read(name, PAGE_BYTES)[0])
        except FileNotFoundError:
            return None
        except StorageError:
            if tree.identify(name) is None:
                return None
            raise

    async def settled(self, tree: Tree, name: str) -> str | None:
        """Return a text to make a change of, as `read` does: an editor in the middle of saving is waited for a moment."""
        loop = asyncio.get_running_loop()
        until_s = loop.time() + SETTLE_S
        while name not in self.held and not self._is_whole(tree, name) and loop.time() < until_s:  # noqa: ASYNC110
            await asyncio.sleep(STEP_S)  # nobody tells us when an editor is done
        return self.read(tree, name)

    def _is_whole(self, tree: Tree, name: str) -> bool:
        """Tell whether a file is not missing, empty or open just now, as one is that is being saved."""
        try:
            before, text = tree.identify(name), self.read(tree, name)
            if not (text or "").strip():
                return name not in self._had_text
            self._had_text.add(name)
            return not tree.open_elsewhere(name) and tree.identify(name) == before
        except (FileNotFoundError, MemdError):
            return False

    def hold(self, n: int, operations: Iterable[Operation]) -> Callable[[], None]:
        """Know the texts of a batch from now on; return what undoes it."""
        before: list[tuple[str, tuple[int, str | None] | None]] = []
        for one in operations:
            if isinstance(one, Put):
                before.append((one.name, self.held.get(one.name)))
                self.held[one.name] = (n, one.after)

        def undo() -> None:
            for name, known in reversed(before):
                if known is None:
                    self.held.pop(name, None)
                else:
                    self.held[name] = known

        return undo

    def settle(self, name: str, n: int) -> None:
        """Hear that a file has what was said of it up to a number."""
        if name in self.held and self.held[name][0] <= n:
            del self.held[name]

    def names(self, folder: str) -> list[str]:
        """Return the names below a folder that are held as texts that shall be there."""
        return [name for name, (_, text) in self.held.items() if name.startswith(f"{folder}/") and text is not None]


OF_MEMORIES = ".memory.json."  # recovery looks at those itself
KINDS = 4000  # directories that are looked through for what a kill left


@dataclass(slots=True)
class TextFiles:
    """Owned by the event loop. `written` hears up to which batch a file is, `audit` of conflicts."""

    tree: Tree
    monotonic: Callable[[], float]
    written: Callable[[str, int], None]
    audit: Callable[[dict[str, object]], None]
    texts: Texts = field(default_factory=Texts)
    queues: dict[str, list[tuple[int, Put]]] = field(default_factory=dict)
    _followed: dict[str, Followed] = field(default_factory=dict)
    _left: dict[str, dict[str, list[str]]] = field(default_factory=dict)

    def take(self, n: int, put: Put) -> None:
        """Queue a text for its file."""
        self.queues.setdefault(put.name, []).append((n, put))

    def take_over(self, puts: Iterable[Put], known: Iterable[str]) -> list[str]:
        """Follow what a process before us wrote a moment ago, or exchanged out and did not look after; return the names.

        `puts`: changes that are in their files; an editor may have read one before that. `known`: texts that stood in files.
        """
        now_s, known = self.monotonic(), tuple(known)
        for put in puts:
            followed = self._follow(put.name)
            followed.taken_over = True
            for text, by in ((put.before or "", By.SAVE), (put.after or "", By.CHANGE)):
                if not followed.versions or followed.versions[-1].text != text:
                    followed.versions.append(Version(text, by, now_s))
        self._left[""] = left_behind(self.tree, "")
        for name in list(self._left[""]):
            self._follow(name).known = known
        return list(self._followed)

    def has_work(self, name: str, *, closing: bool) -> bool:
        """Tell whether a file is to be written, or watched for an outdated or a late save."""
        return bool(self.queues.get(name)) or (not closing and name in self._followed)

    async def write(self, name: str) -> None:
        """Bring what is queued for a file into it, and answer what editors saved meanwhile."""
        batch = list(self.queues.get(name, ()))
        folder = name.rpartition("/")[0]
        if folder not in self._left:
            self._left.setdefault(folder, await asyncio.to_thread(left_behind, self.tree, folder))
        followed = self._follow(name)
        if followed.forget(self.monotonic()) and not batch:
            del self._followed[name]
            return
        writer = TextWriter(self.tree, name, followed, self.monotonic)
        try:
            await asyncio.to_thread(writer.write, [put for _, put in batch])
        except HeldError:
            if batch:
                raise
        finally:
            for copy in writer.brought.conflicts:
                self.audit({"what": "conflict", "file": copy, "of": name})
        if writer.brought.again:
            self.audit({"what": "reapplied_after_external_save", "file": name})
        if batch:
            self._settle(name, batch)

    def _follow(self, name: str) -> Followed:
        """Return what is known of a file, with what a process before us left of it."""
        if name not in self._followed:
            self._followed[name] = Followed()
        left = self._left.get(name.rpartition("/")[0], {}).pop(name, [])
        self._followed[name].parked += [found_again(self.tree, one, self.monotonic()) for one in left]
        return self._followed[name]

    def _settle(self, name: str, batch: list[tuple[int, Put]]) -> None:
        left = self.queues[name][len(batch) :]
        if left:
            self.queues[name] = left
        else:
            del self.queues[name]
        self.texts.settle(name, batch[-1][0])
        self.written(name, batch[-1][0])


def clear_text_leftovers(tree: Tree, known: set[str]) -> list[str]:
    """Remove temporaries of texts that hold nothing of anybody's; return the conflict copies made of the others.

    What is to be merged, or may still be written to, is marked for who follows its file. `known`: texts that the log has.
    """
    kept: list[str] = []
    folders = ["."]
    for top in (TASKS, RUNS, SKILLS, LEARNING, CONSOLIDATIONS):
        folders += [top, *(f"{top}/{one.name}" for one in list_side(tree, top) if one.is_dir)]
    folders += [
        f"{one}/{two.name}" for one in folders if one.startswith(LEARNING) for two in list_side(tree, one) if two.is_dir
    ]
    for role in (one.name for one in list_side(tree, ROLES) if one.is_dir):
        folders += [role_dir(role), books_dir(role)]
    for folder in folders[:KINDS]:
        for entry in list_side(tree, folder):
            ours = entry.name.startswith(".") and not entry.name.startswith(OF_MEMORIES)
            if entry.is_file and ours and TEMPORARY_SUFFIX in entry.name:
                name = entry.name if folder == "." else f"{folder}/{entry.name}"
                copy = _cleared(tree, name, known)
                kept += [copy] if copy else []
    return kept


def _cleared(tree: Tree, temporary: str, known: set[str]) -> str:
    folder, _, leaf = temporary.rpartition("/")
    name = leaf[1:].rpartition(TEMPORARY_SUFFIX)[0].rpartition(".")[0]
    whole = f"{folder}/{name}" if folder else name
    try:
        if not temporary.endswith(UNFINISHED_SUFFIX):
            if tree.open_elsewhere(temporary):
                leave(tree, temporary)  # whoever has it open may go on writing
                return ""
            text = read_text(tree, temporary) or ""
            if text.strip() and text not in known and text != read_text(tree, whole):
                if whole in CURATED:
                    leave(tree, temporary)
                    return ""
                copy = keep_beside(tree, whole, text)
                tree.remove(temporary)
                return copy
        tree.remove(temporary)
    except (FileNotFoundError, HeldError, StorageError):
        return ""  # whoever wrote it did not write text: it stays where it is
    return ""
