"""Answers to scenes that were asked a moment ago, while nothing that went into them changed.

A scene is the same where everything about it is, its time to the minute. Sessions and explanations are never kept: the one
changes by being asked, the other is asked for because something seems wrong.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Any

from memd.model.settings import Settings
from memd.service.memory.scenes import TriggerRequest
from memd.service.role import Role

KEPT = 64
KEPT_CHARS = 20_000  # of messages; longer scenes are not kept


@dataclass(slots=True)
class Answers:
    """The last answers, each with what it was made of and the memories it told."""

    kept: OrderedDict[object, tuple[dict[str, Any], list[str]]] = field(default_factory=OrderedDict)

    def key(
        self, role: Role, settings: Settings, others: object, request: TriggerRequest, now_s: float
    ) -> object | None:
        """Return what an answer is known by; None where it is not to be kept."""
        if request.session or request.explain or role.profile.links or sum(map(len, request.messages)) > KEPT_CHARS:
            return None
        scene = request.known_by(now_s // 60)
        return role.name, role.changes, role.rebuilds, role.shelf.changes, settings, others, scene

    def find(self, key: object) -> tuple[dict[str, Any], list[str]] | None:
        """Return an answer and the ids it told, or None."""
        found = self.kept.get(key)
        if found is not None:
            self.kept.move_to_end(key)
        return found

    def put(self, key: object, reply: dict[str, Any], ids: list[str]) -> None:
        """Keep an answer."""
        self.kept[key] = (reply, ids)
        if len(self.kept) > KEPT:
            self.kept.popitem(last=False)
