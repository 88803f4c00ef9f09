"""What all screens share: coming in once, going from screen to screen by mouse, keys and addresses, both languages, what changes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.browser.conftest import LANGUAGES, Visit
from tests.browser.serving import Served
from tests.support import Daemon, until

NAMES = {"en": "Now", "zh": "此刻"}


@LANGUAGES
def test_the_address_opens_the_page_and_is_cleared(visit: Visit, language: str) -> None:
    visitor = visit(language)
    assert visitor.page.url == f"{visitor.served.origin}/now"
    assert visitor.page.locator("h1").inner_text() == NAMES[language]
    assert visitor.page.locator("html").get_attribute("lang") == {"en": "en", "zh": "zh-Hans"}[language]
    assert visitor.page.title() == f"{NAMES[language]} · memd"
    visitor.page.locator("#connection:not(.lost) .said:not(:empty)").wait_for()
    visitor.page.reload()
    visitor.page.locator("h1").wait_for()


def test_the_address_opens_no_second_window(visit: Visit) -> None:
    visitor = visit()
    other = visitor.page.context.new_page()
    other.goto(visitor.served.address)
    other.get_by_text("memd ui --open").wait_for()
    assert visitor.served.token not in other.url
    assert other.locator("#screen").inner_text().count("\n") < 8
    other.close()


def test_keys_go_through_the_page(visit: Visit) -> None:
    page = visit().presses("?").page
    assert page.locator("dialog[open]").get_by_text("Now").is_visible()
    page.keyboard.press("Escape")
    assert not page.locator("dialog[open]").count()
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.getAttribute('href')") == "/now"
    page.evaluate("document.querySelector('h1').remove()")
    page.keyboard.press("1")
    page.locator("h1").wait_for()
    assert page.evaluate("document.activeElement.id") == "screen"


def test_the_screen_that_is_asked_for_last_is_the_one_that_is_shown(visit: Visit) -> None:
    visitor = visit()
    slow: list[Any] = []
    visitor.page.route("**/screen/why", lambda route: slow.append(route))  # noqa: PLW0108  playwright marks what it calls
    visitor.presses("3")
    until(lambda: visitor.page.evaluate("location.pathname") == "/why" and slow, 20, "it is on its way")
    visitor.presses("4", "5")
    visitor.page.locator("#screen:not([aria-busy]) #settings").wait_for()
    assert visitor.page.url.endswith("/settings")


def test_a_server_that_ends_is_told(visit: Visit) -> None:
    visitor = visit()
    visitor.page.locator("#connection:not(.lost) .said:not(:empty)").wait_for()
    visitor.served.process.send_signal(15)
    visitor.page.locator("#connection.lost").wait_for()
    for link in ("Memories", "Inbox"):
        visitor.page.get_by_role("link", name=link, exact=True).click()
        visitor.sees("server does not answer")
    assert visitor.page.locator("#notes > *").count() == 1
    assert visitor.page.locator("#screen > *").count()
    visitor.page.locator("#screen:not([aria-busy])").wait_for()
    visitor.complaints.clear()  # a browser says so itself


def test_the_address_and_a_reload_open_the_same_window_again(visit: Visit) -> None:
    visitor = visit()
    for again in (visitor.served.address, "/memories", visitor.served.address.replace("/#", "/why#")):
        visitor.page.goto(again if "#" in again else visitor.served.origin + again)
        visitor.page.locator("#screen:not([aria-busy]) > *").first.wait_for()
        visitor.page.reload()
        visitor.page.locator("#screen h1").wait_for()
        assert "#" not in visitor.page.url
        assert visitor.page.get_by_text("memd ui --open").count() == 0
    visitor.complaints[:] = [one for one in visitor.complaints if "401" not in one]  # the token was used


@LANGUAGES
def test_everybody_can_read_the_frame_and_its_keys(visit: Visit, language: str) -> None:
    visitor = visit(language)
    assert visitor.faults_in_all() == []
    visitor.presses("?")
    assert visitor.faults_in_all() == []


def test_a_page_of_somebody_else_frames_reads_and_writes_nothing(visit: Visit, daemon: Daemon) -> None:
    visitor = visit()
    origin = visitor.served.origin
    hostile = f"""<iframe src="{origin}/now"></iframe>
        <form action="{origin}/do/now/memory.forget" method="post" enctype="text/plain" target="there"><input name='{{"role":"nora","x":"' value='"}}'></form>
        <iframe name="there"></iframe><script src="{origin}/static/first.js"></script>"""
    other = visitor.page.context.new_page()
    other.route("http://evil.example/**", lambda route: route.fulfill(body=hostile, content_type="text/html"))
    refused: list[str] = []
    other.on("requestfailed", lambda request: refused.append(request.url))
    statuses: dict[str, int] = {}
    other.on("response", lambda response: statuses.setdefault(response.url, response.status))
    other.goto("http://evil.example/")
    other.evaluate("document.forms[0].submit()")
    other.wait_for_timeout(500)
    read = other.evaluate(
        f"fetch('{origin}/screen/now', {{headers: {{'X-Memd-Session': 'x'}}}}).then((one) => one.text(), () => 'refused')"
    )
    assert read == "refused"
    assert not [frame for frame in other.frames if frame.url.startswith(origin) and "memd" in frame.title()]
    assert [url for url, status in statuses.items() if url.startswith(origin) and status < 400] == []
    assert len(daemon.call("memory.list", role="nora", limit=1)["memories"]) == 1
    other.close()


def test_the_file_that_is_handed_over_opens_the_page(
    chromium: Any, daemon: Daemon, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = tmp_path / "told"
    (tmp_path / "browser").write_text(f'#!/bin/sh\necho "$1" > {told}.new; mv {told}.new {told}\n')
    (tmp_path / "browser").chmod(0o700)
    monkeypatch.setenv("BROWSER", f"{tmp_path / 'browser'} %s")
    with Served.of(daemon, "--open") as served:
        until(told.exists, 20, "a browser is opened")
        page = chromium.new_page(locale="en-GB")
        page.goto(told.read_text().strip())
        page.locator("h1").wait_for()
        assert page.url == f"{served.origin}/now"
        assert page.locator("h1").inner_text() == "Now"
        page.close()
