"""The typed methods are those of the declarations, and a user's program is checked by them."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec import UNSET

from memd.client import AsyncClient, Client, types
from memd.client.asking import given
from memd.client.types import Goal, Trait
from memd.client.wire import is_repeatable, result_of
from memd.doors.rpc import METHODS
from memd.errors import (
    DaemonMissingError,
    LimitExceededError,
    MemoryUnknownError,
    RemoteError,
    ReplyMisfitError,
    StorageError,
    by_code,
)  # fmt: skip
from memd.protocol.fields import Request
from memd.verbs.declared import Verb
from tests.corpus.player import differences, families, lines_of
from tests.support import ROOT, Daemon, Folder
from tests.test_corpus import replies_of
from tools import declarations

PROGRAM = ROOT / "tests/client/program.txt"


def typed_method(client: type | object, name: str) -> Any:
    family, _, word = name.rpartition(".")
    return getattr(getattr(client, family) if family else client, f"{word}_" if word == "import" else word)


class Unasked(Client):
    """A client without a connection: what would be asked is kept."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, dict[str, Any]]] = []
        self.reply: dict[str, Any] = {}

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        self.asked.append((method, params))
        return self.reply


@pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)
def test_both_clients_have_every_method_with_its_parameters_and_defaults(method: Verb) -> None:
    declared = declarations.all_fields(method.request)
    for client in (Unasked(), AsyncClient("/nowhere")):
        found = typed_method(client, method.name)
        assert (found.__doc__ or "").startswith(method.summary)
        parameters = inspect.signature(found).parameters
        assert {one.kind for one in parameters.values()} <= {inspect.Parameter.KEYWORD_ONLY}
        assert set(parameters) == {one.name for one in declared}
        for one in declared:
            default = inspect.Parameter.empty if one.required else one.default
            if default is UNSET and not declarations.family_of(method.name):
                default = None  # nothing is imported for these
            assert parameters[one.name].default == default, one.name
        assert inspect.signature(found).return_annotation == method.reply.__name__
    assert is_repeatable(method.name) is not method.writes


def test_what_stands_at_its_default_is_not_sent() -> None:
    client = Unasked()
    with pytest.raises(ReplyMisfitError, match=r"the daemon's answer to memory\.list"):
        client.memory.list(role="main", limit=100, kind=None, order="file", tag="x")
    with pytest.raises(ReplyMisfitError):
        client.memory.update(role="main", id="a", name=None, keys=[], content=UNSET, constant=False)
    with pytest.raises(ReplyMisfitError):
        client.traits.update(role="main", traits=[Trait(name="calm", value="very")])
    with pytest.raises(ReplyMisfitError):
        client.goals.update(role="main", goals=[Goal(value="Sleep", priority=3)], replace_all=True)
    assert client.asked == [
        ("memory.list", {"role": "main", "tag": "x"}),
        ("memory.update", {"role": "main", "id": "a", "name": None, "keys": [], "constant": False}),
        ("traits.update", {"role": "main", "traits": [{"name": "calm", "value": "very"}]}),
        ("goals.update", {"role": "main", "goals": [{"value": "Sleep", "priority": 3}], "replace_all": True}),
    ]


def test_a_default_is_not_taken_for_what_only_equals_it() -> None:
    def ask(*, count: int = 1, sure: bool = False) -> None: ...

    assert given(ask, {"count": True, "sure": 0}) == {"count": True, "sure": 0}


@pytest.mark.parametrize("family", families())
def test_every_recorded_reply_is_what_the_client_returns(family: str) -> None:
    for line, reply in zip(lines_of(family), replies_of(family), strict=True):
        if not isinstance(line, list) or line[0] not in METHODS or "error" in reply:
            continue
        declared = METHODS[line[0]].reply
        kind = getattr(types, declared.__name__)
        was, now = _without_nulls(reply), _without_nulls(msgspec.to_builtins(msgspec.convert(reply, kind)))
        assert was == now, (line, list(differences(was, now)))


def _without_nulls(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_nulls(one) for key, one in value.items() if one is not None}
    return [_without_nulls(one) for one in value] if isinstance(value, list) else value


def test_replies_are_typed_over_a_socket_and_newer_keys_are_passed_over(daemon: Daemon, workspace: Folder) -> None:
    with daemon.client() as client:
        client.call("remember", role="main", content="I prefer tabs to spaces.", explicit=True)
        (one,) = client.memory.list(role="main").memories
        found = client.memory.get(role="main", id=one.id[:8], history=True)
        assert (found.content, found.superseded_by, type(found).__name__) == (one.content, None, "FoundMemory")
        assert [past.content for past in found.history or []] == [one.content]
        assert client.config.get(key="gate.keep_from").settings
    unasked = Unasked()
    unasked.reply = {"name": "main", "file": "roles/main/memory.json", "of_tomorrow": {}}
    assert unasked.role.create(name="main").file == "roles/main/memory.json"


def test_what_a_daemon_answers_is_of_the_class_of_its_code(daemon: Daemon) -> None:
    with daemon.client() as client:
        with pytest.raises(MemoryUnknownError) as told:
            client.memory.get(role="main", id="nothing")
        with pytest.raises(RemoteError, match="nothing"):
            client.memory.get(role="main", id="nothing")
    assert isinstance(told.value, RemoteError)
    assert (told.value.code, told.value.number) == ("memory.unknown", -32003)
    assert told.value.hint


def answered(code: str) -> RemoteError:
    with pytest.raises(RemoteError, match=r"It \{is\} so") as told:
        result_of({"error": {"code": -1, "message": "It {is} so", "data": {"code": code, "hint": "Wait."}}}, "/s")
    assert (told.value.code, told.value.hint, told.value.number, str(told.value)) == (code, "Wait.", -1, "It {is} so")
    return told.value


def test_every_code_comes_back_as_an_error_of_one_tree() -> None:
    for code, kind in by_code().items():
        family = code.partition(".")[0]
        ours = family in ("internal", "daemon", "client", "socket")
        error = answered(code)
        assert isinstance(error, kind) is not ours
    assert type(answered("code.of.tomorrow")) is RemoteError
    assert isinstance(answered("limit.clients"), LimitExceededError)
    assert isinstance(answered("storage.full"), StorageError)
    assert not isinstance(answered("daemon.missing"), DaemonMissingError), "a daemon that answers is not missing"


def test_a_users_program_is_checked_line_by_line(tmp_path: Path) -> None:
    """Right calls pass under mypy --strict; each line that is marked is found wrong, and no other."""
    program = tmp_path / "program.py"
    program.write_text(PROGRAM.read_text("utf-8"), "utf-8")
    ran = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", "--config-file=", "--cache-dir", str(tmp_path / "cache"),
         "program.py"],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if "No module named mypy" in ran.stderr:
        pytest.skip("the oldest libraries are tested without the checker")
    found = {int(line.split(":")[1]): line for line in ran.stdout.splitlines() if ": error: " in line}
    lines = PROGRAM.read_text("utf-8").splitlines()
    marked = {number: line.partition("# wrong: ")[2] for number, line in enumerate(lines, 1) if "# wrong: " in line}
    assert len(marked) > 12
    assert set(found) == set(marked), ran.stdout
    for number, words in marked.items():
        assert re.search(words, found[number]), (found[number], words)


IMPORTED = """
import sys
from memd.client import Client, find_workspace
heavy = {"asyncio", "msgspec", "whoosh", "click", "memd.protocol", "memd.verbs", "memd.service", "memd.engine", "memd.storage", "memd.doors"}
print(sorted(heavy & set(sys.modules)), len(sys.modules))
"""


def test_importing_the_client_costs_next_to_nothing() -> None:
    ran = subprocess.run([sys.executable, "-I", "-c", IMPORTED], capture_output=True, text=True, check=True)
    heavy, count = ran.stdout.rsplit(maxsplit=1)
    assert heavy == "[]"
    assert int(count) < 130


def test_nothing_of_a_typed_call_needs_the_service() -> None:
    code = (
        "import sys, msgspec, memd.client.types as t, memd.client.methods.memories as m\n"
        "names = [getattr(t, name) for name in dir(t)]\n"
        "print(sorted({one for one in sys.modules if one.startswith('memd.')\n"
        "  and not one.startswith(('memd.client', 'memd.errors', 'memd.places', 'memd.protocol', 'memd.whereabouts'))}), len(names) > 60)\n"
    )
    ran = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout == "[] True\n"


def test_what_all_methods_take_is_what_the_request_says() -> None:
    assert [one.name for one in declarations.all_fields(Request)] == ["reader"]
