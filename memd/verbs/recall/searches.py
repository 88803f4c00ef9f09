"""The verb of search: find words, phrases, patterns and dates in everything the workspace holds.

Plain words are answered from the indexes in memory, which know every change at once; sessions, phrases, patterns and
fields from the index on disk, where what it does not know yet is masked and judged on the documents themselves.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
from msgspec import Meta

from memd.engine.recall.matching import wanted_of
from memd.errors import BadQueryError
from memd.formats.query import kinds_of, parse, span_of
from memd.formats.times import zone_of
from memd.model.search import MEMORY_KINDS
from memd.protocol.fields import Request, RoleName
from memd.protocol.views import Found
from memd.service.memory.egress import marked_hits
from memd.service.memory.finder import Finder
from memd.verbs.declared import Service, verb

if TYPE_CHECKING:
    from memd.model.scene import TimeSpan
    from memd.model.search import Query
    from memd.store.following.indexing import Indexing
    from memd.store.recall.pasts import Past
    from memd.store.store import Store

LOADED_S = 5.0  # a search that comes while the files are first read waits for them this long
MOST = 100_000  # of what is found, where all of it is asked
TIMES_CHARS = 400  # of a search, in which times are looked for
TURNS_S = 0.1  # roles that are being written to in this moment are waited for this long, all together,
READ_S = 5.0  # and those whose files are being read, as what was saved before the question is in its answer


class Search(Request):
    """What is looked for, and where."""

    query: Annotated[str, Meta(max_length=10_000, description='words, "phrases", wild*cards, field:value')] = ""
    role: Annotated[RoleName, Meta(description="only memories and pages of this role")] | None = None
    kind: Annotated[
        str, Meta(max_length=40, description="memory, episodic, …, curated, page, session, run, task, skill")
    ] = ""
    seen_by: Annotated[RoleName, Meta(description="no memories of roles that this one may not look into")] | None = None
    tag: Annotated[str, Meta(max_length=200, description="only what has this tag")] = ""
    after: Annotated[str, Meta(max_length=40, description="from this year, month, day or moment on")] = ""
    before: Annotated[str, Meta(max_length=40, description="before this year, month, day or moment")] = ""
    as_of: (
        Annotated[
            float | str,
            Meta(description="memories as they were then, and no file of a later time: a time, or a day's end"),
        ]
        | None
    ) = None
    limit: Annotated[int, Meta(ge=1, le=100, description="how many at once")] = 10
    offset: Annotated[int, Meta(ge=0, le=10_000, description="how many to pass over")] = 0


@verb("search", errors=(BadQueryError,))
async def search(service: Service, asked: Search) -> Found:
    """Find words, phrases, patterns and dates in everything."""
    await service.look_once()
    return msgspec.convert(await find(service.store, service.indexing, asked), Found)


async def find(store: Store, indexing: Indexing, asked: Search, *, files: Sequence[str] = ()) -> dict[str, Any]:
    """Return the best documents with snippets, how many there are, and how far the index is behind; `files`: of these alone."""
    begun_s = time.perf_counter()
    finder = await _finder(store, indexing, asked, files)
    wanted_count = asked.offset + asked.limit
    hits, total = await finder.find(wanted_count)
    shown = await marked_hits(store, await finder.shown(hits[asked.offset : wanted_count]))
    return {
        "hits": shown,
        "total": total,
        **({"about": True} if finder.about else {}),
        "index": {"behind": indexing.behind(), "state": indexing.state},
        **finder.told_of_then(shown),
        "elapsed_ms": round((time.perf_counter() - begun_s) * 1000, 3),
    }


async def ids_found(service: Service, asked: Search) -> list[str]:
    """Return the ids of all that is found, the best first. BadQueryError."""
    hits, _ = await (await _finder(service.store, service.indexing, asked)).find(MOST)
    return [document.id for _, document in hits]


async def _finder(store: Store, indexing: Indexing, asked: Search, files: Sequence[str] = ()) -> Finder:
    query = await _read(store, asked, files)
    if indexing.follows and not store.library.loaded.is_set():
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(LOADED_S):
                await store.library.loaded.wait()
    pasts = await _look_at_roles(store, query)
    return Finder(store, indexing, wanted_of(query), pasts, _times(store, query))


async def _read(store: Store, asked: Search, files: Sequence[str]) -> Query:
    """Return what is asked in the words of the query, narrowed by what is asked beside it."""
    query = parse(asked.query)
    said = query.asked
    names = [(await store.role(name)).name for name in (*((asked.role,) if asked.role else ()), *said.roles)]
    kinds = kinds_of(asked.kind) if asked.kind else ()
    if kinds and said.kinds:
        kinds = tuple(one for one in kinds if one in said.kinds) or ("",)
    without = [(await store.role(name)).name for name in said.without_roles]
    if asked.seen_by:
        role = await store.role(asked.seen_by)
        await store.roles.look()
        without += store.roles.hidden_from(role)
    changed = replace(
        said,
        roles=tuple(dict.fromkeys(names)),
        kinds=kinds or said.kinds,
        names=(*said.names, *files),
        tags=(*said.tags, *((asked.tag.removeprefix("#").casefold(),) if asked.tag else ())),
        after_s=max((one for one in (said.after_s, _moment(asked.after)) if one is not None), default=None),
        before_s=min((one for one in (said.before_s, _moment(asked.before)) if one is not None), default=None),
        without_roles=tuple(without),
        as_of_s=None if asked.as_of is None else store.pasts.moment(asked.as_of, store.settings.trigger.zone),
    )
    return replace(query, asked=changed)


def _times(store: Store, query: Query) -> tuple[TimeSpan, ...]:
    """Return the times that plain words ask about, in the zone of the settings."""
    if not query.plain:
        return ()
    from memd.engine.keep.event.written import asked_times  # noqa: PLC0415  the rules of two languages

    at_s = store.ports.now() if query.asked.as_of_s is None else query.asked.as_of_s
    zone = zone_of(store.settings.trigger.zone)
    return asked_times(query.words[:TIMES_CHARS], datetime.fromtimestamp(at_s, zone or UTC).astimezone(zone))


def _moment(text: str) -> float | None:
    return span_of(text)[0] if text else None


async def _look_at_roles(store: Store, query: Query) -> dict[str, Past]:
    """Bring the roles that are asked up to their files; return how they were, where that is asked."""
    asked = query.asked
    pasts: dict[str, Past] = {}
    roles = [role for role in list(store.roles.values()) if not asked.roles or role.name in asked.roles]
    for role in roles:  # what a word is worth is found out over all of them
        await store.roles.open(role)
    if asked.kinds and not set(MEMORY_KINDS) & set(asked.kinds):
        return pasts
    begun_s = asyncio.get_running_loop().time()
    store.in_force.look()
    store.roles.seen.hear()
    for role in roles:
        try:
            if role.turn.locked() and asked.as_of_s is None:
                async with asyncio.timeout_at(begun_s + (READ_S if store.roles.seen.is_looking(role) else TURNS_S)):
                    await role.turn.acquire()
            else:
                await role.turn.acquire()
        except TimeoutError:
            continue  # what is found without it is better than nothing for so long
        try:
            await store.look(role, of_many=True)
            if asked.as_of_s is not None:
                pasts[role.name] = await store.pasts.of(role, asked.as_of_s)
        finally:
            role.turn.release()
    return pasts
