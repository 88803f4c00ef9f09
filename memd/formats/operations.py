"""The operations of the write-ahead log as JSON: what a record of it does to which file."""

from __future__ import annotations

import re
from typing import Any

from memd.model.change import Change, Erasure, Line, Operation
from memd.model.memory import Kind
from memd.model.names import is_name

LINE_FILES = re.compile(
    r"\.memory/(?:audit\.jsonl|review\.jsonl|declarative\.md|scores/\d{4}-\d\d-\d\d\.jsonl)|archive/\d{4}-\d\d\.jsonl"
)


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
    """Return the operation of a JSON object, or None for one that memd would never have written.

    A log may come with a stranger's clone: it can name nothing but roles and memd's own logs.
    """
    match raw:
        case {"do": "change", "role": str(role), "kind": str(kind), "id": str(one), "before": before, "after": after}:
            whole = all(side is None or isinstance(side, dict) for side in (before, after))
            return Change(role, Kind(kind), one, before, after) if whole and _is_own(role, kind) else None
        case {"do": "line", "name": str(name), "text": str(text), "header": str(header)}:
            return Line(name, text, header) if LINE_FILES.fullmatch(name) else None
        case {"do": "erase", "role": str(role), "kind": str(kind), "id": str(one)}:
            return Erasure(role, Kind(kind), one) if _is_own(role, kind) else None
        case _:
            return None


def _is_own(role: str, kind: str) -> bool:
    return is_name(role) and kind in Kind.__members__.values()
