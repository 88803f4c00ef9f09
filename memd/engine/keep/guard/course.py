"""How far a shell script has come: its variables, where it stands, what its files hold, what goes where."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from memd.engine.keep.guard.files import is_memory_file
from memd.engine.keep.guard.shell import Command
from memd.model.guard import Write

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


@dataclass(slots=True)
class Course:
    """What a script has set up to a point: variables, where it stands, what its files hold, what streams go where."""

    known: dict[str, str] = field(default_factory=dict)
    folder: str = ""
    files: dict[str, str] = field(default_factory=dict)
    streams: dict[str, str] = field(default_factory=dict)
    writes: list[Write] = field(default_factory=list)
    depth: int = 0

    def place(self, path: str) -> str:
        """Return a path as seen from where the script began."""
        absolute = path.startswith(("/", "~", "$", "\\")) or path[1:2] == ":"
        return path if absolute or not self.folder else f"{self.folder.rstrip('/')}/{path.removeprefix('./')}"

    def write(self, path: str, text: str, *, whole: bool) -> None:
        """Note that a text goes into a file."""
        place = self.place(path)
        if is_memory_file(place):
            self.writes.append(Write(place, text, whole))
        else:
            self.files[place] = text if whole else "\n".join(filter(None, (self.files.get(place, ""), text)))


def bare(words: list[str]) -> list[str]:
    """Take off the words that only say how the command is run."""
    while words and words[0].rpartition("/")[2] in _PREFIXES:
        words = words[1:]
        while words and (words[0].startswith("-") or "=" in words[0] or re.fullmatch(r"\d+[smh]?", words[0])):
            words = words[1:]
    return words


def words_of(command: Command, course: Course) -> list[str]:
    """Return the words of a command with the variables that are known put in."""
    return [word.told(course.known) for word in command.words]
