"""Whether a message wants a memory: by words alone and by meaning, in roles of any size, in both languages."""

from __future__ import annotations

import pytest

from memd.engine.recall.compiled import Compiled
from memd.engine.recall.wanted.evidence import bearing_of, standing_of, worth_telling
from memd.engine.recall.wanted.weighing import ONLY_NEAR, Question, Scales, Weighing, question_of, reason
from memd.engine.recall.wanted.wording import Frequencies, synonyms_of
from memd.model.memory import Kind, Memory
from memd.model.scene import Near
from memd.store.keep.learned import Learned
from memd.text.acts import read_message

LEARNED = Learned().weighing
CAT, BOSS, RULE = (
    "我家猫叫糯米。",
    "My boss is called Anna Roth.",
    "Commit messages are written in lower case, never with emoji.",
)


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
    role = role_of("User's shift starts at six on Fridays.", "The skylight faces north.")
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


def test_nothing_learned_says_nothing() -> None:
    assert Scales(role_of(BOSS), question_of(["Who is my boss?"], "", Weighing()), {}, Weighing()).all() == {}


def test_a_miss_costs_most_where_one_s_own_things_are_asked_for_and_least_in_a_paste() -> None:
    plain, rule = bearing_of(BOSS), bearing_of(RULE)
    own, world = read_message("Where is my key?"), read_message("Where is Lima?")
    order, paste = read_message("rename the variable"), read_message("look:\n```\nx = 1\n```")
    values = [worth_telling(0.2, said, plain) for said in (own, world, order, paste)]
    assert values == sorted(values, reverse=True)
    assert worth_telling(0.2, order, rule) > worth_telling(0.2, order, plain)
    assert (worth_telling(0.0, own, plain), worth_telling(1.0, paste, plain)) == (0.0, 1.0)


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
    assert reason(role, question, LEARNED, "m0", 1.9) == "means something alike (1.9) and shares boss"
    assert reason(role, question, LEARNED, "m0", None) == "shares boss"


def test_places_among_others_are_counted_from_the_best() -> None:
    assert [(one.best, one.second, one.above) for one in standing_of([0.2, 0.9, 0.5])] == [
        (0.9, 0.5, 2),
        (0.9, 0.5, 0),
        (0.9, 0.5, 1),
    ]
