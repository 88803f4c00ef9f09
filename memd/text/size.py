"""How many tokens a text takes, roughly, where no tokenizer is at hand.

Source
    Rule of thumb of the common tokenizers: four letters of a spaced script or one Han character make a token; what is
    estimated is rounded up, so that a budget is rather kept than broken.
"""

from __future__ import annotations

import re

from memd.text.scripts import CJK

_CJK = re.compile(f"[{CJK}]")
LETTERS = 4


def estimated_tokens(text: str) -> int:
    """Return about how many tokens a text takes."""
    wide = len(_CJK.findall(text))
    return wide + -(-(len(text) - wide) // LETTERS)
