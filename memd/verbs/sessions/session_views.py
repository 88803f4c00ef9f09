"""How replies show a session, and an event that was appended."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from memd.store.work.session_log import SessionLog


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
        "role": opened.get("role", None),
        "title": opened.get("title", None),
        "origin": opened.get("from", None),
        "engine": opened.get("engine", None),
        "opened_at": opened["at"] if opened else None,
        "damaged": log.totals.damaged or None,
        "foreign": log.totals.foreign or None,
        "twice": log.totals.twice or None,
    }
