"""The verb completion, and what a shell is told that completes: verbs and options from their declarations, roles, folders."""

from __future__ import annotations

import os
from typing import Any

import click
from click.shell_completion import CompletionItem, get_completion_class

INSTALLS = {
    "bash": "memd completion bash > ~/.local/share/bash-completion/completions/memd",
    "zsh": "memd completion zsh > ~/.zfunc/_memd    (with `fpath+=~/.zfunc` before `compinit` in ~/.zshrc)",
    "fish": "memd completion fish > ~/.config/fish/completions/memd.fish",
}


@click.command("completion")
@click.argument("shell", type=click.Choice(list(INSTALLS)))
def completion_command(shell: str) -> None:
    """Print the script that makes a shell complete memd's verbs, options and role names.

    \b
    memd completion bash > ~/.local/share/bash-completion/completions/memd
    memd completion zsh > ~/.zfunc/_memd
    memd completion fish > ~/.config/fish/completions/memd.fish
    """
    from memd.cli.main import COMPLETING

    kind = get_completion_class(shell)
    if kind is None:
        raise click.ClickException(f"there is no completion for {shell}")
    root = click.get_current_context().find_root().command
    # At the end: zsh reads the first line.
    click.echo(f"{kind(root, {}, 'memd', COMPLETING).source().rstrip()}\n\n# {INSTALLS[shell]}")


class RoleName(click.ParamType):  # type: ignore[type-arg]  # the oldest click takes none
    """A text that completes to the roles of the workspace."""

    name = "text"

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:  # noqa: ARG002  click's signature
        """Return the roles that begin so, as the directories are."""
        said = ctx.params.get("workspace")
        return [
            CompletionItem(one) for one in _roles(said if isinstance(said, str) else "") if one.startswith(incomplete)
        ]


class Folder(click.ParamType):  # type: ignore[type-arg]  # the same
    """A text that completes to a directory."""

    name = "text"

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:  # noqa: ARG002  click's signature
        """Leave it to the shell."""
        return [CompletionItem(incomplete, type="dir")]


COMPLETED: dict[str, RoleName | Folder] = {"role": RoleName(), "roles": RoleName(), "workspace": Folder(), "directory": Folder()}  # fmt: skip


def with_completions(command: click.Command) -> click.Command:
    """Have the parameters of a verb complete that name roles or folders. Only for a process that completes."""
    for param in command.params:
        known = COMPLETED.get(param.name or "")
        if known and isinstance(param.type, click.types.StringParamType):
            param.type = known
    inner: dict[str, Any] = getattr(command, "commands", {})
    for one in inner.values():
        with_completions(one)
    return command


def _roles(workspace: str) -> list[str]:
    from memd.client import find_workspace
    from memd.errors import MemdError
    from memd.model.files import ROLES

    try:
        with os.scandir(os.path.join(find_workspace(workspace), ROLES)) as found:
            return sorted(one.name for one in found if one.is_dir(follow_symlinks=False) and one.name[:1] != ".")
    except (MemdError, OSError):
        return []
