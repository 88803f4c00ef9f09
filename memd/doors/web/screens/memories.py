"""Memories: all that is remembered of a role, to be searched, read, corrected, followed through time and seen by its links."""

from __future__ import annotations

from typing import Any

from memd.doors.web.rendering import Page, Screen
from memd.errors import MemdError

SHOWN = 25
DRAWN = 1000  # points on the timeline
LINKED = 500  # memories in the graph: of more the list alone is shown
FILTERS = ("query", "kind", "about", "after", "before", "order")
ARCHIVED = "archived"


async def whole(page: Page) -> str:
    """Return the screen as the address asks for it, with the memory that it names."""
    roles = (await page.ask("role.list"))["roles"]
    view = page.given.get("view") if page.given.get("view") in VIEWS else "list"
    shown = await VIEWS[str(view)](page)
    one = await opened(page) if page.given.get("id") else ""
    return page.render("memories.html", roles=roles, role=role_of(page), view=view, shown=shown, one=one)


async def listed(page: Page) -> str:
    """Return a page of the memories that are asked for."""
    found = await _found(page, SHOWN, page.number("offset", 0))
    return page.render(
        "memories/list.html", found=found, page_at=page.number("offset", 0), shown=SHOWN, role=role_of(page)
    )


async def timeline(page: Page) -> str:
    """Return what memories are worth now, by when they were remembered."""
    return page.render("memories/timeline.html", found=await _found(page, DRAWN, 0), role=role_of(page))


async def forecast(page: Page) -> str:
    """Return what decay and growth come to."""
    (figures,) = (await page.ask("stats", role=role_of(page)))["roles"]
    return page.render("memories/forecast.html", figures=figures)


async def graph(page: Page) -> str:
    """Return memories with what joins them; of too many the list."""
    found = await _found(page, LINKED, 0)
    page_of = await listed(page) if found["total"] > LINKED else ""
    return page.render("memories/graph.html", found=found, most=LINKED, page_of=page_of, role=role_of(page))


async def opened(page: Page) -> str:
    """Return one memory."""
    return await _one(page, "memories/one.html")


async def edit(page: Page) -> str:
    """Return one memory as fields to be changed."""
    return await _one(page, "memories/edit.html")


async def past(page: Page) -> str:
    """Return what was said before, what took whose place, what was done to a memory, and what git has of it."""
    role, memory = role_of(page), page.given.get("id")
    found = await page.ask("memory.get", role=role, id=memory, history=True)
    done = await page.ask("log", role=role, id=found["id"], limit=SHOWN)
    git = await page.ask("git.commits", role=role, id=found["id"], limit=SHOWN) if found["file"] else None
    return page.render("memories/past.html", found=found, done=done, git=git, role=role)


def role_of(page: Page) -> str:
    """Return whose memory is looked at."""
    return str(page.given.get("role") or "main")


async def _found(page: Page, limit: int, offset: int) -> dict[str, Any]:
    asked = {name: page.given.get(name) for name in FILTERS}
    asked["order"] = asked["order"] or (None if asked["query"] else "newest")
    archived = page.given.get("state") == ARCHIVED
    state = None if archived else page.given.get("state")
    return await page.ask(
        "memory.list",
        role=role_of(page),
        limit=limit,
        offset=offset,
        figures=True,
        forgotten=archived,
        state=state,
        **asked,
    )


async def _one(page: Page, template: str) -> str:
    try:
        found = await page.ask("memory.get", role=role_of(page), id=page.given.get("id"), history=True)
    except MemdError as error:
        if error.code != "memory.unknown":
            raise
        return page.render("memories/gone.html", role=role_of(page), error=error)
    return page.render(template, found=found, role=role_of(page))


VIEWS = {"list": listed, "timeline": timeline, "graph": graph}
SCREEN = Screen(
    {"": whole, "list": listed, "one": opened, "edit": edit, "past": past, "forecast": forecast}
    | {"timeline": timeline, "graph": graph},
    frozenset({"memory.update", "memory.forget", "memory.restore", "memory.undo"}),
)
