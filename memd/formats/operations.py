"""The operations of the write-ahead log as JSON: what a record of it does to which file."""

from __future__ import annotations

from typing import Any

from memd.model.change import Change, Erasure, Line, Operation, Put
from memd.model.memory import Kind
from memd.model.names import is_name
from memd.model.tasks import is_skill_name
from memd.text import expressions as re

LINE_FILES = re.compile(
    r"\.memory/(?:audit\.jsonl|review\.jsonl|offered\.jsonl|declarative\.md|scores/\d{4}-\d\d-\d\d\.jsonl|state/(?:runs|inbox|provisional)\.jsonl)"
    r"|archive/\d{4}-\d\d\.jsonl|sessions/\d{4}-\d\d/(?P<name>[^/]+)\.jsonl"
)
TEXT_FILES = re.compile(
    r"MEMORY\.md|USER\.md|runs/snapshots/[0-9a-f]{64}\.json|\.memory/consolidations/c\d{8}-\d{6}-[0-9a-f]{8}\.json"
    r"|(?:tasks/(?P<task>[^/]+)\.toml|runs/\d{4}-\d\d/(?P<run>[^/]+)\.md|learning/candidates/(?P<candidate>[^/]+)\.toml)"
    r"|(?:skills|learning/drafts)/(?P<skill>[^/]+)/SKILL\.md|learning/drafts/(?P<draft>[^/]+)/(?:draft\.toml|edited-\d{1,4}\.md)"
    r"|learning/published/(?P<published>[^/]+)/(?:\d{1,6}(?:-edited(?:-\d{1,4})?)?\.md|record\.toml)"
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
    if isinstance(operation, Put):
        return {"do": "put", "name": operation.name, "before": operation.before, "after": operation.after}
    if isinstance(operation, Line):
        return {"do": "line", "name": operation.name, "text": operation.text, "header": operation.header}
    return {"do": "erase", "role": operation.role, "kind": operation.kind.value, "id": operation.id}


def load_operation(raw: dict[str, Any]) -> Operation | None:
    """Return the operation of a JSON object, or None for one that memd would never have written.

    A log may come with a stranger's clone: it can name nothing but roles, memd's own logs, and the texts memd writes.
    """
    match raw:
        case {"do": "change", "role": str(role), "kind": str(kind), "id": str(one), "before": before, "after": after}:
            whole = all(side is None or isinstance(side, dict) for side in (before, after))
            return Change(role, Kind(kind), one, before, after) if whole and _is_own(role, kind) else None
        case {"do": "line", "name": str(name), "text": str(text), "header": str(header)}:
            return Line(name, text, header) if is_line_file(name) else None
        case {"do": "put", "name": str(name), "before": str() | None as before, "after": str() | None as after}:
            return Put(name, before, after) if is_text_file(name) else None
        case {"do": "erase", "role": str(role), "kind": str(kind), "id": str(one)}:
            return Erasure(role, Kind(kind), one) if _is_own(role, kind) else None
        case _:
            return None


def parts_of(operation: Operation) -> tuple[str, ...]:
    """Return the names of the places a change has to reach: a role's memory.json, a log, a text, the traces of a memory.

    Each place takes what is meant for it in the order of the log, so what it has is told by one number.
    """
    if isinstance(operation, Change):
        return (f"role:{operation.role}",)
    if isinstance(operation, Put):
        return (f"text:{operation.name}",)
    if isinstance(operation, Line):
        return (operation.name,)
    return (f"role:{operation.role}", f"erase:{operation.role}/{operation.id}")


def is_line_file(name: str) -> bool:
    """Tell whether memd appends lines to a file of this name."""
    found = LINE_FILES.fullmatch(name)
    return found is not None and (found["name"] is None or is_name(found["name"]))


def is_text_file(name: str) -> bool:
    """Tell whether memd writes whole files of this name."""
    found = TEXT_FILES.fullmatch(name)
    if found is None:
        return False
    named = (found[group] for group in ("task", "run", "candidate") if found[group] is not None)
    skills = (found[group] for group in ("skill", "draft", "published") if found[group] is not None)
    return all(map(is_name, named)) and all(map(is_skill_name, skills))


def _is_own(role: str, kind: str) -> bool:
    return is_name(role) and kind in Kind.__members__.values()
