"""trigger: what does this scene bring to mind, rendered for the prompt and explained. Writes no versioned file."""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

from memd.engine.recall.inject import Found, Limits, inject, wants_several
from memd.engine.recall.lore.placing import Placed, place
from memd.engine.recall.rank import along, is_settled, rank
from memd.errors import MemdError
from memd.model.lore import Timers
from memd.model.memory import Kind
from memd.model.scene import BookFound, BookRefused, Candidate, Quotes, Refused, Scene
from memd.model.settings import InjectionSettings, Settings, TriggerSettings
from memd.service.memory.egress import Looks
from memd.service.memory.replies import Outcome, elapsed_ms, explained, is_answered, reply_of
from memd.service.memory.scenes import (
    Asking,
    ask,
    at_turn,
    begin,
    beside,
    is_fresh,
    last_use_s,
    said_for,
    scene_of,
    told_as,
    unrepeated,
    untold,
)
from memd.service.profile import held_in, in_order, shown_of
from memd.service.screening import look_at, make_ready, ready
from memd.text.characters import is_chinese

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from memd.engine.recall.activate import Gathered
    from memd.engine.recall.profile.profiles import Profiled, Shown
    from memd.engine.recall.wanted.weighing import Question
    from memd.service.walks import TriggerRequest
    from memd.store.recall.recalled import Talk
    from memd.store.role.role import Role
    from memd.store.store import Store

NOTHING_SAID = Quotes()
NOW = "as of then: books, and pages without a date, have no history and are as they are now"
MEMORIES = "memories"  # the timers of memories with keys, beside those of the books' groups


@dataclass(slots=True)
class _Seen:
    """What one role had to say."""

    gathered: Gathered
    books: list[BookFound] = field(default_factory=list)
    stopped: list[BookRefused] = field(default_factory=list)
    placed: list[Placed] = field(default_factory=list)
    silent: int = 0
    notes: list[str] = field(default_factory=list)
    pages: list[BookFound] = field(default_factory=list)
    profile: Profiled | None = None


class _Tie(NamedTuple):
    """How a role stands to the one that is asked: that itself, or one it links to. `always`: its constants come unasked."""

    weight: float = 1.0
    own: bool = True
    always: bool = True

    @property
    def weight_of_link(self) -> float | None:
        """The weight where it is linked."""
        return None if self.own else self.weight


_OWN = _Tie()


class _Ranking(NamedTuple):
    """What all roles said: what is to come in its order, what is too far off, and how a profile reads where one is asked for."""

    seen: list[_Seen]
    ranked: list[Candidate]
    below: list[Refused]
    limits: Limits
    style: Shown | None = None


async def trigger(store: Store, request: TriggerRequest) -> dict[str, Any]:
    """Return the block for the prompt with what activated, and, to explain, what did not and why."""
    started_s = time.perf_counter()
    role = await store.role(request.role)
    request = request.of(role.name)
    await make_ready(store, for_trigger=True)
    asked = await ask(store, role, request)
    async with role.turn:
        await store.refresh(role)
        settings = request.instead(store.settings_of(role))
        await _shelve(store, role, settings)
        begin(store, role, settings)
        answers, key = store.answers, _known_as(store, role, settings, request)
        if key is not None and (known := answers.find(key)) is not None:
            store.recalled.use(role.name, known[1], store.ports.now())
            return {**known[0], "cached": True, "elapsed_ms": elapsed_ms(started_s)}
        scene = scene_of(request, settings.trigger, store.ports.now, partial(store.lexicon.look, store.tree))
        talk = store.recalled.talk(role.name, request.session)
        scene = at_turn(scene, request, talk.begin(request.said, request.turn, len(request.messages)))
        asked = await beside(store, role, scene, asked, settings.trigger)
        looks = Looks.of(store, settings)
        own = _look(role, scene, settings, talk, asked, looks, explain=request.explain)
        await _profile(store, role, scene, asked, own)
        own.pages = await role.shelf.fitting(store.library, store.tree, role, scene, store.settings, settings)
    seen = [own]
    async for linked, tie in _links(store, role, own.notes):
        async with linked.turn:
            await store.refresh(linked)
            await _shelve(store, linked, settings)
            asked = await beside(store, linked, scene, asked)
            seen.append(_look(linked, scene, settings, talk, asked, looks, tie, explain=request.explain))
            await _profile(store, linked, scene, asked, seen[-1], tie)
    outcome = await _outcome(store, role, seen, scene, request, talk, looks, asked)
    await _look_at_refused(store, outcome, request)
    _note(store, request, talk, outcome)
    notes = _notes(store, seen, embeds=settings.trigger.embeddings)
    reply = reply_of(outcome, request, looks.notes(notes, settings.injection), started_s)
    if key is not None and not (store.meaning.trouble or outcome.looked):
        answers.put(key, reply, [one.memory.id for one in outcome.result.activated])
    return reply


def _notes(store: Store, seen: list[_Seen], *, embeds: bool) -> list[str]:
    trouble = [f"found by words alone: {store.meaning.trouble}"] if store.meaning.trouble and embeds else []
    return [*(note for one in seen for note in one.notes), *trouble]


def _known_as(store: Store, role: Role, settings: Settings, request: TriggerRequest) -> object | None:
    """Return what an answer is known by, None where it is not to be kept."""
    if request.session:
        return None
    pages = (store.settings.pages, store.library.changes)
    others = (id(store.lexicon.look(store.tree)), store.meaning.state, store.keeping.quarantine.said, pages)
    return store.answers.key(role, settings, others, request.known_by(store.ports.now()))


async def _look_at_refused(store: Store, outcome: Outcome, request: TriggerRequest) -> None:
    """Look at what is explained of those that did not come: of them only the first that fit were looked at."""
    if request.explain:
        memories, books, _ = explained(outcome, request.explain_limit)
        await ready(store, [*(one.candidate.memory.text for one in memories), *(one.entry.content for one in books)])


async def _look_ahead(store: Store, ranking: _Ranking, injecting: InjectionSettings, talk: Talk) -> None:
    """Look beside the loop at the texts that may come, as many as there is room for: the screen then knows them."""
    seen, budget = ranking.seen, injecting.budget_chars
    is_new = partial(is_fresh, talk=talk, window=injecting.repeat_after)
    fitting = [one.text for role in seen for one in (*role.books, *role.pages)]
    fitting += [one.memory.text for role in seen for one in role.gathered.rivals if len(one.memory.text) <= budget]
    places = [budget] * len(Kind) if ranking.style else ranking.limits
    left, room = dict(zip(Kind, places, strict=True)), 2 * budget
    for one in chain(_constants(seen), filter(is_new, ranking.ranked)):
        memory = one.memory
        if len(memory.text) > budget:
            continue
        left[memory.kind] -= not memory.constant
        if left[memory.kind] >= 0:
            room -= len(memory.text)
            fitting.append(memory.text)
            if room < 0 or not any(left.values()):
                break
    await look_at(store, fitting)


async def _shelve(store: Store, role: Role, settings: Settings) -> None:
    """Bring a role's books and pages up to their files; call in its turn."""
    await role.shelf.refresh(store.tree, role.name, role.own.profile, settings.books, store.library.keyed.values())


async def _links(store: Store, role: Role, notes: list[str]) -> AsyncIterator[tuple[Role, _Tie]]:
    """Yield the roles that a role's links lead to, each once, with the weight of the first link; what leads nowhere is noted."""
    looked, person = {role.name}, store.roles.person_of(role)
    for link in role.own.profile.links:
        try:
            linked = await store.role(link.role)
        except MemdError as error:
            notes.append(f"the link to {link.role!r} leads nowhere: {error}")
            continue
        if linked.name not in looked:
            looked.add(linked.name)
            yield linked, _Tie(link.weight, own=False, always=linked is person)


def _constants(seen: list[_Seen]) -> list[Candidate]:
    """Return what comes unasked, that of the role itself first."""
    return [one for role in seen for one in role.gathered.constants]


def _look(
    role: Role,
    scene: Scene,
    settings: Settings,
    talk: Talk,
    asked: Asking,
    looks: Looks,
    tie: _Tie = _OWN,
    *,
    explain: bool,
) -> _Seen:
    """Return what a role's memories and books have to say to a scene; call in its turn."""
    compiled = asked.then.compiled if asked.then else role.compiled
    key = f"{role.name}/{MEMORIES}"
    gathered = role.gathered(
        scene, settings.trigger,
        weight=tie.weight, own=tie.own, always=tie.always, faint=explain, timers=talk.timers.get(key),
        question=asked.question, near=asked.near, apart=asked.apart_near, weighing=asked.weighing, compiled=compiled,
        counted=asked.subject is None, told={one.removeprefix(f"{role.name}/") for one in talk.injected},
        used=asked.used_s,
    )  # fmt: skip
    talk.timers[key] = gathered.timers
    seen = _Seen(gathered, notes=asked.then.notes() if asked.then else [])
    known = len(gathered.constants) + len(gathered.candidates) + len(gathered.barred) + gathered.unheard
    seen.silent = len(compiled.memories) - known
    if settings.trigger.keyword:
        _look_at_books(seen, role, scene, settings, talk, looks, own=tie.own)
    return seen


async def _profile(store: Store, role: Role, scene: Scene, asked: Asking, seen: _Seen, tie: _Tie = _OWN) -> None:
    """Add what a role holds of whom all that is known is asked of; call in its turn."""
    if asked.subject is None:
        return
    seen.profile = await held_in(store, role, asked.then, asked.subject, scene, seen.gathered, tie.weight_of_link)
    spoke = {one.key for one in (*seen.gathered.constants, *seen.gathered.candidates)}
    seen.silent -= len(seen.profile.groups.keys() - spoke)


def _ranked(store: Store, scene: Scene, settings: TriggerSettings, seen: list[_Seen], question: Question) -> _Ranking:
    limits = Limits.of(settings, several=wants_several(question, timed=bool(scene.times)))
    profiles, constants = [role.profile for role in seen], _constants(seen)
    if profile := in_order(profiles):
        always = {one.key for one in constants}
        shown = shown_of(profiles, constants, scene.now_s, chinese=is_chinese(scene.messages[-1]))
        return _Ranking(seen, [one for one in profile if one.key not in always], [], limits, shown)
    ranked, below = rank(
        (one for role in seen for one in role.gathered.candidates),
        threshold=settings.relevance_threshold,
        now_s=scene.now_s,
        use_decay=settings.decay,
        used=lambda one: last_use_s(store, scene, one.role, one.memory.id),
    )
    return _Ranking(seen, ranked, below, limits)


def _look_at_books(
    seen: _Seen, role: Role, scene: Scene, settings: Settings, talk: Talk, looks: Looks, *, own: bool
) -> None:
    """Add what a role's books have to say to a scene, and keep their timers."""
    for compat, lore in role.shelf.groups.items():
        timed = f"{role.name}/{compat}"
        found = role.shelf.evaluated(compat, scene, settings, talk.timers.get(timed, Timers()), role.name)
        talk.timers[timed] = found.timers
        named = looks.named(lore.named)
        texts = [(one, named(one.entry.content)) for one in found.activated if one.entry.content]
        whys = [looks.screen(text, text, book=True) for _, text in texts]
        sound = [pair for pair, why in zip(texts, whys, strict=True) if not why]
        seen.books += [BookFound(role.name, one, text, own) for one, text in sound]
        seen.stopped += [
            BookRefused(role.name, one.entry, "withheld", why) for (one, _), why in zip(texts, whys, strict=True) if why
        ]
        seen.stopped += [BookRefused(role.name, one.entry, one.fate.value, one.detail) for one in found.stopped]
        seen.stopped += [
            BookRefused(role.name, one.entry, "empty", "it has no content")
            for one in found.activated
            if not one.entry.content
        ]
        seen.placed.append(place([one for one, _ in sound], named))
        seen.silent += len(lore) - len(found.activated) - len(found.stopped)
    if scene.as_of_s is not None and seen.books:
        seen.notes.append(NOW)


async def _outcome(
    store: Store,
    role: Role,
    seen: list[_Seen],
    scene: Scene,
    request: TriggerRequest,
    talk: Talk,
    looks: Looks,
    asked: Asking,
) -> Outcome:
    """Choose what comes; where a message asks and no memory answers, with quotes of what was said. Where others could have come
    in place of what has no room, all that anything speaks for is looked at.
    """
    settings = request.instead(store.settings_of(role))
    injecting = replace(settings.injection, **request.injecting)
    ranking = _ranked(store, scene, settings.trigger, seen, asked.question)
    await _look_ahead(store, ranking, injecting, talk)
    choose = partial(_chosen, store, role, ranking, scene, request, talk, looks)
    outcome, allowed = choose(NOTHING_SAID), dict(zip(Kind, ranking.limits, strict=True))
    if not all(is_settled(outcome.result.activated, one.gathered.cut, allowed) for one in seen):
        for one in seen:
            one.gathered = one.gathered.whole() if one.gathered.whole else one.gathered
        return await _outcome(store, role, seen, scene, request, talk, looks, asked)
    if is_answered(outcome):
        return outcome
    said = await said_for(store, role, request, asked, talk, scene.as_of_s)
    return choose(said) if said.looked else outcome


def _chosen(
    store: Store,
    role: Role, ranking: _Ranking, scene: Scene, request: TriggerRequest, talk: Talk, looks: Looks, said: Quotes
) -> Outcome:  # fmt: skip
    """Leave out what the window has of all that was said, and fit the rest."""
    seen = ranking.seen
    settings = request.instead(store.settings_of(role))
    injecting = replace(settings.injection, **request.injecting)
    if looks.of_template(injecting):
        injecting = replace(injecting, template=InjectionSettings().template)
    constants = _constants(seen)
    fresh, repeated = unrepeated(ranking.ranked, talk, injecting.repeat_after)
    silent = [one for role in seen for one in role.gathered.rivals]
    rivals, below = along(
        (*constants, *fresh), silent, ranking.below, lambda one: is_fresh(one, talk, injecting.repeat_after)
    )
    books, apart = [one for role in seen for one in role.books], settings.books.apart
    pages, told = untold(seen[0].pages, talk, injecting.repeat_after)
    found = Found(constants, [] if apart else books, fresh, pages, rivals, said.fitting)
    result = inject(role.name, found, ranking.limits, injecting, looks.screen, scene.now_s, ranking.style)
    return Outcome(
        role.name,
        result,
        [*books, *result.books] if apart else result.books,
        [*(one for role in seen for one in role.gathered.barred), *below, *repeated, *result.refused],
        [*(one for role in seen for one in role.stopped), *told, *result.refused_books],
        [one for role in seen for one in role.placed] if apart else [],
        sum(role.silent for role in seen) - sum(one.key in rivals for one in silent),
        injecting,
        scene,
        talk,
        *looks,
        (*said.refused, *result.refused_quotes),
        said.looked,
        threshold=None if ranking.style else settings.trigger.relevance_threshold,
        unheard=sum(role.gathered.unheard for role in seen),
    )


def _note(store: Store, request: TriggerRequest, talk: Talk, outcome: Outcome) -> None:
    """Keep what came, for the turns to come."""
    by_role: dict[str, list[str]] = {}
    for one in outcome.result.activated:
        by_role.setdefault(one.role, []).append(one.memory.id)
        if request.session:
            talk.injected[told_as(one)] = talk.turn
    if request.session:
        talk.injected.update((one.activation.entry.id, talk.turn) for one in outcome.books if one.score < 1.0)
        talk.injected.update((one.id, talk.turn) for one in outcome.result.quotes)
    looks = request.explain or request.as_of is not None  # who asks why, or what was known, uses nothing
    for role, ids in by_role.items() if not looks else ():
        store.recalled.use(role, ids, outcome.scene.now_s)
