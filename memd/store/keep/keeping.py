"""What judging needs beside the roles: what was learned, what waits for a person, who broke the rules how often."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from memd.errors import SecretRefusedError
from memd.model.change import Change, Operation
from memd.store.keep.inbox import Inbox
from memd.store.keep.learned import Learned
from memd.store.keep.looked import looked_at
from memd.store.keep.provisional import Provisional
from memd.store.keep.quarantine import Quarantine
from memd.store.keep.scored import Scored
from memd.store.keep.violations import Violations

if TYPE_CHECKING:
    from memd.model.settings import Settings


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
