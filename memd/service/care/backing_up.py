"""backup: everything of a workspace in one file, proved before it is called one; and back into an empty directory.

Where the workspace is a repository the file is a git bundle: its whole history, and under REF the files as they are,
those that git ignores and memd needs among them, byte for byte. Elsewhere it is a tar file with a digest for each file.

Errors
    BackupError, with nothing left behind that could be taken for a backup.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field

from memd.errors import BackupError, GitFailedError, GitMissingError
from memd.model.files import NEVER_ENTERED
from memd.storage.archives import Kept, is_inside, read_tar, write_tar
from memd.storage.files import TEMPORARY_SUFFIX, Tree
from memd.storage.history import Git
from memd.storage.layout import LOCK, SETTINGS
from memd.storage.replace import create

REF = "refs/memd/backup"
SAVED = "memd backup"
READ_BYTES = 1 << 32
BATCH_BYTES = 64_000_000  # of files that are held at once
BUNDLE, TAR = "git bundle", "tar"
LEFT_OUT = frozenset({".git", *NEVER_ENTERED})
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


def back_up(path: str, tree: Tree) -> BackedUp:
    """Write a backup of a workspace to a path that must be free, and prove it."""
    if os.path.lexists(path):
        raise BackupError(path, "it exists already; a backup is never written over")
    folder = os.path.dirname(os.path.abspath(path))
    if not os.path.isdir(folder):
        raise BackupError(path, f"there is no directory {folder}")
    if os.path.realpath(folder) == tree.path or os.path.realpath(folder).startswith(tree.path + os.sep):
        raise BackupError(path, "it would lie inside the workspace; name a place outside")
    unproved = f"{path}.unproved-{os.getpid()}" + (".gz" if path.endswith(("gz", ".tgz")) else "")
    try:
        names, left_out = _names(tree)
        git = _repository(tree)
        done = BackedUp(path, BUNDLE if git else TAR, len(names), 0, 0, left_out)
        if git:
            _bundle(git, tree, names, unproved, done)
        else:
            _tar(tree, names, unproved, done)
        proved = look_into(unproved)
        if (proved.files, proved.bytes) != (done.files, done.bytes):
            raise BackupError(path, f"{proved.files} files came back of {done.files}")
        os.link(unproved, path)  # fails where something is there by now
        return done
    except (OSError, GitFailedError) as error:
        raise BackupError(path, str(error)) from None
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(unproved)


def look_into(path: str) -> BackedUp:
    """Prove a backup: every file in it is read and compared with its digest. BackupError where it is not whole."""
    if not is_bundle(path):
        kept = [len(one.data) for one in read_tar(path)]
        return BackedUp(path, TAR, len(kept), sum(kept))
    with tempfile.TemporaryDirectory(prefix="memd-backup-") as folder:
        git = _unbundled(path, folder)
        sizes = [len(one.data) for one in _saved(git)]
        commits = git.run("rev-list", "--all", "--count", f"^{REF}", f"{REF}^@", check=False)
        count = int(commits.text or 0) if commits.status == 0 else 0
        return BackedUp(path, BUNDLE, len(sizes), sum(sizes), count)


def restore(path: str, folder: str) -> BackedUp:
    """Put a backup into a directory that is empty or not there; its repository, where it has one, is whole again."""
    if os.path.isdir(folder) and os.listdir(folder):
        raise BackupError(folder, "it is not empty; a backup is restored beside what is there, never over it")
    proved = look_into(path)
    os.makedirs(folder, exist_ok=True)
    tree = Tree(os.path.realpath(folder))
    try:
        if not is_bundle(path):
            _put(tree, read_tar(path))
            return proved
        git = _unbundled(path, folder, working=True)
        _put(tree, _saved(git))
        git.run("update-ref", "-d", REF)
        if git.run("rev-parse", "--verify", "--quiet", "HEAD", check=False).status == 0:
            git.run("reset", "--quiet", "--mixed")
    finally:
        tree.close()
    return proved


def is_bundle(path: str) -> bool:
    """Tell whether a file is a git bundle; BackupError where there is none."""
    folder = Tree(os.path.dirname(os.path.realpath(path)))
    try:
        handle = folder.system.open(os.path.basename(os.path.realpath(path)), os.O_RDONLY, at=folder.root)
    except OSError as error:
        raise BackupError(path, os.strerror(error.errno or 0)) from None
    else:
        try:
            if not stat.S_ISREG(folder.system.fstat(handle).st_mode):
                raise BackupError(path, "it is not a file")
            return folder.system.read(handle, len(_BUNDLE_HEAD)) == _BUNDLE_HEAD
        finally:
            folder.system.close(handle)
    finally:
        folder.close()


def _repository(tree: Tree) -> Git | None:
    """Return the repository whose top is the workspace; one that has more than it is not the workspace's to carry off."""
    try:
        git = Git(tree.path)
        return git if os.path.realpath(git.root()) == tree.path else None
    except GitMissingError:
        return None


def _names(tree: Tree) -> tuple[list[str], list[str]]:
    """Return every regular file of the workspace, and what is left out: links, and what is neither file nor directory."""
    names: list[str] = []
    left_out: list[str] = []
    waiting = ["."]
    while waiting:
        folder = waiting.pop()
        for entry in tree.entries(folder):
            name = entry.name if folder == "." else f"{folder}/{entry.name}"
            if entry.name in LEFT_OUT or TEMPORARY_SUFFIX in entry.name or name == LOCK:
                continue
            if entry.is_dir:
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


def _quoted(name: str) -> bytes:
    """Return a name as git reads one from a line: a line break in it would end the line."""
    if not any(char in name for char in '\n"\\'):
        return os.fsencode(name)
    plain = name.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return b'"' + os.fsencode(plain) + b'"'


def _tar(tree: Tree, names: list[str], path: str, done: BackedUp) -> None:
    kept = list(_kept(tree, names))  # read once: what is digested is what is written
    done.bytes = sum(len(one.data) for one in kept)
    digests = {one.name: hashlib.sha256(one.data).hexdigest() for one in kept}
    write_tar(path, digests, iter(kept), {"workspace": os.path.basename(tree.path)})


def _bundle(git: Git, tree: Tree, names: list[str], path: str, done: BackedUp) -> None:
    """Write the files as git objects under a name of their own, beside the branches, and bundle all of it."""
    given = b"".join(_quoted(name) + b"\n" for name in names)
    digests = git.run("hash-object", "-w", "--no-filters", "--stdin-paths", given=given).text.split()
    modes = (b"100755" if _is_executable(tree, name) else b"100644" for name in names)
    lines = [
        mode + b" " + digest.encode() + b"\t" + os.fsencode(name)
        for mode, digest, name in zip(modes, digests, names, strict=True)
    ]
    with tempfile.TemporaryDirectory(prefix="memd-backup-") as folder:
        own = {"GIT_INDEX_FILE": os.path.join(folder, "index")}
        git.run("update-index", "-z", "--index-info", given=b"\0".join([*lines, b""]), env=own)
        saved = git.run("write-tree", env=own).text
    done.bytes = sum(size for _, _, _, size in _listed(git, saved))
    head = git.run("rev-parse", "--verify", "--quiet", "HEAD", check=False)
    parent = ("-p", head.text) if head.status == 0 else ()
    who = Git(git.path, ("user.name=memd", "user.email=memd@localhost", "commit.gpgSign=false"))
    commit = who.run("commit-tree", saved, *parent, "-m", SAVED).text
    try:
        git.run("update-ref", REF, commit)
        git.run("bundle", "create", "--quiet", os.path.abspath(path), "--all", *(["HEAD"] if parent else []))
    finally:
        git.run("update-ref", "-d", REF, check=False)
    done.commits = int(git.run("rev-list", "--all", "--count", check=False).text or 0)


def _unbundled(path: str, folder: str, *, working: bool = False) -> Git:
    """Return a repository with everything a bundle has, every object checked."""
    git = Git(folder, ("transfer.fsckObjects=true", "fetch.fsckObjects=true", "init.defaultBranch=main"))
    git.run("init", "--quiet", *([] if working else ["--bare"]))
    bundle = os.path.abspath(path)
    refs = ["refs/heads/*:refs/heads/*", "refs/tags/*:refs/tags/*", f"{REF}:{REF}"]
    refs += [] if working else ["refs/*:refs/*"]
    heads = git.run("bundle", "list-heads", bundle, check=False).text.splitlines()
    of_name = {line.partition(" ")[2]: line.partition(" ")[0] for line in heads}
    if REF not in of_name:
        raise BackupError(os.path.basename(path), "it is no bundle of memd's, or not a whole one")
    fetched = git.run("fetch", "--quiet", "--update-head-ok", bundle, *refs, check=False, remote=True)
    if fetched.status:
        raise BackupError(os.path.basename(path), f"it is not a whole bundle: {fetched.said}")
    branch = next(
        (name for name, at in of_name.items() if name.startswith("refs/heads/") and at == of_name.get("HEAD")), ""
    )
    if branch:
        git.run("symbolic-ref", "HEAD", branch)
    return git


def _listed(git: Git, which: str) -> list[tuple[str, bool, str, int]]:
    """Return name, whether it can be executed, object and size of every file that was backed up."""
    found = []
    for line in filter(None, git.run("ls-tree", "-r", "-l", "-z", which).out.split(b"\0")):
        head, _, raw = line.partition(b"\t")
        mode, form, digest, size = head.decode().split()
        name = raw.decode("utf-8", "surrogateescape")
        if form != "blob" or mode not in ("100644", "100755") or not is_inside(name):
            raise BackupError(git.path, f"{name[:120]!r} does not belong in a backup")
        found.append((name, mode == "100755", digest, int(size)))
    return found


def _saved(git: Git) -> Iterator[Kept]:
    """Yield the files that were backed up, byte for byte, some at a time."""
    listed = _listed(git, REF)
    while listed:
        batch: list[tuple[str, bool, str, int]] = []
        total = 0
        while listed and (not batch or total + listed[0][3] < BATCH_BYTES):
            batch.append(listed.pop(0))
            total += batch[-1][3]
        out = git.run("cat-file", "--batch", given="".join(f"{one[2]}\n" for one in batch).encode()).out
        at = 0
        for name, executable, _, size in batch:
            at = out.index(b"\n", at) + 1
            yield Kept(name, out[at : at + size], executable)
            at += size + 1


def _put(tree: Tree, kept: Iterator[Kept]) -> None:
    for one in kept:
        folder = one.name.rpartition("/")[0]
        if folder:
            tree.make_dirs(folder)
        create(tree, one.name, one.data, 0o755 if one.executable else 0o644)
    if not tree.identify(SETTINGS):
        raise BackupError(tree.path, f"what was restored has no {SETTINGS}")
