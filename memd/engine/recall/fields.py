"""What of a memory or another document is indexed, and how much each field weighs."""

from __future__ import annotations

from collections.abc import Iterable

from memd.model.document import MEMORY_KINDS, Document
from memd.model.memory import Memory
from memd.text.analysis import tokens

CONTENT, KEYS, TOPICS, TAGS, TITLE = 1.0, 2.0, 1.5, 1.0, 2.0


def weights_of(memory: Memory) -> dict[str, float]:
    """Return the terms of a memory with their weights over all fields."""
    return _weighed(
        (((memory.text,), CONTENT), (memory.keys, KEYS), (memory.topics, TOPICS), (memory.tags, TAGS)), unigrams=True
    )


def document_weights(document: Document, *, unigrams: bool = True) -> dict[str, float]:
    """Return the terms of a document with their weights; those of a memory's document are the memory's own."""
    title = () if document.kind in MEMORY_KINDS else (document.title,)  # a memory's text has its name already
    fields = (
        ((document.text,), CONTENT), (document.keys, KEYS), (document.topics, TOPICS), (document.tags, TAGS),
        (title, TITLE),
    )  # fmt: skip
    return _weighed(fields, unigrams=unigrams)


def texts_of(document: Document) -> tuple[str, ...]:
    """Return every text of a document that is searched."""
    return (document.text, document.title, *document.keys, *document.topics, *document.tags)


def _weighed(fields: Iterable[tuple[Iterable[str], float]], *, unigrams: bool) -> dict[str, float]:
    weights: dict[str, float] = {}
    for texts, weight in fields:
        for text in texts:
            for term in tokens(text, unigrams=unigrams):
                weights[term] = weights.get(term, 0.0) + weight
    return weights
