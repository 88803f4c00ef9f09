"""remember with `split`: the statements of one content become memories of their own, each by its own verdict; none where it is a
list, verse, code, or one statement.

A content is cut after it was looked at, so that no piece of a secret stands by itself; what is a remark out of character is
found before its statements are. They are decided one after the other in one turn of the role, so that each is judged beside those before it, and reach the
log together: a crash keeps the first of them, in their order, or all.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from memd.engine.keep.gate import infer_kind
from memd.errors import BadSplitError, MemdError
from memd.model.scan import Danger, Scanned
from memd.service.judging.offers import Offer, RememberRequest, as_meant, look_at, must_wait, reply_of
from memd.service.judging.vectors import MOST_JUDGED, vectors_of
from memd.service.memory.remember import carry_out, come_in, judged, let_through, remember
from memd.service.recent import outcome_of, tell_verdicts
from memd.text.statements import statements
from memd.text.story import voices

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memd.model.scan import Found
    from memd.service.judging.vectors import Vectors
    from memd.store.role.role import Role
    from memd.store.store import Store

# Verdicts, the most serious first.
SERIOUS = ("quarantined", "redacted", "superseding", "refined", "stored", "duplicate", "refused")
EXCERPT = 120
# What a statement's reply says beside its text and its total, where there is any.
OF_STATEMENT = (
    "verdict",
    "reason",
    "hint",
    "id",
    "kind",
    "receipt",
    "supersedes",
    "conflict",
    "review",
    "inbox",
    "offer",
)
OF_BEST = ("total", "computed_total", "band", "dimensions")
LISTED = ("remarks", "inferred", "found")


async def remember_split(store: Store, request: RememberRequest) -> dict[str, Any]:
    """Keep the statements of a text that are worth it; one that cannot be split is kept, or refused, as one."""
    _check_may_split(request)
    offer, role = await come_in(store, request)
    parts = _split(store, role, look_at(store, role, offer))
    if not parts:
        whole = await remember(store, request)
        return whole | {"ids": [whole["id"]] if whole["id"] else []}
    vectors = [await vectors_of(store, role, one) for one in parts]
    async with store.keeping.judging, role.turn:
        await store.refresh(role)
        store.room.scorings.check(store.settings.limits, store.ports.now())
        replies, done = await _decide(store, role, parts, vectors)
    await asyncio.gather(*done)
    for one in replies:
        await let_through(store, one)
    told = [outcome_of(one, part.text) for part, one in zip(parts, replies, strict=True)]
    tell_verdicts(store, "remember", role.name, told, session=request.session)
    return _merged(parts, replies) | {"role": role.name}


def _check_may_split(request: RememberRequest) -> None:
    """Raise BadSplitError where a request says what can be said of one memory alone."""
    of_one = {
        "explicit": request.explicit,
        "keys": request.fields.get("keys"),
        "kind": request.kind,
        "name": request.fields.get("name"),
        "scores": request.scores,
    }
    if given := [name for name, value in of_one.items() if value]:
        raise BadSplitError(", ".join(given))


def _split(store: Store, role: Role, offer: Offer) -> list[Offer]:
    """Return the statements of a looked-at offer as offers, none where it stays one."""
    if offer.claimed is not None:
        return []
    cut = [(one, voice.own) for voice in voices(offer.text) for one in statements(voice.text)]
    if not 1 < len(cut) <= MOST_JUDGED or any(one.handed or one.whole for one, _ in cut):
        return []
    whole = offer.scanned.found
    parts = [_part(store, role, offer, one.text, own=own) for one, own in cut if one.text]
    known = {one.danger for part in parts for one in part.scanned.found}
    if must_wait(store, offer) and not {one.danger for one in whole} <= known:
        return []  # what holds the whole back stands in none of its statements
    return parts if len(parts) > 1 else []


def _part(store: Store, role: Role, offer: Offer, text: str, *, own: bool) -> Offer:
    request = replace(offer.request, content=text)
    part = replace(offer, request=request, text=text, kind=infer_kind(text), scanned=Scanned((), ""), own=own)
    looked = look_at(store, role, part)
    secrets = tuple(one for one in offer.scanned.found if _was_in(one, text, offer.text))
    if not secrets:
        return looked
    return replace(looked, scanned=Scanned((*secrets, *looked.scanned.found), looked.scanned.clean or text))


def _was_in(one: Found, text: str, whole: str) -> bool:
    """Tell whether a secret was taken out of a statement; one that stood beside the text counts for each."""
    mark = f"[secret:{one.rule} redacted]"
    return one.danger is Danger.SECRET and (mark in text or mark not in whole)


async def _decide(
    store: Store, role: Role, parts: Sequence[Offer], vectors: Sequence[Vectors]
) -> tuple[list[dict[str, Any]], list[asyncio.Future[None]]]:
    """Decide one statement after the other; call in the role's turn. One for which there is no room any more is told."""
    replies: list[dict[str, Any]] = []
    waiting: list[asyncio.Future[None]] = []
    with store.together():
        for part, known in zip(parts, vectors, strict=True):
            now_s = store.ports.now()
            weighed = judged(store, role, as_meant(role, part), known, now_s)
            try:
                reply, done = carry_out(store, role, weighed, known, now_s)
                waiting.append(done)
            except MemdError as error:
                if not waiting:
                    raise
                verdict = replace(weighed.verdict, keep=False, reason=str(error), hint=error.hint)
                reply = reply_of(verdict, "refused", "")
            replies.append(reply)
            await asyncio.sleep(0)  # others have their turn
    return replies, waiting


def _merged(parts: Sequence[Offer], replies: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return one reply: of the first memory, with the best total and the most serious verdict."""
    kept = [one for one in replies if one["stored"]]
    meant = kept or [one for one in replies if one["id"] and one["verdict"] != "refused"]
    best = max(replies, key=lambda one: one["total"])
    worst = min(replies, key=lambda one: SERIOUS.index(one["verdict"]))
    first = meant[0] if meant else best
    waits = {key: one[key] for key in ("inbox", "review") for one in reversed(replies) if key in one}
    listed = {key: list(_each(replies, key)) for key in LISTED if any(key in one for one in replies)}
    return {
        **{key: value for key, value in first.items() if key != "statements"},
        **{key: best[key] for key in OF_BEST},
        **{key: worst[key] for key in ("verdict", "reason", "hint")},
        **waits,
        **listed,
        **({"provisional": True} if any(one.get("provisional") for one in replies) else {}),
        "ids": list(dict.fromkeys(one["id"] for one in meant)),
        "statements": [_told(part.text, one) for part, one in zip(parts, replies, strict=True)],
    }


def _each(replies: Sequence[dict[str, Any]], key: str) -> list[Any]:
    found: list[Any] = []
    for one in replies:
        found += [value for value in one.get(key, ()) if value not in found]
    return found


def _told(text: str, reply: dict[str, Any]) -> dict[str, Any]:
    of_it = {key: value for key in OF_STATEMENT if (value := reply.get(key))}
    return {"text": text[:EXCERPT], "total": reply["total"], **of_it}
