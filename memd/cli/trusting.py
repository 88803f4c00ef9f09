"""The verb with which this machine's user says what a workspace may: trust. No door grants anything, only this verb."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from memd.cli.reach import json_option, workspace_option
from memd.cli.show import Part, emit, table
from memd.cli.tables import whole_text

if TYPE_CHECKING:
    from memd.model.trust import Ask
    from memd.store.trust import Trust


@click.command("trust")
@click.option("--grant", "grants", multiple=True, metavar="NAME|all", help="Let it hold here; again for another.")
@click.option("--revoke", "revokes", multiple=True, metavar="NAME|all", help="Let it hold here no longer.")
@json_option
@workspace_option
def trust_command(grants: tuple[str, ...], revokes: tuple[str, ...], as_json: bool, workspace: str) -> None:
    """Show what a workspace asks for that weakens a protection, and grant it on this machine, or take that back.

    A workspace may be a stranger's: what weakens holds only where you say so here. A grant is kept outside of it, for this
    path and this copy of it alone, and for the value you saw. A running daemon follows at once.

    \b
    memd trust
    memd trust --grant gate.scan
    memd trust --grant links --grant nora/books.scan
    memd trust --revoke all
    """
    from memd.config import place_of
    from memd.service.asking import asks_of
    from memd.service.granting import change
    from memd.storage.files import Tree
    from memd.store.trust import Trust

    place = place_of(workspace)
    tree = Tree(place.workspace)
    try:
        trust = Trust(place.state)
        trust.look(tree)
        if grants or revokes:
            change(tree, trust, grants, revokes)
        asks = asks_of(tree, trust.trusted)
        reply = _reply(place.workspace, trust, asks)
    finally:
        tree.close()
    emit(reply, as_json, *_parts(reply))


def _reply(workspace: str, trust: Trust, asks: list[Ask]) -> dict[str, Any]:
    from memd.service.asking import sentence, view

    known = trust.trusted
    return {
        "workspace": workspace, "state": trust.folder, "fault": trust.fault, "asked": [view(one) for one in asks],
        "granted": dict(known.granted), "approved": len(known.approved), "said": sentence(asks),
        "daemon_elsewhere": _daemon_elsewhere(workspace, trust.folder),
    }  # fmt: skip


def _daemon_elsewhere(workspace: str, state: str) -> str:
    """Return where a running daemon looks instead, "" where it looks here or none runs."""
    from memd.client import Client
    from memd.errors import MemdError

    try:
        with Client.of_workspace(workspace) as client:
            theirs = str(client.call("status")["trust"]["state"])
    except (MemdError, LookupError, TypeError):
        return ""
    return "" if theirs == state else theirs


def _parts(reply: dict[str, Any]) -> list[Part]:
    rows = [
        (
            one["name"],
            one["value"],
            f"{one['file']}:{one['line']}",
            "granted" if one["granted"] else "not granted",
            one["gives_up"],
        )
        for one in reply["asked"]
    ]
    nothing = "This workspace asks for nothing that weakens a protection."
    heads = ("name", whole_text("value"), "asked in", "", whole_text("what it gives up"))
    lines: list[Part] = [table(heads, rows) if rows else nothing]
    idle = [name for name in reply["granted"] if name not in {one["name"] for one in reply["asked"] if one["granted"]}]
    lines += [f"granted and not asked for so: {', '.join(idle)}"] if idle else []
    lines += [f"texts approved on this machine: {reply['approved']}"] if reply["approved"] else []
    lines += [f"nothing is granted: {reply['fault']}"] if reply["fault"] else []
    elsewhere = reply["daemon_elsewhere"]
    lines += [f"the daemon that runs looks elsewhere: {elsewhere}; start it with this environment"] if elsewhere else []
    return lines
