"""Every method of the protocol, by its name. Made from the declarations by `make docs`: change those, not this."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from memd.client.methods.plain import PlainMethods
from memd.client.methods.plain_awaited import AsyncPlainMethods

if TYPE_CHECKING:
    from memd.client.methods.capture import AsyncCaptureMethods, CaptureMethods
    from memd.client.methods.config import AsyncConfigMethods, ConfigMethods
    from memd.client.methods.git import AsyncGitMethods, GitMethods
    from memd.client.methods.goals import AsyncGoalsMethods, GoalsMethods
    from memd.client.methods.guard import AsyncGuardMethods, GuardMethods
    from memd.client.methods.hook import AsyncHookMethods, HookMethods
    from memd.client.methods.memory import AsyncMemoryMethods, MemoryMethods
    from memd.client.methods.review import AsyncReviewMethods, ReviewMethods
    from memd.client.methods.role import AsyncRoleMethods, RoleMethods
    from memd.client.methods.traits import AsyncTraitsMethods, TraitsMethods
    from memd.client.methods.upkeep import AsyncUpkeepMethods, UpkeepMethods
    from memd.client.methods.work.consolidate import AsyncConsolidateMethods, ConsolidateMethods
    from memd.client.methods.work.context import AsyncContextMethods, ContextMethods
    from memd.client.methods.work.curated import AsyncCuratedMethods, CuratedMethods
    from memd.client.methods.work.learning import AsyncLearningMethods, LearningMethods
    from memd.client.methods.work.run import AsyncRunMethods, RunMethods
    from memd.client.methods.work.session import AsyncSessionMethods, SessionMethods
    from memd.client.methods.work.skill import AsyncSkillMethods, SkillMethods
    from memd.client.methods.work.snapshot import AsyncSnapshotMethods, SnapshotMethods
    from memd.client.methods.work.task import AsyncTaskMethods, TaskMethods


class Methods(PlainMethods):
    """The methods of a client that blocks."""

    @cached_property
    def capture(self) -> CaptureMethods:
        """The methods `capture.*`."""
        from memd.client.methods.capture import CaptureMethods

        return CaptureMethods(self)

    @cached_property
    def config(self) -> ConfigMethods:
        """The methods `config.*`."""
        from memd.client.methods.config import ConfigMethods

        return ConfigMethods(self)

    @cached_property
    def consolidate(self) -> ConsolidateMethods:
        """The methods `consolidate.*`."""
        from memd.client.methods.work.consolidate import ConsolidateMethods

        return ConsolidateMethods(self)

    @cached_property
    def context(self) -> ContextMethods:
        """The methods `context.*`."""
        from memd.client.methods.work.context import ContextMethods

        return ContextMethods(self)

    @cached_property
    def curated(self) -> CuratedMethods:
        """The methods `curated.*`."""
        from memd.client.methods.work.curated import CuratedMethods

        return CuratedMethods(self)

    @cached_property
    def git(self) -> GitMethods:
        """The methods `git.*`."""
        from memd.client.methods.git import GitMethods

        return GitMethods(self)

    @cached_property
    def goals(self) -> GoalsMethods:
        """The methods `goals.*`."""
        from memd.client.methods.goals import GoalsMethods

        return GoalsMethods(self)

    @cached_property
    def guard(self) -> GuardMethods:
        """The methods `guard.*`."""
        from memd.client.methods.guard import GuardMethods

        return GuardMethods(self)

    @cached_property
    def hook(self) -> HookMethods:
        """The methods `hook.*`."""
        from memd.client.methods.hook import HookMethods

        return HookMethods(self)

    @cached_property
    def learning(self) -> LearningMethods:
        """The methods `learning.*`."""
        from memd.client.methods.work.learning import LearningMethods

        return LearningMethods(self)

    @cached_property
    def memory(self) -> MemoryMethods:
        """The methods `memory.*`."""
        from memd.client.methods.memory import MemoryMethods

        return MemoryMethods(self)

    @cached_property
    def review(self) -> ReviewMethods:
        """The methods `review.*`."""
        from memd.client.methods.review import ReviewMethods

        return ReviewMethods(self)

    @cached_property
    def role(self) -> RoleMethods:
        """The methods `role.*`."""
        from memd.client.methods.role import RoleMethods

        return RoleMethods(self)

    @cached_property
    def run(self) -> RunMethods:
        """The methods `run.*`."""
        from memd.client.methods.work.run import RunMethods

        return RunMethods(self)

    @cached_property
    def session(self) -> SessionMethods:
        """The methods `session.*`."""
        from memd.client.methods.work.session import SessionMethods

        return SessionMethods(self)

    @cached_property
    def skill(self) -> SkillMethods:
        """The methods `skill.*`."""
        from memd.client.methods.work.skill import SkillMethods

        return SkillMethods(self)

    @cached_property
    def snapshot(self) -> SnapshotMethods:
        """The methods `snapshot.*`."""
        from memd.client.methods.work.snapshot import SnapshotMethods

        return SnapshotMethods(self)

    @cached_property
    def task(self) -> TaskMethods:
        """The methods `task.*`."""
        from memd.client.methods.work.task import TaskMethods

        return TaskMethods(self)

    @cached_property
    def traits(self) -> TraitsMethods:
        """The methods `traits.*`."""
        from memd.client.methods.traits import TraitsMethods

        return TraitsMethods(self)

    @cached_property
    def upkeep(self) -> UpkeepMethods:
        """The methods `upkeep.*`."""
        from memd.client.methods.upkeep import UpkeepMethods

        return UpkeepMethods(self)


class AsyncMethods(AsyncPlainMethods):
    """The methods of a client that awaits."""

    @cached_property
    def capture(self) -> AsyncCaptureMethods:
        """The methods `capture.*`."""
        from memd.client.methods.capture import AsyncCaptureMethods

        return AsyncCaptureMethods(self)

    @cached_property
    def config(self) -> AsyncConfigMethods:
        """The methods `config.*`."""
        from memd.client.methods.config import AsyncConfigMethods

        return AsyncConfigMethods(self)

    @cached_property
    def consolidate(self) -> AsyncConsolidateMethods:
        """The methods `consolidate.*`."""
        from memd.client.methods.work.consolidate import AsyncConsolidateMethods

        return AsyncConsolidateMethods(self)

    @cached_property
    def context(self) -> AsyncContextMethods:
        """The methods `context.*`."""
        from memd.client.methods.work.context import AsyncContextMethods

        return AsyncContextMethods(self)

    @cached_property
    def curated(self) -> AsyncCuratedMethods:
        """The methods `curated.*`."""
        from memd.client.methods.work.curated import AsyncCuratedMethods

        return AsyncCuratedMethods(self)

    @cached_property
    def git(self) -> AsyncGitMethods:
        """The methods `git.*`."""
        from memd.client.methods.git import AsyncGitMethods

        return AsyncGitMethods(self)

    @cached_property
    def goals(self) -> AsyncGoalsMethods:
        """The methods `goals.*`."""
        from memd.client.methods.goals import AsyncGoalsMethods

        return AsyncGoalsMethods(self)

    @cached_property
    def guard(self) -> AsyncGuardMethods:
        """The methods `guard.*`."""
        from memd.client.methods.guard import AsyncGuardMethods

        return AsyncGuardMethods(self)

    @cached_property
    def hook(self) -> AsyncHookMethods:
        """The methods `hook.*`."""
        from memd.client.methods.hook import AsyncHookMethods

        return AsyncHookMethods(self)

    @cached_property
    def learning(self) -> AsyncLearningMethods:
        """The methods `learning.*`."""
        from memd.client.methods.work.learning import AsyncLearningMethods

        return AsyncLearningMethods(self)

    @cached_property
    def memory(self) -> AsyncMemoryMethods:
        """The methods `memory.*`."""
        from memd.client.methods.memory import AsyncMemoryMethods

        return AsyncMemoryMethods(self)

    @cached_property
    def review(self) -> AsyncReviewMethods:
        """The methods `review.*`."""
        from memd.client.methods.review import AsyncReviewMethods

        return AsyncReviewMethods(self)

    @cached_property
    def role(self) -> AsyncRoleMethods:
        """The methods `role.*`."""
        from memd.client.methods.role import AsyncRoleMethods

        return AsyncRoleMethods(self)

    @cached_property
    def run(self) -> AsyncRunMethods:
        """The methods `run.*`."""
        from memd.client.methods.work.run import AsyncRunMethods

        return AsyncRunMethods(self)

    @cached_property
    def session(self) -> AsyncSessionMethods:
        """The methods `session.*`."""
        from memd.client.methods.work.session import AsyncSessionMethods

        return AsyncSessionMethods(self)

    @cached_property
    def skill(self) -> AsyncSkillMethods:
        """The methods `skill.*`."""
        from memd.client.methods.work.skill import AsyncSkillMethods

        return AsyncSkillMethods(self)

    @cached_property
    def snapshot(self) -> AsyncSnapshotMethods:
        """The methods `snapshot.*`."""
        from memd.client.methods.work.snapshot import AsyncSnapshotMethods

        return AsyncSnapshotMethods(self)

    @cached_property
    def task(self) -> AsyncTaskMethods:
        """The methods `task.*`."""
        from memd.client.methods.work.task import AsyncTaskMethods

        return AsyncTaskMethods(self)

    @cached_property
    def traits(self) -> AsyncTraitsMethods:
        """The methods `traits.*`."""
        from memd.client.methods.traits import AsyncTraitsMethods

        return AsyncTraitsMethods(self)

    @cached_property
    def upkeep(self) -> AsyncUpkeepMethods:
        """The methods `upkeep.*`."""
        from memd.client.methods.upkeep import AsyncUpkeepMethods

        return AsyncUpkeepMethods(self)
