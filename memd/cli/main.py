"""The verbs by name, each loaded only when it is used, and the one place where errors become exit statuses."""

from __future__ import annotations

import importlib
import logging
import os
import sys
from collections.abc import Sequence
from typing import Any

import click

from memd import __version__
from memd.cli.journal import log_formatter
from memd.errors import DaemonFailedError, MemdError

VERBS = {
    "init": "memd.cli.running",
    "up": "memd.cli.running",
    "down": "memd.cli.stopping",
    "status": "memd.cli.running",
    "demo": "memd.cli.demo",
    "trigger": "memd.cli.recalling",
    "search": "memd.cli.searching",
    "remember": "memd.cli.keeping",
    "score": "memd.cli.keeping",
    "propose": "memd.cli.guarding",
    "guard": "memd.cli.guarding",
    "review": "memd.cli.reviewing",
    "trust": "memd.cli.trusting",
    "list": "memd.cli.recalling",
    "show": "memd.cli.recalling",
    "edit": "memd.cli.keeping",
    "forget": "memd.cli.keeping",
    "restore": "memd.cli.keeping",
    "undo": "memd.cli.keeping",
    "link": "memd.cli.keeping",
    "verify": "memd.cli.reviewing",
    "stats": "memd.cli.shape",
    "upkeep": "memd.cli.shape",
    "session": "memd.cli.sessions",
    "run": "memd.cli.runs",
    "task": "memd.cli.tasks",
    "skill": "memd.cli.skills",
    "snapshot": "memd.cli.contexts",
    "context": "memd.cli.contexts",
    "curated": "memd.cli.contexts",
    "role": "memd.cli.roles",
    "import": "memd.cli.carrying",
    "export": "memd.cli.carrying",
    "replay": "memd.cli.replaying",
    "check": "memd.cli.checking",
    "schema": "memd.cli.checking",
    "rebuild": "memd.cli.searching",
    "recover": "memd.cli.care",
    "git": "memd.cli.gitting",
    "sync": "memd.cli.gitting",
    "backup": "memd.cli.backing",
    "config": "memd.cli.care",
    "doctor": "memd.cli.doctor",
    "service": "memd.cli.services",
    "completion": "memd.cli.completing",
    "mcp": "memd.cli.serving",
    "hook": "memd.cli.hooking",
}

COMPLETING = "_MEMD_COMPLETE"  # a shell asks what completes; memd/cli/completing.py
FINDINGS, USAGE, DATA, NO_DAEMON, INTERNAL, CANNOT_CREATE, AGAIN, SETTINGS = 1, 2, 65, 69, 70, 73, 75, 78
# The longest code that begins a code decides. Source: sysexits.h.
STATUSES = {
    "name": DATA,
    "role": DATA,
    "memory": DATA,
    "score": DATA,
    "entry": DATA,
    "embeddings": AGAIN,
    "template": SETTINGS,
    "file": DATA,
    "params": DATA,
    "request": DATA,
    "frame": DATA,
    "method": USAGE,
    "secret": DATA,
    "order": DATA,
    "review": DATA,
    "curated": DATA,
    "snapshot": DATA,
    "session": DATA,
    "session.order": AGAIN,
    "run": DATA,
    "task": DATA,
    "skill": DATA,
    "learning": DATA,
    "git": AGAIN,
    "git.missing": DATA,
    "git.conflict": FINDINGS,
    "backup": DATA,
    "hook": SETTINGS,
    "service": NO_DAEMON,
    "extra": CANNOT_CREATE,
    "trust": DATA,
    "trust.state": CANNOT_CREATE,
    "limit": DATA,
    "limit.scorings": AGAIN,
    "limit.clients": AGAIN,
    "settings": SETTINGS,
    "query": USAGE,
    "index": CANNOT_CREATE,
    "file.changed": AGAIN,
    "workspace.missing": USAGE,
    "workspace.exists": CANNOT_CREATE,
    "workspace.busy": AGAIN,
    "workspace.gone": NO_DAEMON,
    "storage": CANNOT_CREATE,
    "storage.full": AGAIN,
    "storage.handles": AGAIN,
    "daemon": NO_DAEMON,
    "client": AGAIN,
    "socket": CANNOT_CREATE,
    "internal": INTERNAL,
}


class Verbs(click.Group):
    """A group that imports a verb's module when the verb is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  click's signature
        """Return the verbs in the order a newcomer meets them."""
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Return a verb, or None."""
        if cmd_name not in VERBS:
            return None
        found: Any = getattr(importlib.import_module(VERBS[cmd_name]), f"{cmd_name}_command")
        command: click.Command = found
        if COMPLETING in os.environ:
            from memd.cli.completing import with_completions

            return with_completions(command)
        return command


@click.group(cls=Verbs, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="memd")
@click.option("--debug", is_flag=True, help="Show a traceback where something fails.")
def memd_command(debug: bool) -> None:
    """Keep a memory for local agents in a folder of plain text.

    \b
    Begin:  memd init my-memory && cd my-memory && memd up
    Then:   memd remember main "I prefer tabs to spaces." --source user
            memd trigger main "Tabs or spaces here?"
    """


def run(arguments: Sequence[str]) -> int:
    """Run the command line and return its exit status."""
    debug = "--debug" in arguments
    lines = logging.StreamHandler(sys.stderr)
    lines.setFormatter(log_formatter())
    logging.basicConfig(level=logging.DEBUG if debug else logging.INFO, handlers=[lines])
    try:
        result = memd_command.main(list(arguments), prog_name="memd", standalone_mode=False)
    except MemdError as error:
        if debug:
            raise
        click.echo(f"Error: {error}", err=True)
        if error.hint:
            click.echo(f"  Try: {error.hint}", err=True)
        return error.status if isinstance(error, DaemonFailedError) else status_of(error.code)
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except (click.exceptions.Abort, KeyboardInterrupt):
        click.echo("Stopped.", err=True)
        return 130
    except OSError as error:
        if isinstance(error, BrokenPipeError):
            os._exit(0)  # whoever read has gone; there is nobody to tell
        if debug:
            raise
        click.echo(f"Error: {error}", err=True)
        return CANNOT_CREATE
    except Exception as error:
        if debug:
            raise
        click.echo(f"Error: internal error: {type(error).__name__}: {error}", err=True)
        click.echo("  Try: Run it again with --debug and report what it prints.", err=True)
        return INTERNAL
    return result if isinstance(result, int) else 0


def status_of(code: str) -> int:
    """Return the exit status for an error's code."""
    return STATUSES.get(code) or STATUSES.get(code.split(".", maxsplit=1)[0], INTERNAL)
