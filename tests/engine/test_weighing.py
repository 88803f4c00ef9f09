"""Whether a message wants a memory: by words alone and by meaning, in roles of any size, in both languages."""

from __future__ import annotations

import random
from math import log

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memd.engine.recall.activate import gather
from memd.engine.recall.compiled import Compiled
from memd.engine.recall.wanted.doing import Doing, doing_of, touches_of
from memd.engine.recall.wanted.evidence import (
    STRANGER,
    bearing_of,
    cost_of,
    features,
    probability,
    standing_of,
    worth_telling,
)
from memd.engine.recall.wanted.weighing import (
    ONLY_NEAR,
    POOLED,
    POOLED_MORE,
    Question,
    Scales,
    Weighing,
    question_of,
    reason,
)
from memd.engine.recall.wanted.wording import Frequencies, Sharing, asked_of, synonyms_of
from memd.model.memory import Kind, Memory
from memd.model.scene import Near, Scene
from memd.model.settings import TriggerSettings
from memd.store.keep.learned import Learned
from memd.text.acts import read_message
from tests.support import examples

LEARNED = Learned().weighing
CAT, BOSS, RULE = (
    "我家猫叫糯米。",
    "My boss is called Anna Roth.",
    "Commit messages are written in lower case, never with emoji.",
)

SHIFT = "User's shift starts at six on Fridays."
TASK = Doing(task=True, goes_on=False, lesson=False, how_to=False, makeover=False, here=False)


def role_of(*texts: str) -> Compiled:
    role = Compiled()
    for number, text in enumerate(texts):
        role.put(Memory(f"m{number}", Kind.SEMANTIC, text))
    return role


def likely(role: Compiled, message: str, near: dict[str, Near] | None = None) -> dict[str, float]:
    question = question_of([message], "", LEARNED)
    return {key: one.probability for key, one in Scales(role, question, near or {}, LEARNED).all().items()}


@pytest.mark.parametrize(("message", "wanted"), [("我家猫叫什么名字", "m0"), ("What is my boss called?", "m1")])
def test_words_find_what_is_asked_plainly_alike_in_small_roles_and_large_ones(message: str, wanted: str) -> None:
    alone = likely(role_of(CAT, BOSS), message)
    others = [
        f"Box {n} in the attic holds {word}." for n, word in enumerate(("lace", "maps", "skis", "jars", "kites") * 6)
    ]
    many = likely(role_of(CAT, BOSS, *others), message)
    assert max(alone, key=alone.__getitem__) == max(many, key=many.__getitem__) == wanted
    assert alone[wanted] > 0.5
    assert many[wanted] > 0.5


def test_meaning_finds_what_shares_no_word_and_a_stranger_s_likeness_brings_nothing() -> None:
    role = role_of(SHIFT, "The skylight faces north.")
    message = "do I need to be up early tomorrow?"
    near = {"m0": Near(0.6, 4.5, 4.5, same_language=True), "m1": Near(0.1, 0.2, 0.1, same_language=True)}
    found = likely(role, message, near)
    assert found["m0"] > 0.2
    assert found["m1"] <= ONLY_NEAR
    assert likely(role, message) == {}


def test_what_was_only_near_what_was_wanted_stays_away() -> None:
    role = role_of("Ana's birthday is on 8 March.", "Ben's birthday is on 19 May.")
    near = {"m0": Near(0.7, 6.0, 6.0, same_language=True), "m1": Near(0.4, 2.4, 2.2, same_language=True)}
    found = likely(role, "When is Ana's birthday?", near)
    assert found["m0"] > 0.6
    assert found["m1"] <= ONLY_NEAR


def test_in_a_crowd_what_is_hardly_near_stays_away_and_what_is_near_comes() -> None:
    few, many = role_of(SHIFT), role_of(SHIFT, *(f"Crate {n} is in aisle {n % 7}." for n in range(999)))
    message = "do I need to be up early tomorrow?"

    def comes(role: Compiled, level: float) -> bool:
        near = {"m0": Near(level / 10, level, level, same_language=True)}
        found = gather(
            role, "r", Scene((message,), 0.0), TriggerSettings(), near=near, weighing=LEARNED, faint=True
        ).candidates
        return any(one.evidence[0].score >= TriggerSettings().relevance_threshold for one in found)

    levels = [n / 20 for n in range(20, 160)]
    alone, crowded = [one for one in levels if comes(few, one)], [one for one in levels if comes(many, one)]
    assert len(crowded) < len(alone)
    assert crowded[-1] == alone[-1] == levels[-1]


def test_nothing_learned_says_nothing() -> None:
    assert Scales(role_of(BOSS), question_of(["Who is my boss?"], "", Weighing()), {}, Weighing()).all() == {}


def test_a_miss_costs_most_where_one_s_own_things_are_asked_for_and_least_in_a_paste() -> None:
    assert (bearing_of(BOSS).rule, bearing_of(RULE).rule) == (False, True)
    own, world = read_message("Where is my key?"), read_message("Where is Lima?")
    order, paste = read_message("rename the variable"), read_message("look:\n```\nx = 1\n```")
    values = [worth_telling(0.2, cost_of(said, TASK, rule=False)) for said in (own, order, world, paste)]
    assert values == sorted(values, reverse=True)
    assert worth_telling(0.2, cost_of(order, TASK, rule=True)) > values[1]
    assert [worth_telling(chance, cost_of(own, TASK, rule=False)) for chance in (0.0, 1.0)] == [0.0, 1.0]
    lesson = TASK._replace(task=False, lesson=True)
    assert worth_telling(0.2, cost_of(world, lesson, rule=False)) < 0.6 * values[2]


@pytest.mark.parametrize(
    ("message", "wants"),
    [
        ("add a column for the harvest date", "task"),
        ("the cooler list should show empty boxes as well", "task"),
        ("首页加个导出按钮", "task"),
        ("yes, carry on", "goes_on"),
        ("run it again", "goes_on"),
        ("好，接着来", "goes_on"),
        ("explain the difference between a mutex and a semaphore", "lesson"),
        ("接口和抽象类有什么区别", "lesson"),
        ("regex for a Dutch postcode", "makeover"),
        ("把这段翻译成英文", "makeover"),
        ("the bracket on line 12 is missing", "here"),
        ("第三行那个空格去掉", "here"),
        ("where do I keep the spare key?", ""),
        ("我妈的生日是哪天", ""),
        ("行李放在哪", ""),
        ("对了，妈妈下周来", ""),
    ],
)
def test_what_a_message_wants_done(message: str, wants: str) -> None:
    doing = doing_of(read_message(message))
    assert [name for name, is_so in doing._asdict().items() if is_so and name != "how_to"] == ([wants] if wants else [])
    assert doing.needs_nothing is (wants not in {"", "task"})


def test_a_task_touches_rules_with_which_it_shares_no_word() -> None:
    touches = touches_of("# words > words\ncolumn table 字段 > migration 迁移\ncolour > palette\n")
    known = Frequencies(10_000, {"migrat": 9.0}, touches=touches)
    role = role_of("Every migration has a way back.", "The palette is Anna's.", "迁移要能回滚。", BOSS)
    for message in ("add a column", "加一个字段"):
        sharing = Sharing(asked_of(message, (), "", "", known, is_task=True), role.lexicon, known)
        assert {key for key in role.memories if sharing.of(key).touched} == {"m0", "m2"} == set(sharing.best(9))
    assert not Sharing(asked_of("add a row", (), "", "", known, is_task=True), role.lexicon, known).best(9)
    assert not Sharing(asked_of("is there a column", (), "", "", known), role.lexicon, known).best(9)


def test_what_is_shipped_has_touches_of_both_languages() -> None:
    touches = LEARNED.known.touches
    assert len(touches.rules) > 30
    assert all(touches.rules)
    assert touches.groups["字段"] == touches.groups["column"]


def test_a_name_that_stands_in_every_memory_says_nothing_of_one_and_all_of_the_only_one() -> None:
    said = ("Anna plays the cello.", "Anna was in Lviv.", "Anna keeps bees.", "Anna is called Anna Roth.")
    several, single = role_of(*said, *(f"Anna knows number {n}." for n in range(60))), role_of(said[0])
    for message, told in (("Where does Anna play the cello?", 1.0), ("How is Anna?", 0.0)):
        sharing = Sharing(asked_of(message, (), "", "", LEARNED.known), several.lexicon, LEARNED.known)
        assert sharing.of("m0").total > 0
        assert (sharing.of("m0").here > sharing.of("m0").total / 4) is bool(told)
        assert sharing.of("m0").here_of_all > 0.9
        assert sharing.of("m2").here < sharing.of("m2").total / 4
    alone = Sharing(asked_of("How is Anna?", (), "", "", LEARNED.known), single.lexicon, LEARNED.known).of("m0")
    assert alone.here == pytest.approx(alone.total)
    assert alone.here_covered == pytest.approx(alone.covered)


def test_an_everyday_word_is_not_rare_in_a_small_role() -> None:
    known = Frequencies(10_000, {"morn": 400.0})
    role = role_of("Every morning she feeds the axolotl.")
    assert known.rarity("axolotl", role.lexicon) > 2 * known.rarity("morn", role.lexicon)
    assert (known.telling("axolotl"), known.telling("morning")) == (1.0, 0.0)


def test_synonyms_are_those_of_one_group() -> None:
    groups = {"doctor": "=1 ~9", "physician": "=1", "车 子": "=2", "汽 车": "=2", "take off": "=3", "cat": "~9"}
    assert synonyms_of(groups) == {
        "doctor": ("physician",),
        "physician": ("doctor",),
        "车子": ("汽车",),
        "汽车": ("车子",),
    }


def test_the_reason_names_meaning_and_words() -> None:
    role = role_of(BOSS)
    question: Question = question_of(["who is my boss"], "", LEARNED)
    assert (
        reason(role.memories["m0"], role.lexicon, question, LEARNED, "m0", 1.9)
        == "means something alike (1.9) and shares boss"
    )
    assert reason(role.memories["m0"], role.lexicon, question, LEARNED, "m0", None) == "shares boss"


def test_places_among_others_are_counted_from_the_best() -> None:
    assert [(one.best, one.second, one.above) for one in standing_of([0.2, 0.9, 0.5])] == [
        (0.9, 0.5, 2),
        (0.9, 0.5, 0),
        (0.9, 0.5, 1),
    ]
    assert {(one.fifth, one.tenth) for one in standing_of([at / 10 for at in range(12)])} == {(0.7, 0.2)}
    assert standing_of([0.9])[0].fifth == standing_of([0.9])[0].tenth == STRANGER.best


SAID = (
    *[
        "who",
        "what",
        "is",
        "my",
        "the",
        "please",
        "write",
        "never",
        "always",
        "tea",
        "harbour",
        "Anna",
        "Roth",
        "boss",
        "meeting",
        "Tuesday",
        "report",
        "again",
        "short",
    ],
    *("谁", "我的", "茶", "必须", "开会", "周二", "报告", "?", "\n"),
)


def test_of_what_is_to_be_done_both_judges_are_asked_and_of_a_question_meaning_alone() -> None:
    role = role_of("Ask before adding a dependency.", "Migrations are written by hand.", "Otto is a beagle.")
    near = {one: Near(level / 10, level, level, same_language=True) for one, level in (("m0", 2.0), ("m1", 3.5))}
    only = {one: Weighing(**{one: getattr(LEARNED, one)}, known=LEARNED.known) for one in ("meaning", "words")}

    def odds(message: str, weighing: Weighing, near: dict[str, Near], key: str) -> float:
        weighed = Scales(role, question_of([message], "", LEARNED), near, weighing).of(key)
        assert weighed is not None
        return log(weighed.alone / (1 - weighed.alone))

    for message, is_order in (
        ("Pull in a small library for the retries.", True),
        ("What do we hold of libraries?", False),
    ):
        for key in near:
            meant, said = odds(message, only["meaning"], near, key), odds(message, only["words"], {}, key)
            both = POOLED * meant + (1 - POOLED) * said + POOLED_MORE
            assert odds(message, LEARNED, near, key) == pytest.approx(both if is_order else meant)
            assert both != pytest.approx(meant), "the judges differ"


def test_what_is_nearest_leads_also_where_several_are_nearer_than_the_highest_level() -> None:
    role = role_of(*(f"Anna keeps {what} in the barn." for what in ("lace", "maps", "skis", "jars")))
    near = {key: Near(z, z, z, same_language=True) for key, z in (("m0", 7.0), ("m1", 7.5), ("m2", 8.0), ("m3", 11.0))}
    found = Scales(role, question_of(["Who keeps something?"], "", LEARNED), near, LEARNED).all()
    levels = [one.level for one in found.values() if one.level is not None]
    assert len(set(levels)) == len(near), "none is tied with another"
    assert found["m3"].alone > max(found[key].alone for key in ("m0", "m1", "m2"))


@given(st.integers(0, 10**9))
@settings(max_examples=examples(120), deadline=None)
def test_what_stands_alike_and_is_judged_once_is_judged_as_each_alone_would_be(seed: int) -> None:
    chance = random.Random(seed)
    role = role_of(*(" ".join(chance.choices(SAID, k=chance.randint(1, 40))) for _ in range(30)))
    question = question_of([" ".join(chance.choices(SAID, k=chance.randint(3, 60)))], "", LEARNED)
    scales, sharing = Scales(role, question, {}, LEARNED), Sharing(question.asked, role.lexicon, LEARNED.known)
    assert LEARNED.words is not None
    for key, memory in role.memories.items():
        evidence = features(
            question.said, question.doing, 0.0, bearing_of(memory.text), None, 0.0, STRANGER, sharing.of(key)
        )
        weighed = scales.of(key)
        assert weighed is not None
        bare = probability(LEARNED.words.value(evidence))
        assert weighed.alone == pytest.approx(bare, abs=1e-12) or weighed.alone > max(bare, 0.4)


@given(st.integers(0, 10**9), st.integers(1, 20))
@settings(max_examples=examples(120), deadline=None)
def test_the_best_by_words_are_those_of_all(seed: int, count: int) -> None:
    chance = random.Random(seed)
    role = role_of(*(" ".join(chance.choices(SAID, k=chance.randint(1, 12))) for _ in range(60)))
    for gone in chance.sample(sorted(role.memories), 10):
        role.drop(gone)
    gains = {
        term: chance.uniform(0.1, 9) for word in chance.sample(SAID, 8) for term in (*role.lexicon.terms("m0"), word)
    }
    whole, some = role.lexicon.scores(gains), role.lexicon.scores(gains, best=count)
    ordered = sorted(whole, key=lambda key: (-whole[key], key))[:count]
    assert sorted(some, key=lambda key: (-some[key], key))[:count] == ordered
    assert all(some[key] == whole[key] for key in ordered)
