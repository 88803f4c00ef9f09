"""The units of a workspace in the user's folder of units: written, compared and taken out, a person's edits kept."""

from __future__ import annotations

import difflib
import os
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from memd.errors import StorageError, UnitBlockedError
from memd.formats.times import to_stamp
from memd.formats.unit_files import is_untouched
from memd.storage.files import Tree
from memd.storage.replace import create, replace_if

UNIT_BYTES = 262_144
MODE = 0o644  # as every unit has: there is nothing secret in one


class UnitState(NamedTuple):
    """One unit on the disk: missing, same, older (memd's, from another time), edited (by a person) or unreadable."""

    name: str
    state: str
    text: str = ""
    differs: str = ""


def unit_dir(home: str, config_home: str) -> str:
    """Return where a user's own units lie; links on the way are followed, as systemd does."""
    above = config_home if config_home.startswith("/") else f"{home}/.config"
    return os.path.realpath(f"{above}/systemd/user")


def look_at_units(folder: str, wanted: Mapping[str, str]) -> list[UnitState]:
    """Return how each unit stands against what would be written now."""
    try:
        tree = Tree(folder)
    except FileNotFoundError:
        return [UnitState(name, "missing") for name in wanted]
    try:
        return [_look(tree, name, text) for name, text in wanted.items()]
    finally:
        tree.close()


def unit_text(folder: str, name: str) -> str:
    """Return the text of a unit, "" where there is none that can be read."""
    return look_at_units(folder, {name: ""})[0].text


def _look(tree: Tree, name: str, wanted: str) -> UnitState:
    try:
        text = tree.read(name, UNIT_BYTES)[0].decode("utf-8", "surrogateescape")
    except FileNotFoundError:
        return UnitState(name, "missing")
    except StorageError as error:
        return UnitState(name, "unreadable", differs=str(error))
    if text == wanted:
        return UnitState(name, "same", text)
    return UnitState(name, "older" if is_untouched(text) else "edited", text, _difference(name, text, wanted))


def _difference(name: str, text: str, wanted: str) -> str:
    lines = difflib.unified_diff(text.splitlines(), wanted.splitlines(), f"{name} as it is", f"{name} as it would be", lineterm="", n=1)  # fmt: skip
    return "\n".join(lines)


def put_units(folder: str, wanted: Mapping[str, str], now_s: float) -> dict[str, str]:
    """Write every unit that is other than wanted, and return each with "" or the name of the copy of what was edited."""
    os.makedirs(folder, mode=0o755, exist_ok=True)
    written: dict[str, str] = {}
    tree = Tree(folder)
    try:
        states = look_at_units(folder, wanted)
        _check_free(folder, states)
        for unit in states:
            if unit.state == "same":
                continue
            written[unit.name] = _keep_copy(tree, unit, now_s) if unit.state == "edited" else ""
            data = wanted[unit.name].encode()
            if unit.state == "missing":
                create(tree, unit.name, data, MODE)
            else:
                replace_if(tree, unit.name, data, unit.text.encode("utf-8", "surrogateescape"))
    finally:
        tree.close()
    return written


def _check_free(folder: str, states: Sequence[UnitState]) -> None:
    """Raise UnitBlockedError where something else than a unit has a unit's name."""
    for unit in states:
        if unit.state == "unreadable":
            raise UnitBlockedError(f"{folder}/{unit.name}", unit.differs.removeprefix(f"{unit.name}: "))


def drop_units(folder: str, wanted: Mapping[str, str], now_s: float) -> dict[str, str]:
    """Remove units and what enabling them linked; return each with "" or the name of the copy of what was edited."""
    gone: dict[str, str] = {}
    states = [one for one in look_at_units(folder, wanted) if one.state != "missing"]
    if not states:
        return gone
    _check_free(folder, [one for one in states if not os.path.islink(f"{folder}/{one.name}")])
    tree = Tree(folder)
    try:
        for unit in states:
            gone[unit.name] = _keep_copy(tree, unit, now_s) if unit.state == "edited" else ""
            tree.remove(unit.name)
            for target in ("sockets.target.wants", "default.target.wants"):
                if os.path.islink(f"{folder}/{target}/{unit.name}"):
                    tree.remove(f"{target}/{unit.name}")
    finally:
        tree.close()
    return gone


def _keep_copy(tree: Tree, unit: UnitState, now_s: float) -> str:
    copy = f"{unit.name}.memd-backup-{to_stamp(now_s)}"
    try:
        create(tree, copy, unit.text.encode("utf-8", "surrogateescape"), MODE)
    except FileExistsError:
        return _keep_copy(tree, unit, now_s + 1)  # a second time within this second
    return copy
