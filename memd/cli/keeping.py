"""Verbs that change memories: remember, score, edit, link, forget, restore, undo."""

from __future__ import annotations

from typing import Any

import click

from memd.cli.reach import ask, json_option, workspace_option
from memd.cli.show import Part, emit, table
from memd.cli.tables import whole_text
from memd.cli.telling import tell

KINDS = click.Choice(["episodic", "semantic", "trait", "goal"])


def _offer_options(function: Any) -> Any:
    for option in reversed(
        (
            click.argument("role"),
            click.argument("text"),
            click.option(
                "--score", "scores", multiple=True, metavar="DIM=N[:WHY]", help='importance=9, or =9:"because".'
            ),
            click.option("--explicit", is_flag=True, help="The user asked for it: the total is at least 8."),
            click.option("--kind", type=KINDS, default=None),
            click.option("--name", default="", help="A trait's name."),
            click.option("--key", "keys", multiple=True, help="A word that shall bring it to mind."),
            click.option("--tag", "tags", multiple=True),
            click.option("--topic", "topics", multiple=True),
            click.option("--validity", default="", help="short, medium, long; 短期, 中期, 长期."),
            click.option("--constant", is_flag=True, default=None, help="Always comes to mind."),
            click.option("--source", type=click.Choice(["user", "agent", "tool", "file-edit", "import"]), default=None),
            click.option("--session", default=""),
            click.option("--run", default=""),
            json_option,
            workspace_option,
        )
    ):
        function = option(function)
    return function


def _params(given: dict[str, Any]) -> dict[str, Any]:
    scores: dict[str, Any] = {}
    for item in given.pop("scores"):
        name, _, rest = item.partition("=")
        number, _, basis = rest.partition(":")
        try:
            value = float(number)
        except ValueError:
            raise click.BadParameter(f"{item!r} is not DIMENSION=NUMBER", param_hint="--score") from None
        scores[name] = {"value": value, "basis": basis}
    content = given.pop("text")
    lists = {key: list(given.pop(key)) for key in ("keys", "tags", "topics")}
    return {**given, **lists, "content": content, "scores": scores}


@click.command("remember")
@_offer_options
def remember_command(as_json: bool, workspace: str, **given: Any) -> None:
    """Keep TEXT in ROLE if it is worth it, or say why not.

    \b
    memd remember main "I am allergic to hazelnuts." --source user
    memd remember main "用户喜欢简洁界面 #用户偏好 #评分:9 #有效期:长期"
    """
    reply = ask(workspace, "remember", **_params(given))
    emit(reply, as_json, *verdict_parts(reply))


@click.command("score")
@_offer_options
def score_command(as_json: bool, workspace: str, **given: Any) -> None:
    """Judge TEXT as remember would, and store nothing.

    \b
    memd score main "We settled on SQLite for the kiosk app." --source user
    """
    reply = ask(workspace, "score", **_params(given))
    emit(reply, as_json, *verdict_parts(reply))


def verdict_parts(reply: dict[str, Any]) -> list[Part]:
    """Return a verdict for a person: the total, each dimension with its basis, what would change it."""
    rows = [
        (name, f"{one['value']:g}", "given" if one["given"] else "assessed", one["basis"])
        for name, one in reply["dimensions"].items()
    ]
    head = f"{reply['verdict']}: {reply['reason']}"
    if reply.get("id"):
        head += f"\nid {reply['id']}"
    parts: list[Part] = [head, "", table(("dimension", "0-10", "", whole_text("basis")), rows)]
    if reply["computed_total"] != reply["total"]:
        parts.append(f"total {reply['total']:g} (computed {reply['computed_total']:g})")
    if reply["hint"]:
        parts.append(f"hint: {reply['hint']}")
    parts += [f"found: {one['why']}" for one in reply.get("found", [])]
    parts += [f"remark: {one}" for one in reply.get("remarks", [])]
    return parts


@click.command("edit")
@click.argument("role")
@click.argument("memory_id", metavar="ID")
@click.option("--content", default=None, help="The new text; without any option your editor opens.")
@click.option("--name", default=None)
@click.option("--key", "keys", multiple=True, help="The new keys.")
@click.option("--tag", "tags", multiple=True, help="The new tags.")
@click.option("--priority", type=int, default=None)
@click.option("--constant/--not-constant", default=None)
@click.option("--disabled/--enabled", default=None)
@click.option("--validity", default=None)
@json_option
@workspace_option
def edit_command(role: str, memory_id: str, as_json: bool, workspace: str, **given: Any) -> None:
    """Change a memory, in your editor or by options.

    \b
    memd edit main 1f0c2a9b --key database --priority 80
    """
    fields: dict[str, Any] = {key: list(value) if isinstance(value, tuple) else value for key, value in given.items()}
    fields = {key: value for key, value in fields.items() if value not in (None, [])}
    digest = ""
    if not fields:
        now = ask(workspace, "memory.get", role=role, id=memory_id)
        text = click.edit(now["content"], extension=".md", require_save=True)
        if text is None or text.strip() == now["content"].strip():
            click.echo("Nothing changed.", err=True)
            return
        fields, digest = {"content": text.strip()}, now["digest"]
    reply = ask(workspace, "memory.update", role=role, id=memory_id, digest=digest, source="user", **fields)
    emit(reply, as_json, f"changed {reply['id']}")
    _tell_remarks(reply, as_json)


@click.command("forget")
@click.argument("role")
@click.argument("memory_id", metavar="ID")
@click.option("--reason", default="")
@click.option("--erase", is_flag=True, help="Remove the text from every file of memd's, the archive too.")
@click.option("--yes", is_flag=True, help="Do not ask before erasing.")
@json_option
@workspace_option
def forget_command(
    role: str, memory_id: str, reason: str, erase: bool, yes: bool, as_json: bool, workspace: str
) -> None:
    """Move a memory to the archive; `memd restore` brings it back.

    \b
    memd forget main 1f0c2a9b --reason "moved house"
    """
    if erase and not yes:
        click.confirm("Erase the text for good?", abort=True, err=True)
    reply = ask(workspace, "memory.forget", role=role, id=memory_id, reason=reason, erase=erase)
    where = reply.get("remains") or f"it is in {reply['archived']}"
    emit(reply, as_json, f"forgot {reply['id']}; {where}")
    _tell_remarks(reply, as_json)


@click.command("restore")
@click.argument("role")
@click.argument("memory_id", metavar="ID")
@json_option
@workspace_option
def restore_command(role: str, memory_id: str, as_json: bool, workspace: str) -> None:
    """Bring a forgotten memory back.

    \b
    memd list main --forgotten
    memd restore main 1f0c2a9b
    """
    reply = ask(workspace, "memory.restore", role=role, id=memory_id)
    text = f"restored {reply['id']}: {reply['content']}"
    if reply.get("superseded_by"):
        text += f"\n{reply['superseded_by']} took its place; `memd undo {role} {reply['id'][:8]}` lets both stand"
    emit(reply, as_json, text)
    _tell_remarks(reply, as_json)


@click.command("link")
@click.argument("role")
@click.argument("memory_id", metavar="ID")
@click.argument("other", metavar="OTHER")
@click.option("--supersedes", is_flag=True, help="ID takes the place of OTHER; else they are related.")
@click.option("--cover", "covers", multiple=True, metavar="DIGEST", help="Of OTHER, only the statement of this digest.")
@json_option
@workspace_option
def link_command(
    role: str, memory_id: str, other: str, supersedes: bool, covers: tuple[str, ...], as_json: bool, workspace: str
) -> None:
    """Relate two memories, or say that one takes the other's place.

    \b
    memd link main 1f0c2a9b 77aa01c2
    memd link main 1f0c2a9b 77aa01c2 --supersedes     `memd undo main 1f0c2a9b` takes that back
    """
    relation = "supersedes" if supersedes else "related"
    reply = ask(workspace, "memory.link", role=role, id=memory_id, to=other, relation=relation, covers=list(covers))
    between = "supersedes" if supersedes else "is related to"
    emit(reply, as_json, f"{reply['id']} {between} {reply['to']}")


@click.command("undo")
@click.argument("role")
@click.argument("memory_id", metavar="ID")
@json_option
@workspace_option
def undo_command(role: str, memory_id: str, as_json: bool, workspace: str) -> None:
    """Take back the last decision about a memory; ID is of either side.

    \b
    memd undo main 1f0c2a9b     what took its place, or whose place it took: both stand
                                a text added to it, or taken for a repetition: it stands by itself
                                a fold: its episodes are back; the archive: it is back
    """
    reply = ask(workspace, "memory.undo", role=role, id=memory_id)
    lines = [f"took back: {reply['took_back']}"]
    lines += [f"stands: {one['id']}  {one.get('holds') or one['content']}" for one in reply["standing"]]
    emit(reply, as_json, "\n".join([*lines, reply["hint"]]))


def _tell_remarks(reply: dict[str, Any], as_json: bool) -> None:
    if not as_json:
        tell(*(f"remark: {one}" for one in reply.get("remarks", [])))
