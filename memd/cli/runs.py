"""Verbs over runs: start, event, complete, show, list; and how events are given on the command line."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import click

from memd.cli.options import asks, given
from memd.cli.reach import ask, json_option, workspace_option
from memd.cli.show import emit, facts, moment, own_call, table, tell
from memd.cli.tables import Table, cut_text
from memd.cli.verbs import Family
from memd.errors import BadEventError
from memd.formats.strict_json import StrictError, loads
from memd.text.counting import counted

Event = dict[str, Any]

BOM = b"\xef\xbb\xbf"
MESSAGE_OPTIONS = "--user, --assistant, --system, --note, --events"
EVENT_OPTIONS = f"{MESSAGE_OPTIONS}, --tool, --result, --usage, --evidence"


@click.group("run", cls=Family)
def run_command() -> None:
    """Record what an agent does, from its start on frozen memory to a receipt.

    \b
    RUN=$(memd run start --task fix-the-login --asked "Fix the login")
    memd run event $RUN --tool read_file --arguments '{"path": "login.py"}'
    memd run event $RUN --result "def login(): …"
    memd run complete $RUN --summary "The session is renewed after the check."
    memd run show $RUN
    """


def message_options(function: Any) -> Any:
    """Add the options that give events: one message, one note, or a file of events."""
    for option in reversed(
        (
            click.option("--user", default=None, metavar="TEXT", help="A message of the user."),
            click.option("--assistant", default=None, metavar="TEXT", help="A message of the assistant."),
            click.option("--system", default=None, metavar="TEXT", help="A message of the system."),
            click.option("--note", default=None, metavar="TEXT", help="A note; it is no part of the conversation."),
            click.option(
                "--events",
                type=click.File("rb"),
                default=None,
                help="1000 JSON lines at most, an event each; - is stdin.",
            ),
            click.option("--hidden", is_flag=True, help="Keep it, and never show it to a model again."),
        )
    ):
        function = option(function)
    return function


def message_ways(given: dict[str, Any]) -> list[list[Event]]:
    """Return the events of each message option that was given; the options are taken out of `given`."""
    ways: list[list[Event]] = [
        [{"kind": "message", "speaker": speaker, "content": text}]
        for speaker in ("user", "assistant", "system")
        if (text := _said(given, speaker)) is not None
    ]
    if (text := _said(given, "note")) is not None:
        ways.append([{"kind": "note", "content": text}])
    if (file := given.pop("events")) is not None:
        ways.append(_lines(file.read(), file.name))
    return ways


def _said(given: dict[str, Any], option: str) -> str | None:
    """Return the text of an option, None where it was not given."""
    text: str | None = given.pop(option)
    if text is not None and not text.strip():
        raise click.BadParameter("it is empty", param_hint=f"--{option}")
    return text


def only_way(ways: Sequence[list[Event]], names: str, *, hidden: bool) -> list[Event]:
    """Return the events of the one option that was given, or say that it must be one."""
    if len(ways) != 1:
        raise click.UsageError(f"give exactly one of {names}")
    if hidden:
        for one in ways[0]:
            one.setdefault("context_visible", False)
    return ways[0]


def _lines(data: bytes, name: str) -> list[Event]:
    found: list[Event] = []
    for number, line in enumerate(data.removeprefix(BOM).split(b"\n"), 1):
        if not line.strip():
            continue
        try:
            value = loads(line)
        except StrictError as error:
            raise BadEventError(len(found) + 1, f"line {number} of {name} is not JSON: {error.why}") from None
        if not isinstance(value, dict):
            raise BadEventError(len(found) + 1, f"line {number} of {name} is no JSON object")
        found.append(value)
    if not found:
        raise BadEventError(1, f"there is none in {name}")
    return found


def appended(reply: dict[str, Any]) -> str:
    """Return what was appended, and tell beside it what is odd about it."""
    tell(*(f"remark: {one}" for one in reply.get("remarks", [])))
    for one in reply["events"]:
        if call := one.get("raw_tool_call"):
            tell(f"remark: in {one['id']} a tool call is written as text ({call['form']}); it was {call['fallback']}")
    return f"{counted(len(reply['events']), 'event')}, the last is {reply['events'][-1]['id']}"


@run_command.command("start")
@asks(
    "run.start", run=given(metavar="NAME"), skills=given(metavar="NAME@VERSION", words="A skill that it uses."),
    max_tool_iterations=given(metavar="N", words="At most what memd.toml says; 0 is just that."),
    pid=given(
        metavar="N", default=None,
        words="The process whose end is the run's end; else the one that calls memd. 0: none is known.",
    ),
)  # fmt: skip
@json_option
@workspace_option
def start_run(as_json: bool, workspace: str, skills: list[str], pid: int | None, **asked: Any) -> None:
    """Freeze the curated memory, begin a run on it, and print the run's name alone.

    \b
    RUN=$(memd run start --task fix-the-login --asked "Fix the login")
    RUN=$(memd run start --asked "写周报" --skill weekly-report@2)
    """
    known = os.getppid() if pid is None else pid
    reply = ask(workspace, "run.start", skills=[one for one in skills if one], pid=known, **asked)
    emit(reply, as_json, reply["run"])
    if as_json:
        return
    task = f"task {reply['task']}, " if reply.get("task") else ""
    tell(f"{task}session {reply['session']}, role {reply['role'] or '-'}, snapshot {reply['snapshot'][:12]}")
    tell(f"{reply['max_tool_iterations']} tool iterations, {reply['max_context_messages']} messages of context at most")
    tell(*(f"fault: {one}" for one in reply.get("faults", [])))


@run_command.command("event")
@asks("run.event", "run")
@message_options
@click.option("--tool", default=None, metavar="NAME", help="A tool call.")
@click.option("--arguments", default=None, metavar="JSON", help="With --tool: what the tool is given.")
@click.option("--result", default=None, metavar="TEXT", help="What came of a tool call.")
@click.option("--failed", is_flag=True, help="With --result: the tool failed.")
@click.option("--call-id", default=None, metavar="ID", help="With --tool and --result: which call it is.")
@click.option("--usage", default=None, metavar="IN,OUT", help="Tokens that a model read and wrote.")
@click.option("--evidence", default=None, metavar="TEXT", help="A fact that bears on the task.")
@click.option("--status", default=None, metavar="WORD", help="With --evidence: passed, failed, seen, …")
@json_option
@workspace_option
def append_event(run: str, hidden: bool, as_json: bool, workspace: str, **typed: Any) -> None:
    """Append one event of a run, or those of a file: all of them, or none.

    \b
    memd run event $RUN --tool run_tests --arguments '{"suite": "all"}' --call-id 7
    memd run event $RUN --result "3 failed" --failed --call-id 7
    memd run event $RUN --usage 1200,340
    memd run event $RUN --evidence "全部测试通过" --status passed
    """
    ways = message_ways(typed)
    events = only_way([*ways, *_work_ways(**typed)], EVENT_OPTIONS, hidden=hidden)
    reply = ask(workspace, "run.event", run=run, events=events)
    text = appended(reply) if not as_json else ""
    emit(reply, as_json, f"{text}; {reply['iterations']} of {reply['max_tool_iterations']} tool iterations")
    if not as_json and reply["left"] <= 0:
        tell("warning: the next tool iteration will be refused; complete the run with what it has")


def _work_ways(
    tool: str | None, arguments: str | None, result: str | None, failed: bool, call_id: str | None,
    usage: str | None, evidence: str | None, status: str | None,
) -> list[list[Event]]:  # fmt: skip
    """Return the events of each option that tells of work."""
    _check_pair("--arguments", arguments is not None, "--tool", tool)
    _check_pair("--failed", failed, "--result", result)
    _check_pair("--status", status is not None, "--evidence", evidence)
    _check_pair("--call-id", call_id is not None, "--tool or --result", tool if result is None else result)
    ways: list[list[Event]] = []
    call = {"call_id": call_id} if call_id is not None else {}
    if tool is not None:
        ways.append([{"kind": "tool_call", "tool": tool, **call, **_arguments(arguments)}])
    if result is not None:
        wrong = {"is_error": True} if failed else {}
        ways.append([{"kind": "tool_result", "content": result, **call, **wrong}])
    if usage is not None:
        ways.append([{"kind": "usage", **_tokens(usage)}])
    if evidence is not None:
        said = {"status": status} if status else {}
        ways.append([{"kind": "task_evidence", "content": evidence, **said}])
    return ways


def _check_pair(option: str, given: bool, of: str, whole: str | None) -> None:
    if given and whole is None:
        raise click.UsageError(f"{option} belongs to {of}")


def _arguments(text: str | None) -> dict[str, Any]:
    if text is None:
        return {}
    try:
        return {"arguments": loads(text.encode("utf-8", "surrogatepass"))}
    except StrictError as error:
        raise click.BadParameter(f"this is not JSON: {error.why}", param_hint="--arguments") from None


def _tokens(text: str) -> dict[str, int]:
    parts = [part.strip() for part in text.split(",")]
    if len(parts) != 2 or not all(part.isascii() and part.isdigit() for part in parts):
        raise click.BadParameter(f"{text!r} is not IN,OUT: two numbers of tokens", param_hint="--usage")
    return {"input_tokens": int(parts[0]), "output_tokens": int(parts[1])}


@run_command.command("complete")
@asks("run.complete", "run", changed=given(words="One thing that it changed."))
@json_option
@workspace_option
def complete_run(as_json: bool, workspace: str, **asked: Any) -> None:
    """Close a run and write its receipt.

    \b
    memd run complete $RUN --summary "Fixed." --changed src/login.py --changed docs/login.md
    memd run complete $RUN --outcome failed --summary "没有权限"
    """
    reply = ask(workspace, "run.complete", **asked)
    again = " (nothing changed)" if reply.get("already") else ""
    emit(reply, as_json, f"{reply['state']}: {reply['run']}, receipt {reply['file']}{again}")
    task = reply.get("task")
    if task and not as_json and reply["state"] == "completed":
        tell(f'next: {own_call("task accept", task)}   or   {own_call("task revise", task)} "what is to be different"')


@run_command.command("show")
@asks("run.get", "run")
@json_option
@workspace_option
def show_run(run: str, as_json: bool, workspace: str) -> None:
    """Show a run's receipt; of one that is under way, how it stands.

    \b
    memd run show r20260801-0930-1f0c2a9b
    """
    reply = ask(workspace, "run.get", run=run)
    emit(reply, as_json, reply["text"].rstrip("\n") if "text" in reply else _standing(reply))
    if reply.get("edited") and not as_json:
        tell(f"remark: {reply['file']} was edited after it was written")


def _standing(reply: dict[str, Any]) -> Table:
    process = f"{reply['pid']}, {'alive' if reply.get('alive') else 'gone'}" if reply.get("pid") else "unknown"
    named = [(key, reply.get(key)) for key in ("run", "state", "task", "session", "role", "asked")]
    return facts(
        (
            *named, ("skills", ", ".join(reply.get("skills", []))), ("started", moment(reply["started_at"])),
            ("snapshot", reply.get("snapshot")), ("process", process),
            ("tool iterations", f"{reply['iterations']} of {reply.get('max_tool_iterations', 0)}"),
        )
    )  # fmt: skip


@run_command.command("list")
@asks("run.list")
@json_option
@workspace_option
def list_runs(as_json: bool, workspace: str, **asked: Any) -> None:
    """List the runs under way, and the newest that have ended.

    \b
    memd run list --task fix-the-login
    """
    reply = ask(workspace, "run.list", **asked)
    rows = [
        (one["run"], _state(one), f"{one.get('acceptance', '-')}{' (final)' if one.get('final') else ''}",
         one.get("task", ""), ", ".join(one.get("skills", [])), moment(one["started_at"]), one.get("asked", ""))
        for one in (*reply["running"], *reply["runs"])
    ]  # fmt: skip
    head = ("run", "state", "acceptance", "task", "skills", "started", cut_text("asked"))
    emit(reply, as_json, table(head, rows) if rows else "No runs.")


def _state(one: dict[str, Any]) -> str:
    gone = one.get("pid") and not one.get("alive")
    return f"{one['state']}, process gone" if gone else str(one["state"])
