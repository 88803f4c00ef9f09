"""Roles that are closed: known by the state of their file and by figures, opened when somebody asks for more.

What is read here is taken in by the loop in one step, so that two who open a role at once do no harm: the first counts.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memd.errors import Fault
from memd.formats.derived import FigureCache, Figures, KnownFile, TokenCache, figures_of
from memd.formats.role_memory import character_uuid, new_document
from memd.storage.layout import memory_file, role_dir
from memd.store.reading import absorb
from memd.store.reading.profile_file import refresh_profile
from memd.store.role.role import Indexes, Role
from memd.store.writing.role_files import Reading, read

if TYPE_CHECKING:
    from collections.abc import Iterable

    from memd.storage.files import Tree


@dataclass(frozen=True, slots=True)
class Whole:
    """A role as it was read to be opened."""

    reading: Reading
    beside: tuple[tuple[str, int], ...]
    indexes: Indexes


@dataclass(frozen=True, slots=True)
class Glance:
    """A file that was looked at for its figures alone."""

    reading: Reading
    figures: Figures


def closed_role(tree: Tree, name: str, known: KnownFile | None, limit_bytes: int | None) -> Role:
    """Return a role as its files are now, closed; `known` saves reading a file that is as it was. Blocks.

    Without a limit its file is not looked at: for one that is opened at once.
    """
    role = Role(name, indexes=None)
    role.file.held = None
    refresh_profile(tree, role)
    if limit_bytes is None:
        return role
    identity = tree.identify(memory_file(name))
    if known is not None and identity is not None and identity == known.identity:
        role.file.identity, role.file.loaded, role.file.bytes = identity, True, identity.size
        role.file.figures = known.figures
    else:
        take_glance(role, glance(tree, role, limit_bytes), 0.0)
    role.file.beside = absorb.files_beside(tree, name)
    return role


def glance(tree: Tree, role: Role, limit_bytes: int) -> Glance:
    """Return the figures of a role's file. Blocks."""
    reading = read(tree, role.name, limit_bytes)
    if reading.parsed is not None:
        uuid = character_uuid(reading.parsed.document)
        return Glance(reading, figures_of((one.memory for one in reading.parsed.entries), uuid))
    uuid = role.own.profile.uuid or role.name  # of the file that is to be
    return Glance(reading, Figures(character_uuid="" if reading.rejected else uuid))


def take_glance(role: Role, seen: Glance, now_s: float) -> None:
    """Note what the file of a closed role held; one that is missing for a moment changes nothing yet."""
    file, reading = role.file, seen.reading
    file.identity, file.racy = reading.identity, reading.racy
    role.marks.touched, role.marks.rebuilds = None, role.marks.rebuilds + 1
    faults: tuple[Fault, ...] = ()
    if reading.parsed is not None:
        faults = reading.parsed.faults
    elif reading.rejected is None and file.loaded and file.missing_since_s is None:
        file.missing_since_s = now_s
        return
    elif reading.rejected is None and file.loaded and now_s - (file.missing_since_s or 0.0) < absorb.MISSING_S:
        return
    file.figures, file.faults, file.bytes = seen.figures, faults, reading.size if reading.parsed else 0
    file.rejected, file.missing_since_s, file.loaded = reading.rejected, None, reading.rejected is None


def read_whole(tree: Tree, role: Role, cache: TokenCache, limit_bytes: int) -> Whole:
    """Return a role as its files are now, compiled; terms come from the cache, and new ones go into it. Blocks.

    Where there is no good file and a moment ago there was one, an editor may be at it: it is looked at once more.
    """
    reading = read(tree, role.name, limit_bytes)
    if reading.parsed is None and role.file.figures.memories:
        time.sleep(absorb.MISSING_S)
        reading = read(tree, role.name, limit_bytes)
        if reading.identity is None and tree.identify(role_dir(role.name)) is None:
            fault = Fault(memory_file(role.name), 1, 1, "its directory is gone", "file.unreadable")
            reading = Reading(rejected=fault)  # perhaps the whole workspace went: that empties no role
    entries = reading.parsed.entries if reading.parsed else ()
    return Whole(reading, absorb.files_beside(tree, role.name), absorb.compile_entries(entries, cache))


def take_whole(role: Role, whole: Whole, now_s: float) -> bool:
    """Open a role with what was read of it, where it is closed still; tell whether its file changed since it was seen last."""
    if role.is_open:
        return False
    file, seen = role.file, role.file.loaded
    changed = whole.reading.identity != file.identity or file.racy or file.missing_since_s is not None
    if changed:
        role.marks.touched, role.marks.rebuilds = None, role.marks.rebuilds + 1
    for one in whole.indexes.compiled.pass_time(role.passed_s):
        whole.indexes.prints.put(one, whole.indexes.compiled.memories[one].text)
    file.document, file.loaded, file.bytes, role.indexes = new_document(""), False, 0, whole.indexes
    absorb.take_reading(role, whole.reading, now_s)
    file.incoming, file.beside = None, whole.beside
    return changed and seen


def known_files(roles: Iterable[Role]) -> FigureCache:
    """Return the figures of the roles whose files were read well, and have all that the role has."""
    files: dict[str, KnownFile] = {}
    for role in roles:
        file = role.file
        clear = role.can_close() if role.is_open else file.loaded and not (file.racy or file.rejected)
        if clear and file.identity is not None and not file.faults:
            files[role.name] = KnownFile(file.identity, role.figures)
    return FigureCache(files=files)
