"""Made from the declarations by `make docs`: change those, not this."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from memd.client.asking import Asked, AsyncAsked, given, typed

if TYPE_CHECKING:
    from memd.client.types.work.learning import Candidates, DraftView, Reviewed, Synthesized
    from memd.client.types.work.skills import Published, Retired


class LearningMethods:
    """The methods `learning.*`."""

    def __init__(self, client: Asked) -> None:
        self._client = client

    def candidates(
        self,
        *,
        limit: int = 1000,
        offset: int = 0,
        state: Literal["open", "drafted", "published", "declined", ""] = "",
        reader: Literal["person", "model"] = "person",
    ) -> Candidates:
        """List what skills may be learned from.

        limit: how many at once
        offset: how many to pass over
        state: only those in this state
        """
        found: Candidates = typed(
            "learning.candidates",
            "work.learning.Candidates",
            self._client.call("learning.candidates", **given(self.candidates, locals())),
        )
        return found

    def draft(
        self, *, candidate: str, text: str, made_by: str = "", reader: Literal["person", "model"] = "person"
    ) -> DraftView:
        """Hand in a draft that was written elsewhere.

        made_by: the model or the person who wrote it
        """
        found: DraftView = typed(
            "learning.draft",
            "work.learning.DraftView",
            self._client.call("learning.draft", **given(self.draft, locals())),
        )
        return found

    def publish(
        self, *, skill: str, by: str, words: str = "", digest: str = "", reader: Literal["person", "model"] = "person"
    ) -> Published:
        """Publish a draft on a person's word.

        by: who says so
        words: what the person says
        digest: sha256 of the text this is meant for
        """
        found: Published = typed(
            "learning.publish",
            "work.skills.Published",
            self._client.call("learning.publish", **given(self.publish, locals())),
        )
        return found

    def retire(self, *, skill: str, by: str, words: str = "", reader: Literal["person", "model"] = "person") -> Retired:
        """Take a skill out of use.

        by: who says so
        words: what the person says
        """
        found: Retired = typed(
            "learning.retire",
            "work.skills.Retired",
            self._client.call("learning.retire", **given(self.retire, locals())),
        )
        return found

    def review(
        self,
        *,
        limit: int = 1000,
        offset: int = 0,
        skill: str = "",
        decline: bool = False,
        words: str = "",
        reader: Literal["person", "model"] = "person",
    ) -> Reviewed:
        """Show drafts and how they differ; or decline.

        limit: how many at once
        offset: how many to pass over
        decline: say no to it
        words: what the person says
        """
        found: Reviewed = typed(
            "learning.review",
            "work.learning.Reviewed",
            self._client.call("learning.review", **given(self.review, locals())),
        )
        return found

    def synthesize(
        self, *, candidate: str, skill: str = "", prompt: bool = False, reader: Literal["person", "model"] = "person"
    ) -> Synthesized:
        """Make a draft, or a prompt for one.

        skill: its name; else made of the task's title
        prompt: return the evidence and a prompt for your model instead
        """
        found: Synthesized = typed(
            "learning.synthesize",
            "work.learning.Synthesized",
            self._client.call("learning.synthesize", **given(self.synthesize, locals())),
        )
        return found


class AsyncLearningMethods:
    """The methods `learning.*`."""

    def __init__(self, client: AsyncAsked) -> None:
        self._client = client

    async def candidates(
        self,
        *,
        limit: int = 1000,
        offset: int = 0,
        state: Literal["open", "drafted", "published", "declined", ""] = "",
        reader: Literal["person", "model"] = "person",
    ) -> Candidates:
        """List what skills may be learned from.

        limit: how many at once
        offset: how many to pass over
        state: only those in this state
        """
        found: Candidates = typed(
            "learning.candidates",
            "work.learning.Candidates",
            await self._client.call("learning.candidates", **given(self.candidates, locals())),
        )
        return found

    async def draft(
        self, *, candidate: str, text: str, made_by: str = "", reader: Literal["person", "model"] = "person"
    ) -> DraftView:
        """Hand in a draft that was written elsewhere.

        made_by: the model or the person who wrote it
        """
        found: DraftView = typed(
            "learning.draft",
            "work.learning.DraftView",
            await self._client.call("learning.draft", **given(self.draft, locals())),
        )
        return found

    async def publish(
        self, *, skill: str, by: str, words: str = "", digest: str = "", reader: Literal["person", "model"] = "person"
    ) -> Published:
        """Publish a draft on a person's word.

        by: who says so
        words: what the person says
        digest: sha256 of the text this is meant for
        """
        found: Published = typed(
            "learning.publish",
            "work.skills.Published",
            await self._client.call("learning.publish", **given(self.publish, locals())),
        )
        return found

    async def retire(
        self, *, skill: str, by: str, words: str = "", reader: Literal["person", "model"] = "person"
    ) -> Retired:
        """Take a skill out of use.

        by: who says so
        words: what the person says
        """
        found: Retired = typed(
            "learning.retire",
            "work.skills.Retired",
            await self._client.call("learning.retire", **given(self.retire, locals())),
        )
        return found

    async def review(
        self,
        *,
        limit: int = 1000,
        offset: int = 0,
        skill: str = "",
        decline: bool = False,
        words: str = "",
        reader: Literal["person", "model"] = "person",
    ) -> Reviewed:
        """Show drafts and how they differ; or decline.

        limit: how many at once
        offset: how many to pass over
        decline: say no to it
        words: what the person says
        """
        found: Reviewed = typed(
            "learning.review",
            "work.learning.Reviewed",
            await self._client.call("learning.review", **given(self.review, locals())),
        )
        return found

    async def synthesize(
        self, *, candidate: str, skill: str = "", prompt: bool = False, reader: Literal["person", "model"] = "person"
    ) -> Synthesized:
        """Make a draft, or a prompt for one.

        skill: its name; else made of the task's title
        prompt: return the evidence and a prompt for your model instead
        """
        found: Synthesized = typed(
            "learning.synthesize",
            "work.learning.Synthesized",
            await self._client.call("learning.synthesize", **given(self.synthesize, locals())),
        )
        return found
