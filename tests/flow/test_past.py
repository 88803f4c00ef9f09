"""The past: what agents keep of conversations is taken in once, as it was said, in the background, held up by a pause, and taken back whole."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

import pytest

from memd.daemon import Local
from memd.service.capture.consolidating import Stopped, at_once
from memd.service.capture.past import take_next
from tests.flow.kept import DAY_S, Kept
from tests.service.test_verbs import work
from tests.support import Daemon, Folder, memd, stays, until

ENGLISH = [("user", "My sister Ana lives in Lisbon and works as a nurse."), ("assistant", "Noted."), ("user", "I am allergic to peanuts. What could I cook tonight?")]  # fmt: skip
CHINESE = [("user", "我住在杭州，在一家设计公司上班。"), ("assistant", "好的。"), ("user", "我对花生过敏。今晚做什么菜好？")]  # fmt: skip
INVENTED = ("Atlantis", "Lemuria", "Mu.", "Thule")  # what agents wrote around what was said


@pytest.fixture
def kept(workspace: Folder) -> Kept:
    workspace.write("main")
    return Kept(Path(os.environ["HOME"]), time.time() - 90 * DAY_S)


def past(folder: Folder, *words: str) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads(memd("import", "--past", "--json", *words, "-w", str(folder.path)).stdout)
    return loaded


def at_level(daemon: Daemon, level: str) -> None:
    memd("capture", level, "-w", str(daemon.folder.path))
    until(lambda: daemon.call("capture.level")["level"] == level, 20, "the level holds")


def taken_in(daemon: Daemon) -> None:
    """Wait until an order is carried out."""
    until(lambda: "past" not in daemon.call("status"), 60, "the past is taken in")
    until(lambda: daemon.call("status")["log"]["waiting"] == 0, 20, "all is in the files")


def told(daemon: Daemon) -> list[str]:
    return [one["content"] for one in daemon.call("memory.list", role="main")["memories"]]


def turns(daemon: Daemon, session: str) -> list[tuple[str, str]]:
    return [(one["speaker"], one["content"]) for one in daemon.call("session.history", session=session)["messages"]]


def files(folder: Folder) -> dict[str, bytes]:
    return {one.name: one.read_bytes() for one in (folder.path / "sessions").rglob("*.jsonl")}


@pytest.mark.parametrize("said", [ENGLISH, CHINESE], ids=["english", "chinese"])
def test_what_agents_keep_becomes_sessions_and_memories_dated_as_it_was_said(
    kept: Kept, daemon: Daemon, said: list[tuple[str, str]]
) -> None:
    begun_s = kept.at_s
    names = [f"{agent}-{getattr(kept, agent)(*said)}" for agent in ("claude", "codex", "gemini")]
    at_level(daemon, "auto")
    ordered = past(daemon.folder)
    assert [(one["agent"], one["conversations"]) for one in ordered["agents"]] == [("claude", 1), ("codex", 1), ("gemini", 1)]  # fmt: skip
    taken_in(daemon)
    for name in names:
        assert turns(daemon, name) == said
    found = daemon.call("memory.list", role="main")["memories"]
    assert any("peanuts" in one["content"] or "花生" in one["content"] for one in found)
    assert {one["time"][:10] for one in found} == {time.strftime("%Y-%m-%d", time.gmtime(begun_s))}
    shown = [daemon.call("memory.get", role="main", id=one["id"])["record"] for one in found]
    assert {one["session"] for one in shown} == {names[0]}
    everything = b"".join(files(daemon.folder).values()).decode() + " ".join(told(daemon))
    assert not [one for one in INVENTED if one in everything]


def test_again_takes_nothing_in_twice(kept: Kept, daemon: Daemon) -> None:
    kept.claude(*ENGLISH)
    kept.codex(*CHINESE)
    at_level(daemon, "auto")
    past(daemon.folder)
    taken_in(daemon)
    before, known = files(daemon.folder), told(daemon)
    again = past(daemon.folder)
    assert (again["agents"], again["left"], again["import_id"]) == ([], {"it is known already": 2}, "")
    kept.gemini(*ENGLISH)
    past(daemon.folder)
    taken_in(daemon)
    assert {name: data for name, data in files(daemon.folder).items() if name in before} == before
    assert told(daemon) == known


def test_what_hooks_wrote_or_left_out_is_left(kept: Kept, daemon: Daemon) -> None:
    kept.at_s = time.time() - 10 * DAY_S
    heard, older = kept.claude(*ENGLISH), kept.claude(*CHINESE)
    daemon.call("hook.event", agent="claude", event="prompt", session=heard, message=ENGLISH[0][1])
    until(lambda: files(daemon.folder), 20, "the hook's session is there")
    kept.at_s = time.time() + 60  # it begins after hooks listen, and they have nothing of it
    kept.claude(("user", "I live in Oslo."))
    under_way = kept.codex(("user", "I live in Oslo."))
    for file in Path(os.environ["HOME"], ".codex").rglob(f"*{under_way}.jsonl"):
        os.utime(file)
    before = files(daemon.folder)
    ordered = past(daemon.folder)
    assert ordered["left"] == {"it is known already": 1, "it began since hooks listen": 1, "it is under way": 1}
    taken_in(daemon)
    assert set(files(daemon.folder)) - set(before) == {f"claude-{older}.jsonl"}


def test_what_was_off_the_record_and_secrets_stay_out(kept: Kept, daemon: Daemon) -> None:
    key = "sk-ant-api03-" + "Ab3" * 31
    name = kept.claude(
        ("user", "My dog is called Rex."), ("assistant", "ok"),
        ("user", "Off the record: I work as a beekeeper in Tartu."), ("assistant", "I keep quiet about bees."),
        ("user", "这段别记：我在大理养蜂。"), ("assistant", "好。"),
        ("user", f"We are back on the record. The key is {key}."),
    )  # fmt: skip
    at_level(daemon, "auto")
    past(daemon.folder)
    taken_in(daemon)
    text = files(daemon.folder)[f"claude-{name}.jsonl"].decode()
    assert "Rex" in text
    assert not [one for one in ("beekeeper", "bees", "养蜂", key) if one in text + " ".join(told(daemon))]


def test_a_pause_holds_it_up_and_a_new_daemon_goes_on(kept: Kept, workspace: Folder, daemon: Daemon) -> None:
    names = [kept.claude(("user", f"My dog number {n} is called Rex{n}."), *ENGLISH) for n in range(30)]
    at_level(daemon, "auto")
    memd("pause", "-w", str(workspace.path))
    past(workspace)
    stays(lambda: not files(workspace), 1.0, "nothing is taken in while it is paused")
    assert daemon.call("status")["past"]["why"] == "capture is paused"
    assert "held up: capture is paused" in memd("status", "-w", str(workspace.path)).stdout
    memd("pause", "--off", "-w", str(workspace.path))
    until(lambda: daemon.call("status")["past"]["done"] > 1, 60, "it goes on")
    newest = daemon.call("log")["happened"][0]
    assert newest["what"] == "past being taken in"
    assert newest["text"].endswith("of 30 conversations that agents kept on this machine")
    daemon.kill()
    daemon.start()
    taken_in(daemon)
    for n, name in enumerate(names):
        assert turns(daemon, f"claude-{name}") == [("user", f"My dog number {n} is called Rex{n}."), *ENGLISH]
    assert sum("Ana" in one for one in told(daemon)) == 1


def test_it_is_taken_back_as_a_whole(kept: Kept, workspace: Folder, daemon: Daemon) -> None:
    at_level(daemon, "auto")
    daemon.call("remember", role="main", content="My cat is called Mog.", explicit=True)
    kept.claude(*ENGLISH)
    kept.gemini(*CHINESE)
    ordered = past(workspace)
    taken_in(daemon)
    assert len(told(daemon)) > 1
    line = memd("log", "-w", str(workspace.path)).stdout
    assert f"memd import --undo {ordered['import_id']}" in line
    undone = memd("import", "--undo", ordered["import_id"], "-w", str(workspace.path)).stdout
    assert "2 sessions taken out again" in undone
    assert told(daemon) == ["My cat is called Mog."]
    assert files(workspace) == {}
    assert daemon.call("session.search")["sessions"] == []
    past(workspace)  # and may be taken in again
    taken_in(daemon)
    assert len(files(workspace)) == 2


def test_what_it_added_to_is_as_before(kept: Kept, workspace: Folder, daemon: Daemon) -> None:
    at_level(daemon, "auto")
    known, fuller = "Nora has a dog.", "My daughter Nora has a dog called Biscuit, a lurcher from the shelter."
    daemon.call("remember", role="main", content=known, explicit=True)
    kept.claude(("user", fuller))
    ordered = past(workspace)
    taken_in(daemon)
    assert len(told(daemon)) == 1
    assert "Biscuit" in told(daemon)[0]
    memd("import", "--undo", ordered["import_id"], "-w", str(workspace.path))
    assert told(daemon) == [known]


@pytest.mark.parametrize("level", ["inbox", "auto"])
def test_it_is_taken_back_also_where_no_report_tells_of_it_any_more(
    kept: Kept, workspace: Folder, daemon: Daemon, level: str
) -> None:
    at_level(daemon, level)
    kept.claude(*ENGLISH)
    ordered = past(workspace)
    taken_in(daemon)

    def known() -> list[str]:
        waiting = daemon.call("review.list").get("waiting", [])
        return [one["content"] for one in waiting] + told(daemon)

    assert any("peanuts" in one for one in known())
    for file in (workspace.path / ".memory/consolidations").iterdir():
        file.unlink()
    memd("import", "--undo", ordered["import_id"], "-w", str(workspace.path))
    assert known() == []


def test_what_was_taken_in_a_moment_ago_is_taken_back_too(kept: Kept, workspace: Folder) -> None:
    name = f"claude-{kept.claude(*ENGLISH)}"
    ordered = past(workspace)

    async def taken_and_back(service: Local) -> list[str]:
        while await take_next(service.store, at_once):
            pass
        # It is in the log alone so far, unless the machine is very busy.
        gone = await service.call("import", undo=True, import_id=ordered["import_id"])
        return [*gone["sessions"]]

    assert work(workspace, taken_and_back) == [name]
    assert files(workspace) == {}


def test_a_conversation_that_is_cut_off_is_gone_on_from(kept: Kept, workspace: Folder) -> None:
    said = [("user" if n % 2 == 0 else "assistant", f"Turn {n} of the conversation.") for n in range(230)]
    name = f"claude-{kept.claude(*said)}"
    workspace.settings(sessions__max_context_messages=1000)
    past(workspace)
    lengths: list[int] = []

    async def cut_off(service: Local) -> None:
        rests = 0

        async def rest(_: float) -> None:
            nonlocal rests
            rests += 1
            if rests == 2:
                raise Stopped

        with pytest.raises(Stopped):
            await take_next(service.store, rest)
        lengths.append(len((await service.call("session.history", session=name))["messages"]))

    async def go_on(service: Local) -> list[tuple[str, str]]:
        while await take_next(service.store, at_once):
            pass
        shown = await service.call("session.history", session=name)
        return [(one["speaker"], one["content"]) for one in shown["messages"]]

    work(workspace, cut_off)
    assert work(workspace, go_on) == said
    assert 0 < lengths[0] < len(said)


@pytest.mark.parametrize("way", ["undo", "revoke"])
def test_it_ends_at_once_where_it_is_taken_back_meanwhile(
    kept: Kept, workspace: Folder, daemon: Daemon, way: str
) -> None:
    for n in range(40):
        kept.claude(("user", f"My dog number {n} is called Rex{n}."), *ENGLISH)
    at_level(daemon, "auto")
    ordered = past(workspace)
    until(lambda: daemon.call("status").get("past", {}).get("done", 0) > 1, 60, "it is on its way")
    if way == "undo":
        memd("import", "--undo", ordered["import_id"], "-w", str(workspace.path))
    else:
        memd("trust", "--revoke", "past", "-w", str(workspace.path))
    until(lambda: "past" not in daemon.call("status"), 20, "it has ended")
    stood = len(files(workspace))
    assert stood == 0 if way == "undo" else 0 < stood < 40
    stays(lambda: len(files(workspace)) in (stood, stood + 1), 1.0, "nothing more is taken in")
    if way == "undo":
        assert told(daemon) == []


def test_a_conversation_in_a_project_feeds_the_project_and_a_role_may_be_named(
    kept: Kept, workspace: Folder, daemon: Daemon, tmp_path: Path
) -> None:
    checkout = tmp_path / "shop"
    (checkout / ".git").mkdir(parents=True)
    (checkout / ".git/config").write_text('[remote "origin"]\n\turl = https://example.com/acme/shop.git\n')
    name = kept.claude(("user", "Our service is deployed with Nomad. I am left-handed."), cwd=str(checkout))
    at_level(daemon, "auto")
    past(workspace, "--agent", "claude")
    taken_in(daemon)
    opened = json.loads(files(workspace)[f"claude-{name}.jsonl"].splitlines()[0])
    assert opened["project"] == "example.com/acme/shop"
    workspace.write("work")
    other = kept.codex(*ENGLISH)
    past(workspace, "--role", "work")
    taken_in(daemon)
    assert json.loads(files(workspace)[f"codex-{other}.jsonl"].splitlines()[0])["role"] == "work"


def test_what_was_said_is_quoted_and_found(kept: Kept, workspace: Folder, daemon: Daemon) -> None:
    workspace.settings(trigger__sessions="on")
    daemon.call("trigger", role="main", message="Who repairs the kiln?")  # what there is, is read
    kept.claude(("user", "The kiln was repaired by Mr Okafor from the second floor."), ("assistant", "Good to know."))
    past(workspace)
    taken_in(daemon)
    until(lambda: "Okafor" in daemon.call("trigger", role="main", message="Who repaired the kiln?")["content"], 20, "it is quoted")  # fmt: skip
    until(lambda: daemon.call("session.search", query="Okafor")["hits"], 20, "it is found")


def test_it_is_an_offer_that_no_workspace_can_make(kept: Kept, workspace: Folder, daemon: Daemon) -> None:
    kept.claude(*ENGLISH)
    shown = memd("import", "--past", "--dry-run", "-w", str(workspace.path)).stdout
    assert "Claude Code" in shown
    assert "can be searched" in shown
    state = workspace.path / ".memory/state"
    state.mkdir(parents=True, exist_ok=True)
    (state / "past.json").write_text('{"id": "past-00000000", "claude": "/"}')
    stays(lambda: not files(workspace), 1.0, "nothing was ordered")
    assert "past" not in daemon.call("status")
