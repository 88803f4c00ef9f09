"""Verbs that look after a workspace: its settings, its log, what waits to be written, what a crash left."""

from __future__ import annotations

from typing import Any

import click

from memd.cli.options import asks, given
from memd.cli.reach import ask, json_option, workspace_option
from memd.cli.show import Part, emit, own, own_call, table
from memd.cli.tables import cut_text, handle, whole_text
from memd.errors import BadParamsError, BadSettingError, MemdError


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
@click.argument("memory_id", metavar="[ID]", required=False, default="")
@json_option
@workspace_option
def recover_command(only_list: bool, memory_id: str, as_json: bool, workspace: str) -> None:
    """Show records that memd knew and no file has now, or put one back.

    \b
    memd recover --list
    memd recover 1f0c2a9b
    """

    import asyncio

    from memd.config import place_of
    from memd.daemon import local
    from memd.store.recover import recoverable

    async def look() -> dict[str, Any]:
        async with local(place_of(workspace), writes=False) as service:
            return await recoverable(service.store)

    reply = asyncio.run(look())
    if memory_id and not only_list:
        fits = [one for one in reply["dropped"] if one["id"].startswith(memory_id)]
        if len(fits) != 1:
            count = f"{len(fits)} dropped records begin" if fits else "no dropped record begins"
            raise BadParamsError(f"id: {count} with {memory_id!r}; `memd recover --list` has them")
        entry = fits[0]["entry"]
        again = ask(
            workspace, "remember", role=fits[0]["role"], content=entry.get("content") or entry.get("value"),
            kind=fits[0].get("kind"), name=entry.get("name", ""), keys=entry.get("keywords", []),
            tags=entry.get("tags", []), explicit=True,
        )  # fmt: skip
        emit(again, as_json, f"{again['verdict']}: {again['id']}")
        return
    rows = [
        (
            one["at"],
            one["role"],
            handle(one["id"]),
            one["from"],
            one["entry"].get("content") or one["entry"].get("value"),
        )
        for one in reply["dropped"]
    ]
    heads = ("at", "role", "id", "from", cut_text("memory"))
    emit(reply, as_json, table(heads, rows) if rows else "Nothing was dropped.")


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
