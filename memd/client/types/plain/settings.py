"""Made from the declarations by `make docs`: change those, not this."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from memd.client.types.plain.declared import Reply


class AskView(Struct, kw_only=True, omit_defaults=True):
    """Something that the workspace asks this machine for."""

    name: str
    value: Any
    file: str
    line: int
    gives_up: str
    """What is protected no more where it is granted."""
    granted: bool
    in_force: Any


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


class SettingView(Struct, kw_only=True, omit_defaults=True):
    """A setting as it is declared, and where it is set."""

    key: str
    kind: str
    """Bool, int, float or str."""
    words: str
    default: Any
    value: Any
    """In force."""
    file: str
    """Which sets it; empty: it has its default."""
    line: int
    """Of the file, from 1; 0: it has its default."""
    of_role: bool
    """A role may have its own."""
    choices: list[str]
    """All that it may be; empty: others too."""
    low: float | None = None
    high: float | None = None
    gives_up: str | None = None
    """What a value that weakens it gives up, which only this machine grants."""
    asked: Any | None = None
    """What the file says, where it weakens a protection."""
    granted: bool | None = None
    """This machine lets that hold."""
    grant: str | None = None
    """The command that would let it hold."""


class SettingsInForce(Reply, kw_only=True):
    """Settings by table."""

    settings: dict[str, dict[str, Any]]
    faults: list[str]
    """Of a memd.toml that is not in force."""
    asked_in_vain: list[AskView]
    role: str | None = None
    own: dict[str, dict[str, Any]] | None = None
    """What the role's own file sets."""
    declared: list[SettingView] | None = None
    """In their order."""
    tables: dict[str, str] | None = None
    """What each table is about."""
    file: str | None = None
    """Memd.toml, or the role's own."""
    text: str | None = None
    """Of that file as it is now; empty where there is none."""


class SettingChanged(Reply, kw_only=True):
    """A setting as it is now, and whether this machine lets it be in force."""

    key: str
    value: Any
    before: Any
    was_set: bool
    """That file set it before."""
    file: str
    in_force: bool
    hint: str | None = None
