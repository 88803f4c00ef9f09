"""A file that is one JSON value."""

from __future__ import annotations

from typing import Any

from memd.errors import Fault, RejectedFileError
from memd.formats.strict_json import StrictError, line_and_column, loads


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
