"""Homes for tests of setup: a directory of a person's with agents in it, and all that is in one, to the byte."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.support import memd

AGENTS = ("claude", "codex", "gemini", "code", "opencode")
CLAUDE = (
    '{\n\t"model": "opus",\n\t"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "notify-send 完成"}]}]}\n}'
)
CODEX = 'model = "x"  # 我的\r\n\r\n[projects."/a b"]\r\ntrust_level = "trusted"'
GEMINI = '{"mcpServers":{"other":{"command":"x"}},"theme":"dark"}\n'


@dataclass(frozen=True)
class Home:
    """A person's directory, and where their programs are."""

    path: Path
    programs: Path

    @property
    def memory(self) -> Path:
        return self.path / "memory"

    def put(self, name: str, text: str = "", mode: int = 0o644) -> Path:
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
        path.chmod(mode)
        return path

    def install(self, *agents: str) -> None:
        """Put programs of agents on PATH, which do nothing."""
        for one in agents:
            (self.programs / one).write_text("#!/bin/sh\n")
            (self.programs / one).chmod(0o755)

    def setup(self, *words: str, check: bool = True, **env: str) -> subprocess.CompletedProcess[str]:
        return memd("setup", *words, cwd=self.path.parent, env=env, check=check)

    def all(self) -> dict[str, Any]:
        """Everything there is: kind and mode, and bytes or where it leads."""
        found: dict[str, Any] = {}
        for folder, folders, names in os.walk(self.path):
            for name in [*folders, *names]:
                path = Path(folder, name)
                content: Any = os.readlink(path) if path.is_symlink() else None if path.is_dir() else path.read_bytes()
                found[str(path.relative_to(self.path))] = (path.lstat().st_mode, content)
        return found
