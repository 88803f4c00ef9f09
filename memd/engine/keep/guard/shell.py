"""Shell lines, read for what they write to memory files: words, redirections, pipes and here-documents. Nothing is run.

What a line only computes is not known: the write is seen, its text as far as the line says it. A text too long to be read
may write every memory file that it names.

Source
    POSIX.1-2024, XCU chapter 2 (quoting, redirection, here-documents).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise

from memd.engine.keep.guard.files import (
    LONGEST,
    expand,
    is_memory_file,
    literals_in,
    named_in,
    unescape,
    writes_of,
    writes_of_patch,
)
from memd.model.scan import Write
from memd.text import expressions as re
from memd.text.expressions import is_in, matches_in

TOKENS = 20_000  # words and operators that are read of a script
STEPS = 1_000_000  # characters handed from one command to another, until a script is followed no further
DEEPEST = 4  # shells within shells
PATH_CHARS = 1000
SED_CHARS = 2000  # of one command of sed

_PIECES = (
    r"'[^']*+'?|\$'(?:[^'\\]++|\\.)*+\\?'?|\"(?:[^\"\\]++|\\.)*+\\?\"?"
    r"|\$\((?:[^()]++|\([^()]*+\))*+\)|\\.?|\$?[^ \t\r\n'\"\\<>|&;()$]++|\$"
)
_PIECE = re.compile(_PIECES, re.DOTALL)
_TOKEN = re.compile(
    r"(?P<blank>(?:[ \t\r]|\\\n|#[^\n]*+)++)|\d{0,2}(?P<redirect>&>>?|>>|>\||[<>]&|<>|<<<|<<-?|[<>])"
    rf"|(?P<join>&&|\|[|&]?|;;?|[&()\n])|(?P<word>(?:{_PIECES})++)",
    re.DOTALL,
)
_LINE = re.compile(r"[^\n]*+")
_IN_DOUBLE = re.compile(r'\\([$`"\\\n])')
_ASSIGNMENT = re.compile(r"(\w+)\+?=([\s\S]*)")
_TIME = re.compile(r"\d+[smh]?")
_SCRIPT_FLAG = re.compile(r"-\w*c")
_IN_PLACE = re.compile(r"-\w*i|--in-place")
_APPEND = re.compile(r"-\w*a\w*|--append")
_ECHO = re.compile(r"-[neE]+")
_PLACE = re.compile(r"%[-0-9.]{0,20}[sbdq]")
_CONTENT = re.compile(r"\"content\"|\"value\"|content:|value:")
_SED = re.compile(
    r"(?:^|[;\n{])[ \t]*+(?:/(?:\\.|[^/\\\n]){0,300}/|\d{1,9}|\$)?+(?:,(?:/(?:\\.|[^/\\\n]){0,300}/|\d{1,9}|\$))?+[ \t]*+!?[ \t]*+"
    r"(?:s(?P<mark>[^\w\s\\])(?:\\.|(?!(?P=mark))[^\\]){0,800}+(?P=mark)(?P<new>(?:\\.|(?!(?P=mark))[^\\]){0,1200}+)(?P=mark)|(?P<add>[aic])\\?\s{0,8}(?P<text>[^\n]+))"
)
_SED_SIGN = re.compile(r"\\([&/.*()])|\$\d|\\\d|\$&")

_KINDS = {
    "opener": "( { do",
    "closer": ") } done",
    "leader": "( { do ) } done then else if elif while until ! time",
    "prefix": "sudo env command nohup exec nice time doas builtin stdbuf timeout setsid xargs",
    "declaring": "export declare local readonly typeset",
    "shell": "sh bash zsh dash ksh ash fish busybox",
    "language": "python python2 python3 node nodejs deno bun ruby perl php pwsh powershell osascript lua Rscript",
    "stream editor": "sed gsed perl ruby awk gawk yq dasel jq",
    "passing": "memd git promptx promptx.js gh hg svn",  # what writes memory as it should, or has a history of it
}
_WORDS = {kind: frozenset(words.split()) for kind, words in _KINDS.items()}


def _is(kind: str, word: str) -> bool:
    return word.rpartition("/")[2] in _WORDS[kind]


@dataclass(slots=True)
class _Command:
    """One simple command as it is written; `join` is what stands behind it."""

    words: list[str] = field(default_factory=list)
    targets: list[tuple[str, str]] = field(default_factory=list)
    here: str = ""
    is_text: bool = False  # the mark of its here-document is quoted: nothing in it stands for anything else
    join: str = ""


def writes_of_script(text: str) -> list[Write]:
    """Return the writes to memory files in a shell script, with as much of the text as can be seen."""
    commands, is_whole = _commands(text[:LONGEST])
    script = _Script()
    for command in commands:
        script.run(command)
    if script.writes or (is_whole and script.left > 0 and len(text) <= LONGEST):
        return script.writes
    return [Write(path, "") for path in named_in(text)]


def writes_of_words(words: list[str]) -> list[Write]:
    """The same for a command given as a list of words."""
    script = _Script()
    script.do(words, "")
    return script.writes


def _commands(text: str) -> tuple[list[_Command], bool]:
    """Return the simple commands of a shell text in order, and whether they are all of it."""
    done = [_Command()]
    waiting: list[tuple[_Command, str]] = []  # whose here-documents begin with the next line, and what ends each
    at, redirect, tokens = 0, "", 0
    while (token := _TOKEN.match(text, at)) and tokens < TOKENS:
        at = token.end()
        said, kind, command = token[0], token.lastgroup, done[-1]
        tokens += kind != "blank"
        if kind == "redirect":
            redirect = token["redirect"]
        elif kind == "word" and redirect in ("<<", "<<-"):
            waiting.append((command, _undone(said, {})))
            command.is_text, redirect = said[0] in "'\"\\", ""
        elif kind == "word" and redirect == "<<<":
            command.here, redirect = _undone(said, {}), ""
        elif kind == "word" and redirect:
            command.targets.append((redirect, said))
            redirect = ""
        elif kind == "word":
            command.words.append(said)
        elif kind == "join":
            command.join, redirect = said, ""
            done.append(_Command([said] if said in "()" else []))
            while said == "\n" and waiting:
                command, mark = waiting.pop(0)
                command.here, at = _here(text, at, mark)
    return done, at >= len(text)


def _here(text: str, at: int, mark: str) -> tuple[str, int]:
    """Return a here-document that begins at a place, and where it is over."""
    lines: list[str] = []
    while at < len(text) and (line := _LINE.match(text, at)):
        at = line.end() + 1
        if line[0].strip() == mark:
            break
        lines.append(line[0])
    return "\n".join(lines), at


def _undone(word: str, known: dict[str, str]) -> str:
    """Return what a word stands for: without its quotes, and with the variables that are known."""

    def one(piece: re.Match[str]) -> str:
        said = piece[0]
        if said[0] == "'":
            return said[1:].removesuffix("'")
        if said.startswith("$'"):
            return unescape(said[2:].removesuffix("'"))
        if said[0] == '"':
            return expand(_IN_DOUBLE.sub(lambda sign: sign[1].strip("\n"), said[1:].removesuffix('"')), known)
        return said[1:].strip("\n") if said[0] == "\\" else expand(said, known)

    return _PIECE.sub(one, word)


@dataclass(slots=True)
class _Script:
    """How far a script has come: its variables, where it stands, what its files hold, what it has written to memory files."""

    known: dict[str, str] = field(default_factory=dict)
    folder: str = ""
    files: dict[str, str] = field(default_factory=dict)
    writes: list[Write] = field(default_factory=list)
    groups: list[list[str]] = field(default_factory=list)  # what was printed in each group that is open
    piped: str = ""
    depth: int = 0
    left: int = STEPS

    def run(self, command: _Command) -> None:
        """Follow one command, what it prints and where that goes."""
        words = [self._moved(_undone(word, self.known)) for word in command.words]
        targets = [(sign, self._moved(_undone(word, self.known))) for sign, word in command.targets]
        here = command.here if command.is_text else expand(command.here, self.known)
        if self.left <= 0:
            return
        told = ""
        while words and words[0] in _WORDS["leader"]:
            leader, *words = words
            if leader in _WORDS["opener"]:
                self.groups.append([])
            elif leader in _WORDS["closer"] and self.groups:
                told = _lines(*self.groups.pop())
        told = _lines(told, self.do(words, here or self.piped))
        for sign, path in targets:
            if sign not in ("<", "<&") and not path.isdigit():
                self._write(path, told, is_whole=sign in (">", ">|", "&>"))
        self.piped = self._moved(told) if command.join[:1] == "|" and command.join != "||" else ""
        if told and not self.piped and not targets and self.groups:
            self.groups[-1].append(self._moved(told))

    def do(self, words: list[str], stdin: str) -> str:
        """Carry out the words of a command, as far as that is seen, and return what it prints."""
        words = self._set(words)
        if not words:
            return ""
        name, args = words[0].rpartition("/")[2], words[1:]
        if name == "cd" and args:
            place = self._place(args[0])
            self.folder = place if len(place) <= PATH_CHARS else ""
        elif inner := _inner(name, words, stdin):
            self._inside(inner)
        elif not any(_is("passing", word) for word in words[:2]):
            self._by_name(name, args, stdin)
        return self._printed(name, args, stdin)

    def _moved(self, text: str) -> str:
        """Count a text that goes from one place to another; nothing goes any more once it was too much."""
        self.left -= len(text) + 1
        return text if self.left > 0 else ""

    def _place(self, path: str) -> str:
        """Return a path as seen from where the script began."""
        is_absolute = path.startswith(("/", "~", "$", "\\")) or path[1:2] == ":"
        return path if is_absolute or not self.folder else f"{self.folder.rstrip('/')}/{path.removeprefix('./')}"

    def _is_memory(self, path: str) -> bool:
        return is_memory_file(self._place(path))

    def _write(self, path: str, text: str, *, is_whole: bool) -> None:
        place, text = self._place(path), self._moved(text)
        if is_memory_file(place):
            self.writes.append(Write(place, text, is_whole))
        else:
            before = "" if is_whole else self.files.get(place, "")
            self.files[place] = self._moved(_lines(before, text)[:LONGEST])

    def _set(self, words: list[str]) -> list[str]:
        """Set the variables that a command begins with, and return its words without what only says how it is run."""
        if words[:1] == ["for"] and words[2:3] == ["in"]:
            self.known[words[1]] = next(filter(self._is_memory, words[3:]), words[-1])
            return []
        if words and _is("declaring", words[0]):
            words = [word for word in words[1:] if not word.startswith("-")]
        at, is_prefixed = 0, False
        while at < len(words):
            if assigned := _ASSIGNMENT.fullmatch(words[at]):
                self.known[assigned[1]] = assigned[2]
            elif _is("prefix", words[at]):
                is_prefixed = True
            elif not (is_prefixed and (words[at][:1] == "-" or _TIME.fullmatch(words[at]))):
                break
            at += 1
        return words[at:]

    def _inside(self, script: str) -> None:
        """Follow a script that is handed to a shell."""
        if self.depth < DEEPEST and self._moved(script):
            self.depth += 1
            for command in _commands(expand(script, self.known))[0]:
                self.run(command)
            self.depth -= 1

    def _by_name(self, name: str, args: list[str], stdin: str) -> None:
        """Note what a program writes to the files that it is told of."""
        files = [word.removeprefix("of=") for word in args if not word.startswith(("-", "if="))]
        match name:
            case "tee" | "dd" | "sponge" | "ed" | "ex" | "vi" | "vim" | "nvim":
                for path in files:
                    self._write(path, stdin, is_whole=not any(map(_APPEND.fullmatch, args)))
            case "cp" | "mv" | "install" | "rsync" | "ln" | "copy" | "Copy-Item" | "Move-Item":
                self._copy(files)
            case "patch" | "apply_patch" | "applypatch":
                self.writes.extend(writes_of_patch(_lines(stdin, *args)))
            case _ if (
                _is("stream editor", name) and any(map(_IN_PLACE.match, args)) and any(map(self._is_memory, files))
            ):
                for path in filter(self._is_memory, files):
                    script = "\n".join(word for word in files if word != path)
                    said = _of_sed(script) if name in ("sed", "gsed") else _of_sed(script, "new") or _literals(script)
                    self._write(path, said, is_whole=False)
            case _ if _is("language", name.partition(".")[0]):
                self.writes.extend(writes_of("\n".join([*args, stdin]), self.known, self.folder))

    def _copy(self, files: list[str]) -> None:
        *sources, target = files or [""]
        is_folder = target.endswith("/") or target in (".", "..")
        for source in sources:
            if not (is_folder and self._is_memory(source)):  # a copy of memory elsewhere says nothing new
                path = f"{target}/{source.rpartition('/')[2]}" if is_folder else target
                self._write(path, self.files.get(self._place(source), ""), is_whole=True)

    def _printed(self, name: str, args: list[str], stdin: str) -> str:
        """Return what a command prints, as far as it is seen: what it is told, and what comes in."""
        if name == "echo":
            return unescape(" ".join(word for word in args if not _ECHO.fullmatch(word)))
        if name == "printf":
            return _formatted(args[args[:1] == ["--"] :])
        if name == "cat":
            return _lines(*(self.files.get(self._place(word), "") for word in args if word[:1] != "-"), stdin)
        if name in ("sed", "gsed"):
            return _lines(_of_sed("\n".join(args)), stdin)
        if _is("stream editor", name) or _is("language", name):
            return _lines(_literals("\n".join(args)), stdin)
        return stdin


def _lines(*texts: str) -> str:
    return "\n".join(filter(None, texts))


def _inner(name: str, words: list[str], stdin: str) -> str:
    """Return the script that is handed to a shell, wherever among the words the shell stands."""
    if name == "eval":
        return " ".join(words[1:])
    has_shell = False
    for word, following in pairwise(words):
        if has_shell and _SCRIPT_FLAG.fullmatch(word):
            return following
        has_shell = has_shell or _is("shell", word)
    return stdin if _is("shell", name) else ""


def _formatted(args: list[str]) -> str:
    """Return what printf makes of its words: its form, again as long as there are any."""
    form, values = unescape(args[0]) if args else "", iter(args[1:])
    places = len(_PLACE.findall(form))
    times = min(-(-(len(args) - 1) // places), LONGEST // len(form) + 1) if places else 1
    return _PLACE.sub(lambda _: unescape(next(values, "")), form * max(times, 1)).replace("%%", "%")


def _of_sed(script: str, *parts: str) -> str:
    """Return what the commands of a script for sed put in: for another, of it or of all, in the place of something."""
    found = (match[part] for match in matches_in(_SED, script, SED_CHARS) for part in parts or ("new", "text"))
    return _lines(*(unescape(_SED_SIGN.sub(r"\1", said)).lstrip("\\") for said in found if said))


def _literals(program: str) -> str:
    """Return the quoted strings of a small program; of jq's, which name what is content, all of it."""
    if is_in(_CONTENT, program):
        return program
    return _lines(*(unescape(one.said).strip("\n") for one in literals_in(program, "\"'«")))
