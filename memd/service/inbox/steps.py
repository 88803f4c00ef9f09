"""Texts that leave the inbox without being kept: whose time is over, or whose memory is erased."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from memd.model.memory import EXPIRED

if TYPE_CHECKING:
    from memd.store.keep.inbox import Steps
    from memd.store.store import Store


def leaving(store: Store, entries: Iterable[Mapping[str, Any]], now_s: float) -> Steps:
    """Return what lets texts leave the inbox whose time is over."""
    steps = store.keeping.inbox.steps(store.record, now_s)
    for one in entries:
        steps.close(one, EXPIRED)
    return steps


def overdue(store: Store, role: str, now_s: float) -> list[dict[str, Any]]:
    """Return what has waited for as long as it may, of a role or of all."""
    over = store.keeping.inbox.over(store.settings.limits, now_s)
    return [one for one in over if not role or one.get("role") == role]


def erased(store: Store, role: str, text: str, memory_id: str, now_s: float) -> Steps:
    """Return what lets a text leave that says what an erased memory says."""
    steps = store.keeping.inbox.steps(store.record, now_s)
    same = store.keeping.inbox.same(role, text)
    if same is not None:
        steps.forget(same, memory_id)
    return steps
