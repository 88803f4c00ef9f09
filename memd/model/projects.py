"""A project by the origin of its repository: host/owner/name, the same on every machine and however it was cloned.

Pure. An origin is written by whoever made the checkout, so it is read strictly: what is no plain address of another host is no project.
Imports next to nothing, since every hook reads it.
"""

from __future__ import annotations

import re
import unicodedata

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
    whole = "/".join((host, *map(_folded, parts)))
    return whole if len(whole) <= ADDRESS_CHARS and all(map(_is_part, whole.split("/")[1:])) else ""


def _folded(part: str) -> str:
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", part).casefold())


def _is_part(part: str) -> bool:
    """Tell whether a part of a path is a plain name: no step up, nothing that is not a letter, digit or one of a few signs."""
    if part in ("", ".", ".."):
        return False
    return all(char in "-_.~+@" or unicodedata.category(char)[0] in "LNM" for char in part)
