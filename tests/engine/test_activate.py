"""What comes to mind of a role: its own constants, and of a linked one only what the scene asks for."""

from __future__ import annotations

from typing import Any

import pytest

from memd.engine.recall.activate import gather
from memd.engine.recall.compiled import Compiled
from memd.model.lore import Entry, Timer, Timers
from memd.model.memory import Kind, Memory
from memd.model.scene import Scene, Strategy
from memd.model.settings import TriggerSettings
from memd.store.keep.learned import Learned

NOW_S = 1_795_225_077.0


def role_of(*memories: Memory) -> Compiled:
    role = Compiled()
    for memory in memories:
        role.put(memory)
    return role


CONSTANTS = role_of(
    Memory("brief", Kind.TRAIT, "Always be brief.", constant=True, priority=10),
    Memory("pump", Kind.TRAIT, "Check the pump first.", keys=("pump",), constant=True, priority=90),
    Memory("gone", Kind.TRAIT, "Use the old form.", constant=True, expires_s=NOW_S),
)


def test_a_roles_own_constants_come_whatever_is_said_the_most_important_first() -> None:
    found = gather(CONSTANTS, "r", Scene(("the pump",), NOW_S), TriggerSettings())
    assert [one.memory.id for one in found.constants] == ["pump", "brief"]
    assert found.candidates == []
    assert [(one.candidate.memory.id, one.why) for one in found.barred] == [("gone", "expired")]


def test_of_a_linked_role_a_constant_comes_only_where_something_speaks_for_it() -> None:
    found = gather(CONSTANTS, "r", Scene(("the pump",), NOW_S), TriggerSettings(), own=False, weight=0.5)
    assert found.constants == []
    assert [(one.memory.id, one.weight, one.own) for one in found.candidates] == [("pump", 0.5, False)]
    silent = gather(CONSTANTS, "r", Scene(("nothing of it",), NOW_S), TriggerSettings(), own=False)
    assert (silent.constants, silent.candidates) == ([], [])


def reminding(count: int, owners: int = 1) -> Compiled:
    """Memories with a key each, each of which names a thing that other memories have as their key."""
    names = ("Bulwark", "Cassandra", "Dorothea", "Ephraim")[:count]
    asked = [
        Memory(f"a{n}", Kind.SEMANTIC, f"It belongs to {name}.", keys=(f"zebra{n}",)) for n, name in enumerate(names)
    ]
    told = [
        Memory(f"{name}{n}", Kind.SEMANTIC, f"Text {n} of another kind.", keys=(name.casefold(),))
        for name in names
        for n in range(owners)
    ]
    return role_of(*asked, *told)


def reminded(role: Compiled, depth: int) -> set[str]:
    settings = TriggerSettings(semantic=False, recursion_depth=depth)
    found = gather(role, "r", Scene(("zebra0 zebra1 zebra2 zebra3",), NOW_S), settings)
    return {one.memory.id for one in found.candidates if not one.memory.id.startswith("a")}


def test_in_every_round_of_reminding_others_have_their_turn() -> None:
    role = reminding(4)
    assert [len(reminded(role, depth)) for depth in (0, 1, 2, 3)] == [0, 3, 4, 4]


def test_a_name_that_many_memories_have_as_their_key_reminds_of_none() -> None:
    assert [len(reminded(reminding(1, owners), 1)) for owners in (1, 3, 4)] == [1, 3, 0]


@pytest.mark.parametrize(
    ("rule", "why"),
    [
        ({}, ""),
        ({"cooldown": 5}, "cooldown"),
        ({"delay": 9}, "delay"),
        ({"probability": 50}, "roll"),
        ({"only_roles": ("another",)}, "filter"),
        ({"occasions": ("quiet",)}, "filter"),
        ({"group": "one of these"}, "group"),
    ],
    ids=["none", "cooldown", "delay", "roll", "role", "occasion", "group"],
)
def test_what_a_rule_of_keys_refuses_does_not_come_by_its_words_either(rule: dict[str, Any], why: str) -> None:
    said = "The celadon glaze cracked in the kiln."
    chosen = Entry("chosen", ("kiln",), group="one of these", group_override=True)
    role = role_of(
        Memory("told", Kind.SEMANTIC, said, keys=("celadon",), lore=Entry("told", ("celadon",), digest="d", **rule)),
        Memory("chosen", Kind.SEMANTIC, "Cones are counted twice.", keys=("kiln",), lore=chosen),
    )
    scene = Scene((said,), NOW_S, length=3, role="r", roll=lambda: 0.9)
    timers = Timers(cooldown={"told": Timer("d", 1, 6)}) if "cooldown" in rule else Timers()
    found = gather(role, "r", scene, TriggerSettings(), timers=timers, weighing=Learned().weighing)
    (told,) = [one for one in [*found.candidates, *(one.candidate for one in found.barred)] if one.memory.id == "told"]
    assert Strategy.SEMANTIC in {one.strategy for one in told.evidence}
    assert [one.why for one in found.barred] == ([why] if why else [])
