"""The vectors of memd/lexicons/background.jsonl by the packaged model, as they are shipped.

Processors round differently in the last bit, so a check compares what they were made of, not the bytes.
"""

from __future__ import annotations

import numpy as np

from memd.storage.embedding.background import (
    VECTORS,
    digest_of,
    dump_background,
    embedded,
    load_background,
    read_lines,
    shipped,
)
from memd.storage.embedding.packaged import DIGEST, Packaged

NAME = VECTORS


def make() -> tuple[bytes, str]:
    """Return the bytes of the vectors, and what is in them."""
    texts, _ = shipped()
    lines = read_lines(texts)
    model = Packaged()
    vectors = np.concatenate(list(embedded(model, lines)))
    return dump_background(vectors, model.key, digest_of(texts)), f"{len(lines)} texts"


def is_current() -> bool:
    """Tell whether the shipped vectors are of the texts as they are, by the model as it is."""
    texts, made = shipped()
    vectors = load_background(made, DIGEST, digest_of(texts))
    return vectors is not None and len(vectors) == len(read_lines(texts))
