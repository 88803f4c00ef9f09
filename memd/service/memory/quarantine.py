"""Texts that wait for a person: offered ones that were held back, and what a person has said of texts before.

Kept as lines of `.memory/review.jsonl`: `held` with the offer, then `approved`, `edited` or `dropped`. It is git-ignored:
a clone does not bring approvals with it.
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from memd.engine.keep.linear import Linear
from memd.engine.keep.scan.scan import scan
from memd.formats.records import read_lines
from memd.model.scan import Scanned
from memd.storage.files import Tree
from memd.storage.layout import REVIEW

SCANNED = 20_000  # texts of which it is known what they hold
HELD, APPROVED, DROPPED = "held", "approved", "dropped"


@dataclass(slots=True)
class Quarantine:
    """`held` by id, oldest first; `approved` are digests of texts that a person let through."""

    held: OrderedDict[str, dict[str, Any]] = field(default_factory=OrderedDict)
    approved: set[str] = field(default_factory=set)
    loaded: bool = False
    said: int = 0  # how often a person said something; what was answered before is then asked anew
    _scanned: OrderedDict[str, Scanned] = field(default_factory=OrderedDict)

    def load(self, tree: Tree, waiting: Iterable[str]) -> None:
        """Read what was held and said, acknowledged lines that are not in the file yet included; once."""
        if self.loaded:
            return
        try:
            data = tree.read(REVIEW)[0]
        except FileNotFoundError:
            data = b""
        for text in (data, "".join(waiting).encode()):
            for line in read_lines(text):
                if line.value is not None:
                    self.take(line.value)
        self.loaded = True

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

    def give_back(self, value: Mapping[str, Any], before: Mapping[str, Any] | None) -> None:
        """Undo one line that could not be written."""
        held_id = str(value.get("id", ""))
        if value.get("what") == HELD:
            self.held.pop(held_id, None)
        elif before is not None:
            self.held[held_id] = dict(before)
            self.approved.discard(str(value.get("digest", "")))

    def look(self, text: str, orders: Linear) -> Scanned:
        """Return what a text holds; texts seen lately are not looked at again."""
        known = self._scanned.get(text)
        if known is None:
            known = self._scanned[text] = scan(text, orders)
            if len(self._scanned) > SCANNED:
                self._scanned.popitem(last=False)
        return known

    def is_approved(self, text: str) -> bool:
        """Tell whether a person has let this text through."""
        return digest_of_text(text) in self.approved


def digest_of_text(text: str) -> str:
    """Return the sha256 of a text."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
