"""Whether quotes of earlier sessions are wanted for a scene, and where they are: what a trigger asks first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from memd.model.scene import Quotes

if TYPE_CHECKING:
    from memd.engine.recall.wanted.weighing import Question, Weighing
    from memd.model.settings import Settings
    from memd.service.walks import TriggerRequest
    from memd.store.recall.meaning import Question as Asked
    from memd.store.recall.recalled import Talk
    from memd.store.role.role import Role
    from memd.store.store import Store

LEVELS = ("inbox", "auto")  # of capture, at which the setting `auto` is on


class Asking(Protocol):
    """A scene as it is asked: its words, the question as a model has it, and what weighs the answers."""

    @property
    def question(self) -> Question:
        """The words."""

    @property
    def model(self) -> Asked | None:
        """The question as a model has it."""

    @property
    def weighing(self) -> Weighing:
        """What weighs."""


def is_on(store: Store, settings: Settings) -> bool:
    """Tell whether quotes are wanted at all."""
    wanted = settings.trigger.sessions
    return wanted == "on" or (wanted == "auto" and store.settings.capture.level in LEVELS)


def begin(store: Store, role: Role, settings: Settings) -> None:
    """Read what is new of sessions, in the background."""
    if is_on(store, settings):
        store.sayings.begin(store, role.name)


async def said_for(
    store: Store, role: Role, request: TriggerRequest, asked: Asking, talk: Talk, as_of_s: float | None
) -> Quotes:
    """Return what was said that fits a message that asks; nothing where it does not ask, or quotes are not wanted."""
    settings = store.settings_of(role)
    if not (is_on(store, settings) and asked.question.said.asks and settings.trigger.semantic):
        return Quotes()
    from memd.service.said.quotes import quotes_for  # noqa: PLC0415 - most triggers need none of it

    return await quotes_for(store, role, request, asked, talk, as_of_s)
