"""doctor's look at the full-text index: it has what the files have, or the daemon is about to see to it."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

from memd.service.care.check_index import check_index
from memd.service.care.doctor import FAIL, OK, SEEN_CHARS, SKIP, WARN, Row, Scope, counted, first_of

if TYPE_CHECKING:
    from memd.errors import Fault

SETTLE_S, STEP_S = 10.0, 0.1  # the daemon is given so long to index what was saved just now
SECOND_LOOK_S = 1.0  # and this long to hear of it
LOOKS = 4
LARGEST_BYTES = 1 << 30


def check_the_index(scope: Scope) -> Iterator[Row]:
    """The full-text index has every document as its file has it."""
    if not scope.cache:
        yield Row("index", SKIP, "without memd.toml it is not looked for")
        return
    if why := _unusable(scope.cache):
        yield Row("index", FAIL, *why)
        return
    if not os.path.isdir(scope.cache):
        yield Row("index", SKIP, "there is none yet: the first search makes it")
        return
    faults, count, behind = _compared(scope)
    if not faults:
        yield Row("index", OK, f"{count} documents, as their files have them")
    elif faults[0].code == "index.unusable":
        yield Row("index", WARN, faults[0].why[:SEEN_CHARS], "Run `memd rebuild`; nothing but time is lost.")
    elif scope.status is None:
        seen = f"{counted(len(faults), 'document')} behind: {first_of(faults)}"
        yield Row("index", WARN, seen, f"{scope.again}, which brings it up, or `memd rebuild`.")
    elif behind:
        do = "Wait; `memd status` tells how far it is. What is asked is answered from the files meanwhile."
        yield Row("index", WARN, f"it is {behind} behind after {SETTLE_S:g} s", do)
    else:
        yield Row(
            "index", FAIL, f"{counted(len(faults), 'document')} differing: {first_of(faults)}", "Run `memd rebuild`."
        )


def _compared(scope: Scope) -> tuple[list[Fault], int, int]:
    """Return what differs, how many documents were compared, and how many the daemon has still to take in."""
    until_s = time.monotonic() + SETTLE_S
    behind = _settle(scope, until_s)
    for look in range(LOOKS):
        faults, count = check_index(scope.tree, scope.cache, LARGEST_BYTES)
        if not faults or scope.status is None or faults[0].code == "index.unusable" or look == LOOKS - 1:
            break
        time.sleep(SECOND_LOOK_S)  # a save of this moment may not be heard of yet
        behind = _settle(scope, until_s)
    return faults, count, behind


def _settle(scope: Scope, until_s: float) -> int:
    """Wait until the daemon's index has what the daemon has seen; return how far behind it still is."""
    while scope.status is not None and (status := scope.ask()) is not None:
        index = status["index"]
        behind = index["behind"] or int(index["state"] == "building" or not status["watcher"]["reconciled"]["at"])
        if not behind or time.monotonic() > until_s:
            return int(behind)
        time.sleep(STEP_S)
    return 0


def _unusable(cache: str) -> tuple[str, str] | None:
    """Return why nothing can be kept in the cache's directory, and what to do; None where it can be, or can be made."""
    above = cache
    while not os.path.lexists(above):
        above = os.path.dirname(above)
    if not os.path.isdir(above):
        return f"{above} is no directory, and the index belongs below it", f"Move {above} away; memd makes it again."
    if not os.access(above, os.W_OK | os.X_OK):
        return f"{above} cannot be written, and the index belongs below it", f"Make {above} writable: `chmod u+rwx`."
    return None
