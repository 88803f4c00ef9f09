"""What goes wrong with what an agent does: curated memory, sessions, runs, tasks, skills."""

from __future__ import annotations

from memd.errors.root import Fault, MemdError


class CuratedUnknownError(MemdError):
    """A text to replace or remove that no entry of the file has."""

    file: str
    text: str
    code = "curated.unknown"
    hint = "Read the file with `memd curated read`, and give a piece of the entry as it stands there."
    sentence = "no entry of {file} has {text!r:.120}"


class CuratedAmbiguousError(MemdError):
    """A text that several entries have."""

    count: int
    file: str
    text: str
    entries: str
    code = "curated.ambiguous"
    hint = "Give a longer piece that only one entry has."
    sentence = "{count} entries of {file} have {text!r:.120}: {entries}"


class CuratedRefusedError(MemdError):
    """A text that may not stand in every prompt unless a person writes it there."""

    file: str
    why: str
    code = "curated.refused"
    hint = "Ask the person to write it into the file, or offer it to `remember`, where it waits for review."
    sentence = "this may not be written to {file} by a tool: {why}"


class SnapshotUnknownError(MemdError):
    """No snapshot of that digest is stored."""

    digest: str
    code = "snapshot.unknown"
    hint = "Give the digest, or its beginning, as run.start or snapshot.take returned it."
    sentence = "no snapshot {digest!r:.82} is stored"


class SnapshotBrokenError(MemdError):
    """A snapshot whose bytes are not those it is named by."""

    name: str
    code = "snapshot.broken"
    hint = "Restore the file from git; a snapshot is never changed."
    sentence = "{name} was changed: its content does not match the digest in its name"


class SessionUnknownError(MemdError):
    """No session of that name."""

    session: str
    code = "session.unknown"
    hint = "List the sessions with `memd session list`, or open one with `memd session open`."
    sentence = "no session {session!r:.82}"


class SessionClosedError(MemdError):
    """A session that takes no more events."""

    session: str
    code = "session.closed"
    hint = "Open a session that goes on from it: `memd session open --resumes`, `session.open` with `resumes`."
    sentence = "session {session!r} is closed"


class SessionOrderError(MemdError):
    """An event that claims a place that is taken, or that is not reached yet."""

    session: str
    events: int
    place: int
    claimed: int
    code = "session.order"
    hint = "Read the session's last events with `memd session history`, and append with the place that comes next, or without one."
    sentence = "the next place in session {session!r} is {place}, not {claimed}: its events are {events}"


class BadEventError(MemdError):
    """An event that cannot be what it says."""

    number: int
    why: str
    code = "session.event"
    hint = "Correct the event named; a message has `speaker` and `content`, and every event a `kind`. Nothing was appended."
    sentence = "event {number}: {why}"


class RunUnknownError(MemdError):
    """No run of that name."""

    run: str
    code = "run.unknown"
    hint = "List the runs with `memd run list`."
    sentence = "no run {run!r:.82}"


class RunMoveError(MemdError):
    """Something that cannot happen to a run as it stands."""

    run: str
    state: str
    move: str
    code = "run.move"
    hint = "Start another run: one that has ended stays as its receipt says."
    sentence = "run {run!r} is {state}; not possible now: {move}"


class RunLimitError(MemdError):
    """A tool call beyond what a run may do."""

    run: str
    made: int
    limit: int
    code = "run.tool_limit"
    hint = "Complete the run with what it has, or raise sessions.max_tool_iterations."
    sentence = "run {run!r} has made {made} of {limit} tool iterations; this call was not recorded and must not be made"


class RunMismatchError(MemdError):
    """A run that belongs to another session or task."""

    run: str
    owner: str
    named: str
    code = "run.mismatch"
    hint = "Name the session or task of the run, or leave it out."
    sentence = "run {run!r} belongs to {owner}, not to {named!r:.82}"


class TaskUnknownError(MemdError):
    """No task of that name."""

    task: str
    code = "task.unknown"
    hint = "List the tasks with `memd task list`, or open one with `memd task open`."
    sentence = "no task {task!r:.82}"


class TaskMoveError(MemdError):
    """Something that cannot happen to a task as it stands."""

    task: str
    state: str
    move: str
    possible: str
    code = "task.move"
    hint = "See the task with `memd task show`, and do what is possible now."
    sentence = "task {task!r} is {state}; {move} is not possible now. Possible: {possible}"


class LearningUnknownError(MemdError):
    """No candidate or draft of that name."""

    what: str
    name: str
    code = "learning.unknown"
    hint = "List them with `memd skill candidates` and `memd skill review`."
    sentence = "no {what} {name!r:.82}"


class LearningStateError(MemdError):
    """A step of learning that cannot follow."""

    why: str
    code = "learning.state"
    hint = "See how far it has come with `memd skill candidates` and `memd skill review`."


class SkillUnknownError(MemdError):
    """No published skill of that name, or no such version."""

    skill: str
    code = "skill.unknown"
    hint = "List the skills with `memd skill list`."
    sentence = "no published skill {skill!r:.82}"


class BadSkillError(MemdError):
    """A text that is no Agent Skill, or may not be one; all faults are listed."""

    faults: tuple[Fault, ...]
    code = "skill.bad"
    hint = "Correct the lines named, and hand the draft in again."

    def __str__(self) -> str:
        return "; ".join(map(str, self.faults))
