"""What search finds, and a search taken apart.

Units
    `when_s` in seconds since the epoch; `line` counted from 1, where the document begins in its file.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import NamedTuple

from memd.model.memory import Kind, Memory

MEMORY_KINDS = tuple(kind.value for kind in Kind)
SEARCHED = (*MEMORY_KINDS, "curated", "page", "session", "run", "task", "skill")


@dataclass(frozen=True, slots=True)
class Document:
    """`key` is unique in the workspace; `name` is the file, and `id` what the file calls it."""

    key: str
    kind: str
    name: str
    role: str = ""
    id: str = ""
    title: str = ""
    text: str = ""
    keys: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    when_s: float | None = None
    line: int = 1

    def without_text(self) -> Document:
        """Return the same document for holding in memory: its text stays in the file."""
        return replace(self, text="")

    @property
    def texts(self) -> tuple[str, ...]:
        """All that is searched of it."""
        return (self.text, self.title, *self.keys, *self.topics, *self.tags)


def of_memory(role: str, memory: Memory, name: str) -> Document:
    """Return a memory as search sees it; `name` is its file."""
    return Document(
        key=memory_key(role, memory.id),
        kind=memory.kind.value,
        name=name,
        role=role,
        id=memory.id,
        title=memory.name,
        text=memory.text,
        keys=memory.keys,
        topics=memory.topics,
        tags=memory.tags,
        when_s=memory.when_s,
    )


def memory_key(role: str, memory_id: str) -> str:
    """Return the key of a memory's document."""
    return f"m:{role}:{memory_id}"


def file_key(name: str, line: int = 0) -> str:
    """Return the key of a file's document, or of one line of it."""
    return f"f:{name}:{line}" if line else f"f:{name}"


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


class Rows(NamedTuple):
    """The terms of texts as rows of this machine's numbers, 4 bytes each, as an index in memory has them (engine/recall/lexicon.py).

    `words` by number. Where the row of each text `begins`, and the last one ends; the numbers of its terms, text after text, and
    their weights; how long each text is, in weights. Where the postings of each term start; the texts that have it, and its weights.
    """

    words: list[str]
    begins: bytes
    row: bytes
    times: bytes
    lengths: bytes
    starts: bytes
    posted: bytes
    weighed: bytes


NO_ROWS = Rows([], bytes(4), b"", b"", b"", bytes(4), b"", b"")
