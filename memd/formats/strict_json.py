"""Read and write JSON without the surprises: what is read is what was written, or an error says where.

Refused: bytes that are not UTF-8, duplicate keys, NaN and infinities (1e400 too), lone surrogates, NUL characters,
nesting deeper than 64, numbers of more digits than Python converts.
"""

from __future__ import annotations

import json
import re
from typing import Any

from memd.errors import Fault, RejectedFileError

# What decoders complain of, in words of ours: theirs are for who knows the grammar.
#
# Source
#     The messages of Python's json and tomllib; one that is not listed is passed on as it is, in quotes.

_JSON = (
    ("Expecting value", "a value is missing here"),
    ("Expecting property name enclosed in double quotes", "a name in double quotes is missing here"),
    ("Expecting ':' delimiter", "a colon is missing here"),
    ("Expecting ',' delimiter", "a comma or a closing bracket is missing here"),
    ("Extra data", "there is more after its end"),
    ("Unterminated string", "a text begins here and does not end"),
    ("Invalid control character", "a text has a line break or a control character here; write it as \\n or \\u…"),
    ("Invalid \\", "a text has a backslash here that begins nothing; write it twice"),
    ("Illegal trailing comma", "there is a comma before a closing bracket here"),
    ("Unexpected UTF-8 BOM", "it begins with a byte order mark"),
)
_TOML = (
    ("Expected '=' after a key", "a key without `= value`"),
    ("Invalid value", "the value is missing, or a text without quotes"),
    ("Expected ']' at the end of a table", "a `]` is missing at the end of a table's name"),
    ("Expected ']]' at the end of an array", "`]]` is missing at the end of a table's name"),
    ("Expected newline or end of document", "there is something after the value"),
    ("Invalid statement", "neither `key = value` nor `[table]`"),
    ("Cannot overwrite a value", "a key that is there already"),
    ("Unclosed array", "a list without its `]`"),
    ("Unclosed inline table", "a table without its `}`"),
    ("Unterminated string", "a text without its closing quote"),
    ("Unescaped '\\'", "a text has a backslash here that begins nothing; write it twice"),
    ("Illegal character", "a character that may not stand here"),
    ("Invalid initial character for a key", "a key may have letters, digits, - and _ only, or stands in quotes"),
    ("Invalid date or datetime", "no date"),
)


def json_words(said: str) -> str:
    """Return what Python's json complained of."""
    return _words(said, _JSON)


def toml_words(said: str) -> str:
    """Return what Python's tomllib complained of."""
    return _words(said, _TOML)


def _words(said: str, known: tuple[tuple[str, str], ...]) -> str:
    return next((words for begin, words in known if said.startswith(begin)), f"“{said}”")


DEPTH = 64
INT_DIGITS = 4300  # what Python converts without being asked twice


_SUSPECT = re.compile(r"\\u(?:[dD][89a-fA-F]|0000)")


class StrictError(ValueError):
    """Why this is not strict JSON; `position` counts characters."""

    def __init__(self, why: str, position: int = 0) -> None:
        super().__init__(why)
        self.why, self.position = why, position


class Oddities:
    """Collects what the scanner met that JSON allows and we do not; give its hooks to a decoder."""

    def __init__(self) -> None:
        self.found: list[str] = []

    def decoder(self, *, plain: bool = False) -> json.JSONDecoder:
        """Return a decoder that reports to this collector and goes on; `plain`: a whole number of too many digits is a ValueError."""
        return json.JSONDecoder(
            object_pairs_hook=self._pairs,
            parse_float=self._float,
            parse_int=None if plain else self._int,
            parse_constant=self._constant,
        )

    def take(self) -> list[str]:
        """Return what was found since the last call."""
        found, self.found = self.found, []
        return found

    def _pairs(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        result = dict(pairs)
        if len(result) != len(pairs):
            seen: set[str] = set()
            for twice, _ in pairs:
                if twice in seen:
                    break
                seen.add(twice)
            self.found.append(f"the key {twice[:60]!r} occurs twice")
        return result

    def _int(self, digits: str) -> int:
        if len(digits) > INT_DIGITS:
            self.found.append(f"a number of {len(digits)} digits")
            return 0
        return int(digits)

    def _float(self, digits: str) -> float:
        value = float(digits)
        if value in (float("inf"), float("-inf")):
            self.found.append(f"the number {digits[:40]} is out of range")
            return 0.0
        return value

    def _constant(self, word: str) -> None:
        self.found.append(f"{word} is not JSON")


def loads(data: bytes, *, depth: int = DEPTH) -> Any:
    """Return the value of strict JSON bytes, or raise StrictError."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise StrictError(f"byte {error.start} is not UTF-8", error.start) from None
    oddities = Oddities()
    try:
        value = oddities.decoder(plain=True).decode(text)
    except json.JSONDecodeError as error:
        raise StrictError(json_words(error.msg), error.pos) from None
    except RecursionError:
        raise StrictError(f"nested deeper than {depth}") from None
    except ValueError as error:
        long = "integer string conversion" in str(error)
        raise StrictError(f"a number of more than {INT_DIGITS} digits" if long else str(error)[:120]) from None
    fault = next(iter(oddities.found), "") or fault_of(value, text, depth=depth)
    if fault:
        raise StrictError(fault)
    return value


def fault_of(value: Any, text: str, *, depth: int = DEPTH) -> str:
    """Say what a decoded value has that files must not: bad characters, too much depth; "" if nothing."""
    if text.count("[") + text.count("{") > depth and _depth(value, depth) > depth:
        return f"nested deeper than {depth}"
    if _SUSPECT.search(text) or "\0" in text:
        if has_nul(value):
            return "a NUL character"
        try:
            dumps(value).encode("utf-8")
        except UnicodeEncodeError:
            return "a lone surrogate"
    return ""


def dumps(value: Any) -> str:
    """Return compact JSON on one line, text unescaped."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def canonical(value: Any) -> bytes:
    """Return the one form of a value that digests are taken of: sorted keys, compact, UTF-8."""
    return json.dumps(
        value,
        ensure_ascii=False,
        allow_nan=False,
        separators=(",", ":"),
        sort_keys=True,
    ).encode("utf-8")


def line_and_column(text: str, position: int) -> tuple[int, int]:
    """Return where a character stands, both counted from 1."""
    line = text.count("\n", 0, position) + 1
    return line, position - text.rfind("\n", 0, position)


def has_nul(value: Any) -> bool:
    """Tell whether any string within has a NUL character."""
    stack = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            if "\0" in item:
                return True
        elif isinstance(item, dict):
            stack.extend(item)
            stack.extend(item.values())
        elif isinstance(item, list):
            stack.extend(item)
    return False


def _depth(value: Any, enough: int) -> int:
    deepest, level = 0, [value]
    while deepest <= enough:
        within = [item for item in level if isinstance(item, (dict, list))]
        if not within:
            break
        deepest += 1
        level = [child for item in within for child in (item.values() if isinstance(item, dict) else item)]
    return deepest


def read_json(data: bytes, name: str) -> Any:
    """Return the value of a JSON file, or raise RejectedFileError saying where it is none."""
    data = data.removeprefix(b"\xef\xbb\xbf")
    if not data.strip():
        raise RejectedFileError(Fault(name, 1, 1, "the file is empty", "file.empty"))
    try:
        return loads(data)
    except StrictError as error:
        line, column = line_and_column(data.decode("utf-8", "replace"), error.position)
        raise RejectedFileError(
            Fault(name, line, column, f"this is not strict JSON: {error.why}", "json.syntax")
        ) from None


def is_texts(value: Any) -> bool:
    """Tell whether a value is a list of texts, and of nothing else."""
    return isinstance(value, list) and all(isinstance(one, str) for one in value)
