"""The verbs of curated memory: MEMORY.md and USER.md, entry by entry, within their limits; and both, frozen.

A person edits the same files: what they save meanwhile is merged, their own growth is reported and never refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

from msgspec import Meta

from memd.errors import (
    BadParamsError,
    CuratedAmbiguousError,
    CuratedFullError,
    CuratedRefusedError,
    CuratedUnknownError,
    SnapshotBrokenError,
    SnapshotUnknownError,
    StaleTextError,
)
from memd.formats.curated import Edit, edited, entries_of, form_of
from memd.model.change import Put
from memd.model.scan import Danger, digest_of_text
from memd.protocol.fields import Digest, Request, SectionView
from memd.protocol.recall import (
    CuratedOperation,
    EditedCurated,
    EntryText,
    FrozenFile,
    ReadCurated,
    SnapshotSections,
    TakenSnapshot,
)
from memd.service.memory.egress import withheld_pieces
from memd.service.screening import beside, look_at, make_ready
from memd.service.work.snapshots import stored_snapshot, take_snapshot
from memd.storage.layout import AUDIT, snapshot_file
from memd.store.recall.curated import chars_of, limit_chars
from memd.store.room import WARN_SHARE
from memd.verbs.declared import Nothing, Service, verb

if TYPE_CHECKING:
    from memd.store.store import Store

NOTED_CHARS = 200  # of an entry that the audit names
FILES = {"memory": "MEMORY.md", "user": "USER.md"}


class OfCurated(Request):
    """Which curated file."""

    file: Annotated[str, Meta(max_length=40, description="memory or user: MEMORY.md or USER.md")] = "memory"


class AddEntry(OfCurated, kw_only=True):
    """An entry to add."""

    content: Annotated[str, Meta(min_length=1, max_length=100_000)]
    digest: Digest = ""


class ReplaceEntry(AddEntry, kw_only=True):
    """An entry to replace: the one that has this piece of text."""

    old_text: Annotated[str, Meta(min_length=1, max_length=100_000)]


class RemoveEntry(OfCurated, kw_only=True):
    """An entry to remove: the one that has this piece of text."""

    old_text: Annotated[str, Meta(min_length=1, max_length=100_000)]
    digest: Digest = ""


class EditCurated(OfCurated, kw_only=True):
    """Several edits, made all or none; the limit counts for what they come to."""

    operations: Annotated[list[CuratedOperation], Meta(min_length=1, max_length=100)]
    digest: Digest = ""
    dry_run: Annotated[bool, Meta(description="say what would stand there, and change nothing")] = False


class OfSnapshot(Request):
    """A stored snapshot."""

    digest: Annotated[str, Meta(min_length=4, max_length=64, description="or its first characters")]


@verb("curated.read")
async def read_curated(service: Service, asked: OfCurated) -> ReadCurated:
    """Return MEMORY.md or USER.md, by entry."""
    store = service.store
    store.in_force.look()
    name = _file_of(asked.file)
    text = store.texts.read(store.tree, name)
    withheld = await withheld_pieces(store, text or "")
    shown = _shown(store, name, text or "")
    return ReadCurated(**shown, text=text or "", missing=text is None, withheld=withheld or None)


@verb(
    "curated.add",
    writes=True,
    errors=(
        CuratedFullError,
        CuratedRefusedError,
        StaleTextError,
    ),
)
async def add_entry(service: Service, asked: AddEntry) -> EditedCurated:
    """Add an entry."""
    return await _edit(service.store, asked.file, [Edit("add", asked.content)], asked.digest)


@verb(
    "curated.replace",
    writes=True,
    errors=(
        CuratedAmbiguousError,
        CuratedFullError,
        CuratedRefusedError,
        CuratedUnknownError,
        StaleTextError,
    ),
)
async def replace_entry(service: Service, asked: ReplaceEntry) -> EditedCurated:
    """Replace an entry."""
    return await _edit(service.store, asked.file, [Edit("replace", asked.content, asked.old_text)], asked.digest)


@verb(
    "curated.remove",
    writes=True,
    errors=(
        CuratedAmbiguousError,
        CuratedFullError,
        CuratedRefusedError,
        CuratedUnknownError,
        StaleTextError,
    ),
)
async def remove_entry(service: Service, asked: RemoveEntry) -> EditedCurated:
    """Remove an entry."""
    return await _edit(service.store, asked.file, [Edit("remove", "", asked.old_text)], asked.digest)


@verb(
    "curated.edit",
    writes=True,
    errors=(
        CuratedFullError,
        CuratedRefusedError,
        CuratedUnknownError,
        StaleTextError,
    ),
)
async def edit_curated(service: Service, asked: EditCurated) -> EditedCurated:
    """Make several edits, all or none."""
    edits = [Edit(one.action, one.content, one.old_text) for one in asked.operations]
    return await _edit(service.store, asked.file, edits, asked.digest, dry_run=asked.dry_run)


async def _edit(
    store: Store, target: str, edits: Sequence[Edit], digest: str, *, dry_run: bool = False
) -> EditedCurated:
    """Make edits, all or none; they are durable on return. `digest`: of the text they are meant for."""
    store.in_force.look()
    name = _file_of(target)
    _check_sizes(store, name, edits)
    await make_ready(store)
    await look_at(store, [one.content for one in edits if one.content])
    async with store.working.turn:
        before = await store.texts.settled(store.tree, name)
        if digest and digest != digest_of_text(before or ""):
            raise StaleTextError(name)
        kept = [_screened(store, name, one) for one in edits]
        after = await beside(store, (before, [one.content for one in kept]), edited, before or "", name, kept)
        _check_room(store, name, before or "", after)
        reply = EditedCurated(**_shown(store, name, after), changed=after != (before or ""))
        if any(one.content != clean.content for one, clean in zip(edits, kept, strict=True)):
            reply.remarks = ["a secret was taken out"]
        if dry_run or after == (before or ""):
            return reply
        now_s = store.ports.now()
        note = _noted(name, kept)
        done = store.commit(lambda n: [Put(name, before, after), store.record(AUDIT, n, note, now_s)], at_s=now_s)
    await done
    return reply


def _noted(name: str, edits: Sequence[Edit]) -> dict[str, Any]:
    """Return what the audit is told of edits: the file, and of one that adds a short text that text, by which it is taken out."""
    note: dict[str, Any] = {"what": "curated", "file": name, "edits": len(edits)}
    if len(edits) == 1 and edits[0].action == "add" and len(edits[0].content) <= NOTED_CHARS:
        note |= {"did": "add", "text": edits[0].content}
    return note


def _file_of(target: str) -> str:
    """Return the file that `memory`, `user`, or its own name means."""
    found = FILES.get(target.casefold().removesuffix(".md"))
    if found is None:
        raise BadParamsError(f"file: {target!r:.40} is not MEMORY.md or USER.md")
    return found


def _screened(store: Store, name: str, edit: Edit) -> Edit:
    """Return an edit without secrets; what hides something or gives a reader away is a person's to write."""
    if not edit.content or not store.settings.gate.scan:
        return edit
    scanned = store.keeping.quarantine.look(edit.content, store.keeping.learned.orders)
    firm = [one for one in scanned.found if one.danger is not Danger.SECRET and not one.mild]
    if firm and not store.keeping.quarantine.is_approved(edit.content):
        raise CuratedRefusedError(name, "; ".join(dict.fromkeys(one.why for one in firm)))
    secret = any(one.danger is Danger.SECRET for one in scanned.found)
    if secret and store.settings.gate.secrets == "refuse":
        raise CuratedRefusedError(name, scanned.why)
    return edit._replace(content=scanned.clean) if secret else edit


def _check_sizes(store: Store, name: str, edits: Sequence[Edit]) -> None:
    """Refuse, before anything is looked at, a text that the file cannot have room for, and more edits than it has characters."""
    limit = limit_chars(store.settings.limits, name)
    size = max(len(edits), *(chars_of(one.content) for one in edits))
    if size > limit:
        largest = max(edits, key=lambda one: len(one.content)).content
        raise CuratedFullError(name, size, limit, f"{largest[:40]!r} ({len(largest)} characters)")


def _check_room(store: Store, name: str, before: str, after: str) -> None:
    limit = limit_chars(store.settings.limits, name)
    size = chars_of(after)
    if size > limit and size > chars_of(before):
        largest = sorted(entries_of(after), key=lambda one: -len(one.text))[:3]
        shown = ", ".join(f"{one.text[:40]!r} ({len(one.text)} characters)" for one in largest)
        raise CuratedFullError(name, size, limit, shown)


def _shown(store: Store, name: str, text: str) -> dict[str, Any]:
    """Return the fields of a CuratedView."""
    limit, size = limit_chars(store.settings.limits, name), chars_of(text)
    near = f"{name} has {size} of {limit} characters; join or remove entries before you add more"
    return {
        "file": name,
        "digest": digest_of_text(text),
        "form": form_of(text),
        "chars": size,
        "limit": limit,
        "usage": f"{size * 100 // limit}% — {size:,}/{limit:,} chars",
        "entries": [EntryText(number, one.text) for number, one in enumerate(entries_of(text), 1)],
        "warning": near if size >= limit * WARN_SHARE else None,
    }


@verb("snapshot.take", writes=True)
async def take(service: Service, _: Nothing) -> TakenSnapshot:
    """Freeze the curated memory, stored once."""
    taken = await take_snapshot(service.store)
    return TakenSnapshot(
        digest=taken.digest,
        file=snapshot_file(taken.digest),
        stored=taken.stored,
        sections=[SectionView(*one) for one in taken.sections],
        faults=taken.faults or None,
    )


@verb(
    "snapshot.sections",
    errors=(
        SnapshotBrokenError,
        SnapshotUnknownError,
    ),
)
async def tell_sections(service: Service, asked: OfSnapshot) -> SnapshotSections:
    """Return a snapshot as prompt sections."""
    stored = await stored_snapshot(service.store, asked.digest)
    sections = [SectionView(*one) for one in stored.sections]
    files = [FrozenFile(one["name"], one["text"]) for one in stored.files]
    return SnapshotSections(stored.digest, stored.file, sections, files)
