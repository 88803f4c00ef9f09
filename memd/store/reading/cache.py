"""Keep analysed terms between starts, in the user's cache directory: never in the workspace, never trusted blindly."""

from __future__ import annotations

import hashlib
import logging
import os
import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from memd.errors import StorageError
from memd.formats.derived import FigureCache, TokenCache, cache_key, dump_cache, load_cache, load_figures
from memd.storage.append import append
from memd.storage.files import Tree
from memd.storage.index import FOLDER, MANIFEST
from memd.storage.replace import replace
from memd.storage.side import read_side

if TYPE_CHECKING:
    from memd.engine.recall.compiled import Compiled

logger = logging.getLogger(__name__)

FIGURES = "figures.bin"
ERASED = "erased"  # the roles of which memories were erased: what the cache has of them is to go
VECTORS = "vectors.bin"  # the process that embeds has them in memory and writes them anew


def load_tokens(cache_dir: str, role: str) -> TokenCache:
    """Return the cached terms of a role, empty where there are none or they cannot be trusted."""
    if not cache_dir:
        return TokenCache()
    try:
        tree = Tree(cache_dir)
    except (OSError, StorageError):
        return TokenCache()
    try:
        return load_cache(tree.read(_file(role))[0]) if _is_ours(tree) else TokenCache()
    except (OSError, StorageError):
        return TokenCache()
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


def terms_of(role: Compiled) -> TokenCache:
    """Return the terms of a compiled role as a cache."""
    cache = TokenCache()
    for memory in role.memories.values():
        weights = role.lexicon.weights(memory.id)
        cache.terms[cache_key(memory)] = (list(weights), list(weights.values()))
    return cache


def keep_tokens(cache_dir: str, caches: Mapping[str, TokenCache]) -> None:
    """Write the terms of roles, each to its own file. Blocks; a cache that cannot be written costs a slower start."""
    try:
        _save_tokens(cache_dir, caches)
    except (OSError, StorageError) as error:
        logger.info("no token cache: %s", error)


def _save_tokens(cache_dir: str, caches: Mapping[str, TokenCache]) -> None:
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
