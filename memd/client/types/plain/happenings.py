"""Made from the declarations by `make docs`: change those, not this."""

from __future__ import annotations

from msgspec import Struct

from memd.client.types.plain.declared import Reply
from memd.client.types.plain.recall_views import Counts


class HappenedView(Struct, kw_only=True, omit_defaults=True):
    """One thing that memd did."""

    at: str
    what: str
    """Remembered, superseded, consolidated, forgotten with its reason, and others."""
    role: str
    id: str
    """Of the memory, the pass or the text of the inbox; empty where there is none."""
    text: str
    """Its first 300 characters."""
    undo: str | None = None
    """The words behind `memd` that take it back."""


class Log(Reply, kw_only=True):
    """What memd did lately, the newest first."""

    total: int
    """How much is known of."""
    happened: list[HappenedView]
    more: bool
    """There is older."""


class RecentRecalled(Struct, kw_only=True, omit_defaults=True):
    """A memory, an entry, a page or a quote that an agent was told."""

    id: str
    role: str
    kind: str
    score: float
    """What it was ranked by."""
    reasons: list[str]
    """Why it came: the first three, each cut."""
    strategies: dict[str, float]
    """What spoke for it, 0 to 1."""
    chars: int
    """What it took of the block."""
    text: str
    """Its beginning, `daemon.recent_chars` at most."""


class RecentRecall(Struct, kw_only=True, omit_defaults=True):
    """What a prompt brought to mind: an agent's, by its hook, or a client's, by trigger and context.render."""

    topic: str
    n: int
    """Greater than that of all before, also of a daemon before this one."""
    at: str
    role: str
    agent: str
    """Whose session it is; empty where that is not known."""
    session: str
    turn: int
    """Of the session; 0 where there is none."""
    message: str
    """The beginning of the newest message; empty where capture is off."""
    activated: list[RecentRecalled]
    """What came, the first 20."""
    more: int
    """How many came beside these."""
    chars: int
    """Of the block."""
    dropped: int
    """How many had no room."""
    withheld: int
    """How many may not stand in a prompt."""
    counts: Counts
    elapsed_ms: float


class RecentOutcome(Struct, kw_only=True, omit_defaults=True):
    """What became of one text."""

    verdict: str
    """Of remember; waiting: in the inbox; proposed, dropped, settled; of what is judged again what it became."""
    id: str
    """Of the memory that is meant; empty where there is none."""
    text: str
    """Its beginning; [withheld] where it may not stand in a prompt."""
    reason: str
    total: float | None = None
    kind: str | None = None
    supersedes: str | None = None
    """The memory whose place it takes."""
    inbox: str | None = None
    """Under which it waits in the inbox."""
    review: str | None = None
    """Under which it waits for a person, held as an order."""
    conflict: str | None = None
    """The conflict's id, for review.settle."""
    provisional: bool | None = None
    """By words alone: it is judged again."""


class RecentVerdicts(Struct, kw_only=True, omit_defaults=True):
    """What became of texts in one act."""

    topic: str
    n: int
    """Greater than that of all before, also of a daemon before this one."""
    at: str
    act: str
    """Asked: in a prompt, carried out by the hook; review: what a person decided."""
    role: str
    agent: str
    """Whose session it is; empty where that is not known."""
    session: str
    turn: int
    """Of the session; 0 where there is none."""
    outcomes: list[RecentOutcome]
    """The first 20."""
    more: int
    """How many there were beside these."""
    counts: dict[str, int]
    """By verdict, all of them."""


class Subscribed(Reply, kw_only=True):
    """What will be told on this connection."""

    subscribed: list[str]
    roles: list[str]
    n: int | None = None
    """With recalls or verdicts: of the last of them; events have a greater one."""
    recalls: list[RecentRecall] | None = None
    """With `last`, the oldest first."""
    verdicts: list[RecentVerdicts] | None = None
    """Likewise."""
