"""What a model is told of the moment it runs in, and of the files it is given: as sections of a system prompt.

Pure: equal values give equal bytes.

Source
    docs/design/origins.md#the-blueprint-of-an-engine: the runtime context has UTC time, local time and zone; a snapshot is rendered as prompt sections.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

from memd.formats.curated import entries_of, without_comments, without_entries
from memd.model.runs import PromptSection

TITLES = {"MEMORY.md": "Memory", "USER.md": "User"}


class Frozen(NamedTuple):
    """A snapshot: its canonical bytes as text, and their sha256."""

    text: str
    digest: str


def freeze(texts: Mapping[str, str], withheld: Mapping[str, Sequence[str]]) -> Frozen:
    """Return the snapshot of curated files by name; of each, the entries withheld from prompts."""
    files = [
        {"name": name, "text": texts[name], **({"withheld": list(withheld[name])} if withheld.get(name) else {})}
        for name in sorted(texts)
    ]
    text = json.dumps({"memd": "snapshot", "version": 1, "files": files}, ensure_ascii=False, indent=2) + "\n"
    return Frozen(text, hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest())


def sections_of(snapshot: Mapping[str, Any]) -> list[PromptSection]:
    """Return the sections of a stored snapshot: one for each file that says something."""
    found: list[PromptSection] = []
    for file in snapshot.get("files", ()):
        name, text = str(file.get("name", "")), str(file.get("text", ""))
        text = without_entries(text, [str(one) for one in file.get("withheld", ())])
        title = TITLES.get(name, name)
        if entries_of(text):
            found.append(PromptSection(name, title, _for_prompt(text, title)))
    return found


def runtime_section(now: datetime, zone: str) -> PromptSection:
    """Return the section of time: `now` with its zone; `zone` as it is called."""
    utc = now.astimezone(UTC)
    offset = now.strftime("%z")
    lines = [
        f"- UTC time: {utc:%Y-%m-%dT%H:%M:%SZ}",
        f"- Local time: {now:%Y-%m-%d %H:%M:%S} ({now:%A})",
        f"- Time zone: {zone} (UTC{offset[:3]}:{offset[3:5]})" if offset else f"- Time zone: {zone}",
    ]
    return PromptSection("runtime", "Runtime context", "\n".join(lines))


def _for_prompt(text: str, title: str) -> str:
    """Return a curated text without comments, which are for people, and without a heading that says the title again."""
    bare = without_comments(text.replace("\r\n", "\n")).strip()
    first, _, rest = bare.partition("\n")
    if first.startswith("#") and first.strip("# ").casefold() == title.casefold():
        bare = rest.strip()
    return re.sub(r"\n{3,}", "\n\n", bare)
