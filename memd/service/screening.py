"""What may not stand in a prompt before a person has seen it: looked for once more when memories are told."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, TypeVar

from memd.model.scan import Danger, Scanned
from memd.storage.layout import INBOX, PROVISIONAL, REVIEW

if TYPE_CHECKING:
    from memd.engine.recall.inject import Screen
    from memd.model.settings import Settings
    from memd.store.store import Store

Result = TypeVar("Result")

# A book's business is to instruct; what it may not do is send data away, or hide what it says. A secret is taken out.
OF_A_BOOK = frozenset((Danger.EXFILTRATION, Danger.INVISIBLE))


async def make_ready(store: Store, *, for_trigger: bool = False) -> None:
    """Load what was learned, what waits for a person and what was approved, once; a trigger needs less of it."""
    store.in_force.look()  # and at what a person has approved meanwhile
    learned = store.keeping.learned
    if for_trigger and not learned.has_orders:
        await asyncio.to_thread(learned.load_orders)
    elif not for_trigger and not learned.loaded:
        await asyncio.to_thread(learned.load)
    quarantine = store.keeping.quarantine
    if not quarantine.loaded:
        waiting = store.writer.waiting_lines(REVIEW)
        quarantine.begin(await asyncio.to_thread(quarantine.read, store.tree, waiting, learned.orders))
    inbox = store.keeping.inbox
    if not for_trigger and not inbox.loaded:
        waiting = store.writer.waiting_lines(INBOX)
        inbox.begin(await asyncio.to_thread(inbox.read, store.tree, waiting, learned.orders))
    if not for_trigger:
        await know_provisional(store)


async def know_provisional(store: Store) -> None:
    """Load what words judged alone, and what became of it, once."""
    provisional = store.keeping.provisional
    if not provisional.loaded:
        waiting = store.writer.waiting_lines(PROVISIONAL)
        orders = store.keeping.learned.orders
        provisional.begin(await asyncio.to_thread(provisional.read, store.tree, waiting, orders))


async def approve(store: Store, digests: Iterable[str]) -> None:
    """Let texts stand in prompts, durably on this machine. TrustStateError where that cannot be kept."""
    await asyncio.to_thread(store.in_force.trust.approve, store.tree, tuple(digests))
    store.keeping.quarantine.trust(store.in_force.trust.trusted.approved)


async def look(store: Store, text: str) -> Scanned:
    """Return what a text holds; a long one is looked at beside the event loop."""
    return (await look_at(store, (text,)))[text]


async def look_at(store: Store, texts: Iterable[str]) -> dict[str, Scanned]:
    """Return what each of some texts holds, looked at beside the event loop where they are long.

    `Quarantine.look` knows it afterwards, for as long as the texts are kept: a look ahead, for those who cannot wait.
    """
    await make_ready(store, for_trigger=True)
    return await store.keeping.quarantine.looks.look_at(texts, store.keeping.learned.orders)


async def beside(store: Store, measured: Any, work: Callable[..., Result], *given: Any) -> Result:
    """Return `work(*given)`, done beside the event loop where the texts in `measured` are long."""
    return await store.keeping.quarantine.looks.beside(measured, work, *given)


def screen_of(store: Store, settings: Settings) -> Screen:
    """Return what is asked of everything that would stand in a prompt."""

    def screen(text: str, content: str, *, book: bool) -> str:
        if not (settings.books.scan if book else settings.gate.scan):
            return ""
        return withheld_why(store, text, content, book=book)

    return screen


def withheld_why(store: Store, text: str, content: str, *, book: bool = False) -> str:
    """Return why a text may not stand in a prompt, "" where it may."""
    keeping = store.keeping
    only = OF_A_BOOK if book else frozenset(Danger)
    return keeping.quarantine.why_withheld(text, content, keeping.learned.orders, only)
