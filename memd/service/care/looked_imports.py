"""What an import brings is looked at, beside the event loop: record by record, and a book as a whole."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from memd.engine.keep.leaves import changed, texts_in
from memd.errors import MemdError, OrderRefusedError, SecretRefusedError
from memd.formats.strict_json import StrictError, loads
from memd.service.memory.ingress import firm_orders, ready

if TYPE_CHECKING:
    from memd.store.role.role import Role
    from memd.store.store import Store

AT_ONCE = 250  # records that are looked at together: so many are known at once


async def judged_records(
    store: Store, role: Role, records: Sequence[dict[str, Any]]
) -> list[dict[str, Any] | MemdError]:
    """Return each record without secrets, or why it may not come in."""
    judged: list[dict[str, Any] | MemdError] = []
    for at in range(0, len(records), AT_ONCE):
        some = records[at : at + AT_ONCE]
        await ready(store, texts_in(list(some)))
        judged += [_judged(store, role, one) for one in some]
    return judged


def _judged(store: Store, role: Role, raw: dict[str, Any]) -> dict[str, Any] | MemdError:
    plain: dict[str, Any] = changed(raw, store.keeping.quarantine.without_secrets)
    if plain is not raw and store.settings_of(role).gate.secrets == "refuse":
        return SecretRefusedError("a secret")
    why = firm_orders(store, raw)
    return OrderRefusedError("record", why) if why else plain


async def plain_book(store: Store, role: Role, text: str) -> str:
    """Return a book without secrets, in its own bytes where it has none; SecretRefusedError where settings say so."""
    quarantine = store.keeping.quarantine
    plain = await quarantine.looks.beside(text, _plain, text, quarantine.plain)
    if plain != text and store.settings_of(role).gate.secrets == "refuse":
        raise SecretRefusedError("a secret in the book")
    return plain


def _plain(text: str, plain_of: Callable[[str], str]) -> str:
    try:
        book = loads(text.encode("utf-8", "replace"))
    except (StrictError, RecursionError):  # no JSON: it is refused where it is read
        return text
    plain = changed(book, plain_of)
    return text if plain is book else json.dumps(plain, ensure_ascii=False, indent=2) + "\n"
