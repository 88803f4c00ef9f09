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
from memd.cli.mistakes import Explained, Words, explaining, words_of, words_of_system, words_of_usage
from memd.cli.show import clean
from memd.cli.verbs import COMPLETING, GROUPS, VERBS, Family
from memd.errors import DaemonFailedError, MemdError

# How the diary reads: with times for a terminal, with priorities for the system's journal, which has its own times.
#
# Source
#     sd-daemon(3): `<N>` at the beginning of a line is its priority; systemd.exec(5): JOURNAL_STREAM.

FORMAT = "%(asctime)s %(name)s: %(message)s"
PRIORITIES = ((logging.ERROR, 3), (logging.WARNING, 4), (logging.INFO, 6))
DEBUG = 7


class Prioritized(logging.Formatter):
    """Gives every line its priority, those of a traceback too."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the lines of a record."""
        level = next((number for least, number in PRIORITIES if record.levelno >= least), DEBUG)
        return "\n".join(f"<{level}>{line}" for line in super().format(record).split("\n"))


def log_formatter() -> logging.Formatter:
    """Return the form of log lines for whoever reads standard error."""
    return Prioritized("%(name)s: %(message)s") if is_journal() else logging.Formatter(FORMAT)


def is_journal() -> bool:
    """Tell whether standard error goes to the system's journal, and was not redirected since it was said to."""
    said = os.environ.get("JOURNAL_STREAM", "")
    if not said:
        return False
    try:
        found = os.fstat(sys.stderr.fileno())
    except (OSError, ValueError, AttributeError):
        return False
    return said == f"{found.st_dev}:{found.st_ino}"


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
    "consolidation": DATA,
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
    "protocol": NO_DAEMON,
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
    "setup": CANNOT_CREATE,
    "internal": INTERNAL,
}


class Verbs(Family):
    """A group that imports a verb's module when the verb is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  click's signature
        """Return the verbs in the order a newcomer meets them."""
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Return a verb, or None."""
        if cmd_name not in VERBS:
            return None
        found: Any = getattr(importlib.import_module(VERBS[cmd_name]), f"{cmd_name}_command")
        command = explaining(found)
        if COMPLETING in os.environ:
            from memd.cli.completing import with_completions

            return with_completions(command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """Write the verbs in groups. None is imported for that."""
        widest = max(map(len, VERBS))
        for title, verbs in GROUPS.items():
            with formatter.section(title):
                formatter.write_dl([(f"{name:{widest}}", verb.does) for name, verb in verbs.items()])


@click.group(cls=Verbs, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="memd")
@click.option("--debug", is_flag=True, help="Show a traceback where something fails.")
def memd_command(debug: bool) -> None:
    """Keep a memory for local agents in a folder of plain text.

    \b
    Begin:  memd init my-memory && cd my-memory && memd up --detach
    Then:   memd remember main "I prefer tabs to spaces." --source user
            memd trigger main "Tabs or spaces here?"
    """


def run(arguments: Sequence[str]) -> int:
    """Run the command line and return its exit status."""
    debug = "--debug" in arguments
    lines = logging.StreamHandler(sys.stderr)
    lines.setFormatter(log_formatter())
    # The diary is a daemon's (running.py): who asks one thing of memd reads the answer, and what went wrong.
    logging.basicConfig(level=logging.DEBUG if debug else logging.WARNING, handlers=[lines])
    try:
        result = memd_command.main(list(arguments), prog_name="memd", standalone_mode=False)
    except Exception as error:
        if debug and not isinstance(error, click.ClickException):
            raise
        return _told(error, arguments)
    except KeyboardInterrupt:
        click.echo("Stopped.", err=True)
        return 130
    return result if isinstance(result, int) else 0


def _told(error: Exception, arguments: Sequence[str]) -> int:
    """Say what went wrong, and return the exit status for it."""
    match error:
        case click.exceptions.Abort():
            click.echo("Stopped.", err=True)
            return 130
        case click.exceptions.NoArgsIsHelpError():
            error.show()
            return error.exit_code
        case click.UsageError():
            return _say(words_of_usage(error, arguments), error.exit_code)
        case click.ClickException():
            return _say(Words(error.message, ""), error.exit_code)
        case Explained():
            return _say(error.words, _status(error.error))
        case MemdError():
            return _say(words_of(error, None), _status(error))
        case BrokenPipeError():
            os._exit(0)  # whoever read has gone; there is nobody to tell
        case OSError():
            return _say(words_of_system(error), CANNOT_CREATE)
        case UnicodeEncodeError() if error.reason.startswith("surrogates"):
            return _say(Words("what was given is not UTF-8", "Give it in UTF-8."), DATA)
    words = Words(
        f"internal error: {type(error).__name__}: {error}", "Run it again with --debug and report what it prints."
    )
    return _say(words, INTERNAL)


def _say(words: Words, status: int) -> int:
    click.echo(f"Error: {clean(words.sentence)}", err=True)
    if words.hint:
        from memd.storage.itself import as_typed

        click.echo(f"  Try: {clean(as_typed(words.hint))}", err=True)
    return status


def _status(error: MemdError) -> int:
    ended = error.status if isinstance(error, DaemonFailedError) else 0
    return ended if ended > 0 else status_of(error.code)  # one that a signal ended has a status below 0


def status_of(code: str) -> int:
    """Return the exit status for an error's code."""
    return STATUSES.get(code) or STATUSES.get(code.split(".", maxsplit=1)[0], INTERNAL)
