"""Copy the files that memd ships: the workspace template and the demonstration's roles. Nothing there is overwritten."""

from __future__ import annotations

import os

from memd.storage.files import Tree
from memd.storage.replace import create

PACKAGE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PLACES = {"workspace": "workspace-template", "demo": "workspace-demo"}


def template_dir(which: str) -> str:
    """Return where a template lies: in the installed package, or beside it in a checkout."""
    installed = os.path.join(PACKAGE, "templates", which)
    return installed if os.path.isdir(installed) else os.path.join(os.path.dirname(PACKAGE), PLACES[which])


def copy_template(tree: Tree, which: str) -> tuple[list[str], list[str]]:
    """Copy a template's files into a workspace; return those written, and those that were there and stay."""
    source = Tree(template_dir(which))
    try:
        plain = sorted(name for name, _ in source.sizes("."))
        kept = [name for name in plain if tree.identify(name)]
        made = [name for name in plain if name not in kept]
        for name in made:
            folder = name.rpartition("/")[0]
            if folder:
                tree.make_dirs(folder)
            create(tree, name, source.read(name)[0], 0o644)
    finally:
        source.close()
    return made, kept


def shipped_lexicon(name: str) -> bytes:
    """Return one of the lexicons that memd ships: emotions.toml, thesaurus.txt, and the weights of its models."""
    source = Tree(os.path.join(PACKAGE, "lexicons"))
    try:
        return source.read(name)[0]
    finally:
        source.close()
