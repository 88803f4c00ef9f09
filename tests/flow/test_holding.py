"""A score holds for its session: the same text told there again has the same verdict, whatever else was learned meanwhile."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support import Daemon

TOLD = {
    "english": ("The cellar smells of apples.", "The cellar of the house smells of ripe apples and of old wood."),
    "chinese": ("地窖里有苹果的味道。", "房子的地窖里一直有熟苹果和旧木头的味道。"),
}
BOTH = pytest.mark.parametrize("language", TOLD)
JUDGED = ("total", "computed_total", "band", "dimensions")


@pytest.fixture(autouse=True)
def _clear(daemon: Daemon) -> None:
    """A role that holds nothing, and whose texts are compared letter by letter alone."""
    daemon.folder.write("main")
    daemon.folder.settings(gate__relations=False)


def score(daemon: Daemon, content: str, session: str = "", **more: Any) -> dict[str, Any]:
    return daemon.call("score", role="main", content=content, source="agent", session=session, **more)


def judged(reply: dict[str, Any]) -> dict[str, Any]:
    return {key: reply[key] for key in JUDGED}


def learn(daemon: Daemon, language: str) -> None:
    assert daemon.call("remember", role="main", content=TOLD[language][1], explicit=True)["stored"]


@BOTH
def test_in_its_session_a_text_is_scored_as_before_and_elsewhere_beside_what_is_known_by_now(
    daemon: Daemon, language: str
) -> None:
    text = TOLD[language][0]
    first = score(daemon, text, "a")
    learn(daemon, language)
    anew = score(daemon, text, "b")
    assert anew["dimensions"]["novelty"]["value"] < first["dimensions"]["novelty"]["value"]
    assert judged(score(daemon, text, "a")) == judged(first)
    told = daemon.call("remember", role="main", content=text.upper().rstrip(".。") + " !", source="agent", session="a")
    assert judged(told) == judged(first), "punctuation and case say nothing else"
    assert judged(score(daemon, text)) == judged(anew), "what names no session is judged as it is now"


@BOTH
@pytest.mark.parametrize(
    "other", [{"explicit": True}, {"validity": "short"}, {"scores": {"importance": 9}}, {"kind": "goal"}], ids=str
)
def test_what_is_offered_otherwise_is_another_offer(daemon: Daemon, language: str, other: dict[str, Any]) -> None:
    text = TOLD[language][0]
    score(daemon, text, "a")
    learn(daemon, language)
    assert judged(score(daemon, text, "a", **other)) == judged(score(daemon, text, "b", **other))


@BOTH
def test_what_was_kept_meanwhile_is_a_duplicate_with_its_score(daemon: Daemon, language: str) -> None:
    text = TOLD[language][0]
    scores = dict.fromkeys(("importance", "relevance", "credibility", "granularity", "timeliness"), 10)
    first = daemon.call("remember", role="main", content=text, session="a", scores=scores)
    assert first["stored"], first["reason"]
    again = daemon.call("remember", role="main", content=text, session="a", scores=scores)
    assert (again["verdict"], again["id"], again["total"]) == ("duplicate", first["id"], first["total"])
    daemon.call("memory.forget", role="main", id=first["id"])
    learn(daemon, language)
    back = daemon.call("remember", role="main", content=text, session="a", scores=scores)
    assert (back["stored"], judged(back)) == (True, judged(first))


@BOTH
def test_other_thresholds_and_a_new_start_judge_anew(daemon: Daemon, language: str) -> None:
    text = TOLD[language][0]
    first = score(daemon, text, "a")
    learn(daemon, language)
    daemon.folder.settings(gate__warn_from=4.9)
    anew = score(daemon, text, "a")
    assert anew["dimensions"]["novelty"] != first["dimensions"]["novelty"]
    daemon.folder.settings(gate__warn_from=5.0)
    daemon.stop()
    daemon.start()
    assert judged(score(daemon, text, "a")) == judged(score(daemon, text, "b"))
