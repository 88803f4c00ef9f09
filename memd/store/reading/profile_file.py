"""A role's role.toml as it is in force: read again where it changed; a faulty one leaves the last good profile."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memd.engine.recall.templates import check_template
from memd.errors import BadSettingsError, BadTemplateError, Fault, StorageError
from memd.formats.settings import TOML_BYTES, load_profile
from memd.model.settings import Profile
from memd.storage.layout import profile_file

if TYPE_CHECKING:
    from memd.storage.files import Tree
    from memd.store.role.role import Role

UNREAD = "file.unreadable"


def refresh_profile(tree: Tree, role: Role) -> None:
    """Read role.toml again where it changed; a faulty one leaves the last good profile."""
    name = profile_file(role.name)
    try:
        identity = tree.identify(name)
        unread = any(fault.code == UNREAD for fault in role.own.faults)
        if identity == role.own.identity and not unread:
            return
        role.own.identity = identity
        profile = load_profile(tree.read(name, TOML_BYTES * 2)[0], name) if identity else Profile()
        check_template(profile.settings.get("injection", {}).get("template", ""))
        role.own.profile, role.own.faults = profile, ()
    except BadSettingsError as error:
        role.own.faults = error.faults
    except BadTemplateError as error:
        role.own.faults = (Fault(name, 1, 1, str(error), "settings.value"),)
    except StorageError as error:
        role.own.faults = (Fault(name, 1, 1, str(error).removeprefix(f"{name}: "), UNREAD),)
    except FileNotFoundError:
        return
