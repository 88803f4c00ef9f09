"""The verbs of settings: which are in force, and one of them changed with every comment kept."""

from __future__ import annotations

import asyncio
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

from msgspec import Meta, convert

from memd.errors import (
    BadParamsError,
    BadSettingsError,
    Fault,
    FileChangedError,
    SettingUnknownError,
    StorageReadOnlyError,
)
from memd.errors.root import meant
from memd.formats.settings import TOML_BYTES, line_of, load_profile, load_settings, load_table
from memd.formats.toml_writer import dump_empty_profile, set_value, without_value
from memd.model.settings import OF_A_ROLE, Declared, declared, tables
from memd.model.trust import CAPTURE, PROTECTIONS, Ask
from memd.protocol.fields import Request, RoleName
from memd.protocol.status import AskView, SettingChanged, SettingsInForce, SettingView, Tables
from memd.service.granting import asked_by, in_vain, view
from memd.storage.layout import SETTINGS, profile_file
from memd.storage.replace import replace_if
from memd.store.reading.profile_file import refresh_profile
from memd.verbs.declared import Service, verb

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memd.storage.files import Tree
    from memd.store.role.role import Role
    from memd.store.store import Store

WEAKENS = "weakens a protection, and is not in force on this machine"


class GetSettings(Request):
    """One setting, one table of them, or all; with `role`, as they are in force for it."""

    key: Annotated[str, Meta(max_length=100)] = ""
    role: Annotated[RoleName, Meta(description="as they are in force for this role")] | None = None
    declared: Annotated[bool, Meta(description="how each is declared and where it is set, and the file as it is")] = (
        False
    )


class SetSetting(Request):
    """A setting by table.key, in memd.toml or in a role's role.toml: a value, or `unset`."""

    key: Annotated[str, Meta(min_length=3, max_length=100)]
    value: bool | int | float | str | None = None
    unset: Annotated[bool, Meta(description="take it out of the file: what holds without it holds again")] = False
    role: Annotated[RoleName, Meta(description="in its role.toml")] | None = None


@verb("config.get")
async def get_settings(service: Service, asked: GetSettings) -> SettingsInForce:
    """Tell the settings in force."""
    store = service.store
    store.in_force.look()
    settings = store.settings
    own: Tables | None = None
    role = None
    if asked.role:
        role = await store.role(asked.role)
        refresh_profile(store.tree, role)
        settings = store.settings_of(role)
        own = {table: dict(values) for table, values in role.own.profile.settings.items()}
    values = asdict(settings)
    table, _, name = asked.key.partition(".")
    if asked.key and (table not in values or (name and name not in values[table])):
        raise SettingUnknownError(f"{asked.key!r:.82} is no setting{meant(asked.key, _keys(values))}")
    asks = await asked_by(store)
    reply = SettingsInForce(
        settings={table: {name: values[table][name]} if name else values[table]} if asked.key else values,
        faults=[str(fault) for fault in store.in_force.file.faults],
        asked_in_vain=convert([view(one) for one in in_vain(asks)], list[AskView]),
        role=asked.role or None,
        own=own,
    )
    if asked.declared:
        said = await asyncio.to_thread(_said, store.tree, role)
        reply.declared = list(_declared(reply.settings, said, asks, f"{role.name}/" if role else ""))
        reply.tables = {table: words for table, _, words in tables() if table in reply.settings}
        reply.file, reply.text, _ = said[-1]
    return reply


Said = list[tuple[str, str, Tables]]  # files that set something, the strongest last: name, text, and what they set


def _said(tree: Tree, role: Role | None) -> Said:
    """Return what memd.toml and a role's own file say now; a faulty one sets nothing. Blocks."""
    found: Said = []
    for file in (SETTINGS, *([profile_file(role.name)] if role else [])):
        try:
            data = tree.read(file, TOML_BYTES * 2)[0]
        except FileNotFoundError:
            data = b""
        try:
            text, values = load_table(data, file)
        except BadSettingsError:
            text, values = data.decode("utf-8", "replace"), {}
        if file != SETTINGS:
            values = {table: own for table, own in values.items() if table in OF_A_ROLE}
        found.append((file, text, {table: own for table, own in values.items() if isinstance(own, dict)}))
    return found


def _declared(values: Tables, said: Said, asks: list[Ask], prefix: str) -> Iterator[SettingView]:
    """Yield settings as they are declared, those that `values` has; `prefix` of a role's asks."""
    for table, what, _ in tables():
        above = ""
        for one in declared(what):
            above = one.words or above  # one without words is told by the one above it
            if one.key in values.get(table, {}):
                shown = _setting(table, one, above, values[table][one.key], said)
                _protected(shown, asks, prefix)
                yield shown


def _setting(table: str, one: Declared, words: str, value: Any, said: Said) -> SettingView:
    file, text, _ = next((found for found in reversed(said) if one.key in found[2].get(table, {})), ("", "", {}))
    line = line_of(text, table, one.key) if file else 0
    of_role = one.key in OF_A_ROLE.get(table, ())
    kind = one.kind.__name__
    found = SettingView(f"{table}.{one.key}", kind, words, one.default, value, file, line, of_role, list(one.choices))
    if one.bounds:
        found.low, found.high = one.bounds
    return found


def _protected(one: SettingView, asks: list[Ask], prefix: str) -> None:
    """Put into a setting what it protects, and what its file asks for that this machine has granted or not."""
    if protection := next((known for known in PROTECTIONS if known.key == one.key), None):
        one.gives_up = protection.gives_up
    names = (one.key, prefix + one.key)
    if ask := next((known for known in asks if known.name in names and known.file == one.file), None):
        one.asked, one.granted = ask.value, ask.granted
        if not ask.granted:
            one.grant = _grants(ask)


@verb(
    "config.set",
    writes=True,
    errors=(
        BadSettingsError,
        FileChangedError,
    ),
)
async def set_setting(service: Service, asked: SetSetting) -> SettingChanged:
    """Change a setting, or take it out of its file; comments stay.

    What it would break is refused, and nothing is written.
    """
    store = service.store
    if store.writer.running is None:
        raise StorageReadOnlyError(store.path, store.writer.read_only or "opened for reading")
    if asked.unset is not (asked.value is None):
        raise BadParamsError(f"{asked.key} needs either a value or unset")
    role = await store.role(asked.role) if asked.role else None
    if role:
        refresh_profile(store.tree, role)
    values = asdict(store.settings_of(role) if role else store.settings)
    table, _, name = asked.key.partition(".")
    if name not in values.get(table, {}):
        raise SettingUnknownError(f"{asked.key!r:.82} is no setting{meant(asked.key, _keys(values))}")
    before, value = values[table][name], asked.value
    if isinstance(before, float) and isinstance(value, int) and not isinstance(value, bool):
        value = float(value)
    file, named = SETTINGS, asked.key
    if role:
        if name not in OF_A_ROLE.get(table, ()):
            raise BadParamsError(f"{asked.key} is for the whole workspace; a role cannot set it")
        file, named = profile_file(role.name), f"{role.name}/{asked.key}"
    was_set = await asyncio.to_thread(_change, store.tree, file, table, name, value)
    if role:
        refresh_profile(store.tree, role)
    else:
        store.in_force.look()
    if asked.unset:
        value = asdict(store.settings_of(role) if role else store.settings)[table][name]
    hint = await _hint(store, file, named)
    return SettingChanged(
        key=asked.key, value=value, before=before, was_set=was_set, file=file, in_force=not hint, hint=hint or None
    )


def _keys(values: Tables) -> list[str]:
    return [*values, *(f"{table}.{name}" for table, names in values.items() for name in names)]


async def _hint(store: Store, file: str, name: str) -> str:
    """Return how what was set comes into force, "" where it is: what weakens a protection waits until this machine grants it."""
    vain = next((one for one in in_vain(await asked_by(store)) if (one.file, one.name) == (file, name)), None)
    if not vain:
        return ""
    return f"It {WEAKENS}: {vain.gives_up}. Grant it with `{_grants(vain)}`."


def _grants(ask: Ask) -> str:
    """Return the command with which a person lets what was asked for hold on this machine."""
    return f"memd capture {ask.value}" if ask.name == CAPTURE else f"memd trust --grant {ask.name}"


def _change(tree: Tree, file: str, table: str, name: str, value: Any) -> bool:
    """Put a value into a settings file, None: take it out; its text must be good before and after. Return whether it was set. Blocks."""
    try:
        data = tree.read(file, TOML_BYTES * 2)[0]
    except FileNotFoundError:
        if file == SETTINGS:
            raise BadSettingsError((Fault(file, 1, 1, "it is missing", "file.missing"),)) from None
        data = b"" if value is None else dump_empty_profile().encode()
    if not data.strip() and file == SETTINGS:
        raise FileChangedError(file)  # an editor is in the middle of saving it
    check = load_settings if file == SETTINGS else load_profile
    check(data, file)  # a file that is broken already is its owner's to mend, with every line named
    was_set = name in load_table(data, file)[1].get(table, {})
    text = data.decode("utf-8")
    if value is None and not was_set:
        return False
    changed = (without_value(text, table, name) if value is None else set_value(text, table, name, value)).encode()
    check(changed, file)
    replace_if(tree, file, changed, data)
    return was_set
