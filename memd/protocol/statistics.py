"""Objects of requests and replies: figures, what happened, and what thresholds would do."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, field

from memd.protocol.fields import Part, Reply, listed
from memd.protocol.recall import Counts
from memd.protocol.views import NearText, Recallable

HAPPENED_CHARS = 300
MOST = 5  # of a list
MONTHS = 12
SHOWN_CHARS = 100
SOON_DAYS = 7
OfEach = Annotated[dict[str, int], Meta(description="the most first")]


class HappenedView(Part, kw_only=True):
    """One thing that memd did."""

    at: str
    what: Annotated[
        str, Meta(description="remembered, extended, superseded, consolidated, forgotten with its reason, and others")
    ]
    role: str
    id: Annotated[str, Meta(description="of the memory, the pass or the text of the inbox; empty where there is none")]
    text: Annotated[
        str,
        Meta(description=f"its first {HAPPENED_CHARS} characters; of what took a place, behind an arrow, what ended"),
    ]
    undo: Annotated[str, Meta(description="the words behind `memd` that take it back")] | None = None


class Log(Reply):
    """What memd did lately, the newest first."""

    total: Annotated[int, Meta(description="how much is known of")]
    happened: list[HappenedView]
    more: Annotated[bool, Meta(description="there is older")]


class RecentRecalled(Part):
    """A memory, an entry, a page or a quote that an agent was told."""

    id: str
    role: str
    kind: Recallable
    score: Annotated[float, Meta(description="what it was ranked by")]
    reasons: Annotated[list[str], Meta(description="why it came: the first three, each cut")]
    strategies: Annotated[dict[str, float], Meta(description="what spoke for it, 0 to 1")]
    chars: Annotated[int, Meta(description="what it took of the block")]
    text: Annotated[str, Meta(description="its beginning, `daemon.recent_chars` at most")]


class RecentRecall(Part, kw_only=True):
    """What a prompt brought to mind: an agent's, by its hook, or a client's, by trigger and context.render."""

    topic: Annotated[str, listed("recalls")]
    n: Annotated[int, Meta(description="greater than that of all before, also of a daemon before this one")]
    at: str
    role: str
    agent: Annotated[str, Meta(description="whose session it is; empty where that is not known")]
    session: str
    turn: Annotated[int, Meta(description="of the session; 0 where there is none")]
    message: Annotated[str, Meta(description="the beginning of the newest message; empty where capture is off")]
    activated: Annotated[list[RecentRecalled], Meta(description="what came, the first 20")]
    more: Annotated[int, Meta(description="how many came beside these")]
    chars: Annotated[int, Meta(description="of the block")]
    dropped: Annotated[int, Meta(description="how many had no room")]
    withheld: Annotated[int, Meta(description="how many may not stand in a prompt")]
    counts: Counts
    elapsed_ms: float


class RecentOutcome(Part, kw_only=True):
    """What became of one text."""

    verdict: Annotated[
        str,
        Meta(
            description="of remember; waiting: in the inbox; proposed, dropped, settled; of what is judged again what it became"
        ),
    ]
    id: Annotated[str, Meta(description="of the memory that is meant; empty where there is none")]
    text: Annotated[str, Meta(description="its beginning; [withheld] where it may not stand in a prompt")]
    reason: str
    total: float | None = None
    kind: str | None = None
    supersedes: Annotated[str, Meta(description="the memory whose place it takes")] | None = None
    inbox: Annotated[str, Meta(description="under which it waits in the inbox")] | None = None
    review: Annotated[str, Meta(description="under which it waits for a person, held as an order")] | None = None
    conflict: Annotated[str, Meta(description="the conflict's id, for review.settle")] | None = None
    provisional: Annotated[bool, Meta(description="by words alone: it is judged again")] | None = None


class RecentVerdicts(Part, kw_only=True):
    """What became of texts in one act."""

    topic: Annotated[str, listed("verdicts")]
    n: Annotated[int, Meta(description="greater than that of all before, also of a daemon before this one")]
    at: str
    act: Annotated[
        Annotated[str, listed("remember", "asked", "consolidate", "propose", "review", "judge again")],
        Meta(description="asked: in a prompt, carried out by the hook; review: what a person decided"),
    ]
    role: str
    agent: Annotated[str, Meta(description="whose session it is; empty where that is not known")]
    session: str
    turn: Annotated[int, Meta(description="of the session; 0 where there is none")]
    outcomes: Annotated[list[RecentOutcome], Meta(description="the first 20")]
    more: Annotated[int, Meta(description="how many there were beside these")]
    counts: Annotated[dict[str, int], Meta(description="by verdict, all of them")]


class Subscribed(Reply):
    """What will be told on this connection."""

    subscribed: list[str]
    roles: list[str]
    n: (
        Annotated[int, Meta(description="with recalls or verdicts: of the last of them; events have a greater one")]
        | None
    ) = None
    recalls: Annotated[list[RecentRecall], Meta(description="with `last`, the oldest first")] | None = None
    verdicts: Annotated[list[RecentVerdicts], Meta(description="likewise")] | None = None


class Excerpt(Part):
    """A memory, its text cut."""

    id: str
    content: Annotated[str, Meta(description=f"its first {SHOWN_CHARS} characters")]


class UsedMemory(Excerpt):
    """One that came to mind."""

    uses: int


class Contradiction(Part):
    """A memory that took the place of another."""

    holds: Excerpt
    superseded: Excerpt


class Cluster(Part):
    """Memories of one subject."""

    count: int
    memories: Annotated[list[Excerpt], Meta(description=f"the newest {MOST}")]


class ToReview(Part):
    """What a person might look at."""

    expired: int
    expiring: Annotated[list[Excerpt], Meta(description=f"within {SOON_DAYS} days")]
    below_floor: Annotated[int, Meta(description="worth less than upkeep.floor")]
    worth_least: list[Excerpt]


class Ahead(Part):
    """What a role comes to by then, where nothing is used."""

    below_floor: int
    expired: int


class Forecast(Part):
    """What is to come, if all goes on as in the last month."""

    memories_a_day: float
    days_to_limit_of_memories: Annotated[int, Meta(description="null where nothing is added")] | None
    days_to_limit_of_bytes: Annotated[int, Meta(description="null where nothing is added")] | None
    ahead: Annotated[dict[str, Ahead], Meta(description="by how many days")] = field(name="in")


class RoleStatistics(Part, kw_only=True):
    """The figures of a role."""

    role: str
    total: int
    bytes: Annotated[int, Meta(description="of its files, and of what waits for them")]
    by_kind: OfEach
    by_trigger: Annotated[dict[str, int], Meta(description="constant, keyword, semantic, or as a record says")]
    by_emotion: OfEach
    by_importance: Annotated[dict[str, int], Meta(description="by ranges of their score")]
    by_source: Annotated[dict[str, int], Meta(description="by who said so")]
    by_validity: OfEach
    growth: Annotated[dict[str, int], Meta(description=f"by month, the last {MONTHS} that have any")]
    most_used: list[UsedMemory]
    least_used: Annotated[list[Excerpt], Meta(description="of those that never came to mind, the oldest")]
    never_used: int
    contradictions: Annotated[list[Contradiction], Meta(description="the latest first")]
    clusters: Annotated[list[Cluster], Meta(description="the largest first")]
    to_review: ToReview
    forecast: Forecast


class NearEdge(Part):
    """What was refused near the gate's edge, from `gate.warn_from` up to `gate.keep_from`."""

    days: Annotated[int, Meta(description="that are looked back at, as far as the audit log goes")]
    refused: int
    waiting: Annotated[int, Meta(description="in the inbox now")]
    became: Annotated[
        dict[str, int], Meta(description="of those that left the inbox in that time: what became of them")
    ]
    nearest: Annotated[list[NearText], Meta(description=f"of those that wait, the {MOST} nearest to the edge")]


class Statistics(Reply):
    """Figures, of each role and of all."""

    at: str
    total: Annotated[int, Meta(description="memories")]
    roles_total: Annotated[int, Meta(description="roles, those whose figures are not in this part among them")]
    roles: list[RoleStatistics]
    refusals: Annotated[dict[str, int], Meta(description="what the audit log has, by reason; the most first")]
    near_edge: NearEdge
    waiting_for_review: int
    scorings_today: int


class Tried(Part):
    """A threshold, and what it would have done with what people decided."""

    keep_from: float
    in_force: bool
    would_keep: int
    would_drop: int
    right: Annotated[int, Meta(description="as people decided")]
    lost: Annotated[int, Meta(description="would be dropped, and was kept by people")]
    noise: Annotated[int, Meta(description="would be kept, and was dropped or forgotten by people")]
    waiting_kept: Annotated[int, Meta(description="of what waits in the inbox now, undecided, it would keep so many")]


class Tuned(Reply):
    """How thresholds would have done. Nothing is changed."""

    since: Annotated[str, Meta(description="the time that was asked for; empty for all that is known")]
    decided: Annotated[dict[str, int], Meta(description="how many texts people decided of, by what they did")]
    kept: int
    dropped: int
    waiting: int
    thresholds: Annotated[list[Tried], Meta(description="the lowest first")]
