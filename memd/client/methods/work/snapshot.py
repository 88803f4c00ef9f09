"""Made from the declarations by `make docs`: change those, not this."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from memd.client.asking import Asked, AsyncAsked, given, typed

if TYPE_CHECKING:
    from memd.client.types.work.curated import SnapshotSections, TakenSnapshot


class SnapshotMethods:
    """The methods `snapshot.*`."""

    def __init__(self, client: Asked) -> None:
        self._client = client

    def sections(self, *, digest: str, reader: Literal["person", "model"] = "person") -> SnapshotSections:
        """Return a snapshot as prompt sections.

        digest: or its first characters
        """
        found: SnapshotSections = typed(
            "snapshot.sections",
            "work.curated.SnapshotSections",
            self._client.call("snapshot.sections", **given(self.sections, locals())),
        )
        return found

    def take(self, *, reader: Literal["person", "model"] = "person") -> TakenSnapshot:
        """Freeze the curated memory, stored once."""
        found: TakenSnapshot = typed(
            "snapshot.take",
            "work.curated.TakenSnapshot",
            self._client.call("snapshot.take", **given(self.take, locals())),
        )
        return found


class AsyncSnapshotMethods:
    """The methods `snapshot.*`."""

    def __init__(self, client: AsyncAsked) -> None:
        self._client = client

    async def sections(self, *, digest: str, reader: Literal["person", "model"] = "person") -> SnapshotSections:
        """Return a snapshot as prompt sections.

        digest: or its first characters
        """
        found: SnapshotSections = typed(
            "snapshot.sections",
            "work.curated.SnapshotSections",
            await self._client.call("snapshot.sections", **given(self.sections, locals())),
        )
        return found

    async def take(self, *, reader: Literal["person", "model"] = "person") -> TakenSnapshot:
        """Freeze the curated memory, stored once."""
        found: TakenSnapshot = typed(
            "snapshot.take",
            "work.curated.TakenSnapshot",
            await self._client.call("snapshot.take", **given(self.take, locals())),
        )
        return found
