"""Verbs over tasks: open, evidence, accept, revise, abandon, show, list."""

from __future__ import annotations

from typing import Any

import click

from memd.cli.options import asks, given
from memd.cli.reach import ask, ask_all, json_option, workspace_option
from memd.cli.show import Part, emit, facts, moment, own_call, table, tell
from memd.cli.tables import cut_text, whole_text
from memd.cli.verbs import Family


@click.group("task", cls=Family)
def task_command() -> None:
    """Open tasks that runs work for; accept, revise or abandon their results.

    \b
    memd task open "Fix the login"
    memd run start --task fix-the-login        and so on, to `memd run complete`
    memd task revise fix-the-login "Do not touch the tests."
    memd task accept fix-the-login
    """


@task_command.command("open")
@asks("task.open", "title", task=given(metavar="NAME"))
@json_option
@workspace_option
def open_task(as_json: bool, workspace: str, **asked: Any) -> None:
    """Open a task, and print its name alone.

    \b
    memd task open "Fix the login" --role main
    TASK=$(memd task open "写周报" --asked "按项目写，不超过一页")
    """
    reply = ask(workspace, "task.open", **asked)
    emit(reply, as_json, reply["task"])
    if not as_json:
        tell(f"{reply['state']}: {reply['file']}", f"next: {own_call('run start --task', reply['task'])}")


@task_command.command("evidence")
@asks(
    "task.evidence", "task", "content", content=given(metavar="TEXT"),
    status=given(metavar="WORD", words="What you say of it: passed, failed, seen, …"),
)  # fmt: skip
@json_option
@workspace_option
def add_evidence(as_json: bool, workspace: str, **asked: Any) -> None:
    """Record a fact that bears on a task. memd does not judge it.

    \b
    memd task evidence fix-the-login "214 tests pass" --status passed
    """
    reply = ask(workspace, "task.evidence", **asked)
    count = len(reply["evidence"])
    emit(reply, as_json, f"recorded; {reply['task']} has {count} piece{'s' if count != 1 else ''} of evidence")


@task_command.command("accept")
@asks("task.accept", "task", words=given(words="What you say to it."))
@json_option
@workspace_option
def accept_task(as_json: bool, workspace: str, **asked: Any) -> None:
    """Accept what a run came to. From this, and from nothing else, a skill may be learned.

    \b
    memd task accept fix-the-login --words "Good."
    """
    reply = ask(workspace, "task.accept", **asked)
    text = f"accepted {reply['task']}; the final run is {reply['final_accepted_run_id']}"
    candidate = reply.get("candidate")
    emit(reply, as_json, text + (f"\ncandidate {candidate}" if candidate else ""))
    if candidate and not as_json:
        tell(f"next: {own_call('skill synthesize', candidate)}")


@task_command.command("revise")
@asks("task.revise", "task", "words", words=given(required=True))
@json_option
@workspace_option
def revise_task(as_json: bool, workspace: str, **asked: Any) -> None:
    """Ask for another run; WORDS say what is to be different.

    \b
    memd task revise fix-the-login "Do not touch the tests."
    """
    reply = ask(workspace, "task.revise", **asked)
    emit(reply, as_json, f"{reply['state']}: {reply['task']}; to run {_judged(reply)} you said: {asked['words']}")
    if not as_json:
        tell(f"next: {own_call('run start --task', reply['task'])}")


def _judged(reply: dict[str, Any]) -> str:
    return str(reply["said"][-1].get("run", ""))


@task_command.command("abandon")
@asks("task.abandon", "task", words=given(words="Why."))
@json_option
@workspace_option
def abandon_task(as_json: bool, workspace: str, **asked: Any) -> None:
    """Give a task up.

    \b
    memd task abandon fix-the-login --words "The login goes away next week."
    """
    reply = ask(workspace, "task.abandon", **asked)
    emit(reply, as_json, f"{reply['state']}: {reply['task']}")


@task_command.command("show")
@asks("task.get", "task")
@json_option
@workspace_option
def show_task(task: str, as_json: bool, workspace: str) -> None:
    """Show a task with its runs, its evidence, and what was said of it.

    \b
    memd task show fix-the-login
    """
    reply = ask(workspace, "task.get", task=task)
    emit(reply, as_json, *_task_text(reply))


def _task_text(reply: dict[str, Any]) -> list[Part]:
    named = [(key, reply.get(key)) for key in ("task", "title", "state", "role", "asked")]
    parts: list[Part] = [
        facts(
            (
                *named, ("opened", moment(reply.get("created_at"))), ("under way", ", ".join(reply.get("running", []))),
                ("final run", reply.get("final_accepted_run_id")), ("file", reply["file"]),
            )
        )
    ]  # fmt: skip
    if reply["runs"]:
        rows = [(one["id"], one["state"], one["acceptance"]) for one in reply["runs"]]
        parts += ["", table(("run", "state", "acceptance"), rows)]
    if reply.get("said"):
        said = [(one["verdict"], moment(one["at"]), one["run"], one["words"]) for one in reply["said"]]
        parts += ["", table(("said", "when", "of run", whole_text("words")), said)]
    if reply.get("evidence"):
        found = [(one["status"] or "-", moment(one["at"]), one["run"], one["content"]) for one in reply["evidence"]]
        parts += ["", table(("evidence", "when", "of run", whole_text("fact")), found)]
    return parts


@task_command.command("list")
@asks("task.list", only=("state",))
@json_option
@workspace_option
def list_tasks(state: str | None, as_json: bool, workspace: str) -> None:
    """List the tasks, the newest first.

    \b
    memd task list --state review
    """
    reply = ask_all(workspace, "task.list", "tasks", state=state)
    rows = [
        (one["task"], one["state"], one.get("role", ""), len(one["runs"]), moment(one.get("created_at")), one["title"])
        for one in reply["tasks"]
    ]
    heads = ("task", "state", "role", "runs", "opened", cut_text("title"))
    emit(reply, as_json, table(heads, rows) if rows else "No tasks.")
    if not as_json:
        tell(*(f"fault: {one}" for one in reply.get("faults", [])))
