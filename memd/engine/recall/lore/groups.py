"""Inclusion groups: of several entries that exclude each other, one may come.

Sticky members stay alone; then the score of keys, where it is on; a group with an active member admits no other; then
members that override, by order; then one roll, weighted.

Source
    docs/design/world-info.md#inclusion-groups. SillyTavern takes an entry that loses twice out twice, and the second time hits the last
    of the list: `Rules.losers_only` leaves that out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass

from memd.engine.recall.lore.entries import Ready
from memd.model.lore import Rules

_COMMA = re.compile(r",[\t\n\v\f\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]*")
_INDEX = re.compile(r"(?:0|[1-9][0-9]{0,9})\Z")


class Choice:
    """The newly found entries while groups thin them out. `lost` has who lost, and to whom."""

    def __init__(self, found: list[Ready], rules: Rules) -> None:
        self.found = found
        self.lost: dict[str, str] = {}
        self._losers_only = rules.losers_only

    def remove(self, ready: Ready, why: str) -> None:
        """Take an entry out."""
        if ready in self.found:
            self.found.remove(ready)
            self.lost.setdefault(ready.entry.id, why)
        elif not self._losers_only and self.found:
            stranger = self.found.pop()
            self.lost.setdefault(stranger.entry.id, f"taken out with {ready.entry.id}, which lost twice")


@dataclass(frozen=True, slots=True)
class Grounds:
    """What groups decide by: timers, whether keys are scored, an entry's score, and chance."""

    sticky: Collection[str]
    scoring: bool
    score: Callable[[Ready], int]
    roll: Callable[[], float]


def choose(found: list[Ready], active: Iterable[Ready], rules: Rules, grounds: Grounds) -> Choice:
    """Return what is left of the found entries, in their order, after every group chose."""
    choice = Choice(list(found), rules)
    groups = _groups(found)
    held: set[str] = set()
    for name, members in groups:
        if any(one.entry.id in grounds.sticky for one in members):
            held.add(name)
            for one in members:
                if one.entry.id not in grounds.sticky:
                    choice.remove(one, f"group {name!r} has a sticky member")
    for name, members in groups:
        if name not in held and (grounds.scoring or any(one.entry.group_scoring for one in members)):
            _by_score(choice, members, name, grounds)
    taken = {one.entry.group: one.entry.id for one in active if one.entry.group}
    for name, members in groups:
        if name in held:
            continue
        if name in taken:
            _all_but(choice, members, None, f"group {name!r} has {taken[name]}")
        elif len(members) > 1:
            winner = _winner(members, grounds.roll)
            if winner:
                _all_but(choice, members, winner, f"group {name!r} went to {winner.entry.id}")
    return choice


def _groups(found: list[Ready]) -> list[tuple[str, list[Ready]]]:
    groups: dict[str, list[Ready]] = {}
    for ready in found:
        for name in _COMMA.split(ready.entry.group) if ready.entry.group else ():
            if name:
                groups.setdefault(name, []).append(ready)
    numbered = sorted((name for name in groups if _INDEX.match(name)), key=int)
    return [(name, groups[name]) for name in (*numbered, *(one for one in groups if one not in numbered))]


def _by_score(choice: Choice, members: list[Ready], name: str, grounds: Grounds) -> None:
    scores = {one.entry.id: grounds.score(one) for one in members}
    best = max(scores.values())
    for one in list(members):
        scored = grounds.scoring if one.entry.group_scoring is None else one.entry.group_scoring
        if scored and scores[one.entry.id] < best:
            choice.remove(one, f"group {name!r}: {scores[one.entry.id]} keys against {best}")
            members.remove(one)


def _winner(members: list[Ready], roll: Callable[[], float]) -> Ready | None:
    overriding = [one for one in members if one.entry.group_override]
    if overriding:
        return max(overriding, key=lambda one: (one.entry.order, -one.number))
    at = roll() * sum(one.entry.group_weight for one in members)
    total = 0.0
    for one in members:
        total += one.entry.group_weight
        if at <= total:
            return one
    return None


def _all_but(choice: Choice, members: list[Ready], winner: Ready | None, why: str) -> None:
    for one in members:
        if one is not winner:
            choice.remove(one, why)
