"""What was known and held at a time, asked of a real daemon: later memories and later changes are not seen."""

from __future__ import annotations

import json
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from memd.errors import RemoteError
from tests.support import Daemon, Folder, memd, until

ASKED = {"role": "main", "message": "Where does Ann live? 小林住在哪里？"}
RECORDS: list[dict[str, Any]] = [
    {"id": "mem-bonn", "content": "Ann lives in Bonn.", "timestamp": "2024-01-10T09:00:00Z"},
    {"id": "mem-oslo", "content": "Ann lives in Oslo.", "timestamp": "2025-06-10T09:00:00Z", "supersedes": "mem-bonn"},
    {"id": "mem-hang", "content": "小林住在杭州。", "timestamp": "2024-03-05T08:00:00Z"},
    {"id": "mem-su", "content": "小林住在苏州。", "timestamp": "2026-02-01T08:00:00Z", "supersedes": ["mem-hang"]},
]  # fmt: skip


def put(folder: Folder, *records: dict[str, Any], role: str = "main") -> None:
    folder.file(role).parent.mkdir(parents=True, exist_ok=True)
    whole = {"characterUuid": role, "episodic": [], "semantic": list(records), "traits": [], "goals": []}
    folder.file(role).write_text(json.dumps(whole, ensure_ascii=False, indent=2) + "\n", "utf-8")


def ids(reply: dict[str, Any], key: str = "activated") -> set[str]:
    return {one["id"] for one in reply[key]}


def exact(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat()


@pytest.fixture
def moved(daemon: Daemon) -> Daemon:
    put(daemon.folder, *RECORDS)
    return daemon


@pytest.mark.parametrize(
    ("at", "known"),
    [
        pytest.param("2023-12-31", set(), id="nothing yet"),
        pytest.param("2024-02", {"mem-bonn"}, id="a month"),
        pytest.param("2024", {"mem-bonn", "mem-hang"}, id="a year"),
        pytest.param("2025-06-10T08:59:59Z", {"mem-bonn", "mem-hang"}, id="a second before the move"),
        pytest.param("2025-06-10T09:00:00Z", {"mem-oslo", "mem-hang"}, id="the second of the move"),
        pytest.param("2026年3月", {"mem-oslo", "mem-su"}, id="a Chinese month"),
        pytest.param(1_735_689_600, {"mem-bonn", "mem-hang"}, id="seconds"),
        pytest.param(1_735_689_600_000, {"mem-bonn", "mem-hang"}, id="milliseconds"),
        pytest.param("1735689600", {"mem-bonn", "mem-hang"}, id="seconds as a command line has them"),
    ],
)
def test_what_was_superseded_later_stands_then(moved: Daemon, at: float | str, known: set[str]) -> None:
    reply = moved.call("trigger", **ASKED, as_of=at)
    assert ids(reply) == known
    listed = moved.call("memory.list", role="main", as_of=at)
    assert {one["id"] for one in listed["memories"] if "superseded_by" not in one} == known
    hits = moved.call("search", query="Ann lives 小林", role="main", as_of=at)["hits"]
    assert {one["id"] for one in hits if "superseded_by" not in one} == known


def test_the_scenes_clock_alone_hides_nothing_and_as_of_does(moved: Daemon) -> None:
    assert ids(moved.call("trigger", **ASKED, now="2024-02-01T00:00:00Z")) == {"mem-oslo", "mem-su"}
    both = moved.call("trigger", **ASKED, now="2024-02-01T00:00:00Z", as_of="2024-02-01T00:00:00Z")
    assert ids(both) == {"mem-bonn"}
    assert both["as_of"] == "2024-02-01T00:00:00Z"


def test_a_day_ends_with_the_day_of_the_scenes_zone(moved: Daemon) -> None:
    put(moved.folder, {"id": "late", "content": "Ann lives in Rome.", "timestamp": "2025-03-01T20:00:00Z"})
    assert ids(moved.call("trigger", **ASKED, as_of="2025-03-01", zone="UTC")) == {"late"}
    assert ids(moved.call("trigger", **ASKED, as_of="2025-03-01", zone="+08:00")) == set()
    assert ids(moved.call("trigger", **ASKED, as_of="2025-03-02", zone="Asia/Shanghai")) == {"late"}


@pytest.mark.parametrize("method", ["trigger", "search", "memory.list"])
@pytest.mark.parametrize("bad", ["soon", "2025-13-01", "", 2025, "2025-02-30", 1e300, "0000"])
def test_what_is_no_time_is_refused_by_name(standing: Daemon, method: str, bad: float | str) -> None:
    given = {"trigger": ASKED, "search": {"query": "Ann"}, "memory.list": {"role": "main"}}[method]
    with pytest.raises(RemoteError, match=r"as_of: .*is no time; write 2026"):
        standing.call(method, **given, as_of=bad)


def test_what_is_forgotten_later_is_there_and_what_is_restored_later_is_not(moved: Daemon) -> None:
    before = time.time()
    moved.call("memory.forget", role="main", id="mem-su")
    assert "mem-su" in ids(moved.call("trigger", **ASKED, as_of=before - 1))
    assert "mem-su" not in ids(moved.call("trigger", **ASKED))
    until(lambda: time.time() > before + 2.1, 10, "two seconds are over")
    between = time.time()
    until(lambda: time.time() > between + 1.1, 10, "the archive's seconds differ")
    moved.call("memory.restore", role="main", id="mem-su")
    then = moved.call("trigger", **ASKED, as_of=between)
    assert "mem-su" not in ids(then)
    assert "mem-hang" in ids(then), "while its successor was forgotten, it stood"
    assert [one["id"] for one in moved.call("memory.list", role="main", forgotten=True, as_of=between)["memories"]] == [
        "mem-su"
    ]
    assert moved.call("memory.list", role="main", forgotten=True, as_of=before - 1)["memories"] == []


def test_what_is_erased_was_never_there(moved: Daemon) -> None:
    moved.call("memory.forget", role="main", id="mem-bonn", erase=True)
    for at in ("2024-02", "2025-01-01"):
        assert "mem-bonn" not in ids(moved.call("trigger", **ASKED, as_of=at))
        assert "Bonn" not in json.dumps(moved.call("search", query="Bonn", as_of=at))


def test_a_refinement_and_an_update_show_their_text_of_then(daemon: Daemon) -> None:
    given = {"role": "main", "explicit": True, "kind": "semantic"}
    first = daemon.call("remember", **given, content="User has a kiln.")
    time_of = [time.time()]
    until(lambda: time.time() > time_of[0] + 1.2, 10, "a second is over")
    fuller = "User has an old gas kiln, and its door sticks in wet weather."
    refined = daemon.call("remember", **given, content=fuller)
    assert (refined["verdict"], refined["id"]) == ("refined", first["id"])
    time_of.append(time.time())
    until(lambda: time.time() > time_of[1] + 1.2, 10, "a second is over")
    daemon.call("memory.update", role="main", id=first["id"], content="User has an electric kiln.")
    time_of.append(time.time())
    texts = []
    for at in time_of:
        reply = daemon.call("trigger", role="main", message="What kind of kiln does the user have?", as_of=at)
        assert "notes" not in reply
        texts += [one["text"] for one in reply["activated"]]
        (hit,) = daemon.call("search", query='"user has"', as_of=at)["hits"]
        assert hit["snippet"].replace("**", "") == texts[-1]
    assert texts[0] == "User has a kiln."
    assert "wet weather" in texts[1]
    assert texts[2] == "User has an electric kiln."


def test_a_change_by_hand_without_a_date_is_told_in_the_reply(daemon: Daemon) -> None:
    first = daemon.call("remember", role="main", explicit=True, kind="episodic", content="用户的车停在三号车库。")
    stored = time.time()
    daemon.stop()
    path = daemon.folder.file("main")
    path.write_text(path.read_text("utf-8").replace("三号车库", "五号车库"), "utf-8")
    daemon.start()
    reply = daemon.call("trigger", role="main", message="车停在哪个车库？", as_of=stored + 1)
    assert [one["text"] for one in reply["activated"]] == ["用户的车停在五号车库。"]
    assert any(first["id"][:8] in note and "nobody noted" in note for note in reply["notes"])
    assert any("nobody noted" in note for note in daemon.call("memory.list", role="main", as_of=stored + 1)["notes"])
    assert any("nobody noted" in note for note in daemon.call("search", query="车库", as_of=stored + 1)["notes"])


def test_a_memory_without_any_date_is_told_as_one(daemon: Daemon) -> None:
    daemon.folder.write("main", "The harbour lights are green.")
    reply = daemon.call("trigger", role="main", message="Which colour are the harbour lights?", as_of="2020")
    assert len(reply["activated"]) == 1
    assert any("no date says whether it was known" in note for note in reply["notes"])


def test_validity_is_that_of_then(daemon: Daemon) -> None:
    put(
        daemon.folder,
        {"id": "ended", "content": "Ann's pass for the pool.", "timestamp": "2024-01-01T00:00:00Z", "expiresAt": "2024-06-01T00:00:00Z"},
        {"id": "held", "content": "Ann's locker at the pool is 12.", "timestamp": "2024-01-01T00:00:00Z",
         "validFrom": "2024-03-01T00:00:00Z", "validUntil": "2024-09-01T00:00:00Z"},
    )  # fmt: skip
    asked = {"role": "main", "message": "What about Ann and the pool?"}
    assert ids(daemon.call("trigger", **asked, as_of="2024-02-01")) == {"ended"}
    assert ids(daemon.call("trigger", **asked, as_of="2024-04-01")) == {"ended", "held"}
    assert ids(daemon.call("trigger", **asked, as_of="2024-07-01")) == {"held"}
    late = daemon.call("trigger", **asked, as_of="2024-10-01", explain=True)
    assert {one["id"]: one["why"] for one in late["refused"]} == {"ended": "expired", "held": "expired"}


def test_pages_and_sessions_of_later_are_not_found(daemon: Daemon) -> None:
    pages = {"old.md": "2024-05-01", "new.md": "2026-05-01"}
    for name, day in pages.items():
        text = f"---\nrole: main\nkeys: [zebra]\ndate: {day}\n---\nThe zebra cup, {name}.\n"
        (daemon.folder.path / name).write_text(text, "utf-8")
    (daemon.folder.path / "undated.md").write_text("The zebra vase.\n", "utf-8")
    until(lambda: daemon.call("search", query="zebra")["total"] == 3, 20, "the pages are found")
    for query in ("zebra", '"the zebra"', "zeb*"):
        reply = daemon.call("search", query=query, as_of="2025")
        assert {hit["name"] for hit in reply["hits"]} == {"old.md", "undated.md"}
        assert reply["total"] == 2
        assert any("without a date" in note for note in reply["notes"])
    assert ids(daemon.call("trigger", role="main", message="a zebra", as_of="2025")) == {"page:old.md"}


def test_asking_the_past_changes_nothing(moved: Daemon) -> None:
    before = moved.call("memory.get", role="main", id="mem-bonn")["access_count"]
    moved.call("trigger", **ASKED, as_of="2024")
    assert moved.call("memory.get", role="main", id="mem-bonn")["access_count"] == before
    assert ids(moved.call("trigger", **ASKED)) == {"mem-oslo", "mem-su"}


def test_a_linked_role_is_asked_as_it_was_too(moved: Daemon) -> None:
    put(
        moved.folder,
        {"id": "other", "content": "Ann lives near the zoo.", "timestamp": "2026-01-01T00:00:00Z"},
        role="kin",
    )
    (moved.folder.path / "roles/main/role.toml").write_text('[[link]]\nrole = "kin"\nweight = 1.0\n', "utf-8")
    until(lambda: "other" in ids(moved.call("trigger", **ASKED)), 20, "the link is followed")
    assert "other" not in ids(moved.call("trigger", **ASKED, as_of="2025"))


@pytest.fixture
def alone(workspace: Folder) -> Folder:
    put(workspace, *RECORDS)
    return workspace


def test_the_command_line_asks_it_without_a_daemon(alone: Folder, tmp_path: Path) -> None:
    place = ("--json", "-w", str(alone.path))
    told = json.loads(memd("trigger", "main", ASKED["message"], "--as-of", "2024", *place).stdout)
    assert ids(told) == {"mem-bonn", "mem-hang"}
    found = json.loads(memd("search", "Ann", "--role", "main", "--as-of", "2024", *place).stdout)
    assert ids(found, "hits") == {"mem-bonn"}
    listed = json.loads(memd("list", "main", "--as-of", "2024", *place).stdout)
    assert ids(listed, "memories") == {"mem-bonn", "mem-hang"}


def test_replay_asks_each_turn_at_its_own_time_or_all_at_one(alone: Folder, tmp_path: Path) -> None:
    turns = tmp_path / "turns.jsonl"
    said = [{"message": "Where does Ann live?", "at": at} for at in ("2024-02-01T00:00:00Z", "2026-01-01T00:00:00Z")]
    turns.write_text("".join(json.dumps(one) + "\n" for one in said), "utf-8")

    def came(*words: str) -> list[list[str]]:
        out = memd("replay", str(turns), *words, "--json", "-w", str(alone.path)).stdout
        return [[one["id"] for one in turn["activated"]] for turn in json.loads(out)["turns"]]

    assert came() == [["mem-oslo"], []], "the second is not told again in its window"
    assert came("--as-of", "turn") == [["mem-bonn"], ["mem-oslo"]]
    assert came("--as-of", "2024-06") == [["mem-bonn"], []]
