"""config.get and config.set: the settings in force, and one of them changed with every comment kept."""

from __future__ import annotations

import asyncio
from dataclasses import asdict
from typing import Any

from memd.errors import BadParamsError, BadSettingsError, Fault, FileChangedError, StorageReadOnlyError
from memd.errors.nearest import meant
from memd.formats.profile import load_profile
from memd.formats.settings import TOML_BYTES, load_settings
from memd.formats.toml_writer import dump_empty_profile, set_value
from memd.model.settings import OF_A_ROLE
from memd.service.asking import in_vain, view
from memd.service.care.absorb import refresh_profile
from memd.service.care.status import asked
from memd.service.workspace import Workspace
from memd.storage.files import Tree
from memd.storage.layout import SETTINGS, profile_file
from memd.storage.replace import replace_if

WEAKENS = "weakens a protection, and is not in force on this machine"


async def get(workspace: Workspace, key: str, role_name: str) -> dict[str, Any]:
    """Return settings by table, or the one named, with the faults of the file that is not in force."""
    workspace.look_at_settings()
    settings, own = workspace.settings, {}
    if role_name:
        role = await workspace.role(role_name)
        refresh_profile(workspace.tree, role)
        settings, own = (
            workspace.settings_of(role),
            {table: dict(values) for table, values in role.profile.settings.items()},
        )
    values = asdict(settings)
    table, _, name = key.partition(".")
    if key and (table not in values or (name and name not in values[table])):
        raise BadParamsError(f"{key!r:.82} is no setting{meant(key, _keys(values))}")
    chosen = {table: {name: values[table][name]} if name else values[table]} if key else values
    reply: dict[str, Any] = {"settings": chosen, "faults": [str(fault) for fault in workspace.live.faults]}
    reply["asked_in_vain"] = [view(one) for one in in_vain(await asked(workspace))]
    return {**reply, "role": role_name, "own": own} if role_name else reply


def _keys(values: dict[str, dict[str, Any]]) -> list[str]:
    return [*values, *(f"{table}.{name}" for table, names in values.items() for name in names)]


async def put(workspace: Workspace, key: str, value: Any, role_name: str) -> dict[str, Any]:
    """Set one setting in memd.toml or a role's role.toml; what it would break is refused and nothing written."""
    if workspace.writing is None:
        raise StorageReadOnlyError(workspace.path, workspace.read_only or "opened for reading")
    values = asdict(workspace.settings)
    table, _, name = key.partition(".")
    if name not in values.get(table, {}):
        raise BadParamsError(f"{key!r:.82} is no setting{meant(key, _keys(values))}")
    like = values[table][name]
    typed = (
        float(value) if isinstance(like, float) and isinstance(value, int) and not isinstance(value, bool) else value
    )
    name_of = key
    if role_name:
        role = await workspace.role(role_name)
        name_of = f"{role.name}/{key}"
        if name not in OF_A_ROLE.get(table, ()):
            raise BadParamsError(f"{key} is for the whole workspace; a role cannot set it")
        file = profile_file(role.name)
        await asyncio.to_thread(_change, workspace.tree, file, table, name, typed)
        refresh_profile(workspace.tree, role)
    else:
        file = SETTINGS
        await asyncio.to_thread(_change, workspace.tree, file, table, name, typed)
        workspace.look_at_settings()
    return {"key": key, "value": typed, "before": like, "file": file, **await _trusted(workspace, file, name_of)}


async def _trusted(workspace: Workspace, file: str, name: str) -> dict[str, Any]:
    """Return whether what was set is in force: what weakens a protection waits until this machine grants it."""
    asks = await asked(workspace)
    vain = next((one for one in in_vain(asks) if (one.file, one.name) == (file, name)), None)
    if vain is None:
        return {"in_force": True}
    return {"in_force": False, "hint": f"It {WEAKENS}: {vain.gives_up}. Grant it with `memd trust --grant {name}`."}


def _change(tree: Tree, file: str, table: str, name: str, value: Any) -> None:
    try:
        data = tree.read(file, TOML_BYTES * 2)[0]
    except FileNotFoundError:
        if file == SETTINGS:
            raise BadSettingsError((Fault(file, 1, 1, "it is missing", "file.missing"),)) from None
        data = dump_empty_profile().encode()
    if not data.strip() and file == SETTINGS:
        raise FileChangedError(file)  # an editor is in the middle of saving it
    check = load_settings if file == SETTINGS else load_profile
    check(data, file)  # a file that is broken already is its owner's to mend, with every line named
    changed = set_value(data.decode("utf-8"), table, name, value).encode()
    check(changed, file)
    replace_if(tree, file, changed, data)
