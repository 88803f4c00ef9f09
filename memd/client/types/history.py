"""Made from the declarations by `make docs`: change those, not this."""

from __future__ import annotations

from msgspec import Struct


class Past(Struct, kw_only=True, omit_defaults=True):
    """One text of a subject: how it came to be or went, when ("" where nobody knows), the memory that said it, and the time of its event."""

    how: str
    at: str
    id: str
    content: str
    event: str
