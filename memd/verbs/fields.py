"""Kinds of fields that several requests have: bounds, and the line that says what they are."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

RoleName = Annotated[str, Meta(min_length=1, max_length=200, description="a role's name, alias or uuid")]
MemoryId = Annotated[str, Meta(min_length=1, max_length=200, description="a memory's id, or its first characters")]
Words = Annotated[list[Annotated[str, Meta(min_length=1, max_length=500)]], Meta(max_length=100)]
Who = Annotated[str, Meta(pattern="^(user|agent|tool|file-edit|import)$", description="who says so")]
Share = Annotated[float, Meta(ge=0, le=1)]
Message = Annotated[str, Meta(max_length=1_000_000)]
