"""`python -m tools.training [--check] [NAME …]`: learn anew, and write to memd/lexicons/ what was learned.

With --check nothing is written: it ends with 1 and names what is shipped otherwise than it would be made.
"""

from __future__ import annotations

import sys

from tools.training.shipped import LEXICONS, MAKERS


def main(words: list[str]) -> int:
    """Make the named files, or all; return the exit status."""
    unknown = [one for one in words if one not in MAKERS and one != "--check"]
    if unknown:
        print(f"no {', '.join(unknown)} is made here: {', '.join(MAKERS)}", file=sys.stderr)
        return 2
    stale = []
    for name in [one for one in words if one in MAKERS] or MAKERS:
        data, told = MAKERS[name]()
        path = LEXICONS / f"{name}.txt"
        print(f"{name}: {told}, {len(data)} bytes")
        if "--check" not in words:
            path.write_bytes(data)
        elif path.read_bytes() != data:
            stale.append(path.name)
    if stale:
        print(f"shipped otherwise than it would be made: {', '.join(stale)}", file=sys.stderr)
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
