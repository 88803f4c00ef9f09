"""What came to mind and what became of texts of late, as it is told to who subscribed to `recalls` and `verdicts`.

Kept in memory alone, and bounded (`daemon.recent`, `daemon.recent_chars`). Nothing of a turn that is off the record or paused;
what reads as an order is withheld, and a secret is taken out, whoever asks.

Source
    docs/decisions/0065-what-was-told-is-kept-in-memory.md
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from memd.formats.times import to_exact_iso
from memd.model.scan import Danger

if TYPE_CHECKING:
    from memd.service.walks import TriggerRequest
    from memd.store.attended import Conversation
    from memd.store.store import Store

MOST = 20  # memories, or outcomes, of one happening; where there are more, it says how many
REASONS = 3  # of a memory
READ_CHARS = 400  # of a message beside what is shown of it: a secret that begins there is known by its end
WITHHELD = "[withheld]"
OF_OUTCOME = ("kind", "supersedes", "inbox", "review", "provisional")  # what of a reply is told where it is there
REVIEW = "review"  # the act of a person who decides what waits; it is told also while memd is paused


def tell_recall(
    store: Store,
    request: TriggerRequest,
    reply: Mapping[str, Any],
    *,
    agent: str = "",
    talk: Conversation | None = None,
) -> None:
    """Tell what a scene brought to mind. Who asks for reasons or for the past looks at a memory, and is no prompt."""
    if request.explain or request.as_of is not None or _is_private(store, request.session, talk):
        return
    settings, chars = store.settings, store.settings.daemon.recent_chars
    newest = request.messages[-1] if request.message is None else request.message
    came = reply["activated"]
    happening = {
        "topic": "recalls",
        "at": to_exact_iso(store.ports.now()),
        "role": reply["role"],
        "agent": agent or _agent_of(request.session),
        "session": request.session,
        "turn": reply.get("turn", 0),
        "message": None if chars and settings.capture.level != "off" else "",
        "activated": [_recalled(one, chars) for one in came[:MOST]],
        "more": max(0, len(came) - MOST),
        "chars": len(reply["content"]),
        "dropped": len(reply["dropped_for_room"]),
        "withheld": len(reply.get("withheld", ())),
        "counts": reply["counts"],
        "elapsed_ms": reply["elapsed_ms"],
    }
    said = partial(_safe, store, newest[: chars + READ_CHARS], chars)
    store.happenings.recently(happening, settings.daemon.recent, store.ports.now(), said)


def tell_verdicts(
    store: Store,
    act: str,
    role: str,
    outcomes: Sequence[Mapping[str, Any]],
    *,
    session: str = "",
    turn: int = 0,
    unnamed: int = 0,
) -> None:
    """Tell what became of texts, by `act`; `unnamed`: how many were refused beside them without a word."""
    if not outcomes or (act != REVIEW and _is_private(store, session)):
        return
    chars = store.settings.daemon.recent_chars
    counts = Counter(str(one["verdict"]) for one in outcomes)
    counts["refused"] += unnamed
    happening = {
        "topic": "verdicts",
        "at": to_exact_iso(store.ports.now()),
        "act": act,
        "role": role,
        "agent": _agent_of(session),
        "session": session,
        "turn": turn,
        "outcomes": [{**one, "text": _safe(store, str(one["text"]), chars)} for one in outcomes[:MOST]],
        "more": max(0, len(outcomes) - MOST),
        "counts": dict(+counts),
    }
    store.happenings.recently(happening, store.settings.daemon.recent, store.ports.now())


def outcome(
    verdict: str, memory_id: str | None, text: str, reason: str, total: float | None = None, **others: Any
) -> dict[str, Any]:
    """Return what became of one text; of `others` what is there is told."""
    told: dict[str, Any] = {"verdict": verdict, "id": memory_id or "", "text": text, "reason": reason}
    told |= {} if total is None else {"total": total}
    return told | {name: value for name, value in others.items() if value}


def outcome_of(reply: Mapping[str, Any], text: str) -> dict[str, Any]:
    """Return what remember answered of a text."""
    others = {name: reply.get(name) for name in OF_OUTCOME}
    conflict = (reply.get("conflict") or {}).get("id")
    return outcome(reply["verdict"], reply["id"], text, reply["reason"], reply["total"], conflict=conflict, **others)


def _recalled(one: Mapping[str, Any], chars: int) -> dict[str, Any]:
    """Return a memory that came; its texts were looked at when they were put into the block."""
    return {
        "id": one["id"],
        "role": one["role"],
        "kind": one["kind"],
        "score": one["score"],
        "reasons": [_cut(reason, chars) for reason in _few(one["reasons"])] if chars else [],
        "strategies": one["strategies"],
        "chars": one["chars"],
        "text": _cut(one["text"], chars),
    }


def _few(reasons: Iterable[str]) -> list[str]:
    return list(reasons)[:REASONS]


def _safe(store: Store, text: str, chars: int) -> str:
    """Return the beginning of a text as anybody may read it."""
    if not chars or not store.settings.gate.scan:
        return _cut(text, chars)
    quarantine = store.keeping.quarantine
    seen = quarantine.look(text, store.keeping.learned.orders)
    if any(not one.mild and one.danger is not Danger.SECRET for one in seen.found) and not quarantine.is_approved(text):
        return WITHHELD
    return _cut(seen.clean if Danger.SECRET in seen.dangers else text, chars)


def _cut(text: str, chars: int) -> str:
    plain = " ".join(text[: 4 * chars].split())
    return plain if len(plain) <= chars else plain[: chars - 1] + "…" if chars else ""


def _agent_of(session: str) -> str:
    """Return the agent whose session this is, by the name that its hooks give it; "" where it is nobody's known."""
    from memd.model.agents import AGENTS  # noqa: PLC0415  who remembers without a session needs none of it

    agent = session.partition("-")[0]
    return agent if agent in AGENTS else ""


def _is_private(store: Store, session: str, talk: Conversation | None = None) -> bool:
    """Tell whether nothing of a turn is to be seen: capture is paused, or the person said that it is off the record."""
    if store.ports.now() < store.in_force.trust.trusted.paused_until_s:
        return True
    talks = [talk] if talk else store.working.attended.talks.values() if session else []
    return any(one.wishes.private for one in talks if one is talk or session in (one.name, one.session))
