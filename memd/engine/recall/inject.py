"""What fits, and how it reads: limits of each kind, near-duplicates, the budget, the fenced block.

Constants come first and obey the budget like everything else; a memory that does not fit gives way to smaller ones
behind it. The budget is for the whole block, headings and fence included.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import NamedTuple

from memd.engine.recall.templates import render
from memd.model.memory import Kind
from memd.model.scene import Candidate, Injection, Refused
from memd.model.settings import InjectionSettings
from memd.text.analysis import tokens

NEAR_DUPLICATE = 0.8  # share of terms in common, of all terms of both
HEADINGS = {Kind.TRAIT: "Traits", Kind.GOAL: "Goals", Kind.SEMANTIC: "Facts", Kind.EPISODIC: "Episodes"}
FENCE = "memd-memory"


class Limits(NamedTuple):
    """How many memories of each kind may come beside the constants."""

    episodic: int
    semantic: int
    trait: int
    goal: int


def inject(
    role: str, constants: Sequence[Candidate], ranked: Sequence[Candidate], limits: Limits, settings: InjectionSettings
) -> Injection:
    """Return the block for the prompt, what stands in it, and what was left out and why."""
    chosen: list[Candidate] = []
    refused: list[Refused] = []
    seen: list[tuple[Candidate, frozenset[str]]] = []
    taken: Counter[Kind] = Counter()
    always = {id(one) for one in constants}
    allowed = dict(zip(Kind, (limits.episodic, limits.semantic, limits.trait, limits.goal), strict=True))
    used = _frame_chars(role, settings)
    for candidate in [*constants, *ranked]:
        kind = candidate.memory.kind
        constant = id(candidate) in always
        if not constant and taken[kind] >= allowed[kind]:
            refused.append(Refused(candidate, "limit of its kind", f"{allowed[kind]} of kind {kind} came before"))
            continue
        terms = frozenset(tokens(candidate.memory.text))
        twin = next((other for other, others in seen if _is_near(terms, others)), None)
        if twin:
            refused.append(Refused(candidate, "duplicate", f"says what {twin.memory.id} says"))
            continue
        size = len(_entry(candidate, settings)) + 1
        if settings.by_kind and not any(one.memory.kind is kind and (id(one) in always) == constant for one in chosen):
            size += len(HEADINGS[kind]) + 5
        if used + size > settings.budget_chars:
            detail = f"{size} characters, {max(0, settings.budget_chars - used)} left of {settings.budget_chars}"
            refused.append(Refused(candidate, "budget", detail))
            continue
        used += size
        chosen.append(candidate)
        seen.append((candidate, terms))
        taken[kind] += not constant
    if not chosen:
        return Injection("", (), tuple(refused), "")
    content, fence = _block(role, chosen, always, settings)
    return Injection(content, tuple(chosen), tuple(refused), fence)


def entry_chars(candidate: Candidate, settings: InjectionSettings) -> int:
    """Return how many characters one memory takes in the block."""
    return len(_entry(candidate, settings))


def _block(role: str, chosen: list[Candidate], always: set[int], settings: InjectionSettings) -> tuple[str, str]:
    constant = _section([one for one in chosen if id(one) in always], settings)
    triggered = _section([one for one in chosen if id(one) not in always], settings)
    both = "\n".join(part for part in (constant, triggered) if part)
    values = {"content": both, "constantContent": constant, "triggeredContent": triggered, "role": role}
    body = render(settings.template, values).strip("\n")
    salt = 0
    while (fence := hashlib.sha256(f"{salt}\n{body}".encode()).hexdigest()[:8]) in body:
        salt += 1
    return f"<{FENCE} {fence}>\n{body}\n</{FENCE} {fence}>", fence


def _section(chosen: list[Candidate], settings: InjectionSettings) -> str:
    if not settings.by_kind:
        return "\n".join(_entry(one, settings) for one in chosen)
    parts: list[str] = []
    for kind, heading in HEADINGS.items():
        entries = [_entry(one, settings) for one in chosen if one.memory.kind is kind]
        if entries:
            parts.append(f"### {heading}\n" + "\n".join(entries))
    return "\n".join(parts)


def _entry(candidate: Candidate, settings: InjectionSettings) -> str:
    memory = candidate.memory
    notes: list[str] = []
    if settings.show_times and memory.when_s is not None:
        notes.append(datetime.fromtimestamp(memory.when_s, UTC).strftime("%Y-%m-%d"))
    if not candidate.own:
        notes.append(f"from {candidate.role}")
    if settings.show_sources:
        notes.append(memory.source or "unknown source")
    tail = f" ({', '.join(notes)})" if notes else ""
    return "- " + memory.text.strip().replace("\n", "\n  ") + tail


def _frame_chars(role: str, settings: InjectionSettings) -> int:
    values = dict.fromkeys(("content", "constantContent", "triggeredContent"), "x")
    return len(render(settings.template, {**values, "role": role})) + 2 * (len(FENCE) + 13)


def _is_near(one: frozenset[str], other: frozenset[str]) -> bool:
    if not one or not other:
        return False
    shared = len(one & other)
    return shared >= NEAR_DUPLICATE * (len(one) + len(other) - shared)
