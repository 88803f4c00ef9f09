"""Limits count everything, make room first, refuse with figures, and let nothing grow past them."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from memd.daemon import Local
from memd.errors import LimitExceededError
from memd.formats.role_memory import HEADER
from memd.model.change import Line
from memd.model.settings import LimitSettings
from memd.service.care.check import check
from memd.storage.files import Tree
from memd.store.room import LEAST_LOG_BYTES, sizes_of
from memd.store.writing.erasing import erase_from_logs
from memd.store.writing.lines import NEAR_DAYS, append_lines, out_of_date, prune_scores, rotate_audit
from tests.service.test_verbs import Clock, work
from tests.support import Folder

MONTH = [f"2026-11-{day:02d}" for day in range(1, 31)]


@pytest.fixture
def empty(workspace: Folder) -> Folder:
    workspace.write("main")
    return workspace


@pytest.mark.parametrize(
    ("days", "kept", "gone"),
    [
        pytest.param(MONTH, 30, [], id="thirty days are kept"),
        pytest.param(["2026-10-31", *MONTH], 30, ["2026-10-31"], id="the thirty-first goes"),
        pytest.param(["2026-10-01", "2026-11-29", "2026-11-30"], 30, ["2026-10-01"], id="days count, not files"),
        pytest.param([*MONTH, "2099-01-01"], 30, [], id="a clock that jumped takes nothing"),
        pytest.param([*MONTH, "2099-01-01", "2099-01-02"], 3, MONTH, id="one that stays there is believed"),
        pytest.param([*MONTH, "2027-03-01"], 3, MONTH[:27], id="the first day after a pause is not believed yet"),
        pytest.param([*MONTH, "2027-03-01", "2027-03-02"], 3, MONTH, id="the second is"),
        pytest.param([*MONTH, "2026-12-07"], 10, MONTH[:27], id="a short jump takes a week at most"),
        pytest.param(["2026-10-01", "2026-10-20", "2026-11-10"], 15, ["2026-10-01"], id="rare use is counted too"),
        pytest.param(["2026-01-01"], 1, [], id="the only day stays"),
        pytest.param([], 30, [], id="none is none"),
    ],
)
def test_what_is_older_than_so_many_days_by_the_calendar_is_out_of_date(
    days: list[str], kept: int, gone: list[str]
) -> None:
    assert NEAR_DAYS == 7
    assert out_of_date(days, kept) == gone


def test_score_records_go_by_days_and_by_bytes_and_what_is_no_day_stays(tmp_path: Path) -> None:
    scores = tmp_path / ".memory/scores"
    scores.mkdir(parents=True)
    for day in ("2026-09-01", "2026-11-20", "2026-11-21", "2026-11-22"):
        (scores / f"{day}.jsonl").write_bytes(b"x" * 1000)
    (scores / "notes.jsonl").write_bytes(b"mine")
    prune_scores(Tree(str(tmp_path)), LimitSettings())
    assert sorted(one.stem for one in scores.iterdir()) == ["2026-11-20", "2026-11-21", "2026-11-22", "notes"]
    prune_scores(Tree(str(tmp_path)), LimitSettings(score_bytes=2100))
    assert sorted(one.stem for one in scores.iterdir()) == ["2026-11-21", "2026-11-22", "notes"]


def test_half_of_the_audit_is_in_its_file_and_half_in_the_one_before(tmp_path: Path) -> None:
    private, limits = tmp_path / ".memory", LimitSettings(audit_bytes=2000)
    private.mkdir()
    held: list[list[bytes]] = []
    for line in (b"short\n", b"1" * 999 + b"\n", b"2" * 999 + b"\n", b"last\n"):
        (private / "audit.jsonl").write_bytes(line)
        rotate_audit(Tree(str(tmp_path)), limits, 0.0)
        held.append([one.read_bytes()[:1] for one in sorted(private.iterdir())])
    assert held == [[b"s"], [b"1"], [b"2"], [b"2", b"l"]]
    assert sorted(one.name for one in private.iterdir()) == ["audit-19700101T000000Z-002.jsonl", "audit.jsonl"]


def test_what_is_counted_of_the_private_directory_is_everything_in_it(empty: Folder) -> None:
    private = empty.path / ".memory"
    (private / "state/deep").mkdir(parents=True)
    (private / "wal.jsonl").write_bytes(b"x" * 10)
    (private / "state/deep/any").write_bytes(b"x" * 20)
    (private / ".audit.jsonl.0.memd-tmp").write_bytes(b"x" * 40)
    assert sizes_of(Tree(str(empty.path)), ".memory") == [(".memory/state/deep/any", 20), (".memory/wal.jsonl", 10)]


def test_refusals_do_not_grow_a_private_directory_that_is_full(empty: Folder) -> None:
    empty.settings(limits__memory_dir_bytes=60_000)
    private = empty.path / ".memory"
    private.mkdir()
    (private / "dropped.bin").write_bytes(b"x" * 59_500)

    async def steps(service: Local) -> None:
        for _ in range(3):
            assert (await service.call("remember", role="main", content="ok thanks"))["verdict"] == "refused"
            assert (await service.call("remember", role="main", content="好的，谢谢"))["verdict"] == "refused"
        with pytest.raises(LimitExceededError, match=r"dropped\.bin"):
            await service.call("remember", role="main", content="Nora fires with gas since March.", explicit=True)
        used = (await service.call("status"))["limits"]["memory_dir_bytes"]
        assert used["unwritten"] >= 6
        assert used["used"] < 62_000
        assert (await service.call("status"))["limits"]["scorings_per_day"]["used"] == 6, "what is not written counts"

    work(empty, steps)
    written = [*private.glob("scores/*"), *private.glob("audit*")]
    assert sum(one.stat().st_size for one in written) < 4000


def test_a_refusal_makes_room_before_it_is_left_out(empty: Folder) -> None:
    empty.settings(limits__memory_dir_bytes=60_000)
    private = empty.path / ".memory"
    private.mkdir()
    (private / "audit-20260101T000000Z-001.jsonl").write_bytes(b"x" * 60_000)

    async def steps(service: Local) -> None:
        planned = await service.call("upkeep.plan")
        assert planned["remove"] == [".memory/audit-20260101T000000Z-001.jsonl"]
        assert (private / "audit-20260101T000000Z-001.jsonl").exists(), "a plan removes nothing"
        await service.call("remember", role="main", content="ok thanks")
        assert (await service.call("upkeep.plan"))["remove"] == []
        assert "unwritten" not in (await service.call("status"))["limits"]["memory_dir_bytes"]

    work(empty, steps)
    assert not (private / "audit-20260101T000000Z-001.jsonl").exists()
    assert '"what":"refused"' in (private / "audit.jsonl").read_text()


async def until_refused(service: Local, event: dict[str, Any]) -> None:
    for _ in range(20):
        await service.call("session.append", session="s", events=[event])


def test_a_log_that_cannot_empty_itself_takes_no_more(empty: Folder) -> None:
    empty.settings(limits__memory_dir_bytes=1000)
    (empty.path / "sessions").symlink_to(empty.path / "roles")
    note = {"kind": "note", "content": "x" * 300_000}

    async def steps(service: Local) -> None:
        await service.call("session.open", session="s", role="main")
        await service.call("session.append", session="s", events=[note])
        async with asyncio.timeout(20):
            while not service.store.writer.trouble:
                await asyncio.sleep(0.01)
        with pytest.raises(LimitExceededError, match=r"wal\.jsonl waits for other files.*sessions/") as refused:
            await until_refused(service, note)
        assert refused.value.code == "limit.memory_dir_bytes"

    work(empty, steps)
    assert (empty.path / ".memory/wal.jsonl").stat().st_size < LEAST_LOG_BYTES + 700_000


def test_sessions_in_all_have_a_limit_that_is_told(empty: Folder) -> None:
    empty.settings(limits__sessions_bytes=5000)
    old = empty.path / "sessions/2026-01"
    old.mkdir(parents=True)
    (old / "old.jsonl").write_bytes(b"{}\n" * 1500)
    note = {"kind": "note", "content": "x" * 400}

    async def steps(service: Local) -> None:
        await service.call("session.open", session="s", role="main")
        assert (await service.call("status"))["limits"]["sessions_bytes"]["warning"]
        with pytest.raises(LimitExceededError, match=r"old\.jsonl") as refused:
            await until_refused(service, note)
        assert refused.value.code == "limit.sessions_bytes"

    work(empty, steps)
    assert {"limit.sessions_bytes", "limit.near"} & {one.code for one in check(Tree(str(empty.path))).faults}


def test_proposals_are_counted_over_a_restart_and_imports_are_not(empty: Folder) -> None:
    clock = Clock()

    async def first(service: Local) -> None:
        await service.call("propose", role="main", messages=[{"speaker": "user", "content": "I live in Porto."}])
        records: list[dict[str, Any]] = [{"kind": "semantic", "record": {"content": "The kiln holds forty mugs."}}]
        await service.call("import", role="main", import_id="i1", source="test", memories=records)
        await service.call("upkeep.run")

    async def used(service: Local) -> Any:
        return (await service.call("status"))["limits"]["scorings_per_day"]["used"]

    work(empty, first, clock)
    assert work(empty, used, clock) == 1


def declared(*days: str) -> list[str]:
    return [f"- {day} 10:00 窑炉 {n} #其他 #id:m{n} #评分:8 #有效期:长期\n" for n, day in enumerate(days)]


def test_lines_about_earlier_years_go_to_the_archive_whole(tmp_path: Path) -> None:
    private = tmp_path / ".memory"
    private.mkdir()
    old = declared("2024/12/31", "2025/06/01", "2025/12/31", "2026/01/01")
    mine = "a person's own line\n"
    (private / "declarative.md").write_text(HEADER + "".join(old[:2]) + mine + "".join(old[2:]), "utf-8")
    (tmp_path / "archive").mkdir()
    before = tmp_path / "archive/declarative-2025.md"
    before.write_text(HEADER + old[1], "utf-8")  # a kill came in between
    tree = Tree(str(tmp_path))
    new = "- 2026/11/22 10:00 mugs #其他 #id:n1 #评分:8 #有效期:长期\n"
    for unsure in (False, True):
        append_lines(tree, ".memory/declarative.md", [Line(".memory/declarative.md", new, HEADER)], maybe_there=unsure)
        assert (private / "declarative.md").read_text("utf-8") == HEADER + mine + old[3] + new
        assert before.read_text("utf-8") == HEADER + old[1] + old[2]
        assert (tmp_path / "archive/declarative-2024.md").read_text("utf-8") == HEADER + old[0]
    late = [Line(".memory/declarative.md", old[2], HEADER)]
    append_lines(tree, ".memory/declarative.md", late, maybe_there=True)
    assert (private / "declarative.md").read_text("utf-8") == HEADER + mine + old[3] + new, "it stands in its year"
    assert not [one for one in check(tree).faults if one.name.startswith("archive")]
    erase_from_logs(tree, "main", "m2")
    assert before.read_text("utf-8") == HEADER + old[1]
