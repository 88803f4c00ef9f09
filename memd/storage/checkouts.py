"""What a directory on this machine says of whose memory it gets: the origin of its repository, and a `.memd-role`.

Whoever made the directory wrote these files, so they are read as a stranger's: small regular files of this user's, no link
followed, no more than is needed, and nothing that an include, a link or another repository's directory could bring in. A
`.git` that is a file counts only where the directory it names points back at it. No git is run.

Units
    CONFIG_BYTES is far more than any configuration of a repository; HIGHEST directories above are looked at.
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
from typing import NamedTuple

from memd.model.projects import project_of
from memd.storage.system import System

ROLE_FILE = ".memd-role"
CONFIG_BYTES = 262_144
LINE_BYTES = 4096
HIGHEST = 64
NAME_CHARS = 64
_SECTION = re.compile(r'\[\s*(?P<name>[\w.-]+)(?:\s+"(?P<sub>(?:[^"\\\n]|\\.)*)")?\s*\]')
_VALUE = re.compile(r"(?P<key>[A-Za-z][\w-]*)\s*=\s*(?P<value>.*)")
_SYSTEM = System()


class Checkout(NamedTuple):
    """What a directory says: its project ("" where it has none), the role that a `.memd-role` names with the mark of that file, and why.

    `mark` stands for the file's place and what it says, so that no path needs to be told: 64 hex digits.
    """

    project: str = ""
    why: str = ""
    named: str = ""
    mark: str = ""
    named_why: str = ""


def look_at(directory: str, workspace: str = "") -> Checkout:
    """Return what a directory says; what lies in the workspace itself has no project. Reads a few small files, and never fails."""
    path = os.path.realpath(directory)
    if workspace and (path == workspace or path.startswith(f"{workspace}/")):
        return Checkout(why="it lies in the workspace itself")
    if not os.path.isdir(path):
        return Checkout(why="there is no such directory")
    top, steps = "", [path]
    while len(steps) < HIGHEST:
        if os.path.lexists(f"{steps[-1]}/.git"):
            top = steps[-1]
            break
        above = os.path.dirname(steps[-1])
        if above == steps[-1]:
            break
        steps.append(above)
    named, mark, named_why = _named(steps)
    project, why = _project(top) if top else ("", "it lies in no git repository")
    return Checkout(project, why, named, mark, named_why)


def mark_of(folder: str, role: str) -> str:
    """Return what stands for a `.memd-role` in a directory, by its resolved path, that names a role."""
    return hashlib.sha256(f"{ROLE_FILE}\0{folder}\0{role}".encode("utf-8", "surrogateescape")).hexdigest()


def _named(steps: list[str]) -> tuple[str, str, str]:
    """Return the role that the nearest `.memd-role` names, its mark, and where it lies or why it counts for nothing."""
    for folder in steps:
        file = f"{folder}/{ROLE_FILE}"
        if not os.path.lexists(file):
            continue
        text, why = _read(file, LINE_BYTES)
        role = text.strip()
        if why or not _is_name(role):
            return "", "", f"{_plain(file)} counts for nothing: {why or 'what it says is no name of a role'}"
        return role, mark_of(folder, role), _plain(file)
    return "", "", ""


def _is_name(text: str) -> bool:
    """Tell whether a text may be a role's name; whoever knows the roles says whether it is one."""
    return (
        0 < len(text) <= NAME_CHARS
        and text[0] not in ".-"
        and text.isprintable()
        and not any(char in "/\\:@ " for char in text)
    )


def _project(top: str) -> tuple[str, str]:
    where = _plain(f"{top}/.git")
    config, why = _config(top)
    if why:
        return "", f"{where} counts for nothing: {why}"
    text, why = _read(config, CONFIG_BYTES)
    if why:
        return "", f"the configuration of {where} counts for nothing: {why}"
    url = _values(text).get(("remote", "origin", "url"), "")
    if not url:
        return "", f"the repository at {_plain(top)} has no origin"
    project = project_of(url)
    return (project, where) if project else ("", f"the origin of {_plain(top)} is no address of a project on a host")


def _config(top: str) -> tuple[str, str]:
    """Return the file that has a repository's origin, or why none is believed."""
    git = f"{top}/.git"
    why = _not_ours(git)
    if why or os.path.isdir(git):
        return f"{git}/config", why
    text, why = _read(git, LINE_BYTES)
    if why or not text.startswith("gitdir:"):
        return "", why or "it is neither a directory nor names one"
    lies = os.path.realpath(os.path.join(top, text.removeprefix("gitdir:").strip()))
    why = _not_ours(lies)
    if why:
        return "", why
    back, _ = _read(f"{lies}/gitdir", LINE_BYTES)
    if back and os.path.realpath(os.path.join(lies, back.strip())) == git:
        common, _ = _read(f"{lies}/commondir", LINE_BYTES)
        shared = os.path.realpath(os.path.join(lies, common.strip() or "."))
        return f"{shared}/config", _not_ours(shared)
    own, why = _read(f"{lies}/config", CONFIG_BYTES)
    tree = _values(own).get(("core", "", "worktree"), "")
    if tree and os.path.realpath(os.path.join(lies, tree)) == top:
        return f"{lies}/config", ""
    return "", "the directory that it names does not point back at it"


def _not_ours(path: str) -> str:
    """Return why a directory or file is not believed, "" where it is this user's own and no link."""
    try:
        found = os.lstat(path)
    except (OSError, ValueError):
        return "there is none"
    if stat.S_ISLNK(found.st_mode):
        return "it is a link"
    return "" if found.st_uid == os.geteuid() else "it belongs to another user"


def _read(path: str, most_bytes: int) -> tuple[str, str]:
    """Return a file's text and "", or "" and why it is not read. A pipe or device is opened without waiting, and not read."""
    why = _not_ours(path)
    if why:
        return "", why
    try:
        handle = _SYSTEM.open(path, os.O_RDONLY)
    except OSError as error:
        return "", error.strerror or "it cannot be read"
    try:
        found = _SYSTEM.fstat(handle)
        if not stat.S_ISREG(found.st_mode):
            return "", "it is no file"
        if found.st_size > most_bytes:
            return "", f"it is longer than {most_bytes} bytes"
        data = _SYSTEM.read(handle, most_bytes)
    except OSError as error:
        return "", error.strerror or "it cannot be read"
    finally:
        _SYSTEM.close(handle)
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return "", "it is no text"
    return (text, "") if "\0" not in text else ("", "it is no text")


def _values(text: str) -> dict[tuple[str, str, str], str]:
    """Return the first value of each key of a git configuration, as section, subsection and key; includes are not followed."""
    found: dict[tuple[str, str, str], str] = {}
    section = subsection = ""
    for raw in text.splitlines():
        if len(raw) > LINE_BYTES:
            continue  # nobody's address
        line = raw.strip()
        head = _SECTION.match(line)
        if head:
            section, subsection = head["name"].lower(), re.sub(r"\\(.)", r"\1", head["sub"] or "")
            line = line[head.end() :].strip()
        value = _VALUE.fullmatch(line)
        if value:
            found.setdefault((section, subsection, value["key"].lower()), _unquoted(value["value"]))
    return found


def _unquoted(value: str) -> str:
    value = value.strip()
    if value.startswith('"'):
        return re.sub(r"\\(.)", r"\1", value[1:].partition('"')[0])
    return re.split(r"\s+[#;]", value, maxsplit=1)[0].strip()


def _plain(path: str) -> str:
    """Return a path as a person is told it: one line, and no character that steers a terminal."""
    text = path.encode("utf-8", "backslashreplace").decode()
    return "".join(char if char.isprintable() else "?" for char in text)
