"""A home for each test, with a PATH on which no agent is that the test does not install."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.setup.homes import AGENTS, Home
from tests.support import memd


@pytest.fixture
def home(monkeypatch: pytest.MonkeyPatch) -> Iterator[Home]:
    """An empty home; nothing keeps its settings, caches and state elsewhere."""
    above = Path(tempfile.mkdtemp(prefix="memd-h"))
    above.chmod(0o755)  # another user may look into it
    made = Home(above / "home", above / "bin")
    made.path.mkdir(mode=0o700)
    made.programs.mkdir()
    monkeypatch.setenv("HOME", str(made.path))
    for name in ("XDG_CACHE_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME"):
        monkeypatch.delenv(name, raising=False)
    folders = [one for one in os.environ["PATH"].split(":") if not any(Path(one, name).exists() for name in AGENTS)]
    monkeypatch.setenv("PATH", ":".join([str(made.programs), *folders]))
    yield made
    for one in above.rglob("memd.toml"):
        memd("down", "-w", str(one.parent), check=False)
    shutil.rmtree(above)
