"""What an agent's hooks write into sessions: which session a conversation goes into, and its events."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from itertools import count
from typing import TYPE_CHECKING, Any

from memd.errors import LimitExceededError, NameTakenError, SessionClosedError, SessionUnknownError
from memd.model.names import is_name
from memd.service.work.session_files import session_of
from memd.service.work.sessions import OpenRequest, append, close_session, open_session

if TYPE_CHECKING:
    from memd.store.store import Store
    from memd.store.work.attended import Conversation

NAME_CHARS = 56  # of a session's name, so that .2 and the like have room behind it
_PLAIN = re.compile("[a-z0-9][a-z0-9_-]*")  # no capitals, which some file systems confuse, and no dot: it is ours
FULL = "limit.session_bytes"


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


async def write_down(store: Store, talk: Conversation, request: OpenRequest, events: Sequence[dict[str, Any]]) -> None:
    """Append events to a conversation's session, opened where it is needed; a closed or full one is gone on from."""
    if not talk.session:
        talk.session = await _open(store, request)
    for last in (False, True):
        try:
            await append(store, talk.session, events)
        except (SessionClosedError, SessionUnknownError):
            if last:
                raise
        except LimitExceededError as error:
            if last or error.code != FULL:
                raise
            await close_session(store, talk.session, "full")
        else:
            return
        talk.session = await _open(store, request)


async def _open(store: Store, request: OpenRequest) -> str:
    """Return the newest session of a name and its continuations, opened where the last of them is closed."""
    before = ""
    for number in count(1):
        name = request.session if number == 1 else f"{request.session}.{number}"
        try:
            async with store.working.turn_of(name):
                log = await session_of(store, name)
            if not log.totals.closed:
                return name
            before = name
        except SessionUnknownError:
            opening = OpenRequest(name, request.role, resumes=before, engine=request.engine)
            try:
                await open_session(store, opening)
            except NameTakenError:
                continue  # a person's own session has a name like it
            else:
                return name
    raise AssertionError("count() has no end")
