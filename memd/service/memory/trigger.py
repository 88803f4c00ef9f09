"""trigger: what does this scene bring to mind, rendered for the prompt and explained. Writes nothing."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass, replace
from typing import Any

from memd.engine.recall.activate import Gathered, gather
from memd.engine.recall.inject import Limits, entry_chars, inject
from memd.engine.recall.rank import rank
from memd.errors import BadParamsError, MemdError
from memd.formats.times import to_seconds
from memd.model.scene import Candidate, Refused, Scene
from memd.model.settings import InjectionSettings, Settings, TriggerSettings
from memd.service.role import Role
from memd.service.workspace import Workspace

SCANNED_CHARS = 200_000  # of one message; a longer one is read from its end


@dataclass(frozen=True, slots=True)
class TriggerRequest:
    """A trigger as it was asked for; None where the settings decide."""

    role: str
    messages: tuple[str, ...]
    topic: str = ""
    now: float | str | None = None
    budget_chars: int | None = None
    position: str | None = None
    explain: bool = False


async def trigger(workspace: Workspace, request: TriggerRequest) -> dict[str, Any]:
    """Return the block for the prompt with what activated, and, to explain, what did not and why."""
    started_s = time.perf_counter()
    role = await workspace.role(request.role)
    now_s = workspace.ports.now() if request.now is None else to_seconds(request.now)
    if now_s is None:
        raise BadParamsError(f"now: {str(request.now)[:40]!r} is neither seconds, milliseconds nor ISO 8601")
    notes: list[str] = []
    async with role.turn:
        await workspace.refresh(role)
        settings = workspace.settings_of(role).trigger
        said = request.messages[-settings.scan_messages :]
        scene = Scene(tuple(text[-SCANNED_CHARS:] for text in said), now_s, request.topic)
        own = gather(role.compiled, role.name, scene, settings, faint=request.explain)
    found = [own]
    for link in role.profile.links:
        linked = await _linked(workspace, role, link.role, notes)
        if linked is None:
            continue
        async with linked.turn:
            await workspace.refresh(linked)
            seen = gather(
                linked.compiled, linked.name, scene, settings, weight=link.weight, own=False, faint=request.explain
            )
        found.append(seen)
    return _answer(role.name, found, scene, request, workspace.settings_of(role), notes, started_s)


async def _linked(workspace: Workspace, role: Role, name: str, notes: list[str]) -> Role | None:
    try:
        linked = await workspace.role(name)
    except MemdError as error:
        notes.append(f"the link to {name!r} leads nowhere: {error}")
        return None
    if linked is role:
        return None
    return linked


def _answer(
    name: str,
    found: list[Gathered],
    scene: Scene,
    request: TriggerRequest,
    settings: Settings,
    notes: list[str],
    started_s: float,
) -> dict[str, Any]:
    constants = found[0].constants
    candidates = [one for seen in found for one in seen.candidates]
    barred = [one for seen in found for one in seen.barred]
    injecting = _injection_settings(settings.injection, request)
    trigger_settings = settings.trigger
    ranked, below = rank(
        candidates, threshold=trigger_settings.relevance_threshold, now_s=scene.now_s, use_decay=trigger_settings.decay
    )
    result = inject(name, constants, ranked, _limits(trigger_settings), injecting)
    refused = [*barred, *below, *result.refused]
    spoke = Counter(one.strategy.value for chosen in result.activated for one in chosen.evidence)
    reply: dict[str, Any] = {
        "role": name,
        "content": result.content,
        "position": injecting.position,
        "fence": result.fence,
        "activated": [_activated(one, injecting) for one in result.activated],
        "counts": {
            "candidates": len(constants) + len(candidates) + len(barred),
            "activated": len(result.activated),
            "refused": len(refused),
            "by_strategy": dict(spoke),
        },
        "dropped_for_room": [one.candidate.memory.id for one in refused if one.why == "budget"],
    }
    if notes:
        reply["notes"] = notes
    if request.explain:
        reply["refused"] = [_refused(one) for one in refused]
    reply["elapsed_ms"] = round((time.perf_counter() - started_s) * 1000, 3)
    return reply


def _injection_settings(settings: InjectionSettings, request: TriggerRequest) -> InjectionSettings:
    if request.budget_chars is not None:
        settings = replace(settings, budget_chars=request.budget_chars)
    if request.position is not None:
        settings = replace(settings, position=request.position)
    return settings


def _limits(settings: TriggerSettings) -> Limits:
    return Limits(settings.max_episodic, settings.max_semantic, settings.max_trait, settings.max_goal)


def _activated(candidate: Candidate, settings: InjectionSettings) -> dict[str, Any]:
    return {
        "id": candidate.memory.id,
        "role": candidate.role,
        "kind": candidate.memory.kind.value,
        "score": round(candidate.score, 4),
        "relevance": round(candidate.relevance, 4),
        "reasons": candidate.reasons,
        "strategies": {one.strategy.value: round(one.score, 4) for one in candidate.evidence},
        "chars": entry_chars(candidate, settings),
        "text": candidate.memory.text,
        "source": candidate.memory.source,
    }


def _refused(refused: Refused) -> dict[str, Any]:
    candidate = refused.candidate
    return {
        "id": candidate.memory.id,
        "role": candidate.role,
        "kind": candidate.memory.kind.value,
        "why": refused.why,
        "detail": refused.detail,
        "reasons": candidate.reasons,
        "text": candidate.memory.text[:120],
    }
