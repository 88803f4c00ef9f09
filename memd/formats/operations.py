"""The operations of the write-ahead log as JSON: what a record of it does to which file."""

from __future__ import annotations

from typing import Any

from memd.model.change import Change, Erasure, Line, Operation
from memd.model.memory import Kind


def dump_operation(operation: Operation) -> dict[str, Any]:
    """Return the operation as a JSON object."""
    if isinstance(operation, Change):
        return {
            "do": "change",
            "role": operation.role,
            "kind": operation.kind.value,
            "id": operation.id,
            "before": operation.before,
            "after": operation.after,
        }
    if isinstance(operation, Line):
        return {"do": "line", "name": operation.name, "text": operation.text, "header": operation.header}
    return {"do": "erase", "role": operation.role, "kind": operation.kind.value, "id": operation.id}


def load_operation(raw: dict[str, Any]) -> Operation | None:
    """Return the operation of a JSON object, or None for one this version does not know."""
    match raw:
        case {"do": "change", "role": str(role), "kind": str(kind), "id": str(one), "before": before, "after": after}:
            return Change(role, Kind(kind), one, before, after)
        case {"do": "line", "name": str(name), "text": str(text), "header": str(header)}:
            return Line(name, text, header)
        case {"do": "erase", "role": str(role), "kind": str(kind), "id": str(one)}:
            return Erasure(role, Kind(kind), one)
        case _:
            return None
