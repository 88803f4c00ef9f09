"""The files that are searched beside the roles' memories: what is known of each, and the index over their words.

Owned by the event loop; reading and parsing run in threads. A file that cannot be read leaves what it said before.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections import OrderedDict, deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from memd.engine.recall.lexicon import Lexicon, document_weights
from memd.errors import Fault, MemdError, NotRegularError, RejectedFileError, StorageError, TooLargeError
from memd.formats.documents import Documents, digest_of, documents_of, limit_of, session_documents
from memd.model.files import Purpose, purpose_of
from memd.storage.listing import walk

if TYPE_CHECKING:
    from memd.model.search import Document
    from memd.storage.files import Identity, Tree
    from memd.store.store import Store
    from memd.store.writing.lines import Appended

TEXTS_CHARS = 8_000_000  # of documents kept at hand because no index has them yet
STEP_PUTS = 24  # documents put between two turns of the event loop
STATES = 512  # of a growing session that are remembered: an index was built from one of them
HEADER, BOM = b"---", b"\xef\xbb\xbf"
READ_AT_ONCE = 200  # files in one trip to a thread


class Reading(NamedTuple):
    """What a file held: documents with their weights, or the fault, or neither where there is no such file."""

    name: str
    identity: Identity | None
    digest: bytes = b""
    documents: tuple[Document, ...] = ()
    weights: tuple[dict[str, float], ...] = ()
    faults: tuple[Fault, ...] = ()
    rejected: Fault | None = None
    empty: bool = False
    same: bool = False
    lines: int = 0


@dataclass(slots=True)
class Growth:
    """How a session's file has grown by memd's own appends since it was read as a whole.

    `states`: how many documents it had in each state; `late`: those from `start` on, with their texts.
    """

    lines: int
    states: OrderedDict[Identity, int]
    start: int
    late: list[Document] = field(default_factory=list)
    chars: int = 0

    def since(self, count: int) -> list[Document] | None:
        """Return the documents behind the first so many; None where they are not at hand."""
        return self.late[count - self.start :] if count >= self.start else None

    def let_go(self, count: int) -> None:
        """Let go of the texts of the first so many documents."""
        gone = self.late[: max(0, count - self.start)]
        self.late = self.late[len(gone) :]
        self.start += len(gone)
        self.chars -= sum(len(one.text) for one in gone)


@dataclass(slots=True)
class Held:
    """One file as it was last taken in. `digest` is of its bytes, `digests` of its documents."""

    identity: Identity
    digest: bytes = b""
    digests: dict[str, bytes] = field(default_factory=dict)
    faults: tuple[Fault, ...] = ()
    rejected: Fault | None = None
    growth: Growth | None = None


@dataclass(slots=True)
class Library:
    """Files by name, documents by key; `keyed` are the pages that name a role and keys. `unread` are names that were noticed and not looked at yet; `changes` counts."""

    held: dict[str, Held] = field(default_factory=dict)
    documents: dict[str, Document] = field(default_factory=dict)
    lexicon: Lexicon = field(default_factory=Lexicon)
    unread: set[str] = field(default_factory=set)
    keyed: dict[str, Document] = field(default_factory=dict)
    changes: int = 0
    loaded: asyncio.Event = field(default_factory=asyncio.Event)
    _texts: OrderedDict[str, tuple[Document, ...]] = field(default_factory=OrderedDict)
    _chars: int = 0

    async def read_keyed(self, tree: Tree, *, all_pages: bool = False) -> None:
        """Read the pages that name a role and keys, or all, once: for a command that has no daemon to follow the files for it."""
        if all_pages and not self.held:
            await self.read(tree, await asyncio.to_thread(_page_names, tree))
        elif not self.keyed:
            self.keyed = await asyncio.to_thread(_keyed_pages, tree)

    def is_known(self, name: str, identity: Identity | None) -> bool:
        """Tell whether a file is in the state it was taken in."""
        held = self.held.get(name)
        return (held.identity if held else None) == identity

    async def take(self, readings: Iterable[Reading]) -> list[str]:
        """Take in what files hold now; return the names whose documents are other than before."""
        changed: list[str] = []
        puts = 0
        for reading in readings:
            self.unread.discard(reading.name)
            if self._take(reading):
                changed.append(reading.name)
                puts += 1 + len(reading.documents) // STEP_PUTS
                if puts >= STEP_PUTS:
                    puts = 0
                    await asyncio.sleep(0)
        return changed

    def _take(self, reading: Reading) -> bool:
        name, held = reading.name, self.held.get(reading.name)
        if reading.identity is None:
            return self.drop(name)
        if reading.same and held is not None:
            held.identity, held.rejected = reading.identity, None
            return False
        if reading.rejected is not None:
            if held is None:
                self.held[name] = Held(reading.identity, rejected=reading.rejected)
            else:
                held.identity, held.rejected = reading.identity, reading.rejected
            return False
        digests = {one.key: digest_of(one) for one in reading.documents}
        same = held is not None and held.digests == digests
        grown = Growth(reading.lines, OrderedDict({reading.identity: len(digests)}), len(digests))
        growth = grown if purpose_of(name) is Purpose.SESSION else None
        self.held[name] = Held(reading.identity, reading.digest, digests, reading.faults, growth=growth)
        if same:
            return False
        if purpose_of(name) is not Purpose.SESSION:
            for key in set(held.digests if held else ()) - digests.keys():
                self._drop_document(key)
            for document, weights in zip(reading.documents, reading.weights, strict=True):
                self.documents[document.key] = document.without_text()
                if document.kind == "page" and document.role and document.keys:
                    self.keyed[document.key] = document
                else:
                    self.keyed.pop(document.key, None)
                self.lexicon.put(document.key, weights)
        self._keep(name, reading.documents)
        self.changes += 1
        return True

    async def read(self, tree: Tree, names: Iterable[str]) -> None:
        """Read files and take them in, where nobody follows them."""
        wanted = [(name, self.held.get(name)) for name in names]
        await self.take(await asyncio.to_thread(read_files, tree, wanted))

    async def texts(self, tree: Tree, names: Iterable[str]) -> dict[str, str]:
        """Return the texts of files with one document each, read where they are not at hand; "" where there is none any more."""
        held = {name: self.text_at_hand(name) for name in names}
        missing = [(name, None) for name, documents in held.items() if documents is None]
        read = (
            {one.name: one.documents for one in await asyncio.to_thread(read_files, tree, missing)} if missing else {}
        )
        return {
            name: next((one.text for one in read.get(name, documents or ())), "") for name, documents in held.items()
        }

    def grow(self, name: str, after: Identity, lines: int, found: Documents) -> None:
        """Take in what memd appended to a session: its state now, the lines added, and what they say."""
        held = self.held.get(name)
        if held is None or held.growth is None:
            held = self.held[name] = Held(after, growth=Growth(0, OrderedDict(), 0))
        growth = held.growth
        if growth is None:
            return
        held.identity, held.digest = after, b""
        held.digests.update((one.key, digest_of(one)) for one in found.documents)
        held.faults = (*held.faults, *found.faults)
        growth.lines += lines
        growth.states[after] = len(held.digests)
        if len(growth.states) > STATES:
            growth.states.popitem(last=False)
        growth.late += found.documents
        growth.chars += sum(len(one.text) for one in found.documents)
        if growth.chars > TEXTS_CHARS // 2:
            growth.let_go(len(held.digests))
        self.unread.discard(name)
        self.forget_text(name)

    def drop(self, name: str) -> bool:
        """Forget a file that is gone; tell whether it had documents."""
        self.unread.discard(name)
        held = self.held.pop(name, None)
        self.forget_text(name)
        self.changes += 1
        for key in held.digests if held else ():
            self._drop_document(key)
        return bool(held and held.digests)

    def _drop_document(self, key: str) -> None:
        self.documents.pop(key, None)
        self.keyed.pop(key, None)
        self.lexicon.drop(key)

    def text_at_hand(self, name: str) -> tuple[Document, ...] | None:
        """Return a file's documents with their texts where they are kept at hand, as they were taken in."""
        return self._texts.get(name) if name in self.held else None

    def texts_of(self, tree: Tree, name: str) -> tuple[Document, ...]:
        """Return a file's documents with their texts, read from the file where they are not at hand. Blocks."""
        held = self.text_at_hand(name)
        return held if held is not None else read_file(tree, name).documents

    def forget_text(self, name: str) -> None:
        """Let go of a file's texts."""
        kept = self._texts.pop(name, None)
        if kept:
            self._chars -= sum(len(one.text) for one in kept)

    def _keep(self, name: str, documents: tuple[Document, ...]) -> None:
        self.forget_text(name)
        self._texts[name] = documents
        self._chars += sum(len(one.text) for one in documents)
        while self._chars > TEXTS_CHARS and self._texts:
            self.forget_text(next(iter(self._texts)))

    def faults(self) -> list[Fault]:
        """Return what is wrong with the files, in the order of their names."""
        return [
            fault
            for _, held in sorted(self.held.items())
            for fault in (held.rejected, *held.faults)
            if fault is not None
        ]


def read_file(tree: Tree, name: str, known: Held | None = None) -> Reading:
    """Return what a file holds now. Blocks; `known` saves parsing what has not changed."""
    try:
        data, identity = tree.read(name, limit_of(name))
    except (FileNotFoundError, NotRegularError):
        return Reading(name, None)  # nothing, or a link, a directory or a pipe where a file was
    except TooLargeError as error:
        why = str(error).removeprefix(f"{name}: ")
        return Reading(name, tree.identify(name), rejected=Fault(name, 1, 1, why, "file.too_large"))
    except StorageError as error:
        identity_now = tree.identify(name)
        why = str(error).removeprefix(f"{name}: ")
        return Reading(name, identity_now, rejected=Fault(name, 1, 1, why, "file.unreadable"))
    digest = hashlib.blake2b(data, digest_size=16).digest()
    if known is not None and known.digest == digest:
        return Reading(name, identity, digest, same=True)
    try:
        found = documents_of(name, data)
    except RejectedFileError as error:
        return Reading(name, identity, digest, rejected=error.fault, empty=not data.strip())
    wanted = () if purpose_of(name) is Purpose.SESSION else found.documents
    weights = tuple(document_weights(one) for one in wanted)
    empty, lines = not data.strip(), data.count(b"\n")
    return Reading(name, identity, digest, found.documents, weights, found.faults, empty=empty, lines=lines)


def read_files(tree: Tree, wanted: Iterable[tuple[str, Held | None]]) -> list[Reading]:
    """Return what several files hold. Blocks."""
    return [read_file(tree, name, known) for name, known in wanted]


def _page_names(tree: Tree) -> list[str]:
    return [name for name in walk(tree).files if purpose_of(name) is Purpose.PAGE]


def _keyed_pages(tree: Tree) -> dict[str, Document]:
    found: dict[str, Document] = {}
    for name in walk(tree).files:
        if purpose_of(name) is not Purpose.PAGE:
            continue
        try:
            data = tree.read(name, limit_of(name))[0]
            documents = documents_of(name, data).documents if data.removeprefix(BOM).startswith(HEADER) else ()
        except (MemdError, FileNotFoundError):
            continue
        found.update((one.key, one) for one in documents if one.role and one.keys)
    return found


# What memd itself appends to sessions, taken into the library as it is written: nobody need read the file for it.


@dataclass(slots=True)
class OwnLines:
    """Owned by the event loop. `note` hears which files have changed, `look` which are to be read after all."""

    library: Library
    note: Callable[[Iterable[str]], None]
    look: Callable[[str], None]
    store: Store
    _queue: deque[tuple[str, Appended]] = field(default_factory=deque)
    _task: asyncio.Task[None] | None = None

    def __post_init__(self) -> None:
        if self.store.writer.applier:
            self.store.writer.applier.on_lines.append(self.hear)

    def explains(self, name: str) -> bool:
        """Tell whether a session has changed by nothing but what memd appends."""
        if purpose_of(name) is not Purpose.SESSION:
            return False
        applier = self.store.writer.applier
        if any(one == name for one, _ in self._queue) or (applier and name in applier.being_appended):
            return True
        same = self.library.is_known(name, self.store.tree.identify(name))
        if same:
            self.library.unread.discard(name)
        return same

    def hear(self, name: str, appended: Appended) -> None:
        """Hear that lines were appended to a file."""
        if purpose_of(name) is Purpose.SESSION and appended.text:
            self._queue.append((name, appended))
            if self._task is None or self._task.done():
                self._task = asyncio.get_running_loop().create_task(self._take())

    async def _take(self) -> None:
        while self._queue:
            name, appended = self._queue[0]
            held = self.library.held.get(name)
            first = held.growth.lines if held and held.growth else 0
            data = appended.text.encode("utf-8", "surrogatepass")
            if (
                appended.is_whole
                and (held.identity if held else None) == appended.before
                and not (held and held.rejected)
            ):
                found = await asyncio.to_thread(session_documents, name, data, first + 1)
                now = self.library.held.get(name)
                if now is held and (held is None or held.identity == appended.before) and appended.after is not None:
                    self.library.grow(name, appended.after, data.count(b"\n"), found)
                    self.note([name])
                    self.store.happenings.files([name])
                    self._queue.popleft()
                    continue
            self._queue.popleft()
            self.look(name)
