"""Many keys at once: which of them occur in a text, and whether one of the places is a whole word.

Owners hold keys; a text is read once for all of them. Scans of the last texts are kept: the same messages come again
with the next turn.

Source
    Aho and Corasick 1975, by ahocorasick-rs; docs/design/substrate.md#many-keys-at-once for whole words.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

from ahocorasick_rs import AhoCorasick, MatchKind

from memd.text.characters import is_spaced_letter

FRESH_KEYS = 512  # this many new keys wait in a small automaton before the large one is built again
KEPT_SCANS = 64
KEPT_CHARS = 4000  # a longer text is not kept

PIECE_CHARS = 4096  # of a text that is scanned at once: what is found there is held until it is looked at
MOST_MATCHES = 400_000  # of one automaton in one text, after which the rest of the text is left
MANY_KEYS, LENGTHS = 20_000, 16

Border = Callable[[str, int, int], bool]


def unicode_whole(text: str, start: int, end: int) -> bool:
    """Tell whether no edge lies inside a word of a spaced script; Han, Kana and Hangul need no edge."""
    return not (_joins(text, start - 1, start) or _joins(text, end - 1, end))


def ascii_whole(text: str, start: int, end: int) -> bool:
    """Tell whether both edges meet something that is no ASCII letter, digit or underscore, whatever the key is."""
    return not (start > 0 and _is_ascii_word(text[start - 1])) and not (end < len(text) and _is_ascii_word(text[end]))


class _Automaton(NamedTuple):
    """Keys with the automaton that finds them, and how long the longest is."""

    keys: list[str]
    longest: int
    machine: AhoCorasick


class Keys:
    """Owners (ids of the caller) by their keys. A change costs a small automaton, not the whole one."""

    def __init__(self, fold: Callable[[str], str], is_whole: Border = unicode_whole) -> None:
        self._fold = fold
        self._is_whole = is_whole
        self._owners: dict[str, str | set[str]] = {}  # most keys have one
        self._keys: dict[str, tuple[str, ...]] = {}
        self._settled: list[_Automaton] = []
        self._settled_keys = 0
        self._known: set[str] = set()
        self._fresh: list[str] = []
        self._fresh_automaton: list[_Automaton] = []
        self._scans: OrderedDict[str, Mapping[str, bool]] = OrderedDict()

    def put(self, owner: str, keys: Iterable[str]) -> None:
        """Hold these keys, folded already, for an owner in place of those held before."""
        self.drop(owner)
        held = tuple(dict.fromkeys(key for key in keys if key))
        if not held:
            return
        self._keys[owner] = held
        for key in held:
            owners = self._owners.setdefault(key, owner)
            if isinstance(owners, set):
                owners.add(owner)
            elif owners is not owner:
                self._owners[key] = {owners, owner}
            if key not in self._known:
                self._known.add(key)
                self._fresh.append(key)
                self._fresh_automaton = []
                self._scans.clear()

    def drop(self, owner: str) -> None:
        """Forget an owner's keys. The automaton still knows them; nobody owns them."""
        for key in self._keys.pop(owner, ()):
            owners = self._owners[key]
            if isinstance(owners, set) and len(owners) > 1:
                owners.discard(owner)
            else:
                del self._owners[key]

    def owners(self, key: str) -> set[str] | frozenset[str]:
        """Return the owners of a folded key."""
        owners = self._owners.get(key, frozenset[str]())
        return frozenset((owners,)) if isinstance(owners, str) else owners

    def scan(self, text: str) -> Mapping[str, bool]:
        """Return the keys that occur in the text in order of appearance; True where one place is a whole word."""
        known = self._scans.get(text)
        if known is not None:
            self._scans.move_to_end(text)
            return known
        if not self._owners:
            return {}
        folded = self._fold(text)
        found: dict[str, bool] = {}
        for key, start, end in self.places(folded):
            if not found.get(key, False):
                found[key] = self._is_whole(folded, start, end)
        if len(text) <= KEPT_CHARS:
            self._scans[text] = found
            if len(self._scans) > KEPT_SCANS:
                self._scans.popitem(last=False)
        return found

    def places(self, folded: str) -> Iterator[tuple[str, int, int]]:
        """Yield every place of every key in a text that is folded already: the key, its first character, the one behind."""
        for keys, longest, machine in self._automata():
            left = MOST_MATCHES
            for at in range(0, len(folded), PIECE_CHARS):
                end_of_piece = at + PIECE_CHARS
                piece = folded[max(0, at - longest + 1) : end_of_piece]
                shift = max(0, at - longest + 1)
                matches = machine.find_matches_as_indexes(piece, overlapping=True)
                for index, start, end in matches:
                    if end + shift > at:  # what ends before was found in the piece before
                        yield keys[index], start + shift, end + shift
                left -= len(matches)
                if left < 0:
                    break

    def settle(self) -> None:
        """Build the large automaton of all keys that are owned now."""
        keys = list(self._owners)
        self._settled, self._settled_keys = _automata(keys), len(keys)
        self._known = set(keys)
        self._fresh, self._fresh_automaton = [], []
        self._scans.clear()

    def _automata(self) -> Iterable[_Automaton]:
        if len(self._fresh) > max(FRESH_KEYS, self._settled_keys // 4):
            self.settle()
        if self._fresh and not self._fresh_automaton:
            self._fresh_automaton = _automata(self._fresh)
        return (*self._settled, *self._fresh_automaton)


def _automata(keys: list[str]) -> list[_Automaton]:
    """Return automata of all keys. Many keys are built by length: where some begin with others, one of all takes minutes."""
    if not keys:
        return []
    groups: dict[int, list[str]] = {}
    for key in keys:
        groups.setdefault(min(len(key), LENGTHS) if len(keys) > MANY_KEYS else 0, []).append(key)
    return [
        _Automaton(group, max(map(len, group)), AhoCorasick(group, matchkind=MatchKind.Standard))
        for group in groups.values()
    ]


def _joins(text: str, left: int, right: int) -> bool:
    if left < 0 or right >= len(text):
        return False
    return is_spaced_letter(text[left]) and is_spaced_letter(text[right])


def _is_ascii_word(char: str) -> bool:
    return char.isascii() and (char.isalnum() or char == "_")
