"""Entries made ready to be scanned for: their keys in automata, their patterns compiled. Changed by put and drop only."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from enum import Enum
from itertools import chain
from typing import NamedTuple

from memd.engine.recall.keywords import Keys, ascii_whole, unicode_whole
from memd.engine.recall.lore.patterns import Pattern, pattern_of
from memd.model.lore import MEMD, Entry, Rules
from memd.text.characters import one_width, squeeze

_JS_SPACE = "\t\n\v\f\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
_JS_BLANKS = "\t\n\v\f\r \u00a0\u1680\u2028\u2029\u202f\u205f\u3000\ufeff" + "".join(map(chr, range(0x2000, 0x200B)))
_SPACE = re.compile(f"[{_JS_SPACE}]")
_MACRO = re.compile(r"\{\{(char|user)\}\}", re.IGNORECASE)
START = "\x01"  # stands before every message that is scanned


class Folding(Enum):
    """What is done to keys and texts alike before they are compared."""

    AS_WRITTEN = "as written"
    LOWER = "lower"
    WIDTH = "width"
    FULL = "full"

    __hash__ = object.__hash__  # asked for each key of each entry; that of an enumeration is slow


FOLD: dict[Folding, Callable[[str], str]] = {
    Folding.AS_WRITTEN: str,
    Folding.LOWER: str.lower,
    Folding.WIDTH: one_width,
    Folding.FULL: squeeze,
}


class Probe(NamedTuple):
    """One key: a folded text, or a pattern, or a text that only the whole window can have. `raw` as it was written."""

    raw: str
    folding: Folding = Folding.AS_WRITTEN
    text: str = ""
    pattern: Pattern | None = None
    spans: bool = False
    anywhere: bool = False


class Ready(NamedTuple):
    """An entry with its probes; a key that can match nothing has None."""

    entry: Entry
    number: int
    primary: tuple[Probe | None, ...]
    secondary: tuple[Probe | None, ...]
    content: str = ""  # with the names filled in


class Places(NamedTuple):
    """The places of entries by their ids: in the order of the rules, and in that in which they get room; and the latter itself."""

    order: Mapping[str, int]
    room: Mapping[str, int]
    rooms: Sequence[Ready]


class Entries(Mapping[str, Ready]):
    """Entries by id. Of one that has no rule but its keys only these are held: the rest is made for whoever asks."""

    def __init__(self, make: Callable[[Entry, int], Ready]) -> None:
        self._make = make
        self._ruled: dict[str, Ready] = {}
        self._plain: dict[str, tuple[int, tuple[str, ...]]] = {}

    def __getitem__(self, key: str) -> Ready:
        made = self._ruled.get(key)
        if made is not None:
            return made
        number, keys = self._plain[key]
        return self._make(plain_entry(key, keys), number)

    def __contains__(self, key: object) -> bool:
        return key in self._plain or key in self._ruled

    def __iter__(self) -> Iterator[str]:
        return chain(self._ruled, self._plain)

    def __len__(self) -> int:
        return len(self._ruled) + len(self._plain)

    def number(self, key: str) -> int:
        """Return the turn of an entry among equals."""
        plain = self._plain.get(key)
        return plain[0] if plain else self._ruled[key].number

    def hold(self, ready: Ready) -> None:
        """Hold an entry."""
        self._ruled[ready.entry.id] = ready

    def hold_plain(self, key: str, number: int, keys: tuple[str, ...]) -> None:
        """Hold an entry by its keys."""
        self._plain[key] = number, keys

    def plain_keys(self, key: str) -> tuple[str, ...]:
        """Return the keys of an entry that has no rule but these; () where it has."""
        return self._plain.get(key, (0, ()))[1]

    def let_go(self, key: str) -> None:
        """Forget an entry."""
        self._ruled.pop(key, None)
        self._plain.pop(key, None)


class Ruled:
    """The ids of entries with a rule of their own, by what it is.

    `simple`: those that a key alone finds, though room, chance or a group may stop them then; the rest are `special`.
    """

    def __init__(self) -> None:
        self.all: set[str] = set()
        self.simple: set[str] = set()
        self.special: set[str] = set()
        self.standing: set[str] = set()
        self.patterned: set[str] = set()
        self.grouped: set[str] = set()
        self.levels: Counter[int] = Counter()  # of recursion that they wait for
        self.depths: Counter[int] = Counter()  # of messages that they ask for themselves

    def put(self, ready: Ready, *, patterned: bool, simple: bool) -> None:
        """Note an entry."""
        entry = ready.entry
        self.all.add(entry.id)
        (self.simple if simple else self.special).add(entry.id)
        if entry.constant or entry.always:
            self.standing.add(entry.id)
        if patterned:
            self.patterned.add(entry.id)
        if entry.group:
            self.grouped.add(entry.id)
        if entry.delay_until_recursion:
            self.levels[entry.delay_until_recursion] += 1
        if entry.scan_depth is not None:
            self.depths[entry.scan_depth] += 1

    def drop(self, entry: Entry) -> None:
        """Forget an entry."""
        if entry.delay_until_recursion:
            self.levels[entry.delay_until_recursion] -= 1
            self.levels += Counter()
        if entry.scan_depth is not None:
            self.depths[entry.scan_depth] -= 1
            self.depths += Counter()
        for held in (self.all, self.simple, self.special, self.standing, self.patterned, self.grouped):
            held.discard(entry.id)


class Lore:
    """Entries that are evaluated together, under one set of rules.

    `ruled`: those with a rule of their own; of the others all that have a key share what it does, so they are asked by their
    keys, once each.
    """

    def __init__(
        self, rules: Rules = MEMD, *, case_sensitive: bool = False, names: Mapping[str, str] | None = None
    ) -> None:
        self.rules = rules
        self.case_sensitive = case_sensitive
        self.names = dict(names or {})
        self.entries = Entries(self._ready)
        self.ruled = Ruled()
        self.exempt = 0  # so many need no budget
        self._spelled: dict[str, dict[str, set[str]]] = {}
        whole = unicode_whole if rules.unicode_words else ascii_whole
        self.rings = {folding: Keys(FOLD[folding], whole) for folding in Folding}
        self._places: Places | None = None
        self._numbers = 0

    @property
    def deepest(self) -> int:
        """The deepest scan depth that an entry asks for itself."""
        return max(self.ruled.depths, default=0)

    def __len__(self) -> int:
        return len(self.entries)

    def put(self, entry: Entry) -> None:
        """Hold an entry in place of one of the same id, which keeps its turn among equals."""
        ready = self._ready(entry, self._turn(entry.id))
        self.entries.hold(ready)
        self.exempt += entry.ignore_budget
        primary, secondary = ready.primary, ready.secondary
        probes = [probe for probe in (*primary, *secondary) if probe]
        texts: dict[Folding, list[str]] = {}
        for one in probes:
            if not one.pattern and not one.spans:
                texts.setdefault(one.folding, []).append(one.text)
        for folding, keys in texts.items():
            self.rings[folding].put(entry.id, keys)
        is_simple = not secondary and len(probes) == len(primary) and all(map(_is_simple, probes))
        patterned = any(probe.pattern or probe.spans for probe in primary if probe)
        self.ruled.put(ready, patterned=patterned, simple=is_simple and _is_found_by_keys(entry))

    def put_plain(self, entry_id: str, keys: tuple[str, ...]) -> None:
        """Hold an entry that has no rule but its keys, in place of one of the same id."""
        spelled = self._spelled_plainly(keys)
        if spelled is None:
            self.put(plain_entry(entry_id, keys))
            return
        self.entries.hold_plain(entry_id, self._turn(entry_id), keys)
        self.exempt += 1
        self.rings[Folding.FULL].put(entry_id, spelled)
        for text, raw in spelled.items():
            if raw != text:
                self._spelled.setdefault(text, {}).setdefault(raw, set()).add(entry_id)

    def _turn(self, entry_id: str) -> int:
        """Return the turn among equals of an entry that is to be held, and forget the one of the same id."""
        number = self._numbers
        self._numbers += 1
        self._places = None
        if entry_id in self.entries:
            number = self.entries.number(entry_id)
            self.drop(entry_id)
        return number

    def _ready(self, entry: Entry, number: int) -> Ready:
        primary = tuple(self._probe(key, entry) for key in entry.keys)
        secondary = tuple(self._probe(key, entry) for key in entry.secondary) if entry.selective else ()
        return Ready(entry, number, primary, secondary, self.named(entry.content))

    def _spelled_plainly(self, keys: tuple[str, ...]) -> dict[str, str] | None:
        """Return keys folded, each with how it is written; None where one can match nothing or is a pattern, or two are the same."""
        if self.case_sensitive or not self.rules.fold:
            return None
        raws = [self.named(key).strip(_JS_BLANKS) for key in keys]
        spelled = {squeeze(raw): raw for raw in raws}
        if len(spelled) < len(raws) or "" in spelled or any(START in text for text in spelled):
            return None
        return None if any(raw[0] == "/" and pattern_of(raw) for raw in raws) else spelled

    def drop(self, entry_id: str) -> None:
        """Forget an entry."""
        if entry_id not in self.entries:
            return
        self._places = None
        if keys := self.entries.plain_keys(entry_id):
            self.exempt -= 1
            self._drop_plain(entry_id, keys)
        else:
            self._drop_ruled(self.entries[entry_id].entry)
        self.entries.let_go(entry_id)

    def _drop_plain(self, entry_id: str, keys: tuple[str, ...]) -> None:
        self.rings[Folding.FULL].drop(entry_id)
        for text, raw in (self._spelled_plainly(keys) or {}).items():
            if raw != text:
                spelled = self._spelled[text]
                spelled[raw].discard(entry_id)
                if not spelled[raw]:
                    del spelled[raw]
                if not spelled:
                    del self._spelled[text]

    def _drop_ruled(self, entry: Entry) -> None:
        self.exempt -= entry.ignore_budget
        self.ruled.drop(entry)
        for ring in self.rings.values():
            ring.drop(entry.id)

    def settle(self) -> None:
        """Build the automata now; else the next scan does."""
        for ring in self.rings.values():
            ring.settle()

    def load(self, entries: Iterable[Entry]) -> None:
        """Hold many entries, and build the automata once."""
        for entry in entries:
            self.put(entry)
        self.settle()

    def owners(self, probe: Probe) -> int:
        """Return how many entries have a key."""
        return 1 if probe.pattern or probe.spans else len(self.rings[probe.folding].owners(probe.text))

    def spellings(self, text: str) -> Iterator[tuple[str, AbstractSet[str]]]:
        """Yield who has a folded key and no rule of its own, by how the key is written there."""
        plain: AbstractSet[str] = self.rings[Folding.FULL].owners(text)
        if self.ruled.all:
            plain = plain - self.ruled.all
        for raw, owners in self._spelled.get(text, {}).items():
            yield raw, owners
            plain = plain - owners
        if plain:
            yield text, plain

    def places(self, ruled: set[str]) -> Places:
        """Return the places of entries: in the order of the rules, and in the order in which they get room."""
        if self._places and ruled is self.ruled.all:
            return self._places
        by_order = sorted((self.entries[key] for key in ruled), key=lambda one: (-one.entry.order, one.number))
        rooms = sorted(by_order, key=lambda one: self.rules.constants_first and not one.entry.constant)
        order = {one.entry.id: place for place, one in enumerate(by_order)}
        places = Places(order, {one.entry.id: place for place, one in enumerate(rooms)}, rooms)
        if ruled is self.ruled.all:
            self._places = places
        return places

    def keys_in(self, text: str) -> Iterator[tuple[str, set[str] | frozenset[str]]]:
        """Yield the plain keys that a text has as whole words, each with its owners."""
        for ring in self.rings.values():
            for key, whole in ring.scan(text).items():
                if whole:
                    yield key, ring.owners(key)

    def named(self, text: str) -> str:
        """Return the text with {{char}} and {{user}} filled in, where they have names."""
        if "{{" not in text:
            return text
        return _MACRO.sub(lambda found: self.names.get(found[1].lower()) or found[0], text)

    def _probe(self, key: str, entry: Entry) -> Probe | None:
        raw = self.named(key).strip(_JS_BLANKS)
        if not raw:
            return None
        pattern = pattern_of(raw) if raw[0] == "/" else None
        if pattern:
            return Probe(raw, pattern=pattern)
        strict = self.case_sensitive if entry.case_sensitive is None else entry.case_sensitive
        if self.rules.fold:
            folding = Folding.WIDTH if strict else Folding.FULL
        else:
            folding = Folding.AS_WRITTEN if strict else Folding.LOWER
        text = FOLD[folding](raw)
        if not text:
            return None
        anywhere = not self.rules.unicode_words and _SPACE.search(raw) is not None
        return Probe(raw, folding, text, None, START in text, anywhere)


def plain_entry(entry_id: str, keys: tuple[str, ...]) -> Entry:
    """Return an entry of keys alone: it has no part in recursion, and no budget of its own."""
    return Entry(entry_id, keys, ignore_budget=True, exclude_recursion=True, prevent_recursion=True)


def _is_simple(probe: Probe) -> bool:
    return not (probe.pattern or probe.spans or probe.anywhere)


def _is_found_by_keys(entry: Entry) -> bool:
    """Tell whether nothing but its keys, in the messages and the way that the settings name, says whether an entry is found."""
    elsewhere = entry.occasions or entry.only_roles or entry.not_roles or entry.disabled
    later = entry.delay or entry.delay_until_recursion or entry.exclude_recursion or entry.sticky or entry.cooldown
    ruled = entry.constant or entry.always or entry.never or elsewhere or later
    return not ruled and entry.scan_depth is None and entry.whole_words is None
