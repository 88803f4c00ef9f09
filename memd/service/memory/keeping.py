"""What judging needs beside the roles: what was learned, what waits for a person, who broke the rules how often."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

from memd.service.learned import Learned
from memd.service.memory.quarantine import Quarantine
from memd.service.memory.violations import Violations


@dataclass(slots=True)
class Keeping:
    """Owned by the workspace. `judging` lets one offer after the other be judged, with turns for others in between."""

    learned: Learned = field(default_factory=Learned)
    quarantine: Quarantine = field(default_factory=Quarantine)
    violations: Violations = field(default_factory=Violations)
    judging: asyncio.Lock = field(default_factory=asyncio.Lock)
