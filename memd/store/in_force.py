"""Which settings are in force: what memd.toml asks for, so far as this machine grants it, with a role's own on top."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memd.model.trust import in_force_for

if TYPE_CHECKING:
    from memd.model.settings import Settings
    from memd.storage.files import Tree
    from memd.store.keep.quarantine import Quarantine
    from memd.store.role.happenings import Happenings
    from memd.store.role.role import Role
    from memd.store.settings_file import SettingsFile
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
