"""What a person wants of memory in a prompt, carried out at once: keep this, forget that, not for the record.

A hook's prompt is listened to first, which decides whether its turn may be kept; then what it asks is carried out, and what
came of it waits in the conversation's wishes until an agent is told. What is kept is looked at and judged like everything
that is remembered; what is forgotten lies in the archive.
"""

from __future__ import annotations

import asyncio
import hashlib
import uuid
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from memd.engine.keep.guard.asking import LONGEST, asked_to_remember
from memd.engine.keep.guard.wishes import Wish, Wished, read_prompt, those_about
from memd.engine.scope import is_of_the_person
from memd.errors import MemdError, SessionUnknownError
from memd.formats.times import to_iso, to_seconds
from memd.model.agents import AGENTS
from memd.model.sessions import EventKind
from memd.service.capture.levels import OFF, PAUSED, standing
from memd.service.judging.offers import RememberRequest
from memd.service.memory.egress import ALL, safe_text
from memd.service.memory.history import forgotten_of
from memd.service.memory.records import removals
from memd.service.memory.remember import remember
from memd.service.scope import at_home
from memd.service.screening import beside
from memd.service.walks import PERSONS
from memd.service.work.sessions import session_of
from memd.storage.itself import own_line, placed

if TYPE_CHECKING:
    from memd.model.memory import Memory
    from memd.service.walks import Prompt
    from memd.store.attended import Conversation
    from memd.store.session_log import SessionLog
    from memd.store.store import Store

Kept = tuple[str, "Memory"]  # a memory, and the role that has it
MOST_TOLD = 5
TOLD_CHARS = 200


async def of_session(store: Store, role_name: str, session: str) -> list[Memory]:
    """Return the memories of a role that were kept in a session and hold, the oldest first; of all sessions where it is ""."""
    role = await store.role(role_name)
    async with role.turn:
        await store.refresh(role)
        known = role.compiled.memories.values()
        found = [one for one in known if not one.superseded_by and (one.session == session or not session)]
    return sorted(found, key=lambda one: one.when_s or 0.0)


def about(memories: Sequence[Kept], words: str) -> list[Kept]:
    """Return the memories that are about a subject."""
    return [memories[at] for at in those_about([one.text for _, one in memories], words)]


async def forget(store: Store, role_name: str, memory_id: str, reason: str) -> bool:
    """Move a memory to the archive, durably; False where it is gone already."""
    role = await store.role(role_name)
    async with role.turn:
        await store.refresh(role)
        memory = role.compiled.memories.get(memory_id)
        if memory is None:
            return False
        now_s = store.ports.now()
        done = store.commit(lambda n: removals(store, role, [memory], reason, n, now_s), at_s=now_s)
    await done
    return True


async def candidates_text(store: Store, memories: Sequence[Kept]) -> str:
    """Return what an agent is told where it is not sure which memory a person wants forgotten."""
    lines = []
    for role, one in memories[-MOST_TOLD:]:
        text = " ".join((await safe_text(store, one.text, ALL)).split())
        lines.append(f"- “{text[:TOLD_CHARS]}”: {own_line('forget', role, one.id[:8], '--workspace', store.path)}")
    more = len(memories) - len(lines)
    lists = placed(f"`memd list {memories[0][0]}`", store.path)
    told = "The person wants something forgotten, and memd is not sure which. Ask them, then run what forgets it:\n"
    return told + "\n".join(lines) + (f"\n- and {more} more ({lists})" if more > 0 else "")


NAMESPACE = uuid.UUID("6a3b1f0e-6d0c-5d0e-9c57-0e6d656d6400")  # of ids that follow from what was said where
QUOTED_CHARS = 200
BEHIND_S = 0.3  # what is still written of the turn before is waited for so long
LOOKED_BACK = 200  # of a session's newest messages, those that are asked whether the person wanted anything remembered
OFF_NOTE, BACK_NOTE = "off the record from here on", "on the record again"
NOT_KEPT = "Off the record: memd keeps nothing of {what}. Do not remember any of it either."
THIS, FROM_HERE = (
    "this prompt and its answer",
    "this conversation until the person says that it is back on the record (可以记了)",
)
NOTHING_ABOUT = (
    "memd has kept nothing of {of}, and what was said in these words so far in this conversation will not be kept."
    " What says it in other words still may be: tell the person."
)
ALSO_NOT = "What the prompt asks to have remembered was not kept either: tell the person."


class Heard(NamedTuple):
    """What a prompt wants, what else its own lines say, and the note that its session gets."""

    wishes: list[Wished]
    rest: str = ""
    note: str = ""


async def listen(store: Store, talk: Conversation, prompt: Prompt) -> Heard:
    """Find out what a prompt wants and whether its turn is kept; nothing is carried out yet."""
    read = await beside(store, prompt.text, read_prompt, prompt.text)
    own, wishes = talk.wishes, read.wishes
    own.asked = own.asked or any(one.wish is Wish.KEEP for one in wishes) or bool(asked_to_remember(read.rest))
    if not own.looked:
        was_off, newest = await _left_at(store, prompt.session)
        own.off, own.looked = own.off or was_off, True
        talk.session = talk.session or newest
    before, wanted = own.off, {one.wish for one in wishes if one.surely}
    own.off = (own.off or Wish.FROM_HERE in wanted) and Wish.BACK not in wanted
    level = standing(store)
    wishes = [one for one in wishes if _is_kept_here(prompt, one)]
    own.private = own.off or Wish.THIS_TURN in wanted or level == PAUSED
    own.silent = own.private or level == OFF
    if level == OFF:
        return Heard([])
    note = "" if own.off == before else OFF_NOTE if own.off else BACK_NOTE
    return Heard(wishes, "" if own.silent else read.rest, note)


def _is_kept_here(prompt: Prompt, one: Wished) -> bool:
    """Tell whether a wish is carried out in this workspace, where a project's memory is in another than the person's."""
    if not prompt.only or one.wish not in (Wish.KEEP, Wish.LAST, Wish.ABOUT):
        return True
    personal = one.wish is Wish.KEEP and is_of_the_person(one.text)
    return personal == (prompt.only == PERSONS)


async def carry_out(store: Store, talk: Conversation, prompt: Prompt, heard: Heard) -> None:
    """Do what was surely asked for, and leave in the conversation's wishes what an agent is to be told of it."""
    wishes = [one for one in heard.wishes if one.surely or one.wish in (Wish.LAST, Wish.ABOUT)]
    told = talk.wishes.told
    told += _silence(store, talk, wishes)
    if not wishes or (talk.wishes.silent and not any(one.wish in (Wish.LAST, Wish.ABOUT) for one in wishes)):
        return
    if not prompt.role:
        told.append(
            f"memd could do nothing of what the prompt asks of memory: {prompt.trouble or 'it has no role here'}"
        )
        return
    if talk.work is not None and not talk.work.done():
        await asyncio.wait({talk.work}, timeout=BEHIND_S)
    if len(prompt.text) > LONGEST and any(one.wish is Wish.KEEP for one in wishes):
        told.append(
            "The prompt is long, and only its beginning was read for what is to be remembered: see to the rest."
        )
    places = await _places(store, talk, prompt, heard.note)
    for number, one in enumerate(wishes):
        try:
            if one.wish is Wish.KEEP and not talk.wishes.silent:
                told.append(await _keep(store, talk, prompt, one.text, (number, places.this)))
            elif one.wish is Wish.LAST:
                told += await _forget_last(store, talk, prompt, places, surely=one.surely)
            elif one.wish is Wish.ABOUT:
                told.append(await _forget_about(store, talk, prompt, one))
        except MemdError as error:
            hint = placed(error.hint, store.path)
            told.append(f"memd could not do what the prompt asks ({one.wish.name.lower()}): {error} {hint}".rstrip())


def _silence(store: Store, talk: Conversation, wishes: list[Wished]) -> list[str]:
    """Return what an agent is told where a turn is not kept."""
    if not talk.wishes.silent:
        return []
    asked = any(one.wish is Wish.KEEP for one in wishes)
    if standing(store) == PAUSED:
        until = to_iso(store.in_force.trust.trusted.paused_until_s)
        end = "a person ends it" if until.startswith("9999-") else until
        ends = placed("`memd pause --off` ends that", store.path)
        why = f"memd is paused until {end} and keeps nothing ({ends}). {ALSO_NOT}"
        return [why] if asked else []
    said = {one.wish for one in wishes}
    if not (asked or said & {Wish.FROM_HERE, Wish.THIS_TURN}):
        return []
    told = NOT_KEPT.format(what=FROM_HERE if talk.wishes.off else THIS)
    return [f"{told} {ALSO_NOT}" if asked else told]


async def _keep(store: Store, talk: Conversation, prompt: Prompt, text: str, at: tuple[int, int]) -> str:
    """Keep a text as the person asked, and return what came of it; `at`: its number in the prompt, and the turn."""
    session, (number, turn) = talk.session or prompt.session, at
    asked = prompt.address or prompt.role
    memory_id = _id_of(asked, session, prompt.key or f"turn {turn}", number, text) if session else ""
    for role in prompt.homes if memory_id else ():
        if await _is_known(store, role, memory_id):
            return f"memd has carried that out before: {_quoted(text)}"
    request = RememberRequest(
        asked, text, fields={"turn": turn}, explicit=True, source="user", session=session, id=memory_id,
        told_s=prompt.at_s,
    )  # fmt: skip
    reply = await remember(store, await at_home(store, request), act="asked")
    return await _verdict(store, reply["role"], reply)


def _id_of(role: str, session: str, turn: str, number: int, text: str) -> str:
    """Return the id that the same words of the same prompt have, whichever daemon carries them out."""
    digest = hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
    return str(uuid.uuid5(NAMESPACE, "\n".join((role, session, turn, str(number), digest))))


async def _is_known(store: Store, role_name: str, memory_id: str) -> bool:
    role = await store.role(role_name)
    async with role.turn:
        await store.refresh(role)
        known = memory_id in role.compiled.memories
    return known or memory_id in await forgotten_of(store, role.name)


async def _verdict(store: Store, role: str, reply: dict[str, Any]) -> str:
    """Return what came of a text as an agent is told it."""
    word, known = reply["verdict"], str(reply.get("id") or "")[:8]
    if word == "quarantined":
        shows = placed(f"`memd review show {reply['review'][:8]}` shows it.", store.path)
        held = "memd holds what the prompt asks to have remembered until a person has seen it"
        return f"{held}: {reply['reason']}. {shows} Do not remember it in another way."
    if word == "refused":
        hint = placed(reply["hint"], store.path)
        return f"memd did not keep what the prompt asks to have remembered: {reply['reason']}. {hint}".rstrip()
    if word == "duplicate":
        return f"memd knew that already, and keeps it: {_quoted(await _safe(store, reply['relation']['content']))}"
    kept = f"memd kept, as the person asked: {_quoted(await _safe(store, reply['content']))}"
    if reply.get("redacted"):
        kept += f", without what must not be kept ({reply['redacted']})"
    if word == "superseding":
        kept += f", in place of {_quoted(await _safe(store, reply['relation']['content']))}"
    elif word == "refined":
        kept += ", together with what was known"
    undo = placed(f"`memd undo {role} {known}` takes it back", store.path)
    return f"{kept} ({role} {known}; {undo}). Do not remember it again."


async def _safe(store: Store, text: str) -> str:
    return await safe_text(store, text, ALL)


def _quoted(text: str) -> str:
    plain = " ".join(text.split())
    return f"“{plain}”" if len(plain) <= QUOTED_CHARS else f"“{plain[:QUOTED_CHARS]}…”"


async def _forget_last(store: Store, talk: Conversation, prompt: Prompt, places: Places, *, surely: bool) -> list[str]:
    """Forget what was kept with the prompt before this one, where that is one memory."""
    talk.waiting.clear()
    session = talk.session or prompt.session
    known = await _kept_in(store, prompt, session)
    if places.last_in not in ("", session):
        known = [*await _kept_in(store, prompt, places.last_in), *known]
    last = [(role, one) for role, one in known if _is_of(one, places)]
    if len(last) == 1 and surely:
        return [await _forgot(store, last[0][0], last[0][1].id, last[0][1].text)]
    if last:
        return [await candidates_text(store, last)]
    held = [one for one in store.keeping.quarantine.held.values() if one.get("session") == session] if session else []
    if not surely:
        return []
    if held:
        waits = ", ".join(placed(f"`memd review drop {str(one['id'])[:8]}`", store.path) for one in held[-3:])
        return [f"memd keeps nothing of the last turn; what waits for review of this conversation goes with {waits}."]
    nothing = "memd had kept nothing of the turn before this one, so there was nothing to forget."
    return [f"{nothing} {await candidates_text(store, known)}" if known else nothing]


async def _forget_about(store: Store, talk: Conversation, prompt: Prompt, wished: Wished) -> str:
    """Forget the one memory of this conversation that a prompt speaks of; where it is not one, tell which there are."""
    known = await _kept_in(store, prompt, talk.session or prompt.session)
    found = about(known, wished.text)
    if len(found) == 1 and wished.surely and wished.text:
        return await _forgot(store, found[0][0], found[0][1].id, found[0][1].text)
    others = found or about(await _kept_in(store, prompt, ""), wished.text) if wished.text else known
    if others:
        return await candidates_text(store, others)
    return (
        NOTHING_ABOUT.format(of=_quoted(wished.text)) if wished.text else "memd has kept nothing of this conversation."
    )


async def _kept_in(store: Store, prompt: Prompt, session: str) -> list[Kept]:
    """Return what was kept in a session and holds, of the project's and of the person's, the oldest first."""
    found = [(role, one) for role in prompt.homes for one in await of_session(store, role, session)]
    return sorted(found, key=lambda one: one[1].when_s or 0.0)


async def _forgot(store: Store, role: str, memory_id: str, text: str) -> str:
    if not await forget(store, role, memory_id, "the person asked for it in a conversation"):
        return f"memd has forgotten that already: {_quoted(await _safe(store, text))}"
    undo = placed(f"`memd undo {role} {memory_id[:8]}` brings it back", store.path)
    return f"memd forgot, as the person asked: {_quoted(await _safe(store, text))} ({undo})."


class Places(NamedTuple):
    """Where a prompt stands among the events of its session, from 1; the last prompt's place, when that came and in which session."""

    this: int
    last: int
    last_s: float
    last_in: str = ""


def _is_of(one: Memory, places: Places) -> bool:
    """Tell whether a memory was kept with the last prompt, or since: an agent's word has no turn."""
    if one.turn is not None:
        return one.turn == places.last and places.last_in in ("", one.session)
    return places.last_s > 0 and one.when_s is not None and one.when_s >= places.last_s - 1


async def _places(store: Store, talk: Conversation, prompt: Prompt, note: str) -> Places:
    """Return the places as a pass counts them, among all events; what is written of this prompt before its words comes first."""
    log = await _log_of(store, talk.session or prompt.session)
    before = bool(talk.digest or talk.lost) + bool(note)
    if log is None:
        this = talk.prompts - talk.unkept
        is_first = store.settings.hooks.log and bool(
            talk.session or prompt.session
        )  # behind the opening of its session
        return Places(before + 2, 0, 0.0) if is_first else Places(this, this - 1, 0.0)
    this, one, looked = len(log) + before + 1, log, {log.name}
    while True:
        for event in one.visible_back():
            if event.kind == EventKind.MESSAGE and event.said.get("speaker") == "user":
                return Places(this, event.seq, to_seconds(event.at) or 0.0, one.name)
        origin = one.totals.opened.get("from")
        parent = str(origin.get("session", "")) if isinstance(origin, dict) and origin.get("how") == "resume" else ""
        older = await _log_of(store, parent) if parent not in looked else None
        if older is None:
            return Places(this, 0, 0.0)
        looked.add(parent)
        one = older  # the answer to the last prompt had no room behind it


async def _log_of(store: Store, session: str) -> SessionLog | None:
    if not session:
        return None
    try:
        async with store.working.turn_of(session):
            return await session_of(store, session)
    except SessionUnknownError:
        return None


async def _left_at(store: Store, session: str) -> tuple[bool, str]:
    """Return how a conversation stood when it was last heard of: whether off the record, and which session it went into.

    Its last note says the one; the other is the first that is not closed, else the last ("" where there is none yet).
    """
    off, name, number, newest, goes_on = False, session, 1, "", True
    while log := await _log_of(store, name):
        off = _left_off(log, before=off)
        newest, goes_on = (log.name, bool(log.totals.closed)) if goes_on else (newest, False)
        number += 1
        name = f"{session}.{number}"
    return off, newest


def _left_off(log: SessionLog, *, before: bool) -> bool:
    if EventKind.NOTE not in log.totals.kinds:
        return before
    for seq in range(len(log), 0, -1):
        event = log.event(seq)
        if event.kind == EventKind.NOTE and event.said.get("content") in (OFF_NOTE, BACK_NOTE):
            return bool(event.said["content"] == OFF_NOTE)
    return before


async def was_asked(store: Store, session: str) -> bool | None:
    """Tell whether the person in a session asked for anything to be remembered, None where no hook sees it."""
    talks = store.working.attended.talks
    seen = [talk for who, talk in talks.items() if session in (who, talk.name, talk.session)]
    if any(talk.wishes.asked for talk in seen):
        return True
    log = await _log_of(store, session)
    if log is None or log.totals.opened.get("engine") not in AGENTS:
        return False if seen else None
    said = [str(one.said.get("content", "")) for one in log.visible_back() if one.said.get("speaker") == "user"]
    return await beside(store, said, _any_asks, said[:LOOKED_BACK])


def _any_asks(said: list[str]) -> bool:
    for text in said:
        read = read_prompt(text)
        if any(one.wish is Wish.KEEP for one in read.wishes) or asked_to_remember(read.rest):
            return True
    return False
