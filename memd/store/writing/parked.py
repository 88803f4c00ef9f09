"""Look after what was exchanged out of a role's directory, and what found no place in its file.

A parked file is removed when nobody has it open any more and it still holds what it held; otherwise an editor wrote to
it late, and its changes are merged like any save.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from memd.engine.merge import diff
from memd.errors import RejectedFileError, StorageError
from memd.formats.records import pretty
from memd.formats.role_reader import load
from memd.storage.files import TEMPORARY_SUFFIX, Tree
from memd.storage.layout import conflict_copy, memory_file, role_dir
from memd.storage.replace import create

if TYPE_CHECKING:
    from memd.model.change import Change, Conflict
    from memd.store.role.parts import Parked

GRACE_S = 2.0  # a file that was exchanged out is kept at least this long


@dataclass(slots=True)
class Swept:
    """What looking after the parked files came to."""

    left: list[Parked] = field(default_factory=list)
    late: list[tuple[Parked, list[Change]]] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)


def sweep(tree: Tree, role: str, parked: Sequence[Parked], now_s: float) -> Swept:
    """Remove parked files that nobody can write to any more, and return what was written to the others.

    Where the system cannot tell whether a file is open elsewhere, it stays for GRACE_S after the exchange.
    """
    result = Swept()
    for one in parked:
        try:
            _look_at(tree, role, one, now_s, result)
        except FileNotFoundError:
            continue  # somebody removed it: there is nothing left to look after
        except (OSError, StorageError):
            result.left.append(one)
    return result


def _look_at(tree: Tree, role: str, one: Parked, now_s: float, result: Swept) -> None:
    opened = tree.open_elsewhere(one.temporary)
    if opened or (opened is None and now_s - one.since_s < GRACE_S):
        result.left.append(one)
        return
    data = tree.read(one.temporary)[0]
    if data == one.document.dump():
        tree.remove(one.temporary)
        return
    try:
        theirs = load(data, one.temporary, role).document
    except RejectedFileError:
        result.kept.append(keep_aside(tree, role, one.temporary, data))
        return
    result.late.append((one, diff(one.document, theirs, role)))


def leftovers(tree: Tree, role: str) -> list[str]:
    """Return the temporaries of memory.json that a killed process left."""
    prefix = ".memory.json."
    return [
        f"{role_dir(role)}/{entry.name}"
        for entry in tree.entries(role_dir(role))
        if entry.is_file and entry.name.startswith(prefix) and TEMPORARY_SUFFIX in entry.name
    ]


def keep_aside(tree: Tree, role: str, temporary: str, data: bytes) -> str:
    """Turn a temporary into a conflict copy beside the file, and return its name."""
    name = conflict_copy(memory_file(role), data, time.time())
    try:
        tree.rename(temporary, name)
    except FileExistsError:
        tree.remove(temporary)
    return name


def write_conflicts(tree: Tree, role: str, conflicts: Sequence[Conflict]) -> str:
    """Write what found no place to a conflict copy beside the file, and return its name."""
    data = pretty(
        [
            {
                "kind": one.change.kind.value,
                "id": one.change.id,
                "why": one.why,
                "wanted": one.change.after,
                "before": one.change.before,
                "standing": one.standing,
            }
            for one in conflicts
        ]
    ).encode()
    name = conflict_copy(memory_file(role), data, time.time())
    try:
        create(tree, name, data + b"\n")
    except FileExistsError:
        return name
    return name
