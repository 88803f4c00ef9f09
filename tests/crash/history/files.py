"""What stands on the disk when nothing waits: every file whole, every line once, nothing left over."""

from __future__ import annotations

import collections
import json
import os
import re
from pathlib import Path
from typing import Any

from memd.service.care.check import check
from memd.storage.files import Tree
from tests.crash.history.views import View

ARRAYS = {"episodic": "episodic", "semantic": "semantic", "traits": "trait", "goals": "goal"}
# A link to what was forgotten is told, and stays. What a person approved is this machine's word, which the files do not have.
EXPECTED = ("memory.lost_link", "memory.withheld", "trust.asked")
DECLARED = re.compile(r"#id:(\S+)")


def records_of(path: Path) -> list[tuple[str, dict[str, Any]]]:
    """Return the records of a role's file with their kinds."""
    loaded = json.loads(path.read_text("utf-8"))
    return [(kind, one) for array, kind in ARRAYS.items() for one in loaded.get(array, [])]


def lines_of(path: Path) -> list[dict[str, Any]]:
    """Return the objects of a file of lines; every line must be one."""
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def faults_of(workspace: Path, view: View, erased: list[str]) -> list[str]:
    """Return what is wrong with the files of a workspace for which nothing waits. `erased`: words that must not be there."""
    wrong = _leftovers(workspace)
    standing: dict[str, str] = {}
    for path in sorted(workspace.glob("roles/*/memory.json")):
        records = records_of(path)
        for key, times in collections.Counter(one["id"] for _, one in records).items():
            wrong += [f"{path.parent.name} has {key} {times} times"] if times > 1 else []
        standing.update((one["id"], kind) for kind, one in records)
    wrong += _archive(workspace, view) + _declared(workspace, standing) + _lines(workspace) + _erased(workspace, erased)
    tree = Tree(str(workspace))
    try:
        wrong += [f"memd check: {fault}" for fault in check(tree).faults if fault.code not in EXPECTED]
    finally:
        tree.close()
    return wrong


def _leftovers(workspace: Path) -> list[str]:
    found = []
    for folder, _, names in os.walk(workspace):
        found += [os.path.join(folder, name) for name in names if ".memd-tmp" in name or ".conflict-" in name]
    return [f"left over: {os.path.relpath(one, workspace)}" for one in sorted(found)]


def _archive(workspace: Path, view: View) -> list[str]:
    """A memory is forgotten once for each time it was there; where it stands, it was restored as often."""
    balance: collections.Counter[tuple[str, str]] = collections.Counter()
    for path in sorted(workspace.glob("archive/*.jsonl")):
        for line in lines_of(path):
            step = {"forgotten": 1, "restored": -1}.get(line.get("what", ""), 0)
            if step:
                balance[line["role"], line["id"]] += step
    wrong = []
    for (role, key), count in balance.items():
        expected = 0 if key in view["memories"].get(role, {}) else 1
        if count != expected:
            wrong.append(f"the archive has {key} of {role} {count} times more forgotten than restored, not {expected}")
    return wrong


def _declared(workspace: Path, standing: dict[str, str]) -> list[str]:
    path = workspace / ".memory/declarative.md"
    counted = collections.Counter(DECLARED.findall(path.read_text("utf-8")) if path.exists() else ())
    wrong = [f"declarative.md has {key} {times} times" for key, times in counted.items() if times > 1]
    judged = {
        line["id"]
        for path in workspace.glob(".memory/scores/*.jsonl")
        for line in lines_of(path)
        if line.get("verdict") == "stored" and line.get("id") in standing
    }
    return wrong + [f"declarative.md lacks {key}" for key in sorted(judged) if not counted[key]]


def _lines(workspace: Path) -> list[str]:
    """Every line of memd's own logs stands once: its writer, number and place are its key."""
    wrong = []
    for pattern in ("archive/*.jsonl", ".memory/*.jsonl", ".memory/scores/*.jsonl", "sessions/*/*.jsonl"):
        for path in sorted(workspace.glob(pattern)):
            if path.name == "wal.jsonl":
                continue
            text = path.read_text("utf-8")
            if not text.endswith("\n"):
                wrong.append(f"{path.name} ends in the middle of a line")
            counted = collections.Counter(text.splitlines())
            wrong += [f"{path.name} has a line {n} times: {line[:200]}" for line, n in counted.items() if n > 1]
            try:
                lines_of(path)
            except ValueError as error:
                wrong.append(f"{path.name} has a line that is no object: {error}")
    return wrong


def _erased(workspace: Path, marks: list[str]) -> list[str]:
    words = [one.encode() for one in marks]
    wrong = []
    for folder, _, names in os.walk(workspace):
        for name in names if words else ():
            path = Path(folder) / name
            data = path.read_bytes()
            wrong += [f"erased text stands in {path.relative_to(workspace)}: {one!r}" for one in words if one in data]
    return wrong


def violations_of(workspace: Path, session: str) -> int:
    """Return how many violations of a session the audit log has."""
    audit = [line for path in sorted(workspace.glob(".memory/audit*.jsonl")) for line in lines_of(path)]
    return sum(one.get("what") == "violation" and one.get("session") == session for one in audit)
