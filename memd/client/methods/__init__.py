"""Every method of the protocol, by its name. Made from the declarations by `make docs`: change those, not this."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memd.client.asking import K, family
from memd.client.methods.plain import PlainMethods

if TYPE_CHECKING:
    from memd.client.methods.keeping import (
        CaptureMethods,
        ConfigMethods,
        ConsolidateMethods,
        GuardMethods,
        HookMethods,
        RoleMethods,
    )
    from memd.client.methods.memories import (
        GitMethods,
        GoalsMethods,
        MemoryMethods,
        ReviewMethods,
        TraitsMethods,
        UpkeepMethods,
    )
    from memd.client.methods.sessions import ContextMethods, CuratedMethods, SessionMethods, SnapshotMethods
    from memd.client.methods.work import LearningMethods, RunMethods, SkillMethods, TaskMethods

# What writes nothing may be asked twice.
REPEATABLE = frozenset(
    [
        "capture.level",
        "capture.pause",
        "config.get",
        "consolidate.list",
        "consolidate.pack",
        "curated.read",
        "export",
        "git.commits",
        "learning.candidates",
        "log",
        "memory.get",
        "memory.list",
        "memory.verify",
        "ping",
        "profile",
        "rebuild",
        "review.list",
        "role.get",
        "role.list",
        "role.of",
        "rpc.discover",
        "run.get",
        "run.list",
        "search",
        "session.get",
        "session.history",
        "session.search",
        "skill.get",
        "skill.list",
        "snapshot.sections",
        "stats",
        "status",
        "subscribe",
        "task.get",
        "task.list",
        "trigger",
        "tune",
        "upkeep.plan",
    ]
)


class Methods(PlainMethods[K]):
    """The methods of a client."""

    capture: CaptureMethods[K] = family("keeping.CaptureMethods")
    config: ConfigMethods[K] = family("keeping.ConfigMethods")
    consolidate: ConsolidateMethods[K] = family("keeping.ConsolidateMethods")
    context: ContextMethods[K] = family("sessions.ContextMethods")
    curated: CuratedMethods[K] = family("sessions.CuratedMethods")
    git: GitMethods[K] = family("memories.GitMethods")
    goals: GoalsMethods[K] = family("memories.GoalsMethods")
    guard: GuardMethods[K] = family("keeping.GuardMethods")
    hook: HookMethods[K] = family("keeping.HookMethods")
    learning: LearningMethods[K] = family("work.LearningMethods")
    memory: MemoryMethods[K] = family("memories.MemoryMethods")
    review: ReviewMethods[K] = family("memories.ReviewMethods")
    role: RoleMethods[K] = family("keeping.RoleMethods")
    run: RunMethods[K] = family("work.RunMethods")
    session: SessionMethods[K] = family("sessions.SessionMethods")
    skill: SkillMethods[K] = family("work.SkillMethods")
    snapshot: SnapshotMethods[K] = family("sessions.SnapshotMethods")
    task: TaskMethods[K] = family("work.TaskMethods")
    traits: TraitsMethods[K] = family("memories.TraitsMethods")
    upkeep: UpkeepMethods[K] = family("memories.UpkeepMethods")
