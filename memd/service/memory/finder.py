"""One search under way: what memory has, what the index on disk has, and what that one does not have yet."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Collection, Mapping
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any, NamedTuple

from memd.engine.recall.dialogue import BY_WORDS, WITH_MODEL, fused, names_in, told, unnamed
from memd.engine.recall.lexicon import document_weights
from memd.engine.recall.matching import Wanted, best, direct, final, fits, gains_of, is_asked
from memd.engine.recall.snippets import snippet
from memd.formats.times import to_exact_iso, to_iso
from memd.model.files import Purpose, purpose_of, role_of
from memd.model.search import MEMORY_KINDS, Document, memory_key, of_memory
from memd.service.memory.from_index import Answer, Scope, from_index, rank_without_words
from memd.storage.layout import memory_file

if TYPE_CHECKING:
    from memd.engine.recall.compiled import Compiled
    from memd.engine.recall.lexicon import Lexicon
    from memd.model.scene import Near, TimeSpan
    from memd.storage.index import Reader
    from memd.store.following.indexing import Indexing
    from memd.store.recall.pasts import Past
    from memd.store.store import Store

ASKED_ROLES = 32  # of more roles, nobody is asked what is near in meaning
QUESTION_TERMS = 2  # what has fewer is looked for by its words alone
RERANKED = 60  # of what the sums put first, this many are looked at for what they cover
TRIES = 3


class Finder:
    """One search under way."""

    def __init__(
        self,
        store: Store,
        indexing: Indexing,
        wanted: Wanted,
        pasts: Mapping[str, Past] | None = None,
        times: tuple[TimeSpan, ...] = (),
    ) -> None:
        self.workspace, self.indexing, self.wanted = store, indexing, wanted
        self.query, self.pasts = wanted.query, pasts or {}
        self.times = times
        self.gains: dict[str, float] = {}
        self.documents = 0
        self.texts: dict[str, Document] = {}
        self.near: dict[str, Mapping[str, Near]] = {}
        self.about = False  # of the index, how many there are is told by those that were read

    async def find(self, count: int) -> tuple[list[tuple[float, Document]], int]:
        """Return the best hits and how many there are."""
        await self._ask_model()
        in_memory = self.query.plain and bool(self.wanted.terms) and self.indexing.follows
        for _ in range(TRIES):
            reader = None if in_memory and self._without_sessions() else await self.indexing.ready_reader()
            with self.indexing.lending.lent(reader) if reader else nullcontext():
                await self._weigh(reader)
                if reader is not None and not self.indexing.lending.is_current(reader):
                    continue  # another index has taken its place: what it lacks is not what this one lacks
                return await self._found(reader, count, in_memory=in_memory)
        return await self._found(None, count, in_memory=in_memory)

    async def _ask_model(self) -> None:
        """Find out how near memories are to the question, where there is a model and the words are a question."""
        words, asked = self.query.words, self.query.asked.roles
        roles = [one for one in self.workspace.roles.values() if not asked or one.name in asked]
        if not self.query.plain or len(roles) > ASKED_ROLES or len(self.wanted.terms) < QUESTION_TERMS:
            return
        for role in roles:
            plain = unnamed(role.compiled.turns, role.compiled.lexicon, role.compiled.memories, words)
            meaning, used_s = self.workspace.meaning, self.workspace.recalled.used_s
            question = await meaning.question(plain)
            near, then = await meaning.memories(role, question, used_s=used_s), self.pasts.get(role.name)
            self.near[role.name] = (
                then.compiled.of_memories(then.like(near)) if then else role.compiled.of_memories(near)
            )

    async def _found(
        self, reader: Reader | None, count: int, *, in_memory: bool
    ) -> tuple[list[tuple[float, Document]], int]:
        # One step without a pause: what memory has, and what the index lacks at this very moment.
        whole = in_memory and self._without_sessions()  # memory has all that is asked
        lacking = (
            NOTHING if whole else lacks(self.workspace, self.indexing, self.query.asked.roles, sessions_only=in_memory)
        )
        if self.query.asked.as_of_s is not None and not whole:
            lacking = self._of_then(lacking, in_memory=in_memory)
        hits, total = self._from_memory(count) if in_memory else ([], 0)
        if reader is not None:
            answer = await self._from_index(reader, lacking, ("session",) if in_memory else (), count)
            hits, total = [*hits, *answer.hits], total + answer.total
        if lacking.documents or lacking.names:
            late = await asyncio.to_thread(self._judge, lacking)
            hits, total = [*hits, *late], total + len(late)
        hits, total = self._with_events(hits, total)
        hits.sort(key=lambda one: (-one[0], -(one[1].when_s or 0.0), one[1].key))
        return hits[:count], total

    def _of_then(self, lacking: Lacking, *, in_memory: bool) -> Lacking:
        """Return what the index lacks of then: it has no memory as it was."""
        documents = [one for one in lacking.documents if one.kind not in MEMORY_KINDS]
        for role, then in self.pasts.items() if not in_memory else ():
            documents += [of_memory(role, one, memory_file(role)) for one in then.compiled.memories.values()]
        return lacking._replace(roles=lacking.roles | self.workspace.roles.keys(), documents=documents)

    def _compiled(self, role: str) -> Compiled | None:
        """Return what a role holds, or held then; None where there is no such role."""
        if self.query.asked.as_of_s is not None:
            return self.pasts[role].compiled if role in self.pasts else None
        known = self.workspace.roles.get(role)
        return known.compiled if known else None

    def told_of_then(self, shown: list[dict[str, Any]]) -> dict[str, Any]:
        """Return what a reply says of the time it is asked about, where it is."""
        at_s = self.query.asked.as_of_s
        if at_s is None:
            return {}
        notes = list(dict.fromkeys(note for then in self.pasts.values() for note in then.notes()))
        if any(one["kind"] not in MEMORY_KINDS and "time" not in one for one in shown):
            notes.append("as of then: files without a date have no history and are as they are now")
        return {"as_of": to_exact_iso(at_s), **({"notes": notes} if notes else {})}

    def _without_sessions(self) -> bool:
        asked = self.query.asked
        return bool(asked.roles) or bool(asked.kinds and "session" not in asked.kinds) or not self.indexing.sessions

    def _lexicons(self) -> list[tuple[str, Lexicon]]:
        """Return the indexes in memory that are asked, each with its role, the files' own last."""
        roles = self.query.asked.roles
        chosen = [name for name in self.workspace.roles if not roles or name in roles]
        compiled = [(name, held.lexicon) for name in chosen if (held := self._compiled(name)) is not None]
        return [*compiled, ("", self.workspace.library.lexicon)]

    async def _weigh(self, reader: Reader | None) -> None:
        """Find out what each term is worth over everything that is asked."""
        holders: Counter[str] = Counter()
        terms, self.documents = self.wanted.terms, 0
        for _, lexicon in self._lexicons() if self.indexing.follows else []:
            self.documents += len(lexicon)
            for term in terms:
                holders[term] += lexicon.holders(term)
        if reader is not None and terms:
            for term, number in (await asyncio.to_thread(reader.holders, terms)).items():
                holders[term] = max(holders[term], number)
            self.documents = max(self.documents, reader.documents)
        for term in terms:
            holders[term] = holders[term] or 1  # what only a document not indexed yet may have
        self.gains = gains_of(terms, holders, max(self.documents, 1))

    def _from_memory(self, count: int) -> tuple[list[tuple[float, Document]], int]:
        asked = self.query.asked
        hits: list[tuple[float, Document]] = []
        total = 0
        for role, lexicon in self._lexicons():
            scores, held = self._scores(role, lexicon)
            if not asked.is_empty():
                scores = {key: score for key, score in scores.items() if self._is_asked(role, key)}
            total += len(scores)
            for key, score in best(scores.items(), max(RERANKED, count)):
                document = self._document(role, key)
                if document is not None:
                    terms = held or set(lexicon.terms(key))
                    hits.append((final(score, self.gains, terms, self.documents), document))
        return hits, total

    def _with_events(self, hits: list[tuple[float, Document]], total: int) -> tuple[list[tuple[float, Document]], int]:
        """Return hits with what happened, or will, at the times that are asked about."""
        found = {document.key: (score, document) for score, document in hits}
        for role, _ in self._lexicons() if self.times else []:
            for key, said in self._happened(role).items() if role else ():
                document = self._document(role, key)
                if document is not None:
                    before, known = found.get(document.key, (0.0, None))
                    total += known is None
                    found[document.key] = (1 - (1 - before) * (1 - said), known or document)
        return list(found.values()), total

    def _happened(self, role: str) -> dict[str, float]:
        """Return what happened or will at the times that are asked about, and how much that says."""
        known = self._compiled(role)
        if known is None or not self.times or known.turns.speakers:
            return {}
        from memd.engine.keep.event.written import happened  # noqa: PLC0415  the rules of two languages

        found = happened(known, self.query.words, self.times, self.workspace.ports.now())
        asked = self.query.asked
        return found if asked.is_empty() else {key: one for key, one in found.items() if self._is_asked(role, key)}

    def _scores(self, role: str, lexicon: Lexicon) -> tuple[Mapping[str, float], Collection[str]]:
        """Return the sums of one index; those of a conversation with what it adds, which covers the whole question."""
        known = self._compiled(role) if role else None
        turns, near = (known.turns, self.near.get(role)) if known else (None, None)
        if known is None or turns is None:
            return lexicon.scores(self.gains), ()
        if not turns.sessions:
            scores = known.of_memories(lexicon.scores(self.gains))
            return (fused(scores, near, len(known.memories))[0], self.gains.keys()) if near else (scores, ())
        _, names = names_in(turns, self.query.words)
        gains = {term: gain for term, gain in self.gains.items() if term not in names} or self.gains
        terms = {term: self.wanted.terms[term] for term in gains}
        memories, scores, weights = known.memories, known.of_memories(lexicon.scores(gains)), BY_WORDS
        if near:
            (scores, spread), weights = fused(scores, near, len(memories)), WITH_MODEL
            terms = {term: weight / spread for term, weight in terms.items()}
        return told(scores, self.query.words, terms, lexicon, turns, memories, weights), self.gains.keys()

    def _document(self, role: str, key: str) -> Document | None:
        if not role:
            return self.workspace.library.documents.get(key)
        known = self._compiled(role)
        memory = known.memories.get(key) if known else None
        return of_memory(role, memory, memory_file(role)) if memory else None

    def _is_asked(self, role: str, key: str) -> bool:
        document = self._document(role, key)
        return document is not None and is_asked(document, self.query.asked)

    async def _from_index(self, reader: Reader, lacking: Lacking, kinds: tuple[str, ...], count: int) -> Answer:
        try:
            scope = Scope(lacking.masked, lacking.roles, kinds, self.documents, count)
            answer = await asyncio.to_thread(from_index, reader, self.wanted, self.gains, scope)
        except Exception as error:  # whoosh raises what its structs and pickles raise
            self.indexing.distrust(f"{type(error).__name__} while searching", reader)
            return Answer([], 0)
        self.texts.update((document.key, document) for _, document in answer.hits)
        self.about = answer.about
        return answer

    def _judge(self, lacking: Lacking) -> list[tuple[float, Document]]:
        documents = [*lacking.documents, *(one for name in lacking.names for one in self._texts(name))]
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

    def _texts(self, name: str) -> tuple[Document, ...]:
        return self.workspace.library.texts_of(self.workspace.tree, name)

    async def shown(self, hits: list[tuple[float, Document]]) -> list[dict[str, Any]]:
        """Return hits as replies show them."""
        missing = {document.name for _, document in hits if not document.text and document.key not in self.texts}
        if missing:
            for documents in await asyncio.to_thread(lambda: [self._texts(name) for name in sorted(missing)]):
                self.texts.update((one.key, one) for one in documents)
        shown = []
        for score, document in hits:
            shown.append(self._shown(score, document))
            await asyncio.sleep(0)  # the best part of a long text takes a while to find
        return shown

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
        known = self._compiled(document.role) if document.kind in MEMORY_KINDS else None
        memory = known.memories.get(document.id) if known else None
        if memory is not None and memory.event is not None:
            view["event"] = memory.event.told
        if memory is not None and memory.superseded_by:
            view["superseded_by"] = memory.superseded_by
        if (then := self.pasts.get(document.role)) and memory is not None and memory.id not in then.same:
            view["earlier"] = True
        return view


# What the index on disk does not have as it is now: to be hidden in its answers, and to be judged beside them.

AT_HAND = 2000  # files that are read to answer for an index that does not know them yet


class Lacking(NamedTuple):
    """At one moment: keys and roles to hide; documents, and names of files whose documents are to be read."""

    masked: set[str]
    roles: set[str]
    documents: list[Document]
    names: list[str]


NOTHING = Lacking(set(), set(), [], [])


def lacks(store: Store, indexing: Indexing, asked: Collection[str], *, sessions_only: bool) -> Lacking:
    """Return what the index lacks now, of the roles `asked`, or of all where none is.

    Where only its sessions are asked, what it lacks of the rest is no matter.
    """
    files = indexing.manifest.files if indexing.manifest else {}
    names = [name for name in indexing.dirty if purpose_of(name) is not Purpose.MEMORY]
    documents: list[Document] = []
    for name in list(names):
        late = _late(indexing, name)
        if late is not None:  # it has only grown: what the index has of it stands
            documents += late
            names.remove(name)
    masked = {key for name in names if name in files for key in files[name].documents}
    if sessions_only:
        return Lacking(masked, set(), documents, [one for one in names if purpose_of(one) is Purpose.SESSION][:AT_HAND])
    roles: set[str] = set()
    for role in store.roles.values():
        if not role.is_open and asked and role.name not in asked:
            roles.add(role.name)  # none of it is asked for
            continue
        memories = role.compiled.memories
        if role.marks.touched is None:
            roles.add(role.name)
        # The index has every memory as it is written: where only a part of one holds, that part is judged here.
        touched = None if role.marks.touched is None else role.marks.touched | role.compiled.partial
        if touched is not None:
            masked |= {memory_key(role.name, memory_id) for memory_id in touched}
        ids = list(memories) if touched is None else [one for one in touched if one in memories]
        documents += [of_memory(role.name, memories[one], memory_file(role.name)) for one in ids]
    gone = {role_of(name) for name in files if purpose_of(name) is Purpose.MEMORY} - store.roles.keys()
    return Lacking(masked, roles | gone, documents, names[:AT_HAND])


def _late(indexing: Indexing, name: str) -> list[Document] | None:
    """Return what was appended to a session since the index was built; None where that cannot be told."""
    had = indexing.grown_from(name)
    held = indexing.library.held.get(name)
    return held.growth.since(had) if had is not None and held is not None and held.growth is not None else None
