"""Made from the declarations by `make docs`: change those, not this."""

# mypy: disable-error-code=empty-body

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from memd.client.asking import Asks, K, method

if TYPE_CHECKING:
    from memd.protocol.roles import CreatedRole, FoundRole, Roles, ScopeView
    from memd.protocol.status import SettingChanged, SettingsInForce


class ConfigMethods(Asks[K]):
    """The methods `config.*`."""

    @method("config.get")
    def get(
        self,
        *,
        key: str = "",
        role: str | None = None,
        declared: bool = False,
        reader: Literal["person", "model"] = "person",
    ) -> SettingsInForce:
        """Tell the settings in force.

        role: as they are in force for this role
        declared: how each is declared and where it is set, and the file as it is
        """

    @method("config.set")
    def set(
        self,
        *,
        key: str,
        value: bool | int | float | str | None = None,
        unset: bool = False,
        role: str | None = None,
        reader: Literal["person", "model"] = "person",
    ) -> SettingChanged:
        """Change a setting, or take it out of its file; comments stay.

        unset: take it out of the file: what holds without it holds again
        role: in its role.toml
        """


class RoleMethods(Asks[K]):
    """The methods `role.*`."""

    @method("role.create")
    def create(
        self, *, name: str, display_name: str = "", fiction: bool = False, reader: Literal["person", "model"] = "person"
    ) -> CreatedRole:
        """Make a role.

        display_name: what the role is called in full
        fiction: it is a character or a story: what is said there is kept as its world, not as the user's
        """

    @method("role.get")
    def get(self, *, role: str, reader: Literal["person", "model"] = "person") -> FoundRole:
        """Tell which role an address means, and what it holds.

        role: a role's name, alias or uuid
        """

    @method("role.list")
    def list(self, *, limit: int = 1000, offset: int = 0, reader: Literal["person", "model"] = "person") -> Roles:
        """List the roles.

        limit: how many at once
        offset: how many to pass over
        """

    @method("role.of")
    def of(
        self, *, project: str = "", named: str = "", mark: str = "", reader: Literal["person", "model"] = "person"
    ) -> ScopeView:
        """Tell whose memory a directory gets, by what it says of itself, and why.

        project: host/owner/name, by the origin of its repository
        named: the role that its .memd-role names
        mark: of that file's place and what it says
        """
