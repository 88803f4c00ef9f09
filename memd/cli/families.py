"""Verbs that have verbs of their own: their help shows what each does whole, and a slip names the nearest."""

from __future__ import annotations

import click


class Family(click.Group):
    """A group whose help cuts no sentence, and lists verbs in the order they are used in."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  click's signature
        """Return the verbs as they were declared."""
        return list(self.commands)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write each verb with its first sentence."""
        found = [(name, self.get_command(ctx, name)) for name in self.list_commands(ctx)]
        rows = [(name, sentence_of(one)) for name, one in found if one is not None and not one.hidden]
        if rows:
            with formatter.section("Verbs"):
                formatter.write_dl(rows)


def sentence_of(command: click.Command) -> str:
    """Return the first sentence of a verb's help, whole."""
    return f"{command.get_short_help_str(limit=1000).rstrip('.')}."
