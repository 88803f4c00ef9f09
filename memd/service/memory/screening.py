"""What may not stand in a prompt before a person has seen it: looked for once more when memories are told."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from memd.engine.recall.inject import Screen
from memd.model.scan import Danger, Scanned
from memd.model.settings import Settings
from memd.service.workspace import Workspace
from memd.storage.layout import REVIEW

Result = TypeVar("Result")

# A book's business is to instruct; what it may not do is send data away, or hide what it says. A secret is taken out.
OF_A_BOOK = frozenset((Danger.EXFILTRATION, Danger.INVISIBLE))


async def make_ready(workspace: Workspace, *, for_trigger: bool = False) -> None:
    """Load what was learned, what waits for a person and what was approved, once; a trigger needs less of it."""
    workspace.look_at_settings()  # and at what a person has approved meanwhile
    learned = workspace.keeping.learned
    if for_trigger and not learned.has_orders:
        await asyncio.to_thread(learned.load_orders)
    elif not for_trigger and not learned.loaded:
        await asyncio.to_thread(learned.load)
    quarantine = workspace.keeping.quarantine
    if not quarantine.loaded:
        waiting = workspace.waiting_lines(REVIEW)
        quarantine.begin(await asyncio.to_thread(quarantine.read, workspace.tree, waiting, learned.orders))


async def approve(workspace: Workspace, digests: Iterable[str]) -> None:
    """Let texts stand in prompts, durably on this machine. TrustStateError where that cannot be kept."""
    await asyncio.to_thread(workspace.trust.approve, workspace.tree, tuple(digests))
    workspace.keeping.quarantine.trust(workspace.trust.trusted.approved)


async def look(workspace: Workspace, text: str) -> Scanned:
    """Return what a text holds; a long one is looked at beside the event loop."""
    return (await look_at(workspace, (text,)))[text]


async def look_at(workspace: Workspace, texts: Iterable[str]) -> dict[str, Scanned]:
    """Return what each of some texts holds, looked at beside the event loop where they are long.

    `Quarantine.look` knows it afterwards, for as long as the texts are kept: a look ahead, for those who cannot wait.
    """
    await make_ready(workspace, for_trigger=True)
    return await workspace.keeping.quarantine.looks.look_at(texts, workspace.keeping.learned.orders)


async def beside(workspace: Workspace, measured: Any, work: Callable[..., Result], *given: Any) -> Result:
    """Return `work(*given)`, done beside the event loop where the texts in `measured` are long."""
    return await workspace.keeping.quarantine.looks.beside(measured, work, *given)


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
