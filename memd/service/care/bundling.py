"""The files of a workspace and the history of its repository as one git bundle, and back.

Everything is put together in a repository of its own, beside the person's, which lends it its objects: nothing is written into
the one that is backed up. REF has the files as they are, unfiltered; its message says what was checked out.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from memd.errors import BackupError
from memd.model.progress import Told, untold
from memd.storage.archives import Kept, is_inside
from memd.storage.history import Git

REF, DETACHED, STASH = "refs/memd/backup", "refs/memd/head", "refs/memd/stash"
MESSAGE = "memd backup\n\nhead: {head}\n"
HEAD_LINE = "head: "
BATCH_BYTES = 64_000_000  # of files that are held at once
_WHO = ("user.name=memd", "user.email=memd@localhost", "commit.gpgSign=false")
_CHECKED = ("transfer.fsckObjects=true", "fetch.fsckObjects=true", "init.defaultBranch=main")
_REFS = ("heads", "tags", "notes", "memd")


class Listed(NamedTuple):
    """One file of a backup: its name, whether it can be executed, its object, and its size in bytes."""

    name: str
    executable: bool
    digest: str
    size: int


def bundle(git: Git, names: Mapping[str, bool], path: str) -> tuple[int, int]:
    """Write the files (True: can be executed) and the history to a path; return bytes of the files, and commits."""
    head = git.run("rev-parse", "--verify", "--quiet", "HEAD", check=False).text
    branch = git.run("symbolic-ref", "-q", "HEAD", check=False).text
    lent = os.path.realpath(os.path.join(git.path, git.run("rev-parse", "--git-path", "objects").text))
    with tempfile.TemporaryDirectory(prefix="memd-backup-") as folder:
        env = {
            "GIT_DIR": os.path.join(folder, "repository"),
            "GIT_INDEX_FILE": os.path.join(folder, "index"),
            "GIT_ALTERNATE_OBJECT_DIRECTORIES": '"{}"'.format(lent.replace("\\", "\\\\").replace('"', '\\"')),
        }
        git.run("init", "--quiet", "--bare", env=env)
        git.run(
            "fetch", "--quiet", git.run("rev-parse", "--absolute-git-dir").text, "+refs/*:refs/*", env=env, remote=True
        )
        saved = _tree_of(git, names, env)
        own = Git(git.path, _WHO)
        parent = ("-p", head) if head else ()
        commit = own.run("commit-tree", saved, *parent, "-m", MESSAGE.format(head=branch or head), env=env).text
        own.run("update-ref", REF, commit, env=env)
        if head and not branch:
            own.run("update-ref", DETACHED, head, env=env)
        size = sum(one.size for one in listed(git, REF, env))
        git.run("bundle", "create", "--quiet", os.path.abspath(path), "--all", env=env)
        return size, int(git.run("rev-list", "--all", "--count", env=env).text) - 1


def _tree_of(git: Git, names: Mapping[str, bool], env: Mapping[str, str]) -> str:
    given = b"".join(_quoted(name) + b"\n" for name in names)
    digests = git.run("hash-object", "-w", "--no-filters", "--stdin-paths", given=given, env=env).text.split()
    modes = (b"100755" if executable else b"100644" for executable in names.values())
    lines = [
        mode + b" " + digest.encode() + b"\t" + os.fsencode(name)
        for mode, digest, name in zip(modes, digests, names, strict=True)
    ]
    git.run("update-index", "-z", "--index-info", given=b"\0".join([*lines, b""]), env=env)
    return git.run("write-tree", env=env).text


def _quoted(name: str) -> bytes:
    """Return a name as git reads one from a line: a line break in it would end the line."""
    if not any(char in name for char in '\n\r"\\'):
        return os.fsencode(name)
    plain = name.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\r", "\\r")
    return b'"' + os.fsencode(plain) + b'"'


def unbundled(path: str, folder: str, *, working: bool = False) -> Git:
    """Return a repository with everything a bundle has, every object checked; `working`: with what was checked out as HEAD."""
    git, name = Git(folder, _CHECKED), os.path.basename(path)
    git.run("init", "--quiet", *([] if working else ["--bare"]))
    heads = git.run("bundle", "list-heads", os.path.abspath(path), check=False).text.splitlines()
    refs = {line.partition(" ")[2] for line in heads}
    if REF not in refs:
        raise BackupError(name, "it is no bundle of memd's, or not a whole one")
    wanted = [f"refs/{one}/*:refs/{one}/*" for one in _REFS] if working else ["refs/*:refs/*"]
    wanted += [f"refs/stash:{STASH}"] if working and "refs/stash" in refs else []
    fetched = git.run("fetch", "--quiet", "--update-head-ok", os.path.abspath(path), *wanted, check=False, remote=True)
    if fetched.status:
        raise BackupError(name, f"it is not a whole bundle: {fetched.said}")
    if working:
        _check_out_as_before(git, refs)
    return git


def _check_out_as_before(git: Git, refs: set[str]) -> None:
    message = git.run("log", "-1", "--format=%B", REF).text.splitlines()
    head = next((line.removeprefix(HEAD_LINE) for line in message if line.startswith(HEAD_LINE)), "")
    if head in refs and head.startswith("refs/heads/"):
        git.run("symbolic-ref", "HEAD", head)
    elif DETACHED in refs:
        git.run("update-ref", "--no-deref", "HEAD", DETACHED)
    if "refs/stash" in refs:
        git.run("stash", "store", "-m", "restored by memd", STASH, check=False)


def forget_marks(git: Git) -> None:
    """Take out of a restored repository what only the bundle needed."""
    for ref in (REF, DETACHED, STASH):
        git.run("update-ref", "-d", ref, check=False)
    if git.run("rev-parse", "--verify", "--quiet", "HEAD", check=False).status == 0:
        git.run("reset", "--quiet", "--mixed")


def count_commits(git: Git) -> int:
    """Return how many commits of history a bundle has."""
    return int(git.run("rev-list", "--all", "--count").text) - 1


def listed(git: Git, which: str, env: Mapping[str, str] | None = None) -> list[Listed]:
    """Return every file that was backed up; BackupError for what has no place in a backup."""
    found = []
    for line in filter(None, git.run("ls-tree", "-r", "-l", "-z", which, env=env).out.split(b"\0")):
        head, _, raw = line.partition(b"\t")
        mode, form, digest, size = head.decode().split()
        name = raw.decode("utf-8", "surrogateescape")
        if form != "blob" or mode not in ("100644", "100755") or not is_inside(name):
            raise BackupError(git.path, f"{name[:120]!r} does not belong in a backup")
        found.append(Listed(name, mode == "100755", digest, int(size)))
    return found


def saved(git: Git, told: Told = untold) -> Iterator[Kept]:
    """Yield the files that were backed up, byte for byte, some at a time; `told` hears of files."""
    waiting = listed(git, REF)[::-1]
    of = len(waiting)
    while waiting:
        batch: list[Listed] = []
        total = 0
        while waiting and (not batch or total + waiting[-1].size < BATCH_BYTES):
            batch.append(waiting.pop())
            total += batch[-1].size
        out = git.run("cat-file", "--batch", given="".join(f"{one.digest}\n" for one in batch).encode()).out
        at = 0
        for number, one in enumerate(batch):
            told(of - len(waiting) - len(batch) + number, of, "reading")
            at = out.index(b"\n", at) + 1
            yield Kept(one.name, out[at : at + one.size], one.executable)
            at += one.size + 1
