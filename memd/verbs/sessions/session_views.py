"""How replies show a session, and an event that was appended."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from memd.verbs.declared import Reply

if TYPE_CHECKING:
    from memd.store.work.session_log import SessionLog


class Origin(Struct):
    """Where a session comes from."""

    session: str
    how: Annotated[str, Meta(description="resume or fork")]
    at: Annotated[str, Meta(description="the event after which it goes another way")]


class SessionView(Reply, kw_only=True):
    """What a session comes to."""

    session: str
    file: str
    events: int
    visible: Annotated[int, Meta(description="events that a model is shown again")]
    closed: bool
    kinds: Annotated[dict[str, int], Meta(description="how many events of each kind there are")]
    usage: Annotated[dict[str, float], Meta(description="input_tokens, output_tokens, ..., cost, calls; no zeros")]
    last_at: str
    runs: list[str]
    bytes: int
    role: str | UnsetType = UNSET
    title: str | UnsetType = UNSET
    origin: Origin | UnsetType = msgspec.field(default=UNSET, name="from")
    engine: str | UnsetType = UNSET
    opened_at: str | UnsetType = UNSET
    damaged: Annotated[int, Meta(description="lines that cannot be read")] | UnsetType = UNSET
    foreign: Annotated[int, Meta(description="lines that somebody else wrote")] | UnsetType = UNSET
    twice: Annotated[int, Meta(description="lines that stand there again")] | UnsetType = UNSET


class AppendedEvent(Struct, forbid_unknown_fields=True):
    """An event that was appended."""

    id: str
    seq: Annotated[int, Meta(description="its place in the session, from 1")]
    raw_tool_call: (
        Annotated[dict[str, Any], Meta(description="a tool call that was written as text, and what became of it")]
        | UnsetType
    ) = UNSET


def fields_of(log: SessionLog) -> dict[str, Any]:
    """Return the fields of a SessionView; what a session's first line has is told as it stands there."""
    opened = log.totals.opened
    return {
        "session": log.name,
        "file": log.file,
        "events": len(log),
        "visible": len(log.visible),
        "closed": log.totals.closed,
        "kinds": dict(log.totals.kinds),
        "usage": log.totals.usage.view(),
        "last_at": log.totals.last_at,
        "runs": list(log.runs),
        "bytes": len(log.data),
        "role": opened.get("role", UNSET),
        "title": opened.get("title", UNSET),
        "origin": opened.get("from", UNSET),
        "engine": opened.get("engine", UNSET),
        "opened_at": opened["at"] if opened else UNSET,
        "damaged": log.totals.damaged or UNSET,
        "foreign": log.totals.foreign or UNSET,
        "twice": log.totals.twice or UNSET,
    }
