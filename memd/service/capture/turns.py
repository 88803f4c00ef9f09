"""The turns of a session that were not looked through yet: those that this machine wrote, oldest first, a part at a time."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, NamedTuple

from memd.formats.times import to_seconds
from memd.model.sessions import EventKind, Turn, is_said, own_number

if TYPE_CHECKING:
    from memd.model.sessions import Event
    from memd.store.session_log import SessionLog

PASS_TURNS = 200  # that one pass looks at
BESIDE = 6  # turns before them that are read with them: a short answer needs its question
BACK = 400  # events that are looked through for those
AT_ONCE = 500  # events that are read without giving others a turn
TURN_CHARS = 20_000  # of one message; TOOL_CHARS of what a tool returned
TOOL_CHARS = 2000


class NewTurns(NamedTuple):
    """`before` were looked at already, and `turns` not; `events` has the event of each by its number.

    `upto`: the number of the last own event that is done with these; `left`: messages that wait for the next part.
    """

    before: list[Turn]
    turns: list[Turn]
    events: dict[int, str]
    upto: int
    left: int


class Unseen(NamedTuple):
    """The place and the number of each message that was not looked at, oldest first, and the number of the last own event."""

    messages: list[tuple[int, int]]
    last: int


async def unseen(log: SessionLog, writer: str, upto: int) -> Unseen:
    """Return what a writer said in a session after its event of number `upto`.

    What others wrote into the file, on another machine or by hand, is no turn of this machine's.
    """
    found: list[tuple[int, int]] = []
    last, seq = upto, len(log)
    while seq:
        n, event = number_of(log, seq, writer)
        if n is not None and n <= upto:
            break
        if n is not None:
            last = max(last, n)
            if is_said(event):
                found.append((seq, n))
        seq -= 1
        if seq % AT_ONCE == 0:
            await asyncio.sleep(0)
    return Unseen(found[::-1], last)


def part_at(log: SessionLog, writer: str, new: Unseen, at: int, now_s: float) -> NewTurns:
    """Return the part that begins with the message of this place in the list."""
    found = new.messages
    end = min(len(found), at + PASS_TURNS)
    while at < end < len(found) and found[end][1] == found[end - 1][1]:
        end += 1  # what came together is looked at together
    chosen = [log.event(seq) for seq, _ in found[at:end]]
    before = _before(log, writer, found[at][0])
    upto = new.last if end == len(found) else found[end - 1][1]
    turns = [turn_of(one, now_s) for one in chosen]
    events = {one.seq: one.id for one in chosen}
    return NewTurns([turn_of(one, now_s) for one in before], turns, events, upto, len(found) - end)


def number_of(log: SessionLog, seq: int, writer: str) -> tuple[int | None, Event]:
    """Return the number under which a writer wrote an event, None where it is not its own, and the event."""
    event = log.event(seq)
    return own_number(event, writer), event


def turn_of(event: Event, now_s: float) -> Turn:
    """Return an event as a turn; a clock that ran ahead told no time after now."""
    tool = event.kind == EventKind.TOOL_RESULT
    speaker = "tool" if tool else str(event.said.get("speaker", ""))
    at_s = to_seconds(event.at)
    text = str(event.said["content"])[: TOOL_CHARS if tool else TURN_CHARS]
    return Turn(event.seq, speaker, text, now_s if at_s is None or not 0 < at_s <= now_s else at_s)


def _before(log: SessionLog, writer: str, first: int) -> list[Event]:
    found: list[Event] = []
    for seq in range(first - 1, max(0, first - 1 - BACK), -1):
        n, event = number_of(log, seq, writer)
        if n is not None and is_said(event):
            found.append(event)
            if len(found) == BESIDE:
                break
    return found[::-1]
