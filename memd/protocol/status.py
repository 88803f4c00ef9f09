"""Objects of requests and replies: the daemon and the settings in force."""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import Meta

from memd.protocol.fields import Part, Reply, listed

Tables = dict[str, dict[str, Any]]


class AskView(Part):
    """Something that the workspace asks this machine for."""

    name: str
    value: Any
    file: str
    line: int
    gives_up: Annotated[str, Meta(description="what is protected no more where it is granted")]
    granted: bool
    in_force: Any


class AgentHooks(Part):
    """What of memd's hooks an agent of this machine reads."""

    agent: Annotated[str, Meta(description="claude, codex, gemini, vscode")]
    state: Annotated[
        str,
        listed("none", "installed", "partly", "twice", "broken", "unreadable", "elsewhere"),
        Meta(
            description="partly: not for every event; broken: they start nothing, or for no workspace; elsewhere: they are for another workspace alone",
        ),
    ]
    files: Annotated[list[str], Meta(description="that have them")]
    plugin: Annotated[bool, Meta(description="memd's plugin brings them")]
    lacking: Annotated[list[str], Meta(description="events that have none")]
    faults: Annotated[list[str], Meta(description="what is wrong, a line each")]
    workspaces: Annotated[list[str], Meta(description="that their commands name")]


class SyncState(Part):
    """How the branch stands to the other repository's, as git last heard; nobody is asked over the network."""

    why: Annotated[
        str,
        listed("", "no_git", "no_repository", "no_branch", "no_remote", "not_fetched", "refused"),
        Meta(
            description="it tells no more; empty where all is known",
        ),
    ]
    detail: Annotated[str, Meta(description="what git said where it refuses")]
    branch: str
    remote: str
    ahead: Annotated[int, Meta(description="commits that the remote does not have")]
    behind: Annotated[int, Meta(description="its commits that are not here")]
    uncommitted: Annotated[int, Meta(description="files of the workspace that are other than committed")]
    heard_at: Annotated[str, Meta(description="when git last fetched")] | None = None


class SettingView(Part):
    """A setting as it is declared, and where it is set."""

    key: str
    kind: Annotated[str, Meta(description="bool, int, float or str")]
    words: str
    default: Any
    value: Annotated[Any, Meta(description="in force")]
    file: Annotated[str, Meta(description="which sets it; empty: it has its default")]
    line: Annotated[int, Meta(description="of the file, from 1; 0: it has its default")]
    of_role: Annotated[bool, Meta(description="a role may have its own")]
    choices: Annotated[list[str], Meta(description="all that it may be; empty: others too")]
    low: float | None = None
    high: float | None = None
    gives_up: (
        Annotated[str, Meta(description="what a value that weakens it gives up, which only this machine grants")] | None
    ) = None
    asked: Annotated[Any, Meta(description="what the file says, where it weakens a protection")] = None
    granted: Annotated[bool, Meta(description="this machine lets that hold")] | None = None
    grant: Annotated[str, Meta(description="the command that would let it hold")] | None = None


class SettingsInForce(Reply):
    """Settings by table."""

    settings: Tables
    faults: Annotated[list[str], Meta(description="of a memd.toml that is not in force")]
    asked_in_vain: list[AskView]
    role: str | None = None
    own: Annotated[Tables, Meta(description="what the role's own file sets")] | None = None
    declared: Annotated[list[SettingView], Meta(description="in their order")] | None = None
    tables: Annotated[dict[str, str], Meta(description="what each table is about")] | None = None
    file: Annotated[str, Meta(description="memd.toml, or the role's own")] | None = None
    text: Annotated[str, Meta(description="of that file as it is now; empty where there is none")] | None = None


class SettingChanged(Reply):
    """A setting as it is now, and whether this machine lets it be in force."""

    key: str
    value: Any
    before: Any
    was_set: Annotated[bool, Meta(description="that file set it before")]
    file: str
    in_force: bool
    hint: str | None = None


class Progress(Part):
    """How far long work is."""

    done: int
    of: int
    step: str


class Pong(Reply):
    """Who answers."""

    pong: bool
    protocol: Annotated[int, Meta(description="the version of the protocol that is spoken")]
    version: str
    pid: Annotated[int, Meta(description="of the daemon; null where a command answers for itself")] | None
    workspace: str
    socket: str
    under_way: Annotated[dict[str, Progress], Meta(description="long work, by its name")] | None = None


class RoleState(Part):
    """A role, and how many changes wait for its file."""

    name: str
    memories: int
    waiting: int


class Scanned(Part):
    """The last look at every file."""

    at: str
    files: int
    found: Annotated[int, Meta(description="files that were other than known")]
    took_ms: float
    scans: int


class Watching(Part):
    """How changes are heard of."""

    mode: Annotated[str, Meta(description="events, polling, starting; none without a daemon")]
    folders: int | None = None
    heard_s_ago: float | None = None
    restarts: int | None = None
    missed: Annotated[int, Meta(description="changes that no event had told")] | None = None
    reconciled: Scanned | None = None
    why: str | None = None


class IndexState(Part):
    """The full-text index on disk."""

    state: Annotated[str, Meta(description="ready, building, failed, absent")]
    behind: Annotated[int, Meta(description="documents that it does not have as they are now")]
    documents: int | None = None
    built_at: str | None = None
    bytes: int | None = None
    fault: str | None = None


class LogState(Part):
    """The log, and what recovery did at the start."""

    waiting: Annotated[int, Meta(description="acknowledged batches that are not in the files yet")]
    redone: int | None = None
    quarantined: Any = None
    conflict_copies: list[str] | None = None


class Flushed(Reply):
    """What came into the files."""

    held: Annotated[
        dict[str, str], Meta(description="places that lack something acknowledged before this call, and why")
    ]
    waiting: Annotated[int, Meta(description="acknowledged batches that are not in the files yet; newer ones too")]


class WorseBefore(Part):
    """The version before, and how it did."""

    version: int
    mean: float


class Regression(Part):
    """A version of a skill that does worse than the one before."""

    skill: str
    version: int
    mean: float
    before: WorseBefore
    certain: bool


class WorkState(Part):
    """Runs under way, receipts that a person edited, skills that do worse."""

    running: list[str]
    edited_receipts: list[str]
    regressions: list[Regression]


class LimitState(Part):
    """What is used of a limit."""

    used: int
    limit: int
    warning: Annotated[bool, Meta(description="nine tenths are used")]
    largest: str | None = None
    unwritten: Annotated[int, Meta(description="notes that found no room")] | None = None


class TrustState(Part):
    """What the workspace asks this machine for, what is granted, and where that is kept."""

    state: str
    fault: str
    approved: Annotated[int, Meta(description="texts that somebody here let stand in prompts")]
    asked: list[AskView]
    said: Annotated[str, Meta(description="what is asked for in vain, as one line")]


class UnheardState(Part):
    """What agents' hooks left while no daemon ran."""

    waiting: Annotated[int, Meta(description="events that are not taken in yet")]
    bytes: int
    aside: Annotated[int, Meta(description="files that could not be used, and were set aside")]
    lost: Annotated[int, Meta(description="events that found no room since the last daemon")]
    folder: Annotated[str, Meta(description="where they lie; empty where this machine keeps nothing")]
    fault: Annotated[str, Meta(description="why the folder is not used; empty where nothing is wrong")]


class EmbedderState(Part):
    """The process that finds what is near in meaning."""

    state: Annotated[str, Meta(description="ready; starting; off: not needed now, or not wanted; failed")]
    why: Annotated[str, Meta(description="words alone serve, for this reason; empty where nothing is wrong")]
    behind: Annotated[
        int,
        Meta(
            description="texts that have no vector yet, of roles that were asked since the start: a role's are read then"
        ),
    ]
    restarts: Annotated[int, Meta(description="how often it was started again after a failure")]
    provisional: (
        Annotated[int, Meta(description="verdicts that words gave alone, and that are to be judged again")] | None
    ) = None
    model: str | None = None
    vectors: Annotated[int, Meta(description="windows of texts that have one")] | None = None
    resident_kb: Annotated[int, Meta(description="memory that the process takes")] | None = None


class PastState(Part):
    """How far the conversations that agents keep on this machine are taken in."""

    id: Annotated[str, Meta(description="by which it is taken back")]
    of: Annotated[int, Meta(description="conversations; 0 where the daemon has not looked yet")]
    done: int
    session: Annotated[str, Meta(description="what is taken in now")]
    left: Annotated[dict[str, int], Meta(description="how many are left out, by the reason")]
    why: Annotated[str, Meta(description="what stands in the way; empty where nothing does")]


class Status(Reply):
    """How the workspace is, all at once."""

    version: str
    pid: int | None
    workspace: str
    socket: str
    state: Annotated[str, Meta(description="serving; workspace gone")]
    uptime_s: float
    mode: Annotated[str, Meta(description="read-write; read-only and why")]
    roles: list[RoleState]
    rejected: Annotated[list[str], Meta(description="a line for each fault: file, line, column, code, why")]
    held: Annotated[dict[str, str], Meta(description="files that cannot be written now, and why")]
    files: int
    watcher: Watching
    index: IndexState
    embedder: EmbedderState
    log: LogState
    work: WorkState
    limits: dict[str, LimitState]
    trust: TrustState
    unheard: UnheardState
    past: Annotated[PastState | None, Meta(description="while it is taken in")] = None
    agents: Annotated[list[AgentHooks], Meta(description="with `outside`")] | None = None
    sync: Annotated[SyncState | None, Meta(description="with `outside`")] = None


class Rebuilt(Reply):
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
