"""The pages that name a role and keys, read at once by a command that has no daemon to follow the files for it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from memd.errors import MemdError
from memd.formats.documents import documents_of, limit_of
from memd.model.files import Purpose, purpose_of
from memd.storage.listing import walk

if TYPE_CHECKING:
    from memd.model.document import Document
    from memd.storage.files import Tree
    from memd.store.store import Store

HEADER = b"---"
BOM = b"\xef\xbb\xbf"


async def read_keyed_pages(store: Store) -> None:
    """Put the pages with a role and keys into the library, once."""
    if not store.library.keyed:
        store.library.keyed = await asyncio.to_thread(_keyed_pages, store.tree)


def _keyed_pages(tree: Tree) -> dict[str, Document]:
    found: dict[str, Document] = {}
    for name in walk(tree).files:
        if purpose_of(name) is not Purpose.PAGE:
            continue
        try:
            data = tree.read(name, limit_of(name))[0]
            documents = documents_of(name, data).documents if data.removeprefix(BOM).startswith(HEADER) else ()
        except (MemdError, FileNotFoundError):
            continue
        found.update((one.key, one) for one in documents if one.role and one.keys)
    return found
