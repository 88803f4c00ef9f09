"""Labelled conversations, cut into the statements that memd takes from them, each with the facts that it tells."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from memd.engine.keep.talk.together import together
from memd.engine.keep.talk.told import told_in
from memd.model.sessions import Turn

if TYPE_CHECKING:
    from memd.model.sessions import Told

HELD = "_held"  # in the name of what measures, and is not learned from


class Talk(NamedTuple):
    """A labelled conversation, and the statements that memd takes from it, in order, each with the facts that it tells."""

    row: dict[str, Any]
    told: Sequence[tuple[Told, Sequence[dict[str, Any]]]]


@cache  # it is learned from, it is what nothing may be a case of, and reading it takes a while
def read_talks(path: Path) -> Sequence[Talk]:
    """Return the conversations of a file."""
    rows = map(json.loads, path.read_text("utf-8").splitlines())
    return tuple(Talk(row, tuple(_told_of(row))) for row in rows)


def _told_of(talk: dict[str, Any]) -> Iterator[tuple[Told, Sequence[dict[str, Any]]]]:
    zone = datetime.fromisoformat(talk["now"]).strftime("%z")
    turns = list(enumerate(talk["turns"], 1))
    for session in sorted({one.get("session", 1) for _, one in turns}):
        said = [
            Turn(n, one["who"], one["text"], datetime.fromisoformat(one["at"]).timestamp())
            for n, one in turns
            if one.get("session", 1) == session
        ]
        for told in together(told_in(said, f"{zone[:3]}:{zone[3:]}")):
            yield told, [one for one in talk["keep"] if _says(told, one)]


def _says(told: Told, fact: dict[str, Any]) -> bool:
    if fact["turn"] != told.turn and fact["turn"] not in told.proof:
        return False
    return all(re.search(one, told.text, re.IGNORECASE) for one in fact["must"])


def statements_of(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the statements of a file of conversations as labelled statements: kept where they tell a fact.

    What stands beside a fact in its turn is left out: it may be told with it.
    """
    for talk, said in read_talks(path):
        telling = {one["turn"] for one in talk["keep"]}
        for told, facts in said:
            if facts or telling.isdisjoint((told.turn, *told.proof)):
                source = "user" if told.source == "user" else "agent"
                yield {"text": told.text, "lang": talk["lang"], "source": source, "keep": bool(facts)}
