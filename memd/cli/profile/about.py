"""The verb that tells what is held of the user, or of somebody or something by a name."""

from __future__ import annotations

from shlex import quote
from typing import Any

import click

from memd.cli.options.asking import asks, given
from memd.cli.reach import ask, json_option, workspace_option
from memd.cli.show import Part, Strong, emit
from memd.cli.tables import Column, day, handle, listing, whole_text
from memd.cli.telling import counted

COLUMNS = (Column("id"), Column("since"), whole_text("memory"))


@click.command("about")
@asks(
    "profile",
    "subject",
    subject=given(required=False),
    role=given("--role", words="Whose memory; else hooks.role of memd.toml, else main."),
)
@json_option
@workspace_option
def about_command(as_json: bool, workspace: str, **asked: Any) -> None:
    """Tell what is known of you, or of a person, a thing, a project.

    Without SUBJECT it is you. Each line has its day and its id, with which `memd show`, `edit` and `forget` take it. What was
    replaced or has expired is left out; what waits in the inbox is not in it.

    \b
    memd about
    memd about Ana --role main
    memd about "my sister"
    memd about 小雨 --budget 8000
    """
    reply = ask(workspace, "profile", **asked)
    emit(reply, as_json, *_parts(reply))


def _parts(reply: dict[str, Any]) -> list[Part]:
    whom = {"user": "you", "role": f"the role {reply['role']}"}.get(reply["of"], reply["subject"])
    parts: list[Part] = []
    for one in reply["parts"]:
        rows = [_row(memory, reply["role"]) for memory in one["memories"]]
        parts += [(Strong(one["title"]),), listing(rows, *COLUMNS, indent=2)]
    if not reply["parts"]:
        parts.append(f"Nothing is known of {whom}.")
    else:
        of = f" as of {reply['as_of'][:10]}" if "as_of" in reply else ""
        left = f"; {reply['left_out']} left out: --budget shows more" if reply["left_out"] else ""
        parts += [
            "",
            f"{counted(reply['shown'], 'memory')} of {reply['known']} about {whom}{of}, role {reply['role']}{left}",
        ]
    parts += [*_beside(reply), *(f"note: {one}" for one in reply.get("notes", ()))]
    return parts


def _row(memory: dict[str, Any], role: str) -> tuple[Any, ...]:
    notes = [f"from {memory['role']}"] if memory["role"] != role else []
    notes += [memory["event"]] if memory.get("event") and memory["event"] not in memory["text"] else []
    notes += ["another says otherwise"] if memory.get("conflicts_with") else []
    tail = f" ({', '.join(notes)})" if notes else ""
    return handle(memory["id"]), day(memory.get("time")), memory["text"] + tail


def _beside(reply: dict[str, Any]) -> list[Part]:
    """Return what is told beside the memories: who may be meant, what is left out, what waits, what USER.md might have."""
    parts: list[Part] = []
    if several := reply.get("several"):
        parts.append(f"{reply['subject']} may be {' or '.join(several)}.")
    if reply["delicate"]:
        parts.append(f"{counted(reply['delicate'], 'memory')} left out as private of somebody else")
    if withheld := reply.get("withheld"):
        parts.append(f"{counted(len(withheld), 'memory')} withheld from prompts: memd review --memories")
    if reply["waiting"]:
        parts.append(f"{counted(reply['waiting'], 'text')} in the inbox, not in this: memd review")
    parts += [
        f"for USER.md, if you like ({one['what']}): memd curated add user {quote(one['text'])}"
        for one in reply.get("proposed", ())
    ]
    return parts
