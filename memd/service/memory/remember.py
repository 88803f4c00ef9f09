"""remember and score: judge a text by six dimensions, and keep it or say why not.

Everything is decided in the role's turn, made true in memory, and acknowledged by one line of the log.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from memd.engine.keep.assess import Offered, assess
from memd.engine.keep.gate import check_name, check_value, judge
from memd.engine.keep.kind import infer_kind
from memd.errors import BadMemoryError, BadParamsError, LimitExceededError
from memd.formats.entry_writer import Provenance, changed_record, new_record
from memd.formats.promptx import HEADER, dump_line, read_inline
from memd.formats.strict_json import canonical, dumps
from memd.formats.times import to_day
from memd.model.change import Change, Line, Operation
from memd.model.memory import VALIDITY_WORDS, Kind, Source
from memd.model.scores import Dimension, Rating, Verdict
from memd.service.limits import check_memory_dir, check_role
from memd.service.role import Role
from memd.service.workspace import Workspace
from memd.storage.layout import AUDIT, DECLARATIVE, SCORES, memory_file

EXCERPT_CHARS = 200


@dataclass(frozen=True, slots=True)
class RememberRequest:
    """What is offered. `scores` has (value, basis) by dimension; `fields` what else a record may have."""

    role: str
    content: str
    kind: str = ""
    fields: Mapping[str, Any] = field(default_factory=dict)
    scores: Mapping[str, tuple[float, str]] = field(default_factory=dict)
    explicit: bool = False
    source: str = ""
    session: str = ""
    run: str = ""


@dataclass(frozen=True, slots=True)
class _Offer:
    """A request, read: the text without its inline tags, and what they said."""

    request: RememberRequest
    text: str
    kind: Kind
    fields: dict[str, Any]
    given: dict[Dimension, Rating]
    claimed: float | None


async def remember(workspace: Workspace, request: RememberRequest) -> dict[str, Any]:
    """Keep a text or refuse it, with every dimension and its basis; the reply is sent once it is durable."""
    offer = _read(request)
    role = await workspace.role(request.role)
    async with role.turn:
        await workspace.refresh(role)
        workspace.scorings.check(workspace.settings.limits, workspace.ports.now())
        reply, done = _decide(workspace, role, offer)
    await done
    return reply


async def score(workspace: Workspace, request: RememberRequest) -> dict[str, Any]:
    """Judge a text as remember would, and store nothing."""
    offer = _read(request)
    role = await workspace.role(request.role)
    async with role.turn:
        await workspace.refresh(role)
        now_s = workspace.ports.now()
        workspace.scorings.check(workspace.settings.limits, now_s)
        _check_size(workspace, role, offer)
        verdict = _judge(workspace, role, offer)
        older = role.prints.find(offer.text)
        reply = _reply(verdict, "duplicate" if older else ("would store" if verdict.keep else "refused"), older)
        workspace.scorings.add(now_s)
        done = workspace.commit(
            lambda n: [_score_line(workspace, role, n, offer, verdict, "", now_s)],
            at_s=now_s,
            roll_back=workspace.scorings.drop,
        )
    await done
    return reply


def _read(request: RememberRequest) -> _Offer:
    inline = read_inline(request.content)
    text = inline.content
    if not text.strip():
        raise BadMemoryError("the content is empty")
    if request.kind and request.kind not in Kind.__members__.values():
        raise BadParamsError(f"kind: {request.kind!r} is none of {', '.join(Kind)}")
    if request.source and request.source not in Source.__members__.values():
        raise BadParamsError(f"source: {request.source!r} is none of {', '.join(Source)}")
    fields = dict(request.fields)
    validity = fields.get("validity") or inline.validity
    if validity and validity not in VALIDITY_WORDS:
        raise BadParamsError(f"validity: {validity!r} is none of {', '.join(VALIDITY_WORDS)}")
    fields["validity"] = VALIDITY_WORDS[validity].value if validity else ""
    fields["tags"] = list(dict.fromkeys([*(fields.get("tags") or ()), *inline.tags]))
    given: dict[Dimension, Rating] = {}
    for name, (value, basis) in request.scores.items():
        given[check_name(name)] = Rating(check_value(name, value), True, basis or "given without a basis")
    kind = Kind(request.kind) if request.kind else infer_kind(text)
    return _Offer(request, text, kind, fields, given, inline.score)


def _decide(workspace: Workspace, role: Role, offer: _Offer) -> tuple[dict[str, Any], asyncio.Future[None]]:
    now_s = workspace.ports.now()
    remarks = _check_size(workspace, role, offer)
    verdict = _judge(workspace, role, offer)
    older = role.prints.find(offer.text)
    if older:
        reply, build = _duplicate(workspace, role, offer, verdict, older, now_s)
    elif verdict.keep:
        reply, build = _store(workspace, role, offer, verdict, now_s)
    else:
        reply, build = _refuse(workspace, role, offer, verdict, now_s)
    if remarks or verdict.remarks:
        reply["remarks"] = [*remarks, *verdict.remarks]
    workspace.scorings.add(now_s)
    return reply, workspace.commit(build, at_s=now_s, roll_back=workspace.scorings.drop)


def _judge(workspace: Workspace, role: Role, offer: _Offer) -> Verdict:
    curated = workspace.curated.look(workspace.tree)
    source = Source(offer.request.source) if offer.request.source else None
    assessed = assess(Offered(offer.text, source, str(offer.fields["validity"]), curated), role.compiled)
    given = dict(offer.given)
    if offer.claimed is not None:
        for one in Dimension:
            given.setdefault(one, Rating(offer.claimed, True, f"from the claimed total {offer.claimed:g}"))
    return judge(assessed, given, explicit=offer.request.explicit, settings=workspace.settings_of(role).gate)


def _check_size(workspace: Workspace, role: Role, offer: _Offer) -> list[str]:
    limits = workspace.settings_of(role).limits
    size = len(offer.text)
    if size <= limits.memory_chars:
        return []
    error = LimitExceededError("memory_chars", "this memory", size, limits.memory_chars, unit="characters")
    if limits.long_memory == "refuse":
        raise error
    return [f"warning: {error}"]


def _store(
    workspace: Workspace, role: Role, offer: _Offer, verdict: Verdict, now_s: float
) -> tuple[dict[str, Any], Any]:
    request = offer.request
    memory_id = workspace.ports.new_id()
    come_from = Provenance(request.source, request.session, request.run)
    record = new_record(
        offer.kind,
        memory_id,
        {"content": offer.text, **offer.fields},
        come_from,
        score=verdict.total,
        now_s=now_s,
        ms=role.document.style.ms,
    )
    limits = workspace.settings_of(role).limits
    size = len(dumps(record).encode()) + 64
    check_role(role, limits, size)
    line = dump_line(
        offer.text,
        tags=tuple(offer.fields["tags"]),
        memory_id=memory_id,
        total=verdict.total,
        validity=str(offer.fields["validity"]),
        now_s=now_s,
    )
    sizes = workspace.memory_dir.look(workspace.tree, workspace.ports.monotonic())
    check_memory_dir(sizes, limits, len(line.encode()) + 600)
    reply = _reply(verdict, "stored", memory_id, stored=True)
    reply["kind"] = offer.kind.value
    reply["receipt"] = {"file": memory_file(role.name), "digest": hashlib.sha256(canonical(record)).hexdigest()}

    def build(n: int) -> list[Operation]:
        operations: list[Operation] = [
            Change(role.name, offer.kind, memory_id, None, record),
            Line(DECLARATIVE, line, HEADER),
            _score_line(workspace, role, n, offer, verdict, memory_id, now_s),
        ]
        if verdict.remarks:
            value = {"what": "score_far_apart", "role": role.name, "id": memory_id, "remarks": list(verdict.remarks)}
            operations.append(workspace.record(AUDIT, n, value, now_s))
        return operations

    return reply, build


def _duplicate(
    workspace: Workspace, role: Role, offer: _Offer, verdict: Verdict, older: str, now_s: float
) -> tuple[dict[str, Any], Any]:
    """The older memory stays; keys and tags that it lacks are added to it."""
    memory = role.compiled.memories[older]
    before = role.raw(memory.kind, older)
    added = {
        word: [*old, *new]
        for word, old in (("keys", memory.keys), ("tags", memory.tags), ("topics", memory.topics))
        if (new := [one for one in offer.fields.get(word) or () if one not in old])
    }
    reply = _reply(replace(verdict, keep=False), "duplicate", older)
    reply["reason"] = f"memory {older} says the same" + (f"; it got {', '.join(added)}" if added else "")
    reply["hint"] = "Change the older memory with memory.update if it should say more."

    def build(n: int) -> list[Operation]:
        operations: list[Operation] = [
            _score_line(workspace, role, n, offer, verdict, older, now_s),
            workspace.record(AUDIT, n, {"what": "duplicate", "role": role.name, "id": older}, now_s),
        ]
        if added and before is not None:
            after = changed_record({"id": older, **before}, memory.kind, added, now_s=now_s, ms=role.document.style.ms)
            operations.append(Change(role.name, memory.kind, older, before, after))
        return operations

    return reply, build


def _refuse(
    workspace: Workspace, role: Role, offer: _Offer, verdict: Verdict, now_s: float
) -> tuple[dict[str, Any], Any]:
    value = {
        "what": "refused",
        "role": role.name,
        "total": verdict.total,
        "reason": verdict.reason,
        "text": offer.text[:EXCERPT_CHARS],
        "remarks": list(verdict.remarks),
    }

    def build(n: int) -> list[Operation]:
        return [
            _score_line(workspace, role, n, offer, verdict, "", now_s),
            workspace.record(AUDIT, n, value, now_s),
        ]

    return _reply(verdict, "refused", ""), build


def _score_line(
    workspace: Workspace, role: Role, n: int, offer: _Offer, verdict: Verdict, memory_id: str, now_s: float
) -> Line:
    value = {
        "role": role.name,
        "id": memory_id,
        "session": offer.request.session,
        "total": verdict.total,
        "computed_total": verdict.computed_total,
        "explicit": offer.request.explicit,
        "dimensions": _dimensions(verdict),
    }
    day = max(workspace.scorings.day, to_day(now_s))
    return workspace.record(f"{SCORES}/{day}.jsonl", n, value, now_s)


def _dimensions(verdict: Verdict) -> dict[str, dict[str, Any]]:
    return {
        one.value: {"value": rating.value, "given": rating.given, "basis": rating.basis}
        for one, rating in verdict.ratings.items()
    }


def _reply(verdict: Verdict, word: str, memory_id: str, *, stored: bool = False) -> dict[str, Any]:
    return {
        "stored": stored,
        "id": memory_id or None,
        "total": verdict.total,
        "computed_total": verdict.computed_total,
        "band": verdict.band.value,
        "dimensions": _dimensions(verdict),
        "verdict": word,
        "reason": verdict.reason,
        "hint": verdict.hint,
        "receipt": None,
    }
