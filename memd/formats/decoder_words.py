"""What decoders complain of, in words of ours: theirs are for who knows the grammar.

Source
    The messages of Python's json and tomllib; one that is not listed is passed on as it is, in quotes.
"""

from __future__ import annotations

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
