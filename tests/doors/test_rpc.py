"""A frame is a request or a reply that says what is wrong; what depends on another request says on which."""

from __future__ import annotations

import json
from typing import Any

import pytest

from memd.doors.rpc import METHODS, Request, number_of, read_request

WORK = ("run.start", "task.open", "skill.list", "curated.add", "snapshot.make", "context.render")
GIVEN: dict[str, dict[str, Any]] = {
    "run.start": {"run": "r", "role": "main"},
    "task.open": {"title": "t"},
    "curated.add": {"file": "memory", "content": "x"},
    "context.render": {"run": "r", "message": "m"},
}


def read(method: str, **params: Any) -> Request:
    request = read_request(json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode())
    assert isinstance(request, Request), request
    return request


def refused(frame: bytes) -> dict[str, Any]:
    reply = read_request(frame)
    assert isinstance(reply, dict)
    return reply


def test_requests_to_runs_tasks_and_what_is_learned_follow_one_another() -> None:
    families = {name.partition(".")[0] for name in METHODS}
    for family in ("run", "task", "learning", "skill", "curated", "snapshot", "context"):
        assert family in families
    for name, params in GIVEN.items():
        request = read(name, **params)
        assert (request.role, request.serial) == ("work", True), name


def test_requests_to_one_session_follow_one_another_and_to_another_do_not() -> None:
    one, other = (read("session.close", session=session) for session in ("s", "t"))
    assert (one.role, one.serial) == ("session s", True)
    assert (other.role, other.serial) == ("session t", True)


def test_requests_to_a_role_are_answered_in_order_and_carried_out_at_once() -> None:
    assert (read("trigger", role="main", message="x").role, read("trigger", role="main", message="x").serial) == (
        "main",
        False,
    )
    assert read("status").role == ""


@pytest.mark.parametrize(
    ("frame", "number", "request_id"),
    [
        (b"{", -32700, None),
        (b'{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}', -32700, None),
        (b"[]", -32600, None),
        (b'{"jsonrpc":"1.0","id":7,"method":"ping"}', -32600, 7),
        (b'{"jsonrpc":"2.0","id":true,"method":"ping"}', -32600, None),
        (b'{"jsonrpc":"2.0","id":7,"method":"ping","more":1}', -32600, 7),
        (b'{"jsonrpc":"2.0","id":7,"method":1}', -32600, 7),
        (b'{"jsonrpc":"2.0","id":"a","method":"no.such"}', -32601, "a"),
        (b'{"jsonrpc":"2.0","id":7,"method":"ping","params":[]}', -32602, 7),
        (b'{"jsonrpc":"2.0","id":7,"method":"trigger","params":{"role":1}}', -32602, 7),
        (b'{"jsonrpc":"2.0","id":7,"method":"trigger","params":{"role":"a","nobody":1}}', -32602, 7),
    ],
)
def test_a_frame_that_is_no_request_is_answered_with_its_fault(frame: bytes, number: int, request_id: object) -> None:
    reply = refused(frame)
    assert (reply["error"]["code"], reply["id"]) == (number, request_id)


def test_a_request_without_an_id_wants_no_reply_and_one_with_null_does() -> None:
    told = read_request(b'{"jsonrpc":"2.0","method":"ping"}')
    asked = read_request(b'{"jsonrpc":"2.0","id":null,"method":"ping"}')
    assert isinstance(told, Request)
    assert isinstance(asked, Request)
    assert (told.is_notification, asked.is_notification) == (True, False)


def test_the_longest_code_that_begins_a_code_decides_its_number() -> None:
    assert number_of("storage.full") == -32011
    assert number_of("storage.anything") == -32010
    assert number_of("nobody.knows") == -32603
