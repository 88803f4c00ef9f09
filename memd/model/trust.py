"""What weakens a protection, setting by setting, and what is in force where this machine has not granted it.

A workspace may be a stranger's: what its files say here is a request. One line of PROTECTIONS is one setting; `held` gives
what is in force instead of a value that weakens, and the value itself where it weakens nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any, NamedTuple

from memd.model.settings import DEFAULT_TEMPLATE, LEVELS, Settings, settings_for

APPROVALS = "approvals"  # asks for what other lines of review.jsonl say was approved
LINKS = "links"  # asks for directories of the workspace that lie elsewhere
ROLE_FILES = "role_files"  # roles that `.memd-role` files may choose, by the mark of each
CAPTURE = "capture.level"  # which `memd capture` grants, or its own name; no `all`
PAST = (
    "past"  # takes in conversations that agents keep on this machine: by which id, for which role, and where they are
)
START = "hooks.start"  # lets hooks start a daemon; a person grants it, no workspace asks for it
ALL = "all"

_PAST_ID = re.compile(r"past-[0-9a-f]{8}")
_MARK = re.compile(r"\{\{[^{}]*\}\}")


@dataclass(frozen=True, slots=True)
class Protection:
    """One setting that can weaken a protection, and what is given up with it.

    `order`: its words from the least to the most, where a grant of one reaches those before it.
    """

    key: str
    gives_up: str
    held: Callable[[Any], Any]
    order: tuple[str, ...] = ()

    def reached(self, granted: Any, value: Any) -> Any:
        """Return what is in force of a value: itself where it is granted, else as far as the grant goes."""
        if not self.order or granted not in self.order:
            return value if covers(granted, value) else self.held(value)
        return min(value, max(granted, self.held(value), key=self.order.index), key=self.order.index)


class Weak(NamedTuple):
    """A value that weakens, and what is in force in its place."""

    protection: Protection
    value: Any
    held: Any


class Ask(NamedTuple):
    """What a workspace asks for: its name, in which file and line, what it gives up, and whether this machine grants it."""

    name: str
    value: Any
    file: str
    gives_up: str
    granted: bool
    held: Any = None
    line: int = 1

    @property
    def said(self) -> str:
        """The request as a sentence part."""
        return f"{self.name} = {_shown(self.value)}"


class ModelAt(NamedTuple):
    """An OpenAI-compatible endpoint that conversations may be sent to: its address, the model's name, and where its key is, if it has one."""

    url: str
    name: str = ""
    key_variable: str = ""
    key_file: str = ""


@dataclass(frozen=True, slots=True)
class Trusted:
    """What this machine grants to one workspace: values by the names of asks, and digests of texts a person has seen.

    `paused_until_s`, since 1970: before it nothing of conversations is kept here; `model`: what may read them, None where nothing may.
    """

    granted: Mapping[str, Any] = field(default_factory=dict)
    approved: frozenset[str] = frozenset()
    paused_until_s: float = 0.0
    model: ModelAt | None = None


NOTHING = Trusted()


def _on(_: Any) -> Any:
    return True


def _off(_: Any) -> Any:
    return False


def _among(*words: str) -> Callable[[Any], Any]:
    return lambda value: value if value in words else words[0]


def _at_most(bound: int) -> Callable[[Any], Any]:
    return lambda value: min(value, bound)


def _nowhere(_: Any) -> Any:
    return ""


def _no_words_of_its_own(template: Any) -> Any:
    known = {line.strip() for line in _MARK.sub("\n", DEFAULT_TEMPLATE).splitlines()}
    lines = (line.strip() for line in _MARK.sub("\n", template).splitlines())
    return template if all(line in known or not any(map(str.isalpha, line)) for line in lines) else DEFAULT_TEMPLATE


PROTECTIONS: tuple[Protection, ...] = (
    Protection("gate.scan", "texts with hidden orders or secrets are kept and told to models", _on),
    Protection("gate.secrets", "texts with secrets are kept", _among("redact", "refuse")),
    Protection("books.scan", "book entries that send data away or hide characters are told to models", _on),
    Protection("sessions.secrets", "keys and tokens stay in the files of sessions", _among("redact")),
    Protection("sessions.version", "what is said to agents here goes where the repository is pushed", _off),
    Protection("hooks.guard", "other tools write to memory files", _on),
    Protection(CAPTURE, "what is said is kept though nobody asks for it", _among("explicit", "off"), LEVELS),
    Protection(
        "scopes.send", "what is said in some projects is kept in another workspace, and recalled from there", _nowhere
    ),
    Protection("injection.template", "words of its own stand in every prompt, unlooked-at", _no_words_of_its_own),
    # Bounds: beyond them a limit no longer protects what it is there for. What differs within them is a matter of taste.
    Protection("injection.budget_chars", "a prompt may be filled without measure", _at_most(100_000)),
    Protection("limits.role_memories", "a role grows without measure", _at_most(1_000_000)),
    Protection("limits.role_bytes", "a role's directory grows without measure", _at_most(100_000_000)),
    Protection("limits.memory_dir_bytes", ".memory/ grows without measure", _at_most(100_000_000)),
    Protection("limits.audit_bytes", "the audit log grows without measure", _at_most(10_000_000)),
    Protection("limits.score_bytes", "the score records grow without measure", _at_most(20_000_000)),
    Protection("limits.inbox_bytes", "the inbox grows without measure", _at_most(5_000_000)),
    Protection("limits.scorings_per_day", "clients' scorings are not held up", _at_most(1_000_000)),
    Protection("limits.violations", "the guard only advises", _at_most(10)),
    Protection(
        "limits.memory_md_chars", "MEMORY.md, which is in every prompt, grows without measure", _at_most(20_000)
    ),
    Protection("limits.user_md_chars", "USER.md, which is in every prompt, grows without measure", _at_most(20_000)),
    Protection("sessions.max_tool_iterations", "a run goes on without measure", _at_most(1000)),
    Protection("daemon.max_clients", "connections are opened without measure", _at_most(1024)),
    Protection("daemon.frame_bytes", "one frame may hold up everybody", _at_most(4 * 1024 * 1024)),
)


def past_order(granted: Mapping[str, Any]) -> dict[str, str]:
    """Return what is ordered of the past: `id`, `role` ("" where each directory says it), and of each agent the directory; {} where nothing."""
    found = {name.removeprefix(f"{PAST}."): one for name, one in granted.items() if name.startswith(f"{PAST}.")}
    is_order = all(isinstance(one, str) for one in found.values()) and _PAST_ID.fullmatch(found.get("id", ""))
    return found if is_order else {}


def covers(granted: Any, value: Any) -> bool:
    """Tell whether what was granted reaches a value: the same one, or a number that is not greater."""
    if type(granted) is not type(value):
        return False
    is_count = isinstance(value, int) and not isinstance(value, bool)
    return bool(value <= granted) if is_count else bool(value == granted)


def weak_in(tables: Mapping[str, Mapping[str, Any]], base: Settings | None = None) -> Iterator[Weak]:
    """Yield the values that weaken; of a role's own, only those that go beyond what is in force for all (`base`)."""
    for one in PROTECTIONS:
        table, _, key = one.key.partition(".")
        if key not in tables.get(table, {}):
            continue
        value = tables[table][key]
        held = one.held(value)
        common = getattr(getattr(base, table), key) if base is not None else held
        if held != value and not covers(common, value):
            yield Weak(one, value, held)


def in_force(asked: Settings, granted: Mapping[str, Any]) -> Settings:
    """Return the settings of memd.toml with what weakens only where it is granted; always a new object."""
    return replace(_held_back(asked, asdict(asked), "", granted, None))


def in_force_for(
    base: Settings, own: Mapping[str, Mapping[str, Any]], role: str, granted: Mapping[str, Any]
) -> Settings:
    """Return the settings for a role, its own on top of those in force; what weakens only where it is granted."""
    return _held_back(settings_for(base, own), own, f"{role}/", granted, base) if own else base


def _held_back(
    settings: Settings, tables: Mapping[str, Mapping[str, Any]], prefix: str, granted: Mapping[str, Any],
    base: Settings | None,
) -> Settings:  # fmt: skip
    held: dict[str, dict[str, Any]] = {}
    for weak in weak_in(tables, base):
        reached = weak.protection.reached(granted.get(prefix + weak.protection.key), weak.value)
        if reached != weak.value:
            table, _, key = weak.protection.key.partition(".")
            held.setdefault(table, {})[key] = reached
    return settings_for(settings, held)


def chosen(names: list[str], wanted: str) -> list[str]:
    """Return the names that a word of a person's means: a name, `all`, a role's or a family's, a link's last part."""
    if wanted == ALL:
        return names
    return [
        one
        for one in names
        if one == wanted or one.startswith((f"{wanted}.", f"{wanted}/")) or one == f"{LINKS}.{wanted}"
    ]


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return repr(value)[:80] if isinstance(value, str) else str(value)
