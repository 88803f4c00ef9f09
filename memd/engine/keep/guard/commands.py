"""Shell commands that write to memory files, and what they write."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from memd.engine.keep.guard.code import writes_of
from memd.engine.keep.guard.files import is_memory_file, writes_of_patch
from memd.engine.keep.guard.printed import Course, bare, edited, printed, upstream, words_of
from memd.engine.keep.guard.shell import Command, expand, parse

if TYPE_CHECKING:
    from memd.model.scan import Write

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
