"""What the guard is shown, and what it rules.

Source
    docs/remember.md#the-guard; the limits of docs/design/origins.md#what-memd-decides.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Action(StrEnum):
    """What is to be done with a tool call, or a message."""

    ALLOW = "allow"
    REDIRECT = "redirect"
    ASK_REMEMBER = "ask_remember"
    DENY = "deny"


@dataclass(frozen=True, slots=True)
class Meant:
    """What a call meant to have remembered: the text, and what was said of it."""

    content: str
    role: str = ""
    kind: str = ""
    name: str = ""
    tags: tuple[str, ...] = ()
    validity: str = ""
    score: float | None = None
    keys: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Write:
    """One write to a file: its path, and the text that goes in, as far as it is known."""

    path: str
    text: str = ""
    whole: bool = False  # the text is what the file will be, not what is added


@dataclass(frozen=True, slots=True)
class Ruling:
    """What the guard says: the action, a sentence why, the files or tool concerned, and what should be remembered."""

    action: Action
    why: str = ""
    target: str = ""
    meant: tuple[Meant, ...] = ()
