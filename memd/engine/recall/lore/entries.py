"""Entries made ready to be scanned for: their keys in automata, their patterns compiled. Changed by put and drop only."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from enum import Enum
from typing import NamedTuple

from memd.engine.recall.keywords import Keys, ascii_whole, unicode_whole
from memd.engine.recall.patterns import Pattern, pattern_of
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


class Lore:
    """Entries that are evaluated together, under one set of rules.

    `ruled`: those with a rule of their own; of the others all that have a key share what it does, so they are asked by their
    keys, once each. `simple`: the ruled that a key alone finds, though room, chance or a group may stop them then; the rest of
    the ruled are `special`.
    """

    def __init__(
        self, rules: Rules = MEMD, *, case_sensitive: bool = False, names: Mapping[str, str] | None = None
    ) -> None:
        self.rules = rules
        self.case_sensitive = case_sensitive
        self.names = dict(names or {})
        self.entries: dict[str, Ready] = {}
        self.levels: Counter[int] = Counter()
        self.standing: set[str] = set()
        self.patterned: set[str] = set()
        self.ruled: set[str] = set()
        self.simple: set[str] = set()
        self.special: set[str] = set()
        self.grouped: set[str] = set()
        self.exempt: set[str] = set()  # from the budget
        self._spelled: dict[str, dict[str, set[str]]] = {}
        whole = unicode_whole if rules.unicode_words else ascii_whole
        self.rings = {folding: Keys(FOLD[folding], whole) for folding in Folding}
        self._places: Places | None = None
        self._numbers = 0
        self._depths: Counter[int] = Counter()

    @property
    def deepest(self) -> int:
        """The deepest scan depth that an entry asks for itself."""
        return max(self._depths, default=0)

    def __len__(self) -> int:
        return len(self.entries)

    def put(self, entry: Entry, *, plain: bool = False) -> None:
        """Hold an entry in place of one of the same id, which keeps its turn among equals. `plain`: it has no rule but its keys."""
        number = self._numbers
        self._numbers += 1
        self._places = None
        if entry.id in self.entries:
            number = self.entries[entry.id].number
            self.drop(entry.id)
        primary = tuple(self._probe(key, entry) for key in entry.keys)
        secondary = tuple(self._probe(key, entry) for key in entry.secondary) if entry.selective else ()
        self.entries[entry.id] = Ready(entry, number, primary, secondary, self.named(entry.content))
        for held, belongs in ((self.grouped, bool(entry.group)), (self.exempt, entry.ignore_budget)):
            if belongs:
                held.add(entry.id)
        if entry.delay_until_recursion:
            self.levels[entry.delay_until_recursion] += 1
        if entry.scan_depth is not None:
            self._depths[entry.scan_depth] += 1
        if entry.constant or entry.always:
            self.standing.add(entry.id)
        probes = [probe for probe in (*primary, *secondary) if probe]
        if any(probe.pattern or probe.spans for probe in primary if probe):
            self.patterned.add(entry.id)
        texts: dict[Folding, list[str]] = {}
        for one in probes:
            if not one.pattern and not one.spans:
                texts.setdefault(one.folding, []).append(one.text)
        for folding, keys in texts.items():
            self.rings[folding].put(entry.id, keys)
        full = texts.get(Folding.FULL, ())
        if plain and len(set(full)) == len(full) == len(primary):
            self._spell(entry.id, probes)
            return
        self.ruled.add(entry.id)
        is_simple = not secondary and len(probes) == len(primary) and all(map(_is_simple, probes))
        (self.simple if is_simple and _is_found_by_keys(entry) else self.special).add(entry.id)

    def _spell(self, entry_id: str, probes: Iterable[Probe]) -> None:
        """Note how the keys of an entry are written, where that is not how they are folded."""
        for one in probes:
            if one.raw != one.text:
                self._spelled.setdefault(one.text, {}).setdefault(one.raw, set()).add(entry_id)

    def drop(self, entry_id: str) -> None:
        """Forget an entry."""
        ready = self.entries.pop(entry_id, None)
        if ready is None:
            return
        self._places = None
        if level := ready.entry.delay_until_recursion:
            self.levels[level] -= 1
            self.levels += Counter()
        if ready.entry.scan_depth is not None:
            self._depths[ready.entry.scan_depth] -= 1
            self._depths += Counter()
        self.standing.discard(entry_id)
        self.patterned.discard(entry_id)
        for ring in self.rings.values():
            ring.drop(entry_id)
        for one in ready.primary if entry_id not in self.ruled else ():
            if one and one.raw != one.text:
                spelled = self._spelled[one.text]
                spelled[one.raw].discard(entry_id)
                self._spelled[one.text] = {raw: owners for raw, owners in spelled.items() if owners}
                if not self._spelled[one.text]:
                    del self._spelled[one.text]
        for held in (self.ruled, self.simple, self.special, self.grouped, self.exempt):
            held.discard(entry_id)

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
        if self.ruled:
            plain = plain - self.ruled
        for raw, owners in self._spelled.get(text, {}).items():
            yield raw, owners
            plain = plain - owners
        if plain:
            yield text, plain

    def places(self, ruled: set[str]) -> Places:
        """Return the places of entries: in the order of the rules, and in the order in which they get room."""
        if self._places and ruled is self.ruled:
            return self._places
        by_order = sorted((self.entries[key] for key in ruled), key=lambda one: (-one.entry.order, one.number))
        rooms = sorted(by_order, key=lambda one: self.rules.constants_first and not one.entry.constant)
        order = {one.entry.id: place for place, one in enumerate(by_order)}
        places = Places(order, {one.entry.id: place for place, one in enumerate(rooms)}, rooms)
        if ruled is self.ruled:
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


def _is_simple(probe: Probe) -> bool:
    return not (probe.pattern or probe.spans or probe.anywhere)


def _is_found_by_keys(entry: Entry) -> bool:
    """Tell whether nothing but its keys, in the messages and the way that the settings name, says whether an entry is found."""
    elsewhere = entry.occasions or entry.only_roles or entry.not_roles or entry.disabled
    later = entry.delay or entry.delay_until_recursion or entry.exclude_recursion or entry.sticky or entry.cooldown
    ruled = entry.constant or entry.always or entry.never or elsewhere or later
    return not ruled and entry.scan_depth is None and entry.whole_words is None
