"""The verbs of recall: what a scene brings to mind, rendered and explained, and what is known of somebody."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, NamedTuple

import msgspec
from msgspec import Meta

from memd.engine.recall.inject import Found, Limits, inject
from memd.errors import BadParamsError, MemdError
from memd.formats.times import to_exact_iso, to_iso
from memd.model.memory import Kind, Memory
from memd.model.settings import InjectionSettings, Settings
from memd.protocol.fields import Request
from memd.protocol.recall import ProfileLine, ProfilePart, ProfileView, ProposedLine, Recalled
from memd.service.memory.egress import as_it_is, for_model
from memd.service.memory.trigger import trigger
from memd.service.profile import held_of, in_order, shown_of, subject_in, title_of, why_delicate
from memd.service.recent import tell_recall
from memd.service.screening import look_at, make_ready, screen_of
from memd.service.walks import MAIN, TriggerRequest
from memd.text.characters import fingerprint, is_chinese
from memd.verbs.declared import Service, verb

if TYPE_CHECKING:
    from memd.engine.recall.profile.groups import Group
    from memd.engine.recall.profile.profiles import Profiled, Shown
    from memd.engine.recall.profile.subjects import Subject
    from memd.model.scene import Candidate, Injection
    from memd.model.settings import Link
    from memd.store.role.role import Role
    from memd.store.store import Store


@verb("trigger")
async def trigger_scene(service: Service, asked: TriggerRequest) -> Recalled:
    """Return what the scene brings to mind, rendered and explained."""
    if asked.message is None and not asked.messages:
        raise BadParamsError("give `message`, or `messages` oldest first")
    if asked.trying and not asked.explain:
        raise BadParamsError("trying: with `explain` alone; what comes so is for nobody's prompt")
    if service.following is None:
        await service.store.library.read_keyed(
            service.store.tree, all_pages=service.store.settings.pages.recall != "keys"
        )
    reply = await trigger(service.store, asked)
    tell_recall(service.store, asked, reply)
    return msgspec.convert(reply, Recalled)


# The verb of the profile: what is held of the user, the role, a person or a thing, by parts. Writes nothing.

OWN_SOURCES = ("", "user", "file-edit")  # whose word on the user may stand in USER.md
PROPOSED = 5
ALL = Limits(0, 0, 0, 0)  # in a profile no kind has a limit
READ_CHARS = 500  # of what is known, by which the language is told
BUDGET_CHARS = 4000


class AskProfile(Request):
    """Of whom, in whose memory, and how much."""

    subject: Annotated[
        str,
        Meta(
            max_length=200,
            description="a person, a thing or a project as a memory names them, or as what they are: my sister, 我妈妈; you: the role; the user without it",
        ),
    ] = ""
    role: Annotated[
        str,
        Meta(max_length=200, description="a role's name, alias or uuid; else hooks.role of the settings, else main"),
    ] = ""
    budget: Annotated[int, Meta(ge=100, le=1_000_000, description="characters of the whole block")] = BUDGET_CHARS
    as_of: Annotated[float | str, Meta(description="what was known and held then: a time, or a day's end")] | None = (
        None
    )


class _Held(NamedTuple):
    """What some roles hold of a subject, the one that is asked first, and what is wrong with a link or with the time."""

    subject: Subject
    now_s: float
    some: list[Profiled]
    notes: list[str]


@verb("profile")
async def tell_profile(service: Service, asked: AskProfile) -> ProfileView:
    """Return what holds of the user, the role, a person or a thing: by parts, dated, the best within a budget."""
    started_s = time.perf_counter()
    store = service.store
    await make_ready(store)
    role = await store.role(asked.role or store.settings.hooks.role or MAIN)
    settings = store.settings_of(role)
    as_of_s = None if asked.as_of is None else store.pasts.moment(asked.as_of, settings.trigger.zone)
    held = await _held(store, role, asked.subject, as_of_s)
    told = for_model(store) if settings.gate.scan else as_it_is
    block, shown = await _block(store, role.name, held, settings, asked.budget)
    chosen, known = shown.in_order(block.activated), sum(len(one.candidates) for one in held.some)
    withheld = [one.candidate.memory.id for one in block.refused if one.why == "withheld"]
    now = as_of_s is None
    return ProfileView(
        role=role.name,
        subject=asked.subject,
        of=held.subject.of.value,
        several=[told(one) for one in held.subject.several] or None,
        content=block.content,
        fence=block.fence,
        parts=_parts(chosen, shown),
        known=known,
        shown=len(chosen),
        left_out=known - len(chosen),
        delicate=sum(one.delicate for one in held.some),
        withheld=withheld or None,
        waiting=_waiting(store, role.name, held.subject) if now else 0,
        proposed=(_proposed(store, chosen) if now and held.subject.of == "user" else []) or None,
        as_of=None if as_of_s is None else to_exact_iso(as_of_s),
        notes=[told(one) for one in held.notes] or None,
        elapsed_ms=round((time.perf_counter() - started_s) * 1000, 3),
    )


async def _held(store: Store, role: Role, words: str, as_of_s: float | None) -> _Held:
    """Return what a role, and those it is linked to, hold of whom words mean. BadParamsError where that is nobody."""
    now_s = store.ports.now() if as_of_s is None else as_of_s
    async with role.turn:
        await store.refresh(role)
        then = await store.pasts.then(role, as_of_s)
        subject = subject_in(role, then, words)
        compiled = then.compiled if then else role.compiled
        own = await held_of(store, role, compiled, subject, now_s, past=then is not None)
    held = _Held(subject, now_s, [own], then.notes() if then else [])
    for link in role.own.profile.links:
        await _add_linked(store, role, link, held, as_of_s)
    return held


async def _add_linked(store: Store, role: Role, link: Link, held: _Held, as_of_s: float | None) -> None:
    """Add what a linked role holds; a link that leads nowhere is noted."""
    try:
        linked = await store.role(link.role)
        if linked is role:
            return
        async with linked.turn:
            await store.refresh(linked)
            then = await store.pasts.then(linked, as_of_s)
            compiled = then.compiled if then else linked.compiled
            past = then is not None
            lent = await held_of(store, linked, compiled, held.subject, held.now_s, past=past, link=link.weight)
            held.some.append(lent)
    except MemdError as error:
        held.notes.append(f"the link to {link.role!r} leads nowhere: {error}")


async def _block(store: Store, name: str, held: _Held, settings: Settings, budget: int) -> tuple[Injection, Shown]:
    """Return the block for a prompt, and how it reads."""
    ranked = in_order(held.some)
    shown = shown_of(held.some, (), held.now_s, chinese=_is_chinese(held.subject, ranked))
    injecting = replace(settings.injection, budget_chars=budget, budget_tokens=0)
    if settings.gate.scan and for_model(store)(injecting.template) != injecting.template:
        injecting = replace(injecting, template=InjectionSettings().template)
    offered = _offered(ranked, budget)
    texts = [one.memory.text for one in offered if len(one.memory.text) <= budget]
    await look_at(store, [*texts, *held.notes, *held.subject.several])
    screen = screen_of(store, settings)
    return inject(name, Found((), (), offered), ALL, injecting, screen, held.now_s, shown), shown


def _is_chinese(subject: Subject, ranked: list[Candidate]) -> bool:
    """Tell whether a profile's headings are Chinese: as the subject is, else as what is known."""
    known = "".join(one.memory.text for one in ranked[:20])[:READ_CHARS]
    return is_chinese(subject.words if subject.of == "named" else subject.words + known)


def _offered(ranked: list[Candidate], budget: int) -> list[Candidate]:
    """Return those that may have room: what is worth less than three budgets of text before it has none."""
    room, offered = 3 * budget, []
    for one in ranked:
        if room < 0:
            break
        room -= min(len(one.memory.text), budget)
        offered.append(one)
    return offered


def _proposed(store: Store, chosen: list[Candidate]) -> list[ProposedLine]:
    """Return what of the user's own lasting facts USER.md does not say yet. Nothing is written."""
    from memd.engine.keep.aging import lasting  # noqa: PLC0415  the rules of two languages

    store.curated.look(store.tree)
    said = " ".join(map(fingerprint, store.curated.said.get("USER.md", ())))
    best = sorted((one for one in chosen if one.own), key=lambda one: (-one.relevance, one.key))
    fitting = (
        ProposedLine(id=one.id, what=what, text=one.text)
        for one in (candidate.memory for candidate in best)
        if one.source in OWN_SOURCES and not (one.is_of_world or one.rivals or why_delicate(one))
        if (what := lasting(one.text)) and fingerprint(one.said) not in said
    )
    return [one for one, _ in zip(fitting, range(PROPOSED), strict=False)]


def _waiting(store: Store, role: str, subject: Subject) -> int:
    """Return how many texts of the inbox are of a subject."""
    texts = [str(one.get("content", "")) for one in store.keeping.inbox.of(role)]
    if subject.of == "user":
        return len(texts)
    bears = subject.bears_on()
    return sum(bears(Memory("", Kind.SEMANTIC, text)) for text in texts)


def _parts(chosen: list[Candidate], shown: Shown) -> list[ProfilePart]:
    parts: dict[Group, list[ProfileLine]] = {}
    for one in chosen:
        parts.setdefault(shown.group(one), []).append(_line(one))
    return [
        ProfilePart(name=group.value, title=title_of(group, chinese=shown.chinese), memories=lines)
        for group, lines in parts.items()
    ]


def _line(one: Candidate) -> ProfileLine:
    memory = one.memory
    return ProfileLine(
        id=memory.id,
        role=one.role,
        kind=memory.kind.value,
        text=memory.text,
        time=to_iso(memory.when_s) if memory.when_s is not None else None,
        event=(memory.event and memory.event.told) or None,
        source=memory.source or None,
        worth=round(one.relevance, 4),
        conflicts_with=list(memory.rivals) or None,
    )
