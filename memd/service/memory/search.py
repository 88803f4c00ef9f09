"""search: find words, phrases, patterns and dates in everything the workspace holds.

Plain words are answered from the indexes in memory, which know every change at once; sessions, phrases, patterns and
fields from the index on disk, where what it does not know yet is masked and judged on the documents themselves.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from dataclasses import dataclass, replace
from typing import Any

from memd.engine.recall.matching import wanted_of
from memd.formats.query import kinds_of, parse, span_of
from memd.model.document import MEMORY_KINDS
from memd.model.query import Query
from memd.service.care.indexing import Indexing
from memd.service.discovery import hidden_from
from memd.service.memory.egress import marked_hits
from memd.service.memory.finder import Finder
from memd.service.workspace import Workspace

LOADED_S = 5.0  # a search that comes while the files are first read waits for them this long
TURNS_S = 0.1  # roles that are being taken in this moment are waited for this long, all together


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """A search as it was asked for."""

    query: str
    roles: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    after: str = ""
    before: str = ""
    limit: int = 10
    offset: int = 0
    files: tuple[str, ...] = ()
    seen_by: str = ""


async def search(workspace: Workspace, indexing: Indexing, request: SearchRequest) -> dict[str, Any]:
    """Return the best documents with snippets, how many there are, and how far the index is behind."""
    begun_s = time.perf_counter()
    query = await _asked(workspace, request)
    if indexing.follows and not workspace.library.loaded.is_set():
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(LOADED_S):
                await workspace.library.loaded.wait()
    await _look_at_roles(workspace, query)
    finder = Finder(workspace, indexing, wanted_of(query))
    wanted_count = request.offset + request.limit
    hits, total = await finder.find(wanted_count)
    page = hits[request.offset : wanted_count]
    shown = await marked_hits(workspace, await finder.shown(page))
    return {
        "hits": shown,
        "total": total,
        "index": {"behind": indexing.behind(), "state": indexing.state},
        "elapsed_ms": round((time.perf_counter() - begun_s) * 1000, 3),
    }


async def _asked(workspace: Workspace, request: SearchRequest) -> Query:
    query = parse(request.query)
    asked = query.asked
    names = [(await workspace.role(name)).name for name in (*request.roles, *asked.roles)]
    kinds = tuple(kind for one in request.kinds for kind in kinds_of(one))
    if kinds and asked.kinds:
        kinds = tuple(one for one in kinds if one in asked.kinds) or ("",)
    without = [(await workspace.role(name)).name for name in asked.without_roles]
    if request.seen_by:
        role = await workspace.role(request.seen_by)
        await workspace.find_roles()
        without += hidden_from(workspace.roles, role)
    changed = replace(
        asked,
        roles=tuple(dict.fromkeys(names)),
        kinds=kinds or asked.kinds,
        names=(*asked.names, *request.files),
        tags=(*asked.tags, *(one.removeprefix("#").casefold() for one in request.tags)),
        after_s=max((one for one in (asked.after_s, _moment(request.after)) if one is not None), default=None),
        before_s=min((one for one in (asked.before_s, _moment(request.before)) if one is not None), default=None),
        without_roles=tuple(without),
    )
    return replace(query, asked=changed)


def _moment(text: str) -> float | None:
    return span_of(text)[0] if text else None


async def _look_at_roles(workspace: Workspace, query: Query) -> None:
    asked = query.asked
    if asked.kinds and not set(MEMORY_KINDS) & set(asked.kinds):
        return
    until_s = asyncio.get_running_loop().time() + TURNS_S
    for role in list(workspace.roles.values()):
        if asked.roles and role.name not in asked.roles:
            continue
        try:
            async with asyncio.timeout_at(until_s):
                await role.turn.acquire()
        except TimeoutError:
            continue  # what is found without it is better than nothing for so long
        try:
            await workspace.look(role)
        finally:
            role.turn.release()
