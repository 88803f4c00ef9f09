"""The methods of the protocol: one line each in METHODS, from its name to what carries it out."""

from __future__ import annotations

import asyncio
from typing import Any

import memd.verbs.roles
import memd.verbs.settings
import memd.verbs.status  # noqa: F401  each declares its verbs
from memd.doors import params as p
from memd.doors.hook_methods import HOOK_METHODS
from memd.doors.keep_methods import KEEP_METHODS
from memd.doors.learning_methods import LEARNING_METHODS
from memd.doors.session_methods import SESSION_METHODS
from memd.errors import BadParamsError
from memd.model.memory import Kind
from memd.service.cache import note_erasure
from memd.service.care import exporting, importing, undoing
from memd.service.memory import collections, linking, records, remember, search, taking_back, trigger
from memd.service.memory.keyed_pages import read_keyed_pages
from memd.service.memory.scenes import TriggerRequest
from memd.verbs.declared import VERBS, Service, Verb

UPDATABLE = (
    "content", "name", "keys", "tags", "topics", "emotions", "priority", "constant", "disabled", "validity",
    "expires_at", "relevance_weight", "emotional_weight", "decay_per_day",
)  # fmt: skip
RECORDED = ("name", "keys", "tags", "topics", "emotions", "validity", "priority", "constant")


async def _search(service: Service, given: p.SearchParams) -> dict[str, Any]:
    await service.look_once()
    request = search.SearchRequest(
        given.query,
        (given.role,) if given.role else (),
        (given.kind,) if given.kind else (),
        (given.tag,) if given.tag else (),
        given.after,
        given.before,
        given.limit,
        given.offset,
        seen_by=given.seen_by or "",
    )
    return await search.search(service.workspace, service.indexing, request)


async def _trigger(service: Service, given: p.TriggerParams) -> dict[str, Any]:
    messages = tuple(given.messages) + (() if given.message is None else (given.message,))
    if not messages:
        raise BadParamsError("give `message`, or `messages` oldest first")
    if service.following is None:
        await read_keyed_pages(service.workspace)
    request = TriggerRequest(
        given.role,
        messages,
        given.topic,
        given.session,
        given.turn,
        given.now,
        given.zone,
        given.emotion,
        given.budget,
        given.budget_tokens,
        given.repeat_after,
        given.position,
        given.occasion,
        given.explain,
    )
    return await trigger.trigger(service.workspace, request)


def _offered(given: p.RememberParams) -> remember.RememberRequest:
    scores = {
        name: (one.value, one.basis) if isinstance(one, p.GivenScore) else (one, "")
        for name, one in given.scores.items()
    }
    fields = {name: getattr(given, name) for name in RECORDED}
    return remember.RememberRequest(
        given.role,
        given.content,
        given.kind or "",
        fields,
        scores,
        given.explicit,
        given.source or "",
        given.session,
        given.run,
    )


async def _remember(service: Service, given: p.RememberParams) -> dict[str, Any]:
    return await remember.remember(service.workspace, _offered(given))


async def _score(service: Service, given: p.RememberParams) -> dict[str, Any]:
    return await remember.score(service.workspace, _offered(given))


async def _import(service: Service, given: p.ImportParams) -> dict[str, Any]:
    if given.undo:
        return await undoing.undo(service.workspace, given.import_id)
    if given.role is None:
        raise BadParamsError("role: say which role the memories come to")
    request = importing.ImportRequest(
        given.role, given.import_id, given.source, [(Kind(one.kind), one.record) for one in given.memories],
        (given.book, given.text) if given.book else None, given.at, given.more, given.dry_run,
        given.uuid,
    )  # fmt: skip
    return await importing.take_in(service.workspace, request)


async def _export(service: Service, given: p.ExportParams) -> dict[str, Any]:
    return await exporting.give_out(
        service.workspace, given.role, given.form, given.book, given.offset, given.digest, whole=given.whole
    )


async def _memory_get(service: Service, given: p.MemoryGetParams) -> dict[str, Any]:
    return await records.get(service.workspace, given.role, given.id, history=given.history)


async def _memory_list(service: Service, given: p.MemoryListParams) -> dict[str, Any]:
    return await records.list_memories(
        service.workspace,
        given.role,
        kind=given.kind or "",
        tag=given.tag,
        limit=given.limit,
        offset=given.offset,
        forgotten=given.forgotten,
        order=given.order,
    )


async def _memory_update(service: Service, given: p.MemoryUpdateParams) -> dict[str, Any]:
    fields = p.given_fields(given, UPDATABLE)
    return await records.update(service.workspace, given.role, given.id, fields, given.digest, given.source)


async def _memory_forget(service: Service, given: p.MemoryForgetParams) -> dict[str, Any]:
    if given.erase:  # noted first, so that a kill in between costs no more than an index
        role = await service.workspace.role(given.role)
        await asyncio.to_thread(note_erasure, service.workspace.cache_dir, role.name)
    return await records.forget(service.workspace, given.role, given.id, given.reason, erase=given.erase)


async def _memory_restore(service: Service, given: p.MemoryParams) -> dict[str, Any]:
    return await records.restore(service.workspace, given.role, given.id)


async def _memory_link(service: Service, given: p.MemoryLinkParams) -> dict[str, Any]:
    return await linking.link(service.workspace, given.role, given.id, given.to, given.relation, given.covers)


async def _memory_undo(service: Service, given: p.MemoryParams) -> dict[str, Any]:
    return await taking_back.undo(service.workspace, given.role, given.id)


async def _traits(service: Service, given: p.TraitsParams) -> dict[str, Any]:
    items = [
        {"name": one.name, "content": one.value, "keys": one.keys, "priority": one.priority,
         "confidence": one.confidence, "constant": one.constant}
        for one in given.traits
    ]  # fmt: skip
    return await collections.update_all(
        service.workspace, given.role, Kind.TRAIT, items, replace_all=given.replace_all, source=given.source
    )


async def _goals(service: Service, given: p.GoalsParams) -> dict[str, Any]:
    items = [
        {"id": one.id, "content": one.value, "keys": one.keys, "priority": one.priority, "constant": one.constant}
        for one in given.goals
    ]
    return await collections.update_all(
        service.workspace, given.role, Kind.GOAL, items, replace_all=given.replace_all, source=given.source
    )


METHODS: dict[str, Verb] = VERBS | {
    method.name: method
    for method in (
        Verb("trigger", p.TriggerParams, _trigger, "Return what the scene brings to mind, rendered and explained."),
        Verb("remember", p.RememberParams, _remember, "Keep a text, or refuse it and say why.", writes=True),
        Verb("score", p.RememberParams, _score, "Judge a text as remember would, and store nothing.", writes=True),
        Verb("search", p.SearchParams, _search, "Find words, phrases, patterns and dates in everything."),
        Verb("memory.get", p.MemoryGetParams, _memory_get, "Return one memory with its record and digest."),
        Verb("memory.list", p.MemoryListParams, _memory_list, "List memories, or forgotten ones."),
        Verb("memory.update", p.MemoryUpdateParams, _memory_update, "Change fields of one memory.", writes=True),
        Verb(
            "memory.forget", p.MemoryForgetParams, _memory_forget, "Archive a memory, or erase its text.", writes=True
        ),
        Verb("memory.restore", p.MemoryParams, _memory_restore, "Bring a forgotten memory back.", writes=True),
        Verb("memory.link", p.MemoryLinkParams, _memory_link, "Relate two memories of a role.", writes=True),
        Verb("memory.undo", p.MemoryParams, _memory_undo, "Take back the last decision about a memory.", writes=True),
        Verb(
            "import", p.ImportParams, _import, "Take in what another program remembered, or take it back.", writes=True
        ),
        Verb("export", p.ExportParams, _export, "Give out memories or a book in a form others read."),
        Verb("traits.update", p.TraitsParams, _traits, "Put traits by name.", writes=True),
        Verb("goals.update", p.GoalsParams, _goals, "Put goals by id or by what they say.", writes=True),
        *KEEP_METHODS,
        *SESSION_METHODS,
        *LEARNING_METHODS,
        *HOOK_METHODS,
    )
}
