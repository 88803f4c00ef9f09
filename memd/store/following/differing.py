"""What of a listing is other than what is known: the truth behind every hint."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from memd.formats.documents import is_searched
from memd.model.files import Purpose, purpose_of, role_of
from memd.model.names import is_name
from memd.storage.layout import memory_file

if TYPE_CHECKING:
    from memd.storage.listing import Listing
    from memd.store.reading.library import Library
    from memd.store.role.role import Role


def differing_names(listing: Listing, library: Library, roles: Mapping[str, Role]) -> set[str]:
    """Return the names whose state is not the one that was taken in, those that are gone included."""
    found = {name for name in library.held if name not in listing.files}
    present: set[str] = set()
    for name, identity in listing.files.items():
        if purpose_of(name) is Purpose.MEMORY:
            role = roles.get(role_of(name))
            present.add(role_of(name))
            if identity != role.file.identity if role else is_name(role_of(name)):
                found.add(name)
        elif is_searched(name) and not library.is_known(name, identity):
            found.add(name)
    found |= {
        memory_file(role.name) for role in roles.values() if role.file.identity is not None and role.name not in present
    }
    return found
