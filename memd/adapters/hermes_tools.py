"""The tools that hermes' model is given: what each is for, which method it is, and what of the reply it reads. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Tool:
    """`parameters` are JSON Schemas by name, the `required` first; `shown` are the keys of the reply that are passed on."""

    name: str
    method: str
    description: str
    parameters: Mapping[str, dict[str, Any]]
    shown: tuple[str, ...]
    required: int = 1
    writes: bool = False
    of_role: bool = True
    renamed: Mapping[str, str] = field(default_factory=dict)

    def schema(self) -> dict[str, Any]:
        """Return the tool as OpenAI's function calling has it."""
        properties = {name: dict(one) for name, one in self.parameters.items()}
        required = list(self.parameters)[: self.required]
        return {
            "name": self.name,
            "description": self.description,
            "parameters": {"type": "object", "properties": properties, "required": required},
        }

    def params(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return the method's parameters for what the model gave; what it made up is left out."""
        return {self.renamed.get(name, name): given[name] for name in self.parameters if name in given}


def _text(description: str) -> dict[str, Any]:
    return {"type": "string", "description": description}


_ID = _text("The id of the memory, as memory_search tells it.")
TOOLS: tuple[Tool, ...] = (
    Tool(
        "memory_trigger",
        "trigger",
        "What comes to mind for a message or a subject: memories of this user, ranked, ready to read.",
        {"message": _text("The message or the subject, in the user's own words.")},
        ("content",),
    ),
    Tool(
        "memory_search",
        "search",
        'Search memories, pages, sessions, runs and skills: words, "phrases", wild*cards, field:value.',
        {"query": _text("What to look for."), "limit": {"type": "integer", "minimum": 1, "maximum": 50}},
        ("hits", "total"),
        of_role=False,
    ),
    Tool(
        "memory_remember",
        "remember",
        "Offer one definite statement to keep. It is judged; the answer says whether it was kept, and why.",
        {
            "content": _text("One statement that stands for itself."),
            "asked": {"type": "boolean", "description": "True where the user asked to remember it."},
        },
        ("stored", "id", "verdict", "reason", "hint"),
        writes=True,
        renamed={"asked": "explicit"},
    ),
    Tool(
        "memory_update",
        "memory.update",
        "Correct what a memory says.",
        {"id": _ID, "content": _text("What it says from now on.")},
        ("id", "content"),
        required=2,
        writes=True,
    ),
    Tool(
        "memory_forget",
        "memory.forget",
        "Take a memory out of use; the user can bring it back.",
        {"id": _ID, "reason": _text("Why.")},
        ("id", "archived"),
        writes=True,
    ),
)
BY_NAME = {one.name: one for one in TOOLS}
CONFIG: tuple[dict[str, Any], ...] = (
    {"key": "workspace", "description": "The memd workspace (a directory with memd.toml)", "required": True},
    {"key": "role", "description": "The role whose memory it is", "default": "main"},
    {"key": "keep", "description": "Keep what of a turn is worth remembering", "default": "yes", "choices": ["yes", "no"]},
    {"key": "curated", "description": "Put MEMORY.md and USER.md of the workspace in the system prompt", "default": "yes", "choices": ["yes", "no"]},
)  # fmt: skip
