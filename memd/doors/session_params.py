"""Parameters of the methods for curated memory, snapshots, sessions and runs."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from msgspec import Meta

from memd.doors.params import Params
from memd.verbs.fields import Message

Name = Annotated[str, Meta(min_length=1, max_length=400)]
MaybeName = Annotated[str, Meta(max_length=400)]
Text = Annotated[str, Meta(max_length=1_000_000)]
Short = Annotated[str, Meta(max_length=500)]
When = Annotated[float | str, Meta(description="seconds, milliseconds or ISO 8601")]
Event = dict[str, Any]
Events = Annotated[list[Event], Meta(max_length=1000)]
File = Annotated[str, Meta(max_length=40, description="memory or user: MEMORY.md or USER.md")]
Digest = Annotated[str, Meta(max_length=64, description="sha256 of the text this is meant for")]


class CuratedReadParams(Params):
    """Which curated file."""

    file: File = "memory"


class CuratedAddParams(CuratedReadParams, kw_only=True):
    """An entry to add."""

    content: Annotated[str, Meta(min_length=1, max_length=100_000)]
    digest: Digest = ""


class CuratedReplaceParams(CuratedAddParams, kw_only=True):
    """An entry to replace: the one that has this piece of text."""

    old_text: Annotated[str, Meta(min_length=1, max_length=100_000)]


class CuratedRemoveParams(CuratedReadParams, kw_only=True):
    """An entry to remove: the one that has this piece of text."""

    old_text: Annotated[str, Meta(min_length=1, max_length=100_000)]
    digest: Digest = ""


class CuratedOperation(msgspec.Struct, forbid_unknown_fields=True):
    """One of several edits."""

    action: Annotated[str, Meta(pattern="^(add|replace|remove)$")]
    content: Annotated[str, Meta(max_length=100_000)] = ""
    old_text: Annotated[str, Meta(max_length=100_000)] = ""


class CuratedEditParams(CuratedReadParams, kw_only=True):
    """Several edits, made all or none; the limit counts for what they come to."""

    operations: Annotated[list[CuratedOperation], Meta(min_length=1, max_length=100)]
    digest: Digest = ""
    dry_run: Annotated[bool, Meta(description="say what would stand there, and change nothing")] = False


class SnapshotParams(Params):
    """A stored snapshot."""

    digest: Annotated[str, Meta(min_length=4, max_length=64, description="or its first characters")]


class ContextParams(Params):
    """Of a run, or of a session, a role or a message alone."""

    run: MaybeName = ""
    session: MaybeName = ""
    role: MaybeName = ""
    message: Annotated[Message, Meta(description="the newest message; else the session's last of the user")] = ""
    snapshot: Annotated[
        str, Meta(max_length=64, description="a stored one; else the run's, else the files as they are")
    ] = ""
    budget_chars: Annotated[int, Meta(ge=0, le=10_000_000, description="of all together; 0 is no limit")] = 0
    max_messages: Annotated[int, Meta(ge=0, le=100_000, description="0 is the settings'")] = 0
    now: When | None = None
    zone: Annotated[str, Meta(max_length=60)] = ""
    record: Annotated[bool, Meta(description="note in the run what was injected")] = True


class SessionOpenParams(Params):
    """A session to open; without a name it gets one."""

    session: MaybeName = ""
    role: MaybeName = ""
    title: Short = ""
    resumes: Annotated[MaybeName, Meta(description="the session that this one goes on from, at its end")] = ""
    forks: Annotated[MaybeName, Meta(description="the session that this one leaves")] = ""
    at: Annotated[str, Meta(max_length=100, description="the event after which, by its id; else the end")] = ""
    engine: Short = ""


class SessionParams(Params):
    """A session."""

    session: Name


class SessionAppendParams(SessionParams):
    """Events in their order: all are appended, or none."""

    events: Annotated[Events, Meta(min_length=1)]
    after: Annotated[
        int, Meta(ge=-1, description="how many events the caller knows of; another number is refused")
    ] = -1


class SessionHistoryParams(SessionParams):
    """Limits of 0 are the settings'."""

    max_messages: Annotated[int, Meta(ge=0, le=100_000)] = 0
    budget_chars: Annotated[int, Meta(ge=0, le=10_000_000)] = 0
    before: Annotated[str, Meta(max_length=100, description="an event's id: the page before it")] = ""
    lineage: Annotated[bool, Meta(description="go on into the sessions that this one comes from")] = True


class SessionSearchParams(Params):
    """`query`: discover; `session` and `around`: scroll; `session`: read; nothing: browse."""

    query: Annotated[str, Meta(max_length=10_000)] = ""
    session: MaybeName = ""
    around: Annotated[str, Meta(max_length=100, description="an event's id, or its place")] = ""
    window: Annotated[int, Meta(ge=1, le=100)] = 5
    speaker: Annotated[str, Meta(pattern="^(user|assistant|system|tool)?$")] = ""
    after: Annotated[str, Meta(max_length=40)] = ""
    before: Annotated[str, Meta(max_length=40)] = ""
    limit: Annotated[int, Meta(ge=1, le=50)] = 10
    offset: Annotated[int, Meta(ge=0, le=10_000)] = 0


class SessionCloseParams(SessionParams):
    """Why it is closed."""

    reason: Short = ""


class RunStartParams(Params):
    """A run to start."""

    run: MaybeName = ""
    session: Annotated[MaybeName, Meta(description="an open session; else it gets one of its own")] = ""
    task: MaybeName = ""
    role: MaybeName = ""
    asked: Text = ""
    skills: Annotated[
        list[Annotated[str, Meta(min_length=1, max_length=100)]], Meta(max_length=50, description="name@version")
    ] = msgspec.field(default_factory=list)
    max_tool_iterations: Annotated[
        int, Meta(ge=0, le=100_000, description="0 is the settings', which is also the most")
    ] = 0
    pid: Annotated[int, Meta(ge=0, le=2**31, description="the process whose end is the run's end")] = 0


class RunParams(Params):
    """A run."""

    run: Name


class RunEventParams(RunParams):
    """Events of a run, for its session."""

    events: Annotated[Events, Meta(min_length=1)]


class RunCompleteParams(RunParams):
    """What a run came to."""

    outcome: Annotated[str, Meta(pattern="^(completed|failed|cancelled)$")] = "completed"
    summary: Text = ""
    changed: Annotated[list[Annotated[str, Meta(max_length=2000)]], Meta(max_length=1000)] = msgspec.field(
        default_factory=list
    )


class RunListParams(Params):
    """The newest runs."""

    task: MaybeName = ""
    limit: Annotated[int, Meta(ge=1, le=1000)] = 20
