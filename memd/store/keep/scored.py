"""What texts were scored as in their sessions: a score holds for its session, whatever the role holds meanwhile.

Only in memory, and bounded: the least lately asked leave first, and a new start begins anew.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from memd.model.memory import Verdict
    from memd.model.settings import GateSettings

MOST = 1000  # about 2 KB each


class Score(NamedTuple):
    """What was found by which settings: the text as it would be kept, the verdict, and statements with their totals."""

    gate: GateSettings
    text: str
    verdict: Verdict
    parts: tuple[tuple[str, float], ...]


@dataclass(slots=True)
class Scored:
    """Scores by what was offered in which session."""

    _held: OrderedDict[Hashable, Score] = field(default_factory=OrderedDict)

    def of(self, key: Hashable, gate: GateSettings) -> Score | None:
        """Return a score that holds, None where there is none, or other settings are in force by now."""
        known = self._held.get(key)
        if known is None or known.gate != gate:
            return None
        self._held.move_to_end(key)
        return known

    def hold(
        self, key: Hashable, gate: GateSettings, text: str, verdict: Verdict, parts: tuple[tuple[str, float], ...]
    ) -> None:
        """Let a score hold."""
        self._held[key] = Score(gate, text, verdict, parts)
        self._held.move_to_end(key)
        if len(self._held) > MOST:
            self._held.popitem(last=False)
