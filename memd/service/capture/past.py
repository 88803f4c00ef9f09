"""The past: what agents keep of conversations on this machine becomes sessions, and what was told in them memories, in the background.

A person orders it at the command line, and the order lies with what this machine grants to the workspace (service/granting.py), so that no
workspace can ask for it. The daemon takes in one conversation after the other, the oldest first: its turns go into the session that the
agent's hook would have written, with the times when they were said, and at inbox and auto the session is consolidated at once. A kill in
between is gone on from, since a session tells which order made it and how many turns it has. Nothing is taken in twice: a session
that is there is left as it is.

What began since hooks of that agent write here is theirs: what they left out they were told to leave out.
"""

from __future__ import annotations

import asyncio
import logging
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from memd.engine.keep.fate import AUTO, INBOX
from memd.engine.keep.guard.wishes import Wish, read_prompt
from memd.errors import LimitExceededError, MemdError, SessionUnknownError, StorageError
from memd.formats.foreign.transcripts import LINE_BYTES, USER, Said, Transcript
from memd.formats.records import read_events
from memd.formats.times import to_iso, to_seconds
from memd.model.sessions import EventKind
from memd.model.trust import PAST, past_order
from memd.service.capture.consolidating import Pace, Stopped, consolidate
from memd.service.capture.levels import is_paused, level_in_force
from memd.service.granting import let_take_past
from memd.service.scope import Place, scope_of
from memd.service.walks import Consolidate
from memd.service.work.appending import FULL, append
from memd.service.work.attending import session_name
from memd.service.work.sessions import OpenRequest, open_session, session_of
from memd.storage.checkouts import look_at
from memd.storage.files import Tree
from memd.storage.listing import PIECE_BYTES, pieces
from memd.store.capture import Conversation, Past
from memd.store.keep.ignored import is_of_hooks
from memd.store.session_log import look_for_sessions

if TYPE_CHECKING:
    from memd.store.store import Store

logger = logging.getLogger(__name__)

RESTS_S = 1800.0  # a conversation that was written into since is under way
HEAD_BYTES, HEADS = 65_536, 4
BATCH, BATCH_CHARS = 50, 100_000
# Where an agent's conversations lie below its directory: how deep, and which names.
FILES = {
    "claude": (1, re.compile(r"[^/]+/(?!agent-)(?P<id>[^/]+)\.jsonl")),
    "codex": (4, re.compile(r"(?:sessions/\d+/\d+/\d+|archived_sessions)/rollout-[^/]*?(?P<id>[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.jsonl(?P<packed>\.zst)?")),
    "gemini": (2, re.compile(r"[^/]+/chats/session-(?P<id>[^/]*)\.jsonl?")),
}  # fmt: skip
KNOWN, UNDER_WAY, HEARD = "it is known already", "it is under way", "it began since hooks listen"
PACKED, EMPTY, ELSEWHERE = "it is compressed", "it has no turns", "its memory is in another workspace"
LARGE = "it is too large to be read as one"


class Found(NamedTuple):
    """The conversations that can be taken in, the oldest first, and why how many others are not."""

    conversations: list[Conversation]
    left: dict[str, int]


class _Heard(NamedTuple):
    """The sessions that are there, those of them that this order made, and since when each agent's hooks write."""

    known: set[str]
    own: set[str]
    since: dict[str, float]


def find(tree: Tree | None, roots: Mapping[str, str], now_s: float, order: str = "") -> Found:
    """Return what agents keep in their directories; what an `order` has begun is found again. `tree`: None where there is no workspace yet. Blocks, for the heads of all files."""
    heard = _heard(tree, order) if tree else _Heard(set(), set(), {})
    found: dict[str, Conversation] = {}
    left: dict[str, int] = {}
    for agent, root in roots.items():
        for one, aside in _kept(agent, root, now_s):
            name = session_name(agent, one.session)
            why = aside or (KNOWN if name in found else _heard_why(heard, name, one))
            if why:
                left[why] = left.get(why, 0) + 1
            else:
                found[name] = one
    return Found(sorted(found.values(), key=lambda one: one.began_s), left)


def _heard_why(heard: _Heard, name: str, one: Conversation) -> str:
    """Return why a conversation is left to hooks, "" where it is not."""
    if name in heard.known:
        return KNOWN
    since_s = heard.since.get(one.agent)
    return HEARD if name not in heard.own and since_s is not None and one.began_s >= since_s else ""


def _heard(tree: Tree, order: str) -> _Heard:
    heard = _Heard(set(), set(), {})
    for name, file in look_for_sessions(tree).items():
        if not is_of_hooks(file):
            continue
        opened = opened_of(tree, file)
        past = opened.get("past")
        (heard.own if past and past == order else heard.known).add(name)
        at_s = to_seconds(opened.get("at"))
        if not past and at_s is not None:
            agent = name.partition("-")[0]
            heard.since[agent] = min(at_s, heard.since.get(agent, at_s))
    return heard


def opened_of(tree: Tree, file: str) -> dict[str, Any]:
    """Return what the first line of a session says, {} where it cannot be read. Blocks."""
    try:
        first = next(read_events(next(pieces(tree, file, HEAD_BYTES), b"")), None)
    except (FileNotFoundError, StorageError):
        return {}
    return first.value if first and first.value and not first.foreign else {}


def _kept(agent: str, root: str, now_s: float) -> Iterator[tuple[Conversation, str]]:
    """Yield the conversations of an agent, each with why it cannot be taken in, "" where it can."""
    depth, named = FILES[agent]
    try:
        tree = Tree(os.path.realpath(root))
    except (OSError, StorageError):
        return
    with closing(tree):
        for file in _files(tree, ".", depth):
            if not (match := named.fullmatch(file)) or (state := tree.identify(file)) is None:
                continue
            modified_s = state.modified_ns / 1e9
            one = Conversation(agent, tree.path, file, match["id"], "", modified_s, state.size)
            if match.groupdict().get("packed") or (file.endswith(".json") and state.size > LINE_BYTES):
                yield one, LARGE if file.endswith(".json") else PACKED
                continue
            head = _head(tree, one)
            began_s = to_seconds(head.began) or modified_s
            # Names of Claude Code's files are what its hooks call a conversation; the others say it inside.
            session = (agent != "claude" and head.session) or one.session
            one = one._replace(session=session, directory=head.directory, began_s=min(began_s, now_s))
            why = head.aside or (UNDER_WAY if now_s - modified_s < RESTS_S else "" if head.began else EMPTY)
            yield one, why


def _files(tree: Tree, folder: str, depth: int) -> Iterator[str]:
    """Yield the files below a directory, no deeper than that, those of the same stem with the longer ending first."""
    try:
        entries = tree.entries(folder)
    except StorageError:
        return
    for entry in sorted(entries, key=lambda one: one.name, reverse=True):
        name = entry.name if folder == "." else f"{folder}/{entry.name}"
        if entry.is_file:
            yield name
        elif entry.is_dir and depth:
            yield from _files(tree, name, depth - 1)


def _head(tree: Tree, one: Conversation) -> Transcript:
    """Return what the beginning of a file says of the conversation."""
    head = Transcript(one.agent)
    for _ in islice(_read(tree, one, head, HEAD_BYTES), HEADS):
        if head.began and (head.directory or one.agent == "gemini"):
            break
    if one.agent == "gemini":
        try:
            root, _ = tree.read(f"{one.file.partition('/')[0]}/.project_root", HEAD_BYTES)
            head.directory = os.fsdecode(root).strip()
        except (FileNotFoundError, StorageError):
            pass
    return head


def _read(tree: Tree, one: Conversation, transcript: Transcript, piece_bytes: int = PIECE_BYTES // 2) -> Iterator[list[Said]]:  # fmt: skip
    """Yield what was said, a part of the file at a time. Blocks."""
    try:
        if one.file.endswith(".json"):
            yield list(transcript.take(tree.read(one.file, LINE_BYTES)[0], whole=True))
            return
        for piece in pieces(tree, one.file, piece_bytes):
            yield list(transcript.take(piece))
    except (FileNotFoundError, StorageError) as error:
        logger.info("a conversation of %s cannot be read: %s", one.agent, error)


@dataclass(slots=True)
class _Spoken:
    """What of a conversation is on the record, as it is read. `off`: the person has said that what follows is not."""

    one: Conversation
    off: bool = False
    silent: bool = False

    def parts(self) -> Iterator[list[Said]]:
        """Yield turns, a part of the file at a time. Blocks."""
        try:
            tree = Tree(self.one.root)
        except (OSError, StorageError):
            return  # it went away since
        with closing(tree):
            for part in _read(tree, self.one, Transcript(self.one.agent)):
                yield [said for said in part if self._is_kept(said)]

    def _is_kept(self, said: Said) -> bool:
        if said.speaker == USER:
            wanted = {one.wish for one in read_prompt(said.text).wishes if one.surely}
            self.off = (self.off or Wish.FROM_HERE in wanted) and Wish.BACK not in wanted
            self.silent = self.off or Wish.THIS_TURN in wanted
        return not self.silent


async def take_next(store: Store, rest: Pace) -> bool:
    """Take the next conversation in, where that is ordered and nothing stands in the way; tell whether there may be more."""
    order = _ordered(store)
    captured = store.captured
    if not order:
        captured.past = None
        return False
    if is_paused(store, store.ports.now()) or store.writer.running is None:
        return False
    async with captured.taking:
        past = captured.past
        if past is None or past.id != order["id"]:
            roots = {agent: order[agent] for agent in FILES if agent in order}
            found = await asyncio.to_thread(find, store.tree, roots, store.ports.now(), order["id"])
            past = captured.past = Past(order["id"], len(found.conversations), found.conversations[::-1], found.left)
        if not past.waiting:
            await _finish(store, past)
            return False
        one = past.waiting[-1]
        past.session, past.why = session_name(one.agent, one.session), ""
        try:
            await _take(store, past, one, order.get("role", ""), _while_ordered(store, past.id, rest))
        except LimitExceededError as error:
            if error.code != FULL:
                past.why = str(error)
                raise
            past.leave(error.code)  # as much of it as a session holds is there
        except Stopped:
            raise
        except MemdError as error:
            logger.warning("session %s is not taken in: %s", past.session, error)
            past.leave(error.code)
        except Exception:
            logger.exception("session %s is not taken in", past.session)
            past.leave("internal")
        past.waiting.pop()
    return True


def _ordered(store: Store) -> dict[str, str]:
    store.in_force.look()
    return past_order(store.in_force.trust.trusted.granted)


def _while_ordered(store: Store, past_id: str, rest: Pace) -> Pace:
    """Return a pace that ends as soon as its order is taken back."""

    async def paced(spent_s: float) -> None:
        await rest(spent_s)
        if _ordered(store).get("id") != past_id:
            raise Stopped

    return paced


async def _finish(store: Store, past: Past) -> None:
    """End an order that is carried out, and note what it came to."""
    text = f"conversations that agents kept on this machine: {past.taken}"
    left = ", ".join(f"{count}: {why}" for why, count in past.left.items())
    store.audit({"what": PAST, "import": past.id, "text": f"{text}; left out {left}" if left else text})
    await asyncio.to_thread(let_take_past, store.tree, store.in_force.trust, {})
    store.in_force.look()
    store.captured.past = None


async def _take(store: Store, past: Past, one: Conversation, role: str, rest: Pace) -> None:
    """Take one conversation into its session, and consolidate it where that is wanted."""
    opening = await _opening(store, past, one, role)
    if opening is None:
        past.leave(ELSEWHERE)
        return
    has, whole = await _so_far(store, opening)
    if has < 0:
        past.leave(KNOWN)
        return
    if not whole and not await _write(store, one, opening, has, rest):
        past.leave(EMPTY)
        return
    past.taken += 1
    level = level_in_force(store)
    if level in (AUTO, INBOX):
        await consolidate(store, Consolidate(opening.session, "", level, PAST), rest=rest)
    store.working.sessions.pop(opening.session, None)  # nobody asks for it soon


async def _opening(store: Store, past: Past, one: Conversation, role: str) -> OpenRequest | None:
    """Return the session of a conversation, for whom its directory says; None where that is kept in another workspace."""
    name, project = session_name(one.agent, one.session), ""
    if role:
        role = (await store.role(role)).name
    else:
        here = await asyncio.to_thread(look_at, one.directory, store.path) if one.directory else None
        scope = await scope_of(store, Place(here.project, here.named, here.mark) if here else Place())
        if scope.elsewhere:
            return None
        role, project = scope.role, scope.project
    return OpenRequest(name, role, engine=one.agent, project=project, past=past.id, at_s=one.began_s)


async def _so_far(store: Store, opening: OpenRequest) -> tuple[int, bool]:
    """Return how many turns a session has already, and whether these are all; -1 where somebody else made it."""
    try:
        async with store.working.turn_of(opening.session):
            log = await session_of(store, opening.session)
    except SessionUnknownError:
        return 0, False
    if log.totals.opened.get("past") != opening.past:
        return -1, False
    return log.totals.kinds.get(EventKind.MESSAGE, 0), EventKind.NOTE in log.totals.kinds


async def _write(store: Store, one: Conversation, opening: OpenRequest, has: int, rest: Pace) -> bool:
    """Write the turns of a conversation behind those that a session has; tell whether there are any."""
    parts, seen, at_s = _Spoken(one).parts(), 0, one.began_s
    while (part := await asyncio.to_thread(next, parts, None)) is not None:
        begun_s = store.ports.monotonic()
        new = part[max(0, has - seen) :]
        if new and not seen:
            await open_session(store, opening)
        seen += len(part)
        for some in _batches(new):
            events: list[dict[str, Any]] = []
            for said in some:
                at_s = min(to_seconds(said.at) or at_s, store.ports.now())
                events.append({"kind": "message", "speaker": said.speaker, "content": said.text, "at": to_iso(at_s)})
            await append(store, opening.session, events)
            await rest(store.ports.monotonic() - begun_s)
            begun_s = store.ports.monotonic()
        await rest(store.ports.monotonic() - begun_s)
    if not seen:
        return False
    note = f"{seen} turns, taken in from what {one.agent} keeps on this machine"
    await append(store, opening.session, [{"kind": "note", "content": note, "at": to_iso(at_s)}])
    return True


def _batches(turns: list[Said]) -> Iterator[list[Said]]:
    batch: list[Said] = []
    for said in turns:
        if batch and (len(batch) == BATCH or sum(len(one.text) for one in batch) > BATCH_CHARS):
            yield batch
            batch = []
        batch.append(said)
    if batch:
        yield batch
