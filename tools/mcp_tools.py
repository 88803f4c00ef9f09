"""memd/doors/mcp/schemas.json: the tools as clients are given them, made from their declarations and those of their verbs.

Models read schemas best that are plain: no references, no titles that repeat a name, no defaults that say nothing, no null for
what may as well be left out, and no choice between several types, which every model reads differently.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

import msgspec

from memd.doors.mcp.answers import SCHEMAS
from memd.doors.mcp.declared import Given, Key, Tool
from memd.doors.mcp.tools import DECLARED
from memd.doors.rpc import METHODS
from memd.verbs.declared import Verb

FILE = f"memd/doors/mcp/{SCHEMAS}"
ANNOTATIONS = {
    "reads": {"readOnlyHint": True, "idempotentHint": True, "openWorldHint": False},
    "adds": {"readOnlyHint": False, "destructiveHint": False, "idempotentHint": False, "openWorldHint": False},
    "changes": {"readOnlyHint": False, "destructiveHint": True, "idempotentHint": True, "openWorldHint": False},
}
# Claude Code shows a model only the names of most servers' tools; what is called at every message must be there whole.
AT_HAND = {"anthropic/alwaysLoad": True}
NEXT_OFFSET = {"type": "integer", "minimum": 1, "description": "the `offset` of what follows; not there at the end"}
SAYS_NOTHING: tuple[Any, ...] = (None, "", [], {})
BOUNDS = {"string": ("minLength", "maxLength"), "array": ("minItems", "maxItems"), "integer": ("minimum", "maximum")}
_LISTED = re.compile(r"\^\(([\w|-]+)\)\??\$")

Schema = dict[str, Any]


def listed() -> list[Schema]:
    """Return the tools as the protocol lists them: those whose verbs there are."""
    return [told(one, METHODS[one.verb]) for one in DECLARED if one.verb in METHODS]


def text() -> str:
    """Return what the file shall have."""
    return json.dumps(listed(), ensure_ascii=False, indent=1) + "\n"


def told(tool: Tool, verb: Verb) -> Schema:
    """Return one tool as the protocol lists it."""
    meta = {"_meta": AT_HAND} if tool.always_loaded else {}
    return {
        "name": tool.name,
        "title": tool.title,
        "description": tool.words,
        "inputSchema": _taken(tool, verb),
        "outputSchema": _answered(tool, verb),
        "annotations": ANNOTATIONS[tool.does],
        **meta,
    }


def _taken(tool: Tool, verb: Verb) -> Schema:
    declared = declared_of(verb.request)
    fields = declared["properties"]
    if unknown := {*(one.field for one in tool.takes), *tool.fixed} - fields.keys():
        raise ValueError(f"{tool.name}: {tool.verb} has no parameter {', '.join(sorted(unknown))}")
    always = declared.get("required", [])
    needed = [one.name for one in tool.takes if one.needed or (one.field in always and not one.whose)]
    if lacking := {*always} - {one.field for one in tool.takes}:
        raise ValueError(f"{tool.name}: {tool.verb} needs {', '.join(sorted(lacking))}")
    shown = {one.name: _parameter(one, fields[one.field], needed=one.name in needed) for one in tool.takes}
    required = {"required": needed} if needed else {}
    return {"type": "object", "properties": shown, **required, "additionalProperties": False}


def _parameter(given: Given, declared: Schema, *, needed: bool) -> Schema:
    """Return the declared schema with a model's words and the tool's narrower bounds."""
    kept = {**given.schema} or {**declared}
    if found := _LISTED.fullmatch(kept.pop("pattern", "")):
        kept["enum"] = found[1].split("|")
    if given.says:
        kept["description"] = given.says
    if given.choices:
        kept |= {"enum": list(given.choices)}
        kept.pop("maxLength", None)
    if given.each_most is not None:
        kept["items"] = {**kept["items"], "maxLength": given.each_most}
    if given.default is not None:
        kept["default"] = given.default
    bounds = zip(BOUNDS.get(kept.get("type", ""), ()), (given.least, given.most), strict=False)
    kept |= {name: bound for name, bound in bounds if bound is not None}
    if not needed and kept.get("minLength") == 1:
        del kept["minLength"]  # an empty text is as good as none
    return kept


def _answered(tool: Tool, verb: Verb) -> Schema:
    declared = declared_of(verb.reply)
    del declared["description"]  # it tells of the whole reply; the tool's words tell of this part
    answered = _shown(tool.keys, declared, tool.key_words)
    if tool.pages:
        answered["properties"]["next_offset"] = NEXT_OFFSET
    return answered


def _shown(keys: tuple[Key, ...], declared: Schema, words: Mapping[str, str]) -> Schema:
    """Return the schema of what a model is shown of a reply."""
    fields = declared["properties"]
    shown: Schema = {}
    for key in keys:
        one = fields[key.of]
        below = {path.partition(".")[2]: said for path, said in words.items() if path.startswith(f"{key.name}.")}
        shown[key.name] = _within(key, one, below) if key.within else {**one}
        shown[key.name] |= {"description": words[key.name]} if key.name in words else {}
    always = [key.name for key in keys if key.always]
    about = {"description": declared["description"]} if "description" in declared else {}
    required = {"required": always} if always else {}
    return {"type": "object", **about, "properties": shown, **required}


def _within(key: Key, declared: Schema, words: Mapping[str, str]) -> Schema:
    each = "additionalProperties" if key.named else "items"
    if each not in declared:
        return _shown(key.within, declared, words)
    return {**declared, each: _shown(key.within, declared[each], words)}


def declared_of(kind: type | None) -> Schema:
    """Return the plain schema of a request or reply."""
    if kind is None:
        raise ValueError("a verb without a typed reply cannot be a tool")
    (schema,), components = msgspec.json.schema_components([kind], ref_template="{name}")
    found: Schema = _plain(schema, components)
    return found


def _plain(schema: Any, components: Mapping[str, Any]) -> Any:
    if isinstance(schema, list):
        return [_plain(one, components) for one in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        rest = {key: value for key, value in schema.items() if key != "$ref"}
        return {**_plain(components[schema["$ref"]], components), **rest}
    kept: Schema = {}
    for key, value in schema.items():
        if key == "properties":
            kept[key] = {name: _plain(one, components) for name, one in value.items()}
        elif key != "title" and not (key == "default" and value in SAYS_NOTHING):
            kept[key] = _plain(value, components)
    merged = [one for key in ("anyOf", "allOf") for one in kept.get(key, []) if one != {"type": "null"}]
    if len(merged) == 1:
        own = {key: value for key, value in kept.items() if key not in ("anyOf", "allOf")}
        return {**merged[0], **own}
    if "anyOf" in kept:
        kept["anyOf"] = merged
    return kept
