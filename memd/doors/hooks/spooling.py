"""What nobody heard: left for the next daemon, unless this machine or the workspace says that nothing is to be kept."""

from __future__ import annotations

import json
import os
import time
from typing import Any

from memd.doors.hooks.payloads import frame_of
from memd.formats.spooled import KEPT, Spooled, dump_spooled, keeps_nothing, paused_until
from memd.places import state_path
from memd.storage.leaving import SpoolFullError, leave, marks_of, read_small
from memd.whereabouts import is_workspace, surroundings

FULL = (
    "memd's daemon does not run, and its spool for this memory is full ({why}): what is said now is NOT kept."
    " Tell the person: {start} starts the daemon, which takes in what waits."
)


def spool(workspace: str, params: dict[str, Any]) -> str:
    """Leave an event for the next daemon, and return what the agent has to be told of it, "" where nothing. SpoolError."""
    state = state_path(workspace, surroundings())
    if params["event"] not in KEPT or not state or not is_workspace(workspace):
        return ""
    now_s = time.time()
    trust = read_small(f"{state}/trust.json")
    if paused_until(trust) > now_s or keeps_nothing(read_small(f"{workspace}/memd.toml")):
        return ""
    event = json.loads(frame_of(params))["params"]
    one = Spooled(os.urandom(8).hex(), round(now_s, 3), workspace, marks_of(workspace)[0], event)
    try:
        leave(state, workspace, dump_spooled(one))
    except SpoolFullError as error:
        from memd.storage.itself import own_line  # noqa: PLC0415  only where nothing more is kept

        return FULL.format(why=error, start=f"`{own_line('up', '--detach', '--workspace', workspace)}`")
    return ""
