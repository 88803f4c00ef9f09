"""Verbs that keep a workspace well: recover, config."""

from __future__ import annotations

import asyncio
from dataclasses import asdict
from typing import Any

import click

from memd.cli.reach import ask, json_option, workspace_option
from memd.cli.show import emit, short, table
from memd.config import place_of
from memd.daemon import local
from memd.errors import BadParamsError, MemdError
from memd.formats.settings import TOML_BYTES, load_settings
from memd.formats.toml_writer import set_value
from memd.service.care.status import recoverable
from memd.storage.files import Tree
from memd.storage.layout import SETTINGS
from memd.storage.replace import exchange


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

    async def look() -> dict[str, Any]:
        async with local(place_of(workspace), writes=False) as service:
            return await recoverable(service.workspace)

    reply = asyncio.run(look())
    if memory_id and not only_list:
        fits = [one for one in reply["dropped"] if one["id"].startswith(memory_id)]
        if len(fits) != 1:
            raise BadParamsError(f"{memory_id!r} fits {len(fits)} dropped records")
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
            one["id"][:8],
            one["from"],
            short(str(one["entry"].get("content") or one["entry"].get("value")), 70),
        )
        for one in reply["dropped"]
    ]
    emit(reply, as_json, table(("at", "role", "id", "from", "memory"), rows) if rows else "Nothing was dropped.")


@click.command("config")
@click.argument("key", required=False, default="")
@click.argument("value", required=False, default=None)
@json_option
@workspace_option
def config_command(key: str, value: str | None, as_json: bool, workspace: str) -> None:
    """Show the settings, one of them, or set one; comments in memd.toml stay.

    \b
    memd config gate.keep_from
    memd config injection.budget_chars 3000
    """
    tree = Tree(place_of(workspace).workspace)
    data = tree.read(SETTINGS, TOML_BYTES)[0]
    settings = asdict(load_settings(data, SETTINGS))
    part, _, name = key.partition(".")
    table_named = key in settings and value is None
    if key and not table_named and name not in settings.get(part, {}):
        raise BadParamsError(f"{key!r} is no setting; `memd config` lists them")
    if value is None:
        chosen = {key: settings[part][name]} if name else {key: settings[key]} if key else settings
        flat = {f"{one}.{two}": what for one, values in settings.items() for two, what in values.items()}
        shown = [
            (one, short(repr(what), 80)) for one, what in flat.items() if one.startswith(f"{key}.") or key in ("", one)
        ]
        emit(chosen, as_json, table(("setting", "value"), shown))
        return
    changed = set_value(data.decode(), part, name, _typed(value, settings[part][name])).encode()
    load_settings(changed, SETTINGS)
    displaced = exchange(tree, SETTINGS, changed)
    if displaced.temporary and displaced.data is not None and displaced.data != data:
        exchange(tree, SETTINGS, displaced.data)
        raise MemdError("memd.toml was changed by somebody else meanwhile; nothing was set")
    if displaced.temporary:
        tree.remove(displaced.temporary)
    emit({key: value}, as_json, f"{key} = {value}; a running daemon takes it at its next start")


def _typed(value: str, like: Any) -> Any:
    if isinstance(like, bool):
        return {"true": True, "false": False}.get(value.lower(), value)
    for kind in (int, float) if isinstance(like, (int, float)) else ():
        try:
            return kind(value)
        except ValueError:
            continue
    return value
