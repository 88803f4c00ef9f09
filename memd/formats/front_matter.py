"""The YAML header of a Markdown file, read from its events and within bounds: no object is ever built by a library.

Every value is a text, as it was written: `zip: 01234` keeps its zero and `on: yes` is the key `on`.

Source
    docs/design/security.md#yaml-headers: nesting crashes the composer, aliases explode, YAML 1.1 turns words into
    truth values and numbers. Bounds: 16 KiB, depth 16, 1,000 nodes, no anchors, aliases or tags.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import yaml

from memd.errors import Fault

HEADER_BYTES = 16 * 1024
DEPTH = 16
NODES = 1000

_FENCE = re.compile(r"\A\ufeff?---[ \t]*\r?\n")
_END = re.compile(r"^(?:---|\.\.\.)[ \t]*\r?$", re.MULTILINE)
# What YAML 1.1 reads as a truth value where a text was meant.
_TRUTHS = re.compile(r"(?i)\A(?:yes|no|on|off|y|n|true|false)\Z")
_LOADER: Any = getattr(yaml, "CBaseLoader", yaml.BaseLoader)


class Page(NamedTuple):
    """A Markdown file taken apart: its header's values, its body, and the line (from 1) where that begins."""

    header: dict[str, Any]
    body: str
    line: int
    faults: tuple[Fault, ...]


class _BoundError(Exception):
    def __init__(self, line: int, column: int, code: str, why: str) -> None:
        super().__init__(why)
        self.line, self.column, self.code, self.why = line, column, code, why


def split(text: str, name: str) -> Page:
    """Return header and body of a text. A header that cannot be read is a fault, and the body stands."""
    opened = _FENCE.match(text)
    if not opened:
        return Page({}, text.removeprefix("\ufeff"), 1, ())
    closed = _END.search(text, opened.end())
    if not closed:
        why = "the header that begins here has no end (`---`)"
        return Page({}, text.removeprefix("\ufeff"), 1, (Fault(name, 1, 1, why, "yaml.unclosed"),))
    source, body = text[opened.end() : closed.start()], text[closed.end() :].removeprefix("\r").removeprefix("\n")
    line = text.count("\n", 0, closed.end()) + 2
    try:
        header, odd = load(source)
    except _BoundError as error:
        return Page({}, body, line, (Fault(name, error.line + 1, error.column, error.why, error.code),))
    faults = [Fault(name, at + 1, column, why, code) for at, column, why, code in odd]
    return Page(header, body, line, tuple(faults))


def load(source: str) -> tuple[dict[str, Any], list[tuple[int, int, str, str]]]:
    """Return the mapping of a header and what is odd in it (line, column, why, code), or raise _BoundError."""
    size = len(source.encode("utf-8", "surrogatepass"))
    if size > HEADER_BYTES:
        raise _BoundError(1, 1, "yaml.too_large", f"the header has {size} bytes, at most {HEADER_BYTES} are read")
    reader = _Reader(source)
    value = reader.document()
    if value is None or value == "":
        return {}, reader.odd
    if not isinstance(value, dict):
        raise _BoundError(1, 1, "yaml.not_a_mapping", "the header is not a list of `key: value`")
    return value, reader.odd


class _Reader:
    """Builds plain values from events, counting as it goes."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.events: Iterator[Any] = yaml.parse(source, Loader=_LOADER)
        self.nodes = 0
        self.odd: list[tuple[int, int, str, str]] = []

    def document(self) -> Any:
        try:
            for event in self.events:
                if isinstance(event, yaml.events.NodeEvent):
                    value = self._node(event, 1)
                    break
            else:
                return None
            for event in self.events:
                if isinstance(event, yaml.events.DocumentStartEvent):
                    line, column = self._place(event)
                    why = "a second document begins inside the header"
                    raise _BoundError(line, column, "yaml.syntax", why)
        except UnicodeEncodeError:
            raise _BoundError(1, 1, "yaml.syntax", "the header has a lone surrogate") from None
        except yaml.YAMLError as error:
            mark = getattr(error, "problem_mark", None)
            why = str(getattr(error, "problem", None) or getattr(error, "reason", error)).split("\n", maxsplit=1)[0]
            line, column = self._at(mark.index if mark else getattr(error, "position", 0))
            raise _BoundError(line, column, "yaml.syntax", f"this is not YAML: {why[:120]}") from None
        return value

    def _node(self, event: Any, depth: int) -> Any:
        self._check(event, depth)
        if isinstance(event, yaml.events.ScalarEvent):
            return event.value
        if isinstance(event, yaml.events.SequenceStartEvent):
            return [self._node(one, depth + 1) for one in self._until(yaml.events.SequenceEndEvent)]
        found: dict[str, Any] = {}
        for event_of_key in self._until(yaml.events.MappingEndEvent):
            key = self._node(event_of_key, depth + 1)
            value = self._node(next(self.events), depth + 1)
            self._look_at_key(key, event_of_key, found)
            found[key if isinstance(key, str) else str(key)] = value
        return found

    def _until(self, end: type) -> Iterator[Any]:
        for event in self.events:
            if isinstance(event, end):
                return
            yield event

    def _look_at_key(self, key: Any, event: Any, found: dict[str, Any]) -> None:
        line, column = self._place(event)
        if not isinstance(key, str):
            raise _BoundError(line, column, "yaml.key", "a key must be a word")
        if key in found:
            self.odd.append((line, column, f"the key {key[:60]!r} is here twice; the last one counts", "yaml.twice"))
        elif event.implicit[0] and _TRUTHS.match(key):
            self.odd.append(
                (line, column, f"{key!r} is taken as a text; other programs read a truth value here", "yaml.truth")
            )

    def _place(self, event: Any) -> tuple[int, int]:
        return self._at(event.start_mark.index)

    def _at(self, index: int) -> tuple[int, int]:
        """Return line and column: YAML counts more kinds of line ends than editors do."""
        return self.source.count("\n", 0, index) + 1, index - self.source.rfind("\n", 0, index)

    def _check(self, event: Any, depth: int) -> None:
        line, column = self._place(event)
        self.nodes += 1
        if isinstance(event, yaml.events.AliasEvent) or getattr(event, "anchor", None):
            raise _BoundError(line, column, "yaml.alias", "anchors and aliases are not read")
        if getattr(event, "tag", None) not in (None, "!"):
            raise _BoundError(line, column, "yaml.tag", f"the tag {str(event.tag)[:60]!r} is not read")
        if depth > DEPTH:
            raise _BoundError(line, column, "yaml.too_deep", f"the header is nested deeper than {DEPTH}")
        if self.nodes > NODES:
            raise _BoundError(line, column, "yaml.too_many", f"the header has more than {NODES} values")
