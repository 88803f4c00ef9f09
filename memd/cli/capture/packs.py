"""What a model is given to consolidate, and what becomes of its answer, on the command line."""

from __future__ import annotations

from typing import Any, BinaryIO

import click

from memd.cli.reach import ask
from memd.cli.show import Part, say
from memd.cli.tables import table, whole_text
from memd.cli.telling import counted
from memd.errors import BadParamsError
from memd.formats.foreign.chat import AnswerError, load_statements
from memd.formats.records import pretty

ANSWER_BYTES = 1_000_000
DEADLINE_S = 3600.0


def write(workspace: str, **asked: Any) -> None:
    """Print the oldest pack as JSON: what is not in it stands on stderr."""
    reply = ask(workspace, "consolidate.pack", limit=1, deadline_s=DEADLINE_S, **asked)
    say(*(f"{name}: left out, {why}" for name, why in reply["skipped"].items()), err=True)
    if not reply["packs"]:
        say("Nothing new was said.", err=True)
        return
    click.echo(pretty(reply["packs"][0]))
    if reply["left"]:
        say(f"{counted(reply['left'], 'message')} more: take the next pack when this one is answered.", err=True)


def apply(workspace: str, answer: BinaryIO, *, inbox: bool, dry_run: bool) -> dict[str, Any]:
    """Return what became of a model's answer. BadParamsError where it cannot be read."""
    data = answer.read(ANSWER_BYTES + 1)
    if len(data) > ANSWER_BYTES:
        raise BadParamsError(f"answer: it may have {ANSWER_BYTES} bytes")
    try:
        found = load_statements(data)
    except AnswerError as error:
        raise BadParamsError(f"answer: {error}") from None
    if not found.pack:
        raise BadParamsError("answer: it does not name its pack")
    statements = [{"text": one.text, "turns": list(one.turns)} for one in found.stated]
    return ask(
        workspace, "consolidate.apply", pack=found.pack[:80], statements=statements, inbox=inbox, dry_run=dry_run,
        deadline_s=DEADLINE_S,
    )  # fmt: skip


def told(reply: dict[str, Any], passes: list[Part]) -> list[Part]:
    """Return what became of an answer, for a person."""
    if reply["already"]:
        return ["The turns of this pack were looked at before: nothing was done."]
    parts = list(passes)
    if reply["unproved"]:
        rows = [(one["why"], ", ".join(map(str, one["turns"])), one["text"]) for one in reply["unproved"]]
        parts += ["Not proved, and not kept:", table((whole_text("why"), "turns", whole_text("text")), rows)]
    if not reply["settled"] and not reply["would"]:
        parts.append("Nothing of the answer is proved: the turns are still to be looked at.")
    return parts or ["Nothing of it could be kept."]
