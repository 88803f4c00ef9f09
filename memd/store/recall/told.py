"""What the process that embeds was told: the texts of each group, and those of them that wait for a vector; and what it gives of statements."""

from __future__ import annotations

import asyncio
from array import array
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import count
from typing import Any, NamedTuple

from memd.storage.embedding.wire import Lacking, Tell, Text, text_digest

TEXT_CHARS = 20_000
AT_ONCE = 16  # texts on their way
SLICE = 500  # texts looked at before others have their turn


class Statements(NamedTuple):
    """Vectors of statements by their texts, of length 1; `turned`: of what is told, turned towards what is of one matter with it."""

    vectors: dict[str, array[float]]
    turned: dict[str, array[float]]


class Held(NamedTuple):
    """A text as it was told: what it was read of, and its number. No digest: the model does not know its language."""

    held: Any
    text: str
    windows: int
    digest: bytes
    number: int


class Reading(NamedTuple):
    """How texts are read of what a group holds.

    `newest`: of an id, what is greater for what is to be embedded first; `windows` of a text that count at most.
    """

    read: Callable[[Any], str]
    newest: Callable[[str], float] | None
    windows: int
    known: Callable[[str], bool]  # whether the model knows the language of a text


@dataclass(slots=True)
class Group:
    """What is looked through together. Where `mark` is what it was, nothing has changed; `late`: embedded after all others."""

    mark: Hashable = None
    late: bool = False
    newest: Callable[[str], float] | None = None
    held: dict[str, Held] = field(default_factory=dict)
    ids: dict[int, str] = field(default_factory=dict)
    numbers: count[int] = field(default_factory=lambda: count(1))

    async def renew(self, name: str, texts: Mapping[str, Any], reading: Reading) -> Tell:
        """Hold what there is now, and return what has changed."""
        put, drop = {}, []
        for at, (one, held) in enumerate(list(texts.items()), 1):
            before = self.held.get(one)
            if before is None or before.held is not held:
                text = clean(reading.read(held))[:TEXT_CHARS]
                digest = text_digest(text, reading.windows) if reading.known(text) else b""
                if before is not None and before.digest == digest:
                    self.held[one] = before._replace(held=held)
                    continue
                drop += [before.number] if before else []
                number = next(self.numbers)
                self.held[one], self.ids[number] = Held(held, text, reading.windows, digest, number), one
                put.update({number: digest} if digest else {})
            if not at % SLICE:
                await asyncio.sleep(0)
        drop += [self.held[one].number for one in self.held.keys() - texts.keys()]
        for number in drop:
            one = self.ids.pop(number)
            if self.held[one].number == number:
                del self.held[one]
        return Tell(name, put, drop, whole=False)


@dataclass(slots=True)
class Told:
    """The groups by name, and in what order their texts are embedded: those in `later` after all others. `sent` are on their way."""

    groups: dict[str, Group] = field(default_factory=dict)
    queue: OrderedDict[bytes, tuple[str, str]] = field(default_factory=OrderedDict)  # digest: group and id
    later: OrderedDict[bytes, tuple[str, str]] = field(default_factory=OrderedDict)
    sent: dict[bytes, tuple[str, str]] = field(default_factory=dict)

    @property
    def behind(self) -> int:
        """How many texts wait for a vector; those that come after all others are not counted."""
        return len(self.queue) + sum(not self._is_late(group) for group, _ in self.sent.values())

    @property
    def resting(self) -> bool:
        """Tell whether nothing waits for a vector."""
        return not (self.queue or self.later or self.sent)

    def _is_late(self, group: str) -> bool:
        return group in self.groups and self.groups[group].late

    def line_up(self, message: Lacking) -> None:
        """Let texts of a group wait for a vector, the newest first."""
        group = self.groups.get(message.group)
        if group is None:
            return
        queue = self.later if group.late else self.queue
        wanted = (
            set(message.digests) - self.queue.keys() - self.sent.keys() - (self.later.keys() if group.late else {*()})
        )
        ids = [one for one, held in group.held.items() if held.digest in wanted]
        for one in sorted(ids, key=group.newest or (lambda _: 0.0), reverse=True):
            queue[group.held[one].digest] = (message.group, one)

    def next(self) -> list[Text]:
        """Return the texts whose turn it is, none while others are on their way; those that are held no more are left out."""
        texts: list[Text] = []
        while (queue := self.queue or self.later) and not self.sent and len(texts) < AT_ONCE:
            digest, (group, one) = queue.popitem(last=False)
            held = self.groups[group].held.get(one) if group in self.groups else None
            if held is not None and held.digest == digest:
                texts.append(Text(digest, held.text, held.windows))
                self.sent[digest] = (group, one)
        return texts

    def done(self, digests: Iterable[bytes], *, again: bool = False) -> None:
        """Texts have their vectors; or have none, and wait again."""
        for digest in digests:
            whose = self.sent.pop(digest, None)
            if again and whose is not None:
                (self.later if self._is_late(whose[0]) else self.queue)[digest] = whose

    def forget(self, name: str) -> bool:
        """Let go of a group; tell whether there was one."""
        for queue in (self.queue, self.later):
            for digest in [digest for digest, (owner, _) in queue.items() if owner == name]:
                del queue[digest]
        return self.groups.pop(name, None) is not None

    def clear(self) -> None:
        """Know nothing any more."""
        self.groups.clear()
        self.queue.clear()
        self.later.clear()
        self.sent.clear()


def clean(text: str) -> str:
    """Return a text as it can be written in UTF-8, without zeros."""
    return text.encode("utf-8", "ignore").decode("utf-8").replace("\0", "")
