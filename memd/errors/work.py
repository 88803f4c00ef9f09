"""What goes wrong with what an agent does: curated memory, sessions, runs, tasks, skills."""

from __future__ import annotations

from memd.errors.general import Fault, MemdError


class CuratedUnknownError(MemdError):
    """A text to replace or remove that no entry of the file has."""

    code = "curated.unknown"
    hint = "Read the file with `memd curated read`, and give a piece of the entry as it stands there."
    sentence = "no entry of {0} has {1!r:.120}"


class CuratedAmbiguousError(MemdError):
    """A text that several entries have."""

    code = "curated.ambiguous"
    hint = "Give a longer piece that only one entry has."
    sentence = "{0} entries of {1} have {2!r:.120}: {3}"


class CuratedRefusedError(MemdError):
    """A text that may not stand in every prompt unless a person writes it there."""

    code = "curated.refused"
    hint = "Ask the person to write it into the file, or offer it to `remember`, where it waits for review."
    sentence = "this may not be written to {0} by a tool: {1}"


class StaleTextError(MemdError):
    """A text that changed since the caller read it."""

    code = "file.stale"
    hint = "Read it again, and retry with the new digest."
    sentence = "{0} has changed since it was read"


class SnapshotUnknownError(MemdError):
    """No snapshot of that digest is stored."""

    code = "snapshot.unknown"
    hint = "Give the digest, or its beginning, as run.start or snapshot.take returned it."
    sentence = "no snapshot {0!r:.82} is stored"


class SnapshotBrokenError(MemdError):
    """A snapshot whose bytes are not those it is named by."""

    code = "snapshot.broken"
    hint = "Restore the file from git; a snapshot is never changed."
    sentence = "{0} was changed: it is not the snapshot it is named by"


class SessionUnknownError(MemdError):
    """No session of that name."""

    code = "session.unknown"
    hint = "List the sessions with `memd session list`, or open one with `memd session open`."
    sentence = "no session {0!r:.82}"


class SessionClosedError(MemdError):
    """A session that takes no more events."""

    code = "session.closed"
    hint = "Open a session that goes on from it: `memd session open --resumes`, `session.open` with `resumes`."
    sentence = "session {0!r} is closed"


class SessionOrderError(MemdError):
    """An event that claims a place that is taken, or that is not reached yet."""

    code = "session.order"
    hint = "Read the session's last events with `memd session history`, and append with the place that comes next, or without one."
    sentence = "session {0!r} has {1} events: the next place is {2}, not {3}"


class BadEventError(MemdError):
    """An event that cannot be what it says."""

    code = "session.event"
    hint = "Correct the event named; docs/learning.md lists the kinds and their fields. Nothing was appended."
    sentence = "event {0}: {1}"


class RunUnknownError(MemdError):
    """No run of that name."""

    code = "run.unknown"
    hint = "List the runs with `memd run list`."
    sentence = "no run {0!r:.82}"


class RunMoveError(MemdError):
    """Something that cannot happen to a run as it stands."""

    code = "run.move"
    hint = "Start another run: one that has ended stays as its receipt says."
    sentence = "run {0!r} is {1}; this cannot be: {2}"


class RunLimitError(MemdError):
    """A tool call beyond what a run may do."""

    code = "run.tool_limit"
    hint = "Complete the run with what it has, or raise sessions.max_tool_iterations."
    sentence = "run {0!r} has made {1} of {2} tool iterations; this call was not recorded and must not be made"


class RunMismatchError(MemdError):
    """A run that belongs to another session or task."""

    code = "run.mismatch"
    hint = "Name the session or task of the run, or leave it out."
    sentence = "run {0!r} belongs to {1}, not to {2!r:.82}"


class TaskUnknownError(MemdError):
    """No task of that name."""

    code = "task.unknown"
    hint = "List the tasks with `memd task list`, or open one with `memd task open`."
    sentence = "no task {0!r:.82}"


class TaskMoveError(MemdError):
    """Something that cannot happen to a task as it stands."""

    code = "task.move"
    hint = "See the task with `memd task show`; docs/learning.md has the table of what may follow what."
    sentence = "task {0!r} is {1}; {2} cannot follow. What may: {3}"


class LearningUnknownError(MemdError):
    """No candidate or draft of that name."""

    code = "learning.unknown"
    hint = "List them with `memd skill candidates` and `memd skill review`."
    sentence = "no {0} {1!r:.82}"


class LearningStateError(MemdError):
    """A step of learning that cannot follow."""

    code = "learning.state"
    hint = "See how far it has come with `memd skill candidates` and `memd skill review`."


class SkillUnknownError(MemdError):
    """No published skill of that name, or no such version."""

    code = "skill.unknown"
    hint = "List the skills with `memd skill list`."
    sentence = "no published skill {0!r:.82}"


class BadSkillError(MemdError):
    """A text that is no Agent Skill, or may not be one; all faults are listed."""

    code = "skill.bad"
    hint = "Correct the lines named, and hand the draft in again."

    def __init__(self, faults: tuple[Fault, ...]) -> None:
        super().__init__("; ".join(map(str, faults)))
        self.faults = faults
