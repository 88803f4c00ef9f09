"""What the logs say of the gate's edge: what was refused near it, and what people decided of it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from memd.engine.keep.aging import DAY_S
from memd.formats.records import read_lines
from memd.formats.times import to_seconds
from memd.model.memory import AGAIN, DROPPED, KEPT, NOTE
from memd.storage.layout import ARCHIVE, AUDIT, PRIVATE, SCORES
from memd.storage.listing import folder_pieces, list_side, read_side

if TYPE_CHECKING:
    from memd.store.store import Store

WEEK_S = 7 * DAY_S
# Reasons in the archive that are no person's word on what is worth keeping.
NOT_SAID = ("expired", "the role is at its limit", "folded into ", "its fold was undone", "its import was undone", "replaced", "the older one holds", "its keeping was undone", "its consolidation was undone", "judged again: ", "its judging again was undone")  # fmt: skip


class Decided(NamedTuple):
    """A text of which somebody decided, with the total that the gate gave it: whether it was to be kept, and from where that is known."""

    total: float
    keep: bool
    known_from: str


def noted_lines(store: Store, roles: Collection[str], waiting: Iterable[str]) -> list[dict[str, Any]]:
    """Return what the audit log has of these roles, each line once, the oldest first. Blocks."""
    found: list[dict[str, Any]] = []
    audits = [one.name for one in list_side(store.tree, PRIVATE) if one.is_file and one.name.startswith("audit")]
    oldest_first = sorted(audits, key=lambda name: (name == AUDIT.rpartition("/")[2], name))
    texts = [read_side(store.tree, f"{PRIVATE}/{name}") or b"" for name in oldest_first]
    texts.append("".join(waiting).encode())
    seen: set[tuple[object, ...]] = set()
    for data in texts:
        for line in read_lines(data):
            value = line.value or {}
            key = tuple(value.get(one) for one in ("w", "n", "what", "id", "inbox"))
            if value.get("role") in roles and key not in seen and all(isinstance(one, str | int | None) for one in key):
                seen.add(key)  # a line may reach the file while it is read
                found.append(value)
    return found


def left_inbox(store: Store, noted: Iterable[Mapping[str, Any]]) -> dict[str, Mapping[str, Any]]:
    """Return what notes of the audit say last of texts that left the inbox, by their id there: not of those that wait again."""
    found: dict[str, Mapping[str, Any]] = {}
    for value in noted:
        if value.get("what") == NOTE:
            found.pop(str(value.get("inbox")), None)
            entry = value.get("entry")
            sound = store.keeping.inbox.sound(entry, store.keeping.learned.orders) if isinstance(entry, dict) else None
            if sound is not None and sound["id"] == value.get("inbox") and sound["role"] == value.get("role"):
                found[sound["id"]] = {**value, "entry": sound}
    return found


def is_near_edge(store: Store, value: Mapping[str, Any]) -> bool:
    """Tell whether a total is one of those that are not sure to be worth keeping, by the settings of its role."""
    total, name = number(value.get("total")), str(value.get("role", ""))
    gate = (store.settings_of(store.roles[name]) if name in store.roles else store.settings).gate
    return total is not None and gate.warn_from <= total < gate.keep_from


def decisions(store: Store, roles: Collection[str], since_s: float, waiting: Iterable[str]) -> list[Decided]:
    """Return what people decided since a time: of the inbox, and what they let go within a week of its store. Blocks."""
    lines = list(waiting)
    last: dict[str, Decided] = {}
    for value in noted_lines(store, roles, [one for one in lines if f'"{NOTE}"' in one]):
        if value.get("what") != NOTE or (to_seconds(value.get("at")) or 0.0) < since_s:
            continue
        last.pop(str(value.get("inbox")), None)  # what was decided again, or taken back, counts as it is now
        total, became = number(value.get("total")), str(value.get("became"))
        if total is not None and became in (KEPT, AGAIN, DROPPED):
            last[str(value.get("inbox"))] = Decided(total, became != DROPPED, became)
    found = list(last.values())
    return found + _forgotten(store, roles, since_s, lines)


def _forgotten(store: Store, roles: Collection[str], since_s: float, waiting: list[str]) -> list[Decided]:
    gone: dict[tuple[str, str], Mapping[str, Any]] = {}
    for data in (*folder_pieces(store.tree, ARCHIVE), "".join(waiting).encode()):
        for value in (one.value or {} for one in read_lines(data)):
            key = (str(value.get("role")), str(value.get("id")))
            if value.get("what") == "restored":
                gone.pop(key, None)
            elif (
                value.get("what") == "forgotten" and value.get("role") in roles and isinstance(value.get("entry"), dict)
            ):
                gone[key] = value
    judged = _scorings(store, waiting) if gone else {}
    found = []
    for key, line in gone.items():
        entry, at_s = line["entry"], to_seconds(line.get("at")) or 0.0
        made_s = next((one for name in ("timestamp", "createdAt", "updatedAt") if (one := to_seconds(entry.get(name)))), None)  # fmt: skip
        said = not str(line.get("reason", "")).startswith(NOT_SAID)
        if at_s < since_s or made_s is None or not -1 <= at_s - made_s <= WEEK_S or not said:
            continue
        known = judged.get(key, {})
        total = number(known.get("computed_total", entry.get("score")))
        if total is not None and not known.get("explicit"):  # what was asked for is no matter of the gate
            found.append(Decided(total, False, "forgotten within a week"))
    return found


def _scorings(store: Store, waiting: list[str]) -> dict[tuple[str, str], Mapping[str, Any]]:
    """Return the last scoring of each memory that the score records have."""
    found: dict[tuple[str, str], Mapping[str, Any]] = {}
    for data in (*folder_pieces(store.tree, SCORES), "".join(waiting).encode()):
        for value in (line.value or {} for line in read_lines(data)):
            if value.get("id") and "computed_total" in value:
                found[str(value.get("role")), str(value["id"])] = value
    return found


def number(value: object) -> float | None:
    """Return a total that a log has, None for what is none."""
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return float(value) if is_number and 0 <= value <= 10 else None  # type: ignore[operator,arg-type]  # it is one
