"""Copy the files that memd ships: the workspace template and the demonstration's roles. Nothing there is overwritten."""

from __future__ import annotations

import os

from memd.errors import WorkspaceExistsError
from memd.storage.files import Tree
from memd.storage.replace import create

PACKAGE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PLACES = {"workspace": "workspace-template", "demo": "workspace-demo"}


def template_dir(which: str) -> str:
    """Return where a template lies: in the installed package, or beside it in a checkout."""
    installed = os.path.join(PACKAGE, "templates", which)
    return installed if os.path.isdir(installed) else os.path.join(os.path.dirname(PACKAGE), PLACES[which])


def copy_template(tree: Tree, which: str) -> list[str]:
    """Copy a template's files into a workspace, and return their names."""
    source = Tree(template_dir(which))
    try:
        plain = sorted(name for name, _ in source.sizes("."))
        taken = next((name for name in plain if tree.identify(name)), "")
        if taken:
            raise WorkspaceExistsError(taken)
        for name in plain:
            folder = name.rpartition("/")[0]
            if folder:
                tree.make_dirs(folder)
            create(tree, name, source.read(name)[0], 0o644)
    finally:
        source.close()
    return plain
