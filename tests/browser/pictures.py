"""Pictures of the page: `python -m tests.browser.pictures FOLDER [/now /why?role=main …]` makes them in both languages, at both widths,
light and dark; `--docs` makes those of docs/pictures alone."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from memd.doors.web.app import screens
from tests.browser.conftest import CHROMIUM, HERE, LOCALES, WIDTHS, Visitor
from tests.browser.serving import Served
from tests.support import ROOT, Daemon, Folder, own_places

SESSION = "11111111-2222-4333-8444-555555555555"
TEXTS = (
    "I prefer tabs to spaces in every language that allows either.",
    "Our staging database listens on port 5433.",
    "Our staging database moved to port 6001.",
    "用户住在上海浦东新区，每天早上七点半坐地铁二号线上班。",
    "The demo is perhaps at ten.",
)
PROMPTS = (
    ("main", "Which port does the staging database have?"),
    ("main", "Should I indent with tabs or spaces here?"),
    ("阿远", "中午点菜，有什么要避开的？"),
    ("nora", "What should I look out for when I order gloves?"),
)


# Those of docs/ui.md: a file's name, the screen, language, width and height.
DOCS = (
    ("now.png", "/now", "en", 1080, 700),
    ("why.png", "/why?role=main&message=Which%20port%20does%20the%20staging%20database%20have%3F", "en", 1080, 760),
    ("memories.zh.png", "/memories?role=main", "zh", 1080, 700),
    ("now.phone.zh.png", "/now", "zh", 390, 844),
)


def live(daemon: Daemon) -> None:
    """Let some things happen."""
    for text in TEXTS:
        daemon.call("remember", role="main", content=text, explicit=not text.startswith("The demo"), source="user")
    for number, (role, message) in enumerate(PROMPTS):
        daemon.call(
            "hook.event", agent="claude", event="prompt", session=SESSION, key=str(number), message=message, role=role
        )


@contextmanager
def _visit(
    browser: Any, served: Served, language: str, width: int, height: int, *, dark: bool = False
) -> Iterator[Visitor]:
    context = browser.new_context(
        locale=LOCALES[language],
        viewport={"width": width, "height": height},
        color_scheme="dark" if dark else "light",
        reduced_motion="reduce",
    )
    try:
        yield Visitor(context.new_page(), served).come()
    finally:
        context.close()


def main(arguments: list[str]) -> None:
    """Make the pictures that the words ask for."""
    sys.path.append(str(HERE))
    from playwright.sync_api import sync_playwright  # noqa: PLC0415

    docs = "--docs" in arguments
    folder, *paths = ["docs/pictures"] if docs else arguments
    every = [(language, width, dark) for language in LOCALES for width in WIDTHS for dark in (False, True)]
    os.environ["MEMD_EMBEDDINGS"] = "none"
    at = Path(tempfile.mkdtemp(prefix="memd-p"))
    with own_places(at), sync_playwright() as playwright:
        daemon = Daemon(Folder.make(at / "my-memory"), at / "s")
        daemon.start()
        live(daemon)
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        if docs:
            for name, path, language, width, height in DOCS:
                with Served.of(daemon) as served, _visit(browser, served, language, width, height) as visitor:
                    visitor.to(path).page.wait_for_timeout(400)
                    visitor.page.screenshot(path=str(ROOT / folder / name))
                    print(name, visitor.faults(), visitor.complaints)
        for language, width, dark in every[: 0 if docs else None]:
            with (
                Served.of(daemon) as served,
                _visit(browser, served, language, width, WIDTHS[width], dark=dark) as visitor,
            ):
                for path in paths or [f"/{name}" for name in screens()]:
                    name = f"{path.strip('/').partition('?')[0]}-{language}-{width}{'-dark' * dark}"
                    visitor.to(path).page.wait_for_timeout(400)
                    visitor.page.screenshot(path=str(ROOT / folder / f"{name}.png"), full_page=True)
                    print(name, visitor.faults(), visitor.complaints)
        browser.close()
        daemon.stop()


if __name__ == "__main__":
    main(sys.argv[1:])
