"""Made from the declarations by `make docs`: change those, not this."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from memd.client.asking import Asked, AsyncAsked, given, typed

if TYPE_CHECKING:
    from memd.client.types.roles import CreatedRole, FoundRole, Roles, ScopeView


class RoleMethods:
    """The methods `role.*`."""

    def __init__(self, client: Asked) -> None:
        self._client = client

    def create(
        self, *, name: str, display_name: str = "", fiction: bool = False, reader: Literal["person", "model"] = "person"
    ) -> CreatedRole:
        """Make a role.

        display_name: what the role is called in full
        fiction: it is a character or a story: what is said there is kept as its world, not as the user's
        """
        found: CreatedRole = typed(
            "role.create", "roles.CreatedRole", self._client.call("role.create", **given(self.create, locals()))
        )
        return found

    def get(self, *, role: str, reader: Literal["person", "model"] = "person") -> FoundRole:
        """Tell which role an address means, and what it holds.

        role: a role's name, alias or uuid
        """
        found: FoundRole = typed(
            "role.get", "roles.FoundRole", self._client.call("role.get", **given(self.get, locals()))
        )
        return found

    def list(self, *, limit: int = 1000, offset: int = 0, reader: Literal["person", "model"] = "person") -> Roles:
        """List the roles.

        limit: how many at once
        offset: how many to pass over
        """
        found: Roles = typed("role.list", "roles.Roles", self._client.call("role.list", **given(self.list, locals())))
        return found

    def of(
        self, *, project: str = "", named: str = "", mark: str = "", reader: Literal["person", "model"] = "person"
    ) -> ScopeView:
        """Tell whose memory a directory gets, by what it says of itself, and why.

        project: host/owner/name, by the origin of its repository
        named: the role that its .memd-role names
        mark: of that file's place and what it says
        """
        found: ScopeView = typed("role.of", "roles.ScopeView", self._client.call("role.of", **given(self.of, locals())))
        return found


class AsyncRoleMethods:
    """The methods `role.*`."""

    def __init__(self, client: AsyncAsked) -> None:
        self._client = client

    async def create(
        self, *, name: str, display_name: str = "", fiction: bool = False, reader: Literal["person", "model"] = "person"
    ) -> CreatedRole:
        """Make a role.

        display_name: what the role is called in full
        fiction: it is a character or a story: what is said there is kept as its world, not as the user's
        """
        found: CreatedRole = typed(
            "role.create", "roles.CreatedRole", await self._client.call("role.create", **given(self.create, locals()))
        )
        return found

    async def get(self, *, role: str, reader: Literal["person", "model"] = "person") -> FoundRole:
        """Tell which role an address means, and what it holds.

        role: a role's name, alias or uuid
        """
        found: FoundRole = typed(
            "role.get", "roles.FoundRole", await self._client.call("role.get", **given(self.get, locals()))
        )
        return found

    async def list(self, *, limit: int = 1000, offset: int = 0, reader: Literal["person", "model"] = "person") -> Roles:
        """List the roles.

        limit: how many at once
        offset: how many to pass over
        """
        found: Roles = typed(
            "role.list", "roles.Roles", await self._client.call("role.list", **given(self.list, locals()))
        )
        return found

    async def of(
        self, *, project: str = "", named: str = "", mark: str = "", reader: Literal["person", "model"] = "person"
    ) -> ScopeView:
        """Tell whose memory a directory gets, by what it says of itself, and why.

        project: host/owner/name, by the origin of its repository
        named: the role that its .memd-role names
        mark: of that file's place and what it says
        """
        found: ScopeView = typed(
            "role.of", "roles.ScopeView", await self._client.call("role.of", **given(self.of, locals()))
        )
        return found
