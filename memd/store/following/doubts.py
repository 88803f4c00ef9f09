"""Readings that take something away are made twice: editors pass through missing, empty and broken files."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memd.storage.files import Identity
    from memd.store.reading.library import Held, Reading

CONFIRM_S = 0.25  # a file that is gone, empty or broken is looked at again after this long


@dataclass(slots=True)
class Doubts:
    """Which files are to be looked at again, and when (monotonic seconds)."""

    monotonic: Callable[[], float]
    _again: dict[str, float] = field(default_factory=dict)
    _states: dict[str, tuple[Identity | None]] = field(default_factory=dict)

    def due(self) -> set[str]:
        """Return the files whose time has come."""
        now_s = self.monotonic()
        return {name for name, at_s in self._again.items() if at_s <= now_s}

    def times(self) -> Iterable[float]:
        """Return when files are to be looked at again."""
        return self._again.values()

    def doubt(self, name: str) -> None:
        """Have a file looked at again."""
        self._again[name] = self.monotonic() + CONFIRM_S

    def settle(self, name: str) -> None:
        """Doubt a file no more."""
        self._again.pop(name, None)
        self._states.pop(name, None)

    def is_certain(self, reading: Reading, held: Held | None) -> bool:
        """Tell whether a reading counts; one that takes something away counts when it is made again."""
        doubtful = reading.identity is None or reading.rejected is not None or reading.empty
        if doubtful and held is not None and held.digests:
            if self._states.get(reading.name) != (reading.identity,):  # another state is another doubt
                self._states[reading.name] = (reading.identity,)
                self.doubt(reading.name)
            if self.monotonic() < self._again.get(reading.name, 0.0) - 0.01:
                return False
        self.settle(reading.name)
        return True
