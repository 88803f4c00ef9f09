"""Who took whose place, when branches part and meet: with the real git, and what is then served."""

from __future__ import annotations

import asyncio
import json
import time
from pathlib import Path
from typing import Any

import pytest

from memd.config import place_of
from memd.daemon import local
from memd.store.writing.applier import STALE_SAVE_S
from tests.flow.repositories import Repository, begun
from tests.support import Daemon, memd, until

ROLE = "小美"
OLD = {"id": "20", "content": "The depot is in Bremen; it opens at 8.", "updatedAt": "2026-01-01T00:00:00Z"}
KIEL = {"id": "30", "content": "The depot moved to Kiel.", "updatedAt": "2026-02-01T00:00:00Z", "supersedes": ["20"]}
JENA = {"id": "31", "content": "The depot moved to Jena.", "updatedAt": "2026-03-01T00:00:00Z", "supersedes": ["20"]}
CAT = {"id": "80", "content": "The cat is called Tom."}


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    made = begun(tmp_path / "memory")
    made.put(ROLE, OLD, CAT)
    made.commit("two memories")
    return made


def part(repository: Repository, ours: list[dict[str, Any]], theirs: list[dict[str, Any]]) -> None:
    """Leave the repository on `main` with ours, and theirs on the branch `other`."""
    repository.git("checkout", "-q", "-b", "other")
    repository.put(ROLE, *theirs)
    repository.commit("theirs")
    repository.git("checkout", "-q", "main")
    repository.put(ROLE, *ours)
    repository.commit("ours")


def served(repository: Repository) -> dict[str, dict[str, Any]]:
    """What a service makes of the files, by id."""

    async def listed() -> list[dict[str, Any]]:
        async with local(place_of(str(repository.path)), writes=False) as service:
            found: list[dict[str, Any]] = (await service.call("memory.list", role=ROLE))["memories"]
            return found

    return {one["id"]: one for one in asyncio.run(listed())}


def standing(repository: Repository) -> set[str]:
    return {one for one, shown in served(repository).items() if "superseded_by" not in shown}


def findings(repository: Repository) -> list[str]:
    reply = memd("check", "-w", str(repository.path), "--format", "json", check=False)
    return [one["code"] for one in json.loads(reply.stdout)["findings"] if one["code"].startswith("memory.")]


def test_both_who_took_the_same_place_on_two_branches_stand_and_are_told_as_a_conflict(repository: Repository) -> None:
    part(repository, [OLD, KIEL, CAT], [OLD, JENA, CAT])
    repository.git("merge", "-q", "other")
    assert repository.records(ROLE) == [OLD, KIEL, JENA, CAT]
    assert standing(repository) == {"30", "31", "80"}
    assert {one: shown.get("conflicts_with") for one, shown in served(repository).items()} == {
        "20": None, "30": ["31"], "31": ["30"], "80": None,
    }  # fmt: skip
    assert findings(repository) == ["memory.conflict"]


@pytest.mark.parametrize(
    ("ours", "theirs", "stands", "told"),
    [
        pytest.param([OLD, KIEL, CAT], [{**OLD, "content": "The depot is in Bremen; it opens at 9."}, CAT], {"30", "80"},
                     [], id="one superseded what the other edited"),
        pytest.param([OLD, KIEL, CAT], [CAT], {"30", "80"}, ["memory.lost_link"],
                     id="one superseded what the other forgot"),
        pytest.param([OLD, {**KIEL, "covers": ["0" * 16]}, CAT], [{**OLD, "priority": 9}, CAT], {"20", "30", "80"},
                     ["memory.lost_cover"], id="what was edited meanwhile holds"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("turned", [False, True])
def test_superseding_never_conflicts_with_what_became_of_the_older(
    repository: Repository,
    ours: list[dict[str, Any]],
    theirs: list[dict[str, Any]],
    stands: set[str],
    told: list[str],
    turned: bool,
) -> None:
    part(repository, *((theirs, ours) if turned else (ours, theirs)))
    repository.git("merge", "-q", "other")
    assert standing(repository) == stands
    assert findings(repository) == told


@pytest.mark.parametrize(
    ("base", "ours", "theirs", "merged"),
    [
        pytest.param(["20"], ["20", "80"], ["20", "81"], ["20", "80", "81"], id="each named another"),
        pytest.param("20", ["20", "80"], "20", ["20", "80"], id="an older file names one id"),
        pytest.param("20", ["20", "80"], ["20", "81"], ["20", "80", "81"], id="an older file, and both named another"),
        pytest.param(["20"], None, ["20", "80"], ["80"], id="one took it back, the other named another"),
        pytest.param(["20"], None, ["20"], None, id="one took it back"),
        pytest.param(["20", "80"], ["80"], ["20"], None, id="each took another back"),
    ],
)
def test_what_both_sides_named_stands_and_what_either_took_back_is_out(
    repository: Repository, base: Any, ours: Any, theirs: Any, merged: Any
) -> None:
    def naming(value: Any) -> list[dict[str, Any]]:
        plain = {key: part for key, part in KIEL.items() if key != "supersedes"}
        return [OLD, plain if value is None else {**plain, "supersedes": value}, CAT]

    repository.put(ROLE, *naming(base))
    repository.commit("base")
    part(repository, naming(ours), naming(theirs))
    repository.git("merge", "-q", "other")
    assert repository.records(ROLE)[1].get("supersedes") == merged


def test_a_criss_cross_of_two_branches_keeps_both_and_what_settled_them(repository: Repository) -> None:
    part(repository, [OLD, KIEL, CAT], [OLD, JENA, CAT])
    tips = [repository.git("rev-parse", one).strip() for one in ("main", "other")]
    repository.git("merge", "-q", "--no-ff", tips[1])
    repository.git("checkout", "-q", "other")
    repository.git("merge", "-q", "--no-ff", tips[0])
    settled = {**JENA, "supersedes": ["30", "20"]}
    repository.put(ROLE, OLD, KIEL, settled, CAT)
    repository.commit("Jena it is")
    repository.git("checkout", "-q", "main")
    repository.put(ROLE, OLD, {**KIEL, "priority": 7}, JENA, CAT)
    repository.commit("Kiel matters")
    repository.git("merge", "-q", "other")
    assert repository.records(ROLE) == [OLD, {**KIEL, "priority": 7}, settled, CAT]
    assert standing(repository) == {"31", "80"}
    assert findings(repository) == []


def test_reverting_the_commit_that_superseded_brings_back_the_older_under_a_running_daemon(
    tmp_path: Path, short_dir: Path
) -> None:
    repository = begun(tmp_path / "memory")
    repository.put("main")
    repository.commit("a role")
    daemon = Daemon(repository, short_dir / "s")
    daemon.start()

    def offer(text: str) -> str:
        reply = daemon.call("remember", role="main", content=text, explicit=True)
        until(lambda: any(one["id"] == reply["id"] for one in repository.records("main")), 20, "it is in the file")
        until(lambda: daemon.call("status")["log"]["waiting"] == 0, 20, "everything is in the files")
        repository.commit(text)
        return str(reply["id"])

    try:
        old = offer("User lives in Porto.")
        new = offer("User moved to Lisbon in May.")
        assert daemon.call("memory.get", role="main", id=old)["superseded_by"] == new
        time.sleep(
            STALE_SAVE_S + 1
        )  # what was written a moment ago is guarded against outdated saves, and a revert looks like one
        repository.git("revert", "--no-edit", "HEAD")
        until(lambda: daemon.call("memory.list", role="main")["total"] == 1, 20, "the successor is gone")
        reply = daemon.call("trigger", role="main", message="Does the user live in Porto?")
        assert [one["id"] for one in reply["activated"]] == [old]
        repository.git("revert", "--no-edit", "HEAD")
        until(lambda: daemon.call("memory.list", role="main")["total"] == 2, 20, "the successor is back")
        assert daemon.call("memory.get", role="main", id=old)["superseded_by"] == new
        assert daemon.call("memory.undo", role="main", id=old)["took_back"] == "supersede"
        daemon.kill()
        daemon.start()
        assert "superseded_by" not in daemon.call("memory.get", role="main", id=old)
    finally:
        daemon.stop()
