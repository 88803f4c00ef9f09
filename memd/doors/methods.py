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
from memd.service.memory import remember
from memd.verbs.declared import VERBS, Service, Verb

RECORDED = ("name", "keys", "tags", "topics", "emotions", "validity", "priority", "constant")


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


METHODS: dict[str, Verb] = VERBS | {
    method.name: method
    for method in (
        Verb("remember", p.RememberParams, _remember, "Keep a text, or refuse it and say why.", writes=True),
        Verb("score", p.RememberParams, _score, "Judge a text as remember would, and store nothing.", writes=True),
        Verb(
            "import", p.ImportParams, _import, "Take in what another program remembered, or take it back.", writes=True
        ),
        Verb("export", p.ExportParams, _export, "Give out memories or a book in a form others read."),
        *KEEP_METHODS,
        *HOOK_METHODS,
    )
}
