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
    tokens = list(islice(_Lexer(text[:LONGEST]).tokens(), TOKENS))
    commands, _ = _commands(tokens, 0, 0)
    return commands


def is_cut(text: str) -> bool:
    """Tell whether a shell text is longer than what is read of it."""
    if len(text) <= TOKENS:
        return False
    return len(text) > LONGEST or len(list(islice(_Lexer(text).tokens(), TOKENS + 1))) > TOKENS


Token = str | Word


class _Lexer:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.waiting: list[tuple[Word, bool, Word]] = []  # delimiter, whether tabs go, where the text comes

    def tokens(self) -> Iterator[Token]:
        text = self.text
        while self.at < len(text):
            char = text[self.at]
            if char in " \t\r" or text.startswith("\\\n", self.at):
                self.at += 2 if char == "\\" else 1
            elif char == "#":
                self.at = _upto(text, "\n", self.at)
            else:
                yield from self._next()

    def _next(self) -> Iterator[Token]:
        match = _OPERATOR.match(self.text, self.at)
        if not match:
            word = self._word()
            # A number before a redirection says which stream, not what goes there.
            if not (_is_number(word) and self.text[self.at : self.at + 1] in ("<", ">")):
                yield word
            return
        self.at = match.end()
        operator = match[0]
        yield operator
        if operator == "\n":
            self._bodies()
        elif operator in ("<<", "<<-"):
            while self.text[self.at : self.at + 1] in (" ", "\t"):
                self.at += 1
            body = Word()
            self.waiting.append((self._word(), operator == "<<-", body))
            yield body

    def _word(self) -> Word:
        word = Word()
        text = self.text
        while self.at < len(text):
            char = text[self.at]
            if char in " \t\r" or _OPERATOR.match(text, self.at):
                break
            if char == "'":
                stop = _upto(text, "'", self.at + 1)
                word.parts.append((text[self.at + 1 : stop], False))
                self.at = stop + 1
            elif char == '"':
                self._double(word)
            elif text.startswith("$'", self.at):
                stop = _closing(text, "'", self.at + 2)
                word.parts.append((unescape(text[self.at + 2 : stop]), False))
                self.at = stop + 1
            elif text.startswith("$(", self.at):
                stop = _closing(text, ")", self.at + 2)
                word.parts.append((text[self.at : stop + 1], True))
                self.at = stop + 1
            elif char == "\\":
                word.parts.append((text[self.at + 1 : self.at + 2].strip("\n"), False))
                self.at += 2
            else:
                stop = self.at + 1
                while stop < len(text) and text[stop] not in " \t\r'\"\\$" and not _OPERATOR.match(text, stop):
                    stop += 1
                word.parts.append((text[self.at : stop], True))
                self.at = stop
        return word

    def _double(self, word: Word) -> None:
        stop = _closing(self.text, '"', self.at + 1)
        inside = self.text[self.at + 1 : stop]
        word.parts.append((re.sub(r'\\([$`"\\\n])', lambda match: match[1].strip("\n"), inside), True))
        self.at = stop + 1

    def _bodies(self) -> None:
        for delimiter, tabs, body in self.waiting:
            mark = "".join(text for text, _ in delimiter.parts)
            lines = []
            while self.at < len(self.text):
                stop = _upto(self.text, "\n", self.at)
                line = self.text[self.at : stop]
                line = line.lstrip("\t") if tabs else line
                self.at = stop + 1
                if line.strip() == mark:
                    break
                lines.append(line)
            quoted = any(not live for _, live in delimiter.parts)
            body.parts.append(("\n".join(lines), not quoted))
        self.waiting.clear()


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
        elif at < len(tokens) and isinstance(tokens[at], Word):
            target = tokens[at]
            at += 1
            if isinstance(target, Word):
                _redirect(current, str(token), target)
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


def _is_number(word: Word) -> bool:
    return len(word.parts) == 1 and word.parts[0][1] and word.parts[0][0].isdigit()


def _upto(text: str, mark: str, at: int) -> int:
    found = text.find(mark, at)
    return len(text) if found < 0 else found


def _closing(text: str, mark: str, at: int) -> int:
    """Return where a quotation or a substitution ends, escapes and brackets within it aside."""
    depth = 0
    while at < len(text):
        if text[at] == "\\":
            at += 1
        elif mark == ")" and text[at] == "(":
            depth += 1
        elif text[at] == mark:
            if not depth:
                return at
            depth -= 1
        at += 1
    return len(text)
