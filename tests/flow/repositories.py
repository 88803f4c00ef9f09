"""Workspaces in git, for tests: clones of one bare repository, with memd set up in them or not."""

from __future__ import annotations

import json
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests import forking
from tests.support import Folder, memd

WHO = {
    "GIT_AUTHOR_NAME": "t",
    "GIT_AUTHOR_EMAIL": "t@example.org",
    "GIT_COMMITTER_NAME": "t",
    "GIT_COMMITTER_EMAIL": "t@example.org",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_EDITOR": ":",
}


@dataclass(frozen=True)
class Repository(Folder):
    """A workspace that is a git repository."""

    def git(self, *arguments: str, check: bool = True, env: dict[str, str] | None = None) -> str:
        ran = subprocess.run(
            ["git", "-c", "init.defaultBranch=main", *arguments],
            cwd=self.path,
            env={**os.environ, **WHO, **(env or {})},
            capture_output=True,
            text=True,
            check=False,
        )
        if check and ran.returncode:
            raise AssertionError(f"git {' '.join(arguments)}: {ran.stdout}{ran.stderr}")
        return ran.stdout

    def status(self, *arguments: str) -> int:
        """Run git and return its exit status."""
        ran = subprocess.run(
            ["git", *arguments], cwd=self.path, env={**os.environ, **WHO}, capture_output=True, check=False
        )
        return ran.returncode

    def commit(self, message: str = "x") -> str:
        self.git("add", "-A")
        self.git("commit", "-q", "-m", message, "--allow-empty")
        return self.git("rev-parse", "HEAD").strip()

    def put(self, role: str, *records: dict[str, Any], kind: str = "semantic", **more: Any) -> None:
        """Write a role's file with these records."""
        document = {"characterUuid": role, "episodic": [], "semantic": [], "traits": [], "goals": [], **more}
        document[kind] = list(records)
        self.file(role).parent.mkdir(parents=True, exist_ok=True)
        self.file(role).write_text(json.dumps(document, ensure_ascii=False, indent=2) + "\n", "utf-8")

    def sync(self, *arguments: str, check: bool = True) -> dict[str, Any]:
        ran = memd("sync", "-w", str(self.path), "--json", *arguments, check=check, env=WHO)
        found: dict[str, Any] = (
            json.loads(ran.stdout) if ran.stdout else {"error": ran.stderr, "status": ran.returncode}
        )
        return found


def begun(path: Path, *, install: bool = True) -> Repository:
    """Return a repository with a workspace in its first commit. What git starts in it is a memd that starts at once."""
    Folder.make(path, demo=False)
    repository = Repository(path)
    repository.git("init", "-q")
    if install:
        memd("git", "install", "-w", str(path), called=str(forking.program()))
    repository.commit("begin")
    return repository


def clones(path: Path, count: int = 2) -> list[Repository]:
    """Return clones of one bare repository that has a workspace; only the first is set up by `memd git install`."""
    first = begun(path / "first")
    bare = path / "bare.git"
    first.git("clone", "-q", "--bare", ".", str(bare))
    first.git("remote", "add", "origin", str(bare))
    first.git("fetch", "-q", "origin")
    first.git("branch", "-q", "--set-upstream-to=origin/main")
    others = []
    for number in range(1, count):
        first.git("clone", "-q", str(bare), str(path / f"clone{number}"))
        others.append(Repository(path / f"clone{number}"))
    return [first, *others]
