"""Verbs with which a person looks after what memd did: review, verify."""

from __future__ import annotations

from typing import Any

import click

from memd.cli.options import asks, given
from memd.cli.reach import ask, ask_all, json_option, workspace_option
from memd.cli.show import Part, emit, own, table
from memd.cli.tables import Table, cut_text, day, handle, whole_text
from memd.cli.verbs import Family

NOT_SO = 1
KINDS = ("held", "waiting", "conflicts", "withheld")


@click.group("review", cls=Family, invoke_without_command=True)
@asks("review.list", without=("limit", "offset"), role=given(words="Only of this role."))
@json_option
@workspace_option
@click.pass_context
def review_command(context: click.Context, /, as_json: bool, workspace: str, **asked: Any) -> None:
    """See what waits for a person: texts that may instruct their reader, or hide characters; borderline texts in the
    inbox; memories that may say otherwise than older ones.

    \b
    memd review
    memd review show 1f0c2a9b
    memd review approve 1f0c2a9b
    memd review keep 1f0c2a9b                of the inbox: it is kept as if you had said it
    memd review edit 1f0c2a9b --content "The build needs Node 20."
    memd review drop 1f0c2a9b
    memd review newer 1f0c2a9b               of two that conflict; or older, or both
    memd review approve 77aa --role main     a memory in a file, as it stands
    """
    if context.invoked_subcommand:
        return
    reply = ask_all(workspace, "review.list", *KINDS, **asked)
    sections: list[list[Part]] = []
    if reply["held"]:
        sections.append([_held(reply["held"])])
    if reply.get("waiting"):
        rows = [
            (handle(one["id"]), one.get("role", ""), one["total"], day(one.get("at")), one["content"])
            for one in reply["waiting"]
        ]
        heads = ("id", "role", "total", "since", cut_text("text"))
        sections.append(["Borderline, in the inbox (keep, edit or drop):", table(heads, rows)])
    if reply.get("conflicts"):
        sections.append(["In conflict (newer, older or both):", _conflicts(reply["conflicts"])])
    if reply.get("withheld"):
        sections.append(["In files, withheld from prompts:", _held(reply["withheld"])])
    parts = [part for number, some in enumerate(sections) for part in ([""] if number else []) + some]
    emit(reply, as_json, *(parts or ["Nothing waits for review."]))


def _held(texts: list[dict[str, Any]]) -> Table:
    rows = [(handle(one.get("id", "")), one.get("role", ""), one["why"], one["content"]) for one in texts]
    return table(("id", "role", whole_text("why"), cut_text("text")), rows)


def _conflicts(found: list[dict[str, Any]]) -> Table:
    rows = [
        (
            one["id"], one["role"], day(one["newer"].get("at")), one["newer"]["content"],
            day(one["older"].get("at")), one["older"]["content"],
        )
        for one in found
    ]  # fmt: skip
    return table(("id", "role", "newer", cut_text("says"), "older", cut_text("said")), rows)


@review_command.command("show")
@click.argument("review_id", metavar="ID")
@json_option
@workspace_option
def show_held(review_id: str, as_json: bool, workspace: str) -> None:
    """Show whole what waits: a held text, one of the inbox, or two memories that conflict."""
    reply = ask_all(workspace, "review.list", *KINDS)
    known = [*reply["held"], *reply.get("waiting", ()), *reply.get("conflicts", ())]
    found = [one for one in known if str(one.get("id", "")).startswith(review_id)]
    if len(found) != 1:
        count = f"{len(found)} texts begin" if found else "nothing that waits begins"
        raise click.BadParameter(f"{count} with {review_id!r}; `memd review` lists them", param_hint="ID")
    one = found[0]
    head = f"{one['id']}\nrole {one.get('role', '')}, {one.get('at', '')}".rstrip(", ")
    if "newer" in one:
        said = [
            f"{side} ({one[side]['id']}, {one[side].get('at', '')}):\n{one[side]['content']}"
            for side in ("newer", "older")
        ]
        emit(one, as_json, "\n\n".join([f"{head}\nwhy: {one['why']}", *said]))
        return
    emit(one, as_json, f"{head}\nwhy: {one['why']}\n\n{one['content']}")


def _decide(workspace: str, as_json: bool, **params: Any) -> None:
    reply = ask(workspace, "review.decide", **params)
    text = f"{params['verdict']}: {reply['id']}"
    if reply.get("remember"):
        told = reply["remember"]
        text += f"\n{told['verdict']}: {told['reason']}" + (f"\nid {told['id']}" if told.get("id") else "")
    emit(reply, as_json, text)


def _settle(workspace: str, as_json: bool, **params: Any) -> None:
    reply = ask(workspace, "review.settle", **params)
    emit(reply, as_json, f"{params['holds']}: {', '.join(reply['standing'])}", own(reply["hint"]))


@review_command.command("keep")
@asks("review.decide", "id", only=())
@json_option
@workspace_option
def keep_waiting(as_json: bool, workspace: str, **asked: Any) -> None:
    """Keep a text of the inbox."""
    _decide(workspace, as_json, verdict="keep", **asked)


@review_command.command("newer")
@asks("review.settle", "id", without=("holds",), role=given(words="The role of the two memories."))
@json_option
@workspace_option
def newer_holds(as_json: bool, workspace: str, **asked: Any) -> None:
    """Of two memories that conflict the newer holds: it takes the older one's place."""
    _settle(workspace, as_json, holds="newer", **asked)


@review_command.command("older")
@asks("review.settle", "id", without=("holds",), role=given(words="The role of the two memories."))
@json_option
@workspace_option
def older_holds(as_json: bool, workspace: str, **asked: Any) -> None:
    """Of two memories that conflict the older holds: the newer one goes to the archive."""
    _settle(workspace, as_json, holds="older", **asked)


@review_command.command("both")
@asks("review.settle", "id", without=("holds",), role=given(words="The role of the two memories."))
@json_option
@workspace_option
def both_hold(as_json: bool, workspace: str, **asked: Any) -> None:
    """Of two memories that conflict both hold; it is not asked again."""
    _settle(workspace, as_json, holds="both", **asked)


@review_command.command("approve")
@asks("review.decide", "id", without=("verdict", "content"))
@json_option
@workspace_option
def approve_held(as_json: bool, workspace: str, **asked: Any) -> None:
    """Let a text through as it is."""
    _decide(workspace, as_json, verdict="approve", **asked)


@review_command.command("edit")
@asks(
    "review.decide", "id", without=("verdict", "role"),
    content=given(default=None, words="The text to keep; without it your editor opens."),
)  # fmt: skip
@json_option
@workspace_option
def edit_held(content: str | None, as_json: bool, workspace: str, **asked: Any) -> None:
    """Keep an edited text in place of the one that waits."""
    if content is None:
        reply = ask_all(workspace, "review.list", *KINDS)
        known = [*reply["held"], *reply.get("waiting", ())]
        held = [one for one in known if str(one.get("id", "")).startswith(asked["id"])]
        content = click.edit(held[0]["content"] if held else "", extension=".md", require_save=True)
    if not content or not content.strip():
        click.echo("Nothing changed.", err=True)
        return
    _decide(workspace, as_json, verdict="approve", content=content.strip(), **asked)


@review_command.command("drop")
@asks("review.decide", "id", only=())
@json_option
@workspace_option
def drop_held(as_json: bool, workspace: str, **asked: Any) -> None:
    """Let a text go."""
    _decide(workspace, as_json, verdict="drop", **asked)


@click.command("verify")
@asks("memory.verify", "role", "id")
@json_option
@workspace_option
@click.pass_context
def verify_command(context: click.Context, /, as_json: bool, workspace: str, **asked: Any) -> None:
    """Check that a memory is on disk as it was remembered, and since when. Exit status 1 if it is not.

    \b
    memd verify main 1f0c2a9b
    """
    reply = ask(workspace, "memory.verify", **asked)
    told = {
        True: "as it was remembered",
        False: "changed since it was remembered",
        None: "how it was remembered is no longer known",
    }
    lines = [f"{reply['id']}: {reply['state']}, {told[reply['as_told']]}"]
    if reply.get("since"):
        lines.append(f"since {reply['since']}")
    if reply["digest"]:
        lines.append(f"{reply['file']}  sha256 {reply['digest']}")
    if reply["declared"]:
        lines.append(f"{reply['declared']['file']}:{reply['declared']['line']}  {reply['declared']['at']}")
    if reply.get("superseded_by"):
        lines.append(f"superseded by {reply['superseded_by']}")
    emit(reply, as_json, "\n".join(lines))
    context.exit(0 if reply["on_disk"] and reply["as_told"] is not False else NOT_SO)
