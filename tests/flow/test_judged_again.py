"""What words judged alone, as the model had no time, is judged again: over a real socket, with the real model held still meanwhile."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from memd.storage.layout import AUDIT, PROVISIONAL
from tests.contract.embedders import packaged
from tests.flow.test_embedder import embedder, embedding
from tests.support import Daemon, Folder, memd, until

pytestmark = packaged
NEIGHBOUR = "My neighbour plays the tuba."
MOVED = {
    "english": ("User lives in Graz.", "In April we got the keys to our house in Linz."),
    "chinese": ("用户抽烟。", "烟我三个月没碰，彻底断了。"),
}
SAME = {
    "english": ("User cannot swim.", "I never learned to swim."),
    "chinese": ("用户的父亲是木匠。", "我爸做木工活为生。"),
}
KEPT_NOW = {"english": "I fold maps for the museum.", "chinese": "阿芬守灯塔。"}
WAITS_NOW = {"english": "Omar forgot the oars again.", "chinese": "欧阳又把船票忘了。"}
WEAK = {"english": "The radiator gurgled again.", "chinese": "暖气夜里滴答响。"}
BOTH = pytest.mark.parametrize("language", MOVED)


class Still:
    """A daemon of which the model is held still."""

    def __init__(self, daemon: Daemon) -> None:
        self.daemon = daemon
        self.child = 0

    def hold(self) -> None:
        """Let the model be ready, and then not answer."""
        self.daemon.call("session.open", role="main")
        until(lambda: embedder(self.daemon)["state"] == "ready", 60, "the model is ready")
        self.child = embedding(self.daemon)
        os.kill(self.child, signal.SIGSTOP)

    def go_on(self) -> None:
        os.kill(self.child, signal.SIGCONT)
        self.judged()

    def judged(self) -> None:
        until(lambda: "provisional" not in embedder(self.daemon), 60, "all is judged again")

    def tell(self, text: str, **more: Any) -> dict[str, Any]:
        reply = self.daemon.call("remember", **{"role": "main", "content": text, "source": "user", **more})
        assert reply["provisional"] is True
        assert reply["offer"]
        return reply

    def became(self, reply: dict[str, Any]) -> dict[str, Any]:
        found: dict[str, Any] = self.get(reply["offer"])["judged"]
        return found

    def get(self, memory_id: str) -> dict[str, Any]:
        return self.daemon.call("memory.get", role="main", id=memory_id)

    def log(self) -> dict[str, dict[str, Any]]:
        told = self.daemon.call("log", role="main")["happened"]
        return {one["what"]: one for one in told[::-1]}

    def verdicts(self) -> list[dict[str, Any]]:
        return list(self.daemon.call("subscribe", topics=["verdicts"], last=5)["verdicts"])

    def kill(self) -> None:
        """kill -9 of both."""
        self.daemon.kill()
        self.end()

    def end(self) -> None:
        if self.child:
            with suppress(ProcessLookupError):
                os.kill(self.child, signal.SIGKILL)


@pytest.fixture
def still(workspace: Folder, short_dir: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Still]:
    """A role that knows where somebody lives, whether they swim and what a father does; and a model that does not answer."""
    monkeypatch.setenv("MEMD_EMBEDDINGS", "packaged")
    workspace.write("main", NEIGHBOUR, *(one[0] for some in (MOVED, SAME) for one in some.values()))
    one = Still(Daemon(workspace, short_dir / "s"))
    one.daemon.start()
    one.hold()
    yield one
    one.end()
    one.daemon.stop()


def place_of_text(still: Still, text: str) -> str:
    records = still.daemon.folder.records("main")
    return next(str(one["id"]) for one in records if one.get("content") == text)


@BOTH
def test_a_change_that_words_did_not_see_takes_the_place_and_can_be_undone(still: Still, language: str) -> None:
    known, said = MOVED[language]
    older = place_of_text(still, known)
    reply = still.tell(said)
    assert (reply["verdict"], reply["id"]) == ("stored", reply["offer"])
    assert embedder(still.daemon)["provisional"] == 1
    assert (still.became(reply)["provisional"], still.became(reply)["became"]) == (True, "")
    still.go_on()
    told = still.became(reply)
    assert (told["was"], told["became"], told["memory"]) == ("stored", "superseding", reply["id"])
    assert still.get(older)["superseded_by"] == reply["id"]
    until(lambda: len(still.verdicts()) > 1, 10, "it is told to who subscribed")
    first, again = still.verdicts()
    assert (first["act"], first["outcomes"][0]["provisional"]) == ("remember", True)
    assert [(again["act"], one["verdict"], one["id"]) for one in again["outcomes"]] == [
        ("judge again", "superseding", reply["id"])
    ]
    until(lambda: "judged again: stored, now superseding" in still.log(), 10, "the log has it")
    assert still.log()["judged again: stored, now superseding"]["undo"] == f"undo main {reply['id'][:8]}"

    undone = still.daemon.call("memory.undo", role="main", id=reply["id"])
    assert undone["took_back"] == "judge again"
    assert "superseded_by" not in still.get(older)
    assert still.get(reply["id"])["content"] == said
    until(lambda: "judging again undone" in still.log(), 10, "the log has that, too")
    still.daemon.stop()
    still.daemon.start()
    assert "provisional" not in embedder(still.daemon), "it is not judged once more"
    assert (still.became(reply)["became"], "superseded_by" in still.get(older)) == ("stands", False)


@BOTH
def test_what_says_the_same_joins_what_is_known_and_its_id_tells_where_it_went(still: Still, language: str) -> None:
    known, said = SAME[language]
    older = place_of_text(still, known)
    reply = still.tell(said)
    assert reply["verdict"] == "stored"
    still.go_on()
    assert (still.became(reply)["became"], still.became(reply)["memory"]) == ("duplicate", older)
    assert still.get(reply["id"])["content"] == known, "the reply's id resolves to what has it now"
    until(lambda: said not in still.daemon.folder.contents("main"), 10, "it is in the archive")
    still.daemon.call("memory.undo", role="main", id=reply["id"])
    assert still.get(reply["id"])["content"] == said
    assert still.get(older)["content"] == known


@BOTH
def test_what_would_be_kept_now_is_kept_and_what_would_wait_now_waits(still: Still, language: str) -> None:
    kept, waits = still.tell(KEPT_NOW[language]), still.tell(WAITS_NOW[language])
    assert [one["verdict"] for one in (kept, waits)] == ["refused", "refused"]
    assert ("inbox" in kept, "inbox" in waits) == (True, False), "one was near the edge, the other below"
    assert still.get(waits["id"])["content"] == WAITS_NOW[language]
    still.go_on()
    assert still.became(kept)["became"] == "stored"
    assert still.get(kept["id"])["content"] == KEPT_NOW[language]
    told = still.became(waits)
    assert told["became"] == "waiting"
    waiting = {one["id"]: one["content"] for one in still.daemon.call("review.list")["waiting"]}
    assert waiting == {told["inbox"]: WAITS_NOW[language]}, "what is kept by now waits no more"

    still.daemon.call("memory.undo", role="main", id=kept["id"])
    still.daemon.call("memory.undo", role="main", id=waits["id"])
    waiting = {one["id"]: one["content"] for one in still.daemon.call("review.list")["waiting"]}
    assert waiting == {kept["inbox"]: KEPT_NOW[language]}
    assert KEPT_NOW[language] not in [
        one["content"] for one in still.daemon.call("memory.list", role="main")["memories"]
    ]


@BOTH
def test_what_was_kept_and_would_be_refused_now_stays_and_that_is_told(still: Still, language: str) -> None:
    still.daemon.folder.settings(gate__keep_from=5.0)
    until(
        lambda: still.daemon.call("score", role="main", content=WEAK[language], source="user")["band"] == "keep",
        20,
        "5 is enough",
    )
    reply = still.tell(WEAK[language])
    assert reply["verdict"] == "stored"
    still.go_on()
    told = still.became(reply)
    assert (told["became"], told["memory"]) == ("kept", reply["id"])
    assert "would be refused now" in told["why"]
    assert still.get(reply["id"])["content"] == WEAK[language]
    until(lambda: "judged again: stored, now kept" in still.log(), 10, "the log has it")
    assert still.log()["judged again: stored, now kept"]["undo"] == f"forget main {reply['id'][:8]}"


@BOTH
def test_it_is_judged_once_whenever_the_power_goes(still: Still, language: str) -> None:
    known, said = MOVED[language]
    older = place_of_text(still, known)
    reply = still.tell(said)
    still.kill()
    still.daemon.start()
    still.judged()
    assert still.became(reply)["became"] == "superseding"
    still.daemon.kill()
    still.daemon.start()
    assert "provisional" not in embedder(still.daemon)
    assert still.became(reply)["became"] == "superseding"
    assert still.get(older)["superseded_by"] == reply["id"]
    still.daemon.stop()
    audit = (still.daemon.folder.path / AUDIT).read_text("utf-8").splitlines()
    assert len([one for one in audit if json.loads(one).get("what") == "judged again"]) == 1


def test_what_somebody_changed_meanwhile_stands(still: Still) -> None:
    reply = still.tell(MOVED["english"][1])
    still.daemon.call("memory.update", role="main", id=reply["id"], content="Found a flat in Linz in April.")
    still.go_on()
    assert (still.became(reply)["became"], "changed since" in still.became(reply)["why"]) == ("stands", True)
    assert "superseded_by" not in still.get(place_of_text(still, MOVED["english"][0]))


def test_a_restart_without_a_model_leaves_it_for_the_next(still: Still, monkeypatch: pytest.MonkeyPatch) -> None:
    reply = still.tell(MOVED["english"][1])
    still.kill()
    monkeypatch.setenv("MEMD_EMBEDDINGS", "none")
    still.daemon.start()
    assert still.became(reply)["provisional"]
    still.daemon.stop()
    monkeypatch.setenv("MEMD_EMBEDDINGS", "packaged")
    still.daemon.start()
    still.judged()
    assert still.became(reply)["became"] == "superseding"


def test_of_what_is_erased_nothing_is_told_and_nothing_is_held(still: Still) -> None:
    reply = still.tell(MOVED["english"][1])
    still.daemon.call("memory.forget", role="main", id=reply["id"], erase=True)
    assert "provisional" not in embedder(still.daemon)
    still.daemon.stop()
    path = still.daemon.folder.path / PROVISIONAL
    assert "Linz" not in (path.read_text("utf-8") if path.exists() else "")
    still.daemon.start()
    assert "provisional" not in embedder(still.daemon)


def test_a_person_reads_that_a_verdict_is_provisional_and_what_became_of_it(still: Still) -> None:
    where = ("-w", str(still.daemon.folder.path))
    told = memd("remember", "main", MOVED["english"][1], "--source", "user", *where).stdout
    assert "provisional: judged by its words, without the model" in told
    short = told.split("memd show main ")[1][:8]
    assert "not judged again yet" in " ".join(memd("show", "main", short, *where).stdout.split())
    status = " ".join(memd("status", *where).stdout.split())
    assert "1 verdict to be judged again" in status
    still.go_on()
    shown = " ".join(memd("show", "main", short, *where).stdout.split())
    assert "provisionally stored, by words alone; superseding" in shown
    until(lambda: "judged again: stored, now superseding" in memd("log", *where).stdout, 10, "the log has it")


def test_several_of_one_text_are_each_judged_again(still: Still) -> None:
    said = f"Jonas is Lena's cousin and lives in Oslo. {MOVED['english'][1]}"
    reply = still.daemon.call("remember", role="main", content=said, source="user", split=True)
    assert reply["provisional"] is True
    offers = [one["offer"] for one in reply["statements"]]
    assert len(set(offers)) == len(offers) > 1
    still.go_on()
    assert [bool(still.became({"offer": one})["became"]) for one in offers] == [True] * len(offers)
