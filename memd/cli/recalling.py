"""Verbs that look: trigger, list, show."""

from __future__ import annotations

from typing import Any

import click

from memd.cli.reach import ask, json_option, workspace_option
from memd.cli.show import emit, short, table


@click.command("trigger")
@click.argument("role")
@click.argument("message", nargs=-1, required=True)
@click.option("--topic", default="", help="What the conversation is about.")
@click.option("--now", default=None, help="The scene's time, ISO 8601; else the clock.")
@click.option("--zone", default="", help="The scene's time zone: a name, or an offset such as +08:00.")
@click.option("--session", default="", help="A session; what its window has is not injected again.")
@click.option("--turn", type=int, default=None, help="Messages in the chat so far; else counted.")
@click.option("--emotion", default="", help="The speaker's feeling; else read from the message.")
@click.option("--budget", type=int, default=None, help="Characters of the whole block.")
@click.option("--tokens", type=int, default=None, help="Tokens of the whole block, estimated.")
@click.option("--position", type=click.Choice(["system", "user", "assistant"]), default=None)
@click.option("--explain", is_flag=True, help="Also list what was refused, and why.")
@json_option
@workspace_option
def trigger_command(
    role: str,
    message: tuple[str, ...],
    topic: str,
    now: str | None,
    zone: str,
    session: str,
    turn: int | None,
    emotion: str,
    budget: int | None,
    tokens: int | None,
    position: str | None,
    explain: bool,
    as_json: bool,
    workspace: str,
) -> None:
    """Show what a message brings to mind. Several MESSAGEs are oldest first.

    \b
    memd trigger main "Which port does the database listen on?" --explain
    """
    reply = ask(
        workspace, "trigger", role=role, messages=list(message), topic=topic, now=now, zone=zone,
        session=session, turn=turn, emotion=emotion, budget=budget, budget_tokens=tokens,
        position=position, explain=explain,
    )  # fmt: skip
    emit(reply, as_json, trigger_text(reply))


def trigger_text(reply: dict[str, Any]) -> str:
    """Return a trigger's reply for a person: the block, and a table of what activated and what did not."""
    if not reply["activated"]:
        parts = ["Nothing comes to mind."]
    else:
        rows = [
            (
                f"{one['score']:.2f}",
                one["kind"],
                _id(one),
                short(one["text"], 56),
                short("; ".join(one["reasons"]), 60),
            )
            for one in reply["activated"]
        ]
        parts = [reply["content"], "", table(("score", "kind", "id", "memory", "because"), rows)]
    if reply.get("refused"):
        gone = [
            (one["why"], one["kind"], _id(one), short(one["text"], 48), short(one["detail"], 56))
            for one in reply["refused"]
        ]
        parts += ["", table(("refused", "kind", "id", "memory", "detail"), gone)]
    counts = reply["counts"]
    figures = f"{counts['candidates']} candidates, {counts['activated']} activated, {counts['refused']} refused"
    figures += f", nothing spoke for {counts['silent']} more"
    parts += [f"time: {one['words']}" for one in reply.get("times", [])]
    if "emotion" in reply:
        parts.append(f"feeling: {reply['emotion']['name']} ({', '.join(reply['emotion']['words'])})")
    size = f"{len(reply['content'])} characters for position {reply['position']}"
    parts += ["", f"{figures}; {size}; {reply['elapsed_ms']:g} ms"]
    parts += [f"note: {note}" for note in reply.get("notes", [])]
    return "\n".join(parts)


def _id(one: dict[str, Any]) -> str:
    """Return an id as a person can use it: a memory's first characters, an entry's or a page's name."""
    return short(one["id"], 24) if one["kind"] in ("entry", "page") else str(one["id"][:8])


@click.command("list")
@click.argument("role")
@click.option("--kind", type=click.Choice(["episodic", "semantic", "trait", "goal"]), default=None)
@click.option("--tag", default="", help="Only memories with this tag.")
@click.option("--limit", type=int, default=100)
@click.option("--offset", type=int, default=0)
@click.option("--forgotten", is_flag=True, help="What is in the archive instead.")
@json_option
@workspace_option
def list_command(
    role: str, kind: str | None, tag: str, limit: int, offset: int, forgotten: bool, as_json: bool, workspace: str
) -> None:
    """List a role's memories.

    \b
    memd list main --kind trait
    """
    reply = ask(
        workspace, "memory.list", role=role, kind=kind, tag=tag, limit=limit, offset=offset, forgotten=forgotten
    )
    rows = [
        (
            one["id"][:8], one["kind"], one.get("score", "-"), short(one.get("name", ""), 16), _state(one),
            short(_told(one), 80),
        )
        for one in reply["memories"]
    ]  # fmt: skip
    text = table(("id", "kind", "score", "name", "state", "memory"), rows) + f"\n{len(rows)} of {reply['total']}"
    emit(reply, as_json, text if rows else "No memories.")


def _state(one: dict[str, Any]) -> str:
    """Say what became of a memory: who took its place, or a part of it, or says otherwise."""
    if one.get("superseded_by"):
        return f"superseded by {one['superseded_by'][:8]}"
    if one.get("covered_by"):
        return f"in part, {one['covered_by'][-1][:8]} took the rest"
    if one.get("conflicts_with"):
        return f"conflicts with {one['conflicts_with'][0][:8]}"
    return "disabled" if one.get("disabled") else ""


def _told(memory: dict[str, Any]) -> str:
    """Return what a memory says, or what is left of it, marked where it stays out of prompts."""
    return f"{'[withheld] ' if memory.get('withheld') else ''}{memory.get('holds') or memory['content']}"


@click.command("show")
@click.argument("role")
@click.argument("memory_id", metavar="ID")
@click.option("--history", is_flag=True, help="Also what it said before, and what took whose place.")
@json_option
@workspace_option
def show_command(role: str, memory_id: str, history: bool, as_json: bool, workspace: str) -> None:
    """Show one memory; the first characters of its ID are enough.

    \b
    memd show main 1f0c2a9b
    memd show main 1f0c2a9b --history     what it said before, what it replaced and what replaced it
    """
    reply = ask(workspace, "memory.get", role=role, id=memory_id, history=history)
    shown = {key: value for key, value in reply.items() if key not in ("record", "history")}
    lines = [f"{key}: {', '.join(value) if isinstance(value, list) else value}" for key, value in shown.items()]
    if history:
        lines += ["", *(f"{one['how']} {one['at']}: {one['content']}".rstrip() for one in reply["history"])]
    emit(reply, as_json, "\n".join(lines))
