"""What a lorebook entry is, how a scan of the messages goes, and what comes of it.

Units
    depth, scan depth, sticky, cooldown, delay: messages. Budget: whatever the caller's measure counts (characters in
    memd). Probability: percent. Rolls: 0 up to 1, drawn in the order the rules ask for them.
Source
    World Info as SillyTavern 1.18.0 evaluates it (docs/design/world-info.md); its words are kept.
"""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from enum import IntEnum, StrEnum
from typing import NamedTuple


class Logic(IntEnum):
    """How secondary keys decide."""

    AND_ANY = 0
    NOT_ALL = 1
    NOT_ANY = 2
    AND_ALL = 3


class Position(IntEnum):
    """Where an entry stands in the prompt."""

    BEFORE = 0
    AFTER = 1
    NOTE_TOP = 2
    NOTE_BOTTOM = 3
    AT_DEPTH = 4
    EXAMPLES_TOP = 5
    EXAMPLES_BOTTOM = 6
    OUTLET = 7


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry. `id` is unique among all that are evaluated together; None means that the settings decide."""

    id: str
    keys: tuple[str, ...] = ()
    secondary: tuple[str, ...] = ()
    content: str = ""
    title: str = ""
    book: str = ""
    order: float = 100
    position: Position = Position.BEFORE
    depth: int = 4
    speaker: int = 0
    constant: bool = False
    disabled: bool = False
    selective: bool = True
    logic: Logic = Logic.AND_ANY
    ignore_budget: bool = False
    exclude_recursion: bool = False
    prevent_recursion: bool = False
    delay_until_recursion: int = 0
    probability: float = 100
    use_probability: bool = True
    group: str = ""
    group_override: bool = False
    group_weight: float = 100
    group_scoring: bool | None = None
    scan_depth: int | None = None
    case_sensitive: bool | None = None
    whole_words: bool | None = None
    sticky: int = 0
    cooldown: int = 0
    delay: int = 0
    occasions: tuple[str, ...] = ()
    only_roles: tuple[str, ...] = ()
    not_roles: tuple[str, ...] = ()
    always: bool = False  # @@activate
    never: bool = False  # @@dont_activate
    digest: str = ""

    def renamed(self, entry_id: str) -> Entry:
        """Return the same entry under another id."""
        return replace(self, id=entry_id)


@dataclass(frozen=True, slots=True)
class Rules:
    """Where memd's own evaluation deviates from SillyTavern's; all off is SillyTavern to the letter."""

    unicode_words: bool = True
    fold: bool = True
    constants_first: bool = True
    exact_fit: bool = True
    smaller_after: bool = True
    losers_only: bool = True


MEMD = Rules()
SILLYTAVERN = Rules(
    unicode_words=False, fold=False, constants_first=False, exact_fit=False, smaller_after=False, losers_only=False
)
RULES = {"memd": MEMD, "sillytavern": SILLYTAVERN}


@dataclass(frozen=True, slots=True)
class LoreSettings:
    """How a scan goes."""

    scan_depth: int = 4
    recursive: bool = True
    max_steps: int = 0
    min_activations: int = 0
    min_activations_depth: int = 0
    case_sensitive: bool = False
    whole_words: bool = True
    group_scoring: bool = False


@dataclass(frozen=True, slots=True)
class Timer:
    """A sticky or cooldown under way: from one chat length to another."""

    digest: str
    start: int
    end: int
    protected: bool = False


@dataclass(frozen=True, slots=True)
class Timers:
    """The timers of one session, by the id of the entry."""

    sticky: Mapping[str, Timer] = field(default_factory=dict)
    cooldown: Mapping[str, Timer] = field(default_factory=dict)


NO_TIMERS = Timers()


class Fate(StrEnum):
    """What became of an entry that something spoke for."""

    ACTIVATED = "activated"
    DISABLED = "disabled"
    NO_KEY = "no key"
    LOGIC = "logic"
    GROUP = "group"
    ROLL = "roll"
    COOLDOWN = "cooldown"
    DELAY = "delay"
    BUDGET = "budget"
    RECURSION = "recursion"
    DECORATOR = "decorator"
    FILTER = "filter"


# What the rules of keys refuse is refused whatever else speaks for it; where only a key's condition failed, the rest counts.
FINAL = frozenset({Fate.GROUP, Fate.ROLL, Fate.COOLDOWN, Fate.DELAY, Fate.FILTER})


class Hit(NamedTuple):
    """A key that was found: as it is written, in which message (0 the newest), and how many entries have it."""

    key: str
    newest: int
    owners: int


class Keyed(NamedTuple):
    """A key that was found, and the entries without rules of their own that have it: all of these came."""

    hit: Hit
    owners: AbstractSet[str]


@dataclass(frozen=True, slots=True)
class Activation:
    """An entry that came: why (its keys, or the rule), in which pass, and how many characters it has."""

    entry: Entry
    why: str
    step: int
    size: int
    hits: tuple[Hit, ...] = ()


class Stopped(NamedTuple):
    """An entry that did not come, and the rule that stopped it."""

    entry: Entry
    fate: Fate
    detail: str


@dataclass(frozen=True, slots=True)
class Evaluated:
    """What a scan found: activations in the order they were admitted, refusals, and the timers from now on.

    `plain`: by their keys, those that have no rule of their own, which nothing can stop.
    """

    activated: tuple[Activation, ...]
    stopped: tuple[Stopped, ...]
    timers: Timers
    plain: tuple[Keyed, ...] = ()
