"""A browser at the page, with a real daemon behind it: what a person does by mouse and by keys, and what they see."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.browser.serving import Served
from tests.covering import ALL_WAYS
from tests.support import ROOT, Daemon

HERE = ROOT / ".agents/browser/python"  # `make browser` puts playwright and axe there
CHROMIUM = os.environ.get("MEMD_CHROMIUM", "") or shutil.which("chromium") or shutil.which("chromium-browser") or ""
LOCALES = {"en": "en-GB", "zh": "zh-CN"}
WIDTHS = {1280: 800, 390: 844}
SERIOUS = ("serious", "critical")
LANGUAGES = pytest.mark.parametrize("language", ["en", "zh"])
KEYS = pytest.mark.parametrize("keys", [False, True], ids=["mouse", "keys"])
# At which width, and light or dark, each screen is looked at in a language: in all of them in `make torture`.
LOOKS = [(width, dark) for width in WIDTHS for dark in (False, True)]
SOME_LOOKS = {"en": [(1280, False), (390, True)], "zh": [(1280, True), (390, False)]}
HOSTILE = "<img src=x onerror=document.title=1><script>document.title=2</script>{{ 7*7 }}"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(item.fspath).is_relative_to(Path(__file__).parent):
            item.add_marker(pytest.mark.browser)
            item.add_marker(pytest.mark.demo)
            if item.name.startswith("test_everybody"):
                item.add_marker(pytest.mark.timeout(300))  # it looks at everything


@dataclass
class Visitor:
    """A person at the page: `page` is playwright's. What the browser complains of fails the test."""

    page: Any
    served: Served
    complaints: list[str] = field(default_factory=list)
    looks: list[tuple[int, bool]] = field(default_factory=list)

    def come(self) -> Visitor:
        """Open the address that opens the page once."""
        self.page.on(
            "console", lambda said: self.complaints.append(said.text) if said.type in ("error", "warning") else None
        )
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.goto(self.served.address)
        self.page.locator("#screen:not([aria-busy]) > *").first.wait_for()
        return self

    def to(self, path: str) -> Visitor:
        """Go to a screen by its address, as a person who typed it."""
        self.page.goto(self.served.origin + path)
        self.page.locator("#screen:not([aria-busy]) > *").first.wait_for()
        return self

    def sees(self, text: str) -> Visitor:
        """Wait until this text is on the page."""
        self.page.get_by_text(text).first.wait_for()
        return self

    def presses(self, *keys: str) -> Visitor:
        for key in keys:
            self.page.keyboard.press(key)
        return self

    def shot(self, path: Path | str) -> None:
        """Keep a picture of the whole page."""
        self.page.screenshot(path=str(path), full_page=True)

    def busiest_ms(self, act: Callable[[], object]) -> float:
        """Milliseconds of processor time of the longest task that kept the window from answering while it did this, however busy the machine was."""
        browser = self.page.context.browser
        browser.start_tracing(page=self.page, categories=["toplevel", "devtools.timeline"])
        act()
        events = json.loads(browser.stop_tracing())["traceEvents"]
        mains = {
            (one["pid"], one["tid"])
            for one in events
            if one["name"] == "thread_name" and one["args"]["name"] == "CrRendererMain"
        }
        tasks = [one for one in events if (one["pid"], one["tid"]) in mains and one["name"].endswith("RunTask")]
        assert tasks
        return max(float(one.get("tdur", 0)) for one in tasks) / 1000

    def faults_in_all(self) -> list[str]:
        """What is wrong with what is shown at each of its looks; then it is as it was."""
        before, found = self.page.viewport_size, []
        for width, dark in self.looks:
            self.page.set_viewport_size({"width": width, "height": WIDTHS[width]})
            self.page.emulate_media(color_scheme="dark" if dark else "light")
            found += [f"{width}{' dark' * dark}: {one}" for one in self.faults()]
        self.page.set_viewport_size(before)
        self.page.emulate_media(color_scheme="light")
        return found

    def faults(self) -> list[str]:
        """What axe finds wrong for who cannot see, or sees badly; and what is wider than the window."""
        source = (HERE / "axe_playwright_python/axe.min.js").read_text("utf-8")
        self.page.evaluate(source)
        found = self.page.evaluate("axe.run(document, {resultTypes: ['violations']})")
        told = [
            f"{one['id']}: {node['target']}: {node['failureSummary']}"
            for one in found["violations"]
            if one["impact"] in SERIOUS
            for node in one["nodes"]
        ]
        wide, window = self.page.evaluate("[document.documentElement.scrollWidth, window.innerWidth]")
        return [*told, *([f"{wide} pixels in a window of {window}"] if wide > window else [])]


Visit = Callable[..., Visitor]


def press(visitor: Visitor, button: Any, *, keys: bool, first: str = "") -> None:
    """Press a button, by the mouse or by keys alone: `first` one of the page's, then tab until it is reached."""
    button.wait_for()
    if not keys:
        button.click()
        return
    if first:
        visitor.presses(first)
    for _ in range(60):
        if button.evaluate("button => button === document.activeElement"):
            visitor.presses("Enter")
            return
        visitor.presses("Tab")
    raise AssertionError("it is not reached by keys")


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """A browser, for all tests of a worker."""
    if not CHROMIUM:
        pytest.skip("there is no chromium here, and `make browser` could not get one")
    sys.path.append(str(HERE))
    try:
        from playwright.sync_api import sync_playwright  # noqa: PLC0415
    except ModuleNotFoundError:
        pytest.skip("there is no playwright here: `make browser` gets it")
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield started
        started.close()


@pytest.fixture
def visit(chromium: Any, daemon: Daemon, pytestconfig: pytest.Config) -> Iterator[Visit]:
    """Come to the page of the daemon's workspace: visit(language, width, dark)."""
    with ExitStack() as left:
        came: list[Visitor] = []

        def visiting(language: str = "en", width: int = 1280, *, dark: bool = False) -> Visitor:
            served = left.enter_context(Served.of(daemon))
            context = chromium.new_context(
                locale=LOCALES[language],
                viewport={"width": width, "height": WIDTHS[width]},
                color_scheme="dark" if dark else "light",
                reduced_motion="reduce",
            )
            left.callback(context.close)
            looks = LOOKS if pytestconfig.getoption(ALL_WAYS) else SOME_LOOKS[language]
            came.append(Visitor(context.new_page(), served, looks=looks).come())
            return came[-1]

        yield visiting
        assert [one.complaints for one in came if one.complaints] == [], json.dumps([one.complaints for one in came])
