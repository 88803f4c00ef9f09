"""How far a shell script has come: its variables, where it stands, what its files hold, what goes where."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from memd.engine.keep.guard.files import is_memory_file
from memd.model.guard import Write

if TYPE_CHECKING:
    from memd.engine.keep.guard.shell import Command

_PREFIXES = frozenset(
    [
        "sudo",
        "env",
        "command",
        "nohup",
        "exec",
        "nice",
        "time",
        "doas",
        "builtin",
        "stdbuf",
        "timeout",
        "setsid",
        "xargs",
    ]
)

_TIME = re.compile(r"\d+[smh]?")
LONGEST = 200_000  # characters that a file or a variable is followed with
STEPS = 1_000_000  # characters handed from one command to another, until a script is followed no further
PATH_CHARS = 1000


@dataclass(slots=True)
class Pace:
    """How many characters a script, and those within it, may still move."""

    left: int = STEPS


@dataclass(slots=True)
class Course:
    """What a script has set up to a point: variables, where it stands, what its files hold, what streams go where."""

    known: dict[str, str] = field(default_factory=dict)
    folder: str = ""
    files: dict[str, str] = field(default_factory=dict)
    streams: dict[str, str] = field(default_factory=dict)
    writes: list[Write] = field(default_factory=list)
    depth: int = 0
    pace: Pace = field(default_factory=Pace)

    def goes_on(self, chars: int) -> bool:
        """Count characters that are moved, and tell whether the script is followed further."""
        self.pace.left -= chars
        return self.pace.left > 0

    def place(self, path: str) -> str:
        """Return a path as seen from where the script began."""
        absolute = path.startswith(("/", "~", "$", "\\")) or path[1:2] == ":"
        return path if absolute or not self.folder else f"{self.folder.rstrip('/')}/{path.removeprefix('./')}"

    def enter(self, path: str) -> None:
        """Go to another folder; where that is, is not known any more once its path is too long to be one."""
        place = self.place(path)
        self.folder = place if len(place) <= PATH_CHARS else ""

    def write(self, path: str, text: str, *, whole: bool) -> None:
        """Note that a text goes into a file."""
        place = self.place(path)
        if is_memory_file(place):
            if self.goes_on(len(text)):
                self.writes.append(Write(place, text, whole))
        else:
            before = "" if whole else self.files.get(place, "")
            self.files[place] = ("\n".join(filter(None, (before, text))))[:LONGEST]
            self.pace.left -= len(self.files[place])


def bare(words: list[str]) -> list[str]:
    """Take off the words that only say how the command is run."""
    at = 0
    while at < len(words) and words[at].rpartition("/")[2] in _PREFIXES:
        at += 1
        while at < len(words) and (words[at].startswith("-") or "=" in words[at] or _TIME.fullmatch(words[at])):
            at += 1
    return words[at:]


def words_of(command: Command, course: Course) -> list[str]:
    """Return the words of a command with the variables that are known put in; none once the script is too much."""
    words: list[str] = []
    for word in command.words:
        words.append(word.told(course.known))
        if not course.goes_on(len(words[-1]) + 1):
            return []
    return words
