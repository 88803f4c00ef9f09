"""The model that a person names for this machine: where conversations of a workspace are sent when they are consolidated."""

from __future__ import annotations

import os

import click

NONE = "none"


def name_model(workspace: str, state: str, *, url: str, name: str, variable: str, file: str) -> None:
    """Name an endpoint on this machine, or none. No door does it, and no file of a workspace."""
    from memd.model.trust import ModelAt
    from memd.service import granting
    from memd.service.capture.packs.asking import check_model
    from memd.storage.files import Tree
    from memd.storage.posting.key import VARIABLE, key_of
    from memd.storage.posting.post import PostError
    from memd.store.trust import Trust

    if not url:
        raise click.UsageError("--model-name, --key-env and --key-file go with --model URL")
    model = None if url == NONE else ModelAt(url, name, variable, os.path.realpath(file) if file else "")
    if model is not None:
        check_model(model)
        if not name:
            raise click.UsageError("say which model: --model-name NAME")
        if variable and file:
            raise click.UsageError("give one of --key-env and --key-file")
        if variable and not VARIABLE.fullmatch(variable):
            raise click.BadParameter(f"{variable!r} is no name of a variable", param_hint="--key-env")
        if model.key_file.startswith(f"{os.path.realpath(workspace)}/"):
            raise click.BadParameter("a key does not lie in the workspace", param_hint="--key-file")
        try:
            key_of("", model.key_file)
        except PostError as error:  # a variable is of the daemon's environment, and is not known here
            raise click.BadParameter(str(error), param_hint="--key-file") from None
    tree = Tree(workspace)
    try:
        granting.name_model(tree, Trust(state), model)
    finally:
        tree.close()
