"""The verbs that tell what memd did lately, how each of it is taken back, and what happens from now on; which level of capture is in force, and a pause."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from heapq import nlargest
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

from msgspec import Meta, convert

from memd.errors import BadParamsError, DaemonMissingError, TrustStateError
from memd.errors.remembering import LEAST_PREFIX
from memd.formats.records import read_lines
from memd.formats.times import to_iso, to_seconds
from memd.model.trust import PAST
from memd.protocol.fields import MaybeRole, Request, RoleName
from memd.protocol.sessions import CaptureLevel, CapturePaused
from memd.protocol.statistics import HAPPENED_CHARS, HappenedView, Log, RecentRecall, RecentVerdicts, Subscribed
from memd.service.capture.levels import FOREVER_S, in_force, pause_until
from memd.service.memory.records import text_before
from memd.service.screening import make_ready
from memd.storage.layout import ARCHIVE, PRIVATE
from memd.storage.listing import folder_pieces, list_side, read_side
from memd.store.capture import read_report, report_ids
from memd.store.role.happenings import RECENT, TOPICS
from memd.text.clauses import clauses
from memd.verbs.declared import Nothing, Service, verb

if TYPE_CHECKING:
    from memd.model.memory import Memory
    from memd.store.store import Store

Topic = Annotated[str, Meta(pattern="^(memory|curated|file|role|settings|recalls|verdicts)$")]


class TellLog(Request):
    """Of which role, and how much."""

    role: MaybeRole = ""
    limit: Annotated[int, Meta(ge=1, le=500, description="how many, the newest first")] = 20
    offset: Annotated[int, Meta(ge=0, le=100_000, description="how many of the newest are left out")] = 0
    id: Annotated[str, Meta(max_length=200, description="only what was done to this memory, pass or text")] = ""


class Subscribe(Request):
    """`topics` and `roles`: only these; without roles all of them, without topics those that tell of changes."""

    topics: list[Topic] = []
    roles: list[RoleName] = []
    last: Annotated[
        int,
        Meta(ge=0, le=1000, description="so many of the last recalls, and of the last verdicts, come with the reply"),
    ] = 0
    since: Annotated[int, Meta(ge=0, le=2**53, description="but only those whose `n` is greater")] = 0


@verb("subscribe", errors=(DaemonMissingError,))
async def subscribe(service: Service, asked: Subscribe) -> Subscribed:
    """Send an `event` on this connection for every change, and for what comes to mind and what becomes of texts."""
    if service.following is None:
        raise DaemonMissingError(service.process.socket)
    named = [(await service.store.role(address)).name for address in asked.roles]
    reply = Subscribed(subscribed=asked.topics or list(TOPICS), roles=named)
    happenings = service.store.happenings
    if not set(RECENT).isdisjoint(asked.topics):
        reply.n = happenings.number
    if asked.last and "recalls" in asked.topics:
        reply.recalls = convert(happenings.recent("recalls", named, asked.since, asked.last), list[RecentRecall])
    if asked.last and "verdicts" in asked.topics:
        reply.verdicts = convert(happenings.recent("verdicts", named, asked.since, asked.last), list[RecentVerdicts])
    return reply


@verb("log")
async def tell_log(service: Service, asked: TellLog) -> Log:
    """Tell what memd did lately, each with the command that takes it back."""
    store = service.store
    await make_ready(store)
    await store.roles.look()
    names = [(await store.role(asked.role)).name] if asked.role else sorted(store.roles)
    memories: dict[str, Mapping[str, Memory]] = {}
    for name in names:
        role = store.roles[name]
        async with role.turn:
            await store.look(role)
            memories[name] = dict(role.compiled.memories)
    waiting = _Read(store.writer.waiting_lines(ARCHIVE), store.writer.waiting_lines(PRIVATE))
    upto = asked.offset + asked.limit
    total, found = await asyncio.to_thread(_happened, store, memories, waiting, upto, asked.id)
    shown = await _with_extended(store, found[asked.offset :])
    happened = [_view(one, memories.get(one.role, {})) for one in shown]
    return Log(total=total, happened=happened, more=total > upto)


async def _with_extended(store: Store, found: Sequence[_Happened]) -> list[_Happened]:
    """Return what happened, of which what was remembered and says more than it did since then is called so."""
    read: dict[_Happened, Callable[[], dict[str, Any]]] = {}
    kept = [one for one in found if one.what == REMEMBERED]
    for name in {one.role for one in kept}:
        role = store.roles[name]
        async with role.turn:
            standing = role.standing()
        read |= {one: standing[one.id] for one in kept if one.role == name and one.id in standing}
    more = await asyncio.to_thread(lambda: {one for one, record in read.items() if _is_extended(one, record())})
    return [one._replace(what=EXTENDED, undo=f"undo {one.role} {one.id[:8]}") if one in more else one for one in found]


def _is_extended(one: _Happened, record: Mapping[str, Any]) -> bool:
    past = text_before(record)
    until_s = to_seconds(past.get("until", "")) if past else None
    return until_s is not None and abs(until_s - one.at_s) <= SAME_S


def _view(one: _Happened, standing: Mapping[str, Memory]) -> HappenedView:
    text = " ".join(one.text.split())[:HAPPENED_CHARS]
    if one.what == SUPERSEDED and (ended := _ended_by(standing[one.id], standing)):
        text = f"{_head(one.text)} ← {_head(ended)}"
    return HappenedView(at=to_iso(one.at_s), what=one.what, role=one.role, id=one.id, text=text, undo=one.undo or None)


# The verbs of capture: which level is in force here, and a pause. Raising it and ending a pause are a person's, at the command line.


class PauseCapture(Request):
    """How long. A pause that lasts longer already stays: only `memd pause --off` ends one."""

    until: Annotated[
        float | str, Meta(description="seconds, milliseconds or ISO 8601; without it, until a person ends it")
    ] = ""


@verb("capture.level")
async def tell_level(service: Service, asked: Nothing) -> CaptureLevel:  # noqa: ARG001  a verb's second parameter
    """Tell what is kept of conversations on this machine."""
    return convert(in_force(service.store)._asdict(), CaptureLevel)


@verb("capture.pause", errors=(TrustStateError,))
async def pause_capture(service: Service, asked: PauseCapture) -> CapturePaused:
    """Keep nothing of conversations for a while. It is this machine's own, and no file of the workspace ends it."""
    until_s = to_seconds(asked.until) if asked.until else FOREVER_S
    if until_s is None:
        raise BadParamsError(f"until: {str(asked.until)!r:.60} is no time; write 2026-05-08T18:00, or ISO 8601")
    if until_s <= service.store.ports.now():
        raise BadParamsError(f"until: {to_iso(until_s)} is over already")
    return CapturePaused(to_iso(await pause_until(service.store, min(until_s, FOREVER_S))))


# What memd did lately, read from what is written anyhow: the memories as they stand, the archive, the audit, the reports of passes.


REPORTS = 100  # passes that are looked at
REMEMBERED, EXTENDED, SUPERSEDED = "remembered", "extended", "superseded"
SAME_S = 2.0  # times are written to the second
NAMES_TOLD = {
    "redacted": "a secret was taken out",
    "quarantined": "held for review",
    "violation": "a write around memd was refused",
    "conflict": "a conflict copy was kept",
    "reapplied_after_external_save": "written again after a save from outside",
    "upkeep": "upkeep",
    "refused": "refused",
    "duplicate": "known already",
    "curated": "curated memory edited",
    "past": "past taken in",
    "past undone": "past taken back",
}
UNDONE_BY = {"forgotten": "restore", "restored": "forget"}


class _Happened(NamedTuple):
    """One thing that memd did. `undo`: the words behind `memd` that take it back, "" where nothing does."""

    at_s: float
    what: str
    role: str
    id: str
    text: str
    undo: str


class _Read(NamedTuple):
    """What of the logs is not in their files yet, by the beginning of their names."""

    archive: list[str]
    audit: list[str]


def _happened(
    store: Store, memories: Mapping[str, Mapping[str, Memory]], waiting: _Read, most: int, about: str = ""
) -> tuple[int, list[_Happened]]:
    """Return how much memd did, and the last of it, the newest first. `memories` of each role that is asked about; `about`: one id. Blocks."""
    found = [
        one
        for some in (
            _kept(memories),
            _archived(store, waiting),
            _audited(store, waiting),
            _passes(store),
            _under_way(store),
        )
        for one in some
        if (one.role in memories or not one.role) and _is_about(one.id, about)
    ]
    return len(found), nlargest(most, found, key=lambda one: (one.at_s, one.what, one.id))


def _is_about(found: str, about: str) -> bool:
    """Tell whether an id is the one that is asked about, or begins with it; any is where none is."""
    return not about or found == about or (len(about) >= LEAST_PREFIX and found.startswith(about))


def _kept(memories: Mapping[str, Mapping[str, Memory]]) -> Iterator[_Happened]:
    for role, standing in memories.items():
        for memory in standing.values():
            if memory.when_s is None:
                continue
            short = memory.id[:8]
            took = bool(memory.supersedes)
            undo = f"undo {role} {short}" if took else f"forget {role} {short}"
            what = SUPERSEDED if took else REMEMBERED
            yield _Happened(memory.when_s, what, role, memory.id, memory.content, undo)


def _head(text: str) -> str:
    """Return as much of a text as two have room for."""
    plain, most = " ".join(text.split()), HAPPENED_CHARS // 2 - 3
    return plain if len(plain) <= most else f"{plain[: most - 1]}…"


def _ended_by(memory: Memory, standing: Mapping[str, Memory]) -> str:
    """Return what a memory took the place of, in the words of the older ones: of what ended in part only that."""
    older = [standing[one] for one in memory.supersedes if one in standing]
    if not memory.covers:
        return " / ".join(one.content for one in older)
    ended = (part.said for one in older for part in clauses(one.content) if part.digest in memory.covers)
    return " / ".join(ended)


def _archived(store: Store, waiting: _Read) -> Iterator[_Happened]:
    last: dict[tuple[str, str], _Happened] = {}
    for value in _values((*folder_pieces(store.tree, ARCHIVE), "".join(waiting.archive).encode())):
        what, role, one = str(value.get("what")), str(value.get("role")), str(value.get("id"))
        if what not in UNDONE_BY or store.writer.is_being_erased(role, one):
            continue
        before = last.get((role, one))
        if before is not None:
            yield before._replace(undo="")
        entry = value.get("entry")
        text = str(entry.get("content") or entry.get("value") or "") if isinstance(entry, dict) else ""
        reason = str(value.get("reason") or "")
        told = f"{what}: {reason}" if reason else what
        at_s = to_seconds(value.get("at")) or 0.0
        if isinstance(entry, dict) and before is None:
            told_s = to_seconds(entry.get("timestamp") or entry.get("updatedAt") or entry.get("createdAt"))
            yield _Happened(told_s or at_s, "remembered", role, one, text, "")
        last[role, one] = _Happened(at_s, told, role, one, text, f"{UNDONE_BY[what]} {role} {one[:8]}")
    yield from last.values()


def _audited(store: Store, waiting: _Read) -> Iterator[_Happened]:
    names = [one.name for one in list_side(store.tree, PRIVATE) if one.is_file and one.name.startswith("audit")]
    data = [read_side(store.tree, f"{PRIVATE}/{name}") or b"" for name in names]
    for value in _values((*data, "".join(waiting.audit).encode())):
        what = str(value.get("what"))
        told = _told_of(value, what)
        if told:
            role, one = str(value.get("role") or ""), str(value.get("id") or value.get("inbox") or "")
            text = str(value.get("text") or value.get("file") or value.get("why") or "")
            yield _Happened(to_seconds(value.get("at")) or 0.0, told, role, one, text, _undo_of(value, role, one))


def _told_of(value: Mapping[str, Any], what: str) -> str:
    """Return in a few words what a line of the audit tells, "" where nothing that concerns a person."""
    match value:
        case {"what": "inbox", "became": became}:
            return f"inbox: {became}"
        case {"what": "judged again", "undone": True}:
            return "judging again undone"
        case {"what": "judged again", "was": str(was), "became": str(became)}:
            return f"judged again: {was}, now {became}"
        case _:
            return NAMES_TOLD.get(what, "")


def _undo_of(value: Mapping[str, Any], role: str, one: str) -> str:
    """Return what takes back what a line of the audit tells, "" where nothing does."""
    match value:
        case {"what": "duplicate"} | {"what": "inbox", "became": "dropped"} if one:
            return f"undo {role} {one[:8]}"
        case {"what": "judged again", "entries": list()} if one and not value.get("undone"):
            return f"undo {role} {one[:8]}"
        case {"what": "judged again", "became": "kept"} if one:
            return f"forget {role} {one[:8]}"
        case {"what": "past", "import": str(past)}:
            return f"import --undo {past}"
        case {"what": "refused", "inbox": str(waits)}:
            return f"review keep {waits[:8]}"
        case {"what": "curated", "did": "add", "file": str(file), "text": str(text)}:
            return f"curated remove {file.removesuffix('.md').casefold()} {quote(text)}"
        case _:
            return ""


def _passes(store: Store) -> Iterator[_Happened]:
    for name in report_ids(store.tree, store.texts)[:REPORTS]:
        report = read_report(store.tree, store.texts, name)
        if report is None or report.by == PAST:
            continue
        counts: dict[str, int] = {}
        for one in report.became:
            counts[one.fate] = counts.get(one.fate, 0) + 1
        told = f"session {report.session}: " + (", ".join(f"{n} {fate}" for fate, n in counts.items()) or "nothing")
        undo = "" if report.undone else f"consolidate --undo {report.id}"
        yield _Happened(to_seconds(report.at) or 0.0, "consolidated", report.role, report.id, told, undo)
        if report.undone:
            at_s = to_seconds(report.undone) or 0.0
            yield _Happened(at_s, "consolidation undone", report.role, report.id, f"session {report.session}", "")


def _under_way(store: Store) -> Iterator[_Happened]:
    """Yield how far the past is taken in, while it is."""
    past = store.captured.past
    if past is not None:
        far = f"{past.of - len(past.waiting)} of {past.of} conversations that agents kept on this machine"
        yield _Happened(store.ports.now(), "past being taken in", "", past.id, far, f"import --undo {past.id}")


def _values(pieces: Iterable[bytes]) -> Iterator[dict[str, Any]]:
    seen: set[bytes] = set()
    for data in pieces:
        for line in read_lines(data):
            if line.value is not None:
                text = data[line.start : line.stop]
                if text not in seen:  # a line may reach the file while it is read
                    seen.add(text)
                    yield line.value
