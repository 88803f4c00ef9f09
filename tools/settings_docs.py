"""memd.toml with every setting commented, and the docs' tables of settings, from where settings are declared."""

from __future__ import annotations

import json
from collections.abc import Iterator

from memd.model.settings import OF_A_ROLE, Declared, declared, tables

TEMPLATE = "workspace-template/memd.toml"
HEAD = """\
# Settings of this memory. Every key is here with its default; an unknown key is an error, told with its line.
# What weakens a protection is a request: it holds where `memd trust` grants it on this machine.
# `memd config` shows what is in force, and `memd config KEY VALUE` changes a value and keeps these comments.
"""
LONG = 60  # characters of a line above which its words stand, not behind it


def template() -> str:
    """Return memd.toml with every setting at its default, its words behind it."""
    lines = {one: f"{one.key} = {_toml(one)}" for _, table, _ in tables() for one in declared(table)}
    column = max(len(line) for line in lines.values() if len(line) <= LONG) + 2
    text = HEAD
    for name, table, about in tables():
        text += f"\n{f'[{name}]':{column}}# {about}\n"
        for one in declared(table):
            line = lines[one]
            if len(line) > LONG:
                text += f"# {one.words}\n{line}\n"
            else:
                text += f"{line:{column}}# {one.words}\n" if one.words else f"{line}\n"
    return text


def _toml(one: Declared) -> str:
    return json.dumps(one.default, ensure_ascii=False)  # of these kinds, TOML is written as JSON is


def table(*names: str) -> Iterator[str]:
    """Yield the table of the settings in some tables of memd.toml, in all where none is named."""
    yield from ("| key | default | may be | of a role | |", "|---|---|---|---|---|")
    for name, kind, _ in tables():
        for one in declared(kind) if name in names or not names else ():
            default = _toml(one) if len(_toml(one)) <= LONG else "memd's own"
            of_a_role = "yes" if one.key in OF_A_ROLE.get(name, ()) else ""
            yield f"| `{name}.{one.key}` | `{default}` | {_values(one)} | {of_a_role} | {one.words} |"


def _values(one: Declared) -> str:
    if one.choices:
        return ", ".join(f"`{word}`" for word in one.choices)
    if one.bounds:
        return f"{one.bounds.low} to {one.bounds.high}" + (", whole" if one.kind is int else "")
    return "true, false" if one.kind is bool else "a text"
