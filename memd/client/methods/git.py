"""Made from the declarations by `make docs`: change those, not this."""

# mypy: disable-error-code=empty-body

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from memd.client.asking import Asks, K, method

if TYPE_CHECKING:
    from memd.protocol.memories import Commits


class GitMethods(Asks[K]):
    """The methods `git.*`."""

    @method("git.commits")
    def commits(self, *, role: str, id: str, limit: int = 20, reader: Literal["person", "model"] = "person") -> Commits:
        """Tell which commits of git changed a memory, with its text before and after.

        role: a role's name, alias or uuid
        id: a memory's id, or its first characters
        limit: how many changes, the newest first
        """
