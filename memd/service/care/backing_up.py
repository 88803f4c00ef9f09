"""backup: everything of a workspace in one file, proved before it is called one; and back into an empty directory.

Where the workspace is a repository the file is a git bundle: its whole history, and the files as they are, those that git
ignores and memd needs among them, byte for byte. Elsewhere it is a tar file with a digest for each file.

Errors
    BackupError, with nothing left behind that could be taken for a backup.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from memd.errors import BackupError, BackupPlaceError, GitFailedError, GitMissingError
from memd.model.files import Told, untold
from memd.storage.archives import Kept, is_gzipped, is_inside, read_tar, write_tar
from memd.storage.files import TEMPORARY_SUFFIX, Tree
from memd.storage.history import Git
from memd.storage.layout import INBOX, LOCK, PROVISIONAL, SETTINGS
from memd.storage.replace import create
from memd.text.counting import counted

READ_BYTES = 1 << 32
BUNDLE, TAR = "git bundle", "tar"
SHALLOW = "the history is not in it: this clone is shallow; `git fetch --unshallow` gets the rest"
PART = "the history is not in it: the workspace is a part of the repository {0}"
_BUNDLE_HEAD = b"# v"


@dataclass(slots=True)
class BackedUp:
    """What a backup has: its file and form, how many files and bytes of the workspace, commits, and what it leaves out."""

    file: str
    form: str
    files: int = 0
    bytes: int = 0
    commits: int = 0
    left_out: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)


def back_up(path: str, tree: Tree, told: Told = untold, *, inbox: bool = False) -> BackedUp:
    """Write a backup of a workspace to a path that must be free, and prove it; `told` hears of files.

    `inbox`: also the texts that wait there, which nobody has kept yet.
    """
    if os.path.lexists(path):
        raise BackupPlaceError(path, "it exists already; a backup is never written over")
    folder = os.path.dirname(os.path.abspath(path))
    if not os.path.isdir(folder):
        raise BackupPlaceError(path, f"there is no directory {folder}")
    if os.path.realpath(folder) == tree.path or os.path.realpath(folder).startswith(tree.path + os.sep):
        raise BackupPlaceError(path, "it would lie inside the workspace; name a place outside")
    unproved = f"{path}.unproved-{os.getpid()}" + (".gz" if is_gzipped(path) else "")
    try:
        names, left_out = _names(tree)
        names = names if inbox else [one for one in names if one not in (INBOX, PROVISIONAL)]
        git, remark = _repository(tree)
        done = BackedUp(path, BUNDLE if git else TAR, len(names), 0, 0, left_out, [remark] if remark else [])
        if git:
            modes = {name: _is_executable(tree, name) for name in names}
            told(0, 2 * len(names), "bundling")
            done.bytes, done.commits = bundle(git, modes, unproved)
        else:
            _tar(tree, names, unproved, done, told)

        def proving(done: int, of: int, _: str) -> None:
            told(len(names) + done * len(names) // max(of, 1), 2 * len(names), "proving")

        proved = look_into(unproved, proving)
        if (proved.files, proved.bytes, proved.commits) != (done.files, done.bytes, done.commits):
            raise BackupError(path, f"what was written does not match: {_counts(proved)}, not {_counts(done)}")
        os.link(unproved, path)  # fails where something is there by now
        return done
    except (OSError, GitFailedError) as error:
        raise BackupError(path, str(error)) from None
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(unproved)


def _counts(done: BackedUp) -> str:
    return f"{counted(done.files, 'file')} and {counted(done.commits, 'commit')}"


def look_into(path: str, told: Told = untold) -> BackedUp:
    """Prove a backup: every file in it is read and compared with its digest. BackupError where it is not whole."""
    if not is_bundle(path):
        kept = [len(one.data) for one in read_tar(path, told)]
        return BackedUp(path, TAR, len(kept), sum(kept))
    with tempfile.TemporaryDirectory(prefix="memd-backup-") as folder:
        told(0, 1, "unpacking")
        git = unbundled(path, folder)
        sizes = [len(one.data) for one in saved(git, told)]
        return BackedUp(path, BUNDLE, len(sizes), sum(sizes), count_commits(git))


def restore(path: str, folder: str, told: Told = untold) -> BackedUp:
    """Put a backup into a directory that is empty or not there; its repository, where it has one, is whole again."""
    if os.path.lexists(folder) and not os.path.isdir(folder):
        raise BackupPlaceError(folder, "it is no directory")
    if os.path.isdir(folder) and os.listdir(folder):
        raise BackupPlaceError(folder, "it is not empty; a backup is restored beside what is there, never over it")
    proved = look_into(path, lambda done, of, step: told(done, 2 * of, step))
    os.makedirs(folder, exist_ok=True)

    def writing(done: int, of: int, _: str) -> None:
        told(of + done, 2 * of, "writing")

    tree = Tree(os.path.realpath(folder))
    try:
        if not is_bundle(path):
            _put(tree, read_tar(path, writing))
            return proved
        git = unbundled(path, folder, working=True)
        _put(tree, saved(git, writing))
        forget_marks(git)
    finally:
        tree.close()
    return proved


def is_bundle(path: str) -> bool:
    """Tell whether a file is a git bundle; BackupError where there is none."""
    real = os.path.realpath(path)
    try:
        folder = Tree(os.path.dirname(real))
    except OSError as error:
        raise BackupError(path, _why(error)) from None
    try:
        handle = folder.system.open(os.path.basename(real), os.O_RDONLY, at=folder.root)
    except OSError as error:
        raise BackupError(path, _why(error)) from None
    else:
        try:
            if not stat.S_ISREG(folder.system.fstat(handle).st_mode):
                raise BackupError(path, "it is not a file")
            return folder.system.read(handle, len(_BUNDLE_HEAD)) == _BUNDLE_HEAD
        finally:
            folder.system.close(handle)
    finally:
        folder.close()


def _why(error: OSError) -> str:
    if isinstance(error, FileNotFoundError):
        return "there is no such file"
    return f"it cannot be opened: {os.strerror(error.errno or 0).lower()}"


def _repository(tree: Tree) -> tuple[Git | None, str]:
    """Return the repository whose history belongs into the backup, or why there is none of it in the file."""
    try:
        git = Git(tree.path)
        top = os.path.realpath(git.root())
    except GitMissingError:
        return None, ""
    if top != tree.path:
        return None, PART.format(top)
    shallow = git.run("rev-parse", "--is-shallow-repository", check=False).text == "true"
    return (None, SHALLOW) if shallow else (git, "")


def _names(tree: Tree) -> tuple[list[str], list[str]]:
    """Return every regular file of the workspace, and what is left out: links, repositories in it, what is no file."""
    names: list[str] = []
    left_out: list[str] = []
    waiting = ["."]
    while waiting:
        folder = waiting.pop()
        for entry in tree.entries(folder):
            name = entry.name if folder == "." else f"{folder}/{entry.name}"
            if name in (".git", LOCK) or TEMPORARY_SUFFIX in entry.name:
                continue
            if entry.name.casefold() == ".git":
                left_out.append(name)
            elif entry.is_dir:
                waiting.append(name)
            elif entry.is_file:
                names.append(name)
            else:
                left_out.append(name)
    return sorted(names), sorted(left_out)


def _kept(tree: Tree, names: list[str]) -> Iterator[Kept]:
    for name in names:
        yield Kept(name, tree.read(name, READ_BYTES)[0], _is_executable(tree, name))


def _is_executable(tree: Tree, name: str) -> bool:
    with tree.directory(name) as (at, leaf):
        return bool(tree.system.stat(leaf, at=at).st_mode & stat.S_IXUSR)


def _tar(tree: Tree, names: list[str], path: str, done: BackedUp, told: Told) -> None:
    kept = []  # read once: what is digested is what is written
    for number, one in enumerate(_kept(tree, names)):
        told(number, 2 * len(names), "reading")
        kept.append(one)
    told(len(names), 2 * len(names), "writing")
    done.bytes = sum(len(one.data) for one in kept)
    digests = {one.name: hashlib.sha256(one.data).hexdigest() for one in kept}
    write_tar(path, digests, iter(kept), {"workspace": os.path.basename(tree.path)})


def _put(tree: Tree, kept: Iterator[Kept]) -> None:
    for one in kept:
        folder = one.name.rpartition("/")[0]
        if folder:
            tree.make_dirs(folder)
        create(tree, one.name, one.data, 0o755 if one.executable else 0o644)
    if not tree.identify(SETTINGS):
        raise BackupError(tree.path, f"what was restored has no {SETTINGS}")


# The files of a workspace and the history of its repository as one git bundle, and back.
#
# Everything is put together in a repository of its own, beside the person's, which lends it its objects: nothing is written into
# the one that is backed up. REF has the files as they are, unfiltered; its message says what was checked out.

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
