"""Why: a message in, the block out, every candidate's fate in figures; other settings and other times are tried before anything is saved."""

from __future__ import annotations

import math
import time
from datetime import datetime
from typing import Any

from memd.doors.web.rendering import Page, Screen

SHOWN = 40  # of the refused, unless more are asked for
MOST = 1000  # of what happened lately
ALL = 200  # of the refused at once: each is 4 kB of the page
KNOWN = 30  # of what was known at a time
RECENT = 5  # messages to take up
BUDGET = "injection.budget_chars"
KINDS = ("episodic", "semantic", "trait", "goal")
STEPS_S = (86_400.0, 3600.0, 60.0)  # of the slider of time, the first that gives it a few
FEW = 10
Given = dict[str, Any]


async def whole(page: Page) -> str:
    """Return the screen, with the message of the address where it has one."""
    roles = (await page.ask("role.list"))["roles"]
    recent = await page.ask("subscribe", topics=["recalls"], last=MOST)
    heard = {(one["role"], one["message"]): None for one in reversed(recent["recalls"]) if _is_whole(one["message"])}
    role = _role(page, roles)
    return page.render(
        "why.html",
        roles=roles,
        role=role,
        recent=list(heard)[:RECENT],
        **await _trying(page, role),
        **await _answer(page, role),
    )


async def tune(page: Page) -> str:
    """Return what can be tried: what was moved stays, the rest is as in force."""
    role = _role(page, (await page.ask("role.list"))["roles"])
    return page.render("why/tune.html", **await _trying(page, role))


async def answer(page: Page) -> str:
    """Return what comes and what does not, and the difference that other settings make."""
    role = _role(page, (await page.ask("role.list"))["roles"])
    return page.render("why/answer.html", **await _answer(page, role))


def _role(page: Page, roles: list[Given]) -> str:
    named = page.given.get("role")
    names = [one["name"] for one in roles]
    return str(named) if named else "main" if "main" in names or not names else names[0]


def _is_whole(message: str) -> bool:
    return bool(message) and not message.endswith("…") and message != "[withheld]"


async def _in_force(page: Page, role: str) -> tuple[dict[str, float], Given]:
    """Return what can be moved as it is in force, by table.key, and what of it the role sets itself."""
    told = await page.ask("config.get", role=role)
    keys = ["trigger.relevance_threshold", BUDGET, *(f"trigger.max_{kind}" for kind in KINDS)]
    split = [(key, *key.split(".")) for key in keys]
    own = {key: True for key, table, name in split if name in told["own"].get(table, {})}
    return {key: told["settings"][table][name] for key, table, name in split}, own


def _moved(page: Page, in_force: dict[str, float]) -> dict[str, float]:
    """Return what stands elsewhere than it stood when it was shown, and than it is in force."""
    found: dict[str, float] = {}
    for key, value in in_force.items():
        given, shown = page.given.get(key), page.given.get(f"was:{key}")
        if isinstance(given, int | float) and given not in (shown, value):
            found[key] = given
    return found


async def _trying(page: Page, role: str) -> Given:
    in_force, _ = await _in_force(page, role)
    oldest = await page.ask("memory.list", role=role, order="oldest", limit=1)
    now_s = time.time()
    first_s = min(
        [now_s, *(datetime.fromisoformat(one["time"]).timestamp() for one in oldest["memories"] if one.get("time"))]
    )
    step_s = next((one for one in STEPS_S if now_s - first_s > FEW * one), STEPS_S[-1])
    steps = max(1, math.ceil((now_s - first_s) / step_s))
    return {
        "in_force": in_force,
        "moved": _moved(page, in_force),
        "time": {"first": int(now_s - steps * step_s), "step": int(step_s), "steps": steps},
    }


async def _answer(page: Page, role: str) -> Given:
    message = page.given.get("message")
    if not isinstance(message, str) or not message.strip():
        return {"reply": None}
    in_force, own = await _in_force(page, role)
    as_of, limit = page.given.get("as_of"), min(page.number("limit", SHOWN), ALL)
    as_of = None if as_of == page.given.get("was:as_of") else as_of
    scene = {
        "role": role,
        "message": message,
        "topic": page.given.get("topic"),
        "explain": True,
        "explain_limit": limit,
        "reader": "model",
        "as_of": as_of,
    }
    before = await page.ask("trigger", **scene)
    moved = _moved(page, in_force)
    trying = {key.partition(".")[2]: value for key, value in moved.items() if key != BUDGET}
    reply = await page.ask("trigger", **scene, trying=trying or None, budget=moved.get(BUDGET)) if moved else before
    known = (
        await page.ask("memory.list", role=role, as_of=as_of, order="newest", limit=KNOWN, reader="model")
        if as_of
        else None
    )
    return {
        "reply": reply,
        "before": before,
        "changed": moved,
        "from_s": in_force,
        "own": own,
        "known": known,
        "limit": limit,
        "most": ALL,
        "budget": moved.get(BUDGET, in_force[BUDGET]),
    }


SCREEN = Screen({"": whole, "tune": tune, "answer": answer}, frozenset({"config.set"}))
