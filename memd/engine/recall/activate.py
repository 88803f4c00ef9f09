"""One scene against one role: gather the candidates of every strategy.

A strategy is a function from a compiled role and a scene to evidence; a new one is one line in STRATEGIES.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from memd.engine.recall import emotions, temporal
from memd.engine.recall.compiled import Compiled
from memd.engine.recall.lore.evaluate import Scan, evaluate
from memd.engine.recall.rank import combined, relevance, rivals_of
from memd.engine.recall.wanted.evidence import bearing_of, worth_telling
from memd.engine.recall.wanted.weighing import Question, Scales, Weighing, question_of, reason
from memd.model.lore import FINAL, Evaluated, Fate, Hit, LoreSettings, Timers
from memd.model.scene import Candidate, Emotion, Evidence, Near, Refused, Scene, Strategy
from memd.model.settings import TriggerSettings
from memd.text.analysis import tokens
from memd.text.characters import is_cjk
from memd.text.commonness import telling_words

if TYPE_CHECKING:
    from memd.engine.recall.lore.entries import Ready

KEY_SCORE = 0.75  # what one key says that one memory has
FAINT = 0.05  # below this a strategy has said nothing
OLDER_MESSAGE = 0.8  # what a key counts in the message before the newest, and again for each further back
FELT = 1.2  # what an equal feeling says at full weight, where few memories have it
FELT_BY_MANY = 0.25  # how much less it says with each further memory that has it
FELT_ALONE = 1.6  # the same for a memory whose trigger type is emotional
FEW_SHARE = 0.2  # of all memories; a key or a feeling that more of them have says less
KEY_AGREED, KEY_AGAINST_SENSE = (
    0.15,
    0.25,
)  # how likely a memory is wanted for its key to say all, and what is left of it else
EVERYDAY_KEY = 0.5  # what a key counts that everybody uses
HANDED_KEY = 0.3  # what a key counts that stands only in a log, a mail or code

REMINDING = 0.6  # relevance from which a memory reminds of others
REMINDED = 0.6  # of its relevance passes on
REMINDERS = 3
EVERYWHERE, EVERYWHERE_SHARE = 5, 0.1  # memories, and share of them, that speak of what is named
FEW_OWNERS = 3  # a key that more memories have reminds of none

INHERITED = frozenset({Strategy.KEYWORD, Strategy.SEMANTIC})  # by who takes a memory's place

NOTHING_LEARNED = Weighing()
Make = Callable[[str, list[Evidence]], Candidate]


@dataclass(frozen=True, slots=True)
class Asking:
    """A scene put to one role. `least`: what a strategy alone must say to be heard; `heard`: who has spoken already."""

    role: Compiled
    scene: Scene
    settings: TriggerSettings
    least: float
    heard: Collection[str]
    keyed: Evaluated
    question: Question
    weighing: Weighing
    scales: Scales


@dataclass(frozen=True, slots=True)
class Gathered:
    """The role's constants, the candidates with evidence, those that may not come at all, and the timers from now on.

    `rivals` are those that conflict with one of these, and that nothing speaks for; `unheard` says for how many more too
    little speaks.
    """

    constants: list[Candidate]
    candidates: list[Candidate]
    barred: list[Refused]
    timers: Timers = field(default_factory=Timers)
    rivals: list[Candidate] = field(default_factory=list)
    unheard: int = 0


def by_keys(asking: Asking) -> Iterable[tuple[str, Evidence]]:
    """Yield the memories whose keys stand in the scene. A key that many memories share says little of each.

    So does one that stands only in what was handed over, and an everyday word, least of all where a model finds that the
    message does not mean the memory; but not for memories with rules of their own.
    """
    for one in asking.keyed.activated:
        plain, doubt = asking.role.memories[one.entry.id].lore is None, 1.0
        for hit in {hit.key: hit for hit in one.hits}.values():
            doubt *= 1.0 - _worth(asking, hit) * (_meant(asking, hit)(one.entry.id) if plain else 1.0)
        score = 1.0 - doubt if one.hits else KEY_SCORE
        yield one.entry.id, Evidence(Strategy.KEYWORD, score, partial(_named, one.hits, one.why))
    found: dict[str, tuple[float, tuple[Hit, ...]]] = {}
    for hit, owners in asking.keyed.plain:
        worth, meant = _worth(asking, hit), _meant(asking, hit)
        for owner in owners:
            doubt, hits = found.get(owner, (1.0, ()))
            found[owner] = doubt * (1.0 - worth * meant(owner)), (*hits, hit)
    entries = asking.role.lore.entries
    for owner in sorted(found, key=lambda key: entries[key].number):
        doubt, hits = found[owner]
        yield owner, Evidence(Strategy.KEYWORD, 1.0 - doubt, partial(_named, hits, "", entries[owner]))


def _worth(asking: Asking, hit: Hit) -> float:
    """Return what a key says of each memory that has it, by how many have it, its words, and how long ago it was said."""
    many = max(len(asking.role.memories) * FEW_SHARE, 4.0)
    telling = max(0.4, 1.0 - 0.6 * (hit.owners - 1) / many) * telling_words(hit.key)
    return KEY_SCORE * OLDER_MESSAGE**hit.newest * telling


def _meant(asking: Asking, hit: Hit) -> Callable[[str], float]:
    """Return how much a key counts for a memory by how common it is, by where it stands, and where a model knows, by whether
    the memory is meant."""
    scales, said = asking.scales, _said(asking.question, hit)
    rare = max(EVERYDAY_KEY, asking.weighing.known.telling(hit.key))
    asks_model = rare < 1.0 and asking.settings.semantic

    def meant(memory_id: str) -> float:
        weighed = scales.of(memory_id) if asks_model and scales.knows(memory_id) else None
        share = 1.0 if weighed is None else max(KEY_AGAINST_SENSE, min(1.0, weighed.alone / KEY_AGREED))
        return said * (rare * share)

    return meant


def _said(question: Question, hit: Hit) -> float:
    """Return how much a key counts by where it stands: in the speaker's own words, or in what they handed over."""
    if hit.newest or not question.said.pastes:
        return 1.0
    own = question.said.question.casefold()
    return 1.0 if hit.key.casefold() in own else HANDED_KEY


def by_evidence(asking: Asking) -> Iterable[tuple[str, Evidence]]:
    """Yield the memories that the message wants by what it means and by its words.

    Of many strangers the best is near by chance: where even that one would not come by what it has in a crowd, none does.
    """
    role, question, weighing = asking.role, asking.question, asking.weighing
    weighed_by_key = asking.scales.all(asking.heard)
    worth = {key: _worth_of(asking, key, one.probability) for key, one in weighed_by_key.items()}
    crowd = {
        key: _worth_of(asking, key, asking.scales.in_crowd(one.probability)) for key, one in weighed_by_key.items()
    }
    if max(crowd.values(), default=1.0) < asking.settings.relevance_threshold:
        worth = crowd
    for key, weighed in weighed_by_key.items():
        likely = worth[key]
        if likely * role.memories[key].relevance_weight >= asking.least or (likely >= FAINT and key in asking.heard):
            yield (
                key,
                Evidence(Strategy.SEMANTIC, likely, partial(reason, role, question, weighing, key, weighed.level)),
            )


def _worth_of(asking: Asking, key: str, chance: float) -> float:
    question = asking.question
    return worth_telling(chance, question.said, question.doing, bearing_of(asking.role.memories[key].text))


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
            full = FELT_ALONE if memory.trigger_type == "emotional" else FELT
            said = full * like * memory.emotional_weight * (0.7 + 0.3 * mood.intensity)
            said /= 1 + FELT_BY_MANY * max(0, alike - 1)
            yield key, Evidence(Strategy.EMOTIONAL, min(said, 0.9), partial("feeling {}".format, mood.emotion.value))


STRATEGIES: tuple[tuple[str, Callable[[Asking], Iterable[tuple[str, Evidence]]]], ...] = (
    ("keyword", by_keys),
    ("temporal", by_time),
    ("emotional", by_feeling),
    ("semantic", by_evidence),
)


def gather(  # noqa: PLR0913 - a role, a scene, and what the caller knows of both
    role: Compiled,
    name: str,
    scene: Scene,
    settings: TriggerSettings,
    *,
    weight: float = 1.0,
    own: bool = True,
    faint: bool = False,
    timers: Timers | None = None,
    question: Question | None = None,
    near: Mapping[str, Near] | None = None,
    weighing: Weighing = NOTHING_LEARNED,
    counted: bool = True,
) -> Gathered:
    """Return what speaks for the memories of a role. `faint`: also those that can only be refused, to explain them.

    `counted`: those for which too little speaks are only counted, unless they are explained;
    `question`: the scene as every role is asked it; `near`: how near memories are to it, where a model is at hand.
    """
    found: dict[str, list[Evidence]] = {}
    question = question or question_of(scene.messages[-settings.scan_messages :], scene.topic, weighing)
    least = FAINT if faint else max(FAINT, min(0.99, settings.relevance_threshold / max(weight, 0.01)))
    keyed = _keyed(role, scene, settings, timers or Timers())
    scales = Scales(role, question, near or {}, weighing)
    asking = Asking(role, scene, settings, least, found.keys(), keyed, question, weighing, scales)
    for setting, strategy in STRATEGIES:
        if getattr(settings, setting):
            for key, evidence in strategy(asking):
                found.setdefault(key, []).append(evidence)
    _hand_on(role, found, scene.now_s)

    def make(key: str, said: list[Evidence]) -> Candidate:
        return Candidate(name, role.at(key, scene.now_s), weight, own, said)

    all_of = faint or not counted
    made = {key: make(key, said) for key, said in found.items() if all_of or _can_rise(asking, weight, key, said)}
    for rival in [rival for one in made.values() for rival in one.memory.rivals if rival in found]:
        made.setdefault(rival, make(rival, found[rival]))
    return _gathered(asking, found.keys(), made, make, own=own)


def _gathered(
    asking: Asking, found: AbstractSet[str], made: dict[str, Candidate], make: Make, *, own: bool
) -> Gathered:
    """Return what was found, with what it reminds of, in its parts. `made`: what is more than counted."""
    role, scene, keyed = asking.role, asking.scene, asking.keyed
    if asking.settings.keyword:
        _remind(role, found, made, make, asking.settings.recursion_depth)
    unheard = len(found - made.keys())
    constants = _constants(role, made, make) if own else []
    stopped = {one.entry.id: (one.fate, one.detail) for one in keyed.stopped} if asking.settings.keyword else {}
    for key in stopped.keys() - found - made.keys() - role.constants:
        made[key] = make(key, [])
    barred = [one for made_one in [*constants, *made.values()] if (one := _barred(made_one, scene.now_s, stopped))]
    gone = {one.candidate.key for one in barred}
    return Gathered(
        [one for one in constants if one.key not in gone],
        [one for one in made.values() if one.key not in gone],
        barred,
        keyed.timers,
        rivals_of(role, (*constants, *made.values()), scene.now_s),
        unheard,
    )


def _hand_on(role: Compiled, found: dict[str, list[Evidence]], now_s: float) -> None:
    """Let who took a memory's place answer what it answered: "I moved to Berlin" says less of where one lives than the text
    that it ended. Of keys and of meaning only: times and feelings are of the old text itself."""
    for key in [key for key in found if role.memories[key].superseded_by]:
        heir, passed = role.at(key, now_s).superseded_by, {key}
        while heir in role.memories and heir not in passed and (later := role.at(heir, now_s).superseded_by):
            passed.add(heir)
            heir = later
        if heir not in role.memories or heir in passed:
            continue
        own = found.setdefault(heir, [])
        for one in found[key]:
            beside = max((held.score for held in own if held.strategy is one.strategy), default=0.0)
            if one.strategy in INHERITED and one.score > beside:
                own[:] = [held for held in own if held.strategy is not one.strategy]
                own.append(one._replace(say=partial(_handed, one, key)))
        if not own:
            del found[heir]


def _handed(one: Evidence, key: str) -> str:
    return f"{one.reason}; it took the place of {key[:8]}"


def _can_rise(asking: Asking, weight: float, key: str, said: list[Evidence]) -> bool:
    """Tell whether a memory may come, or remind of another, by what speaks for it."""
    memory = asking.role.memories[key]
    bar = min(asking.settings.relevance_threshold, REMINDING)
    return key in asking.role.constants or combined(said) * memory.relevance_weight * weight >= bar


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
                if len(owners) > FEW_OWNERS or not _is_name(key, content) or _is_everywhere(role, key):
                    continue
                for owner in owners:
                    if owner not in made and owner not in heard:
                        say = partial("key {!r}, which {} names".format, key, source)
                        made[owner] = make(owner, [Evidence(Strategy.KEYWORD, strength, say)])


def _is_everywhere(role: Compiled, key: str) -> bool:
    """Tell whether so many memories speak of something that naming it reminds of nothing."""
    held = max((role.lexicon.holders(term) for term in tokens(key, unigrams=False)), default=0)
    return held > max(EVERYWHERE, EVERYWHERE_SHARE * len(role.memories))


def _is_name(key: str, content: str) -> bool:
    """Tell whether a text names something by a key: a word of Han that not everybody uses, or one with a capital."""
    if is_cjk(key[0]):
        return len(key) > 1 and telling_words(key) == 1.0
    at = content.casefold().find(key)
    return at > 0 and content[at : at + 1].isupper()


def _keyed(role: Compiled, scene: Scene, settings: TriggerSettings, timers: Timers) -> Evaluated:
    if not (settings.keyword and len(role.lore)):
        return Evaluated((), (), timers)
    rules = LoreSettings(scan_depth=settings.scan_messages, whole_words=settings.whole_words)
    newest_first = scene.messages[::-1]
    scan = Scan(
        newest_first,
        scene.length,
        scene.roll,
        timers=timers,
        occasion=scene.occasion,
        role=scene.role,
        clock=scene.clock,
    )
    return evaluate(role.lore, scan, rules)


def _named(hits: tuple[Hit, ...], why: str, ready: Ready | None = None) -> str:
    """Return the keys that were found, in the order in which an entry has them; `why` where there are none."""
    if ready:
        places = {probe.raw: place for place, probe in enumerate(ready.primary) if probe}
        hits = tuple(sorted(hits, key=lambda one: places[one.key]))
    return "key " + ", ".join(repr(key) for key in list(dict.fromkeys(one.key for one in hits))[:4]) if hits else why


def _barred(candidate: Candidate, now_s: float, stopped: dict[str, tuple[Fate, str]]) -> Refused | None:
    memory = candidate.memory
    if memory.disabled:
        return Refused(candidate, "disabled", "its record says so")
    if memory.superseded_by:
        return Refused(candidate, "superseded", f"{memory.superseded_by} took its place")
    if temporal.is_expired(memory, now_s):
        return Refused(candidate, "expired", "its validity has ended")
    fate = stopped.get(memory.id)
    if fate and (fate[0] in FINAL or not candidate.evidence):
        return Refused(candidate, fate[0].value, fate[1])
    return None
