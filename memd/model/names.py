"""The one rule book for names of roles, sessions, runs and tasks. A bad name is refused, never repaired.

Source
    docs/workspace.md#2-names; the device names are those of Windows, where a clone must also check out.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

from memd.errors import BadNameError, NameTakenError

NAME_CHARS = 64
NAME_BYTES = 200
RAW_CHARS = 4 * NAME_CHARS  # a longer one is refused before it is normalized, which may cost its square
DEVICES = frozenset(
    {
        "con",
        "prn",
        "aux",
        "nul",
        *(f"com{n}" for n in range(1, 10)),
        *(f"lpt{n}" for n in range(1, 10)),
    }
)


def check_name(name: str) -> str:
    """Return the name in NFC, or raise BadNameError naming the rule it broke."""
    normal = unicodedata.normalize("NFC", name) if len(name) <= RAW_CHARS else name
    rule = _broken_rule(normal)
    if rule:
        raise BadNameError(name, rule)
    return normal


def is_name(name: str) -> bool:
    """Tell whether this is a name as it stands, in NFC already."""
    return len(name) <= RAW_CHARS and unicodedata.normalize("NFC", name) == name and not _broken_rule(name)


def stem_of(title: str) -> str:
    """Return a file's name, without its ending, made of any title: what may not stand in a name becomes a dash."""
    kept = "".join(char if _is_allowed(char) else "-" for char in unicodedata.normalize("NFC", title[:RAW_CHARS]))
    stem = kept.strip(".- ")[:48]
    return stem if is_name(stem) else f"book-{stem}"[:48] if is_name(f"book-{stem}"[:48]) else "book"


def collision_key(name: str) -> str:
    """Return what two names share if some file system or some eye would confuse them."""
    name = name[:RAW_CHARS]
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())


def check_free(name: str, taken: Iterable[str]) -> None:
    """Raise NameTakenError when an existing name equals this one after NFKC and case folding."""
    key = collision_key(name)
    for other in taken:
        if collision_key(other) == key:
            raise NameTakenError(name, other)


def _broken_rule(name: str) -> str:
    if not name:
        return "it is empty"
    if len(name) > NAME_CHARS:
        return f"it has {len(name)} characters, the limit is {NAME_CHARS}"
    if len(name.encode("utf-8", "surrogatepass")) > NAME_BYTES:
        return f"it has more than {NAME_BYTES} bytes"
    if name[0] in ".-":
        return f"it starts with {name[0]!r}"
    if name[-1] == ".":
        return "it ends with '.'"
    strange = next((char for char in name if not _is_allowed(char)), "")
    if strange:
        return f"it contains {strange!r} (U+{ord(strange):04X})"
    if collision_key(name.split(".", maxsplit=1)[0]) in DEVICES:
        return "it is the name of a Windows device"
    return ""


def _is_allowed(char: str) -> bool:
    return char in "-_." or unicodedata.category(char)[0] in "LNM"
