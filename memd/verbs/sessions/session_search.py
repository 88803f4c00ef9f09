"""The search of sessions in four shapes, without a model: discover what was said, scroll around it, read a session, browse them.

discover  `query` (in all sessions, or in one): the best events, one for each lineage, the first with what stood around it
scroll    `session` and `around` (an event's id or place): what stood before and after
read      `session` alone: how it began and how it ended
browse    nothing: the sessions, newest first
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import msgspec
from msgspec import Meta

from memd.engine.recall.matching import wanted_of
from memd.engine.work.visible import SHOWN
from memd.errors import BadParamsError, BadQueryError, MemdError, SessionUnknownError
from memd.formats.query import parse
from memd.model.search import Filter, Form, Need
from memd.protocol.fields import MaybeName, Request
from memd.protocol.sessions import FoundInSessions, ListedSession, SessionHit
from memd.protocol.views import Searched
from memd.service.memory.egress import marked_hits
from memd.service.work.histories import lineage_of
from memd.service.work.sessions import fields_of, find_sessions, session_of
from memd.storage.listing import identify_side
from memd.verbs.declared import Service, verb
from memd.verbs.recall.searches import Search, find

if TYPE_CHECKING:
    from memd.engine.recall.matching import Wanted
    from memd.model.sessions import Event as SessionEvent
    from memd.store.following.indexing import Indexing
    from memd.store.session_log import SessionLog
    from memd.store.store import Store

BEGIN, END = 20, 10  # events of a session that is read
BOOKENDS = 3
SNIPPET_CHARS = 400
FEW, MORE = 30, 300  # hits that are asked for; more where they are of few lineages, or of other speakers


class SearchSessions(Request):
    """`query`: discover; `session` and `around`: scroll; `session`: read; nothing: browse."""

    query: Annotated[str, Meta(max_length=10_000, description="what was said")] = ""
    session: Annotated[
        MaybeName, Meta(description="in this session and those it comes from; without `query`: read it")
    ] = ""
    around: Annotated[str, Meta(max_length=100, description="what stood around an event, by its id or number")] = ""
    window: Annotated[int, Meta(ge=1, le=100, description="how many events on each side")] = 5
    speaker: Annotated[
        str, Meta(pattern="^(user|assistant|system|tool)?$", description="with `query`: only what this one said")
    ] = ""
    after: Annotated[str, Meta(max_length=40, description="with `query`: from this year, month, day or moment on")] = ""
    before: Annotated[str, Meta(max_length=40, description="with `query`: before this year, month, day or moment")] = ""
    limit: Annotated[int, Meta(ge=1, le=50, description="how many at once")] = 10
    offset: Annotated[int, Meta(ge=0, le=10_000, description="how many to pass over")] = 0


class _Known(NamedTuple):
    log: SessionLog
    first: str


@verb(
    "session.search",
    errors=(
        BadQueryError,
        SessionUnknownError,
    ),
)
async def search_sessions(service: Service, asked: SearchSessions) -> FoundInSessions:
    """Discover, scroll, read or browse sessions."""
    await service.look_once()
    if asked.query.strip():
        return await _discover(service.store, service.indexing, asked)
    if asked.around:
        if not asked.session:
            raise BadParamsError("`around` needs `session`")
        return await _scroll(service.store, asked)
    if asked.speaker or asked.after or asked.before:
        raise BadParamsError("`speaker`, `after` and `before` narrow a `query`")
    if asked.session:
        return await _read(service.store, asked.session)
    return await _browse(service.store, asked)


async def _discover(store: Store, indexing: Indexing, asked: SearchSessions) -> FoundInSessions:
    logs = [log for log, _ in await lineage_of(store, asked.session)] if asked.session else []
    wanted = asked.offset + asked.limit
    sessions = len(await find_sessions(store))
    for most in (max(FEW, wanted * 2), MORE):
        found = await _found(store, indexing, asked, logs, most)
        hits = await _told(store, found["hits"], asked)
        if len(hits) >= wanted or len(found["hits"]) < most or (not asked.speaker and len(hits) >= sessions):
            break  # enough of them, or there can be no more
    page = await marked_hits(store, hits[asked.offset : wanted])
    if page and not asked.offset:
        page[0] |= await _surroundings(store, page[0], asked.window)
    total = len(hits) if asked.speaker else found["total"]
    return FoundInSessions(
        shape="discover",
        hits=[SessionHit(**one) for one in page],
        total=total,
        index=msgspec.convert(found["index"], Searched),
    )


async def _found(
    store: Store, indexing: Indexing, asked: SearchSessions, logs: list[SessionLog], most: int
) -> dict[str, Any]:
    found = await _from_words(store, indexing, asked, logs, most)
    if found is not None:
        return found
    whole = Search(query=asked.query, kind="session", after=asked.after, before=asked.before, limit=most)
    return await find(store, indexing, whole, files=[log.file for log in logs])


async def _told(store: Store, found: list[dict[str, Any]], asked: SearchSessions) -> list[dict[str, Any]]:
    """Return hits as events; of all sessions, one for each lineage."""
    hits: list[dict[str, Any]] = []
    seen: set[str] = set()
    known: dict[str, _Known] = {}
    for hit in found:
        told = await _hit(store, hit, asked, known)
        if told is not None and (asked.session or told["lineage"] not in seen):
            seen.add(told["lineage"])
            hits.append(told)
    return hits


async def _from_words(
    store: Store, indexing: Indexing, asked: SearchSessions, logs: list[SessionLog], most: int
) -> dict[str, Any] | None:
    """Return what the sessions' own words answer; None where the whole index has to."""
    wanted = wanted_of(parse(asked.query))
    if not logs or asked.after or asked.before or not _of_words_alone(wanted):
        return None
    known = [store.working.words_of(log) for log in logs]
    far = [words for words in known if not words.is_near()]
    for words in far:
        words.build_aside()
    if far and indexing.state == "ready":
        return None
    hits: list[dict[str, Any]] = []
    total = 0
    for words in known:
        if words.building is not None:
            await words.building
        here, count = await words.find(wanted, most, asked.speaker)
        hits, total = [*hits, *here], total + count
    hits.sort(key=lambda one: -one["score"])
    return {"hits": hits[:most], "total": total, "index": {"behind": indexing.behind(), "state": indexing.state}}


def _of_words_alone(wanted: Wanted) -> bool:
    """Tell whether a search is of words and phrases alone, so that a session's own words answer it."""
    clauses = wanted.query.clauses
    simple = all(one.form is not Form.WILDCARD and one.need is Need.SHOULD and not one.where for one in clauses)
    return simple and bool(wanted.terms) and wanted.query.asked == Filter()


async def _known(store: Store, name: str, known: dict[str, _Known]) -> _Known:
    """Return a session and the first of its lineage, looked up once for all hits."""
    if name not in known:
        logs = await lineage_of(store, name)
        known[name] = _Known(logs[0][0], logs[-1][0].name)
    return known[name]


async def _hit(
    store: Store, hit: dict[str, Any], asked: SearchSessions, known: dict[str, _Known]
) -> dict[str, Any] | None:
    """Return a hit of the search as an event of its session; None where that is gone meanwhile, or another spoke."""
    try:
        log, first = await _known(store, hit["id"], known)
    except SessionUnknownError:
        return None
    seq = log.seq_of_line(hit["line"]) if log.file == hit["name"] else 0
    if not seq:
        return None
    event = log.event(seq)
    if asked.speaker and event.said.get("speaker") != asked.speaker:
        return None
    return {
        "session": log.name, "id": event.id, "seq": seq, "kind": event.kind, "at": event.at,
        "speaker": event.said.get("speaker", ""), "snippet": hit["snippet"], "score": hit["score"],
        "visible": event.visible, "lineage": first, **({"title": log.totals.opened["title"]} if "title" in log.totals.opened else {}),
    }  # fmt: skip


async def _surroundings(store: Store, hit: dict[str, Any], window: int) -> dict[str, Any]:
    async with store.working.turn_of(hit["session"]):
        log = await session_of(store, hit["session"])
    count = len(log)
    return {
        "window": _span(log, hit["seq"] - window, hit["seq"] + window),
        "begins": _span(log, 1, min(BOOKENDS, count)),
        "ends": _span(log, max(1, count - BOOKENDS + 1), count),
    }


async def _scroll(store: Store, asked: SearchSessions) -> FoundInSessions:
    async with store.working.turn_of(asked.session):
        log = await session_of(store, asked.session)
    seq = log.find(asked.around)
    if not seq and asked.around.isascii() and asked.around.isdigit():
        seq = int(asked.around)
    if not 1 <= seq <= len(log):
        raise BadParamsError(f"around: {asked.around!r:.82} is no event of session {log.name!r}; it has {len(log)}")
    first, last = max(1, seq - asked.window), min(len(log), seq + asked.window)
    return FoundInSessions(
        shape="scroll",
        session=log.name,
        seq=seq,
        events=_span(log, first, last),
        count=len(log),
        earlier=first - 1,
        later=len(log) - last,
    )


async def _read(store: Store, name: str) -> FoundInSessions:
    async with store.working.turn_of(name):
        log = await session_of(store, name)
    count = len(log)
    short = count <= BEGIN + END
    return FoundInSessions(
        **fields_of(log),
        shape="read",
        begins=_span(log, 1, count if short else BEGIN),
        ends=[] if short else _span(log, count - END + 1, count),
        between=0 if short else count - BEGIN - END,
    )


async def _browse(store: Store, asked: SearchSessions) -> FoundInSessions:
    files = await find_sessions(store)
    states = await asyncio.to_thread(lambda: {name: identify_side(store.tree, file) for name, file in files.items()})
    order = sorted(files, key=lambda name: (-(one.modified_ns if (one := states[name]) else 2**63), name))
    shown: list[ListedSession] = []
    for name in order[asked.offset : asked.offset + asked.limit]:
        try:
            async with store.working.turn_of(name):
                shown.append(ListedSession(**fields_of(await session_of(store, name))))
        except MemdError as error:
            shown.append(ListedSession(session=name, file=files[name], fault=str(error)))
    return FoundInSessions(shape="browse", sessions=shown, total=len(files))


def _span(log: SessionLog, first: int, last: int) -> list[dict[str, Any]]:
    return [_shown(log.event(seq)) for seq in range(max(1, first), min(last, len(log)) + 1)]


def _shown(event: SessionEvent) -> dict[str, Any]:
    entry: dict[str, Any] = {"id": event.id, "seq": event.seq, "kind": event.kind, "at": event.at}
    for key, value in event.said.items():
        if key in SHOWN or key in (
            "context_visible",
            "raw_tool_call",
            "status",
            "memories",
            "task",
            "verdict",
            "words",
        ):
            long = isinstance(value, str) and len(value) > SNIPPET_CHARS
            entry[key] = f"{value[:SNIPPET_CHARS]}…" if long else value
    if event.foreign:
        entry["foreign"] = True
    return entry
