"""Verbs of git, and of the backup of a whole workspace."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from memd.cli.progress import progress
from memd.cli.reach import flush, json_option, settle, workspace_option
from memd.cli.show import emit
from memd.cli.verbs import Family
from memd.text.counting import counted

if TYPE_CHECKING:
    from memd.service.care.backing_up import BackedUp


@click.group("git", cls=Family)
def git_command() -> None:
    """Teach git to merge memories one by one, and to show them as text.

    \b
    memd git install
    memd git install --hook
    memd git uninstall
    """


@git_command.command("install")
@click.option("--hook", is_flag=True, help="Also check what is committed: no conflict markers, no secrets.")
@json_option
@workspace_option
def install_command(hook: bool, as_json: bool, workspace: str) -> None:
    """Set git up for the workspace: merge drivers, `git diff` of memories, attributes. Twice is once.

    \b
    memd git install --hook
    """
    from memd.config import place_of
    from memd.service.care.git_setup import install
    from memd.service.care.transcripts import is_versioned
    from memd.storage.files import Tree
    from memd.storage.history import Git
    from memd.storage.itself import own_line
    from memd.store.trust import Trust

    place = place_of(workspace)
    tree = Tree(place.workspace)
    try:
        version = is_versioned(tree, Trust(place.state))
        done = install(Git(place.workspace), tree, own_line(), hook=hook, version=version)
    finally:
        tree.close()
    _tell(done, as_json, "git merges memories one by one here.")


@git_command.command("uninstall")
@json_option
@workspace_option
def uninstall_command(as_json: bool, workspace: str) -> None:
    """Take memd's drivers and hook out of this clone. .gitattributes stays: it does no harm, and others use it.

    \b
    memd git uninstall
    """
    from memd.client import find_workspace
    from memd.service.care.git_setup import uninstall
    from memd.storage.history import Git

    _tell(uninstall(Git(find_workspace(workspace))), as_json, "git merges by lines again.")


def _tell(done: Any, as_json: bool, sentence: str) -> None:
    lines = [f"changed: {one}" for one in done.changed] + [f"as it was: {one}" for one in done.standing]
    emit(asdict(done), as_json, "\n".join([*lines, *done.remarks, sentence]))


@git_command.command("pre-commit", hidden=True)
def pre_commit_command() -> int:
    """Look at what is about to be committed. The hook of `memd git install --hook` calls this."""
    import tempfile

    from memd.cli.checking import check_staged
    from memd.service.care.git_setup import outgrown, staged_workspaces
    from memd.storage.history import Git

    status = 0
    with tempfile.TemporaryDirectory(prefix="memd-staged-") as folder:
        index = os.environ.get(
            "GIT_INDEX_FILE", ""
        )  # git names it to hooks: `commit -a` and `commit PATH` have their own
        for one in staged_workspaces(Git(os.getcwd()), os.path.realpath(folder), index):
            flush(one.lies_in)  # while git holds its index, memd holds the files: then they come along next time
            for name in outgrown(one, index):
                click.echo(
                    f"{name} has more since it was staged: `git add` it, or it comes with the next commit", err=True
                )
            status |= check_staged(tuple(os.path.join(one.path, name) for name in one.names), one.path)
    if status:
        click.echo(
            "memd stopped this commit for what is wrong above; `git commit --no-verify` makes it all the same.",
            err=True,
        )
    return status


@click.command("sync")
@click.option("--remote", default="", help="Sync with this remote; else the branch's own, else origin.")
@click.option("--all", "everything", is_flag=True, help="Commit pages and other files of the workspace too.")
@json_option
@workspace_option
def sync_command(remote: str, everything: bool, as_json: bool, workspace: str) -> None:
    """Commit what memd wrote, take in what others did, and send ours.

    Memories merge one by one, also where `memd git install` was never run. Where two people changed one field, the file
    has both between markers: choose, and run it again; memd serves the last good state meanwhile.

    \b
    memd sync
    memd sync --remote backup --all
    """
    from memd.config import place_of
    from memd.service.care.git_setup import settings_for
    from memd.service.care.syncing import Sync
    from memd.service.care.transcripts import is_versioned
    from memd.storage.files import Tree
    from memd.storage.history import Git
    from memd.storage.itself import own_line
    from memd.store.trust import Trust

    place = place_of(workspace)
    path = place.workspace
    tree = Tree(path)
    extra = tuple(f"{one.key}={one.value}" for one in settings_for(own_line()))
    try:
        with progress("Syncing") as told:
            version = is_versioned(tree, Trust(place.state))
            done = Sync(Git(path, extra), tree, lambda: settle(path), everything, remote, told, version).run()
    finally:
        tree.close()
    lines = [f"committed: {one.removeprefix('memd: ')}" for one in done.committed]
    counts = [
        f"{counted(done.taken_in, 'commit')} taken in" * bool(done.taken_in), f"{done.sent} sent" * bool(done.sent)
    ]  # fmt: skip
    moved = ", ".join(one for one in counts if one)
    lines.append(f"{done.branch} and {done.remote}: {moved or 'nothing to do'}" if done.remote else "")
    emit(asdict(done), as_json, *(line for line in [*lines, *done.remarks] if line))


FIRST = 10  # of what is left out


@click.command("backup")
@click.argument("file", type=click.Path())
@click.option("--restore", "folder", default="", metavar="DIR", help="Put the backup into DIR, which must be empty.")
@click.option("--verify", "only_look", is_flag=True, help="Only verify that the backup is complete.")
@click.option("--verbose", is_flag=True, help="Name everything that is left out, not only the first.")
@click.option("--inbox", is_flag=True, help="Also the texts that wait in the inbox, which nobody has kept yet.")
@json_option
@workspace_option
def backup_command(  # each is an option
    file: str, folder: str, only_look: bool, verbose: bool, inbox: bool, as_json: bool, workspace: str
) -> None:
    """Put everything of the workspace into FILE, prove it, or put it back.

    A repository becomes a git bundle, with its history and the files as they are now; another folder becomes a tar file,
    compressed where FILE ends with gz. A file that exists is never written over.

    \b
    memd backup ~/memory-2026-11.bundle
    memd backup ~/memory-2026-11.bundle --verify
    memd backup ~/memory-2026-11.bundle --restore ~/memory-again
    """
    from memd.client import find_workspace
    from memd.config import place_of
    from memd.service.care.backing_up import back_up, look_into, restore
    from memd.storage.files import Tree
    from memd.store.trust import Trust

    if folder and only_look:
        raise click.UsageError("give --restore or --verify, not both")
    if folder or only_look:
        with progress("Restoring" if folder else "Proving") as told:
            done = restore(file, folder, told) if folder else look_into(file, told)
        verb = f"restored to {folder}" if folder else "it is whole"
    else:
        path = find_workspace(workspace)
        remark = settle(path)
        tree = Tree(path)
        Trust(place_of(path).state).look(tree)  # what lies elsewhere is backed up too, where it is granted
        try:
            with progress("Backing up") as told:
                done, verb = back_up(file, tree, told, inbox=inbox), "proved"
            done.remarks += [remark.partition(",")[0]] if remark else []
        finally:
            tree.close()
    emit(asdict(done), as_json, *_told_of(done, verb, most=len(done.left_out) if verbose else FIRST))


def _told_of(done: BackedUp, verb: str, *, most: int) -> Iterator[str]:
    """Yield what a backup came to, a line each; `most`: of what is left out, how many are named."""
    history = f", {counted(done.commits, 'commit')}" if done.commits else ""
    yield f"{done.file}: a {done.form} with {counted(done.files, 'file')}, {done.bytes} bytes{history}; {verb}"
    yield from done.remarks
    yield from (f"left out, it is no regular file: {name}" for name in done.left_out[:most])
    if len(done.left_out) > most:
        yield f"and {len(done.left_out) - most} more are left out: --verbose names them, --json too"
