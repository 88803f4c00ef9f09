"""When what a text tells happens, as fields of its record: as the caller says, else resolved from its own words in the role's zone.

The rules of both languages are imported when they are first asked for: who only declares a method does not need them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, tzinfo
from typing import TYPE_CHECKING, Any

from memd.errors import BadParamsError
from memd.formats.entry import KEYS, stamp
from memd.formats.times import given_bounds, moment_in, period_of
from memd.model.change import Relation
from memd.model.memory import Kind

if TYPE_CHECKING:
    from memd.model.memory import Memory, Period
    from memd.service.judging.offers import Offer
    from memd.service.judging.relating import Related
    from memd.store.role.role import Role
    from memd.store.store import Store

EVENT, HELD = ("event_start", "event_end"), ("valid_from", "valid_until")
MADE = ("createdAt", "timestamp", "updatedAt")  # of a record: when it was told, the first that it has
DAY_S = 86_400.0
MOVED_DAYS = 3  # what takes longer is no event whose day is moved


def moment_of(store: Store, role: Role, now_s: float) -> datetime:
    """Return a time in the zone of a role's scenes."""
    zone = _zone(store, role)
    return datetime.fromtimestamp(now_s, zone or UTC).astimezone(zone)


def _zone(store: Store, role: Role) -> tzinfo | None:
    from memd.formats.times import zone_of  # noqa: PLC0415  only where a text is dated

    return zone_of(store.settings_of(role).trigger.zone)


def times_told(store: Store, role: Role, text: str, now_s: float) -> dict[str, str]:
    """Return the fields that a text's own phrases of time give its record, ISO 8601 with an offset; none where it has none."""
    from memd.engine.keep.event.written import resolve_written  # noqa: PLC0415  the rules of two languages

    if role.own.profile.fiction:
        return {}  # the yesterday of a story is none of ours
    try:
        told = resolve_written(text, moment_of(store, role, now_s))
        found = {
            "event_start": told.event and told.event.start,
            "event_end": told.event and told.event.end,
            "valid_from": told.since,
            "valid_until": told.until,
        }
        return {name: at.replace(microsecond=0).isoformat() for name, at in found.items() if at}
    except (OverflowError, ValueError, OSError):
        return {}  # at the ends of the calendar


def times_of_record(store: Store, role: Role, raw: Mapping[str, Any], memory: Memory) -> dict[str, str]:
    """Return the members that the own words of a record give it, against the time it was told at; none where it says no time."""
    if memory.event or memory.held or memory.is_of_world:
        return {}
    made = next((one for name in MADE if (one := raw.get(name)) is not None), None)
    told = moment_in(made, _zone(store, role))
    found = times_told(store, role, memory.content, told.timestamp()) if told else {}
    return {KEYS[name]: at for name, at in found.items()}


def checked_event(store: Store, role: Role, fields: Mapping[str, Any]) -> dict[str, str]:
    """Return the event that a caller gives, as it is written; none where it gives none. BadParamsError where it is no time."""
    start, end = fields.get("event_start"), fields.get("event_end")
    if start in (None, "") and end in (None, ""):
        return {}
    try:
        bounds = given_bounds(start, end, _zone(store, role))
    except (ValueError, OverflowError) as error:
        raise BadParamsError(f"event: {error}") from None
    return {name: at for name, at in zip(EVENT, bounds, strict=True) if at}


def dated(store: Store, role: Role, offer: Offer, now_s: float) -> Offer:
    """Return an offer with its times: what is given wins. A bare errand ends some time after its day."""
    given = checked_event(store, role, offer.fields)
    told = times_told(store, role, offer.text, now_s)
    if given:
        told = {name: at for name, at in told.items() if name not in EVENT} | given
    rest = {name: value for name, value in offer.fields.items() if name not in EVENT}
    return _ending(store, role, replace(offer, fields={**told, **rest, **given}), now_s)


def moved(store: Store, role: Role, offer: Offer, memory: Memory, now_s: float) -> Offer:
    """Return what takes the place of a memory of a day to come: a bare day of the month is meant of the month in which that is.

    An event that the caller gives stands, and so does a date that a person wrote behind the day.
    """
    from memd.engine.keep.event.written import in_month_of  # noqa: PLC0415  the rules of two languages

    span, given = memory.event.span() if memory.event else None, offer.request.fields
    if span is None or span[0] <= now_s or span[1] - span[0] > MOVED_DAYS * DAY_S or offer.meant.world:
        return offer
    event, now = moment_of(store, role, span[0]), moment_of(store, role, now_s)
    if (event.year, event.month) == (now.year, now.month) or any(given.get(name) for name in EVENT):
        return offer
    found = in_month_of(offer.text, event, now)
    ours = offer.request.put and offer.request.session  # of a conversation, in which memd writes the dates
    if found is None or (found[0] != offer.text and not ours):
        return offer
    text, interval = found
    bounds = (one.replace(microsecond=0).isoformat() for one in (interval.start, interval.end))
    fields = {**offer.fields, **dict(zip(EVENT, bounds, strict=True))}
    if not given.get("expires_at"):
        fields.pop("expires_at", None)
    return _ending(store, role, replace(offer, text=text, fields=fields), now_s)


def _ending(store: Store, role: Role, offer: Offer, now_s: float) -> Offer:
    """Return an offer that ends some time after its day, where it is a bare errand."""
    ends_s = _errand_ends(store, role, offer, now_s)
    if ends_s is None:
        return offer
    return replace(offer, fields={**offer.fields, "expires_at": stamp(ends_s, ms=role.file.document.style.ms)})


def _errand_ends(store: Store, role: Role, offer: Offer, now_s: float) -> float | None:
    """Return when a plan is of no further worth: a call, a meeting, a deadline, and nothing else in its text."""
    from memd.engine.keep.event.resolve import is_errand  # noqa: PLC0415  the rules of two languages

    fields = offer.fields
    event = period_of(fields.get("event_start"), fields.get("event_end"))
    if event is None or event.start_s is None or event.start_s <= now_s:
        return None
    if fields.get("validity") or fields.get("expires_at") or fields.get("constant") or offer.kind is Kind.TRAIT:
        return None
    return _ends(store, role, event) if is_errand(offer.text) else None


def _ends(store: Store, role: Role, event: Period) -> float | None:
    span = event.span()
    return span[1] + store.settings_of(role).gate.medium_days * DAY_S if span else None


def of_another_day(offer: Offer, related: Related | None, now_s: float) -> bool:
    """Tell whether a text tells of another time than the memory it seems to repeat or to complete: it happened again.

    What happened changes nothing that is told of another time either, surely or in doubt, unless its words correct something.
    """
    from memd.engine.keep.event.resolve import corrects  # noqa: PLC0415  the rules of two languages

    told = period_of(*(offer.fields.get(name) for name in EVENT))
    one = told.span() if told else None
    other = related.memory.event.span() if related and related.memory.event else None
    if related is None or one is None or other is None or (one[0] < other[1] and other[0] < one[1]):
        return False
    if related.judged.relation in (Relation.DUPLICATE, Relation.REFINEMENT):
        return True
    return one[1] <= now_s and not corrects(offer.text)


def added_times(store: Store, role: Role, offer: Offer, memory: Memory) -> dict[str, Any]:
    """Return what an offer says of times that an older memory does not: those it lacks, or a narrower event.

    What was a bare errand and says more now does not end with it.
    """
    from memd.engine.keep.event.resolve import is_errand  # noqa: PLC0415  the rules of two languages

    added = {name: at for name in HELD if (at := offer.fields.get(name)) and memory.held is None}
    told = period_of(*(offer.fields.get(name) for name in EVENT))
    one, other = told.span() if told else None, memory.event.span() if memory.event else None
    narrower = one and other and one != other and other[0] <= one[0] and one[1] <= other[1]
    if narrower or (one and other is None and memory.held is None):
        added |= {name: at for name in EVENT if (at := offer.fields.get(name))}
    ended = memory.event and not memory.validity and memory.expires_s == _ends(store, role, memory.event)
    if ended and not is_errand(offer.text):
        added["expires_at"] = None
    return added


def changed_times(store: Store, role: Role, memory: Memory, fields: Mapping[str, Any], now_s: float) -> dict[str, Any]:
    """Return the fields of an update with its times: a new text tells new ones where its phrases of time are others."""
    from memd.engine.keep.event.resolve import phrases  # noqa: PLC0415  the rules of two languages

    changed = dict(fields)
    named = [name for name in EVENT if name in fields]
    if named and any(fields[name] is not None for name in named):
        changed |= dict.fromkeys(EVENT) | checked_event(store, role, fields)
    elif not named and isinstance(text := fields.get("content"), str):
        now = moment_of(store, role, now_s)
        if phrases(text, now) != phrases(memory.content, now):
            changed |= dict.fromkeys((*EVENT, *HELD)) | times_told(store, role, text, now_s)
    return changed
