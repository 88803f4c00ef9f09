"""The verb that tells what memd did lately."""

from __future__ import annotations

from typing import Any

import click

from memd.cli.options.asking import asks
from memd.cli.reach import ask, json_option, workspace_option
from memd.cli.show import Part, emit, table
from memd.cli.tables import cut_text, whole_text


@click.command("log")
@asks("log")
@json_option
@workspace_option
def log_command(as_json: bool, workspace: str, **asked: Any) -> None:
    """Tell what memd did lately, the newest first, each with the command that takes it back.

    \b
    memd log
    memd log --role main --limit 50
    memd log --offset 50 --json
    """
    reply = ask(workspace, "log", **asked)
    rows = [
        (
            one["at"][:16].replace("T", " "),
            one["role"],
            one["what"],
            f"memd {one['undo']}" if one.get("undo") else "",
            one["text"],
        )
        for one in reply["happened"]
    ]
    heads = ("at (UTC)", "role", whole_text("what"), whole_text("take it back"), cut_text("text"))
    parts: list[Part] = [table(heads, rows)] if rows else ["Nothing happened yet."]
    if reply["more"]:
        parts.append(f"There is more: --offset {asked['offset'] + len(rows)}")
    emit(reply, as_json, *parts)
