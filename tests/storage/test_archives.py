"""A tar file of a workspace comes out as it went in, and leads nowhere else."""

from __future__ import annotations

import hashlib
import os
import stat
import tarfile
from pathlib import Path

import pytest

from memd.errors import BackupError
from memd.storage.archives import Kept, is_inside, read_tar, write_tar

KEPT = (Kept("a.md", b"one"), Kept("skills/run.sh", b"#!/bin/sh\n", executable=True), Kept("empty", b""))
DIGESTS = {one.name: hashlib.sha256(one.data).hexdigest() for one in KEPT}


@pytest.mark.parametrize("name", ["b.tar", "b.tar.gz"])
def test_what_went_in_comes_out(tmp_path: Path, name: str) -> None:
    path = str(tmp_path / name)
    write_tar(path, DIGESTS, iter(KEPT), {})
    assert list(read_tar(path)) == list(KEPT)
    with pytest.raises(FileExistsError):
        write_tar(path, DIGESTS, iter(KEPT), {})
    with tarfile.open(path) as tar:
        modes = {one.name: stat.S_IMODE(one.mode) for one in tar}
    assert (modes["a.md"], modes["skills/run.sh"]) == (0o644, 0o755)


@pytest.mark.parametrize(
    ("digests", "kept"),
    [
        (DIGESTS, KEPT[:2]),
        ({**DIGESTS, "a.md": "0" * 64}, KEPT),
        ({"a.md": DIGESTS["a.md"]}, KEPT),
        ({"../a": DIGESTS["a.md"]}, (Kept("../a", b"one"),)),
    ],
    ids=["one is missing", "one was changed", "one is too many", "one leads outside"],
)
def test_what_is_not_whole_is_refused(tmp_path: Path, digests: dict[str, str], kept: tuple[Kept, ...]) -> None:
    path = str(tmp_path / "b.tar")
    write_tar(path, digests, iter(kept), {})
    with pytest.raises(BackupError):
        list(read_tar(path))
    assert os.path.exists(path)


@pytest.mark.parametrize("name", ["", "/a", "a//b", "./a", "a/../b", ".git/config", "a/.GIT/hooks", ".git. /x", "a\0b"])
def test_a_name_that_leads_elsewhere_or_into_a_repositorys_own_files_is_refused(name: str) -> None:
    assert not is_inside(name)
    assert is_inside("a/.gitignore")
