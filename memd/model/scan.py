"""What a scan finds in a text (an order to the reader, a leak, a secret, characters nobody sees), and what the guard is shown of a
tool call and rules.

Units
    start and stop are characters of the text as it was given, half-open.
Source
    docs/design/security.md#orders-in-stored-text and #secrets; OWASP ASI06 (memory poisoning); docs/remember.md#the-guard.
"""

from __future__ import annotations

import hashlib
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


HELD, APPROVED, DROPPED = "held", "approved", "dropped"  # what became of a text that had to wait for a person


class Danger(StrEnum):
    """What kind of thing was found."""

    INJECTION = "injection"
    EXFILTRATION = "exfiltration"
    SECRET = "secret"  # noqa: S105 - the word for one
    INVISIBLE = "invisible"


@dataclass(frozen=True, slots=True)
class Found:
    """One thing found: its kind, the rule that found it, where, and a sentence for a person."""

    danger: Danger
    rule: str
    start: int
    stop: int
    why: str
    mild: bool = False  # an order of the kind that a person gives an assistant


@dataclass(frozen=True, slots=True)
class Scanned:
    """What a text holds. `clean` is the text without its secrets and without characters nobody sees."""

    found: tuple[Found, ...]
    clean: str

    @property
    def dangers(self) -> frozenset[Danger]:
        """The kinds that were found."""
        return frozenset(one.danger for one in self.found)

    @property
    def orders(self) -> bool:
        """Tell whether the text may not be shown to a model before a person has approved it."""
        return bool(self.dangers - {Danger.SECRET})

    @property
    def mild(self) -> bool:
        """Tell whether all that holds the text back is an order that a person may give."""
        return all(one.mild for one in self.found if one.danger is not Danger.SECRET)

    @property
    def why(self) -> str:
        """The findings as one sentence part."""
        return "; ".join(dict.fromkeys(one.why for one in self.found))


NOTHING = Scanned((), "")


def digest_of_text(text: str) -> str:
    """Return the sha256 of a text, in hex: what a person has approved is known by it."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
