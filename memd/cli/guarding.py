"""Verbs that watch what an agent does and says: guard, propose."""

from __future__ import annotations

import json
import sys
from typing import Any

import click

from memd.cli.reach import ask, json_option, workspace_option
from memd.cli.show import Part, emit, table
from memd.cli.tables import whole_text
from memd.cli.telling import counted
from memd.errors import BadParamsError
from memd.formats.strict_json import StrictError, loads

REFUSED = 1


@click.command("guard")
@click.option("--tool", default="", help="The tool's name as the agent knows it.")
@click.option("--input", "given", default="", help="Its input as JSON; - reads standard input.")
@click.option("--message", default="", help="A user's message instead of a tool call.")
@click.option("--role", default="main")
@click.option("--session", default="", help="Violations are counted by session.")
@json_option
@workspace_option
@click.pass_context
def guard_command(
    context: click.Context, tool: str, given: str, message: str, role: str, session: str, as_json: bool, workspace: str
) -> None:
    """Rule on a tool call: may it pass, or should it be a remember? Exit status 0 passes, 1 does not.

    \b
    memd guard --tool Bash --input '{"command": "echo \\"- no meat\\" >> MEMORY.md"}' --session s1
    memd guard --message "Remember that I am left-handed."
    """
    params: dict[str, Any] = {"role": role, "session": session}
    if tool:
        text = sys.stdin.read() if given == "-" else given
        try:
            params |= {"tool": tool, "input": loads(text.encode("utf-8", "surrogatepass")) if text.strip() else {}}
        except StrictError as error:
            at = f" (character {error.position + 1})" if error.position else ""
            raise click.BadParameter(f"this is not JSON: {error.why}{at}", param_hint="--input") from None
    if message:
        params["message"] = message
    reply = ask(workspace, "guard.check", **params)
    lines = [f"{reply['action']}: {reply['why']}"]
    if reply["hint"]:
        lines.append(reply["hint"])
    lines += [f"  {one}" for one in reply["commands"]]
    emit(reply, as_json, "\n".join(lines))
    context.exit(0 if reply["action"] in ("allow", "ask_remember") else REFUSED)


@click.command("propose")
@click.argument("role")
@click.argument("file", type=click.File("r", encoding="utf-8"), default=None, required=False)
@click.option("--session", default="", help="Without FILE: what this session of memd's has at its end.")
@click.option("--limit", default=20, show_default=True)
@json_option
@workspace_option
def propose_command(role: str, file: Any, session: str, limit: int, as_json: bool, workspace: str) -> None:
    """Name what of a conversation is worth remembering; nothing is stored.

    FILE has one message a line, as "user: …", "assistant: …" or "tool: …", or as JSON with `speaker` and `content`.

    \b
    memd propose main chat.txt
    echo "user: I moved to Porto last week." | memd propose main
    memd propose main --session s20261121-1500-1f0c2a9b
    """
    source = file or ([] if session and sys.stdin.isatty() else sys.stdin)
    try:
        messages = [said for line in source if (said := _said(line))]
    except UnicodeDecodeError as error:
        name = getattr(source, "name", "FILE")
        raise BadParamsError(f"file: {name} is not UTF-8: look at byte {error.start}") from None
    reply = ask(workspace, "propose", role=role, messages=messages, session=session, limit=limit)
    rows = [
        (f"{one['total']:g}", one["kind"], one["remember"].get("source", ""), one["content"])
        for one in reply["proposals"]
    ]
    text = f"{len(rows)} of {counted(reply['looked_at'], 'statement')} {'is' if len(rows) == 1 else 'are'} worth remembering"
    shown: list[Part] = [text, "", table(("total", "kind", "source", whole_text("statement")), rows)]
    emit(reply, as_json, *(shown if rows else [f"{text}."]))


def _said(line: str) -> dict[str, str] | None:
    text = line.strip()
    if not text:
        return None
    if text.startswith("{"):
        try:
            value = json.loads(text)
        except ValueError:
            value = None
        if isinstance(value, dict) and isinstance(value.get("content"), str):
            return {
                "content": value["content"],
                "speaker": str(value.get("speaker") or value.get("role") or "user")[:40],
            }
    speaker, colon, rest = text.partition(":")
    if colon and speaker.strip().casefold() in ("user", "assistant", "tool", "agent", "human", "system"):
        return {"content": rest.strip() or " ", "speaker": speaker.strip()}
    return {"content": text, "speaker": "user"}
