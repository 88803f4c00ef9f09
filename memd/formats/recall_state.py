"""What recall keeps between runs, as JSON: sessions with their windows and timers, and uses of memories."""

from __future__ import annotations

import msgspec

from memd.model.lore import Timer


class TalkState(msgspec.Struct):
    """One session of a role; timers by group of entries, then by entry."""

    turn: int = 0
    said: str = ""
    injected: dict[str, int] = {}
    sticky: dict[str, dict[str, Timer]] = {}
    cooldown: dict[str, dict[str, Timer]] = {}


class RecallState(msgspec.Struct):
    """Sessions by role and name with a line break between; uses by role and memory: how often, and when last."""

    talks: dict[str, TalkState] = {}
    uses: dict[str, dict[str, tuple[int, float]]] = {}


def dump_state(state: RecallState) -> bytes:
    """Return the bytes of a state."""
    return msgspec.json.encode(state)


def load_state(data: bytes) -> RecallState:
    """Return the state that bytes hold; an empty one where they hold none."""
    try:
        return msgspec.json.decode(data, type=RecallState)
    except (msgspec.MsgspecError, RecursionError):
        return RecallState()
