"""Made from the declarations by `make docs`: change those, not this."""

from __future__ import annotations

from msgspec import Struct, field

from memd.client.types.plain.declared import Reply
from memd.client.types.plain.judged import NearText


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
