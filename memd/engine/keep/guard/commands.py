"""Shell commands that write to memory files, and what they print or put there, as far as that is seen without running them."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from memd.engine.keep.guard.files import is_memory_file, literals_in, writes_of, writes_of_patch
from memd.engine.keep.guard.shell import LONGEST, Command, expand, parse, unescape
from memd.model.scan import Write
from memd.text.expressions import is_in, matches_in

# What a command would print or put into a file, as far as that can be seen without running it.

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


_SHELLS = frozenset(["sh", "bash", "zsh", "dash", "ksh", "ash", "fish", "busybox"])
_CODE = frozenset(
    [
        "python",
        "python2",
        "python3",
        "node",
        "nodejs",
        "deno",
        "bun",
        "ruby",
        "perl",
        "php",
        "pwsh",
        "powershell",
        "osascript",
        "lua",
        "Rscript",
    ]
)
_EDITORS = frozenset(["sed", "gsed", "perl", "ruby", "awk", "gawk", "yq", "dasel", "jq"])
_OURS = frozenset(["memd", "git", "promptx", "promptx.js", "gh", "hg", "svn"])
_DECLARES = frozenset(("export", "declare", "local", "readonly", "typeset"))
_ASSIGNMENT = re.compile(r"(\w+)\+?=([\s\S]*)")
_COMMAND_FLAG = re.compile(r"-\w*c")
_TYPED = re.compile(r"\bnorm(?:al)?!? ?[Gg0$]*[oOaAiI](.+)")  # what a command of vi types
DEEPEST = 4  # shells within shells


def writes_of_script(script: str, depth: int = 0) -> list[Write]:
    """Return the writes to memory files in a shell script, with as much of the text as can be seen."""
    course = Course(depth=depth)
    _follow(parse(script), course)
    return course.writes


def writes_of_words(words: list[str]) -> list[Write]:
    """The same for a command given as a list of words."""
    if len(words) >= 2 and words[0].rpartition("/")[2] in ("apply_patch", "applypatch"):
        return list(writes_of_patch(words[1]))
    for at, word in enumerate(words[:-1]):
        if _COMMAND_FLAG.fullmatch(word) and words[at - 1].rpartition("/")[2] in _SHELLS:
            return writes_of_script(words[at + 1])
    return writes_of_script(" ".join("'" + word.replace("'", "'\\''") + "'" for word in words))


def _follow(commands: list[Command], course: Course) -> None:
    for command in commands:
        if not course.goes_on(1):
            return
        _one(command, course)


def _one(command: Command, course: Course) -> None:
    if command.group:
        _follow(command.group, course)
    words = words_of(command, course)
    if words and words[0] in _DECLARES:
        words = [word for word in words[1:] if not word.startswith("-")]
    elif words[:1] == ["for"] and words[2:3] == ["in"]:
        course.known[words[1]] = next((word for word in words[3:] if is_memory_file(course.place(word))), words[-1])
        words = []
    words = bare(_assigned(words, course))
    name = words[0].rpartition("/")[2] if words else ""
    if name == "cd" and len(words) > 1:
        course.enter(words[1])
    if name not in _OURS and not any(word.endswith("promptx.js") for word in words[:2]):
        _by_name(name, words, command, course)
    for operator, target in command.redirects:
        if operator in ("<", "<&"):
            continue
        path = target.told(course.known)
        if operator == ">&" and path.isdigit():
            path = course.streams.get(path, "")
        elif not words and not command.group and command.words:
            course.streams.update(dict.fromkeys("3456789", path))  # `exec 3>>FILE`: what is sent there later goes in
            continue
        if path:
            course.write(path, printed(command, words, course), whole=operator in (">", ">|", "&>"))


def _assigned(words: list[str], course: Course) -> list[str]:
    """Set the variables that a command begins with, and return the rest."""
    at = 0
    while at < len(words) and (match := _ASSIGNMENT.fullmatch(words[at])):
        course.known[match[1]] = match[2]
        at += 1
    return words[at:]


class _Call(NamedTuple):
    """A command as a rule sees it: its arguments, those that are no options, and what it reads."""

    name: str
    args: list[str]
    files: list[str]
    data: str


def _by_name(name: str, words: list[str], command: Command, course: Course) -> None:
    stdin = command.stdin.told(course.known) if command.stdin else ""
    if not name or _inner_shell(name, words, stdin, course):
        return
    args = words[1:]
    files = [word for word in args if not word.startswith("-")]
    rule = _RULES.get(name)
    if rule is not None:
        rule(_Call(name, args, files, stdin or upstream(command, course)), course)
    elif name.split(".", maxsplit=1)[0] in _CODE:
        course.writes.extend(writes_of("\n".join([*args, stdin]), course.known, course.folder))


def _tee(call: _Call, course: Course) -> None:
    whole = not any(re.fullmatch(r"-\w*a\w*|--append", word) for word in call.args)
    for path in call.files:
        course.write(path, call.data, whole=whole)


def _edit_in_place(call: _Call, course: Course) -> None:
    in_place = any(re.match(r"-\w*i|--in-place", word) for word in call.args)
    paths = [path for path in call.files if is_memory_file(course.place(path))] if in_place else []
    for path in paths:
        course.write(path, edited(call.name, [word for word in call.args if word != path]), whole=False)
    if not paths and call.name in _CODE:
        course.writes.extend(writes_of("\n".join([*call.args, call.data]), course.known, course.folder))


def _copy(call: _Call, course: Course) -> None:
    *sources, target = call.files or [""]
    if target.endswith("/") or target in (".", ".."):
        # A copy of memory elsewhere says nothing new.
        for source in filter(lambda one: not is_memory_file(course.place(one)), sources):
            course.write(
                target + "/" + source.rpartition("/")[2], course.files.get(course.place(source), ""), whole=True
            )
    elif sources:
        course.write(target, course.files.get(course.place(sources[0]), ""), whole=True)


def _dd(call: _Call, course: Course) -> None:
    for word in call.args:
        if word.startswith("of="):
            course.write(word[3:], call.data, whole=True)


def _type_into(call: _Call, course: Course) -> None:
    typed = "\n".join(match[1] for word in call.args if (match := _TYPED.search(word)))
    for path in call.files:
        course.write(path, typed or call.data, whole=False)


def _patch(call: _Call, course: Course) -> None:
    course.writes.extend(writes_of_patch("\n".join([call.data, *call.args])))


_RULES: dict[str, Callable[[_Call, Course], None]] = {
    "tee": _tee,
    "dd": _dd,
    **dict.fromkeys(_EDITORS, _edit_in_place),
    **dict.fromkeys(("cp", "mv", "install", "rsync", "ln", "copy", "Copy-Item", "Move-Item"), _copy),
    **dict.fromkeys(("ed", "ex", "vi", "vim", "nvim", "sponge"), _type_into),
    **dict.fromkeys(("patch", "apply_patch", "applypatch"), _patch),
}


def _inner_shell(name: str, words: list[str], stdin: str, course: Course) -> bool:
    """Follow a script that is handed to a shell, wherever the shell runs."""
    if course.depth >= DEEPEST:
        return False
    script = ""
    shell = flag = len(words)  # the last of the shells, and the first flag behind it
    for at in range(len(words) - 2, -1, -1):
        if words[at].rpartition("/")[2] in _SHELLS:
            shell = at
            break
        if _COMMAND_FLAG.fullmatch(words[at]):
            flag = at
    if shell < flag < len(words):
        script = words[flag + 1]
    if name == "eval":
        script = " ".join(words[1:])
    elif name in _SHELLS and not script:
        script = stdin
    if not script or not course.goes_on(len(script) + len(course.known)):
        return False
    known = dict(course.known)
    inner = Course(known, course.folder, course.files, course.streams, course.writes, course.depth + 1, course.pace)
    _follow(parse(expand(script, course.known)), inner)
    return True
