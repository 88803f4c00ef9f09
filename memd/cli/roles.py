"""Verbs about roles."""

from __future__ import annotations

import os
import shlex
from typing import Any

import click

from memd.cli.options import asks
from memd.cli.reach import ask, ask_all, json_option, workspace_option
from memd.cli.show import emit, own, table
from memd.cli.tables import cut_text
from memd.cli.verbs import Family


@click.group("role", cls=Family)
def role_command() -> None:
    """List roles, make one, or tell whose memory a directory gets."""


@role_command.command("list")
@json_option
@workspace_option
def role_list(as_json: bool, workspace: str) -> None:
    """List the roles of the workspace.

    \b
    memd role list
    """
    reply = ask_all(workspace, "role.list", "roles")
    rows = [
        (one["name"], one["display_name"] or "-", one["memories"], one["constant"], _about(one))
        for one in reply["roles"]
    ]
    heads = ("role", cut_text("called"), "memories", "constant", "")
    emit(reply, as_json, table(heads, rows), *(" ".join(one.split()) for one in reply["rejected"]))


@role_command.command("of")
@click.argument("directory", default=".", metavar="[DIR]")
@json_option
@workspace_option
def role_of(directory: str, as_json: bool, workspace: str) -> None:
    """Tell whose memory an agent in DIR gets, and why: what hooks, MCP and `@DIR` as a role answer by.

    \b
    memd role of
    memd role of ~/src/web --workspace ~/my-memory
    memd remember @ "We release on Thursdays."
    """
    from memd.client import find_workspace
    from memd.storage.checkouts import look_at

    path = find_workspace(workspace)
    place = look_at(directory, path)
    said: dict[str, Any] = {"project": place.project, "named": place.named, "mark": place.mark}
    reply = ask(path, "role.of", **said)
    reply["directory"], reply["workspace"] = os.path.realpath(directory), reply["elsewhere"] or path
    steps = [f"{place.named_why} names {place.named}" if place.named else place.named_why] if place.named_why else []
    steps.append(f"{place.why} has the origin {place.project}" if place.project else place.why)
    reply["steps"] = [*steps, *reply["steps"]]
    whose = (
        f"{reply['role']} in {reply['workspace']}"
        if not reply["elsewhere"]
        else f"{reply['address']} in {reply['workspace']}"
    )
    lines = [f"{number}. {one}" for number, one in enumerate(reply["steps"], 1)]
    untrusted = place.named and not reply["made"] and reply["role"] != place.named
    lines += [own(f"`memd role trust {shlex.quote(directory)}` lets that file count here.")] if untrusted else []
    emit(reply, as_json, whose, *lines)


@role_command.command("trust")
@click.argument("directory", default=".", metavar="[DIR]")
@click.option("--revoke", is_flag=True, help="Trust it no longer.")
@json_option
@workspace_option
def role_trust(directory: str, revoke: bool, as_json: bool, workspace: str) -> None:
    """Let the `.memd-role` of DIR count on this machine, as it is now: a changed or moved file is asked about again.

    \b
    memd role trust ~/src/web
    memd role trust ~/src/web --revoke
    """
    from memd.config import place_of
    from memd.errors import TrustUnknownError
    from memd.service.granting import let_choose
    from memd.storage.checkouts import look_at
    from memd.storage.files import Tree
    from memd.store.trust import Trust

    place = place_of(workspace)
    found = look_at(directory, place.workspace)
    if not found.named:
        raise TrustUnknownError(".memd-role", found.named_why or "not there", "a file that names a role")
    tree = Tree(place.workspace)
    try:
        let_choose(tree, Trust(place.state), found.mark, "" if revoke else found.named)
    finally:
        tree.close()
    word = "counts no longer" if revoke else f"counts: its directory gets the memory of {found.named}"
    emit({"file": found.named_why, "role": found.named, "trusted": not revoke}, as_json, f"{found.named_why} {word}")


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
