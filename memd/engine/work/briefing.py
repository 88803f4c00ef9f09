"""What an agent is told by its hooks, as text: the snapshot, what to remember, what was worth it; each within its room.

Pure. An agent cuts what is too long without saying so: what is left out here is left out whole, and told. Rooms are in
UTF-16 units (room.py).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from memd.formats.curated import entries_of
from memd.model.agents import CONTEXT_UNITS, clipped, units
from memd.text import expressions as re
from memd.text.characters import fingerprint

MEMORY_UNITS = 6_000  # of what an agent takes, what comes to mind has at most
CALL_CHARS = 3_000  # a call is told in both ways, as a tool and as a command, up to here; else as a command
CALLS = 10
MORE_UNITS = 120  # the room of a line that says how many calls there are besides
TITLE_CHARS = 64
CUT = "[cut here: {left} more characters]"
ENGLISH = {
    "no role": "memory: off, no role has this directory (`memd role list`)", "on": "memory: on", "none": "nothing remembered yet",
    "one": "1 memory", "many": "{:,} memories", "waits": "1 waits for you (`memd review`)", "wait": "{:,} wait for you (`memd review`)",
    "off": "nothing of conversations is kept", "paused": "paused, nothing is kept", "comma": ", ",
}  # fmt: skip
CHINESE = {
    "no role": "记忆：关，这个目录没有对应的角色（`memd role list`）", "on": "记忆：开", "none": "还没有记住什么",
    "one": "1 条", "many": "{:,} 条", "waits": "1 条等你决定（`memd review`）", "wait": "{:,} 条等你决定（`memd review`）",
    "off": "对话内容一概不保留", "paused": "暂停中，什么都不保留", "comma": "，",
}  # fmt: skip
SENTENCE = re.compile(r"[.!?](?=\s)|[。！？\n]")


class Way(NamedTuple):
    """One remember call, in the two ways an agent can make it: the parameters of a tool, and a line for a shell."""

    params: Mapping[str, Any]
    command: str


class Section(NamedTuple):
    """A curated file as a snapshot has it."""

    name: str
    title: str
    content: str


def cut(text: str, room_units: int) -> str:
    """Return a text that fits its room: whole, or cut at the end of a line with a note of what is missing."""
    if units(text) <= room_units:
        return text
    kept = clipped(text, room_units - len(CUT) - 8)
    line = kept.rpartition("\n")[0]
    kept = line if len(line) > len(kept) // 2 else kept
    return f"{kept.rstrip()}\n{CUT.format(left=len(text) - len(kept))}"


def joined(parts: Sequence[str]) -> str:
    """Return the parts that say something, one below the other, within what an agent takes."""
    return cut("\n\n".join(part for part in parts if part), CONTEXT_UNITS)


def room_beside(parts: Sequence[str]) -> int:
    """Return the room that is left for one more part."""
    return CONTEXT_UNITS - sum(units(part) + 2 for part in parts if part)


def title_of(display_name: str, name: str) -> str:
    """Return how a role is called in a heading: its display name if that is one plain line, else its name."""
    plain = display_name.isprintable() and 0 < len(display_name.strip()) <= TITLE_CHARS
    return display_name.strip() if plain else name


def status_text(counts: tuple[int, int] | None, standing: str, *, role: str, chinese: bool) -> str:
    """Return how memory stands, in a line for a person. `counts`: of memories, and of texts that wait; `standing`: of capture."""
    words = CHINESE if chinese else ENGLISH
    if not role:
        return words["no role"]
    parts = [words["on"]]
    if counts is not None:
        count, waiting = counts
        parts.append(words["none" if not count else "one" if count == 1 else "many"].format(count))
        parts += [words["waits" if waiting == 1 else "wait"].format(waiting)] if waiting else []
    return words["comma"].join([*parts, *([words[standing]] if standing in ("off", "paused") else [])])


def snapshot_text(sections: Sequence[Section], workspace: str, role: str, room_units: int, reads: str) -> str:
    """Return curated memory for the beginning of a window; "" where nothing is curated, or the room is too small.

    `reads`: the line that reads a curated file, for a shell, up to its name.
    """
    if not sections:
        return ""
    whose = f"; the role is {role}" if role else ""
    head = (
        f"Curated memory, kept by memd in {workspace}{whose}. What else is known comes with each prompt."
        " Memory is written through memd, never into these files."
    )
    heads = [f"## {one.title} ({one.name})" for one in sections]
    left = room_units - units(head) - sum(units(one) + 3 for one in heads)
    least = sum(min(units(one.content), units(_note(one, reads, left=10**6))) for one in sections)
    whole = sum(units(one.content) for one in sections)
    if left < whole and left < 2 * least:
        return ""
    bodies = _fitted(sections, reads, left)
    return "\n\n".join([head, *(f"{title}\n{body}" for title, body in zip(heads, bodies, strict=True))])


def _fitted(sections: Sequence[Section], reads: str, room_units: int) -> list[str]:
    """Return the contents within a room they share: the short ones whole, the long ones by whole entries."""
    bodies = [""] * len(sections)
    left = room_units
    by_length = sorted(range(len(sections)), key=lambda n: units(sections[n].content))
    for count, n in zip(range(len(sections), 0, -1), by_length, strict=True):
        bodies[n] = _entries_within(sections[n], reads, left // count)
        left -= units(bodies[n])
    return bodies


def _note(section: Section, reads: str, left: int) -> str:
    """Return how to read what does not fit: so many entries, or 0 for the rest of one."""
    file = "user" if section.name == "USER.md" else "memory"
    how = f"`{reads} {file}`"
    return f"[{left} more entries do not fit here; read them with {how}]" if left else f"[cut; read it all with {how}]"


def _entries_within(section: Section, reads: str, room_units: int) -> str:
    text = section.content
    if units(text) <= room_units:
        return text
    entries = entries_of(text)
    room = room_units - units(_note(section, reads, left=len(entries))) - 1
    stops = [one.stop for one in entries if units(text[: one.stop]) <= room]
    if stops:
        return f"{text[: stops[-1]].rstrip()}\n{_note(section, reads, left=len(entries) - len(stops))}"
    begin = clipped(text, room)
    ends = [found.end() for found in SENTENCE.finditer(begin)]
    begin = begin[: ends[-1]] if ends else begin.rpartition(" ")[0] or begin
    return f"{begin.rstrip()}\n{_note(section, reads, left=0)}".lstrip()


def asked_text(ways: Sequence[Way], *, shortened: bool = False) -> str:
    """Return what an agent is told where the user asks for something to be remembered."""
    if not ways:
        return ""
    told = f"The user asks that this be remembered. Do it before you answer:\n{ways_text(ways, CONTEXT_UNITS - 400)}"
    return (
        f"{told}\nThe prompt is long, and only its beginning is here: see to the rest yourself." if shortened else told
    )


def denied_text(why: str, hint: str, ways: Sequence[Way]) -> str:
    """Return the reason an agent is given for a call that the guard does not let through."""
    told = cut(" ".join(one for one in (f"memd: {why}.", hint) if one), CONTEXT_UNITS // 2)
    return f"{told}\n{ways_text(ways, CONTEXT_UNITS - units(told) - 1)}" if ways else told


def proposals_text(found: Sequence[tuple[Mapping[str, Any], Way]], room_units: int) -> tuple[str, int]:
    """Return what of the last turn was worth remembering, for an agent to decide, and how many of it have room."""
    text, count = "Not remembered yet, and perhaps worth it. Where you agree and it is still true, remember it:", 0
    for one, way in found:
        more = f"{text}\n- ({one['total']:g} of 10) {way.command}"
        if units(more) > room_units:
            break
        text, count = more, count + 1
    return (text, count) if count else ("", 0)


def ways_text(ways: Sequence[Way], room_units: int) -> str:
    """Return remember calls as an agent can make them, as many as have room, and how many there are besides."""
    lines: list[str] = []
    left = room_units - MORE_UNITS
    for way in ways[:CALLS]:
        params = json.dumps(way.params, ensure_ascii=False)
        line = f"- run: {way.command}"
        if len(params) + len(way.command) <= CALL_CHARS:
            line = f"- tool memory_remember {params}; or where you have no such tool, run: {way.command}"
        left -= units(line) + 1
        if left < 0:
            break
        lines.append(line)
    if len(ways) > len(lines):
        lines.append(
            f"- and {len(ways) - len(lines)} more that have no room here: remember them one by one, each as a sentence"
        )
    return "\n".join(lines)


# Is a prompt too small to bring anything to mind? "yes", 好的, "/compact" and the like.
#
# Pure. Such a prompt is answered from the conversation, and what it recalled would be about the word "yes".

MOST_CHARS = 40
_COMMAND = re.compile(r"\s*/[a-zA-Z][\w:.-]*(?:\s|$)")
# What stands at the top of a disk, and is spoken of more often than a command of that name is given.
_PATH = re.compile(
    r"\s*/(?:bin|boot|dev|etc|home|lib|lib64|media|mnt|opt|proc|root|run|sbin|srv|sys|tmp|usr|var|Users|Library|Applications"
    r"|Volumes|private|workspace|app|data|[\w-]*\.[\w.-]+)(?:\s|$)"
)
_WORD = re.compile(  # as text.characters.fingerprint leaves them
    "y|yes|yeah|yep|yup|no|n|nope|ok|okay|k|kk|sure|right|correct|exactly|agreed|fine|good|great|nice|cool|perfect|"
    "thanks|thankyou|thx|ty|please|goahead|doit|continue|goon|proceed|next|more|again|retry|stop|wait|done|"
    "yesplease|nothanks|okthanks|soundsgood|looksgood|lgtm|gotit|isee|hi|hello|hey|bye|"
    "是|是的|对|对的|对呀|对啊|嗯|嗯嗯|好|好的|好吧|好啊|好呀|行|行吧|可以|可以的|没问题|不|不是|不用|不用了|不要|不对|没有|"
    "谢谢|多谢|感谢|谢谢你|好的谢谢|继续|请继续|接着|下一步|再来|重试|停|停止|等等|等一下|知道了|明白|明白了|收到|了解|"
    "你好|您好|嗨|再见|没事|算了"
)


def is_trivial(prompt: str) -> bool:
    """Tell whether a prompt is a command of the agent's own, or a word of assent and the like."""
    if _COMMAND.match(prompt) and not _PATH.match(prompt):
        return True
    if len(prompt) > MOST_CHARS:
        return False
    said = fingerprint(prompt)
    return not said or _WORD.fullmatch(said) is not None
