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
from memd.model.role import BookUse, Link, Profile
from memd.model.settings import OF_A_ROLE, Declared, declared, tables

DRAFT = "http://json-schema.org/draft-07/schema#"
NAMES = ("memory", "settings", "role")
_TIME = "milliseconds since the epoch, or ISO 8601"
MEANINGS = {
    "id": "unique in the file; one that is missing is derived from what the record says",
    "content": "what is remembered",
    "value": "what is remembered, in traits and goals",
    "name": "of a trait: what it is about",
    "timestamp": _TIME,
    "createdAt": _TIME,
    "updatedAt": _TIME,
    "keywords": "keys: a scene that has one of them brings this to mind",
    "tags": "words to file it under",
    "relatedTopics": "what it is about",
    "emotionalContext": "the feelings it belongs to",
    "priority": "0 to 100: who gets room first",
    "isConstant": "always in the prompt, within the budget",
    "disabled": "kept, and never brought to mind",
    "relevanceWeight": "0 to 1: how much its relevance counts",
    "emotionalWeight": "0 to 1: how much the emotion of a scene counts",
    "timeDecayFactor": "0 to 1 for each day: how fast it fades in the ranking",
    "confidence": "how sure it is",
    "validity": "short, medium or long; 短期, 中期, 长期",
    "expiresAt": f"when it ends: {_TIME}",
    "eventStart": f"when what it tells happened or will: {_TIME}",
    "eventEnd": f"the end of that, itself not in it: {_TIME}",
    "validFrom": f"since when it holds: {_TIME}",
    "validUntil": f"until when it holds: {_TIME}",
    "score": "0 to 10: what the gate gave it",
    "source": "who said it: user, agent, tool, file-edit, import",
    "speaker": "who was speaking",
    "session": "the session it comes from",
    "turn": "the turn of that session, a whole number",
    "run": "the run it comes from",
    "supersedes": "the ids of what it takes the place of, while it is here, holds and is not disabled; one id in older files",
    "covers": "digests of the statements of those that it takes the place of; without any, all of them",
    "conflictsWith": "memories that it may say otherwise than: objects with `id`, `why` and `sure`; a person settles it",
    "bothHold": "memories that hold beside it as a person said, by id, with when that was: they are not asked about again",
    "supersededBy": "a note for readers of what took its place; the other's `supersedes` is what counts",
    "inferred": "keys of this record that memd found out rather than was told: isConstant, emotionalContext",
    "triggerType": "keyword, semantic, temporal or emotional: a temporal one comes while it is new, an emotional one weighs its feelings more",
}
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
        # A member that is null counts as one that is not there.
        properties[key] = {"anyOf": [{**schema}, {"type": "null"}], "description": MEANINGS[key]}
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
