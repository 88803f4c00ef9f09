"""Made from the declarations by `make docs`: change those, not this."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from memd.client.types.plain.declared import Reply
from memd.client.types.plain.settings import AgentHooks, AskView, SyncState


class Progress(Struct, kw_only=True, omit_defaults=True):
    """How far long work is."""

    done: int
    of: int
    step: str


class Pong(Reply, kw_only=True):
    """Who answers."""

    pong: bool
    protocol: int
    """The version of the protocol that is spoken."""
    version: str
    pid: int | None
    """Of the daemon; null where a command answers for itself."""
    workspace: str
    socket: str
    under_way: dict[str, Progress] | None = None
    """Long work, by its name."""


class RoleState(Struct, kw_only=True, omit_defaults=True):
    """A role, and how many changes wait for its file."""

    name: str
    memories: int
    waiting: int


class Scanned(Struct, kw_only=True, omit_defaults=True):
    """The last look at every file."""

    at: str
    files: int
    found: int
    """Files that were other than known."""
    took_ms: float
    scans: int


class Watching(Struct, kw_only=True, omit_defaults=True):
    """How changes are heard of."""

    mode: str
    """Events, polling, starting; none without a daemon."""
    folders: int | None = None
    heard_s_ago: float | None = None
    restarts: int | None = None
    missed: int | None = None
    """Changes that no event had told."""
    reconciled: Scanned | None = None
    why: str | None = None


class IndexState(Struct, kw_only=True, omit_defaults=True):
    """The full-text index on disk."""

    state: str
    """Ready, building, failed, absent."""
    behind: int
    """Documents that it does not have as they are now."""
    documents: int | None = None
    built_at: str | None = None
    bytes: int | None = None
    fault: str | None = None


class LogState(Struct, kw_only=True, omit_defaults=True):
    """The log, and what recovery did at the start."""

    waiting: int
    """Acknowledged batches that are not in the files yet."""
    redone: int | None = None
    quarantined: Any | None = None
    conflict_copies: list[str] | None = None


class Flushed(Reply, kw_only=True):
    """What came into the files."""

    held: dict[str, str]
    """Places that lack something acknowledged before this call, and why."""
    waiting: int
    """Acknowledged batches that are not in the files yet; newer ones too."""


class WorseBefore(Struct, kw_only=True, omit_defaults=True):
    """The version before, and how it did."""

    version: int
    mean: float


class Regression(Struct, kw_only=True, omit_defaults=True):
    """A version of a skill that does worse than the one before."""

    skill: str
    version: int
    mean: float
    before: WorseBefore
    certain: bool


class WorkState(Struct, kw_only=True, omit_defaults=True):
    """Runs under way, receipts that a person edited, skills that do worse."""

    running: list[str]
    edited_receipts: list[str]
    regressions: list[Regression]


class LimitState(Struct, kw_only=True, omit_defaults=True):
    """What is used of a limit."""

    used: int
    limit: int
    warning: bool
    """Nine tenths are used."""
    largest: str | None = None
    unwritten: int | None = None
    """Notes that found no room."""


class TrustState(Struct, kw_only=True, omit_defaults=True):
    """What the workspace asks this machine for, what is granted, and where that is kept."""

    state: str
    fault: str
    approved: int
    """Texts that somebody here let stand in prompts."""
    asked: list[AskView]
    said: str
    """What is asked for in vain, as one line."""


class UnheardState(Struct, kw_only=True, omit_defaults=True):
    """What agents' hooks left while no daemon ran."""

    waiting: int
    """Events that are not taken in yet."""
    bytes: int
    aside: int
    """Files that could not be used, and were set aside."""
    lost: int
    """Events that found no room since the last daemon."""
    folder: str
    """Where they lie; empty where this machine keeps nothing."""
    fault: str
    """Why the folder is not used; empty where nothing is wrong."""


class EmbedderState(Struct, kw_only=True, omit_defaults=True):
    """The process that finds what is near in meaning."""

    state: str
    """Ready; starting; off: not needed now, or not wanted; failed."""
    why: str
    """Words alone serve, for this reason; empty where nothing is wrong."""
    behind: int
    """Texts that have no vector yet."""
    restarts: int
    """How often it was started again after a failure."""
    provisional: int | None = None
    """Verdicts that words gave alone, and that are to be judged again."""
    model: str | None = None
    vectors: int | None = None
    """Windows of texts that have one."""
    resident_kb: int | None = None
    """Memory that the process takes."""


class PastState(Struct, kw_only=True, omit_defaults=True):
    """How far the conversations that agents keep on this machine are taken in."""

    id: str
    """By which it is taken back."""
    of: int
    """Conversations; 0 where the daemon has not looked yet."""
    done: int
    session: str
    """What is taken in now."""
    left: dict[str, int]
    """How many are left out, by the reason."""
    why: str
    """What stands in the way; empty where nothing does."""


class Status(Reply, kw_only=True):
    """How the workspace is, all at once."""

    version: str
    pid: int | None
    workspace: str
    socket: str
    state: str
    """Serving; workspace gone."""
    uptime_s: float
    mode: str
    """Read-write; read-only and why."""
    roles: list[RoleState]
    rejected: list[str]
    """A line for each fault: file, line, column, code, why."""
    held: dict[str, str]
    """Files that cannot be written now, and why."""
    files: int
    watcher: Watching
    index: IndexState
    embedder: EmbedderState
    log: LogState
    work: WorkState
    limits: dict[str, LimitState]
    trust: TrustState
    unheard: UnheardState
    past: PastState | None = None
    """While it is taken in."""
    agents: list[AgentHooks] | None = None
    """With `outside`."""
    sync: SyncState | None = None
    """With `outside`."""


class Rebuilt(Reply, kw_only=True):
    """What building the index anew came to."""

    documents: int
    files: int
    read: int
    put: int
    dropped: int
    fresh: bool
    bytes: int
    took_s: float
    why: str
