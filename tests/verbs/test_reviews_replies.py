"""What a stranger's file says of texts that wait is told as far as it is sound, and fits what the verbs declare."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from memd.daemon import Local
from memd.formats.records import dump_record
from memd.verbs.declared import VERBS
from tests.service.test_verbs import work
from tests.support import Folder

FIELDS: dict[str, Any] = {
    "name": "n", "priority": 3, "constant": True, "validity": 7, "keys": ["a", 4], "tags": "b", "else": 1,
}  # fmt: skip
LINES: list[dict[str, Any]] = [
    {"what": "held", "id": 5, "content": "The kiln is hot."},
    {"what": "held", "id": "line-two", "content": "The kiln is red.", "kind": ["trait"], "fields": FIELDS, "at": "x"},
    {"what": "held", "id": "line-three", "content": "The kiln is blue.", "role": "main", "fields": [1]},
]


def test_lines_that_lack_almost_everything_are_listed_and_decided(tmp_path: Path) -> None:
    folder = Folder.make(tmp_path / "w", demo=False)
    review = folder.path / ".memory/review.jsonl"
    review.parent.mkdir(exist_ok=True)
    review.write_bytes(b"".join(dump_record(one) for one in LINES))
    replies: list[tuple[str, dict[str, Any]]] = []

    async def steps(service: Local) -> None:
        for name, params in (
            ("review.list", {"memories": True}),
            ("review.decide", {"id": "line-two", "verdict": "drop"}),
            ("review.decide", {"id": "line-three", "verdict": "approve"}),
        ):
            replies.append((name, await service.call(name, **params)))

    work(folder, steps)
    listed, dropped, approved = (reply for _, reply in replies)
    said = {"why": "nothing is found in it now"}
    assert listed["held"] == [
        {"content": "The kiln is hot.", **said, "chars": 18},
        {
            "id": "line-two",
            "content": "The kiln is red.",
            "fields": {"name": "n", "priority": 3, "constant": True, "keys": ["a"]},
            **said,
            "at": "x",
            "chars": 18,
        },
        {"id": "line-three", "role": "main", "content": "The kiln is blue.", **said, "chars": 19},
    ]
    assert dropped == {"id": "line-two", "verdict": "drop"}
    assert approved["remember"]["content"] == "The kiln is blue."
    for name, reply in replies:
        assert msgspec.to_builtins(msgspec.convert(reply, VERBS[name].reply)) == reply
