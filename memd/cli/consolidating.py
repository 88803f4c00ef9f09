"""The verb that makes memories of what was said, shows its passes, and takes one back."""

from __future__ import annotations

from typing import Any, BinaryIO

import click

from memd.cli.options import asks, given
from memd.cli.progress import ask_and_watch
from memd.cli.reach import ask, json_option, workspace_option
from memd.cli.show import Part, Strong, emit, own_call, say
from memd.cli.tables import cut_text, handle, table, whole_text
from memd.errors import BadParamsError
from memd.formats.foreign.chat import AnswerError, load_statements
from memd.formats.records import pretty
from memd.text.counting import counted

ANSWER_BYTES = 1_000_000
DEADLINE_S = 3600.0


def write_pack(workspace: str, **asked: Any) -> None:
    """Print the oldest pack as JSON: what is not in it stands on stderr."""
    reply = ask(workspace, "consolidate.pack", limit=1, deadline_s=DEADLINE_S, **asked)
    say(*(f"{name}: left out, {why}" for name, why in reply["skipped"].items()), err=True)
    if not reply["packs"]:
        say("Nothing new was said.", err=True)
        return
    click.echo(pretty(reply["packs"][0]))
    if reply["left"]:
        say(f"{counted(reply['left'], 'message')} more: take the next pack when this one is answered.", err=True)


def apply_answer(workspace: str, answer: BinaryIO, *, inbox: bool, dry_run: bool) -> dict[str, Any]:
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


def told_taken(reply: dict[str, Any], passes: list[Part]) -> list[Part]:
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


SHOWN = 40  # statements of one pass


@click.command("consolidate")
@asks(
    "consolidate.run",
    session=given("--session", "-s", metavar="NAME"),
    role=given("--role", words="Only the sessions of this role; or whose memory a session without a role feeds."),
    inbox=given("--inbox", words="Keep nothing at once: all that is worth it waits in the inbox."),
    dry_run=given("--dry-run", words="Say what would become of it, and do nothing."),
)
@click.option("--list", "listed", is_flag=True, help="List the passes there were, the newest first.")
@click.option("--show", "shown", default="", metavar="ID", help="Show what one pass came to.")
@click.option("--pack", "packed", is_flag=True, help="Write what a model is to be given: new turns, numbered, as JSON.")
@click.option(
    "--apply",
    "answer",
    type=click.File("rb"),
    default=None,
    metavar="FILE",
    help="Take a model's answer to a pack; - is stdin.",
)
@click.option("--undo", "undone", default="", metavar="ID", help="Take a pass back as a whole.")
@json_option
@workspace_option
def consolidate_command(
    listed: bool,
    shown: str,
    packed: bool,
    answer: BinaryIO | None,
    undone: str,
    as_json: bool,
    workspace: str,
    **asked: Any,
) -> None:
    """Make memories of what was said in sessions since the last pass.

    What you stated and is worth keeping is kept, with its session and turn; what is doubtful or delicate waits in the inbox
    (`memd review`). Nothing is offered twice. Of a model's answer to a --pack, --apply takes what the turns prove.

    \b
    memd consolidate --dry-run
    memd consolidate --list
    memd consolidate --undo c20261123-104512-1f0c2a9b
    memd consolidate --pack > pack.json
    memd consolidate --apply answer.json
    """
    if sum(map(bool, (listed or shown, packed, answer, undone))) > 1:
        raise click.UsageError("give one of --list, --show, --pack, --apply and --undo")
    if undone:
        _undo(workspace, undone, as_json=as_json)
    elif packed:
        write_pack(workspace, session=asked["session"], role=asked["role"])
    elif answer:
        reply = apply_answer(workspace, answer, inbox=asked["inbox"], dry_run=asked["dry_run"])
        emit(reply, as_json, *told_taken(reply, _all_told(reply)))
    elif listed or shown:
        reply = ask(workspace, "consolidate.list", id=shown)
        parts = [part for one in reply["passes"] for part in _told(one)] if shown else _list(reply["passes"])
        emit(reply, as_json, *(parts or ["There was no pass yet."]))
    else:
        _run(workspace, asked, as_json=as_json)


def _run(workspace: str, asked: dict[str, Any], *, as_json: bool) -> None:
    reply = ask_and_watch(
        workspace, "consolidate.run", "Consolidating", name="consolidate", deadline_s=DEADLINE_S, **asked
    )
    parts = _all_told(reply)
    parts += [f"{name}: left out, {why}" for name, why in reply["skipped"].items()]
    if reply["left"]:
        parts.append(f"{counted(reply['left'], 'message')} more, which --dry-run does not look at")
    emit(reply, as_json, *(parts or ["Nothing new was said that could be kept."]))


def _all_told(reply: dict[str, Any]) -> list[Part]:
    told = [one for one in reply["passes"] if one["became"] or one.get("dropped") or one.get("passed_over")]
    return [part for one in told for part in _told(one, would=reply["would"])]


def _undo(workspace: str, wanted: str, *, as_json: bool) -> None:
    reply = ask(workspace, "consolidate.undo", id=wanted)
    if reply["already"]:
        emit(reply, as_json, f"{reply['id']} was taken back before.")
        return
    gone, out = counted(len(reply["archived"]), "memory"), counted(len(reply["unstaged"]), "text")
    parts: list[Part] = [
        f"{reply['id']}: {gone} to the archive, {len(reply['changed'])} as before, {out} out of the inbox"
    ]
    parts += [f"left: {handle(one).shown}, {why}" for one, why in reply["left"].items()]
    emit(reply, as_json, *parts)


def _list(passes: list[dict[str, Any]]) -> list[Part]:
    rows = [
        (one["id"], one["role"], _counts(one["counts"]) + (", undone" if one.get("undone") else ""), one["session"])
        for one in passes
    ]
    return [table(("id", "role", whole_text("what became"), cut_text("session")), rows)] if rows else []


def _counts(counts: dict[str, int]) -> str:
    return ", ".join(f"{count} {name}" for name, count in counts.items()) or "nothing"


def _told(one: dict[str, Any], *, would: bool = False) -> list[Part]:
    turns = f"turns {one['first_turn']} to {one['last_turn']}"
    head = Strong(f"{one['session']}, {turns}: {_counts(one['counts'])} (role {one['role']})")
    rows = [
        (became["turn"], became["fate"], f"{became['total']:g}", became.get("why", ""), became.get("text", ""))
        for became in one["became"][:SHOWN]
    ]
    parts: list[Part] = [(head,)]
    if rows:
        parts.append(table(("turn", "fate", "total", whole_text("why"), cut_text("text")), rows))
    if len(one["became"]) > SHOWN:
        parts.append(f"and {len(one['became']) - SHOWN} more; --json has them all")
    if dropped := one.get("dropped"):
        parts.append(
            table(("turn", cut_text("not worth keeping")), [(each["turn"], each["text"]) for each in dropped[:SHOWN]])
        )
    if passed_over := one.get("passed_over"):
        parts.append(
            table(
                ("turn", whole_text("why not"), cut_text("tells nothing that lasts")),
                [(each["turn"], each["why"], each["text"]) for each in passed_over[:SHOWN]],
            )
        )
    parts += [
        f"for USER.md, if you like ({became['lasting']}): {became.get('text', '')}"
        for became in one["became"]
        if became.get("lasting")
    ]
    if any(became["fate"] == "kept" for became in one["became"]) and not (would or one.get("undone")):
        parts.append(f"Take it back: {own_call('consolidate', '--undo', one['id'])}")
    return parts
