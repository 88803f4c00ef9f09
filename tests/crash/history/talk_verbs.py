"""What clients ask of conversations that become memories, and what each reply promises."""

from __future__ import annotations

from typing import Any

from memd.model.sessions import Turn
from memd.service.capture.packs import pack_id
from tests.crash.history.owner import Owner, verb
from tests.crash.history.things import Op, State, Thing
from tests.crash.history.views import View

TOLD = "what was told"
SAYINGS = (
    "My sister Ana lives in Lisbon, in the house {} by the harbour.",
    "I am allergic to peanuts, doctor {} found it out.",
    "I work as a nurse in the ward {} of the children's hospital.",
    "我住在杭州的 {} 小区。",
    "我对花生过敏，是 {} 医生查出来的。",
    "我在 {} 公司做设计师。",
)


@verb("session.open", 2)
def begin(owner: Owner) -> Op:
    thing = owner.add(TOLD)
    return Op("session.open", {"session": f"t-{thing.key}", "role": owner.role}, [(thing, "begun")])


@verb("session.append", 3)
def tell(owner: Owner) -> Op | None:
    """Say one thing that is worth keeping."""
    thing = owner.pick(TOLD, lambda state: bool(state == "begun"))
    if thing is None or thing.coming:
        return None
    text = owner.chance.choice(SAYINGS).format(thing.key)
    event = {"kind": "message", "speaker": "user", "content": text}

    def learn(reply: dict[str, Any]) -> None:
        thing.known["event"], thing.known["text"] = reply["events"][0]["id"], text

    return Op("session.append", {"session": f"t-{thing.key}", "events": [event]}, [(thing, "said")], learn)


@verb("consolidate.run", 3)
def take_in(owner: Owner) -> Op | None:
    thing = owner.pick(TOLD, lambda state: bool(state == "said"))
    if thing is None or thing.coming:
        return None

    def learn(reply: dict[str, Any]) -> None:
        (done,) = reply["passes"]
        fates = [one["fate"] for one in done["became"]]
        assert fates in (["kept"], ["staged"]), f"neither kept nor waiting: {reply}"
        thing.known["pass"] = done["id"]

    params = {"session": f"t-{thing.key}", "inbox": owner.chance.random() < 0.3}
    return Op("consolidate.run", params, [(thing, "taken")], learn)


@verb("consolidate.apply", 2)
def take_in_as_a_model_says_it(owner: Owner) -> Op | None:
    found = [one for one in owner.of(TOLD, lambda state: bool(state == "said")) if "event" in one.known]
    if not found or (thing := owner.chance.choice(found)).coming:
        return None
    text = thing.known["text"]

    def learn(reply: dict[str, Any]) -> None:
        assert not reply["unproved"], reply
        (done,) = reply["passes"]
        thing.known["pass"] = done["id"]

    pack = pack_id(f"t-{thing.key}", {2: thing.known["event"]}, [Turn(2, "user", text, 0.0)])
    params = {"pack": pack, "statements": [{"text": text, "turns": [2]}], "inbox": owner.chance.random() < 0.3}
    return Op("consolidate.apply", params, [(thing, "taken")], learn)


@verb("consolidate.undo", 2)
def give_back(owner: Owner) -> Op | None:
    found = [one for one in owner.of(TOLD, lambda state: bool(state == "taken")) if "pass" in one.known]
    if not found or (thing := owner.chance.choice(found)).coming:
        return None
    return Op("consolidate.undo", {"id": thing.known["pass"]}, [(thing, "undone")])


def see_told(view: View, thing: Thing) -> State:
    """Said only, taken in with its pass, or taken back with it."""
    session = f"t-{thing.key}"
    standing = len(view["marks of memories"].get(thing.key, [])) + (thing.key in view["marks of waiting"])
    passes = [one for one in view["passes"].values() if one["session"] == session]
    match standing, passes:
        case 0, []:
            found = view["sessions"].get(session)
            return None if found is None else "said" if found["messages"] else "begun"
        case 0, [{"undone": str()}]:
            return "undone"
        case 1, [{"id": str(known), **more}] if "undone" not in more:
            thing.known["pass"] = known
            return "taken"
        case _:
            return f"{standing} standing or waiting, with {passes}"


SEEING = {TOLD: see_told}
