"""Numbers beside what is counted, as English has them."""

from __future__ import annotations

VOWELS = "aeiou"
HISSED = ("ch", "sh", "s", "x")


def counted(number: int, word: str) -> str:
    """Return a number with what is counted: 1 event, 2 events, 2 memories, 2 days, 2 batches."""
    return f"{number} {word if number == 1 else _several(word)}"


def _several(word: str) -> str:
    if word.endswith("y") and word[-2:-1] not in VOWELS:
        return f"{word[:-1]}ies"
    return f"{word}es" if word.endswith(HISSED) else f"{word}s"
