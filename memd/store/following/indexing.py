"""Keep the full-text index up with the files, off the request path, and know what it does not know yet.

The index is built by a child process from the files alone. What has changed since its last commit is told by digests:
a document is behind when its digest is not the one the index was given. Nothing else is believed.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from memd.errors import BadIndexError, MemdError
from memd.formats.documents import digest_of, is_searched
from memd.formats.times import to_iso
from memd.model.files import Purpose, has_sessions, purpose_of, role_of
from memd.model.search import memory_key, of_memory
from memd.storage.files import Identity, Tree
from memd.storage.index import Reader, make_ready, verified
from memd.storage.layout import memory_file
from memd.storage.listing import walk
from memd.store.following.builds import Lending, Pace
from memd.store.reading.library import READ_AT_ONCE, Library, read_files

if TYPE_CHECKING:
    from memd.formats.derived import IndexedFile, Manifest
    from memd.model.memory import Memory
    from memd.store.following.builds import Builds
    from memd.store.reading.library import Held
    from memd.store.role.role import Role

logger = logging.getLogger(__name__)

NAMED = 1000  # more files than this are found by looking at all
READY_S = 5.0  # after a start, what a search of the index needs is imported
COUNTED = 200  # more files than this count as one document each


@dataclass(slots=True)
class Indexing:
    """Owned by the event loop. `state` is ready, building, failed or absent.

    `follows`: the library holds every file and hears of changes; otherwise (a command without a daemon) the index is
    the only one who knows the files, and what differs from it is found by looking at all of them once. `sessions`: there
    may be some, so that plain words must ask the index too.
    """

    builds: Builds
    library: Library
    roles: Mapping[str, Role]
    monotonic: Callable[[], float]
    follows: bool = True
    looked: bool = False
    runs: bool = False
    manifest: Manifest | None = None
    state: str = "absent"
    fault: str = ""
    dirty: set[str] = field(default_factory=set)
    sessions: bool = False
    pace: Pace = field(default_factory=Pace)
    lending: Lending = field(init=False)
    _wake: asyncio.Event = field(default_factory=asyncio.Event)
    _fresh: bool = False
    _closed: bool = False

    async def look_once(self, tree: Tree) -> None:
        """For a command without a daemon: open the index, and find what differs from it by looking at every file."""
        self.looked = True
        await self.open()
        listing = await asyncio.to_thread(walk, tree)
        files = {
            name: state
            for name, state in listing.files.items()
            if is_searched(name) and purpose_of(name) is not Purpose.MEMORY
        }
        if self.manifest is None:
            names = sorted(files)
            for at in range(0, len(names), READ_AT_ONCE):
                batch = [(name, None) for name in names[at : at + READ_AT_ONCE]]
                await self.library.take(await asyncio.to_thread(read_files, tree, batch))
            self.dirty, self.follows, self.sessions = set(files), True, has_sessions(files)
            self.library.loaded.set()
            return
        known = self.manifest.files
        self.dirty = {name for name, state in files.items() if name not in known or known[name].identity != state}
        self.dirty |= {name for name in known if name not in files and purpose_of(name) is not Purpose.MEMORY}

    def __post_init__(self) -> None:
        self.lending = Lending(self.builds.cache_dir)

    async def ready_reader(self) -> Reader | None:
        """Return the index opened for reading, or None where there is none that can be used."""
        if self.manifest is None:
            return None
        try:
            return await self.lending.reader(self.manifest)
        except (MemdError, OSError) as error:
            self.distrust(str(error))
            return None

    def note(self, names: Iterable[str]) -> None:
        """Hear that files are other than they were; those that the index has as they are do not count."""
        changed = {name for name in names if self.is_behind(name)}
        if not changed:
            return
        self.pace.note(self.monotonic(), first=not self.dirty)
        self.dirty |= changed
        self.sessions = self.sessions or has_sessions(changed)
        self._wake.set()

    def is_behind(self, name: str) -> bool:
        """Tell whether the index has other documents of a file than the file has."""
        known, role = self._known(name), self._role_of(name)
        if role is not None:
            return role.file.rejected is None and (known.identity if known else None) != role.file.identity
        held = self.library.held.get(name)
        if held is None:
            return known is not None
        return differs(known, held)

    def grown_from(self, name: str) -> int | None:
        """Return how many of a session's documents the index has, where all others were appended since; else None."""
        return grown_from(self._known(name), self.library.held.get(name))

    def behind(self) -> int:
        """Return how many documents the index does not have as they are now."""
        count = len(self.library.unread)
        if len(self.dirty) > COUNTED:
            count += len(self.dirty)
        for name in self.dirty if len(self.dirty) <= COUNTED else ():
            if self._role_of(name) is None:
                count += lacking(self._known(name), self.library.held.get(name))
        for role in self.roles.values():
            count += role.count if role.marks.touched is None else len(role.marks.touched)
        return count

    async def open(self) -> None:
        """Open the index there is; where it cannot be used, say why and have it built from nothing."""
        try:
            cache = Tree(self.builds.cache_dir)
        except (OSError, MemdError):
            self._miss("there is none yet")
            return
        try:
            manifest = await asyncio.to_thread(verified, cache)
        except BadIndexError as error:
            self._miss(str(error))
            return
        finally:
            cache.close()
        roles = list(self.roles.values())
        differing_ids = [(role, role.marks.rebuilds, await self._differing(role, manifest)) for role in roles]
        # From here on without a pause: who searches sees the old index with what it lacks, or the new one with what it lacks.
        self.lending.forget()
        self.manifest, self.state, self.fault = manifest, "ready", ""
        for role, rebuilds, ids in differing_ids:
            known = ids is not None and role.marks.rebuilds == rebuilds
            role.marks.touched = (ids or set()) | role.marks.fresh if known else None
        self._recount()

    def _miss(self, why: str) -> None:
        self.lending.forget()
        self.manifest, self.state, self.fault = None, "absent", why
        for role in self.roles.values():
            role.marks.touched = None
        self.dirty = set(self.library.held)
        self._fresh = True
        self.pace.missed(self.monotonic())
        self._wake.set()

    def close(self) -> None:
        """Let go of the index."""
        self._closed = True
        self._wake.set()
        self.builds.stop()
        self.lending.forget()

    def distrust(self, why: str, reader: Reader | None = None) -> None:
        """Throw the index away: it failed while it was read; an older one that failed is no reason."""
        if reader is not None and not self.lending.is_current(reader):
            return
        logger.warning("the full-text index is built anew: %s", why)
        self._miss(why)

    def _recount(self) -> None:
        """Find out which files the index just opened does not have as they are now."""
        files, held = self.manifest.files if self.manifest else {}, self.library.held
        self.dirty = {name for name, one in held.items() if differs(files.get(name), one)}
        self.dirty |= {name for name in files.keys() - held.keys() if self._role_of(name) is None}
        if not self.library.loaded.is_set():
            self.dirty.clear()  # what is not read yet is told as unread
        for role in self.roles.values():
            if role.marks.touched or role.marks.touched is None or self.is_behind(memory_file(role.name)):
                self.dirty.add(memory_file(role.name))
        let_go(files, held)
        self.sessions = has_sessions(files.keys() | held.keys())
        if self.dirty:
            self.pace.note(self.monotonic(), first=True)
            self._wake.set()

    async def _differing(self, role: Role, manifest: Manifest) -> set[str] | None:
        """Return the ids of memories that an index does not have as they are; what changes meanwhile is in `fresh`.

        None where that is not known: a closed role is not opened to compare it.
        """
        known = manifest.files.get(memory_file(role.name))
        as_indexed = known is not None and role.file.identity == known.identity and role.file.incoming is None
        role.marks.fresh = set()
        if role.marks.touched is None and as_indexed and not role.unsaved.overlay and not role.file.rejected:
            return set()
        if not role.is_open:
            return set() if as_indexed and role.marks.touched == set() else None
        asked = frozenset(role.marks.touched) if role.marks.touched is not None and as_indexed else None
        memories = dict(role.compiled.memories)
        return await asyncio.to_thread(differing, role.name, memories, known.documents if known else {}, asked)

    def _known(self, name: str) -> IndexedFile | None:
        return self.manifest.files.get(name) if self.manifest else None

    def _role_of(self, name: str) -> Role | None:
        return self.roles.get(role_of(name)) if purpose_of(name) is Purpose.MEMORY else None

    async def rebuild(self) -> dict[str, Any]:
        """Have the index built from nothing, and return what that came to."""
        if not self.runs:
            await self._bring_up(None, fresh=True)
            return dict(self.builds.last)
        done = self.builds.wait()
        self._fresh = True
        self.pace.not_before_s = 0.0
        self._wake.set()
        return await done

    async def run(self) -> None:
        """Build whenever there is something to build, until closed."""
        self.runs = True
        loop = asyncio.get_running_loop()
        loop.call_later(READY_S, lambda: None if self._closed else loop.run_in_executor(None, make_ready))
        while await self._rest():
            fresh, self._fresh = self._fresh, False
            waiting = self.builds.take_waiting()
            begun_s = self.monotonic()
            try:
                await self._bring_up(None if fresh or len(self.dirty) > NAMED else sorted(self.dirty), fresh)
                self.builds.tell(waiting, None)
                self.pace.done(begun_s, self.monotonic())
            except Exception as error:
                self.fault, self._fresh = str(error), self._fresh or fresh
                self.state = "failed" if self.manifest is None else self.state
                logger.warning("the full-text index could not be built: %s", error)
                self.builds.tell(waiting, error)
                self.pace.failed(self.monotonic())

    async def _bring_up(self, names: list[str] | None, fresh: bool) -> None:
        self.state = "building" if self.manifest is None else self.state
        await self.builds.build(names, fresh=fresh)
        await self.open()

    async def _rest(self) -> bool:
        """Wait until a batch is whole and its turn has come; False when there will be no more."""
        while (
            not self._closed
            and (due_s := self.pace.due_s(self.monotonic(), self._buildable(), at_once=self._fresh)) > 0
        ):
            self._wake.clear()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(due_s):
                    await self._wake.wait()
        return not self._closed

    def _buildable(self) -> int:
        """Return how many files a build could bring up: not those that cannot be read as they are."""
        held = self.library.held
        return sum(not (name in held and held[name].rejected) for name in self.dirty)

    def view(self) -> dict[str, Any]:
        """Return how the index is."""
        shown: dict[str, Any] = {"state": self.state, "behind": self.behind()}
        if self.manifest:
            shown |= {
                "documents": self.manifest.documents,
                "built_at": to_iso(self.manifest.built_at),
                "bytes": sum(size for size, _ in self.manifest.sums.values()),
            }
        return shown | ({"fault": self.fault} if self.fault else {})


# What the full-text index does not have as it is: memories of a role, documents of a file, events of a growing session.


def differing(
    role: str, memories: Mapping[str, Memory], documents: Mapping[str, bytes], asked: frozenset[str] | None
) -> set[str]:
    """Return the ids whose document is not the one that was indexed; of all, or of those asked about."""
    name = memory_file(role)
    found: set[str] = set()
    for memory_id in memories if asked is None else asked:
        memory = memories.get(memory_id)
        digest = digest_of(of_memory(role, memory.as_written(), name)) if memory else None
        if documents.get(memory_key(role, memory_id)) != digest:
            found.add(memory_id)
    if asked is None:
        begin = memory_key(role, "")
        found |= {key[len(begin) :] for key in documents} - memories.keys()
    return found


def differs(known: IndexedFile | None, held: Held) -> bool:
    """Tell whether the index has other documents of a file than the file has."""
    if known is None:
        return bool(held.digests)
    if held.growth is not None and known.identity == held.identity:
        return False  # a session has too many documents to compare them where its state says enough
    return known.documents != held.digests


def grown_from(known: IndexedFile | None, held: Held | None) -> int | None:
    """Return how many of a session's documents the index has, where all others were appended since; else None."""
    if held is None or held.growth is None:
        return None
    if known is None:
        return 0 if not held.growth.start else None
    had = held.growth.states.get(Identity(*known.identity))
    return had if had == len(known.documents) else None


def lacking(known: IndexedFile | None, held: Held | None) -> int:
    """Return how many documents of a changed file the index does not have as they are; at least the file itself."""
    had = grown_from(known, held)
    if had is not None and held is not None:
        return max(1, len(held.digests) - had)
    now, before = held.digests if held else {}, known.documents if known else {}
    return sum(now.get(key) != before.get(key) for key in now.keys() | before.keys()) or 1


def let_go(files: Mapping[str, IndexedFile], held: Mapping[str, Held]) -> None:
    """Let go of the texts of appended events that the index has now."""
    for name, one in held.items():
        if one.growth and one.growth.late and (had := grown_from(files.get(name), one)) is not None:
            one.growth.let_go(had)
