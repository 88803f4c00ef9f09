"""Settings files of agents on the disk: read, written whole or not at all, with a backup beside them."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from memd.errors import (
    AgentSettingsChangedError,
    AgentSettingsError,
    FileChangedError,
    MemdError,
    NotRegularError,
    StorageError,
    TooLargeError,
)

if TYPE_CHECKING:
    from memd.storage.files import Tree

SETTINGS_BYTES = 4_000_000
BACKUP = ".memd-backup-"
TRIES = 50  # names of backups made in the same second


def read_settings(path: str, agent: str, load: Callable[[bytes, str], str] | None = None) -> tuple[str, bool]:
    """Return what a settings file says, and whether there is one; AgentSettingsError where it cannot be edited.

    `load` reads another form than JSON with hooks.
    """
    from memd.formats import agent_settings
    from memd.storage.files import Tree

    real = os.path.realpath(path)
    if not os.path.lexists(real):
        return "", False
    try:
        tree = Tree(os.path.dirname(real))
        try:
            return (load or agent_settings.load)(tree.read(os.path.basename(real), SETTINGS_BYTES)[0], path), True
        finally:
            tree.close()
    except AgentSettingsError as error:
        error.hint = error.hint.replace("AGENT", agent)
        raise
    except (StorageError, FileNotFoundError, NotADirectoryError) as error:
        raise _refused(path, f"it cannot be read: {error}", error) from None


def write_settings(path: str, text: str, new: str, *, exists: bool, keep: bool = True) -> str:
    """Write a settings file, whole or not at all, in the place of what was read; return the backup's path, if one is made."""
    from memd.storage.files import Tree
    from memd.storage.replace import create, replace_if

    folder, leaf = os.path.split(os.path.realpath(path))
    try:
        os.makedirs(folder, exist_ok=True)
        tree = Tree(folder)
    except (OSError, StorageError) as error:
        raise _refused(path, f"its directory cannot be used: {error}", error) from None
    try:
        if not exists:
            create(tree, leaf, new.encode())
            return ""
        name = _backed_up(tree, folder, leaf, text.encode()) if keep else ""
        try:
            replace_if(tree, leaf, new.encode(), text.encode())
        except BaseException:
            if name:
                tree.remove(name)
            raise
    except (FileChangedError, FileExistsError, FileNotFoundError):
        raise AgentSettingsChangedError(path, "somebody else wrote it at the same moment") from None
    except StorageError as error:
        raise _refused(path, f"it cannot be written: {error}", error) from None
    finally:
        tree.close()
    return os.path.join(folder, name) if name else ""


def backups_of(path: str, agent: str) -> tuple[str, ...]:
    """Return what the backups beside a settings file say, the newest first; those that cannot be read are left out."""
    folder, leaf = os.path.split(os.path.realpath(path))
    try:
        names = [name for name in os.listdir(folder) if name.startswith(leaf + BACKUP)]
    except OSError:
        return ()
    texts = [readable(os.path.join(folder, name), agent) for name in sorted(names, reverse=True)]
    return tuple(text for text in texts if text is not None)


def readable(path: str, agent: str) -> str | None:
    """Return what a settings file says, "" where there is none, None where it cannot be read."""
    try:
        return read_settings(path, agent)[0]
    except AgentSettingsError:
        return None


def remove_settings(path: str) -> None:
    """Remove a settings file that only memd's hooks were in."""
    from memd.storage.files import Tree

    folder, leaf = os.path.split(os.path.realpath(path))
    tree = Tree(folder)
    try:
        tree.remove(leaf)
    finally:
        tree.close()


def _backed_up(tree: Tree, folder: str, leaf: str, data: bytes) -> str:
    """Write a backup under a name that nobody has, and return the name."""
    from memd.storage.replace import create

    stamp = leaf + BACKUP + time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
    mode = os.stat(os.path.join(folder, leaf)).st_mode & 0o777
    for number in range(1, TRIES + 1):
        name = stamp if number == 1 else f"{stamp}-{number}"
        if os.path.lexists(os.path.join(folder, name)):
            continue
        try:
            create(tree, name, data, mode)
        except FileExistsError:
            continue  # somebody else installs at the same moment
        return name
    raise FileExistsError(stamp)


def _refused(path: str, why: str, cause: Exception) -> AgentSettingsError:
    """Return the error for a file that the system does not let us read or write, with a hint that fits."""
    error = AgentSettingsError(path, why)
    if isinstance(cause, NotRegularError):
        error.hint = "Put a plain file in its place, or remove it; nothing was changed."
    elif isinstance(cause, TooLargeError):
        error.hint = f"Make it smaller than {SETTINGS_BYTES} bytes; nothing was changed."
    elif isinstance(cause, MemdError) and cause.code == "storage.full":
        error.hint = "Free some space and run it again; nothing was changed."
    else:
        error.hint = "See that you may read and write it and its directory; nothing was changed."
    return error
