"""Put memd's hooks into an agent's settings file, and take them out: everything else in it keeps its bytes.

Pure. The file is a person's. One that is not plain JSON of the expected shape is refused, and nothing of it is touched.
memd's hooks are known by their command (hook_command.py). A command that runs `memd hook` in a person's own way is theirs.

Errors
    AgentSettingsError, with the place where there is one.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from memd.errors import AgentSettingsError
from memd.formats.hook_command import OwnCommand, difference, read_own, renewed, runs_hook
from memd.formats.json_style import Style, dump_value, member, parts_of, put_last, same, style_of, take_out
from memd.formats.strict_json import StrictError, line_and_column, loads
from memd.model.agents import EVENTS

HOOKS = "hooks"
TIMEOUT_S = 10
FLAT = ("vscode",)  # an event has commands; elsewhere it has groups of commands with a matcher
# Gemini CLI asks before every turn whether it should compress; only a person's word means that it will.
MATCHERS = {("gemini", "PreCompress"): {"matcher": "manual"}}
EMPTY = "{}\n"


def events_of(agent: str) -> list[str]:
    """Return the events of an agent that memd's hooks are for."""
    return list(EVENTS[agent])


class Place(NamedTuple):
    """Where a hook stands in the list of an event: its item, and which of the hooks of that group; None: the item itself."""

    item: int
    inner: int | None = None


class Spot(NamedTuple):
    """Where a list begins in a text, and one of its items."""

    at: int
    number: int


def is_ours(command: Any, agent: str) -> bool:
    """Tell whether a command runs `memd hook AGENT` and nothing else."""
    return isinstance(command, str) and read_own(command, agent) is not None


def is_a_persons(command: Any, agent: str) -> bool:
    """Tell whether a command runs `memd hook AGENT` in a person's own way."""
    return isinstance(command, str) and not is_ours(command, agent) and runs_hook(command, agent)


def load(data: bytes, name: str) -> str:
    """Return the text of a settings file that can be edited, or raise AgentSettingsError."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise AgentSettingsError(name, f"byte {error.start} is not UTF-8") from None
    bare = text.removeprefix("\ufeff")
    if not bare.strip():
        return text
    try:
        value = loads(bare.encode())
    except StrictError as error:
        raise AgentSettingsError(name, _fault(bare, error)) from None
    if not isinstance(value, dict):
        raise AgentSettingsError(name, "it is not one JSON object")
    hooks = value.get(HOOKS, {})
    if not isinstance(hooks, dict):
        raise AgentSettingsError(name, f"`{HOOKS}` is not an object")
    for event, groups in hooks.items():
        if not isinstance(groups, list):
            raise AgentSettingsError(name, f"`{HOOKS}.{event[:40]}` is not a list")
    return text


def _fault(text: str, error: StrictError) -> str:
    if not error.position:
        return error.why
    line, column = line_and_column(text, error.position)
    comment = "; memd edits no file with comments" if text[error.position :][:2] in ("//", "/*") else ""
    return f"line {line}, column {column}: {error.why}{comment}"


def has_hooks(text: str, agent: str) -> bool:
    """Tell whether a loaded settings file has memd's hooks for an agent."""
    return any(_places(text, agent, event) for event in events_of(agent))


def commands_of_persons(text: str, agent: str) -> list[str]:
    """Return the commands that run `memd hook AGENT` in a person's own way."""
    found = (hook["command"] for event in events_of(agent) for _, hook in _hooks(text, event))
    return list(dict.fromkeys(command for command in found if is_a_persons(command, agent)))


def other_memory(text: str, agent: str, command: str, resolved: Callable[[str], str]) -> str:
    """Return which workspace or role memd's hooks have, where it is another than this command's; "" where it is not."""
    new = read_own(command, agent)
    for event in events_of(agent):
        for _, hook in _hooks(text, event):
            old = read_own(hook["command"], agent)
            if new and old and (was := difference(old, new, resolved)):
                return was
    return ""


def installed(text: str, agent: str, command: str, *, all_of_it: bool = False) -> str:
    """Return the settings with memd's hooks, each once; the same text where they are there.

    Those that are there get the command's program; its workspace and role too with `all_of_it`.
    """
    body = text if text.strip("\ufeff \t\r\n") else EMPTY
    style = style_of(body) if len(parts_of(body, body.index("{"))) else Style()
    for event in events_of(agent):
        places = _places(body, agent, event)
        while len(places) > 1:
            body = _without(body, event, places[-1])
            places = _places(body, agent, event)
        if not places:
            body = _added(body, agent, event, command, style)
        elif new := read_own(command, agent):
            body = _renewed(body, event, places[0], new, agent, all_of_it=all_of_it)
    return text if body == EMPTY else body


def removed(text: str, agent: str, originals: tuple[str, ...] = ()) -> str:
    """Return the settings without memd's hooks and what they leave empty.

    Where that says what one of the originals says, it is the original, byte for byte; the first that fits counts.
    """
    for event in events_of(agent):
        while places := _places(text, agent, event):
            text = _without(text, event, places[-1])
    meaning = _meaning(text)
    return next((one for one in originals if same(_meaning(one), meaning)), text)


def is_empty(text: str) -> bool:
    """Tell whether nothing is set in a loaded settings file."""
    return not _meaning(text)


def _meaning(text: str) -> Any:
    """Return what a file says, without lists and objects for hooks that have none."""
    bare = text.removeprefix("\ufeff")
    try:
        value = json.loads(bare) if bare.strip() else {}
    except ValueError:
        return None
    if isinstance(value, dict) and isinstance(value.get(HOOKS), dict):
        value[HOOKS] = {event: groups for event, groups in value[HOOKS].items() if groups}
        if not value[HOOKS]:
            del value[HOOKS]
    return value


def _event_at(text: str, event: str) -> int | None:
    """Return where the list of an event begins."""
    if not text.strip("\ufeff \t\r\n"):
        return None
    hooks = member(text, text.index("{"), HOOKS)
    found = member(text, hooks.value, event) if hooks else None
    return found.value if found else None


def _places(text: str, agent: str, event: str) -> list[Place]:
    """Return which hooks of an event are memd's."""
    return [place for place, hook in _hooks(text, event) if is_ours(hook["command"], agent)]


def _hooks(text: str, event: str) -> Iterator[tuple[Place, dict[str, Any]]]:
    """Yield the hooks of an event that have a command."""
    at = _event_at(text, event)
    if at is None:
        return
    for number, item in enumerate(json.loads(text[at : _end(text, at)])):
        if not isinstance(item, dict):
            continue
        if isinstance(item.get("command"), str):
            yield Place(number), item
        inner = item.get(HOOKS)
        for place, hook in enumerate(inner if isinstance(inner, list) else ()):
            if isinstance(hook, dict) and isinstance(hook.get("command"), str):
                yield Place(number, place), hook


def _end(text: str, at: int) -> int:
    return int(json.JSONDecoder().raw_decode(text, at)[1])


def _added(text: str, agent: str, event: str, command: str, style: Style) -> str:
    hook: dict[str, Any] = {"type": "command", "command": command}
    if agent == "gemini":
        hook |= {"name": "memd", "timeout": TIMEOUT_S * 1000}
    else:
        hook |= {"timeout": TIMEOUT_S}
    item = hook if agent in FLAT else {**MATCHERS.get((agent, event), {}), HOOKS: [hook]}
    at = text.index("{")
    hooks = member(text, at, HOOKS)
    if hooks is None:
        return put_last(text, at, _member(HOOKS, {event: [item]}, style, 1), style, 1)
    found = member(text, hooks.value, event)
    if found is None:
        return put_last(text, hooks.value, _member(event, [item], style, 2), style, 2)
    return put_last(text, found.value, _dumped(item, style, 3), style, 3)


def _member(key: str, value: Any, style: Style, level: int) -> str:
    return json.dumps(key) + style.colon + _dumped(value, style, level)


def _dumped(value: Any, style: Style, level: int) -> str:
    return dump_value(value, style, (style.unit or "") * level, inline=style.unit is None)


def _renewed(text: str, event: str, place: Place, new: OwnCommand, agent: str, *, all_of_it: bool) -> str:
    """Return the text with the command of one hook of memd's as it should be."""
    spot = _hook_at(text, event, place)
    hook = parts_of(text, spot.at)[spot.number]
    old = member(text, hook.value, "command")
    was = json.loads(text[old.value : old.stop]) if old else ""
    own = read_own(was, agent)
    command = renewed(own, new, all_of_it=all_of_it) if own else was
    if old is None or command == was:
        return text
    return text[: old.value] + json.dumps(command, ensure_ascii=False) + text[old.stop :]


def _hook_at(text: str, event: str, place: Place) -> Spot:
    """Return where the list begins that has a hook, and which of its items it is."""
    at = _event_at(text, event) or 0
    if place.inner is None:
        return Spot(at, place.item)
    hooks = member(text, parts_of(text, at)[place.item].value, HOOKS)
    return Spot(hooks.value if hooks else at, place.inner)


def _without(text: str, event: str, place: Place) -> str:
    """Return the text without one hook, and without the group, the event and the `hooks` that it leaves empty."""
    spot = _hook_at(text, event, place)
    text = take_out(text, spot.at, spot.number)
    if place.inner is not None and not parts_of(text, spot.at):
        text = take_out(text, _event_at(text, event) or 0, place.item)
    top = text.index("{")
    for key in (event, HOOKS):
        hooks = member(text, top, HOOKS)
        if hooks is None:
            break
        holder = hooks.value if key == event else top
        keys = [one.key for one in parts_of(text, holder)]
        found = member(text, holder, key)
        if found is None or parts_of(text, found.value):
            break
        text = take_out(text, holder, keys.index(key))
    return text
