"""Made from the declarations by `make docs`: change those, not this."""

from __future__ import annotations

from msgspec import Struct


class AgentHooks(Struct, kw_only=True, omit_defaults=True):
    """What of memd's hooks an agent of this machine reads."""

    agent: str
    """Claude, codex, gemini, vscode."""
    state: str
    """Partly: not for every event; broken: they start nothing, or for no workspace; elsewhere: they are for another workspace alone."""
    files: list[str]
    """That have them."""
    plugin: bool
    """Memd's plugin brings them."""
    lacking: list[str]
    """Events that have none."""
    faults: list[str]
    """What is wrong, a line each."""
    workspaces: list[str]
    """That their commands name."""


class SyncState(Struct, kw_only=True, omit_defaults=True):
    """How the branch stands to the other repository's, as git last heard; nobody is asked over the network."""

    why: str
    """It tells no more; empty where all is known."""
    detail: str
    """What git said where it refuses."""
    branch: str
    remote: str
    ahead: int
    """Commits that the remote does not have."""
    behind: int
    """Its commits that are not here."""
    uncommitted: int
    """Files of the workspace that are other than committed."""
    heard_at: str | None = None
    """When git last fetched."""
