"""Play requests against a workspace where time and ids are given, and return the replies as they can be compared.

A file of `requests/` has a JSON value a line: `["method", {parameters}]`, with `"name"` as a third member where a later line
refers to the reply as `{name.key.0}`; or a text, which is sent as a frame to the letter. Lines that begin with `#` divide.
"""

from __future__ import annotations

import asyncio
import json
import re
import shlex
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import UUID

from memd import __version__
from memd.config import place_of
from memd.daemon import service_of
from memd.doors.rpc import Request, answer, read_request
from memd.storage.itself import own_command
from memd.store.opening import open_workspace
from memd.store.ports import Ports
from memd.store.reading.absorb import files_beside
from tests.support import Folder

HERE = Path(__file__).parent
BEGUN_S = 1_779_962_400.0  # 2026-05-28 10:00 UTC
STEP_S = 60.0  # between two requests
SETTLED_S = 0.1  # a file older than this when it is first read need not be read again (memd.storage.files.is_racy)
VOLATILE = ("elapsed_ms", "uptime_s", "pid", "took_ms", "took_s", "built_at")  # figures of one run on one machine
_REFERENCE = re.compile(r"\{([a-z_0-9]+)((?:\.[A-Za-z_0-9]+)+)\}")

Line = list[Any] | str


def lines_of(family: str) -> list[Line]:
    """Return the requests of a family."""
    text = (HERE / "requests" / f"{family}.jsonl").read_text("utf-8")
    return [json.loads(line) for line in text.splitlines() if line and not line.startswith("#")]


def families() -> list[str]:
    """Return the names of all families."""
    return sorted(path.stem for path in (HERE / "requests").glob("*.jsonl"))


@dataclass
class Clock:
    """A time that stands still within a request."""

    now_s: float = BEGUN_S

    def now(self) -> float:
        return self.now_s


@dataclass
class Ids:
    """Ids that follow one another."""

    count: int = 0

    def new(self) -> str:
        self.count += 1
        return str(UUID(int=(0xC0DE << 112) + (self.count * 0x9E3779B97F4A7C15 % 2**64 << 40), version=4))


@dataclass
class Player:
    """One workspace, and what was answered so far under a name."""

    folder: Folder
    known: dict[str, Any] = field(default_factory=dict)

    def play(self, lines: list[Line]) -> list[Any]:
        """Ask one after the other, and return what each was answered: a result, or an error."""
        return asyncio.run(self._play(lines))

    async def _play(self, lines: list[Line]) -> list[Any]:
        clock, replies = Clock(), []
        place = place_of(str(self.folder.path))
        ports = Ports(clock.now, time.monotonic, Ids().new)
        holder = {"pid": 1, "what": "test"}
        await asyncio.sleep(SETTLED_S)
        store = await open_workspace(
            place.workspace, holder=holder, ports=ports, cache_dir=place.cache, state_dir=place.state
        )
        service = service_of(store, place, daemon=False)
        named = {
            store.writer.journal.writer: "<writer>",
            place.cache: "<cache>",
            place.state: "<state>",
            place.socket: "<socket>",
            place.workspace: "<workspace>",
            shlex.join(own_command()): "<memd>",
        }
        try:
            for number, line in enumerate(lines, 1):
                request = read_request(self._frame(number, line))
                for role in store.roles.values():  # whoever follows the files knows what lies beside each
                    role.file.beside = files_beside(store.tree, role.name)
                reply = await answer(service, request) if isinstance(request, Request) else request
                if not isinstance(line, str) and len(line) > 2:
                    self.known[line[2]] = reply.get("result")
                replies.append(comparable(reply, named))
                clock.now_s += STEP_S
                while behind := store.working.attended.tasks:
                    await asyncio.wait(set(behind))
                await store.writer.journal.drain()
                if store.writer.applier is not None and store.writer.depth:  # files follow the log after a while
                    await store.writer.applier.flush(store.writer.journal.log.last, 10.0)
                while store.writer.depth or any(self.folder.path.rglob("*.memd-tmp*")):
                    await asyncio.sleep(0.002)
        finally:
            service.indexing.close()
            await store.close()
        return replies

    def _frame(self, number: int, line: Line) -> bytes:
        if isinstance(line, str):
            return line.encode("utf-8", "surrogateescape")
        params = json.loads(_REFERENCE.sub(self._referred, json.dumps(line[1], ensure_ascii=False)))
        request = {"jsonrpc": "2.0", "id": number, "method": line[0], "params": params}
        return json.dumps(request, ensure_ascii=False).encode()

    def _referred(self, found: re.Match[str]) -> str:
        value = self.known[found[1]]
        for key in found[2][1:].split("."):
            value = value[int(key)] if isinstance(value, list) else value[key]
        return str(value)


def comparable(reply: dict[str, Any], named: dict[str, str]) -> Any:
    """Return a result or an error without what differs from one run to the next."""
    return _plain(reply.get("result", {"error": reply.get("error")}), named)


def _plain(value: Any, named: dict[str, str]) -> Any:
    if isinstance(value, dict):
        volatile = (*VOLATILE, "bytes") if "documents" in value else VOLATILE  # of an index: it has times of files
        limit = value.get("memory_dir_bytes")
        if isinstance(limit, dict):  # the log notes what was applied in batches, as they come to stand together
            value = {**value, "memory_dir_bytes": {**limit, "used": 0}}
        return {
            _plain(key, named): type(one)() if key in volatile else _plain(one, named)
            for key, one in sorted(value.items())
        }
    if isinstance(value, list):
        return [_plain(one, named) for one in value]
    if isinstance(value, str):
        for seen, shown in {**named, __version__: "<version>"}.items():
            value = value.replace(seen, shown)
    return value


def differences(was: Any, now: Any, at: str = "") -> Iterator[str]:
    """Yield where two replies differ, by place."""
    if isinstance(was, dict) and isinstance(now, dict):
        for key in sorted(was.keys() | now.keys()):
            if key not in now:
                yield f"{at}.{key}: it is gone; it was {was[key]!r:.200}"
            elif key not in was:
                yield f"{at}.{key}: it is new: {now[key]!r:.200}"
            else:
                yield from differences(was[key], now[key], f"{at}.{key}")
    elif isinstance(was, list) and isinstance(now, list) and len(was) == len(now):
        for number, (one, other) in enumerate(zip(was, now, strict=True)):
            yield from differences(one, other, f"{at}.{number}")
    elif was != now or type(was) is not type(now):
        yield f"{at}: {was!r:.300} is now {now!r:.300}"
