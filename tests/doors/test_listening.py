"""A socket is bound only where nobody else can put another directory in the place of ours."""

from __future__ import annotations

import asyncio
import os
import socket
from pathlib import Path

import pytest

from memd.doors.listening import bind, bind_port
from memd.errors import BadSocketError
from tests.support import Folder, memd


def test_a_directory_that_is_missing_is_made_for_its_user_alone(short_dir: Path) -> None:
    bind(str(short_dir / "memd/s")).close()
    assert (short_dir / "memd").stat().st_mode & 0o777 == 0o700
    assert (short_dir / "memd/s").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    ("mode", "why"),
    [
        pytest.param("link", "is a symbolic link", id="a runtime directory that is a link"),
        pytest.param("open", "can be written by everybody", id="one that everybody may write"),
        pytest.param("other", "belongs to another user", id="one of another user"),
        pytest.param("file", "is no directory", id="one that is a file"),
        pytest.param("none", "there is no directory", id="one that is not there"),
    ],
)
def test_nothing_is_bound_below(short_dir: Path, monkeypatch: pytest.MonkeyPatch, mode: str, why: str) -> None:
    runtime = short_dir / "run"
    if mode == "link":
        (short_dir / "elsewhere").mkdir()
        os.symlink(short_dir / "elsewhere", runtime)
        if os.geteuid() == 0:
            os.chown(runtime, 1, 1, follow_symlinks=False)  # root's own links are the system's
    elif mode == "file":
        runtime.touch()
    elif mode != "none":
        runtime.mkdir()
    if mode == "open":
        runtime.chmod(0o777)
    elif mode == "other":
        monkeypatch.setattr(os, "geteuid", lambda: os.stat(runtime).st_uid + 1)
        os.chown(runtime, *([12345, 12345] if os.getuid() == 0 else [-1, -1]))
    with pytest.raises(BadSocketError, match=why):
        bind(str(runtime / "memd/s"))
    assert not (short_dir / "elsewhere/memd").exists()


def test_a_sticky_directory_of_everybody_will_do(short_dir: Path) -> None:
    short_dir.chmod(0o1777)
    made = bind(str(short_dir / "memd/s"))
    assert made.family == socket.AF_UNIX
    made.close()


def test_up_detach_says_at_once_why_it_cannot_listen(workspace: Folder, short_dir: Path) -> None:
    (short_dir / "elsewhere").mkdir()
    runtime = short_dir / "run"
    runtime.symlink_to(short_dir / "elsewhere")
    if os.geteuid() == 0:
        os.chown(runtime, 1, 1, follow_symlinks=False)
    done = memd("up", "--detach", "-w", str(workspace.path), check=False, env={"XDG_RUNTIME_DIR": str(runtime)})
    assert done.returncode != 0
    assert "is a symbolic link" in done.stderr
    assert not list((short_dir / "elsewhere").iterdir())


@pytest.mark.parametrize("mode", [0o701, 0o710, 0o750, 0o777])
def test_a_directory_that_others_may_enter_is_refused(short_dir: Path, mode: int) -> None:
    (short_dir / "open").mkdir()
    (short_dir / "open").chmod(mode)
    with pytest.raises(BadSocketError, match="nobody else"):
        bind(str(short_dir / "open/s"))
    assert os.listdir(short_dir / "open") == []


def test_a_socket_that_is_listened_at_stays_and_one_that_was_left_is_taken_over(short_dir: Path) -> None:
    path = str(short_dir / "s")
    with bind(path) as first:
        first.listen()
        with pytest.raises(BadSocketError, match="answers"):
            bind(path)
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(path)
    with bind(path) as second:
        second.listen()


def test_what_is_no_socket_is_never_removed(short_dir: Path) -> None:
    (short_dir / "s").write_text("a person's file")
    with pytest.raises(BadSocketError, match="not a socket"):
        bind(str(short_dir / "s"))
    assert (short_dir / "s").read_text() == "a person's file"
    with pytest.raises(BadSocketError, match="bytes"):
        bind(str(short_dir / ("x" * 200)))


def test_what_is_written_to_a_port_goes_out_at_once() -> None:
    async def told() -> int:
        found: asyncio.Future[int] = asyncio.get_running_loop().create_future()

        def came(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            found.set_result(writer.get_extra_info("socket").getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
            writer.close()

        listener = bind_port(0)
        async with await asyncio.start_server(came, sock=listener):
            _, writer = await asyncio.open_connection(*listener.getsockname())
            writer.close()
            return await found

    assert asyncio.run(told())
