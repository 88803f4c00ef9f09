"""Figures that somebody else wrote come out of trigger and remember as they were written."""

from __future__ import annotations

import json
from typing import Any

from memd.daemon import Local
from tests.service.test_verbs import work
from tests.support import Folder


def test_the_order_of_an_entry_is_told_as_its_book_has_it(workspace: Folder) -> None:
    book = workspace.path / "roles/main/books/castle.json"
    book.parent.mkdir(exist_ok=True)
    written: list[Any] = [10.5, "7", True, 3]
    entries = {
        str(number): {"uid": number, "key": ["drawbridge"], "content": f"Bridge {number}.", "order": order}
        for number, order in enumerate(written)
    }
    book.write_text(json.dumps({"entries": entries}), "utf-8")

    async def steps(service: Local) -> None:
        reply = await service.call("trigger", role="main", message="Lower the drawbridge!")
        orders = {one["text"]: one["order"] for one in reply["activated"] if one["kind"] == "entry"}
        assert json.dumps([orders[f"Bridge {number}."] for number in range(4)]) == "[10.5, 7.0, true, 3]"

    work(workspace, steps)


def test_a_total_that_is_raised_is_the_floor_as_the_settings_have_it(workspace: Folder) -> None:
    workspace.settings(gate__explicit_floor=8)

    async def steps(service: Local) -> None:
        content = "The kiln in the yard is fired on Mondays."
        foreseen = await service.call("score", role="main", content=content, explicit=True)
        kept = await service.call("remember", role="main", content=content, explicit=True)
        assert json.dumps([foreseen["total"], kept["total"]]) == "[8, 8]"
        assert kept["computed_total"] < kept["total"]

    work(workspace, steps)
