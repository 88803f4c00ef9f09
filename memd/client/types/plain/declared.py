"""Made from the declarations by `make docs`: change those, not this."""

from __future__ import annotations

from msgspec import Struct


class Reply(Struct, kw_only=True, omit_defaults=True):
    """What is answered. A field that is UNSET is not sent."""

    remarks: list[str] | None = None
    """What became of the request on its way."""
