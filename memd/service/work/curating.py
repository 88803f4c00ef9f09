"""curated.read, add, replace, remove, edit: MEMORY.md and USER.md, entry by entry, within their limits.

A person edits the same files: what they save meanwhile is merged, their own growth is reported and never refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from memd.errors import BadParamsError, CuratedRefusedError, LimitExceededError, StaleTextError
from memd.formats.curated_edit import Edit, edited, entries_of, form_of
from memd.model.change import Put
from memd.model.scan import Danger
from memd.model.settings import LimitSettings
from memd.service.limits import WARN_SHARE
from memd.service.memory.egress import withheld_pieces
from memd.service.memory.quarantine import digest_of_text
from memd.service.memory.screening import beside, look_at, make_ready
from memd.service.workspace import Workspace

FILES = {"memory": "MEMORY.md", "user": "USER.md"}


def file_of(target: str) -> str:
    """Return the file that `memory`, `user`, or its own name means."""
    found = FILES.get(target.casefold().removesuffix(".md"))
    if found is None:
        raise BadParamsError(f"file: {target!r:.40} is not MEMORY.md or USER.md")
    return found


def limit_chars(limits: LimitSettings, name: str) -> int:
    """Return how many characters tools may write to a curated file."""
    return limits.memory_md_chars if name == "MEMORY.md" else limits.user_md_chars


async def read_curated(workspace: Workspace, target: str) -> dict[str, Any]:
    """Return a curated file with its entries, and what is used of its limit."""
    workspace.look_at_settings()
    name = file_of(target)
    text = workspace.texts.read(workspace.tree, name)
    reply = {**_view(workspace, name, text or ""), "text": text or "", "missing": text is None}
    withheld = await withheld_pieces(workspace, text or "")
    return {**reply, "withheld": withheld} if withheld else reply


async def edit_curated(
    workspace: Workspace, target: str, edits: Sequence[Edit], *, digest: str = "", dry_run: bool = False
) -> dict[str, Any]:
    """Make edits, all or none; the reply is sent once they are durable. `digest`: of the text they are meant for."""
    if not edits:
        raise BadParamsError("operations: there is nothing to do")
    workspace.look_at_settings()
    name = file_of(target)
    _check_sizes(workspace, name, edits)
    await make_ready(workspace)
    await look_at(workspace, [one.content for one in edits if one.content])
    async with workspace.working.turn:
        before = await workspace.texts.settled(workspace.tree, name)
        if digest and digest != digest_of_text(before or ""):
            raise StaleTextError(name)
        kept = [_screened(workspace, name, one) for one in edits]
        after = await beside(workspace, (before, [one.content for one in kept]), edited, before or "", name, kept)
        _check_room(workspace, name, before or "", after)
        reply = {**_view(workspace, name, after), "changed": after != (before or "")}
        notes = (
            ["a secret was taken out"] if any(a.content != b.content for a, b in zip(edits, kept, strict=True)) else []
        )
        if notes:
            reply["remarks"] = notes
        if dry_run or after == (before or ""):
            return reply
        now_s = workspace.ports.now()
        done = workspace.commit(lambda _: [Put(name, before, after)], at_s=now_s)
    await done
    return reply


def _screened(workspace: Workspace, name: str, edit: Edit) -> Edit:
    """Return an edit without secrets; what hides something or gives a reader away is a person's to write."""
    if not edit.content or not workspace.settings.gate.scan:
        return edit
    scanned = workspace.keeping.quarantine.look(edit.content, workspace.keeping.learned.orders)
    firm = [one for one in scanned.found if one.danger is not Danger.SECRET and not one.mild]
    if firm and not workspace.keeping.quarantine.is_approved(edit.content):
        raise CuratedRefusedError(name, "; ".join(dict.fromkeys(one.why for one in firm)))
    secret = any(one.danger is Danger.SECRET for one in scanned.found)
    if secret and workspace.settings.gate.secrets == "refuse":
        raise CuratedRefusedError(name, scanned.why)
    return edit._replace(content=scanned.clean) if secret else edit


def _check_sizes(workspace: Workspace, name: str, edits: Sequence[Edit]) -> None:
    """Refuse, before anything is looked at, a text that the file cannot have room for, and more edits than it has characters."""
    limit = limit_chars(workspace.settings.limits, name)
    size = max(len(edits), *(chars_of(one.content) for one in edits))
    if size > limit:
        largest = max(edits, key=lambda one: len(one.content)).content
        raise LimitExceededError(
            "curated", name, size, limit, unit="characters", largest=f"{largest[:40]!r} ({len(largest)} characters)"
        )


def _check_room(workspace: Workspace, name: str, before: str, after: str) -> None:
    limit = limit_chars(workspace.settings.limits, name)
    size = chars_of(after)
    if size > limit and size > chars_of(before):
        largest = sorted(entries_of(after), key=lambda one: -len(one.text))[:3]
        shown = ", ".join(f"{one.text[:40]!r} ({len(one.text)} characters)" for one in largest)
        raise LimitExceededError("curated", name, size, limit, unit="characters", largest=shown)


def chars_of(text: str) -> int:
    """Return the characters of a curated file that count: all but the white space around it."""
    return len(text.strip())


def _view(workspace: Workspace, name: str, text: str) -> dict[str, Any]:
    limit, size = limit_chars(workspace.settings.limits, name), chars_of(text)
    found = entries_of(text)
    reply: dict[str, Any] = {
        "file": name, "digest": digest_of_text(text), "form": form_of(text), "chars": size, "limit": limit,
        "usage": f"{size * 100 // limit}% — {size:,}/{limit:,} chars",
        "entries": [{"n": number, "text": one.text} for number, one in enumerate(found, 1)],
    }  # fmt: skip
    if size >= limit * WARN_SHARE:
        reply["warning"] = f"{name} has {size} of {limit} characters; join or remove entries before you add more"
    return reply
