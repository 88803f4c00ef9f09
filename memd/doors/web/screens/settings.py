"""Settings: a form of their one declaration with the file beside it; roles and agents, limits used, what is taken out and in."""

from __future__ import annotations

import secrets

from memd.doors.web.rendering import Page, Screen, words_of

TABS = ("settings", "roles", "agents", "limits", "carry")
MOST = 200  # memories that one request brings in


async def whole(page: Page) -> str:
    """Return the screen with the tab that was asked for."""
    return page.render("settings.html", **await _everything(page))


async def tab(page: Page) -> str:
    """Return what the tab has."""
    return page.render("settings/tab.html", **await _everything(page))


async def export(page: Page) -> str:
    """Return a role's memories as other programs read them, for a script to hand over as a file."""
    asked = {key: page.given.get(key) for key in ("role", "form", "book")}
    return page.render("settings/export.html", exported=await page.ask("export", whole=True, **asked))


async def plan(page: Page) -> str:
    """Return what a file of another program would bring in; nothing is changed."""
    from memd.formats.foreign.reading import read_foreign  # noqa: PLC0415  a megabyte that few windows need

    name, role = str(page.given.get("name", ""))[:200], str(page.given.get("role", ""))
    found = read_foreign(name, str(page.given.get("content", "")).encode())
    fits = len(found.memories) <= MOST and len(found.books) <= 1
    params: dict[str, object] = {"import_id": secrets.token_hex(4), "role": role, "source": name}
    if found.form == "memory" and len(found.role) <= MOST:
        params["uuid"] = found.role
    if found.memories:
        params["memories"] = [{"kind": kind.value, "record": record} for kind, record in found.memories[:MOST]]
    if found.books:
        params["book"], params["text"] = found.books[0]
    planned = await page.ask("import", **params, dry_run=True) if fits else {}
    return page.render("settings/plan.html", name=name, found=found, fits=fits, planned=planned, params=params)


async def _everything(page: Page) -> dict[str, object]:
    chosen = page.given.get("tab")
    told: dict[str, object] = {"tabs": TABS, "chosen": chosen if chosen in TABS else TABS[0]}
    if told["chosen"] == "settings":
        told["found"] = await page.ask("config.get", declared=True, role=page.given.get("role"))
    if told["chosen"] in ("settings", "agents"):
        told["capture"] = await page.ask("capture.level")
    if told["chosen"] in ("agents", "limits"):
        told["status"] = await page.ask("status", outside=told["chosen"] == "agents")
    if told["chosen"] == "agents":
        recent = await page.ask("subscribe", topics=["recalls", "verdicts"], last=MOST)
        told["heard"] = [one for one in recent["recalls"] + recent["verdicts"] if one["agent"]]
    roles = told["roles"] = (await page.ask("role.list"))["roles"]
    if told["chosen"] == "roles":
        told["owns"] = {
            one["name"]: (await page.ask("config.get", key="pages", role=one["name"]))["own"] for one in roles
        }
    return {**told, "declared": words_of(f"declared/{page.language}")}


SCREEN = Screen({"": whole, "tab": tab, "export": export, "plan": plan}, frozenset({"config.set", "import"}))
