"""How what a scene brings to mind is looked at before it is told."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from memd.service.memory.egress import as_it_is, for_model
from memd.service.screening import screen_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from memd.engine.recall.inject import Screen
    from memd.model.settings import InjectionSettings, Settings
    from memd.store.store import Store


class Looks(NamedTuple):
    """How what is told is looked at: a text as a whole, words quoted of a file, and an entry of a book for secrets."""

    screen: Screen
    told: Callable[[str], str]
    plain: Callable[[str], str]

    @classmethod
    def of(cls, store: Store, settings: Settings) -> Looks:
        """Return the looks that settings want."""
        told = for_model(store) if settings.gate.scan else as_it_is
        plain = store.keeping.quarantine.without_secrets if settings.books.scan else as_it_is
        return cls(screen_of(store, settings), told, plain)

    def notes(self, notes: Iterable[str], settings: InjectionSettings) -> list[str]:
        """Return notes as they may be told, with one on the template."""
        return [self.told(one) for one in (*notes, *self.of_template(settings))]

    def of_template(self, settings: InjectionSettings) -> list[str]:
        """Return a note where the template of the settings gives orders of its own; then the usual one is used."""
        safe = self.told(settings.template) == settings.template
        return [] if safe else ["injection.template may not stand in a prompt; the usual one is used"]

    def named(self, name: Callable[[str], str]) -> Callable[[str], str]:
        """Return what makes the text of a book's entry ready: names put in, secrets out."""
        return partial(_plainly, self.plain, name)


def _plainly(plain: Callable[[str], str], named: Callable[[str], str], content: str) -> str:
    return plain(named(content))
