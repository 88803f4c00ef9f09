"""Made from the declarations by `make docs`: change those, not this."""

from __future__ import annotations

from msgspec import Struct


class SectionView(Struct, kw_only=True, omit_defaults=True):
    """A section of a prompt."""

    name: str
    title: str
    content: str
