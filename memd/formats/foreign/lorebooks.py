"""Lorebooks of other programs to World Info, the form in which memd holds every lorebook, and a World Info file to a card.

What World Info has no place for is kept: of an entry under extensions.<form>, of a book under the form's name.

Source
    docs/design/world-info.md#the-file and #other-programs-lorebooks, docs/design/origins.md#its-world-books. Cards V2 and V3, and V3's
    lorebook alone, are mapped as SillyTavern 1.18.0 does it; unknown extensions survive, and so does what the book says of itself.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

# World Info's name -> the name in a card entry's extensions.
EXTENSIONS = {
    "position": "position", "excludeRecursion": "exclude_recursion", "displayIndex": "display_index",
    "probability": "probability", "useProbability": "useProbability", "depth": "depth",
    "selectiveLogic": "selectiveLogic", "outletName": "outlet_name", "group": "group", "groupOverride": "group_override",
    "groupWeight": "group_weight", "preventRecursion": "prevent_recursion", "delayUntilRecursion": "delay_until_recursion",
    "scanDepth": "scan_depth", "matchWholeWords": "match_whole_words", "useGroupScoring": "use_group_scoring",
    "caseSensitive": "case_sensitive", "automationId": "automation_id", "role": "role", "vectorized": "vectorized",
    "sticky": "sticky", "cooldown": "cooldown", "delay": "delay", "ignoreBudget": "ignore_budget", "triggers": "triggers",
    "matchPersonaDescription": "match_persona_description", "matchCharacterDescription": "match_character_description",
    "matchCharacterPersonality": "match_character_personality", "matchCharacterDepthPrompt": "match_character_depth_prompt",
    "matchScenario": "match_scenario", "matchCreatorNotes": "match_creator_notes",
}  # fmt: skip
_PLAIN = {
    "keys": "key", "secondary_keys": "keysecondary", "comment": "comment", "content": "content", "constant": "constant",
    "selective": "selective", "insertion_order": "order",
}  # fmt: skip
KEPT = "card"  # extensions.card of an entry that came from a card has what World Info has no name for
OWN = "memd"  # extensions.memd of a card's entry has the World Info entry that it was


def is_card(value: Any) -> bool:
    """Tell whether a value is a card with a book, or V3's standalone lorebook."""
    return book_of(value) is not None


def book_of(value: Any) -> Mapping[str, Any] | None:
    """Return the character_book of a card, or the lorebook a V3 file is; None where there is none."""
    if not isinstance(value, dict):
        return None
    if value.get("spec") == "lorebook_v3" and isinstance(value.get("data"), dict):
        return value["data"] if isinstance(value["data"].get("entries"), list) else None
    data = value.get("data") if isinstance(value.get("data"), dict) else value
    book = data.get("character_book") if isinstance(data, dict) else None
    if isinstance(book, dict) and isinstance(book.get("entries"), list):
        return book
    entries = value.get("entries")
    is_book = isinstance(entries, list) and entries and all(isinstance(one, dict) and "keys" in one for one in entries)
    return value if is_book else None


def _from_card(value: Any) -> dict[str, Any]:
    """Return a card's book as a World Info file; what the book says of itself stays under originalData."""
    book = book_of(value) or {"entries": []}
    entries = [_entry_of_card(one, number) for number, one in enumerate(book["entries"]) if isinstance(one, dict)]
    own = mapping(mapping(book.get("extensions")).get(OWN))
    about = {key: member for key, member in book.items() if key != "entries"}
    if own:
        about = {**about, "extensions": {k: v for k, v in book["extensions"].items() if k != OWN}}
    plain = own and about == {"name": about.get("name"), "extensions": {}}
    original = {} if plain else {"originalData": {**about, "entries": book["entries"]}} if about else {}
    return {"entries": numbered(entries), **original, **own}


def _entry_of_card(one: Mapping[str, Any], number: int) -> dict[str, Any]:
    extensions = mapping(one.get("extensions"))
    own = extensions.get(OWN)
    if isinstance(own, dict):
        return own  # memd wrote it: the whole entry, as it was
    entry: dict[str, Any] = {"uid": one["id"] if isinstance(one.get("id"), int) else number}
    entry |= {ours: one[theirs] for theirs, ours in _PLAIN.items() if theirs in one}
    if "comment" not in one and isinstance(one.get("name"), str):
        entry["comment"] = one["name"]
    entry.setdefault("key", [])
    entry.setdefault("keysecondary", [])
    entry["disable"] = one.get("enabled") is False
    entry["position"] = 1 if one.get("position") == "after_char" else 0
    entry |= {ours: extensions[theirs] for ours, theirs in EXTENSIONS.items() if extensions.get(theirs) is not None}
    if "caseSensitive" not in entry and isinstance(one.get("case_sensitive"), bool):
        entry["caseSensitive"] = one["case_sensitive"]
    known = {*_PLAIN, "enabled", "extensions", "case_sensitive"} | ({"name"} if "comment" not in one else set())
    kept = {key: member for key, member in one.items() if key not in known}
    others = {key: member for key, member in extensions.items() if key not in EXTENSIONS.values()}
    others[KEPT] = kept
    entry["extensions"] = others
    return entry


def from_world_info(book: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Return a World Info file as a V2 card; what a card has no name for goes along and comes back."""
    raw = book["entries"]
    entries = [one for one in (raw.values() if isinstance(raw, dict) else raw) if isinstance(one, dict)]
    about = {key: one for key, one in mapping(book.get("originalData")).items() if key != "entries"}
    own = {key: one for key, one in book.items() if key not in ("entries", "originalData", "card")}
    extensions = {**mapping(about.get("extensions")), **({OWN: own} if own else {})}
    card_book = {
        "name": name,
        **about,
        "extensions": extensions,
        "entries": list(map(_card_entry, entries, range(len(entries)))),
    }
    empty = dict.fromkeys(
        ("description", "personality", "scenario", "first_mes", "mes_example", "creator_notes", "system_prompt",
         "post_history_instructions", "creator", "character_version"), "",
    )  # fmt: skip
    card = mapping(book.get("card"))
    data = {"name": name, **empty, "alternate_greetings": [], "tags": [], "extensions": {}}
    data |= mapping(card.get("data")) or {key: one for key, one in card.items() if key in data}
    about_card = {key: one for key, one in card.items() if key not in ("data", "spec", "spec_version")}
    return {**about_card, "spec": "chara_card_v2", "spec_version": "2.0", "data": {**data, "character_book": card_book}}


def _card_entry(one: Mapping[str, Any], at: int) -> dict[str, Any]:
    held = mapping(one.get("extensions"))
    kept = held.get(KEPT)
    others = {key: member for key, member in held.items() if key != KEPT}
    extensions = {**others, **{theirs: one[ours] for ours, theirs in EXTENSIONS.items() if ours in one}}
    uid = one.get("uid")
    entry = {
        "id": uid if isinstance(uid, int) else at,
        "keys": one.get("key", []), "secondary_keys": one.get("keysecondary", []), "comment": one.get("comment", ""),
        "content": one.get("content", ""), "constant": bool(one.get("constant")), "selective": one.get("selective", True),
        "insertion_order": one.get("order", 100), "enabled": not one.get("disable"),
        "position": "after_char" if one.get("position") == 1 else "before_char", "use_regex": True,
    }  # fmt: skip
    if isinstance(kept, dict):
        return {**entry, **kept, "extensions": extensions}  # it came from a card, and says what that one said
    return {**entry, "extensions": {**extensions, OWN: dict(one)}}


def _is_novelai(value: Any) -> bool:
    return isinstance(value, dict) and "lorebookVersion" in value and isinstance(value.get("entries"), list)


def _from_novelai(value: Any) -> dict[str, Any]:
    """`lorebookVersion` tells them; budgetPriority orders."""
    known = ("text", "displayName", "keys", "enabled", "forceActivation")
    return _book("novelai", value, "entries", _novelai_entry, known)


def _novelai_entry(one: dict[str, Any]) -> dict[str, Any]:
    return {
        "key": one.get("keys") or [],
        "keysecondary": [],
        "comment": one.get("displayName") or "",
        "content": one.get("text") or "",
        "disable": one.get("enabled") is False,
        "constant": one.get("forceActivation") is True,
        "order": _order(mapping(one.get("contextConfig")).get("budgetPriority")),
    }


def _is_agnai(value: Any) -> bool:
    return isinstance(value, dict) and value.get("kind") == "memory" and isinstance(value.get("entries"), list)


def _from_agnai(value: Any) -> dict[str, Any]:
    """Weight orders, priority is kept, * and ? in keys are wildcards, which become patterns."""
    known = ("name", "entry", "keywords", "weight", "enabled", "secondaryKeys", "selective", "constant")
    return _book("agnai", value, "entries", _agnai_entry, known)


def _agnai_entry(one: dict[str, Any]) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "key": [_wildcard(word) for word in _texts(one.get("keywords"))],
        "keysecondary": _texts(one.get("secondaryKeys")),
        "comment": one.get("name") or "",
        "content": one.get("entry") or "",
        "disable": one.get("enabled") is False,
        "constant": one.get("constant") is True,
        "order": _order(one.get("weight")),
    }
    return {**entry, "selective": one["selective"]} if isinstance(one.get("selective"), bool) else entry


def _wildcard(word: str) -> str:
    if "*" not in word and "?" not in word:
        return word
    pattern = re.escape(word).replace(r"\*", r"\w*").replace(r"\?", r"\w?").replace("/", r"\/")
    return f"/\\b{pattern}\\b/i"


def _is_risu(value: Any) -> bool:
    return isinstance(value, dict) and value.get("type") == "risu" and isinstance(value.get("data"), list)


def _from_risu(value: Any) -> dict[str, Any]:
    """key and secondkey are lists in one text, activationPercent is a probability, a folder has no content of its own."""
    items = [one for one in value["data"] if isinstance(one, dict)]
    folders = [one for one in items if one.get("mode") == "folder"]
    known = ("key", "secondkey", "content", "comment", "alwaysActive", "insertorder", "activationPercent", "selective",
             "mode")  # fmt: skip
    book = {**value, "data": [one for one in items if one.get("mode") != "folder"]}
    return _book("risu", book, "data", _risu_entry, known, {"folders": folders} if folders else {})


def _risu_entry(one: dict[str, Any]) -> dict[str, Any]:
    keys = _split(one.get("key"))
    if one.get("useRegex") is True:
        keys = [key if key.startswith("/") else f"/{key}/" for key in keys]
    entry: dict[str, Any] = {
        "key": keys,
        "keysecondary": _split(one.get("secondkey")),
        "comment": one.get("comment") or "",
        "content": one.get("content") or "",
        "constant": one.get("alwaysActive") is True,
        "selective": one.get("selective") is True,
        "order": _order(one.get("insertorder")),
    }
    if isinstance(one.get("activationPercent"), (int, float)):
        entry |= {"probability": one["activationPercent"], "useProbability": True}
    return entry


def _split(text: Any) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()] if isinstance(text, str) else []


def _book(
    form: str,
    value: dict[str, Any],
    listed: str,
    entry_of: Callable[[dict[str, Any]], dict[str, Any]],
    known: tuple[str, ...],
    more: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Return a book as World Info: the entries that stand under `listed`, of whose members some are `known` to its form."""
    entries = []
    for one in value[listed]:
        if isinstance(one, dict):
            kept = {key: member for key, member in one.items() if key not in known}
            entries.append({**entry_of(one), **({"extensions": {form: kept}} if kept else {})})
    about = {key: member for key, member in value.items() if key != listed}
    return {"entries": numbered(entries), form: {**about, **(more or {})}}


def _order(value: Any) -> float:
    return value if isinstance(value, (int, float)) else 100


def _is_world_info(value: Any) -> bool:
    """Tell whether a value is a World Info file, or bare entries."""
    if isinstance(value, dict):
        entries = value.get("entries")
        if isinstance(entries, (dict, list)):
            return True
        return bool(value) and all(_is_entry(one) for one in value.values())
    return isinstance(value, list) and bool(value) and all(_is_entry(one) for one in value)


def _from_world_info(value: Any) -> dict[str, Any]:
    """Return the file with its entries under `entries`; other members stay."""
    if isinstance(value, dict) and isinstance(value.get("entries"), (dict, list)):
        return value
    return {"entries": value}


def numbered(entries: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Return entries under the uids they have, or the first free ones."""
    taken = {one["uid"] for one in entries if isinstance(one.get("uid"), int)}
    found: dict[str, dict[str, Any]] = {}
    free = 0
    for one in entries:
        uid = one.get("uid")
        if not isinstance(uid, int) or str(uid) in found:
            while free in taken or str(free) in found:
                free += 1
            uid = free
        found[str(uid)] = {**one, "uid": uid}
    return found


def mapping(value: Any) -> dict[str, Any]:
    """Return a value where it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def _texts(value: Any) -> list[str]:
    """Return the texts of a list; none where it is no list."""
    return [one for one in value if isinstance(one, str)] if isinstance(value, list) else []


def _is_entry(one: Any) -> bool:
    return isinstance(one, dict) and "content" in one and ("key" in one or "keys" in one)


class Form(NamedTuple):
    """A format of lorebooks: its name, whether a value is of it, and the value as World Info."""

    name: str
    is_it: Callable[[Any], bool]
    to_world_info: Callable[[Any], dict[str, Any]]


# The order matters: the special ones are asked before the general.
LOREBOOKS = (
    Form("novelai", _is_novelai, _from_novelai),
    Form("agnai", _is_agnai, _from_agnai),
    Form("risu", _is_risu, _from_risu),
    Form("card", is_card, _from_card),
    Form("world-info", _is_world_info, _from_world_info),
)


def lorebook_of(value: Any) -> tuple[str, dict[str, Any] | None]:
    """Return a lorebook's format and the book as World Info; ("", None) where it is none."""
    for form in LOREBOOKS:
        if form.is_it(value):
            return form.name, form.to_world_info(value)
    return "", None
