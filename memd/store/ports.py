"""Time and chance, as the service is given them."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass


def _new_id() -> str:
    return str(uuid.uuid4())


@dataclass(frozen=True, slots=True)
class Ports:
    """`now` in seconds since the epoch, `monotonic` in seconds, `new_id` a random uuid."""

    now: Callable[[], float] = time.time
    monotonic: Callable[[], float] = time.monotonic
    new_id: Callable[[], str] = _new_id
