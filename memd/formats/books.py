"""A lorebook as it lies in a role's books/: bytes to entries, every fault with its place.

World Info files as they are; what other programs write is read through `formats/foreign`. Entries are read one by one:
a bad one is told and left out, the others serve.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from memd.errors import BadEntryError, Fault, RejectedFileError
from memd.formats.foreign import lorebook_of
from memd.formats.json_file import read_json
from memd.formats.lore_entry import to_entry

if TYPE_CHECKING:
    from memd.model.lore import Entry

BOOK_BYTES = 128 * 1024 * 1024
MOST_ENTRIES = 200_000
TOLD = 50  # faults of one book


class Book(NamedTuple):
    """A book's entries in the order of its file, what it is, and what is wrong with it."""

    entries: tuple[Entry, ...]
    form: str
    faults: tuple[Fault, ...]


def load_book(data: bytes, name: str) -> Book:
    """Return what a book's bytes hold. `name` is its file. RejectedFileError where the file as a whole is no book."""
    value = read_json(data, name)
    try:
        form, book = lorebook_of(value)
    except (TypeError, ValueError, AttributeError, KeyError) as error:
        raise RejectedFileError(Fault(name, 1, 1, f"its members are of no lorebook: {error}", "book.unknown")) from None
    if book is None:
        raise RejectedFileError(Fault(name, 1, 1, "this is no lorebook of a form memd knows", "book.unknown"))
    raw = book["entries"]
    pairs = list(raw.items()) if isinstance(raw, dict) else [(str(number), one) for number, one in enumerate(raw)]
    faults: list[Fault] = []
    if len(pairs) > MOST_ENTRIES:
        faults.append(Fault(name, 1, 1, f"{len(pairs)} entries, the first {MOST_ENTRIES} serve", "book.too_many"))
    entries: list[Entry] = []
    title = name.rpartition("/")[2].removesuffix(".json")
    seen: set[str] = set()
    for key, one in pairs[:MOST_ENTRIES]:
        uid = str(one.get("uid", key) if isinstance(one, dict) else key)[:80]
        if uid in seen:
            uid = f"{uid}+{key}"[:160]
        seen.add(uid)
        odd: list[str] = []
        try:
            entry = to_entry(one, f"{title.replace(':', '_')}:{uid}", title, odd.append)
        except BadEntryError as error:
            faults.append(Fault(name, 1, 1, f"entry {uid}: {error}", "book.entry"))
            continue
        entries.append(entry)
        faults += [Fault(name, 1, 1, f"entry {uid}: {why}", "book.odd") for why in odd]
    return Book(tuple(entries), form, tuple(faults[:TOLD]))
