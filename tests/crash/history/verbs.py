"""What clients ask of memories, and what each reply promises."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.crash.history.owner import SHARED, Owner, verb
from tests.crash.history.things import Op, State, Thing
from tests.crash.history.views import View

MEMORY, UPKEEP = "memory", "upkeep"


def live(role: str, content: str, **more: Any) -> State:
    """The state of a memory that is there."""
    return {"is": "live", "role": role, "content": content, "keys": [], "related": [], "supersedes": [], **more}


def is_live(state: State) -> bool:
    return bool(state) and state["is"] == "live"


def is_archived(state: State) -> bool:
    return bool(state) and state["is"] == "archived"


def _alone(thing: Thing) -> bool:
    return not thing.coming


def _named(owner: Owner, wanted: Any) -> Thing | None:
    """A memory whose id is known, and of which nothing is on its way: replies about a role have an order, its work has none."""
    found = [one for one in owner.of(MEMORY, wanted) if "id" in one.known and _alone(one)]
    return owner.chance.choice(found) if found else None


def _learn(thing: Thing) -> Any:
    def learn(reply: dict[str, Any]) -> None:
        assert reply["stored"], f"not stored: {reply}"
        thing.known["id"] = reply["id"]

    return learn


@verb("remember", 14)
def remember(owner: Owner) -> Op:
    chance, role = owner.chance, owner.chance.choice((*SHARED, owner.role))
    thing = owner.add(MEMORY, role=role)
    content = f"Fact {thing.key} 记住这件事 of {owner.name}, first."
    keys = [thing.key] if chance.random() < 0.5 else []
    params: dict[str, Any] = {
        "role": role,
        "content": content,
        "keys": keys,
        "kind": chance.choice(("semantic", "episodic")),
    }
    if chance.random() < 0.8:
        params["explicit"] = True
    else:
        params["scores"] = dict.fromkeys(("importance", "novelty", "relevance", "credibility", "granularity"), 9)
    return Op("remember", params, [(thing, live(role, content, keys=keys))], _learn(thing))


@verb("memory.update", 8)
def update(owner: Owner) -> Op | None:
    thing = _named(owner, is_live)
    if thing is None:
        return None
    content = f"Fact {thing.key} 改过 of {owner.name}, then {owner.mark()[1:7]}."
    state = {**thing.latest, "content": content, "keys": [thing.key]}
    params = {"role": thing.known["role"], "id": thing.known["id"], "content": content, "keys": [thing.key]}
    return Op("memory.update", params, [(thing, state)])


@verb("memory.update", 2)
def expire(owner: Owner) -> Op | None:
    """What has expired is archived by the next upkeep of its role."""
    thing = _named(owner, lambda one: is_live(one) and one["role"] == owner.role)
    if thing is None or owner.one(UPKEEP).coming:
        return None
    params = {"role": owner.role, "id": thing.known["id"], "expires_at": "2020-01-01T00:00:00Z"}
    return Op("memory.update", params, [(thing, {**thing.latest, "expired": True})])


@verb("upkeep.run", 3)
def keep_up(owner: Owner) -> Op | None:
    if any(one.coming for one in owner.things if one.kind in (MEMORY, UPKEEP)):
        return None
    expired = owner.of(MEMORY, lambda one: is_live(one) and bool(one.get("expired")))
    after = [(one, {**one.latest, "is": "archived"}) for one in expired]
    return Op("upkeep.run", {"role": owner.role}, [*after, (owner.one(UPKEEP), None)])


@verb("memory.forget", 5)
def forget(owner: Owner) -> Op | None:
    thing = _named(owner, is_live)
    if thing is None:
        return None
    params = {"role": thing.known["role"], "id": thing.known["id"], "reason": owner.chance.choice(("", "旧的"))}
    return Op("memory.forget", params, [(thing, {**thing.latest, "is": "archived"})])


@verb("memory.forget", 3)
def erase(owner: Owner) -> Op | None:
    thing = _named(owner, bool)
    if thing is None:
        return None
    thing.known["erased"] = True
    return Op("memory.forget", {"role": thing.known["role"], "id": thing.known["id"], "erase": True}, [(thing, None)])


@verb("flush", 1)
def flush(_: Owner) -> Op:
    """It changes no thing: it brings what is acknowledged into the files, among what others ask for."""
    return Op("flush", {})


@verb("memory.restore", 5)
def restore(owner: Owner) -> Op | None:
    thing = _named(owner, is_archived)
    if thing is None:
        return None
    params = {"role": thing.known["role"], "id": thing.known["id"]}
    return Op("memory.restore", params, [(thing, _back(thing))])


def _back(thing: Thing) -> dict[str, Any]:
    """An end that is over does not come back with a memory."""
    return {**{key: value for key, value in (thing.latest or {}).items() if key != "expired"}, "is": "live"}


@verb("memory.link", 3)
def relate(owner: Owner) -> Op | None:
    return _link(owner, "related")


@verb("memory.link", 2)
def supersede(owner: Owner) -> Op | None:
    """Two that had nothing to do with each other: then undo has one thing to take back."""
    return _link(owner, "supersedes", lambda thing: "linked" not in thing.known)


def _link(owner: Owner, relation: str, fits: Callable[[Thing], bool] = lambda _: True) -> Op | None:
    found = [one for one in owner.of(MEMORY, is_live) if "id" in one.known and _alone(one) and fits(one)]
    one = owner.chance.choice(found) if found else None
    peers = [other for other in found if one and other is not one and other.known["role"] == one.known["role"]]
    if one is None or not peers:
        return None
    other = owner.chance.choice(peers)
    params = {"role": one.known["role"], "id": one.known["id"], "to": other.known["id"], "relation": relation}
    if relation == "supersedes":
        one.known["linked"] = other.known["linked"] = True
        return Op("memory.link", params, [(one, {**one.latest, "supersedes": [other.known["id"]]})])
    after = [
        (thing, {**thing.latest, "related": sorted({*thing.latest["related"], peer.known["id"]})})
        for thing, peer in ((one, other), (other, one))
    ]
    return Op("memory.link", params, after)


@verb("memory.undo", 3)
def undo(owner: Owner) -> Op | None:
    """The last decision: that it was put into the archive, or that it took another's place."""
    chance = owner.chance.random() < 0.5
    thing = _named(owner, _took_a_place if chance else is_archived)
    if thing is None or (not chance and "linked" in thing.known):
        return None
    params = {"role": thing.known["role"], "id": thing.known["id"]}
    state = {**thing.latest, "supersedes": []} if chance else _back(thing)
    return Op("memory.undo", params, [(thing, state)], tolerated=("memory.edited_since",))


def _took_a_place(state: State) -> bool:
    return is_live(state) and bool(state["supersedes"])


def see_memory(view: View, thing: Thing) -> State:
    """Return the state of a memory; a state that cannot be says what is wrong."""
    standing = view["marks of memories"].get(thing.key, [])
    archived = view["marks of forgotten"].get(thing.key, [])
    if len(standing) + len(archived) > 1:
        return f"doubled: live {standing}, forgotten {archived}"
    if not standing and not archived:
        return None
    ((role, key),) = standing or archived
    if thing.known.setdefault("id", key) != key:
        return f"under another id: {key}"
    one = view["memories" if standing else "forgotten"][role][key]
    before = thing.possible()
    if archived:  # the archive's line has what it was; only what is listed of it is compared
        same = [state for state in before if is_archived(state) and state["content"] == one["content"]]
        return same[-1] if same and role == thing.known["role"] else f"archived as {one['content']!r} in {role}"
    record = one["record"]
    told = record.get("supersedes") or []
    found = live(
        role, one["content"], keys=one.get("keys", []), related=sorted(record.get("related", [])),
        supersedes=[told] if isinstance(told, str) else list(told),
    )  # fmt: skip
    return {**found, "expired": True} if record.get("expiresAt") else found


SEEING = {MEMORY: see_memory}
