"""What the caller sees now, and what a trigger answers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum

from memd.model.memory import Memory


@dataclass(frozen=True, slots=True)
class Scene:
    """Messages oldest first; `now_s` in seconds since the epoch."""

    messages: tuple[str, ...]
    now_s: float
    topic: str = ""


class Strategy(StrEnum):
    """The ways a memory can speak for itself."""

    CONSTANT = "constant"
    KEYWORD = "keyword"
    SEMANTIC = "semantic"


@dataclass(frozen=True, slots=True)
class Evidence:
    """One strategy's word for one memory: a score of 0 to 1, and a sentence made when somebody asks for it."""

    strategy: Strategy
    score: float
    say: Callable[[], str]

    @property
    def reason(self) -> str:
        """The sentence."""
        return self.say()


@dataclass(slots=True)
class Candidate:
    """A memory that may come to mind, with all that speaks for it."""

    role: str
    memory: Memory
    weight: float = 1.0
    own: bool = True
    evidence: list[Evidence] = field(default_factory=list)
    relevance: float = 0.0
    score: float = 0.0

    @property
    def key(self) -> tuple[str, str]:
        """What identifies it among the candidates of several roles."""
        return self.role, self.memory.id

    @property
    def reasons(self) -> list[str]:
        """Why it came to mind, strongest evidence first."""
        return [one.reason for one in sorted(self.evidence, key=lambda one: -one.score)]


@dataclass(frozen=True, slots=True)
class Refused:
    """A candidate that was not injected: the rule's word, and a sentence with the figures."""

    candidate: Candidate
    why: str
    detail: str


@dataclass(frozen=True, slots=True)
class Injection:
    """The rendered block with what stands in it and what found no room."""

    content: str
    activated: tuple[Candidate, ...]
    refused: tuple[Refused, ...]
    fence: str
