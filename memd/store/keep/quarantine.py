"""Texts that wait for a person: offered ones that were held back, and what a person has said of texts before.

Kept as lines of `.memory/review.jsonl`: `held` with the offer, then `approved` or `dropped`. The file may be a stranger's:
what it holds is offered, looked at when it is read; what it calls approved is history. Approved is what this machine keeps
as such (store/trust.py).
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC
from typing import TYPE_CHECKING, Any

from memd.engine.keep.gate import CONSTANT, FEELINGS
from memd.engine.keep.scan.scan import scan
from memd.engine.keep.scan.secrets import without_secrets
from memd.formats.records import read_lines
from memd.formats.times import given_bounds, to_seconds
from memd.model.scan import HELD, Danger, Scanned, digest_of_text
from memd.storage.layout import REVIEW
from memd.storage.side import is_unreadable, read_side
from memd.store.keep.looks import Looks
from memd.store.keep.secretless import Secretless

if TYPE_CHECKING:
    from memd.engine.linear import Linear
    from memd.storage.files import Tree

HELD_LINES, HELD_CHARS = 1000, 65_536  # texts that wait, the newest, and how long they may be
WORDS = ("keys", "tags", "topics", "emotions")  # of a held text's fields; the others that count are below
PLAIN = {"name": str, "validity": str, "priority": int, "constant": bool, "speaker": str, "turn": int}
NAMES = ("name", "speaker")
EVENT = ("event_start", "event_end")
TIMES = (*EVENT, "valid_from", "valid_until", "expires_at")  # as they were when it was offered
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
    beside = [*(str(sure.get(key, "")) for key in NAMES), *(one for key in WORDS for one in sure[key])]
    if Danger.SECRET in scan("\n".join(beside)[:HELD_CHARS], orders).dangers:
        sure = {key: one for key, one in sure.items() if key not in (*NAMES, *WORDS)}
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
    sure: dict[str, Any] = {key: given[key] for key, kind in PLAIN.items() if type(given.get(key)) is kind}
    sure = {key: one for key, one in sure.items() if not isinstance(one, str) or len(one) <= PLAIN_CHARS}
    if not 0 <= sure.get("turn", 0) <= MOST_TURN:
        del sure["turn"]
    for key in TIMES:
        at = given.get(key)
        if type(at) in (str, int) and len(str(at)) <= TIME_CHARS and to_seconds(at) is not None:
            sure[key] = at
    if not _is_event(sure):
        sure = {key: one for key, one in sure.items() if key not in EVENT}
    for key in WORDS:
        words = given.get(key)
        listed = words if isinstance(words, list) else []
        sure[key] = [one for one in listed if isinstance(one, str) and len(one) <= 500][:100]
    found = given.get("inferred")
    sure["inferred"] = [one for one in (CONSTANT, FEELINGS) if isinstance(found, list) and one in found]
    return sure


def _is_event(sure: Mapping[str, Any]) -> bool:
    try:
        start, end = (sure.get(key) for key in EVENT)
        given_bounds(start, end, UTC)
    except (ValueError, OverflowError):
        return False
    return True
