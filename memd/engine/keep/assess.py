"""How good is a text, when nobody said? Six values with a sentence of basis each, without a model.

Importance and relevance follow the form of speech (cues), novelty what the role holds, granularity the text's own
definiteness, credibility the source, timeliness the validity and the dates.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from memd.engine.keep.conflict import nearest
from memd.engine.keep.cues import READ_CHARS, Cue, find_cues
from memd.engine.recall.compiled import Compiled
from memd.model.memory import Source, Validity
from memd.model.scores import Dimension, Rating
from memd.text.analysis import query_tokens, tokens
from memd.text.fold import fold
from memd.text.scripts import cjk_share

CREDIBILITY = {
    Source.USER: (9.0, "the user said it"),
    Source.TOOL: (8.0, "a tool's result"),
    Source.AGENT: (7.0, "an agent's statement"),
    Source.FILE_EDIT: (9.0, "a person wrote it"),
    Source.IMPORT: (7.0, "imported"),
}
VALIDITY = {Validity.LONG: 9.0, Validity.MEDIUM: 7.0, Validity.SHORT: 3.0}

_FIGURE = re.compile(r"\d|[一二三四五六七八九十百千万两]{1,8}[年月日号点个次岁天周米公里元块分钟小时]")
_NAME = re.compile(r"(?<![.!?]\s)(?<!^)\b[A-Z][a-zéèüöäñ]+|(?<![A-Z])[A-Z]{2,}\b|`[^`]+`|[\"“「《].{1,30}?[\"”」》]")
_DATE = re.compile(
    r"\b(?:19|20)\d\d\b|\d{1,2}\s*月|\bjan|\bfeb|\bmar(?:ch)?\b|\bapr|\bjun|\bjul|\baug|\bsep|\boct|\bnov|\bdec"
)
_OWN = re.compile(r"\b(?:i|i'm|my|me|we|our|us|user|user's)\b|我|咱|用户|本人")


class Offered(NamedTuple):
    """A text offered to remember, with what is known of it."""

    text: str
    source: Source | None
    validity: str
    curated: Sequence[str]


def assess(offered: Offered, role: Compiled) -> dict[Dimension, Rating]:
    """Return a rating for every dimension."""
    offered = offered._replace(text=offered.text[:READ_CHARS])
    folded = fold(offered.text)
    speaking_for, against = find_cues(folded)
    doubts = [cue for cue in against if not _outweighs(speaking_for, cue, offered)]
    near = nearest(role, offered.text, offered.curated)
    return {
        Dimension.IMPORTANCE: _importance(speaking_for, doubts, offered),
        Dimension.NOVELTY: _novelty(near.share, near.id),
        Dimension.RELEVANCE: _relevance(folded, speaking_for, doubts, offered),
        Dimension.CREDIBILITY: _credibility(offered.source, doubts, speaking_for),
        Dimension.GRANULARITY: _granularity(offered.text),
        Dimension.TIMELINESS: _timeliness(folded, offered.validity, doubts, speaking_for),
    }


def _outweighs(speaking_for: list[Cue], cue: Cue, offered: Offered) -> bool:
    """Tell whether what speaks for a text makes a doubt an accident of its wording."""
    names = {one.name for one in speaking_for}
    firm = names & {
        "a health matter",
        "a standing rule",
        "a decision",
        "a correction",
        "a commitment",
        "a verified finding",
    }
    if cue.name in ("a guess", "vague", "thanks or praise", "small talk", "a passing state"):
        return bool(firm) and (
            offered.source is not Source.AGENT or "a verified finding" in names or cue.name != "a guess"
        )
    if cue.name in ("passing tool output", "debugging noise", "an instruction file"):
        return bool(names & {"a verified finding", "a standing rule", "a correction"}) and offered.source is Source.USER
    return False


def _importance(speaking_for: list[Cue], doubts: list[Cue], offered: Offered) -> Rating:
    if doubts:
        return Rating(doubts[0].importance, False, f"it reads as {doubts[0].name}")
    if speaking_for:
        more = f", and {speaking_for[1].name}" if len(speaking_for) > 1 else ""
        return Rating(min(10.0, speaking_for[0].importance + 0.5 * bool(more)), False, f"{speaking_for[0].name}{more}")
    definite = len(_FIGURE.findall(offered.text)) + len(_NAME.findall(offered.text))
    if definite >= 2 and _OWN.search(fold(offered.text)):
        return Rating(7.5, False, "a definite statement about the user or the work")
    return Rating(5.5 if definite else 4.5, False, "no sign of a decision, rule, preference or date")


def _novelty(share: float, near_id: str) -> Rating:
    value = 9.0 if share < 0.35 else max(0.0, round(9.0 - (share - 0.35) * 16, 1))
    if share < 0.35:
        return Rating(value, False, "nothing like it is known")
    where = f"memory {near_id[:8]}" if near_id else "the curated memory"
    return Rating(value, False, f"{share:.0%} of its telling words stand in {where}")


def _relevance(folded: str, speaking_for: list[Cue], doubts: list[Cue], offered: Offered) -> Rating:
    if doubts:
        return Rating(3.0, False, f"{doubts[0].name} concerns nobody later")
    mine = query_tokens(offered.text).keys()
    touching = next((text for text in offered.curated if len(mine & set(tokens(text))) >= 2), "")
    if touching:
        return Rating(9.0, False, f"it touches the curated {touching[:40]!r}")
    if speaking_for or _OWN.search(folded):
        return Rating(8.0, False, "it concerns the user or the work at hand")
    return Rating(5.5, False, "it is not said whom it concerns")


def _credibility(source: Source | None, doubts: list[Cue], speaking_for: list[Cue]) -> Rating:
    value, basis = CREDIBILITY[source] if source else (8.0, "the source was not said")
    if any(cue.name in ("a guess", "a hypothesis", "a joke") for cue in doubts):
        return Rating(min(value, 3.0), False, f"{basis}, as {doubts[0].name}")
    if any(cue.name == "a verified finding" for cue in speaking_for):
        return Rating(max(value, 8.5), False, f"{basis}, verified")
    return Rating(value, False, basis)


def _granularity(text: str) -> Rating:
    size = len(text) * (2.5 if cjk_share(text) > 0.5 else 1.0)
    definite = len(_FIGURE.findall(text)) + len(_NAME.findall(text))
    value = 6.0 + min(3.0, definite)
    why = f"{definite} figures and names"
    if size < 12:
        value, why = value - 3, why + ", very short"
    elif size > 1200:
        value, why = value - 3, why + ", long for one memory"
    return Rating(max(0.0, min(10.0, value)), False, why)


def _timeliness(folded: str, validity: str, doubts: list[Cue], speaking_for: list[Cue]) -> Rating:
    if validity in VALIDITY:
        return Rating(VALIDITY[Validity(validity)], False, f"validity is {validity}")
    if any(cue.name in ("a passing state", "small talk", "passing tool output", "debugging noise") for cue in doubts):
        return Rating(2.0, False, "it is over soon")
    if _DATE.search(folded):
        return Rating(8.5, False, "it is dated")
    return Rating(8.0 if speaking_for else 6.5, False, "nothing says that it ends soon")
