"""What a command of the memory tool must be, and how its answers are written, as the SDK writes them."""

from __future__ import annotations

from typing import Any

MOST_NAMED = 1000  # lines that are named where a text is not unique
FIELDS: dict[str, dict[str, type]] = {
    "view": {"path": str},
    "create": {"path": str, "file_text": str},
    "str_replace": {"path": str, "old_str": str, "new_str": str},
    "insert": {"path": str, "insert_line": int, "insert_text": str},
    "delete": {"path": str},
    "rename": {"old_path": str, "new_path": str},
}


def fault_of(command: Any) -> str:
    """Return why a command is none, "" where it is one: the SDK hands over whatever the model wrote."""
    kind = getattr(command, "command", None)
    if not isinstance(kind, str) or kind not in FIELDS:
        return f"Unknown command: {kind!a:.40}. Use one of {', '.join(FIELDS)}."
    for field, wanted in FIELDS[kind].items():
        value = getattr(command, field, None)
        if not isinstance(value, wanted) or isinstance(value, bool):
            return f"{kind} needs `{field}`, {'a text' if wanted is str else 'a whole number'}."
        if isinstance(value, str) and not _is_text(value):
            return f"{kind}: `{field}` is no Unicode text."
    lines = getattr(command, "view_range", None)
    if lines is not None and not (isinstance(lines, list) and all(isinstance(one, int) for one in lines)):
        return "`view_range` is two whole numbers: the first line and the last."
    return ""


def numbered(lines: list[str], first: int) -> str:
    """Return lines with their numbers before them."""
    return "\n".join(f"{number:>6}\t{line}" for number, line in enumerate(lines, first))


def lines_with(text: str, piece: str) -> str:
    """Return the line of each place where a piece stands, overlapping ones too."""
    said: list[str] = []
    line, before, at = 1, 0, text.find(piece)
    while at >= 0 and len(said) < MOST_NAMED:
        line, before = line + text.count("\n", before, at), at
        said.append(str(line))
        at = text.find(piece, at + 1)
    return ", ".join([*said, "…"] if at >= 0 else said)


def in_short(size_bytes: int) -> str:
    """Return a size in a few characters: 0B, 12B, 1.5K, 4K."""
    step = min(max(size_bytes.bit_length() - 1, 0) // 10, 3)
    value = size_bytes / 1024**step
    return f"{value:.0f}{'BKMG'[step]}" if value == int(value) else f"{value:.1f}{'BKMG'[step]}"


def _is_text(value: str) -> bool:
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
