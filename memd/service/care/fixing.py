"""check --fix: mend what is certain, as an editor would: read, change, put in place, never over somebody's save."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Iterator

from memd.errors import Fault, RejectedFileError
from memd.formats.role_reader import load, mend
from memd.model.files import Purpose, purpose_of, role_of
from memd.storage.files import UNFINISHED_SUFFIX, Tree, identity_of
from memd.storage.replace import replace_if

OLD_S = 60.0  # a temporary younger than this may be somebody's who is writing


def fix(tree: Tree, faults: Iterable[Fault], now_s: float, limit_bytes: int) -> list[str]:
    """Mend what these faults tell and can be mended without a choice; return a sentence for each thing done."""
    done: list[str] = []
    told = list(faults)
    for name in sorted(
        {fault.name for fault in told if fault.code in ("memory.dead_key", "memory.duplicate_id", "memory.unbacked")}
    ):
        if purpose_of(name) is Purpose.MEMORY:
            done += [f"{name}: {change}" for change in _mend(tree, name, limit_bytes)]
    for fault in told:
        if (
            fault.code == "file.leftover"
            and fault.name.endswith(UNFINISHED_SUFFIX)
            and _is_old(tree, fault.name, now_s)
        ):
            tree.remove(fault.name)
            done.append(f"{fault.name}: removed; it was never put in place")
    return done


def _mend(tree: Tree, name: str, limit_bytes: int) -> tuple[str, ...]:
    data = tree.read(name, limit_bytes)[0]
    try:
        parsed = load(data, name, role_of(name))
    except RejectedFileError:
        return ()
    mended = mend(parsed, _new_ids())
    if mended.changes:
        replace_if(tree, name, mended.document.dump(), data)
    return mended.changes


def _new_ids() -> Iterator[str]:
    while True:
        yield str(uuid.uuid4())


def _is_old(tree: Tree, name: str, now_s: float) -> bool:
    with tree.directory(name) as (at, leaf):
        state = identity_of(tree.system.stat(leaf, at=at))
    return now_s - state.modified_ns / 1e9 > OLD_S
