"""`python -m tools.training [--check] [NAME …]`: learn anew, and write to memd/lexicons/ what was learned.

With --check nothing is written: it ends with 1 and names what is shipped otherwise than it would be made.
"""

from __future__ import annotations

import sys

from tools.training.shipped import (
    LEXICONS,
    MAKERS,
    inputs_of_judging,
    inputs_of_recall,
    is_background_current,
    make_judging,
    make_recall,
)

RECALL, JUDGING = "recall", "judging"
# The files that vectors are behind, which differ by machine: they tell what they are made of.
STAMPED = {
    RECALL: ("need.txt", "frequencies.txt", "recall_meaning.txt", "recall_words.txt"),
    JUDGING: (
        "worth.txt",
        "worth_meaning.txt",
        "relations.txt",
        "relations_meaning.txt",
        "changes.txt",
        "changes_trees.txt",
        "changes_meaning.txt",
        "changes_meaning_trees.txt",
    ),
}
MADE_OF = {RECALL: inputs_of_recall, JUDGING: inputs_of_judging}


def main(words: list[str]) -> int:
    """Make the named files, or all; return the exit status."""
    every = [*MAKERS, RECALL, JUDGING]
    unknown = [one for one in words if one not in every and one != "--check"]
    if unknown:
        print(f"no {', '.join(unknown)} is made here: {', '.join(every)}", file=sys.stderr)
        return 2
    check, stale = "--check" in words, []
    names = [one for one in words if one in every] or every
    for name in [one for one in (RECALL, JUDGING) if one in names]:
        stale += _stamped(name, check=check)
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


def _stamped(name: str, *, check: bool) -> list[str]:
    """Make what vectors are behind, or name what is made of other texts than there are."""
    if check:
        wanted = f"inputs {MADE_OF[name]()}".encode()
        stale = [one for one in STAMPED[name] if wanted not in (LEXICONS / one).read_bytes().split(b"\n", 1)[0]]
        return stale if name != RECALL or is_background_current() else [*stale, "background.bin"]
    for file, data in (make_recall() if name == RECALL else make_judging()).items():
        print(f"{file}: {len(data)} bytes")
        (LEXICONS / file).write_bytes(data)
    return []


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
