"""Take a setup back: every file to the byte where it is as setup left it; what somebody changed since is told, and left."""

from __future__ import annotations

import contextlib
import os
import shutil
from dataclasses import dataclass, field, replace

from memd.cli.hook_files import remove_settings, write_settings
from memd.cli.services import has_units, remove_units
from memd.cli.setup.agents import read_text, without_ours
from memd.cli.stopping import stop_daemon
from memd.errors import AgentSettingsError, MemdError
from memd.formats.agent_settings import is_empty
from memd.formats.setup_files import Kept, Record, digest_of
from memd.model.trust import CAPTURE, NOTHING, PAST, START, Trusted
from memd.service.setup import OWN, Records, in_use, is_idle, remove_start, take_away
from memd.storage.files import Tree
from memd.storage.layout import NONCE_FILE
from memd.storage.replace import replace_if
from memd.storage.trust_state import FILE as TRUST_FILE
from memd.store.trust import Trust
from memd.whereabouts import is_workspace


@dataclass(slots=True)
class Undone:
    """What was taken back, and what was left, each in a sentence."""

    back: list[str] = field(default_factory=list)
    left: list[str] = field(default_factory=list)


def undo(record: Record, state: str, cache: str, project: str) -> Undone:
    """Take back what a record says; of agents only what is for work in `project`, where that is named. Twice is once."""
    undone, records = Undone(), Records(state)
    with records.writing():
        for kept in reversed(record.files):
            if not project or kept.scope == project:
                _take_back(record, kept, undone)
        if project:
            record.files = [one for one in record.files if one.scope != project]
            records.write(record)
            _remove_folders([one for one in record.folders if f"{one}/".startswith(f"{project}/")])
            return undone
        remove_start(state, record.workspace)
        _stop(record, undone)
        _take_grants(record, state, undone)
        _clear(record, cache, undone)
        records.remove()
    _remove_folders([*record.folders, state, os.path.join(state, "spool")])
    return undone


def _take_back(record: Record, kept: Kept, undone: Undone) -> None:
    if not kept.agent:
        _restore_settings(kept, undone)
        return
    try:
        text, exists = read_text(kept.path, kept.agent)
        if not exists:
            return
        same = digest_of(text.encode()) == kept.after
        new = without_ours(text, kept.path, kept.agent, record.workspace)
        if same and kept.before is not None:
            new = kept.before.decode()
        if not kept.there and _says_nothing(new, kept.path):
            remove_settings(kept.path)
            undone.back.append(f"{kept.path}: removed, as it was not there before")
        elif new != text:
            write_settings(kept.path, text, new, exists=True, keep=False)
            now = "it is as it was before" if same else "memd's part is out; what else was changed since stays"
            undone.back.append(f"{kept.path}: {now}")
    except (AgentSettingsError, MemdError) as error:
        undone.left.append(f"left as it is: {error}")


def _says_nothing(text: str, path: str) -> bool:
    return not text.strip() if path.endswith(".toml") else is_empty(text)


def _restore_settings(kept: Kept, undone: Undone) -> None:
    """Put a workspace's memd.toml back, where nobody changed it since."""
    folder, leaf = os.path.split(kept.path)
    try:
        tree = Tree(folder)
    except (OSError, MemdError):
        return  # the workspace is gone
    try:
        data = tree.read(leaf)[0]
        if kept.before is None or data == kept.before:
            return
        if digest_of(data) != kept.after:
            undone.left.append(
                f"left as it is: {kept.path} was changed since; `memd config capture.level` tells its level"
            )
            return
        replace_if(tree, leaf, kept.before, data)
        undone.back.append(f"{kept.path}: it is as it was before")
    except (OSError, MemdError) as error:
        undone.left.append(f"left as it is: {error}")
    finally:
        tree.close()


def _stop(record: Record, undone: Undone) -> None:
    """Take the service's units out, and stop the daemon where none ran before."""
    try:
        if record.units and has_units(record.workspace):
            _, lines = remove_units(record.workspace)
            undone.back += lines
        if not record.served and is_workspace(record.workspace):
            pid, _ = stop_daemon(record.workspace)
            undone.back += [f"daemon: process {pid} is stopped"] if pid else []
    except MemdError as error:
        undone.left.append(f"left as it is: {error}")


def _take_grants(record: Record, state: str, undone: Undone) -> None:
    """Let this machine grant what it granted before; where it granted nothing and knew nothing, nothing of it stays."""
    if not is_workspace(record.workspace):
        return
    tree = Tree(record.workspace)
    try:
        trust = Trust(state)
        trust.look(tree)
        before = _as_before(record, trust.trusted)
        if before != trust.trusted:
            trust.change(tree, lambda known: _as_before(record, known))
        if before == NOTHING and "trust" in record.missing:
            _remove(os.path.join(state, TRUST_FILE))
            if "nonce" in record.missing:
                _remove(os.path.join(record.workspace, NONCE_FILE))
    except MemdError as error:
        undone.left.append(f"left as it is: {error}")
    finally:
        tree.close()


def _as_before(record: Record, known: Trusted) -> Trusted:
    granted = {
        name: value
        for name, value in known.granted.items()
        if name not in (CAPTURE, START) and not name.startswith(f"{PAST}.")
    }
    granted |= {START: True} if record.starts else {}
    granted |= {CAPTURE: record.level} if record.level else {}
    return replace(known, granted=granted)


def _clear(record: Record, cache: str, undone: Undone) -> None:
    """Remove a workspace in which nothing was kept, and what memd itself made beside another; a used one stays."""
    path = record.workspace
    if record.made and os.path.isdir(path):
        used = in_use(record)
        if used:
            undone.left.append(
                f"left as it is: {path} is yours now, it has {used}; `rm -r` removes it with all it remembers"
            )
        else:
            take_away(record)
            undone.back.append(f"{path}: removed, nothing was kept in it")
    elif "memory" in record.missing and os.path.isdir(os.path.join(path, OWN)) and is_idle(path):
        shutil.rmtree(os.path.join(path, OWN))
    if "cache" in record.missing:
        shutil.rmtree(os.path.dirname(cache), ignore_errors=True)


def _remove(path: str) -> None:
    with contextlib.suppress(FileNotFoundError):
        os.unlink(path)


def _remove_folders(folders: list[str]) -> None:
    """Remove directories that were not there before, the innermost first, where nothing is in them."""
    for path in sorted(folders, key=len, reverse=True):
        with contextlib.suppress(OSError):
            os.rmdir(path)
