"""Which settings are in force: what memd.toml asks for, so far as this machine grants it, with a role's own on top."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from memd.engine.recall.templates import check_template
from memd.errors import BadSettingsError, BadTemplateError, Fault, StorageError
from memd.formats.settings import TOML_BYTES, line_of, load_settings
from memd.model.settings import Settings
from memd.model.trust import in_force, in_force_for
from memd.storage.layout import SETTINGS

if TYPE_CHECKING:
    from memd.storage.files import Identity, Tree
    from memd.store.keep.quarantine import Quarantine
    from memd.store.role.happenings import Happenings
    from memd.store.role.role import Role
    from memd.store.trust import Trust

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class InForce:
    """`file` is what memd.toml says, `trust` what this machine grants to this workspace."""

    tree: Tree
    file: SettingsFile
    trust: Trust
    quarantine: Quarantine
    happenings: Happenings

    @property
    def settings(self) -> Settings:
        """The workspace's settings."""
        return self.file.settings

    @property
    def file_limit_bytes(self) -> int:
        """How large a memory.json may be to be read."""
        return max(self.settings.limits.role_bytes * 2, 1_000_000)

    def of(self, role: Role) -> Settings:
        """Return the settings for a role, its own on top."""
        known = role.own.effective
        if known is None or known[0] is not self.settings or known[1] is not role.own.profile:
            own = in_force_for(self.settings, role.own.profile.settings, role.name, self.trust.trusted.granted)
            known = role.own.effective = (self.settings, role.own.profile, own)
        return known[2]

    def of_name(self, roles: Mapping[str, Role], name: str) -> Settings:
        """Return the settings for the role of a directory's name, the workspace's where there is none."""
        return self.of(roles[name]) if name in roles else self.settings

    def look(self) -> None:
        """Read memd.toml again where it changed, and what this machine grants; a faulty file leaves the last good settings."""
        if granted := self.trust.look(self.tree):
            self.file.obey(self.trust.trusted.granted)
            self.quarantine.trust(self.trust.trusted.approved)
        if self.file.look(self.tree) or granted:
            logger.info("memd.toml was read again" if not granted else "something else is granted")
            self.happenings.settings()


# memd.toml as it is in force: read again where it changed; a faulty one leaves the last good settings.
#
# What weakens a protection is in force only where this machine grants it.


@dataclass(slots=True)
class SettingsFile:
    """`asked` is what the file says, `settings` are in force; `faults` say why the file as it is now is not."""

    asked: Settings = field(default_factory=Settings)
    faults: tuple[Fault, ...] = ()
    identity: Identity | None = None
    settings: Settings = field(init=False)
    fixed: bool = False
    granted: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.obey(self.granted)

    def obey(self, granted: Mapping[str, Any]) -> None:
        """Put in force what the file says, so far as nothing in it weakens or it is granted."""
        self.granted = granted
        if not self.fixed:
            self.settings = in_force(self.asked, granted)

    def use(self, settings: Settings) -> None:
        """Put settings in force that no file changes: for a command that asks what others would do."""
        self.asked, self.settings, self.fixed = settings, settings, True

    def look(self, tree: Tree) -> bool:
        """Read the file again where it changed; tell whether other settings are asked for now."""
        if self.fixed:
            return False
        try:
            identity = tree.identify(SETTINGS)
            if identity is not None and identity == self.identity:
                return False
            self.identity = identity
            if identity is not None and not tree.read(SETTINGS, TOML_BYTES * 2)[0].strip():
                self.faults = (Fault(SETTINGS, 1, 1, "it is empty; the last settings stay in force", "file.empty"),)
                return False
            found = read_settings(tree)
        except BadSettingsError as error:
            self.faults = error.faults
            return False
        except FileNotFoundError:
            self.faults = (Fault(SETTINGS, 1, 1, "it is missing; the last settings stay in force", "file.missing"),)
            return False
        except StorageError as error:
            self.identity = None  # it is read again at the next look
            self.faults = (Fault(SETTINGS, 1, 1, str(error).removeprefix(f"{SETTINGS}: "), "file.unreadable"),)
            return False
        changed, self.asked, self.faults = found != self.asked, found, ()
        if changed:
            self.obey(self.granted)
        return changed


def read_settings(tree: Tree) -> Settings:
    """Return what memd.toml says now, or raise BadSettingsError with every fault; FileNotFoundError."""
    data = tree.read(SETTINGS, TOML_BYTES * 2)[0]
    settings = load_settings(data, SETTINGS)
    try:
        check_template(settings.injection.template)
    except BadTemplateError as error:
        line = line_of(data.decode("utf-8", "replace"), "injection", "template")
        raise BadSettingsError((Fault(SETTINGS, line, 1, str(error), "settings.value"),)) from None
    return settings
