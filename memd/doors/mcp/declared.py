"""What a tool is: a verb with a model's words. Types, bounds and defaults are the verb's own.

From the declaration and the verb's request and reply follow the schemas that clients are given: made by
`make docs`, kept in schemas.json, so that a server need not import what answers.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Given:
    """A field of the request that a model may give.

    `of`       the field, where a model needs another name
    `says`     a model's words, where the declared ones are for programmers
    `needed`   it must be given, where the verb can do without
    `least`, `most`, `each_most`, `choices`  narrower bounds: of a text's or list's length, of a number, of each text
    `also`     other words for the choices, as people write them
    `default`  what is sent where nothing is given, where it is not the verb's
    `schema`   the whole schema, where the declared one is nothing for a model
    `called`   what the daemon calls it where it refuses it
    `digits`   a whole number is meant as its digits: of what is a text, and is often all of digits
    `whose`    the role that is meant where none is named; with `every`, "*" is all roles
    """

    name: str
    of: str = ""
    says: str = ""
    needed: bool = False
    least: int | None = None
    most: int | None = None
    each_most: int | None = None
    choices: tuple[str, ...] = ()
    also: Mapping[str, str] = field(default_factory=dict)
    default: Any = None
    schema: Mapping[str, Any] = field(default_factory=dict)
    called: str = ""
    digits: bool = False
    whose: bool = False
    every: bool = False

    @property
    def field(self) -> str:
        """The request's field."""
        return self.of or self.name


@dataclass(frozen=True, slots=True)
class Key:
    """A key of the reply that a model is shown: `always`, or where it says something.

    `within` is what is shown of the object there, of each in a list, or, where it is `named`, of each behind a name.
    """

    name: str
    of: str
    always: bool
    within: tuple[Key, ...] = ()
    named: bool = False


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool. `does`: reads, adds or changes. `shows`: keys of the reply, as `keys_of` reads them.

    `pages` is the key whose list comes in pages: `next_offset` is shown beside it until the end.
    `asks` and `answers` are where the tool differs from its verb: they change what is sent, and what has come.
    """

    name: str
    verb: str
    does: str
    title: str
    words: str
    takes: tuple[Given, ...]
    shows: str
    text: Callable[[dict[str, Any]], str]
    always_loaded: bool = False
    pages: str = ""
    fixed: Mapping[str, Any] = field(default_factory=dict)
    key_words: Mapping[str, str] = field(default_factory=dict)
    asks: Callable[[dict[str, Any]], dict[str, Any]] = dict
    answers: Callable[[dict[str, Any]], dict[str, Any]] = dict
    keys: tuple[Key, ...] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "keys", keys_of(self.shows))


_WORD = re.compile(r"([a-z_]+)(?:=([a-z_]+))?(\*?)([({]?)|([)}])")


def keys_of(shows: str) -> tuple[Key, ...]:
    """Return keys as they are written: `id* text hits(score) by_name{score}`; a star: always there; `as_shown=as_declared`."""
    open_keys: list[list[Key]] = [[]]
    heads: list[tuple[str, str, bool]] = []
    for name, of, star, opens, closes in _WORD.findall(shows):
        if closes:
            within = tuple(open_keys.pop())
            open_keys[-1].append(Key(*heads.pop(), within, closes == "}"))
        elif opens:
            heads.append((name, of or name, bool(star)))
            open_keys.append([])
        else:
            open_keys[-1].append(Key(name, of or name, bool(star)))
    return tuple(open_keys[0])


def shown(keys: tuple[Key, ...], reply: Mapping[str, Any]) -> dict[str, Any]:
    """Return of a reply what a model is shown; what is null or empty says nothing, unless it is always there."""
    found = {key.name: _within(key, reply.get(key.of)) for key in keys if key.always or key.of in reply}
    always = {key.name for key in keys if key.always}
    return {name: value for name, value in found.items() if name in always or value not in (None, "", [], {})}


def _within(key: Key, value: Any) -> Any:
    if not key.within or not value:
        return value
    if isinstance(value, list):
        return [shown(key.within, one) for one in value]
    if key.named:
        return {name: shown(key.within, one) for name, one in value.items()}
    return shown(key.within, value)


# What several tools take, in a model's words.

ROLE = Given("role", whose=True, says="whose memory: a role's name, alias or uuid; leave it out for your own")
ID = Given("id", least=4, digits=True, says="a memory's id, or its first 8 characters")
DAY = "a day, month or year: 2026-05-08, 2026-05, 2026"
AS_OF = Given(
    "as_of",
    schema={"type": "string"},
    says="what was known and held then: 2026-05-08 (its end), 2026-05, 2026, or ISO 8601",
)
