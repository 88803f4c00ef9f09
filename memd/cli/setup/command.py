"""The verb setup: everything for a memory by one command, shown before it is done; --undo takes it back."""

from __future__ import annotations

import difflib
import os
import shlex
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from memd.cli.hooking import NEXT
from memd.cli.progress import progress
from memd.cli.reach import json_option
from memd.cli.setup.planning import BY_HOOKS, PROPOSED, SYSTEMD, USUAL, Plan, place_for, plan_for
from memd.cli.show import Part, emit, own, say
from memd.cli.tables import Column, Table, listing, whole_text
from memd.errors import MemdError
from memd.model.settings import LEVELS
from memd.service.capture.levels import plan as meaning
from memd.storage.itself import typed_line

if TYPE_CHECKING:
    from memd.cli.setup.agents import Found
    from memd.cli.setup.carrying_out import Done
    from memd.cli.setup.undoing import Undone

FINDINGS = 1


@click.command("setup")
@click.option("--project", default="", metavar="DIR", help="Set up agents only for work in this directory.")
@click.option("--capture", "level", type=click.Choice(LEVELS), help="How much of conversations is kept; else auto.")
@click.option("--past", is_flag=True, help="Take in the conversations that agents keep on this machine, too.")
@click.option("--yes", "-y", is_flag=True, help="Do it without asking.")
@click.option("--print", "only_print", is_flag=True, help="Show the plan and every line that changes; do nothing.")
@click.option("--undo", is_flag=True, help="Take back what setup did, every file to the byte.")
@json_option
@click.option(
    "--workspace",
    "-w",
    default="",
    metavar="DIR",
    help="The workspace to make or use; else MEMD_WORKSPACE, else ~/memory, wherever you stand.",
)
def setup_command(
    project: str, level: str | None, past: bool, yes: bool, only_print: bool, undo: bool, as_json: bool, workspace: str
) -> int:
    """Give every agent on this machine a memory: a workspace, its daemon, and hooks and tools for each agent.

    The workspace is the one named, MEMD_WORKSPACE, or ~/memory; one that is there is used as it is. The plan is shown first,
    and says what will be kept of conversations. A second run changes nothing.

    \b
    memd setup
    memd setup --yes --capture explicit
    memd setup --yes --past
    memd setup --project ~/code/shop
    memd setup --print
    memd setup --undo
    """
    if past and project:
        raise click.UsageError(
            "--past is of all your work: leave --project out, or run `memd import --past` afterwards"
        )
    if undo:
        return _undo(workspace, _directory(project), only_print=only_print, as_json=as_json)
    plan = plan_for(place_for(workspace), _directory(project), level or "", takes=past)
    if only_print or not plan.changes:
        return _show(plan, as_json=as_json, whole=only_print)
    if not yes:
        if as_json or not (sys.stdin.isatty() and sys.stdout.isatty()):
            _tell(plan, err=True)
            raise click.UsageError("there is no terminal to ask on; add --yes to do this, or --print to see all of it")
        _tell(plan)
        if not click.confirm("Do this?"):
            say("Nothing was changed.")
            return FINDINGS
        if plan.past.rows and not (plan.takes or plan.past.ordered):
            plan = replace(plan, takes=click.confirm("Take in these past conversations, too?"))
    elif not as_json:
        _tell(plan)
    return _carry_out(plan, as_json=as_json)


def _directory(project: str) -> str:
    if not project:
        return ""
    path = os.path.realpath(os.path.expanduser(project))
    if not os.path.isdir(path):
        raise click.BadParameter(f"{project!r} is no directory", param_hint="--project")
    return path


def _tell(plan: Plan, *, err: bool = False) -> None:

    say(*plan_parts(plan), err=err)


def _show(plan: Plan, *, as_json: bool, whole: bool) -> int:
    """Show a plan that is not carried out: because that was asked for, or because there is nothing to do."""

    last = "Nothing was changed." if plan.changes else f"Nothing to change.\n{see_it_work(plan)}"
    emit(reply_of(plan, None), as_json, *plan_parts(plan, whole=whole), "", last)
    return FINDINGS if any(one.left for one in plan.agents) else 0


def _carry_out(plan: Plan, *, as_json: bool) -> int:
    from memd.cli.setup.carrying_out import carry_out
    from memd.cli.setup.undoing import undo
    from memd.service.setup import Records

    try:
        with progress("Setting up") as told:
            done = carry_out(plan, told)
    except MemdError:
        record = Records(plan.state).read() if plan.record is None else None
        if record:
            undo(record, plan.state, plan.cache, "")  # nothing, or all of it
        raise
    emit(reply_of(plan, done), as_json, *done_parts(plan, done))
    return FINDINGS if done.failed or any(one.left for one in plan.agents) else 0


def _undo(workspace: str, project: str, *, only_print: bool, as_json: bool) -> int:
    from memd.cli.setup.undoing import undo
    from memd.config import place_at
    from memd.service.setup import Records, workspaces_set_up

    path = place_for(workspace)
    place = place_at(path)
    record = Records(place.state).read()
    if record is None:
        others = workspaces_set_up(os.path.dirname(place.state))
        lines = [f"Nothing to take back: memd setup did nothing for {path}."]
        lines += [f"It did for {one}: add --workspace to name it." for one in others]
        emit({"workspace": path, "back": [], "left": [], "others": others}, as_json, *lines)
        return 0
    if only_print:
        files = [one.path for one in record.files if not project or one.scope == project]
        lines = [f"memd setup --undo would take memd out of: {one}" for one in files]
        emit({"workspace": path, "files": files, "made": sorted(record.made)}, as_json, *lines, "Nothing was changed.")
        return 0
    undone = undo(record, place.state, place.cache, project)
    reply = {"workspace": path, "back": undone.back, "left": undone.left}
    emit(reply, as_json, *undone_parts(path, undone))
    return FINDINGS if undone.left else 0


# How a setup reads: the plan before anything is done, what was done, what was taken back, and how to see it work.

Row = tuple[str, str, str]
NEW, THERE, LEFT = "new", "there", "left"
KEPT_UP = {
    SYSTEMD: "systemd starts it when it is first asked something, and after a restart of the machine",
    "units": "the system keeps it up: its units are installed",
    BY_HOOKS: "it is started now, and by agents' hooks with a session (no systemd answers this user)",
}

RUNS = {
    "units": "the system keeps it up",
    BY_HOOKS: "it runs, and agents' hooks start it with a session",
}


def rows_of(plan: Plan) -> list[Row]:
    """Return a plan as rows: of what, whether it is new or there or left, and what that means."""
    rows = [_workspace(plan), _daemon(plan)]
    for agent in plan.agents:
        rows += _agent(agent)
    if not plan.agents:
        rows.append(("agents", LEFT, "none was found; run this again when one is installed (Claude Code, Codex, Gemini CLI, VS Code, opencode)"))  # fmt: skip
    if plan.serves and not plan.makes:
        rows.append(("plugins", NEW, "agents that have memd's plugin find this memory"))
    remotes = None if plan.remotes is None else list(plan.remotes)
    told = meaning(plan.workspace, plan.level, remotes)
    rows.append(("capture", NEW if plan.raises else THERE, f"{plan.level}. {told[0]}"))
    rows += [("", "", line) for line in told[1:]]
    if plan.raises and plan.level == PROPOSED:
        rows.append(("", "", "Another level: `--capture off`, `explicit` or `inbox`."))
    rows += _past(plan)
    return rows


def _past(plan: Plan) -> list[Row]:
    """Return the offer of what agents keep of conversations; nothing where they keep none."""
    past = plan.past
    if past.ordered:
        return [("past", THERE, f"is being taken in: `{_line(plan, 'status')}` tells how far it is")]
    if not past.rows:
        return []
    if plan.takes:
        return [
            (
                "past",
                NEW,
                f"{past.said}. Taken into sessions of this workspace, and gone through like new ones, in the background",
            )
        ]
    return [("past", LEFT, f"{past.said}. Agents keep them here; taken in only where you say so: add `--past`")]


def _workspace(plan: Plan) -> Row:
    if not plan.makes:
        return "workspace", THERE, plan.workspace
    history = "with a git repository of its own" if plan.git else "without history: there is no git program"
    return "workspace", NEW, f"{plan.workspace}, {history}"


def _daemon(plan: Plan) -> Row:
    changes = plan.begins or plan.keeps == SYSTEMD or plan.grants
    return "daemon", NEW if changes else THERE, KEPT_UP[plan.keeps] if changes else RUNS[plan.keeps]


def _agent(agent: Found) -> list[Row]:
    rows = [
        (NEW, f"{' and '.join(one.parts)} in {_short(one.path)}{'' if one.exists else ', a new file'}")
        for one in agent.edits
    ]
    rows += [(THERE, _short(one)) for one in agent.standing]
    rows += [(LEFT, _short(one)) for one in agent.left]
    rows += [] if agent.program else [("", "its settings are here; no program of it is on PATH")]
    return [(agent.title if not number else "", state, said) for number, (state, said) in enumerate(rows)]


def _short(text: str) -> str:
    home = os.path.expanduser("~")
    return text.replace(f"{home}/", "~/") if len(home) > 1 else text


def plan_parts(plan: Plan, *, whole: bool = False) -> list[Part]:
    """Return a plan for a person; `whole`: with every line that files of agents would get."""
    scope = f"for work in {plan.project} alone" if plan.project else "for all your work on this machine"
    head = "What memd setup does" if plan.changes else "All of this is there already"
    parts: list[Part] = [f"{head}, {scope}:", _table(rows_of(plan))]
    return [*parts, *_differences(plan)] if whole else parts


def _table(rows: list[Row]) -> Table:
    return listing(
        [(part, state, own(what)) for part, state, what in rows], Column("part"), Column("state"), whole_text("what")
    )


def _differences(plan: Plan) -> list[Part]:
    found: list[Part] = []
    for agent in plan.agents:
        for edit in agent.edits:
            lines = difflib.unified_diff(edit.text.splitlines(), edit.new.splitlines(), edit.path, edit.path, "as it is", "as it would be", 0, "")  # fmt: skip
            found += ["", "\n".join(lines)]
    return found


def reply_of(plan: Plan, done: Done | None) -> dict[str, Any]:
    """Return a plan and what came of it, as JSON has it."""
    agents = [
        {
            "agent": one.agent, "title": one.title, "program": one.program,
            "files": [{"path": edit.path, "parts": list(edit.parts), "new": not edit.exists} for edit in one.edits],
            "there": list(one.standing), "left": list(one.left),
        }
        for one in plan.agents
    ]  # fmt: skip
    return {
        "workspace": plan.workspace, "project": plan.project, "changes": plan.changes, "done": done is not None,
        "makes": plan.makes, "git": plan.git, "daemon": plan.keeps, "capture": plan.level, "agents": agents,
        "past": {**plan.past.reply(), "takes": plan.takes},
        "plan": [list(row) for row in rows_of(plan)],
        "made": done.made if done else [], "failed": done.failed if done else [],
    }  # fmt: skip


def done_parts(plan: Plan, done: Done) -> list[Part]:
    """Return what was done for a person, with how to take it back and, last, how to see it work."""
    parts: list[Part] = ["", *(own(f"done   {_short(one)}") for one in done.made)]
    parts += [own(f"failed {_short(one)}") for one in done.failed]
    parts += ["", *(NEXT[one.agent] for one in plan.agents if one.edits and one.agent in NEXT)]
    return [*parts, f"Take it back: {_line(plan, 'setup', '--undo')}", see_it_work(plan)]


def see_it_work(plan: Plan) -> str:
    """Return how a person sees it work: with an agent that is there, else in the terminal."""
    agent = next((one for one in plan.agents if one.program and not one.left), None)
    if agent is None:
        remember = _line(plan, "remember", "main", "I am left-handed. 我是左撇子。", "--explicit")
        return f"See it work 试试看: {remember} && {_line(plan, 'trigger', 'main', 'Which hand do I write with? 我用哪只手写字？')}"
    program = os.path.basename(agent.program)
    where = f" in {_short(plan.project)}" if plan.project else ""
    return f'See it work 试试看: start `{program}`{where}, tell it "Remember that I am left-handed" (记住我是左撇子), then ask in a new conversation "Which hand do I write with?" (我用哪只手写字？)'


def _line(plan: Plan, *words: str) -> str:
    """Return a command on this workspace, as a person types it."""
    usual = os.path.realpath(os.path.expanduser(USUAL)) == plan.workspace and not os.environ.get("MEMD_WORKSPACE")
    named = [] if usual and words[0] == "setup" else ["--workspace", plan.workspace]
    return f"{typed_line()} {shlex.join([*words, *named])}"


def undone_parts(workspace: str, undone: Undone) -> list[Part]:
    """Return what was taken back, and what was left."""
    last = f"What memd setup did for {workspace} is taken back."
    if undone.left:
        last = f"What memd setup did for {workspace} is taken back, but for what is named above."
    return [*map(_short, undone.back), *(own(_short(one)) for one in undone.left), last]
