"""Made from the declarations by `make docs`: change those, not this."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from memd.client.asking import Asked, AsyncAsked, given, typed

if TYPE_CHECKING:
    from memd.client.types.work.curated import CuratedOperation, EditedCurated, ReadCurated


class CuratedMethods:
    """The methods `curated.*`."""

    def __init__(self, client: Asked) -> None:
        self._client = client

    def add(
        self, *, content: str, file: str = "memory", digest: str = "", reader: Literal["person", "model"] = "person"
    ) -> EditedCurated:
        """Add an entry.

        file: memory or user: MEMORY.md or USER.md
        digest: sha256 of the text this is meant for
        """
        found: EditedCurated = typed(
            "curated.add", "work.curated.EditedCurated", self._client.call("curated.add", **given(self.add, locals()))
        )
        return found

    def edit(
        self,
        *,
        operations: list[CuratedOperation],
        file: str = "memory",
        digest: str = "",
        dry_run: bool = False,
        reader: Literal["person", "model"] = "person",
    ) -> EditedCurated:
        """Make several edits, all or none.

        file: memory or user: MEMORY.md or USER.md
        digest: sha256 of the text this is meant for
        dry_run: say what would stand there, and change nothing
        """
        found: EditedCurated = typed(
            "curated.edit",
            "work.curated.EditedCurated",
            self._client.call("curated.edit", **given(self.edit, locals())),
        )
        return found

    def read(self, *, file: str = "memory", reader: Literal["person", "model"] = "person") -> ReadCurated:
        """Return MEMORY.md or USER.md, by entry.

        file: memory or user: MEMORY.md or USER.md
        """
        found: ReadCurated = typed(
            "curated.read", "work.curated.ReadCurated", self._client.call("curated.read", **given(self.read, locals()))
        )
        return found

    def remove(
        self, *, old_text: str, file: str = "memory", digest: str = "", reader: Literal["person", "model"] = "person"
    ) -> EditedCurated:
        """Remove an entry.

        file: memory or user: MEMORY.md or USER.md
        digest: sha256 of the text this is meant for
        """
        found: EditedCurated = typed(
            "curated.remove",
            "work.curated.EditedCurated",
            self._client.call("curated.remove", **given(self.remove, locals())),
        )
        return found

    def replace(
        self,
        *,
        content: str,
        old_text: str,
        file: str = "memory",
        digest: str = "",
        reader: Literal["person", "model"] = "person",
    ) -> EditedCurated:
        """Replace an entry.

        file: memory or user: MEMORY.md or USER.md
        digest: sha256 of the text this is meant for
        """
        found: EditedCurated = typed(
            "curated.replace",
            "work.curated.EditedCurated",
            self._client.call("curated.replace", **given(self.replace, locals())),
        )
        return found


class AsyncCuratedMethods:
    """The methods `curated.*`."""

    def __init__(self, client: AsyncAsked) -> None:
        self._client = client

    async def add(
        self, *, content: str, file: str = "memory", digest: str = "", reader: Literal["person", "model"] = "person"
    ) -> EditedCurated:
        """Add an entry.

        file: memory or user: MEMORY.md or USER.md
        digest: sha256 of the text this is meant for
        """
        found: EditedCurated = typed(
            "curated.add",
            "work.curated.EditedCurated",
            await self._client.call("curated.add", **given(self.add, locals())),
        )
        return found

    async def edit(
        self,
        *,
        operations: list[CuratedOperation],
        file: str = "memory",
        digest: str = "",
        dry_run: bool = False,
        reader: Literal["person", "model"] = "person",
    ) -> EditedCurated:
        """Make several edits, all or none.

        file: memory or user: MEMORY.md or USER.md
        digest: sha256 of the text this is meant for
        dry_run: say what would stand there, and change nothing
        """
        found: EditedCurated = typed(
            "curated.edit",
            "work.curated.EditedCurated",
            await self._client.call("curated.edit", **given(self.edit, locals())),
        )
        return found

    async def read(self, *, file: str = "memory", reader: Literal["person", "model"] = "person") -> ReadCurated:
        """Return MEMORY.md or USER.md, by entry.

        file: memory or user: MEMORY.md or USER.md
        """
        found: ReadCurated = typed(
            "curated.read",
            "work.curated.ReadCurated",
            await self._client.call("curated.read", **given(self.read, locals())),
        )
        return found

    async def remove(
        self, *, old_text: str, file: str = "memory", digest: str = "", reader: Literal["person", "model"] = "person"
    ) -> EditedCurated:
        """Remove an entry.

        file: memory or user: MEMORY.md or USER.md
        digest: sha256 of the text this is meant for
        """
        found: EditedCurated = typed(
            "curated.remove",
            "work.curated.EditedCurated",
            await self._client.call("curated.remove", **given(self.remove, locals())),
        )
        return found

    async def replace(
        self,
        *,
        content: str,
        old_text: str,
        file: str = "memory",
        digest: str = "",
        reader: Literal["person", "model"] = "person",
    ) -> EditedCurated:
        """Replace an entry.

        file: memory or user: MEMORY.md or USER.md
        digest: sha256 of the text this is meant for
        """
        found: EditedCurated = typed(
            "curated.replace",
            "work.curated.EditedCurated",
            await self._client.call("curated.replace", **given(self.replace, locals())),
        )
        return found
