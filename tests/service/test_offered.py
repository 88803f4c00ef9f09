"""The file of ids that were offered: whose they are, how it stays short, and what a stranger's lines come to."""

from __future__ import annotations

from pathlib import Path

from memd.formats.records import dump_record
from memd.storage.files import Tree
from memd.store.capture import offered_line, read_offered, shortened, told_id, too_many


def line(writer: str, n: int, session: str, upto: int, ids: list[str]) -> bytes:
    return dump_record({"w": writer, "n": n, **offered_line(session, upto, ids)})


def read(
    path: Path, data: bytes, waiting: tuple[bytes, ...] = (), writer: str = "us"
) -> tuple[set[str], dict[str, int]]:
    (path / ".memory").mkdir(exist_ok=True)
    (path / ".memory/offered.jsonl").write_bytes(data)
    tree = Tree(str(path))
    try:
        found = read_offered(tree, [one.decode() for one in waiting], writer)
    finally:
        tree.close()
    return found.ids, found.upto


def test_ids_are_of_all_and_the_ends_are_of_ones_own_events(tmp_path: Path) -> None:
    data = line("us", 1, "a", 5, ["x"]) + line("them", 9, "a", 90, ["y"]) + line("us", 3, "a", 4, ["z"])
    assert read(tmp_path, data, (line("us", 4, "b", 7, ["w"]),)) == ({"x", "y", "z", "w"}, {"a": 5, "b": 7})


def test_what_is_no_line_of_ours_costs_no_other(tmp_path: Path) -> None:
    strange = dump_record({"w": "us", "what": "offered", "session": ["a"], "upto": "9", "ids": {"x": 1}})
    data = b"\xff\x00 torn\n" + strange + dump_record({"w": "us", "what": "else"}) + line("us", 1, "a", 5, ["x"])
    assert read(tmp_path, data) == ({"x"}, {"a": 5})


def test_a_shortened_file_forgets_old_ids_and_no_end(tmp_path: Path) -> None:
    lines = [line("us", n, f"s{n % 3}", n, [f"id-{n}"]) for n in range(1, 100)]
    lines += [line("them", 5, "s1", 400, ["theirs"])]
    short = shortened(b"".join(lines), 1000)
    assert len(short) < 1500
    ids, upto = read(tmp_path, short)
    assert ("id-99" in ids, "id-1" in ids) == (True, False)
    assert upto == {"s0": 99, "s1": 97, "s2": 98}
    assert read(tmp_path, shortened(short, 1000)) == (ids, upto), "twice is once"
    assert read(tmp_path, short, writer="them")[1] == {"s1": 400}


def test_an_id_tells_session_event_and_text_apart() -> None:
    ids = {told_id(*one) for one in (("a", "w-1", "d"), ("b", "w-1", "d"), ("a", "w-2", "d"), ("a", "w-1", "e"))}
    assert len(ids) == 4
    assert told_id("a", "w-1", "d") in ids


def test_of_reports_the_newest_stay_that_have_room() -> None:
    assert too_many([("c1", 400), ("c3", 400), ("c2", 400)], 900) == ["c1"]
    assert too_many([("c1", 400)], 100) == ["c1"]
