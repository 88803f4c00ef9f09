"""check: look at every file of a workspace and say what is wrong, where, and how grave it is. Reads only."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from memd.errors import BadSettingsError, Fault, RejectedFileError, StorageError, TooLargeError
from memd.formats.books import BOOK_BYTES, load_book
from memd.formats.documents import documents_of, limit_of
from memd.formats.expectations import load_expectations
from memd.formats.lexicons import load_emotions
from memd.formats.records import read_lines
from memd.formats.role_memory import character_uuid
from memd.formats.role_reader import load as load_role
from memd.formats.settings import TOML_BYTES, line_of, load_profile
from memd.formats.texts import oddities
from memd.model.files import Purpose, Told, is_copy, purpose_of, role_of, untold
from memd.model.settings import Profile, Settings
from memd.model.trust import Trusted, in_force, in_force_for
from memd.service.care.check_records import record_faults, work_faults
from memd.service.care.transcripts import look_at_pushed, repository_of
from memd.service.granting import asks_of, in_vain
from memd.storage.files import TEMPORARY_SUFFIX, Tree
from memd.storage.layout import PRIVATE, ROLES, SESSIONS, SETTINGS, memory_file, profile_file, role_dir
from memd.storage.listing import Listing, pieces, walk
from memd.store.in_force import read_settings
from memd.store.keep.learned import Learned
from memd.store.keep.quarantine import Quarantine
from memd.store.reading.discovery import addresses_of, look_for_roles, shown
from memd.store.room import WARN_SHARE, sizes_of
from memd.store.side_files import SideFiles
from memd.store.trust import Trust

if TYPE_CHECKING:
    from memd.model.memory import Memory

CLOSED = frozenset({"file.link", "file.odd", "file.unreadable", "file.too_large"})


@dataclass(slots=True)
class Checked:
    """What was looked at, and what was found."""

    names: list[str] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)


@dataclass(slots=True)
class _Look:
    """A look at a workspace under way."""

    tree: Tree
    listing: Listing
    settings: Settings
    profiles: dict[str, Profile] = field(default_factory=dict)
    learned: Learned = field(default_factory=Learned)
    quarantine: Quarantine = field(default_factory=Quarantine)
    memories: dict[str, int] = field(default_factory=dict)
    uuids: dict[str, str] = field(default_factory=dict)
    trusted: Trusted = field(default_factory=Trusted)

    def withheld(self, memory: Memory) -> str:
        """Return why a memory may not stand in a prompt, "" where it may."""
        if not self.settings.gate.scan:
            return ""
        return self.quarantine.why_withheld(memory.text, memory.content, self.learned.orders)

    def addresses(self, role: str) -> tuple[str, ...]:
        """Return every word that means a role."""
        if role not in self.uuids:
            self.uuids[role] = _uuid(self.tree, role, self.settings.limits.role_bytes * 2)
        return addresses_of(role, self.profiles[role], self.uuids[role])

    def of_role(self, role: str) -> Settings:
        """Return the settings in force for a role."""
        own = self.profiles[role].settings if role in self.profiles else {}
        return in_force_for(self.settings, own, role, self.trusted.granted)


def check(tree: Tree, only: Collection[str] = (), trust: Trust | None = None, told: Told = untold) -> Checked:
    """Return everything that is wrong, in the order of names and lines. `only`: just these files; `told` hears of files."""
    trust = trust or Trust()
    trust.look(tree)
    listing = walk(tree)
    look = _Look(tree, listing, Settings(), trusted=trust.trusted)
    look.quarantine.trust(trust.trusted.approved)
    faults: list[Fault] = []
    try:
        look.settings = in_force(read_settings(tree), trust.trusted.granted)
    except FileNotFoundError:
        faults.append(Fault(SETTINGS, 1, 1, "it is missing", "file.missing"))
    except BadSettingsError as error:
        faults += error.faults
    except StorageError as error:
        faults.append(_unreadable(SETTINGS, error))
    roles, bad = look_for_roles(tree)
    faults += bad
    look.profiles = {role: _profile(tree, role) for role in roles}
    names = sorted(name for name in listing.files if purpose_of(name) and (not only or name in only))
    for number, name in enumerate(names):
        told(number, len(names), "looking")
        faults += _check_file(look, name)
    faults += _beside(look)
    faults = _with_side_files(faults, SideFiles().look(tree))
    faults += _between_roles(look)
    faults += _asked(look, trust.fault)
    faults += _pushed(look)
    faults += _limits(look, roles)
    kept = [fault for fault in faults if not only or fault.name in only]
    return Checked(names, sorted(set(kept), key=lambda fault: (fault.name, fault.line, fault.column, fault.code)))


def _with_side_files(faults: list[Fault], side: list[Fault]) -> list[Fault]:
    """Return what was found, each side file that cannot be read told once: with what it costs, and what to do."""
    names = {one.name for one in side}
    lines = {one.name for one in faults if one.code == "log.line"}
    kept = [one for one in faults if one.name not in names or one.code not in CLOSED]
    return kept + [one for one in side if one.code != "log.line" or one.name not in lines]


def _profile(tree: Tree, role: str) -> Profile:
    try:
        return load_profile(tree.read(profile_file(role), TOML_BYTES * 2)[0], profile_file(role))
    except (BadSettingsError, StorageError, FileNotFoundError):
        return Profile()


def _uuid(tree: Tree, role: str, limit_bytes: int) -> str:
    try:
        return character_uuid(load_role(tree.read(memory_file(role), limit_bytes)[0], role, role).document)
    except (RejectedFileError, StorageError, FileNotFoundError):
        return ""


def _check_file(look: _Look, name: str) -> Iterator[Fault]:
    purpose = purpose_of(name)
    limits = {Purpose.MEMORY: look.settings.limits.role_bytes * 2, Purpose.BOOK: BOOK_BYTES}
    limit = limits.get(purpose or Purpose.PAGE, 0) or limit_of(name)
    try:
        if purpose is Purpose.ARCHIVE and name.endswith(".jsonl"):
            yield from _log(look.tree, name)
            return
        data = look.tree.read(name, limit)[0]
    except FileNotFoundError:
        return
    except StorageError as error:
        yield _unreadable(name, error)
        return
    try:
        yield from _CHECKS.get(purpose or Purpose.PAGE, _documents)(look, name, data)
    except RejectedFileError as error:
        yield error.fault
    except BadSettingsError as error:
        yield from error.faults


def _memories(look: _Look, name: str, data: bytes) -> Iterator[Fault]:
    role = role_of(name)
    parsed = load_role(data, name, role)
    look.memories[role], look.uuids[role] = len(parsed.entries), character_uuid(parsed.document)
    yield from parsed.faults
    yield from oddities(name, data.decode("utf-8")[:1_000_000])
    yield from record_faults(parsed, name, look.of_role(role).limits.memory_chars, look.withheld)


def _documents(look: _Look, name: str, data: bytes) -> Iterator[Fault]:
    yield from documents_of(name, data).faults
    yield from work_faults(name, data, look.settings)


def _role_file(look: _Look, name: str, data: bytes) -> Iterator[Fault]:
    profile = load_profile(data, name)
    text = data.decode("utf-8-sig")
    known = {word for role in look.profiles for word in look.addresses(role)}
    for link in profile.links:
        if link.role not in known:
            yield Fault(name, line_of(text, "", "link"), 1, f"there is no role {link.role!r}", "role.link")
    folder = name.rpartition("/")[0]
    for book in profile.books:
        if f"{folder}/books/{book.name}.json" not in look.listing.files:
            yield Fault(name, line_of(text, "", "book"), 1, f"there is no book {book.name!r}", "role.book")
    yield from oddities(name, data.decode("utf-8"))


def _text(_: _Look, name: str, data: bytes) -> Iterator[Fault]:
    yield from oddities(name, data.decode("utf-8", "replace"))


def _book(_: _Look, name: str, data: bytes) -> Iterator[Fault]:
    yield from load_book(data, name).faults


def _expectations(_: _Look, name: str, data: bytes) -> Iterator[Fault]:
    load_expectations(data, name)
    yield from oddities(name, data.decode("utf-8", "replace"))


def _emotions(_: _Look, name: str, data: bytes) -> Iterator[Fault]:
    load_emotions(b"", data, name)
    yield from oddities(name, data.decode("utf-8", "replace"))


def _log(tree: Tree, name: str) -> Iterator[Fault]:
    """Yield the damaged lines of a log, which may be of any length."""
    before = 0
    for data in pieces(tree, name):
        for line in read_lines(data):
            if line.value is None:
                number = before + data.count(b"\n", 0, line.start) + 1
                yield Fault(name, number, 1, "this line is damaged and skipped", "log.line")
        before += data.count(b"\n")


_CHECKS: dict[Purpose, Callable[[_Look, str, bytes], Iterable[Fault]]] = {
    Purpose.MEMORY: _memories,
    Purpose.PROFILE: _role_file,
    Purpose.SETTINGS: _text,
    Purpose.ARCHIVE: _text,
    Purpose.BOOK: _book,
    Purpose.EXPECT: _expectations,
    Purpose.EMOTIONS: _emotions,
}


def _beside(look: _Look) -> Iterator[Fault]:
    """Yield what lies in the workspace and is served by nobody."""
    for name, why in look.listing.odd.items():
        code = "name.not_utf8" if "UTF-8" in why else "file.odd"
        yield Fault(shown(name), 1, 1, why, code)
    for name in look.listing.linked:
        yield Fault(name, 1, 1, "it is a symbolic link, and not followed", "file.link")
    for name in look.listing.files:
        if is_copy(name.rpartition("/")[2]):
            yield Fault(name, 1, 1, "a copy that a merge kept; nothing of it is served", "file.conflict_copy")
    for folder in (".", *(role_dir(role) for role in look.profiles)):
        for entry in look.tree.entries(folder):
            if entry.is_file and TEMPORARY_SUFFIX in entry.name:
                name = entry.name if folder == "." else f"{folder}/{entry.name}"
                yield Fault(name, 1, 1, "a temporary file of memd's; `memd up` looks after it", "file.leftover")


def _between_roles(look: _Look) -> Iterator[Fault]:
    """Yield names that mean two roles."""
    owners: dict[str, str] = {role: role for role in look.profiles}  # a directory's name goes before all others
    for role in look.profiles:
        for word in look.addresses(role):
            first = owners.setdefault(word, role)
            if first != role:
                why = f"{word!r} already means the role {first!r}"
                yield Fault(profile_file(role), 1, 1, why, "role.taken")


def _asked(look: _Look, fault: str) -> Iterator[Fault]:
    """Yield what the workspace asks this machine for in vain."""
    asks = asks_of(look.tree, look.trusted)
    for one in in_vain(asks):
        why = f"asked for and not granted: {one.said}: {one.gives_up}; `memd trust --grant {one.name}` grants it"
        yield Fault(one.file, one.line, 1, why, "trust.asked")
    if fault and asks:
        yield Fault(SETTINGS, 1, 1, f"nothing is granted on this machine: {fault}", "trust.state")


def _pushed(look: _Look) -> Iterator[Fault]:
    """Yield where what was said would go with git."""
    path = look.tree.path
    found = look_at_pushed(look.tree, *repository_of(path), version=look.settings.sessions.version)
    if found.leaking:
        yield Fault(SETTINGS, 1, 1, f"{found.said}, though sessions.version is false. {found.do}", "session.leaks")
    elif found.sent:
        yield Fault(SETTINGS, 1, 1, found.said, "session.pushed")


def _limits(look: _Look, roles: list[str]) -> Iterator[Fault]:
    for role in roles:
        limits = look.of_role(role).limits
        sizes = [
            (name, state.size) for name, state in look.listing.files.items() if name.startswith(f"{ROLES}/{role}/")
        ]
        yield from _limit(
            role_dir(role), "role_bytes", sum(size for _, size in sizes), limits.role_bytes, "bytes", sizes
        )
        count = look.memories.get(role, 0)
        yield from _limit(role_dir(role), "role_memories", count, limits.role_memories, "memories", [])
    limits = look.settings.limits
    for folder, limit, most in (
        (PRIVATE, "memory_dir_bytes", limits.memory_dir_bytes),
        (SESSIONS, "sessions_bytes", limits.sessions_bytes),
    ):
        sizes = sizes_of(look.tree, folder)
        yield from _limit(folder, limit, sum(size for _, size in sizes), most, "bytes", sizes)


def _limit(name: str, limit: str, used: int, most: int, unit: str, sizes: list[tuple[str, int]]) -> Iterator[Fault]:
    if used < most * WARN_SHARE:
        return
    largest = ", ".join(f"{one} ({size} bytes)" for one, size in sorted(sizes, key=lambda one: -one[1])[:3])
    why = f"{used} of {most} {unit}" + (f"; largest: {largest}" if largest else "")
    yield Fault(name, 1, 1, why, f"limit.{limit}" if used >= most else "limit.near")


def _unreadable(name: str, error: StorageError) -> Fault:
    code = "file.too_large" if isinstance(error, TooLargeError) else "file.unreadable"
    return Fault(name, 1, 1, str(error).removeprefix(f"{name}: "), code)
