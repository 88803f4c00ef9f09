"""Write the TOML files that memd itself makes, and change a person's memd.toml with its comments kept."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any


def dump_table(about: str, values: Mapping[str, Any]) -> str:
    """Return the text of a TOML file that is new: a line of comment that says what it is, then its values."""
    import tomli_w  # noqa: PLC0415  few ways of starting write TOML

    return f"# {about}\n{tomli_w.dumps(values)}"


def dump_project_profile(project: str, person: str) -> str:
    """Return a role.toml of a project's memory, linked to a person's own."""
    about = "The memory of a project; agents in a checkout of it are given it (docs/scopes.md)."
    link = {"role": person, "weight": 1.0}
    return dump_table(about, {"display_name": project, "project": project, "link": [link]})


def dump_profile(display_name: str, *, fiction: bool = False) -> str:
    """Return a role.toml that names its role, and says where it is a character or a story."""
    about = "What this role is called; see docs/workspace.md for aliases and links."
    values: dict[str, Any] = {"display_name": display_name} if display_name else {}
    return dump_table(about, values | ({"fiction": True} if fiction else {}))


def set_value(text: str, table: str, key: str, value: Any) -> str:
    """Return the TOML text with one value set; everything else keeps its bytes."""
    import tomlkit  # noqa: PLC0415  it takes longer to import than all of this room, and is seldom needed

    mark = "\ufeff" if text.startswith("\ufeff") else ""
    document = tomlkit.parse(text.removeprefix(mark))
    section = document.setdefault(table, tomlkit.table())
    section[key] = value
    return mark + tomlkit.dumps(document)


def without_value(text: str, table: str, key: str) -> str:
    """Return the TOML text without one value that it sets; a comment behind it stays in its place, everything else keeps its bytes."""
    import tomlkit  # noqa: PLC0415  as above

    mark = "\ufeff" if text.startswith("\ufeff") else ""
    document = tomlkit.parse(text.removeprefix(mark))
    sign = "0" * 40  # on a line of its own, however long the value was
    while sign in text:
        sign += "0"
    document[table][key] = sign
    lines = tomlkit.dumps(document).splitlines(keepends=True)
    at = next(number for number, line in enumerate(lines) if sign in line)
    before, _, behind = lines[at].partition(f'"{sign}"')
    if re.fullmatch(r"\s*[\w.\"'-]+\s*=\s*", before):
        lines[at] = behind.lstrip() if behind.lstrip().startswith("#") else ""
        return mark + "".join(lines)
    del document[table][key]  # it stands among others in one line
    return mark + tomlkit.dumps(document)


def dump_empty_profile() -> str:
    """Return a role.toml that says nothing yet."""
    return "# What this role is called and how it differs; see docs/workspace.md.\n"
