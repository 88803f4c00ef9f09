"""What git itself starts: the merge driver and the text of a memory.json for `git diff`. Imports no click: git waits.

The driver's exit status is 0 for a clean merge and CONTESTED for one with markers in it. Anything else, whatever went
wrong, leaves the files as they are, and the command that git was given falls back to `git merge-file`.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence

from memd.engine.merge_branches import merge_file
from memd.errors import RejectedFileError
from memd.formats.git_files import Sides
from memd.formats.role_memory import Element
from memd.formats.role_reader import load
from memd.storage.files import Tree, write_all

CONTESTED, NOT_MERGED = 3, 65
MOST_BYTES = 256 * 1024 * 1024


def main(arguments: Sequence[str]) -> int:
    """Do what git asks: `merge-driver` with six arguments, or `textconv` with a file."""
    try:
        if arguments[0] == "merge-driver":
            return merge_driver(arguments[1:])
        return textconv(arguments[1])
    except Exception as error:
        print(f"memd: git {arguments[0]}: {type(error).__name__}: {error}", file=sys.stderr)
        return NOT_MERGED


def merge_driver(arguments: Sequence[str]) -> int:
    """Merge as git asks: FORM BASE OURS THEIRS MARKER-SIZE PATH, the result goes into OURS."""
    form, base, ours, theirs, size, name = arguments
    with_base = os.environ.get("MEMD_CONFLICT_STYLE", "") in ("diff3", "zdiff3")
    tree = Tree(os.path.realpath("."))
    try:
        states = [tree.read(one, MOST_BYTES)[0] for one in (base, ours, theirs)]
        merged = merge_file(form, (states[0], states[1], states[2]), name, Sides(size=int(size), with_base=with_base))
        if merged is None:
            return NOT_MERGED
        with tree.directory(ours) as (at, leaf):
            handle = tree.system.open(leaf, os.O_WRONLY | os.O_TRUNC, at=at)
            try:
                write_all(tree, handle, merged.data)
            finally:
                tree.system.close(handle)
    finally:
        tree.close()
    for note in merged.notes:
        print(f"memd: {name}: {note}", file=sys.stderr)
    return 0 if merged.clean else CONTESTED


def textconv(path: str) -> int:
    """Print a memory.json with one block for each memory, in the order of the file; what cannot be read, as it is."""
    folder, leaf = os.path.split(os.path.realpath(path))
    tree = Tree(folder)
    try:
        data = tree.read(leaf, MOST_BYTES)[0]
    finally:
        tree.close()
    try:
        document = load(data, leaf, "").document
    except RejectedFileError:
        sys.stdout.buffer.write(data)
        return 0
    for kind, element in document.elements():
        sys.stdout.buffer.write(_block(kind.value, element).encode("utf-8", "backslashreplace"))
    return 0


def _block(kind: str, element: Element) -> str:
    """Return a record as lines: its kind and id, what it says, and the rest by key."""
    try:
        record = element.value()
        said = str(record.pop("content", "") or record.pop("value", ""))
        head = f"{kind} {record.pop('id', '') or element.id}"
    except (ValueError, AttributeError, TypeError):
        return f"{kind}\n  {element.body.decode('utf-8', 'replace')}\n\n"
    rest = [
        f"  {key}: {value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)}"
        for key, value in record.items()
    ]
    return "\n".join([head, *(f"  {line}" for line in said.splitlines()), *rest]) + "\n\n"
