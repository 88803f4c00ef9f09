"""Offers that words judged alone, as they are offered again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memd.model.memory import Dimension, Kind, Rating
from memd.service.judging.offers import Offer, RememberRequest


def offer_of(entry: Mapping[str, Any]) -> Offer:
    """Return a held offer as it is offered again; it is none of the day's scorings."""
    kind = entry.get("kind")
    fields = {"validity": "", "tags": [], **entry.get("fields", {})}
    request = RememberRequest(
        role=str(entry["role"]),
        content=str(entry["content"]),
        kind=str(entry.get("asked_kind", "")),
        fields=fields,
        scores={name: (value, basis) for name, (value, basis) in entry.get("scores", {}).items()},
        explicit=bool(entry.get("explicit")),
        source=str(entry.get("source", "")),
        session=str(entry.get("session", "")),
        run=str(entry.get("run", "")),
        id=str(entry["id"]),
        put=True,
    )
    given = {Dimension(name): Rating(value, True, basis) for name, (value, basis) in request.scores.items()}
    known = Kind(str(kind)) if kind in Kind.__members__.values() else Kind.SEMANTIC
    return Offer(request, request.content, known, fields, given, entry.get("claimed"))
