"""search: find words, phrases, patterns and dates in everything the workspace holds.

Plain words are answered from the indexes in memory, which know every change at once; sessions, phrases, patterns and
fields from the index on disk, where what it does not know yet is masked and judged on the documents themselves.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from memd.engine.recall.fields import document_weights
from memd.engine.recall.finding import best, direct, final, gains_of
from memd.engine.recall.lexicon import Lexicon
from memd.engine.recall.matching import Wanted, fits, is_asked, wanted_of
from memd.engine.recall.snippets import snippet
from memd.errors import BadIndexError, RoleUnknownError
from memd.formats.query import kinds_of, parse, span_of
from memd.formats.times import to_iso
from memd.model.document import Document, memory_key, of_memory
from memd.model.files import Purpose, purpose_of
from memd.model.query import Query
from memd.service.care.indexing import Indexing
from memd.service.library import read_file
from memd.service.memory.from_index import Answer, from_index, rank_without_words
from memd.service.workspace import Workspace
from memd.storage.index import Reader
from memd.storage.layout import memory_file

logger = logging.getLogger(__name__)

LOADED_S = 5.0  # a search that comes while the files are first read waits for them this long
AT_HAND = 2000  # files that are read to answer for an index that does not know them yet
RERANKED = 60  # of what the sums put first, this many are looked at for what they cover


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


async def search(workspace: Workspace, indexing: Indexing, request: SearchRequest) -> dict[str, Any]:
    """Return the best documents with snippets, how many there are, and how far the index is behind."""
    begun_s = time.perf_counter()
    query = await _asked(workspace, request)
    if indexing.follows and not workspace.library.loaded.is_set():
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(workspace.library.loaded.wait(), LOADED_S)
    await _look_at_roles(workspace, query)
    finder = _Finder(workspace, indexing, wanted_of(query))
    wanted_count = request.offset + request.limit
    hits, total = await finder.find(wanted_count)
    page = hits[request.offset : wanted_count]
    shown = await finder.shown(page)
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
    without = [(await _role_or(workspace, name)) for name in asked.without_roles]
    changed = replace(
        asked,
        roles=tuple(dict.fromkeys(names)),
        kinds=kinds or asked.kinds,
        tags=(*asked.tags, *(one.removeprefix("#").casefold() for one in request.tags)),
        after_s=max((one for one in (asked.after_s, _moment(request.after)) if one is not None), default=None),
        before_s=min((one for one in (asked.before_s, _moment(request.before)) if one is not None), default=None),
        without_roles=tuple(without),
    )
    return replace(query, asked=changed)


async def _role_or(workspace: Workspace, name: str) -> str:
    try:
        return (await workspace.role(name)).name
    except RoleUnknownError:
        return name


def _moment(text: str) -> float | None:
    return span_of(text)[0] if text else None


async def _look_at_roles(workspace: Workspace, query: Query) -> None:
    asked = query.asked
    if asked.kinds and not {"episodic", "semantic", "trait", "goal"} & set(asked.kinds):
        return
    for role in list(workspace.roles.values()):
        if (not asked.roles or role.name in asked.roles) and not role.turn.locked():
            async with role.turn:
                await workspace.look(role)


class _Finder:
    """One search under way."""

    def __init__(self, workspace: Workspace, indexing: Indexing, wanted: Wanted) -> None:
        self.workspace, self.indexing, self.wanted = workspace, indexing, wanted
        self.query = wanted.query
        self.gains: dict[str, float] = {}
        self.documents = 0
        self.texts: dict[str, Document] = {}

    async def find(self, count: int) -> tuple[list[tuple[float, Document]], int]:
        """Return the best hits and how many there are."""
        in_memory = self.query.plain and bool(self.wanted.terms) and self.indexing.follows
        lexicons = self._lexicons() if in_memory or self.indexing.follows else []
        await self._weigh(lexicons)
        found: list[tuple[float, Document]] = []
        total = 0
        if in_memory:
            found, total = self._from_memory(lexicons, count)
        kinds = ("session",) if in_memory else ()
        reader = None if in_memory and self._without_sessions() else await self.indexing.ready_reader()
        if reader is not None:
            answer = await self._from_index(reader, kinds, count)
            found, total = [*found, *answer.hits], total + answer.total
        late = await self._late(sessions_only=in_memory)
        found, total = [*found, *late], total + len(late)
        found.sort(key=lambda one: (-one[0], -(one[1].when_s or 0.0), one[1].key))
        return found[:count], total

    def _without_sessions(self) -> bool:
        asked = self.query.asked
        return bool(asked.roles) or bool(asked.kinds and "session" not in asked.kinds) or not self._has_sessions()

    def _has_sessions(self) -> bool:
        files = self.indexing.manifest.files if self.indexing.manifest else {}
        return any(name.startswith("sessions/") for name in (*files, *self.indexing.dirty))

    def _lexicons(self) -> list[tuple[str, Lexicon]]:
        """Return the indexes in memory that are asked, each with its role, the files' own last."""
        roles = self.query.asked.roles
        chosen = [role for role in self.workspace.roles.values() if not roles or role.name in roles]
        return [*((role.name, role.compiled.lexicon) for role in chosen), ("", self.workspace.library.lexicon)]

    async def _weigh(self, lexicons: list[tuple[str, Lexicon]]) -> None:
        """Find out what each term is worth over everything that is asked."""
        holders: Counter[str] = Counter()
        terms = self.wanted.terms
        for _, lexicon in lexicons:
            self.documents += len(lexicon)
            for term in terms:
                holders[term] += lexicon.holders(term)
        if terms and (not lexicons or not self._without_sessions()) and (reader := await self.indexing.ready_reader()):
            with self.indexing.lending.lent(reader):
                known = await asyncio.to_thread(reader.holders, terms)
            for term, number in known.items():
                holders[term] = max(holders[term], number)
            self.documents = max(self.documents, reader.documents)
        for term in terms:
            holders[term] = holders[term] or 1  # what only a document not indexed yet may have
        self.gains = gains_of(terms, holders, max(self.documents, 1))

    def _from_memory(self, lexicons: list[tuple[str, Lexicon]], count: int) -> tuple[list[tuple[float, Document]], int]:
        asked = self.query.asked
        hits: list[tuple[float, Document]] = []
        total = 0
        for role, lexicon in lexicons:
            scores = lexicon.scores(self.gains)
            if not asked.is_empty():
                scores = {key: score for key, score in scores.items() if self._is_asked(role, key)}
            total += len(scores)
            for key, score in best(scores.items(), max(RERANKED, count)):
                document = self._document(role, key)
                if document is not None:
                    hits.append((final(score, self.gains, set(lexicon.terms(key)), self.documents), document))
        return hits, total

    def _document(self, role: str, key: str) -> Document | None:
        if not role:
            return self.workspace.library.documents.get(key)
        known = self.workspace.roles.get(role)
        memory = known.compiled.memories.get(key) if known else None
        return of_memory(role, memory, memory_file(role)) if memory else None

    def _is_asked(self, role: str, key: str) -> bool:
        document = self._document(role, key)
        return document is not None and is_asked(document, self.query.asked)

    async def _from_index(self, reader: Reader, kinds: tuple[str, ...], count: int) -> Answer:
        masked, masked_roles = self._masked()
        try:
            with self.indexing.lending.lent(reader):
                answer = await asyncio.to_thread(
                    from_index, reader, self.wanted, self.gains, masked=masked, masked_roles=masked_roles,
                    only_kinds=kinds, documents=self.documents, count=count,
                )  # fmt: skip
        except Exception as error:  # whoosh raises what its structs and pickles raise
            if isinstance(error, BadIndexError):
                raise
            self.indexing.distrust(f"{type(error).__name__} while searching")
            return Answer([], 0)
        self.texts.update((document.key, document) for _, document in answer.hits)
        return answer

    def _masked(self) -> tuple[set[str], set[str]]:
        """Return the keys of documents that the index has as they were, and roles of which it knows nothing certain."""
        files = self.indexing.manifest.files if self.indexing.manifest else {}
        masked = {key for name in self._dirty_files() if name in files for key in files[name].documents}
        roles: set[str] = set()
        for role in self.workspace.roles.values():
            if role.touched is None:
                roles.add(role.name)
            else:
                masked |= {memory_key(role.name, memory_id) for memory_id in role.touched}
        for name in files:
            if purpose_of(name) is Purpose.MEMORY and name.split("/")[1] not in self.workspace.roles:
                roles.add(name.split("/")[1])
        return masked, roles

    def _dirty_files(self) -> Iterable[str]:
        return (name for name in self.indexing.dirty if purpose_of(name) is not Purpose.MEMORY)

    async def _late(self, *, sessions_only: bool) -> list[tuple[float, Document]]:
        """Return the hits among what the index on disk does not have as it is now."""
        fresh: list[Document] = [] if sessions_only else self._touched()
        names = [
            name for name in self._dirty_files() if not sessions_only or purpose_of(name) is Purpose.SESSION
        ][:AT_HAND]  # fmt: skip
        if not fresh and not names:
            return []
        return await asyncio.to_thread(self._judge, fresh, names)

    def _touched(self) -> list[Document]:
        found: list[Document] = []
        for role in self.workspace.roles.values():
            memories = role.compiled.memories
            ids = list(memories) if role.touched is None else [one for one in role.touched if one in memories]
            found += [of_memory(role.name, memories[one], memory_file(role.name)) for one in ids]
        return found

    def _judge(self, fresh: list[Document], names: list[str]) -> list[tuple[float, Document]]:
        documents = [*fresh, *(one for name in names for one in self._read(name))]
        hits: list[tuple[float, Document]] = []
        for document in documents:
            if not fits(document, self.wanted):
                continue
            score = rank_without_words(self.wanted)
            if self.gains:
                weights = document_weights(document, unigrams=False)
                score = final(direct(self.gains, weights, 0.0), self.gains, weights.keys(), self.documents)
            hits.append((score, document))
            self.texts[document.key] = document
        return hits

    def _read(self, name: str) -> tuple[Document, ...]:
        held = self.workspace.library.text_at_hand(name)
        return held if held is not None else read_file(self.workspace.tree, name).documents

    async def shown(self, hits: list[tuple[float, Document]]) -> list[dict[str, Any]]:
        """Return hits as replies show them."""
        missing = {document.name for _, document in hits if not document.text and document.key not in self.texts}
        if missing:
            for documents in await asyncio.to_thread(lambda: [self._read(name) for name in sorted(missing)]):
                self.texts.update((one.key, one) for one in documents)
        return [self._shown(score, document) for score, document in hits]

    def _shown(self, score: float, document: Document) -> dict[str, Any]:
        whole = document if document.text else self.texts.get(document.key, document)
        view: dict[str, Any] = {
            "kind": document.kind,
            "role": document.role,
            "id": document.id,
            "name": document.name,
            "title": document.title,
            "snippet": snippet(whole.text, self.wanted, self.gains),
            "score": round(score, 4),
            "line": document.line,
        }
        if document.when_s is not None:
            view["time"] = to_iso(document.when_s)
        if document.tags:
            view["tags"] = list(document.tags)
        return view
