"""Told in one conversation, asked in the next: real agents with memd's hooks, and what the model of the second is shown.

No word of what was told stands in what is asked, and the second conversation is a new one: what its model knows, memd told it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.agents.real import MODELS, Real, answers, at_work
from tests.support import Folder, memd, until

pytestmark = pytest.mark.agents


class Talk(NamedTuple):
    """What somebody says in one language, and the words by which each of it is known again."""

    wanted: tuple[str, str]
    passing: tuple[str, str]
    asked: tuple[str, str]
    forget: str
    secret: tuple[str, str]
    asked_more: str


TALKS = {
    "english": Talk(
        ("Remember that my boat is called Mira.", "boat is called Mira"),
        ("I am allergic to hazelnuts. What could I cook tonight?", "allergic to hazelnuts"),
        ("What is my boat called?", "Which nuts am I allergic to?"),
        "Forget that.",
        ("Off the record: I work as a beekeeper in Tartu. Is that far from Riga?", "beekeeper"),
        "What is my boat called? And where do I work?",
    ),
    "chinese": Talk(
        ("记住我的船叫小鹭。", "我的船叫小鹭"),
        ("我对榛子过敏。今晚做什么菜好？", "我对榛子过敏"),
        ("我的船叫什么名字？", "我对什么过敏？"),
        "忘掉刚才那条。",
        ("这段别记：我在大理养蜂。那边冬天冷吗？", "养蜂"),
        "我的船叫什么名字？我在哪里工作？",
    ),
}
LANGUAGES = pytest.mark.parametrize("talk", TALKS.values(), ids=TALKS)


@pytest.fixture(params=MODELS)
def real(request: pytest.FixtureRequest, workspace: Folder, tmp_path: Path) -> Iterator[Real]:
    """An agent at work beside a memory that knows nothing of its user; no daemon runs yet."""
    workspace.write("main", "The shop opens at nine.")
    with at_work(request.param, workspace, tmp_path) as one:
        yield one


def begin(real: Real, level: str) -> None:
    real.daemon.start()
    raise_to(real, level)


def raise_to(real: Real, level: str) -> None:
    memd("capture", level, "-w", str(real.workspace))


def known(real: Real) -> list[str]:
    """What the role knows, as the daemon serves it."""
    return [one["content"] for one in real.daemon.call("memory.list", role="main")["memories"]]


def knows(real: Real, words: str) -> bool:
    return any(words in one for one in known(real))


@LANGUAGES
@pytest.mark.parametrize("level", ["explicit", "auto"])
def test_what_is_told_in_one_conversation_is_known_in_the_next(real: Real, level: str, talk: Talk) -> None:
    begin(real, level)
    real.run(f"{talk.wanted[0]}\n{talk.passing[0]}")
    assert "memd kept, as the person asked" in real.model.seen()
    if level == "auto":
        until(lambda: knows(real, talk.passing[1]), 20, "what was said in passing is kept when the conversation ends")
    real.run(" ".join(talk.asked))
    shown = real.model.seen()
    assert talk.wanted[0] not in shown, "it is another conversation"
    assert talk.wanted[1] in shown
    assert (talk.passing[1] in shown) == (level == "auto"), "below auto what is said in passing stays where it was said"


@LANGUAGES
def test_what_is_forgotten_or_off_the_record_is_not_known_in_the_next(real: Real, talk: Talk) -> None:
    begin(real, "auto")
    real.run(talk.secret[0])
    assert "Off the record: memd keeps nothing" in real.model.seen()
    real.run(talk.wanted[0], more=True)
    assert knows(real, talk.wanted[1])
    real.run(talk.forget, more=True)
    assert "memd forgot, as the person asked" in real.model.seen()
    real.daemon.call("consolidate.run")
    real.run(talk.asked_more)
    shown = real.model.seen()
    assert talk.asked_more in shown
    for words in (talk.wanted[1], talk.secret[1]):
        assert words not in shown
        assert not knows(real, words)
    said = "".join(one.read_text("utf-8") for one in (real.workspace / "sessions").rglob("*.jsonl"))
    assert talk.forget in said
    assert talk.secret[1] not in said


def test_what_is_told_while_no_daemon_runs_is_known_in_the_next_which_starts_it(real: Real) -> None:
    chinese, english = TALKS["chinese"], TALKS["english"]
    raise_to(real, "auto")
    memd("trust", "--revoke", "hooks.start", "-w", str(real.workspace))
    real.run(f"{chinese.wanted[0]}\n{english.passing[0]}")
    assert "memd recalls nothing in this conversation: its daemon does not run" in real.model.seen()
    real.install()
    try:
        real.run(chinese.asked[0])
        shown = real.model.seen()
        until(lambda: answers(real) and knows(real, english.passing[1]), 20, "what was said in passing is kept")
        real.run(english.asked[1])
        assert english.passing[1] in real.model.seen()
        shown += real.model.seen()  # a machine that starts it slowly tells with the next prompt
        assert "while memd's daemon did not run" in shown
        assert chinese.wanted[1] in shown
    finally:
        memd("down", "-w", str(real.workspace), check=False)


def test_what_is_told_to_one_agent_is_known_to_the_others(workspace: Folder, tmp_path: Path) -> None:
    workspace.write("main", "The shop opens at nine.")
    talk = TALKS["english"]
    with ExitStack() as open_for:
        told, *others = [open_for.enter_context(at_work(name, workspace, tmp_path)) for name in MODELS]
        told.daemon.start()
        told.run(talk.wanted[0])
        for other in others:
            other.run(talk.asked[0])
            assert talk.wanted[1] in other.model.seen()
