"""The model that this machine names does packs by itself, after sessions; without an answer memd consolidates as it always does.

The endpoint is this machine's word alone (store/trust): no file of a workspace names one. One pack is sent at a time, with a bound
on its time and its answer; after a failure the endpoint is left alone, each time for longer. What it answers is applied like any
other answer: it says nothing that the turns do not prove.

Units
    DEADLINE_S a pack; an answer of ANSWER_BYTES at most. Rests are seconds of the monotonic clock.
"""

from __future__ import annotations

import asyncio
import json
import logging
from http import HTTPStatus
from typing import TYPE_CHECKING

from memd.errors import MemdError, ModelError
from memd.formats.foreign.chat import AnswerError, Statements, content_of, load_statements, question
from memd.service.capture.packs.applying import apply_pack
from memd.service.capture.packs.packing import INSTRUCTIONS, Packs, take_packs
from memd.service.walks import Bounds, Consolidate
from memd.storage.posting.key import key_of
from memd.storage.posting.post import Answer, Post, PostError, address_of, is_loopback_name

if TYPE_CHECKING:
    from urllib.parse import SplitResult

    from memd.model.trust import ModelAt
    from memd.service.capture.consolidating import Pace
    from memd.store.store import Store

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
