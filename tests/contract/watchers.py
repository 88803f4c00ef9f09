"""A watcher that hears what a test tells it: the twin of those that hear of the system's events."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from memd.model.files import is_entered, purpose_of, role_of
from memd.store.following.hearing import Hints


@dataclass
class ToldWatcher:
    """Whoever changes a file tells it so, by the name below the workspace."""

    take: Callable[[Hints], None]
    fault: str = ""
    watched: set[str] = field(default_factory=set)
    listens: bool = False
    probe: str = ""

    def start(self) -> bool:
        self.listens = True
        return True

    def stop(self) -> None:
        self.listens = False
        self.watched.clear()

    @property
    def folders(self) -> int:
        return len(self.watched)

    def add(self, folder: str) -> None:
        if self.listens:
            self.watched.add(folder)

    def watching(self, folder: str) -> int:
        return int(self.listens and folder in self.watched)

    def pending(self) -> Hints:
        return Hints()

    def watch_probe(self, name: str) -> None:
        self.probe = name

    def changed(self, name: str) -> None:
        """A file was made, written to, moved or removed."""
        above, _, leaf = name.rpartition("/")
        if name == self.probe:
            self._tell(Hints(alive=True))
        elif (above or ".") in self.watched and (purpose_of(name) or (role_of(name) and is_entered([leaf]))):
            self._tell(Hints(names={name}))

    def folder_changed(self, folder: str) -> None:
        """A directory came, went, or was moved."""
        if folder == ".":
            self._tell(Hints(gone=True))
        above, _, leaf = folder.rpartition("/")
        if folder in self.watched or ((above or ".") in self.watched and is_entered([leaf])):
            self.watched -= {one for one in self.watched if one == folder or one.startswith(f"{folder}/")}
            self._tell(Hints(folders={folder}))

    def _tell(self, hints: Hints) -> None:
        if self.listens:
            self.take(hints)
