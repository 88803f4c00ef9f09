"""The methods of the protocol: one line each in METHODS, from its name to what carries it out."""

from __future__ import annotations

from typing import Any

import memd.verbs.collections
import memd.verbs.context
import memd.verbs.corrections
import memd.verbs.curated
import memd.verbs.learning
import memd.verbs.memories
import memd.verbs.recall
import memd.verbs.remembering
import memd.verbs.roles
import memd.verbs.runs
import memd.verbs.searches
import memd.verbs.session_search
import memd.verbs.sessions
import memd.verbs.settings
import memd.verbs.skills
import memd.verbs.status
import memd.verbs.tasks  # noqa: F401  each declares its verbs
from memd.doors import params as p
from memd.doors.hook_methods import HOOK_METHODS
from memd.doors.keep_methods import KEEP_METHODS
from memd.errors import BadParamsError
from memd.model.memory import Kind
from memd.service.care import exporting, importing, undoing
from memd.verbs.declared import VERBS, Service, Verb


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


METHODS: dict[str, Verb] = VERBS | {
    method.name: method
    for method in (
        Verb(
            "import", p.ImportParams, _import, "Take in what another program remembered, or take it back.", writes=True
        ),
        Verb("export", p.ExportParams, _export, "Give out memories or a book in a form others read."),
        *KEEP_METHODS,
        *HOOK_METHODS,
    )
}
