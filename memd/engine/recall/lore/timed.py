"""Sticky, cooldown and delay, counted in messages.

A timer belongs to an entry as it was: an edit changes its digest, and the timer no longer counts. Sticky and cooldown
begin together; when a sticky ends, its cooldown begins anew and cannot be taken back.

Source
    docs/design/world-info.md#timers, measured: with sticky 3 and cooldown 2 the entry is on for three lengths, off for two.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from memd.engine.recall.lore.entries import Ready
from memd.model.lore import Timer, Timers


class Timing:
    """The timers of one session at one length of the chat."""

    def __init__(self, timers: Timers, entries: Mapping[str, Ready], length: int) -> None:
        self._length = length
        self._sticky = dict(timers.sticky)
        self._cooldown = dict(timers.cooldown)
        ended: list[str] = []
        self.sticky = self._check(self._sticky, entries, ended)
        for key in ended:
            entry = entries[key].entry
            if entry.cooldown:
                self._cooldown[key] = Timer(entry.digest, length, length + entry.cooldown, protected=True)
        self.cooldown = self._check(self._cooldown, entries, [])

    def is_delayed(self, ready: Ready) -> bool:
        """Tell whether the chat is still too short for an entry."""
        return ready.entry.delay > 0 and self._length < ready.entry.delay

    def after(self, activated: Iterable[Ready]) -> Timers:
        """Return the timers from now on, given what activated."""
        for ready in activated:
            entry = ready.entry
            for timers, turns in ((self._sticky, entry.sticky), (self._cooldown, entry.cooldown)):
                if turns > 0 and entry.id not in timers:
                    timers[entry.id] = Timer(entry.digest, self._length, self._length + turns)
        return Timers(self._sticky, self._cooldown)

    def _check(self, timers: dict[str, Timer], entries: Mapping[str, Ready], ended: list[str]) -> set[str]:
        active: set[str] = set()
        for key, timer in list(timers.items()):
            ready = entries.get(key)
            known = ready is not None and ready.entry.digest == timer.digest
            if self._length <= timer.start and not timer.protected:
                del timers[key]
            elif self._length >= timer.end:
                del timers[key]
                if known:
                    ended.append(key)
            elif known:
                active.add(key)
        return active
