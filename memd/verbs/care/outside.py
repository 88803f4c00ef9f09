"""How replies show what is around a workspace: agents' hooks, and how git stands to its remote."""

from __future__ import annotations

import os
from dataclasses import asdict
from typing import TYPE_CHECKING

from memd.formats.times import to_iso
from memd.protocol.status import AgentHooks, SyncState

if TYPE_CHECKING:
    from memd.service.care.doctor_outside import Hooks


def agents_of(path: str) -> list[AgentHooks]:
    """Return what each agent has of memd's hooks. Blocks."""
    from memd.service.care.doctor import Scope  # noqa: PLC0415  few who ask for the status look outside
    from memd.service.care.doctor_outside import AGENTS, hooks_of  # noqa: PLC0415

    scope = Scope(path, "", "", os.path.expanduser("~"), path, os.environ, "")
    return [_hooks(hooks_of(scope, agent), os.path.realpath(path)) for agent in AGENTS]


def _hooks(found: Hooks, path: str) -> AgentHooks:
    files = [one for own in found.files.values() for one in own]
    lacking = sorted({event for one in files for event in found.lacking(one)})
    states = (
        ("broken", found.faults),
        ("twice", any(len(together) + bool(found.plugins) > 1 for together in found.read_together) and files),
        ("elsewhere", found.workspaces and path not in found.workspaces),
        ("partly", lacking),
        ("installed", files or found.plugins),
        ("unreadable", found.unreadable),
        ("none", True),
    )
    state = next(name for name, holds in states if holds)
    faults = [f"{one}: {'; '.join(whys)}" for one, whys in found.faults.items()]
    faults += [f"{one}: {why}" for one, why in found.unreadable.items()]
    return AgentHooks(found.agent, state, files, bool(found.plugins), lacking, faults, sorted(found.workspaces))


def sync_of(path: str) -> SyncState:
    """Return how git stands to its remote. Blocks."""
    from memd.service.care.syncing import standing  # noqa: PLC0415  as above

    found = asdict(standing(path))
    heard_s = found.pop("heard_s")
    return SyncState(**found, heard_at=to_iso(heard_s) if heard_s is not None else None)
