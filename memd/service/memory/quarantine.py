"""Texts that wait for a person: offered ones that were held back, and what a person has said of texts before.

Kept as lines of `.memory/review.jsonl`: `held` with the offer, then `approved` or `dropped`. It is git-ignored:
a clone does not bring approvals with it.
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from memd.engine.keep.leaves import without_secrets
from memd.engine.keep.linear import Linear
from memd.formats.records import read_lines
from memd.model.scan import Danger, Scanned
from memd.service.looks import Looks
from memd.service.secretless import Secretless
from memd.storage.files import Tree
from memd.storage.layout import REVIEW

HELD, APPROVED, DROPPED = "held", "approved", "dropped"


@dataclass(slots=True)
class Quarantine:
    """`held` by id, oldest first; `approved` are digests of texts that a person let through."""

    held: OrderedDict[str, dict[str, Any]] = field(default_factory=OrderedDict)
    approved: set[str] = field(default_factory=set)
    loaded: bool = False
    said: int = 0  # how often a person said something; what was answered before is then asked anew
    looks: Looks = field(default_factory=Looks)
    secretless: Secretless = field(default_factory=Secretless)

    def read(self, tree: Tree, waiting: Iterable[str]) -> list[dict[str, Any]]:
        """Return what was held and said, acknowledged lines that are not in the file yet included. Blocks."""
        try:
            data = tree.read(REVIEW)[0]
        except FileNotFoundError:
            data = b""
        texts = (data, "".join(waiting).encode())
        return [line.value for text in texts for line in read_lines(text) if line.value is not None]

    def begin(self, values: Iterable[Mapping[str, Any]]) -> None:
        """Take in what was read, unless another did before."""
        if not self.loaded:
            for value in values:
                self.take(value)
            self.loaded = True

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
            if value.get("what") == APPROVED and isinstance(value.get("digest"), str):
                self.approved.add(value["digest"])

    def give_back(
        self, value: Mapping[str, Any], before: Mapping[str, Any] | None, *, was_approved: bool = False
    ) -> None:
        """Undo one line that could not be written: `before` is what was held, `was_approved` what was said earlier."""
        held_id = str(value.get("id", ""))
        self.said += 1
        if value.get("what") == HELD:
            self.held.pop(held_id, None)
        elif before:
            self.held[held_id] = dict(before)
        if not was_approved:
            self.approved.discard(str(value.get("digest", "")))

    def look(self, text: str, orders: Linear) -> Scanned:
        """Return what a text holds, at once; see `looks.look_ahead` for long ones."""
        return self.looks.look(text, orders)

    def without_secrets(self, text: str) -> str:
        """Return a text without its secrets, the same one where it has none; texts seen lately are not looked at again."""
        seen = self.looks.known(text)
        if seen is not None:
            self.secretless.keep(text, seen.clean if Danger.SECRET in seen.dangers else text)
        return self.secretless.of(text)

    async def take_secrets_ahead(self, texts: Iterable[str]) -> None:
        """Look for secrets in texts, beside the loop where they are long together."""
        lacking = [one for one in self.secretless.lacking(texts) if self.looks.known(one) is None]
        plain = await self.looks.beside(sum(map(len, lacking)), _without_secrets, lacking)
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


def digest_of_text(text: str) -> str:
    """Return the sha256 of a text."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
