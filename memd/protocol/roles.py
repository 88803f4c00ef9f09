"""Objects of requests and replies: roles, upkeep, exports and imports."""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import Meta, Struct

from memd.protocol.fields import MemoryKind, Part, Reply, Total, listed

UPKEEP_CHARS = 120  # of a memory that upkeep would take


class ImportedMemory(Struct, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """One record of an import, raw as the foreign file has it."""

    kind: Annotated[str, Meta(pattern="^(episodic|semantic|trait|goal)$")]
    record: dict[str, Any]
    speaker: Annotated[str, Meta(max_length=200, description="who says it, where the record does not tell")] = ""
    session: Annotated[str, Meta(max_length=200, description="the session it comes from, likewise")] = ""
    turn: Annotated[int, Meta(ge=0, le=10_000_000, description="the turn of the session, likewise")] | None = None

    def whole(self) -> dict[str, Any]:
        """Return the record with what is said beside it."""
        beside = {"speaker": self.speaker, "session": self.session, "turn": self.turn}
        return {**{key: value for key, value in beside.items() if value not in ("", None)}, **self.record}


class TakenRecord(Part):
    """A record that comes in."""

    number: Annotated[int, Meta(description="its place in the batch, from 0")]
    kind: MemoryKind
    id: str
    text: Annotated[str, Meta(description="its beginning")]
    was: Annotated[str, Meta(description="its id in the file, where that is another memory's here")] | None = None


class RefusedRecord(Part, kw_only=True):
    """A record, a book or an entry of it that does not come in."""

    number: Annotated[int, Meta(description="of a record: its place in the batch")] | None = None
    kind: MemoryKind | None = None
    text: str | None = None
    book: Annotated[str, Meta(description="the book's title, where it is one")] | None = None
    why: Annotated[str, Meta(description="duplicate, or the code of an error")]
    detail: str


class BookFile(Part):
    """A book that comes in."""

    name: Annotated[str, Meta(description="its file")]


class Imported(Reply):
    """What of a batch came in; of a book's part, what is here of it; with `undo`, what was taken out."""

    import_id: str
    role: str | None = None
    waiting: Annotated[int, Meta(description="characters of a book whose other parts are awaited")] | None = None
    dry_run: bool | None = None
    taken: list[TakenRecord] | None = None
    refused: list[RefusedRecord] | None = None
    archived: Annotated[int, Meta(description="memories that were taken back")] | None = None
    books: Annotated[list[BookFile | str], Meta(description="with `undo` the files' names alone")] | None = None
    kept: Annotated[list[str], Meta(description="books that are not as they came, roles that are gone")] | None = None
    uuid: Annotated[str, Meta(description="the one the role has")] | None = None
    sessions: Annotated[list[str], Meta(description="of the past that were taken out")] | None = None


class Exported(Reply):
    """A part of what is given out."""

    role: str
    form: str
    content: str
    next: Annotated[int, Meta(description="the offset of the next part; null at the end")] | None
    chars: Annotated[int, Meta(description="of the whole")]
    digest: Annotated[str, Meta(description="of the whole, with which the next part is asked")]


class LinkView(Part):
    """A link to another role, as its file has it."""

    role: Annotated[str, Meta(description="the address that the file gives")]
    weight: float
    means: Annotated[str, Meta(description="the role that is meant; empty where it leads nowhere, or to two")]


class RoleView(Reply):
    """A role, and what it holds."""

    name: str
    display_name: str
    aliases: list[str]
    uuid: str
    fiction: Annotated[bool, Meta(description="it is a character or a story: what is said there is its world's")]
    character_uuid: str
    links: list[LinkView]
    memories: int
    by_kind: Annotated[dict[str, int], Meta(description="how many memories of each kind there are")]
    constant: Annotated[int, Meta(description="how many are always in mind")]
    rejected: Annotated[str, Meta(description="why its file cannot be served")] | None


class Roles(Reply):
    """Roles by their names, and the directories that are none."""

    total: Total
    roles: list[RoleView]
    rejected: list[str]


class FoundRole(RoleView):
    """A role with every address that means it."""

    addresses: list[str]


class ScopeView(Reply):
    """Whose memory a directory gets, and why."""

    role: Annotated[str, Meta(description="whose memory it is now")]
    address: Annotated[str, Meta(description="what stands for it in any call: a role's name, or @ and the project")]
    person: Annotated[str, Meta(description="the role that gets what the person says of themselves")]
    project: str
    made: Annotated[bool, Meta(description="the project, or who is named, has a role already")]
    elsewhere: Annotated[str, Meta(description="the workspace that has this project's memory; else empty")]
    steps: Annotated[list[str], Meta(description="how it was found, in order")]


class CreatedRole(Reply):
    """A role that was made, with its memory's file."""

    name: str
    file: str


class ShortMemory(Part):
    """A memory, its text cut."""

    id: str
    kind: MemoryKind
    content: Annotated[str, Meta(description=f"its first {UPKEEP_CHARS} characters")]


class ArchivedMemory(ShortMemory):
    """One that goes to the archive."""

    why: Annotated[str, listed("expired", "the role is at its limit")]


class FadedMemory(ShortMemory):
    """One that is worth little, and stays."""

    worth: Annotated[float, Meta(description="as it is now, 0 to 10")]


class RoleUpkeep(Part):
    """What upkeep does to a role."""

    role: str
    total: Annotated[dict[str, int], Meta(description="of each kind, by its key: how many there are")]
    archive: list[ArchivedMemory]
    fold: Annotated[list[list[ShortMemory]], Meta(description="episodes of which one takes the place, by group")]
    propose: Annotated[list[FadedMemory], Meta(description="for a person to forget; least worth first")]


class Upkeep(Reply):
    """What upkeep does, by role."""

    would: Annotated[bool, Meta(description="it is only planned")]
    roles: list[RoleUpkeep]
    remove: Annotated[list[str], Meta(description="rotated audit and old score records that go for room in .memory/")]
    inbox: (
        Annotated[list[str], Meta(description="ids of texts that leave the inbox for the audit: their time is over")]
        | None
    ) = None
