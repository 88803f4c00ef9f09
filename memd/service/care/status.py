"""status: how the workspace is, all at once."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any

from memd.model.findings import severity_of
from memd.model.trust import Ask
from memd.service.asking import asks_of, sentence, view
from memd.service.care.following import Following
from memd.service.care.indexing import Indexing
from memd.service.care.recover import dropped_records
from memd.service.discovery import shown
from memd.service.limits import limits_used
from memd.service.work.effects import judged_of, running_figures, worse
from memd.service.work.run_state import make_runs_ready
from memd.service.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Process:
    """Who answers; `pid` is None where no daemon runs and a command answers for itself."""

    version: str
    pid: int | None
    workspace: str
    socket: str

    def view(self) -> dict[str, Any]:
        """Return what every first reply tells."""
        return {"version": self.version, "pid": self.pid, "workspace": self.workspace, "socket": self.socket}


async def status(
    workspace: Workspace, process: Process, indexing: Indexing, following: Following | None
) -> dict[str, Any]:
    """Return the state of every role, what was rejected and why, the watching, the index, limits used, and the log."""
    workspace.look_at_settings()
    roles: list[dict[str, Any]] = []
    rejected: list[str] = []
    for role in sorted(workspace.roles.values(), key=lambda one: one.name):
        if not role.turn.locked():
            async with role.turn:
                await workspace.look(role)
        waiting = len(role.pending) + len(role.parked) + role.stale
        roles.append({"name": role.name, "memories": len(role.compiled.memories), "waiting": waiting})
        rejected += [
            str(fault) for fault in (role.rejected, *role.faults, *role.profile_faults, *role.shelf.faults()) if fault
        ]
    rejected += [str(fault) for fault in (*workspace.live.faults, *workspace.lexicon.faults, *workspace.bad_roles)]
    rejected += [str(fault) for fault in workspace.library.faults() if severity_of(fault.code) != "note"]
    told = await asyncio.to_thread(workspace.side_files.look, workspace.tree)
    rejected += [str(one) for one in told if not any(line.startswith(f"{one.name}:") for line in rejected)]
    odd = following.reconciled.odd if following else {}
    known = {fault.name for fault in told}
    rejected += [f"{shown(name)}:1:1: file.odd {why}" for name, why in sorted(odd.items()) if name not in known]
    rejected = list(dict.fromkeys(rejected))
    return {
        **process.view(),
        "state": "workspace gone" if following and not following.presence.look() else "serving",
        "uptime_s": round(workspace.ports.monotonic() - workspace.opened_s, 1),
        "mode": f"read-only: {workspace.read_only}" if workspace.read_only else "read-write",
        "roles": roles,
        "rejected": rejected,
        "held": workspace.trouble,
        "files": len(workspace.library.held),
        "watcher": watching(following, workspace.ports.monotonic())
        if following
        else {"mode": "none", "why": "no daemon runs"},
        "index": indexing.view(),
        "log": {"waiting": workspace.log_depth, **workspace.recovered},
        "work": await _work(workspace),
        "limits": await limits_used(workspace),
        "trust": await trusting(workspace),
    }


async def asked(workspace: Workspace) -> list[Ask]:
    """Return what the workspace asks this machine for, granted or not."""
    owns = {role.name: role.profile.settings for role in workspace.roles.values()}
    return await asyncio.to_thread(asks_of, workspace.tree, workspace.trust.trusted, owns)


async def trusting(workspace: Workspace) -> dict[str, Any]:
    """Return what the workspace asks this machine for, what is granted, and where that is kept."""
    trust = workspace.trust
    asks = await asked(workspace)
    return {
        "state": trust.folder, "fault": trust.fault, "approved": len(trust.trusted.approved),
        "asked": [view(one) for one in asks], "said": sentence(asks),
    }  # fmt: skip


async def _work(workspace: Workspace) -> dict[str, Any]:
    """Return which runs are under way, which receipts a person edited, and which skills do worse than before."""
    await make_runs_ready(workspace)
    edited = sorted({one.name for one in workspace.library.faults() if one.code == "run.edited"})
    figures = await running_figures(workspace)
    return {
        "running": sorted(workspace.working.running),
        "edited_receipts": edited,
        "regressions": worse(judged_of(figures)),
    }


def watching(following: Following, now_s: float) -> dict[str, Any]:
    """Return how the files are watched, and what the last scan found."""
    watch, last = following.watch, following.reconciled
    why = (watch.fault if watch else "") or following.remote
    shown: dict[str, Any] = {
        "mode": following.mode,
        "folders": watch.folders if watch else 0,
        "heard_s_ago": None if following.heard_s is None else round(now_s - following.heard_s, 1),
        "restarts": following.restarts,
        "missed": last.missed,
        "reconciled": last.view(),
    }
    return {**shown, "mode": "polling", "why": why} if why else shown


async def recoverable(workspace: Workspace) -> dict[str, Any]:
    """Return what recovery did at start, and the records that memd knew and no file has now."""
    standing = set(workspace.standing())
    dropped = await asyncio.to_thread(dropped_records, workspace.tree, workspace.records(), standing)
    return {"recovered": workspace.recovered, "dropped": dropped}
