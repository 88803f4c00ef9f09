"""What was said in sessions, piece by piece, for each role: read in the background from the files, the newest first.

Only turns that this machine wrote, in sessions that it opened, are held: what others put into a file, by hand or with git, is
quoted to nobody. All of it is derived. A file is looked at again where something was appended, or where it is not what was read.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from operator import attrgetter
from typing import TYPE_CHECKING
from weakref import ReferenceType, ref

from memd.engine.said import PIECES, Hearing, Piece, Spoken
from memd.errors import MemdError
from memd.formats.times import to_seconds
from memd.model.sessions import EventKind, Turn, is_said, own_number
from memd.storage.layout import STATE, UNSAID
from memd.storage.listing import identify_side, read_side
from memd.storage.replace import replace
from memd.store.session_log import load_session, look_for_sessions

if TYPE_CHECKING:
    from memd.storage.files import Identity, Tree
    from memd.store.session_log import SessionLog
    from memd.store.store import Store

logger = logging.getLogger(__name__)

MOST, SPARE = 20_000, 1000  # pieces of all sessions, the newest; so many more before the oldest go
SESSION_TURNS = 20_000  # of one session, the newest
AT_ONCE_S = 0.004  # of work, before others have their turn
WINDOWS = 2  # of 64 tokens, that are embedded of a piece


@dataclass(slots=True)
class Session:
    """How far a session was read, and what is held of it. `foreign`: this machine did not open it."""

    file: str
    role: str = ""
    foreign: bool = False
    upto: int = 0
    log: ReferenceType[SessionLog] | None = None
    identity: Identity | None = None
    hearing: Hearing = field(default_factory=Hearing)
    pieces: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Sayings:
    """Owned by the workspace. `turn` is held while pieces are put, dropped or weighed; `whole`: all there is was read once.

    `patient`: whoever asks waits until it is, as a command without a daemon does.
    """

    roles: dict[str, Spoken] = field(default_factory=dict)
    sessions: dict[str, Session] = field(default_factory=dict)
    touched: dict[str, None] = field(default_factory=dict)
    unsaid: set[str] = field(default_factory=set)
    whole: bool = False
    patient: bool = False
    writer: str = ""
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    work: asyncio.Task[None] | None = None

    def touch(self, session: str) -> None:
        """Hear that something was appended to a session."""
        self.touched[session] = None

    def of(self, role: str) -> Spoken:
        """Return what was said to a role and by it."""
        return self.roles.setdefault(role, Spoken())

    def begin(self, store: Store, role: str) -> asyncio.Task[None] | None:
        """Read what is new in the background, where anything is; return the work."""
        if self.work is None or self.work.done():
            if self.whole and not self.touched and store.meaning.knows(group_of(role), self.of(role).changes):
                return None
            self.work = asyncio.get_running_loop().create_task(self._work(store, role))
        return self.work

    async def close(self) -> None:
        """Stop reading."""
        if self.work is not None and not self.work.done():
            self.work.cancel()
            await asyncio.wait({self.work})

    async def drop(self, events: Iterable[str]) -> None:
        """Let go of turns by their events, for good."""
        self.unsaid |= set(events)
        async with self.turn:
            for spoken in self.roles.values():
                for one in [one for one in spoken.memories.values() if one.event in self.unsaid]:
                    spoken.drop(one.id)

    async def forget(self, name: str) -> None:
        """Let go of a session, to read it anew."""
        async with self.turn:
            known = self.sessions.pop(name, None)
            for one in known.pieces if known else ():
                self.of(known.role if known else "").drop(one)
        self.touch(name)

    async def tell(self, store: Store, role: str) -> None:
        """Let the model know what is held for a role: it is embedded after all memories."""
        spoken = self.of(role)

        def newest(one: str) -> float:
            piece = spoken.memories.get(one)
            return piece.at_s if piece else 0.0

        if store.settings.trigger.embeddings:
            held = dict(spoken.memories)
            await store.meaning.tell(
                group_of(role), held, mark=spoken.changes, read=attrgetter("text"), newest=newest, windows=WINDOWS, late=True
            )  # fmt: skip

    async def is_current(self, store: Store, name: str) -> bool:
        """Tell whether a session's file is what was read of it; where it is not, it is read anew in the background."""
        known, log, applier = self.sessions.get(name), store.working.sessions.get(name), store.writer.applier
        if known is None:
            return False
        if applier and known.file in applier.being_appended:
            return True
        same = log is not None and known.log is not None and known.log() is log
        found = await asyncio.to_thread(identify_side, store.tree, known.file)
        if found == (log.identity if log and same else known.identity) and (found is not None or same):
            return True
        await self.forget(name)
        return False

    async def _work(self, store: Store, role: str) -> None:
        try:
            self.writer = await asyncio.to_thread(lambda: store.writer.name)
            if not self.whole:
                self.unsaid |= await asyncio.to_thread(read_unsaid, store.tree)
                await self._read_all(store)
                self.whole = True
            while self.touched:
                name = next(iter(self.touched))
                del self.touched[name]
                await self._read(
                    store,
                    name,
                    self.sessions[name].file if name in self.sessions else store.working.files.get(name, ""),
                )
            await self.tell(store, role)
        except MemdError as error:
            logger.warning("what was said in sessions is not all read: %s", error)

    async def _read_all(self, store: Store) -> None:
        files = await asyncio.to_thread(look_for_sessions, store.tree)
        files |= {log.name: log.file for log in store.working.sessions.values()}
        states = await asyncio.to_thread(lambda: {one: identify_side(store.tree, file) for one, file in files.items()})
        order = sorted(files, key=lambda one: -(state.modified_ns if (state := states[one]) else 2**63))
        for name in order:
            if sum(len(spoken.memories) for spoken in self.roles.values()) >= MOST:
                break
            await self._read(store, name, files[name])

    async def _read(self, store: Store, name: str, file: str) -> None:
        """Read what is new of a session; what cannot be read is passed over."""
        async with store.working.turn_of(name):
            log = store.working.sessions.get(name)
            if log is None:
                if not file:
                    return
                try:
                    log = await asyncio.to_thread(
                        load_session, store.tree, name, file, store.writer.waiting_lines(file)
                    )
                except MemdError as error:
                    logger.info("session %s is not read: %s", name, error)
                    return
        known = self.sessions.get(name)
        if known is not None and not _is_same(known, log):
            await self.forget(name)
            known = None
        if known is None:
            known = self.sessions[name] = Session(log.file)
        known.identity, known.log = log.identity, ref(log)
        steps = self._steps(store, log, known)
        done = False
        while not done:
            async with self.turn:
                done = await asyncio.to_thread(_some, steps)
            await asyncio.sleep(AT_ONCE_S)
        self._bound()

    def _steps(self, store: Store, log: SessionLog, known: Session) -> Iterator[None]:
        """Take in what is new of a log, event by event."""
        writer, end = self.writer, len(log)
        first_cut = end - SESSION_TURNS * 2
        default = store.settings.hooks.role or next(iter(store.roles), "") if len(store.roles) == 1 else "main"
        for seq in range(known.upto + 1, end + 1):
            known.upto = seq
            event = log.event(seq)
            if own_number(event, writer) is None:
                known.foreign = known.foreign or seq == 1
            elif event.kind == EventKind.OPENED:
                known.role = known.role or str(event.said.get("role") or default)
            elif not known.foreign and known.role and is_said(event) and event.said.get("speaker") in PIECES:
                turn = Turn(seq, str(event.said["speaker"]), str(event.said["content"]), to_seconds(event.at) or 0.0)
                pieces, back = known.hearing.take(log.name, event.id, turn, cut=seq > first_cut)
                self._put(known, [one for one in pieces if one.event not in self.unsaid], back)
            yield

    def _put(self, known: Session, pieces: list[Piece], back: str) -> None:
        spoken = self.of(known.role)
        for one in [one for one in known.pieces if back and one.rpartition("#")[0] == back]:
            known.pieces.remove(one)
            spoken.drop(one)
        for piece in pieces:
            spoken.put(piece)
            known.pieces.append(piece.id)

    def _bound(self) -> None:
        """Let go of the oldest where there are too many."""
        held = [(one.at_s, one.id, spoken) for spoken in self.roles.values() for one in spoken.memories.values()]
        if len(held) > MOST + SPARE:
            held.sort(key=lambda one: one[:2])
            for _, one, spoken in held[: len(held) - MOST]:
                spoken.drop(one)


def _is_same(known: Session, log: SessionLog) -> bool:
    """Tell whether a log is the one that was read, or its file is as it was then."""
    return (known.log is not None and known.log() is log) or (
        known.identity is not None and known.identity == log.identity
    )


def _some(steps: Iterator[None]) -> bool:
    """Go on for a moment; tell whether that was all."""
    until_s = time.perf_counter() + AT_ONCE_S
    return all(time.perf_counter() <= until_s for _ in steps)


def group_of(role: str) -> str:
    """Return what the model knows a role's sayings by; no role has such a name."""
    return f"said/{role}"


# Turns that are never quoted: they say what was erased. Their ids are kept, nothing of what they say.
#
# Only this machine's own turns are quoted, so this machine's own state has them.


def read_unsaid(tree: Tree) -> set[str]:
    """Return the ids of the events. Blocks."""
    return {*(read_side(tree, UNSAID) or b"").decode("utf-8", "replace").split()}


def keep_unsaid(tree: Tree, events: Iterable[str]) -> None:
    """Add ids of events, durably. Blocks. StorageError where that cannot be done."""
    known = read_unsaid(tree)
    wanted = known | set(events)
    if wanted != known:
        tree.make_dirs(STATE)
        replace(tree, UNSAID, "".join(f"{one}\n" for one in sorted(wanted)).encode())
