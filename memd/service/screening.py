"""What a client writes is looked at before anything is made of it, and what is told once more before it stands in a prompt.

A secret is taken out, or the request refused, as the settings say; an order to whoever reads is refused unless a person
has approved it. What a method keeps for review, or refuses row by row, it looks at itself (OWN). What is committed is
looked at once more (store/keep/looked.py), so that nothing passes that was forgotten here.

Rules
    gate.scan and gate.secrets of the role's settings; for sessions, runs, tasks and hooks sessions.secrets.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Iterable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeVar

from memd.engine.keep.leaves import changed, is_bare, texts_in
from memd.errors import OrderRefusedError, SecretRefusedError, StorageError
from memd.formats.entry import SAID_NAMES, SAID_WORDS
from memd.model.scan import Danger, Scanned
from memd.storage.layout import INBOX, PROVISIONAL, REVIEW

if TYPE_CHECKING:
    from memd.engine.recall.inject import Screen
    from memd.model.settings import GateSettings, Settings
    from memd.store.keep.quarantine import Quarantine
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


OFFERED = ("content", *SAID_NAMES, *SAID_WORDS)
EDITS = ("content", "operations", "old_text")
# What a method looks at itself: it holds it for review, refuses a row of it, or has to rule on it as it stands.
OWN: dict[str, tuple[str, ...]] = {
    "remember": OFFERED,
    "score": OFFERED,
    "review.decide": ("content",),
    "propose": ("messages", "results"),
    "consolidate.apply": ("pack", "statements"),
    "guard.check": ("input", "message"),
    "hook.event": ("input",),
    "import": ("memories", "text"),
    "learning.draft": ("text",),
    "session.append": ("events",),
    "run.event": ("events",),
    "context.render": ("message",),
    **{f"curated.{one}": EDITS for one in ("add", "replace", "remove", "edit")},
}
# Where the scan takes out secrets, and a text with orders in it is held for review by the method itself.
HOLDS = (("traits.update", "traits"), ("goals.update", "goals"))
# What names something: a name is not changed, it is refused. An id of a memory only finds it, so that anything can be forgotten.
NAMES = (
    "role",
    "session",
    "run",
    "task",
    "candidate",
    "skill",
    "skills",
    "import_id",
    "resumes",
    "forks",
    "at",
    "file",
)
FINDS = ("id", "to", "digest", "snapshot", "after", "before", "relation", "verdict", "decline")
RECORDS = ("session", "run", "task", "hook")  # families that keep what was said as it was said
# Words that ask somebody to do something, by their nature: only what gives data away or hides something is refused.
ASKS = {"task.open": ("asked",), **{f"task.{one}": ("words", "content") for one in ("evidence", "accept", "revise", "abandon")}}  # fmt: skip
KEEPS_NAMES = ("remember", "import")  # what names a session, a run or an import may be any text here
OF_WHO_ASKS = frozenset((Danger.EXFILTRATION, Danger.INVISIBLE))
UNORDERED = ("session", "run", "hook", "propose", "guard", "context", "score", "review")  # families without orders


async def look_at_request(store: Store, method: str, given: dict[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Return the parameters of a writing method as they may be used, and what was done to them.

    Errors: SecretRefusedError, OrderRefusedError.
    """
    store.in_force.look()
    family = method.partition(".")[0]
    own = (*OWN.get(method, ()), *FINDS)
    fields = {name: value for name, value in given.items() if name not in own and texts_in(value)}
    gate = _gate_of(store, given.get("role"))
    secrets = store.settings.sessions.secrets == "redact" if family in RECORDS else gate.scan
    orders = gate.scan and family not in UNORDERED
    if not fields or not (secrets or orders):
        return given, []
    settled = (("role.create", "name"), ("config.set", "value"))
    names = [name for name in fields if name in NAMES or (method, name) in settled]
    quarantine = store.keeping.quarantine
    if orders:
        await ready(store, texts_in(fields))
        # A name has its own rules, and is told by them.
        rest = [one for one in fields if one not in names or method in KEEPS_NAMES or method == "config.set"]
        for name in (one for one in rest if (method, one) not in HOLDS):
            asks = name in ASKS.get(method, ())
            _check_orders(store, name, fields[name], OF_WHO_ASKS if asks else frozenset(Danger))
    if not secrets:
        return given, []
    await quarantine.take_secrets_ahead(texts_in(fields))
    clean = {name: changed(value, quarantine.without_secrets) for name, value in fields.items()}
    hit = [name for name in fields if clean[name] is not fields[name]]
    refused = [name for name in hit if name in names or (family not in RECORDS and gate.secrets == "refuse")]
    if refused:
        raise SecretRefusedError(f"a secret in `{refused[0]}`")
    return ({**given, **{name: clean[name] for name in hit}} if hit else given), remarks_on(hit)


def remarks_on(fields: Iterable[str]) -> list[str]:
    """Return what a reply says of fields that had a secret."""
    named = ", ".join(f"`{one}`" for one in fields)
    return [f"a secret was taken out of {named}"] if named else []


async def ready(store: Store, texts: Collection[str]) -> Quarantine:
    """Look at texts, beside the event loop where they are long, and return who knows now what they hold."""
    with suppress(StorageError):  # what people have approved cannot be read: then nothing is approved
        await make_ready(store, for_trigger=True)
    keeping = store.keeping
    await keeping.quarantine.looks.look_at([one for one in texts if not is_bare(one)], keeping.learned.orders)
    return keeping.quarantine


def firm_orders(store: Store, value: Any, only: Collection[Danger] = frozenset(Danger)) -> str:
    """Return why a value of JSON may not be written: an order in it that nobody approved; "" where it may."""
    quarantine, orders = store.keeping.quarantine, store.keeping.learned.orders
    for text in texts_in(value):
        found = quarantine.look(text, orders).found
        firm = tuple(one for one in found if one.danger is not Danger.SECRET and one.danger in only and not one.mild)
        if firm and not quarantine.is_approved(text):
            return Scanned(firm, "").why
    return ""


def _check_orders(store: Store, name: str, value: Any, only: Collection[Danger]) -> None:
    why = firm_orders(store, value, only)
    if why:
        raise OrderRefusedError(name, why)


def _gate_of(store: Store, role: Any) -> GateSettings:
    known = store.roles.known(role) if isinstance(role, str) and role else None
    return (store.settings_of(known) if known else store.settings).gate
