"""Made from the declarations by `make docs`: change those, not this."""

from __future__ import annotations

from msgspec import Struct


class JudgedDimension(Struct, kw_only=True, omit_defaults=True):
    """One of the six dimensions of a score."""

    value: float
    """0 to 10."""
    given: bool
    """Not assessed, but said."""
    basis: str
    weight: float
    """What it counts in the total; the six make 1."""


class JudgedTotal(Struct, kw_only=True, omit_defaults=True):
    """How one was judged."""

    total: int | float
    """0 to 10, one decimal."""
    computed_total: float
    """Before it was raised to that of an explicit instruction."""
    band: str
    """Where the total falls."""
    dimensions: dict[str, JudgedDimension]


class NearText(Struct, kw_only=True, omit_defaults=True):
    """A text that waits near the gate's edge."""

    id: str
    """For review.decide."""
    role: str
    total: float
    content: str
    """Its first 100 characters."""
