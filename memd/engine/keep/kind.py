"""Which kind of memory a text is, when nobody said: an episode tells what happened at a time, all else is a fact."""

from __future__ import annotations

import re

from memd.model.memory import Kind
from memd.text.fold import fold

_EPISODE = re.compile(
    r"\b(?:yesterday|today|tonight|this morning|last (?:night|week|month|year|\w+day)|ago|earlier|just (?:now|finished))\b"
    r"|\b(?:happened|met|visited|went|restored|fixed|shipped|finished|broke|argued|celebrated)\b.{0,60}\b(?:on|in|at|with|after)\b"
    r"|昨天|前天|今天|今早|今晚|上周|上个?月|去年|刚才|刚刚|那天|天前|周前"
)
READ_CHARS = 4000  # the beginning tells


def infer_kind(text: str) -> Kind:
    """Return episodic for what happened, semantic for what holds."""
    return Kind.EPISODIC if _EPISODE.search(fold(text[:READ_CHARS])) else Kind.SEMANTIC
