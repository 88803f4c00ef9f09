"""How a text was judged, as several replies tell it: the six dimensions with what they rest on, and their total."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

Band = Annotated[Literal["keep", "borderline", "discard"], Meta(description="where the total falls")]
# Whole where it is raised to a floor that the settings have as a whole number.
Total = Annotated[int | float, Meta(description="0 to 10, one decimal")]
Computed = Annotated[float, Meta(description="before it was raised to that of an explicit instruction")]


class JudgedDimension(Struct, forbid_unknown_fields=True):
    """One of the six dimensions of a score."""

    value: Annotated[float, Meta(description="0 to 10")]
    given: Annotated[bool, Meta(description="not assessed, but said")]
    basis: str
    weight: Annotated[float, Meta(description="what it counts in the total; the six make 1")]


class JudgedTotal(Struct, forbid_unknown_fields=True):
    """How one was judged."""

    total: Total
    computed_total: Computed
    band: Band
    dimensions: dict[str, JudgedDimension]


NEAR_CHARS = 100


class NearText(Struct, forbid_unknown_fields=True):
    """A text that waits near the gate's edge."""

    id: Annotated[str, Meta(description="for review.decide")]
    role: str
    total: float
    content: Annotated[str, Meta(description=f"its first {NEAR_CHARS} characters")]


def nearest_texts(waiting: Iterable[Mapping[str, Any]], most: int) -> list[NearText]:
    """Return those of the inbox that are nearest to being kept, the nearest first."""
    nearest = sorted(waiting, key=lambda one: -one["total"])[:most]
    return [NearText(one["id"], str(one.get("role", "")), one["total"], one["content"][:NEAR_CHARS]) for one in nearest]
