"""What memd is shipped with: the weights it learned, and its thesaurus."""

from __future__ import annotations

import hashlib
import sys
from array import array
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from memd.errors import BadSettingsError, Fault, StorageError
from memd.formats.settings import load_table
from memd.model.scene import Emotion, EmotionWords

# What was learned, as text: weights of a linear model, or boosted trees.
#
# Weights are a comment, then a line for each feature with its weight and its name:
#
# # importance of a statement; made by python -m tools.training
# -1.25   *
# 2.31    allergic
#
# Trees are a comment, the bias, then a tree a line, its nodes in the order in which they are visited. A node is
# `feature>value@n`, n the node to go on with where the feature is above the value, or a leaf's value alone; blanks in the
# name of a feature are written as `_`:
#
# # whether a message wants a memory; made by python -m tools.training
# -2.31
# level>0.71@4 words>0.2@3 -0.02 0.07 gap>-0.1@6 0.11 0.2
#
# Planes are rows of weights for the vectors of one model, as bytes: `memd planes 1`, the model's key and how long a row is,
# the name of each row, a blank line; the rows as little-endian 32-bit floats; the sha256 of all before it.

BIAS = "*"


def load_weights(data: bytes, name: str, known: dict[str, str] | None = None) -> tuple[float, dict[str, float]]:
    """Return the bias and the weights by feature; StorageError where the text is none of ours.

    A value that occurs again is held once, and so is a feature's name where `known` has those of another model.
    """
    weights: dict[str, float] = {}
    values: dict[str, float] = {}
    try:
        for line in data.decode("utf-8").split("\n"):
            if line and not line.startswith("#"):
                value, _, feature = line.partition("\t")
                if known is not None:
                    feature = known.setdefault(feature, feature)
                weights[feature] = values.setdefault(value, float(value))
    except ValueError as error:
        raise StorageError(name, f"it is damaged: {error}") from error
    return weights.pop(BIAS, 0.0), weights


class Node(NamedTuple):
    """A feature with the value above which it goes to `above`, else to the next node; a leaf has no feature."""

    feature: str
    value: float
    above: int = 0


Trees = tuple[tuple[Node, ...], ...]


def load_trees(data: bytes, name: str) -> tuple[float, Trees]:
    """Return the bias and the trees; StorageError where the text is none of ours."""
    lines = [line for line in data.decode("utf-8", "replace").split("\n") if line and line[0] != "#"]
    try:
        trees = tuple(tuple(map(_node, line.split())) for line in lines[1:])
        if any(node.feature and not at + 1 < node.above < len(tree) for tree in trees for at, node in enumerate(tree)):
            raise StorageError(name, "it is damaged: a node leads nowhere")
        return float(lines[0]), trees
    except (ValueError, IndexError) as error:
        raise StorageError(name, f"it is damaged: {error}") from error


def _node(text: str) -> Node:
    feature, sign, rest = text.partition(">")
    if not sign:
        return Node("", float(text))
    value, _, above = rest.partition("@")
    return Node(sys.intern(feature.replace("_", " ")), float(value), int(above))


MAGIC = b"memd planes 1\n"
CHECK_BYTES = 32


@dataclass(frozen=True, slots=True)
class Planes:
    """Rows of weights by name, for vectors of the model that `key` stands for."""

    key: str = ""
    rows: Mapping[str, array[float]] = field(default_factory=dict)


def load_planes(data: bytes, name: str) -> Planes:
    """Return the rows of a file; StorageError where it is damaged."""
    body, check = data[:-CHECK_BYTES], data[-CHECK_BYTES:]
    if not body.startswith(MAGIC) or hashlib.sha256(body).digest() != check:
        raise StorageError(name, "it is damaged")
    head, _, numbers = body[len(MAGIC) :].partition(b"\n\n")
    first, *names = head.decode("utf-8").split("\n")
    key, _, length = first.partition(" ")
    found = array("f")
    found.frombytes(numbers)
    if sys.byteorder == "big":
        found.byteswap()
    size = int(length)
    return Planes(key, {row: found[at * size : (at + 1) * size] for at, row in enumerate(names)})


# The thesaurus as it is shipped: a phrase of stems on a line, with the groups it belongs to.
#
#     doctor      =14 ~203
#     closed      !31
#
# Of two phrases, a common `=` says that they mean the same, a common `!` that they exclude each other, a common `~` that
# they are of one kind. Made by `python -m tools.training` from the groups in tools/training/thesaurus/.

KIND = "~"


def load_thesaurus(data: bytes, name: str) -> dict[str, str]:
    """Return the groups of each phrase, as text; StorageError where the file is none of ours.

    Groups that several phrases have are held once.
    """
    lines = data.decode("utf-8").split("\n")
    try:
        phrases = dict(line.split("\t") for line in lines if line and line[0] != "#")
    except ValueError as error:
        raise StorageError(name, f"it is damaged: {error}") from error
    known: dict[str, str] = {}
    for phrase, groups in phrases.items():
        phrases[phrase] = known.setdefault(groups, groups)
    return phrases


# The lexicon of feelings in TOML, and what a workspace adds to it or takes out.

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
