"""Verbs that change memories: remember, score, edit, link, forget, restore, undo."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from memd.cli.options import asks, given
from memd.cli.reach import ask, json_option, workspace_option
from memd.cli.show import Part, emit, own, table, tell
from memd.cli.tables import handle, whole_text
from memd.text.counting import counted

F = TypeVar("F", bound=Callable[..., Any])

KEY, TAG = given(words="A word that shall bring it to mind."), given(words="A word it is filed under.")


def offer_options(method: str) -> Callable[[F], F]:
    """Add what is offered to remember, or only to be judged."""
    offered = asks(
        method, "role", "content", content=given(metavar="TEXT"), constant=given("--constant"), keys=KEY, tags=TAG
    )
    scores = click.option(
        "--score", "scores", multiple=True, metavar="DIM=N[:WHY]", help='importance=9, or =9:"because".'
    )
    return lambda function: offered(scores(function))


def _scores(typed: tuple[str, ...]) -> dict[str, Any]:
    scores: dict[str, Any] = {}
    for item in typed:
        name, _, rest = item.partition("=")
        number, _, basis = rest.partition(":")
        try:
            value = float(number)
        except ValueError:
            raise click.BadParameter(f"{item!r} is not DIMENSION=NUMBER", param_hint="--score") from None
        scores[name] = {"value": value, "basis": basis}
    return scores


@click.command("remember")
@offer_options("remember")
@json_option
@workspace_option
def remember_command(scores: tuple[str, ...], as_json: bool, workspace: str, **asked: Any) -> None:
    """Keep TEXT in ROLE if it is worth it, or say why not.

    \b
    memd remember main "I am allergic to hazelnuts." --source user
    memd remember main "用户喜欢简洁界面 #用户偏好 #评分:9 #有效期:长期"
    memd remember main "I moved to Graz. My sister is a nurse." --split
    """
    reply = ask(workspace, "remember", scores=_scores(scores), **asked)
    parts = [one for one in reply.get("statements", ()) if "verdict" in one]
    emit(reply, as_json, *(_split_parts(reply, parts) if parts else verdict_parts(reply)))


def _split_parts(reply: dict[str, Any], statements: list[dict[str, Any]]) -> list[Part]:
    """Return what became of each statement of a text, for a person."""
    rows = [
        (one["verdict"], f"{one['total']:g}", handle(one.get("id", "")), one["text"], one["reason"])
        for one in statements
    ]
    kept = len(reply["ids"]) if reply["stored"] else 0
    told = f"{kept} {'memory' if kept == 1 else 'memories'}" if kept else "nothing new kept"
    hints = dict.fromkeys(one["hint"] for one in statements if one.get("hint") and one["verdict"] != "refused")
    return [
        f"{told}, of {counted(len(statements), 'statement')}",
        "",
        table(("verdict", "0-10", "id", whole_text("statement"), whole_text("why")), rows),
        *(f"hint: {one}" for one in hints),
        *_beside(reply),
    ]


@click.command("score")
@offer_options("score")
@json_option
@workspace_option
def score_command(scores: tuple[str, ...], as_json: bool, workspace: str, **asked: Any) -> None:
    """Judge TEXT as remember would, and store nothing.

    \b
    memd score main "We settled on SQLite for the kiosk app." --source user
    """
    from memd.cli.care import near_texts

    reply = ask(workspace, "score", scores=_scores(scores), **asked)
    near = near_texts(reply.get("near_edge", []))
    emit(reply, as_json, *verdict_parts(reply), *(["borderline, in the inbox:", *near] if near else []))


def verdict_parts(reply: dict[str, Any]) -> list[Part]:
    """Return a verdict for a person: the total, each dimension with its basis, what would change it."""
    rows = [
        (name, f"{one['value']:g}", "given" if one["given"] else "assessed", one["basis"])
        for name, one in reply["dimensions"].items()
    ]
    head = f"{reply['verdict']}: {reply['reason']}"
    if reply.get("id"):
        head += f"\nid {reply['id']}"
    if reply.get("event"):
        head += f"\nevent {reply['event']}"
    parts: list[Part] = [head, "", table(("dimension", "0-10", "", whole_text("basis")), rows)]
    if reply["computed_total"] != reply["total"]:
        parts.append(f"total {reply['total']:g} (computed {reply['computed_total']:g})")
    if reply["hint"]:
        parts.append(f"hint: {own(reply['hint'])}")
    if reply.get("offer"):
        parts.append(
            own(
                f"provisional: judged by its words, without the model; `memd show {reply['role']} {reply['offer'][:8]}` tells what becomes of it"
            )
        )
    if reply.get("told_again"):
        parts.append(f"it waited in the inbox since {reply['told_again']['since']}, and was told again")
    return [*parts, *_beside(reply)]


def _beside(reply: dict[str, Any]) -> list[Part]:
    return [
        *(f"found: {one['why']}" for one in reply.get("found", [])),
        *(f"inferred: {one['what']} {one['value']} ({one['why']})" for one in reply.get("inferred", [])),
        *(f"remark: {one}" for one in reply.get("remarks", [])),
    ]


@click.command("edit")
@asks(
    "memory.update", "role", "id", without=("digest", "source"), disabled=given("--disabled/--enabled"),
    content=given(words="The new text; without any option your editor opens."),
)  # fmt: skip
@json_option
@workspace_option
def edit_command(role: str, as_json: bool, workspace: str, **asked: Any) -> None:
    """Change a memory, in your editor or by options.

    \b
    memd edit main 1f0c2a9b --key database --priority 80
    """
    memory = {"role": role, "id": asked.pop("id")}
    fields = {key: value for key, value in asked.items() if value not in (None, [])}
    digest = ""
    if not fields:
        now = ask(workspace, "memory.get", **memory)
        text = click.edit(now["content"], extension=".md", require_save=True)
        if text is None or text.strip() == now["content"].strip():
            click.echo("Nothing changed.", err=True)
            return
        fields, digest = {"content": text.strip()}, now["digest"]
    reply = ask(workspace, "memory.update", **memory, digest=digest, source="user", **fields)
    emit(reply, as_json, f"changed {reply['id']}")
    _tell_remarks(reply, as_json)


@click.command("forget")
@asks("memory.forget", "role", "id")
@click.option("--yes", is_flag=True, help="Do not ask before erasing.")
@json_option
@workspace_option
def forget_command(yes: bool, as_json: bool, workspace: str, **asked: Any) -> None:
    """Move a memory to the archive; `memd restore` brings it back.

    \b
    memd forget main 1f0c2a9b --reason "moved house"
    """
    if asked["erase"] and not yes:
        click.confirm("Erase the text for good?", abort=True, err=True)
    reply = ask(workspace, "memory.forget", **asked)
    where = reply.get("remains") or f"it is in {reply['archived']}"
    emit(reply, as_json, f"forgot {reply['id']}; {where}")
    _tell_remarks(reply, as_json)


@click.command("restore")
@asks("memory.restore", "role", "id")
@json_option
@workspace_option
def restore_command(as_json: bool, workspace: str, **asked: Any) -> None:
    """Bring a forgotten memory back.

    \b
    memd list main --forgotten
    memd restore main 1f0c2a9b
    """
    reply = ask(workspace, "memory.restore", **asked)
    text = f"restored {reply['id']}: {reply['content']}"
    if reply.get("superseded_by"):
        text += own(
            f"\n{reply['superseded_by']} took its place; `memd undo {asked['role']} {reply['id'][:8]}` lets both stand"
        )
    emit(reply, as_json, text)
    _tell_remarks(reply, as_json)


@click.command("link")
@asks(
    "memory.link", "role", "id", "to", without=("relation",), to=given(metavar="OTHER"),
    covers=given(metavar="DIGEST", words="Of OTHER, only the statement of this digest."),
)  # fmt: skip
@click.option("--supersedes", is_flag=True, help="ID takes the place of OTHER; else they are related.")
@json_option
@workspace_option
def link_command(supersedes: bool, as_json: bool, workspace: str, **asked: Any) -> None:
    """Relate two memories, or say that one takes the other's place.

    \b
    memd link main 1f0c2a9b 77aa01c2
    memd link main 1f0c2a9b 77aa01c2 --supersedes     `memd undo main 1f0c2a9b` takes that back
    """
    relation = "supersedes" if supersedes else "related"
    reply = ask(workspace, "memory.link", relation=relation, **asked)
    between = "supersedes" if supersedes else "is related to"
    emit(reply, as_json, f"{reply['id']} {between} {reply['to']}")


@click.command("undo")
@asks("memory.undo", "role", "id")
@json_option
@workspace_option
def undo_command(as_json: bool, workspace: str, **asked: Any) -> None:
    """Take back the last decision about a memory; ID may be of the memory or of the other one concerned.

    \b
    memd undo main 1f0c2a9b
    what is undone                                what there is then
    one took the place of the other               both stand
    a text was added to it, or was a repetition   that text is a memory of its own
    memd made it a constant by itself             it is an ordinary memory
    episodes were folded into it                  they are back
    it was forgotten                              it is back
    """
    reply = ask(workspace, "memory.undo", **asked)
    lines = [f"took back: {reply['took_back']}"]
    lines += [f"stands: {one['id']}  {one.get('holds') or one['content']}" for one in reply["standing"]]
    emit(reply, as_json, "\n".join([*lines, own(reply["hint"])]))


def _tell_remarks(reply: dict[str, Any], as_json: bool) -> None:
    if not as_json:
        tell(*(f"remark: {one}" for one in reply.get("remarks", [])))
