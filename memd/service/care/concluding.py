"""End a merge that a person has settled, and only then: what nobody chose is not chosen here.

`git add` says that a file is settled. memory.json and the curated files need not be added: memd's drivers leave markers
in them wherever there is something to settle, so that one without markers, and whole, is settled.
"""

from __future__ import annotations

import os
import re
import time
from collections import defaultdict
from typing import TYPE_CHECKING

from memd.errors import GitBusyError, GitConflictError, MemdError, RejectedFileError
from memd.formats.role_reader import load
from memd.model.files import Purpose, purpose_of, role_of
from memd.storage.history import Git, git_work

if TYPE_CHECKING:
    from memd.storage.files import Tree

LOCK_WAIT_S, LOCK_STEP_S = 10.0, 0.05
MARKER = re.compile(rb"^(?:<{7,}|>{7,}) ", re.MULTILINE)
READ_BYTES = 1 << 28


def conclude(git: Git, tree: Tree, prefix: str) -> bool:
    """Conclude a merge that is settled; tell whether there was one. GitBusyError, GitConflictError. `git` is at the top."""
    until = time.monotonic() + LOCK_WAIT_S
    while (work := git_work(tree, tree.system)) == "index.lock" and time.monotonic() < until:
        time.sleep(LOCK_STEP_S)
    if not work:
        return False
    if work != "MERGE_HEAD":
        raise GitBusyError(work)
    stages = contested(git)
    waiting = [name for name, found in stages.items() if not is_settled(tree, prefix, name, found)]
    if waiting:
        raise GitConflictError(", ".join(waiting))
    if stages:
        given = b"\0".join(os.fsencode(name) for name in stages)
        git.run("--literal-pathspecs", "add", "--pathspec-from-file=-", "--pathspec-file-nul", given=given)
    git.run("commit", "--no-edit", "--quiet")
    return True


def contested(git: Git) -> dict[str, set[int]]:
    """Return the files that git waits for, from the top of the repository, and which sides have them: 2 ours, 3 theirs."""
    found: defaultdict[str, set[int]] = defaultdict(set)
    for line in git.run("ls-files", "--unmerged", "--full-name", "-z", "--", ":/").names:
        head, _, name = line.partition("\t")
        found[name].add(int(head.split()[2]))
    return dict(found)


def is_settled(tree: Tree, prefix: str, name: str, stages: set[int]) -> bool:
    """Tell whether a file that git waits for says so itself: memd's own, on both sides, without markers, and whole."""
    own = name.removeprefix(prefix)
    purpose = purpose_of(own) if name.startswith(prefix) else None
    if purpose not in (Purpose.MEMORY, Purpose.CURATED) or not {2, 3} <= stages:
        return False
    try:
        data = tree.read(own, READ_BYTES)[0]
        if purpose is Purpose.MEMORY:
            load(data, own, role_of(own))
    except (FileNotFoundError, RejectedFileError, MemdError):
        return False
    return not MARKER.search(data)
