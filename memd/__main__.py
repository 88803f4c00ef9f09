"""Start the command line: `memd`, or `python -m memd`."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line and exit with its status."""
    from memd.cli.main import run  # noqa: PLC0415  imported here, so that `import memd` stays cheap

    sys.exit(run(sys.argv[1:]))


if __name__ == "__main__":
    main()
