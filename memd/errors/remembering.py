"""What goes wrong with what is remembered: memories, entries of books, scores, searches, what waits for a person, and what has no room."""

from __future__ import annotations

from memd.errors.root import MemdError

LEAST_PREFIX = 4  # characters of an id or a digest that may stand for all of it


class MemoryUnknownError(MemdError):
    """No memory with that id in the role."""

    role: str
    memory_id: str
    code = "memory.unknown"
    hint = "List the ids with `memd list ROLE`, or find one by its words with `memd search WORDS`; forgotten ones with `memd list ROLE --forgotten`."
    sentence = "role {role!r} has no memory {memory_id!r:.82}"

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(self.memory_id) < LEAST_PREFIX:
            self.hint = f"Give at least {LEAST_PREFIX} characters of the id; `memd list {self.role}` has them."
        else:
            self.hint = self.hint.replace("ROLE", self.role)


class MemoryAmbiguousError(MemdError):
    """A shortened id that fits several memories."""

    memory_id: str
    count: int
    ids: str
    code = "memory.ambiguous"
    hint = "Give more characters of the id."
    sentence = "{memory_id!r} fits {count} memories: {ids}"


class NotForgottenError(MemdError):
    """A memory that is to be brought back from the archive, and is not in it."""

    memory_id: str
    state: str
    role: str
    code = "memory.not_forgotten"
    hint = "Run `memd undo ROLE ID` where another took its place; look with `memd show ROLE ID --history`."
    sentence = "memory {memory_id} is not forgotten: {state}"

    def __post_init__(self) -> None:
        super().__post_init__()
        self.hint = f"If another memory replaced it, `memd undo {self.role} {self.memory_id[:8]}` keeps both."


class SupersedeCircleError(MemdError):
    """A memory that is to take the place of one that took its own."""

    older: str
    newer: str
    role: str
    code = "memory.circle"
    hint = "Take the other decision back first: `memd undo ROLE ID`."
    sentence = "memory {older} already took the place of {newer}"

    def __post_init__(self) -> None:
        super().__post_init__()
        self.hint = f"Take that back first: `memd undo {self.role} {self.newer[:8]}`."


class NothingToUndoError(MemdError):
    """No decision about a memory is known that could be taken back."""

    memory_id: str
    why: str
    code = "memory.nothing_to_undo"
    hint = "Look what became of it with `memd show ROLE ID --history`."
    sentence = "nothing about memory {memory_id} can be taken back: {why}"


class EditedSinceError(MemdError):
    """What a decision made was edited by somebody since, and is not overwritten."""

    memory_id: str
    what: str
    code = "memory.edited_since"
    hint = "Change it by hand with `memd edit`, or undo the edit first: nothing was changed."
    sentence = "memory {memory_id} was edited since: {what}"


class StaleMemoryError(MemdError):
    """The memory changed since the caller read it."""

    memory_id: str
    code = "memory.stale"
    hint = "Read it again with memory.get, and retry with the new digest."
    sentence = "memory {memory_id} has changed since it was read"


class BadMemoryError(MemdError):
    """A memory that could not be stored as it is."""

    why: str
    code = "memory.bad"
    hint = "Correct the field named."


class BadSplitError(MemdError):
    """A content that shall become several memories, given with what can be said of one alone."""

    given: str
    code = "memory.split"
    hint = "Leave out `split`, or offer each statement by itself with what belongs to it."
    sentence = "split cannot be combined with {given}, which describes one memory"


class BadEntryError(MemdError):
    """An entry of a lorebook that cannot serve as it is."""

    why: str
    code = "entry.bad"
    hint = "Correct the field named."


class EmbeddingsError(MemdError):
    """Embeddings that cannot be had; what comes to mind is then found by words alone."""

    why: str
    code = "embeddings.failed"
    hint = "Check MEMD_EMBEDDINGS, or unset it to do without a model."


class BadScoreError(MemdError):
    """A score that is not one of the six dimensions, or outside 0 to 10."""

    why: str
    code = "score.bad"
    hint = "Give importance, novelty, relevance, credibility, granularity or timeliness, each 0 to 10."


class BadTemplateError(MemdError):
    """An injection template that is not {{name}} and {{#if name}}…{{/if}}."""

    why: str
    code = "template.bad"
    hint = "Use {{content}}, {{constantContent}}, {{triggeredContent}}, {{role}} and {{#if …}}…{{/if}} only."


class BadQueryError(MemdError):
    """A search that cannot be read: an unknown kind, a date that is none, more than can be asked at once."""

    why: str
    code = "query.bad"
    hint = 'Write words, "phrases", wild*cards, or field:value with role, kind, tag, title, file, key, topic, id, on, before or after.'


class SecretRefusedError(MemdError):
    """A text with a secret, where the settings refuse such texts."""

    found: str
    code = "secret.refused"
    hint = "Offer it without the secret; keep secrets in a password manager."
    sentence = "it holds {found}; nothing was stored"


class OrderRefusedError(MemdError):
    """A text that gives its reader orders, gives data away or hides characters, where only a person may write one."""

    field: str
    why: str
    code = "order.refused"
    hint = "Say it as a fact; or offer it to `remember`, where it waits until a person has seen it, and then try again."
    sentence = "`{field}` may not say this: {why}; nothing was stored"


class ReviewUnknownError(MemdError):
    """Nothing that waits for review has that id."""

    review_id: str
    code = "review.unknown"
    hint = "List what waits with `memd review`."
    sentence = "nothing with id {review_id!r:.82} waits for review"


class LimitExceededError(MemdError):
    """A value is larger than the settings allow. One class a limit; this one is not raised itself."""

    what: str
    got: int
    limit: int
    largest: str = ""
    hint = "Make room, or raise this limit in memd.toml."
    unit = "bytes"

    def __str__(self) -> str:
        tail = f"; largest: {self.largest}" if self.largest else ""
        return f"{self.what}: {self.got} {self.unit}, limit {self.limit} {self.unit}{tail}"


class LongMemoryError(LimitExceededError):
    """A memory is longer than the limit."""

    code = "limit.memory_chars"
    unit = "characters"


class RoleMemoriesError(LimitExceededError):
    """A role has its number of memories."""

    code = "limit.role_memories"
    unit = "memories"


class RoleFullError(LimitExceededError):
    """A role's directory is full."""

    code = "limit.role_bytes"


class MemoryDirFullError(LimitExceededError):
    """`.memory/` is full."""

    code = "limit.memory_dir_bytes"


class ScoringsUsedError(LimitExceededError):
    """The day's scorings are used up."""

    code = "limit.scorings"
    unit = "scorings"


class LongBookError(LimitExceededError):
    """A lorebook that is taken in is longer than the limit."""

    code = "limit.book"
    unit = "characters"


class CuratedFullError(LimitExceededError):
    """MEMORY.md or USER.md is longer than what tools may write."""

    code = "limit.curated"
    unit = "characters"


class SessionFullError(LimitExceededError):
    """A session's file is full; go on in another that resumes it."""

    code = "limit.session_bytes"


class SessionsFullError(LimitExceededError):
    """Sessions in all have no room; move old ones away, or raise the limit."""

    code = "limit.sessions_bytes"


class ClientsFullError(LimitExceededError):
    """Too many connections."""

    code = "limit.clients"
    unit = "clients"


class ConsolidationUnknownError(MemdError):
    """No pass over sessions of that id."""

    wanted: str
    code = "consolidation.unknown"
    hint = "List the passes with `memd consolidate --list`."
    sentence = "no consolidation, or more than one, begins with {wanted!r:.60}"


class PackUnknownError(MemdError):
    """No pack of that id: it is of another workspace or machine, or what was said in it is not as it was."""

    pack: str
    code = "consolidation.pack"
    hint = "Take another with `memd consolidate --pack`."
    sentence = "no pack {pack!r:.60}: its conversation has changed since, or it belongs to another workspace"


class ModelError(MemdError):
    """A model at an endpoint that gives no answer, or none that can be read; what was said is consolidated without it."""

    why: str
    code = "consolidation.model"
    hint = "Check the model that `memd capture` names, and that its program runs."
