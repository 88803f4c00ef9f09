"""How a text was judged, as several replies tell it: the six dimensions with what they rest on, and their total."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from memd.protocol.views import NEAR_CHARS, NearText


def nearest_texts(waiting: Iterable[Mapping[str, Any]], most: int) -> list[NearText]:
    """Return those of the inbox that are nearest to being kept, the nearest first."""
    nearest = sorted(waiting, key=lambda one: -one["total"])[:most]
    return [NearText(one["id"], str(one.get("role", "")), one["total"], one["content"][:NEAR_CHARS]) for one in nearest]
