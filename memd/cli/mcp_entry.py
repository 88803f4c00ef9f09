"""`memd mcp` on standard input and output, as agents start it: without click, for an agent waits for it at every window.

What is asked otherwise (--http, --print, --help, a word that is wrong, a workspace that is none) is the command line's.
"""

from __future__ import annotations

import signal
from collections.abc import Sequence
from typing import NamedTuple

from memd.cli.starting import BlockingWay, place_here
from memd.client import find_workspace
from memd.doors.mcp.stdio import serve
from memd.errors import MemdError

WORKSPACE, ROLE = ("--workspace", "-w"), ("--role",)


class Asked(NamedTuple):
    """Whom to serve."""

    workspace: str = ""
    role: str = ""
    starts: bool = True


def main(arguments: Sequence[str]) -> bool:
    """Serve until the client closes its end; False where this is not for here, and nothing was done."""
    asked = read(arguments)
    if asked is None:
        return False
    try:
        workspace = find_workspace(asked.workspace)
    except MemdError:
        return False  # and is told there
    serve_here(asked._replace(workspace=workspace))
    return True


def serve_here(asked: Asked) -> None:
    """Serve whoever is at the other end of standard input, until it closes it."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # nothing is to be closed
    place = {} if asked.role else place_here(asked.workspace)
    way = BlockingWay(asked.workspace, starts=asked.starts)
    serve(way, asked.role, place, lambda path: BlockingWay(path, starts=asked.starts))


def read(arguments: Sequence[str]) -> Asked | None:
    """Return what the words behind `memd mcp` ask for, None where it is more than to serve on standard input."""
    found, left = Asked(), list(arguments)
    while left:
        name, equals, value = left.pop(0).partition("=")
        if name == "--no-start" and not equals:
            found = found._replace(starts=False)
        elif name not in (*WORKSPACE, *ROLE) or not (left or equals) or (name == "-w" and equals):
            return None
        else:
            value = value if equals else left.pop(0)
            found = found._replace(role=value) if name in ROLE else found._replace(workspace=value)
    return found
