"""The one rule book for names: of roles, sessions, runs and tasks, and of projects. A bad name is refused, never repaired.

Source
    docs/workspace.md#2-names; the device names are those of Windows, where a clone must also check out.
"""

from __future__ import annotations

import re
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


# A project by the origin of its repository: host/owner/name, the same on every machine and however it was cloned. An origin is
# written by whoever made the checkout, so it is read strictly: what is no plain address of another host is no project.

MARK = "@"  # before a project, where a role's address is meant
ADDRESS_CHARS = 180  # of a project; with the mark it fits into a role's address
_URL = re.compile(
    r"(?P<scheme>[a-z][a-z0-9+.-]*)://(?:[^/@\s]*@)?(?P<host>[^/@:\s]+)(?::(?P<port>\d{1,5}))?/(?P<path>.+)",
    re.IGNORECASE,
)
_SSH = re.compile(
    r"(?:[^/@:\s]+@)?(?P<host>[^/@:\s]{2,}):(?!//)(?P<path>.+)"
)  # one letter before a colon is a Windows disk
_SCHEMES = {"http": "80", "https": "443", "ssh": "22", "git": "9418", "git+ssh": "22", "ssh+git": "22"}
_HOST = re.compile(r"(?!.*\.\.)[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?")
_PORT = re.compile(r":[0-9]{1,5}")
MOST_PARTS = 8


def project_of(url: str) -> str:
    """Return the project that an origin means, "" where it means none: a path of this machine, or an address that is not plain."""
    url = unicodedata.normalize("NFC", url[: 4 * ADDRESS_CHARS + 1]).strip()
    found = _URL.fullmatch(url)
    if found:
        usual = _SCHEMES.get(found["scheme"].lower())
        port = f":{found['port']}" if found["port"] and found["port"] != usual else ""
        return _joined(found["host"] + port, found["path"]) if usual else ""
    found = None if "://" in url or url.startswith(("/", ".", "~")) else _SSH.fullmatch(url)
    return _joined(found["host"], found["path"]) if found else ""


def is_project(text: str) -> bool:
    """Tell whether a text is a project as `project_of` returns it."""
    host, _, path = text.partition("/")
    return bool(path) and _joined(host, path) == text


def _joined(host: str, path: str) -> str:
    host = host.lower()
    name, colon, port = host.partition(":")
    if not _HOST.fullmatch(name) or (colon and not _PORT.fullmatch(colon + port)):
        return ""
    if name in ("localhost", "localhost.localdomain") or name.startswith("127."):
        return ""
    parts = path.strip("/").removesuffix(".git").rstrip("/").split("/")
    if len(parts) > MOST_PARTS or not all(map(_is_part, parts)):
        return ""
    whole = "/".join((host, *map(collision_key, parts)))
    return whole if len(whole) <= ADDRESS_CHARS and all(map(_is_part, whole.split("/")[1:])) else ""


def _is_part(part: str) -> bool:
    """Tell whether a part of a path is a plain name: no step up, nothing that is not a letter, digit or one of a few signs."""
    if part in ("", ".", ".."):
        return False
    return all(char in "-_.~+@" or unicodedata.category(char)[0] in "LNM" for char in part)
