"""`python -m tools.training [--check] [NAME …]`: learn anew, and write to memd/lexicons/ what was learned.

With --check nothing is written: it ends with 1 and names what is shipped otherwise than it would be made.
"""

from __future__ import annotations

import sys

from tools.training.shipped import LEXICONS, MAKERS, inputs_of_recall, is_background_current, make_recall

RECALL = "recall"
STAMPED = ("need.txt", "frequencies.txt", "recall_meaning.txt", "recall_words.txt")  # with what they are made of


def main(words: list[str]) -> int:
    """Make the named files, or all; return the exit status."""
    every = [*MAKERS, RECALL]
    unknown = [one for one in words if one not in every and one != "--check"]
    if unknown:
        print(f"no {', '.join(unknown)} is made here: {', '.join(every)}", file=sys.stderr)
        return 2
    check, stale = "--check" in words, []
    names = [one for one in words if one in every] or every
    if RECALL in names:
        stale += _recall(check=check)
    for name in [one for one in names if one in MAKERS]:
        data, told = MAKERS[name]()
        path = LEXICONS / f"{name}.txt"
        print(f"{name}: {told}, {len(data)} bytes")
        if not check:
            path.write_bytes(data)
        elif path.read_bytes() != data:
            stale.append(path.name)
    if stale:
        print(f"shipped otherwise than it would be made: {', '.join(stale)}", file=sys.stderr)
    return 1 if stale else 0


def _recall(*, check: bool) -> list[str]:
    """Make what is recalled by, or name what is made of other texts than there are; its vectors differ by machine."""
    if check:
        wanted = f"inputs {inputs_of_recall()}".encode()
        stale = [one for one in STAMPED if wanted not in (LEXICONS / one).read_bytes().split(b"\n", 1)[0]]
        return stale if is_background_current() else [*stale, "background.bin"]
    for file, data in make_recall().items():
        print(f"{file}: {len(data)} bytes")
        (LEXICONS / file).write_bytes(data)
    return []


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
