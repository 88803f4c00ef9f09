"""The lexicon of feelings in TOML, and what a workspace adds to it or takes out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from memd.errors import BadSettingsError, Fault
from memd.formats.settings import load_table
from memd.model.scene import Emotion, EmotionWords

WEIGHTS = {"strong": 1.6, "plain": 1.0, "faint": 0.7, "hint": 0.45}
LANGUAGES = ("en", "zh")
_FEELINGS = tuple(one.value for one in Emotion if one is not Emotion.NEUTRAL)
_WORD_TABLES = {"silent": LANGUAGES, "negation": LANGUAGES, "technical": LANGUAGES}
_INTENSITY = ("more_en", "more_zh", "less_en", "less_zh")
LONGEST_CHARS = 80


def load_emotions(shipped: bytes, own: bytes = b"", name: str = "emotions.toml") -> EmotionWords:
    """Return the shipped lexicon with a workspace's own on top, or raise BadSettingsError with every fault."""
    tables = load_table(shipped, name)[1]
    added: dict[str, Any] = load_table(own, name)[1] if own else {}
    faults = [Fault(name, 1, 1, why, "settings.value") for why in _faults(added)]
    if faults:
        raise BadSettingsError(tuple(faults))
    cues: dict[str, dict[Emotion, float]] = {}
    for source in (tables, added):
        for feeling, word, weight in _cues(source):
            cues.setdefault(word, {})[feeling] = weight
        for word in _listed(source.get("remove"), "words"):
            cues.pop(word, None)
    words = {table: _words(tables, added, table) for table in _WORD_TABLES}
    degree = {
        key: frozenset((*_listed(tables.get("intensity"), key), *_listed(added.get("intensity"), key)))
        for key in _INTENSITY
    }
    return EmotionWords(
        cues={word: tuple(found.items()) for word, found in cues.items()},
        silent=words["silent"]["en"] | words["silent"]["zh"],
        negation_en=words["negation"]["en"],
        negation_zh=tuple(sorted(words["negation"]["zh"], key=len, reverse=True)),
        more=degree["more_en"] | degree["more_zh"],
        less=degree["less_en"] | degree["less_zh"],
        technical=words["technical"]["en"] | words["technical"]["zh"],
    )


def _cues(tables: Mapping[str, Any]) -> Iterator[tuple[Emotion, str, float]]:
    for feeling in _FEELINGS:
        for language in LANGUAGES:
            found = tables.get(feeling, {}).get(language, {})
            for weight, value in WEIGHTS.items():
                for word in _listed(found, weight):
                    yield Emotion(feeling), word, value


def _words(tables: Mapping[str, Any], added: Mapping[str, Any], table: str) -> dict[str, frozenset[str]]:
    return {
        language: frozenset((*_listed(tables.get(table), language), *_listed(added.get(table), language)))
        for language in LANGUAGES
    }


def _listed(table: Any, key: str) -> tuple[str, ...]:
    found = table.get(key, []) if isinstance(table, Mapping) else []
    return tuple(word.strip().lower() for word in found if word.strip()) if isinstance(found, list) else ()


def _faults(added: Mapping[str, Any]) -> Iterator[str]:
    for key, value in added.items():
        if key in _FEELINGS:
            yield from _table_faults(key, value, LANGUAGES, tuple(WEIGHTS))
        elif key in _WORD_TABLES:
            yield from _list_faults(key, value, LANGUAGES)
        elif key == "intensity":
            yield from _list_faults(key, value, _INTENSITY)
        elif key == "remove":
            yield from _list_faults(key, value, ("words",))
        else:
            yield f"unknown table {key[:40]!r}; the tables are {', '.join((*_FEELINGS, *_WORD_TABLES, 'intensity', 'remove'))}"


def _table_faults(name: str, value: Any, languages: tuple[str, ...], keys: tuple[str, ...]) -> Iterator[str]:
    if not isinstance(value, Mapping):
        yield f"{name} is no table"
        return
    for language, found in value.items():
        if language not in languages:
            yield f"unknown key {name}.{language}; the languages are {', '.join(languages)}"
        else:
            yield from _list_faults(f"{name}.{language}", found, keys)


def _list_faults(name: str, value: Any, keys: tuple[str, ...]) -> Iterator[str]:
    if not isinstance(value, Mapping):
        yield f"{name} is no table"
        return
    for key, words in value.items():
        if key not in keys:
            yield f"unknown key {name}.{key}; the keys are {', '.join(keys)}"
        elif not isinstance(words, list) or not all(
            isinstance(one, str) and len(one) <= LONGEST_CHARS for one in words
        ):
            yield f"{name}.{key} is no list of texts of at most {LONGEST_CHARS} characters"
