"""Write the TOML files that memd itself makes, and change a person's memd.toml with its comments kept."""

from __future__ import annotations

from typing import Any


def dump_profile(display_name: str) -> str:
    """Return a role.toml that names its role."""
    import tomlkit  # noqa: PLC0415  it takes longer to import than all of this room, and is seldom needed

    document = tomlkit.document()
    document.add(tomlkit.comment("What this role is called; see docs/workspace.md for aliases and links."))
    document["display_name"] = display_name
    return tomlkit.dumps(document)


def set_value(text: str, table: str, key: str, value: Any) -> str:
    """Return the TOML text with one value set; everything else keeps its bytes."""
    import tomlkit  # noqa: PLC0415  as above

    mark = "\ufeff" if text.startswith("\ufeff") else ""
    document = tomlkit.parse(text.removeprefix(mark))
    section = document.setdefault(table, tomlkit.table())
    section[key] = value
    return mark + tomlkit.dumps(document)


def dump_empty_profile() -> str:
    """Return a role.toml that says nothing yet."""
    return "# What this role is called and how it differs; see docs/workspace.md.\n"
