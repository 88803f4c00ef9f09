"""What a trigger answers: the block, what activated and why, what was refused and why, and the figures."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from heapq import nlargest
from typing import TYPE_CHECKING, Any

from memd.engine.recall.inject import quote_chars
from memd.engine.recall.rank import combined, relevance
from memd.formats.times import to_exact_iso, to_iso
from memd.model.scene import (
    BookFound,
    BookRefused,
    Candidate,
    Emotion,
    Injection,
    Quote,
    QuoteRefused,
    Refused,
    Scene,
    Strategy,
)

if TYPE_CHECKING:
    from memd.engine.recall.inject import Screen
    from memd.engine.recall.lore.placing import Placed
    from memd.model.lore import Entry
    from memd.model.settings import InjectionSettings
    from memd.service.walks import TriggerRequest
    from memd.store.recall.recalled import Talk

SHOWN_CHARS = 120
ANSWERS = 0.5  # relevance from which a memory answers what is asked: what was said is not quoted beside it
WITHHELD = "[withheld]"
SPEAKERS = ("system", "user", "assistant")


@dataclass(frozen=True, slots=True)
class Outcome:
    """Everything a reply is made of. `silent`: memories and entries that nothing spoke for.

    `screen` and `told` look at what a reply tells beside the block: a text as a whole, and the words of a key or a title;
    `plain` takes the secrets out of an entry of a book.
    """

    role: str
    result: Injection
    books: Sequence[BookFound]
    refused: list[Refused]
    refused_books: list[BookRefused]
    placed: list[Placed]
    silent: int
    settings: InjectionSettings
    scene: Scene
    talk: Talk
    screen: Screen
    told: Callable[[str], str]
    plain: Callable[[str], str]
    refused_quotes: Sequence[QuoteRefused] = ()
    looked: bool = False  # for quotes
    threshold: float | None = None  # what relevance had to reach, where anything had to
    unheard: int = 0  # memories that are refused as too little speaks for them, and nobody asks to explain


def reply_of(outcome: Outcome, request: TriggerRequest, notes: list[str], started_s: float) -> dict[str, Any]:
    """Return the reply; with `explain`, every candidate has its fate."""
    result, refused = outcome.result, outcome.refused
    explains = request.explain
    spoke = Counter(one.strategy.value for chosen in result.activated for one in chosen.evidence)
    if outcome.books:
        spoke["book"] = len(outcome.books)
    if result.quotes:
        spoke["said"] = len(result.quotes)
    came = len(result.activated) + len(outcome.books) + len(result.quotes)
    stopped = len(refused) + len(outcome.refused_books) + len(outcome.refused_quotes) + outcome.unheard
    reply: dict[str, Any] = {
        "role": outcome.role,
        "content": result.content,
        "position": outcome.settings.position,
        "fence": result.fence,
        "activated": [
            *(_book(one, outcome.told) for one in outcome.books),
            *(_activated(one, outcome, explains=explains) for one in result.activated),
            *(_quoted(one) for one in result.quotes),
        ],
        "counts": {
            "candidates": came + stopped,
            "activated": came,
            "refused": stopped,
            "silent": outcome.silent,
            "by_strategy": dict(spoke),
        },
        "dropped_for_room": _stopped(outcome, "budget"),
    }
    reply |= _scene(outcome, request)
    if outcome.placed:
        reply["books"] = _placed(outcome.placed)
    reply |= {name: one for name, one in (("withheld", _stopped(outcome, "withheld")), ("notes", notes)) if one}
    if explains:
        reply["refused"] = _fates(outcome, request.explain_limit)
    reply["elapsed_ms"] = elapsed_ms(started_s)
    return reply


def elapsed_ms(started_s: float) -> float:
    """Return how long it took since a time of the performance counter."""
    return round((time.perf_counter() - started_s) * 1000, 3)


def _fates(outcome: Outcome, most: int) -> list[dict[str, Any]]:
    """Return why what did not come stayed away, at most so many of each."""
    memories, books, quotes = explained(outcome, most)
    return [
        *(_refused(one, outcome) for one in memories),
        *(_refused_book(one, outcome) for one in books),
        *(_refused_quote(one) for one in quotes),
    ]


def is_answered(outcome: Outcome) -> bool:
    """Tell whether a memory or a page answers what is asked, or did a moment ago; what is always told answers nothing."""
    ranked = [
        one for one in outcome.result.activated if one.evidence and one.evidence[0].strategy is not Strategy.CONSTANT
    ]
    whys = (*(one.why for one in outcome.refused), *(one.why for one in outcome.refused_books))
    return (
        "recently injected" in whys
        or any(one.relevance >= ANSWERS for one in ranked)
        or any(one.score < 1.0 for one in outcome.books)
    )


def explained(outcome: Outcome, most: int) -> tuple[list[Refused], list[BookRefused], list[QuoteRefused]]:
    """Return the refused that are told: where they are more than that, first the memories that came nearest to coming."""
    memories = outcome.refused
    if len(memories) > most:
        memories = nlargest(most, memories, key=lambda one: one.candidate.relevance)
    books = outcome.refused_books[: most - len(memories)]
    return memories, books, list(outcome.refused_quotes[: most - len(memories) - len(books)])


def _stopped(outcome: Outcome, why: str) -> list[str]:
    """Return the ids of what a rule stopped."""
    return [
        *(one.candidate.memory.id for one in outcome.refused if one.why == why),
        *(one.entry.id for one in outcome.refused_books if one.why == why),
        *(one.quote.id for one in outcome.refused_quotes if one.why == why),
    ]


def _scene(outcome: Outcome, request: TriggerRequest) -> dict[str, Any]:
    """Return what was made of the scene, where there is something to tell."""
    told: dict[str, Any] = {}
    scene = outcome.scene
    if scene.times:
        told["times"] = [{"words": one.words, "from_s": one.start_s, "to_s": one.end_s} for one in scene.times]
    if scene.mood.emotion is not Emotion.NEUTRAL:
        told["emotion"] = {"name": scene.mood.emotion.value, "words": list(scene.mood.words)}
    if scene.as_of_s is not None:
        told["as_of"] = to_exact_iso(scene.as_of_s)
    if request.session:
        told["turn"] = outcome.talk.turn
        told["in_window"] = [one.candidate.memory.id for one in outcome.refused if one.why == "recently injected"]
    return told


def _placed(placed: list[Placed]) -> dict[str, Any]:
    return {
        "before": "\n".join(text for one in placed for text in one.before),
        "after": "\n".join(text for one in placed for text in one.after),
        "at_depth": [
            {"depth": depth, "role": SPEAKERS[speaker], "entries": texts}
            for one in placed
            for (depth, speaker), texts in one.at_depth.items()
        ],
        "elsewhere": {
            name: [text for one in placed for text in one.elsewhere.get(name, ())]
            for name in {name for one in placed for name in one.elsewhere}
        },
    }


def _reasons(candidate: Candidate, told: Callable[[str], str]) -> list[str]:
    """Return why a memory came; what quotes a key of its file is looked at."""
    quotes = any(one.strategy is Strategy.KEYWORD for one in candidate.evidence)
    return [told(one) for one in candidate.reasons] if quotes else candidate.reasons


def _parts(candidate: Candidate, outcome: Outcome) -> dict[str, Any]:
    """Return what a score is made of."""
    constant = any(one.strategy is Strategy.CONSTANT for one in candidate.evidence)
    bound = {} if constant or outcome.threshold is None else {"threshold": outcome.threshold}
    figures = {
        "said": combined(candidate.evidence), "weight": candidate.memory.relevance_weight, "link": candidate.weight,
        "relevance": candidate.relevance or relevance(candidate), "priority": candidate.priority, "age": candidate.age, "score": candidate.score,
        **bound,
    }  # fmt: skip
    return {name: round(value, 4) for name, value in figures.items()}


def _measured(one: Refused | BookRefused | QuoteRefused) -> dict[str, Any]:
    """Return what the rule that stopped something measured."""
    if one.measured is None:
        return {}
    what, value, bound, of = one.measured
    return {"measured": {"what": what, "value": round(value, 4), "bound": bound, **({"of": of} if of else {})}}


def _activated(candidate: Candidate, outcome: Outcome, *, explains: bool) -> dict[str, Any]:
    return {
        "id": candidate.memory.id,
        "role": candidate.role,
        "kind": candidate.memory.kind.value,
        "score": round(candidate.score, 4),
        "relevance": round(candidate.relevance, 4),
        "reasons": _reasons(candidate, outcome.told),
        "strategies": {one.strategy.value: round(one.score, 4) for one in candidate.evidence},
        "chars": outcome.result.chars.get(candidate.key, 0),
        "text": candidate.memory.text,
        "source": candidate.memory.source,
        **({"event": candidate.memory.event.told} if candidate.memory.event else {}),
        **({"conflicts_with": list(candidate.memory.rivals)} if candidate.memory.rivals else {}),
        **({"covered_by": list(candidate.memory.covered_by)} if candidate.memory.covered_by else {}),
        **({"parts": _parts(candidate, outcome)} if explains else {}),
    }


def _book(found: BookFound, told: Callable[[str], str]) -> dict[str, Any]:
    one = found.activation
    return {
        **_named(found.role, one.entry, told),
        "score": round(found.score, 4),
        "reasons": [told(one.why)],
        "strategies": {"keyword" if found.score == 1.0 else "semantic": round(found.score, 4)},
        "step": one.step,
        "place": one.entry.position.name.lower(),
        "order": one.entry.order,
        "chars": len(found.text),
        "text": found.text,
        "source": "book" if one.entry.book else "page",
    }


def _quoted(quote: Quote) -> dict[str, Any]:
    return {
        "id": quote.id,
        "role": quote.role,
        "kind": "said",
        "score": round(quote.likely, 4),
        "reasons": [quote.why],
        "strategies": {"semantic": round(quote.likely, 4)},
        "chars": quote_chars(quote),
        "text": quote.words,
        "source": quote.speaker,
        "session": quote.session,
        **({"at": to_iso(quote.at_s)} if quote.at_s > 0 else {}),
        **({"asked": quote.asked} if quote.asked else {}),
    }


def _refused_quote(refused: QuoteRefused) -> dict[str, Any]:
    quote, withheld = refused.quote, refused.why == "withheld"
    return {
        "id": quote.id,
        "role": quote.role,
        "kind": "said",
        "why": refused.why,
        "detail": refused.detail,
        "reasons": [] if withheld else [quote.why],
        "strategies": {"semantic": round(quote.likely, 4)},
        "text": WITHHELD if withheld else quote.words[:SHOWN_CHARS],
        **_measured(refused),
    }


def _named(role: str, entry: Entry, told: Callable[[str], str]) -> dict[str, Any]:
    return {
        "id": entry.id, "role": role, "kind": "entry" if entry.book else "page",
        **({"book": told(entry.book)} if entry.book else {}), **({"title": told(entry.title)} if entry.title else {}),
    }  # fmt: skip


def _refused(refused: Refused, outcome: Outcome) -> dict[str, Any]:
    candidate = refused.candidate
    memory = candidate.memory
    withheld = outcome.screen(memory.text, memory.content, book=False)
    return {
        "id": candidate.memory.id,
        "role": candidate.role,
        "kind": candidate.memory.kind.value,
        "why": refused.why,
        "detail": refused.detail,
        "reasons": _reasons(candidate, outcome.told),
        "strategies": {one.strategy.value: round(one.score, 4) for one in candidate.evidence},
        "parts": _parts(candidate, outcome),
        "text": WITHHELD if withheld else memory.text[:SHOWN_CHARS],
        **_measured(refused),
    }


def _refused_book(refused: BookRefused, outcome: Outcome) -> dict[str, Any]:
    content = refused.entry.content
    withheld = outcome.screen(content, content, book=True)
    return {
        **_named(refused.role, refused.entry, outcome.told),
        "why": refused.why,
        "detail": refused.detail,
        "reasons": [],
        "strategies": {},
        "text": WITHHELD if withheld else outcome.plain(content)[:SHOWN_CHARS],
        **_measured(refused),
    }
