"""The model that this machine names is asked for packs after sessions, and what any model says of one is carried out: what the
turns prove is judged as every statement of a conversation is, the rest is refused and told.

Without an answer memd consolidates as it always does.
"""

from __future__ import annotations

import asyncio
import json
import logging
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http import HTTPStatus
from typing import TYPE_CHECKING, NamedTuple

from memd.engine.keep.proof.evidence import Proofs
from memd.engine.keep.proof.support import prove
from memd.engine.keep.relation.units import read_statement
from memd.engine.keep.scan.secrets import without_secrets
from memd.engine.keep.talk.dates import with_dates
from memd.engine.keep.talk.persons import why_delicate
from memd.errors import MemdError, ModelError
from memd.formats.foreign.chat import AnswerError, Statements, content_of, load_statements, question
from memd.formats.times import zone_of
from memd.model.sessions import Told
from memd.service.capture.consolidating import Pace, Passed, at_once, opened, settle, walk_of
from memd.service.capture.packs import INSTRUCTIONS, Pack, Packs, find_pack, shown, take_packs
from memd.service.screening import make_ready
from memd.service.walks import Bounds, Consolidate
from memd.storage.posting import Answer, Post, PostError, address_of, is_loopback_name, key_of
from memd.text.borders import asks, stands

if TYPE_CHECKING:
    from urllib.parse import SplitResult

    from memd.engine.keep.relation.units import Statement, Thesaurus
    from memd.formats.foreign.chat import Stated
    from memd.model.trust import ModelAt
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


logger = logging.getLogger(__name__)

DEADLINE_S = 180.0
ANSWER_BYTES = 1_000_000
ROUNDS = 40  # of packs for one session at one time
FIRST_REST_S, MOST_REST_S = 60.0, 21_600.0
NOT_FORMED = (HTTPStatus.BAD_REQUEST, HTTPStatus.UNPROCESSABLE_ENTITY, HTTPStatus.NOT_IMPLEMENTED)


def check_model(model: ModelAt) -> SplitResult:
    """Return the parts of an endpoint's address. ModelError where it may not be spoken to: in clear only this machine is."""
    try:
        parts = address_of(model.url)
    except ValueError as error:
        raise ModelError(str(error)) from None
    if parts.username or parts.password or parts.query or parts.fragment:
        raise ModelError("an address has no name, password, query or fragment; give the key as --key-env or --key-file")
    if parts.scheme == "http" and not is_loopback_name(parts.hostname or ""):
        raise ModelError(f"{parts.hostname} is not this machine: what is said there must go over https")
    return parts


async def with_model(store: Store, session: str, level: str, rest: Pace) -> None:
    """Let the model that this machine names say what a session's new turns tell; what it leaves is for memd itself.

    `rest` is awaited again and again, and ends the work by what it raises.
    """
    asked = store.captured.asked
    model = store.in_force.trust.trusted.model
    if model is None or store.ports.monotonic() < asked.rests_until_s:
        return
    try:
        for _ in range(ROUNDS):
            found = await take_packs(store, session, "", Bounds(packs=1))
            if not found.packs or not await _done(store, model, found, level, rest):
                return
    except ModelError as error:
        asked.fail(store.ports.monotonic(), str(error), FIRST_REST_S, MOST_REST_S)
        logger.warning("a model was asked in vain: %s", error)


async def _done(store: Store, model: ModelAt, found: Packs, level: str, rest: Pace) -> bool:
    """Ask for an answer to a pack and take it; tell whether its turns are done with."""
    pack = found.packs[0]
    stated = await _answer(model, json.dumps(found.told[0], ensure_ascii=False), rest)
    store.captured.asked.succeed()
    if stated.pack not in ("", pack.id) or not stated.stated:
        return False  # memd reads these turns itself
    await rest(0.0)
    try:
        applied = await apply_pack(
            store, pack.id, stated.stated, Consolidate(pack.session, "", level, "model"), rest=rest
        )
    except ModelError:
        raise
    except MemdError as error:
        logger.info("an answer could not be taken: %s", error)
        return False
    if applied.unproved:
        logger.info("of %d statements of a model no turn proved %d", len(stated.stated), len(applied.unproved))
    return applied.settled and pack.part.upto > 0


async def _answer(model: ModelAt, told: str, rest: Pace) -> Statements:
    for formed in (True, False):
        answer = await _posted(model, question(model.name, INSTRUCTIONS, told, formed=formed), rest)
        if answer.status not in NOT_FORMED or not formed:
            break
    if answer.status != HTTPStatus.OK:
        raise ModelError(f"it answers {answer.status}")
    try:
        return await asyncio.to_thread(lambda: load_statements(content_of(answer.data)))
    except AnswerError as error:
        raise ModelError(f"its answer cannot be read: {error}") from None


async def _posted(model: ModelAt, body: bytes, rest: Pace) -> Answer:
    """Send a request; look meanwhile whether it is time to stop."""
    parts = check_model(model)
    try:
        key = await asyncio.to_thread(key_of, model.key_variable, model.key_file)
    except PostError as error:
        raise ModelError(str(error)) from None
    post = Post(parts, "chat/completions", body, {"Authorization": f"Bearer {key}"} if key else None)

    def run() -> Answer:
        return post.run(deadline_s=DEADLINE_S, most_bytes=ANSWER_BYTES, clear_to_loopback=True)

    task = asyncio.create_task(asyncio.to_thread(run))
    try:
        while not (await asyncio.wait([task], timeout=0.5))[0]:
            await rest(0.0)
        return task.result()
    except PostError as error:
        raise ModelError(str(error)) from None
    finally:
        post.abort()
        await asyncio.gather(task, return_exceptions=True)
