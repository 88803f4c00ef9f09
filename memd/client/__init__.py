"""What other programs import to talk to a daemon: `Client` blocks, `AsyncClient` awaits. Every call has a deadline.

    with Client.of_workspace("my-memory") as memd:
        memd.remember(role="main", content="I prefer tabs.", source="user")
        print(memd.trigger(role="main", message="Tabs or spaces here?").content)

Every method of the protocol is a typed one of the same name, made from the declarations; `call` takes any by its name.

Errors
    All are MemdError. DaemonMissingError where nobody listens; DaemonLostError where the daemon ended while it was asked to
    change something, and nobody knows whether it did; DeadlineError where no answer came in time (the request may have been
    carried out); BadSocketError where somebody else listens, BadReplyError where it is no memd; ProtocolVersionError where it
    is too old a one; ClientClosedError after `close`. What the daemon answers is a RemoteError with its code and hint, and
    of the class that has this code, so that `except MemoryUnknownError` catches it too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from memd.client.blocking import Client
from memd.client.wire import find_workspace
from memd.whereabouts import socket_of, surroundings

if TYPE_CHECKING:
    from memd.client.awaiting import AsyncClient

__all__ = ["AsyncClient", "Client", "find_workspace", "socket_of", "surroundings"]


def __getattr__(name: str) -> Any:
    """Import the client that awaits where it is asked for: asyncio costs a script that blocks more than all else here."""
    if name != "AsyncClient":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from memd.client.awaiting import AsyncClient  # noqa: PLC0415  as said above

    return AsyncClient
