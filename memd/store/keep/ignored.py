"""What a workspace's .gitignore has for memd: files of this machine alone, and the sessions that hooks write.

A .gitignore that names the log of memd came with memd, and is kept up: what it lacks is added at its end, and the lines of
sessions go where `sessions.version` is in force. Every other line, and any other .gitignore, is a person's.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from memd.errors import MemdError
from memd.model.agents import AGENTS
from memd.model.files import SESSIONS
from memd.storage.layout import CONSOLIDATIONS, LOG
from memd.storage.replace import replace_if

if TYPE_CHECKING:
    from memd.storage.files import Tree

IGNORE_FILE = ".gitignore"
IGNORE_BYTES = 1_000_000
ALWAYS = (f"{CONSOLIDATIONS}/",)
OF_HOOKS = tuple(f"{SESSIONS}/*/{agent}-*.jsonl" for agent in AGENTS)
_HOOKED = re.compile(rf"{SESSIONS}/[^/\0]{{1,80}}/(?:{'|'.join(AGENTS)})-[^/\0]{{1,200}}\.jsonl")
_ALL = {f"{before}{SESSIONS}{after}" for before in ("", "/") for after in ("", "/", "/*", "/**")}


def is_of_hooks(name: str) -> bool:
    """Tell whether a file is a session that a hook of an agent writes, by its name."""
    return _HOOKED.fullmatch(name) is not None


def keep_ignored(tree: Tree, *, version: bool) -> bool:
    """Bring a .gitignore of memd's up to what it should have; tell whether it was changed. Blocks.

    A file that somebody saves meanwhile, or that cannot be written, stays as it is: it is looked at again.
    """
    text = _text_of(tree)
    if not is_managed(text):
        return False
    wanted = kept_up(text, version=version)
    if wanted == text:
        return False
    try:
        replace_if(tree, IGNORE_FILE, _bytes(wanted), _bytes(text))
    except MemdError:
        return False
    return True


def is_managed(text: str) -> bool:
    """Tell whether a .gitignore came with memd."""
    return LOG in _lines(text)


def kept_up(text: str, *, version: bool) -> str:
    """Return a .gitignore with what it lacks; with `version` without the lines of sessions."""
    if version:
        text = "".join(line for line in text.splitlines(keepends=True) if line.strip() not in OF_HOOKS)
    lines = _lines(text)
    missing = [one for one in (*ALWAYS, *(() if version else OF_HOOKS)) if one not in lines and f"!{one}" not in lines]
    if not version and lines & _ALL:
        missing = [one for one in missing if one not in OF_HOOKS]
    end = "\r\n" if "\r\n" in text else "\n"
    last = end if missing and text and not text.endswith("\n") else ""
    return text + last + "".join(one + end for one in missing)


def are_sessions_ignored(tree: Tree) -> bool:
    """Tell whether the workspace's own .gitignore names every session that hooks write. Blocks."""
    lines = _lines(_text_of(tree))
    return bool(lines & _ALL) or all(one in lines for one in OF_HOOKS)


def _lines(text: str) -> set[str]:
    return {line.strip() for line in text.splitlines()}


def _text_of(tree: Tree) -> str:
    try:
        return tree.read(IGNORE_FILE, IGNORE_BYTES)[0].decode("utf-8", "surrogateescape")
    except (FileNotFoundError, MemdError):
        return ""


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")
