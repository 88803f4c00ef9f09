"""JSON Schemas of memory.json, memd.toml and role.toml, made from what checks those files: they cannot disagree.

Source
    JSON Schema draft-07, which editors and taplo understand.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec

from memd.formats.entry import Record
from memd.formats.role_memory import ARRAYS
from memd.formats.settings import COMPAT, ENABLED, WEIGHT, check_of
from memd.model.memory import VALIDITY_WORDS
from memd.model.settings import OF_A_ROLE, BookUse, Declared, Link, Profile, declared, tables

DRAFT = "http://json-schema.org/draft-07/schema#"
NAMES = ("memory", "settings", "role")
_LORE: dict[str, dict[str, Any]] = {
    "array": {"type": "array", "items": {"type": "string"}}, "flag": {"type": "boolean"}, "number": {"type": "number"},
    "text": {"type": "string"},
}  # fmt: skip
LORE_MEANINGS = {
    "secondaryKeys": ("array", "keys that decide, by selectiveLogic, whether a key counts"),
    "selectiveLogic": ("number", "0 any of the secondary keys, 1 not all, 2 none, 3 all"),
    "probability": ("number", "percent, rolled where useProbability is not false"),
    "useProbability": ("flag", "whether probability is rolled"),
    "group": ("text", "inclusion groups, by commas: one of a group comes"),
    "groupOverride": ("flag", "the highest order of a group comes, without a roll"),
    "groupWeight": ("number", "its share of the roll"),
    "useGroupScoring": ("flag", "the most keys found win the group"),
    "order": ("number", "of a group that overrides, the highest"),
    "scanDepth": ("number", "how many messages are scanned for its keys"),
    "caseSensitive": ("flag", "keys as they are written"),
    "matchWholeWords": ("flag", "keys as whole words"),
    "excludeRecursion": ("flag", "not called by what other entries say"),
    "preventRecursion": ("flag", "what it says calls no others"),
    "delayUntilRecursion": ("number", "only called by what other entries say"),
    "sticky": ("number", "messages for which it stays"),
    "cooldown": ("number", "messages for which it then does not come"),
    "delay": ("number", "messages before it may come at all"),
}

_ROLE: dict[str, Any] = {
    "display_name": {"type": "string", "description": "what the role is called"},
    "uuid": {"type": "string", "description": "the role's number in other programs"},
    "aliases": {"type": "array", "items": {"type": "string", "minLength": 1}, "description": "other names for it"},
    "fiction": {
        "type": "boolean",
        "default": Profile().fiction,
        "description": "it is a character or a story: what is said there is kept as its world, not as the user's",
    },
    "project": {
        "type": "string",
        "description": "the project whose memory it is, host/owner/name as `memd role of DIR` tells it",
    },
    "link": {
        "type": "array",
        "description": "roles whose memories this role may see",
        "items": {
            "type": "object",
            "required": ["role"],
            "additionalProperties": False,
            "properties": {
                "role": {"type": "string"},
                "weight": {**WEIGHT.schema, "default": Link("").weight},
            },
        },
    },
    "book": {
        "type": "array",
        "description": "how a book of this role is used",
        "items": {
            "type": "object",
            "required": ["name"],
            "additionalProperties": False,
            "properties": {
                "name": {"type": "string", "description": "its file in books/, without .json"},
                "compat": COMPAT.schema,
                "enabled": {**ENABLED.schema, "default": BookUse("").enabled},
            },
        },
    },
}


def schema_of(name: str) -> dict[str, Any]:
    """Return one of NAMES as a JSON Schema."""
    if name == "memory":
        return _memory()
    if name == "settings":
        every = {table: _table(about, declared(kind)) for table, kind, about in tables()}
        return _document("memd.toml", "Settings of a memd workspace.", every)
    own = {
        table: _table(about, (one for one in declared(kind) if one.key in OF_A_ROLE[table]))
        for table, kind, about in tables()
        if table in OF_A_ROLE
    }
    return _document("role.toml", "What a role says of itself.", {**_ROLE, **own})


def _memory() -> dict[str, Any]:
    _, parts = msgspec.json.schema_components([Record])
    record = parts["Record"]
    properties: dict[str, Any] = {}
    for key, schema in record["properties"].items():
        meaning = schema.pop("description")
        # A member that is null counts as one that is not there.
        properties[key] = {"anyOf": [{**schema}, {"type": "null"}], "description": meaning}
    for key, (form, meaning) in LORE_MEANINGS.items():
        properties[key] = {"anyOf": [_LORE[form], {"type": "null"}], "description": meaning}
    properties["validity"]["examples"] = list(VALIDITY_WORDS)
    entry = {
        "type": "object",
        "properties": properties,
        "anyOf": [{"required": ["content"]}, {"required": ["value"]}],
    }
    arrays = {key: {"type": "array", "items": {"$ref": "#/definitions/memory"}} for key in ARRAYS}
    return {
        "$schema": DRAFT,
        "title": "memory.json",
        "description": "The memories of one role. Keys that are not named here are kept.",
        "type": "object",
        "properties": {"$schema": {"type": "string"}, "characterUuid": {"type": "string"}, **arrays},
        "definitions": {"memory": entry},
    }


def _table(about: str, settings: Iterable[Declared]) -> dict[str, Any]:
    properties: dict[str, Any] = {}
    for one in settings:
        told = {"description": one.words} if one.words else {}
        properties[one.key] = {**check_of(one).schema, "default": one.default, **told}
    return {"type": "object", "description": about, "additionalProperties": False, "properties": properties}


def _document(title: str, about: str, properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "$schema": DRAFT,
        "title": title,
        "description": about,
        "type": "object",
        "additionalProperties": False,
        "properties": properties,
    }
