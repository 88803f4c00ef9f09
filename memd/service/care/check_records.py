"""What is wrong with records that can be read: keys that no text can have, memories that nothing can bring to mind."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from memd.engine.keep.succeed import digests_of
from memd.engine.recall.succession import Succession
from memd.errors import Fault, RejectedFileError
from memd.formats.records import read_events
from memd.formats.skill_file import skill_faults
from memd.formats.task_file import load_task
from memd.model.files import Purpose, purpose_of
from memd.store.recall.curated import chars_of, limit_chars
from memd.store.room import WARN_SHARE
from memd.text.analysis import tokens
from memd.text.characters import squeeze

if TYPE_CHECKING:
    from memd.formats.role_memory import Element
    from memd.formats.role_reader import Entry, Parsed
    from memd.model.memory import Memory
    from memd.model.settings import Settings

LINE_BYTES = 4096  # of a line that are kept for its column; a file on one line has columns of no use to anybody


def record_faults(parsed: Parsed, name: str, most_chars: int, withheld: Callable[[Memory], str]) -> Iterator[Fault]:
    """Yield what is wrong with each record of a file that was read, at its line.

    `withheld` says why a memory may not stand in a prompt, "" where it may.
    """
    places = _Places(parsed)
    links = Links(entry.memory for entry in parsed.entries)
    for entry in parsed.entries:
        value = entry.element.value()
        for key, code, why in (*_of_record(entry, value, most_chars), *links.faults(entry.memory, value)):
            line, column = places.of(entry.element, key)
            yield Fault(name, line, column, why, code)
        why = withheld(entry.memory)
        if why:
            line, column = places.of(entry.element, "")
            yield Fault(name, line, column, f"{entry.memory.id[:60]}: {why}", "memory.withheld")


def _of_record(entry: Entry, value: dict[str, Any], most_chars: int) -> Iterator[tuple[str, str, str]]:
    memory = entry.memory
    said = memory.id[:60]
    for key in value.get("keywords") or ():
        if isinstance(key, str) and not squeeze(key):
            yield "keywords", "memory.dead_key", f"{key!r} of {said} is a key that no text can have"
    if _is_silent(memory):
        yield "", "memory.silent", f"nothing can bring {said} to mind: it has no key and no telling word"
    if len(memory.content) > most_chars:
        why = f"{said} has {len(memory.content)} characters, the limit is {most_chars}"
        yield "", "limit.memory_chars", why


def _is_silent(memory: Memory) -> bool:
    if memory.constant or memory.disabled or memory.keys:
        return False
    return not any(tokens(text) for text in (memory.text, *memory.topics, *memory.tags))


class _Places:
    """Where records stand in their file, counted once from its beginning."""

    def __init__(self, parsed: Parsed) -> None:
        self.starts: dict[int, tuple[int, int]] = {}
        line, tail = 1, b""  # `tail` is the line as far as it has come
        for literal, array in zip_longest(parsed.document.literals, parsed.document.arrays):
            pieces: list[tuple[bytes, Element | None]] = [(literal, None)]
            if array is not None:
                pieces += [(array.inner, None)] if not array.elements else []
                for number, element in enumerate(array.elements):
                    pieces += [(b",", None)] if number else []
                    pieces += [(element.raw[: element.start], element), (element.raw[element.start :], None)]
            for piece, element in pieces:
                line += piece.count(b"\n")
                tail = piece.rpartition(b"\n")[2] if b"\n" in piece else (tail + piece)[-LINE_BYTES:]
                if element is not None:
                    self.starts[id(element)] = (line, _column(tail))

    def of(self, element: Element, key: str) -> tuple[int, int]:
        """Return line and column (from 1) of a record, or of a member of it."""
        line, column = self.starts[id(element)]
        member = re.search(rb'"' + key.encode() + rb'"[ \t\r\n]*:', element.body) if key else None
        if not member:
            return line, column
        before = element.body[: member.start()]
        inside = before.rpartition(b"\n")
        if not inside[1]:
            return line, column + len(before.decode("utf-8", "replace"))
        return line + before.count(b"\n"), _column(inside[2])


def _column(tail: bytes) -> int:
    return len(tail.decode("utf-8", "replace").removeprefix("\ufeff")) + 1


# What is wrong with who took whose place in a memory.json: notes that nobody backs, circles, conflicts, what is not there.

SHOWN = 60


class Links:
    """The memories of one file, and who names whom."""

    def __init__(self, memories: Iterable[Memory]) -> None:
        self.memories = {one.id: one for one in memories}
        self.succession = Succession()
        for one in self.memories.values():
            self.succession.put(one)

    def faults(self, memory: Memory, value: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
        """Yield what is wrong with the links of a record: the member, the code, and a sentence."""
        said = memory.id[:SHOWN]
        note = value.get("supersededBy")
        if isinstance(note, str) and note and memory.id not in self._named_by(note):
            yield "supersededBy", "memory.unbacked", f"{said} says that {note[:SHOWN]!r} took its place, which does not"
        for other in memory.supersedes:
            if other == memory.id or self.succession.names(other, memory.id, self.memories):
                why = f"{said} and {other[:SHOWN]!r} take each other's place, so neither does"
                yield "supersedes", "memory.circle", why
        if gone := [one for one in memory.supersedes if one not in self.memories]:
            more = f", and {len(gone) - 1} more that are not" if len(gone) > 1 else ""
            yield "supersedes", "memory.lost_link", f"{said} names {gone[0][:SHOWN]!r}, which is not in this file{more}"
        if lost := self._lost_covers(memory):
            yield "covers", "memory.lost_cover", f"{said} covers {len(lost)} statements that are not there any more"
        # What somebody doubts is settled in `memd review`; here is what two successors say of one memory.
        doubts = {*memory.conflicts, *self.succession.doubted.get(memory.id, ())}
        rivals = [one for one in self.succession.standing(memory, self.memories).rivals if one > memory.id]
        rivals = [one for one in rivals if one not in doubts]
        for rival in rivals:
            yield "supersedes", "memory.conflict", f"{said} and {rival[:SHOWN]!r} took the place of the same memory"

    def _named_by(self, memory_id: str) -> tuple[str, ...]:
        return self.memories[memory_id].supersedes if memory_id in self.memories else ()

    def _lost_covers(self, memory: Memory) -> set[str]:
        named = [self.memories[one] for one in memory.supersedes if one in self.memories]
        if not memory.covers or len(named) < len(memory.supersedes):
            return set()
        return set(memory.covers) - {digest for one in named for digest in digests_of(one)}


# What is wrong with curated memory, sessions, receipts, tasks and skills, as far as one file tells.


def work_faults(name: str, data: bytes, settings: Settings) -> Iterator[Fault]:
    """Yield what is wrong beyond what makes a file unreadable."""
    look = _LOOKS.get(purpose_of(name) or Purpose.PAGE)
    if look is not None:
        yield from look(name, data, settings)


def _curated(name: str, data: bytes, settings: Settings) -> Iterator[Fault]:
    size, limit = chars_of(data.decode("utf-8", "replace")), limit_chars(settings.limits, name)
    if size > limit:
        yield Fault(name, 1, 1, f"{size} characters; tools may write up to {limit}", "limit.curated")
    elif size >= limit * WARN_SHARE:
        yield Fault(name, 1, 1, f"{size} of {limit} characters that tools may write", "limit.near")


def _session(name: str, data: bytes, _: Settings) -> Iterator[Fault]:
    lines = [number for number, read in enumerate(read_events(data), 1) if read.foreign]
    if lines and lines[0] > 1:  # a file that begins so is another program's
        why = f"{len(lines)} lines were written or changed by somebody else than memd"
        yield Fault(name, lines[0], 1, why, "session.foreign")


def _task(name: str, data: bytes, _: Settings) -> Iterator[Fault]:
    try:
        load_task(data.decode("utf-8", "replace"), name)
    except RejectedFileError as error:
        yield error.fault


def _skill(name: str, data: bytes, _: Settings) -> Iterator[Fault]:
    known = skill_faults(data.decode("utf-8", "replace"), name.split("/")[-2], name)
    yield from (fault for fault in known if fault.code.startswith("skill."))


_LOOKS: dict[Purpose, Callable[[str, bytes, Settings], Iterator[Fault]]] = {
    Purpose.CURATED: _curated,
    Purpose.SESSION: _session,
    Purpose.TASK: _task,
    Purpose.SKILL: _skill,
}
