"""A search, taken apart: what is looked for, what must or must not be there, and which documents are asked at all."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Form(StrEnum):
    """How a clause is compared: by the meaning of its words, letter by letter, or by a pattern."""

    WORDS = "words"
    PHRASE = "phrase"
    WILDCARD = "wildcard"


class Need(StrEnum):
    """What a clause is to a document: it raises its rank, it must be there, or it must not."""

    SHOULD = "should"
    MUST = "must"
    NOT = "not"


@dataclass(frozen=True, slots=True)
class Clause:
    """One thing looked for; `where` names a field, "" all of a document."""

    form: Form
    text: str
    need: Need = Need.SHOULD
    where: str = ""


@dataclass(frozen=True, slots=True)
class Filter:
    """Which documents are asked; an empty field asks all. Times in seconds since the epoch, the end excluded.

    `as_of_s`: files of a later time are not asked, memories are as they were; what has no time is asked.
    """

    roles: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    ids: tuple[str, ...] = ()
    after_s: float | None = None
    before_s: float | None = None
    without_roles: tuple[str, ...] = ()
    without_kinds: tuple[str, ...] = ()
    without_tags: tuple[str, ...] = ()
    as_of_s: float | None = None

    def is_empty(self) -> bool:
        """Tell whether every document is asked."""
        return self == Filter()


@dataclass(frozen=True, slots=True)
class Query:
    """A whole search. `plain`: nothing but words, so that every index can answer it by rank alone."""

    clauses: tuple[Clause, ...]
    asked: Filter

    @property
    def plain(self) -> bool:
        """Tell whether this is words alone."""
        return all(one.form is Form.WORDS and one.need is Need.SHOULD and not one.where for one in self.clauses)

    @property
    def words(self) -> str:
        """All that is looked for by its words, as one text."""
        return " ".join(one.text for one in self.clauses if one.form is Form.WORDS and one.need is not Need.NOT)
