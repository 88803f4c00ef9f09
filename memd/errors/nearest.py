"""Which of the known words was meant by one that is not known: a slip of the keyboard, other capitals, a beginning."""

from __future__ import annotations

from collections.abc import Iterable

LIKE, SHORT_LIKE, SHORT_CHARS = 0.65, 0.5, 3
LONGEST_CHARS = 80


def nearest(word: str, known: Iterable[str]) -> str:
    """Return the known word that is nearest, "" where none is near."""
    import difflib  # noqa: PLC0415  only where something went wrong

    folded = {one.casefold(): one for one in known}
    asked = word.casefold()[:LONGEST_CHARS]
    if asked in folded:
        return folded[asked]
    like = SHORT_LIKE if len(asked) <= SHORT_CHARS else LIKE
    close = difflib.get_close_matches(asked, list(folded), 1, like)
    if close:
        return folded[close[0]]
    begun = [one for one in folded if len(asked) >= SHORT_CHARS and one.startswith(asked)]
    return folded[begun[0]] if len(begun) == 1 else ""


def meant(word: str, known: Iterable[str]) -> str:
    """Return a question whether the nearest known word was meant; "" where none is near."""
    found = nearest(word, known)
    return f"; did you mean {found!r}?" if found and found != word else ""
