"""What clients ask of curated memory, sessions, runs, tasks and skills, and what each reply promises."""

from __future__ import annotations

import os
from typing import Any

from tests.crash.history.owner import Owner, verb
from tests.crash.history.things import Op, State, Thing
from tests.crash.history.views import View

CURATED, SESSION, TASK, SKILL, SNAPSHOTS, HOOKED = "entries", "session", "task", "skill", "snapshots", "hooked session"
CALLS_A_RUN = 8
ENTRIES = 8
VERDICTS = {"accept": "accepted", "revise": "revising", "abandon": "abandoned"}


def _entries(owner: Owner) -> Thing | None:
    """The entries of a client in one of the files; a new set where something was wrong with the last."""
    file = owner.chance.choice(("memory", "user"))
    known = [one for one in owner.things if one.kind == CURATED and one.known["file"] == file]
    if not known or known[-1].broken:
        by = f"{owner.name}-{len(known)}"
        return owner.add(CURATED, key=f"of {by} in {file}", file=file, by=by)
    return known[-1] if owner.chains or not known[-1].coming else None


def _entry(owner: Owner, thing: Thing) -> str:
    return f"Entry {owner.mark()} 条目 by {thing.known['by']}"


@verb("curated.add", 4)
def add(owner: Owner) -> Op | None:
    thing = _entries(owner)
    if thing is None or len(thing.latest or ()) >= ENTRIES:
        return None
    entry = _entry(owner, thing)
    params = {"file": thing.known["file"], "content": entry}
    return Op("curated.add", params, [(thing, sorted([*(thing.latest or []), entry]))])


@verb("curated.replace", 3)
def replace(owner: Owner) -> Op | None:
    thing = _entries(owner)
    if thing is None or not thing.latest:
        return None
    old, new = owner.chance.choice(thing.latest), _entry(owner, thing)
    params = {"file": thing.known["file"], "old_text": old, "content": new}
    return Op("curated.replace", params, [(thing, sorted([*(one for one in thing.latest if one != old), new]))])


@verb("curated.remove", 3)
def remove(owner: Owner) -> Op | None:
    thing = _entries(owner)
    if thing is None or not thing.latest:
        return None
    old = owner.chance.choice(thing.latest)
    left = [one for one in thing.latest if one != old]
    return Op("curated.remove", {"file": thing.known["file"], "old_text": old}, [(thing, left or None)])


@verb("curated.edit", 2)
def edit(owner: Owner) -> Op | None:
    thing = _entries(owner)
    if thing is None or not thing.latest:
        return None
    old, new, more = owner.chance.choice(thing.latest), _entry(owner, thing), _entry(owner, thing)
    operations = [
        {"action": "replace", "old_text": old, "content": new},
        {"action": "add", "content": more},
    ]
    left = sorted([*(one for one in thing.latest if one != old), new, more])
    if len(left) > ENTRIES:
        operations[1] = {"action": "remove", "old_text": new}
        left = [one for one in left if one not in (new, more)]
    return Op("curated.edit", {"file": thing.known["file"], "operations": operations}, [(thing, left or None)])


@verb("snapshot.take", 1)
def freeze(owner: Owner) -> Op:
    thing = owner.one(SNAPSHOTS)
    digests = thing.known.setdefault("digests", [])
    return Op("snapshot.take", {}, [], lambda reply: digests.append(reply["digest"]))


def is_open(state: State) -> bool:
    return bool(state) and not state["closed"]


@verb("session.open", 1.5)
def open_session(owner: Owner) -> Op | None:
    if len(owner.of(SESSION, is_open)) > 2:
        return None
    thing = owner.add(SESSION, key=f"s-{owner.mark()}")
    params = {"session": thing.key, "role": owner.role, "title": "谈话"}
    return Op("session.open", params, [(thing, {"closed": False, "said": []})])


@verb("session.append", 9)
def append(owner: Owner) -> Op | None:
    thing = owner.pick(SESSION, is_open)
    if thing is None:
        return None
    said = [f"Said {owner.mark()} 说" for _ in range(owner.chance.choice((1, 1, 3, 15)))]
    events = [
        {"kind": "message", "speaker": ("user", "assistant")[n % 2], "content": one} for n, one in enumerate(said)
    ]
    state = {**thing.latest, "said": [*thing.latest["said"], *said]}
    return Op("session.append", {"session": thing.key, "events": events}, [(thing, state)])


@verb("session.close", 0.7)
def close(owner: Owner) -> Op | None:
    thing = owner.pick(SESSION, is_open)
    return (
        None
        if thing is None
        else Op("session.close", {"session": thing.key, "reason": "done"}, [(thing, {**thing.latest, "closed": True})])
    )


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


@verb("hook.event", 1.5)
def hook(owner: Owner) -> Op | None:
    """An agent's turn: what is said is kept behind the reply, so that a reply promises nothing but order."""
    thing = owner.one(HOOKED, by=owner.name)
    if thing.coming:
        return None
    said = f"Asked {owner.mark()} 问"
    thing.known.setdefault("asked", []).append(said)
    params = {"agent": "claude", "session": f"h{owner.name}", "event": "prompt", "key": said, "role": owner.role}
    return Op("hook.event", {**params, "message": said}, [(thing, None)])


def see_entries(view: View, thing: Thing) -> State:
    entries = [one["text"] for one in view["curated"][thing.known["file"]].get("entries", [])]
    return sorted(one for one in entries if one.endswith(f" by {thing.known['by']}")) or None


def see_session(view: View, thing: Thing) -> State:
    found = view["sessions"].get(thing.key)
    return found and {"closed": found["closed"], "said": [one.get("content") for one in found["messages"]]}


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


def see_hooked(view: View, thing: Thing) -> State:
    """Nothing, or what is wrong: each asked at most once, in order."""
    asked = thing.known.get("asked", [])
    said = [
        message.get("content")
        for name, one in sorted(view["sessions"].items())
        if name.startswith(f"claude-h{thing.known['by']}")
        for message in one["messages"]
    ]
    places = [asked.index(one) if one in asked else -1 for one in said]
    fine = places == sorted(set(places)) and -1 not in places
    return None if fine else f"said {said[-5:]}, asked {asked[-5:]}"


def see_snapshots(view: View, thing: Thing) -> State:
    missing = [one for one in thing.known.get("digests", []) if "sections" not in view["snapshots"].get(one, {})]
    return f"missing: {missing}" if missing else None


SEEING = {
    CURATED: see_entries, SESSION: see_session, TASK: see_task, SKILL: see_skill, HOOKED: see_hooked,
    SNAPSHOTS: see_snapshots,
}  # fmt: skip
