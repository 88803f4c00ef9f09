"""Where a message asks and no memory answers: what was said in earlier sessions of the role, as short quotes.

A quote is looked at like everything that would stand in a prompt, with the whole turn it stands in. Left out are the running
conversation, what is forgotten or erased, and what is not in its file as it was read.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

from memd.engine.said import Forgotten, Quoted, fitting, forgotten_of, says, says_forgotten
from memd.formats.records import read_lines
from memd.model.scene import Measured, Quote, QuoteRefused, Quotes
from memd.service.screening import look_at, screen_of
from memd.storage.layout import ARCHIVE
from memd.storage.listing import folder_pieces
from memd.store.sayings import group_of, keep_unsaid

if TYPE_CHECKING:
    from memd.engine.said import Piece
    from memd.model.settings import Settings
    from memd.service.memory.scenes import Asking
    from memd.service.walks import TriggerRequest
    from memd.store.recall.recalled import Talk
    from memd.store.role.role import Role
    from memd.store.store import Store

WAIT_S = 0.1  # for what is not read yet, in a daemon; whoever is asked once waits as long as it takes


async def quotes_for(
    store: Store,
    role: Role,
    request: TriggerRequest,
    asked: Asking,
    talk: Talk,
    as_of_s: float | None,
) -> Quotes:
    """Return what was said that fits what is asked."""
    settings, question = store.settings_of(role), asked.question
    await _wait(store, role)
    sayings = store.sayings
    running = _running(store, request.session)
    spoken = sayings.of(role.name)
    near = await store.meaning.nearest(group_of(role.name), asked.model)

    def may(piece: Piece) -> bool:
        return (
            piece.session not in running
            and piece.event not in sayings.unsaid
            and not (as_of_s is not None and piece.at_s > as_of_s)
            and not says(request.messages, piece)
        )

    async with sayings.turn:
        found = await asyncio.to_thread(fitting, spoken, question, near, asked.weighing, may)
    if not request.explain:  # what is too unlikely is only told of
        found = [one for one in found if one.likely >= one.least]
    return await _looked_at(store, role, found, settings, talk) if found else Quotes(looked=True)


async def _looked_at(store: Store, role: Role, found: list[Quoted], settings: Settings, talk: Talk) -> Quotes:
    """Part what fits into what may come and what may not, with the reason."""
    gone = await _forgotten(store, role.name)
    found = await asyncio.to_thread(lambda: [one for one in found if not says_forgotten(one.piece, gone)])
    sessions = {one.piece.session for one in found}
    current = {one for one in sessions if await store.sayings.is_current(store, one)}
    found = [one for one in found if one.piece.session in current]  # nor is it told that there was such a thing
    await look_at(store, [text for one in found for text in (one.piece.turn, one.piece.text)])
    screen = screen_of(store, settings)
    chosen: list[Quote] = []
    refused: list[QuoteRefused] = []
    for one in found:
        piece = one.piece
        quote = Quote(piece.id, role.name, piece.session, piece.speaker, piece.at_s, piece.words, piece.asked, one.likely, one.why)  # fmt: skip
        withheld = screen(piece.turn, piece.turn, book=False) or screen(piece.text, piece.text, book=False)
        since = talk.since(piece.id, settings.injection.repeat_after)
        if withheld:
            refused.append(QuoteRefused(quote, "withheld", withheld))
        elif one.likely < one.least:
            detail = f"likelihood {one.likely:.2f} is below {one.least:.2f}, which a quote needs"
            measured = Measured("likelihood", one.likely, one.least)
            refused.append(QuoteRefused(quote, "below threshold", detail, measured))
        elif since is not None:
            detail = f"in the window since turn {since}, now {talk.turn}"
            measured = Measured("turns", talk.turn - since, settings.injection.repeat_after)
            refused.append(QuoteRefused(quote, "recently injected", detail, measured))
        else:
            chosen.append(quote)
    return Quotes(tuple(chosen), tuple(refused), looked=True)


async def _wait(store: Store, role: Role) -> None:
    """Wait for what is not read yet, as long as is fair."""
    work = store.sayings.begin(store, role.name)
    if work is not None:
        with suppress(TimeoutError):
            async with asyncio.timeout(None if store.sayings.patient else WAIT_S):
                await asyncio.shield(work)


def _running(store: Store, session: str) -> set[str]:
    """Return the names of the sessions that the running conversation goes into."""
    if not session:
        return set()
    talks = store.working.attended.talks
    same = {
        one
        for who, talk in talks.items()
        if session in (who, talk.name, talk.session)
        for one in (talk.name, talk.session)
    }
    roots = {session, *same} - {""}
    return {
        one for one in {*store.sayings.sessions, *roots} if any(one == root or _goes_on(one, root) for root in roots)
    }


def _goes_on(session: str, root: str) -> bool:
    """Tell whether a session's name is that of another with a number behind it: what a closed one goes on in."""
    return session.startswith(f"{root}.") and session[len(root) + 1 :].isdigit()


async def _forgotten(store: Store, role: str) -> Collection[Forgotten]:
    """Return what a person wanted forgotten of a role, and did not bring back."""
    return await asyncio.to_thread(partial(_read_forgotten, store, role, store.writer.waiting_lines(ARCHIVE)))


def _read_forgotten(store: Store, role: str, waiting: list[str]) -> list[Forgotten]:
    found: dict[str, Forgotten] = {}
    for data in (*folder_pieces(store.tree, ARCHIVE), "".join(waiting).encode()):
        for line in read_lines(data):
            value = line.value or {}
            entry, key = value.get("entry"), str(value.get("id"))
            if value.get("role") != role:
                continue
            if value.get("what") == "restored":
                found.pop(key, None)
            elif isinstance(entry, dict):
                text = str(entry.get("content") or entry.get("value") or "")
                found[key] = forgotten_of(text, str(entry.get("session") or ""))
    return list(found.values())


async def unsay(store: Store, role: Role, text: str) -> None:
    """Let no turn be quoted any more that says what is erased. StorageError where that cannot be kept."""
    work = store.sayings.begin(store, role.name)
    if work is not None:
        await asyncio.shield(work)
    gone = [forgotten_of(text, "")]
    held = list(store.sayings.of(role.name).memories.values())
    events = await asyncio.to_thread(lambda: [one.event for one in held if says_forgotten(one, gone)])
    if events:
        await asyncio.to_thread(keep_unsaid, store.tree, events)
        await store.sayings.drop(events)
        await store.sayings.tell(store, role.name)
