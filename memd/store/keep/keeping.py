"""What judging needs beside the roles: what was learned, what waits for a person, who broke the rules how often."""

from __future__ import annotations

import asyncio
import re
from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

from memd.engine.keep.leaves import changed, texts_in
from memd.errors import BadSettingsError, SecretRefusedError
from memd.formats.records import dump_record, load_record
from memd.formats.settings import load_table
from memd.model.change import Change, Line, Operation, Put
from memd.store.keep.inbox import Inbox
from memd.store.keep.learned import Learned
from memd.store.keep.provisional import Provisional
from memd.store.keep.quarantine import Quarantine
from memd.store.keep.violations import Violations

if TYPE_CHECKING:
    from memd.model.memory import Verdict
    from memd.model.settings import GateSettings, Settings

# The last look before work is acknowledged: nothing becomes an operation that was not looked at.
#
# What a client sends is looked at when it comes (service/memory/ingress.py), and what was seen then is known here. This step
# is for what was made on the way, and for whoever forgets to ask. What stood in a record before stays as it is when it is
# changed beside it or moved to the archive: a person's own file is not rewritten, and its only copy not spoilt. Sessions
# have their look where events are put (service/work/sessions.py), skills and snapshots theirs where they are made.

Clean = Callable[[str], str]

_TEXTS = re.compile(r"MEMORY\.md|USER\.md|tasks/.*|runs/\d{4}-\d\d/.*|learning/.*\.toml")
_DECLARED = re.compile(r"- \S+ \S+ (?P<said>.*) #id:\S+ #评分:\S+ #有效期:\S+\n")
_OF_SESSIONS = re.compile(r"(?:sessions|tasks|runs|learning)/.*|\.memory/state/runs\.jsonl")


def looked_at(operations: Sequence[Operation], clean: Clean, *, sessions: bool, memories: bool) -> list[Operation]:
    """Return operations without secrets that did not stand there before.

    `sessions`, `memories`: whether the settings want these looked at. SecretRefusedError where a file would break.
    """
    stood = {text for one in operations if isinstance(one, Change) and one.before for text in texts_in(one.before)}
    declares = any(isinstance(one, Line) and not one.text.startswith("{") for one in operations)
    said: list[str] = []

    def kept(text: str) -> str:
        return text if text in stood else clean(text)

    def looked(one: Operation) -> Operation:
        if isinstance(one, Change) and memories and one.after is not None:
            after = changed(one.after, kept)
            said.extend(texts_in(after) if declares else ())
            return one if after is one.after else replace(one, after=after)
        if isinstance(one, Line | Put) and not (sessions if _OF_SESSIONS.fullmatch(one.name) else memories):
            return one
        if isinstance(one, Line) and not one.name.startswith("sessions/"):
            return _line(one, kept, said)
        if isinstance(one, Put) and one.after is not None and _TEXTS.fullmatch(one.name):
            return _put(one, kept)
        return one

    return [looked(one) for one in operations]


def _line(line: Line, kept: Clean, said: Sequence[str]) -> Line:
    if not line.text.startswith("{"):
        declared = _DECLARED.fullmatch(line.text)
        rest = declared["said"] if declared else line.text
        for text in sorted(said, key=len, reverse=True):  # a record's own text was looked at with the record
            rest = rest.replace(" ".join(text.split()), "", 1)
        return line if kept(rest) == rest else replace(line, text=kept(line.text), value=None)
    value = load_record(line.text.encode("utf-8", "surrogatepass")) if line.value is None else line.value
    after = changed(value, kept)
    return line if after is value else replace(line, text=dump_record(after).decode(), value=None)


def _put(put: Put, kept: Clean) -> Put:
    """Return a text with the lines that are new in it looked at."""
    before = set((put.before or "").splitlines())
    lines = (put.after or "").splitlines(keepends=True)
    clean = [one if one.rstrip("\r\n") in before else kept(one) for one in lines]
    if clean == lines:
        return put
    text = "".join(clean)
    if put.name.endswith(".toml"):
        try:
            load_table(text.encode("utf-8", "surrogatepass"), put.name)
        except BadSettingsError:
            raise SecretRefusedError("a secret where it cannot be taken out") from None
    return replace(put, after=text)


# What texts were scored as in their sessions: a score holds for its session, whatever the role holds meanwhile.
#
# Only in memory, and bounded: the least lately asked leave first, and a new start begins anew.

MOST = 1000  # about 2 KB each


class Score(NamedTuple):
    """What was found by which settings: the text as it would be kept, the verdict, and statements with their totals."""

    gate: GateSettings
    text: str
    verdict: Verdict
    parts: tuple[tuple[str, float], ...]


@dataclass(slots=True)
class Scored:
    """Scores by what was offered in which session."""

    _held: OrderedDict[Hashable, Score] = field(default_factory=OrderedDict)

    def of(self, key: Hashable, gate: GateSettings) -> Score | None:
        """Return a score that holds, None where there is none, or other settings are in force by now."""
        known = self._held.get(key)
        if known is None or known.gate != gate:
            return None
        self._held.move_to_end(key)
        return known

    def hold(
        self, key: Hashable, gate: GateSettings, text: str, verdict: Verdict, parts: tuple[tuple[str, float], ...]
    ) -> None:
        """Let a score hold."""
        self._held[key] = Score(gate, text, verdict, parts)
        self._held.move_to_end(key)
        if len(self._held) > MOST:
            self._held.popitem(last=False)


@dataclass(slots=True)
class Keeping:
    """Owned by the workspace. `judging` lets one offer after the other be judged, with turns for others in between, as
    `looking` lets one after the other be read and looked at.
    """

    learned: Learned = field(default_factory=Learned)
    quarantine: Quarantine = field(default_factory=Quarantine)
    inbox: Inbox = field(default_factory=Inbox)
    scored: Scored = field(default_factory=Scored)
    provisional: Provisional = field(default_factory=Provisional)
    violations: Violations = field(default_factory=Violations)
    judging: asyncio.Lock = field(default_factory=asyncio.Lock)
    looking: asyncio.Lock = field(default_factory=asyncio.Lock)

    def looked_at(
        self, operations: Sequence[Operation], settings_of: Callable[[str], Settings], roll_back: Callable[[], None]
    ) -> list[Operation]:
        """Return what is about to be acknowledged without secrets, as the settings of its roles want it."""
        roles = {one.role for one in operations if isinstance(one, Change)} or {""}
        memories = all(settings_of(one).gate.scan for one in roles)
        sessions = settings_of("").sessions.secrets == "redact"
        try:
            return looked_at(operations, self.quarantine.without_secrets, sessions=sessions, memories=memories)
        except SecretRefusedError:
            roll_back()
            raise
