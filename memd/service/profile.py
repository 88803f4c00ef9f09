"""Of whom a message or a request asks for all that is held, and what of a role's memories that is.

The rules, which are of two languages, are loaded when they are first needed.
"""

# ruff: noqa: PLC0415  the rules

from __future__ import annotations

import asyncio
from functools import lru_cache
from typing import TYPE_CHECKING

from memd.errors import BadParamsError
from memd.model.lore import FINAL

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from memd.engine.recall.activate import Gathered
    from memd.engine.recall.compiled import Compiled
    from memd.engine.recall.profile.groups import Group
    from memd.engine.recall.profile.profiles import Profiled, Shown
    from memd.engine.recall.profile.subjects import Subject
    from memd.model.memory import Memory
    from memd.model.scene import Candidate, Scene
    from memd.store.recall.pasts import Past
    from memd.store.role.role import Role
    from memd.store.store import Store

READ_CHARS = 1000
PIECE_S = 0.004  # for which texts are read at once


def asked_about(role: Role, then: Past | None, scene: Scene) -> Subject | None:
    """Return of whom the newest message asks for all that is known, None where it does not, or names nobody that the role knows."""
    from memd.engine.recall.profile.inquiry import inquiry_of

    asked = inquiry_of(scene.messages[-1]) if scene.messages else None
    if asked is None:
        return None
    try:
        subject = subject_in(role, then, asked.subject)
    except BadParamsError:
        return None
    return subject if subject.of != "named" or subject.firm else None


def subject_in(role: Role, then: Past | None, words: str) -> Subject:
    """Return of whom words are, by what a role knows, or knew; call in its turn. BadParamsError where they are of nobody."""
    from memd.engine.recall.profile.subjects import checked, subject_of

    profile = role.own.profile
    try:
        plain = checked(words)
    except ValueError as error:
        raise BadParamsError(f"subject: {error}") from None
    compiled = then.compiled if then else role.compiled
    return subject_of(plain, compiled.memories, (role.name, profile.display_name, *profile.aliases))


async def held_of(
    store: Store,
    role: Role,
    compiled: Compiled,
    subject: Subject,
    now_s: float,
    *,
    past: bool = False,
    link: float | None = None,
    barred: Collection[str] = (),
) -> Profiled:
    """Return what a role holds of a subject; call in its turn. `past`: a time is asked of which no use is known.

    `link` is the weight of a link by which the role is seen. What was never read before is read in pieces, between which
    others have their turn.
    """
    from memd.engine.recall.profile.profiles import profiled, read_ahead

    begun_s = store.ports.monotonic()
    for memory in [*compiled.memories.values()]:
        read_ahead(memory.text)
        why_delicate(memory)
        if store.ports.monotonic() - begun_s > PIECE_S:
            await asyncio.sleep(0)
            begun_s = store.ports.monotonic()
    return profiled(
        compiled,
        role.name,
        subject,
        now_s,
        uses={} if past else store.recalled.uses.get(role.name, {}),
        delicate=why_delicate,
        weight=1.0 if link is None else link,
        own=link is None,
        fiction=role.own.profile.fiction,
        barred=barred,
    )


async def held_in(
    store: Store, role: Role, then: Past | None, subject: Subject, scene: Scene, gathered: Gathered, link: float | None
) -> Profiled:
    """Return what a role holds of a subject in a scene, without what the rules of keys refuse there; call in its turn."""
    barred = {one.candidate.memory.id for one in gathered.barred if one.why in FINAL}
    past, compiled = scene.as_of_s is not None, then.compiled if then else role.compiled
    return await held_of(store, role, compiled, subject, scene.now_s, past=past, link=link, barred=barred)


def naming(subject: Subject, *, fiction: bool) -> Callable[[Memory], bool]:
    """Return what tells whether a memory is of a subject, whether it holds or not."""
    from memd.engine.recall.profile.profiles import bearing

    return bearing(subject, fiction=fiction)


def in_order(some: Sequence[Profiled | None]) -> list[Candidate]:
    """Return what several roles hold in the order of its worth; nothing where nobody asked."""
    if not any(some):
        return []
    from memd.engine.recall.profile import profiles

    return profiles.in_order([one for one in some if one])


def shown_of(some: Sequence[Profiled | None], constants: Sequence[Candidate], now_s: float, *, chinese: bool) -> Shown:
    """Return how a profile reads that stands beside a role's constants."""
    from memd.engine.recall.profile import profiles

    return profiles.shown_of([one for one in some if one], constants, now_s, chinese=chinese)


def title_of(group: Group, *, chinese: bool) -> str:
    """Return a part's title."""
    from memd.engine.recall.profile import profiles

    return profiles.title_of(group, chinese=chinese)


def why_delicate(memory: Memory) -> str:
    """Return why a memory is delicate, "" where it is not."""
    return _why_delicate_text(memory.text[:READ_CHARS])


@lru_cache(maxsize=32_768)
def _why_delicate_text(text: str) -> str:
    from memd.engine.keep.talk.persons import why_delicate

    return why_delicate(text)
