"""Made from the declarations by `make docs`: change those, not this."""

from __future__ import annotations

from msgspec import Struct


class TriedSettings(Struct, kw_only=True, omit_defaults=True):
    """Settings of the table `trigger` to be tried; where one is missing it is as in force."""

    relevance_threshold: float | None = None
    max_episodic: int | None = None
    max_semantic: int | None = None
    max_trait: int | None = None
    max_goal: int | None = None
