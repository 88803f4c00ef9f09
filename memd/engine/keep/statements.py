"""Cut what was said into statements, each of which could be a memory: sentences, with what belongs to them."""

from __future__ import annotations

import re
from collections.abc import Iterator

_FENCE = re.compile(r"```[\s\S]*?(?:```|\Z)|~~~[\s\S]*?(?:~~~|\Z)")
_END = re.compile(r"(?<=[。！？!?；])(?![”\"’」』）)])|(?<=[.!?])(?=\s+[\"“(]?[A-Z\u2e80-\uffff])|\n+")
_LEAD = re.compile(r"^\s*(?:[-*+•]|\d{1,3}[.)、])\s+|^\s*>\s*")
LEAST_BYTES = 9  # what is shorter says nothing by itself
MOST_CHARS = 600  # of a statement
MOST = 400  # statements of one call
READ_CHARS = 120_000  # of one message
# A sentence that begins so leans on the one before.
_LEANS = re.compile(
    r"^(?:and|but|so|because|also|which|that's why|it|this|they|those|he|she)\b|^(?:而且|但是?|所以|因为|另外|还有|这|那|它|他|她)",
    re.IGNORECASE,
)


def statements(text: str) -> Iterator[str]:
    """Yield the statements of a message; code is left out, and a sentence that leans on another stays with it."""
    held = ""
    for piece in _pieces(_FENCE.sub("\n", text[:READ_CHARS])):
        said = _LEAD.sub("", piece).strip()
        if not said:
            continue
        if held and _LEANS.match(said) and len(held) + len(said) < MOST_CHARS:
            held = f"{held} {said}" if said.isascii() else held + said
            continue
        if len(held.encode("utf-8", "surrogatepass")) >= LEAST_BYTES:
            yield held[:MOST_CHARS]
        held = said
    if len(held.encode("utf-8", "surrogatepass")) >= LEAST_BYTES:
        yield held[:MOST_CHARS]


def _pieces(text: str) -> Iterator[str]:
    at = 0
    for border in _END.finditer(text):
        yield text[at : border.start()]
        at = border.end()
    yield text[at:]
