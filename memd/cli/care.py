"""Verbs that look after a workspace and what it holds: settings, log, what waits to be written or a crash left; stats, upkeep, tune."""

from __future__ import annotations

from typing import Any

import click

from memd.cli.options import asks, given
from memd.cli.progress import ask_and_watch
from memd.cli.reach import PART, ask, ask_all, json_option, workspace_option
from memd.cli.show import Part, Strong, emit, own, own_call, table
from memd.cli.tables import Column, Table, cut_text, first_of, handle, listing, whole_text
from memd.errors import BadParamsError, BadSettingError, MemdError
from memd.text.counting import counted


@click.command("flush")
@json_option
@workspace_option
def flush_command(as_json: bool, workspace: str) -> int:
    """Bring everything that is acknowledged into the files now, before another program reads them.

    A large memory.json follows when nothing was added for two seconds. sync, backup, check, down and the hook of `memd git
    install --hook` do this by themselves. The exit status is 1 where something could not be written.

    \b
    memd flush && cp -r roles /media/usb/
    """
    reply = ask(workspace, "flush")
    lines = [f"{place}: {why}" for place, why in reply["held"].items()]
    emit(
        reply,
        as_json,
        "\n".join(["Not in its file yet, and safe in the log:", *lines] if lines else ["Everything is in the files."]),
    )
    return int(bool(lines))


@click.command("recover")
@click.option("--list", "only_list", is_flag=True, help="Only show; this is the default without an ID.")
@click.option("--all", "every", is_flag=True, help="Put back all of them.")
@click.option("--role", "role", default="", help="Those of this role alone.")
@click.argument("memory_id", metavar="[ID]", required=False, default="")
@json_option
@workspace_option
def recover_command(*, only_list: bool, every: bool, role: str, memory_id: str, as_json: bool, workspace: str) -> None:
    """Show records that memd knew and no file has now, or put one back, or all; a role that is gone is made again.

    \b
    memd recover --list
    memd recover 1f0c2a9b
    memd recover --all --role main
    """
    if every and (memory_id or only_list):
        raise click.UsageError("--all takes no ID and no --list")

    import asyncio

    from memd.config import place_of
    from memd.daemon import local
    from memd.store.recover import recoverable

    async def look() -> dict[str, Any]:
        async with local(place_of(workspace), writes=False) as service:
            return await recoverable(service.store)

    reply = asyncio.run(look())
    reply["dropped"] = [one for one in reply["dropped"] if role in ("", one["role"])]
    if memory_id and not only_list:
        (again,) = _put_back(workspace, [_only(reply["dropped"], memory_id)])
        emit(again, as_json, f"{again['verdict']}: {again['id']}")
        return
    if every:
        back = _put_back(workspace, reply["dropped"][::-1])
        lines = [f"{one['verdict']}: {one.get('id', '')}" for one in back]
        emit({"back": back}, as_json, "\n".join(lines) or "Nothing was dropped.")
        return
    emit(reply, as_json, _shown(reply["dropped"]))


def _shown(dropped: list[dict[str, Any]]) -> Table | str:
    """Return dropped records as a table."""
    heads = ("at", "role", "id", "from", cut_text("memory"))
    rows = [
        (
            one["at"],
            one["role"],
            handle(one["id"]),
            one["from"],
            one["entry"].get("content") or one["entry"].get("value"),
        )
        for one in dropped
    ]
    return table(heads, rows) if rows else "Nothing was dropped."


def _only(dropped: list[dict[str, Any]], memory_id: str) -> dict[str, Any]:
    """Return the only dropped record that fits; BadParamsError where there is none, or several."""
    fits = [one for one in dropped if one["id"].startswith(memory_id)]
    if len(fits) != 1:
        count = f"{len(fits)} dropped records begin" if fits else "no dropped record begins"
        raise BadParamsError(f"id: {count} with {memory_id!r}; `memd recover --list` has them")
    return fits[0]


def _put_back(workspace: str, dropped: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Remember dropped records, each in its role, which may be gone too; return the replies."""
    there = {known["name"] for known in ask_all(workspace, "role.list", "roles")["roles"]}
    for name in dict.fromkeys(one["role"] for one in dropped if one["role"] not in there):
        ask(workspace, "role.create", name=name)
    return [_remembered(workspace, one, one["entry"]) for one in dropped]


def _remembered(workspace: str, one: dict[str, Any], entry: dict[str, Any]) -> dict[str, Any]:
    return ask(
        workspace, "remember", role=one["role"], content=entry.get("content") or entry.get("value"),
        kind=one.get("kind"), name=entry.get("name", ""), keys=entry.get("keywords", []),
        tags=entry.get("tags", []), explicit=True,
    )  # fmt: skip


@click.command("config")
@asks(
    "config.get", "key", role=given(words="As they are in force for this role, or set in its role.toml."),
    declared=given(words="Tell what each means, what it may be and where it is set."),
)  # fmt: skip
@click.argument("value", required=False, default=None)
@click.option(
    "--unset",
    is_flag=True,
    help="Take it out of memd.toml, or of the role's role.toml: what holds without it holds again.",
)
@json_option
@workspace_option
def config_command(
    key: str, value: str | None, role: str | None, declared: bool, unset: bool, as_json: bool, workspace: str
) -> None:
    """Show the settings, some of them, or set one, or take it out; comments stay, and a running daemon follows at once.

    \b
    memd config gate.keep_from
    memd config gate --declared
    memd config injection.budget_chars 3000
    memd config trigger.max_semantic 4 --role main
    memd config trigger.max_semantic --unset --role main
    """
    if unset and value is not None:
        raise click.UsageError("give a value, or --unset")
    if unset:
        reply = _set(workspace, key, None, role)
        was = f"before: {reply['before']!r}" if reply["was_set"] else "it was not set there"
        emit(reply, as_json, f"{reply['key']} = {reply['value']!r}, not set in {reply['file']} ({was})")
        return
    if value is None:
        reply = ask(workspace, "config.get", key=key, role=role, **({"declared": True} if declared else {}))
        heads: tuple[Any, ...] = ("setting", whole_text("value"), "")
        shown: list[tuple[Any, ...]] = [
            (f"{part}.{name}", repr(what), "its own" if name in reply.get("own", {}).get(part, {}) else "")
            for part, values in reply["settings"].items()
            for name, what in values.items()
        ]
        if declared:
            heads = ("setting", whole_text("value"), "may be", "set in", whole_text("what it does"))
            shown = [_as_declared(one) for one in reply["declared"]]
        vain = [f"{one['name']} is asked for and not granted" for one in reply["asked_in_vain"]]
        faults = [f"not in force: {fault}" for fault in (*reply["faults"], *vain)]
        emit(reply, as_json, table(heads, shown), *faults)
        return
    part, _, name = key.partition(".")
    like = ask(workspace, "config.get", key=key, role=role)["settings"].get(part, {}).get(name) if name else None
    reply = _set(workspace, key, _typed(value, like), role)
    text = f"{reply['key']} = {reply['value']!r} in {reply['file']} (before: {reply['before']!r})"
    emit(reply, as_json, "\n".join([text, own(reply["hint"])] if not reply["in_force"] else [text]))


def _as_declared(one: dict[str, Any]) -> tuple[Any, ...]:
    bounds = f"{one['low']:g} to {one['high']:g}" if "low" in one else " ".join(one["choices"]) or one["kind"]
    where = f"{one['file']}:{one['line']}" if one["file"] else "default"
    return one["key"], repr(one["value"]), bounds, where, one["words"]


def _set(workspace: str, key: str, value: Any, role: str | None) -> dict[str, Any]:
    try:
        return ask(
            workspace, "config.set", key=key, role=role, **({"unset": True} if value is None else {"value": value})
        )
    except MemdError as error:
        _, named, why = str(error).partition(f" settings.value {key} ")
        if not named:
            raise
        raise BadSettingError(key, why) from None


def _typed(value: str, like: Any) -> Any:
    if isinstance(like, bool):
        return {"true": True, "false": False}.get(value.lower(), value)
    for kind in (int, float) if isinstance(like, (int, float)) else ():
        try:
            return kind(value)
        except ValueError:
            continue
    return value


@click.command("log")
@asks("log")
@json_option
@workspace_option
def log_command(as_json: bool, workspace: str, **asked: Any) -> None:
    """Tell what memd did lately, the newest first, each with the command that takes it back.

    \b
    memd log
    memd log --role main --limit 50
    memd log --offset 50 --json
    """
    reply = ask(workspace, "log", **asked)
    rows = [
        (
            one["at"][:16].replace("T", " "),
            one["role"],
            one["what"],
            own_call(one["undo"]) if one.get("undo") else "",
            one["text"],
        )
        for one in reply["happened"]
    ]
    heads = ("at (UTC)", "role", whole_text("what"), whole_text("take it back"), cut_text("text"))
    parts: list[Part] = [table(heads, rows)] if rows else ["Nothing happened yet."]
    if reply["more"]:
        parts.append(f"There is more: --offset {asked['offset'] + len(rows)}")
    emit(reply, as_json, *parts)


# Verbs that keep a memory in shape: stats, upkeep, tune.

FIRST = 10  # of what may be thousands
UPKEEP_S = 600.0


@click.command("stats")
@asks("stats", "role", only=())
@json_option
@workspace_option
def stats_command(role: str, as_json: bool, workspace: str) -> None:
    """Tell what a memory holds, how it grows and is used, what was refused, and what is to come.

    \b
    memd stats
    memd stats main --json
    """
    reply = ask(workspace, "stats", role=role, limit=PART)
    held = counted(reply["waiting_for_review"], "text")
    parts: list[Part] = [
        f"{counted(reply['total'], 'memory')} in {counted(reply['roles_total'], 'role')}; {held} held for review"
    ]
    if reply["refusals"]:
        parts += ["", "Refused and noted: " + _counts(reply["refusals"])]
    parts += _near_edge(reply["near_edge"])
    for one in reply["roles"]:
        parts += ["", *_of_role(one)]
    emit(reply, as_json, *parts)


def _near_edge(edge: dict[str, Any]) -> list[Part]:
    """Return what was refused near the gate's edge, for a person; nothing where nothing was."""
    if not (edge["refused"] or edge["waiting"] or edge["became"]):
        return []
    left = f"; left the inbox: {_counts(edge['became'])}" if edge["became"] else ""
    head = (
        f"Borderline, last {edge['days']} days: {counted(edge['refused'], 'refusal')}, {edge['waiting']} waiting{left}"
    )
    return ["", head, *near_texts(edge["nearest"])]


def near_texts(nearest: list[dict[str, Any]]) -> list[Part]:
    """Return texts of the inbox, for a person."""
    rows = [(handle(one["id"]), f"{one['total']:g}", one["content"]) for one in nearest]
    return [listing(rows, Column("id"), Column("total"), cut_text("text"), indent=2)] if rows else []


def _of_role(role: dict[str, Any]) -> list[Part]:
    rows = [
        (name, _counts(role[key]))
        for name, key in (
            ("kinds", "by_kind"),
            ("recalled by", "by_trigger"),
            ("feelings", "by_emotion"),
            ("scores", "by_importance"),
            ("sources", "by_source"),
            ("validity", "by_validity"),
            ("growth", "growth"),
        )
        if role[key]
    ]
    head = Strong(f"{role['role']}: {counted(role['total'], 'memory')}, {counted(role['bytes'], 'byte')}")
    parts: list[Part] = [(head,), listing(rows, Column("of"), whole_text("counts"))]
    for title, key in (("Most used", "most_used"), ("Never used, oldest", "least_used")):
        parts += _listed(title, [(one.get("uses", ""), one["content"]) for one in role[key]])
    replaced = [(one["superseded"]["content"], f"→ {one['holds']['content']}") for one in role["contradictions"]]
    if replaced:
        parts += ["Superseded:", listing(replaced, cut_text("was"), cut_text("is"), indent=2)]
    parts += _listed("Of one subject", [(one["count"], one["memories"][0]["content"]) for one in role["clusters"]])
    review = role["to_review"]
    parts.append(
        f"To review: {review['expired']} expired, {len(review['expiring'])} about to, {review['below_floor']} worth little"
    )
    return [*parts, _forecast_text(role["forecast"])]


def _forecast_text(forecast: dict[str, Any]) -> str:
    days = forecast["days_to_limit_of_memories"]
    text = f"Forecast: {forecast['memories_a_day']:g} memories a day"
    text += f", limit of memories reached in {counted(days, 'day')}" if days is not None else ""
    ahead = [
        f"in {when} {one['below_floor']} worth little, {one['expired']} expired" for when, one in forecast["in"].items()
    ]
    return "; ".join([text, *ahead])


def _counts(counts: dict[str, int]) -> str:
    return "; ".join(f"{name}: {count}" for name, count in counts.items())


def _listed(title: str, rows: list[tuple[Any, str]]) -> list[Part]:
    return [f"{title}:", listing(rows, Column("count"), cut_text("memory"), indent=2)] if rows else []


@click.command("upkeep")
@asks("upkeep.plan", "role", only=())
@click.option("--dry-run", is_flag=True, help="Say what would be done, and do nothing.")
@click.option("--verbose", is_flag=True, help="Name all, not only the first of each kind.")
@json_option
@workspace_option
def upkeep_command(role: str, dry_run: bool, verbose: bool, as_json: bool, workspace: str) -> None:
    """Move what expired to the archive, make room where a limit is reached, fold; propose what is worth little.

    \b
    memd upkeep --dry-run
    memd upkeep main
    """
    method = "upkeep.plan" if dry_run else "upkeep.run"
    reply = ask_and_watch(workspace, method, "Upkeep", name="upkeep", deadline_s=UPKEEP_S, role=role)
    would, most = "would go" if dry_run else "went", None if verbose else FIRST
    parts: list[Part] = []
    for one in reply["roles"]:
        parts += _kept_up(one, would, most)
    if reply["remove"]:
        parts.append(f".memory/ is full: {', '.join(reply['remove'])} {would}")
    if reply.get("inbox"):
        parts.append(f"{counted(len(reply['inbox']), 'text')} {would} from the inbox to the audit: nobody kept them")
    emit(reply, as_json, *(parts or ["Nothing to do."]))


@click.command("tune")
@asks("tune", role=given(words="Only of this role."))
@json_option
@workspace_option
def tune_command(as_json: bool, workspace: str, **asked: Any) -> None:
    """Show how other thresholds would have judged what you decided: what you kept or dropped of the inbox, what was told again,
    and what you forgot within a week. Nothing is changed: `memd config gate.keep_from N` does.

    \b
    memd tune
    memd tune --keep-from 6.2 --since 2026-05-01
    """
    reply = ask(workspace, "tune", **asked)
    heads = ("keep from", "", "would keep", "would drop", "as decided", "lost", "noise", "waiting kept")
    rows = [
        (
            f"{one['keep_from']:g}", "now" if one["in_force"] else "", one["would_keep"], one["would_drop"], one["right"],
            one["lost"], one["noise"], one["waiting_kept"],
        )
        for one in reply["thresholds"]
    ]  # fmt: skip
    by = f" ({_counts(reply['decided'])})" if reply["decided"] else ""
    head = f"Decided: {reply['kept']} to keep, {reply['dropped']} to drop{by}; {reply['waiting']} waiting, undecided"
    words = "lost: you kept it, and it would be dropped; noise: you dropped it, and it would be kept"
    emit(reply, as_json, head, table(heads, rows), words)


def _kept_up(one: dict[str, Any], would: str, most: int | None) -> list[Part]:
    parts: list[Part] = []
    if one["archive"]:
        rows = [(handle(entry["id"]), entry["kind"], entry["why"], entry["content"]) for entry in one["archive"]]
        parts.append(f"{one['role']}: {counted(one['total']['archive'], 'memory')} {would} to the archive")
        parts += first_of(("id", "kind", "why", cut_text("text")), rows, most)
    if one["fold"]:
        groups = [(f"{len(group)} episodes become one:", group[-1]["content"]) for group in one["fold"]]
        parts.append(f"{one['role']}: {counted(one['total']['fold'], 'fold')}")
        parts += first_of((Column("fold"), cut_text("text")), groups, most)
    if one["propose"]:
        least = [(handle(entry["id"]), f"{entry['worth']:g}", entry["content"]) for entry in one["propose"]]
        parts.append(own(f"{one['role']}: {one['total']['propose']} worth little; `memd forget` archives one"))
        parts += first_of(("id", "worth", cut_text("text")), least, most)
    return parts
