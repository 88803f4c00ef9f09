"""Verbs that watch what an agent does and says: guard, propose."""

from __future__ import annotations

import json
import sys
from typing import Any

import click

from memd.cli.options import asks, given
from memd.cli.reach import ask, json_option, workspace_option
from memd.cli.show import Part, counted, emit, own, table
from memd.cli.tables import whole_text
from memd.errors import BadParamsError
from memd.formats.strict_json import StrictError, loads

REFUSED = 1


@click.command("guard")
@asks(
    "guard.check", input=given(words="Its input as JSON; - reads standard input.", default=""),
    message=given(words="A user's message instead of a tool call."), role=given(words="Whose memory is guarded."),
)  # fmt: skip
@json_option
@workspace_option
@click.pass_context
def guard_command(
    context: click.Context, /, tool: str, message: str, as_json: bool, workspace: str, **asked: Any
) -> None:
    """Rule on a tool call: may it pass, or should it be a remember? Exit status 0 passes, 1 does not.

    \b
    memd guard --tool Bash --input '{"command": "echo \\"- no meat\\" >> MEMORY.md"}' --session s1
    memd guard --message "Remember that I am left-handed."
    """
    typed, params = asked.pop("input"), asked
    if tool:
        text = sys.stdin.read() if typed == "-" else typed
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
        lines.append(own(reply["hint"]))
    lines += [f"  {one}" for one in reply["commands"]]
    emit(reply, as_json, "\n".join(lines))
    context.exit(0 if reply["action"] in ("allow", "ask_remember") else REFUSED)


@click.command("propose")
@asks(
    "propose", "role", without=("results",),
    session=given(words="Without FILE: what this session of memd's has at its end."),
)  # fmt: skip
@click.argument("file", type=click.File("r", encoding="utf-8"), default=None, required=False)
@json_option
@workspace_option
def propose_command(file: Any, session: str, as_json: bool, workspace: str, **asked: Any) -> None:
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
    reply = ask(workspace, "propose", messages=messages, session=session, **asked)
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
