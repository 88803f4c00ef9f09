"""Which files a person named for `memd check`: each in a workspace of its own, directories with all below them."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import click

from memd.cli.show import clean
from memd.errors import NotCheckedError

if TYPE_CHECKING:
    from memd.config import Place
    from memd.storage.files import Tree


@dataclass(slots=True)
class Named(Collection[str]):
    """Names below a workspace; a folder stands for all below it."""

    files: dict[str, str] = field(default_factory=dict)
    folders: dict[str, str] = field(default_factory=dict)

    def __contains__(self, name: object) -> bool:
        return name in self.files or any(f"{name}/".startswith(f"{folder}/") for folder in self.folders)

    def __iter__(self) -> Iterator[str]:
        return iter((*self.files, *self.folders))

    def __len__(self) -> int:
        return len(self.files) + len(self.folders)


@dataclass(slots=True)
class Group:
    """A workspace, the names in it that are asked about (none means all), and what stands before them in what is said."""

    place: Place
    names: Named
    prefix: str = ""


def groups_of(workspace: str, files: tuple[str, ...]) -> list[Group]:
    """Return the workspaces that are looked at: the one that is named, or those of the files; without files, the one around us.

    MEMD_WORKSPACE says only where to look when nothing else does: a file is judged by the workspace it lies in.
    """
    from memd.config import place_of
    from memd.whereabouts import nearest_workspace

    if workspace or not files:
        place = place_of(workspace)
        return [Group(place, _below(place.workspace, files))]
    found: dict[str, list[str]] = {}
    for file in files:
        _check_there(file)
        if own := nearest_workspace(file if os.path.isdir(file) else os.path.dirname(file) or "."):
            found.setdefault(own, []).append(file)
        else:
            click.echo(f"{clean(file)}: in no workspace, not looked at", err=True)
    here = nearest_workspace(".")
    groups = []
    for own, inside in found.items():
        prefix = "" if own == here else f"{os.path.relpath(own, os.path.realpath('.'))}/"
        groups.append(Group(place_of(own), _below(own, tuple(inside)), prefix))
    return groups


def _check_there(file: str) -> None:
    if not os.path.lexists(file):
        raise NotCheckedError(f"there is no {file}")
    if os.path.isdir(file) and not os.access(file, os.R_OK | os.X_OK):
        raise NotCheckedError(f"{file} cannot be listed")


def _below(workspace: str, files: tuple[str, ...]) -> Named:
    """Return what is named, as names below the workspace."""
    named = Named()
    for file in files:
        _check_there(file)
        is_folder = os.path.isdir(file) and (not os.path.islink(file) or os.path.realpath(file) == workspace)
        above = os.path.realpath(os.path.dirname(file) or ".")
        path = os.path.realpath(file) if is_folder else os.path.join(above, os.path.basename(file))
        name = os.path.relpath(path, workspace).replace(os.sep, "/")
        if name == ".":
            return Named()  # all of it
        if name == ".." or name.startswith("../"):
            raise NotCheckedError(f"{file} is not in the workspace {workspace}")
        (named.folders if is_folder else named.files)[name] = file
    return named


def tell_unread(names: Named, looked: Collection[str]) -> None:
    """Tell of each file that was named and that memd takes nothing from: it is not wrong, and was not looked at."""
    some = [file for name, file in names.files.items() if name not in looked]
    some += [
        file for name, file in names.folders.items() if not any(f"{one}/".startswith(f"{name}/") for one in looked)
    ]
    for file in some:
        click.echo(f"{clean(file)}: memd takes nothing from it, not looked at", err=True)


def files_below(tree: Tree, root: str, shown: str) -> list[tuple[str, str]]:
    """Return the files below a directory, each as it is shown and its path; what cannot be read of it is told."""
    from memd.storage.listing import walk

    found = walk(tree)
    for name in sorted([*found.odd, *found.linked]):
        click.echo(
            f"not looked at: {clean(shown + name)}: {clean(found.odd.get(name, 'it is a symbolic link'))}", err=True
        )
    return [(shown + name, f"{root}/{name}") for name in sorted(found.files)]
