"""The process that embeds at work: what is asked is answered in order, and texts are embedded beside it, with pauses."""

from __future__ import annotations

import os
import queue
import resource
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress

import numpy as np

from memd.errors import EmbeddingsError, StorageError
from memd.storage.embedding import background as backgrounds
from memd.storage.embedding.background import Background
from memd.storage.embedding.desk import Desk, today
from memd.storage.embedding.model import load_model
from memd.storage.embedding.table import load_table
from memd.storage.embedding.wire import (
    Ask,
    Asked,
    Begin,
    Calibrated,
    Embed,
    Embedded,
    Erase,
    Figures,
    Found,
    Heard,
    Lacking,
    Leave,
    Left,
    Look,
    Ready,
    Refused,
    Said,
    State,
    Tell,
    Texts,
    Took,
)
from memd.storage.files import Tree
from memd.storage.replace import replace
from memd.storage.system import System

VECTORS, BACKGROUND = "vectors.bin", "background.bin"
RESIDENT_KB = 72_000  # from which the model gives back what it can read again
LOOK_EVERY = 32  # answers
FILE_BYTES = 400_000_000
LEAST_PRIORITY = 19
SAVE_S = 30.0  # at most so often while there are texts to embed
QUIET_S = 2.0
AGAIN_S, LONGEST_AGAIN_S = 2.0, 60.0
SHARE = 0.25  # of one processor, for texts, once the first are embedded
AT_FIRST_S = 20.0  # of work without a pause


class Pace:
    """How much may be worked on texts: AT_FIRST_S at once, then a SHARE of the time."""

    def __init__(self, *, eager: bool) -> None:
        self._eager, self._left_s, self._since_s = eager, AT_FIRST_S, time.monotonic()

    def spend(self, worked_s: float) -> float:
        """Return how long to pause after so much work."""
        now_s = time.monotonic()
        self._left_s = min(AT_FIRST_S, self._left_s + (now_s - self._since_s) * SHARE) - worked_s
        self._since_s = now_s
        return 0.0 if self._eager or self._left_s > 0 else -self._left_s / SHARE


class Cache:
    """The directory of our own where vectors are kept; nothing is, where there is none or it is not ours."""

    def __init__(self, path: str) -> None:
        self._path = path

    def read(self, name: str) -> bytes:
        """Return a file, nothing where there is none that can be read."""
        with suppress(OSError, StorageError):
            if tree := self._opened():
                try:
                    return tree.read(name, FILE_BYTES)[0]
                finally:
                    tree.close()
        return b""

    def write(self, name: str, data: bytes) -> None:
        """Write a file; one that cannot be written costs time, no more."""
        with suppress(OSError, StorageError):
            if self._path:
                os.makedirs(self._path, mode=0o700, exist_ok=True)
            if tree := self._opened():
                try:
                    replace(tree, name, data)
                finally:
                    tree.close()

    def _opened(self) -> Tree | None:
        if not self._path:
            return None
        tree = Tree(self._path)
        found = tree.system.fstat(tree.root)
        if found.st_uid == os.geteuid() and not found.st_mode & 0o022:
            return tree
        tree.close()
        return None


class Work:
    """A loaded model, what is asked of it, and what waits to be embedded. EmbeddingsError where it cannot be loaded."""

    def __init__(self, begin: Begin, say: Callable[[Heard], None]) -> None:
        self._say, self._pace, self._cache = say, Pace(eager=begin.eager), Cache(begin.cache)
        self._asked: queue.SimpleQueue[Said | None] = queue.SimpleQueue()
        self._texts: queue.SimpleQueue[Texts] = queue.SimpleQueue()
        self._answered = 0
        self._saved_s = time.monotonic()
        self._saving = threading.Lock()
        model = load_model(begin)
        texts, made = backgrounds.shipped()
        self._lines, self._of = backgrounds.read_lines(texts), backgrounds.digest_of(texts)
        found = backgrounds.load_background(made, model.key, self._of)
        if found is None:
            found = backgrounds.load_background(self._cache.read(BACKGROUND), model.key, self._of)
        background = None if found is None else Background(self._lines, found)
        loaded = load_table(self._cache.read(VECTORS), model.key, today())
        self._desk = Desk(model, background, loaded[0] if loaded else None, backgrounds.turn_of_statements(model.key))
        if background is not None and loaded and loaded[1] != self._of:
            self._desk.calibrated(background)
        say(Ready(model.key, model.name, model.chinese, background is not None))

    def give(self, message: Said | None) -> None:
        """Take what was said; None at the end. Texts wait behind everything else."""
        if isinstance(message, Texts):
            self._texts.put(message)
        else:
            self._asked.put(message)

    def answer(self) -> None:
        """Answer until the end, then put the vectors on the disk."""
        while (message := self._asked.get()) is not None:
            self._answered += 1
            if self._answered % LOOK_EVERY == 0:
                self._release()
            n = getattr(message, "n", None)
            try:
                reply = self._reply(message)
            except EmbeddingsError as error:
                reply = None if n is None else Refused(n, str(error))
            except Exception as error:  # whatever a library raises is an answer that cannot be had
                reply = None if n is None else Refused(n, f"the model failed: {str(error)[:200]}")
            if reply is not None:
                self._say(reply)
        self._save()

    def embed(self) -> None:
        """Embed the background where it is wanted, then texts as they come, without end. In a thread of its own."""
        if sys.platform == "linux":
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), LEAST_PRIORITY)
        pause_s = AGAIN_S
        while self._desk.background is None:
            try:
                self._calibrate()
            except Exception as error:  # the same
                self._desk.waits_for = str(error)[:300]
                self._say(Left([], self._desk.waits_for))
                time.sleep(pause_s)
                pause_s = min(LONGEST_AGAIN_S, pause_s * 2)
        while True:
            try:
                message = self._texts.get(timeout=QUIET_S if self._desk.changed else None)
            except queue.Empty:
                self._save()
                continue
            self._take(message)
            self._release()
            if time.monotonic() - self._saved_s > SAVE_S:
                self._save()

    def _reply(self, message: Said) -> Heard | None:
        desk = self._desk
        if isinstance(message, Ask):
            return Asked(message.n, *desk.question(message.text))
        if isinstance(message, Look):
            return Found(message.n, desk.look(message))
        if isinstance(message, Embed):
            return Embedded(message.n, *desk.statements(message))
        if isinstance(message, Tell):
            lacking = desk.tell(message)
            self._texts.put(Texts([]))  # what was dropped is to go from the disk as well
            return Lacking(message.group, lacking)
        if isinstance(message, Erase):
            desk.erase()
            self._texts.put(Texts([]))
        if isinstance(message, Leave):
            desk.leave(message.group)
        if isinstance(message, Figures):
            return State(message.n, desk.rows, resident_kb())
        return None

    def _take(self, message: Texts) -> None:
        """Embed texts, and pause after each step for as long as is fair."""
        if not message.texts:
            return
        left = [one.digest for one in message.texts]
        try:
            began_s = time.monotonic()
            for done in self._desk.take(message.texts):
                left = [one for one in left if one not in done]
                time.sleep(self._pace.spend(time.monotonic() - began_s))
                began_s = time.monotonic()
        except Exception as error:  # the same
            self._say(Left(left, str(error)[:300]))
        gone = set(left)
        self._say(Took([one.digest for one in message.texts if one.digest not in gone]))

    def _release(self) -> None:
        if resident_kb() > RESIDENT_KB:
            self._desk.model.release()

    def _calibrate(self) -> None:
        steps = list(backgrounds.embedded(self._desk.model, self._lines))
        vectors = np.concatenate(steps)
        self._cache.write(BACKGROUND, backgrounds.dump_background(vectors, self._desk.model.key, self._of))
        self._desk.calibrated(Background(self._lines, vectors))
        self._say(Calibrated())

    def _save(self) -> None:
        """Put the vectors on the disk where they are others than there."""
        with self._saving:
            data = self._desk.dump(self._of)
            if data is not None:
                self._cache.write(VECTORS, data)
            self._saved_s = time.monotonic()


def resident_kb() -> int:
    """Return how much memory this process takes now; where the system does not say it, the most it took."""
    with suppress(OSError, ValueError, IndexError):
        system = System()
        handle = system.open("/proc/self/statm", os.O_RDONLY)
        try:
            return int(system.read(handle, 200).split()[1]) * resource.getpagesize() // 1024
        finally:
            system.close(handle)
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // (1024 if sys.platform == "darwin" else 1)
