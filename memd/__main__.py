"""Start the command line: `memd`, or `python -m memd`."""

from __future__ import annotations

import io
import sys

from memd.model.agents import AGENTS

VERBS = ("install", "uninstall", "--help", "-h")  # of `memd hook`, which a person gives


def main() -> None:
    """Run the command line and exit with its status. Agents' hooks and servers and git's drivers go past it: they have no time."""
    arguments = sys.argv[1:]
    sys.stdout, sys.stderr = sys.stdout or _nowhere(), sys.stderr or _nowhere()
    if arguments[:1] == ["hook"] and _is_called_by_agent(arguments[1:]):
        from memd.doors.hooks.entry import main as hook  # noqa: PLC0415  not the command line's business

        sys.exit(hook(arguments[1:]))
    if arguments[:1] == ["git"] and arguments[1:2] in (["merge-driver"], ["textconv"]):
        from memd.cli.git_driver import main as driver  # noqa: PLC0415  not the command line's business

        sys.exit(driver(arguments[1:]))
    if arguments[:1] == ["mcp"]:
        from memd.cli.mcp_entry import main as serve  # noqa: PLC0415  not the command line's business

        if serve(arguments[1:]):
            return
    from memd.cli.main import run  # noqa: PLC0415  imported here, so that `import memd` stays cheap

    sys.exit(run(arguments))


def _nowhere() -> io.TextIOWrapper:
    """Return what takes the place of a stream that who started us had closed."""
    return io.TextIOWrapper(io.BytesIO(), encoding="utf-8")


def _is_called_by_agent(arguments: list[str]) -> bool:
    """Tell whether this is a hook, however it is misspelt: another status than 0 would block the agent's prompt."""
    if arguments[:1] and (arguments[0] in VERBS or {"--help", "-h"} & {*arguments}):
        return False
    return arguments[:1] in ([agent] for agent in AGENTS) or sys.stdin is None or not sys.stdin.isatty()


if __name__ == "__main__":
    main()
