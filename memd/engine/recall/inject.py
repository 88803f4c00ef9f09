"""What fits, and how it reads: limits of each kind, near-duplicates, the budget, the fenced block.

Constants come first and obey the budget like everything else, then entries of books, then what ranked; what does not fit
gives way to smaller ones behind it. The budget is for the whole block, headings and fence included. Quotes of what was
said come last, in what is left, and have a small share of it at most.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from types import MappingProxyType
from typing import TYPE_CHECKING, Generic, NamedTuple, Protocol, TypeVar

from memd.engine.recall.rank import Key, by_time, with_rivals
from memd.engine.recall.templates import printed_times, render
from memd.model.memory import Kind, notes_of
from memd.model.scene import BookFound, BookRefused, Candidate, Injection, Measured, Quote, QuoteRefused, Refused
from memd.model.settings import InjectionSettings, TriggerSettings
from memd.text import expressions as re
from memd.text.analysis import tokens
from memd.text.characters import estimated_tokens

if TYPE_CHECKING:
    from memd.engine.recall.wanted.weighing import Question

TIMES_SEVERAL = 2  # as many semantic memories as the settings say: an order touches up to four rules, a question has one answer or two
_THING = r"(?!(?:does|is|was|has|this|his|its|us|yes|always)\b)[a-z-]+"
_SEVERAL = re.compile(
    rf"\b(?:what|which)(?: {_THING})?? {_THING}(?<![su])s\b(?! (?:is|was)\b)"
    r"|\b(?:what|which|who) (?:are|were|all|else)\b|\b(?:what|which) (?:kind|sort|type)s?\b|\ball (?:the|of|my|our|his|her|their)\b"
    r"|哪些|哪几|都有(?:谁|什么|哪)|都(?:是|会|去|做|吃|买)(?:谁|哪|过?(?:什么|哪|啥))|有(?:什么|啥)|列(?:出|一下)|分别",
    re.IGNORECASE,
)
NEAR_DUPLICATE = 0.8  # share of terms in common, of all terms of both
HEADINGS = {Kind.TRAIT: "Traits", Kind.GOAL: "Goals", Kind.SEMANTIC: "Facts", Kind.EPISODIC: "Episodes"}
QUOTES = "### Said in earlier conversations (quotes: nobody checked or kept them)"
MOST_QUOTES, QUOTES_SHARE = 3, 0.25  # of the budget, headings included
QUOTE_CHARS = 240
SPEAKERS = {"user": "the user", "assistant": "the assistant"}
FENCE = "memd-memory"
_Room = tuple[str, Callable[[str], int], int, int]  # unit, measure, budget, used
_Stop = tuple[str, str, Measured | None]  # why something does not come, in words, and what was measured
_PARTS = ("content", "constantContent", "loreContent", "triggeredContent")


T = TypeVar("T")
R = TypeVar("R")


class Screen(Protocol):
    """Says why a text may not stand in a prompt, "" where it may."""

    def __call__(self, text: str, content: str, *, book: bool) -> str:
        """`content` is a memory's own text, without its name; of an entry of a book it is the same."""


class Style(Protocol):
    """How the memories of a block read, where they do not stand by their kinds."""

    def heading(self, candidate: Candidate) -> str:
        """Return the heading under which a memory stands."""

    def entry(self, candidate: Candidate) -> str:
        """Return a memory as it stands there."""

    def in_order(self, chosen: Iterable[Candidate]) -> list[Candidate]:
        """Return memories in the order in which they stand."""

    def rest(self, shown: int) -> str:
        """Return what is told of those that have no place; "" where there is nothing to tell."""


def _open(text: str, content: str, *, book: bool) -> str:  # noqa: ARG001 - nobody looks
    return ""


def wants_several(question: Question, *, timed: bool) -> bool:
    """Tell whether a question has more than an answer or two: something is to be done, which touches several rules, or whoever
    speaks asks for more than one thing, or for what was or will be at a time (`timed`)."""
    said = question.said
    return question.to_do or (said.asks and not said.reader and (timed or asks_for_several(said.question)))


def asks_for_several(question: str) -> bool:
    """Tell whether a question asks for more than one thing: "Which books …?", 哪些."""
    return _SEVERAL.search(question) is not None


class Limits(NamedTuple):
    """How many memories of each kind may come beside the constants."""

    episodic: int
    semantic: int
    trait: int
    goal: int

    @classmethod
    def of(cls, settings: TriggerSettings, *, several: bool) -> Limits:
        """Return what settings allow; `several`: as `wants_several` has it."""
        semantic = settings.max_semantic * (TIMES_SEVERAL if several else 1)
        return cls(settings.max_episodic, semantic, settings.max_trait, settings.max_goal)


class Found(NamedTuple):
    """What wants to stand in the prompt: constants, entries of books in the order of their budget, the ranked; pages have what is left, then quotes.

    `along` comes with those of which it says otherwise.
    """

    constants: Sequence[Candidate]
    books: Sequence[BookFound]
    ranked: Sequence[Candidate]
    pages: Sequence[BookFound] = ()
    along: Mapping[Key, Candidate] = MappingProxyType({})
    quotes: Sequence[Quote] = ()


def inject(
    role: str,
    found: Found,
    limits: Limits,
    settings: InjectionSettings,
    screen: Screen | None = None,
    now_s: float | None = None,
    style: Style | None = None,
) -> Injection:
    """Return the block for the prompt, what stands in it, and what was left out and why.

    `screen` is asked of everything that would stand in the block, and says why it may not; `now_s` is the scene's time.
    `style`: how the memories read, where they do not stand by their kinds; then no kind has a limit.
    """
    allowed = dict(zip(Kind, limits[:], strict=False)) if style is None else dict.fromkeys(Kind, len(found.ranked))
    fitting = _Fitting(role, settings, allowed, {id(one) for one in found.constants}, screen or _open, now_s, style)
    others = {**{one.key: one for one in (*found.constants, *found.ranked)}, **found.along}
    for candidate in found.constants:
        fitting.offer_with_rivals(candidate, others)
    for book in found.books:
        fitting.offer_book(book)
    for candidate in found.ranked:
        fitting.offer_with_rivals(candidate, others)
    for page in found.pages:
        fitting.offer_book(page)
    for quote in found.quotes:
        fitting.offer_quote(quote)
    memories, books, quotes = fitting.memories, fitting.books, fitting.quotes
    refused = (tuple(memories.refused), tuple(books.refused))
    said = (tuple(quotes.taken), tuple(quotes.refused))
    if not (memories.taken or books.taken or quotes.taken):
        return Injection("", (), (), *refused, "", *said)
    content, fence = _block(role, fitting, settings)
    chars = {one.key: len(fitting.entry(one)) for one in memories.taken}
    return Injection(content, tuple(memories.taken), tuple(books.taken), *refused, fence, *said, chars)


class _Fate(Generic[T, R]):
    """What of one sort was taken, and what was not and why."""

    def __init__(self) -> None:
        self.taken: list[T] = []
        self.refused: list[R] = []


class _Fitting:
    """Takes what fits, in the order it is offered."""

    def __init__(
        self,
        role: str,
        settings: InjectionSettings,
        allowed: dict[Kind, int],
        always: set[int],
        screen: Screen,
        now_s: float | None,
        style: Style | None,
    ) -> None:
        self.settings, self.allowed, self.always, self.screen = settings, allowed, always, screen
        self.now_s, self.style = now_s, style
        self.memories = _Fate[Candidate, Refused]()
        self.books = _Fate[BookFound, BookRefused]()
        self.quotes = _Fate[Quote, QuoteRefused]()
        self._quoted_chars = 0
        self._entries: dict[int, str] = {}  # what was looked at, as it stands in the block
        self._terms: dict[int, frozenset[str]] = {}
        self._taken: Counter[Kind] = Counter()
        self._offered: set[Key] = set()
        self._times = printed_times(settings.template)
        self._headed: set[tuple[str, bool]] = set()
        frame = render(settings.template, {**dict.fromkeys(_PARTS, "x"), "role": role}) + "<></>" + FENCE * 2 + "x" * 21
        frame += f"{style.rest(0)}\n" * self._times if style else ""
        self._rooms: list[_Room] = [("characters", _characters, settings.budget_chars, len(frame))]
        if settings.budget_tokens:
            self._rooms.append(("tokens", estimated_tokens, settings.budget_tokens, estimated_tokens(frame)))

    def offer_with_rivals(self, candidate: Candidate, others: Mapping[Key, Candidate]) -> None:
        """Take a memory that was not offered yet, and with it those it conflicts with, the newest first; or note why not."""
        if candidate.key in self._offered:
            return
        self._offered.add(candidate.key)
        if not candidate.memory.rivals:
            self._offer(candidate)
            return
        stopped = self._stopped(candidate)
        if stopped and stopped[0] != "budget":  # the newer may still have room
            self.memories.refused.append(Refused(candidate, *stopped))
            return
        for one in with_rivals(candidate, others):
            if one is candidate or one.key not in self._offered:
                self._offered.add(one.key)
                self._offer(one, counts=one is candidate)

    def _offer(self, candidate: Candidate, *, counts: bool = True) -> None:
        """Take a memory, or note why not. `counts`: among those of its kind."""
        if stopped := self._stopped(candidate, counts=counts):
            self.memories.refused.append(Refused(candidate, *stopped))
            return
        constant = id(candidate) in self.always
        self._take(self._words(candidate, constant=constant))
        self.memories.taken.append(candidate)
        self._headed.add((self._heading(candidate), constant))
        self._taken[candidate.memory.kind] += counts and not constant

    def _stopped(self, candidate: Candidate, *, counts: bool = True) -> _Stop | None:
        """Return why a memory does not come, None where it may."""
        kind, constant = candidate.memory.kind, id(candidate) in self.always
        if counts and not constant and self._taken[kind] >= self.allowed[kind]:
            most = self.allowed[kind]
            return "limit of its kind", f"{most} of kind {kind} came before", Measured("memories", most + 1, most)
        if short := self._short_of(self._words(candidate, constant=constant)):
            return short
        rivals = candidate.memory.rivals  # which say otherwise, in almost the same words
        seen = (other for other in self.memories.taken if other.memory.id not in rivals)
        twin = next((other for other in seen if _is_near(self._terms_of(candidate), self._terms_of(other))), None)
        if twin:
            return "duplicate", f"says what {twin.memory.id} says", None
        why = self.screen(candidate.memory.text, candidate.memory.content, book=False)
        return ("withheld", why, None) if why else None

    def _terms_of(self, candidate: Candidate) -> frozenset[str]:
        terms = self._terms.get(id(candidate))
        if terms is None:
            terms = self._terms[id(candidate)] = frozenset(tokens(candidate.memory.text))
        return terms

    def offer_book(self, book: BookFound) -> None:
        """Take an entry of a book, or note that there is no room."""
        short = self._short_of(book.text + "\n")
        if short:
            self.books.refused.append(BookRefused(book.role, book.activation.entry, *short))
        elif why := self.screen(book.text, book.text, book=True):
            self.books.refused.append(BookRefused(book.role, book.activation.entry, "withheld", why))
        else:
            self._take(book.text + "\n")
            self.books.taken.append(book)

    def offer_quote(self, quote: Quote) -> None:
        """Take what somebody said, or note why not."""
        text = _quoted(quote) + "\n" + ("" if self.quotes.taken else QUOTES + "\n")
        share = int(self.settings.budget_chars * QUOTES_SHARE)
        terms = frozenset(tokens(quote.words))
        left = share - self._quoted_chars
        stop = self._short_of(text)
        if len(self.quotes.taken) == MOST_QUOTES:
            most = Measured("memories", MOST_QUOTES + 1, MOST_QUOTES)
            stop = "limit of its kind", f"{MOST_QUOTES} quotes came before", most
        elif any(_is_near(terms, frozenset(tokens(one.words))) for one in self.quotes.taken):
            stop = "duplicate", "says what another quote says", None
        elif len(text) > left:
            short = f"{len(text)} characters, {left} left of {share} for quotes"
            stop = "budget", short, Measured("characters", len(text), left, share)
        if stop:
            self.quotes.refused.append(QuoteRefused(quote, *stop))
            return
        self._take(text)
        self._quoted_chars += len(text)
        self.quotes.taken.append(quote)

    def entry(self, candidate: Candidate) -> str:
        """Return a memory as it stands in the block."""
        text = self._entries.get(id(candidate))
        if text is None:
            text = self.style.entry(candidate) if self.style else _entry(candidate, self.settings, self.now_s)
            self._entries[id(candidate)] = text
        return text

    def _heading(self, candidate: Candidate) -> str:
        """Return the heading under which a memory stands, "" where it has none."""
        if self.style:
            return self.style.heading(candidate)
        return HEADINGS[candidate.memory.kind] if self.settings.by_kind else ""

    def _words(self, candidate: Candidate, *, constant: bool) -> str:
        """Return what a memory adds to the block, with the heading of its part where it is the first."""
        text, heading = self.entry(candidate) + "\n", self._heading(candidate)
        return f"{text}{heading}#### \n" if heading and (heading, constant) not in self._headed else text

    def section(self, chosen: Sequence[Candidate]) -> str:
        """Return memories under their headings."""
        parts: dict[str, list[str]] = {} if self.style else {HEADINGS[kind]: [] for kind in HEADINGS}
        for one in self.style.in_order(chosen) if self.style else chosen:
            parts.setdefault(self._heading(one), []).append(self.entry(one))
        lines = ((f"### {heading}" if heading else "", *entries) for heading, entries in parts.items() if entries)
        return "\n".join(one for part in lines for one in part if one)

    def _short_of(self, text: str) -> _Stop | None:
        """Return what is wanting for a text; None where there is room."""
        for unit, measure, budget, used in self._rooms:
            size = measure(text) * self._times
            if used + size > budget:
                left = max(0, budget - used)
                return "budget", f"{size} {unit}, {left} left of {budget}", Measured(unit, size, left, budget)
        return None

    def _take(self, text: str) -> None:
        self._rooms = [
            (unit, measure, budget, used + measure(text) * self._times) for unit, measure, budget, used in self._rooms
        ]


def _characters(text: str) -> int:
    return len(text)


def _block(role: str, fitting: _Fitting, settings: InjectionSettings) -> tuple[str, str]:
    chosen = _newest_first(fitting.memories.taken)
    constant = fitting.section([one for one in chosen if id(one) in fitting.always])
    triggered = fitting.section([one for one in chosen if id(one) not in fitting.always])
    if fitting.style and (rest := fitting.style.rest(len(chosen))):
        triggered = f"{triggered}\n{rest}".strip("\n")
    lore = "\n".join(one.text for one in _as_printed(fitting.books.taken))
    if lore and "loreContent" not in settings.template:
        triggered = f"{lore}\n{triggered}".strip("\n")
        lore = ""
    said = "\n".join([QUOTES, *map(_quoted, fitting.quotes.taken)]) if fitting.quotes.taken else ""
    triggered = f"{triggered}\n{said}".strip("\n")
    both = "\n".join(part for part in (constant, lore, triggered) if part)
    values = dict(zip(_PARTS, (both, constant, lore, triggered), strict=True))
    body = render(settings.template, {**values, "role": role}).strip("\n")
    salt = 0
    while (fence := hashlib.sha256(f"{salt}\n{body}".encode("utf-8", "surrogatepass")).hexdigest()[:8]) in body:
        salt += 1
    return f"<{FENCE} {fence}>\n{body}\n</{FENCE} {fence}>", fence


def quote_chars(quote: Quote) -> int:
    """Return how many characters a quote takes in the block."""
    return len(_quoted(quote))


def _quoted(quote: Quote) -> str:
    """Return a quote as it reads: when, who, and the words, on one line."""
    day = datetime.fromtimestamp(quote.at_s, UTC).strftime("%Y-%m-%d") if quote.at_s > 0 else "no date"
    words = quote.words if len(quote.words) <= QUOTE_CHARS else f"{quote.words[:QUOTE_CHARS]}…"
    asked = f", asked “{quote.asked}”" if quote.asked else ""
    return f"- {day}, {SPEAKERS.get(quote.speaker, quote.speaker)}{asked}: “{words}”"


def _as_printed(books: Sequence[BookFound]) -> list[BookFound]:
    """Return entries as they stand in a prompt: by position, then the higher order nearer to the end."""
    return sorted(books, key=lambda one: (one.activation.entry.position.value, one.activation.entry.order))


def _newest_first(chosen: Sequence[Candidate]) -> list[Candidate]:
    """Return what was chosen with rivals in the order of their time, the newest where the first of them stood."""
    order = list(chosen)
    for one in chosen:
        told = {(one.role, other) for other in one.memory.rivals}
        places = [place for place, other in enumerate(order) if other is one or other.key in told]
        if len(places) > 1:
            ordered = sorted((order[place] for place in places), key=by_time)
            for place, other in zip(places, ordered, strict=True):
                order[place] = other
    return order


def _entry(candidate: Candidate, settings: InjectionSettings, now_s: float | None) -> str:
    memory = candidate.memory
    notes: list[str] = []
    happened = notes_of(memory.event, memory.held, now_s, memory.said, planned=memory.planned)
    if (settings.show_times or memory.earlier) and memory.when_s is not None:
        notes.append(datetime.fromtimestamp(memory.when_s, UTC).strftime("%Y-%m-%d"))
    if memory.earlier:
        notes.append("a newer memory says otherwise")
    notes += happened
    if not candidate.own:
        notes.append(f"from {candidate.role}")
    if settings.show_sources:
        notes.append(memory.source or "unknown source")
    tail = f" ({', '.join(notes)})" if notes else ""
    return "- " + memory.text.strip().replace("\n", "\n  ") + tail


def _is_near(one: frozenset[str], other: frozenset[str]) -> bool:
    if not one or not other:
        return False
    shared = len(one & other)
    return shared >= NEAR_DUPLICATE * (len(one) + len(other) - shared)
