"""The verb that carries a whole workspace: backup, and back."""

from __future__ import annotations

from dataclasses import asdict

import click

from memd.cli.progress import progress
from memd.cli.reach import json_option, settle, workspace_option
from memd.cli.show import emit
from memd.cli.telling import counted

FIRST = 10  # of what is left out


@click.command("backup")
@click.argument("file", type=click.Path())
@click.option("--restore", "folder", default="", metavar="DIR", help="Put the backup into DIR, which must be empty.")
@click.option("--verify", "only_look", is_flag=True, help="Only prove that the backup is whole.")
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
    history = f", {counted(done.commits, 'commit')}" if done.commits else ""
    lines = [f"{done.file}: a {done.form} with {counted(done.files, 'file')}, {done.bytes} bytes{history}; {verb}"]
    lines += done.remarks
    named = done.left_out if verbose else done.left_out[:FIRST]
    lines += [f"left out, it is no regular file: {name}" for name in named]
    left = len(done.left_out) - len(named)
    lines += [f"and {left} more are left out: --verbose names them, --json too"] if left else []
    emit(asdict(done), as_json, *lines)
