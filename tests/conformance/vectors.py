"""Vectors of the texts that the measured cases have, in the form of memd's own cache: the model would take minutes to make them.

`pytest tests/conformance -n 0 --record` writes them anew. What is missing, or of another model, is embedded where it is
asked for, as everywhere; so a stale file costs time and changes no figure.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from memd.storage.embedding import background
from memd.storage.embedding.background import Background
from memd.storage.embedding.desk import STATEMENT_WINDOWS, TOLD_TOKENS, Desk, windows
from memd.storage.embedding.model import load_model
from memd.storage.embedding.wire import Begin, Embed, Message, Text, Texts, frame, text_digest
from memd.storage.embedding.work import VECTORS

FILE = Path(__file__).parent / VECTORS
EVER = 1_000_000  # a day that does not come: what no role has for weeks is forgotten


def lay(cache: str) -> None:
    """Put what is kept into the cache of a workspace."""
    if FILE.exists():
        os.makedirs(cache, mode=0o700, exist_ok=True)
        shutil.copyfile(FILE, Path(cache, VECTORS))


class Recorder:
    """Hears what the process that embeds is given while tests run."""

    def __init__(self) -> None:
        self._texts: dict[bytes, Text] = {}
        self._statements: set[tuple[str, bool]] = set()

    @property
    def heard(self) -> bool:
        """Tell whether anything was to be embedded."""
        return bool(self._texts or self._statements)

    def frame(self, message: Message) -> bytes:
        """Return what goes over the pipe."""
        if isinstance(message, Texts):
            self._texts |= {one.digest: one for one in message.texts}
        elif isinstance(message, Embed):
            self._statements |= {(text, at < message.told) for at, text in enumerate(message.texts)}
        return frame(message)

    def write(self) -> None:
        """Embed all that was heard, and keep it."""
        model = load_model(Begin("packaged"))
        texts, made = background.shipped()
        digest = background.digest_of(texts)
        measured_by = background.load_background(made, model.key, digest)
        assert measured_by is not None, "memd is shipped with vectors of its background"
        for text, told in self._statements:
            part = windows(text, model.tokens, 1, TOLD_TOKENS)[0] if told else text
            known_by = text_digest(part, STATEMENT_WINDOWS)
            self._texts.setdefault(known_by, Text(known_by, part, STATEMENT_WINDOWS))
        desk = Desk(model, Background(background.read_lines(texts), measured_by), None)
        for _ in desk.take([self._texts[one] for one in sorted(self._texts)]):
            pass
        assert desk.table is not None, "texts were asked for"
        desk.table.see(self._texts, EVER)
        FILE.write_bytes(desk.dump(digest) or b"")
