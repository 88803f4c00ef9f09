"""A hook's command, read: whether it runs `memd hook AGENT` and nothing else, and the same with another program in front.

Pure. A line is memd's own if the whole of it is `[NAME=value ...] MEMD hook AGENT [options]`, without any operator of the
shell; MEMD is a path that ends in memd, or a Python with `-m memd`. Every other line that runs it is somebody's own.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

OPTIONS = {"--workspace": "workspace", "-w": "workspace", "--role": "role", "--socket": "socket"}
OF_A_MEMORY = ("workspace", "role")
MEMD = ("memd", "memd.exe")
SHELLS = ("sh", "bash", "dash", "zsh", "ksh", "fish")
WRAPPERS = (
    "env",
    "exec",
    "command",
    "nohup",
    "nice",
    "timeout",
    "time",
    "setsid",
    "stdbuf",
    "sudo",
    "uv",
    "uvx",
    "xargs",
)
DEEPEST = 3  # shells that start shells
_WORD = re.compile(
    r"""(?:[^\s'"\\;&|<>()`$\#]|(?<=\S)\#|'[^']*'|"(?:[^"\\`$]|\\.|\$(?!\())*"|\\[^\n]|\$(?![('"]))+""", re.DOTALL
)
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")
_PYTHON = re.compile(r"python[\d.]*(?:\.exe)?")
_BETWEEN = ";&|()\n`"


class Word(NamedTuple):
    """A word of a shell's line: where it stands, and what it is without its quotes."""

    start: int
    stop: int
    value: str


class Option(NamedTuple):
    """An option of a hook: workspace, role or socket, what it says, and where it stands."""

    name: str
    value: str
    start: int
    stop: int


class OwnCommand(NamedTuple):
    """A command of memd's own: where its program stands, where the agent's name ends, and its options."""

    line: str
    program: tuple[int, int]
    agent_stop: int
    options: tuple[Option, ...]

    def said(self, name: str) -> str:
        """Return what an option says, "" where it is not there."""
        return next((one.value for one in reversed(self.options) if one.name == name), "")


def read_own(line: str, agent: str) -> OwnCommand | None:
    """Return a command of memd's own, None for any other."""
    words = _plain_words(line.rstrip())
    first = next((n for n, word in enumerate(words) if not _ASSIGNMENT.match(line, word.start)), len(words))
    after = _behind_hook(words, first, agent)
    options = _options(words[after:]) if after else None
    if options is None:
        return None
    return OwnCommand(line, (words[first].start, words[after - 3].stop), words[after - 1].stop, options)


def runs_hook(line: str, agent: str, depth: int = 0) -> bool:
    """Tell whether a command of any shape runs `memd hook AGENT` somewhere."""
    for words in _segments(line):
        first = next((n for n, word in enumerate(words) if not _ASSIGNMENT.match(line, word.start)), len(words))
        if first == len(words):
            continue
        name = _leaf(words[first].value)
        places = range(first, len(words)) if name in WRAPPERS else (first,)
        if any(_behind_hook(words, place, agent) for place in places):
            return True
        shell = name in SHELLS or (name in WRAPPERS and any(_leaf(word.value) in SHELLS for word in words))
        if shell and depth < DEEPEST and any(runs_hook(word.value, agent, depth + 1) for word in words[first + 1 :]):
            return True
    return False


def renewed(old: OwnCommand, new: OwnCommand, *, all_of_it: bool) -> str:
    """Return the old line with the new one's program; with `all_of_it` also with its workspace and role."""
    program = new.line[slice(*new.program)]
    begin, end = old.program
    if not all_of_it:
        return old.line[:begin] + program + old.line[end:]
    head = old.line[:begin] + program + old.line[end : old.agent_stop]
    rest = [old.line[one.start : one.stop] for one in old.options if one.name not in OF_A_MEMORY]
    return " ".join([head, *(new.line[one.start : one.stop] for one in new.options), *rest])


def difference(old: OwnCommand, new: OwnCommand, resolved: Callable[[str], str]) -> str:
    """Return what the old line says of a memory where the new one says something else, as options; "" where it does not.

    What the old line leaves out stays left out, but a role is a choice. `resolved`: a workspace's path, made comparable.
    """
    told: list[str] = []
    for name in OF_A_MEMORY:
        was, wanted = old.said(name), new.said(name)
        as_path = resolved if name == "workspace" else str
        if wanted and as_path(wanted) != as_path(was) and (was or name == "role"):
            told.append(f"--{name} {shlex.quote(was)}" if was else f"no --{name}")
    return ", ".join(told)


def _plain_words(line: str) -> list[Word]:
    """Return the words of a line, none where it is more than one plain command."""
    words: list[Word] = []
    at = 0
    while at < len(line):
        if line[at] in " \t":
            at += 1
            continue
        found = _WORD.match(line, at)
        if not found:
            return []
        words.append(_word(found))
        at = found.end()
    return words


def _segments(line: str) -> Iterator[list[Word]]:
    """Yield the words of each command in a line; what cannot be read is passed over."""
    words: list[Word] = []
    at, redirected = 0, False
    while at < len(line):
        found = _WORD.match(line, at)
        if found:
            if not redirected:
                words.append(_word(found))
            redirected, at = False, found.end()
            continue
        if line[at] in _BETWEEN:
            yield words
            words, redirected = [], False
        redirected = redirected or line[at] in "<>"
        at += 1
    yield words


def _word(found: re.Match[str]) -> Word:
    try:
        value = "".join(shlex.split(found[0]))
    except ValueError:
        value = found[0]
    return Word(found.start(), found.end(), value)


def _behind_hook(words: Sequence[Word], at: int, agent: str) -> int:
    """Return the place behind `MEMD hook AGENT`, 0 where something else stands at a place."""
    values = [word.value for word in words]
    if at >= len(values):
        return 0
    if _PYTHON.fullmatch(_leaf(values[at])):
        while at + 1 < len(values) and values[at + 1].startswith("-") and values[at + 1] != "-m":
            at += 1
        if values[at + 1 : at + 3] != ["-m", "memd"]:
            return 0
        at += 2
    elif _leaf(values[at]) not in MEMD:
        return 0
    named = values[at + 1 : at + 2] == ["hook"] and [value.casefold() for value in values[at + 2 : at + 3]] == [agent]
    return at + 3 if named else 0


def _options(words: Sequence[Word]) -> tuple[Option, ...] | None:
    found: list[Option] = []
    left = list(words)
    while left:
        word = left.pop(0)
        name, equals, value = word.value.partition("=")
        stop = word.stop
        if name not in OPTIONS or (not equals and not left):
            return None
        if not equals:
            value, stop = left[0].value, left.pop(0).stop
        found.append(Option(OPTIONS[name], value, word.start, stop))
    return tuple(found)


def _leaf(path: str) -> str:
    return path.rpartition("/")[2]
