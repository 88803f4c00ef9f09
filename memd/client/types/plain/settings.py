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


class SettingsInForce(Reply, kw_only=True):
    """Settings by table."""

    settings: dict[str, dict[str, Any]]
    faults: list[str]
    """Of a memd.toml that is not in force."""
    asked_in_vain: list[AskView]
    role: str | None = None
    own: dict[str, dict[str, Any]] | None = None
    """What the role's own file sets."""


class SettingChanged(Reply, kw_only=True):
    """A setting as it is now, and whether this machine lets it be in force."""

    key: str
    value: Any
    before: Any
    file: str
    in_force: bool
    hint: str | None = None
