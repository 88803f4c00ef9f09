"""A history of every writing verb from several clients under kill -9: what was acknowledged is served, and the files alone say so."""

from __future__ import annotations

import collections
import os
import signal
from pathlib import Path

import pytest

from memd.doors.rpc import METHODS
from tests.crash.history import views
from tests.crash.history.owner import covered
from tests.crash.history.rounds import History
from tests.crash.history.seam import CHANGING, Seam
from tests.crash.history.things import Op, Thing, judge
from tests.support import Folder

WRITING = {name for name, method in METHODS.items() if method.writes}
KILLS = 400


def went_through(seed: int, rounds: int, base: Path) -> History:
    history = History(seed, base, say=lambda _: None)
    history.run(rounds)
    again = f"again: python -m tests.crash.history --seed {seed} --rounds {rounds}"
    assert not history.wrong, "\n".join([again, *history.wrong])
    return history


def test_the_history_asks_every_method_that_writes() -> None:
    assert covered() == WRITING


@pytest.mark.slice
@pytest.mark.timeout(900)
@pytest.mark.parametrize("seed", [11, 13])
def test_kills_take_back_nothing_that_was_acknowledged_and_leave_no_half(seed: int, short_dir: Path) -> None:
    history = went_through(seed, 5, short_dir)
    assert history.counts["kills"], (
        "whether one of them comes during a recovery is chance; in the long run half of them do"
    )
    assert history.counts["acknowledged"] > 40


@pytest.mark.torture
@pytest.mark.timeout(7200)
def test_four_hundred_kills_half_of_them_during_recovery_take_back_nothing(short_dir: Path) -> None:
    total: collections.Counter[str] = collections.Counter()
    seed = 100
    while total["kills"] < KILLS or total["kills during recovery"] < KILLS // 2:
        base = short_dir / str(seed)
        base.mkdir(mode=0o700)
        total += went_through(seed, 20, base).counts
        print(f"seed {seed}: {total['kills']} kills, {total['acknowledged']} acknowledged", flush=True)
        seed += 1
    print(dict(sorted(total.items())))
    asked = {name.removeprefix("of ") for name in total if name.startswith("of ")}
    assert asked == WRITING, "each was acknowledged at some time"


def test_a_process_is_killed_at_the_step_that_is_named(tmp_path: Path) -> None:
    pid = os.fork()
    if pid == 0:
        seam = Seam(kill_at=2)
        handle = seam.open(str(tmp_path / "one"), os.O_WRONLY | os.O_CREAT)
        seam.write(handle, b"whole\n")
        seam.write(handle, b"half of this\n")
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == -signal.SIGKILL
    assert (tmp_path / "one").read_bytes() == b"whole\nhalf o"
    assert all(vars(Seam)[name] is not vars(Seam.__base__)[name] for name in CHANGING)


def asked(*after: tuple[Thing, object]) -> Op:
    op = Op("any", {}, list(after))
    op.asked("now")
    return op


def test_a_reply_fixes_the_state_and_no_reply_leaves_two() -> None:
    thing = Thing("any", "one", acknowledged="a")
    asked((thing, "b")).acknowledge({})
    assert judge([thing], lambda _: "a"), "what was acknowledged is lost"
    for seen in ("b", "c"):
        thing = Thing("any", "one", acknowledged="a")
        asked((thing, "b")).acknowledge({})
        asked((thing, "c"))
        assert not judge([thing], {thing: seen}.__getitem__)
        assert thing.acknowledged == seen, "and it is so from now on"
    thing = Thing("any", "one", acknowledged="a")
    asked((thing, "b")).refuse("full")
    assert judge([thing], lambda _: "b") == [], "a thing that was refused what it was asked says no more"
    assert thing.broken


def test_half_of_a_request_is_told() -> None:
    one, other = Thing("any", "one", acknowledged=1), Thing("any", "other", acknowledged=1)
    asked((one, 2), (other, 2))
    seen = {one: 2, other: 1}
    (wrong,) = judge([one, other], seen.__getitem__)
    assert wrong.startswith("half of any() has happened")


def test_two_views_that_differ_are_told_with_the_place() -> None:
    one = {"roles": {"main": {"memories": 2}}, "same": 1}
    other = {"roles": {"main": {"memories": 3}, "nora": {}}, "same": 1}
    assert views.differences(one, other) == ["/roles/main/memories: 2 and 3", "/roles/nora is only in the second: {}"]
    assert views.differences(one, dict(one)) == []


def test_a_fresh_reader_has_nothing_but_the_files(tmp_path: Path) -> None:
    folder = Folder.make(tmp_path / "m", demo=False)
    folder.write("main", "The first memory.")
    (folder.path / ".memory").mkdir(exist_ok=True)
    (folder.path / ".memory/wal.jsonl").write_text("", "utf-8")
    view = views.read_afresh(folder.path, tmp_path / "copy", with_log=False, snapshots=[])
    assert [one["content"] for one in view["memories"]["main"].values()] == ["The first memory."]
    assert not (tmp_path / "copy/.memory/wal.jsonl").exists()
    assert (folder.path / ".memory/wal.jsonl").exists()
