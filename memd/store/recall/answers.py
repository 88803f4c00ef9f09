"""Answers to scenes that were asked a moment ago, while nothing that went into them changed.

A scene is the same where everything about it is, its time to the minute. Sessions and explanations are never kept: the one
changes by being asked, the other is asked for because something seems wrong. Nor is what was found by words alone while there
is a model that was late or gone: whoever asks again asks the model again.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from memd.model.settings import Settings
    from memd.store.role.role import Role

KEPT = 64


@dataclass(slots=True)
class Answers:
    """The last answers, each with what it was made of and the memories it told."""

    kept: OrderedDict[object, tuple[dict[str, Any], list[str]]] = field(default_factory=OrderedDict)

    def key(self, role: Role, settings: Settings, others: object, scene: object | None) -> object | None:
        """Return what the answer to a scene is known by; None where it is not to be kept."""
        if scene is None or role.own.profile.links:
            return None
        return role.name, role.marks.changes, role.marks.rebuilds, role.shelf.changes, settings, others, scene

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
