"""propose: what of a conversation is worth remembering, scored and explained. Nothing is stored but through remember."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

from memd.engine.keep.guard.asking import asked_to_remember
from memd.engine.keep.guard.wishes import own_lines
from memd.engine.keep.talk.own import findings
from memd.engine.scope import is_of_the_person
from memd.errors import BadMemoryError, BadParamsError, LimitExceededError, SecretRefusedError
from memd.model.change import Relation
from memd.service.judging.offers import (
    RememberRequest,
    as_meant,
    check_size,
    look_at,
    must_wait,
    read_offer,
    score_file,
    weighted,
)
from memd.service.judging.vectors import vectors_of
from memd.service.judging.weighing import weigh
from memd.service.recent import outcome, tell_verdicts
from memd.service.screening import beside, make_ready
from memd.text.characters import fingerprint
from memd.text.statements import MOST, Statement, statements
from memd.text.story import out_of_character, voices

if TYPE_CHECKING:
    from memd.store.role.role import Role
    from memd.store.store import Store

SOURCES = {"user": "user", "human": "user", "assistant": "agent", "agent": "agent", "tool": "tool", "system": "system"}
MOST_PROPOSED = 20
LEAST_BYTES = 9  # of a statement: what is shorter says nothing by itself
OVERLAP_CHARS = 12  # of a statement's end, by which it is known as a piece of what is asked to be remembered
AT_ONCE = 8  # statements that are judged without giving others a turn


@dataclass(frozen=True, slots=True)
class Said:
    """One message or tool result: who said it (user, assistant, tool), and what."""

    speaker: str
    content: str


@dataclass(frozen=True, slots=True)
class ProposeRequest:
    """What was said, oldest first."""

    role: str
    said: Sequence[Said]
    session: str = ""
    most: int = MOST_PROPOSED
    counted: bool = True  # as one of the day's scorings; not where memd looks of its own accord


async def propose(store: Store, request: ProposeRequest) -> dict[str, Any]:
    """Return proposals, the best first, and how many statements were looked at. What a person says of themselves in a project is
    judged beside what is known of them."""
    role = await store.role(request.role)
    person = await _person_of(store, role)
    await make_ready(store)
    async with role.turn:
        await store.refresh(role)
        now_s = store.ports.now()
        if request.counted:
            store.room.scorings.check(store.settings.limits, now_s)
            store.room.scorings.add(now_s)
    found: list[dict[str, Any]] = []
    count = 0
    seen: set[str] = set()
    for offered in await beside(store, [one.content for one in request.said], _offered, request):
        mark = fingerprint(offered.content)
        if mark in seen:
            continue
        seen.add(mark)
        count += 1
        try:
            proposal = await _judged(store, person if is_of_the_person(offered.content) else role, offered)
            if proposal:
                proposal["remember"]["role"] = (
                    role.name
                )  # who carries it out is sent on to the person's memory, or kept from it
        except (BadMemoryError, BadParamsError, LimitExceededError, SecretRefusedError):
            proposal = None  # it could not be remembered
        if proposal:
            found.append(proposal)
        if count % AT_ONCE == 0:
            await asyncio.sleep(0)
    found.sort(key=lambda one: -one["total"])
    if request.counted and store.writer.running is not None:
        await _note(store, role, request, count)
    proposals = found[: request.most]
    told = [outcome("proposed", "", one["content"], one["reason"], one["total"], kind=one["kind"]) for one in proposals]
    tell_verdicts(store, "propose", role.name, told, session=request.session)
    return {"role": role.name, "looked_at": count, "total": len(found), "proposals": proposals}


async def _person_of(store: Store, role: Role) -> Role:
    """Return whose memory has what is said of oneself: of a project's role the person's own, brought up to its file; else the role."""
    person = store.roles.person_of(role)
    if person is None:
        return role
    async with person.turn:
        await store.refresh(person)
    return person


def _offered(request: ProposeRequest) -> list[RememberRequest]:
    return list(islice(_offers(request), MOST))


async def _note(store: Store, role: Role, request: ProposeRequest, count: int) -> None:
    """Write down that a proposal was one of the day's scorings, so that a restart forgets none."""
    now_s = store.ports.now()
    value = {"what": "proposed", "role": role.name, "session": request.session, "looked_at": count}
    name = score_file(store, now_s)
    await store.commit(lambda n: [store.record(name, n, value, now_s)], at_s=now_s, roll_back=store.room.scorings.drop)


def _offers(request: ProposeRequest) -> Iterator[RememberRequest]:
    for one in request.said:
        source = SOURCES.get(one.speaker.casefold(), "")
        if source == "system":
            continue
        asked = _asked(one.content) if source == "user" else ""
        if asked:
            yield RememberRequest(request.role, asked, explicit=True, source=source, session=request.session)
        for text in findings(one.content) if source == "agent" else _told(one.content, asked):
            yield RememberRequest(request.role, text, source=source, session=request.session)


def _asked(content: str) -> str:
    """Return what a person asks to have remembered in lines of their own: a quote and a block of code ask for nothing."""
    return asked_to_remember("\n".join(line.text for line in own_lines(content)))


def _told(content: str, asked: str) -> Iterator[str]:
    """Yield the statements of a message that say something, but for what it asks to have remembered.

    Those of a remark out of character bear its mark, each.
    """
    for voice in voices(content):
        for one in statements(voice.text):
            if one.tells and len(one.text.encode("utf-8", "surrogatepass")) >= LEAST_BYTES and not _is_of(one, asked):
                yield out_of_character(one.text) if voice.own else one.text


def _is_of(statement: Statement, asked: str) -> bool:
    """Tell whether a statement is of an instruction to remember: it has what is asked for, or ends within it."""
    said = " ".join(statement.text.split()).rstrip(" .。!！")
    return bool(asked) and (asked in said or said[-OVERLAP_CHARS:] in asked)


async def _judged(store: Store, role: Role, request: RememberRequest) -> dict[str, Any] | None:
    """Return a proposal, or None for what is not worth it, is known, or must not be kept. What words drop is not embedded."""
    offer = as_meant(role, look_at(store, role, read_offer(request)))
    if must_wait(store, offer):
        return None
    check_size(store, role, offer)
    weighed = weigh(store, role, offer)
    if weighed.verdict.total >= store.settings_of(role).gate.warn_from:
        vectors = await vectors_of(store, role, offer)
        weighed = weigh(store, role, offer, vectors)
    offer, verdict, related = weighed.offer, weighed.verdict, weighed.related
    if not verdict.keep:
        return None
    if related is not None and related.judged.relation is Relation.DUPLICATE:
        return None
    params = {"role": role.name, "content": offer.text, "source": request.source, "explicit": request.explicit}
    params["session"] = request.session
    proposal: dict[str, Any] = {
        "content": offer.text,
        "kind": offer.kind.value,
        "total": verdict.total,
        "dimensions": weighted(verdict),
        "reason": verdict.reason,
        "remember": {key: value for key, value in params.items() if value},
    }
    if related is not None:
        proposal["relation"] = {
            "to": related.memory.id,
            "is": related.judged.relation.value,
            "content": related.memory.content,
        }
    return proposal
