"""Every setting with its default, on one screen. Read from memd.toml by formats/settings.py.

Units stand in the names. Sources of the numbers: docs/design/origins.md, and the pages of docs/ on each.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

DEFAULT_TEMPLATE = (
    "{{#if constantContent}}## Always\n{{constantContent}}\n{{/if}}"
    "{{#if loreContent}}## World\n{{loreContent}}\n{{/if}}"
    "{{#if triggeredContent}}## Relevant now\n{{triggeredContent}}\n{{/if}}"
)


@dataclass(frozen=True, slots=True)
class TriggerSettings:
    """What brings a memory to mind."""

    keyword: bool = True
    semantic: bool = True
    embeddings: bool = True
    temporal: bool = True
    emotional: bool = True
    decay: bool = True
    scan_messages: int = 4
    recursion_depth: int = 1
    relevance_threshold: float = 0.3
    max_episodic: int = 3
    max_semantic: int = 2
    max_trait: int = 5
    max_goal: int = 3
    whole_words: bool = True
    zone: str = ""


@dataclass(frozen=True, slots=True)
class BookSettings:
    """How lorebooks are evaluated; the scan depth and whole words are the trigger's."""

    compat: str = "memd"
    recursive: bool = True
    max_steps: int = 0
    min_activations: int = 0
    min_activations_depth: int = 0
    case_sensitive: bool = False
    group_scoring: bool = False
    budget_chars: int = 1000
    apart: bool = False
    scan: bool = True


@dataclass(frozen=True, slots=True)
class InjectionSettings:
    """How it reads, and how much of it fits."""

    budget_chars: int = 2000
    budget_tokens: int = 0
    repeat_after: int = 10
    position: str = "system"
    by_kind: bool = True
    show_times: bool = False
    show_sources: bool = False
    template: str = DEFAULT_TEMPLATE


@dataclass(frozen=True, slots=True)
class GateSettings:
    """What is worth keeping, on 0 to 10."""

    keep_from: float = 7.0
    warn_from: float = 5.0
    explicit_floor: float = 8.0
    relations: bool = True
    scan: bool = True
    secrets: str = "redact"
    short_days: int = 7
    medium_days: int = 90


@dataclass(frozen=True, slots=True)
class LimitSettings:
    """What stops growth."""

    memory_chars: int = 4000
    long_memory: str = "refuse"
    role_memories: int = 10_000
    role_bytes: int = 10_000_000
    memory_dir_bytes: int = 10_000_000
    audit_bytes: int = 1_000_000
    score_days: int = 30
    score_bytes: int = 2_000_000
    scorings_per_day: int = 1000
    violations: int = 3
    memory_md_chars: int = 2200
    user_md_chars: int = 1375
    session_bytes: int = 50_000_000
    sessions_bytes: int = 1_000_000_000


@dataclass(frozen=True, slots=True)
class SessionSettings:
    """What a history shows, and what becomes of what leaked into it."""

    max_context_messages: int = 100
    history_chars: int = 0
    raw_tool_calls: str = "mark"
    secrets: str = "redact"
    max_tool_iterations: int = 50


@dataclass(frozen=True, slots=True)
class HookSettings:
    """What agents' hooks do (`memd hook`)."""

    role: str = ""
    log: bool = True
    propose: bool = True
    guard: bool = True


@dataclass(frozen=True, slots=True)
class UpkeepSettings:
    """What keeps a memory in shape."""

    every_minutes: int = 60
    archive_expired: bool = True
    floor: float = 1.5
    fold: bool = False
    fold_days: int = 7


@dataclass(frozen=True, slots=True)
class DaemonSettings:
    """The socket, and the process behind it."""

    max_clients: int = 128
    frame_bytes: int = 1_048_576
    index: bool = True
    watcher: str = "auto"
    gone_exit_s: float = 60.0


@dataclass(frozen=True, slots=True)
class Settings:
    """All of memd.toml."""

    trigger: TriggerSettings = field(default_factory=TriggerSettings)
    books: BookSettings = field(default_factory=BookSettings)
    injection: InjectionSettings = field(default_factory=InjectionSettings)
    gate: GateSettings = field(default_factory=GateSettings)
    limits: LimitSettings = field(default_factory=LimitSettings)
    sessions: SessionSettings = field(default_factory=SessionSettings)
    hooks: HookSettings = field(default_factory=HookSettings)
    upkeep: UpkeepSettings = field(default_factory=UpkeepSettings)
    daemon: DaemonSettings = field(default_factory=DaemonSettings)


# What a role may set for itself in role.toml, in tables of these names.
OF_A_ROLE: dict[str, tuple[str, ...]] = {
    "trigger": tuple(TriggerSettings.__slots__),
    "books": tuple(BookSettings.__slots__),
    "injection": tuple(InjectionSettings.__slots__),
    "gate": tuple(GateSettings.__slots__),
    "upkeep": ("archive_expired", "floor", "fold", "fold_days"),
    "sessions": tuple(SessionSettings.__slots__),
    "limits": ("memory_chars", "long_memory", "role_memories", "role_bytes"),
}


def settings_for(settings: Settings, own: Mapping[str, Mapping[str, Any]]) -> Settings:
    """Return the settings with a role's own on top."""
    changed: dict[str, Any] = {table: replace(getattr(settings, table), **values) for table, values in own.items()}
    return replace(settings, **changed) if changed else settings
