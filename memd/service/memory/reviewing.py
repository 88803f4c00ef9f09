"""review: what waits for a person. Approve it, approve an edited text, or drop it."""

from __future__ import annotations

import asyncio
from typing import Any

from memd.errors import BadParamsError, MemdError, ReviewUnknownError
from memd.errors.general import LEAST_PREFIX
from memd.formats.strict_json import dumps
from memd.model.change import Operation
from memd.service.memory.offers import RememberRequest, look_at, read_offer
from memd.service.memory.quarantine import APPROVED, DROPPED, digest_of_text
from memd.service.memory.records import find
from memd.service.memory.remember import remember
from memd.service.memory.screening import approve, make_ready, withheld_why
from memd.service.role import Role
from memd.service.workspace import Workspace
from memd.storage.layout import REVIEW

AT_ONCE = 25  # memories that are looked at without giving others a turn


async def waiting(workspace: Workspace, role_name: str = "", *, memories: bool = False) -> dict[str, Any]:
    """Return what is held, oldest first; with `memories`, also those in files that are withheld from prompts."""
    await make_ready(workspace)
    wanted = (await workspace.role(role_name)).name if role_name else ""
    held = [_view(one) for one in workspace.keeping.quarantine.held.values() if not wanted or one.get("role") == wanted]
    reply: dict[str, Any] = {"held": held}
    if memories:
        await workspace.find_roles()
        names = [wanted] if wanted else sorted(workspace.roles)
        reply["withheld"] = [one for name in names for one in await _withheld(workspace, workspace.roles[name])]
    return reply


async def _withheld(workspace: Workspace, role: Role) -> list[dict[str, Any]]:
    async with role.turn:
        await workspace.look(role)
        memories = list(role.compiled.memories.values())
    found = []
    for number, memory in enumerate(memories):
        why = withheld_why(workspace, memory.text, memory.content)
        if why:
            found.append({"id": memory.id, "role": role.name, "content": memory.content, "why": why})
        if number % AT_ONCE == AT_ONCE - 1:
            await asyncio.sleep(0)
    return found


async def decide(
    workspace: Workspace, review_id: str, verdict: str, *, content: str = "", role_name: str = ""
) -> dict[str, Any]:
    """Approve (with `content`, an edited text) or drop what is held; with a role, approve one of its memories as it is."""
    await make_ready(workspace)
    if role_name:
        return await _approve_memory(workspace, review_id, verdict, role_name)
    value = _held(workspace, review_id)
    reply: dict[str, Any] = {"id": value["id"], "verdict": verdict}
    text = content or str(value.get("content", ""))
    if verdict == "approve":
        fields = value.get("fields")
        request = RememberRequest(
            str(value.get("role", "")), text, str(value.get("kind", "")), fields if isinstance(fields, dict) else {},
            explicit=True, source=str(value.get("source", "")), session=str(value.get("session", "")),
            run=str(value.get("run", "")),
        )  # fmt: skip
        reply["remember"] = await _let_through(workspace, request, value)
    elif verdict == "drop":
        await _write(workspace, {"what": DROPPED, "id": value["id"]}, value)
    else:
        raise BadParamsError(f"verdict: {verdict!r} is neither approve nor drop")
    return reply


async def _let_through(workspace: Workspace, request: RememberRequest, held: dict[str, Any]) -> dict[str, Any]:
    """Remember a text that waited and that a person lets through; return the reply.

    The machine's file comes first: where it cannot be written nothing is stored, and after a kill the text still waits.
    """
    role = await workspace.role(request.role)
    offer = look_at(workspace, role, read_offer(request))
    digest = digest_of_text(offer.text)
    known = workspace.keeping.quarantine.is_approved(offer.text)
    await approve(workspace, [digest])
    try:
        told = await remember(workspace, request, approved=held)
    except MemdError:
        await _take_word_back(workspace, digest, known=known)
        raise
    stands = digest_of_text(told.get("content", offer.text))
    if stands != digest:  # it was joined with an older memory, and stands as one text with it
        await approve(workspace, [stands])
    return told


async def _take_word_back(workspace: Workspace, digest: str, *, known: bool) -> None:
    """Let a text not stand in prompts, where the approval of it was refused and it was not let through before."""
    if not known:
        await asyncio.to_thread(workspace.trust.disapprove, workspace.tree, [digest])
        workspace.keeping.quarantine.trust(workspace.trust.trusted.approved)


async def _approve_memory(workspace: Workspace, memory_id: str, verdict: str, role_name: str) -> dict[str, Any]:
    if verdict != "approve":
        raise BadParamsError("a memory in a file is dropped with memory.forget")
    role = await workspace.role(role_name)
    async with role.turn:
        await workspace.refresh(role)
        memory = find(role, memory_id)
    digest = digest_of_text(memory.content)
    known = workspace.keeping.quarantine.is_approved(memory.content)
    await approve(workspace, [digest])
    try:
        await _write(workspace, {"what": APPROVED, "id": memory.id, "role": role.name, "digest": digest}, {})
    except MemdError:
        await _take_word_back(workspace, digest, known=known)
        raise
    return {"id": memory.id, "role": role.name, "verdict": verdict, "content": memory.content}


async def _write(workspace: Workspace, line: dict[str, Any], before: dict[str, Any]) -> None:
    quarantine = workspace.keeping.quarantine
    now_s = workspace.ports.now()

    def build(n: int) -> list[Operation]:
        quarantine.take(line)
        return [workspace.record(REVIEW, n, line, now_s)]

    def roll_back() -> None:
        quarantine.give_back(line, before)

    await workspace.commit(build, at_s=now_s, roll_back=roll_back)


def _held(workspace: Workspace, review_id: str) -> dict[str, Any]:
    held = workspace.keeping.quarantine.held
    if review_id in held:
        return held[review_id]
    fits = [one for one in held if len(review_id) >= LEAST_PREFIX and one.startswith(review_id)]
    if len(fits) != 1:
        raise ReviewUnknownError(review_id)
    return held[fits[0]]


def _view(value: dict[str, Any]) -> dict[str, Any]:
    keys = ("id", "role", "kind", "content", "fields", "why", "source", "session", "at")
    return {key: value[key] for key in keys if value.get(key)} | {"chars": len(dumps(value.get("content", "")))}
