"""A workspace in use: its files, its settings, its loaded roles, its log. Holds the one write lock, or only reads."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from typing import Any

from memd.engine.recall.emotions import Feelings
from memd.errors import (
    Fault,
    MemdError,
    RoleAmbiguousError,
    RoleRejectedError,
    RoleUnknownError,
    StorageReadOnlyError,
    WorkspaceGoneError,
)
from memd.formats.records import dump_record
from memd.formats.times import to_iso
from memd.formats.token_cache import TokenCache
from memd.model.change import Change, Erasure, Line, Operation, Put
from memd.model.settings import Settings
from memd.model.trust import in_force_for
from memd.service.cache import keep_tokens, load_tokens, terms_of
from memd.service.care import absorb
from memd.service.care.side_files import SideFiles
from memd.service.discovery import find_role, look_for_roles
from memd.service.happenings import Happenings
from memd.service.library import Library
from memd.service.limits import LOOK_S, Scorings, Sizes, fitting
from memd.service.memory.answers import Answers
from memd.service.memory.curated import Curated
from memd.service.memory.emotion_file import EmotionFile
from memd.service.memory.keeping import Keeping
from memd.service.memory.meaning import Meaning
from memd.service.memory.recalled import Recalled
from memd.service.ports import Ports
from memd.service.role import Role
from memd.service.settings_file import SettingsFile
from memd.service.trust import Trust
from memd.service.work.working import Working
from memd.service.writing.applier import Applier
from memd.service.writing.journal import Journal, nothing, submitted
from memd.service.writing.texts import Texts
from memd.storage.files import Tree
from memd.storage.layout import AUDIT, PRIVATE, role_dir
from memd.storage.lock import Lock
from memd.storage.wal import Log, Record

logger = logging.getLogger(__name__)


@dataclass(slots=True)
class Workspace:
    """Use `open_workspace`. Owned by one event loop."""

    tree: Tree
    live: SettingsFile
    ports: Ports
    cache_dir: str
    trust: Trust = field(default_factory=Trust)
    roles: dict[str, Role] = field(default_factory=dict)
    bad_roles: list[Fault] = field(default_factory=list)
    scorings: Scorings = field(default_factory=Scorings)
    memory_dir: Sizes = field(default_factory=lambda: Sizes(PRIVATE, LOOK_S))
    curated: Curated = field(default_factory=Curated)
    library: Library = field(default_factory=Library)
    recalled: Recalled = field(default_factory=Recalled)
    keeping: Keeping = field(default_factory=Keeping)
    texts: Texts = field(default_factory=Texts)
    working: Working = field(default_factory=Working)
    happenings: Happenings = field(default_factory=Happenings)
    lexicon: EmotionFile = field(default_factory=EmotionFile)
    side_files: SideFiles = field(default_factory=SideFiles)
    book_parts: dict[str, str] = field(default_factory=dict)
    exports: dict[str, dict[str, str]] = field(default_factory=dict)
    answers: Answers = field(default_factory=Answers)
    meaning: Meaning = field(default_factory=Meaning)
    read_only: str = ""
    recovered: dict[str, Any] = field(default_factory=dict)
    opened_s: float = 0.0
    _uncached: dict[str, TokenCache] = field(default_factory=dict)
    lock: Lock | None = None
    log: Log | None = None
    writing: Journal | None = None
    applier: Applier | None = None

    @property
    def path(self) -> str:
        """The workspace's absolute path."""
        return self.tree.path

    @property
    def settings(self) -> Settings:
        """The settings in force."""
        return self.live.settings

    def settings_of(self, role: Role) -> Settings:
        """Return the settings in force for a role, its own on top."""
        known = role.effective
        if known is None or known[0] is not self.settings or known[1] is not role.profile:
            own = in_force_for(self.settings, role.profile.settings, role.name, self.trust.trusted.granted)
            known = role.effective = (self.settings, role.profile, own)
        return known[2]

    def settings_named(self, role: str) -> Settings:
        """Return the settings in force for the role of a name, or for the workspace."""
        return self.settings_of(self.roles[role]) if role in self.roles else self.settings

    def look_at_settings(self) -> None:
        """Read memd.toml again where it changed, and what this machine grants; a faulty file leaves the last good settings."""
        if granted := self.trust.look(self.tree):
            self.live.obey(self.trust.trusted.granted)
            self.keeping.quarantine.trust(self.trust.trusted.approved)
        if self.live.look(self.tree) or granted:
            logger.info("memd.toml was read again" if not granted else "something else is granted")
            self.happenings.settings()

    def feelings(self) -> Feelings:
        """Return the lexicon of feelings, with the workspace's own emotions.toml on top."""
        return self.lexicon.look(self.tree)

    @property
    def journal(self) -> Journal:
        """The log, or StorageReadOnlyError where this workspace is only read."""
        if self.writing is None:
            raise StorageReadOnlyError(self.path, self.read_only or "opened for reading")
        return self.writing

    @property
    def log_depth(self) -> int:
        """How many acknowledged batches are not in the files yet."""
        return self.writing.depth if self.writing else 0

    @property
    def trouble(self) -> dict[str, str]:
        """What cannot be written at the moment, and why."""
        return dict(self.applier.trouble) if self.applier else {}

    async def role(self, name: str) -> Role:
        """Return the role of this address as the directories are now, or raise RoleUnknownError, RoleAmbiguousError."""
        with suppress(RoleAmbiguousError):  # perhaps not any more
            found = find_role(self.roles.values(), name)
            if found is not None and not self._is_gone(found):
                return found
        await self.find_roles()
        found = find_role((role for role in self.roles.values() if not self._is_gone(role)), name)
        if found is None:
            raise RoleUnknownError(name, sorted(self.roles))
        return found

    async def find_roles(self) -> None:
        """Load the roles that appeared, read every profile again, and forget roles whose directory is gone."""
        present, bad = await asyncio.to_thread(look_for_roles, self.tree)
        self.bad_roles = bad
        for name in (one for one in present if one not in self.roles):
            self.roles.setdefault(name, await asyncio.to_thread(self._load, name)).happenings = self.happenings
            self.happenings.role(name, there=True)
        for role in self.roles.values():
            absorb.refresh_profile(self.tree, role)
        for name, role in list(self.roles.items()):
            if name not in present and not role.is_busy():
                del self.roles[name]
                self.happenings.role(name, there=False)

    async def refresh(self, role: Role) -> None:
        """Bring a role up to its files; call in its turn. RoleRejectedError where there is no good state to serve."""
        await self.look(role)
        if role.rejected is not None and not role.loaded:
            raise RoleRejectedError(role.name, role.rejected)

    async def look(self, role: Role) -> None:
        """Bring a role up to its files, whatever they are; call in its turn."""
        now_s = self.ports.monotonic()
        self.look_at_settings()
        if await absorb.refresh(self.tree, role, self.file_limit_bytes, now_s, self.audit) and role.recent:
            role.stale = True  # a change from outside may have taken back what was just written
            self.wake(role)
        role.pass_time(self.ports.now())

    @property
    def file_limit_bytes(self) -> int:
        """How large a memory.json may be to be read."""
        return max(self.settings.limits.role_bytes * 2, 1_000_000)

    def commit(
        self, build: Callable[[int], Sequence[Operation]], *, at_s: float, roll_back: Callable[[], None] = nothing
    ) -> asyncio.Future[None]:
        """Make changes true in memory and queue them for the log; the future ends when they are durable.

        `build` gets the batch's number; what it returns is looked at once more. Where the log refuses, the changes are
        undone, then `roll_back` is called.
        """
        submitted.set(True)
        return self._commit(build, at_s, roll_back)

    def _commit(
        self, build: Callable[[int], Sequence[Operation]], at_s: float, roll_back: Callable[[], None] = nothing
    ) -> asyncio.Future[None]:
        if not self.tree.is_in_place():
            raise WorkspaceGoneError(self.path)
        journal = self.journal
        roles = dict(self.roles)  # one that vanishes meanwhile still gets back what could not be written
        n = journal.reserve()
        built = self.keeping.looked_at(list(build(n)), self.settings_named, roll_back)
        try:
            operations = fitting(self, built)
        except BaseException:
            roll_back()
            raise
        firm = (one for one in operations if not isinstance(one, Line | Put))
        changes = [one if isinstance(one, Change) else self._removal(one) for one in firm]
        let_go = self.texts.hold(n, operations)
        taken: list[Change] = []

        def undo() -> None:
            for change in reversed(taken):
                roles[change.role].give_back(change)
            let_go()
            roll_back()

        try:
            for change in changes:
                if change.role not in roles:
                    raise RoleUnknownError(change.role, sorted(roles))
                roles[change.role].take(change, n)
                taken.append(change)
        except BaseException:
            undo()
            raise
        return journal.submit(n, to_iso(at_s), operations, undo)

    def _removal(self, one: Erasure) -> Change:
        return Change(one.role, one.kind, one.id, self.roles[one.role].raw(one.kind, one.id), None)

    def record(self, name: str, n: int, value: dict[str, Any], at_s: float) -> Line:
        """Return a line for one of memd's own logs, keyed by writer and number."""
        body = {"w": self.journal.writer, "n": n, "at": to_iso(at_s), **value}
        return Line(name, dump_record(body).decode())

    def audit(self, value: dict[str, Any]) -> None:
        """Note something in the audit log; where that cannot be written, it is in the daemon's own diary."""
        now_s = self.ports.now()
        if self.writing is None:
            return
        logger.info("%s in role %s", value.get("what"), value.get("role"))
        try:
            done = self._commit(lambda n: [self.record(AUDIT, n, value, now_s)], now_s)  # nobody waits for it
        except MemdError as error:
            logger.warning("the audit log could not be written: %s", error)
        else:
            done.add_done_callback(_log_failure)

    async def settled(self) -> None:
        """Wait until what others have submitted so far is durable: who answers by it promises it, too."""
        if self.writing is not None and not submitted.get():
            await self.writing.settled()

    async def close(self, *, deadline_s: float = 5.0) -> None:
        """Bring everything into the files within the deadline, and let go."""
        with ExitStack() as let_go:
            let_go.callback(self.tree.close)
            if self.lock:
                let_go.callback(self.lock.release)
            if self.log:
                let_go.callback(self.log.close)
            if self.writing and self.applier:
                await self.writing.drain()
                await self.applier.finish(deadline_s)
                await self.writing.drain()

    def wake(self, role: Role) -> None:
        """See to a role's file soon."""
        if self.applier:
            self.applier.wake_role(role)

    def save_cache(self, *, changed: bool = False) -> None:
        """Keep analysed terms for the next start: of roles the cache did not know, or of all that changed. Blocks."""
        caches, self._uncached = self._uncached, {}
        if changed:
            caches = {name: terms_of(role.compiled) for name, role in self.roles.items() if role.changes}
        keep_tokens(self.cache_dir, caches)

    def waiting_lines(self, folder: str) -> list[str]:
        """Return the acknowledged lines that are not in the files of a folder yet."""
        if self.applier:
            return self.applier.waiting_lines(folder)
        return [text for name, lines in self.texts.lines.items() if name.startswith(folder) for text in lines]

    def is_being_erased(self, role: str, memory_id: str) -> bool:
        """Tell whether a memory's text is on its way out of the files: nobody is shown it any more."""
        return (role, memory_id) in (self.applier.erasing if self.applier else self.texts.erasing)

    def standing(self) -> Iterator[tuple[str, str]]:
        """Yield role and id of every memory there is."""
        for role in self.roles.values():
            for memory_id in role.compiled.memories:
                yield role.name, memory_id

    def records(self) -> list[Record]:
        """Return what the log holds of recent work."""
        return list(self.log.records) if self.log else []

    def _is_gone(self, role: Role) -> bool:
        return self.tree.identify(role_dir(role.name)) is None and not role.overlay

    def _load(self, name: str) -> Role:
        cache = load_tokens(self.cache_dir, name)
        known = len(cache.terms)
        role = absorb.load_role(self.tree, name, cache, limit_bytes=self.file_limit_bytes, now_s=self.ports.monotonic())
        if len(cache.terms) > known:
            self._uncached[name] = cache
        return role

    async def adopt(self, role: Role) -> None:
        """Take in what a write found in a role's file; waits for the role's turn."""
        async with role.turn:
            await absorb.adopt(role, self.audit)


def _log_failure(done: asyncio.Future[None]) -> None:
    error = None if done.cancelled() else done.exception()
    if error:
        logger.warning("the audit log could not be written: %s", error)
