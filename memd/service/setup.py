"""A workspace made and taken away again where it is unused, and the record of what was there before a setup.

The record lies below this machine's state of the workspace, readable by its user alone. Beside these of all workspaces lies
what agents' plugins run: a line for a shell that knows the program and the workspace.

Errors
    SetupBlockedError where it cannot be kept or believed.
"""

from __future__ import annotations

import contextlib
import os
import shlex
import shutil
from collections.abc import Iterator
from contextlib import contextmanager

from memd.errors import MemdError, SetupBlockedError, StorageError
from memd.formats.setup_files import Record, digest_of, dump_setup, load_setup
from memd.formats.toml_writer import set_value
from memd.service.care.git_setup import install
from memd.storage.files import Tree
from memd.storage.history import Git
from memd.storage.itself import own_command, own_line
from memd.storage.leaving import read_small
from memd.storage.lock import alone
from memd.storage.machine import START, started_by_plugins
from memd.storage.replace import create, replace
from memd.store.keep.template import template_dir
from memd.whereabouts import SETTINGS, is_workspace

FOLDER, FILE = "setup", "record.json"
MOST_BYTES = 200_000_000
OTHERS = 0o022  # may write


class Records:
    """The record of one workspace; `state` is the directory of what this machine says of it."""

    def __init__(self, state: str) -> None:
        self.folder = os.path.join(state, FOLDER) if state else ""

    def read(self) -> Record | None:
        """Return the record, None where nothing was set up."""
        path = os.path.join(self.folder, FILE)
        if not self.folder or not os.path.lexists(path):
            return None
        try:
            for one in (self.folder, path):
                found = os.lstat(one)
                if found.st_uid != os.geteuid() or found.st_mode & OTHERS:
                    raise SetupBlockedError(one, "it belongs to another user, or others may write it")
            tree = Tree(self.folder)
            try:
                return load_setup(tree.read(FILE, MOST_BYTES)[0])
            finally:
                tree.close()
        except (OSError, StorageError, ValueError) as error:
            raise SetupBlockedError(path, str(error)) from None

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Be the only one who sets this workspace up, or takes that back. Makes the directory where it is missing."""
        try:
            os.makedirs(self.folder, mode=0o700, exist_ok=True)
        except OSError as error:
            raise SetupBlockedError(self.folder, error.strerror or str(error)) from None
        with alone(self.folder):
            yield

    def write(self, record: Record) -> None:
        """Keep the record, durably."""
        tree = Tree(self.folder)
        try:
            replace(tree, FILE, dump_setup(record))
        except (StorageError, OSError) as error:
            raise SetupBlockedError(self.folder, str(error)) from None
        finally:
            tree.close()

    def remove(self) -> None:
        """Forget the record."""
        tree = Tree(self.folder)
        try:
            tree.remove(FILE)
        finally:
            tree.close()
        os.rmdir(self.folder)


def served_by_plugins(state: str) -> str:
    """Return the workspace that agents' plugins serve, "" where there is none, or its program is gone. `state`: of any workspace."""
    program, workspace = started_by_plugins(os.path.dirname(state))
    return workspace if os.access(program, os.X_OK) and is_workspace(workspace) else ""


def lacks_start(state: str, workspace: str) -> bool:
    """Tell whether plugins do not find a workspace, and serve no other."""
    is_there = read_small(_start_file(state)) == start_text(workspace)
    return not is_there and served_by_plugins(state) in ("", workspace)


def write_start(state: str, workspace: str) -> None:
    """Let plugins serve a workspace. StorageError or OSError where that cannot be kept."""
    tree = Tree(os.path.dirname(state))
    try:
        replace(tree, START, start_text(workspace))
    finally:
        tree.close()


def remove_start(state: str, workspace: str) -> None:
    """Let plugins serve nothing, where it is this workspace that they serve."""
    if started_by_plugins(os.path.dirname(state))[1] == workspace:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(_start_file(state))


def _start_file(state: str) -> str:
    return os.path.join(os.path.dirname(state), START)


def start_text(workspace: str) -> bytes:
    """Return what a plugin's shell reads: where the program or the workspace is gone, it goes on behind it."""
    needed = f"[ -x {shlex.quote(own_command()[0])} ] && [ -f {shlex.quote(os.path.join(workspace, SETTINGS))} ]"
    line = f'{needed} && exec {own_line()} "$@" --workspace {shlex.quote(workspace)}'
    told = "# By this agents' plugins start memd: memd setup wrote it, and memd setup --undo takes it away."
    return f"{told}\n{line}\n".encode("utf-8", "surrogateescape")


def workspaces_set_up(above: str) -> list[str]:
    """Return the workspaces that were set up, as the records below the state directory of memd say."""
    try:
        keys = sorted(os.listdir(above))
    except OSError:
        return []
    found = []
    for key in keys:
        try:
            record = Records(os.path.join(above, key)).read()
        except SetupBlockedError:
            continue
        found += [record.workspace] if record else []
    return found


GIT, OWN = ".git", ".memory"
IDLE = (".memory/lock", ".memory/state/")  # what a daemon leaves that nobody told anything
LOG = ".memory/wal.jsonl"
MESSAGE = "A memory, as memd setup made it"


def check_place(path: str, record: Record | None) -> bool:
    """Tell whether a workspace is to be made at a path, or is there; SetupBlockedError where neither can be."""
    if is_workspace(path):
        _check_ours(path)
        return False
    if os.path.islink(path) and not os.path.exists(path):
        raise SetupBlockedError(path, "it is a link that leads nowhere")
    if os.path.lexists(path) and not os.path.isdir(path):
        raise SetupBlockedError(path, "it is a file, and a workspace is a directory")
    if os.path.isdir(path):
        _check_ours(path)
        began = record.made if record else {}  # a setup that was killed may be gone on with
        if strange := next(
            (name for name in files_of(path) if name not in began and not name.startswith(f"{GIT}/")), ""
        ):
            what = "a git repository of something else" if os.path.lexists(os.path.join(path, GIT)) else "not empty"
            error = SetupBlockedError(path, f"it is {what}, and no workspace (it has {strange[:80]})")
            error.hint = (
                "Name another directory with `--workspace DIR`, or make it a workspace first with `memd init DIR`."
            )
            raise error
        if os.path.lexists(os.path.join(path, GIT)) and not (record and record.git):
            raise SetupBlockedError(path, "it is a git repository of something else, and no workspace")
    check_writable(path)
    return True


def check_writable(path: str) -> None:
    """Raise SetupBlockedError where nothing can be made at a path."""
    there = above_of(path)
    if not os.path.isdir(there):
        raise SetupBlockedError(path, f"{there} is no directory")
    if not os.access(there, os.W_OK | os.X_OK):
        raise SetupBlockedError(path, f"{there} cannot be written")


def above_of(path: str) -> str:
    """Return what is nearest to a path and is there: itself, or what it would lie in."""
    while not os.path.lexists(path) and os.path.dirname(path) != path:
        path = os.path.dirname(path)
    return path


def missing_of(path: str) -> list[str]:
    """Return a directory and those above it that are not there, the outermost first."""
    found: list[str] = []
    while not os.path.lexists(path) and os.path.dirname(path) != path:
        found.insert(0, path)
        path = os.path.dirname(path)
    return found


def _check_ours(path: str) -> None:
    if os.stat(path).st_uid != os.geteuid():
        raise SetupBlockedError(path, "it belongs to another user")
    if not os.access(path, os.W_OK | os.X_OK):
        raise SetupBlockedError(path, "it cannot be written")


def files_of(path: str) -> Iterator[str]:
    """Yield the names of all files below a directory, what is no file among them."""
    for folder, folders, names in os.walk(path):
        links = [one for one in folders if os.path.islink(os.path.join(folder, one))]
        for name in [*names, *links]:
            yield os.path.relpath(os.path.join(folder, name), path).replace(os.sep, "/")


def planned_files(level: str) -> dict[str, bytes]:
    """Return the files of a new workspace: the template's, with a level of capture; memd.toml last, as it is what makes it one."""
    source = Tree(template_dir("workspace"))
    try:
        files = {name: source.read(name)[0] for name, _ in source.sizes(".")}
    finally:
        source.close()
    text = files.pop(SETTINGS).decode()
    return {**dict(sorted(files.items())), SETTINGS: set_value(text, "capture", "level", level).encode()}


def make_files(path: str, files: dict[str, bytes]) -> None:
    """Write the files of a new workspace; one that is there already stays."""
    try:
        os.makedirs(path, exist_ok=True)
        tree = Tree(path)
    except (OSError, StorageError) as error:
        raise SetupBlockedError(path, getattr(error, "strerror", "") or str(error)) from None
    try:
        for name, data in files.items():
            if folder := name.rpartition("/")[0]:
                tree.make_dirs(folder)
            with contextlib.suppress(FileExistsError):
                create(tree, name, data, 0o644)
    except StorageError as error:
        raise SetupBlockedError(path, str(error)) from None
    finally:
        tree.close()


def make_repository(path: str, names: list[str], memd: str) -> None:
    """Make a git repository of a new workspace, with the files as they are committed; MemdError where git refuses. Twice is once."""
    git = Git(path)
    if not os.path.lexists(os.path.join(path, GIT)):
        git.run("init", "--quiet")
    tree = Tree(path)
    try:
        install(git, tree, memd, hook=False)
    finally:
        tree.close()
    if git.run("rev-parse", "--verify", "--quiet", "HEAD", check=False).status == 0:
        return
    named = git.run("-c", "user.useConfigOnly=true", "var", "GIT_COMMITTER_IDENT", check=False).status == 0
    who = [] if named else ["-c", "user.name=memd", "-c", "user.email=memd@localhost"]
    git.run("--literal-pathspecs", "add", "--force", "--", *names)
    git.run(*who, "-c", "commit.gpgSign=false", "commit", "--quiet", "--no-verify", "-m", MESSAGE)


def in_use(record: Record) -> str:
    """Return what of a workspace that setup made is a person's now, "" where nothing is."""
    path = record.workspace
    for name in files_of(path):
        if name.startswith((f"{GIT}/", *IDLE)):
            continue
        if name == LOG and _has_nothing(path):
            continue
        if record.made.get(name) != _digest(os.path.join(path, name)):
            return name
    return _used_git(path) if record.git else GIT if os.path.lexists(os.path.join(path, GIT)) else ""


def is_idle(path: str) -> bool:
    """Tell whether `.memory` has nothing but what a daemon leaves that nobody told anything."""
    names = [f"{OWN}/{name}" for name in files_of(os.path.join(path, OWN))]
    return all(one.startswith(IDLE) or (one == LOG and _has_nothing(path)) for one in names)


def _has_nothing(path: str) -> bool:
    """Tell whether the log has no record behind its first line."""
    return _bytes_of(os.path.join(path, LOG)).count(b"\n") <= 1


def _used_git(path: str) -> str:
    if not os.path.lexists(os.path.join(path, GIT)):
        return ""
    try:
        git = Git(path)
        commits = git.run("rev-list", "--all", "--format=%s", "--no-commit-header", check=False).text.splitlines()
        remotes = git.run("remote", check=False).text
    except MemdError as error:
        return f"{GIT} ({error})"
    return GIT if remotes or commits not in ([], [MESSAGE]) else ""


def take_away(record: Record) -> None:
    """Remove what is in a workspace that setup made; its directory is another's to remove. Only where it is not in use."""
    for one in os.scandir(record.workspace):
        if one.is_dir(follow_symlinks=False):
            shutil.rmtree(one.path)
        else:
            os.unlink(one.path)


def _digest(path: str) -> str:
    return digest_of(_bytes_of(path)) if os.path.isfile(path) and not os.path.islink(path) else ""


def _bytes_of(path: str) -> bytes:
    folder, leaf = os.path.split(path)
    try:
        tree = Tree(folder)
    except (OSError, StorageError):
        return b""
    try:
        return tree.read(leaf)[0]
    except (OSError, StorageError):
        return b"\n\n"  # it cannot be read, so it may be anything
    finally:
        tree.close()
