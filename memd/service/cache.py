"""Keep analysed terms between starts, in the user's cache directory: never in the workspace, never trusted blindly."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping

from memd.engine.recall.activate import Compiled
from memd.errors import StorageError
from memd.formats.token_cache import TokenCache, cache_key, dump_cache, load_cache
from memd.storage.files import Tree
from memd.storage.replace import replace


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


def save_tokens(cache_dir: str, roles: Mapping[str, Compiled]) -> None:
    """Write the terms of every role whose memories changed since."""
    if not cache_dir:
        return
    os.makedirs(cache_dir, mode=0o700, exist_ok=True)
    tree = Tree(cache_dir)
    try:
        if not _is_ours(tree):
            return
        for name, role in roles.items():
            terms: dict[bytes, tuple[list[str], list[float]]] = {}
            for memory in role.memories.values():
                weights = role.lexicon.weights(memory.id)
                terms[cache_key(memory)] = (list(weights), list(weights.values()))
            data = dump_cache(TokenCache(terms=terms))
            if tree.identify(_file(name)) is None or tree.read(_file(name))[0] != data:
                replace(tree, _file(name), data)
    finally:
        tree.close()


def _is_ours(tree: Tree) -> bool:
    found = tree.system.fstat(tree.root)
    return found.st_uid == os.geteuid() and not found.st_mode & 0o022


def _file(role: str) -> str:
    return f"terms-{hashlib.sha256(role.encode()).hexdigest()[:16]}.bin"
