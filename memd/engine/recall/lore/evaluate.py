"""World Info, evaluated: pass after pass over the window until nothing new comes.

A pass looks at the entries that something speaks for, thins them by groups, rolls for each, and admits them while the
budget lasts. What an entry says may call others in the next pass. Every entry that was in question ends with a fate.

Source
    docs/design/world-info.md#one-evaluation, step for step. Where `Rules` deviate is marked by the name of the deviation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import chain, count, islice

from memd.engine.recall.lore.entries import Folding, Lore, Probe, Ready
from memd.engine.recall.lore.groups import Choice, Grounds, choose
from memd.engine.recall.lore.timed import Timing
from memd.engine.recall.lore.window import Window
from memd.model.lore import NO_TIMERS, Activation, Evaluated, Fate, Hit, Keyed, Logic, LoreSettings, Stopped, Timers

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
    """What is scanned: messages newest first, the length of the chat, chance, and the room, in characters (0: no limit).

    `roll` returns 0 up to 1.
    """

    messages: Sequence[str]
    length: int
    roll: Callable[[], float]
    budget: int = 0
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
        self.timed = self.timing.sticky | self.timing.cooldown
        self.ruled = lore.ruled.all | self.timed if self.timed - lore.ruled.all else lore.ruled.all
        self.depth = settings.scan_depth
        self.level = 0
        self.recursed = False
        self.full = False
        self.admitted = ""
        self.active: dict[str, Activation] = {}
        self.failed: set[str] = set()
        self.stopped: dict[str, tuple[Fate, str | int]] = {}  # an entry without room: how much would have been wanted

    def run(self) -> Evaluated:
        levels = sorted(self.lore.ruled.levels)
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
        plain = tuple(self._plain())
        if self.recursed and len(self.ruled) < len(entries):
            came = self.active.keys() | set[str]().union(*(one.owners for one in plain))
            asked = set[str]().union(*self.window.owners(Folding.FULL)) - self.ruled - came
            in_turn = sorted(asked, key=entries.number)
            self.stopped |= dict.fromkeys(in_turn, (Fate.RECURSION, "not in recursion"))
        budget = f" of {self.scan.budget}"
        stopped = [
            Stopped(entries[key].entry, fate, why if why.__class__ is str else f"{why}{budget}")
            for key, (fate, why) in self.stopped.items()
            if key not in self.active
        ]
        return Evaluated(tuple(self.active.values()), tuple(stopped), timers, plain)

    def _plain(self) -> Iterator[Keyed]:
        """Yield the keys that were found with the entries that have no rule but their keys."""
        if len(self.ruled) == len(self.lore.entries):
            return
        depth, whole = self.settings.scan_depth, self.settings.whole_words
        self.window.widen(depth)
        for text in self.window.keys(Folding.FULL, depth, whole=whole, echoes=False):
            newest, known = self.window.newest(Folding.FULL, text), len(self.lore.rings[Folding.FULL].owners(text))
            for raw, owners in self.lore.spellings(text):
                if found := owners if self.ruled is self.lore.ruled.all else owners - self.ruled:
                    yield Keyed(Hit(raw, newest, known), found)

    def _pass(self, state: _State, step: int) -> list[str]:
        """Admit what this pass finds; return what may be scanned by the next."""
        self.recursed |= state is _State.RECURSION and self.settings.recursive
        asked = [ready.entry.id for ready in self._questioned() if self._is_found(ready, state)]
        places, sticky = self.lore.places(self.ruled), self.timing.sticky
        in_turn = sorted(map(places.room.__getitem__, chain(asked, self._simple(state))))
        found = [places.rooms[place] for place in in_turn]
        if sticky:
            found.sort(key=lambda one: one.entry.id not in sticky)
        choice = self._choose(found, state)
        for key, why in choice.lost.items():
            self.stopped[key] = (Fate.GROUP, why)
        late = f"{MOST_FOUND} entries came before it in one pass"
        self.stopped |= dict.fromkeys((one.entry.id for one in choice.found[MOST_FOUND:]), (Fate.BUDGET, late))
        del choice.found[MOST_FOUND:]
        before = len(self.active)
        self._admit(choice.found, state, step)
        said = choice.found
        if self.rules.smaller_after:
            said = [self.lore.entries[key] for key in islice(self.active, before, None)]
        return [one.content for one in said if not (one.entry.prevent_recursion or one.entry.id in self.failed)]

    def _questioned(self) -> list[Ready]:
        """Return the entries that something speaks for and that are not decided, in the order of the rules."""
        deepest = max(self.depth, self.lore.deepest)
        self.window.widen(deepest)
        keys = {*self.lore.ruled.standing, *self.lore.ruled.patterned, *self.timing.sticky}
        special = self.lore.ruled.special | self.timed if self.timed else self.lore.ruled.special
        for folding in Folding:
            for owners in self.window.owners(folding):
                keys |= owners & special
        entries, places = self.lore.entries, self.lore.places(self.ruled)
        keys -= self.active.keys() | self.failed
        return [entries[key] for key in sorted(keys, key=places.order.__getitem__)]

    def _simple(self, state: _State) -> set[str]:
        """Return those that their keys alone find: each key is asked once, not once for each that has it."""
        found: set[str] = set()
        echoes, whole = state is not _State.WIDENED, self.settings.whole_words
        for folding, ring in self.lore.rings.items() if self.lore.ruled.simple else ():
            for text in self.window.keys(folding, self.depth, whole=whole, echoes=echoes):
                found |= ring.owners(text) & self.lore.ruled.simple
        found -= self.active.keys() | self.failed | self.timed
        for key in self.stopped.keys() & found:
            del self.stopped[key]
        return found

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
        if entry.never and not entry.always:
            self.stopped[entry.id] = (Fate.DECORATOR, "@@dont_activate")
            return False
        if not (entry.always or entry.constant or sticky):
            if not self._hits(ready, ready.primary, state):
                return False
            if ready.secondary and not self._is_allowed(ready, state):
                logic = entry.logic.name.replace("_", " ")
                self.stopped[entry.id] = (Fate.LOGIC, f"{logic} of its secondary keys does not hold")
                return False
        self.stopped.pop(entry.id, None)
        return True

    def _why(self, ready: Ready, state: _State) -> tuple[str, tuple[Hit, ...]]:
        """Return why an entry was found, and its keys that were."""
        entry = ready.entry
        if entry.always or entry.constant or entry.id in self.timing.sticky:
            return "@@activate" if entry.always else "constant" if entry.constant else "sticky", ()
        hits = self._hits(ready, ready.primary, state)
        words = dict.fromkeys(one.raw for one in hits)
        found = tuple(Hit(one.raw, self.window.newest(one.folding, one.text), self.lore.owners(one)) for one in hits)
        return "key " + ", ".join(map(repr, list(words)[:4])), found

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
        if not (self.lore.ruled.grouped and any(one.entry.group for one in found)):
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

    def _admit(self, found: list[Ready], state: _State, step: int) -> None:
        budget, size, smaller_after = self.scan.budget, len(self.admitted), self.rules.smaller_after
        exempt = sum(one.entry.ignore_budget for one in found) if self.lore.exempt else 0
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
            grown = size + len(ready.content) + 1
            if budget and not entry.ignore_budget and not self._fits(grown, budget):
                self.full = not smaller_after
                self.stopped[entry.id] = (Fate.BUDGET, grown)
                size = size if smaller_after else grown
                continue
            size = grown
            why, hits = self._why(ready, state)
            self.active[entry.id] = Activation(entry, why, step, len(ready.content), hits)

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
