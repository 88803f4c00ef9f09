"""The last look before work is acknowledged: nothing becomes an operation that was not looked at."""

from __future__ import annotations

import json
from typing import Any

import pytest

from memd.daemon import Local
from memd.engine.keep.scan.secrets import without_secrets
from memd.errors import SecretRefusedError
from memd.formats.records import dump_record, load_record
from memd.formats.role_memory import HEADER, dump_line
from memd.model.change import Change, Erasure, Line, Operation, Put
from memd.model.memory import Kind
from memd.store.keep.keeping import looked_at
from memd.store.keep.quarantine import SECRETLESS, Secretless
from tests.service.test_verbs import work
from tests.support import Folder

KEY = "AKIA" + "Q3EGRN7XKJ2M5LPD"
OTHER = "ghp_" + "a8Kd0Q2mZx7Lw4Rt9Vb3Nc6Hj1Sf5Gy0PqWe"


def change(before: dict[str, Any] | None, after: dict[str, Any] | None) -> Change:
    return Change("main", Kind.SEMANTIC, "one", before, after)


def line(name: str, **value: Any) -> Line:
    return Line(name, dump_record({"w": "me", "n": 1, **value}).decode())


def looked(*operations: Operation, sessions: bool = True, memories: bool = True) -> list[Operation]:
    return looked_at(operations, without_secrets, sessions=sessions, memories=memories)


def test_a_new_secret_is_taken_out_of_a_record_and_one_that_stood_there_stays() -> None:
    before = {"id": "one", "content": f"The key is {KEY}."}
    (told,) = looked(change(before, {**before, "keywords": [f"see {OTHER}"]}))
    assert told == change(before, {**before, "keywords": ["see [secret:github redacted]"]})


def test_what_moves_to_the_archive_is_not_spoilt_and_its_reason_has_no_secret() -> None:
    record = {"id": "one", "content": f"The key is {KEY}."}
    move, note = looked(change(record, None), line("archive/2026-11.jsonl", entry=record, reason=f"see {OTHER}"))
    assert move == change(record, None)
    assert isinstance(note, Line)
    value = load_record(note.text.encode()) or {}
    assert (value["entry"], value["reason"]) == (record, "see [secret:github redacted]")


def test_an_erasure_and_what_has_no_secret_pass_as_they_are() -> None:
    operations: list[Operation] = [
        Erasure("main", Kind.SEMANTIC, "one"),
        change(None, {"id": "one", "content": "The kiln is blue."}),
        line(".memory/audit.jsonl", what="stored", id="one"),
        Put("MEMORY.md", None, "- The kiln is blue.\n"),
    ]
    assert all(a is b for a, b in zip(looked(*operations), operations, strict=True))


def test_the_text_of_a_record_is_looked_at_once_though_a_line_declares_it_again() -> None:
    seen: list[str] = []

    def clean(text: str) -> str:
        seen.append(text)
        return text

    content = "The kiln is blue, and\nit stands in the yard."
    said = dump_line(content, tags=("kiln",), memory_id="one", total=8, validity="", now_s=0.0)
    record = {"id": "one", "content": content}
    looked_at([change(None, record), Line(".memory/declarative.md", said, HEADER)], clean, sessions=True, memories=True)
    assert [text for text in seen if "yard" in text] == [content]


def test_a_line_that_declares_what_nobody_looked_at_is_looked_at() -> None:
    said = dump_line(f"The key is {KEY}.", tags=(), memory_id="one", total=8, validity="", now_s=0.0)
    (told,) = looked(Line(".memory/declarative.md", said, HEADER))
    assert isinstance(told, Line)
    assert KEY not in told.text


def test_of_a_text_only_new_lines_are_looked_at() -> None:
    before = f"- The old key is {KEY}.\n"
    (told,) = looked(Put("MEMORY.md", before, f"{before}- The new token is {OTHER}.\n"))
    assert told == Put("MEMORY.md", before, f"{before}- The new token is [secret:github redacted].\n")


def test_a_file_that_would_break_without_the_secret_is_not_written() -> None:
    broken = 'asked = "-----BEGIN RSA PRIVATE KEY----- MIIEowIBAAKCAQEA7bq3"\n'
    with pytest.raises(SecretRefusedError):
        looked(Put("tasks/one.toml", None, broken))


def test_settings_say_what_is_looked_at() -> None:
    task, note = Put("tasks/one.toml", None, f'asked = "{KEY}"\n'), line(".memory/audit.jsonl", text=KEY)
    assert looked(task, note, sessions=False)[0] is task
    assert looked(task, note, memories=False)[1] is note
    assert KEY not in json.dumps([str(one) for one in looked(task, note)])


@pytest.mark.demo
def test_no_step_of_the_daemons_own_gets_a_secret_past_the_commit(workspace: Folder) -> None:
    async def steps(service: Local) -> None:
        inside = service.store
        note = inside.record(".memory/audit.jsonl", 1, {"what": "told", "text": f"see {KEY}"}, 0.0)
        record = {"id": "odd-1", "content": f"The token is {OTHER}."}
        operations: list[Operation] = [Change("nora", Kind.SEMANTIC, "odd-1", None, record), note]
        await inside.commit(lambda _: operations, at_s=0.0)
        told = await service.call("memory.get", role="nora", id="odd-1")
        assert told["content"] == "The token is [secret:github redacted]."

    work(workspace, steps)
    texts = [one.read_bytes() for one in workspace.path.rglob("*") if one.is_file()]
    assert not any(secret.encode() in text for text in texts for secret in (KEY, OTHER))


def test_what_is_known_of_texts_is_bounded() -> None:
    known = Secretless()
    for number in range(SECRETLESS + 50):
        known.keep(f"text number {number}", f"text number {number}")
    assert known.lacking(["text number 0", f"text number {SECRETLESS + 49}"]) == ["text number 0"]
    long = "x " * 400_000
    for number in range(4):
        known.keep(f"{long}{number} {KEY}", f"{long}{number}")
    assert known.lacking([f"{long}0 {KEY}"])
    assert known.of(f"{long}3 {KEY}") == f"{long}3"
