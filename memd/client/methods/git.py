"""Made from the declarations by `make docs`: change those, not this."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from memd.client.asking import Asked, AsyncAsked, given, typed

if TYPE_CHECKING:
    from memd.client.types.links import Commits


class GitMethods:
    """The methods `git.*`."""

    def __init__(self, client: Asked) -> None:
        self._client = client

    def commits(self, *, role: str, id: str, limit: int = 20, reader: Literal["person", "model"] = "person") -> Commits:
        """Tell which commits of git changed a memory, with its text before and after.

        role: a role's name, alias or uuid
        id: a memory's id, or its first characters
        limit: how many changes, the newest first
        """
        found: Commits = typed(
            "git.commits", "links.Commits", self._client.call("git.commits", **given(self.commits, locals()))
        )
        return found


class AsyncGitMethods:
    """The methods `git.*`."""

    def __init__(self, client: AsyncAsked) -> None:
        self._client = client

    async def commits(
        self, *, role: str, id: str, limit: int = 20, reader: Literal["person", "model"] = "person"
    ) -> Commits:
        """Tell which commits of git changed a memory, with its text before and after.

        role: a role's name, alias or uuid
        id: a memory's id, or its first characters
        limit: how many changes, the newest first
        """
        found: Commits = typed(
            "git.commits", "links.Commits", await self._client.call("git.commits", **given(self.commits, locals()))
        )
        return found
