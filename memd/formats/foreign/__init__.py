"""Foreign formats: one module each. A lorebook of any of them becomes World Info, with what has no home kept."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from memd.formats.foreign import agnai, cards, novelai, risu, world_info


class Form(NamedTuple):
    """A format of lorebooks: its name, whether a value is of it, and the value as World Info."""

    name: str
    is_it: Callable[[Any], bool]
    to_world_info: Callable[[Any], dict[str, Any]]


# The order matters: the special ones are asked before the general.
LOREBOOKS = (
    Form("novelai", novelai.is_it, novelai.to_world_info),
    Form("agnai", agnai.is_it, agnai.to_world_info),
    Form("risu", risu.is_it, risu.to_world_info),
    Form("card", cards.is_it, cards.to_world_info),
    Form("world-info", world_info.is_it, world_info.to_world_info),
)


def lorebook_of(value: Any) -> tuple[str, dict[str, Any] | None]:
    """Return a lorebook's format and the book as World Info; ("", None) where it is none."""
    for form in LOREBOOKS:
        if form.is_it(value):
            return form.name, form.to_world_info(value)
    return "", None
