"""How good is a text, when nobody said? Six values with a sentence of basis each, without a language model.

Importance and relevance follow what was learned of statements that people keep (worth.py); relevance is raised by the
curated memory and by topics that come again. Novelty is by what the role holds, granularity by the text's own
definiteness, credibility by the source, timeliness by validity and dates.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from memd.engine.keep.conflict import Nearest, asked_terms, nearest, token_set
from memd.engine.keep.worth import DATE, FIGURE, MIDDLE, OWN, Read, Worth, names_in, read_worth
from memd.model.memory import READ_CHARS, WEIGHT_TENTHS, Dimension, Offered, Rating, Source, Validity
from memd.text.characters import cjk_share
from memd.text.commonness import WEIGHTS

if TYPE_CHECKING:
    from memd.engine.keep.cues import Cue
    from memd.engine.recall.compiled import Compiled

CREDIBILITY = {
    Source.USER: (9.0, "the user said it"),
    Source.TOOL: (8.0, "a tool's result"),
    Source.AGENT: (7.0, "an agent's statement"),
    Source.FILE_EDIT: (9.0, "a person wrote it"),
    Source.IMPORT: (7.0, "imported"),
}
RECURRING = 2  # sessions that make a topic one that comes again
TOUCHED = 2  # words in common
RAISE, RAISED = 2.0, 9.0  # what relevance gains by that, and how far at most
VALIDITY = {Validity.LONG: 9.0, Validity.MEDIUM: 7.0, Validity.SHORT: 3.0}


def assess(
    offered: Offered,
    role: Compiled,
    worth: Worth,
    read: Read | None = None,
    near: Nearest | None = None,
    vector: Sequence[float] | None = None,
) -> dict[Dimension, Rating]:
    """Return a rating for every dimension; `worth` is what was learned, `near` what was found near the text."""
    offered = offered._replace(text=offered.text[:READ_CHARS])
    read = read or read_worth(offered.text, offered.source, overheard=offered.overheard)
    points, basis = worth.rated(read, vector)
    value = round(min(10.0, max(0.0, MIDDLE + points)), 1)
    return {
        Dimension.IMPORTANCE: Rating(value, False, basis),
        Dimension.RELEVANCE: _relevance(value, read, offered),
        **_rest(offered, role, read, near),
    }


def rest_of(offered: Offered, role: Compiled, read: Read) -> float:
    """Return the points of the total, 0 to 5, that a text has beside what was learned."""
    ratings = _rest(offered, role, read, None)
    return sum(rating.value * WEIGHT_TENTHS[one] for one, rating in ratings.items()) / 10


def _rest(offered: Offered, role: Compiled, read: Read, near: Nearest | None) -> dict[Dimension, Rating]:
    doubts = [cue for cue in read.against if not _outweighs(read.speaking_for, cue, offered)]
    near = near or nearest(role, offered.text, offered.curated)
    return {
        Dimension.NOVELTY: _novelty(near.share, near.id),
        Dimension.CREDIBILITY: _credibility(offered.source, doubts, read.speaking_for),
        Dimension.GRANULARITY: _granularity(offered.text),
        Dimension.TIMELINESS: _timeliness(read.folded, offered.validity, doubts, read.speaking_for),
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


def _novelty(share: float, near_id: str) -> Rating:
    value = 9.0 if share < 0.35 else max(0.0, round(9.0 - (share - 0.35) * 16, 1))
    if share < 0.35:
        return Rating(value, False, "nothing like it is known")
    where = f"memory {near_id[:8]}" if near_id else "the curated memory"
    return Rating(value, False, f"{share:.0%} of its telling words stand in {where}")


def _relevance(value: float, read: Read, offered: Offered) -> Rating:
    """Return what was learned of a text as its relevance, raised where it touches what is known to matter."""
    mine = asked_terms(offered.text).keys()
    touching = next((text for text in offered.curated if len(mine & token_set(text)) >= TOUCHED), "")
    if touching:
        return Rating(max(value, min(RAISED, value + RAISE)), False, f"it touches {touching[:40]!r}")
    telling = {token for token in mine if token not in WEIGHTS and len(token) > 1}
    sessions = sum(1 for text in offered.said if len(telling & token_set(text)) >= TOUCHED)
    if sessions >= RECURRING:
        raised = max(value, min(RAISED, value + RAISE))
        return Rating(raised, False, f"its topic came up in {sessions} recent sessions")
    if value < MIDDLE and read.against:
        return Rating(value, False, f"nobody will need {read.against[0].name} later")
    if OWN.search(read.folded):
        return Rating(value, False, "it concerns the user")
    return Rating(value, False, "it is not said whom it concerns" if value < MIDDLE else "it may be asked for later")


def _credibility(source: Source | None, doubts: list[Cue], speaking_for: list[Cue]) -> Rating:
    value, basis = CREDIBILITY[source] if source else (8.0, "the source was not said")
    if any(cue.name in ("a guess", "a hypothesis", "a joke") for cue in doubts):
        return Rating(min(value, 3.0), False, f"{basis}, as {doubts[0].name}")
    if any(cue.name == "a verified finding" for cue in speaking_for):
        return Rating(max(value, 8.5), False, f"{basis}, verified")
    return Rating(value, False, basis)


def _granularity(text: str) -> Rating:
    size = len(text) * (2.5 if cjk_share(text) > 0.5 else 1.0)
    definite = len(FIGURE.findall(text)) + names_in(text)
    value = 6.0 + min(3.0, definite)
    why = f"figures and names: {definite}"
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
    if DATE.search(folded):
        return Rating(8.5, False, "it is dated")
    return Rating(8.0 if speaking_for else 6.5, False, "nothing says that it ends soon")
