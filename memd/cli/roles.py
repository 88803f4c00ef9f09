"""Verbs about roles."""

from __future__ import annotations

from typing import Any

import click

from memd.cli.families import Family
from memd.cli.options.asking import asks
from memd.cli.reach import ask, json_option, workspace_option
from memd.cli.show import emit, table
from memd.cli.tables import cut_text


@click.group("role", cls=Family)
def role_command() -> None:
    """List roles, or make one."""


@role_command.command("list")
@json_option
@workspace_option
def role_list(as_json: bool, workspace: str) -> None:
    """List the roles of the workspace.

    \b
    memd role list
    """
    reply = ask(workspace, "role.list")
    rows = [
        (one["name"], one["display_name"] or "-", one["memories"], one["constant"], _about(one))
        for one in reply["roles"]
    ]
    heads = ("role", cut_text("called"), "memories", "constant", "")
    emit(reply, as_json, table(heads, rows), *reply["rejected"])


@role_command.command("create")
@asks("role.create", "name")
@json_option
@workspace_option
def role_create(as_json: bool, workspace: str, **asked: Any) -> None:
    """Make a role with an empty memory.

    \b
    memd role create 小雨 --display-name "小雨的英语老师"
    memd role create varn --fiction
    """
    reply = ask(workspace, "role.create", **asked)
    emit(reply, as_json, f"made {reply['file']}")


def _about(role: dict[str, Any]) -> str:
    """Return what else a person needs to know of a role."""
    said = ("fiction" if role["fiction"] else "", f"rejected: {role['rejected']}" if role["rejected"] else "")
    return "; ".join(one for one in said if one)
