"""What clients ask of curated memory, sessions and hooks, and what each reply promises."""

from __future__ import annotations

from tests.crash.history.owner import Owner, verb
from tests.crash.history.things import Op, State, Thing
from tests.crash.history.views import View

CURATED, SESSION, SNAPSHOTS, HOOKED = "entries", "session", "snapshots", "hooked session"
ENTRIES = 8
MOST_SAID = 80  # a history shows the last hundred


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
    if thing is None or len(thing.latest["said"]) > MOST_SAID:
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


SEEING = {CURATED: see_entries, SESSION: see_session, HOOKED: see_hooked, SNAPSHOTS: see_snapshots}
