"""A small agent loop over memd. Copy it, and put your model and your tools where the scripted ones are.

    memd init my-memory && memd up --detach -w my-memory
    python contrib/agent-loop/agent.py --workspace my-memory [--language zh]

A run is `run.start`, then `context.render` → model → `run.event` → tools → `run.event` until the model wants no more
tools, then `run.complete`. A person says of it `task.revise` or `task.accept`; what was accepted may become a skill.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

from scripts import SCENARIOS, Call, Check, Job, Reply, Scenario, ScriptedModel

from memd.client import Client
from memd.errors import MemdError, RemoteError

ROLE = "main"
CHECKING = ("run_checks",)  # tools whose result is evidence: a fact that bears on whether the task is done


class Model(Protocol):
    """What the loop wants of a model."""

    def reply(self, given: dict[str, Any]) -> Reply:
        """Answer what `context.render` put together: `sections` of a system prompt, and `messages`."""


class ToolError(Exception):
    """What a tool could not do, in words for the model."""


class Tools:
    """Real tools on one directory and nothing outside of it; `changed` names what they changed."""

    def __init__(self, project: Path, check: Check) -> None:
        self.project, self.check, self.changed = project.resolve(), check, list[str]()
        self.named: dict[str, Callable[..., str]] = {
            "read_file": self.read_file,
            "write_file": self.write_file,
            "run_checks": self.run_checks,
        }

    def use(self, call: Call) -> tuple[str, bool]:
        """Return what a call gives, and whether it failed: a failure is told to the model and ends nothing."""
        if call.tool not in self.named:
            return f"there is no tool {call.tool}; there are {', '.join(self.named)}", True
        try:
            return self.named[call.tool](**call.arguments), False
        except (ToolError, TypeError, ValueError, OSError) as error:
            return str(error), True

    def read_file(self, path: str) -> str:
        """Return a file with its lines numbered."""
        return "\n".join(f"{number}  {line}" for number, line in enumerate(self._lines(path), 1))

    def write_file(self, path: str, content: str) -> str:
        """Write a file, and make the directory it is in."""
        file = self._inside(path)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content, "utf-8")
        self.changed += [path] if path not in self.changed else []
        return f"{len(content)} characters"

    def run_checks(self, path: str) -> str:
        """Run the project's own check of a file."""
        said, passed = self.check(path, self._lines)
        if not passed:
            raise ToolError(said)
        return said

    def _lines(self, path: str) -> list[str]:
        file = self._inside(path)
        if not file.is_file():
            raise ToolError(f"there is no file {path}")
        return file.read_text("utf-8").splitlines()

    def _inside(self, path: str) -> Path:
        file = (self.project / path).resolve()
        if not file.is_relative_to(self.project):
            raise ToolError(f"{path} is outside of the project")
        return file


class Run:
    """One run: from the memory it is started with, frozen, to its receipt."""

    def __init__(self, memd: Client, tools: Tools, asked: str, **about: Any) -> None:
        # With `pid`, memd closes the run as interrupted should this process die.
        self.name: str = memd.call("run.start", asked=asked, pid=os.getpid(), **about)["run"]
        self.memd, self.tools, self.asked, self.calls = memd, tools, asked, 0

    def perform(self, model: Model) -> dict[str, Any]:
        """Work on what was asked, and complete the run; the reply has its state and the text of its receipt."""
        self.tell({"kind": "message", "speaker": "user", "content": self.asked})
        try:
            outcome, summary = "completed", self.work(model)
        except RemoteError as refused:
            if refused.code != "run.tool_limit":
                raise
            outcome, summary = "failed", f"Stopped after {self.calls} tool calls: {refused}"
        changed = self.tools.changed
        return self.memd.call("run.complete", run=self.name, outcome=outcome, summary=summary, changed=changed)

    def work(self, model: Model) -> str:
        """Ask the model, and do what it wants, until it wants no more tools; return its last words."""
        while True:
            # The frozen memory, the moment, the task with what was said of it, the skills in use, what comes to mind, the history.
            reply = model.reply(self.memd.call("context.render", run=self.name))
            message = {"kind": "message", "speaker": "assistant", "content": reply.text}
            told = self.tell(message, {"kind": "usage", **reply.usage})
            calls = [*reply.calls, *self.written_as_text(told[0])]
            if not calls:
                return reply.text
            for call in calls:
                self.use(call)

    def written_as_text(self, told: dict[str, Any]) -> list[Call]:
        """Return the tool call that the model wrote into its text, which memd found; say what was done about it."""
        raw = told.get("raw_tool_call")
        if not raw:
            return []
        given = raw["arguments"]  # in another form than JSON it is a text: its tool will say what it wants instead
        call = Call(raw["tool"], given if isinstance(given, dict) else {"text": given})
        what = f"{call.tool} was written as text ({raw['form']}); it is made as a call"
        self.tell({"kind": "fallback", "action": "run", "of": told["id"], "content": what})
        return [call]

    def use(self, call: Call) -> None:
        """Make one tool call. It is told first: what memd refuses with run.tool_limit is not made."""
        call_id = f"{self.name}-{self.calls + 1}"
        self.tell({"kind": "tool_call", "tool": call.tool, "call_id": call_id, "arguments": call.arguments})
        self.calls += 1
        content, failed = self.tools.use(call)
        self.tell({"kind": "tool_result", "call_id": call_id, "content": content, "is_error": failed})
        if call.tool in CHECKING:
            self.tell({"kind": "task_evidence", "content": content, "status": "failed" if failed else "passed"})

    def tell(self, *events: dict[str, Any]) -> list[dict[str, Any]]:
        """Append events, durably; return what memd says of each."""
        told: list[dict[str, Any]] = self.memd.call("run.event", run=self.name, events=list(events))["events"]
        return told


def do_task(memd: Client, scenario: Scenario, job: Job, project: Path, **about: Any) -> str:
    """Run a task until the person accepts it; return the candidate for a skill that this makes."""
    task = memd.call("task.open", title=job.title, role=ROLE, asked=job.asked)["task"]
    session = memd.call("session.open", title=job.title, role=ROLE)["session"]  # the runs are one conversation
    verdict = dict[str, Any]()
    for attempt in job.attempts:
        run = Run(memd, Tools(project, scenario.check), attempt.asked, task=task, session=session, **about)
        done = run.perform(ScriptedModel(attempt.replies))
        print(f"run {run.name} {done['state']}: {done['tools']}")
        if done["state"] != "completed":
            sys.exit(f"\n{done['text']}\nThe task {task} waits for another run.")
        verdict = memd.call(f"task.{attempt.verdict}", task=task, words=attempt.words)
        print(f"  task.{attempt.verdict}: {attempt.words}")
    memd.call("session.close", session=session, reason=verdict["state"])
    return str(verdict["candidate"])


def learn(memd: Client, scenario: Scenario, candidate: str) -> dict[str, Any]:
    """Make a draft of what the runs share, show it, and publish just that on the person's word."""
    draft = memd.call("learning.synthesize", candidate=candidate, skill=scenario.skill)
    shown = memd.call("learning.review", skill=draft["skill"])
    print(f"learning.review: {shown['file']}, {len(shown['faults'])} faults")
    word = {"by": scenario.person, "words": scenario.approval, "digest": shown["digest"]}
    skill = memd.call("learning.publish", skill=shown["skill"], **word)
    print(f"learning.publish: {skill['skill']}@{skill['version']} by {scenario.person}: {scenario.approval}")
    return skill


def play(memd: Client, scenario: Scenario, max_tools: int) -> None:
    """Do a task, learn from it, do another with what was learned, and print the skill and how it does."""
    memd.call("remember", role=ROLE, content=scenario.known, source="user", explicit=True)
    with tempfile.TemporaryDirectory() as place:
        project = scenario.laid_out(Path(place))
        candidate = do_task(memd, scenario, scenario.first, project, max_tool_iterations=max_tools)
        skill = learn(memd, scenario, candidate)
        do_task(memd, scenario, scenario.later, project, skills=[f"{skill['skill']}@{skill['version']}"])
    print(f"\n{skill['file']}:\n\n{memd.call('skill.get', skill=skill['skill'])['text']}")
    for one in memd.call("skill.effects", skill=skill["skill"], recompute=True)["effects"]:
        print("effects:", json.dumps(one))


def main() -> None:
    """Read the command line, and play a scenario against the daemon of a workspace."""
    parser = argparse.ArgumentParser(description="A scripted agent that learns a skill from an accepted task.")
    parser.add_argument("--workspace", required=True, help="made with `memd init DIR`, served by `memd up -w DIR`")
    parser.add_argument("--language", choices=sorted(SCENARIOS), default="en")
    parser.add_argument("--max-tools", type=int, default=0, help="tool calls of a run; 0 is what the settings say")
    given = parser.parse_args()
    try:
        with Client.of_workspace(given.workspace) as memd:
            play(memd, SCENARIOS[given.language], given.max_tools)
    except MemdError as error:
        sys.exit(f"{error}. {error.hint}")


if __name__ == "__main__":
    main()
