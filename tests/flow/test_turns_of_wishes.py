"""The turn of what a person asked to have kept is the turn of what a pass kept: forget that forgets nothing told before."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.flow.test_asked_in_prompts import UNPLACED, agent, contents, kept, prompt
from tests.flow.test_hooks import Agent
from tests.support import until

__all__ = ["agent", "prompt"]


@pytest.mark.parametrize(
    ("told", "asks", "forgets"),
    [
        ("My sister Meera lives in Porto and works as a nurse.", "What is the weather like?", "Forget that."),
        ("我妹妹住在绍兴，在医院当护士。", "今天天气怎么样？", "忘掉刚才那条吧"),
    ],
)
def test_forget_that_leaves_what_a_pass_kept_of_earlier_turns(
    agent: Agent, prompt: Callable[..., str], told: str, asks: str, forgets: str
) -> None:
    agent.context("SessionStart", source="startup")
    prompt(told)
    until(lambda: agent.daemon.call("session.history", session=UNPLACED)["messages"][1:], 10, "it is written")
    agent.daemon.call("consolidate.run", session=UNPLACED)
    assert len(kept(agent)) == 1
    for _ in range(3):
        said = prompt(asks)
        said = prompt(forgets)
        assert "kept nothing of the turn before" in said
    assert len(contents(agent)) == 1


def test_what_is_asked_for_has_the_turn_that_a_pass_gives_its_words(agent: Agent, prompt: Callable[..., str]) -> None:
    agent.context("SessionStart", source="startup")
    prompt("Hello there.")
    prompt("Remember that my car is a blue Skoda.")
    (one,) = kept(agent)
    turn = agent.daemon.call("memory.get", role="main", id=one["id"])["turn"]
    until(lambda: len(agent.daemon.call("session.history", session=UNPLACED)["messages"]) == 4, 10, "it is written")
    (tried,) = [
        other
        for some in agent.daemon.call("consolidate.run", session=UNPLACED, dry_run=True)["passes"]
        for other in some["became"]
        if "Skoda" in other["text"]
    ]
    assert turn == tried["turn"]
    assert "memd forgot" in prompt("forget that")
