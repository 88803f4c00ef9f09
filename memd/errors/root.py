"""The root of the tree, and what goes wrong with the folder: the disk, names, the workspace, its files, settings, roles.

An error is a situation: a dataclass of what is known of it, made so by the root. A class says its `code`, which is public
and never changes, and whose first word is its family; a `hint`, which begins with a verb; and its `sentence`, in which the
fields stand by their names. A field that is missing, too many or of another type is refused by the type checker.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from threading import Lock
from typing import NamedTuple, Self, dataclass_transform

ROLES_LISTED = 12
LIKE, SHORT_LIKE, SHORT_CHARS = 0.65, 0.5, 3
LONGEST_CHARS = 80  # of a word that is not known
_MAKING = Lock()


@dataclass_transform(eq_default=False)
class MemdError(Exception):
    """Catch this to catch everything memd raises on purpose."""

    code: str
    hint: str
    sentence: str = "{why}"

    def __new__(cls, *values: object, **_named: object) -> Self:
        """Make the class a dataclass when it is first raised: most never are, and a hundred at once cost 10 ms of every start."""
        if "__init__" not in vars(cls):
            with _MAKING:  # two threads may raise the first of a kind
                for kind in reversed(cls.__mro__[: cls.__mro__.index(MemdError)]):
                    if "__init__" not in vars(kind):
                        dataclass(eq=False, repr=False)(kind)  # two errors are never equal, as with every exception
        return super().__new__(cls, *values)

    def __init__(self) -> None:
        raise TypeError("raise the error that says what happened")

    def __post_init__(self) -> None:
        self.args = tuple(getattr(self, one.name) for one in fields(self))  # type: ignore[arg-type]  # what a copy is made of

    def __str__(self) -> str:
        return self.sentence.format_map(vars(self))


def by_code(kind: type[MemdError] = MemdError) -> dict[str, type[MemdError]]:
    """Return what declares each code; where several classes do, the first of them says when it is raised."""
    found: dict[str, type[MemdError]] = {}
    for below in kind.__subclasses__():
        if "code" in vars(below):
            found.setdefault(below.code, below)
        found = by_code(below) | found
    return found


class InternalError(MemdError):
    """What nobody foresaw; the daemon's log has it."""

    why: str
    code = "internal"
    hint = (
        "Report this with what the daemon wrote: `memd service logs` where systemd runs it, else what `memd up` prints."
    )


class Fault(NamedTuple):
    """One thing wrong in one file: where (1-based), a sentence, and a stable code (docs/check.md has all)."""

    name: str
    line: int
    column: int
    why: str
    code: str = "file.broken"

    def __str__(self) -> str:
        return f"{self.name}:{self.line}:{self.column}: {self.code} {self.why}"


class StorageError(MemdError):
    """The system refused a file operation on a name, and why. The old file stands."""

    name: str
    why: str
    code = "storage.failed"
    hint = "Look at the disk and its messages; memd retries what it has acknowledged."
    sentence = "{name}: {why}"


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


class TrustStateError(StorageError):
    """Where this machine keeps what it grants cannot be believed, or not be written. Nothing is granted."""

    code = "trust.state"
    hint = "Make the directory yours, no link, writable by nobody else; then grant again with `memd trust`."


class BadIndexError(MemdError):
    """The full-text index cannot be used. It is thrown away and built again from the files."""

    why: str
    code = "index.bad"
    hint = "Run `memd rebuild`; nothing but time is lost."
    sentence = "the full-text index cannot be used: {why}"


class BadNameError(MemdError):
    """A name that breaks the rule for names."""

    name: str
    why: str
    code = "name.bad"
    hint = "Use letters, digits, '-', '_' and '.', at most 64 characters, not starting with '.' or '-'."
    sentence = "{name!r:.82} is not a name: {why}"


class NameTakenError(MemdError):
    """A name that equals an existing one, or would on a file system that folds case."""

    name: str
    existing: str
    code = "name.taken"
    hint = "Choose another name, or use the existing one."
    sentence = "{name!r} collides with the existing {existing!r}"


class WorkspaceMissingError(MemdError):
    """No workspace where one was expected."""

    path: str
    why: str = ""
    code = "workspace.missing"
    hint = "Run `memd setup` for one memory for this machine, or `memd init DIR` for a workspace in a folder; or name one with --workspace or MEMD_WORKSPACE."

    def __str__(self) -> str:
        return self.why or f"no memd.toml in {self.path} or above"


class WorkspaceExistsError(MemdError):
    """A workspace is there already; init never writes over it."""

    path: str
    code = "workspace.exists"
    hint = "Choose an empty folder, or use the workspace that is there."
    sentence = "{path} exists already"


class WorkspaceGoneError(MemdError):
    """The workspace was moved or deleted while memd held it."""

    path: str
    code = "workspace.gone"
    hint = "Stop this daemon and start one where the workspace is now."
    sentence = "the workspace is no longer at {path}"


class WorkspaceBusyError(MemdError):
    """Another process holds the workspace."""

    holder: str
    code = "workspace.busy"
    hint = "Try again, or stop the process that holds it."
    sentence = "the workspace is held by {holder}"


class DaemonThereError(WorkspaceBusyError):
    """A daemon was to be started where one runs already."""

    hint = "Use it as it is: every command finds it and asks it."
    sentence = "memd runs here already: {holder}"


class DaemonStaysError(WorkspaceBusyError):
    """A daemon that was asked to end, and did not within the time given."""

    why: str
    hint: str = "Wait a little and run `memd down` again; nothing was lost."
    sentence = "{holder}, {why}"


class BadSettingsError(MemdError):
    """memd.toml or role.toml has faults; all of them are listed."""

    faults: tuple[Fault, ...]
    code = "settings.bad"
    hint = "Correct the lines named; `memd config --declared` lists every key."

    def __str__(self) -> str:
        return "; ".join(map(str, self.faults))


class BadSettingError(MemdError):
    """One value that was to be set, and that the setting cannot have; nothing was changed."""

    key: str
    why: str
    code = BadSettingsError.code
    hint = "Give another value; nothing was changed. `memd config --declared` says what each setting may be."
    sentence = "{key} {why}"


class RejectedFileError(MemdError):
    """A file that cannot be read as what it should be. It is left untouched."""

    fault: Fault
    code = "file.rejected"
    hint = "Correct the file at the line named; nothing in it was changed."
    sentence = "{fault}"


class FileChangedError(MemdError):
    """Somebody else saved the file at the same moment; nothing was written."""

    name: str
    code = "file.changed"
    hint = "Try again: your change is made to the file as it is then."
    sentence = "{name} was saved by somebody else meanwhile; nothing was changed"


class StaleTextError(MemdError):
    """A text that changed since the caller read it."""

    name: str
    code = "file.stale"
    hint = "Read it again, and retry with the new digest."
    sentence = "{name} has changed since it was read"


class RoleUnknownError(MemdError):
    """No role of that name, alias or uuid; an unknown role is never made by remember."""

    name: str
    known: Sequence[str]
    code = "role.unknown"
    hint = "Name one of the roles there are, or make one with `memd role create NAME`."

    def __str__(self) -> str:
        guess = meant(self.name, self.known)
        listed = ", ".join(self.known[:ROLES_LISTED]) or "none"
        return f"no role {self.name!r:.82}{f'{guess} Else' if guess else ';'} the roles are: {listed}"


class RoleAmbiguousError(RoleUnknownError):
    """One address that two roles have: nobody can tell which is meant."""

    code = "role.ambiguous"
    hint = "Use the name of the role's directory, or give one of the two another uuid, alias or display name."

    def __str__(self) -> str:
        one, other, *_ = self.known
        return f"{self.name!r:.82} means two roles, {one} and {other}"


class RoleRejectedError(MemdError):
    """The role's memory.json cannot be read, and no earlier good state is known."""

    role: str
    fault: Fault
    code = "role.rejected"
    hint = "Correct the file at the line named; nothing in it was changed."
    sentence = "role {role!r} cannot be served: {fault}"


class TrustUnknownError(MemdError):
    """Something to be granted or revoked that is not asked for, or not granted."""

    name: str
    what: str
    there: str
    code = "trust.unknown"
    hint = "See what the workspace asks for with `memd trust`."
    sentence = "{name!r:.82} is {what}; there is: {there}"


def nearest(word: str, known: Iterable[str]) -> str:
    """Return the known word that is nearest, "" where none is near."""
    import difflib  # noqa: PLC0415  only where something went wrong

    folded = {one.casefold(): one for one in known}
    asked = word.casefold()[:LONGEST_CHARS]
    if asked in folded:
        return folded[asked]
    like = SHORT_LIKE if len(asked) <= SHORT_CHARS else LIKE
    close = difflib.get_close_matches(asked, list(folded), 1, like)
    if close:
        return folded[close[0]]
    begun = [one for one in folded if len(asked) >= SHORT_CHARS and one.startswith(asked)]
    return folded[begun[0]] if len(begun) == 1 else ""


def meant(word: str, known: Iterable[str]) -> str:
    """Return a question whether the nearest known word was meant; "" where none is near."""
    found = nearest(word, known)
    return f"; did you mean {found!r}?" if found and found != word else ""
