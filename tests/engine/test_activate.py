"""What comes to mind of a role: its own constants, and of a linked one only what the scene asks for."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memd.engine.keep.succeed import digests_of
from memd.engine.recall.activate import Gathered, gather
from memd.engine.recall.compiled import Compiled
from memd.engine.recall.inject import Found, Limits, inject
from memd.engine.recall.rank import along, is_settled, rank
from memd.model.lore import Entry, Timer, Timers
from memd.model.memory import Kind, Memory
from memd.model.scene import Injection, Near, Scene, Strategy
from memd.model.settings import InjectionSettings, TriggerSettings
from memd.store.keep.learned import Learned
from tests.support import examples

NOW_S = 1_795_225_077.0
LEARNED = Learned().weighing
OLD = "I live in Munich and work as a nurse."


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
    found = gather(CONSTANTS, "r", Scene(("the pump",), NOW_S), TriggerSettings(), own=False, always=False, weight=0.5)
    assert found.constants == []
    assert [(one.memory.id, one.weight, one.own) for one in found.candidates] == [("pump", 0.5, False)]
    silent = gather(CONSTANTS, "r", Scene(("nothing of it",), NOW_S), TriggerSettings(), own=False, always=False)
    assert (silent.constants, silent.candidates) == ([], [])


def test_who_took_a_memorys_place_answers_what_it_answered() -> None:
    told = (
        Memory("old", Kind.SEMANTIC, "I live in Munich.", keys=("home",)),
        Memory("mid", Kind.SEMANTIC, "I moved to Ulm.", supersedes=("old",)),
        Memory("new", Kind.SEMANTIC, "I moved to Berlin.", supersedes=("mid",)),
        Memory("dog", Kind.SEMANTIC, "We got a beagle called Otto."),
    )
    near = {"old": Near(0.9, 4.0, 4.0, same_language=True)}
    for scene, strategies in (("Where do I live?", {Strategy.SEMANTIC}), ("home", {Strategy.KEYWORD})):
        found = gather(role_of(*told), "r", Scene((scene,), NOW_S), TriggerSettings(), near=near, weighing=LEARNED)
        by_id = {one.memory.id: one for one in found.candidates}
        assert by_id.keys() == {"new"}
        assert strategies <= {one.strategy for one in by_id["new"].evidence}
        assert any("took the place of old" in one.reason for one in by_id["new"].evidence)
        assert {one.candidate.memory.id for one in found.barred} >= {"old"}


@pytest.mark.parametrize("barred", [{"disabled": True}, {"expires_s": NOW_S}])
def test_what_may_not_come_holds_nothing_down(barred: dict[str, Any]) -> None:
    car = Memory("car", Kind.SEMANTIC, "User drives a Citroen Berlingo.")
    boat = Memory("boat", Kind.SEMANTIC, "User's boat has a Beta 20 engine.")
    near = {"boat": Near(0.8, 7.0, 7.0, same_language=True), "car": Near(0.4, 3.6, 3.6, same_language=True)}

    def came(*held: Memory) -> set[str]:
        scene = Scene(("what vehicle is mine?",), NOW_S)
        among = {key: one for key, one in near.items() if key in {memory.id for memory in held}}
        found = gather(role_of(*held), "r", scene, TriggerSettings(), near=among, weighing=LEARNED)
        return {one.memory.id for one in found.candidates}

    assert came(car, boat) == {"boat"}
    assert came(car) == came(car, replace(boat, **barred)) == {"car"}


def test_who_took_the_place_of_a_part_answers_what_it_answered_and_nothing_of_the_rest() -> None:
    home, job = digests_of(Memory("", Kind.SEMANTIC, OLD))
    old = Memory("old", Kind.SEMANTIC, OLD)
    moved = Memory("moved", Kind.SEMANTIC, "I moved to Berlin.", supersedes=("old",), covers=(home,))
    taught = Memory("taught", Kind.SEMANTIC, "They made me a teacher.", supersedes=("old",), covers=(job,))
    dog = Memory("dog", Kind.SEMANTIC, "We got a beagle called Otto.")
    role = role_of(old, moved, dog)

    def came(asked: str, part: str) -> set[str]:
        near = {f"old#{part}": Near(0.9, 4.0, 4.0, same_language=True)} if part else {}
        found = gather(role, "r", Scene((asked,), NOW_S), TriggerSettings(), near=near, weighing=LEARNED)
        return {one.memory.id for one in found.candidates}

    assert came("Where do I live?", home) == {"moved"}
    assert came("Where do I live?", "") == {"moved"}
    assert came("What work do I do?", job) == {"old"}, "of that part nobody took the place"
    role.put(taught)
    assert role.memories["old"].superseded_by, "nothing is left of it"
    assert came("Where do I live?", home) == {"moved"}
    assert came("Which work do I do?", job) == {"taught"}
    role.drop("moved")
    assert came("What work do I do?", job) == {"taught"}
    assert came("Where do I live?", home) == {"old"}
    assert role.texts.keys() == {"old", "taught", "dog", f"old#{job}"}
    role.drop("old")
    assert role.texts.keys() == {"taught", "dog"}
    assert len(role.lexicon) == 2


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


WORDS = (
    *[
        "harbour",
        "Harbour",
        "time",
        "pump",
        "Pump",
        "JavaScript",
        "javascript",
        "rain",
        "morning",
        "tea",
        "letters",
        "never",
        "Anna",
    ],
    "茶",
    "时间",
    "港口",
    "下雨",
)


def any_role(chance: random.Random) -> Compiled:
    """A role whose memories share their keys, in one spelling or another; some have rules, ended, conflict, or are constant."""
    memories = []
    for number in range(chance.choice((chance.randint(1, 40), 250))):
        words = chance.choices(WORDS, k=chance.randint(1, 8))
        keys = tuple(chance.sample(words, min(len(words), chance.randint(0, 3))))
        others = tuple(f"m{chance.randrange(40)}" for _ in range(chance.random() < 0.1))
        ruled = chance.choice((None, None, None, {}, {"secondary": ("rain",)}, {"content": "tea", "probability": 50.0}))
        rules = None if ruled is None else Entry(f"m{number}", keys, **ruled)
        memories.append(
            Memory(
                f"m{number}", chance.choice(list(Kind)), " ".join(words), keys=keys, when_s=NOW_S - chance.randrange(10**7),
                priority=chance.randrange(101), relevance_weight=chance.choice((0.3, 0.8, 1.0)), lore=rules,
                constant=chance.random() < 0.05, disabled=chance.random() < 0.05, conflicts=others if number % 2 else (),
                supersedes=() if number % 2 else others, emotions=("joy",) * (number % 9 == 0),
            )
        )  # fmt: skip
    return role_of(*memories)


def told(
    role: Compiled, scene: Scene, asked: TriggerSettings, chance: random.Random, **how: Any
) -> tuple[Gathered, Injection]:
    budget = replace(InjectionSettings(), budget_chars=chance.choice((200, 300, 2000)))
    found = gather(role, "r", scene, asked, weighing=LEARNED, weight=chance.choice((1.0, 0.5)), **how)
    block = fitted(found, asked, budget)
    if not is_settled(block.activated, found.cut, {kind: asked.most_of(kind) for kind in Kind}):
        assert found.whole
        found = found.whole()
        block = fitted(found, asked, budget)
    return found, block


def fitted(found: Gathered, asked: TriggerSettings, budget: InjectionSettings) -> Injection:
    ranked, below = rank(found.candidates, threshold=asked.relevance_threshold, now_s=NOW_S, use_decay=True)
    beside, below = along((*found.constants, *ranked), found.rivals, below, lambda _: True)
    wanted = Found(found.constants, (), ranked, along=beside)
    return inject("r", wanted, Limits(*map(asked.most_of, Kind)), budget)


@given(st.integers(0, 10**9))
@settings(max_examples=examples(150), deadline=None)
def test_what_is_only_counted_changes_nothing_of_what_comes(seed: int) -> None:
    chance = random.Random(seed)
    role, most = any_role(chance), [chance.randint(0, 4) for _ in Kind]
    asked = replace(
        TriggerSettings(), relevance_threshold=chance.choice((0.1, 0.3, 0.7)), max_episodic=most[0], max_semantic=most[1],
        max_trait=most[2], max_goal=most[3],
    )  # fmt: skip
    scene = Scene(tuple(" ".join(chance.choices(WORDS, k=6)) for _ in range(chance.randint(1, 3))), NOW_S)
    near = {one: Near(0.5, chance.uniform(-2, 9), 1.0, True) for one in role.memories if chance.random() < 0.1}
    few, block = told(role, scene, asked, random.Random(seed), near=near)
    many, whole = told(role, scene, asked, random.Random(seed), near=near, counted=False)
    assert block.content == whole.content
    assert [(one.key, one.score, one.reasons) for one in block.activated] == [
        (one.key, one.score, one.reasons) for one in whole.activated
    ]
    counts = [len(one.constants) + len(one.candidates) + len(one.barred) + one.unheard for one in (few, many)]
    assert (counts[0], many.unheard) == (counts[1], 0)
    assert [one.candidate.key for one in block.refused if one.why == "budget"] == [
        one.candidate.key for one in whole.refused if one.why == "budget"
    ]


@given(st.integers(0, 10**9))
@settings(max_examples=examples(150), deadline=None)
def test_a_key_asked_once_says_what_it_says_asked_for_each_that_has_it(seed: int) -> None:
    chance = random.Random(seed)
    role = any_role(chance)
    scene = Scene(tuple(" ".join(chance.choices(WORDS, k=6)) for _ in range(3)), NOW_S, roll=lambda: 0.4)
    asked = replace(TriggerSettings(), whole_words=chance.random() < 0.5)

    def said() -> dict[str, list[tuple[str, float, str]]]:
        found = gather(role, "r", scene, asked, weighing=LEARNED, counted=False)
        spoke = [*found.constants, *found.candidates, *(one.candidate for one in found.barred)]
        return {
            one.memory.id: [(each.strategy, round(each.score, 12), each.reason) for each in one.evidence]
            for one in spoke
        }

    by_key = said()
    for ready in list(role.lore.entries.values()):
        role.lore.put(ready.entry)  # as one with rules
    assert by_key == said()
