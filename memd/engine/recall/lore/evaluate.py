"""World Info, evaluated: pass after pass over the window until nothing new comes.

A pass looks at the entries that something speaks for, thins them by groups, rolls for each, and admits them while the
budget lasts. What an entry says may call others in the next pass. Every entry that was in question ends with a fate.

Source
    docs/design/world-info.md#one-evaluation, step for step. Where `Rules` deviate is marked by the name of the deviation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import count

from memd.engine.recall.lore.entries import Lore, Probe, Ready
from memd.engine.recall.lore.groups import Choice, Grounds, choose
from memd.engine.recall.lore.timed import Timing
from memd.engine.recall.lore.window import Window
from memd.model.lore import NO_TIMERS, Activation, Evaluated, Fate, Hit, Logic, LoreSettings, Stopped, Timers

MOST_FOUND = 5000  # entries admitted in one pass
MOST_STEPS = 200  # passes, where the settings name no limit


class _State(Enum):
    FIRST = "first"
    RECURSION = "recursion"
    WIDENED = "minimum activations"


def _no_time() -> float:
    """A clock that stands still: patterns may take as long as they do."""
    return 0.0


@dataclass(frozen=True, slots=True)
class Scan:
    """What is scanned: messages newest first, the length of the chat, chance, and how room is measured.

    `roll` returns 0 up to 1; `measure` the size of a text in the unit of `budget` (0: no limit).
    """

    messages: Sequence[str]
    length: int
    roll: Callable[[], float]
    budget: int = 0
    measure: Callable[[str], int] = len
    timers: Timers = NO_TIMERS
    occasion: str = "normal"
    role: str = ""
    clock: Callable[[], float] = _no_time


def evaluate(lore: Lore, scan: Scan, settings: LoreSettings) -> Evaluated:
    """Return which entries activate, in the order they were admitted, what stopped the others, and the timers."""
    return _Evaluation(lore, scan, settings).run()


class _Evaluation:
    def __init__(self, lore: Lore, scan: Scan, settings: LoreSettings) -> None:
        self.lore, self.scan, self.settings, self.rules = lore, scan, settings, lore.rules
        self.timing = Timing(scan.timers, lore.entries, scan.length)
        self.window = Window(lore, scan.messages, scan.clock)
        self.depth = settings.scan_depth
        self.level = 0
        self.full = False
        self.admitted = ""
        self.active: dict[str, Activation] = {}
        self.failed: set[str] = set()
        self.stopped: dict[str, tuple[Fate, str]] = {}
        self.found_by: dict[str, tuple[str, tuple[Hit, ...]]] = {}

    def run(self) -> Evaluated:
        levels = sorted(self.lore.levels)
        self.level = levels.pop(0) if levels else 0
        state: _State | None = _State.FIRST
        for step in count(1):
            if state is None or step > (self.settings.max_steps or MOST_STEPS):
                break
            said = self._pass(state, step)
            state = self._next(state, said, levels)
            if state and said:
                text = "\n".join(said)
                if text:
                    self.window.echo(text)
                    self.admitted = f"{text}\n{self.admitted}"
        entries = self.lore.entries
        timers = self.timing.after(entries[key] for key in self.active)
        stopped = [Stopped(entries[key].entry, *fate) for key, fate in self.stopped.items() if key not in self.active]
        return Evaluated(tuple(self.active.values()), tuple(stopped), timers)

    def _pass(self, state: _State, step: int) -> list[str]:
        """Admit what this pass finds; return what may be scanned by the next."""
        found = [ready for ready in self._questioned() if self._is_found(ready, state)]
        found.sort(key=lambda one: (one.entry.id not in self.timing.sticky, self._rank(one)))
        choice = self._choose(found, state)
        for key, why in choice.lost.items():
            self.stopped[key] = (Fate.GROUP, why)
        for one in choice.found[MOST_FOUND:]:
            self.stopped[one.entry.id] = (Fate.BUDGET, f"{MOST_FOUND} entries came before it in one pass")
        del choice.found[MOST_FOUND:]
        self._admit(choice.found, step)
        return [
            self.lore.named(one.entry.content)
            for one in choice.found
            if one.entry.id not in self.failed and not one.entry.prevent_recursion
            and (one.entry.id in self.active or not self.rules.smaller_after)
        ]  # fmt: skip

    def _rank(self, ready: Ready) -> tuple[bool, float, int]:
        last = self.rules.constants_first and not ready.entry.constant
        return last, -ready.entry.order, ready.number

    def _questioned(self) -> list[Ready]:
        """Return the entries that something speaks for and that are not decided, in the order of the rules."""
        deepest = max(self.depth, self.lore.deepest)
        self.window.widen(deepest)
        keys = {*self.window.owners(), *self.lore.standing, *self.lore.patterned, *self.timing.sticky}
        entries = self.lore.entries
        asked = [entries[key] for key in keys if key not in self.active and key not in self.failed]
        asked.sort(key=lambda one: (-one.entry.order, one.number))
        return asked

    def _next(self, state: _State, said: list[str], levels: list[int]) -> _State | None:
        settings = self.settings
        if not self.full:
            if settings.recursive and (said or (state is _State.WIDENED and self.window.has_echo)):
                return _State.RECURSION
            wanting = settings.min_activations > 0 and len(self.active) < settings.min_activations
            deepest = settings.min_activations_depth
            if wanting and not (0 < deepest < self.depth) and self.depth <= len(self.scan.messages):
                self.depth += 1
                return _State.WIDENED
        if levels:
            self.level = levels.pop(0)
            return _State.RECURSION
        return None

    def _is_found(self, ready: Ready, state: _State) -> bool:
        entry = ready.entry
        sticky = entry.id in self.timing.sticky
        bar = self._bar(ready, state, sticky=sticky)
        if bar:
            self.stopped[entry.id] = bar
            return False
        if entry.always:
            return self._note(ready, "@@activate")
        if entry.never:
            self.stopped[entry.id] = (Fate.DECORATOR, "@@dont_activate")
            return False
        if entry.constant:
            return self._note(ready, "constant")
        if sticky:
            return self._note(ready, "sticky")
        hits = self._hits(ready, ready.primary, state)
        if not hits:
            return False
        if ready.secondary and not self._is_allowed(ready, state):
            logic = entry.logic.name.replace("_", " ")
            self.stopped[entry.id] = (Fate.LOGIC, f"{logic} of its secondary keys does not hold")
            return False
        words = dict.fromkeys(one.raw for one in hits)
        found = tuple(Hit(one.raw, self.window.newest(one), self.lore.owners(one)) for one in hits)
        return self._note(ready, "key " + ", ".join(map(repr, list(words)[:4])), found)

    def _note(self, ready: Ready, why: str, hits: tuple[Hit, ...] = ()) -> bool:
        self.stopped.pop(ready.entry.id, None)
        self.found_by[ready.entry.id] = (why, hits)
        return True

    def _bar(self, ready: Ready, state: _State, *, sticky: bool) -> tuple[Fate, str] | None:
        """Return what forbids an entry before its keys are asked."""
        entry, scan = ready.entry, self.scan
        if entry.disabled:
            return Fate.DISABLED, "it is switched off"
        if entry.occasions and scan.occasion not in entry.occasions:
            return Fate.FILTER, f"only for {', '.join(entry.occasions)}"
        if (entry.only_roles and scan.role not in entry.only_roles) or scan.role in entry.not_roles:
            return Fate.FILTER, f"not for role {scan.role}"
        if self.timing.is_delayed(ready):
            return Fate.DELAY, f"{scan.length} messages, {entry.delay} needed"
        if sticky:
            return None
        if entry.id in self.timing.cooldown:
            return Fate.COOLDOWN, "it cools down"
        if entry.delay_until_recursion and (state is not _State.RECURSION or entry.delay_until_recursion > self.level):
            return Fate.RECURSION, f"only in recursion, level {entry.delay_until_recursion}"
        if state is _State.RECURSION and self.settings.recursive and entry.exclude_recursion:
            return Fate.RECURSION, "not in recursion"
        return None

    def _hits(self, ready: Ready, probes: Iterable[Probe | None], state: _State) -> list[Probe]:
        entry, settings = ready.entry, self.settings
        depth = self.depth if entry.scan_depth is None else entry.scan_depth
        whole = settings.whole_words if entry.whole_words is None else entry.whole_words
        echoes = state is not _State.WIDENED
        return [one for one in probes if one and self.window.has(one, depth, whole=whole, echoes=echoes)]

    def _is_allowed(self, ready: Ready, state: _State) -> bool:
        hits, of = len(self._hits(ready, ready.secondary, state)), len(ready.secondary)
        return {
            Logic.AND_ANY: hits > 0,
            Logic.NOT_ALL: hits < of,
            Logic.NOT_ANY: hits == 0,
            Logic.AND_ALL: hits == of,
        }[ready.entry.logic]

    def _choose(self, found: list[Ready], state: _State) -> Choice:
        if not any(one.entry.group for one in found):
            return Choice(found, self.rules)
        grounds = Grounds(
            self.timing.sticky, self.settings.group_scoring, lambda one: self._score(one, state), self.scan.roll
        )
        return choose(found, [self.lore.entries[key] for key in self.active], self.rules, grounds)

    def _score(self, ready: Ready, state: _State) -> int:
        if not ready.primary:
            return 0
        first, second = (len(self._hits(ready, probes, state)) for probes in (ready.primary, ready.secondary))
        if ready.entry.logic is Logic.AND_ANY or (
            ready.entry.logic is Logic.AND_ALL and second == len(ready.secondary)
        ):
            return first + second
        return first

    def _admit(self, found: list[Ready], step: int) -> None:
        scan, new = self.scan, ""
        exempt = sum(one.entry.ignore_budget for one in found)
        used = scan.measure(self.admitted)
        for ready in found:
            entry = ready.entry
            exempt -= entry.ignore_budget
            if self.full and not entry.ignore_budget:
                self.stopped[entry.id] = (Fate.BUDGET, "no room was left")
                if exempt:
                    continue
                if not self.rules.smaller_after:
                    self._refuse_rest(found)
                    break
            if not self._rolled(ready):
                continue
            content = self.lore.named(entry.content)
            grown = f"{new}{content}\n"
            size = used + scan.measure(grown)
            if scan.budget and not entry.ignore_budget and not self._fits(size, scan.budget):
                self.full = not self.rules.smaller_after
                self.stopped[entry.id] = (Fate.BUDGET, f"{size} of {scan.budget}")
                new = new if self.rules.smaller_after else grown
                continue
            new = grown
            why, hits = self.found_by[entry.id]
            self.active[entry.id] = Activation(entry, why, step, len(content), hits)

    def _refuse_rest(self, found: list[Ready]) -> None:
        for one in found:
            if one.entry.id not in self.active and one.entry.id not in self.failed:
                self.stopped.setdefault(one.entry.id, (Fate.BUDGET, "no room was left"))

    def _fits(self, size: int, budget: int) -> bool:
        # The last line break is no part of what stands in the prompt.
        return size - 1 <= budget if self.rules.exact_fit else size < budget

    def _rolled(self, ready: Ready) -> bool:
        entry = ready.entry
        if not entry.use_probability or entry.probability == 100 or entry.id in self.timing.sticky:
            return True
        roll = self.scan.roll() * 100
        if roll <= entry.probability:
            return True
        self.failed.add(entry.id)
        self.stopped[entry.id] = (Fate.ROLL, f"rolled {roll:.0f} against {entry.probability:g}")
        return False
