"""A text offered to remember: read, looked at for what must not be kept, and judged."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from memd.engine.keep.gate import PLAIN, Meant, check_name, check_value, infer_kind, kind_of, meaning_of, with_world
from memd.engine.keep.leaves import changed
from memd.errors import BadMemoryError, BadParamsError, LongMemoryError, SecretRefusedError
from memd.formats.entry import SAID_NAMES, SAID_WORDS
from memd.formats.role_memory import read_inline
from memd.formats.times import to_day
from memd.model.memory import PUT, VALIDITY_WORDS, WEIGHT_TENTHS, WORLD, Dimension, Kind, Rating, Source, Verdict
from memd.model.scan import NOTHING, Danger, Found, Scanned
from memd.service import screening
from memd.storage.layout import SCORES
from memd.text.story import remark_of

if TYPE_CHECKING:
    from memd.model.change import Line
    from memd.store.role.role import Role
    from memd.store.store import Store


@dataclass(frozen=True, slots=True)
class RememberRequest:
    """What is offered. `scores` has (value, basis) by dimension; `fields` what else a record may have."""

    role: str
    content: str
    kind: str = ""
    fields: Mapping[str, Any] = field(default_factory=dict)
    scores: Mapping[str, tuple[float, str]] = field(default_factory=dict)
    explicit: bool = False
    source: str = ""
    session: str = ""
    run: str = ""
    id: str = ""  # of the memory that it becomes, where it becomes one of its own and the caller knows that it is free
    told_s: float = 0.0  # when it was said, where that was long ago: its yesterday is the day before
    put: bool = False  # by a verb that stores what it is given: judged, told, and none of the day's scorings
    overheard: bool = False  # cut from a conversation: nobody offered it


@dataclass(frozen=True, slots=True)
class Offer:
    """A request, read: the text without its inline tags, and what they said; then what a look at it found."""

    request: RememberRequest
    text: str
    kind: Kind
    fields: dict[str, Any]
    given: dict[Dimension, Rating]
    claimed: float | None
    scanned: Scanned = NOTHING
    meant: Meant = PLAIN
    inferred: tuple[str, ...] = ()  # keys of the record that memd found out
    own: bool = False  # of a remark out of character, whose mark it may have lost

    @property
    def redacted(self) -> bool:
        """Tell whether a secret was taken out."""
        return Danger.SECRET in self.scanned.dangers


def read_offer(request: RememberRequest) -> Offer:
    """Return a request as an offer. BadMemoryError, BadParamsError and BadScoreError where it is none."""
    inline = read_inline(request.content)
    text = inline.content
    if not text.strip():
        raise BadMemoryError("the content is empty")
    if request.kind and request.kind not in Kind.__members__.values():
        raise BadParamsError(f"kind: {request.kind!r} is none of {', '.join(Kind)}")
    if request.source and request.source not in Source.__members__.values():
        raise BadParamsError(f"source: {request.source!r} is none of {', '.join(Source)}")
    fields = dict(request.fields)
    validity = fields.get("validity") or inline.validity
    if validity and validity not in VALIDITY_WORDS:
        raise BadParamsError(f"validity: {validity!r} is none of {', '.join(VALIDITY_WORDS)}")
    fields["validity"] = VALIDITY_WORDS[validity].value if validity else ""
    fields["tags"] = list(dict.fromkeys([*(fields.get("tags") or ()), *inline.tags]))
    given: dict[Dimension, Rating] = {}
    for name, (value, basis) in request.scores.items():
        given[check_name(name)] = Rating(check_value(name, value), True, basis or "given without a basis")
    kind = Kind(request.kind) if request.kind else infer_kind(text)
    return Offer(request, text, kind, fields, given, inline.score)


async def look_ahead(store: Store, role: Role, offer: Offer) -> None:
    """Look at a long offer beside the event loop, so that `look_at` knows at once what it holds."""
    if store.settings_of(role).gate.scan:
        await screening.look_at(store, (offer.text, _beside_text(offer)))


def _beside_text(offer: Offer) -> str:
    """Return what an offer says beside its text, line by line."""
    words = (word for key in SAID_WORDS for word in offer.fields.get(key) or ())
    return "\n".join([*(str(offer.fields.get(key) or "") for key in SAID_NAMES), *words])


def look_at(store: Store, role: Role, offer: Offer) -> Offer:
    """Return the offer with what a look found, its secrets taken out; SecretRefusedError where settings say so."""
    gate = store.settings_of(role).gate
    if not gate.scan:
        return offer
    orders = store.keeping.learned.orders
    scanned = store.keeping.quarantine.look(offer.text, orders)
    beside = _beside_text(offer)
    others = store.keeping.quarantine.look(beside, orders) if beside.strip() else None
    named = _named_as_one(store, offer, scanned)
    found = (*scanned.found, *(others.found if others else ()), *named.found)
    if not found:
        return offer
    if any(one.danger is Danger.SECRET for one in found):
        if gate.secrets == "refuse":
            raise SecretRefusedError(Scanned(found, "").why)
        if others and Danger.SECRET in others.dangers:
            offer = replace(offer, fields=_without_secrets(store, offer.fields))
    if named.clean.strip():
        offer = replace(offer, text=named.clean)
    return replace(offer, scanned=Scanned(found, named.clean))


def _named_as_one(store: Store, offer: Offer, scanned: Scanned) -> Scanned:
    """Return what a text is under its name: `wifi password` may make a secret of what is none by itself."""
    if not offer.fields.get("name") and not scanned.found:
        return Scanned((), scanned.clean)
    record = {"name": str(offer.fields.get("name") or ""), "content": scanned.clean or offer.text}
    plain = str(changed(record, store.keeping.quarantine.without_secrets)["content"])
    if plain == record["content"]:
        return Scanned((), scanned.clean)
    return Scanned((Found(Danger.SECRET, "named as one", 0, 0, "a secret (named as one)"),), plain)


def _without_secrets(store: Store, fields: dict[str, Any]) -> dict[str, Any]:
    def clean(word: str) -> str:
        return store.keeping.quarantine.look(word, store.keeping.learned.orders).clean

    cleaned = {key: [clean(word) for word in fields[key]] for key in SAID_WORDS if fields.get(key)}
    return {**fields, **cleaned, **{key: clean(fields[key]) for key in SAID_NAMES if fields.get(key)}}


def as_meant(role: Role, offer: Offer) -> Offer:
    """Return an offer as it is kept: a story's by its tag, what stands in every conversation as a trait."""
    request, fields = offer.request, dict(offer.fields)
    fiction = role.own.profile.fiction
    own, validity = offer.own or bool(remark_of(offer.text)), str(fields.get("validity") or "")
    meant = meaning_of(offer.text, request.source, validity, fiction=fiction, own=own)
    if request.kind or fields.get("constant") is not None:
        meant = meant._replace(standing=None)
    if WORLD in (fields.get("tags") or ()):
        meant = meant._replace(world=True, standing=None)
    if meant.world:
        fields["tags"] = with_world(fields.get("tags") or ())
    kind = offer.kind if request.kind else kind_of(meant, offer.text)
    return replace(offer, kind=kind, fields=fields, meant=meant, own=own)


def must_wait(store: Store, offer: Offer) -> bool:
    """An order waits for a person; one of the kind that people give assistants does not, where the user said it."""
    said = offer.scanned.mild and offer.request.source == Source.USER
    return offer.scanned.orders and not said and not store.keeping.quarantine.is_approved(offer.text)


TAGS_CHARS = 4000  # that a text's inline tags may take


def check_length(store: Store, role: Role, size: int) -> None:
    """Refuse a text that is too long for a memory whatever is taken off it; `size` in characters."""
    limits = store.settings_of(role).limits
    if limits.long_memory == "refuse" and size > limits.memory_chars + TAGS_CHARS:
        raise LongMemoryError("this memory", size, limits.memory_chars)


def check_size(store: Store, role: Role, offer: Offer) -> list[str]:
    """Return a remark where a text is longer than one memory should be; LimitExceededError where it may not be."""
    limits = store.settings_of(role).limits
    size = len(offer.text)
    if size <= limits.memory_chars:
        return []
    error = LongMemoryError("this memory", size, limits.memory_chars)
    if limits.long_memory == "refuse":
        raise error
    return [f"warning: {error}"]


def score_line(
    store: Store,
    role: Role,
    n: int,
    offer: Offer,
    verdict: Verdict,
    memory_id: str,
    now_s: float,
    digest: str = "",
) -> Line:
    """Return the line of a scoring for the day's score records; `digest` is what was told of a stored record."""
    value = {
        "role": role.name,
        "id": memory_id,
        "session": offer.request.session,
        "total": verdict.total,
        "computed_total": verdict.computed_total,
        "explicit": offer.request.explicit,
        "dimensions": dimensions(verdict),
        **({"digest": digest} if digest else {}),
        **({"what": PUT} if offer.request.put else {}),
    }
    return store.record(score_file(store, now_s), n, value, now_s)


def score_file(store: Store, now_s: float) -> str:
    """Return the score records of the day that scorings count for."""
    return f"{SCORES}/{max(store.room.scorings.day, to_day(now_s))}.jsonl"


def weighted(verdict: Verdict) -> dict[str, dict[str, Any]]:
    """Return each dimension as replies show it: with what it counts in the total."""
    return {name: {**one, "weight": WEIGHT_TENTHS[Dimension(name)] / 10} for name, one in dimensions(verdict).items()}


def dimensions(verdict: Verdict) -> dict[str, dict[str, Any]]:
    """Return each dimension as records show it."""
    return {
        one.value: {"value": rating.value, "given": rating.given, "basis": rating.basis}
        for one, rating in verdict.ratings.items()
    }


def reply_of(verdict: Verdict, word: str, memory_id: str, *, stored: bool = False) -> dict[str, Any]:
    """Return the reply of remember and score."""
    return {
        "stored": stored,
        "id": memory_id or None,
        "total": verdict.total,
        "computed_total": verdict.computed_total,
        "band": verdict.band.value,
        "dimensions": weighted(verdict),
        "verdict": word,
        "reason": verdict.reason,
        "hint": verdict.hint,
        "receipt": None,
    }
