"""Texts without their secrets: each is looked at once, and known by its digest afterwards.

Units
    *_CHARS are characters.
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass, field

from memd.engine.keep.leaves import is_bare
from memd.engine.keep.scan.secrets import without_secrets

KEPT, KEPT_CHARS = 20_000, 1_000_000  # texts that are known, and how long those with a secret are in all


@dataclass(slots=True)
class Secretless:
    """What was found lately: None for a text that has no secret, else the text without it."""

    _known: OrderedDict[bytes, str | None] = field(default_factory=OrderedDict)
    _chars: int = 0

    def of(self, text: str) -> str:
        """Return a text without its secrets, the same one where it has none."""
        if is_bare(text):
            return text
        key = _digest(text)
        if key not in self._known:
            self.keep(text, without_secrets(text))
        known = self._known[key]
        return text if known is None else known

    def lacking(self, texts: Iterable[str]) -> list[str]:
        """Return those texts, each once, that were not looked at."""
        return [one for one in dict.fromkeys(texts) if not is_bare(one) and _digest(one) not in self._known]

    def keep(self, text: str, plain: str) -> None:
        """Know what a text is without its secrets."""
        key = _digest(text)
        if key in self._known:
            return
        self._known[key] = None if plain == text else plain
        self._chars += 0 if plain == text else len(plain)
        while len(self._known) > KEPT or (self._chars > KEPT_CHARS and len(self._known) > 1):
            gone = self._known.popitem(last=False)[1]
            self._chars -= len(gone or "")


def _digest(text: str) -> bytes:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
