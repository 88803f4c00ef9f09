"""A socket is bound only in a directory of ours, and only over one that nobody listens at."""

from __future__ import annotations

import os
import socket
import stat
from pathlib import Path

import pytest

from memd.doors.listening import bind
from memd.errors import BadSocketError


def test_a_socket_and_its_directory_are_for_their_user_alone(short_dir: Path) -> None:
    path = short_dir / "made/s"
    with bind(str(path)):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


@pytest.mark.parametrize("mode", [0o701, 0o710, 0o750, 0o777])
def test_a_directory_that_others_may_enter_is_refused(short_dir: Path, mode: int) -> None:
    (short_dir / "open").mkdir()
    (short_dir / "open").chmod(mode)
    with pytest.raises(BadSocketError, match="nobody else"):
        bind(str(short_dir / "open/s"))
    assert os.listdir(short_dir / "open") == []


def test_a_link_is_no_directory_of_ours(short_dir: Path) -> None:
    (short_dir / "real").mkdir(mode=0o700)
    (short_dir / "link").symlink_to("real")
    with pytest.raises(BadSocketError):
        bind(str(short_dir / "link/s"))


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
