"""Every error memd raises on purpose, as one tree: all are MemdError, those of the disk are StorageError.

`code` is public and never changes; its first word is its family. The sentence and the hint may improve. Doors translate
codes into exit statuses and JSON-RPC numbers; nobody else does.
"""

from __future__ import annotations

from typing import NamedTuple


class MemdError(Exception):
    """Catch this to catch everything memd raises on purpose. `sentence` takes the values it is raised with."""

    code: str = "internal"
    hint: str = "Report this with the lines that `memd up` printed."
    sentence: str = "{0}"

    def __init__(self, *values: object) -> None:
        super().__init__(self.sentence.format(*values))


class BadNameError(MemdError):
    """A name that breaks the rule for names."""

    code = "name.bad"
    hint = "Use letters, digits, '-', '_' and '.', at most 64 characters, not starting with '.' or '-'."
    sentence = "{0!r:.82} is not a name: {1}"


class NameTakenError(MemdError):
    """A name that equals an existing one, or would on a file system that folds case."""

    code = "name.taken"
    hint = "Choose another name, or use the existing one."
    sentence = "{0!r} collides with the existing {1!r}"


class WorkspaceMissingError(MemdError):
    """No workspace where one was expected."""

    code = "workspace.missing"
    hint = "Run `memd init DIR`, or name a workspace with --workspace or MEMD_WORKSPACE."
    sentence = "no memd.toml in {0} or above"


class WorkspaceExistsError(MemdError):
    """A workspace is there already; init never writes over it."""

    code = "workspace.exists"
    hint = "Choose an empty folder, or use the workspace that is there."
    sentence = "{0} exists already"


class WorkspaceGoneError(MemdError):
    """The workspace was moved or deleted while memd held it."""

    code = "workspace.gone"
    hint = "Stop this daemon and start one where the workspace is now."
    sentence = "the workspace is no longer at {0}"


class WorkspaceBusyError(MemdError):
    """Another process holds the workspace."""

    code = "workspace.busy"
    hint = "Try again, or stop the process that holds it."
    sentence = "the workspace is held by {0}"


class Fault(NamedTuple):
    """One thing wrong in one file: where (1-based), and a sentence."""

    name: str
    line: int
    column: int
    why: str

    def __str__(self) -> str:
        return f"{self.name}:{self.line}:{self.column}: {self.why}"


class BadSettingsError(MemdError):
    """memd.toml or role.toml has faults; all of them are listed."""

    code = "settings.bad"
    hint = "Correct the lines named; workspace-template/memd.toml lists every key."

    def __init__(self, faults: tuple[Fault, ...]) -> None:
        super().__init__("; ".join(map(str, faults)))
        self.faults = faults


class RejectedFileError(MemdError):
    """A file that cannot be read as what it should be. It is left untouched."""

    code = "file.rejected"
    hint = "Correct the file at the line named; nothing in it was changed."

    def __init__(self, fault: Fault) -> None:
        super().__init__(str(fault))
        self.fault = fault


class RoleUnknownError(MemdError):
    """No role of that name, alias or uuid; an unknown role is never made by remember."""

    code = "role.unknown"
    hint = "Name one of the roles there are, or make one with `memd role create NAME`."
    sentence = "no role {0!r:.82}; the roles are: {1}"


class RoleRejectedError(MemdError):
    """The role's memory.json cannot be read, and no earlier good state is known."""

    code = "role.rejected"
    hint = "Correct the file at the line named; nothing in it was changed."
    sentence = "role {0!r} cannot be served: {1}"


class MemoryUnknownError(MemdError):
    """No memory with that id in the role."""

    code = "memory.unknown"
    hint = "List the ids with `memd list ROLE`; forgotten ones with `memd list ROLE --forgotten`."
    sentence = "role {0!r} has no memory {1!r:.82}"


class MemoryAmbiguousError(MemdError):
    """A shortened id that fits several memories."""

    code = "memory.ambiguous"
    hint = "Give more characters of the id."
    sentence = "{0!r} fits {1} memories: {2}"


class StaleMemoryError(MemdError):
    """The memory changed since the caller read it."""

    code = "memory.stale"
    hint = "Read it again with memory.get, and retry with the new digest."
    sentence = "memory {0} has changed since it was read"


class BadMemoryError(MemdError):
    """A memory that could not be stored as it is."""

    code = "memory.bad"
    hint = "Correct the field named."


class BadScoreError(MemdError):
    """A score that is not one of the six dimensions, or outside 0 to 10."""

    code = "score.bad"
    hint = "Give importance, novelty, relevance, credibility, granularity or timeliness, each 0 to 10."


class BadTemplateError(MemdError):
    """An injection template that is not {{name}} and {{#if name}}…{{/if}}."""

    code = "template.bad"
    hint = "Use {{content}}, {{constantContent}}, {{triggeredContent}}, {{role}} and {{#if …}}…{{/if}} only."


class LimitExceededError(MemdError):
    """A value is larger than the settings allow. The code is `limit.` and the limit's name."""

    def __init__(
        self,
        name: str,
        what: str,
        got: int,
        limit: int,
        *,
        unit: str,
        largest: str = "",
    ) -> None:
        tail = f"; largest: {largest}" if largest else ""
        super().__init__(f"{what}: {got} {unit}, limit {limit} {unit}{tail}")
        self.code = f"limit.{name}"
        self.hint = "Make room, or raise this limit in memd.toml."


class StorageError(MemdError):
    """The system refused a file operation on a name, and why. The old file stands."""

    code = "storage.failed"
    hint = "Look at the disk and its messages; memd retries what it has acknowledged."
    sentence = "{0}: {1}"


class StorageFullError(StorageError):
    """No space left."""

    code = "storage.full"
    hint = "Free some space; nothing was lost, and memd goes on by itself."


class StorageReadOnlyError(StorageError):
    """The workspace cannot be written."""

    code = "storage.read_only"
    hint = "Make the workspace writable; until then memd only reads."


class StorageHandlesError(StorageError):
    """The system has no file handles left."""

    code = "storage.handles"
    hint = "Try again, or raise the limit of open files."


class NotRegularError(StorageError):
    """A symbolic link, a FIFO, a device: never followed, never opened."""

    code = "storage.not_regular"
    hint = "Put a regular file or directory in its place."


class TooLargeError(StorageError):
    """A file larger than memd reads."""

    code = "storage.too_large"
    hint = "Split the file."


class BadFrameError(MemdError):
    """Bytes that are not one strict JSON object."""

    code = "frame.bad"
    hint = "Send one JSON object per line: UTF-8, no duplicate keys, no NaN, no lone surrogates, depth 64 at most."


class FrameTooLargeError(MemdError):
    """A line longer than the frame limit; the connection closes."""

    code = "frame.too_large"
    hint = "Send less than the frame limit in one line, and split large work."


class SlowFrameError(MemdError):
    """A frame that was begun and not finished in time; the connection closes."""

    code = "frame.slow"
    hint = "Send a whole line at once."


class BadRequestError(MemdError):
    """JSON, but not a JSON-RPC 2.0 request."""

    code = "request.bad"
    hint = 'Send {"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {}}.'


class MethodUnknownError(MemdError):
    """No such method."""

    code = "method.unknown"
    hint = "Call rpc.discover for the list of methods."
    sentence = "no method {0!r:.82}"


class BadParamsError(MemdError):
    """Parameters that do not fit the method's declaration."""

    code = "params.bad"
    hint = "Call rpc.discover for the parameters of each method."


class DaemonMissingError(MemdError):
    """Nobody answers at the socket."""

    code = "daemon.missing"
    hint = "Start one with `memd up`."
    sentence = "no daemon answers at {0}"


class DeadlineError(MemdError):
    """The daemon did not answer in time; the request may have been carried out."""

    code = "client.deadline"
    hint = "Look at `memd status`; ask again with a longer deadline."
    sentence = "{0} was not answered within {1:g} s"


class BadSocketError(MemdError):
    """A socket path that is too long, taken by another file, or in a directory of somebody else."""

    code = "socket.bad"
    hint = "Set MEMD_SOCKET or --socket to a short path in a directory of your own."


class RemoteError(MemdError):
    """An error the daemon answered with; code and hint are its own."""

    def __init__(self, number: int, message: str, code: str, hint: str) -> None:
        super().__init__(message)
        self.number, self.code, self.hint = number, code, hint
