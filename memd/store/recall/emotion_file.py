"""The lexicon of feelings as it is in force: memd's own with the workspace's emotions.toml on top, followed live."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from memd.engine.recall.emotions import Feelings
from memd.errors import BadSettingsError, Fault, StorageError
from memd.formats.lexicons import load_emotions
from memd.formats.settings import TOML_BYTES
from memd.storage.layout import EMOTIONS
from memd.store.keep.template import shipped_lexicon

if TYPE_CHECKING:
    from memd.storage.files import Identity, Tree

UNREAD = "file.unreadable"


@dataclass(slots=True)
class EmotionFile:
    """`feelings` are in force; `faults` say why the file as it is now is not."""

    feelings: Feelings | None = None
    identity: Identity | None = None
    faults: tuple[Fault, ...] = ()

    def look(self, tree: Tree) -> Feelings:
        """Return the lexicon, read again where the file changed; a faulty one leaves the last good lexicon."""
        try:
            identity = tree.identify(EMOTIONS)
            unread = any(fault.code == UNREAD for fault in self.faults)
            if self.feelings is not None and identity == self.identity and not unread:
                return self.feelings
            self.identity = identity
            own = tree.read(EMOTIONS, TOML_BYTES * 2)[0] if identity else b""
            self.feelings, self.faults = _with(own) if own else shipped_feelings(), ()
        except BadSettingsError as error:
            self.faults = error.faults
        except (StorageError, FileNotFoundError) as error:
            self.faults = (Fault(EMOTIONS, 1, 1, str(error).removeprefix(f"{EMOTIONS}: "), UNREAD),)
        if self.feelings is None:
            self.feelings = shipped_feelings()
        return self.feelings


@cache
def shipped_feelings() -> Feelings:
    """Return memd's own lexicon with nothing on top, read once in a process: that takes as long as the rest of a `remember`."""
    return _with(b"")


def _with(own: bytes) -> Feelings:
    return Feelings(load_emotions(shipped_lexicon(EMOTIONS), own, EMOTIONS))
