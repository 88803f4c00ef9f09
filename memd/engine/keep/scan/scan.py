"""One look at a text for all that should not reach a memory or a prompt."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memd.engine.keep.scan.invisible import find_invisible
from memd.engine.keep.scan.leave import find_leave
from memd.engine.keep.scan.orders import find_orders
from memd.engine.keep.scan.secrets import find_secrets
from memd.engine.keep.scan.standing_leave import find_standing_leave
from memd.model.scan import Found, Scanned
from memd.text.characters import fold

if TYPE_CHECKING:
    from memd.engine.linear import Linear

LONGEST = 65_536  # characters: what a text orders stands in its first ones, or it is too long to be a memory


def scan(text: str, orders: Linear) -> Scanned:
    """Return what is found in a text, and the text without its secrets and invisible characters.

    `orders` is the model of texts that give orders to their reader.
    """
    unseen = find_invisible(text)
    plain = _without(text, unseen)
    hidden = "".join(chr(ord(char) - 0xE0000) for char in text if 0xE0020 <= ord(char) <= 0xE007E)
    secrets = find_secrets(plain)
    given = _given(_redacted(plain, secrets), orders)
    if hidden:
        given = given or _given(hidden, orders)
    return Scanned((*unseen, *secrets, *given), _redacted(plain, secrets))


def _given(text: str, orders: Linear) -> list[Found]:
    folded = fold(text[:LONGEST])
    found = find_orders(folded, orders)
    return found if found and not found[0].mild else find_leave(folded) or find_standing_leave(folded) or found


def _without(text: str, found: list[Found]) -> str:
    parts, at = [], 0
    for one in found:
        parts.append(text[at : one.start])
        at = one.stop
    return "".join([*parts, text[at:]])


def _redacted(text: str, secrets: list[Found]) -> str:
    parts, at = [], 0
    for one in secrets:
        parts.append(f"{text[at : one.start]}[secret:{one.rule} redacted]")
        at = one.stop
    return "".join([*parts, text[at:]])
