"""Erasing takes one memory out of the logs and loses nothing that a person saves into them meanwhile."""

from __future__ import annotations

from pathlib import Path

from memd.formats.records import dump_record, load_record
from memd.storage.files import Tree
from memd.storage.system import System
from memd.store.room import Scorings
from memd.store.writing.erasing import erase_from_logs
from memd.store.writing.erasing_texts import ERASED, Told, erase_from_texts

GONE = "- 2026/11/21 10:00 the secret #其他 #id:m1 #评分:8 #有效期:长期\n"
KEPT = "- 2026/11/21 10:00 the rest #其他 #id:m10 #评分:8 #有效期:长期\n"


class Saving(System):
    """A system on which a person saves the file just before each of the first exchanges."""

    def __init__(self, path: Path, saves: list[str]) -> None:
        self.path, self.saves = path, saves

    def exchange(self, one: str, other: str, *, at: int) -> None:
        if self.saves:
            self.path.write_text(self.saves.pop(0), "utf-8")
        super().exchange(one, other, at=at)


def test_the_last_save_stands_without_the_erased_line(tmp_path: Path) -> None:
    for count in range(5):
        folder = tmp_path / str(count)
        (folder / ".memory").mkdir(parents=True)
        declared = folder / ".memory/declarative.md"
        declared.write_text(GONE + KEPT, "utf-8")
        # With and without the erased line, as a person's buffer may have it.
        saves = [f"save {n}\n{GONE if n % 2 else ''}{KEPT}" for n in range(count)]
        erase_from_logs(Tree(str(folder), Saving(declared, list(saves))), "main", "m1")
        expected = f"save {count - 1}\n{KEPT}" if count else KEPT
        assert declared.read_text("utf-8") == expected
        assert [one.name for one in (folder / ".memory").iterdir()] == ["declarative.md"]


def test_a_scoring_that_is_erased_still_counts(tmp_path: Path) -> None:
    scores = tmp_path / ".memory/scores/2026-11-22.jsonl"
    scores.parent.mkdir(parents=True)
    said = {"w": "x", "n": 1, "at": "2026-11-22T00:00:00Z", "role": "main", "dimensions": {"importance": "a secret"}}
    scores.write_bytes(dump_record({**said, "id": "m1"}) + dump_record({**said, "n": 2, "id": "m2"}))
    erase_from_logs(Tree(str(tmp_path)), "main", "m1")
    first, second = scores.read_bytes().splitlines(keepends=True)
    assert load_record(first) == {"w": "x", "n": 1, "at": "2026-11-22T00:00:00Z"}
    assert (load_record(second) or {})["id"] == "m2"
    assert Scorings.read(Tree(str(tmp_path)), 1795305600.0, {}).count == 2


def test_erasing_takes_nothing_of_another_role_that_has_the_same_id(tmp_path: Path) -> None:
    (tmp_path / "archive").mkdir()
    archived = tmp_path / "archive/2026-11.jsonl"
    said = {"w": "x", "n": 1, "what": "forgotten", "id": "m1"}
    both = [dump_record({**said, "role": role, "entry": {"content": f"of {role}"}}) for role in ("main", "nora")]
    several = dump_record({"w": "x", "n": 2, "role": "main", "entries": [{"id": "m1"}, {"id": "m10"}]})
    archived.write_bytes(b"".join(both) + several)
    erase_from_logs(Tree(str(tmp_path)), "main", "m1")
    first, second = (load_record(line) or {} for line in archived.read_bytes().splitlines(keepends=True))
    assert first["entry"] == {"content": "of nora"}
    assert second["entries"] == [{"id": "m10"}]


def test_what_was_said_in_another_case_or_with_other_blanks_goes_too(tmp_path: Path) -> None:
    text = "my sister Ottoline lives in Kiruna."
    said = [
        "My sister Ottoline lives in Kiruna, how far is that?", "MY SISTER OTTOLINE LIVES IN KIRUNA",
        "my  sister  Ottoline\nlives in Kiruna", "My sister plays chess.", "My sister Ottoline lives in Kirunavaara.",
    ]  # fmt: skip
    session = tmp_path / "sessions/2026-11/s2.jsonl"
    session.parent.mkdir(parents=True)
    session.write_bytes(
        b"".join(dump_record({"w": "x", "n": n, "kind": "message", "content": one}) for n, one in enumerate(said))
    )
    notes = tmp_path / "tasks/t.toml"
    notes.parent.mkdir()
    notes.write_text('goal = "Ask whether my Sister Ottoline\\nlives in Kiruna"\n', "utf-8")
    done = erase_from_texts(Tree(str(tmp_path)), Told((text,)))
    assert sorted(done.files) == ["sessions/2026-11/s2.jsonl", "tasks/t.toml"]
    kept = [(load_record(line) or {})["content"] for line in session.read_bytes().splitlines(keepends=True)]
    assert kept == [f"{ERASED}, how far is that?", ERASED, ERASED, *said[3:]]
    assert notes.read_text("utf-8") == f'goal = "Ask whether {ERASED}"\n'
