"""What may not stand in a prompt before a person has seen it: looked for once more when memories are told."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

from memd.engine.recall.inject import Screen
from memd.model.scan import Danger, Scanned
from memd.model.settings import Settings
from memd.service.workspace import Workspace
from memd.storage.layout import REVIEW

# A book's business is to instruct; what it may not do is send data away, or hide what it says. A secret is taken out.
OF_A_BOOK = frozenset((Danger.EXFILTRATION, Danger.INVISIBLE))


async def make_ready(workspace: Workspace, *, for_trigger: bool = False) -> None:
    """Load what was learned, what waits for a person and what was approved, once; a trigger needs less of it."""
    learned = workspace.keeping.learned
    if for_trigger and not learned.has_orders:
        await asyncio.to_thread(learned.load_orders)
    elif not for_trigger and not learned.loaded:
        await asyncio.to_thread(learned.load)
    quarantine = workspace.keeping.quarantine
    if not quarantine.loaded:
        quarantine.begin(await asyncio.to_thread(quarantine.read, workspace.tree, workspace.waiting_lines(REVIEW)))


async def look(workspace: Workspace, text: str) -> Scanned:
    """Return what a text holds; a long one is looked at beside the event loop."""
    await look_ahead(workspace, (text,))
    return workspace.keeping.quarantine.look(text, workspace.keeping.learned.orders)


async def look_ahead(workspace: Workspace, texts: Iterable[str]) -> None:
    """Look beside the event loop at those texts that are long, so that looking at them again takes no time."""
    await make_ready(workspace, for_trigger=True)
    await workspace.keeping.quarantine.looks.look_ahead(texts, workspace.keeping.learned.orders)


def screen_of(workspace: Workspace, settings: Settings) -> Screen:
    """Return what is asked of everything that would stand in a prompt."""

    def screen(text: str, content: str, *, book: bool) -> str:
        if not (settings.books.scan if book else settings.gate.scan):
            return ""
        return withheld_why(workspace, text, content, book=book)

    return screen


def withheld_why(workspace: Workspace, text: str, content: str, *, book: bool = False) -> str:
    """Return why a text may not stand in a prompt, "" where it may."""
    keeping = workspace.keeping
    only = OF_A_BOOK if book else frozenset(Danger)
    return keeping.quarantine.why_withheld(text, content, keeping.learned.orders, only)
