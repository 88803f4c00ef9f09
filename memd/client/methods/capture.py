"""Made from the declarations by `make docs`: change those, not this."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from memd.client.asking import Asked, AsyncAsked, given, typed

if TYPE_CHECKING:
    from memd.client.types.capture import CaptureLevel, CapturePaused


class CaptureMethods:
    """The methods `capture.*`."""

    def __init__(self, client: Asked) -> None:
        self._client = client

    def level(self, *, reader: Literal["person", "model"] = "person") -> CaptureLevel:
        """Tell what is kept of conversations on this machine."""
        found: CaptureLevel = typed(
            "capture.level", "capture.CaptureLevel", self._client.call("capture.level", **given(self.level, locals()))
        )
        return found

    def pause(self, *, until: float | str = "", reader: Literal["person", "model"] = "person") -> CapturePaused:
        """Keep nothing of conversations for a while. It is this machine's own, and no file of the workspace ends it.

        until: seconds, milliseconds or ISO 8601; without it, until a person ends it
        """
        found: CapturePaused = typed(
            "capture.pause", "capture.CapturePaused", self._client.call("capture.pause", **given(self.pause, locals()))
        )
        return found


class AsyncCaptureMethods:
    """The methods `capture.*`."""

    def __init__(self, client: AsyncAsked) -> None:
        self._client = client

    async def level(self, *, reader: Literal["person", "model"] = "person") -> CaptureLevel:
        """Tell what is kept of conversations on this machine."""
        found: CaptureLevel = typed(
            "capture.level",
            "capture.CaptureLevel",
            await self._client.call("capture.level", **given(self.level, locals())),
        )
        return found

    async def pause(self, *, until: float | str = "", reader: Literal["person", "model"] = "person") -> CapturePaused:
        """Keep nothing of conversations for a while. It is this machine's own, and no file of the workspace ends it.

        until: seconds, milliseconds or ISO 8601; without it, until a person ends it
        """
        found: CapturePaused = typed(
            "capture.pause",
            "capture.CapturePaused",
            await self._client.call("capture.pause", **given(self.pause, locals())),
        )
        return found
