"""What recall remembers of itself stays bounded, however long a session lasts."""

from __future__ import annotations

from memd.store.recall.recalled import SESSIONS, TOLD, USES, Recalled, Talk


def test_a_long_session_knows_its_last_memories_and_no_more() -> None:
    talk = Talk()
    for turn in range(1, 600):
        talk.begin(f"question {turn}", None, 1)
        talk.injected.update({f"main/{turn}-{n}": turn for n in range(3)})
    assert len(talk.injected) <= TOLD + 3
    talk.begin("one more", None, 1)
    assert talk.since("main/599-0", 10) == 599
    assert talk.since("main/1-0", 1000) is None


def test_sessions_and_uses_are_bounded() -> None:
    recalled = Recalled()
    for number in range(SESSIONS + 50):
        recalled.talk("main", f"s{number}")
    recalled.use("main", (str(number) for number in range(USES + 50)), 1.0)
    assert (len(recalled.talks), len(recalled.uses["main"])) == (SESSIONS, USES)
    assert ("main", "s0") not in recalled.talks
    assert "0" not in recalled.uses["main"]
