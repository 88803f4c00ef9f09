"""All that is held of a subject: what of it comes first, and how it reads.

What has room is decided by worth: how much a memory weighs, how often it came to mind, how new it is; and what follows its
like in a part counts less, so that a profile is no list of one kind of thing. In a part the newest stands first.

Left out is what was superseded, has expired or is disabled, what is of a story's world where no story is told, and what is
delicate where it belongs to somebody else than the subject. In the profile of the user that is what is private of
others; of another role's memories all that is delicate.

Units
    worth 0 to 1; seconds since the epoch.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import lru_cache
from typing import NamedTuple

from memd.engine.recall import temporal
from memd.engine.recall.compiled import Compiled
from memd.engine.recall.profile.groups import TITLES, WEIGHTS, Group, group_of, read_group
from memd.engine.recall.profile.kin import introductions, speaks_of_user
from memd.engine.recall.profile.subjects import Of, Subject, form_of, own_names_in
from memd.model.memory import Kind, Memory, notes_of
from memd.model.scene import Candidate, Evidence, Strategy
from memd.text.characters import fold

ID_CHARS = 8
NOT_OF_ANOTHER = (
    Group.WHO,
    Group.LIKES,
    Group.HEALTH,
    Group.WORK,
    Group.PLACES,
    Group.OTHER,
)  # where it is somebody else's
FOLLOWS = 0.93  # what the next of a part counts beside the one before
CONSTANT = 1.0  # the worth of what is always in mind
OF_WEIGHT, OF_SCORE, OF_USE, OF_AGE = 0.35, 0.2, 0.15, 0.3
UNSCORED = 6.0  # of 10, where nobody judged a memory
USED_OFTEN = 5.0  # uses that come to half of what use can say
OWN_TRAIT = 1.1  # a trait or goal is nearer to whom it is of than a fact


@dataclass(slots=True)
class Profiled:
    """What of one role's memories is of a subject, by worth; `delicate`: how many are left out as they belong to others."""

    candidates: list[Candidate] = field(default_factory=list)
    groups: dict[tuple[str, str], Group] = field(default_factory=dict)
    delicate: int = 0

    def add(self, candidate: Candidate, group: Group) -> None:
        """Let a memory be of the subject, in its group."""
        self.candidates.append(candidate)
        self.groups[candidate.key] = group


def profiled(  # noqa: PLR0913 - a role, a subject, and what the caller knows of both
    role: Compiled,
    name: str,
    subject: Subject,
    now_s: float,
    *,
    uses: Mapping[str, tuple[int, float]],
    delicate: Callable[[Memory], str],
    weight: float = 1.0,
    own: bool = True,
    fiction: bool = False,
    barred: Collection[str] = (),
) -> Profiled:
    """Return what a role holds of a subject. `uses`: how often each came to mind, and when last.

    `delicate` tells why a memory is, "" where it is not; `barred` may not come.
    """
    bears = bearing(subject, fiction=fiction)
    found = Profiled()
    say, users = _why(subject), subject.of is Of.USER
    another = _introduced(role) if users else None
    for key in role.memories:
        memory = role.at(key, now_s)
        if key in barred or not _holds(memory, now_s) or not bears(memory):
            continue
        why = delicate(memory)
        if why and (not own or (subject.of is not Of.NAMED and why == "others' affairs")):
            found.delicate += 1
            continue
        text = _as_own(memory.text, subject)
        group = group_of(memory, now_s, standing=key in role.constants, own=users, text=text)
        if another is not None and text == memory.text and group in NOT_OF_ANOTHER and another(memory):
            group = Group.PEOPLE
        elif not users and any(fold(one.name) in subject.names for one in introductions(memory.text)):
            group = Group.WHO
        worth = _worth(memory, group, now_s, uses.get(key)) * weight
        score = CONSTANT if own and key in role.constants else worth
        found.add(Candidate(name, memory, weight, own, [Evidence(Strategy.SEMANTIC, score, say)], score, score), group)
    return found


@lru_cache(maxsize=32_768)
def read_ahead(text: str) -> None:
    """Read a memory's text as a profile does, so that it is known when it is asked for."""
    read_group(text, own=True)
    introductions(text)
    own_names_in(text)


def in_order(some: Iterable[Profiled]) -> list[Candidate]:
    """Return what several roles hold in the order of its worth, the parts mixed."""
    taken: Counter[Group] = Counter()
    ranked = [(one, profile.groups[one.key]) for profile in some for one in profile.candidates]
    ranked.sort(key=lambda pair: (-pair[0].relevance, -(pair[0].memory.when_s or 0.0), pair[0].key))
    for one, group in ranked:
        if one.relevance < CONSTANT:
            one.score = one.relevance * FOLLOWS ** taken[group]
            taken[group] += 1
    return [one for one, _ in sorted(ranked, key=lambda pair: (-pair[0].score, pair[0].key))]


def _as_own(text: str, subject: Subject) -> str:
    """Return a text with the user's own name as the user, that it is told by what it says and not as of another."""
    form = form_of(subject.names) if subject.of is Of.USER else None
    return text if form is None else form.sub("the user", fold(text)) if form.search(fold(text)) else text


def _introduced(role: Compiled) -> Callable[[Memory], bool]:
    """Return what tells whether a memory is of somebody whom another introduced by name, and tells nothing of the user."""
    texts = (one.text for one in role.memories.values() if not one.superseded_by)
    form = form_of(dict.fromkeys(fold(one.name) for text in texts for one in introductions(text)))

    def is_of(memory: Memory) -> bool:
        return form is not None and form.search(fold(memory.text)) is not None and not speaks_of_user(memory.text)

    return is_of


def shown_of(some: Collection[Profiled], constants: Iterable[Candidate], now_s: float, *, chinese: bool) -> Shown:
    """Return how a profile reads that stands beside a role's constants."""
    groups = {one.key: group_of(one.memory, now_s, standing=True, own=True) for one in constants}
    groups |= {key: group for profile in some for key, group in profile.groups.items()}
    return Shown(groups, now_s, len(groups), chinese)


def bearing(subject: Subject, *, fiction: bool) -> Callable[[Memory], bool]:
    """Return what tells whether a memory is of a subject; what is not of a story is the user's or their world's."""
    if subject.of is Of.NAMED:
        return subject.bears_on()
    if subject.of is Of.USER:
        return lambda memory: fiction or not memory.is_of_world
    named = subject.bears_on()
    return lambda memory: named(memory) or (fiction and memory.kind is Kind.TRAIT)


def _holds(memory: Memory, now_s: float) -> bool:
    over = memory.held is not None and memory.held.end_s is not None and memory.held.end_s <= now_s
    return not (memory.disabled or memory.superseded_by or over or memory.is_expired(now_s))


def _worth(memory: Memory, group: Group, now_s: float, used: tuple[int, float] | None) -> float:
    weight = memory.relevance_weight * memory.priority / 100
    score = (UNSCORED if memory.score is None else memory.score) / 10
    use = 0.0 if used is None else 1.0 - 1.0 / (1.0 + used[0] / USED_OFTEN)
    age = temporal.decay(memory, now_s, used[1] if used and used[1] <= now_s else None)
    said = OF_WEIGHT * weight + OF_SCORE * score + OF_USE * use + OF_AGE * age
    near = OWN_TRAIT if memory.kind in (Kind.TRAIT, Kind.GOAL) else 1.0
    return math.tanh(said * near * WEIGHTS.get(group, 1.0)) * 0.99


def _why(subject: Subject) -> Callable[[], str]:
    whom = {Of.USER: "the user", Of.ROLE: "the role"}.get(subject.of) or subject.words
    return lambda: f"all that is known of {whom} was asked for"


class Shown(NamedTuple):
    """How a profile reads: the parts by memory, in Chinese or not, and at which time. `known`: of how many memories."""

    groups: Mapping[tuple[str, str], Group]
    now_s: float
    known: int
    chinese: bool

    def group(self, candidate: Candidate) -> Group:
        """Return the part in which a memory stands: what only comes along with its rival is of none."""
        return self.groups.get(candidate.key, Group.OTHER)

    def heading(self, candidate: Candidate) -> str:
        """Return the heading under which a memory stands."""
        return title_of(self.group(candidate), chinese=self.chinese)

    def entry(self, candidate: Candidate) -> str:
        """Return a memory as one line of a profile: its words, since when it is known, when it happens, its id."""
        memory = candidate.memory
        notes = [datetime.fromtimestamp(memory.when_s, UTC).strftime("%Y-%m-%d")] if memory.when_s is not None else []
        notes += ["a newer memory says otherwise"] if memory.earlier else []
        notes += notes_of(memory.event, memory.held, self.now_s, memory.said, planned=memory.planned)
        notes += [] if candidate.own else [f"from {candidate.role}"]
        notes.append(memory.id[:ID_CHARS])
        return "- " + memory.text.strip().replace("\n", "\n  ") + f" ({', '.join(notes)})"

    def in_order(self, chosen: Iterable[Candidate]) -> list[Candidate]:
        """Return memories as they stand: by part, the newest first."""
        order = {group: number for number, group in enumerate(Group)}
        return sorted(
            chosen,
            key=lambda one: (
                order[self.group(one)], one.memory.earlier, -(one.memory.when_s or 0.0), one.key
            ),
        )  # fmt: skip

    def rest(self, shown: int) -> str:
        """Return the line that tells how many have no place, "" where all have."""
        left = self.known - shown
        if left <= 0:
            return ""
        return (
            f"（另有 {left} 条未列出）" if self.chinese else f"({left} more {'is' if left == 1 else 'are'} not shown)"
        )


def title_of(group: Group, *, chinese: bool) -> str:
    """Return a part's title."""
    return TITLES[group][chinese]
