"""What a model says of a pack: what the turns prove is judged as every statement of a conversation is, the rest is refused and told.

Nothing is kept on a model's word. A statement has the words, the source and the time of the turns that prove it; that somebody asked for
it to be remembered is read from the turns alone, and what they asked for comes with the pass whatever the model says.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple

from memd.engine.keep.proof.evidence import Proofs
from memd.engine.keep.proof.support import prove
from memd.engine.keep.relation.units import read_statement
from memd.engine.keep.scan.secrets import without_secrets
from memd.engine.keep.talk.dates import with_dates
from memd.engine.keep.talk.persons import why_delicate
from memd.formats.zones import zone_of
from memd.model.sessions import Told
from memd.service.capture.consolidating import Pace, Passed, at_once, opened, settle, walk_of
from memd.service.capture.packs.packing import Pack, find_pack, shown
from memd.service.screening import make_ready
from memd.text.borders import asks, stands

if TYPE_CHECKING:
    from memd.engine.keep.relation.units import Statement, Thesaurus
    from memd.formats.foreign.chat import Stated
    from memd.service.walks import Consolidate
    from memd.store.store import Store

TEXT_CHARS = 1000  # of a statement
READ = 4000  # texts that are kept read while one answer is looked at
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]")
NEEDS_NEW = "the turns it names were looked at before"


class Unproved(NamedTuple):
    """A statement that no turn proves, by its place in the answer, and why."""

    stated: Stated
    why: str


@dataclass(slots=True)
class Applied:
    """What an answer came to. `settled`: the turns of the pack are done with; `already`: they were before."""

    pack: Pack
    passed: Passed
    unproved: list[Unproved] = field(default_factory=list)
    settled: bool = False
    already: bool = False


async def apply_pack(
    store: Store, pack_id: str, stated: Sequence[Stated], asked: Consolidate, *, rest: Pace = at_once
) -> Applied:
    """Take an answer to a pack: one pass after the other until all that it proves is settled; twice is once.

    Where there are statements and none is proved, the turns stay to be looked at.
    """
    await make_ready(store)
    async with store.captured.turn:
        pack, already = await find_pack(store, pack_id)
        applied = Applied(pack, Passed(sessions=1), already=already)
        if already:
            return applied
        zone = store.settings_of(pack.role).trigger.zone
        told, applied.unproved = await asyncio.to_thread(
            _proved, pack, list(stated), zone, store.keeping.learned.thesaurus
        )
        if stated and len(applied.unproved) == len(stated):
            return applied
        walk = await walk_of(store, asked, await opened(store, pack.session), applied.passed, rest)
        await settle(walk, pack.role, pack.part, told)
        applied.settled = not asked.dry_run
        return applied


def _proved(pack: Pack, stated: list[Stated], zone: str, thesaurus: Thesaurus) -> tuple[list[Told], list[Unproved]]:
    """Return the statements that turns prove, and those that none proves. Takes a while: beside the event loop."""
    proofs = Proofs(pack.around, zone)
    read = _reader(thesaurus)
    found = [one for one in proofs.told if one.asked and one.turn in pack.new]
    unproved: list[Unproved] = []
    for one in stated:
        told = _told(pack, proofs, one, zone, read)
        if isinstance(told, str):
            unproved.append(Unproved(one._replace(text=shown(one.text)), told))
        else:
            found.append(told)
    return found, unproved


def _reader(thesaurus: Thesaurus) -> Callable[[str], Statement]:
    known: dict[str, Statement] = {}

    def read(text: str) -> Statement:
        if text not in known:
            if len(known) > READ:
                known.clear()
            known[text] = read_statement(text, thesaurus)
        return known[text]

    return read


def _told(pack: Pack, proofs: Proofs, one: Stated, zone: str, read: Callable[[str], Statement]) -> Told | str:
    """Return a statement with what proves it, or why nothing does."""
    text = " ".join(one.text.split())
    heard = {turn.number: turn for turn in pack.heard}
    if why := _unfit(text, one, set(heard)):
        return why
    proof = prove(text, proofs.of(one.turns), read)
    if proof.why:
        return proof.why
    if corrected := proofs.corrected_by(text, {*one.turns, *proof.turns}):
        return f"turn {corrected} corrects it"
    by = [number for number in proof.turns if number in pack.new and (number in heard)]
    if not by:
        return NEEDS_NEW
    turn = heard[max(by)]
    delicate = next(filter(None, map(why_delicate, (text, *proof.said))), "")
    return Told(_dated(text, turn.at_s, zone), proof.source, turn.number, turn.at_s, proof.turns, False, delicate)


def _unfit(text: str, one: Stated, heard: set[int]) -> str:
    if not text or len(text) > TEXT_CHARS:
        return f"a statement has 1 to {TEXT_CHARS} characters"
    if _CONTROL.search(text):
        return "it has characters that no reader sees"
    if without_secrets(text) != text:
        return "a secret stands in it"
    if strange := sorted(set(one.turns) - heard):
        return f"turn {strange[0]} is not in the pack"
    if not one.turns:
        return "it names no turn"
    if asks(text) or not stands(text):
        return "it does not stand by itself"
    return ""


def _dated(text: str, at_s: float, zone: str) -> str:
    try:
        at = zone_of(zone)
        return with_dates(text, datetime.fromtimestamp(at_s, at or UTC).astimezone(at))
    except (OverflowError, ValueError, OSError):
        return text  # beyond the calendar
