"""What nobody heard waits in a spool and is taken in by the next daemon: real hooks, a real daemon, kills at any step."""

from __future__ import annotations

import errno
import json
import os
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from memd.config import place_of
from memd.formats.spooled import Spooled, dump_spooled, load_spooled
from memd.formats.times import to_seconds
from memd.storage import leaving
from memd.storage.gathering import Spooling
from memd.storage.system import System
from memd.store.capture import Unheard
from tests import forking
from tests.support import Daemon, Folder, memd, until

SESSION = "aa11bb22"
NAME = f"claude-{SESSION}"


class Window:
    """One window of an agent: its hooks, run as it would run them, whether or not a daemon is there."""

    def __init__(self, folder: Folder, socket: Path, session: str = SESSION, name: str = "claude") -> None:
        self.folder, self.socket, self.session, self.name = folder, socket, session, name

    def hook(self, event: str, *, cwd: str = "/tmp", words: tuple[str, ...] | None = None, **payload: Any) -> str:
        """Return what the agent's model is told; the status is 0 and nothing is said on standard error."""
        said = {"hook_event_name": event, "session_id": self.session, "cwd": cwd, **payload}
        where = ("--workspace", str(self.folder.path), "--socket", str(self.socket)) if words is None else words
        ran = forking.run("hook", self.name, *where, given=json.dumps(said).encode(), timeout_s=30)
        assert (ran.returncode, ran.stderr) == (0, b""), ran.stderr
        told = json.loads(ran.stdout).get("hookSpecificOutput", {}) if ran.stdout else {}
        return str(told.get("additionalContext", ""))

    def turn(self, prompt: str, answer: str = "Noted.", key: str = "") -> str:
        keys: dict[str, Any] = {"prompt_id": key} if key else {}
        told = self.hook("UserPromptSubmit", prompt=prompt, **keys)
        self.hook("Stop", last_assistant_message=answer, **keys)
        return told


@pytest.fixture
def away(workspace: Folder, short_dir: Path) -> Daemon:
    """A daemon that does not run yet."""
    workspace.write("main", "The deploy key of the shop lives in the blue safe.")
    return Daemon(workspace, short_dir / "s")


@pytest.fixture
def window(away: Daemon) -> Window:
    return Window(away.folder, away.socket)


def spool(folder: Folder) -> Path:
    return Path(place_of(str(folder.path)).state, "spool")


def waiting(folder: Folder) -> list[Path]:
    return sorted(spool(folder).glob("0*.json")) if spool(folder).exists() else []


def said(daemon: Daemon, name: str = NAME) -> list[tuple[str, str]]:
    if name not in {one["session"] for one in daemon.call("session.search")["sessions"]}:
        return []
    events = daemon.call("session.history", session=name, lineage=False)["messages"]
    return [(one["speaker"], one["content"]) for one in events]


def kept(daemon: Daemon) -> list[str]:
    known = daemon.call("memory.list", role="main")["memories"]
    return [one["content"] for one in known if not one["id"].startswith("id-")]


def taken(daemon: Daemon) -> None:
    until(lambda: not waiting(daemon.folder), 20, "everything was taken in")


def test_what_was_said_without_a_daemon_is_in_its_session_afterwards_in_order_and_of_its_time(
    away: Daemon, window: Window
) -> None:
    for number, (asked, answer) in enumerate([("Is the shop open?", "Yes."), ("花店几点关门？", "六点。")]):
        assert window.turn(asked, answer, f"p{number}") == ""
    assert len(waiting(away.folder)) == 4
    told = memd("status", "-w", str(away.folder.path)).stdout
    assert "4 events of conversations to be taken in" in told
    os.utime(waiting(away.folder)[0], (5, 5))  # times of files mean nothing
    away.start()
    try:
        taken(away)
        assert said(away) == [
            ("user", "Is the shop open?"), ("assistant", "Yes."), ("user", "花店几点关门？"), ("assistant", "六点。"),
        ]  # fmt: skip
        assert window.turn("And tomorrow?", "No.", "p2") == ""
        until(lambda: len(said(away)) == 6, 10, "what is heard comes behind it")
        assert said(away)[4:] == [("user", "And tomorrow?"), ("assistant", "No.")]
    finally:
        away.stop()


def test_the_spool_is_this_users_alone_and_outside_of_the_workspace(away: Daemon, window: Window) -> None:
    os.umask(before := os.umask(0))
    try:
        window.turn("Where is the ladder?")
    finally:
        os.umask(before)
    folder = spool(away.folder)
    assert not str(folder.resolve()).startswith(str(away.folder.path.resolve()))
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert {stat.S_IMODE(one.stat().st_mode) for one in folder.iterdir()} == {0o600}


def test_what_a_person_asked_for_is_done_when_it_is_taken_in_and_told_to_the_next(away: Daemon, window: Window) -> None:
    window.turn("Remember that I am left-handed.", key="p1")
    window.turn("请记住：我对花生过敏。", key="p2")
    away.start()
    try:
        taken(away)
        assert sorted(kept(away)) == ["I am left-handed", "我对花生过敏"]
        told = Window(away.folder, away.socket, "another").hook("SessionStart", source="startup")
        assert "while memd's daemon did not run" in told
        assert "I am left-handed" in told
        assert "我对花生过敏" in told
        later = Window(away.folder, away.socket, "third")
        assert "left-handed" not in later.hook("SessionStart", source="startup")
        assert "did not run" not in later.hook("UserPromptSubmit", prompt="Is the shop open?", prompt_id="x")
    finally:
        away.stop()


@pytest.mark.parametrize("restarts", [False, True])
def test_of_what_is_erased_before_anybody_was_told_nothing_is_told(
    away: Daemon, window: Window, restarts: bool
) -> None:
    window.turn("Remember that my boat is called Mira.", key="p1")
    window.turn("请记住：我对花生过敏。", key="p2")
    away.start()
    try:
        taken(away)
        if restarts:
            away.kill()
            away.start()
        (boat,) = [one["id"] for one in away.call("memory.list", role="main")["memories"] if "Mira" in one["content"]]
        away.call("memory.forget", role="main", id=boat, erase=True)
        assert not [one for one in spool(away.folder).rglob("*") if one.is_file() and b"Mira" in one.read_bytes()]
        told = Window(away.folder, away.socket, "another").hook("SessionStart", source="startup")
        assert "Mira" not in told
        assert "我对花生过敏" in told
    finally:
        away.stop()


@pytest.mark.parametrize("asleep", [False, True])
def test_what_is_erased_does_not_come_back_from_the_spool(away: Daemon, window: Window, asleep: bool) -> None:
    away.start()
    window.turn("Remember that my boat is called Mira.", key="p1")
    window.turn("记住我对花生过敏。", key="p2")
    until(lambda: len(said(away)) == 4, 10, "both are kept")
    away.stop()
    window.turn("Remember that my boat is called Mira.", "I noted: your boat is called Mira. Anything else?", key="p3")
    window.turn("Remember the following:\n- my boat is called Mira\n- I live in Lyon", key="p4")
    window.turn("我对花生过敏，请记住。今天天气怎么样？", "晴。", key="p5")
    place = ("-w", str(away.folder.path))
    memd("pause", "--for", "2h", *place)
    if not asleep:
        away.start()
    known = json.loads(memd("list", "main", "--json", *place, env={"MEMD_SOCKET": str(away.socket)}).stdout)["memories"]
    gone = [one["id"] for one in known if "Mira" in one["content"] or "花生" in one["content"]]
    assert len(gone) == 2
    for one in gone:
        memd("forget", "main", one, "--erase", "--yes", *place, env={"MEMD_SOCKET": str(away.socket)})
    assert len(waiting(away.folder)) == 6
    held = b"".join(one.read_bytes() for one in spool(away.folder).rglob("*") if one.is_file())
    assert b"Mira" not in held
    assert "花生" not in held.decode()
    if not asleep:
        away.stop()
    memd("pause", "--off", *place)
    away.start()
    try:
        taken(away)
        assert kept(away) == ["I live in Lyon"]
        assert [text for _, text in said(away)[4:]] == [
            "[erased]", "[erased] Anything else?", "Remember the following:\n- I live in Lyon", "Noted.",
            "[erased] 今天天气怎么样？", "晴。",
        ]  # fmt: skip
        everything = b"".join(one.read_bytes() for one in away.folder.path.rglob("*") if one.is_file())
        assert b"is called Mira" not in everything
    finally:
        away.stop()


def test_what_is_erased_is_not_left_in_what_was_set_aside(away: Daemon, window: Window) -> None:
    window.turn("Remember that my boat is called Mira.", key="p1")
    one = load_spooled(waiting(away.folder)[0].read_bytes())
    folder = spool(away.folder)
    texts = {
        100: dump_spooled(one._replace(mark="another")),
        101: dump_spooled(one).replace(b"0", b"1", 1),
        102: dump_spooled(one._replace(mark="another", event={**one.event, "message": "Is the shop open?"})),
        103: b"",
    }
    for number, text in texts.items():
        (folder / f"{number:012d}.json").write_bytes(text)
        (folder / f"{number:012d}.json").chmod(0o600)
    (folder / ".beef.part").write_bytes(dump_spooled(one))
    outside = folder.parent / "outside"
    outside.write_bytes(dump_spooled(one))
    away.start()
    try:
        taken(away)
        aside = folder / leaving.ASIDE
        assert len(list(aside.iterdir())) == 4
        (aside / "open").write_bytes(dump_spooled(one))
        (aside / "open").chmod(0o666)
        (aside / "link").symlink_to(outside)
        (boat,) = [one["id"] for one in away.call("memory.list", role="main")["memories"] if "Mira" in one["content"]]
        assert "spool" not in away.call("memory.forget", role="main", id=boat, erase=True)["remains"]
        left = {one.name.partition("-")[2] or one.name: one for one in aside.iterdir()}
        assert left.keys() == {"000000000100.json", "000000000102.json", "000000000103.json", "open", "link"}
        assert "Mira" in outside.read_text("utf-8"), "a link leads to what is none of ours"
        assert not [
            one for one in folder.rglob("*") if one.is_file() and not one.is_symlink() and b"Mira" in one.read_bytes()
        ]
        assert left["000000000102.json"].read_bytes() == texts[102]
    finally:
        away.stop()


def test_where_the_spool_cannot_be_looked_through_who_erases_is_told(away: Daemon, window: Window) -> None:
    window.turn("Remember that my boat is called Mira.", key="p1")
    away.start()
    try:
        taken(away)
        (boat,) = [one["id"] for one in away.call("memory.list", role="main")["memories"] if "Mira" in one["content"]]
        spool(away.folder).chmod(0o770)
        told = away.call("memory.forget", role="main", id=boat, erase=True)
        assert told["erased"]
        assert "was not looked through" in told["remains"]
        assert "others may use it" in told["remains"]
    finally:
        spool(away.folder).chmod(0o700)
        away.stop()


def test_what_a_hook_has_just_begun_is_left_alone(workspace: Folder) -> None:
    place = place_of(str(workspace.path))
    spooling = Spooling(place.state, str(workspace.path))
    spooling.make()
    begun = spool(workspace) / f".begun{leaving.UNFINISHED}"
    for age_s, stays in (
        (0.0, True),
        (-0.5, True),
        (599.0, True),
        (601.0, False),
        (-601.0, False),
    ):  # told beside its own time
        begun.write_bytes(b"x")
        spooling.tidy(begun.stat().st_mtime + age_s)
        assert begun.exists() is stays, age_s


def test_what_is_left_within_one_tick_of_the_last_look_is_news(workspace: Folder) -> None:
    place = place_of(str(workspace.path))
    unheard = Unheard(Spooling(place.state, str(workspace.path)))
    assert not unheard.has_news()
    unheard.spooling.make()
    assert unheard.has_news(), "what waits to be told is not known yet"
    unheard.load()
    before = spool(workspace).stat()
    for _ in range(2):
        assert not unheard.has_news()
        leaving.leave(place.state, str(workspace.path), b"x")
        os.utime(spool(workspace), ns=(before.st_atime_ns, before.st_mtime_ns))  # the clock has not moved on
        assert unheard.has_news()
        (name,) = unheard.spooling.names()
        unheard.spooling.done(name)
        os.utime(spool(workspace), ns=(before.st_atime_ns, before.st_mtime_ns))
    leaving.leave(place.state, str(workspace.path), b"x")
    unheard.skipped.update(unheard.spooling.names())
    assert not unheard.has_news()
    with pytest.raises(leaving.SpoolFullError):
        leaving.leave(place.state, str(workspace.path), b"x", events=1)
    assert unheard.has_news(), "something found no room, which is to be told"


def test_what_came_of_it_is_told_though_the_daemon_that_did_it_was_killed(away: Daemon, window: Window) -> None:
    window.turn("Remember that my boat is called Mira.", key="p1")
    away.start()
    taken(away)
    away.kill()
    away.start()
    try:
        assert kept(away) == ["my boat is called Mira"]
        assert "Mira" in window.hook("UserPromptSubmit", prompt="Is the shop open?", prompt_id="p9")
        until(lambda: not (spool(away.folder) / leaving.TOLD).exists(), 5, "it waits no longer")
    finally:
        away.stop()


def test_many_windows_at_once_lose_nothing_and_double_nothing(away: Daemon) -> None:
    windows = [Window(away.folder, away.socket, f"s{number}") for number in range(8)]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda one: one.hook("UserPromptSubmit", prompt=f"It is {one.session}.", prompt_id="p"), windows))
        twice = [*windows[:4], *windows[:4]]  # the hooks of both scopes
        list(pool.map(lambda one: one.hook("UserPromptSubmit", prompt="And again.", prompt_id="q"), twice))
        list(pool.map(lambda one: one.hook("UserPromptSubmit", prompt="和上次一样"), twice))
    assert len(waiting(away.folder)) == 8 + 8 + 8
    away.start()
    try:
        taken(away)
        for one in windows:
            more = [("user", "And again."), ("user", "和上次一样")] if one in twice else []
            assert said(away, f"claude-{one.session}") == [("user", f"It is {one.session}."), *more]
    finally:
        away.stop()


def test_what_is_left_while_the_daemon_runs_is_taken_in_before_what_it_hears_next(away: Daemon, window: Window) -> None:
    away.start()
    try:
        deaf = Window(away.folder, away.socket.with_name("nobody"))
        deaf.hook("UserPromptSubmit", prompt="This was not heard.", prompt_id="p1")
        assert len(waiting(away.folder)) == 1
        window.hook("UserPromptSubmit", prompt="This was.", prompt_id="p2")
        until(lambda: len(said(away)) == 2, 10, "both are kept")
        assert said(away) == [("user", "This was not heard."), ("user", "This was.")]
        assert waiting(away.folder) == []
        deaf.hook("UserPromptSubmit", prompt="Nor was this.", prompt_id="p3")
        taken(away)  # though nothing more is heard
        assert said(away)[2:] == [("user", "Nor was this.")]
    finally:
        away.stop()


def test_its_yesterday_is_the_day_before_it_was_said(away: Daemon, window: Window) -> None:
    window.turn("Remember that I sold the boat yesterday.", key="p1")
    (prompt, *_) = waiting(away.folder)
    one = load_spooled(prompt.read_bytes())
    prompt.write_bytes(dump_spooled(one._replace(at_s=to_seconds("2026-03-05T12:00:00Z") or 0)))
    away.start()
    try:
        taken(away)
        (memory,) = [one for one in away.call("memory.list", role="main")["memories"] if "boat" in one["content"]]
        record = away.call("memory.get", role="main", id=memory["id"])
        assert str(record["eventStart" if "eventStart" in record else "event"]).find("2026-03-04") >= 0, record
        events = away.call("session.history", session=NAME, lineage=False)["messages"]
        assert events[0]["at"].startswith("2026-03-05T12:00")
    finally:
        away.stop()


def test_a_clock_that_ran_ahead_tells_no_time_to_come(away: Daemon, window: Window) -> None:
    window.turn("Is the shop open?", key="p1")
    for path in waiting(away.folder):
        one = load_spooled(path.read_bytes())
        path.write_bytes(dump_spooled(one._replace(at_s=9_999_999_999.0)))
    away.start()
    try:
        taken(away)
        events = away.call("session.history", session=NAME, lineage=False)["messages"]
        assert [one["at"][:2] for one in events] == ["20", "20"]
        assert window.turn("And tomorrow?", key="p2") == ""
        until(lambda: len(said(away)) == 4, 10, "what is heard comes behind it")
    finally:
        away.stop()


def test_forgetting_and_off_the_record_hold_for_what_was_not_heard(away: Daemon, window: Window) -> None:
    window.turn("Remember that my boat is called Mira.", key="p1")
    window.turn("Forget that.", key="p2")
    window.turn("Off the record: I am looking for another job.", "I understand, another job.", key="p3")
    away.start()
    try:
        taken(away)
        assert kept(away) == []
        assert not [text for _, text in said(away) if "job" in text]
        told = Window(away.folder, away.socket, "another").hook("SessionStart", source="startup")
        assert "memd forgot, as the person asked" in told
        assert not [one for one in away.folder.path.rglob("*") if one.is_file() and b"another job" in one.read_bytes()]
        assert not [
            one for one in spool(away.folder).rglob("*") if one.is_file() and b"another job" in one.read_bytes()
        ]
    finally:
        away.stop()


def test_of_a_full_spool_the_oldest_stay_and_who_speaks_is_told(away: Daemon, window: Window) -> None:
    for number in range(3):
        window.hook("UserPromptSubmit", prompt=f"Prompt {number}.", prompt_id=str(number))
    state = spool(away.folder).parent
    one = load_spooled(waiting(away.folder)[0].read_bytes())
    for number in range(leaving.SPOOL_EVENTS - 3):
        name = spool(away.folder) / f"{number + 4:012d}.json"
        name.write_bytes(dump_spooled(one._replace(id=f"{number:016x}", event={**one.event, "event": "end"})))
        name.chmod(0o600)
    with pytest.raises(leaving.SpoolFullError):
        leaving.leave(str(state), str(away.folder.path), b"x")
    told = window.hook("UserPromptSubmit", prompt="One too many.", prompt_id="n")
    assert "NOT kept" in told
    assert "up --detach" in told
    assert len(waiting(away.folder)) == leaving.SPOOL_EVENTS
    away.start()
    try:
        until(lambda: not waiting(away.folder), 60, "everything was taken in")
        assert said(away) == [("user", f"Prompt {number}.") for number in range(3)]
        assert "2 events of conversations found no room" in window.hook("SessionStart", source="startup")
        assert "no room" not in window.hook("SessionStart", source="resume")
    finally:
        away.stop()


def test_the_bytes_of_a_spool_are_bounded_too(workspace: Folder) -> None:
    state = place_of(str(workspace.path)).state
    leaving.leave(state, str(workspace.path), b"x" * 60, most_bytes=100)
    with pytest.raises(leaving.SpoolFullError):
        leaving.leave(state, str(workspace.path), b"x" * 41, most_bytes=100)
    leaving.leave(state, str(workspace.path), b"x" * 40, most_bytes=100)


def test_what_was_left_for_one_workspace_goes_to_no_other(away: Daemon, window: Window, short_dir: Path) -> None:
    window.turn("Remember that I am left-handed.", key="p1")
    other = Folder.make(away.folder.path.parent / "other")
    theirs = Daemon(other, short_dir / "t")
    there = spool(other)
    there.mkdir(parents=True, mode=0o700)
    for path in waiting(away.folder):  # as if the two had one place
        (there / path.name).write_bytes(path.read_bytes())
        (there / path.name).chmod(0o600)
    theirs.start()
    try:
        taken(theirs)
        assert said(theirs) == []
        assert "left-handed" not in str(theirs.call("memory.list", role="main"))
        assert len(list((there / leaving.ASIDE).iterdir())) == 2
    finally:
        theirs.stop()


def test_a_clone_that_took_the_place_of_a_workspace_gets_nothing_of_its_spool(away: Daemon, window: Window) -> None:
    window.turn("Remember that I am left-handed.", key="p1")
    away.folder.path.rename(away.folder.path.with_name("old"))
    clone = Folder.make(away.folder.path)
    taker = Daemon(clone, away.socket)
    taker.start()
    try:
        taken(taker)
        assert "left-handed" not in str(taker.call("memory.list", role="main"))
        assert said(taker) == []
    finally:
        taker.stop()


def hostile(folder: Path, one: Spooled) -> int:
    """Put into a spool what no hook left, and return how many of it."""
    good = dump_spooled(one)
    texts = {
        "torn": good[: len(good) // 2],
        "changed": good.replace(b"open", b"shut"),
        "empty": b"",
        "none of ours": b'{"event": "prompt"}\n',
        "later form": good.replace(b"unheard 1", b"unheard 2"),
        "a tool": dump_spooled(one._replace(event={**one.event, "event": "tool"})),
        "agent": dump_spooled(one._replace(event={**one.event, "agent": "../../x"})),
        "unknown": dump_spooled(one._replace(event={**one.event, "until_ms": "5"})),
        "long": dump_spooled(one._replace(event={**one.event, "session": "x" * 300})),
        "nul": dump_spooled(one._replace(event={**one.event, "message": "a\0b"})),
        "time": dump_spooled(one._replace(at_s=-5.0)),
        "huge": b"x" * 2_000_001,
        "deep": dump_spooled(one)[:24] + b"[" * 100_000,
    }
    for number, text in enumerate(texts.values(), 100):
        (folder / f"{number:012d}.json").write_bytes(text)
        (folder / f"{number:012d}.json").chmod(0o600)
    outside = folder.parent / "outside.json"
    outside.write_bytes(good)
    (folder / f"{200:012d}.json").symlink_to(outside)
    os.mkfifo(folder / f"{201:012d}.json", 0o600)
    (folder / f"{202:012d}.json").mkdir()
    (folder / f"{203:012d}.json").write_bytes(good)
    (folder / f"{203:012d}.json").chmod(0o644)
    return len(texts) + 4


def test_hostile_and_damaged_files_are_set_aside_and_told(away: Daemon, window: Window) -> None:
    window.hook("UserPromptSubmit", prompt="Is the shop open?", prompt_id="p1")
    (first,) = waiting(away.folder)
    count = hostile(spool(away.folder), load_spooled(first.read_bytes()))
    (spool(away.folder) / ".1234.part").write_bytes(b"half")
    (spool(away.folder) / leaving.TOLD).write_bytes(b"[[[")
    (spool(away.folder) / "999.txt").write_bytes(b"somebody's")
    window.hook("Stop", last_assistant_message="Yes.", prompt_id="p1")
    away.start()
    try:
        taken(away)
        assert said(away) == [("user", "Is the shop open?"), ("assistant", "Yes.")]
        assert len(list((spool(away.folder) / leaving.ASIDE).iterdir())) == count
        assert away.call("status")["unheard"]["aside"] == count
        assert f"{count} files set aside" in memd("status", "-w", str(away.folder.path)).stdout
        rows = {
            row["name"]: row
            for row in json.loads(memd("doctor", "-w", str(away.folder.path), "--json", check=False).stdout)["checks"]
        }
        assert rows["unheard"]["state"] == "warn"
        assert str(count) in rows["unheard"]["seen"]
    finally:
        away.stop()


@pytest.mark.parametrize("how", ["paused", "off"])
def test_nothing_is_left_where_nothing_is_to_be_kept(away: Daemon, window: Window, how: str) -> None:
    if how == "paused":
        memd("pause", "--for", "2h", "-w", str(away.folder.path))
    else:
        away.folder.settings(capture__level="off")
    window.turn("Remember that I am left-handed.", key="p1")
    assert waiting(away.folder) == []


def test_what_was_said_before_a_pause_is_taken_in_after_it(away: Daemon, window: Window) -> None:
    window.turn("Remember that I am left-handed.", key="p1")
    memd("pause", "--for", "2h", "-w", str(away.folder.path))
    away.start()
    try:
        assert len(waiting(away.folder)) == 2
        assert kept(away) == []
    finally:
        away.stop()
    memd("pause", "--off", "-w", str(away.folder.path))
    away.start()
    try:
        taken(away)
        assert kept(away) == ["I am left-handed"]
    finally:
        away.stop()


def test_a_memory_that_was_only_found_above_a_directory_gets_nothing_left_before_a_daemon_served_it(
    away: Daemon, window: Window
) -> None:
    below = away.folder.path / "roles"
    found = ("--socket", str(away.socket))
    window.hook("UserPromptSubmit", prompt="Remember that I am left-handed.", cwd=str(below), words=found)
    assert not spool(away.folder).exists()
    assert not spool(away.folder).parent.exists()


def test_a_spool_that_is_not_this_users_alone_is_not_used_and_told(
    away: Daemon, window: Window, tmp_path: Path
) -> None:
    window.turn("Is the shop open?", key="p1")
    folder = spool(away.folder)
    for wrong in ("open", "a link"):
        if wrong == "open":
            folder.chmod(0o770)
        else:
            folder.rename(tmp_path / "moved")
            (tmp_path / "moved").chmod(0o700)
            folder.symlink_to(tmp_path / "moved")
        given = {"hook_event_name": "UserPromptSubmit", "session_id": "s", "cwd": "/tmp", "prompt": "And now?"}
        ran = forking.run("hook", "claude", "--workspace", str(away.folder.path), given=json.dumps(given).encode())
        assert (ran.returncode, ran.stdout) == (0, b"")
        assert b"could not be left" in ran.stderr
        away.start()
        assert said(away) == []
        assert away.call("status")["unheard"]["fault"]
        away.stop()
    folder.unlink()
    (tmp_path / "moved").rename(folder)
    away.start()
    try:
        taken(away)
        assert said(away) == [("user", "Is the shop open?"), ("assistant", "Noted.")]
    finally:
        away.stop()


def test_a_workspace_that_holds_this_machines_state_gets_no_spool(away: Daemon, window: Window) -> None:
    inside = away.folder.path / "state"
    given = {"hook_event_name": "UserPromptSubmit", "session_id": "s", "cwd": "/tmp", "prompt": "And now?"}
    ran = forking.run(
        "hook", "claude", "--workspace", str(away.folder.path), given=json.dumps(given).encode(),
        env={**os.environ, "XDG_STATE_HOME": str(inside)},
    )  # fmt: skip
    assert ran.returncode == 0
    assert b"lies in the workspace" in ran.stderr
    assert not list(inside.rglob("*.json"))


def test_a_disk_that_takes_nothing_is_told_and_the_agent_goes_on(away: Daemon, window: Window) -> None:
    window.turn("Is the shop open?", key="p1")
    given = {"hook_event_name": "UserPromptSubmit", "session_id": "s", "cwd": "/tmp", "prompt": "And now?"}
    path = away.folder.path.parent / "given.json"
    path.write_text(json.dumps(given))
    with path.open("rb") as stdin, (path.parent / "err").open("wb") as stderr:
        process = forking.start(
            "hook", "claude", "--workspace", str(away.folder.path), stdin=stdin, stderr=stderr, before=(full_disk, {})
        )
        assert process.wait(30) == 0
    assert "could not be left" in (path.parent / "err").read_text()
    assert len(waiting(away.folder)) == 2
    assert not list(spool(away.folder).glob(".*"))


def full_disk() -> None:
    """Make every write of this process fail."""

    def fail(*_: Any) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    System.write = fail  # type: ignore[assignment,method-assign]


def test_who_serves_it_once_has_its_words_kept_though_nobody_named_it(away: Daemon, window: Window) -> None:
    away.start()
    until(lambda: spool(away.folder).exists(), 10, "the daemon made the place")
    away.stop()
    found = ("--socket", str(away.socket))
    window.hook("UserPromptSubmit", prompt="Is it open?", cwd=str(away.folder.path / "roles"), words=found)
    assert len(waiting(away.folder)) == 1
