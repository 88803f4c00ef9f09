"""What words and a model say of memories put together, and what is taken for a conversation."""

from __future__ import annotations

import pytest

from memd.engine.recall.compiled import Compiled
from memd.engine.recall.dialogue import fused, unnamed
from memd.model.memory import Kind, Memory
from memd.model.scene import Near

MINUTE_S = 60.0
SAID = (
    "Morning, Ana! Did the oven come?",
    "It came on Friday. Two of us carried it up.",
    "Up to the third floor? By hand?",
    "Thanks, Ben! Yes, and my back knows it.",
    "What will you bake first?",
    "A plum cake, from my aunt's book.",
    "Ana, you and your plums.",
    "They were cheap at the market.",
    "Is that the one by the river?",
    "No, the one behind the school.",
    "I should go there some day.",
    "Come on Saturday, Ben!",
)


def near(how: float) -> Near:
    return Near(0.5, how, how, same_language=True)


def role(texts: tuple[str, ...], *, kind: Kind = Kind.EPISODIC, apart_s: float = MINUTE_S) -> Compiled:
    compiled = Compiled()
    for number, text in enumerate(texts):
        compiled.put(Memory(f"m{number}", kind, text, when_s=1_780_000_000 + number * apart_s))
    return compiled


def test_what_has_no_vector_yet_is_not_behind_what_shares_less_with_the_question() -> None:
    words = {"whole": 6.0, "part": 2.0, "other": 1.0}
    found, _ = fused(words, {"part": near(3.0), "other": near(-1.0)}, 100)
    assert found["whole"] > found["part"] > found["other"]
    there, _ = fused(words, {"whole": near(3.0), "part": near(3.0), "other": near(-1.0)}, 100)
    assert there == found, "the best by words is as near as the nearest"


def test_what_one_of_both_is_sure_of_is_before_what_both_think_likely() -> None:
    others = {f"other {number}": 0.5 for number in range(20)}
    found, spread = fused({**others, "half": 4.0}, {"half": near(2.0), "sure": near(5.0)}, 100)
    linear = 0.25 * 4.0 / spread + 0.65 * 2.0
    assert linear > 0.65 * 5.0, "which a sum of both would put the other way round"
    assert found["sure"] > found["half"]


def test_what_was_told_one_after_the_other_and_asks_is_a_conversation() -> None:
    (ids,) = role(SAID).turns.sessions.values()
    assert ids == [f"m{number}" for number in range(len(SAID))]


@pytest.mark.parametrize(
    "compiled",
    [
        pytest.param(role(SAID[:11]), id="too few"),
        pytest.param(role(tuple(one.replace("?", ".") for one in SAID)), id="nobody asks, as in stored facts"),
        pytest.param(role(SAID, kind=Kind.SEMANTIC), id="what holds is not said at a time"),
        pytest.param(role(SAID, apart_s=3600.0), id="an hour apart"),
    ],
)
def test_other_memories_are_no_conversation(compiled: Compiled) -> None:
    assert not compiled.turns.sessions


def test_a_pause_parts_two_conversations_and_a_later_turn_is_of_its_own() -> None:
    compiled = role(SAID)
    for number, text in enumerate(SAID):
        compiled.put(Memory(f"n{number}", Kind.EPISODIC, text, when_s=1_780_100_000 + number * MINUTE_S))
    assert [len(ids) for ids in compiled.turns.sessions.values()] == [12, 12]
    compiled.put(Memory("late", Kind.EPISODIC, "I will.", when_s=1_780_100_000 + 12 * MINUTE_S))
    assert compiled.turns.place["late"] == ("~n0", 12)


def test_what_comes_last_makes_a_conversation_whether_or_not_it_asks() -> None:
    compiled = role(SAID[:11])
    assert not compiled.turns.sessions
    compiled.put(Memory("m11", Kind.EPISODIC, SAID[11], when_s=1_780_000_000 + 11 * MINUTE_S))
    assert compiled.turns == role(SAID).turns, "as if it had been there from the beginning"
    compiled.drop("m11")
    assert not compiled.turns.sessions


def test_turns_stay_where_a_memory_is_none() -> None:
    compiled = role(SAID)
    before = compiled.turns
    compiled.put(Memory("fact", Kind.SEMANTIC, "Ana has a new oven. Which one?", when_s=1_780_000_000))
    assert compiled.turns is before


@pytest.mark.parametrize(
    ("question", "plain"),
    [
        pytest.param("What did Ana bake?", "What did bake?", id="she is only spoken to"),
        pytest.param("Where does Ben want to go?", "Where does want to go?", id="so is he"),
        pytest.param("What was promised to Ben?", "What was promised to", id="wherever the name stands"),
        pytest.param("What did Chloe's cake need?", "What did cake need?", id="whom none names"),
        pytest.param("What is at the Market?", "What is at the Market?", id="what they tell of stays"),
        pytest.param("Did Chris's aunt call Ana's?", "Did aunt call", id="a name that ends in s"),
        pytest.param("Ana", "Ana", id="something is left"),
    ],
)
def test_a_question_is_put_to_the_model_without_the_names_of_who_speaks(question: str, plain: str) -> None:
    compiled = role(SAID)
    assert unnamed(compiled.turns, compiled.lexicon, compiled.memories, question) == plain


def test_names_stay_where_memories_are_no_conversation() -> None:
    compiled = role(("Ana bakes.", "Ben rows."))
    assert unnamed(compiled.turns, compiled.lexicon, compiled.memories, "What did Ana do?") == "What did Ana do?"


def test_a_chinese_name_leaves_the_question_too() -> None:
    compiled = Compiled()
    for number, text in enumerate(("外孙今天会爬了", "真的呀")):
        compiled.put(
            Memory(f"m{number}", Kind.EPISODIC, text, session="s", speaker=("沈霞", "曾伟")[number], turn=number)
        )
    assert unnamed(compiled.turns, compiled.lexicon, compiled.memories, "沈霞的外孙会什么？") == "的外孙会什么？"
