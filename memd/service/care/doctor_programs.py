"""Which programs of memd's a command starts, as a shell would read it, and whether they are there. Starts none."""

from __future__ import annotations

import re
import shlex
import shutil


def programs_in(command: str) -> list[str]:
    """Return the programs of memd's that a command starts, also one that a shell is given as a text."""
    found: list[str] = []
    for word in words_of(command):
        if _is_memds(word):
            found.append(word)
        elif re.search(r"\s", word):
            found += [one for one in programs_in(word) if one not in found]
    absolute = [one for one in found if one.startswith("/")]
    return absolute or found[:1]


def _is_memds(word: str) -> bool:
    return re.fullmatch(r"(?:\S.*/)?(?:memd|python[\d.]*)", word, re.DOTALL) is not None


def words_of(command: str) -> list[str]:
    """Return the words of a command, shell operators among them."""
    lexer = shlex.shlex(command, posix=True, punctuation_chars=True)
    lexer.commenters, lexer.whitespace_split = "", True
    try:
        return list(lexer)
    except ValueError:
        return command.split()


def is_program(word: str) -> bool:
    """Tell whether a word names a program that can be started."""
    return shutil.which(word) is not None
