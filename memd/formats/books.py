"""A lorebook as it lies in a role's books/: bytes to entries, every fault with its place.

World Info files as they are; what other programs write is read through `formats/foreign`. Entries are read one by one:
a bad one is told and left out, the others serve.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from memd.errors import BadEntryError, Fault, RejectedFileError
from memd.formats.foreign.lorebooks import lorebook_of
from memd.formats.strict_json import dumps, read_json
from memd.model.lore import Entry, Logic, Position

# One entry of a World Info file: the raw object and its typed view.
#
# Fields keep World Info's names and defaults. A number written as text is taken; a number out of bounds is brought back
# to the nearest bound and told; what cannot be read at all costs the entry, not the book.
#
# Source
#     docs/design/world-info.md#the-file: fields, types, defaults, and that leading lines with @@ never reach the prompt.

MOST_KEYS = 2000
CONTENT_CHARS = 200_000
_KNOWN = ("@@activate", "@@dont_activate")


def to_entry(raw: Any, entry_id: str, book: str, oddities: Callable[[str], None] = lambda _: None) -> Entry:
    """Return the typed view of a raw entry, or raise BadEntryError. `oddities` hears what was not taken as written."""
    if not isinstance(raw, Mapping):
        raise BadEntryError("it is no object")
    read = _Reader(raw, oddities)
    decorators, content = split_decorators(read.text("content"))
    only, without = _roles(raw.get("characterFilter"))
    return Entry(
        id=entry_id,
        book=book,
        keys=read.texts("key"),
        secondary=read.texts("keysecondary"),
        content=content,
        title=read.text("comment"),
        order=read.number("order", 100, -1e9, 1e9),
        position=Position(int(read.number("position", 0, 0, 7))),
        depth=int(read.number("depth", 4, 0, 10_000)),
        speaker=int(read.number("role", 0, 0, 2)),
        constant=read.flag("constant", default=False),
        disabled=read.flag("disable", default=False),
        selective=read.flag("selective", default=True),
        logic=Logic(int(read.number("selectiveLogic", 0, 0, 3))),
        ignore_budget=read.flag("ignoreBudget", default=False),
        exclude_recursion=read.flag("excludeRecursion", default=False),
        prevent_recursion=read.flag("preventRecursion", default=False),
        delay_until_recursion=int(read.number("delayUntilRecursion", 0, 0, 1000)),
        **_chances(read),
        scan_depth=read.count("scanDepth", 1000),
        case_sensitive=read.choice("caseSensitive"),
        whole_words=read.choice("matchWholeWords"),
        sticky=int(read.number("sticky", 0, 0, 1_000_000)),
        cooldown=int(read.number("cooldown", 0, 0, 1_000_000)),
        delay=int(read.number("delay", 0, 0, 1_000_000)),
        occasions=read.texts("triggers"),
        only_roles=only,
        not_roles=without,
        always="@@activate" in decorators,
        never="@@dont_activate" in decorators,
        digest=hashlib.blake2b(dumps(dict(raw)).encode("utf-8", "surrogatepass"), digest_size=8).hexdigest(),
    )


def _chances(read: _Reader) -> dict[str, Any]:
    """Return how likely an entry comes, and how it stands in its group."""
    return {
        "probability": read.number("probability", 100, 0, 100),
        "use_probability": read.flag("useProbability", default=True),
        "group": read.text("group"),
        "group_override": read.flag("groupOverride", default=False),
        "group_weight": read.number("groupWeight", 100, 0, 1e6),
        "group_scoring": read.choice("useGroupScoring"),
    }


def split_decorators(content: str) -> tuple[list[str], str]:
    """Return the decorators that are in force, and the content without its leading lines of them."""
    if not content.startswith("@@"):
        return [], content
    found: list[str] = []
    fallback = False
    lines = content.split("\n")
    for at, line in enumerate(lines):
        if not line.startswith("@@"):
            return found, "\n".join(lines[at:])
        if line.startswith("@@@") and not fallback:
            continue
        name = line[1:] if line.startswith("@@@") else line
        if name.startswith(_KNOWN):
            found.append(name)
            fallback = False
        else:
            fallback = True
    return found, ""


def _roles(value: Any) -> tuple[tuple[str, ...], tuple[str, ...]]:
    if not isinstance(value, Mapping) or not isinstance(value.get("names"), list):
        return (), ()
    names = tuple(one for one in value["names"][:MOST_KEYS] if isinstance(one, str))
    return ((), names) if value.get("isExclude") else (names, ())


class _Reader:
    """Reads the members of one raw entry; what is null or absent has its default."""

    def __init__(self, raw: Mapping[str, Any], oddities: Callable[[str], None]) -> None:
        self._raw = raw
        self._odd = oddities

    def text(self, key: str) -> str:
        value = self._raw.get(key)
        if value is None:
            return ""
        if isinstance(value, str):
            if len(value) > CONTENT_CHARS:
                raise BadEntryError(f"`{key}` has {len(value)} characters, {CONTENT_CHARS} are allowed")
            return value
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            return str(value)
        raise BadEntryError(f"`{key}` is {_kind(value)}, a text is expected")

    def texts(self, key: str) -> tuple[str, ...]:
        value = self._raw.get(key)
        if value is None:
            return ()
        if isinstance(value, str):
            value = [part.strip() for part in value.replace("，", ",").split(",")]
        if not isinstance(value, list):
            raise BadEntryError(f"`{key}` is {_kind(value)}, a list of texts is expected")
        if len(value) > MOST_KEYS:
            raise BadEntryError(f"`{key}` has {len(value)} texts, {MOST_KEYS} are allowed")
        kept = tuple(str(one) for one in value if isinstance(one, (str, int, float)) and not isinstance(one, bool))
        if len(kept) < len(value):
            self._odd(f"`{key}` has {len(value) - len(kept)} members that are no texts")
        return kept

    def flag(self, key: str, *, default: bool) -> bool:
        value = self._raw.get(key)
        if value is None:
            return default
        if isinstance(value, str):
            return value.strip().lower() in ("true", "1", "yes")
        if isinstance(value, (bool, int, float)):
            return bool(value)
        raise BadEntryError(f"`{key}` is {_kind(value)}, true or false is expected")

    def choice(self, key: str) -> bool | None:
        return None if self._raw.get(key) is None else self.flag(key, default=False)

    def number(self, key: str, default: float, least: float, most: float) -> float:
        value = self._raw.get(key)
        if value is None or value == "":
            return default
        if isinstance(value, str):
            try:
                value = float(value)
            except ValueError:
                raise BadEntryError(f"`{key}` is no number") from None
        if not isinstance(value, (bool, int, float)):
            raise BadEntryError(f"`{key}` is {_kind(value)}, a number is expected")
        if isinstance(value, float) and math.isnan(value):
            raise BadEntryError(f"`{key}` is no number")
        kept = min(max(value, least), most)
        if kept != value:
            self._odd(f"`{key}` is {str(value)[:20]}, taken as {kept:g}")
        return kept

    def count(self, key: str, most: int) -> int | None:
        if self._raw.get(key) is None or self._raw.get(key) == "":
            return None
        return int(self.number(key, 0, 0, most))


def _kind(value: Any) -> str:
    if isinstance(value, bool):
        return "true or false"
    names: tuple[tuple[type, str], ...] = ((dict, "an object"), (list, "a list"), (str, "a text"))
    return next((name for kind, name in names if isinstance(value, kind)), "a number")


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
