"""What an agent is told by its hooks, as text: the snapshot, what to remember, what was worth it; each within its room.

Pure. An agent cuts what is too long without saying so: what is left out here is left out whole, and told.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from memd.formats.curated_edit import entries_of

CONTEXT_CHARS = 9_500  # Claude Code shows the model 10,000 characters whole, and of more only a beginning
MEMORY_CHARS = 6_000  # of these, what comes to mind has at most
CALL_CHARS = 3_000  # a call is told in both ways, as a tool and as a command, up to here; else as a command
CALLS = 10
CUT = "[cut here: {left} more characters]"


class Way(NamedTuple):
    """One remember call, in the two ways an agent can make it: the parameters of a tool, and a line for a shell."""

    params: Mapping[str, Any]
    command: str


class Section(NamedTuple):
    """A curated file as a snapshot has it."""

    name: str
    title: str
    content: str


def cut(text: str, room_chars: int) -> str:
    """Return a text that fits its room: whole, or cut at the end of a line with a note of what is missing."""
    if len(text) <= room_chars:
        return text
    kept = text[: max(0, room_chars - len(CUT) - 8)]
    line = kept.rpartition("\n")[0]
    kept = line if len(line) > len(kept) // 2 else kept
    return f"{kept.rstrip()}\n{CUT.format(left=len(text) - len(kept))}"


def joined(parts: Sequence[str]) -> str:
    """Return the parts that say something, one below the other, within what an agent takes."""
    return cut("\n\n".join(part for part in parts if part), CONTEXT_CHARS)


def snapshot_text(sections: Sequence[Section], workspace: str, role: str, room_chars: int) -> str:
    """Return curated memory for the beginning of a window, "" where nothing is curated."""
    if not sections:
        return ""
    whose = f"; the role is {role}" if role else ""
    head = (
        f"Curated memory, kept by memd in {workspace}{whose}. What else is known comes with each prompt."
        " Memory is written through memd, never into these files."
    )
    heads = [f"## {one.title} ({one.name})" for one in sections]
    left = room_chars - len(head) - sum(len(one) + 3 for one in heads)
    bodies = _fitted(sections, workspace, left)
    return "\n\n".join([head, *(f"{title}\n{body}" for title, body in zip(heads, bodies, strict=True))])


def _fitted(sections: Sequence[Section], workspace: str, room_chars: int) -> list[str]:
    """Return the contents within a room they share: the short ones whole, the long ones by whole entries."""
    bodies = [""] * len(sections)
    left = room_chars
    by_length = sorted(range(len(sections)), key=lambda n: len(sections[n].content))
    for count, n in zip(range(len(sections), 0, -1), by_length, strict=True):
        bodies[n] = _entries_within(sections[n], workspace, left // count)
        left -= len(bodies[n])
    return bodies


def _entries_within(section: Section, workspace: str, room_chars: int) -> str:
    text = section.content
    if len(text) <= room_chars:
        return text
    file = "user" if section.name == "USER.md" else "memory"
    entries = entries_of(text)
    note = "[{left} of {all} entries do not fit here; read them with `memd curated read {file} -w {workspace}`]"
    told = note.format(left=len(entries), all=len(entries), file=file, workspace=workspace)
    stops = [one.stop for one in entries if one.stop + len(told) + 1 <= room_chars]
    told = note.format(left=len(entries) - len(stops), all=len(entries), file=file, workspace=workspace)
    return f"{text[: stops[-1]].rstrip()}\n{told}" if stops else told


def asked_text(ways: Sequence[Way]) -> str:
    """Return what an agent is told where the user asks for something to be remembered."""
    if not ways:
        return ""
    return f"The user asks that this be remembered. Do it before you answer:\n{ways_text(ways)}"


def denied_text(why: str, hint: str, ways: Sequence[Way]) -> str:
    """Return the reason an agent is given for a call that the guard does not let through."""
    told = " ".join(one for one in (f"memd: {why}.", hint) if one)
    return cut(f"{told}\n{ways_text(ways)}" if ways else told, CONTEXT_CHARS)


def proposals_text(found: Sequence[tuple[Mapping[str, Any], Way]]) -> str:
    """Return what of the last turn was worth remembering, for an agent to decide."""
    if not found:
        return ""
    lines = ["Not remembered yet, and perhaps worth it. Where you agree and it is still true, remember it:"]
    lines += [f"- ({one['total']:g} of 10) {way.command}" for one, way in found]
    return "\n".join(lines)


def ways_text(ways: Sequence[Way]) -> str:
    """Return remember calls as an agent can make them."""
    lines: list[str] = []
    for way in ways[:CALLS]:
        params = json.dumps(way.params, ensure_ascii=False)
        if len(params) + len(way.command) <= CALL_CHARS:
            lines.append(f"- tool memory_remember {params}; or where you have no such tool, run: {way.command}")
        else:
            lines.append(f"- run: {way.command}")
    if len(ways) > CALLS:
        lines.append(f"- and {len(ways) - CALLS} more of the same kind")
    return "\n".join(lines)
