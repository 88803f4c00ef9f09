"""The guard's rule book: what may pass, what should be a remember, and what asks for one.

Source
    docs/remember.md#the-guard. The violations of a session are the service's to count.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from typing import Any

from memd.engine.keep.guard.asking import asked_to_remember
from memd.engine.keep.guard.calls import feeds_other_memory, meant_by, writes_of_call
from memd.engine.keep.guard.files import facts_of
from memd.model.guard import Action, Meant, Ruling

MOST_FACTS = 50  # of one call


def rule_on_call(tool: str, given: Mapping[str, Any] | str, standing: Callable[[str], str]) -> Ruling:
    """Rule on a tool call. `standing` returns what a file of that path holds now, "" where it is not known."""
    if feeds_other_memory(tool, given):
        return Ruling(Action.REDIRECT, f"{tool} stores in another memory", tool, _few(meant_by(given)))
    writes = writes_of_call(tool, given)
    if not writes:
        return Ruling(Action.ALLOW, "it writes no memory file")
    facts = (fact for one in writes for fact in facts_of(one, standing(one.path) if one.whole else ""))
    target = writes[0].path
    return Ruling(Action.REDIRECT, f"{tool} writes {target}, which is memory", target, _few(facts))


def rule_on_message(message: str) -> Ruling:
    """Rule on what a user said: does it ask that something be remembered?"""
    content = asked_to_remember(message)
    if not content:
        return Ruling(Action.ALLOW, "it asks for nothing to be remembered")
    return Ruling(Action.ASK_REMEMBER, "the user asks that this be remembered", "", (Meant(content),))


def _few(facts: Iterable[Meant]) -> tuple[Meant, ...]:
    """Return the first of the facts, each once; the others are not even read."""
    return tuple(islice(_once(facts), MOST_FACTS))


def _once(facts: Iterable[Meant]) -> Iterator[Meant]:
    seen: set[Meant] = set()
    for fact in facts:
        if fact not in seen:
            seen.add(fact)
            yield fact
