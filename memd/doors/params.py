"""What each method takes, as typed values: the one place where parameters, their checks and their docs are declared."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from msgspec import Meta

from memd.verbs.declared import Request
from memd.verbs.fields import RoleName

Params = Request


class ImportedMemory(msgspec.Struct, forbid_unknown_fields=True):
    """One record of an import, raw as the foreign file has it."""

    kind: Annotated[str, Meta(pattern="^(episodic|semantic|trait|goal)$")]
    record: dict[str, Any]


class ImportParams(Params):
    """One batch of an import, or with `undo` the whole of it taken back. A book comes in parts, the last without `more`."""

    import_id: Annotated[str, Meta(min_length=1, max_length=80, description="the same for all batches")]
    role: RoleName | None = None
    source: Annotated[str, Meta(max_length=500, description="the file it comes from")] = ""
    memories: Annotated[list[ImportedMemory], Meta(max_length=200)] = []  # what a batch holds up others for
    book: Annotated[str, Meta(max_length=200, description="a book's title")] = ""
    text: Annotated[str, Meta(max_length=64_000_000, description="the book as World Info, or a part of it")] = ""
    at: Annotated[int, Meta(ge=0, description="characters of the book in the parts before")] = 0
    more: Annotated[bool, Meta(description="further parts follow")] = False
    dry_run: Annotated[bool, Meta(description="plan, and change nothing")] = False
    undo: Annotated[bool, Meta(description="take this import back")] = False
    uuid: Annotated[
        str, Meta(max_length=200, description="characterUuid of the file; a role without memories takes it")
    ] = ""


class ExportParams(Params):
    """A role's memories, or one of its books."""

    role: RoleName
    form: Annotated[str, Meta(pattern="^(memory|management|world-info|card-v2)$")] = "memory"
    book: Annotated[str, Meta(max_length=200)] = ""
    offset: Annotated[int, Meta(ge=0)] = 0
    digest: Annotated[str, Meta(max_length=64, description="of the whole that a later part is asked of")] = ""
    whole: Annotated[bool, Meta(description="all in one reply, however long")] = False
