"""Made from the declarations by `make docs`: change those, not this."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from memd.client.types.views import Reply


class AskView(Struct, kw_only=True, omit_defaults=True):
    """Something that the workspace asks this machine for."""

    name: str
    value: Any
    file: str
    line: int
    gives_up: str
    """What is protected no more where it is granted."""
    granted: bool
    in_force: Any


class AgentHooks(Struct, kw_only=True, omit_defaults=True):
    """What of memd's hooks an agent of this machine reads."""

    agent: str
    """Claude, codex, gemini, vscode."""
    state: str
    """Partly: not for every event; broken: they start nothing, or for no workspace; elsewhere: they are for another workspace alone."""
    files: list[str]
    """That have them."""
    plugin: bool
    """Memd's plugin brings them."""
    lacking: list[str]
    """Events that have none."""
    faults: list[str]
    """What is wrong, a line each."""
    workspaces: list[str]
    """That their commands name."""


class SyncState(Struct, kw_only=True, omit_defaults=True):
    """How the branch stands to the other repository's, as git last heard; nobody is asked over the network."""

    why: str
    """It tells no more; empty where all is known."""
    detail: str
    """What git said where it refuses."""
    branch: str
    remote: str
    ahead: int
    """Commits that the remote does not have."""
    behind: int
    """Its commits that are not here."""
    uncommitted: int
    """Files of the workspace that are other than committed."""
    heard_at: str | None = None
    """When git last fetched."""


class SettingView(Struct, kw_only=True, omit_defaults=True):
    """A setting as it is declared, and where it is set."""

    key: str
    kind: str
    """Bool, int, float or str."""
    words: str
    default: Any
    value: Any
    """In force."""
    file: str
    """Which sets it; empty: it has its default."""
    line: int
    """Of the file, from 1; 0: it has its default."""
    of_role: bool
    """A role may have its own."""
    choices: list[str]
    """All that it may be; empty: others too."""
    low: float | None = None
    high: float | None = None
    gives_up: str | None = None
    """What a value that weakens it gives up, which only this machine grants."""
    asked: Any | None = None
    """What the file says, where it weakens a protection."""
    granted: bool | None = None
    """This machine lets that hold."""
    grant: str | None = None
    """The command that would let it hold."""


class SettingsInForce(Reply, kw_only=True):
    """Settings by table."""

    settings: dict[str, dict[str, Any]]
    faults: list[str]
    """Of a memd.toml that is not in force."""
    asked_in_vain: list[AskView]
    role: str | None = None
    own: dict[str, dict[str, Any]] | None = None
    """What the role's own file sets."""
    declared: list[SettingView] | None = None
    """In their order."""
    tables: dict[str, str] | None = None
    """What each table is about."""
    file: str | None = None
    """Memd.toml, or the role's own."""
    text: str | None = None
    """Of that file as it is now; empty where there is none."""


class SettingChanged(Reply, kw_only=True):
    """A setting as it is now, and whether this machine lets it be in force."""

    key: str
    value: Any
    before: Any
    was_set: bool
    """That file set it before."""
    file: str
    in_force: bool
    hint: str | None = None


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
