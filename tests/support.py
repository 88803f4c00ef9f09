"""What tests stand on: a folder with memories, a daemon process, and looking until something is so."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

import pytest
from hypothesis import settings

from memd.client import Client
from memd.config import place_of
from memd.errors import DaemonMissingError
from memd.service.granting import change
from memd.storage.files import Tree
from memd.store.trust import Trust
from tests import forking

ROOT = Path(__file__).parent.parent
PATIENCE_S = 60.0  # at least, for whatever is waited for


@dataclass(frozen=True)
class Folder:
    """A workspace on disk."""

    path: Path

    @classmethod
    def make(cls, path: Path, *, demo: bool = True) -> Folder:
        shutil.copytree(ROOT / "workspace-template", path)
        if demo:
            shutil.copytree(ROOT / "workspace-demo", path, dirs_exist_ok=True)
        return cls(path)

    def file(self, role: str) -> Path:
        return self.path / "roles" / role / "memory.json"

    def load(self, role: str) -> dict[str, Any]:
        loaded: dict[str, Any] = json.loads(self.file(role).read_text("utf-8"))
        return loaded

    def records(self, role: str) -> list[dict[str, Any]]:
        """Every record of a role's file, all kinds."""
        if not self.file(role).exists():
            return []
        loaded = self.load(role)
        return [one for array in ("episodic", "semantic", "traits", "goals") for one in loaded.get(array, [])]

    def contents(self, role: str) -> list[str]:
        return [one.get("content") or one["value"] for one in self.records(role)]

    def settings(self, **values: Any) -> None:
        """Set values in memd.toml by table__key."""
        path = self.path / "memd.toml"
        text = path.read_text("utf-8")
        for name, value in values.items():
            table, key = name.split("__")
            lines, current = text.split("\n"), ""
            for number, line in enumerate(lines):
                if line.startswith("["):
                    current = line[1 : line.index("]")]
                if current == table and line.startswith(f"{key} ="):
                    lines[number] = f"{key} = {json.dumps(value)}"
            text = "\n".join(lines)
        path.write_text(text, "utf-8")

    def trust(self, *names: str) -> None:
        """Grant on this machine what the workspace asks for, by name; all of it where none is named."""
        tree = Tree(str(self.path))
        try:
            change(tree, Trust(place_of(str(self.path)).state), names or ("all",), ())
        finally:
            tree.close()

    def write(self, role: str, *contents: str, **fields: Any) -> None:
        """Make a role with these facts."""
        self.file(role).parent.mkdir(parents=True, exist_ok=True)
        records = [{"id": f"id-{n:05d}", "content": text, **fields} for n, text in enumerate(contents)]
        document = {"characterUuid": role, "episodic": [], "semantic": records, "traits": [], "goals": []}
        self.file(role).write_text(json.dumps(document, ensure_ascii=False, indent=2) + "\n", "utf-8")


@dataclass
class Daemon:
    """A daemon process."""

    folder: Folder
    socket: Path
    alone: bool = False  # with an interpreter of its own: for what measures a process
    tree: Path = ROOT  # of whose sources it is, where it is alone
    process: subprocess.Popen[bytes] | forking.Process | None = None
    log: list[str] = field(default_factory=list)
    _stderr: BinaryIO | None = None

    def start(self) -> None:
        self._stderr = tempfile.TemporaryFile()  # noqa: SIM115  closed at the end of the process
        words = ("up", "-w", str(self.folder.path), "--socket", str(self.socket))
        if self.alone:
            self.process = subprocess.Popen([sys.executable, "-m", "memd", *words], stderr=self._stderr, cwd=self.tree)
        else:
            self.process = forking.start(*words, stderr=self._stderr)
        until(self.answers, 20, "the daemon answers")

    def answers(self) -> bool:
        """Tell whether it does already; raise AssertionError where it has ended."""
        assert self.process is not None
        if self.process.poll() is not None:
            status = self._end()
            raise AssertionError(f"the daemon ended with {status}: {' '.join(self.log)}")
        try:
            with self.client() as client:
                return bool(client.call("ping")["pong"])
        except DaemonMissingError:
            return False

    def client(self, deadline_s: float = 30) -> Client:
        return Client(str(self.socket), deadline_s=deadline_s)

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        with self.client() as client:
            return client.call(method, **params)

    def kill(self) -> None:
        """kill -9, and wait until it is gone."""
        assert self.process is not None
        self.process.send_signal(signal.SIGKILL)
        self._end()

    def stop(self) -> int:
        """SIGTERM, and return the exit status."""
        if self.process is None:
            return 0
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        return self._end()

    def _end(self) -> int:
        assert self.process is not None
        assert self._stderr is not None
        status = self.process.wait(timeout=30)
        with self._stderr as told:
            told.seek(0)
            self.log += told.read().decode("utf-8", "replace").splitlines()
        self.process = None
        return status


@contextmanager
def own_places(path: Path) -> Iterator[None]:
    """Let nothing of the machine's user be read or written meanwhile: for what lives longer than one test."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR"):
            patch.setenv(name, str(path / name))
            (path / name).mkdir(mode=0o700, exist_ok=True)
        yield


def until(condition: Callable[[], Any], seconds: float, what: str) -> None:
    """Look until a condition holds, or fail saying what did not; the more seldom, the longer it takes: a look may be a question."""
    began = time.monotonic()
    while (waited := time.monotonic() - began) < max(seconds, PATIENCE_S):
        if condition():
            return
        time.sleep(min(0.2, 0.01 + waited / 10))
    raise AssertionError(f"not within {seconds} s: {what}")


def examples(number: int) -> int:
    """Return how many examples a property is tried with, or how long one is: so many, or the profile's share where it tries fewer than usual."""
    return min(number, max(5, number * settings().max_examples // 100))


def stride(usual: int, fewer: int) -> int:
    """Return each how manieth step of many is tried: the usual, or `fewer` of them where the profile tries less than usual."""
    return usual if settings().max_examples >= 50 else fewer


def tried(steps: Sequence[tuple[str, int]]) -> list[tuple[str, int]]:
    """Return the steps (kind, number from 1) that a crash is tried at: all, or of each kind the first and each fifth from there."""
    each = stride(1, 5)
    return [(kind, number) for kind, number in steps if number % each == 1 % each]


def stays(condition: Callable[[], Any], seconds: float, what: str) -> None:
    """Look for so long, and fail when a condition ceases to hold."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        assert condition(), f"not any more: {what}"
        time.sleep(0.01)


def memd(
    *arguments: str,
    cwd: Path | None = None,
    check: bool = True,
    env: dict[str, str] | None = None,
    given: str = "",
    called: str = "memd",
) -> subprocess.CompletedProcess[str]:
    """Run the command line as a person would."""
    environment = {**os.environ, **(env or {})}
    ran = forking.run(*arguments, cwd=cwd or ROOT, env=environment, given=given.encode(), called=called)
    result = subprocess.CompletedProcess(ran.args, ran.returncode, ran.stdout.decode(), ran.stderr.decode())
    if check and result.returncode:
        raise AssertionError(f"memd {' '.join(arguments)} ended with {result.returncode}: {result.stderr}")
    return result
