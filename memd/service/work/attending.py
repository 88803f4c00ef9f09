"""hook.event: what an agent is told and what is kept when its window begins, a prompt comes, a tool is called, a turn ends.

The hook's process only translates; everything that decides is here. An event is answered once, however many hooks ask:
it is claimed before anything is waited for. What is only kept (the session, proposals) is done behind the reply. What is
told to somebody who has gone meanwhile is taken back, and told to the next who asks.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
import re
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from memd.engine.work.briefing import denied_text, is_trivial, joined, room_beside
from memd.errors import MemdError
from memd.formats.strict_json import dumps
from memd.formats.times import to_iso
from memd.model.agents import CONTEXT_UNITS
from memd.model.names import is_name
from memd.service.recent import tell_recall
from memd.service.walks import MAIN, GuardRequest, Walks
from memd.service.work.attended_parts import (
    MOST_TOLD,
    Attending,
    HookEvent,
    Late,
    afterwards,
    asked,
    carried,
    carried_out,
    find_role,
    part,
    prompt_of,
    proposals,
    recalled,
    snapshot,
    status_line,
    ways,
)

if TYPE_CHECKING:
    from memd.service.capture.asking import Heard
    from memd.store.attended import Conversation
    from memd.store.store import Store

logger = logging.getLogger(__name__)

FRESH = ("startup", "new", "clear", "compact")  # a window that has nothing of what was told before
VERDICT_UNITS = 500  # of what an agent takes, for what came of one wish of a prompt
MOST_WAITING = 12  # proposals for other roles in the same conversation
NAME_CHARS = 56  # of a session's name, so that .2 and the like have room behind it
_PLAIN = re.compile("[a-z0-9][a-z0-9_-]*")  # no capitals, which some file systems confuse, and no dot: it is ours
SILENT = ("off", "paused")  # as the level of capture stands
FORGETFUL = ("gemini",)  # goes on with a conversation, but not with what its hooks said in it


async def attend(store: Store, walks: Walks, event: HookEvent, late: Late | None = None) -> dict[str, Any]:
    """Return `text` for the agent's window, `action` with its `reason` on a call, and the `session` it goes into.

    Of an event that comes `late` nobody is told anything: what it wants is done and kept on return, or MemdError raised.
    """
    attended = store.working.attended
    who = event.session or f"{event.agent}, no session"
    talk = attended.talk(who)
    mark = _mark(event, who, talk)
    now_s, kept = store.ports.monotonic(), f"{mark}\nkept"
    if late is not None:
        now_s -= max(0.0, store.ports.now() - late.at_s)
    first = attended.claim(mark, now_s, for_good=bool(event.key))
    if not first and event.event != "tool":
        return _reply("")
    fresh = event.event != "prompt" or attended.claim(kept, now_s, for_good=bool(event.key))
    if fresh:
        talk.count(event.event)
    store.in_force.look()
    talk.name = talk.name or session_name(event.agent, event.session)
    one = Attending(store, walks, event, talk, talk.name, fresh=fresh, late=late)
    try:
        if event.event == "tool":
            return await _ruled(one, mark, first=first)
        await find_role(one)
        text = await (_sent(one) if one.elsewhere else TELLERS[event.event](one))
        await _settled(one)
    except BaseException:
        attended.give_back(mark)
        attended.give_back(kept)
        raise
    if one.is_gone() and event.event in ("start", "prompt"):
        attended.give_back(mark)
        text = ""
    elif one.brought:
        tell_recall(store, *one.brought, agent=event.agent, talk=talk)
    if store.unheard.changed:
        _behind(one, lambda: asyncio.to_thread(store.unheard.save), "what was told")
    status = await status_line(one) if event.event == "start" else ""
    return _reply(talk.session or one.name, text) | {"elsewhere": one.elsewhere, "status": status}


def session_name(agent: str, session: str) -> str:
    """Return the name of the session that an agent's session goes into; "" where the agent names none.

    An id that could be taken for another's (by its case, or as a continuation) gives way to its digest.
    """
    if not session:
        return ""
    name = f"{agent}-{session}"
    if is_name(name) and len(name) <= NAME_CHARS and _PLAIN.fullmatch(session) and "-" not in agent:
        return name
    return f"{agent}-{hashlib.sha256(session.encode('utf-8', 'replace')).hexdigest()[:24]}"


def _reply(session: str, text: str = "", action: str = "allow", reason: str = "") -> dict[str, Any]:
    told = {"text": text, "action": action, "reason": reason, "session": session}
    return {**told, "elsewhere": "", "status": ""}


def _mark(event: HookEvent, who: str, talk: Conversation) -> str:
    """Return what two askers of the same event share: its key, else its text and its place among prompts and answers.

    A turn may end more than once: the text of its end counts beside its key.
    """
    mark = [who, event.event, event.key]
    if not event.key or event.event == "stop":
        mark.append(_digest(event))
    if not event.key and event.event != "prompt":  # between two answers a prompt is one, however often it is sent
        mark.append(f"after {talk.prompts} prompts")
    if not event.key and event.event != "stop":
        mark.append(f"after {talk.answers} answers")
    return "\n".join(mark)


def _digest(event: HookEvent) -> str:
    given = event.input if isinstance(event.input, str) else dumps(event.input)
    whole = dumps([event.source, event.message, event.reply, event.tool, given])
    return hashlib.sha256(whole.encode("utf-8", "replace")).hexdigest()


async def _sent(one: Attending) -> str:
    """The directory's memory is in another workspace, which is asked next: here is kept only what the person says of themselves."""
    if one.event.event != "prompt" or not one.fresh or one.is_gone():
        return ""
    heard = await one.walks.listen(one.store, one.talk, prompt_of(one))
    await carried_out(one, heard)
    return "" if one.is_gone() else carried(one)


async def _begun(one: Attending) -> str:
    """A window begins: the snapshot, and after a compaction what waited to be told."""
    if one.event.source in FRESH or (one.event.source == "resume" and one.event.agent in FORGETFUL):
        _forget_window(one)
    if one.is_gone():
        one.talk.lost = True
        return ""
    parts = [one.trouble, afterwards(one)]
    if one.event.source == "compact":
        parts.insert(0, await part(proposals(one, CONTEXT_UNITS // 2), "proposals"))
    parts.insert(0, await part(snapshot(one, room_beside(parts)), "the snapshot"))
    if one.is_gone():
        one.take_back()
    return joined(parts)


async def _prompted(one: Attending) -> str:
    """A prompt comes: it is answered, unless nobody waits for that, and kept."""
    found: list[str] = []
    heard = await one.walks.listen(one.store, one.talk, prompt_of(one))
    known, asking = ("", "") if one.is_gone() else await _known(one, heard, found)
    if one.fresh:
        await carried_out(one, heard)  # behind what comes to mind, which would be what was kept just now
    text = "" if one.is_gone() else await _answered(one, known, asking)
    if one.is_gone():
        one.take_back()
        found.clear()
    if one.fresh:
        _keep_prompt(one, found, heard.note)
    return text


async def _known(one: Attending, heard: Heard, found: list[str]) -> tuple[str, str]:
    """Return what a prompt brings to mind, and what else it asks to have remembered; `found` gets the ids of the first."""
    message, asking = one.event.message, ""
    if one.store.settings.hooks.guard and heard.rest.strip():
        asking = await part(asked(one, heard.rest), "what is to be remembered")
    if not one.role or not message.strip() or is_trivial(message):
        return "", asking
    room = room_beside([asking]) - VERDICT_UNITS * len(heard.wishes)
    return await part(recalled(one, found, room), "what comes to mind"), asking


async def _answered(one: Attending, known: str, asking: str) -> str:
    """Return what a prompt is told: what came to mind, what came of its wishes, what it asks for, what the last turn had."""
    parts = [known, carried(one), asking]
    parts.append(await part(proposals(one, room_beside(parts)), "proposals"))
    if one.talk.lost:
        parts.append(await part(snapshot(one, room_beside(parts)), "the snapshot"))
    return joined(parts)


def _keep_prompt(one: Attending, found: list[str], note: str) -> None:
    """Keep, behind the reply, what the person said and what the agent was told with it; of a turn off the record, a note alone."""
    message, talk = one.event.message, one.talk
    hooks = one.store.settings.hooks
    if talk.wishes.silent:
        talk.unkept += 1
        talk.said.clear()
    else:
        talk.hear("user", message)
    if hooks.log and one.name and (note if talk.wishes.silent else message):
        events: list[dict[str, Any]] = [{"kind": "note", "content": note}] if note else []
        if talk.wishes.silent:
            _behind(one, lambda: _write(one, events), "a note")
            return
        events.append({"kind": "message", "speaker": "user", "content": message})
        if found:
            events.append({"kind": "injected", "role": one.role, "memories": found})
        if talk.digest:
            events.insert(0, {"kind": "prompt_snapshot", "digest": talk.digest})
            talk.digest = ""
        _behind(one, lambda: _write(one, events), "the prompt")


async def _stopped(one: Attending) -> str:
    """A turn ended: what was answered is kept, and what of the turn is worth remembering is looked for."""
    reply, talk = one.event.reply, one.talk
    hooks = one.store.settings.hooks
    if not talk.wishes.looked:  # the daemon is a new one, and the prompt may have been off the record
        await one.walks.listen(one.store, talk, prompt_of(one))
    if _is_silent(one):
        talk.said.clear()
        return ""
    if reply:
        talk.hear("assistant", reply)
    if hooks.log and one.name and reply:
        event = {"kind": "message", "speaker": "assistant", "content": reply}
        await _done(_behind(one, lambda: _write(one, [event]), "the reply"))
    _look_back(one)
    return ""


async def _compacted(one: Attending) -> str:
    """The window is about to be compacted: that is noted, and what was told may be told again."""
    talk = one.talk
    if one.store.settings.hooks.log and talk.session and not _is_silent(one):
        note = f"the agent compacts its window ({one.event.source or 'auto'})"
        events = [{"kind": "note", "content": note}]
        await _done(_behind(one, lambda: _write(one, events), "a note"))
    _look_back(one)
    _forget_window(one)
    talk.lost = True
    return ""


def _is_silent(one: Attending) -> bool:
    """Tell whether nothing of this turn is kept: its prompt was off the record, or capture is off or paused by now."""
    return one.talk.wishes.silent or one.walks.standing(one.store) in SILENT


async def _ended(one: Attending) -> str:
    """An agent ended, and may be resumed: nothing is closed; what was said is looked at when all of it is written."""

    async def end() -> None:
        one.store.captured.end(one.talk.session or one.name)

    _behind(one, end, "the end")
    return ""


Teller = Callable[[Attending], Awaitable[str]]
TELLERS: dict[str, Teller] = {
    "start": _begun,
    "prompt": _prompted,
    "stop": _stopped,
    "compact": _compacted,
    "end": _ended,
}


async def _ruled(one: Attending, mark: str, *, first: bool) -> dict[str, Any]:
    """Return the guard's ruling on a call. Who asks a second time gets the same: a refusal must not wear off."""
    if not one.store.settings.hooks.guard:
        return _reply(one.name)
    rulings = one.store.working.attended.rulings
    task = rulings.get(mark)
    if task is None or first:
        task = asyncio.create_task(_ruling(one))
        one.store.working.attended.rule(mark, task)
    ruling = await asyncio.shield(task)
    if ruling["action"] == "allow":
        return _reply(one.name)
    reason = denied_text(ruling["why"], ruling["hint"], ways(one.store, ruling))
    return _reply(one.name, "", "deny", reason)


async def _ruling(one: Attending) -> dict[str, Any]:
    await find_role(one)
    request = GuardRequest(tool=one.event.tool, given=one.event.input, role=one.whose or MAIN, session=one.name)
    return await one.walks.check(one.store, request)


def _forget_window(one: Attending) -> None:
    """What was told before is not in the window any more, and may be told again."""
    if one.role and one.name:
        one.store.recalled.talk(one.role, one.name).injected.clear()
        one.store.recalled.changed = True


def _look_back(one: Attending) -> None:
    """Look, behind the reply, for what was worth remembering since the last look."""
    said, one.talk.said = one.talk.said, []
    if one.late or not (one.store.settings.hooks.propose and one.role and said):
        return

    async def look() -> None:
        found = await one.walks.notice(one.store, one.role, one.name, said)
        own = [waiting for waiting in one.talk.waiting if waiting["remember"]["role"] == one.role]
        others = [waiting for waiting in one.talk.waiting if waiting not in own][-MOST_WAITING:]
        known = {waiting["content"] for waiting in own}
        own += [proposal for proposal in found if proposal["content"] not in known]
        one.talk.waiting = others + own[-MOST_TOLD:]

    _behind(one, look, "proposals")


async def _write(one: Attending, events: list[dict[str, Any]]) -> None:
    """Keep events in the conversation's session; of those that come late, with the time when they happened, and once."""
    late_s = one.late.at_s if one.late else 0.0
    timed = [{**event, "at": to_iso(late_s)} for event in events] if late_s else events
    await one.walks.write_down(one.store, one.talk, one.opening, timed, late_s)


def _behind(one: Attending, work: Callable[[], Awaitable[None]], what: str) -> asyncio.Task[None]:
    """Do something behind the reply, in the order of the conversation; what fails is told in the log."""
    before = one.talk.work

    async def later() -> None:
        if before is not None and not before.done():
            await asyncio.wait({before})
        try:
            await work()
        except MemdError as error:
            logger.warning("%s of %s was not kept: %s", what, one.name, error)
            if one.late:
                one.late.faults.append(error)
        except Exception:
            logger.exception("%s of %s was not kept", what, one.name)

    task = one.talk.work = asyncio.create_task(later())
    tasks = one.store.working.attended.tasks
    tasks.add(task)
    task.add_done_callback(tasks.discard)
    return task


async def _done(task: asyncio.Task[None]) -> None:
    await asyncio.shield(task)


async def _settled(one: Attending) -> None:
    """Of an event that comes late: wait until all of it is kept; raise what of it could not be."""
    if one.late is None:
        return
    one.late.role = one.role
    while (work := one.talk.work) is not None and not work.done():
        await asyncio.wait({work})
    one.late.told += one.talk.wishes.told
    one.talk.wishes.told.clear()
    if one.late.faults:
        raise one.late.faults[0]
