"""Settings of agents' servers that setup writes, and the record of what it wrote."""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import re
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from memd.errors import AgentSettingsError
from memd.formats.agent_settings import EMPTY
from memd.formats.json_style import Style, dump_value, member, parts_of, put_last, style_of, take_out
from memd.formats.strict_json import StrictError, loads

# Put memd's MCP server into an agent's file of servers, and take it out: everything else in it keeps its bytes.
#
# Also: which plugins of memd's an agent has, that bring a server. Pure. Claude Code, Gemini CLI, VS Code and opencode keep JSON, Codex TOML. A server called memd that starts another program, or
# this one for another memory, is a person's: it is told, and stays.
#
# Errors
#     AgentSettingsError where the file is of another shape, or where what is there was changed by hand.

NAME = "memd"
MEMBER = {
    "claude": "mcpServers", "codex": "mcp_servers", "gemini": "mcpServers", "vscode": "servers", "opencode": "mcp",
}  # fmt: skip
IN_TOML = ("codex",)
TAKEN_OUT = {
    "claude": "claude plugin uninstall",
    "codex": "codex plugin remove",
    "gemini": "gemini extensions uninstall",
}
_TABLE = re.compile(r"(?:\r?\n|\A)\[mcp_servers\.memd\]\r?\ncommand = .*\r?\nargs = .*(?:\r?\n|\Z)")
_BLANK = "\ufeff \t\r\n"


def load_toml(data: bytes, name: str) -> str:
    """Return the text of a TOML file that can be added to, or raise AgentSettingsError."""
    try:
        text = data.decode("utf-8")
        tomllib.loads(text)
    except UnicodeDecodeError as error:
        raise AgentSettingsError(name, f"byte {error.start} is not UTF-8") from None
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise AgentSettingsError(name, f"it is no TOML: {str(error)[:200]}") from None
    return text


def words_of(text: str, agent: str) -> list[str]:
    """Return the words by which the server called memd is started, [] where there is none."""
    value = _standing(text, agent)
    if value is None:
        return []
    command, rest = (value.get("command"), value.get("args", [])) if isinstance(value, dict) else (None, [])
    words = [*(command if isinstance(command, list) else [command]), *(rest if isinstance(rest, list) else [])]
    return [one if isinstance(one, str) else "?" for one in words]


def is_of(words: Sequence[str], workspace: str, resolved: Callable[[str], str]) -> bool:
    """Tell whether words start `memd mcp` for a workspace, and do nothing else."""
    if "mcp" not in words[1:]:
        return False
    at = list(words).index("mcp", 1)
    program = words[at - 1].rpartition("/")[2] == NAME
    return program and words[at + 1 : at + 2] == ["--workspace"] and list(map(resolved, words[at + 2 :])) == [workspace]


def with_server(text: str, name: str, agent: str, words: Sequence[str]) -> str:
    """Return the text with the server started by these words; the same text where it is. `name` is the file's, for errors."""
    if words_of(text, agent) == list(words):
        return text
    body = without_server(text, name, agent)
    if agent in IN_TOML:
        return _checked(_appended(body, words), name, agent, words)
    body = body if body.strip(_BLANK) else EMPTY
    key, top = MEMBER[agent], body.index("{")
    style = style_of(body) if parts_of(body, top) else Style()
    value = _value(agent, words)
    holder = member(body, top, key)
    if holder is None:
        return put_last(body, top, _member(key, {NAME: value}, style, 1), style, 1)
    if body[holder.value] != "{":
        raise AgentSettingsError(name, f"`{key}` is not an object")
    return put_last(body, holder.value, _member(NAME, value, style, 2), style, 2)


def without_server(text: str, name: str, agent: str) -> str:
    """Return the text without the server called memd, and without an object that it leaves empty."""
    if _standing(text, agent) is None:
        return text
    if agent in IN_TOML:
        return _checked(_cut(text), name, agent, [])
    top, key = text.index("{"), MEMBER[agent]
    holder = member(text, top, key)
    keys = [one.key for one in parts_of(text, holder.value)] if holder else []
    text = take_out(text, holder.value, keys.index(NAME)) if holder else text
    if len(keys) == 1:
        text = take_out(text, top, [one.key for one in parts_of(text, top)].index(key))
    return text


def _standing(text: str, agent: str) -> Any:
    if not text.strip(_BLANK):
        return None
    value = tomllib.loads(text) if agent in IN_TOML else json.loads(text.removeprefix("\ufeff"))
    servers = value.get(MEMBER[agent]) if isinstance(value, dict) else None
    return servers.get(NAME) if isinstance(servers, dict) else None


def _value(agent: str, words: Sequence[str]) -> dict[str, Any]:
    if agent == "opencode":
        return {"type": "local", "command": list(words), "enabled": True}
    kind = {} if agent == "gemini" else {"type": "stdio"}
    return {**kind, "command": words[0], "args": list(words[1:])}


def _member(key: str, value: Any, style: Style, level: int) -> str:
    dumped = dump_value(value, style, (style.unit or "") * level, inline=style.unit is None)
    return json.dumps(key) + style.colon + dumped


def _appended(text: str, words: Sequence[str]) -> str:
    """Return the TOML with a table of its own at the end."""
    end = "\r\n" if "\r\n" in text else "\n"
    lines = [
        f"[mcp_servers.{NAME}]",
        f"command = {_quoted(words[0])}",
        f"args = [{', '.join(map(_quoted, words[1:]))}]",
    ]
    return text + (end if text else "") + "".join(line + end for line in lines)


def _cut(text: str) -> str:
    """Return the TOML without that table, and without the line's end that was put before it."""
    found = _TABLE.search(text)
    if not found:
        return text
    before, after = text[: found.start()], text[found.end() :]
    glued = before and after and not before.endswith("\n")
    return before + ("\r\n" if "\r\n" in text else "\n") * bool(glued) + after


def _quoted(word: str) -> str:
    """Return a word as a string of TOML: as in JSON, and DEL escaped."""
    return json.dumps(word, ensure_ascii=False).replace("\x7f", "\\u007f")


def _checked(text: str, name: str, agent: str, words: Sequence[str]) -> str:
    """Return a TOML that says what it should, or raise AgentSettingsError."""
    try:
        if words_of(text, agent) == list(words):
            return text
    except tomllib.TOMLDecodeError:
        pass
    raise AgentSettingsError(name, f"its `{MEMBER[agent]}` is written in a way that memd does not edit")


def plugins_of(agent: str, read: Callable[[str], str]) -> list[str]:
    """Return memd's own plugins of an agent (of TAKEN_OUT) that are there for all work, each as the command that takes it out.

    `read` gives the text of a file below the directory of the agent's settings, "" for none. What says anything else is no plugin.
    """
    if agent == "claude":
        enabled = _at(read("settings.json"), "enabledPlugins")
        there = [name for name in _at(read("plugins/installed_plugins.json"), "plugins") if enabled.get(name) is True]
    elif agent == "codex":
        told = _at(read("config.toml"), "plugins")
        there = [name for name, value in told.items() if isinstance(value, dict) and value.get("enabled") is True]
    else:
        folder = f"extensions/{NAME}"
        installed = read(f"{folder}/gemini-extension.json") or read(f"{folder}/.gemini-extension-install.json")
        rules = _at(read("extensions/extension-enablement.json"), NAME).get("overrides")
        off = isinstance(rules, list) and str(*rules[:1]).startswith("!")  # the first is for all work
        there = [NAME] if installed and not off else []
    return [f"{TAKEN_OUT[agent]} {name}" for name in there if name.partition("@")[0] == NAME]


def _at(text: str, key: str) -> dict[str, Any]:
    """Return the object at a key of a file, {} where there is none."""
    try:
        value = json.loads(text) if text.lstrip(_BLANK).startswith("{") else tomllib.loads(text)
    except (ValueError, RecursionError):
        return {}
    found = value.get(key) if isinstance(value, dict) else None
    return found if isinstance(found, dict) else {}


# What `memd setup` did, as bytes: enough to take all of it back, every file to the byte.
#
# A file is noted before it is written, with what it will be: a kill in between leaves a note of something that is as it was.

FORM = 1


@dataclass(frozen=True, slots=True)
class Kept:
    """A file of somebody's, and the digest of what setup left; "" where somebody wrote it between two runs.

    `there`: it was there before. `before` are its bytes then, where taking memd's parts out again would not give them back; else None.
    `scope` is "" or the project's directory; `agent` is "" for memd.toml.
    """

    path: str
    scope: str
    agent: str
    there: bool
    before: bytes | None
    after: str


@dataclass(slots=True)
class Record:
    """What was done for one workspace, and what was so before.

    `made` has the digest of each file of a workspace that setup made; `folders` were not there; `missing` are names of what was not
    there and memd itself makes: nonce, trust, memory, cache. `level` and `starts` are what this machine granted before.
    """

    workspace: str
    made: dict[str, str] = field(default_factory=dict)
    files: list[Kept] = field(default_factory=list)
    folders: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    git: bool = False
    units: bool = False
    served: bool = False
    starts: bool = False
    level: str = ""


def digest_of(data: bytes) -> str:
    """Return the digest by which a file is known."""
    return hashlib.sha256(data).hexdigest()


def dump_setup(record: Record) -> bytes:
    """Return the bytes of a record."""
    value: dict[str, Any] = {"form": FORM, **{name: getattr(record, name) for name in Record.__slots__}}
    value["files"] = [
        {name: getattr(one, name) for name in Kept.__slots__}
        | {"before": None if one.before is None else base64.b64encode(one.before).decode()}
        for one in record.files
    ]
    return json.dumps(value, indent=1, ensure_ascii=True).encode() + b"\n"


def load_setup(data: bytes) -> Record:
    """Return the record, or raise ValueError with what is wrong with it."""
    try:
        value = loads(data)
    except StrictError as error:
        raise ValueError(f"it cannot be read: {error.why}") from None
    if not isinstance(value, dict) or value.pop("form", None) != FORM:
        raise ValueError("it is of a form that this memd does not know")
    try:
        files = [Kept(**{**one, "before": _decoded(one["before"])}) for one in value.pop("files")]
        record = Record(files=files, **value)
        texts = [record.workspace, record.level, *record.folders, *record.missing, *record.made, *record.made.values()]
        texts += [text for one in files for text in (one.path, one.scope, one.agent, one.after)]
        if not all(isinstance(one, str) for one in texts):
            raise TypeError
        return record
    except (TypeError, KeyError, AttributeError, binascii.Error):
        raise ValueError("it is damaged") from None


def _decoded(text: str | None) -> bytes | None:
    return None if text is None else base64.b64decode(text, validate=True)
