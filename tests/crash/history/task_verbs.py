"""What clients ask of tasks, their runs and the skills learned from them, and what each reply promises."""

from __future__ import annotations

import os
from typing import Any

from tests.crash.history.owner import Owner, verb
from tests.crash.history.things import Op, State, Thing
from tests.crash.history.views import View

TASK, SKILL = "task", "skill"
CALLS_A_RUN = 8
VERDICTS = {"accept": "accepted", "revise": "revising", "abandon": "abandoned"}


@verb("task.open", 2)
def open_task(owner: Owner) -> Op | None:
    if len(owner.of(TASK, lambda one: bool(one) and one["state"] not in ("accepted", "abandoned"))) > 2:
        return None
    thing = owner.add(TASK, key=f"t-{owner.mark()}", skill=f"sk-{owner.mark()}")
    state = {"state": "open", "runs": {}, "evidence": [], "said": [], "final": ""}
    return Op("task.open", {"title": f"Task {thing.key}", "task": thing.key, "role": owner.role}, [(thing, state)])


def _runs(thing: Thing, *states: str) -> list[str]:
    return [name for name, one in thing.latest["runs"].items() if one["state"] in states]


def _with_run(thing: Thing, run: str, **values: Any) -> State:
    runs = thing.latest["runs"]
    return {**thing.latest, "runs": {**runs, run: {**runs.get(run, {}), **values}}}


def _under_way(owner: Owner, *states: str) -> Thing | None:
    return owner.pick(TASK, lambda one: bool(one) and one["state"] in states)


@verb("run.start", 4)
def start_run(owner: Owner) -> Op | None:
    thing = _under_way(owner, "open", "revising", "review")
    if thing is None or _runs(thing, "running") or len(thing.latest["runs"]) > 4:
        return None
    run = f"run-{owner.mark()}"
    params = {"run": run, "task": thing.key, "role": owner.role, "asked": f"Do {run} 做", "pid": os.getpid()}
    return Op("run.start", params, [(thing, _with_run(thing, run, state="running", calls=0))])


def _running(owner: Owner) -> tuple[Thing, str] | None:
    thing = owner.pick(TASK, lambda one: bool(one) and any(run["state"] == "running" for run in one["runs"].values()))
    return (thing, _runs(thing, "running")[0]) if thing else None


@verb("run.event", 4)
def call_tools(owner: Owner) -> Op | None:
    found = _running(owner)
    if found is None:
        return None
    thing, run = found
    calls, count = thing.latest["runs"][run]["calls"], owner.chance.choice((1, 2))
    if calls + count > CALLS_A_RUN:
        return None
    events = [{"kind": "tool_call", "tool": "read_file", "arguments": {"path": owner.mark()}} for _ in range(count)]
    return Op("run.event", {"run": run, "events": events}, [(thing, _with_run(thing, run, calls=calls + count))])


@verb("context.render", 1)
def render(owner: Owner) -> Op | None:
    found = _running(owner)
    return found and Op("context.render", {"run": found[1], "message": "What is to be done here? 做什么"})


@verb("run.complete", 4)
def complete(owner: Owner) -> Op | None:
    found = _running(owner)
    if found is None:
        return None
    thing, run = found
    state = {**_with_run(thing, run, state="completed"), "state": "review"}
    return Op("run.complete", {"run": run, "summary": f"Done {run}"}, [(thing, state)])


@verb("task.evidence", 2)
def evidence(owner: Owner) -> Op | None:
    thing = _under_way(owner, "open", "review", "revising")
    if thing is None:
        return None
    content = f"Evidence {owner.mark()} 证据"
    state = {**thing.latest, "evidence": [*thing.latest["evidence"], content]}
    return Op("task.evidence", {"task": thing.key, "content": content, "status": "passed"}, [(thing, state)])


def _judge(owner: Owner, verdict: str) -> Op | None:
    thing = _under_way(owner, "review")
    if thing is None or not _runs(thing, "completed") or _runs(thing, "running"):
        return None
    words, run = f"Words {owner.mark()} 话", _runs(thing, "completed")[-1]
    state = {**thing.latest, "state": VERDICTS[verdict], "said": [*thing.latest["said"], words]}
    after = [(thing, state)]
    if verdict == "accept":
        after = [(thing, {**state, "final": run})]
        known = (one for one in owner.things if one.key == thing.known["skill"])
        skill = next(known, None) or owner.add(SKILL, key=thing.known["skill"], candidate=thing.key)
        after.append((skill, {"candidate": "open", "draft": "", "version": 0}))
    return Op(f"task.{verdict}", {"task": thing.key, "words": words, "run": run}, after)


@verb("task.accept", 3)
def accept(owner: Owner) -> Op | None:
    return _judge(owner, "accept")


@verb("task.revise", 1.5)
def revise(owner: Owner) -> Op | None:
    return _judge(owner, "revise")


@verb("task.abandon", 0.7)
def abandon(owner: Owner) -> Op | None:
    return _judge(owner, "abandon")


def _candidate(owner: Owner, *states: str) -> Thing | None:
    return owner.pick(SKILL, lambda one: bool(one) and one["candidate"] in states)


@verb("learning.synthesize", 1.5)
def synthesize(owner: Owner) -> Op | None:
    thing = _candidate(owner, "open")
    if thing is None:
        return None
    params = {"candidate": thing.known["candidate"], "skill": thing.key}
    return Op("learning.synthesize", params, [(thing, {**thing.latest, "candidate": "drafted", "draft": "memd"})])


@verb("learning.draft", 1.5)
def hand_in(owner: Owner) -> Op | None:
    thing = _candidate(owner, "open", "drafted")
    if thing is None:
        return None
    by = owner.mark()
    text = f"---\nname: {thing.key}\ndescription: Does what {by} is for.\n---\n\n# Steps\n\n1. Do it.\n"
    params = {"candidate": thing.known["candidate"], "text": text, "made_by": by}
    return Op("learning.draft", params, [(thing, {**thing.latest, "candidate": "drafted", "draft": by})])


@verb("learning.review", 0.5)
def decline(owner: Owner) -> Op | None:
    thing = _candidate(owner, "drafted")
    params = {"skill": thing.key, "decline": True, "words": "不"} if thing else {}
    return (
        None
        if thing is None
        else Op("learning.review", params, [(thing, {**thing.latest, "candidate": "declined", "draft": ""})])
    )


@verb("learning.publish", 2)
def publish(owner: Owner) -> Op | None:
    thing = _candidate(owner, "drafted")
    state = thing and {**thing.latest, "candidate": "published", "draft": "", "version": 1}
    return None if thing is None else Op("learning.publish", {"skill": thing.key, "by": owner.name}, [(thing, state)])


@verb("learning.retire", 1)
def retire(owner: Owner) -> Op | None:
    thing = owner.pick(SKILL, lambda one: bool(one) and one["version"] == 1)
    params = {"skill": thing.key, "by": owner.name} if thing else {}
    return None if thing is None else Op("learning.retire", params, [(thing, {**thing.latest, "version": 0})])


@verb("skill.effects", 0.5)
def count_effects(owner: Owner) -> Op:
    return Op("skill.effects", {"recompute": owner.chance.random() < 0.5})


def see_task(view: View, thing: Thing) -> State:
    found = view["tasks"].get(thing.key)
    if found is None:
        return None
    runs = {}
    for one in found["runs"]:
        session = view["sessions"].get(one["id"], {"kinds": {}})
        runs[one["id"]] = {"state": one["state"], "calls": session["kinds"].get("tool_call", 0)}
        said = str(view["runs"].get(one["id"], {}).get("text", ""))
        if one["state"] == "completed" and f"Done {one['id']}" not in said:
            return f"the receipt of {one['id']} lacks its summary: {said[-300:]}"
    return {
        "state": found["state"],
        "runs": runs,
        "evidence": [one["content"] for one in found.get("evidence", [])],
        "said": [one["words"] for one in found.get("said", [])],
        "final": found.get("final_accepted_run_id", ""),
    }


def see_skill(view: View, thing: Thing) -> State:
    candidate = view["candidates"].get(thing.known["candidate"])
    if candidate is None:
        return None
    draft = view["drafts"].get(thing.key, {}).get("made_by", "")
    version = view["skills"].get(thing.key, {}).get("version", 0)
    return {"candidate": candidate["state"], "draft": draft, "version": version}


SEEING = {TASK: see_task, SKILL: see_skill}
