"""Keep what was made of the roles' files between starts, in the user's cache directory: never in the workspace, never trusted blindly."""

from __future__ import annotations

import hashlib
import logging
import os
import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from memd.engine.recall.lexicon import Lexicon, weights_of
from memd.errors import StorageError
from memd.formats.derived import (
    ANEW,
    NO,
    YES,
    FigureCache,
    RoleCache,
    cache_key,
    dump_cache,
    kept_of,
    load_cache,
    load_figures,
    memories_of,
)
from memd.formats.role_reader import load
from memd.storage.files import Tree
from memd.storage.index import FOLDER, MANIFEST
from memd.storage.layout import memory_file
from memd.storage.listing import read_side
from memd.storage.replace import append, replace
from memd.store.reading.dating import with_times

if TYPE_CHECKING:
    from memd.engine.recall.compiled import Compiled
    from memd.formats.role_memory import Document
    from memd.formats.role_reader import Parsed
    from memd.model.memory import Memory
    from memd.model.search import Rows

logger = logging.getLogger(__name__)

FIGURES = "figures.bin"
ERASED = "erased"  # the roles of which memories were erased: what the cache has of them is to go
VECTORS = "vectors.bin"  # the process that embeds has them in memory and writes them anew


def load_role(cache_dir: str, role: str) -> RoleCache:
    """Return what is kept of a role, nothing where there is none or it cannot be trusted."""
    if not cache_dir:
        return RoleCache()
    try:
        tree = Tree(cache_dir)
    except (OSError, StorageError):
        return RoleCache()
    try:
        return load_cache(tree.read(_file(role))[0]) if _is_ours(tree) else RoleCache()
    except (OSError, StorageError):
        return RoleCache()
    finally:
        tree.close()


def load_known(cache_dir: str) -> FigureCache:
    """Return the cached figures of roles, none where there are none or they cannot be trusted. Blocks."""
    data = b""
    with _opened(cache_dir) as tree:
        data = tree.read(FIGURES)[0] if tree is not None else b""
    return load_figures(data)


def keep_known(cache_dir: str, known: FigureCache) -> None:
    """Write the figures of roles for the next start. Blocks; a cache that cannot be written costs a slower start."""
    with _opened(cache_dir, make=True) as tree:
        if tree is not None:
            replace(tree, FIGURES, dump_cache(known))


def kept_lexicon(parsed: Parsed, cache: RoleCache, *, kept: bool = False) -> Lexicon:
    """Return the terms of what is written in a file's memories, in their order: from the cache, where it has them.

    `kept`: the cache is of this very file.
    """
    memories = [entry.memory for entry in parsed.entries]
    if kept:
        return Lexicon.of(cache.rows, [one.id for one in memories])
    known, made = Lexicon.of(cache.rows, cache.keys), Lexicon()
    made.load((one.id, known.weights(cache_key(one)) or weights_of(one)) for one in memories)
    return made


def stands_in(parsed: Parsed, cache: RoleCache) -> dict[str, bool]:
    """Return who stands in every conversation, of the memories of whom the cache of this very file knows that."""
    known = zip(parsed.entries, cache.stands, strict=True)
    return {entry.memory.id: stand == YES for entry, stand in known if stand != ANEW}


def standing_in(parsed: Parsed, compiled: Compiled) -> bytes:
    """Return who of a file's memories stands in every conversation, in their order: NO, YES, or ANEW where others are about."""
    found = bytearray()
    for memory, _ in parsed.entries:
        held = compiled.memories.get(memory.id)
        known = held is not None and held.text == memory.text and held.constant == memory.constant
        found.append((YES if memory.id in compiled.constants else NO) if known else ANEW)
    return bytes(found)


def cache_made(parsed: Parsed, rows: Rows, stands: bytes, compiled: Compiled) -> RoleCache:
    """Return what is to be kept of a role as its file was read, with the times that are known of it by now."""
    return with_times(kept_of(parsed, rows, stands), (one for one, _ in parsed.entries), compiled)


def cache_now(role: str, document: Document, compiled: Compiled) -> RoleCache:
    """Return what is to be kept of a role as its file was last read or written. Blocks."""
    parsed = load(document.dump(), memory_file(role), role)
    known, lexicon = compiled.memories, Lexicon()
    lexicon.load((one.id, _known_weights(known.get(one.id), one, compiled.lexicon)) for one, _ in parsed.entries)
    return cache_made(parsed, lexicon.rows(), standing_in(parsed, compiled), compiled)


def cache_with_times(cache_dir: str, role: str, compiled: Compiled) -> RoleCache | None:
    """Return what is kept of a role with the times that its memories' words were found to tell; None where nothing is, or is to go. Blocks."""
    cache = load_role(cache_dir, role)
    memories = memories_of(cache)
    if memories is None or role in erased_roles(cache_dir):
        return None
    return with_times(cache, memories, compiled)


def _known_weights(held: Memory | None, memory: Memory, lexicon: Lexicon) -> dict[str, float]:
    same = held is not None and cache_key(held) == cache_key(memory)
    return lexicon.weights(memory.id) if same else weights_of(memory)


def keep_roles(cache_dir: str, caches: Mapping[str, RoleCache]) -> None:
    """Write what is kept of roles, each to its own file. Blocks; a cache that cannot be written costs a slower start."""
    try:
        _save_roles(cache_dir, caches)
    except (OSError, StorageError) as error:
        logger.info("no cache of roles: %s", error)


def _save_roles(cache_dir: str, caches: Mapping[str, RoleCache]) -> None:
    if not cache_dir or not caches:
        return
    os.makedirs(cache_dir, mode=0o700, exist_ok=True)
    tree = Tree(cache_dir)
    try:
        if _is_ours(tree):
            for name, cache in caches.items():
                replace(tree, _file(name), dump_cache(cache))
    finally:
        tree.close()


def note_erasure(cache_dir: str, role: str) -> None:
    """Note that a memory of a role is being erased, so that the cache gives it up even after a kill. Blocks."""
    with _opened(cache_dir, make=True) as tree:
        if tree is not None:
            append(tree, ERASED, role.encode() + b"\n")


def erased_roles(cache_dir: str) -> list[str]:
    """Return the roles of which the cache may still have words of erased memories. Blocks."""
    with _opened(cache_dir) as tree:
        said = (read_side(tree, ERASED) or b"") if tree is not None else b""
    return sorted(set(said.decode("utf-8", "replace").split("\n")) - {""})


def give_up(cache_dir: str, roles: Iterable[str], *, index: bool) -> None:
    """Remove what the cache has of these roles, and with `index` the full-text index, and the note of it. Blocks."""
    with _opened(cache_dir) as tree:
        if tree is None:
            return
        for name in (*map(_file, roles), VECTORS, *([MANIFEST] if index else []), ERASED):
            tree.remove(name)
        if index:
            shutil.rmtree(f"{tree.path}/{FOLDER}", ignore_errors=True)


@contextmanager
def _opened(cache_dir: str, *, make: bool = False) -> Iterator[Tree | None]:
    """Open the cache, or yield None where there is none that is ours; what fails there fails nothing."""
    tree: Tree | None = None
    with suppress(OSError, StorageError):
        if make and cache_dir:
            os.makedirs(cache_dir, mode=0o700, exist_ok=True)
        tree = Tree(cache_dir) if cache_dir else None
    try:
        with suppress(OSError, StorageError):
            yield tree if tree is not None and _is_ours(tree) else None
    finally:
        if tree is not None:
            tree.close()


def _is_ours(tree: Tree) -> bool:
    found = tree.system.fstat(tree.root)
    return found.st_uid == os.geteuid() and not found.st_mode & 0o022


def _file(role: str) -> str:
    return f"terms-{hashlib.sha256(role.encode()).hexdigest()[:16]}.bin"
