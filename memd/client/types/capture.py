"""Made from the declarations by `make docs`: change those, not this."""

from __future__ import annotations

from memd.client.types.plain.declared import Reply


class CaptureLevel(Reply, kw_only=True):
    """What is kept of conversations here."""

    level: str
    """In force on this machine."""
    asked: str
    """What memd.toml says."""
    granted: str
    """How far this machine has raised it for this workspace; empty: not at all."""
    paused_until: str
    """Nothing is kept until then; empty: it is not paused."""
    model: str
    """The address of what is asked at a session's end; empty: nothing is."""
    model_trouble: str
    """Why it did not answer last; empty: it did, or was not asked."""


class CapturePaused(Reply, kw_only=True):
    """Until when nothing of conversations is kept."""

    paused_until: str
