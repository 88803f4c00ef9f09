"""Which statements of one content become offers of their own: none where it is a list, verse, code, or one statement.

A content is cut after it was looked at, so that no piece of a secret stands by itself; what is a remark out of character
is found before its statements are.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from memd.engine.keep.kind import infer_kind
from memd.errors import BadSplitError
from memd.model.scan import Danger, Scanned
from memd.service.judging.offers import Offer, RememberRequest, look_at, must_wait
from memd.service.judging.parts import MOST_JUDGED
from memd.text.statements import statements
from memd.text.story import voices

if TYPE_CHECKING:
    from memd.model.scan import Found
    from memd.store.role.role import Role
    from memd.store.store import Store


def check_may_split(request: RememberRequest) -> None:
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


def split(store: Store, role: Role, offer: Offer) -> list[Offer]:
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
