"""How replies show what is around a workspace: agents' hooks, and how git stands to its remote."""

from __future__ import annotations

import os
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

from msgspec import UNSET, Meta, Struct, UnsetType

from memd.formats.times import to_iso

if TYPE_CHECKING:
    from memd.service.care.doctor_outside import Hooks


class AgentHooks(Struct, forbid_unknown_fields=True):
    """What of memd's hooks an agent of this machine reads."""

    agent: Annotated[str, Meta(description="claude, codex, gemini, vscode")]
    state: Annotated[
        str,
        Meta(
            pattern="^(none|installed|partly|twice|broken|unreadable|elsewhere)$",
            description="partly: not for every event; broken: they start nothing, or for no workspace; elsewhere: they are for another workspace alone",
        ),
    ]
    files: Annotated[list[str], Meta(description="that have them")]
    plugin: Annotated[bool, Meta(description="memd's plugin brings them")]
    lacking: Annotated[list[str], Meta(description="events that have none")]
    faults: Annotated[list[str], Meta(description="what is wrong, a line each")]
    workspaces: Annotated[list[str], Meta(description="that their commands name")]


class SyncState(Struct, forbid_unknown_fields=True):
    """How the branch stands to the other repository's, as git last heard; nobody is asked over the network."""

    why: Annotated[
        str,
        Meta(
            pattern="^(|no_git|no_repository|no_branch|no_remote|not_fetched|refused)$",
            description="it tells no more; empty where all is known",
        ),
    ]
    detail: Annotated[str, Meta(description="what git said where it refuses")]
    branch: str
    remote: str
    ahead: Annotated[int, Meta(description="commits that the remote does not have")]
    behind: Annotated[int, Meta(description="its commits that are not here")]
    uncommitted: Annotated[int, Meta(description="files of the workspace that are other than committed")]
    heard_at: Annotated[str, Meta(description="when git last fetched")] | UnsetType = UNSET


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
    return SyncState(**found, heard_at=to_iso(heard_s) if heard_s is not None else UNSET)
