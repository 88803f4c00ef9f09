"""What a workspace serves, whoever answers: the daemon over its socket, or a fresh reader of the files alone."""

from __future__ import annotations

import asyncio
import re
import shutil
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from memd.config import Place
from memd.daemon import Local, service_of
from memd.errors import MemdError
from memd.store.opening import open_workspace

Call = Callable[..., dict[str, Any]]
View = dict[str, Any]
MARK = re.compile(r"\bu[0-9a-f]{12}\b")
PAGE = 1000
# What says how it is now, and not what is kept.
PASSING = frozenset(
    ("withheld", "access_count", "last_access", "bytes", "elapsed_ms", "missing", "usage", "warning", "pid", "used")
)


def serve(call: Call, snapshots: list[str]) -> View:
    """Return all that is kept, as it is served."""
    roles = call("role.list")
    names = sorted(one["name"] for one in roles["roles"])
    view: View = {
        "roles": {one["name"]: {key: one[key] for key in ("display_name", "memories")} for one in roles["roles"]},
        "rejected": roles["rejected"],
        "memories": {name: _memories(call, name) for name in names},
        "forgotten": {name: _listed(call, name, forgotten=True) for name in names},
        "curated": {file: _steady(call("curated.read", file=file)) for file in ("memory", "user")},
        "settings": call("config.get")["settings"],
        "own settings": {name: call("config.get", role=name)["own"] for name in names},
        "held": {one["id"]: one for one in call("review.list")["held"]},
        "waiting": {one["id"]: one for one in call("review.list").get("waiting", [])},
        "sessions": _sessions(call),
        "passes": _passes(call),
        "tasks": {one["task"]: _steady(call("task.get", task=one["task"])) for one in call("task.list")["tasks"]},
        "runs": {one["run"]: _steady(call("run.get", run=one["run"])) for one in call("run.list", limit=PAGE)["runs"]},
        "candidates": {one["candidate"]: one for one in call("learning.candidates")["candidates"]},
        "drafts": {one["skill"]: one for one in call("learning.review")["drafts"]},
        "skills": {one["skill"]: call("skill.get", skill=one["skill"]) for one in call("skill.list")["skills"]},
        "snapshots": {digest: _answer(call, "snapshot.sections", digest=digest) for digest in snapshots},
    }
    return _by_mark(view)


def _memories(call: Call, role: str) -> dict[str, Any]:
    """Return each memory as it is listed, with its record as it is got."""
    found = _listed(call, role)
    for key, one in found.items():
        got = _steady(call("memory.get", role=role, id=key))
        one["record"], one["digest"] = got["record"], got["digest"]
        assert {**got, **one} == got, f"memory.list and memory.get of {key} differ: {one} {got}"
    return found


def _listed(call: Call, role: str, **asked: Any) -> dict[str, Any]:
    found: dict[str, Any] = {}
    while True:
        reply = call("memory.list", role=role, limit=PAGE, offset=len(found), **asked)
        found.update((one["id"], _steady(one)) for one in reply["memories"])
        if not reply["memories"] or len(found) >= reply["total"]:
            return found


def _sessions(call: Call) -> dict[str, Any]:
    names: list[str] = []
    while True:
        reply = call("session.search", limit=50, offset=len(names))
        names += [one["session"] for one in reply["sessions"]]
        if not reply["sessions"] or len(names) >= reply["total"]:
            break
    found = {}
    for name in names:
        history = call("session.history", session=name, max_messages=100_000, lineage=False)
        found[name] = {**_steady(call("session.get", session=name)), "messages": history["messages"]}
    return found


def _passes(call: Call) -> dict[str, Any]:
    found: dict[str, Any] = {}
    while True:
        reply = call("consolidate.list", limit=200, before=min(found, default=""))
        found.update((one["id"], one) for one in reply["passes"])
        if not reply["more"]:
            return found


def _answer(call: Call, method: str, **params: Any) -> Any:
    try:
        return call(method, **params)
    except MemdError as error:
        return getattr(error, "code", "") or str(error)


def _steady(reply: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in reply.items() if key not in PASSING}


def _by_mark(view: View) -> View:
    """Say also where each marked text stands: the marks are how a thing is known before its id is."""
    for name in ("memories", "forgotten"):
        marks: dict[str, list[tuple[str, str]]] = defaultdict(list)
        for role, found in view[name].items():
            for key, one in found.items():
                for mark in dict.fromkeys(MARK.findall(one["content"])):
                    marks[mark].append((role, key))
        view[f"marks of {name}"] = {mark: sorted(found) for mark, found in marks.items()}
    view["marks of waiting"] = {
        mark: key for key, one in view["waiting"].items() for mark in MARK.findall(one["content"])
    }
    view["marks of held"] = {mark: key for key, one in view["held"].items() for mark in MARK.findall(one["content"])}
    return view


@contextmanager
def fresh_reader(workspace: Path) -> Iterator[Call]:
    """A reader that has nothing but the files of a workspace: no cache, no daemon, no lock."""
    place = Place(str(workspace), "", "")
    with asyncio.Runner() as runner:
        opened = runner.run(open_workspace(place.workspace, holder=None, cache_dir=""))
        service = Local(opened, service_of(opened, place, daemon=False))

        def call(method: str, **params: Any) -> dict[str, Any]:
            return runner.run(service.call(method, **params))

        try:
            yield call
        finally:
            service.service.indexing.close()
            runner.run(opened.close())


def read_afresh(workspace: Path, copy: Path, *, with_log: bool, snapshots: list[str]) -> View:
    """Return what a fresh reader makes of a copy of the workspace, with its log or without."""
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(workspace, copy, symlinks=True)
    if not with_log:
        (copy / ".memory/wal.jsonl").unlink(missing_ok=True)
    with fresh_reader(copy) as call:
        return serve(call, snapshots)


def differences(one: Any, other: Any, path: str = "") -> list[str]:
    """Return where two views differ, at most some."""
    if isinstance(one, dict) and isinstance(other, dict):
        found: list[str] = []
        for key in sorted({*one, *other}, key=str):
            here = f"{path}/{key}"
            if key not in one:
                found.append(f"{here} is only in the second: {str(other[key])[:300]}")
            elif key not in other:
                found.append(f"{here} is only in the first: {str(one[key])[:300]}")
            else:
                found += differences(one[key], other[key], here)
        return found[:20]
    if one != other:
        return [f"{path}: {str(one)[:600]} and {str(other)[:600]}"]
    return []
