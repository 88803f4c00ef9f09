"""Which statements a conversation has: so far what the person stated, sentence by sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memd.model.told import Told
from memd.text.statements import statements

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memd.model.told import Turn


def told_in(turns: Sequence[Turn], zone: str) -> list[Told]:  # noqa: ARG001
    """Return the statements of turns, oldest first; `zone` is the person's."""
    return [
        Told(one.text, "user", turn.number, turn.at_s, (turn.number,))
        for turn in turns
        if turn.speaker == "user"
        for one in statements(turn.text)
        if one.tells and not one.question and len(one.text.encode()) >= 9
    ]
