"""Requests of all methods, good and bad, in both languages, and what each is answered: to the letter, until it is meant to change.

`pytest tests/test_corpus.py --record` writes the replies anew; what changed is then in the diff.
"""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest

from memd.doors.rpc import METHODS
from memd.errors import by_code
from memd.verbs.declared import OF_EVERY
from tests.corpus.player import HERE, Player, differences, families, lines_of
from tests.corpus.wrong import wrong_requests
from tests.growth import compile_all
from tests.support import Folder

pytestmark = pytest.mark.demo


@pytest.fixture(scope="module", autouse=True)
def _compiled() -> None:
    """Compile what is compiled at its first use: a daemon that is asked has done so, and some replies have a deadline."""
    compile_all()


def replies_of(family: str) -> list[Any]:
    text = (HERE / "replies" / f"{family}.jsonl").read_text("utf-8")
    return [json.loads(line) for line in text.splitlines()]


@pytest.mark.parametrize("family", [*families(), "wrong"])
def test_replies_are_as_they_were(family: str, workspace: Folder, request: pytest.FixtureRequest) -> None:
    lines = wrong_requests() if family == "wrong" else lines_of(family)
    replies = Player(workspace).play(lines)
    if request.config.getoption("--record"):
        text = "".join(json.dumps(one, ensure_ascii=False, sort_keys=True) + "\n" for one in replies)
        (HERE / "replies" / f"{family}.jsonl").write_text(text, "utf-8")
        return
    recorded = replies_of(family)
    assert len(recorded) == len(lines), "what was asked has changed: record it anew"
    found = [
        f"{number} {line!r:.120} {what}"
        for number, (line, was, now) in enumerate(zip(lines, recorded, replies, strict=True), 1)
        for what in differences(was, now)
    ]
    assert found == []


def test_every_reply_is_what_its_verb_declares() -> None:
    found = []
    for family in families():
        for line, reply in zip(lines_of(family), replies_of(family), strict=True):
            declared = METHODS[line[0]].reply if isinstance(line, list) and line[0] in METHODS else None
            if declared is not None and "error" not in reply:
                plain = msgspec.to_builtins(msgspec.convert(reply, declared))
                if plain != reply:
                    found += [f"{family} {line!r:.100} {what}" for what in differences(reply, plain)]
    assert found == []


def undeclared(method: str, reply: Any) -> str:
    """Return the code of an error that the method's declaration does not have, "" where there is none."""
    code = reply["error"]["data"]["code"] if method in METHODS and reply.get("error") else ""
    declared = (*OF_EVERY, *METHODS[method].may_raise) if code else ()
    return "" if not code or issubclass(by_code()[code], declared) else code


def test_every_error_is_one_that_its_verb_declares() -> None:
    asked = {**{family: lines_of(family) for family in families()}, "wrong": wrong_requests()}
    found = {
        f"{line[0]} {code}"
        for family, lines in asked.items()
        for line, reply in zip(lines, replies_of(family), strict=True)
        if isinstance(line, list) and (code := undeclared(line[0], reply))
    }
    assert found == set()


def test_an_error_that_nobody_declared_is_found() -> None:
    reply = {"error": {"data": {"code": "task.unknown"}}}
    assert (undeclared("trigger", reply), undeclared("task.get", reply)) == ("task.unknown", "")


def test_every_method_is_asked_and_answered_in_both_languages() -> None:
    asked = {line[0] for family in families() for line in lines_of(family) if isinstance(line, list)}
    assert asked >= set(METHODS)
    answered = {
        line[0]
        for family in families()
        for line, reply in zip(lines_of(family), replies_of(family), strict=True)
        if isinstance(line, list) and "error" not in reply
    }
    # It needs a connection; and what is kept of a session has ids that come of the writer's, which is another each time.
    assert set(METHODS) - answered <= {"subscribe", "consolidate.undo", "consolidate.apply"}
