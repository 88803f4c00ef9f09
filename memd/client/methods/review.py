"""Made from the declarations by `make docs`: change those, not this."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from memd.client.asking import Asked, AsyncAsked, given, typed

if TYPE_CHECKING:
    from memd.client.types.reviews import DecidedReview, Reviews


class ReviewMethods:
    """The methods `review.*`."""

    def __init__(self, client: Asked) -> None:
        self._client = client

    def decide(
        self,
        *,
        id: str,
        verdict: Literal["approve", "drop"],
        content: str = "",
        role: str = "",
        reader: Literal["person", "model"] = "person",
    ) -> DecidedReview:
        """Approve, edit or drop what waits.

        id: a memory's id, or its first characters
        content: an edited text to approve instead
        role: the id is of a memory of this role
        """
        found: DecidedReview = typed(
            "review.decide", "reviews.DecidedReview", self._client.call("review.decide", **given(self.decide, locals()))
        )
        return found

    def list(self, *, role: str = "", memories: bool = False, reader: Literal["person", "model"] = "person") -> Reviews:
        """List what waits for a person.

        role: a role's name, alias or uuid; all roles without it
        memories: also memories in files that are withheld from prompts; all are looked through, which takes a while
        """
        found: Reviews = typed(
            "review.list", "reviews.Reviews", self._client.call("review.list", **given(self.list, locals()))
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
        verdict: Literal["approve", "drop"],
        content: str = "",
        role: str = "",
        reader: Literal["person", "model"] = "person",
    ) -> DecidedReview:
        """Approve, edit or drop what waits.

        id: a memory's id, or its first characters
        content: an edited text to approve instead
        role: the id is of a memory of this role
        """
        found: DecidedReview = typed(
            "review.decide",
            "reviews.DecidedReview",
            await self._client.call("review.decide", **given(self.decide, locals())),
        )
        return found

    async def list(
        self, *, role: str = "", memories: bool = False, reader: Literal["person", "model"] = "person"
    ) -> Reviews:
        """List what waits for a person.

        role: a role's name, alias or uuid; all roles without it
        memories: also memories in files that are withheld from prompts; all are looked through, which takes a while
        """
        found: Reviews = typed(
            "review.list", "reviews.Reviews", await self._client.call("review.list", **given(self.list, locals()))
        )
        return found
