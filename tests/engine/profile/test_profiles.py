"""What of a subject comes first, what is left out, and how a profile reads."""

from __future__ import annotations

from typing import Any

import pytest

from memd.engine.keep.talk.persons import why_delicate
from memd.engine.recall.compiled import Compiled
from memd.engine.recall.inject import Found, Limits, inject
from memd.engine.recall.profile.groups import TITLES, Group, group_of
from memd.engine.recall.profile.profiles import Profiled, in_order, profiled, shown_of
from memd.engine.recall.profile.subjects import subject_of
from memd.model.memory import DEFAULTS, WORLD, Kind, Memory, Period
from memd.model.scene import Injection
from memd.model.settings import InjectionSettings

NOW_S = 1_790_000_000.0
DAY_S = 86_400.0


def memory(text: str, kind: Kind = Kind.SEMANTIC, *, days: float = 1, **fields: Any) -> Memory:
    usual = DEFAULTS[kind]
    weighed = {
        "priority": usual.priority,
        "relevance_weight": usual.relevance_weight,
        "decay_per_day": usual.decay_per_day,
    }
    return Memory(
        fields.pop("id", text), kind, text, when_s=NOW_S - days * DAY_S, **{"source": "user", **weighed, **fields}
    )


def compiled(*memories: Memory) -> Compiled:
    made = Compiled()
    for one in memories:
        made.put(one)
    return made


def held(role: Compiled, words: str = "", **more: Any) -> Profiled:
    subject = subject_of(words, role.memories, ("main",))
    return profiled(
        role, "main", subject, NOW_S, uses=more.pop("uses", {}), delicate=lambda one: why_delicate(one.text), **more
    )


def texts(found: Profiled) -> list[str]:
    return [one.memory.text for one in in_order([found])]


def block(found: Profiled, budget: int = 4000, *, chinese: bool = False) -> Injection:
    shown = shown_of([found], (), NOW_S, chinese=chinese)
    ranked = Found((), (), in_order([found]))
    return inject("main", ranked, Limits(0, 0, 0, 0), InjectionSettings(budget_chars=budget), None, NOW_S, shown)


@pytest.mark.parametrize(
    ("text", "group"),
    [
        ("My name is Mei Tan.", Group.WHO), ("我叫林舟，今年31岁。", Group.WHO), ("User was born in 1990.", Group.WHO),
        ("My sister sings.", Group.PEOPLE), ("我妈妈是老师。", Group.PEOPLE), ("Tom likes jazz.", Group.PEOPLE), ("小雨喜欢吃辣。", Group.PEOPLE),
        ("I live in Lyon.", Group.PLACES), ("我住在成都高新区。", Group.PLACES),
        ("I work as a nurse.", Group.WORK), ("我在一家设计公司上班。", Group.WORK),
        ("I am allergic to cats.", Group.HEALTH), ("我对青霉素过敏。", Group.HEALTH),
        ("I prefer tea.", Group.LIKES), ("我喜欢喝美式。", Group.LIKES),
        ("I plan to run a marathon.", Group.PLANS), ("我打算明年去冰岛。", Group.PLANS),
        ("The deploy branch is release.", Group.PROJECTS), ("后端仓库在内网。", Group.PROJECTS),
        ("The kiln is red.", Group.OTHER), ("窑是红的。", Group.OTHER),
    ],
)  # fmt: skip
def test_a_memory_goes_into_its_part(text: str, group: Group) -> None:
    assert group_of(memory(text), NOW_S, standing=False, own=True) is group


def test_kind_and_time_decide_too() -> None:
    assert group_of(memory("Kiln one.", Kind.GOAL), NOW_S, standing=False, own=True) is Group.PLANS
    assert group_of(memory("We fired the kiln.", Kind.EPISODIC), NOW_S, standing=False, own=True) is Group.RECENT
    coming = memory("Kiln fair.", event=Period(NOW_S + DAY_S, NOW_S + 2 * DAY_S), planned=True)
    assert group_of(coming, NOW_S, standing=False, own=True) is Group.PLANS
    assert group_of(coming, NOW_S + 9 * DAY_S, standing=False, own=True) is Group.OTHER
    assert group_of(memory("Answer in French from now on."), NOW_S, standing=True, own=True) is Group.RULES
    assert group_of(memory("Style: short.", Kind.TRAIT), NOW_S, standing=True, own=True) is Group.RULES
    assert group_of(memory("My name is Mei.", Kind.TRAIT), NOW_S, standing=True, own=True) is Group.WHO
    assert group_of(memory("I drink tea at work.", constant=True), NOW_S, standing=True, own=True) is Group.OTHER


@pytest.mark.parametrize(
    ("told", "text", "part"),
    [
        ("Call her Nora, please.", "Nora is allergic to latex.", "Health"),
        ("称呼: 叫他阿远，说话直接。", "阿远喜欢普洱。", "Likes and habits"),
    ],
)
def test_the_users_own_name_is_nobody_else(told: str, text: str, part: str) -> None:
    content = block(held(compiled(memory(told), memory(text)))).content
    assert f"### {part}\n- {text}" in content


def test_every_part_has_a_title_in_both_languages() -> None:
    assert set(TITLES) == set(Group)
    assert all(english and chinese for english, chinese in TITLES.values())


def test_what_no_longer_holds_is_left_out() -> None:
    role = compiled(
        memory("I live in Lyon.", id="new", supersedes=("old",)),
        memory("I live in Rome.", id="old"),
        memory("I own a key.", expires_s=NOW_S - 1),
        memory("I own a lamp.", held=Period(NOW_S - 9 * DAY_S, NOW_S - 1)),
        memory("I own a pen.", disabled=True),
        memory("I own a sword.", tags=(WORLD,)),
        memory("I own a rope."),
    )
    assert sorted(texts(held(role, barred=("I own a rope.",)))) == ["I live in Lyon."]
    assert "I own a sword." in texts(held(role, fiction=True))


@pytest.mark.parametrize("text", ["My boss Tom is getting divorced.", "我老板在闹离婚。"])
def test_what_is_private_of_others_is_in_their_profile_alone(text: str) -> None:
    role = compiled(memory(text), memory("I drink tea."))
    found = held(role)
    assert (texts(found), found.delicate) == (["I drink tea."], 1)
    assert texts(held(role, "my boss")) == [text]
    assert texts(held(role, "my boss", own=False)) == []


@pytest.mark.parametrize("text", ["I was diagnosed with asthma.", "我确诊了抑郁症。", "My salary is 3,000 a month."])
def test_what_is_delicate_is_the_users_own_and_no_linked_roles(text: str) -> None:
    role = compiled(memory(text))
    assert texts(held(role)) == [text]
    linked = held(role, own=False, weight=0.5)
    assert (texts(linked), linked.delicate) == ([], 1)


def test_weight_use_and_age_decide_who_gets_room() -> None:
    for better, worse, uses in (
        (memory("a", priority=90), memory("b", priority=10), {}),
        (memory("a", days=1), memory("b", days=90), {}),
        (memory("a", score=9.5), memory("b", score=5), {}),
        (memory("b"), memory("a"), {"b": (12, NOW_S)}),
    ):
        assert texts(held(compiled(better, worse), uses=uses)) == [better.text, worse.text]
        assert texts(held(compiled(worse, better), uses=uses)) == [better.text, worse.text]


def test_a_profile_is_no_list_of_one_kind() -> None:
    likes = [memory(f"I like tea number {number}.", priority=70) for number in range(60)]
    role = compiled(
        *likes, memory("I work as a nurse.", priority=40), memory("We fired the kiln.", Kind.EPISODIC, days=20)
    )
    chosen = [one.memory.text for one in block(held(role), budget=1200).activated]
    assert "I work as a nurse." in chosen
    assert "We fired the kiln." in chosen


def test_a_part_stands_newest_first_with_days_and_ids() -> None:
    role = compiled(memory("I like figs.", days=3, id="11111111-x"), memory("I like tea.", days=1, id="22222222-x"))
    content = block(held(role)).content
    assert (
        "### Likes and habits\n- I like tea. (2026-09-20, 22222222)\n- I like figs. (2026-09-18, 11111111)" in content
    )
    assert "### 喜好与习惯" in block(held(role), chinese=True).content


@pytest.mark.parametrize("budget", [100, 150, 300, 900, 2500])
@pytest.mark.parametrize("chinese", [False, True])
def test_the_budget_holds_and_what_is_left_out_is_counted(budget: int, chinese: bool) -> None:
    role = compiled(*(memory(f"I like things of the sort {number:03d}.", days=number) for number in range(80)))
    made = block(held(role), budget, chinese=chinese)
    left = 80 - len(made.activated)
    assert len(made.content) <= budget
    assert not made.content or (f"另有 {left} 条" if chinese else f"({left} more ") in made.content
    assert made.content or not made.activated
    assert budget < 300 or made.activated


def test_what_is_always_in_mind_has_the_first_room() -> None:
    role = compiled(
        *(memory(f"I like figs of sort {number}.") for number in range(40)),
        memory("I am a nurse.", constant=True, priority=1),
    )
    assert texts(held(role))[0] == "I am a nurse."


def test_twice_asked_is_the_same() -> None:
    role = compiled(*(memory(f"I like figs of sort {number}.", days=number % 3) for number in range(40)))
    found = held(role)
    assert [one.memory.id for one in in_order([found])] == [one.memory.id for one in in_order([found])]


def test_of_what_is_worth_the_same_the_newer_comes_first() -> None:
    role = compiled(
        memory("I like figs.", days=9, decay_per_day=0.0, id="a"),
        memory("I like tea.", days=1, decay_per_day=0.0, id="b"),
    )
    assert texts(held(role)) == ["I like tea.", "I like figs."]
