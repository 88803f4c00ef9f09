"""Take what people changed in a role's directory into memory. The file is the truth; nothing here writes.

A file that is missing for a moment, empty or broken never replaces the last good state: editors pass through all three.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from memd.engine.recall.lexicon import Lexicon, weights_of
from memd.errors import StorageError
from memd.formats.role_memory import Element, new_document
from memd.formats.role_reader import Entry, Parsed
from memd.storage.files import Tree, is_racy
from memd.storage.layout import memory_file, role_dir
from memd.store.reading.profile_file import refresh_profile
from memd.store.role.role import Indexes, Role
from memd.store.writing.role_files import Reading, read

if TYPE_CHECKING:
    from memd.model.memory import Kind

MISSING_S = 0.25  # vim and emacs move a file away while they save
REBUILD_CHANGES = 300  # more changes than this are indexed anew in a thread
REMOVALS_A_LINE = 50  # of the audit


class Difference(NamedTuple):
    """What an outside change put and dropped, beside what was acknowledged and is not in the file yet."""

    puts: list[Entry]
    drops: list[str]


def files_beside(tree: Tree, name: str) -> tuple[tuple[str, int], ...]:
    """Return the files of a role's directory beside its memory.json with their bytes, the largest first. Blocks."""
    found = [(file, size) for file, size in tree.sizes(role_dir(name)) if file != memory_file(name)]
    return tuple(sorted(found, key=lambda one: -one[1]))


async def refresh(
    tree: Tree, role: Role, limit_bytes: int, now_s: float, note: Callable[[dict[str, Any]], None]
) -> bool:
    """Bring a role up to its files, if they changed. Call in the role's turn; tell whether memories changed.

    While its own write is under way the file is not looked at: the write looks for itself.
    """
    refresh_profile(tree, role)
    if not role.file_lock.locked() and is_changed(tree, role):
        async with role.file_lock:
            if is_changed(tree, role):
                reading = await asyncio.to_thread(read, tree, role.name, limit_bytes, role.file.document)
                take_reading(role, reading, now_s)
                role.file.beside = await asyncio.to_thread(files_beside, tree, role.name)
    if role.file.incoming is None:
        return False
    await adopt(role, note)
    return True


def take_reading(role: Role, reading: Reading, now_s: float) -> None:
    """Note what a file held; a broken or missing one leaves the last good state serving."""
    role.file.identity, role.file.racy = reading.identity, reading.racy
    if reading.same:
        role.file.rejected, role.file.missing_since_s = None, None
    elif reading.parsed is not None:
        role.file.document, role.file.faults, role.file.incoming = (
            reading.parsed.document,
            reading.parsed.faults,
            reading.parsed,
        )
        role.file.rejected, role.file.missing_since_s, role.file.loaded = None, None, True
        role.file.bytes = reading.size
    elif reading.rejected is not None:
        role.file.rejected, role.file.missing_since_s = reading.rejected, None
    elif not role.file.loaded or (
        role.file.missing_since_s is not None and now_s - role.file.missing_since_s >= MISSING_S
    ):
        role.file.document, role.file.faults = new_document(role.own.profile.uuid or role.name), ()
        role.file.incoming = Parsed(role.file.document, (), ())
        role.file.rejected, role.file.loaded, role.file.bytes, role.file.missing_since_s = None, True, 0, None
    elif role.file.missing_since_s is None:
        role.file.missing_since_s = now_s


async def adopt(role: Role, note: Callable[[dict[str, Any]], None]) -> None:
    """Make the indexes equal to what the file holds and what was acknowledged since. Call in the role's turn."""
    parsed, role.file.incoming = role.file.incoming, None
    if parsed is None:
        return
    try:
        change = await asyncio.to_thread(
            difference, parsed.entries, dict(role.elements), frozenset(role.unsaved.overlay)
        )
        removed = [(one, role.elements[one]) for one in change.drops if one in role.elements]
        if len(change.puts) + len(change.drops) > REBUILD_CHANGES:
            rebuilt = await asyncio.to_thread(compile_entries, parsed.entries)
            _put_in_place(role, rebuilt)
    except BaseException:
        role.file.incoming = role.file.incoming or parsed
        raise
    note_removals(role.name, removed, note)
    for memory_id in change.drops:
        role.drop_memory(memory_id)
        role.elements.pop(memory_id, None)
    if len(change.puts) + len(change.drops) <= REBUILD_CHANGES:
        for entry in change.puts:
            role.put_memory(entry.memory)
        role.elements.update((entry.memory.id, entry.element) for entry in change.puts)
    role.file.faults = parsed.faults


def difference(entries: Iterable[Entry], held: dict[str, Element], overlaid: frozenset[tuple[Kind, str]]) -> Difference:
    """Return which entries are new or other than those held, and which are gone. `held` is used up."""
    own = {memory_id for _, memory_id in overlaid}
    puts: list[Entry] = []
    for entry in entries:
        was = held.pop(entry.memory.id, None)
        if entry.memory.id not in own and (
            was is None or (was is not entry.element and was.body != entry.element.body)
        ):
            puts.append(entry)
    return Difference(puts, [one for one in held if one not in own])


def is_changed(tree: Tree, role: Role) -> bool:
    """Tell whether a role's file is other than it was taken in, or may be. One system call."""
    try:
        if role.file.missing_since_s is not None or tree.identify(memory_file(role.name)) != role.file.identity:
            return True
    except StorageError:
        role.file.racy = role.file.identity is not None  # nobody could look: it is looked at once more
        return False
    # Changed within the tick of its own time stamp? Looked at once more, when the tick is over.
    return role.file.racy and role.file.identity is not None and not is_racy(role.file.identity, time.time_ns())


def compile_entries(
    entries: Sequence[Entry], lexicon: Lexicon | None = None, stands: Mapping[str, bool] | None = None
) -> Indexes:
    """Return the indexes over entries; the terms of what is written in them, and who stands in every conversation, may be known."""
    memories = [entry.memory for entry in entries]
    if lexicon is None:
        lexicon = Lexicon()
        lexicon.load((one.id, weights_of(one)) for one in memories)
    made = Indexes(elements={entry.memory.id: entry.element for entry in entries})
    made.compiled.load(memories, lexicon, stands or {})
    for memory in made.compiled.memories.values():
        made.prints.put(memory.id, memory.text)
    made.compiled.lore.settle()
    return made


def _put_in_place(role: Role, rebuilt: Indexes) -> None:
    """Serve from new indexes, with what was acknowledged and is not in the file yet on top."""
    before, now_s = role.compiled.memories, role.compiled.succession.now_s
    role.indexes = rebuilt
    role.pass_time(now_s)
    role.marks.touched, role.marks.rebuilds = None, role.marks.rebuilds + 1
    if role.happenings:
        role.happenings.memories(role.name)
    for (_, memory_id), (_, after) in role.unsaved.overlay.items():
        if after is None:
            role.drop_memory(memory_id)
        elif memory_id in before:
            role.put_memory(before[memory_id])


def note_removals(role: str, removed: Iterable[tuple[str, Element]], note: Callable[[dict[str, Any]], None]) -> None:
    """Note what went from a role's file, each record whole, so many to a line: `memd recover` shows all of it."""
    elements = [element.value() for _, element in removed]
    for begin in range(0, len(elements), REMOVALS_A_LINE):
        entries = elements[begin : begin + REMOVALS_A_LINE]
        note({"what": "removed_in_file", "role": role, "count": len(entries), "entries": entries})
