"""What the index on disk does not have as it is now: to be hidden in its answers, and to be judged beside them."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, NamedTuple

from memd.model.files import Purpose, purpose_of, role_of
from memd.model.search import Document, memory_key, of_memory
from memd.storage.layout import memory_file

if TYPE_CHECKING:
    from memd.store.following.indexing import Indexing
    from memd.store.store import Store

AT_HAND = 2000  # files that are read to answer for an index that does not know them yet


class Lacking(NamedTuple):
    """At one moment: keys and roles to hide; documents, and names of files whose documents are to be read."""

    masked: set[str]
    roles: set[str]
    documents: list[Document]
    names: list[str]


NOTHING = Lacking(set(), set(), [], [])


def lacks(store: Store, indexing: Indexing, asked: Collection[str], *, sessions_only: bool) -> Lacking:
    """Return what the index lacks now, of the roles `asked`, or of all where none is.

    Where only its sessions are asked, what it lacks of the rest is no matter.
    """
    files = indexing.manifest.files if indexing.manifest else {}
    names = [name for name in indexing.dirty if purpose_of(name) is not Purpose.MEMORY]
    documents: list[Document] = []
    for name in list(names):
        late = _late(indexing, name)
        if late is not None:  # it has only grown: what the index has of it stands
            documents += late
            names.remove(name)
    masked = {key for name in names if name in files for key in files[name].documents}
    if sessions_only:
        return Lacking(masked, set(), documents, [one for one in names if purpose_of(one) is Purpose.SESSION][:AT_HAND])
    roles: set[str] = set()
    for role in store.roles.values():
        if not role.is_open and asked and role.name not in asked:
            roles.add(role.name)  # none of it is asked for
            continue
        memories = role.compiled.memories
        if role.marks.touched is None:
            roles.add(role.name)
        # The index has every memory as it is written: where only a part of one holds, that part is judged here.
        touched = None if role.marks.touched is None else role.marks.touched | role.compiled.partial
        if touched is not None:
            masked |= {memory_key(role.name, memory_id) for memory_id in touched}
        ids = list(memories) if touched is None else [one for one in touched if one in memories]
        documents += [of_memory(role.name, memories[one], memory_file(role.name)) for one in ids]
    gone = {role_of(name) for name in files if purpose_of(name) is Purpose.MEMORY} - store.roles.keys()
    return Lacking(masked, roles | gone, documents, names[:AT_HAND])


def _late(indexing: Indexing, name: str) -> list[Document] | None:
    """Return what was appended to a session since the index was built; None where that cannot be told."""
    had = indexing.grown_from(name)
    held = indexing.library.held.get(name)
    return held.growth.since(had) if had is not None and held is not None and held.growth is not None else None
