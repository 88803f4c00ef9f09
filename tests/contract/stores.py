"""A store in memory, slow and obvious: the twin of the one over files. A save by somebody else is a call."""

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from typing import Any

from memd.errors import RoleUnknownError
from memd.model.change import Change, Erasure, Line, Operation, Put
from memd.model.memory import Kind

Key = tuple[Kind, str]


@dataclass
class HeldStore:
    """Records by role, texts and lines by name. What is committed is copied: nobody changes it from outside."""

    roles: dict[str, dict[Key, dict[str, Any]]] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)
    logs: dict[str, list[str]] = field(default_factory=dict)

    async def commit(self, *operations: Operation) -> None:
        for one in operations:
            if isinstance(one, Change | Erasure) and one.role not in self.roles:
                raise RoleUnknownError(one.role, sorted(self.roles))
        for one in copy.deepcopy(operations):
            self._do(one)

    def _do(self, one: Operation) -> None:
        if isinstance(one, Change):
            records = self.roles[one.role]
            records.pop((one.kind, one.id), None)
            if one.after is not None:
                records[one.kind, one.id] = one.after
        elif isinstance(one, Erasure):
            self.roles[one.role].pop((one.kind, one.id), None)
        elif isinstance(one, Put):
            self.texts.pop(one.name, None)
            if one.after is not None:
                self.texts[one.name] = one.after
        elif isinstance(one, Line):
            self.logs.setdefault(one.name, []).append(one.text)

    async def save(self, role: str, kind: Kind, memory_id: str, record: dict[str, Any] | None) -> None:
        """Somebody saves the file of a role with one record other than it was."""
        await self.commit(Change(role, kind, memory_id, None, record))

    async def records(self, role: str) -> dict[Key, dict[str, Any]]:
        return copy.deepcopy(self.roles[role])

    def text(self, name: str) -> str | None:
        return self.texts.get(name)

    async def lines(self, name: str) -> list[str]:
        return list(self.logs.get(name, ()))

    async def again(self) -> None:
        """It is closed and opened: nothing is other than it was."""

    async def close(self) -> None:
        """Nothing is to be let go."""
