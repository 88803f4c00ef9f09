"""Requests of one connection whose order counts are carried out one after the other."""

from __future__ import annotations

import json
import socket
from typing import Any

from tests.support import Daemon


def pipelined(daemon: Daemon, *calls: tuple[str, dict[str, Any]]) -> list[dict[str, Any]]:
    """Send all requests at once, and return the replies by their order of asking."""
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(str(daemon.socket))
        client.settimeout(30)
        frames = [
            json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
            for number, (method, params) in enumerate(calls)
        ]
        client.sendall(("\n".join(frames) + "\n").encode())
        with client.makefile("rb") as replies:
            found = [json.loads(next(replies)) for _ in calls]
    return sorted(found, key=lambda one: int(one["id"]))


def test_what_builds_on_the_request_before_it_finds_it_done(daemon: Daemon) -> None:
    """Right after a start the first request waits for what is loaded then; the second must not overtake it."""
    replies = pipelined(
        daemon,
        ("curated.add", {"file": "memory", "content": "Node is 20. 节点。"}),
        ("curated.replace", {"file": "memory", "old_text": "Node is 20", "content": "Node is 22."}),
        ("curated.remove", {"file": "memory", "old_text": "Node is 22"}),
        ("task.open", {"title": "Report", "task": "report"}),
        ("run.start", {"run": "r", "task": "report", "role": "main", "asked": "Write it."}),
        ("context.render", {"run": "r", "message": "What now?", "record": True}),
        ("run.complete", {"run": "r", "summary": "Done."}),
        ("task.accept", {"task": "report", "words": "好"}),
    )
    assert [one.get("error") for one in replies] == [None] * len(replies)
    replies = pipelined(
        daemon,
        ("session.open", {"session": "s", "role": "main"}),
        *(
            ("session.append", {"session": "s", "after": n, "events": [{"kind": "note", "content": str(n)}]})
            for n in range(1, 5)
        ),
        ("session.close", {"session": "s"}),
    )
    assert [one.get("error") for one in replies] == [None] * len(replies)
