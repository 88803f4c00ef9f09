"""How often each session went around memd: counted from the audit log, so that a restart forgets nothing."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from memd.formats.records import read_lines
from memd.storage.layout import AUDIT, PRIVATE
from memd.storage.listing import is_unreadable, list_side, read_side

if TYPE_CHECKING:
    from memd.storage.files import Tree

SESSIONS = 500
WORD = "violation"


@dataclass(slots=True)
class Violations:
    """Counts by session, the latest at the end."""

    counts: OrderedDict[str, int] = field(default_factory=OrderedDict)
    loaded: bool = False
    unread: bool = False

    def read(self, tree: Tree, waiting: Iterable[str]) -> list[str]:
        """Return the session of each violation in the audit log, lines that are not in it yet included. Blocks."""
        self.unread = is_unreadable(tree, AUDIT)
        names = sorted(one.name for one in list_side(tree, PRIVATE) if one.is_file and one.name.startswith("audit-"))
        texts = [read_side(tree, f"{PRIVATE}/{name}") or b"" for name in (*names, "audit.jsonl")]
        found: dict[tuple[object, object], str] = {}
        for text in (*texts, "".join(waiting).encode()):
            for line in read_lines(text):
                value = line.value or {}
                if value.get("what") == WORD:
                    found[value.get("w"), value.get("n")] = str(value.get("session", ""))
        return list(found.values())

    def begin(self, sessions: Iterable[str]) -> None:
        """Count what was read, unless another did before."""
        if not self.loaded:
            self.loaded = not self.unread  # else it is counted anew, with what waits, until the log can be read
            self.counts.clear()
            for session in sessions:
                self.add(session)

    def add(self, session: str) -> int:
        """Count one, and return how many the session has."""
        count = self.counts.pop(session, 0) + 1
        self.counts[session] = count
        if len(self.counts) > SESSIONS:
            self.counts.popitem(last=False)
        return count
