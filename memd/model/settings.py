"""Every setting, declared once: its type, bounds, default and meaning. Read from memd.toml by formats/settings.py.

What may stand in memd.toml and role.toml, JSON Schemas for editors, the commented template and the docs' tables follow from
here (`make docs` writes the last two). Units stand in the names. A setting without words of its own is told by the one
above it. Sources of the numbers: docs/design/origins.md, and the pages of docs/ on each.
"""

# Annotations are values here, so nothing is imported from __future__.

from collections.abc import Iterator, Mapping
from dataclasses import MISSING, dataclass, field, fields, replace
from enum import Enum, auto
from typing import Annotated, Any, Literal, NamedTuple, get_args, get_origin

DEFAULT_TEMPLATE = (
    "{{#if constantContent}}## Always\n{{constantContent}}\n{{/if}}"
    "{{#if loreContent}}## World\n{{loreContent}}\n{{/if}}"
    "{{#if triggeredContent}}## Relevant now\n{{triggeredContent}}\n{{/if}}"
)


class Within(NamedTuple):
    """The bounds of a number; both may be."""

    low: float
    high: float


class Form(Enum):
    """What a text must be, where not every text will do."""

    TIME_ZONE = auto()


Compat = Literal["memd", "sillytavern"]
Level = Literal["off", "explicit", "inbox", "auto"]
Count = Annotated[int, Within(0, 1000)]
Ten = Annotated[float, Within(0, 10)]
Bytes = Annotated[int, Within(1000, 10**12)]
Chars = Annotated[int, Within(100, 1_000_000)]
Most = Annotated[int, Within(0, 1_000_000)]
Days = Annotated[int, Within(1, 3650)]
ManyDays = Annotated[int, Within(1, 36_500)]


# fmt: off
@dataclass(frozen=True, slots=True)
class TriggerSettings:
    """What brings a memory to mind."""

    keyword: Annotated[bool, "the memory's own keys in the last messages"] = True
    semantic: Annotated[bool, "telling words in common, and meaning where there is a model"] = True
    embeddings: Annotated[bool, "a model's likeness as well: the one that comes with memd, or what MEMD_EMBEDDINGS in your environment names"] = True
    temporal: Annotated[bool, "times that the message names: 昨天, last Tuesday, in May 2023"] = True
    emotional: Annotated[bool, "the speaker's feeling, by the words of a lexicon (emotions.toml adds to it)"] = True
    sessions: Annotated[Literal["auto", "on", "off"], "quotes of what was said in earlier sessions, where a message asks and no memory answers; auto: where capture is inbox or auto"] = "auto"
    decay: Annotated[bool, "older memories rank lower; they still come when called by name"] = True
    zone: Annotated[str, Form.TIME_ZONE, 'the scene\'s time zone, a name or an offset such as "+08:00"; "" is the system\'s own'] = ""
    scan_messages: Annotated[int, Within(1, 1000), "how many of the newest messages are looked at"] = 4
    recursion_depth: Annotated[int, Within(0, 5), "how far a memory that clearly comes may bring others that its text names by a key"] = 1
    relevance_threshold: Annotated[float, Within(0, 1), "0 to 1; below it a memory does not come"] = 0.3
    max_episodic: Annotated[Count, "how many of each kind may come beside the constant ones"] = 3
    max_semantic: Count = 2
    max_trait: Count = 5
    max_goal: Count = 3
    whole_words: Annotated[bool, "a key of Latin letters must stand as a word; Chinese keys match anywhere in a run"] = True

    def most_of(self, kind: str) -> int:
        """Return how many of a kind of memory may come beside the constant ones."""
        return {"episodic": self.max_episodic, "semantic": self.max_semantic, "trait": self.max_trait, "goal": self.max_goal}[kind]


@dataclass(frozen=True, slots=True)
class BookSettings:
    """Lorebooks in roles/<role>/books/; scan_messages and whole_words above hold for them too."""

    compat: Annotated[Compat, 'memd\'s own rules, or "sillytavern": World Info to the letter'] = "memd"
    recursive: Annotated[bool, "what an entry says may call others"] = True
    max_steps: Annotated[Count, "passes at most; 0 is no limit"] = 0
    min_activations: Annotated[Count, "look further back until so many entries came"] = 0
    min_activations_depth: Annotated[Count, "but no further once it is more than so many messages back; 0 is no limit"] = 0
    case_sensitive: Annotated[bool, "keys as they are written, where an entry does not say"] = False
    group_scoring: Annotated[bool, "of a group, the entry with the most keys found comes"] = False
    budget_chars: Annotated[Most, "characters of all entries together; 0 is no limit"] = 1000
    apart: Annotated[bool, "true: entries are not in the block, and the reply has them by their places"] = False
    scan: Annotated[bool, "entries that would send data away, or hide characters, are withheld until you approve them"] = True


@dataclass(frozen=True, slots=True)
class PageSettings:
    """Pages: Markdown files of yours that are no memories."""

    recall: Annotated[str, 'which come by what they say: "keys", none but those that name a role and keys; "all"; or those of a folder, such as "notes"'] = "keys"
    passage_chars: Annotated[int, Within(100, 4000), "of such a page comes the passage that fits best, so long at most"] = 600
    most: Annotated[Count, "how many such pages may come, where there is room behind the memories"] = 2


@dataclass(frozen=True, slots=True)
class InjectionSettings:
    """How it reads in the prompt."""

    budget_chars: Annotated[Chars, "characters of the whole block"] = 2000
    budget_tokens: Annotated[Most, "tokens of the whole block, estimated; 0 is no limit"] = 0
    repeat_after: Annotated[Count, "turns of a session after which a memory may be injected again; 0 is at once"] = 10
    position: Annotated[Literal["system", "user", "assistant"], "system, user or assistant: told to the caller, who places the block"] = "system"
    by_kind: Annotated[bool, "grouped under headings by kind"] = True
    show_times: Annotated[bool, "the day behind each memory"] = False
    show_sources: Annotated[bool, "who said it behind each memory"] = False
    template: Annotated[str, "{{content}}, {{constantContent}}, {{loreContent}}, {{triggeredContent}}, {{role}} and {{#if name}}…{{/if}}; nothing else is interpreted"] = DEFAULT_TEMPLATE


@dataclass(frozen=True, slots=True)
class GateSettings:
    """What is worth keeping, 0 to 10."""

    keep_from: Annotated[Ten, "from here on a text is stored"] = 7.0
    warn_from: Annotated[Ten, "from here on what is refused waits in the inbox"] = 5.0
    explicit_floor: Annotated[Ten, "what an explicit instruction raises the total to"] = 8.0
    relations: Annotated[bool, "what says the same, adds to or contradicts a memory is joined with it"] = True
    scan: Annotated[bool, "hidden orders and secrets are looked for, in what is offered and in what is injected"] = True
    secrets: Annotated[Literal["redact", "refuse"], "a text with a secret: redact it and go on, or refuse the text"] = "redact"
    short_days: Annotated[ManyDays, "days after which a memory of short validity expires (短期)"] = 7
    medium_days: Annotated[ManyDays, "and one of medium validity (中期)"] = 90


@dataclass(frozen=True, slots=True)
class LimitSettings:
    """What stops growth."""

    memory_chars: Annotated[int, Within(1, 1_000_000), "one memory"] = 4000
    long_memory: Annotated[Literal["refuse", "warn"], "a longer one: refuse, or warn and store"] = "refuse"
    role_memories: Annotated[int, Within(1, 10**7), "memories of one role"] = 10_000
    role_bytes: Annotated[Bytes, "a role's directory"] = 10_000_000
    memory_dir_bytes: Annotated[Bytes, ".memory/ in all"] = 10_000_000
    audit_bytes: Annotated[Bytes, "the audit log, rotated, oldest dropped"] = 1_000_000
    score_days: Annotated[Days, "days of score records, by the calendar (UTC)"] = 30
    score_bytes: Annotated[Bytes, "and their bytes"] = 2_000_000
    inbox_entries: Annotated[int, Within(0, 100_000), "borderline texts that wait in the inbox; the oldest leave for newer ones, 0 keeps none"] = 500
    inbox_bytes: Annotated[Bytes, "and their bytes"] = 500_000
    inbox_days: Annotated[Days, "days that they wait to be kept or told again; then they go to the audit"] = 30
    scorings_per_day: Annotated[int, Within(0, 10**9), "clients' remember, score and propose calls a day (UTC)"] = 1000
    violations: Annotated[int, Within(1, 1000), "writes around memd that a session may try; the guard refuses the next one"] = 3
    memory_md_chars: Annotated[Chars, "MEMORY.md, for tools' writes; a person's own growth is only reported"] = 2200
    user_md_chars: Annotated[Chars, "and USER.md"] = 1375
    offered_bytes: Annotated[Bytes, "ids of the statements of sessions that were offered to memory; the oldest are forgotten"] = 1_000_000
    consolidation_bytes: Annotated[Bytes, "reports of consolidations; the oldest go"] = 500_000
    session_bytes: Annotated[int, Within(100_000, 60_000_000), "one session's file; when it is full, another goes on"] = 50_000_000
    sessions_bytes: Annotated[Bytes, "sessions in all"] = 1_000_000_000


@dataclass(frozen=True, slots=True)
class SessionSettings:
    """What an agent's history shows, and what becomes of what leaked into it."""

    max_context_messages: Annotated[int, Within(1, 100_000), "messages, tool calls and results that session.history returns"] = 100
    history_chars: Annotated[int, Within(0, 10**9), "and their characters together; 0 is no limit"] = 0
    raw_tool_calls: Annotated[Literal["mark", "replace", "hide"], "a tool call that an assistant wrote as text: mark it, replace it in histories, or hide the message"] = "mark"
    version: Annotated[bool, "git keeps the sessions that hooks write: whoever gets the repository reads what was said"] = False
    secrets: Annotated[Literal["redact", "keep"], "keys, tokens and passwords in sessions, runs and tasks: redact them, or keep them"] = "redact"
    max_tool_iterations: Annotated[int, Within(1, 100_000), "tool calls of one run"] = 50


@dataclass(frozen=True, slots=True)
class HookSettings:
    """What `memd hook` does for agents such as Claude Code, Codex and Gemini CLI."""

    role: Annotated[str, 'whose memory they are given; "" is main, or the only role there is'] = ""
    log: Annotated[bool, "what is said goes into a session of this memory"] = True
    propose: Annotated[bool, "what was worth remembering in a turn is told with the next prompt"] = True
    guard: Annotated[bool, "tool calls that write to memory files are refused, with the remember that was meant"] = True


@dataclass(frozen=True, slots=True)
class CaptureSettings:
    """What is kept of conversations though nobody calls remember; above "explicit" only where this machine raised it (`memd capture`)."""

    level: Annotated[Level, "off: hooks keep nothing; explicit: what a person asks to have remembered; inbox: what a session told waits for a person; auto: what was clearly worth it is kept"] = "explicit"
    idle_minutes: Annotated[int, Within(1, 10_080), "a session that rests for so long is gone through, at inbox and auto"] = 30
    night_hour: Annotated[int, Within(0, 23), "and once a night at this hour, local time"] = 3


@dataclass(frozen=True, slots=True)
class ScopeSettings:
    """Whose memory an agent gets by the directory it works in; `memd role of DIR` says so and why."""

    projects: Annotated[bool, "a git repository with an origin has a memory of its own, linked to the person's"] = True
    send: Annotated[str, 'projects or owners whose memory is in another workspace: "github.com/acme = ~/team/memory", several with commas; only where this machine granted it (`memd trust`)'] = ""


@dataclass(frozen=True, slots=True)
class UpkeepSettings:
    """What keeps a memory in shape; `memd upkeep --dry-run` shows what it would do."""

    every_minutes: Annotated[int, Within(0, 525_600), "how often the daemon sees to it; 0 is never"] = 60
    archive_expired: Annotated[bool, "expired memories go to the archive"] = True
    floor: Annotated[Ten, "0 to 10; a memory whose score has aged below it is proposed for the archive"] = 1.5
    fold: Annotated[bool, "near-identical episodes become one when a role is 90 % full; the originals go to the archive"] = False
    fold_days: Annotated[Days, "how far apart such episodes may be"] = 7


@dataclass(frozen=True, slots=True)
class DaemonSettings:
    """The socket, and the process behind it."""

    max_clients: Annotated[int, Within(1, 4096), "connections at once"] = 128
    frame_bytes: Annotated[int, Within(4096, 64 * 1024 * 1024), "one line over the socket"] = 1_048_576
    index: Annotated[bool, "keep the full-text index on disk up with the files"] = True
    watcher: Annotated[Literal["auto", "inotify", "watchfiles", "none"], "from the next start on: inotify, watchfiles, none (look every few seconds); auto takes the system's own"] = "auto"
    recent: Annotated[int, Within(0, 1000), "what came to mind, and what became of texts: so many of each are kept in memory for who subscribes later"] = 100
    recent_chars: Annotated[int, Within(0, 1000), "characters of each text in them; 0 tells none"] = 200
    gone_exit_s: Annotated[float, Within(0, 86_400), "the daemon ends when its workspace has been gone for this long"] = 60.0
# fmt: on


@dataclass(frozen=True, slots=True)
class Settings:
    """All of memd.toml."""

    trigger: TriggerSettings = field(default_factory=TriggerSettings)
    books: BookSettings = field(default_factory=BookSettings)
    pages: PageSettings = field(default_factory=PageSettings)
    injection: InjectionSettings = field(default_factory=InjectionSettings)
    gate: GateSettings = field(default_factory=GateSettings)
    limits: LimitSettings = field(default_factory=LimitSettings)
    sessions: SessionSettings = field(default_factory=SessionSettings)
    hooks: HookSettings = field(default_factory=HookSettings)
    capture: CaptureSettings = field(default_factory=CaptureSettings)
    scopes: ScopeSettings = field(default_factory=ScopeSettings)
    upkeep: UpkeepSettings = field(default_factory=UpkeepSettings)
    daemon: DaemonSettings = field(default_factory=DaemonSettings)


LEVELS: tuple[str, ...] = get_args(Level)  # of capture, from the least to the most

# What a role may set for itself in role.toml, in tables of these names.
OF_A_ROLE: dict[str, tuple[str, ...]] = {
    "trigger": tuple(TriggerSettings.__slots__),
    "books": tuple(BookSettings.__slots__),
    "pages": ("recall",),  # which can only narrow what the workspace says
    "injection": tuple(InjectionSettings.__slots__),
    "gate": tuple(GateSettings.__slots__),
    "upkeep": ("archive_expired", "floor", "fold", "fold_days"),
    "sessions": tuple(one for one in SessionSettings.__slots__ if one != "version"),  # git asks nobody's role
    "limits": ("memory_chars", "long_memory", "role_memories", "role_bytes"),
}


class Declared(NamedTuple):
    """One setting as it is declared. `kind`: bool, int, float or str; `choices` are all that it may be, () where others may."""

    key: str
    kind: type
    default: Any
    words: str
    bounds: Within | None = None
    choices: tuple[str, ...] = ()
    form: Form | None = None


def declared(table: type) -> Iterator[Declared]:
    """Yield the settings of a table, one of the classes above."""
    for one in fields(table):
        kind, *marks = get_args(one.type) if get_origin(one.type) is Annotated else (one.type,)
        told: dict[type, Any] = {type(mark): mark for mark in marks}
        choices = get_args(kind) if get_origin(kind) is Literal else ()
        default = None if one.default is MISSING else one.default
        yield Declared(
            one.name, str if choices else kind, default, told.get(str, ""), told.get(Within), choices, told.get(Form)
        )


def tables() -> Iterator[tuple[str, type, str]]:
    """Yield each table's name and class, and what it is about."""
    for one in fields(Settings):
        table: Any = one.type
        yield one.name, table, table.__doc__[0].lower() + table.__doc__[1:].removesuffix(".")


def settings_for(settings: Settings, own: Mapping[str, Mapping[str, Any]]) -> Settings:
    """Return the settings with a role's own on top."""
    changed: dict[str, Any] = {table: replace(getattr(settings, table), **values) for table, values in own.items()}
    return replace(settings, **changed) if changed else settings


# What a role says of itself in role.toml.


@dataclass(frozen=True, slots=True)
class Link:
    """Permission to see another role's memories, their scores multiplied by a weight of 0 to 1."""

    role: str
    weight: Annotated[float, Within(0, 1)] = 0.5


@dataclass(frozen=True, slots=True)
class BookUse:
    """How one book of a role is used. `name` is its file's, without the ending; `compat` "" where the settings decide."""

    name: str
    compat: Literal["", Compat] = ""
    enabled: bool = True


@dataclass(frozen=True, slots=True)
class Profile:
    """A role's own file: nothing in it is needed. `fiction`: it is a character or a story, and what is said there is its world's.

    `project`: whose memory it is, as host/owner/name.
    """

    display_name: str = ""
    uuid: str = ""
    aliases: tuple[str, ...] = ()
    links: tuple[Link, ...] = ()
    books: tuple[BookUse, ...] = ()
    settings: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    fiction: bool = False
    project: str = ""
