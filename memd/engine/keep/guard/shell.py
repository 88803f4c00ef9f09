"""Shell text as commands: words with their quotes undone, redirections, here-documents, pipes and groups.

It reads what agents write, in the manner of POSIX sh and bash, to see where output goes; it runs nothing, and what it
cannot read it takes for words.

Source
    POSIX.1-2024, XCU chapter 2 (tokens, quoting, redirection, here-documents).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice

_OPERATOR = re.compile(r"&>>|<<<|<<-|&&|\|\||;;|\|&|&>|>>|>\||>&|<&|<<|<>|[<>|&;()\n]")
_BLANK = re.compile(r"(?:[ \t\r]|\\\n|#[^\n]*+)++")
_BRACKET = re.compile(r"\\.|[()]", re.DOTALL)
# A piece of a word: quoted in one way or another, a substitution, an escaped character, or plain.
_PIECE = re.compile(
    r"""'(?P<single>[^']*+)'?|\$'(?P<ansi>(?:[^'\\]++|\\.)*+\\?)'?|"(?P<double>(?:[^"\\]++|\\.)*+\\?)"?"""
    r"""|(?P<inner>\$\()|\\(?P<escaped>.?)|(?P<plain>[^ \t\r'"\\<>|&;()\n][^ \t\r'"\\$<>|&;()\n]*+)""",
    re.DOTALL,
)
_IN_DOUBLE = re.compile(r'\\([$`"\\\n])')
_VARIABLE = re.compile(r"\$\{(\w{1,200}+)(?:[:%#/^,-][^}]{0,400}+)?\}|\$(\w{1,200}+)")
_ESCAPE = re.compile(r"\\(n|t|r|\\|'|\"|0?[0-7]{1,3}|x[0-9a-fA-F]{1,2}|u[0-9a-fA-F]{4})")
_SIMPLE = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\", "'": "'", '"': '"'}
_LEADERS = frozenset(["then", "do", "else", "if", "elif", "while", "until", "!", "time"])
_JOINS = frozenset(("&&", "||", ";", ";;", "&", "\n"))
OPEN, CLOSE = "()"
DEEPEST = 8  # groups within groups
LONGEST, TOKENS = 200_000, 20_000  # characters, and words and operators, that are read of a script


@dataclass(slots=True)
class Word:
    """A word as parts: text, and whether variables in it stand for something."""

    parts: list[tuple[str, bool]] = field(default_factory=list)

    def told(self, known: Mapping[str, str]) -> str:
        """Return the word with the variables that are known put in."""
        return "".join(expand(text, known) if live else text for text, live in self.parts)


@dataclass(slots=True)
class Command:
    """One simple command, or a group with what is inside. `stdin` is a here-document's text."""

    words: list[Word] = field(default_factory=list)
    redirects: list[tuple[str, Word]] = field(default_factory=list)
    stdin: Word | None = None
    group: list[Command] = field(default_factory=list)
    piped: Command | None = None


def expand(text: str, known: Mapping[str, str]) -> str:
    """Put in the variables that are known; others stay as written."""
    if "$" not in text:
        return text[:LONGEST]
    parts, at, size = [], 0, 0
    for match in _VARIABLE.finditer(text[:LONGEST]):
        said = known.get(match[1] or match[2])
        if said is not None:
            parts += [text[at : match.start()], said]
            at, size = match.end(), size + len(said)
            if size > LONGEST:
                break
    return "".join([*parts, text[at:]])[:LONGEST]


def unescape(text: str) -> str:
    """Undo the escapes that echo -e, printf and $'...' know."""

    def one(match: re.Match[str]) -> str:
        said = match[1]
        if said in _SIMPLE:
            return _SIMPLE[said]
        code = int(said[1:], 16) if said[0] in "xu" else int(said, 8)
        return "\ufffd" if 0xD800 <= code <= 0xDFFF else chr(code)

    return _ESCAPE.sub(one, text)


def parse(text: str) -> list[Command]:
    """Return the commands of a shell text in order; those of a pipe name the one before them."""
    tokens = list(islice(_tokens(text[:LONGEST]), TOKENS))
    commands, _ = _commands(tokens, 0, 0)
    return commands


def is_cut(text: str) -> bool:
    """Tell whether a shell text is longer than what is read of it."""
    if len(text) <= TOKENS:
        return False
    return len(text) > LONGEST or len(list(islice(_tokens(text), TOKENS + 1))) > TOKENS


Token = str | Word


def _tokens(text: str) -> Iterator[Token]:
    """Yield words and operators; behind `<<` what its here-document says, which is read where the line ends."""
    at = 0
    waiting: list[tuple[Word, bool, Word]] = []  # delimiter, whether tabs go, where the text comes
    while at < len(text):
        if blank := _BLANK.match(text, at):
            at = blank.end()
        elif operator := _OPERATOR.match(text, at):
            at = operator.end()
            yield operator[0]
            if operator[0] in ("<<", "<<-"):
                while text[at : at + 1] in (" ", "\t"):
                    at += 1
                delimiter, at = _word(text, at)
                waiting.append((delimiter, operator[0] == "<<-", Word()))
                yield waiting[-1][2]
            while operator[0] == "\n" and waiting:
                at = _read_here(text, at, *waiting.pop(0))
        else:
            word, at = _word(text, at)
            # A number before a redirection says which stream, not what goes there.
            is_number = len(word.parts) == 1 and word.parts[0][1] and word.parts[0][0].isdigit()
            if not (is_number and text[at : at + 1] in ("<", ">")):
                yield word


def _word(text: str, at: int) -> tuple[Word, int]:
    """Return the word that begins at a place, and where it ends."""
    word = Word()
    while piece := _PIECE.match(text, at):
        kind, at = str(piece.lastgroup), piece.end()
        said = piece[kind]
        if kind == "inner":
            at = _closing(text, at)
            said = text[piece.start() : at]
        elif kind == "ansi":
            said = unescape(said)
        elif kind == "double":
            said = _IN_DOUBLE.sub(lambda escape: escape[1].strip("\n"), said)
        elif kind == "escaped":
            said = said.strip("\n")
        word.parts.append((said, kind in ("inner", "double", "plain")))
    return word, at


def _read_here(text: str, at: int, delimiter: Word, tabs: bool, body: Word) -> int:
    """Read a here-document into its body; return where it goes on."""
    mark = "".join(said for said, _ in delimiter.parts)
    lines: list[str] = []
    while at < len(text):
        stop = text.find("\n", at)
        line = text[at:] if stop < 0 else text[at:stop]
        line, at = line.lstrip("\t") if tabs else line, at + len(line) + 1
        if line.strip() == mark:
            break
        lines.append(line)
    body.parts.append(("\n".join(lines), all(live for _, live in delimiter.parts)))
    return at


def _closing(text: str, at: int) -> int:
    """Return where a substitution ends, escapes and brackets within it aside."""
    depth = 1
    for sign in _BRACKET.finditer(text, at):
        depth += {"(": 1, ")": -1}.get(sign[0], 0)
        if not depth:
            return sign.end()
    return len(text)


def _commands(tokens: list[Token], at: int, depth: int) -> tuple[list[Command], int]:
    """Read commands up to the end of a group; return them, and where it goes on."""
    done: list[Command] = []
    current = Command()
    while at < len(tokens):
        token = tokens[at]
        at += 1
        if isinstance(token, Word):
            name = token.told({}) if not current.words else ""
            if name == "}" and depth:
                return _closed(done, current), at
            if name == "{" and depth < DEEPEST:
                current.group, at = _commands(tokens, at, depth + 1)
            elif name not in _LEADERS:
                current.words.append(token)
        elif token == OPEN and depth < DEEPEST:
            current.group, at = _commands(tokens, at, depth + 1)
        elif token == CLOSE:
            if depth:
                return _closed(done, current), at
        elif token in _JOINS or token in ("|", "|&"):
            done = _closed(done, current)
            current = Command(piped=current if token in ("|", "|&") else None)
        elif isinstance(target := next(iter(tokens[at : at + 1]), None), Word):
            at += 1
            _redirect(current, token, target)
    return _closed(done, current), at


def _redirect(command: Command, operator: str, target: Word) -> None:
    if operator.startswith("<<"):
        command.stdin = target
    else:
        command.redirects.append((operator, target))


def _closed(done: list[Command], current: Command) -> list[Command]:
    if current.words or current.redirects or current.group or current.stdin:
        done.append(current)
    return done
