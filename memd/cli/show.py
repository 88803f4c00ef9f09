"""Print replies: JSON for programs, tables and sentences for people. Control characters of content never reach a terminal.

What is printed comes in parts: sentences, lines of pieces, tables. Each is cleaned as it is printed, and styles are put on after
that, by us alone. In a terminal lines are broken between words at its width; elsewhere nothing is broken, cut or coloured.
"""

from __future__ import annotations

import os
import re
import shlex
import sys
import unicodedata
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple, Self, TextIO

import click
from click.core import ParameterSource

from memd.cli.tables import Column, Table, broken, listing, short, table, whole_text, width
from memd.formats.records import pretty
from memd.formats.strict_json import dumps
from memd.text.counting import counted

__all__ = ["Part", "Screen", "Strong", "clean", "emit", "say", "short", "table", "width"]

USUAL_COLUMNS, LEAST_COLUMNS = 80, 20
SEQUENCE = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|(?:\x1b\]|\x9d)[^\x07\x1b\x9c]*(?:\x07|\x9c|\x1b\\)"
)  # ECMA-48: CSI, OSC
HANG = 2  # how much further the rest of a broken line is indented


class Strong(str):
    """A piece of a line that stands out; `mark` stands around it where there are no colours."""

    __slots__ = ("mark",)

    mark: str

    def __new__(cls, text: str, mark: str = "") -> Self:
        """Make it of its text."""
        made = super().__new__(cls, text)
        made.mark = mark
        return made


Line = tuple[str, ...]
Part = str | Line | Table


class Screen(NamedTuple):
    """Where something is printed: its columns, None where it is no terminal, and whether it has colours."""

    columns: int | None = None
    colours: bool = False


def screen_of(stream: TextIO) -> Screen:
    """Return what is known of the terminal behind a stream."""
    if not stream.isatty():
        return Screen()
    plain = bool(os.environ.get("NO_COLOR")) or os.environ.get("TERM") == "dumb"
    return Screen(max(_columns(stream), LEAST_COLUMNS), colours=not plain)


def _columns(stream: TextIO) -> int:
    said = os.environ.get("COLUMNS", "")
    if said.isascii() and said.isdigit() and int(said):
        return int(said)
    try:
        return os.get_terminal_size(stream.fileno()).columns or USUAL_COLUMNS
    except (OSError, ValueError):
        return USUAL_COLUMNS


def emit(reply: dict[str, Any], as_json: bool, *parts: Part) -> None:
    """Print a reply as JSON, or the parts made of it."""
    if as_json:
        text = pretty(reply)
        click.echo(_escaped(text) if sys.stdout.isatty() else text)
    else:
        say(*parts)


def say(*parts: Part, err: bool = False) -> None:
    """Print parts for a person, each on lines of its own; a tuple is one line of pieces, some of which may be Strong."""
    stream = sys.stderr if err else sys.stdout
    screen = screen_of(stream)
    for part in parts:
        for line in _lines(part, screen):
            click.echo(line, err=err, color=screen.colours or None)


def _lines(part: Part, screen: Screen) -> Iterator[str]:
    if isinstance(part, Table):
        head, body = _cleaned(part).lines(screen.columns)
        yield from (_styled((Strong(one),), screen) for one in head)
        yield from body
    elif isinstance(part, str):
        for line in clean(part).split("\n"):
            yield from _broken((line,), screen)
    else:
        pieces = tuple(Strong(_flat(one), one.mark) if isinstance(one, Strong) else _flat(one) for one in part)
        yield from _broken(pieces, screen)


def _flat(text: str) -> str:
    return clean(text).replace("\n", " ")


def _broken(pieces: Line, screen: Screen) -> Iterator[str]:
    """Yield a line as the lines of the terminal; what it begins with in white space the rest begins with, too."""
    shown = [_plain(one, screen) for one in pieces]
    text = "".join(shown)
    if screen.columns is None or (width(text) <= screen.columns and "\t" not in text):
        yield _styled(pieces, screen)
        return
    if "\t" in text:
        yield from _broken(tuple(_spaced(one) for one in pieces), screen)
        return
    margin = min(len(text) - len(text.lstrip(" ")) + HANG, screen.columns // 2)
    for number, one in enumerate(broken(text, screen.columns, margin)):
        yield " " * (margin if number else 0) + _between(pieces, shown, one.start, one.end, screen)


def _spaced(piece: str) -> str:
    text = piece.replace("\t", "    ")
    return Strong(text, piece.mark) if isinstance(piece, Strong) else text


def _between(pieces: Line, shown: list[str], start: int, end: int, screen: Screen) -> str:
    """Return what stands between two places of a line, with its styles."""
    parts, at = [], 0
    for piece, text in zip(pieces, shown, strict=True):
        inside = text[max(start - at, 0) : max(end - at, 0)]
        at += len(text)
        if inside:
            parts.append(_painted(inside) if isinstance(piece, Strong) and screen.colours else inside)
    return "".join(parts)


def _plain(piece: str, screen: Screen) -> str:
    """Return a piece without its style."""
    return f"{piece.mark}{piece}{piece.mark}" if isinstance(piece, Strong) and not screen.colours else str(piece)


def _styled(pieces: Line, screen: Screen) -> str:
    return "".join(
        _painted(str(one)) if isinstance(one, Strong) and screen.colours else _plain(one, screen) for one in pieces
    )


def marked(snippet: str, mark: str = "**") -> Line:
    """Return a snippet as pieces: what stands between marks is what was found."""
    return tuple(Strong(one, mark) if number % 2 else one for number, one in enumerate(snippet.split(mark)))


def _painted(text: str) -> str:
    return click.style(text, bold=True) if text.strip() else text


def _cleaned(part: Table) -> Table:
    return part.mapped(clean)


def own(text: str) -> str:
    """Return a sentence of memd's own in which every `memd …` is what a person types where they stand: PATH may have none, or another."""
    from memd.storage.itself import as_typed

    return as_typed(text)


def own_call(*words: str) -> str:
    """Return a call of memd as a person types it where they stand, of the workspace that they named; the words are as a shell reads them."""
    from memd.storage.itself import typed_line

    said = " ".join([typed_line(), *words])
    context = click.get_current_context(silent=True)
    if context is None or "--workspace" in said or not context.params.get("workspace"):
        return said
    named = context.get_parameter_source("workspace") is ParameterSource.COMMANDLINE
    return f"{said} --workspace {shlex.quote(context.params['workspace'])}" if named else said


def clean(text: str) -> str:
    """Return the text without escape sequences, and without control characters other than newline and tab."""
    return text if text.isprintable() else "".join(map(_seen, SEQUENCE.sub("", text)))


def _seen(char: str) -> str:
    kind = unicodedata.category(char)
    if kind in ("Zl", "Zp"):
        return "\n"
    return char if char in "\n\t" or kind not in ("Cc", "Cf", "Cs") else ""


def _escaped(text: str) -> str:
    """Return JSON without the control characters that JSON lets stand: a terminal would obey them."""
    return "".join(
        char if char == "\n" or unicodedata.category(char) not in ("Cc", "Cf", "Cs") else _code(char) for char in text
    )


def _code(char: str) -> str:
    units = char.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))


ARGUMENT_COLUMNS, RESULT_COLUMNS = 160, 160


def tell(*words: str) -> None:
    """Say something beside the result, on standard error."""
    say(*words, err=True)


def facts(pairs: Iterable[tuple[str, Any]]) -> Table:
    """Return names with their values, one a line; what says nothing is left out."""
    rows = [(name, value) for name, value in pairs if value not in (None, "", [], {})]
    return listing(rows, Column("name"), whole_text("value"))


def lasted(seconds: float) -> str:
    """Return how long something lasted, in its largest unit: 40 seconds, 3 minutes, 2 days."""
    for word, unit_s in (("day", 86_400), ("hour", 3600), ("minute", 60)):
        if seconds >= unit_s:
            return counted(int(seconds // unit_s), word)
    return counted(max(0, int(seconds)), "second")


def moment(at: Any) -> str:
    """Return a time as tables and transcripts show it."""
    return short(str(at or ""), 24).replace("T", " ")


def transcript(entries: Iterable[dict[str, Any]]) -> str:
    """Return a conversation for a person: time, speaker, text; what tools were asked, and what came of it."""
    return "\n".join(map(_entry, entries))


def _entry(one: dict[str, Any]) -> str:
    said = said_of(one).replace("\n", "\n    ")
    if one["kind"] == "tool_result":
        return f"    {said}"
    call = one.get("raw_tool_call")
    leaked = f"\n    [a call of {call.get('tool') or 'a tool'} was written as text; {call['fallback']}]" if call else ""
    return f"{moment(one.get('at')) or '-'}  {said}{leaked}"


def said_of(one: dict[str, Any]) -> str:
    """Return what an event says: a message whole, a tool's call and result shortened."""
    content = str(one.get("content", ""))
    match one["kind"]:
        case "message":
            return f"{short(str(one.get('speaker', '?')), 40)}: {content}"
        case "tool_call":
            return f"{one.get('tool', '')}({_arguments(one.get('arguments'))})"
        case "tool_result":
            return f"→ {'failed: ' if one.get('is_error') else ''}{short(content, RESULT_COLUMNS)}"
        case "task_evidence":
            return f"evidence{' [' + str(one['status']) + ']' if one.get('status') else ''}: {content}"
        case "acceptance":
            return f"{one.get('verdict', '')} {one.get('task', '')}: {one.get('words', '')}".rstrip(": ")
        case _:
            return f"{one['kind']} {one.get('run', '')}".rstrip() + (f": {content}" if content else "")


def _arguments(given: Any) -> str:
    if isinstance(given, dict):
        given = ", ".join(f"{key}={dumps(value)}" for key, value in given.items())
    text = given if isinstance(given, str) else "" if given is None else dumps(given)
    return short(text, ARGUMENT_COLUMNS)


def draft_text(one: dict[str, Any]) -> list[Part]:
    """Return a draft for a person: where it comes from, what is wrong with it, all of it, and what it changes."""
    named = [(key.replace("_", " "), one.get(key)) for key in ("skill", "candidate", "made_by")]
    parts: list[Part] = [
        facts(
            (
                *named, ("made", moment(one["made_at"])), ("over version", one["based_on"] or "none, it is new"),
                ("declined", one.get("declined")), ("file", one["file"]), ("sha256", one["digest"]),
            )
        )
    ]  # fmt: skip
    odd = [f"fault: {why}" for why in one["faults"]] + [f"remark: {why}" for why in one.get("remarks", [])]
    parts += ["", *odd] if odd else []
    parts += ["", one["text"].rstrip("\n")]
    if one["diff"] and not one["diff"].startswith("--- /dev/null"):
        parts += ["", "What it changes:\n\n" + one["diff"].rstrip("\n")]
    return parts
