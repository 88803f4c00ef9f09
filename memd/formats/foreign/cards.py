"""Character cards V2 and V3, and V3's lorebook alone, to World Info and back.

Source
    docs/design/world-info.md#other-programs-lorebooks: the mapping of fields as SillyTavern 1.18.0 makes it; unknown extensions survive,
    and so does what the book says of itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memd.formats.foreign.world_info import mapping, numbered

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


def is_it(value: Any) -> bool:
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


def to_world_info(value: Any) -> dict[str, Any]:
    """Return a card's book as a World Info file; what the book says of itself stays under originalData."""
    book = book_of(value) or {"entries": []}
    entries = [_entry(one, number) for number, one in enumerate(book["entries"]) if isinstance(one, dict)]
    own = mapping(mapping(book.get("extensions")).get(OWN))
    about = {key: member for key, member in book.items() if key != "entries"}
    if own:
        about = {**about, "extensions": {k: v for k, v in book["extensions"].items() if k != OWN}}
    plain = own and about == {"name": about.get("name"), "extensions": {}}
    original = {} if plain else {"originalData": {**about, "entries": book["entries"]}} if about else {}
    return {"entries": numbered(entries), **original, **own}


def _entry(one: Mapping[str, Any], number: int) -> dict[str, Any]:
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
