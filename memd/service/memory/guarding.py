"""guard.check: a tool call that would write memory around memd gets the remember it meant; after the third of a session, no."""

from __future__ import annotations

import asyncio
import shlex
from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

from memd.engine.keep.guard.calls import rule_on_call, rule_on_message
from memd.engine.keep.leaves import changed, texts_in
from memd.errors import MemdError, StorageError
from memd.model.scan import Action, Meant, Ruling
from memd.service.screening import beside
from memd.storage.itself import own_command
from memd.storage.layout import AUDIT, PRIVATE
from memd.store.keep.violations import WORD

if TYPE_CHECKING:
    from memd.service.walks import GuardRequest
    from memd.store.store import Store

STANDING_BYTES = 1_000_000
EXCERPT_CHARS, READ_CHARS = 200, 2000  # of what was meant: in the audit, and looked at for it
FIRST = "Memory is written through memd. Send the remember call given here instead of this one."
AGAIN = "This is violation {count} of the {limit} that a session may have; further ones are refused. Use remember."
LAST = "This session has gone around memd {count} times. The call is refused: use remember."


async def check(store: Store, request: GuardRequest) -> dict[str, Any]:
    """Return allow, redirect, ask_remember or deny, with the remember call that was meant."""
    ruling = await beside(store, (request.message, request.given), _ruled, store, request)
    ruling = await _told(store, ruling)
    if ruling.action in (Action.ALLOW, Action.ASK_REMEMBER):
        return _reply(request, ruling, ruling.action, "", 0, store.settings.limits.violations)
    violations = store.keeping.violations
    if not violations.loaded:
        violations.begin(await asyncio.to_thread(violations.read, store.tree, store.writer.waiting_lines(PRIVATE)))
    limit = store.settings.limits.violations
    count = violations.add(request.session) if request.session else 1
    action = Action.DENY if count > limit else Action.REDIRECT
    hint = (LAST if action is Action.DENY else AGAIN if count > 1 else FIRST).format(count=count, limit=limit)
    await _audit(store, request, ruling, action, count)
    return _reply(request, ruling, action, hint, count, limit)


async def _told(store: Store, ruling: Ruling) -> Ruling:
    """Return a ruling without secrets: a call is ruled on as it stands, and told and written down without them."""
    if not store.settings.gate.scan or not (ruling.meant or ruling.target):
        return ruling
    quarantine = store.keeping.quarantine
    plain = [asdict(one) for one in ruling.meant]
    await quarantine.take_secrets_ahead(texts_in([*plain, ruling.target]))
    meant = tuple(Meant(**changed(one, quarantine.without_secrets)) for one in plain)
    return replace(ruling, meant=meant, target=quarantine.without_secrets(ruling.target))


def _ruled(store: Store, request: GuardRequest) -> Ruling:
    """Return the ruling; it touches nothing but the files on disk."""
    if request.message:
        return rule_on_message(request.message)
    return rule_on_call(request.tool, request.given, lambda path: _standing(store, path))


def _standing(store: Store, path: str) -> str:
    """Return what a memory file of this workspace holds now, "" for files elsewhere."""
    plain = path.replace("\\", "/")
    name = plain.removeprefix(store.path + "/").removeprefix("./")
    if name.startswith(("/", "~")) or ".." in name.split("/") or ":" in name:
        return ""
    try:
        return store.tree.read(name, STANDING_BYTES)[0].decode("utf-8", "replace")
    except (FileNotFoundError, StorageError):
        return ""


async def _audit(store: Store, request: GuardRequest, ruling: Ruling, action: Action, count: int) -> None:
    """Write the violation down; it counts even where it cannot be written."""
    told = "; ".join(one.content for one in ruling.meant)
    value = {
        "what": WORD,
        "role": request.role,
        "session": request.session,
        "tool": request.tool,
        "target": ruling.target,
        "action": action.value,
        "count": count,
        "content": told[:EXCERPT_CHARS],
    }
    now_s = store.ports.now()
    try:
        await store.commit(lambda n: [store.record(AUDIT, n, value, now_s)], at_s=now_s)
    except MemdError:
        return


def _reply(request: GuardRequest, ruling: Ruling, action: Action, hint: str, count: int, limit: int) -> dict[str, Any]:
    explicit = action is Action.ASK_REMEMBER
    calls = [_call(request, meant, explicit=explicit) for meant in ruling.meant]
    if explicit:
        hint = "Send the remember call given here, then do and answer whatever else the message says."
    return {
        "action": action.value,
        "why": ruling.why,
        "target": ruling.target,
        "hint": hint,
        "remember": calls,
        "commands": [_command(call) for call in calls],
        "violations": count,
        "allowed": limit,
    }


def _call(request: GuardRequest, meant: Meant, *, explicit: bool) -> dict[str, Any]:
    """Return the parameters of the remember that was meant; what was said beside the text is kept."""
    content = meant.content if meant.score is None else f"{meant.content} #评分:{meant.score:g}"
    given = {
        "kind": meant.kind,
        "name": meant.name,
        "keys": list(meant.keys),
        "tags": list(meant.tags),
        "validity": meant.validity,
        "session": request.session,
    }
    return {
        "role": meant.role or request.role,
        "content": content,
        "source": "user" if explicit else "agent",
        **({"explicit": True} if explicit else {}),
        **{key: value for key, value in given.items() if value},
    }


def _command(call: Mapping[str, Any]) -> str:
    """Return the same as a line for a shell."""
    words = [*own_command(), "remember", call["role"], call["content"], "--source", call["source"]]
    words += ["--explicit"] * bool(call.get("explicit"))
    for name in ("kind", "name", "validity", "session"):
        words += [f"--{name}", call[name]] if call.get(name) else []
    for name in ("keys", "tags"):
        words += [word for one in call.get(name, ()) for word in (f"--{name[:-1]}", one)]
    return shlex.join(words)
