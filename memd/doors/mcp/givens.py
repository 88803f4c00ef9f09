"""What several tools take, in a model's words."""

from __future__ import annotations

from memd.doors.mcp.declared import Given

ROLE = Given("role", whose=True, says="whose memory: a role's name, alias or uuid; leave it out for your own")
ID = Given("id", least=4, digits=True, says="a memory's id, or its first 8 characters")
DAY = "a day, month or year: 2026-05-08, 2026-05, 2026"
AS_OF = Given(
    "as_of",
    schema={"type": "string"},
    says="what was known and held then: 2026-05-08 (its end), 2026-05, 2026, or ISO 8601",
)
