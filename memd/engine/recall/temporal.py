"""How time weighs on a memory. Recency alone never activates anything; it only ranks what was activated.

Source
    DESIGN section 5: exp(-days * timeDecayFactor). It is a multiplier of rank with a floor (decision 0005): with the
    seed's factor of 0.1 a plain multiplier before the cut would make every episode unreachable after two weeks.
"""

from __future__ import annotations

import math

from memd.model.memory import Memory

DAY_S = 86_400.0
FLOOR = 0.5


def decay(memory: Memory, now_s: float) -> float:
    """Return the multiplier from FLOOR to 1 for the age of a memory; 1 where its time is not known or in future."""
    if memory.when_s is None or memory.when_s >= now_s:
        return 1.0
    days = (now_s - memory.when_s) / DAY_S
    return FLOOR + (1 - FLOOR) * math.exp(-days * memory.decay_per_day)


def is_expired(memory: Memory, now_s: float) -> bool:
    """Tell whether a memory's validity has ended."""
    return memory.expires_s is not None and memory.expires_s <= now_s
