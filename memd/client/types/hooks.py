"""Made from the declarations by `make docs`: change those, not this."""

from __future__ import annotations

from memd.client.types.plain.declared import Reply


class AttendedEvent(Reply, kw_only=True):
    """What an agent is told."""

    text: str
    """For its window, at most 9,500 UTF-16 units."""
    action: str
    """On a call of a tool."""
    reason: str
    """Why a call is denied, and what to do instead."""
    elsewhere: str
    """The workspace that has this directory's memory, to be asked next."""
    session: str
    """Of memd's, that the event goes into; empty where it was answered before."""
    status: str
    """A line for the person where a window begins: whether memory is on, and what waits for them."""
