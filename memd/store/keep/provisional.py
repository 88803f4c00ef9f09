"""Verdicts that words gave alone because the model had no time: held until they are judged again, and what became of them.

Kept as lines of `.memory/state/provisional.jsonl`: `provisional` with the offer and what was made of it, then `judged` with what
became of it. Both are bounded: of the oldest what words said stands. The file may be a stranger's, and is looked at when it is read.

Units
    bytes are those of a line as JSON.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from memd.engine.keep.scan.scan import scan
from memd.errors.remembering import LEAST_PREFIX
from memd.formats.records import read_lines
from memd.formats.times import to_iso
from memd.model.memory import Kind, Source
from memd.storage.layout import PROVISIONAL
from memd.storage.listing import is_unreadable, read_side
from memd.store.keep.inbox import size_of, sound_entry

if TYPE_CHECKING:
    from memd.engine.linear import Linear
    from memd.model.change import Line, Operation
    from memd.storage.files import Tree

HELD, JUDGED, FORGOTTEN = "provisional", "judged", "forgotten"
MOST, MOST_BYTES = 500, 500_000  # offers that are held
KEPT, EXCERPT_CHARS, WHY_CHARS = 500, 120, 300  # of those judged again: how many are told of, and how much
_PLAIN = ("verdict", "memory", "inbox", "digest", "asked_kind")
_TOLD = ("id", "role", "at", "was", "became", "memory", "inbox", "why", "content")


@dataclass(slots=True)
class Provisional:
    """`held` and `judged` by id, oldest first; `bytes` is what is held. `news` is set when something comes."""

    held: OrderedDict[str, dict[str, Any]] = field(default_factory=OrderedDict)
    judged: OrderedDict[str, dict[str, Any]] = field(default_factory=OrderedDict)
    bytes: int = 0
    loaded: bool = False
    unread: bool = False
    news: asyncio.Event = field(default_factory=asyncio.Event)

    def read(self, tree: Tree, lines: Iterable[str], orders: Linear) -> list[dict[str, Any]]:
        """Return what is held and told, looked at, acknowledged lines that are not in the file yet included. Blocks."""
        found = read_side(tree, PROVISIONAL)
        self.unread = found is None and is_unreadable(tree, PROVISIONAL)
        texts = (found or b"", "".join(lines).encode())
        last: dict[str, dict[str, Any]] = {}
        for value in (line.value for text in texts for line in read_lines(text) if line.value is not None):
            last.pop(str(value.get("id")), None)
            last[str(value.get("id"))] = value
        held, judged = ([one for one in last.values() if one.get("what") == what] for what in (HELD, JUDGED))
        sound = (_sound(one, orders) for one in (*held[-MOST:], *judged[-KEPT:]))
        return [one for one in sound if one is not None]

    def begin(self, values: Iterable[Mapping[str, Any]]) -> None:
        """Take in what was read, unless another did before."""
        if not self.loaded:
            for value in values:
                self.take(value)
            self.loaded = not self.unread

    def take(self, value: Mapping[str, Any]) -> None:
        """Make one line true."""
        entry_id = str(value["id"])
        self._leave(entry_id)
        if value.get("what") == HELD:
            self.held[entry_id] = dict(value)
            self.bytes += size_of(value)
            self.news.set()
        elif value.get("what") == JUDGED:
            self.judged[entry_id] = dict(value)
            if len(self.judged) > KEPT:
                self.judged.popitem(last=False)

    def find(self, role: str, entry_id: str) -> dict[str, Any] | None:
        """Return the line of an id or of the only one that begins so, None where there is none."""
        known = {**self.judged, **self.held}
        if entry_id in known:
            return known[entry_id] if known[entry_id].get("role") == role else None
        fits = [one for one in known if len(entry_id) >= LEAST_PREFIX and one.startswith(entry_id)]
        fits = [one for one in fits if known[one].get("role") == role]
        return known[fits[0]] if len(fits) == 1 else None

    def about(self, memory_id: str) -> list[str]:
        """Return the ids of what has to do with a memory."""
        known = {**self.judged, **self.held}
        return [one for one, value in known.items() if memory_id in (one, value.get("memory"))]

    def in_the_way(self, value: Mapping[str, Any]) -> list[str] | None:
        """Return those that must go for another, the oldest first; None where it has no place at all."""
        added = size_of(value)
        if added > MOST_BYTES:
            return None
        gone: list[str] = []
        count, size = len(self.held) + 1, self.bytes + added
        for one, held in self.held.items():
            if count <= MOST and size <= MOST_BYTES:
                break
            gone.append(one)
            count, size = count - 1, size - size_of(held)
        return gone

    def steps(self, record: Callable[[str, int, dict[str, Any], float], Line], now_s: float) -> Noted:
        """Return what a batch will do; `record` is Store.record."""
        return Noted(self, record, now_s)

    def let_go(self, entry_id: str) -> None:
        """Hold an offer no more."""
        known = self.held.pop(entry_id, None)
        if known is not None:
            self.bytes -= size_of(known)

    def _leave(self, entry_id: str) -> None:
        self.judged.pop(entry_id, None)
        self.let_go(entry_id)


@dataclass(slots=True)
class Noted:
    """The lines of one batch, each with what stood under its id before."""

    provisional: Provisional
    record: Callable[[str, int, dict[str, Any], float], Line]
    now_s: float
    _lines: list[dict[str, Any]] = field(default_factory=list)
    _before: list[tuple[str, dict[str, Any] | None]] = field(default_factory=list)

    def hold(self, value: Mapping[str, Any]) -> None:
        """Hold an offer until it is judged again."""
        self._lines.append({**value, "what": HELD})

    def settle(self, entry: Mapping[str, Any], became: str, why: str, *, memory: str = "", inbox: str = "") -> None:
        """Tell what became of an offer: with the memory that has it now, or the id under which it waits."""
        told = {
            "what": JUDGED,
            "id": entry["id"],
            "role": entry["role"],
            "was": entry.get("verdict") or entry.get("was"),
        }
        about = {"memory": memory, "inbox": inbox, "why": why[:WHY_CHARS], "at": to_iso(self.now_s)}
        told |= {"became": became, "content": str(entry.get("content", ""))[:EXCERPT_CHARS]}
        self._lines.append({**told, **{key: one for key, one in about.items() if one}})

    def forget(self, entry_id: str, memory_id: str) -> None:
        """Let nothing be told of an offer: its memory is erased."""
        self._lines.append({"what": FORGOTTEN, "id": entry_id, "memory": memory_id})

    def operations(self, n: int) -> list[Operation]:
        """Make the lines true, and return them as operations of batch `n`."""
        known = self.provisional
        for line in self._lines:
            self._before.append((line["id"], known.held.get(line["id"]) or known.judged.get(line["id"])))
            known.take(line)
        return [self.record(PROVISIONAL, n, line, self.now_s) for line in self._lines]

    def roll_back(self) -> None:
        """Undo the lines that were made true."""
        for entry_id, before in reversed(self._before):
            self.provisional.take(before or {"what": FORGOTTEN, "id": entry_id})
        self._before.clear()


def _sound(value: Mapping[str, Any], orders: Linear) -> dict[str, Any] | None:
    """Return a line as it may be told and judged again; None for what is none, and for what reads as an order."""
    texts = {key: one[:WHY_CHARS] for key in _TOLD if isinstance(one := value.get(key), str) and one}
    if value.get("what") == JUDGED:
        whole = all(texts.get(key) for key in ("id", "role", "became"))
        return {**texts, "what": JUDGED} if whole else None
    entry = sound_entry(value, orders) if value.get("what") == HELD else None
    if entry is None or scan(entry["content"], orders).orders:
        return None
    plain: dict[str, Any] = {key: one[:200] for key in _PLAIN if isinstance(one := value.get(key), str)}
    claimed = value.get("claimed")
    if isinstance(claimed, (int, float)) and not isinstance(claimed, bool):
        plain["claimed"] = claimed
    if entry.get("source", "") not in ("", *Source) or plain.get("asked_kind", "") not in ("", *Kind):
        return None
    said = {name: value.get(name) is True for name in ("explicit", "overheard")}
    return {**entry, **plain, "what": HELD, **said}
