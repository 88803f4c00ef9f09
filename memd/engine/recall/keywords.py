"""Many keys at once: which memories' keys occur in a text.

Keys are substrings of the folded text. Where a key begins or ends with a letter of a spaced script, that edge must be
the edge of a word; Han, Kana and Hangul need no edge, so 手机 is found in `iPhone手机`.

Source
    Aho and Corasick 1975, by ahocorasick-rs; DESIGN 5.1 for whole words.
"""

from __future__ import annotations

from collections.abc import Iterable

from ahocorasick_rs import AhoCorasick, MatchKind

from memd.text.fold import squeeze
from memd.text.scripts import is_spaced_letter

FRESH_KEYS = 512  # this many new keys wait in a small automaton before the large one is built again


class Keys:
    """Owners (ids of the caller) by their keys. A change costs a small automaton, not the whole one."""

    def __init__(self, *, whole_words: bool = True) -> None:
        self.whole_words = whole_words
        self._owners: dict[str, set[str]] = {}
        self._keys: dict[str, tuple[str, ...]] = {}
        self._settled: tuple[list[str], AhoCorasick | None] = ([], None)
        self._known: set[str] = set()
        self._fresh: list[str] = []
        self._fresh_automaton: AhoCorasick | None = None

    def put(self, owner: str, keys: Iterable[str]) -> None:
        """Hold these keys for an owner, in place of those held before."""
        self.drop(owner)
        folded = tuple(dict.fromkeys(key for key in map(squeeze, keys) if key))
        if not folded:
            return
        self._keys[owner] = folded
        for key in folded:
            self._owners.setdefault(key, set()).add(owner)
            if key not in self._known:
                self._known.add(key)
                self._fresh.append(key)
                self._fresh_automaton = None

    def drop(self, owner: str) -> None:
        """Forget an owner's keys. The automaton still knows them; nobody owns them."""
        for key in self._keys.pop(owner, ()):
            owners = self._owners[key]
            owners.discard(owner)
            if not owners:
                del self._owners[key]

    def owners(self, key: str) -> int:
        """Return how many owners a folded key has."""
        return len(self._owners.get(key, ()))

    def scan(self, text: str) -> dict[str, list[str]]:
        """Return the owners whose keys occur in the text, each with its folded keys in order of appearance."""
        folded = squeeze(text)
        found: dict[str, None] = {}
        for keys, automaton in self._automata():
            for index, start, end in automaton.find_matches_as_indexes(folded, overlapping=True):
                key = keys[index]
                if key not in found and (not self.whole_words or _is_whole(folded, start, end)):
                    found[key] = None
        hits: dict[str, list[str]] = {}
        for key in found:
            for owner in self._owners.get(key, ()):
                hits.setdefault(owner, []).append(key)
        return hits

    def settle(self) -> None:
        """Build the large automaton of all keys that are owned now."""
        keys = list(self._owners)
        self._settled = (keys, _automaton(keys))
        self._known = set(keys)
        self._fresh, self._fresh_automaton = [], None

    def _automata(self) -> Iterable[tuple[list[str], AhoCorasick]]:
        if len(self._fresh) > max(FRESH_KEYS, len(self._settled[0]) // 4):
            self.settle()
        if self._settled[1]:
            yield self._settled[0], self._settled[1]
        if self._fresh:
            if self._fresh_automaton is None:
                self._fresh_automaton = _automaton(self._fresh)
            if self._fresh_automaton:
                yield self._fresh, self._fresh_automaton


def _automaton(keys: list[str]) -> AhoCorasick | None:
    return AhoCorasick(keys, matchkind=MatchKind.Standard) if keys else None


def _is_whole(text: str, start: int, end: int) -> bool:
    return not (_joins(text, start - 1, start) or _joins(text, end - 1, end))


def _joins(text: str, left: int, right: int) -> bool:
    if left < 0 or right >= len(text):
        return False
    return is_spaced_letter(text[left]) and is_spaced_letter(text[right])
