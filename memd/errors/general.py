"""What goes wrong with names, workspaces, roles, memories, settings and searches; the root of the tree."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from memd.errors.nearest import nearest

ROLES_LISTED = 12
LEAST_PREFIX = 4  # characters of an id or a digest that may stand for all of it


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
    sentence = "{0}"

    def __init__(self, path: str, why: str = "") -> None:
        super().__init__(why or f"no memd.toml in {path} or above")


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


class DaemonThereError(WorkspaceBusyError):
    """A daemon was to be started where one runs already."""

    hint = "Use it as it is: every command finds it and asks it."
    sentence = "memd runs here already: {0}"


class DaemonStaysError(WorkspaceBusyError):
    """A daemon that was asked to end, and did not within the time given."""

    hint = "Wait a little and run `memd down` again; nothing was lost."
    sentence = "process {0}, the daemon of {1}, {2}"

    def __init__(self, pid: int, workspace: str, why: str, hint: str) -> None:
        super().__init__(pid, workspace, why)
        self.hint = hint


class Fault(NamedTuple):
    """One thing wrong in one file: where (1-based), a sentence, and a stable code (docs/check.md has all)."""

    name: str
    line: int
    column: int
    why: str
    code: str = "file.broken"

    def __str__(self) -> str:
        return f"{self.name}:{self.line}:{self.column}: {self.code} {self.why}"


class BadSettingsError(MemdError):
    """memd.toml or role.toml has faults; all of them are listed."""

    code = "settings.bad"
    hint = "Correct the lines named; workspace-template/memd.toml lists every key."

    def __init__(self, faults: tuple[Fault, ...]) -> None:
        super().__init__("; ".join(map(str, faults)))
        self.faults = faults


class BadSettingError(MemdError):
    """One value that was to be set, and that the setting cannot have; nothing was changed."""

    code = "settings.bad"
    hint = "Give another value; nothing was changed. workspace-template/memd.toml says what each setting may be."
    sentence = "{0} {1}"


class RejectedFileError(MemdError):
    """A file that cannot be read as what it should be. It is left untouched."""

    code = "file.rejected"
    hint = "Correct the file at the line named; nothing in it was changed."

    def __init__(self, fault: Fault) -> None:
        super().__init__(str(fault))
        self.fault = fault


class FileChangedError(MemdError):
    """Somebody else saved the file at the same moment; nothing was written."""

    code = "file.changed"
    hint = "Try again: your change is made to the file as it is then."
    sentence = "{0} was saved by somebody else meanwhile; nothing was changed"


class RoleUnknownError(MemdError):
    """No role of that name, alias or uuid; an unknown role is never made by remember."""

    code = "role.unknown"
    hint = "Name one of the roles there are, or make one with `memd role create NAME`."
    sentence = "no role {0!r:.82}{1} the roles are: {2}"

    def __init__(self, name: str, known: Sequence[str]) -> None:
        found = nearest(name, known)
        listed = ", ".join(known[:ROLES_LISTED]) or "none"
        super().__init__(name, f"; did you mean {found!r}? Else" if found else ";", listed)


class RoleAmbiguousError(RoleUnknownError):
    """One address that two roles have: nobody can tell which is meant."""

    code = "role.ambiguous"
    hint = "Use the name of the role's directory, or give one of the two another uuid, alias or display name."
    sentence = "{0!r:.82} means two roles, {1} and {2}"

    def __init__(self, name: str, one: str, other: str) -> None:
        MemdError.__init__(self, name, one, other)


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

    def __init__(self, role: str, memory_id: str) -> None:
        super().__init__(role, memory_id)
        if len(memory_id) < LEAST_PREFIX:
            self.hint = f"Give at least {LEAST_PREFIX} characters of the id; `memd list {role}` has them."
        else:
            self.hint = f"List the ids with `memd list {role}`; forgotten ones with `memd list {role} --forgotten`."


class MemoryAmbiguousError(MemdError):
    """A shortened id that fits several memories."""

    code = "memory.ambiguous"
    hint = "Give more characters of the id."
    sentence = "{0!r} fits {1} memories: {2}"


class NotForgottenError(MemdError):
    """A memory that is to be brought back from the archive, and is not in it."""

    code = "memory.not_forgotten"
    hint = "Run `memd undo ROLE ID` where another took its place; look with `memd show ROLE ID --history`."
    sentence = "memory {0} is not forgotten: {1}"

    def __init__(self, memory_id: str, state: str, role: str) -> None:
        super().__init__(memory_id, state)
        self.hint = f"Run `memd undo {role} {memory_id[:8]}` where another took its place, to let both stand."


class SupersedeCircleError(MemdError):
    """A memory that is to take the place of one that took its own."""

    code = "memory.circle"
    hint = "Take the other decision back first: `memd undo ROLE ID`."
    sentence = "memory {0} already took the place of {1}"

    def __init__(self, older: str, newer: str, role: str) -> None:
        super().__init__(older, newer)
        self.hint = f"Take that back first: `memd undo {role} {newer[:8]}`."


class NothingToUndoError(MemdError):
    """No decision about a memory is known that could be taken back."""

    code = "memory.nothing_to_undo"
    hint = "Look what became of it with `memd show ROLE ID --history`."
    sentence = "nothing about memory {0} can be taken back: {1}"


class EditedSinceError(MemdError):
    """What a decision made was edited by somebody since, and is not overwritten."""

    code = "memory.edited_since"
    hint = "Change it by hand with `memd edit`, or undo the edit first: nothing was changed."
    sentence = "memory {0} was edited since: {1}"


class StaleMemoryError(MemdError):
    """The memory changed since the caller read it."""

    code = "memory.stale"
    hint = "Read it again with memory.get, and retry with the new digest."
    sentence = "memory {0} has changed since it was read"


class BadMemoryError(MemdError):
    """A memory that could not be stored as it is."""

    code = "memory.bad"
    hint = "Correct the field named."


class BadEntryError(MemdError):
    """An entry of a lorebook that cannot serve as it is."""

    code = "entry.bad"
    hint = "Correct the field named."


class EmbeddingsError(MemdError):
    """Embeddings that cannot be had; what comes to mind is then found by words alone."""

    code = "embeddings.failed"
    hint = "Check MEMD_EMBEDDINGS, or unset it to do without a model."


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


class BadQueryError(MemdError):
    """A search that cannot be read: an unknown kind, a date that is none, more than can be asked at once."""

    code = "query.bad"
    hint = 'Write words, "phrases", wild*cards and field:value; docs/search.md has the fields.'


class SecretRefusedError(MemdError):
    """A text with a secret, where the settings refuse such texts."""

    code = "secret.refused"
    hint = "Offer it without the secret; keep secrets in a password manager."
    sentence = "it holds {0}; nothing was stored"


class OrderRefusedError(MemdError):
    """A text that gives its reader orders, gives data away or hides characters, where only a person may write one."""

    code = "order.refused"
    hint = "Say it as a fact; or offer it to `remember`, where it waits until a person has seen it, and then try again."
    sentence = "`{0}` may not say this: {1}; nothing was stored"


class TrustUnknownError(MemdError):
    """Something to be granted or revoked that the workspace does not ask for and nobody granted."""

    code = "trust.unknown"
    hint = "See what the workspace asks for with `memd trust`."
    sentence = "{0!r:.82} is {1}; there is: {2}"


class ReviewUnknownError(MemdError):
    """Nothing that waits for review has that id."""

    code = "review.unknown"
    hint = "List what waits with `memd review`."
    sentence = "nothing with id {0!r:.82} waits for review"
