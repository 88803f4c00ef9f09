"""How a setup reads: the plan before anything is done, what was done, what was taken back, and how to see it work."""

from __future__ import annotations

import difflib
import os
import shlex
from typing import TYPE_CHECKING, Any

from memd.cli.hooking import NEXT
from memd.cli.setup.planning import BY_HOOKS, PROPOSED, SYSTEMD, USUAL, Plan
from memd.cli.show import Part, own
from memd.cli.tables import Column, Table, listing, whole_text
from memd.service.capture.levels import plan as meaning
from memd.storage.itself import typed_line

if TYPE_CHECKING:
    from memd.cli.setup.agents import Found
    from memd.cli.setup.carrying_out import Done
    from memd.cli.setup.undoing import Undone

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
