"""The methods for curated memory, snapshots, context, sessions and runs."""

from __future__ import annotations

from typing import Any

from memd.doors import session_params as p
from memd.formats.curated_edit import Edit
from memd.service.work import context, curating, histories, run_views, runs, session_search, sessions, snapshots
from memd.verbs.declared import Nothing, Service, Verb


async def _curated_read(service: Service, given: p.CuratedReadParams) -> dict[str, Any]:
    return await curating.read_curated(service.workspace, given.file)


async def _curated_add(service: Service, given: p.CuratedAddParams) -> dict[str, Any]:
    edits = [Edit("add", given.content)]
    return await curating.edit_curated(service.workspace, given.file, edits, digest=given.digest)


async def _curated_replace(service: Service, given: p.CuratedReplaceParams) -> dict[str, Any]:
    edits = [Edit("replace", given.content, given.old_text)]
    return await curating.edit_curated(service.workspace, given.file, edits, digest=given.digest)


async def _curated_remove(service: Service, given: p.CuratedRemoveParams) -> dict[str, Any]:
    edits = [Edit("remove", "", given.old_text)]
    return await curating.edit_curated(service.workspace, given.file, edits, digest=given.digest)


async def _curated_edit(service: Service, given: p.CuratedEditParams) -> dict[str, Any]:
    edits = [Edit(one.action, one.content, one.old_text) for one in given.operations]
    return await curating.edit_curated(service.workspace, given.file, edits, digest=given.digest, dry_run=given.dry_run)


async def _snapshot_take(service: Service, _: Nothing) -> dict[str, Any]:
    return await snapshots.take_snapshot(service.workspace)


async def _snapshot_sections(service: Service, given: p.SnapshotParams) -> dict[str, Any]:
    return await snapshots.sections(service.workspace, given.digest)


async def _context(service: Service, given: p.ContextParams) -> dict[str, Any]:
    request = context.ContextRequest(
        given.run, given.session, given.role, given.message, given.snapshot, given.budget_chars, given.max_messages,
        given.now, given.zone, given.record,
    )  # fmt: skip
    return await context.render(service.workspace, request)


async def _session_open(service: Service, given: p.SessionOpenParams) -> dict[str, Any]:
    request = sessions.OpenRequest(
        given.session, given.role, given.title, given.resumes, given.forks, given.at, given.engine
    )
    return await sessions.open_session(service.workspace, request)


async def _session_append(service: Service, given: p.SessionAppendParams) -> dict[str, Any]:
    request = sessions.AppendRequest(given.session, given.events, given.after)
    return await sessions.append(service.workspace, request)


async def _session_history(service: Service, given: p.SessionHistoryParams) -> dict[str, Any]:
    request = histories.HistoryRequest(
        given.session, given.max_messages, given.budget_chars, given.before, given.lineage
    )
    return await histories.history(service.workspace, request)


async def _session_search(service: Service, given: p.SessionSearchParams) -> dict[str, Any]:
    await service.look_once()
    asked = session_search.SessionSearch(
        given.query, given.session, given.around, given.speaker, given.window, given.limit, given.offset, given.after,
        given.before,
    )  # fmt: skip
    return await session_search.search_sessions(service.workspace, service.indexing, asked)


async def _session_get(service: Service, given: p.SessionParams) -> dict[str, Any]:
    return await sessions.get_session(service.workspace, given.session)


async def _session_close(service: Service, given: p.SessionCloseParams) -> dict[str, Any]:
    return await sessions.close_session(service.workspace, given.session, given.reason)


async def _run_start(service: Service, given: p.RunStartParams) -> dict[str, Any]:
    request = runs.StartRequest(
        given.run, given.session, given.task, given.role, given.asked, tuple(given.skills),
        given.max_tool_iterations, given.pid,
    )  # fmt: skip
    return await runs.start(service.workspace, request)


async def _run_event(service: Service, given: p.RunEventParams) -> dict[str, Any]:
    return await runs.event(service.workspace, given.run, given.events)


async def _run_complete(service: Service, given: p.RunCompleteParams) -> dict[str, Any]:
    request = runs.CompleteRequest(given.run, given.outcome, given.summary, tuple(given.changed))
    return await runs.complete(service.workspace, request)


async def _run_get(service: Service, given: p.RunParams) -> dict[str, Any]:
    return await run_views.get(service.workspace, given.run)


async def _run_list(service: Service, given: p.RunListParams) -> dict[str, Any]:
    return await run_views.list_runs(service.workspace, given.task, given.limit)


SESSION_METHODS: tuple[Verb, ...] = (
    Verb("curated.read", p.CuratedReadParams, _curated_read, "Return MEMORY.md or USER.md, by entry."),
    Verb("curated.add", p.CuratedAddParams, _curated_add, "Add an entry.", writes=True),
    Verb("curated.replace", p.CuratedReplaceParams, _curated_replace, "Replace an entry.", writes=True),
    Verb("curated.remove", p.CuratedRemoveParams, _curated_remove, "Remove an entry.", writes=True),
    Verb("curated.edit", p.CuratedEditParams, _curated_edit, "Make several edits, all or none.", writes=True),
    Verb("snapshot.take", Nothing, _snapshot_take, "Freeze the curated memory, stored once.", writes=True),
    Verb("snapshot.sections", p.SnapshotParams, _snapshot_sections, "Return a snapshot as prompt sections."),
    Verb("context.render", p.ContextParams, _context, "Put together what a model is given next.", writes=True),
    Verb("session.open", p.SessionOpenParams, _session_open, "Open a session, or go on from one.", writes=True),
    Verb("session.append", p.SessionAppendParams, _session_append, "Append events, durably.", writes=True),
    Verb("session.history", p.SessionHistoryParams, _session_history, "Return the visible tail within limits."),
    Verb("session.search", p.SessionSearchParams, _session_search, "Discover, scroll, read or browse sessions."),
    Verb("session.get", p.SessionParams, _session_get, "Tell what a session comes to."),
    Verb("session.close", p.SessionCloseParams, _session_close, "Close a session.", writes=True),
    Verb("run.start", p.RunStartParams, _run_start, "Begin a run on a frozen snapshot.", writes=True),
    Verb("run.event", p.RunEventParams, _run_event, "Append events of a run, counted.", writes=True),
    Verb("run.complete", p.RunCompleteParams, _run_complete, "End a run and write its receipt.", writes=True),
    Verb("run.get", p.RunParams, _run_get, "Return a run, or its receipt."),
    Verb("run.list", p.RunListParams, _run_list, "List runs under way and receipts."),
)
