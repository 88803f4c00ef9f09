"""What is acknowledged while files are written is written after it, and none of it twice."""

from __future__ import annotations

import asyncio

from memd.daemon import Local
from memd.model.change import Line
from memd.service.writing.lines import Appended
from tests.service.test_verbs import work
from tests.support import Folder

NAME = "archive/2001-01.jsonl"
LINES = [f'{{"line":{n}}}\n' for n in range(3)]


def test_a_line_that_comes_while_lines_are_written_is_written_after_them(workspace: Folder) -> None:
    async def steps(service: Local) -> None:
        held = service.workspace

        def said(text: str) -> asyncio.Future[None]:
            return held.commit(lambda _: [Line(NAME, text, "")], at_s=0.0)

        first: list[asyncio.Future[None]] = []

        def meanwhile(name: str, appended: Appended) -> None:
            if name == NAME and LINES[0] in appended.text and applier is not None:
                n = held.journal.reserve()
                applier.take(n, (Line(NAME, LINES[1], ""),))

        applier = held.applier
        assert applier is not None
        applier.on_lines.append(meanwhile)
        first.append(said(LINES[0]))
        await first[0]
        async with asyncio.timeout(20):
            while held.waiting_lines("archive"):
                await asyncio.sleep(0.005)
        await said(LINES[2])

    work(workspace, steps)
    assert (workspace.path / NAME).read_text("utf-8") == "".join(LINES)
