"""Inbox: what waits for a person. Texts near the edge, texts held back, conflicts, passes over talk, drafts of skills, upkeep."""

from __future__ import annotations

from memd.doors.web.rendering import Page, Screen

TABS = ("waiting", "held", "conflicts", "talk", "skills", "upkeep")
SHOWN = 25


async def whole(page: Page) -> str:
    """Return the screen with the tab that was asked for, else the first that has something."""
    return page.render("inbox.html", **await _everything(page))


async def tab(page: Page) -> str:
    """Return what the tab has, and how many each of them has."""
    return page.render("inbox/tab.html", **await _everything(page))


async def became(page: Page) -> str:
    """Return what became of each statement of a pass."""
    return page.render("inbox/became.html", **await page.ask("consolidate.list", id=page.given.get("id")))


async def draft(page: Page) -> str:
    """Return how a draft of a skill differs from what is in use."""
    return page.render("inbox/draft.html", draft=await page.ask("learning.review", skill=page.given.get("skill")))


async def _everything(page: Page) -> dict[str, object]:
    offset = page.number("offset", 0)
    part = {"limit": SHOWN, "offset": offset}
    reviews, plan = await page.ask("review.list", **part), await page.ask("upkeep.plan", **part)
    drafts = await page.ask("learning.review", **part)
    passes = await page.ask("consolidate.list", limit=SHOWN, before=page.given.get("before"))
    found = {
        "waiting": reviews.get("waiting", []),
        "held": reviews["held"],
        "conflicts": reviews.get("conflicts", []),
        "talk": passes["passes"],
        "skills": drafts.get("drafts", []),
        "upkeep": [one for one in plan["roles"] if one["archive"] or one["fold"] or one["propose"]],
    }
    counts = {**reviews["totals"], "skills": drafts.get("total", 0)}
    longest = max((n for one in plan["roles"] for n in one["total"].values()), default=0)
    chosen = page.given.get("tab")
    if chosen not in found:
        chosen = next((name for name in TABS if counts.get(name)), TABS[0])
    return {
        "tabs": found, "counts": counts, "chosen": chosen, "plan": plan, "more": passes["more"], "offset": offset, "limit": SHOWN,
        "parts_of": {**counts, "upkeep": longest},
    }  # fmt: skip


SCREEN = Screen(
    {"": whole, "tab": tab, "became": became, "draft": draft},
    frozenset(
        {"review.decide", "review.settle", "consolidate.undo", "learning.publish", "learning.review", "upkeep.run"}
        | {"memory.forget", "memory.restore"}
    ),
)
