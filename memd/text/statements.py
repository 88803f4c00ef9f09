"""Cut what was said into its statements, each of which could be a memory by itself; joined, their places are the content.

A sentence is one, an item of a list, a clause that begins anew (cuts/borders.py), a question or a request beside what is told,
a greeting. What leans on what stands before it (a pronoun, `which`, 它, 这, a verb without its subject) stays with it. Code,
quoted lines and what a machine wrote are kept whole and marked as handed over.

Units
    Places are characters of the content. What has no end is not read to it: READ_CHARS, MOST.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from memd.text import statement_words as words
from memd.text.acts import is_machine
from memd.text.borders import (
    HEAD,
    asks,
    bare,
    closed_in,
    cuts,
    ends,
    has_words,
    is_polite,
    leans,
    requests,
    stands,
    tells,
)

MOST = 400  # statements of one content; what comes after is one that is not looked at
MOST_CHARS = 600  # of a statement's text
READ_CHARS = 32_000  # of a content
DEPTH = 4  # how often what was cut is looked at again
WRAP_CHARS, VERSE_CHARS, VERSE_LINES = 40, 60, 3
LOOKED_CHARS = 400  # of a line that a machine may have written

_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_FENCE = re.compile(r"```|~~~")
_QUOTED = re.compile(r"[ \t]*>")
_TRACE = re.compile(r"\s*(?:Traceback\b|File \"|at \S+[(:]|diff --git|@@ )")


class Statement(NamedTuple):
    """One statement. `text`: a piece of the content, without marks and words of going on around it, at most MOST_CHARS.

    `begin` and `end`: its place with all that is left out of `text`; the places follow one another from 0 to the end.
    `handed`: code, a quoted line, a log, what was not read; `whole`: of a list, verse or code, which nobody cuts.
    """

    text: str
    begin: int
    end: int
    question: bool = False
    courtesy: bool = False
    request: bool = False
    handed: bool = False
    whole: bool = False

    @property
    def tells(self) -> bool:
        """Tell whether it says something that could be kept: it is no question, no courtesy and not handed over."""
        return bool(self.text) and not (self.question or self.courtesy or self.handed)


class _Block(NamedTuple):
    """Lines that belong together: `kind` is blank, handed, item, head (of a list or of code), list or line."""

    kind: str
    begin: int
    end: int
    verse: bool = False


class _Part(NamedTuple):
    """A piece between two borders. `said`: where its own words begin; `first`: of its block; `hard`: it begins a sentence."""

    begin: int
    end: int
    said: int
    block: _Block
    first: bool = True
    hard: bool = True


@lru_cache(maxsize=16)
def statements(content: str) -> tuple[Statement, ...]:
    """Return the statements of a content in their order, at most MOST."""
    read = min(len(content), READ_CHARS)
    found: list[Statement] = []
    for one in _again(content, _cut(content, read), DEPTH):
        if len(found) == MOST - 1:
            read = one.begin
            break
        found.append(one)
    if read < len(content):
        found.append(Statement(content[read : read + MOST_CHARS], read, len(content), handed=True, whole=True))
    return tuple(found)


def _cut(content: str, read: int) -> Iterator[Statement]:
    held: list[_Part] = []
    for cut in _parts(content, read):
        blank = len(held) == 1 and held[0].block.kind == "blank"
        part = cut._replace(begin=held.pop().begin) if blank else cut
        if held and not _goes_on(content, held, part):
            yield _made(content, held)
            held = []
        held.append(part)
    if held:
        yield _made(content, held)


def _again(content: str, cut: Iterator[Statement], depth: int) -> Iterator[Statement]:
    """Yield statements none of which, read by itself, is more than one: without its neighbours less holds it together."""
    for one in cut:
        if one.handed or not (depth and one.text) or one.text == content:
            yield one
            continue
        at = bare(content, one.begin, one.end)[0]
        at = at if content.startswith(one.text, at) else content.index(one.text, one.begin)
        parts = list(_again(one.text, _cut(one.text, len(one.text)), depth - 1))
        for n, part in enumerate(parts):
            begin = at + part.begin if n else one.begin
            end = at + part.end if n < len(parts) - 1 else one.end
            yield part._replace(begin=begin, end=end, whole=one.whole or part.whole)


def trimmed(content: str, kept: Sequence[bool]) -> str:
    """Return a content without the statements at its two ends that are not kept; lists, verse and code stay whole.

    `kept` has a value for each of its statements, ValueError where it has not. What stands between stays as it is,
    byte for byte; where nothing is kept, nothing is left.
    """
    parts = statements(content)
    if len(parts) != len(kept):
        raise ValueError(f"{len(kept)} verdicts on {len(parts)} statements")
    if not any(kept):
        return ""
    stays = [n for n, one in enumerate(parts) if kept[n] or one.whole]
    first, last = parts[stays[0]], parts[stays[-1]]
    begin, end = first.begin, last.end
    if stays[0] > 0 and not first.whole:
        begin = bare(content, first.begin, first.end)[0]
    if stays[-1] < len(parts) - 1:
        end = begin + len(content[begin:end].rstrip()) if last.whole else bare(content, last.begin, end)[1]
    return content[begin:end]


def _goes_on(content: str, held: list[_Part], part: _Part) -> bool:
    """Tell whether a part belongs to the statement before it."""
    before, block = held[-1].block, part.block
    if block.kind == "blank":
        return True
    if block != before and not (block.kind == before.kind == "line"):
        return False
    if not part.hard or part.end - held[0].begin > MOST_CHARS:
        return False
    start, stop = bare(content, part.said, part.end)
    said = content[start:stop]
    if not part.first and not has_words(said):
        return True
    forerunner = _said(content, held)
    if is_polite(forerunner) or is_polite(said):
        return is_polite(forerunner) and is_polite(said) and block == before
    if asks(said) or requests(said):
        return not part.first and asks(forerunner) and not stands(said)
    return leans(content[part.begin : stop]) or (not part.first and not stands(said))


def _said(content: str, held: list[_Part]) -> str:
    start, stop = bare(content, held[0].said, held[-1].end)
    return content[start:stop]


def _made(content: str, held: list[_Part]) -> Statement:
    """Return the statement that parts make."""
    block, begin, end = held[0].block, held[0].begin, held[-1].end
    if block.kind in ("handed", "blank", "list"):
        text = content[block.begin : block.end].strip()
        return Statement(text[:MOST_CHARS], begin, end, handed=block.kind == "handed", whole=block.kind != "blank")
    text = _said(content, held)
    said = [
        one
        for part in held
        if part.block.kind != "blank" and (one := content[slice(*bare(content, part.said, part.end))])
    ]
    courtesy = is_polite(text)
    question = not courtesy and bool(said) and all(map(asks, said))
    request = not courtesy and bool(said) and requests(said[0])
    whole = block.kind in ("item", "head") or (block.verse and not (courtesy or question or request))
    return Statement(_short(text), begin, end, question, courtesy, request, False, whole)


def _short(text: str) -> str:
    """Return a text, or of a long one its beginning up to a blank."""
    if len(text) <= MOST_CHARS:
        return text
    at = text.rfind(" ", MOST_CHARS // 2, MOST_CHARS)
    return text[: at if at > 0 else MOST_CHARS]


# --- blocks: lines of one kind


def _blocks(content: str, read: int) -> Iterator[_Block]:
    """Yield the blocks of a content; blank lines belong to what stands before them."""
    lines = _lines(content, read)
    at = 0
    while at < len(lines):
        kind, begin, end = lines[at]
        last = at + 1
        while last < len(lines) and _continues(content, lines[at], lines[last - 1], lines[last]):
            last += 1
        end = lines[last - 1][2]
        following = next((one[0] for one in lines[last:] if one[0] != "blank"), "")
        if kind == "line" and following in ("item", "handed") and content[begin:end].rstrip()[-1:] in (":", "："):
            kind = "head"
        yield _Block(kind, begin, end, kind == "line" and _is_verse(lines, at))
        at = last


def _lines(content: str, read: int) -> list[tuple[str, int, int]]:
    """Return kind and place of every line: blank, handed, item or line."""
    lines: list[tuple[str, int, int]] = []
    fence = ""
    for match in _LINE.finditer(content, 0, read):
        begin, end = match.span()
        line = content[begin:end]
        marks = _FENCE.findall(line)
        if fence:
            lines.append(("handed", begin, end))
            fence = "" if fence in marks else fence
            continue
        if len(marks) % 2:
            fence = marks[-1]
            opened = begin + line.rindex(fence)
            if content[begin:opened].strip():
                lines.append(("line", begin, opened))
                begin = opened
            lines.append(("handed", begin, end))
            continue
        lines.append((_kind(line), begin, end))
    written = [
        len(lines) > 1 and kind == "line" and is_machine(content[begin : min(end, begin + LOOKED_CHARS)])
        for kind, begin, end in lines
    ]
    for n, (kind, begin, end) in enumerate(lines):
        beside = written[n] and (any(written[max(0, n - 1) : n]) or any(written[n + 1 : n + 2]))
        if kind == "fenced" or beside or (written[n] and _TRACE.match(content, begin, end)):
            lines[n] = ("handed", begin, end)
    return lines


def _kind(line: str) -> str:
    if not line.strip():
        return "blank"
    if _QUOTED.match(line) or (line.lstrip().startswith(("```", "~~~")) and line.rstrip().endswith(("```", "~~~"))):
        return "fenced"
    marker = words.MARKER.match(line)
    return "item" if marker and line[marker.end() :].strip() else "line"


def _continues(
    content: str, first: tuple[str, int, int], last: tuple[str, int, int], line: tuple[str, int, int]
) -> bool:
    """Tell whether a line is of the same block as those before it: blank, handed over too, or the wrapped rest of a sentence."""
    kind, begin, _ = line
    if kind == "blank":
        return True
    if first[0] in ("handed", "blank") or kind != "line" or last[0] == "blank":
        return kind == first[0] == "handed"
    said = content[last[1] : last[2]].rstrip()
    if first[0] == "item" and content[begin : begin + 2].isspace():
        return True
    window = content[begin : begin + HEAD]
    return (
        len(said) >= WRAP_CHARS
        and said[-1:] not in ".!?:;。！？：；"
        and window[:1].islower()
        and not words.ANEW.match(window)
        and not words.LEAD.match(window)
    )


def _is_verse(lines: list[tuple[str, int, int]], at: int) -> bool:
    """Tell whether a line stands among short lines without a blank between them."""
    run = 0
    for kind, begin, end in lines[max(0, at - VERSE_LINES + 1) : at + VERSE_LINES]:
        run = run + 1 if kind == "line" and end - begin <= VERSE_CHARS else 0
        if run == VERSE_LINES:
            return True
    return False


# --- parts: what stands between two borders of a block


def _parts(content: str, read: int) -> Iterator[_Part]:
    listed: list[_Block] = []
    for block in _blocks(content, read):
        if block.kind == "item":
            listed.append(block)
            continue
        yield from _list_parts(content, listed)
        listed = [block] if block.kind == "head" else []
        if block.kind != "head":
            yield from _block_parts(content, block)
    yield from _list_parts(content, listed)


def _list_parts(content: str, listed: list[_Block]) -> Iterator[_Part]:
    """Yield the items of a list, or all of it with its head where its items say nothing without it."""
    if len(listed) > 1 and listed[0].kind == "head" and listed[-1].end - listed[0].begin <= MOST_CHARS:
        items = (bare(content, one.begin, one.end) for one in listed[1:])
        if not all(tells(content[begin:end]) for begin, end in items):
            block = _Block("list", listed[0].begin, listed[-1].end)
            yield _Part(block.begin, block.end, block.begin, block)
            return
    for block in listed:
        yield from _block_parts(content, block)


def _block_parts(content: str, block: _Block) -> Iterator[_Part]:
    if block.kind in ("handed", "blank"):
        yield _Part(block.begin, block.end, block.begin, block)
        return
    line = content[block.begin : block.end]
    closed = closed_in(line)
    begin = 0
    for end in ends(line, closed):
        at = begin
        for cut, said in cuts(line, begin, end, closed):
            yield _Part(block.begin + at, block.begin + cut, block.begin + said, block, at == 0, at == begin)
            at = cut
        begin = end
