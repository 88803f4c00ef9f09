"""What a commit of memd's says it has: how many memories of which role, and which other files. Never what they say."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable

from memd.engine.merge import diff
from memd.errors import RejectedFileError
from memd.formats.role_memory import Document, new_document
from memd.formats.role_reader import load
from memd.model.files import LEARNING, PRIVATE, RUNS, Purpose, is_copy, purpose_of, role_of

OURS = frozenset(Purpose) - {Purpose.PAGE}
SHOWN = 3  # parts of the first line; the others are counted in the body
NAMED = 100  # files that the body names
WORDS = {
    Purpose.SESSION: ("session", "sessions"),
    Purpose.RUN: ("run", "runs"),
    Purpose.TASK: ("task", "tasks"),
    Purpose.SKILL: ("skill", "skills"),
    Purpose.BOOK: ("book", "books"),
    Purpose.PAGE: ("page", "pages"),
}


def is_ours(name: str) -> bool:
    """Tell whether a file is of a kind that memd writes, pages of a person's left out."""
    if name in (".gitattributes", ".gitignore", f"{PRIVATE}/declarative.md", f"{PRIVATE}/offered.jsonl"):
        return True
    leaf = name.rpartition("/")[2]
    if is_copy(leaf) or leaf.startswith("."):
        return False
    below = name.startswith((f"{LEARNING}/", f"{RUNS}/snapshots/"))
    return below or purpose_of(name) in OURS


def words_of(names: Iterable[str], before: Callable[[str], bytes], after: Callable[[str], bytes]) -> str:
    """Return the message of a commit of these files; `before` and `after` give a file's bytes, none where it is not there."""
    names = sorted(names)
    parts: list[str] = []
    counts: Counter[Purpose] = Counter()
    others: list[str] = []
    for name in names:
        purpose = purpose_of(name)
        if purpose is Purpose.MEMORY:
            parts.append(_memories(role_of(name), name, before(name), after(name)))
        elif purpose in WORDS:
            counts[purpose] += 1
        else:
            others.append(name.rpartition("/")[2])
    parts += [f"{count} {WORDS[one][count > 1]}" for one, count in counts.items()]
    parts += others
    head = ", ".join(parts[:SHOWN]) + (f" and {len(parts) - SHOWN} more" if len(parts) > SHOWN else "")
    listed = names[:NAMED] + ([f"and {len(names) - NAMED} more"] if len(names) > NAMED else [])
    return f"memd: {head}\n\n" + "\n".join(listed) + "\n"


def _memories(role: str, name: str, before: bytes, after: bytes) -> str:
    try:
        changes = diff(_document(before, name), _document(after, name), role)
    except RejectedFileError:
        return f"memory.json of {role}"
    count: Counter[str] = Counter(
        "new" if one.before is None else "removed" if one.after is None else "changed" for one in changes
    )
    told = ", ".join(f"{count[word]} {word}" for word in ("new", "changed", "removed") if count[word])
    return f"{told or 'the form'} in {role}"


def _document(data: bytes, name: str) -> Document:
    return load(data, name, role_of(name)).document if data.strip() else new_document("")
