"""The verbs of capture: which level is in force here, and a pause. Raising it and ending a pause are a person's, at the command line."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, convert

from memd.errors import BadParamsError, TrustStateError
from memd.formats.times import to_iso, to_seconds
from memd.protocol.fields import Request
from memd.protocol.sessions import CaptureLevel, CapturePaused
from memd.service.capture.levels import FOREVER_S, in_force, pause_until
from memd.verbs.declared import Nothing, Service, verb


class PauseCapture(Request):
    """How long. A pause that lasts longer already stays: only `memd pause --off` ends one."""

    until: Annotated[
        float | str, Meta(description="seconds, milliseconds or ISO 8601; without it, until a person ends it")
    ] = ""


@verb("capture.level")
async def tell_level(service: Service, asked: Nothing) -> CaptureLevel:  # noqa: ARG001  a verb's second parameter
    """Tell what is kept of conversations on this machine."""
    return convert(in_force(service.store)._asdict(), CaptureLevel)


@verb("capture.pause", errors=(TrustStateError,))
async def pause_capture(service: Service, asked: PauseCapture) -> CapturePaused:
    """Keep nothing of conversations for a while. It is this machine's own, and no file of the workspace ends it."""
    until_s = to_seconds(asked.until) if asked.until else FOREVER_S
    if until_s is None:
        raise BadParamsError(f"until: {str(asked.until)!r:.60} is no time; write 2026-05-08T18:00, or ISO 8601")
    if until_s <= service.store.ports.now():
        raise BadParamsError(f"until: {to_iso(until_s)} is over already")
    return CapturePaused(to_iso(await pause_until(service.store, min(until_s, FOREVER_S))))
