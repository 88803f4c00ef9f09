"""Made from the declarations by `make docs`: change those, not this."""

from __future__ import annotations

from msgspec import Struct, field

from memd.client.types.recall import Counts
from memd.client.types.views import NearText, Reply


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


class Excerpt(Struct, kw_only=True, omit_defaults=True):
    """A memory, its text cut."""

    id: str
    content: str
    """Its first 100 characters."""


class UsedMemory(Excerpt, kw_only=True):
    """One that came to mind."""

    uses: int


class Contradiction(Struct, kw_only=True, omit_defaults=True):
    """A memory that took the place of another."""

    holds: Excerpt
    superseded: Excerpt


class Cluster(Struct, kw_only=True, omit_defaults=True):
    """Memories of one subject."""

    count: int
    memories: list[Excerpt]
    """The newest 5."""


class ToReview(Struct, kw_only=True, omit_defaults=True):
    """What a person might look at."""

    expired: int
    expiring: list[Excerpt]
    """Within 7 days."""
    below_floor: int
    """Worth less than upkeep.floor."""
    worth_least: list[Excerpt]


class Ahead(Struct, kw_only=True, omit_defaults=True):
    """What a role comes to by then, where nothing is used."""

    below_floor: int
    expired: int


class Forecast(Struct, kw_only=True, omit_defaults=True):
    """What is to come, if all goes on as in the last month."""

    memories_a_day: float
    days_to_limit_of_memories: int | None
    """Null where nothing is added."""
    days_to_limit_of_bytes: int | None
    """Null where nothing is added."""
    ahead: dict[str, Ahead] = field(name="in")
    """By how many days."""


class RoleStatistics(Struct, kw_only=True, omit_defaults=True):
    """The figures of a role."""

    role: str
    total: int
    bytes: int
    """Of its files, and of what waits for them."""
    by_kind: dict[str, int]
    """The most first."""
    by_trigger: dict[str, int]
    """Constant, keyword, semantic, or as a record says."""
    by_emotion: dict[str, int]
    """The most first."""
    by_importance: dict[str, int]
    """By ranges of their score."""
    by_source: dict[str, int]
    """By who said so."""
    by_validity: dict[str, int]
    """The most first."""
    growth: dict[str, int]
    """By month, the last 12 that have any."""
    most_used: list[UsedMemory]
    least_used: list[Excerpt]
    """Of those that never came to mind, the oldest."""
    never_used: int
    contradictions: list[Contradiction]
    """The latest first."""
    clusters: list[Cluster]
    """The largest first."""
    to_review: ToReview
    forecast: Forecast


class NearEdge(Struct, kw_only=True, omit_defaults=True):
    """What was refused near the gate's edge, from `gate.warn_from` up to `gate.keep_from`."""

    days: int
    """That are looked back at, as far as the audit log goes."""
    refused: int
    waiting: int
    """In the inbox now."""
    became: dict[str, int]
    """Of those that left the inbox in that time: what became of them."""
    nearest: list[NearText]
    """Of those that wait, the 5 nearest to the edge."""


class Statistics(Reply, kw_only=True):
    """Figures, of each role and of all."""

    at: str
    total: int
    """Memories."""
    roles_total: int
    """Roles, those whose figures are not in this part among them."""
    roles: list[RoleStatistics]
    refusals: dict[str, int]
    """What the audit log has, by reason; the most first."""
    near_edge: NearEdge
    waiting_for_review: int
    scorings_today: int


class Tried(Struct, kw_only=True, omit_defaults=True):
    """A threshold, and what it would have done with what people decided."""

    keep_from: float
    in_force: bool
    would_keep: int
    would_drop: int
    right: int
    """As people decided."""
    lost: int
    """Would be dropped, and was kept by people."""
    noise: int
    """Would be kept, and was dropped or forgotten by people."""
    waiting_kept: int
    """Of what waits in the inbox now, undecided, it would keep so many."""


class Tuned(Reply, kw_only=True):
    """How thresholds would have done. Nothing is changed."""

    since: str
    """The time that was asked for; empty for all that is known."""
    decided: dict[str, int]
    """How many texts people decided of, by what they did."""
    kept: int
    dropped: int
    waiting: int
    thresholds: list[Tried]
    """The lowest first."""
