"""Turns are cut into what may be quoted, and what was forgotten is known again in other words around it."""

from __future__ import annotations

import pytest

from memd.engine.said import Hearing, Piece, Spoken, forgotten_of, says, says_forgotten
from memd.model.sessions import Turn


def cut(*said: tuple[str, str]) -> list[list[tuple[str, str]]]:
    """Return the words and the question of every piece, turn by turn; what is taken back is not there."""
    hearing, found = Hearing(), dict[str, list[tuple[str, str]]]()
    for number, (speaker, text) in enumerate(said):
        pieces, back = hearing.take("s", f"e-{number}", Turn(number, speaker, text, 0.0))
        found[f"e-{number}"] = [(one.words, one.asked) for one in pieces]
        found |= {back: []} if back else {}
    return [*found.values()]


def piece(turn: str, session: str = "s") -> Piece:
    return Piece("e#0", "e", session, "user", 0.0, turn, "", turn)


def test_only_what_is_told_is_a_piece() -> None:
    assert cut(("user", "Hi! The train leaves at six from platform four. When should I get up?")) == [
        [("The train leaves at six from platform four.", "")]
    ]
    assert cut(("user", "你好！火车六点从四站台开。我几点起床好？")) == [[("火车六点从四站台开。", "")]]


def test_a_long_turn_is_cut_between_statements_and_only_its_first_pieces_are_held() -> None:
    told = " ".join(f"The shelf number {number} in the cellar holds {number} jars of plum jam." for number in range(60))
    (pieces,) = cut(("user", told))
    assert len(pieces) == 8
    assert all(len(words) <= 240 and words.endswith("jam.") for words, _ in pieces)


def test_an_answer_goes_with_its_question_of_the_other_alone() -> None:
    assert cut(("assistant", "Where did you park?"), ("user", "Level three.")) == [
        [],
        [("Level three.", "Where did you park?")],
    ]
    assert cut(("user", "Where did you park?"), ("user", "Level three, by the lift.")) == [
        [],
        [("Level three, by the lift.", "")],
    ]


def test_what_an_agent_advises_is_a_piece_and_what_a_person_requests_is_none() -> None:
    advice = "Freeze it first and scrape off the rest with a knife."
    assert cut(("assistant", advice)) == [[(advice, "")]]
    assert cut(("user", "Please write a short note to my landlord about the bill.")) == [[]]


@pytest.mark.parametrize(
    "said",
    [
        [("user", "Off the record: I was in Porto."), ("assistant", "I will say nothing of your days in Porto.")],
        [("user", "From here on do not save anything."), ("user", "I was in Porto."), ("assistant", "Porto is a fine town to be in.")],
        [("user", "接下来的别记。"), ("user", "我去了波尔图三天。")],
        [("user", "I was in Porto for three days."), ("user", "just kidding")],
        [("tool", "I was in Porto for three days."), ("system", "The person was in Porto.")],
    ],
)  # fmt: skip
def test_what_is_off_the_record_gives_nothing(said: list[tuple[str, str]]) -> None:
    assert not any(cut(*said))


def test_back_on_the_record_is_heard_again() -> None:
    said = [("user", "From here on do not save anything."), ("user", "I was in Porto for three days.")]
    later = [("user", "OK, back on the record."), ("user", "The train leaves at six from platform four.")]
    assert cut(*said, *later)[-1] == [("The train leaves at six from platform four.", "")]
    assert not any(cut(*said))


def test_what_is_forgotten_is_known_in_other_words_around_it() -> None:
    gone = [forgotten_of("The user works as a nurse in Lyon.", "")]
    assert says_forgotten(piece("Remember this: I work as a nurse in Lyon, at the old hospital."), gone)
    assert not says_forgotten(piece("My sister works in Lyon as a baker."), gone)
    assert says_forgotten(piece("我在里昂的老医院当护士，已经三年了。"), [forgotten_of("我在里昂当护士。", "")])
    assert not says_forgotten(piece("anything"), [])


def test_less_of_it_is_enough_in_the_session_it_came_of() -> None:
    gone = [forgotten_of("The flight to Oslo is on 2026-03-04.", "s")]
    told = "My flight to Oslo is next Wednesday."
    assert says_forgotten(piece(told), gone)
    assert not says_forgotten(piece(told, "another"), [forgotten_of("A dinner in Oslo on 2026-03-04.", "s")])


def test_what_stands_in_the_messages_is_not_quoted() -> None:
    assert says(["As I said:  The train\nleaves at six."], piece("The train leaves at six."))
    assert not says(["The train leaves."], piece("The train leaves at six."))


def test_what_is_dropped_has_no_words_any_more() -> None:
    spoken = Spoken()
    spoken.put(piece("The train leaves at six."))
    assert spoken.lexicon.holders("train") == 1
    spoken.drop("e#0")
    spoken.drop("e#0")
    assert (len(spoken.memories), spoken.lexicon.holders("train"), spoken.changes) == (0, 0, 2)
