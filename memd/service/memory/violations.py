"""How often each session went around memd: counted from the audit log, so that a restart forgets nothing."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass, field

from memd.errors import StorageError
from memd.formats.records import read_lines
from memd.storage.files import Tree
from memd.storage.layout import PRIVATE

SESSIONS = 500
WORD = "violation"


@dataclass(slots=True)
class Violations:
    """Counts by session, the latest at the end."""

    counts: OrderedDict[str, int] = field(default_factory=OrderedDict)
    loaded: bool = False

    def load(self, tree: Tree, waiting: Iterable[str]) -> None:
        """Count what the audit log has, acknowledged lines that are not in it yet included; once. Blocks."""
        if self.loaded:
            return
        self.loaded = True
        names = sorted(one.name for one in tree.entries(PRIVATE) if one.is_file and one.name.startswith("audit"))
        texts = ["".join(waiting).encode()]
        for name in names:
            try:
                texts.append(tree.read(f"{PRIVATE}/{name}")[0])
            except (FileNotFoundError, StorageError):
                continue
        for text in texts:
            for line in read_lines(text):
                if line.value is not None and line.value.get("what") == WORD:
                    self.add(str(line.value.get("session", "")))

    def add(self, session: str) -> int:
        """Count one, and return how many the session has."""
        count = self.counts.pop(session, 0) + 1
        self.counts[session] = count
        if len(self.counts) > SESSIONS:
            self.counts.popitem(last=False)
        return count

    def take_back(self, session: str) -> None:
        """Undo one that could not be written."""
        self.counts[session] = max(0, self.counts.get(session, 0) - 1)
