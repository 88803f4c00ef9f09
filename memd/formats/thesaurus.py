"""The thesaurus as it is shipped: a phrase of stems on a line, with the groups it belongs to.

    doctor	=14 ~203
    closed	!31

Of two phrases, a common `=` says that they mean the same, a common `!` that they exclude each other, a common `~` that
they are of one kind. Made by `python -m tools.training` from the groups in tools/training/thesaurus/.
"""

from __future__ import annotations

from collections.abc import Mapping

from memd.errors import StorageError

KIND = "~"


def load_thesaurus(data: bytes, name: str) -> dict[str, str]:
    """Return the groups of each phrase, as text; StorageError where the file is none of ours.

    Groups that several phrases have are held once.
    """
    lines = data.decode("utf-8").split("\n")
    try:
        phrases = dict(line.split("\t") for line in lines if line and line[0] != "#")
    except ValueError as error:
        raise StorageError(name, f"it is damaged: {error}") from error
    known: dict[str, str] = {}
    for phrase, groups in phrases.items():
        phrases[phrase] = known.setdefault(groups, groups)
    return phrases


def dump_thesaurus(phrases: Mapping[str, str], title: str) -> bytes:
    """Return the text of a thesaurus, sorted by phrase."""
    return "\n".join(
        [f"# {title}", *(f"{phrase}\t{groups}" for phrase, groups in sorted(phrases.items())), ""]
    ).encode()
