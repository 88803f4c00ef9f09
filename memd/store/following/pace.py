"""When the index is brought up: when a batch of changes is whole, and not so often that building is all it does."""

from __future__ import annotations

from dataclasses import dataclass

QUIET_S = 2.0  # no change for so long: the batch is whole,
BATCH_NAMES = 200  # or so many files have changed,
LONGEST_S = 15.0  # or the first of them so long ago
COST = 10.0  # and no build before this many times what the last one took
MOST_S = 60.0
RETRY_S = 30.0
NEVER_S = 3600.0


@dataclass(slots=True)
class Pace:
    """Times in monotonic seconds."""

    first_s: float = 0.0
    latest_s: float = 0.0
    not_before_s: float = 0.0

    def note(self, now_s: float, *, first: bool) -> None:
        """Hear of a change; `first` of a batch."""
        self.first_s = now_s if first else self.first_s
        self.latest_s = now_s

    def due_s(self, now_s: float, changed: int, *, at_once: bool) -> float:
        """Return how long to wait still; 0 or less where it is time."""
        if at_once:
            return self.not_before_s - now_s
        if not changed:
            return NEVER_S
        whole_s = now_s if changed >= BATCH_NAMES else self.latest_s + QUIET_S
        return max(min(whole_s, self.first_s + LONGEST_S), self.not_before_s) - now_s

    def missed(self, now_s: float) -> None:
        """There is no index that serves: build one once who waits for the start has been answered."""
        self.not_before_s = max(self.not_before_s, now_s + QUIET_S)

    def done(self, begun_s: float, now_s: float) -> None:
        """Rest after a build as its cost demands."""
        self.not_before_s = now_s + min(MOST_S, COST * (now_s - begun_s))

    def failed(self, now_s: float) -> None:
        """Try again later."""
        self.not_before_s = now_s + RETRY_S
