"""The types of parameters and replies. Made from the declarations by `make docs`: change those, not this.

A name that two modules have is imported from one of them.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from memd.client.types.capture import CaptureLevel as CaptureLevel
    from memd.client.types.capture import CapturePaused as CapturePaused
    from memd.client.types.collections import Goal as Goal
    from memd.client.types.collections import RefusedPut as RefusedPut
    from memd.client.types.collections import Trait as Trait
    from memd.client.types.collections import UpdatedCollection as UpdatedCollection
    from memd.client.types.conflicts import ConflictSide as ConflictSide
    from memd.client.types.conflicts import ConflictView as ConflictView
    from memd.client.types.conflicts import SettledConflict as SettledConflict
    from memd.client.types.corrections import Declared as Declared
    from memd.client.types.corrections import ForgottenMemory as ForgottenMemory
    from memd.client.types.corrections import Proof as Proof
    from memd.client.types.corrections import RestoredMemory as RestoredMemory
    from memd.client.types.corrections import UpdatedMemory as UpdatedMemory
    from memd.client.types.guard import GuardRuling as GuardRuling
    from memd.client.types.guard import MeantRemember as MeantRemember
    from memd.client.types.history import Past as Past
    from memd.client.types.hooks import AttendedEvent as AttendedEvent
    from memd.client.types.links import Commits as Commits
    from memd.client.types.links import CommittedChange as CommittedChange
    from memd.client.types.links import LinkedMemory as LinkedMemory
    from memd.client.types.links import PlaceTaken as PlaceTaken
    from memd.client.types.links import UndoneDecision as UndoneDecision
    from memd.client.types.memories import FoundMemory as FoundMemory
    from memd.client.types.memories import JudgedAgain as JudgedAgain
    from memd.client.types.memories import Memories as Memories
    from memd.client.types.memory_views import Aging as Aging
    from memd.client.types.memory_views import ListedMemory as ListedMemory
    from memd.client.types.memory_views import MemoryView as MemoryView
    from memd.client.types.plain.declared import Reply as Reply
    from memd.client.types.plain.exchange import BookFile as BookFile
    from memd.client.types.plain.exchange import Exported as Exported
    from memd.client.types.plain.exchange import Imported as Imported
    from memd.client.types.plain.exchange import ImportedMemory as ImportedMemory
    from memd.client.types.plain.exchange import RefusedRecord as RefusedRecord
    from memd.client.types.plain.exchange import TakenRecord as TakenRecord
    from memd.client.types.plain.happenings import HappenedView as HappenedView
    from memd.client.types.plain.happenings import Log as Log
    from memd.client.types.plain.happenings import RecentOutcome as RecentOutcome
    from memd.client.types.plain.happenings import RecentRecall as RecentRecall
    from memd.client.types.plain.happenings import RecentRecalled as RecentRecalled
    from memd.client.types.plain.happenings import RecentVerdicts as RecentVerdicts
    from memd.client.types.plain.happenings import Subscribed as Subscribed
    from memd.client.types.plain.judged import JudgedDimension as JudgedDimension
    from memd.client.types.plain.judged import JudgedTotal as JudgedTotal
    from memd.client.types.plain.judged import NearText as NearText
    from memd.client.types.plain.profiles import ProfileLine as ProfileLine
    from memd.client.types.plain.profiles import ProfilePart as ProfilePart
    from memd.client.types.plain.profiles import ProfileView as ProfileView
    from memd.client.types.plain.profiles import ProposedLine as ProposedLine
    from memd.client.types.plain.proposals import Proposal as Proposal
    from memd.client.types.plain.proposals import Proposals as Proposals
    from memd.client.types.plain.proposals import ProposedRelation as ProposedRelation
    from memd.client.types.plain.proposals import ProposedRemember as ProposedRemember
    from memd.client.types.plain.proposals import SaidMessage as SaidMessage
    from memd.client.types.plain.recall_views import Activated as Activated
    from memd.client.types.plain.recall_views import AtDepth as AtDepth
    from memd.client.types.plain.recall_views import Counts as Counts
    from memd.client.types.plain.recall_views import EmotionRead as EmotionRead
    from memd.client.types.plain.recall_views import MeasuredBound as MeasuredBound
    from memd.client.types.plain.recall_views import Places as Places
    from memd.client.types.plain.recall_views import Recalled as Recalled
    from memd.client.types.plain.recall_views import Refused as Refused
    from memd.client.types.plain.recall_views import ScoreParts as ScoreParts
    from memd.client.types.plain.recall_views import TimeRead as TimeRead
    from memd.client.types.plain.remembering import Conflicting as Conflicting
    from memd.client.types.plain.remembering import DangerFound as DangerFound
    from memd.client.types.plain.remembering import GivenScore as GivenScore
    from memd.client.types.plain.remembering import Inferred as Inferred
    from memd.client.types.plain.remembering import Receipt as Receipt
    from memd.client.types.plain.remembering import RelationTold as RelationTold
    from memd.client.types.plain.remembering import Remembered as Remembered
    from memd.client.types.plain.remembering import Scored as Scored
    from memd.client.types.plain.remembering import StatementTold as StatementTold
    from memd.client.types.plain.remembering import ToldAgain as ToldAgain
    from memd.client.types.plain.searches import Found as Found
    from memd.client.types.plain.searches import Hit as Hit
    from memd.client.types.plain.searches import Searched as Searched
    from memd.client.types.plain.settings import AgentHooks as AgentHooks
    from memd.client.types.plain.settings import AskView as AskView
    from memd.client.types.plain.settings import SettingChanged as SettingChanged
    from memd.client.types.plain.settings import SettingsInForce as SettingsInForce
    from memd.client.types.plain.settings import SettingView as SettingView
    from memd.client.types.plain.settings import SyncState as SyncState
    from memd.client.types.plain.statistics import Ahead as Ahead
    from memd.client.types.plain.statistics import Cluster as Cluster
    from memd.client.types.plain.statistics import Contradiction as Contradiction
    from memd.client.types.plain.statistics import Excerpt as Excerpt
    from memd.client.types.plain.statistics import Forecast as Forecast
    from memd.client.types.plain.statistics import NearEdge as NearEdge
    from memd.client.types.plain.statistics import RoleStatistics as RoleStatistics
    from memd.client.types.plain.statistics import Statistics as Statistics
    from memd.client.types.plain.statistics import ToReview as ToReview
    from memd.client.types.plain.statistics import UsedMemory as UsedMemory
    from memd.client.types.plain.status import EmbedderState as EmbedderState
    from memd.client.types.plain.status import Flushed as Flushed
    from memd.client.types.plain.status import IndexState as IndexState
    from memd.client.types.plain.status import LimitState as LimitState
    from memd.client.types.plain.status import LogState as LogState
    from memd.client.types.plain.status import PastState as PastState
    from memd.client.types.plain.status import Pong as Pong
    from memd.client.types.plain.status import Progress as Progress
    from memd.client.types.plain.status import Rebuilt as Rebuilt
    from memd.client.types.plain.status import Regression as Regression
    from memd.client.types.plain.status import RoleState as RoleState
    from memd.client.types.plain.status import Scanned as Scanned
    from memd.client.types.plain.status import Status as Status
    from memd.client.types.plain.status import TrustState as TrustState
    from memd.client.types.plain.status import UnheardState as UnheardState
    from memd.client.types.plain.status import Watching as Watching
    from memd.client.types.plain.status import WorkState as WorkState
    from memd.client.types.plain.status import WorseBefore as WorseBefore
    from memd.client.types.plain.tuning import Tried as Tried
    from memd.client.types.plain.tuning import Tuned as Tuned
    from memd.client.types.plain.walks import TriedSettings as TriedSettings
    from memd.client.types.reviews import HeldText as HeldText
    from memd.client.types.reviews import Reviews as Reviews
    from memd.client.types.reviews import WaitingText as WaitingText
    from memd.client.types.reviews import WithheldMemory as WithheldMemory
    from memd.client.types.roles import CreatedRole as CreatedRole
    from memd.client.types.roles import FoundRole as FoundRole
    from memd.client.types.roles import LinkView as LinkView
    from memd.client.types.roles import Roles as Roles
    from memd.client.types.roles import RoleView as RoleView
    from memd.client.types.roles import ScopeView as ScopeView
    from memd.client.types.upkeep import ArchivedMemory as ArchivedMemory
    from memd.client.types.upkeep import FadedMemory as FadedMemory
    from memd.client.types.upkeep import RoleUpkeep as RoleUpkeep
    from memd.client.types.upkeep import ShortMemory as ShortMemory
    from memd.client.types.upkeep import Upkeep as Upkeep
    from memd.client.types.verdicts import DecidedReview as DecidedReview
    from memd.client.types.work.consolidation import BecameView as BecameView
    from memd.client.types.work.consolidation import ConsolidatedSessions as ConsolidatedSessions
    from memd.client.types.work.consolidation import PassesView as PassesView
    from memd.client.types.work.consolidation import PassTakenBack as PassTakenBack
    from memd.client.types.work.consolidation import PassView as PassView
    from memd.client.types.work.context import Context as Context
    from memd.client.types.work.curated import CuratedOperation as CuratedOperation
    from memd.client.types.work.curated import CuratedView as CuratedView
    from memd.client.types.work.curated import EditedCurated as EditedCurated
    from memd.client.types.work.curated import EntryText as EntryText
    from memd.client.types.work.curated import FrozenFile as FrozenFile
    from memd.client.types.work.curated import ReadCurated as ReadCurated
    from memd.client.types.work.curated import SnapshotSections as SnapshotSections
    from memd.client.types.work.curated import TakenSnapshot as TakenSnapshot
    from memd.client.types.work.fields import SectionView as SectionView
    from memd.client.types.work.learning import Candidates as Candidates
    from memd.client.types.work.learning import CandidateView as CandidateView
    from memd.client.types.work.learning import DraftLine as DraftLine
    from memd.client.types.work.learning import DraftView as DraftView
    from memd.client.types.work.learning import Reviewed as Reviewed
    from memd.client.types.work.learning import Synthesized as Synthesized
    from memd.client.types.work.packs import AppliedPack as AppliedPack
    from memd.client.types.work.packs import KnownMemory as KnownMemory
    from memd.client.types.work.packs import PacksView as PacksView
    from memd.client.types.work.packs import PackTurn as PackTurn
    from memd.client.types.work.packs import PackView as PackView
    from memd.client.types.work.packs import StatedFact as StatedFact
    from memd.client.types.work.packs import UnprovedFact as UnprovedFact
    from memd.client.types.work.run_events import RunEvents as RunEvents
    from memd.client.types.work.runs import CompletedRun as CompletedRun
    from memd.client.types.work.runs import FoundRun as FoundRun
    from memd.client.types.work.runs import ReceiptView as ReceiptView
    from memd.client.types.work.runs import Runs as Runs
    from memd.client.types.work.runs import RunUnderWay as RunUnderWay
    from memd.client.types.work.runs import StartedRun as StartedRun
    from memd.client.types.work.session_search import FoundInSessions as FoundInSessions
    from memd.client.types.work.session_search import ListedSession as ListedSession
    from memd.client.types.work.session_search import SessionHit as SessionHit
    from memd.client.types.work.session_views import AppendedEvent as AppendedEvent
    from memd.client.types.work.session_views import Origin as Origin
    from memd.client.types.work.session_views import SessionView as SessionView
    from memd.client.types.work.sessions import AppendedEvents as AppendedEvents
    from memd.client.types.work.sessions import ClosedSession as ClosedSession
    from memd.client.types.work.sessions import History as History
    from memd.client.types.work.sessions import OpenedSession as OpenedSession
    from memd.client.types.work.skills import CountsView as CountsView
    from memd.client.types.work.skills import DifferingCount as DifferingCount
    from memd.client.types.work.skills import Effects as Effects
    from memd.client.types.work.skills import EffectView as EffectView
    from memd.client.types.work.skills import FoundSkill as FoundSkill
    from memd.client.types.work.skills import Published as Published
    from memd.client.types.work.skills import RegressionView as RegressionView
    from memd.client.types.work.skills import Retired as Retired
    from memd.client.types.work.skills import SkillLine as SkillLine
    from memd.client.types.work.skills import Skills as Skills
    from memd.client.types.work.skills import VersionBefore as VersionBefore
    from memd.client.types.work.skills import VersionView as VersionView
    from memd.client.types.work.tasks import EvidenceView as EvidenceView
    from memd.client.types.work.tasks import JudgedTask as JudgedTask
    from memd.client.types.work.tasks import RunOfTask as RunOfTask
    from memd.client.types.work.tasks import Tasks as Tasks
    from memd.client.types.work.tasks import TaskView as TaskView
    from memd.client.types.work.tasks import VerdictView as VerdictView

_NAMES = {
    "capture": ("CaptureLevel", "CapturePaused"),
    "collections": ("Goal", "RefusedPut", "Trait", "UpdatedCollection"),
    "conflicts": ("ConflictSide", "ConflictView", "SettledConflict"),
    "corrections": ("Declared", "ForgottenMemory", "Proof", "RestoredMemory", "UpdatedMemory"),
    "guard": ("GuardRuling", "MeantRemember"),
    "history": ("Past",),
    "hooks": ("AttendedEvent",),
    "links": ("Commits", "CommittedChange", "LinkedMemory", "PlaceTaken", "UndoneDecision"),
    "memories": ("FoundMemory", "JudgedAgain", "Memories"),
    "memory_views": ("Aging", "ListedMemory", "MemoryView"),
    "plain.declared": ("Reply",),
    "plain.exchange": ("BookFile", "Exported", "Imported", "ImportedMemory", "RefusedRecord", "TakenRecord"),
    "plain.happenings": (
        "HappenedView",
        "Log",
        "RecentOutcome",
        "RecentRecall",
        "RecentRecalled",
        "RecentVerdicts",
        "Subscribed",
    ),
    "plain.judged": ("JudgedDimension", "JudgedTotal", "NearText"),
    "plain.profiles": ("ProfileLine", "ProfilePart", "ProfileView", "ProposedLine"),
    "plain.proposals": ("Proposal", "Proposals", "ProposedRelation", "ProposedRemember", "SaidMessage"),
    "plain.recall_views": (
        "Activated",
        "AtDepth",
        "Counts",
        "EmotionRead",
        "MeasuredBound",
        "Places",
        "Recalled",
        "Refused",
        "ScoreParts",
        "TimeRead",
    ),
    "plain.remembering": (
        "Conflicting",
        "DangerFound",
        "GivenScore",
        "Inferred",
        "Receipt",
        "RelationTold",
        "Remembered",
        "Scored",
        "StatementTold",
        "ToldAgain",
    ),
    "plain.searches": ("Found", "Hit", "Searched"),
    "plain.settings": ("AgentHooks", "AskView", "SettingChanged", "SettingView", "SettingsInForce", "SyncState"),
    "plain.statistics": (
        "Ahead",
        "Cluster",
        "Contradiction",
        "Excerpt",
        "Forecast",
        "NearEdge",
        "RoleStatistics",
        "Statistics",
        "ToReview",
        "UsedMemory",
    ),
    "plain.status": (
        "EmbedderState",
        "Flushed",
        "IndexState",
        "LimitState",
        "LogState",
        "PastState",
        "Pong",
        "Progress",
        "Rebuilt",
        "Regression",
        "RoleState",
        "Scanned",
        "Status",
        "TrustState",
        "UnheardState",
        "Watching",
        "WorkState",
        "WorseBefore",
    ),
    "plain.tuning": ("Tried", "Tuned"),
    "plain.walks": ("TriedSettings",),
    "reviews": ("HeldText", "Reviews", "WaitingText", "WithheldMemory"),
    "roles": ("CreatedRole", "FoundRole", "LinkView", "RoleView", "Roles", "ScopeView"),
    "upkeep": ("ArchivedMemory", "FadedMemory", "RoleUpkeep", "ShortMemory", "Upkeep"),
    "verdicts": ("DecidedReview",),
    "work.consolidation": ("BecameView", "ConsolidatedSessions", "PassTakenBack", "PassView", "PassesView"),
    "work.context": ("Context",),
    "work.curated": (
        "CuratedOperation",
        "CuratedView",
        "EditedCurated",
        "EntryText",
        "FrozenFile",
        "ReadCurated",
        "SnapshotSections",
        "TakenSnapshot",
    ),
    "work.fields": ("SectionView",),
    "work.learning": ("CandidateView", "Candidates", "DraftLine", "DraftView", "Reviewed", "Synthesized"),
    "work.packs": ("AppliedPack", "KnownMemory", "PackTurn", "PackView", "PacksView", "StatedFact", "UnprovedFact"),
    "work.run_events": ("RunEvents",),
    "work.runs": ("CompletedRun", "FoundRun", "ReceiptView", "RunUnderWay", "Runs", "StartedRun"),
    "work.session_search": ("FoundInSessions", "ListedSession", "SessionHit"),
    "work.session_views": ("AppendedEvent", "Origin", "SessionView"),
    "work.sessions": ("AppendedEvents", "ClosedSession", "History", "OpenedSession"),
    "work.skills": (
        "CountsView",
        "DifferingCount",
        "EffectView",
        "Effects",
        "FoundSkill",
        "Published",
        "RegressionView",
        "Retired",
        "SkillLine",
        "Skills",
        "VersionBefore",
        "VersionView",
    ),
    "work.tasks": ("EvidenceView", "JudgedTask", "RunOfTask", "TaskView", "Tasks", "VerdictView"),
}
_WHERE = {name: module for module, names in _NAMES.items() for name in names}


def __getattr__(name: str) -> Any:
    """Import a type where it is asked for."""
    if name not in _WHERE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_WHERE[name]}"), name)


def __dir__() -> list[str]:
    """Return the names of all types."""
    return sorted(_WHERE)
