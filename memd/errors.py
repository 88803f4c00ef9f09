"""Every error memd raises on purpose, as one tree.

MemdError
  NameError family    BadNameError, NameTakenError
  workspace           WorkspaceMissingError, WorkspaceExistsError, WorkspaceGoneError, WorkspaceBusyError
  settings            BadSettingsError
  roles, memories     RoleUnknownError, RoleRejectedError, MemoryUnknownError, MemoryAmbiguousError,
                      BadMemoryError, BadScoreError, BadTemplateError
  limits              LimitExceededError (one code for each limit)
  disk                StorageError: full, read-only, failed, out of handles, not a regular file, too large
  protocol            BadFrameError, BadRequestError, MethodUnknownError, BadParamsError, FrameTooLargeError
  daemon              DaemonMissingError, DaemonBusyError, DeadlineError, StoppingError, RemoteError

`code` is public and never changes; the sentence and the hint may improve.
Doors translate codes into exit statuses and JSON-RPC numbers; nobody else does.
"""

from __future__ import annotations

from dataclasses import dataclass


class MemdError(Exception):
    """Catch this to catch everything memd raises on purpose."""

    code: str = "internal"
    hint: str = "Report this with the lines that `memd up` printed."


class BadNameError(MemdError):
    """A name that breaks the rule for names."""

    code = "name.bad"
    hint = "Use letters, digits, '-', '_' and '.', at most 64 characters, not starting with '.' or '-'."

    def __init__(self, name: str, rule: str) -> None:
        super().__init__(f"{name[:80]!r} is not a name: {rule}")
        self.name, self.rule = name, rule


class NameTakenError(MemdError):
    """A name that equals an existing one, or would on a file system that folds case."""

    code = "name.taken"
    hint = "Choose another name, or use the existing one."

    def __init__(self, name: str, existing: str) -> None:
        super().__init__(f"{name!r} collides with the existing {existing!r}")
        self.name, self.existing = name, existing


class WorkspaceMissingError(MemdError):
    """No workspace where one was expected."""

    code = "workspace.missing"
    hint = "Run `memd init DIR`, or name a workspace with --workspace or MEMD_WORKSPACE."

    def __init__(self, where: str) -> None:
        super().__init__(f"no memd.toml in {where} or above")


class WorkspaceExistsError(MemdError):
    """A workspace is there already; init never writes over it."""

    code = "workspace.exists"
    hint = "Choose an empty folder, or use the workspace that is there."

    def __init__(self, what: str) -> None:
        super().__init__(f"{what} exists already")


class WorkspaceGoneError(MemdError):
    """The workspace was moved or deleted while memd held it."""

    code = "workspace.gone"
    hint = "Stop this daemon and start one where the workspace is now."

    def __init__(self, where: str) -> None:
        super().__init__(f"the workspace is no longer at {where}")


class WorkspaceBusyError(MemdError):
    """Another process holds the workspace."""

    code = "workspace.busy"
    hint = "Try again, or stop the process that holds it."

    def __init__(self, holder: str) -> None:
        super().__init__(f"the workspace is held by {holder}")


@dataclass(frozen=True, slots=True)
class Fault:
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
    """No role of that name, alias or uuid."""

    code = "role.unknown"

    def __init__(self, role: str, known: tuple[str, ...]) -> None:
        names = ", ".join(known[:12]) or "none"
        super().__init__(f"no role {role[:80]!r}; the roles are: {names}")
        self.hint = "Name one of these roles, or make one with `memd role create NAME`."


class RoleRejectedError(MemdError):
    """The role's memory.json cannot be read, and no earlier good state is known."""

    code = "role.rejected"
    hint = "Correct the file at the line named; nothing in it was changed."

    def __init__(self, role: str, fault: Fault) -> None:
        super().__init__(f"role {role!r} cannot be served: {fault}")
        self.fault = fault


class MemoryUnknownError(MemdError):
    """No memory with that id in the role."""

    code = "memory.unknown"
    hint = "List the ids with `memd list ROLE`; forgotten ones with `memd list ROLE --forgotten`."

    def __init__(self, role: str, memory_id: str) -> None:
        super().__init__(f"role {role!r} has no memory {memory_id[:80]!r}")


class MemoryAmbiguousError(MemdError):
    """A shortened id that fits several memories."""

    code = "memory.ambiguous"
    hint = "Give more characters of the id."

    def __init__(self, memory_id: str, fits: tuple[str, ...]) -> None:
        super().__init__(f"{memory_id!r} fits {len(fits)} memories: {', '.join(fits[:5])}")


class StaleMemoryError(MemdError):
    """The memory changed since the caller read it."""

    code = "memory.stale"
    hint = "Read it again with memory.get, and retry with the new digest."

    def __init__(self, memory_id: str) -> None:
        super().__init__(f"memory {memory_id} has changed since it was read")


class BadMemoryError(MemdError):
    """A memory that could not be stored as it is."""

    code = "memory.bad"
    hint = "Correct the field named."

    def __init__(self, why: str) -> None:
        super().__init__(why)


class BadScoreError(MemdError):
    """A score that is not one of the six dimensions, or outside 0 to 10."""

    code = "score.bad"
    hint = "Give importance, novelty, relevance, credibility, granularity or timeliness, each 0 to 10."

    def __init__(self, why: str) -> None:
        super().__init__(why)


class BadTemplateError(MemdError):
    """An injection template that is not {{name}} and {{#if name}}…{{/if}}."""

    code = "template.bad"
    hint = "Use {{content}}, {{constantContent}}, {{triggeredContent}}, {{role}} and {{#if …}}…{{/if}} only."

    def __init__(self, why: str) -> None:
        super().__init__(why)


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
        self.hint = LIMIT_HINTS.get(name, "Raise the limit in memd.toml.")
        self.got, self.limit = got, limit


LIMIT_HINTS = {
    "memory_chars": "Split the memory, or raise limits.memory_chars in memd.toml.",
    "scorings": "Wait until tomorrow (UTC), or raise limits.scorings_per_day in memd.toml.",
    "role_memories": "Forget memories that no longer matter, or raise limits.role_memories in memd.toml.",
    "role_bytes": "Forget memories or move books elsewhere, or raise limits.role_bytes in memd.toml.",
    "memory_dir_bytes": "Shorten .memory/declarative.md, or raise limits.memory_dir_bytes in memd.toml.",
    "clients": "Close a connection, or raise daemon.max_clients in memd.toml.",
}


class StorageError(MemdError):
    """The system refused a file operation. The old file stands."""

    code = "storage.failed"
    hint = "Look at the disk and its messages; memd retries what it has acknowledged."

    def __init__(self, name: str, why: str) -> None:
        super().__init__(f"{name}: {why}")
        self.name, self.why = name, why


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

    def __init__(self, method: str) -> None:
        super().__init__(f"no method {method[:80]!r}")


class BadParamsError(MemdError):
    """Parameters that do not fit the method's declaration."""

    code = "params.bad"
    hint = "Call rpc.discover for the parameters of each method."

    def __init__(self, why: str) -> None:
        super().__init__(why)


class StoppingError(MemdError):
    """The daemon is shutting down."""

    code = "daemon.stopping"
    hint = "Try again when it has started."


class DaemonMissingError(MemdError):
    """Nobody answers at the socket."""

    code = "daemon.missing"
    hint = "Start one with `memd up`."

    def __init__(self, socket: str) -> None:
        super().__init__(f"no daemon answers at {socket}")


class DeadlineError(MemdError):
    """The daemon did not answer in time. The request may have been carried out."""

    code = "client.deadline"
    hint = "Look at `memd status`; ask again with a longer deadline."

    def __init__(self, method: str, seconds: float) -> None:
        super().__init__(f"{method} was not answered within {seconds:g} s")


class BadSocketError(MemdError):
    """A socket path that is too long, taken by another file, or in a directory of somebody else."""

    code = "socket.bad"
    hint = "Set MEMD_SOCKET or --socket to a short path in a directory of your own."


class RemoteError(MemdError):
    """An error the daemon answered with; code and hint are its own."""

    def __init__(self, number: int, message: str, code: str, hint: str) -> None:
        super().__init__(message)
        self.number, self.code, self.hint = number, code, hint
