"""One scene against one role: gather the candidates of every strategy.

A strategy is a function from a compiled role and a scene to evidence; a new one is one line in STRATEGIES.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from functools import partial
from operator import attrgetter, itemgetter
from typing import TYPE_CHECKING, NamedTuple

from memd.engine.recall import emotions, temporal
from memd.engine.recall.compiled import Compiled
from memd.engine.recall.lore.evaluate import Scan, evaluate
from memd.engine.recall.rank import (
    Place,
    age_of,
    barred_by,
    combined,
    hand_on,
    heir_of,
    is_mute,
    priority_of,
    relevance,
    rivals_of,
    why_barred,
)
from memd.engine.recall.wanted.keyed import KEY_SCORE, Keyed, is_name
from memd.engine.recall.wanted.weighing import Question, Scales, Weighing, question_of, reason
from memd.model.lore import Evaluated, Hit, LoreSettings, Timers
from memd.model.memory import Kind
from memd.model.scene import Candidate, Emotion, Evidence, Near, Refused, Scene, Strategy
from memd.model.settings import TriggerSettings
from memd.text.analysis import tokens

if TYPE_CHECKING:
    from memd.engine.recall.lore.entries import Ready
    from memd.engine.recall.wanted.keyed import Alike

FAINT = 0.05  # below this a strategy has said nothing
FELT = 1.2  # what an equal feeling says at full weight, where few memories have it
FELT_BY_MANY = 0.25  # how much less it says with each further memory that has it
FELT_ALONE = 1.6  # the same for a memory whose trigger type is emotional
REMINDING = 0.6  # relevance from which a memory reminds of others
REMINDED = 0.6  # of its relevance passes on
REMINDERS = 3
EVERYWHERE, EVERYWHERE_SHARE = 5, 0.1  # memories, and share of them, that speak of what is named
ROOM_FOR_MORE = 6  # how many more of a kind are looked at than twice what may come: some say the same, or have no room
FEW_OWNERS = 3  # a key that more memories have reminds of none

NOTHING_LEARNED = Weighing()
Make = Callable[[str, list[Evidence]], Candidate]


@dataclass(frozen=True, slots=True)
class Asking:
    """A scene put to one role. `least`: what meaning and words alone must say to be heard; `apart`: its questions, each by itself."""

    role: Compiled
    scene: Scene
    settings: TriggerSettings
    least: float
    keyed: Evaluated
    keys: Keyed
    question: Question
    weighing: Weighing
    scales: Scales
    apart: Sequence[Scales] = ()


@dataclass(frozen=True, slots=True)
class Gathered:
    """The role's constants, the candidates with evidence, those that may not come at all, and the timers from now on.

    `rivals` are those that conflict with one of these, and that nothing speaks for; `unheard` says for how many more too
    little speaks, or others of their kind more: `cut` is where the first of these would stand, and `whole` has them all.
    """

    constants: list[Candidate]
    candidates: list[Candidate]
    barred: list[Refused]
    timers: Timers = field(default_factory=Timers)
    rivals: list[Candidate] = field(default_factory=list)
    unheard: int = 0
    cut: Mapping[Kind, Place] = field(default_factory=dict)
    whole: Callable[[], Gathered] | None = None


def by_keys(asking: Asking) -> Iterable[tuple[str, Evidence]]:
    """Yield the memories with rules of their own that the keys in the scene bring; of the others `asking.keys` knows."""
    for one in asking.keyed.activated:
        plain, doubt = asking.role.memories[one.entry.id].lore is None, 1.0
        for hit in {hit.key: hit for hit in one.hits}.values():
            doubt *= 1.0 - (asking.keys.ruled(hit, one.entry.id) if plain else asking.keys.worth(hit))
        score = 1.0 - doubt if one.hits else KEY_SCORE
        yield one.entry.id, Evidence(Strategy.KEYWORD, score, partial(_named, one.hits, one.why))


def by_evidence(asking: Asking, heard: AbstractSet[str]) -> dict[str, tuple[float, float | None]]:
    """Return the memories that the message, or one of its questions, wants by what it means and by its words: how much that
    says, and the level of meaning. `heard`: who has spoken already."""
    memories, threshold = asking.role.texts, asking.settings.relevance_threshold
    worth = asking.scales.worth(heard, threshold)
    for scales in asking.apart:
        for key, one in scales.worth(frozenset(), threshold).items():
            worth[key] = max(one, worth.get(key, one), key=itemgetter(0))
    return {
        key: (likely, level)
        for key, (likely, level) in worth.items()
        if likely * memories[key].relevance_weight >= asking.least or (likely >= FAINT and key in heard)
    }


def by_time(asking: Asking) -> Iterable[tuple[str, Evidence]]:
    """Yield the memories of the times that the message names, and new ones that are temporal by their own word."""
    role, scene = asking.role, asking.scene
    if scene.times:
        asks, told = temporal.asks_what_was(scene.messages[-1]), temporal.asks_what_was_told(scene.messages[-1])
        for key, (said, span) in temporal.meant(role.memories, role.dates, scene.times, scene.now_s, told=told).items():
            score = said if asks else said * temporal.NOT_ASKED
            yield key, Evidence(Strategy.TEMPORAL, score, partial("time {!r}".format, span.words))
    for key in role.temporal:
        score = temporal.RECENT * temporal.decay(role.memories[key], scene.now_s)
        if score >= FAINT:
            yield key, Evidence(Strategy.TEMPORAL, score, lambda: "temporal by its own type, and recent")


def by_feeling(asking: Asking) -> Iterable[tuple[str, Evidence]]:
    """Yield the memories that share the speaker's feeling, by their emotional weight."""
    role, mood = asking.role, asking.scene.mood
    if mood.emotion is Emotion.NEUTRAL:
        return
    likes = {key: like for key, feelings in role.feelings.items() if (like := emotions.likeness(mood, feelings))}
    alike = sum(like == 1.0 for like in likes.values())
    for key, like in likes.items():
        if like:
            memory = role.memories[key]
            said = (
                (FELT_ALONE if memory.trigger_type == "emotional" else FELT)
                * like
                * memory.emotional_weight
                * (0.7 + 0.3 * mood.intensity)
            )
            said /= 1 + FELT_BY_MANY * max(0, alike - 1)
            yield key, Evidence(Strategy.EMOTIONAL, min(said, 0.9), partial("feeling {}".format, mood.emotion.value))


STRATEGIES: tuple[tuple[str, Callable[[Asking], Iterable[tuple[str, Evidence]]]], ...] = (
    ("keyword", by_keys),
    ("temporal", by_time),
    ("emotional", by_feeling),
)


def gather(  # noqa: PLR0913 - a role, a scene, and what the caller knows of both
    role: Compiled,
    name: str,
    scene: Scene,
    settings: TriggerSettings,
    *,
    weight: float = 1.0,
    own: bool = True,
    always: bool = True,
    faint: bool = False,
    timers: Timers | None = None,
    question: Question | None = None,
    near: Mapping[str, Near] | None = None,
    apart: Iterable[tuple[Question, Mapping[str, Near]]] = (),
    weighing: Weighing = NOTHING_LEARNED,
    counted: bool = True,
    told: Collection[str] = (),
    used: Callable[[str], float | None] = lambda _: None,
) -> Gathered:
    """Return what speaks for the memories of a role. `faint`: also those that can only be refused, to explain them; `always`:
    its constants come unasked; `counted`: what cannot come is only counted, unless it is explained; `question`: the
    scene as every role is asked it; `near`: how near memories are to it, where a model is at hand; `apart`: the same of each of
    its questions, where there are several; `told`: memories that the window may have; `used`: when one last came.
    """
    found: dict[str, list[Evidence]] = {}
    question = question or question_of(scene.messages[-settings.scan_messages :], scene.topic, weighing)
    least = FAINT if faint else max(FAINT, min(0.99, settings.relevance_threshold / max(weight, 0.01)))
    keyed = _keyed(role, scene, settings, timers or Timers())
    weigh = partial(Scales, role, weighing=weighing, texts=role.texts, mute=partial(is_mute, role, scene.now_s))
    scales = weigh(question, near or {})
    keys = Keyed(keyed, len(role.memories), question, weighing, scales, asks_model=settings.semantic)
    others = [weigh(one, said) for one, said in apart]
    asking = Asking(role, scene, settings, least, keyed, keys, question, weighing, scales, others)
    for strategy in (one for setting, one in STRATEGIES if getattr(settings, setting)):
        for key, evidence in strategy(asking):
            found.setdefault(key, []).append(evidence)
    likely = by_evidence(asking, found.keys() | keys.owners) if settings.semantic else {}
    parts = {key: likely.pop(key) for key in likely.keys() & role.parts.memories.keys()}
    gathering = _Gathering(asking, found, likely, parts, name, weight, own, always, told, used).with_heirs()
    return gathering.every(faint=True) if faint or not counted else gathering.best()


class _Rising(NamedTuple):
    """A memory that keys bring: where it would stand among those that come, and its turn among those that remind. `is_own`:
    others hang on it, or it is refused for what it is."""

    place: Place
    kind: Kind
    relevance: float
    is_own: bool
    turn: tuple[float, int]


@dataclass(frozen=True, slots=True)
class _Gathering:
    """What was found of one role: all of it, or as many of those that have the keys as may find a place."""

    asking: Asking
    found: Mapping[str, Sequence[Evidence]]
    likely: Mapping[str, tuple[float, float | None]]
    parts: Mapping[str, tuple[float, float | None]]  # the same of what others took the place of in part
    name: str
    weight: float
    own: bool
    always: bool
    told: Collection[str]
    used: Callable[[str], float | None]
    heirs: Mapping[str, list[Evidence]] = field(default_factory=dict)  # who took a place, with what speaks for both

    def with_heirs(self) -> _Gathering:
        """Return the same with what is handed on."""
        return replace(self, heirs=self.handed_on())

    def handed_on(self) -> dict[str, list[Evidence]]:
        """Return who takes the place of what was found, with all that speaks for it then."""
        role, now_s = self.asking.role, self.asking.scene.now_s
        ended = self.parts.keys() | {key for key in self._heard() if role.memories[key].superseded_by}
        heirs = {heir for key in ended if (heir := heir_of(role, key, now_s))}
        if not heirs:
            return {}
        said = self._said(ended | heirs) | {key: [self._by_evidence(key)] for key in self.parts}
        hand_on(role, said, now_s)
        return {heir: said[heir] for heir in heirs if heir in said}

    def every(self, *, faint: bool = False) -> Gathered:
        """Return all; `faint`: also those for which too little speaks."""
        return self._gathered(self.asking.keys.owners, faint=faint)

    def best(self) -> Gathered:
        """Return all but those with the keys that would stand behind as many of their kind as may find a place."""
        keys = self.asking.keys
        apart = keys.owners & (self.found.keys() | self.asking.role.constants | self.heirs.keys() | {*self.told})
        rising = [one for alike in keys.alike(apart) for one in self._rising(alike)]
        chosen, cut = apart, dict[Kind, Place]()
        for kind in Kind:
            of_kind = sorted((one for one in rising if one.kind is kind and not one.is_own), key=attrgetter("place"))
            most = ROOM_FOR_MORE + 2 * self.asking.settings.most_of(kind)
            chosen |= {one.place[-1][1] for one in of_kind[:most]}
            if len(of_kind) > most:
                cut[kind] = of_kind[most].place
        reminding = sorted((one for one in rising if one.relevance >= REMINDING), key=lambda one: one.turn)
        reminding[REMINDERS * self.asking.settings.recursion_depth :] = [one for one in rising if one.is_own]
        chosen |= {one.place[-1][1] for one in reminding}
        return replace(self._gathered(chosen), cut=cut, whole=self.every)

    def _rising(self, alike: Alike) -> Iterator[_Rising]:
        """Yield those of whom the keys say the same, and that may come or remind of others."""
        role, scene, threshold = self.asking.role, self.asking.scene, self.asking.settings.relevance_threshold
        bar, owners, doubt = min(threshold, REMINDING), alike.owners, 1.0 - min(alike.score, 0.99)
        if (1.0 - doubt) * self.weight < bar:
            owners = owners & self.likely.keys()
        for key in owners:
            memory, likely = role.at(key, scene.now_s), self.likely.get(key, (0.0, None))[0]
            relevance = (1.0 - doubt * (1.0 - min(likely, 0.99))) * memory.relevance_weight * self.weight
            if relevance >= bar:
                aged = age_of(memory, scene.now_s, self.used(key)) if self.asking.settings.decay else 1.0
                place = -(relevance * priority_of(memory) * aged), -memory.priority, (self.name, key)
                is_own = bool(memory.rivals) or why_barred(memory, scene.now_s) is not None
                yield _Rising(place, memory.kind, relevance, is_own, (-relevance, role.lore.entries.number(key)))

    def _gathered(self, chosen: AbstractSet[str], *, faint: bool = False) -> Gathered:
        """Return what was found, with what it reminds of, in its parts; of those with the keys, the chosen."""
        asking, heard = self.asking, self._heard()
        said = self._said(chosen)
        made = {key: self._make(key, one) for key, one in said.items() if faint or self._can_rise(key, one)}
        always = [asking.role.at(key, asking.scene.now_s) for key in asking.role.constants]
        for one in (*(one.memory for one in made.values()), *always):
            for rival in one.rivals:
                if rival in heard and rival not in made:
                    made[rival] = self._make(rival, self._said({rival})[rival])
        if asking.settings.keyword:
            _remind(asking.role, heard, made, self._make, asking.settings.recursion_depth)
        return self._parted(heard, made)

    def _parted(self, heard: Collection[str], made: dict[str, Candidate]) -> Gathered:
        """Return candidates in their parts."""
        asking, role, now_s = self.asking, self.asking.role, self.asking.scene.now_s
        unheard = len(heard) - len(made.keys() & heard)
        constants = _constants(role, made, self._make) if self.always else []
        stopped = {one.entry.id: (one.fate, one.detail) for one in asking.keyed.stopped}
        for key in stopped.keys() - heard - made.keys() - role.constants if asking.settings.keyword else ():
            made[key] = self._make(key, [])
        barred = [one for made_one in [*constants, *made.values()] if (one := barred_by(made_one, now_s, stopped))]
        gone = {one.candidate.key for one in barred}
        return Gathered(
            [one for one in constants if one.key not in gone],
            [one for one in made.values() if one.key not in gone],
            barred,
            asking.keyed.timers,
            rivals_of(role, (*constants, *made.values()), now_s),
            unheard,
        )

    def _said(self, chosen: AbstractSet[str]) -> dict[str, list[Evidence]]:
        """Return all that speaks for memories: those with rules first, the chosen of the keys as they stand in the role, the rest."""
        entries, asking = self.asking.role.lore.entries, self.asking
        ruled = [one.entry.id for one in asking.keyed.activated if one.entry.id in self.found]
        said = {key: [*self.found[key]] for key in ruled}
        for key in sorted(chosen & asking.keys.owners, key=entries.number):
            score, hits = asking.keys.of(key)
            say = partial(_in_order, hits, entries, key)
            said[key] = [Evidence(Strategy.KEYWORD, score, say), *self.found.get(key, ())]
        for key in (*self.found, *self.likely):
            if key not in said and key not in asking.keys.owners:
                said[key] = [*self.found.get(key, ())]
        for key in said.keys() & self.likely.keys():
            said[key].append(self._by_evidence(key))
        return said | {heir: [*one] for heir, one in self.heirs.items()}

    def _by_evidence(self, key: str) -> Evidence:
        asking, (likely, level) = self.asking, self.likely.get(key) or self.parts[key]
        say = partial(reason, asking.role.texts[key], asking.role.lexicon, asking.question, asking.weighing, key, level)
        return Evidence(Strategy.SEMANTIC, likely, say)

    def _heard(self) -> AbstractSet[str]:
        return self.found.keys() | self.likely.keys() | self.asking.keys.owners | self.heirs.keys()

    def _make(self, key: str, said: list[Evidence]) -> Candidate:
        return Candidate(self.name, self.asking.role.at(key, self.asking.scene.now_s), self.weight, self.own, said)

    def _can_rise(self, key: str, said: Iterable[Evidence]) -> bool:
        """Tell whether a memory may come, or remind of another, by what speaks for it."""
        role, bar = self.asking.role, min(self.asking.settings.relevance_threshold, REMINDING)
        return key in role.constants or combined(said) * role.memories[key].relevance_weight * self.weight >= bar


def _constants(role: Compiled, made: dict[str, Candidate], make: Make) -> list[Candidate]:
    """Take a role's own constants out of the candidates, the most important first."""
    constants = []
    for key in role.constants:
        candidate = made.pop(key) if key in made else make(key, [])
        candidate.evidence.insert(0, Evidence(Strategy.CONSTANT, 1.0, lambda: "constant"))
        candidate.relevance = candidate.score = 1.0
        constants.append(candidate)
    return sorted(constants, key=lambda one: (-one.memory.priority, one.key))


def _remind(role: Compiled, heard: AbstractSet[str], made: dict[str, Candidate], make: Make, depth: int) -> None:
    """Let what clearly comes to mind bring what its own text names by a rare key, of what nothing else speaks for."""
    asked: set[str] = set()
    for _ in range(depth):
        sources = [(key, one) for key, one in made.items() if key not in asked and relevance(one) >= REMINDING]
        sources.sort(key=lambda pair: -relevance(pair[1]))
        for source, candidate in sources[:REMINDERS]:
            asked.add(source)
            strength = REMINDED * relevance(candidate)
            content = candidate.memory.said
            for key, owners in role.lore.keys_in(content):
                if len(owners) > FEW_OWNERS or not is_name(key, content) or _is_everywhere(role, key):
                    continue
                for owner in owners:
                    if owner not in made and owner not in heard:
                        say = partial("key {!r}, which {} names".format, key, source)
                        made[owner] = make(owner, [Evidence(Strategy.KEYWORD, strength, say)])


def _is_everywhere(role: Compiled, key: str) -> bool:
    """Tell whether so many memories speak of something that naming it reminds of nothing."""
    held = max((role.lexicon.holders(term) for term in tokens(key, unigrams=False)), default=0)
    return held > max(EVERYWHERE, EVERYWHERE_SHARE * len(role.memories))


def _keyed(role: Compiled, scene: Scene, settings: TriggerSettings, timers: Timers) -> Evaluated:
    if not (settings.keyword and len(role.lore)):
        return Evaluated((), (), timers)
    rules = LoreSettings(scan_depth=settings.scan_messages, whole_words=settings.whole_words)
    scan = Scan(
        scene.messages[::-1], scene.length, scene.roll, timers=timers, occasion=scene.occasion, role=scene.role,
        clock=scene.clock,
    )  # fmt: skip
    return evaluate(role.lore, scan, rules)


def _in_order(hits: tuple[Hit, ...], entries: Mapping[str, Ready], key: str) -> str:
    """Return the keys that were found, in the order in which an entry has them."""
    places = {probe.raw: place for place, probe in enumerate(entries[key].primary) if probe}
    return _named(tuple(sorted(hits, key=lambda one: places[one.key])), "")


def _named(hits: tuple[Hit, ...], why: str) -> str:
    """Return the keys that were found; `why` where there are none."""
    return "key " + ", ".join(repr(key) for key in list(dict.fromkeys(one.key for one in hits))[:4]) if hits else why
