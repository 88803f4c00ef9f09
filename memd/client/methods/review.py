"""Made from the declarations by `make docs`: change those, not this."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from memd.client.asking import Asked, AsyncAsked, given, typed

if TYPE_CHECKING:
    from memd.client.types.conflicts import SettledConflict
    from memd.client.types.reviews import Reviews
    from memd.client.types.verdicts import DecidedReview


class ReviewMethods:
    """The methods `review.*`."""

    def __init__(self, client: Asked) -> None:
        self._client = client

    def decide(
        self,
        *,
        id: str,
        verdict: Literal["approve", "keep", "drop"],
        content: str = "",
        role: str = "",
        reader: Literal["person", "model"] = "person",
    ) -> DecidedReview:
        """Keep, edit or drop a text that waits.

        id: a memory's id, or its first characters
        verdict: approve and keep are one: it is stored as a person says so
        content: an edited text to keep instead
        role: the id is of a memory of this role
        """
        found: DecidedReview = typed(
            "review.decide",
            "verdicts.DecidedReview",
            self._client.call("review.decide", **given(self.decide, locals())),
        )
        return found

    def list(
        self,
        *,
        limit: int = 1000,
        offset: int = 0,
        role: str = "",
        memories: bool = False,
        reader: Literal["person", "model"] = "person",
    ) -> Reviews:
        """List what waits for a person.

        limit: how many at once
        offset: how many to pass over
        role: a role's name, alias or uuid; all roles without it
        memories: also memories in files that are withheld from prompts; all are looked through, which takes a while
        """
        found: Reviews = typed(
            "review.list", "reviews.Reviews", self._client.call("review.list", **given(self.list, locals()))
        )
        return found

    def settle(
        self,
        *,
        id: str,
        holds: Literal["newer", "older", "both"],
        role: str = "",
        reader: Literal["person", "model"] = "person",
    ) -> SettledConflict:
        """Say which of two memories that conflict holds, or that both do.

        id: the conflict's id, or one of either memory
        holds: newer takes the older one's place; older sends the newer to the archive; both are not asked again
        role: a role's name, alias or uuid; all roles without it
        """
        found: SettledConflict = typed(
            "review.settle",
            "conflicts.SettledConflict",
            self._client.call("review.settle", **given(self.settle, locals())),
        )
        return found


class AsyncReviewMethods:
    """The methods `review.*`."""

    def __init__(self, client: AsyncAsked) -> None:
        self._client = client

    async def decide(
        self,
        *,
        id: str,
        verdict: Literal["approve", "keep", "drop"],
        content: str = "",
        role: str = "",
        reader: Literal["person", "model"] = "person",
    ) -> DecidedReview:
        """Keep, edit or drop a text that waits.

        id: a memory's id, or its first characters
        verdict: approve and keep are one: it is stored as a person says so
        content: an edited text to keep instead
        role: the id is of a memory of this role
        """
        found: DecidedReview = typed(
            "review.decide",
            "verdicts.DecidedReview",
            await self._client.call("review.decide", **given(self.decide, locals())),
        )
        return found

    async def list(
        self,
        *,
        limit: int = 1000,
        offset: int = 0,
        role: str = "",
        memories: bool = False,
        reader: Literal["person", "model"] = "person",
    ) -> Reviews:
        """List what waits for a person.

        limit: how many at once
        offset: how many to pass over
        role: a role's name, alias or uuid; all roles without it
        memories: also memories in files that are withheld from prompts; all are looked through, which takes a while
        """
        found: Reviews = typed(
            "review.list", "reviews.Reviews", await self._client.call("review.list", **given(self.list, locals()))
        )
        return found

    async def settle(
        self,
        *,
        id: str,
        holds: Literal["newer", "older", "both"],
        role: str = "",
        reader: Literal["person", "model"] = "person",
    ) -> SettledConflict:
        """Say which of two memories that conflict holds, or that both do.

        id: the conflict's id, or one of either memory
        holds: newer takes the older one's place; older sends the newer to the archive; both are not asked again
        role: a role's name, alias or uuid; all roles without it
        """
        found: SettledConflict = typed(
            "review.settle",
            "conflicts.SettledConflict",
            await self._client.call("review.settle", **given(self.settle, locals())),
        )
        return found
