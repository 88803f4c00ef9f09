"""`python -m tools.training [--check] [NAME …]`: learn anew, and write to memd/lexicons/ what was learned.

With --check nothing is written: it ends with 1 and names what is shipped otherwise than it would be made.
"""

from __future__ import annotations

import sys

from tools.training import background
from tools.training.shipped import LEXICONS, MAKERS

BACKGROUND = "background"


def main(words: list[str]) -> int:
    """Make the named files, or all; return the exit status."""
    names = [*MAKERS, BACKGROUND]
    unknown = [one for one in words if one not in names and one != "--check"]
    if unknown:
        print(f"no {', '.join(unknown)} is made here: {', '.join(names)}", file=sys.stderr)
        return 2
    check, stale = "--check" in words, []
    for name in [one for one in words if one in names] or names:
        if name == BACKGROUND and check:
            stale += [] if background.is_current() else [background.NAME]
            continue
        data, told = MAKERS[name]() if name in MAKERS else background.make()
        path = LEXICONS / (f"{name}.txt" if name in MAKERS else background.NAME)
        print(f"{name}: {told}, {len(data)} bytes")
        if not check:
            path.write_bytes(data)
        elif path.read_bytes() != data:
            stale.append(path.name)
    if stale:
        print(f"shipped otherwise than it would be made: {', '.join(stale)}", file=sys.stderr)
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
