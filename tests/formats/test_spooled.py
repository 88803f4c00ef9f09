"""An event that waits for a daemon keeps whose it is: of which project, by whose word, and that it was for others too."""

from __future__ import annotations

import json

import pytest

from memd.formats.spooled import Spooled, dump_spooled, load_spooled

EVENT: dict[str, str | bool] = {
    "agent": "claude", "event": "prompt", "session": "s1", "message": "记住：下周三体检。", "project": "github.com/acme/web",
    "named": "acme", "mark": "0" * 64, "shared": True,
}  # fmt: skip


def spooled(**more: object) -> bytes:
    return dump_spooled(Spooled("0" * 16, 1.8e9, "/a/memory", "m", {**EVENT, **more}))  # type: ignore[dict-item]


def test_an_event_of_a_project_comes_back_as_it_was_left() -> None:
    assert load_spooled(spooled()).event == EVENT


@pytest.mark.parametrize("value", [False, 1, "true", None, ["x"], {"x": json.dumps({})}])
def test_what_says_otherwise_than_yes_that_it_is_shared_is_none_of_ours(value: object) -> None:
    with pytest.raises(ValueError, match="shared"):
        load_spooled(spooled(shared=value))
