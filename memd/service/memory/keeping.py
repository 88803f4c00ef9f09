"""What judging needs beside the roles: what was learned, what waits for a person, who broke the rules how often."""

from __future__ import annotations

from dataclasses import dataclass, field

from memd.service.learned import Learned
from memd.service.memory.quarantine import Quarantine
from memd.service.memory.violations import Violations


@dataclass(slots=True)
class Keeping:
    """Owned by the workspace."""

    learned: Learned = field(default_factory=Learned)
    quarantine: Quarantine = field(default_factory=Quarantine)
    violations: Violations = field(default_factory=Violations)
