"""What a command would print or put into a file, as far as that can be seen without running it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from memd.engine.keep.guard.code import literals_in
from memd.engine.keep.guard.files import is_memory_file
from memd.engine.keep.guard.shell import LONGEST, Command, expand, unescape
from memd.model.scan import Write
from memd.text.expressions import is_in, matches_in

if TYPE_CHECKING:
    from memd.engine.keep.guard.shell import Command

_SED = re.compile(
    r"(?:^|[;\n{])[ \t]*+(?:/(?:\\.|[^/\\\n]){0,300}/|\d{1,9}|\$)?+(?:,(?:/(?:\\.|[^/\\\n]){0,300}/|\d{1,9}|\$))?+[ \t]*+!?[ \t]*+"
    r"(?:s(?P<mark>[^\w\s\\])(?:\\.|(?!(?P=mark))[^\\]){0,800}+(?P=mark)(?P<new>(?:\\.|(?!(?P=mark))[^\\]){0,1200}+)(?P=mark)|(?P<add>[aic])\\?\s{0,8}(?P<text>[^\n]+))"
)
_GROUP = re.compile(r"\$\d|\\\d|\$&")
_PLACE = re.compile(r"%[-0-9.]{0,20}[sbdq]")
_CONTENT = re.compile(r"\"content\"|\"value\"|content:|value:")
_OPTION = re.compile(r"-[neE]+")
_ESCAPED = re.compile(r"\\([&/.*()])")
_NO_SCRIPT = re.compile(r"-\w{0,40}?i|--in-place|-e$|-E$|-pe?$|-ne?$")
DEEPEST = 4  # commands within commands
SED_CHARS = 2000  # of one command of sed


def printed(command: Command, words: list[str], course: Course, depth: int = 0) -> str:
    """Return what a command prints, as far as it can be seen without running it."""
    if depth > DEEPEST:
        return ""
    if command.group:
        return "\n".join(filter(None, (printed(one, _said(one, course), course, depth + 1) for one in command.group)))
    name, args = (words[0].rpartition("/")[2], words[1:]) if words else ("", [])
    if name == "echo":
        return unescape(" ".join(word for word in args if not _OPTION.fullmatch(word)))
    if name == "printf":
        return _printed(args)
    stdin = command.stdin.told(course.known) if command.stdin else ""
    if name == "cat":
        files = [course.files.get(course.place(word), "") for word in args if not word.startswith("-")]
        return "\n".join(filter(None, [*files, stdin, upstream(command, course, depth)]))
    scripts = _literals(args) if name in ("awk", "gawk", "jq", "python", "python3", "node", "perl", "ruby") else ""
    scripts = _sed_texts("\n".join(args)) if name == "sed" else scripts
    return "\n".join(filter(None, (scripts, stdin, upstream(command, course, depth))))


def _said(command: Command, course: Course) -> list[str]:
    return bare(words_of(command, course))


def upstream(command: Command, course: Course, depth: int = 0) -> str:
    """Return what comes to a command through its pipe."""
    before = command.piped
    said = printed(before, _said(before, course), course, depth + 1) if before else ""
    return said if course.goes_on(len(said)) else ""


def _printed(args: list[str]) -> str:
    args = args[1:] if args[:1] == ["--"] else args
    if not args:
        return ""
    form, values = unescape(args[0]), args[1:]
    pieces = _PLACE.split(form)
    wanted, at, size = len(pieces) - 1, 0, 0
    texts: list[str] = []
    while size < LONGEST:
        row = [unescape(value) for value in values[at : at + wanted]]
        row += [""] * (wanted - len(row))
        texts.append(pieces[0] + "".join(value + piece for value, piece in zip(row, pieces[1:], strict=True)))
        at, size = at + wanted, size + len(texts[-1])
        if at >= len(values) or not wanted:
            break
    return "".join(texts).replace("%%", "%")


def edited(name: str, args: list[str]) -> str:
    """Return what an editor of streams puts into the files that it changes in place."""
    script = "\n".join(word for word in args if not _NO_SCRIPT.match(word))
    if name in ("sed", "gsed"):
        return _sed_texts(script)
    replaced = [unescape(_GROUP.sub("", match["new"])) for match in matches_in(_SED, script, SED_CHARS) if match["new"]]
    return "\n".join(replaced) or _literals([script])


def _sed_texts(script: str) -> str:
    texts = []
    for match in matches_in(_SED, script, SED_CHARS):
        said = match["new"] if match["mark"] else match["text"]
        if said:
            texts.append(unescape(_ESCAPED.sub(r"\1", said)).lstrip("\\"))
    return "\n".join(texts)


def _literals(args: list[str]) -> str:
    """Return the quoted strings of a small program; of jq, those that are content."""
    given = {args[at + 1]: f'"{args[at + 2]}"' for at, word in enumerate(args[:-2]) if word == "--arg"}  # jq's
    text = expand("\n".join(args), given)
    if is_in(_CONTENT, text):
        return text
    found = [unescape(one.said) for one in literals_in(text, "\"'«")]
    return "\n".join(one.strip("\n") for one in found if one)


# How far a shell script has come: its variables, where it stands, what its files hold, what goes where.

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
