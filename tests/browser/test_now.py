"""Now: a prompt shows as it happens with what it brought, and what is wrong with that is corrected, by mouse and by keys."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.browser.conftest import KEYS, LANGUAGES, Visit, Visitor, press
from tests.flow.repositories import Repository
from tests.support import Daemon, memd, until

TEA = {"en": "The good tea is in the left cupboard.", "zh": "好茶叶放在左边的柜子里。"}
ASKED = {"en": "Where is the good tea?", "zh": "好茶叶放在哪里？"}
WRONG, ALWAYS, NEVER, BACK = (
    {"en": "Wrong", "zh": "不对"}, {"en": "Always", "zh": "总是"}, {"en": "Never here", "zh": "此处不再"}, {"en": "Undo", "zh": "撤销"},
)  # fmt: skip
HOSTILE = (
    '<img src=x onerror=document.title=1><script>document.title=2</script>{{ 7*7 }} <a href="javascript:1">tea</a>'
)


@pytest.fixture
def tea(daemon: Daemon) -> Daemon:
    for text in TEA.values():
        daemon.call("remember", role="main", content=text, explicit=True, source="user")
    return daemon


def prompt(daemon: Daemon, message: str) -> None:
    """An agent's turn begins."""
    daemon.call(
        "hook.event",
        agent="claude",
        event="prompt",
        session="11111111-2222-4333-8444-555555555555",
        key=message,
        message=message,
        role="main",
    )


def is_known(daemon: Daemon, text: str) -> bool:
    """Tell whether a memory is there."""
    return any(one["content"] == text for one in daemon.call("memory.list", role="main")["memories"])


def memory(daemon: Daemon, text: str) -> dict[str, Any]:
    """The record of a memory as its file will have it."""
    (found,) = (one for one in daemon.call("memory.list", role="main")["memories"] if one["content"] == text)
    return daemon.call("memory.get", role="main", id=found["id"])


def card(visitor: Visitor, message: str) -> Any:
    """What is shown of a prompt."""
    return visitor.page.locator("article", has=visitor.page.locator("blockquote", has_text=message)).first


def correct(visitor: Visitor, within: Any, name: str, *, keys: bool) -> None:
    """Press a button, by the mouse or by keys alone."""
    button = within.get_by_text(name, exact=True).first
    if not keys:
        button.click()
        return
    visitor.presses("j")
    for _ in range(40):
        if button.evaluate("button => button === document.activeElement"):
            visitor.presses("Enter")
            return
        visitor.presses("Tab")
    raise AssertionError(f"{name} is not reached by keys")


@LANGUAGES
@KEYS
def test_what_is_wrong_is_seen_corrected_and_taken_back(visit: Visit, tea: Daemon, language: str, keys: bool) -> None:
    visitor = visit(language)
    prompt(tea, ASKED[language])
    shown = card(visitor, ASKED[language])
    shown.get_by_text(TEA[language]).wait_for()
    shown.get_by_text("Claude Code", exact=True).wait_for()
    correct(visitor, shown, WRONG[language], keys=keys)
    until(
        lambda: (
            not [one for one in tea.call("memory.list", role="main")["memories"] if one["content"] == TEA[language]]
        ),
        20,
        "it is gone",
    )
    correct_note(visitor, BACK[language], keys=keys)
    until(
        lambda: [one for one in tea.call("memory.list", role="main")["memories"] if one["content"] == TEA[language]],
        20,
        "it is back",
    )


def correct_note(visitor: Visitor, name: str, *, keys: bool) -> None:
    button = visitor.page.locator("#notes").get_by_text(name, exact=True)
    button.wait_for()
    press(visitor, button, keys=keys, first="n")


def test_a_key_leads_to_the_newest_note(visit: Visit, tea: Daemon) -> None:
    visitor = visit()
    prompt(tea, ASKED["en"])
    correct(visitor, card(visitor, ASKED["en"]), WRONG["en"], keys=False)
    back = visitor.page.locator("#notes").get_by_text(BACK["en"], exact=True)
    back.wait_for()
    visitor.presses("n")
    assert back.evaluate("button => button === document.activeElement")
    visitor.presses("Enter")
    until(lambda: is_known(tea, TEA["en"]), 20, "it is back")


@LANGUAGES
def test_always_and_never_here_hold_and_are_taken_back(visit: Visit, tea: Daemon, language: str) -> None:
    visitor = visit(language)
    prompt(tea, ASKED[language])
    shown = card(visitor, ASKED[language])
    correct(visitor, shown, ALWAYS[language], keys=False)
    until(lambda: memory(tea, TEA[language])["record"].get("isConstant"), 20, "it always comes")
    correct_note(visitor, BACK[language], keys=False)
    until(lambda: not memory(tea, TEA[language])["record"].get("isConstant"), 20, "only where it fits")
    correct(visitor, shown, NEVER[language], keys=False)
    until(lambda: memory(tea, TEA[language])["record"].get("disabled"), 20, "it comes no more")


def test_a_decision_shows_at_once_and_is_taken_back(visit: Visit, daemon: Daemon) -> None:
    visitor = visit()
    daemon.call(
        "remember", role="main", content="Our staging database listens on port 5433.", explicit=True, source="user"
    )
    daemon.call(
        "remember", role="main", content="Our staging database moved to port 6001.", explicit=True, source="user"
    )
    shown = visitor.page.locator("article", has_text="6001")
    shown.get_by_text("replaced").wait_for()
    shown.get_by_text("Undo", exact=True).click()
    until(
        lambda: (
            len(daemon.call("memory.list", role="main")["memories"]) == 2
            and not [one for one in daemon.call("memory.list", role="main")["memories"] if one.get("superseded_by")]
        ),
        20,
        "both stand",
    )
    visitor.sees("Taken back")


def test_what_cannot_be_done_is_told_with_what_to_do(visit: Visit, tea: Daemon) -> None:
    visitor = visit()
    prompt(tea, ASKED["en"])
    shown = card(visitor, ASKED["en"])
    shown.get_by_text(TEA["en"]).wait_for()
    tea.call("memory.forget", role="main", id=memory(tea, TEA["en"])["id"], erase=True)
    shown.get_by_text("Wrong", exact=True).click()
    note = visitor.page.locator(".note.bad")
    note.wait_for()
    assert "no memory" in note.inner_text()
    visitor.complaints[:] = [one for one in visitor.complaints if "422" not in one]  # the browser tells of the status


def test_a_hostile_text_is_text(visit: Visit, daemon: Daemon) -> None:
    daemon.folder.write("main", HOSTILE)
    visitor = visit()
    prompt(daemon, f"Where is the tea? {HOSTILE}")
    shown = card(visitor, "Where is the tea?")
    shown.get_by_text("<img src=x", exact=False).first.wait_for()
    assert visitor.page.title() == "Now · memd"
    assert visitor.page.locator("#screen img, #screen script, #screen a[href^=javascript]").count() == 0
    shown.get_by_text("{{ 7*7 }}", exact=False).first.wait_for()  # inner_text is empty until a card is first painted


def test_an_edit_of_settings_shows_without_reload(visit: Visit, daemon: Daemon) -> None:
    visitor = visit()
    visitor.page.locator("#health").get_by_text("what you ask for").wait_for()
    daemon.folder.settings(capture__level="off")
    visitor.page.locator("#health").get_by_text("nothing").wait_for()


@LANGUAGES
def test_everybody_can_read_it(visit: Visit, tea: Daemon, language: str) -> None:
    prompt(tea, ASKED[language])
    visitor = visit(language)
    card(visitor, ASKED[language]).locator("summary").first.click()
    assert visitor.faults_in_all() == []
    words = json.loads(json.dumps(visitor.page.locator("#screen").inner_text()))
    assert not re.search(r"\b(?:None|undefined|NaN)\b|[{}]", words)


@LANGUAGES
def test_hooks_of_each_agent_and_sync_are_told(visit: Visit, daemon: Daemon, language: str) -> None:
    repository = Repository(daemon.folder.path)
    repository.git("init", "-q")
    repository.commit("begin")
    bare = repository.path.with_name("bare")
    repository.git("clone", "-q", "--bare", ".", str(bare))
    repository.git("remote", "add", "origin", str(bare))
    repository.git("fetch", "-q", "origin")
    repository.commit("mine")
    memd("hook", "install", "claude", "-w", str(repository.path))
    visitor = visit(language)
    health = visitor.page.locator("#health")
    health.get_by_text({"en": "1 ahead of origin, 0 behind", "zh": "比 origin 多 1 次提交"}[language]).wait_for()
    installed = {"en": "hooks installed", "zh": "钩子已安装"}[language]
    health.get_by_text(installed).wait_for()
    visitor.to("/settings?tab=agents").sees(installed)
    shown = visitor.page.locator("#settings").inner_text()
    assert str(Path.home() / ".claude/settings.json") in shown
    assert shown.count({"en": "no hooks", "zh": "没有钩子"}[language]) == 3
    assert visitor.faults_in_all() == []
