"""The bare packaged model's vectors of texts, kept on the disk of who trains: they cost minutes."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
from platformdirs import user_cache_dir

from memd.storage.embedding.desk import TOLD_TOKENS, ending, windows
from memd.storage.embedding.model import Packaged

Floats = npt.NDArray[np.float32]
CACHE = Path(user_cache_dir("memd-training"))


class Vectors:
    """A model with what it gave before."""

    def __init__(self, model: Packaged, path: Path = CACHE) -> None:
        self.model, self._path = model, path / f"{model.key[:16]}.npz"
        self._known: dict[str, Floats] = {}
        if self._path.exists():
            with np.load(self._path) as held:
                self._known = dict(zip(held["names"].tolist(), held["vectors"], strict=True))

    def of(self, kind: str, texts: Sequence[str]) -> Floats:
        """Return the vectors of texts as a kind, "question" or "statement": of these the first window of each."""
        found = []
        for text in texts:
            name = hashlib.blake2b(f"{kind} {text}".encode(), digest_size=12).hexdigest()
            if name not in self._known:
                if kind == "question":
                    self._known[name] = self.model.questions([ending(text, self.model.tokens)])[0]
                else:
                    self._known[name] = self.model.passages(windows(text, self.model.tokens, 1))[0]
            found.append(self._known[name])
        return np.array(found, np.float32)

    def told(self, texts: Sequence[str]) -> Floats:
        """Return the vectors of statements that are told, of which less counts than of what is held."""
        return self.of("statement", [windows(text, self.model.tokens, 1, TOLD_TOKENS)[0] for text in texts])

    def save(self) -> None:
        """Keep what was embedded for the next time."""
        self._path.parent.mkdir(parents=True, exist_ok=True)
        np.savez(self._path, names=np.array(list(self._known)), vectors=np.array(list(self._known.values())))
