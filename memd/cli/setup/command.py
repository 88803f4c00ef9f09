"""The verb setup: everything for a memory by one command, shown before it is done; --undo takes it back."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from memd.cli.progress import progress
from memd.cli.reach import json_option, workspace_option
from memd.cli.setup.planning import place_for, plan_for
from memd.cli.show import emit, say
from memd.errors import MemdError
from memd.model.settings import LEVELS

if TYPE_CHECKING:
    from memd.cli.setup.planning import Plan

FINDINGS = 1


@click.command("setup")
@click.option("--project", default="", metavar="DIR", help="Tell agents only for work in this directory.")
@click.option("--capture", "level", type=click.Choice(LEVELS), help="How much of conversations is kept; else auto.")
@click.option("--past", is_flag=True, help="Take in the conversations that agents keep on this machine, too.")
@click.option("--yes", "-y", is_flag=True, help="Do it without asking.")
@click.option("--print", "only_print", is_flag=True, help="Show the plan and every line that changes; do nothing.")
@click.option("--undo", is_flag=True, help="Take back what setup did, every file to the byte.")
@json_option
@workspace_option
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
    from memd.cli.setup.screens import plan_parts

    say(*plan_parts(plan), err=err)


def _show(plan: Plan, *, as_json: bool, whole: bool) -> int:
    """Show a plan that is not carried out: because that was asked for, or because there is nothing to do."""
    from memd.cli.setup.screens import plan_parts, reply_of, see_it_work

    last = "Nothing was changed." if plan.changes else f"Nothing to change.\n{see_it_work(plan)}"
    emit(reply_of(plan, None), as_json, *plan_parts(plan, whole=whole), "", last)
    return FINDINGS if any(one.left for one in plan.agents) else 0


def _carry_out(plan: Plan, *, as_json: bool) -> int:
    from memd.cli.setup.carrying_out import carry_out
    from memd.cli.setup.screens import done_parts, reply_of
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
    from memd.cli.setup.screens import undone_parts
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
