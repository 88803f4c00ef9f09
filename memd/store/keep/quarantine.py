"""Texts that wait for a person: offered ones that were held back, and what a person has said of texts before.

Kept as lines of `.memory/review.jsonl`: `held` with the offer, then `approved` or `dropped`. The file may be a stranger's:
what it holds is offered, looked at when it is read; what it calls approved is history. Approved is what this machine keeps
as such (store/trust.py).
"""

from __future__ import annotations

import asyncio
import hashlib
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import UTC
from typing import TYPE_CHECKING, Any, TypeVar

from memd.engine.keep.gate import CONSTANT, FEELINGS
from memd.engine.keep.leaves import is_bare
from memd.engine.keep.scan.scan import scan
from memd.engine.keep.scan.secrets import without_secrets
from memd.errors import BadMemoryError
from memd.formats.entry import GIVEN, SAID_NAMES, SAID_WORDS, Form, given_as, to_memory
from memd.formats.records import read_lines
from memd.formats.times import given_bounds, to_seconds
from memd.model.memory import Kind
from memd.model.scan import HELD, Danger, Scanned, digest_of_text
from memd.storage.layout import REVIEW
from memd.storage.listing import is_unreadable, read_side

if TYPE_CHECKING:
    from memd.engine.linear import Linear
    from memd.storage.files import Tree

# Looking at texts beside the event loop: what is longer than LOOP_CHARS is looked at in a thread of its own.
#
# One thread is enough, and the loop has only one to share the interpreter with. What works there never holds it for
# long: patterns go through a text in slices (text/expressions.py), and between two slices the loop has its turn.
#
# Units
#     *_CHARS are characters.

LOOP_CHARS = 4096  # a text of this length takes some 5 ms
KEPT, KEPT_CHARS = 10_000, 2_000_000  # texts of which it is known what they hold: how many, and how long in all

Result = TypeVar("Result")


@dataclass(slots=True)
class Looks:
    """What was seen in the texts looked at lately, and the thread in which long ones are looked at."""

    _known: OrderedDict[str, Scanned] = field(default_factory=OrderedDict)
    _chars: int = 0
    _thread: ThreadPoolExecutor | None = None

    def look(self, text: str, orders: Linear) -> Scanned:
        """Return what a text holds, at once; a text seen lately is not looked at again."""
        known = self._known.get(text)
        if known is None:
            known = scan(text, orders)
            self._keep(text, known)
        return known

    def known(self, text: str) -> Scanned | None:
        """Return what a text looked at lately holds, None for another."""
        return self._known.get(text)

    async def look_at(self, texts: Iterable[str], orders: Linear) -> dict[str, Scanned]:
        """Return what each of some texts holds; beside the loop where what is not known yet is long."""
        seen: dict[str, Scanned] = {}
        unknown: list[str] = []
        for text in dict.fromkeys(texts):
            known = self._known.get(text)
            if known is None:
                unknown.append(text)
            else:
                seen[text] = known
        found = await self.beside(unknown, _all, unknown, orders)
        for text in unknown:
            seen[text] = found[text]
            self._keep(text, found[text])
        return seen

    async def beside(self, measured: Any, work: Callable[..., Result], *given: Any) -> Result:
        """Return `work(*given)`, done beside the loop where the texts in `measured` are long.

        The work may not touch what the loop changes.
        """
        if not self.is_long(measured):
            return work(*given)
        if self._thread is None:
            self._thread = ThreadPoolExecutor(1, "look")
        return await asyncio.get_running_loop().run_in_executor(self._thread, work, *given)

    @staticmethod
    def is_long(value: Any) -> bool:
        """Tell whether the texts in a value come to more than LOOP_CHARS characters; no more is counted than that."""
        room, waiting = LOOP_CHARS, [value]
        while waiting and room >= 0:
            one = waiting.pop()
            if isinstance(one, str):
                room -= len(one)
            elif isinstance(one, Mapping):
                room -= len(one)
                waiting += [*one, *one.values()] if room >= 0 else ()
            elif isinstance(one, (list, tuple)):
                room -= len(one)
                waiting += one if room >= 0 else ()
        return room < 0

    def _keep(self, text: str, seen: Scanned) -> None:
        if text in self._known:
            return
        self._known[text] = seen
        self._chars += len(text)
        while len(self._known) > KEPT or (self._chars > KEPT_CHARS and len(self._known) > 1):
            gone, _ = self._known.popitem(last=False)
            self._chars -= len(gone)


def _all(texts: list[str], orders: Linear) -> dict[str, Scanned]:
    return {text: scan(text, orders) for text in texts}


# Texts without their secrets: each is looked at once, and known by its digest afterwards.
SECRETLESS, SECRETLESS_CHARS = 20_000, 1_000_000  # texts that are known, and how long those with a secret are in all


@dataclass(slots=True)
class Secretless:
    """What was found lately: None for a text that has no secret, else the text without it."""

    _known: OrderedDict[bytes, str | None] = field(default_factory=OrderedDict)
    _chars: int = 0

    def of(self, text: str) -> str:
        """Return a text without its secrets, the same one where it has none."""
        if is_bare(text):
            return text
        key = _digest(text)
        if key not in self._known:
            self.keep(text, without_secrets(text))
        known = self._known[key]
        return text if known is None else known

    def lacking(self, texts: Iterable[str]) -> list[str]:
        """Return those texts, each once, that were not looked at."""
        return [one for one in dict.fromkeys(texts) if not is_bare(one) and _digest(one) not in self._known]

    def keep(self, text: str, plain: str) -> None:
        """Know what a text is without its secrets."""
        key = _digest(text)
        if key in self._known:
            return
        self._known[key] = None if plain == text else plain
        self._chars += 0 if plain == text else len(plain)
        while len(self._known) > SECRETLESS or (self._chars > SECRETLESS_CHARS and len(self._known) > 1):
            gone = self._known.popitem(last=False)[1]
            self._chars -= len(gone or "")


def _digest(text: str) -> bytes:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


HELD_LINES, HELD_CHARS = 1000, 65_536  # texts that wait, the newest, and how long they may be
PLAIN = {Form.NAME: str, Form.TERM: str, Form.NUMBER: int, Form.FLAG: bool}
EVENT = ("event_start", "event_end")
MOST_TURN, TIME_CHARS, PLAIN_CHARS = 10_000_000, 40, 200


@dataclass(slots=True)
class Quarantine:
    """`held` by id, oldest first; `approved` are digests of texts that a person let through."""

    held: OrderedDict[str, dict[str, Any]] = field(default_factory=OrderedDict)
    approved: frozenset[str] = frozenset()
    loaded: bool = False
    unread: bool = False
    said: int = 0  # how often a person said something; what was answered before is then asked anew
    looks: Looks = field(default_factory=Looks)
    secretless: Secretless = field(default_factory=Secretless)

    def trust(self, approved: frozenset[str]) -> None:
        """Hear which texts this machine lets through."""
        if approved != self.approved:
            self.approved = approved
            self.said += 1

    def read(self, tree: Tree, waiting: Iterable[str], orders: Linear) -> list[dict[str, Any]]:
        """Return what was held and said, looked at, acknowledged lines that are not in the file yet included. Blocks."""
        found = read_side(tree, REVIEW)
        self.unread = found is None and is_unreadable(tree, REVIEW)  # then it is looked at again
        data = found or b""
        texts = (data, "".join(waiting).encode())
        lines = [line.value for text in texts for line in read_lines(text) if line.value is not None]
        over = {str(one.get("id")) for one in lines if one.get("what") != HELD}
        waits = [one for one in lines if one.get("what") == HELD and str(one.get("id")) not in over][-HELD_LINES:]
        return [held for one in waits if (held := looked_at(one, orders)) is not None]

    def begin(self, values: Iterable[Mapping[str, Any]]) -> None:
        """Take in what was read, unless another did before."""
        if not self.loaded:
            for value in values:
                self.take(value)
            self.loaded = not self.unread

    def held_as(self, digest: str, role: str) -> str:
        """Return the id under which a text of a role waits already, or ""."""
        return next(
            (one for one, value in self.held.items() if (value.get("digest"), value.get("role")) == (digest, role)), ""
        )

    def take(self, value: Mapping[str, Any]) -> None:
        """Make one line true."""
        held_id = str(value.get("id", ""))
        if value.get("what") == HELD:
            self.held[held_id] = dict(value)
        else:
            self.said += 1
            self.held.pop(held_id, None)

    def give_back(self, value: Mapping[str, Any], before: Mapping[str, Any] | None) -> None:
        """Undo one line that could not be written: `before` is what was held."""
        held_id = str(value.get("id", ""))
        self.said += 1
        if value.get("what") == HELD:
            self.held.pop(held_id, None)
        elif before:
            self.held[held_id] = dict(before)

    def look(self, text: str, orders: Linear) -> Scanned:
        """Return what a text holds, at once; a long one is looked at ahead (screening.look_at)."""
        return self.looks.look(text, orders)

    def without_secrets(self, text: str) -> str:
        """Return a text without its secrets, the same one where it has none; texts seen lately are not looked at again."""
        seen = self.looks.known(text)
        if seen is not None:
            self.secretless.keep(text, seen.clean if Danger.SECRET in seen.dangers else text)
        return self.secretless.of(text)

    @staticmethod
    def plain(text: str) -> str:
        """Return a text without its secrets, whoever looked at it before: what a thread may call."""
        return without_secrets(text)

    async def take_secrets_ahead(self, texts: Iterable[str]) -> None:
        """Look for secrets in texts, beside the loop where they are long together."""
        lacking = [one for one in self.secretless.lacking(texts) if self.looks.known(one) is None]
        plain = await self.looks.beside(lacking, _without_secrets, lacking)
        for text, kept in zip(lacking, plain, strict=True):
            self.secretless.keep(text, kept)

    def why_withheld(
        self, text: str, content: str, orders: Linear, only: Collection[Danger] = frozenset(Danger)
    ) -> str:
        """Return why a text may not stand in a prompt, "" where it may, or a person has approved it or its content."""
        found = tuple(one for one in self.look(text, orders).found if one.danger in only)
        if not found or self.is_approved(text) or self.is_approved(content):
            return ""
        return Scanned(found, "").why

    def is_approved(self, text: str) -> bool:
        """Tell whether a person has let this text through."""
        return digest_of_text(text) in self.approved


def _without_secrets(texts: list[str]) -> list[str]:
    return [without_secrets(one) for one in texts]


def looked_at(value: Mapping[str, Any], orders: Linear) -> dict[str, Any] | None:
    """Return a line that offers a text as it may be shown: what it holds said anew, secrets taken out, other words of it bounded.

    None where it offers nothing that could be stored.
    """
    content, fields = value.get("content"), value.get("fields")
    if not isinstance(content, str) or not content.strip() or len(content) > HELD_CHARS or not value.get("id"):
        return None
    given = fields if isinstance(fields, dict) else {}
    sure = _sure_fields(given)
    beside = [*(str(sure.get(key, "")) for key in SAID_NAMES), *(one for key in SAID_WORDS for one in sure[key])]
    if Danger.SECRET in scan("\n".join(beside)[:HELD_CHARS], orders).dangers:
        sure = {key: one for key, one in sure.items() if key not in (*SAID_NAMES, *SAID_WORDS)}
    scanned = scan(content, orders)
    texts = ("id", "role", "kind", "source", "session", "run", "at")
    return {
        "what": HELD,
        **{key: one[:200] for key in texts if isinstance(one := value.get(key), str)},
        "content": scanned.clean if Danger.SECRET in scanned.dangers else content,
        "fields": {key: one for key, one in sure.items() if one not in ("", [])},
        "why": scanned.why or "nothing is found in it now",
        "digest": str(value.get("digest", ""))[:64],
    }


def _sure_fields(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a line says beside its text, as far as it is what such fields are."""
    plain = {name: PLAIN[one.form] for name, one in GIVEN.items() if one.form in PLAIN}
    sure: dict[str, Any] = {
        name: one for name, kind in plain.items() if type(one := given.get(name)) is kind and _fits(name, one)
    }
    sure = {key: one for key, one in sure.items() if not isinstance(one, str) or len(one) <= PLAIN_CHARS}
    if not 0 <= sure.get("turn", 0) <= MOST_TURN:
        del sure["turn"]
    for key in given_as(Form.TIME):  # as they were when it was offered
        at = given.get(key)
        if type(at) in (str, int) and len(str(at)) <= TIME_CHARS and to_seconds(at) is not None:
            sure[key] = at
    if not _is_event(sure):
        sure = {key: one for key, one in sure.items() if key not in EVENT}
    for key in SAID_WORDS:
        words = given.get(key)
        listed = words if isinstance(words, list) else []
        sure[key] = [one for one in listed if isinstance(one, str) and len(one) <= 500][:100]
    found = given.get("inferred")
    sure["inferred"] = [one for one in (CONSTANT, FEELINGS) if isinstance(found, list) and one in found]
    return sure


def _fits(name: str, value: object) -> bool:
    """Tell whether a record may say this."""
    try:
        to_memory({"content": name, GIVEN[name].key: value}, Kind.EPISODIC, name)
    except BadMemoryError:
        return False
    return True


def _is_event(sure: Mapping[str, Any]) -> bool:
    try:
        start, end = (sure.get(key) for key in EVENT)
        given_bounds(start, end, UTC)
    except (ValueError, OverflowError):
        return False
    return True
