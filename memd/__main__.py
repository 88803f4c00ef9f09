"""Start the command line: `memd`, or `python -m memd`."""

from __future__ import annotations

import sys

from memd.model.agents import AGENTS


def main() -> None:
    """Run the command line and exit with its status. Agents' hooks and git's drivers go past it: they have no time."""
    arguments = sys.argv[1:]
    if arguments[:1] == ["hook"] and arguments[1:2] and arguments[1] in AGENTS and not {"--help", "-h"} & {*arguments}:
        from memd.doors.hooks.entry import main as hook  # noqa: PLC0415  not the command line's business

        sys.exit(hook(arguments[1:]))
    if arguments[:1] == ["git"] and arguments[1:2] in (["merge-driver"], ["textconv"]):
        from memd.cli.git_driver import main as driver  # noqa: PLC0415  not the command line's business

        sys.exit(driver(arguments[1:]))
    from memd.cli.main import run  # noqa: PLC0415  imported here, so that `import memd` stays cheap

    sys.exit(run(arguments))


if __name__ == "__main__":
    main()
