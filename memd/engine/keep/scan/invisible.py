"""Characters that a person does not see and a model reads.

Joiners inside emoji and inside scripts that need them, flags of regions, and single breaking hints are how people
write; all else of these characters hides something.

Source
    Unicode UTS 51 (emoji sequences, tag sequences), UTR 36 and UTS 39 (bidirectional and invisible characters);
    "Trojan Source", CVE-2021-42574.
"""

from __future__ import annotations

import unicodedata

from memd.model.scan import Danger, Found
from memd.text import expressions as re
from memd.text.expressions import is_in, matches_in

_SEEN = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
_ANY = re.compile(f"[{_SEEN}]")
# What makes a terminal hide, erase or move text; colours do not.
_CONTROL = re.compile(r"\x1b\[(?:\d{1,9};){0,40}8m|\x1b\[\d{0,9}[A-KST]|\x1b[\]P^_]|[\x00-\x08\x0b\x0c\x0e-\x1a\x7f]")
_FLAG = re.compile("\U0001f3f4[\U000e0061-\U000e007a\U000e0030-\U000e0039]{2,8}\U000e007f")  # Wales, Texas, ...
_DIRECTION = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
_EMBEDS = "\u202a\u202b\u202c\u2066\u2067\u2068\u2069"  # what sets a piece of the other direction apart
_MARKS = "\u200e\u200f\u061c"
_JOINED = re.compile("[\u0600-\u08ff\u0900-\u0dff\u0f00-\u109f\u1780-\u17ff\u1800-\u18af\ufb50-\ufdff\ufe70-\ufeff]")
_BREAKING = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]")  # scripts that break lines by U+200B
_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]")
_PICTURES = ("So", "Sk", "Sm")
LEAST_SYLLABLE = 3

WHY = {
    "tags": "letters written in invisible tag characters",
    "direction": "characters that turn the direction of reading",
    "selectors": "bytes hidden in variation selectors",
    "blanks": "characters without width between letters",
    "controls": "control characters that hide or move text",
    "fillers": "invisible filler characters",
}


def find_invisible(text: str) -> list[Found]:
    """Return the runs of characters nobody sees, but for those that a script or an emoji needs."""
    if text.isascii() and not is_in(_CONTROL, text):
        return []
    flags = {place for match in matches_in(_FLAG, text) for place in range(*match.span())}
    foreign = is_in(_RIGHT_TO_LEFT, text)
    found: list[Found] = []
    for match in matches_in(_ANY, text):
        at = match.start()
        rule = "" if at in flags else _rule(text, at, foreign=foreign)
        if not rule:
            continue
        if found and found[-1].stop == at and found[-1].rule == rule:
            found[-1] = Found(Danger.INVISIBLE, rule, found[-1].start, at + 1, WHY[rule])
        else:
            found.append(Found(Danger.INVISIBLE, rule, at, at + 1, WHY[rule]))
    found += [
        Found(Danger.INVISIBLE, "controls", *match.span(), WHY["controls"]) for match in matches_in(_CONTROL, text)
    ]
    return sorted(found, key=lambda one: one.start)


def _rule(text: str, at: int, *, foreign: bool) -> str:
    """Return the rule that a character breaks, or "" where it may stand; `foreign`: it has letters written leftwards."""
    char, before, after = text[at], text[at - 1 : at], text[at + 1 : at + 2]
    if char in _DIRECTION:
        return "" if foreign and char in _EMBEDS else "direction"
    if "\U000e0000" <= char <= "\U000e007f":
        return "tags"
    if "\U000e0100" <= char <= "\U000e01ef" or "\ufe00" <= char <= "\ufe0f":
        return _selector(text, at)
    if char in _MARKS:
        return "" if foreign else "direction"
    if char in "\u200c\u200d":
        return "" if _is_joined(before, after) else "blanks"
    if char == "\u00ad":
        return "" if _is_hyphenation(text, at) else "blanks"
    if char in "\u200b\u2060\ufeff":
        inside = before.isalnum() and after.isalnum() and not _BREAKING.match(before)
        return "blanks" if inside or (before in "\u200b\u200c\u200d\u2060\ufeff" and before) else ""
    return "fillers"


def _selector(text: str, at: int) -> str:
    """A selector says how the sign before it looks; what follows no picture, sign or Han character says something else."""
    before = text[at - 1 : at]
    if not before:
        return "selectors"
    if text[at] in "\ufe0e\ufe0f":
        return (
            ""
            if before in "ℹ〰㊗㊙Ⓜ" or unicodedata.category(before) in (*_PICTURES, "Po", "Nd", "Mn", "Cf")
            else "selectors"
        )
    is_han = "\u3400" <= before <= "\u9fff" or before >= "\U00020000"
    is_one = not ("\U000e0100" <= text[at + 1 : at + 2] <= "\U000e01ef")
    return "" if is_han and is_one else "selectors"


def _is_joined(before: str, after: str) -> bool:
    if not before or not after:
        return False
    if _JOINED.match(before):
        return True
    pictures = (*_PICTURES, "Cf", "Mn", "Me")
    return unicodedata.category(before) in (*pictures, "Sk") and unicodedata.category(after) in pictures


def _is_hyphenation(text: str, at: int) -> bool:
    """A soft hyphen between syllables of a long word is typesetting; one after every letter is not."""
    left = re.search(r"[^\W\d_]*$", text[max(0, at - LEAST_SYLLABLE) : at])
    right = re.match(r"[^\W\d_]*", text[at + 1 : at + 1 + LEAST_SYLLABLE])
    return bool(left and right and min(len(left[0]), len(right[0])) >= LEAST_SYLLABLE - 1)
