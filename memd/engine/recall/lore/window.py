"""The text that a scan looks at: the newest messages, and what activated entries said.

One reading of each text serves all keys. Depth counts messages from the newest; nothing is found at depth 0.

Source
    docs/design/world-info.md#one-evaluation: the window is the messages with a mark before each, then what recursion added; that
    minimum-activations passes leave out what recursion added.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from collections.abc import Set as AbstractSet

from memd.engine.recall.lore.entries import FOLD, START, Folding, Lore, Probe
from memd.engine.recall.lore.patterns import Pattern

DEEPEST = 1000
PATTERNS_S = 0.1
_FAR = 1 << 30


class Window:
    """Messages newest first. `widen` before asking."""

    def __init__(self, lore: Lore, messages: Sequence[str], clock: Callable[[], float]) -> None:
        self._clock, self._left_s = clock, PATTERNS_S
        self._lore = lore
        self._messages = messages
        self._read = 0
        self._echoes: list[str] = []
        self._first: dict[Folding, dict[str, list[int]]] = {folding: {} for folding in Folding}
        self._echoed: dict[Folding, dict[str, bool]] = {folding: {} for folding in Folding}
        self._texts: dict[tuple[int, bool], str] = {}
        self._judged: dict[tuple[str, int, bool], bool] = {}

    def __len__(self) -> int:
        return len(self._messages)

    @property
    def has_echo(self) -> bool:
        """Whether recursion added anything."""
        return bool(self._echoes)

    def widen(self, depth: int) -> None:
        """Read the messages down to this depth, those that were not read yet."""
        for index in range(self._read, min(depth, len(self._messages), DEEPEST)):
            for folding, first in self._first.items():
                for text, whole in self._lore.rings[folding].scan(self._messages[index]).items():
                    seen = first.setdefault(text, [index, _FAR])
                    if whole and seen[1] == _FAR:
                        seen[1] = index
            self._read = index + 1

    def echo(self, text: str) -> None:
        """Add what entries of a pass said."""
        self._echoes.append(text)
        for folding, echoed in self._echoed.items():
            for key, whole in self._lore.rings[folding].scan(text).items():
                echoed[key] = whole or echoed.get(key, False)
        self._texts.clear()
        self._judged.clear()

    def owners(self, folding: Folding) -> Iterator[AbstractSet[str]]:
        """Yield the ids of entries with a key anywhere in the texts that were read, of each key of this folding."""
        for key in (*self._first[folding], *self._echoed[folding]):
            yield self._lore.rings[folding].owners(key)

    def keys(self, folding: Folding, depth: int, *, whole: bool, echoes: bool) -> Iterator[str]:
        """Yield the keys that `has` tells to be there: of texts, in the newest `depth` messages or in what recursion added."""
        if depth <= 0:
            return
        for text, seen in self._first[folding].items():
            if seen[whole] < depth:
                yield text
        for text, is_whole in self._echoed[folding].items() if echoes else ():
            if is_whole or not whole:
                yield text

    def has(self, probe: Probe, depth: int, *, whole: bool, echoes: bool) -> bool:
        """Tell whether a key is in the newest `depth` messages, or, with `echoes`, in what recursion added."""
        if depth <= 0:
            return False
        if probe.pattern or probe.spans:
            return self._judge(probe, min(depth, DEEPEST), echoes=echoes)
        whole = whole and not probe.anywhere
        seen = self._first[probe.folding].get(probe.text)
        if seen is not None and seen[whole] < depth:
            return True
        if not echoes:
            return False
        echoed = self._echoed[probe.folding].get(probe.text)
        return echoed is not None and (echoed or not whole)

    def newest(self, folding: Folding, text: str) -> int:
        """Return the index of the newest message that has a plain key; 0 where that is not known."""
        seen = self._first[folding].get(text)
        return seen[0] if seen else 0

    def _judge(self, probe: Probe, depth: int, *, echoes: bool) -> bool:
        key = (probe.raw, depth, echoes)
        found = self._judged.get(key)
        if found is None:
            text = self._text(depth, echoes=echoes)
            found = self._matches(probe.pattern, text) if probe.pattern else probe.text in FOLD[probe.folding](text)
            self._judged[key] = found
        return found

    def _matches(self, pattern: Pattern, text: str) -> bool:
        """Ask a pattern while there is time for patterns; together they have PATTERNS_S in one evaluation."""
        if self._left_s <= 0:
            return False
        began = self._clock()
        found = pattern.has(text)
        self._left_s -= self._clock() - began
        return found

    def _text(self, depth: int, *, echoes: bool) -> str:
        key = (depth, echoes and bool(self._echoes))
        text = self._texts.get(key)
        if text is None:
            parts = [*self._messages[:depth], *(self._echoes if echoes else ())]
            text = self._texts[key] = START + f"\n{START}".join(parts)
        return text
