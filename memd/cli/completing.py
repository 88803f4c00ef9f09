"""The verb completion, and what a shell is told that completes: verbs, options, and what there is in the workspace."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import click
from click.shell_completion import CompletionItem, get_completion_class

from memd.cli.verbs import COMPLETING

Found = list[tuple[str, str]]
Find = Callable[[click.Context], Found]
DEADLINE_S = 2.0  # a person waits at the keyboard
MOST, IDS, ID_CHARS, TOLD_COLUMNS = 200, 1000, 8, 60
INSTALLS = {
    "bash": "memd completion bash > ~/.local/share/bash-completion/completions/memd",
    "zsh": "memd completion zsh > ~/.zfunc/_memd    (with `fpath+=~/.zfunc` before `compinit` in ~/.zshrc)",
    "fish": "memd completion fish > ~/.config/fish/completions/memd.fish",
}


@click.command("completion")
@click.argument("shell", type=click.Choice(list(INSTALLS)))
def completion_command(shell: str) -> None:
    """Print the script that makes a shell complete memd's verbs, options, roles, ids and settings.

    \b
    memd completion bash > ~/.local/share/bash-completion/completions/memd
    memd completion zsh > ~/.zfunc/_memd
    memd completion fish > ~/.config/fish/completions/memd.fish
    """
    kind = get_completion_class(shell)
    if kind is None:
        raise click.ClickException(f"there is no completion for {shell}")
    root = click.get_current_context().find_root().command
    # At the end: zsh reads the first line.
    click.echo(f"{kind(root, {}, 'memd', COMPLETING).source().rstrip()}\n\n# {INSTALLS[shell]}")


class Known(click.ParamType):  # type: ignore[type-arg]  # the oldest click takes none
    """A text that completes to what there is: `find` takes the context and returns each with a text that explains it."""

    name = "text"

    def __init__(self, find: Find) -> None:
        self.find = find

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:  # noqa: ARG002  click's signature
        """Return what begins so, as it is now; nothing where the workspace cannot be asked."""
        from memd.errors import MemdError

        try:
            found = self.find(ctx)
        except (MemdError, OSError, LookupError, TypeError):
            return []
        return [CompletionItem(one, help=told or None) for one, told in found if one.startswith(incomplete)][:MOST]


class Folder(click.ParamType):  # type: ignore[type-arg]  # the same
    """A text that completes to a directory."""

    name = "text"

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:  # noqa: ARG002  click's signature
        """Leave it to the shell."""
        return [CompletionItem(incomplete, type="dir")]


def with_completions(command: click.Command, above: str = "") -> click.Command:
    """Have the parameters of a verb complete to what there is. Only for a process that completes."""
    path = f"{above} {command.name}".strip()
    for param in command.params:
        name = param.name or ""
        known = (
            COMPLETED.get(f"{path}.{name}") or COMPLETED.get(f"{path.partition(' ')[0]}.{name}") or COMPLETED.get(name)
        )
        if known and isinstance(param.type, click.types.StringParamType):
            param.type = known
    inner: dict[str, Any] = getattr(command, "commands", {})
    for one in inner.values():
        with_completions(one, path)
    return command


def _workspace(ctx: click.Context) -> str:
    said = ctx.params.get("workspace")
    return said if isinstance(said, str) else ""


def _ask(ctx: click.Context, method: str, **params: Any) -> dict[str, Any]:
    from memd.cli.reach import ask

    return ask(_workspace(ctx), method, deadline_s=DEADLINE_S, **params)


def _roles(ctx: click.Context) -> Found:
    from memd.cli.reach import roles_in

    return [(one, "") for one in roles_in(_workspace(ctx))]


def _memories(ctx: click.Context) -> Found:
    role, forgotten = ctx.params.get("role") or "", ctx.command.name == "restore"
    listed = _ask(ctx, "memory.list", role=role, limit=IDS, forgotten=forgotten)["memories"]
    return _shortened([(str(one["id"]), one["content"]) for one in listed])


def _held(ctx: click.Context) -> Found:
    return _shortened([(str(one["id"]), one["content"]) for one in _ask(ctx, "review.list")["held"]])


def _shortened(listed: Found) -> Found:
    """Return ids by their first characters, and whole where those are another's too."""
    short = Counter(one[:ID_CHARS] for one, _ in listed)
    return [(one[:ID_CHARS] if short[one[:ID_CHARS]] == 1 else one, _told(text)) for one, text in listed]


def _sessions(ctx: click.Context) -> Found:
    return [(one["session"], _told(one.get("title", ""))) for one in _ask(ctx, "session.search", limit=50)["sessions"]]


def _runs(ctx: click.Context) -> Found:
    reply = _ask(ctx, "run.list", limit=50)
    return [(one["run"], _told(one.get("asked", ""))) for one in (*reply["running"], *reply["runs"])]


def _tasks(ctx: click.Context) -> Found:
    return [(one["task"], _told(one["title"])) for one in _ask(ctx, "task.list")["tasks"]]


def _skills(ctx: click.Context) -> Found:
    return [(one["skill"], _told(one["description"])) for one in _ask(ctx, "skill.list")["skills"]]


def _drafts(ctx: click.Context) -> Found:
    return [(one["skill"], f"of {one['candidate']}") for one in _ask(ctx, "learning.review")["drafts"]]


def _candidates(ctx: click.Context) -> Found:
    return [(one["candidate"], _told(one["title"])) for one in _ask(ctx, "learning.candidates")["candidates"]]


def _settings(ctx: click.Context) -> Found:
    from memd.cli.show import short

    role = ctx.params.get("role") or ""
    tables = _ask(ctx, "config.get", role=role)["settings"]
    return [
        (f"{table}.{key}", short(str(value), TOLD_COLUMNS))
        for table, all_of in tables.items()
        for key, value in all_of.items()
    ]


def _values(ctx: click.Context) -> Found:
    """Return what the setting that stands before may be, where that can be listed."""
    from memd.formats.settings import CHECKS

    table, _, key = str(ctx.params.get("key") or "").partition(".")
    schema = CHECKS[table][key].schema
    return [(str(one), "") for one in schema.get("enum", ["true", "false"] if schema.get("type") == "boolean" else [])]


def _curated(_: click.Context) -> Found:
    return [("memory", "MEMORY.md"), ("user", "USER.md")]


def _kinds(_: click.Context) -> Found:
    from memd.model.search import SEARCHED

    return [(one, "") for one in ("memory", *SEARCHED)]


def _validities(_: click.Context) -> Found:
    from memd.model.memory import VALIDITY_WORDS

    return [(one, "") for one in VALIDITY_WORDS]


def _nothing(_: click.Context) -> Found:
    return []  # a name that is to be a new one


def _told(text: str) -> str:
    """Return a text as a shell shows it beside a word: one line, short, without what a terminal would obey."""
    from memd.cli.show import clean, short

    return short(clean(" ".join(str(text).split())), TOLD_COLUMNS)


# By the name of a parameter; by verb and name where one name means different things.
COMPLETED: dict[str, Known | Folder] = {
    "role": Known(_roles), "roles": Known(_nothing), "workspace": Folder(), "directory": Folder(), "validity": Known(_validities),
    "id": Known(_memories), "memory_id": Known(_memories), "to": Known(_memories), "review.id": Known(_held),
    "session": Known(_sessions), "resumes": Known(_sessions), "forks": Known(_sessions),
    "session open.session": Known(_nothing), "run": Known(_runs), "run start.run": Known(_nothing), "task": Known(_tasks),
    "task open.task": Known(_nothing), "skill": Known(_skills), "skills": Known(_skills), "candidate": Known(_candidates),
    "skill publish.skill": Known(_drafts), "skill review.skill": Known(_drafts), "config.key": Known(_settings),
    "config.value": Known(_values), "curated.file": Known(_curated), "search.kind": Known(_kinds),
}  # fmt: skip
