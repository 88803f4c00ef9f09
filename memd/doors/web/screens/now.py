"""Now: what prompts brought to mind and what became of texts, as it happens; and how the daemon, the hooks and the limits are."""

from __future__ import annotations

import asyncio

from memd.doors.web.rendering import Page, Screen

RECENT = ["recalls", "verdicts"]
SHOWN, ALL = 12, 1000  # of each


async def whole(page: Page) -> str:
    """Return the screen."""
    shown = ALL if page.number("all", 0) else SHOWN
    recent, health = await asyncio.gather(
        page.ask("subscribe", topics=RECENT, last=shown), _health(page, outside=False)
    )
    return page.render("now.html", recent=recent, shown=shown, **health)


async def newer(page: Page) -> str:
    """Return what came and what was kept since a number, the newest first."""
    recent = await page.ask("subscribe", topics=RECENT, last=ALL, since=page.number("since", 0))
    return page.render("now/newer.html", recent=recent)


async def health(page: Page) -> str:
    """Return how everything is."""
    return page.render("now/health.html", **await _health(page))


async def _health(page: Page, *, outside: bool = True) -> dict[str, object]:
    """`outside`: also agents' hooks and git, which the screen asks for when it stands."""
    heard, status, capture = await asyncio.gather(
        page.ask("subscribe", topics=RECENT[:1], last=ALL),
        page.ask("status", outside=outside),
        page.ask("capture.level"),
    )
    return {"status": status, "capture": capture, "heard": heard["recalls"]}


SCREEN = Screen(
    {"": whole, "newer": newer, "health": health},
    frozenset({"memory.undo", "memory.restore", "memory.forget", "memory.update", "review.decide"}),
)
