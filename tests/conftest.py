"""Fixtures: a workspace on disk, a real daemon behind a real socket, and one that stands for all tests of a module."""

from __future__ import annotations

import contextlib
import importlib
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from tests import covering, forking
from tests.support import Daemon, Folder, own_places

# A noisy machine is not a slow function: what may take long is measured in tests/bench.
settings.register_profile(
    "memd", deadline=None, derandomize=True, max_examples=32
)  # what lands does not hang on chance
settings.register_profile("quick", deadline=None, derandomize=True, max_examples=16)  # in `make test`
settings.register_profile("explore", deadline=None)  # in `make torture`
settings.load_profile("memd")

HERE = Path(__file__).parent
CROSSED = ("agents", "browser")  # a program of others runs in each of these
PURE = ("engine", "errors", "formats", "model", "test_layers.py", "text")  # they write no files and need no places


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--record",
        action="store_true",
        help="write anew what is recorded: replies of tests/corpus, vectors of tests/conformance",
    )
    parser.addoption(covering.ALL_WAYS, action="store_true", help="run all combinations of agents, languages, keys")
    parser.addoption("--cases", default="", help="run a conformance test on this file instead of its own")


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Tell each of several workers of the one server that they start memd by."""
    node.workerinput["program"] = str(forking.program())


def pytest_configure(config: pytest.Config) -> None:
    os.environ["MEMD_EMBEDDINGS"] = (
        "none"  # also for what several tests share; where a test asks for it, the model runs
    )
    if program := getattr(config, "workerinput", {}).get("program"):
        forking.share(Path(program))


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session: pytest.Session) -> None:
    """Let each of several workers begin with other modules: what pytest makes of their asserts it keeps for all, and makes it once.

    What is wrong with a module is told where it is collected.
    """
    worker = getattr(session.config, "workerinput", None)
    if worker is None or [Path(one).name for one in session.config.args] != [HERE.name]:
        return
    ignored = [Path(one).resolve() for one in session.config.getoption("ignore") or ()]
    paths = sorted(one for one in HERE.rglob("test_*.py") if not any(one.is_relative_to(other) for other in ignored))
    begin = int(worker["workerid"].removeprefix("gw")) * len(paths) // worker["workercount"]
    for path in paths[begin:] + paths[:begin]:
        with contextlib.suppress(Exception, pytest.skip.Exception):
            importlib.import_module(".".join(path.relative_to(HERE.parent).with_suffix("").parts))


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    for name in CROSSED:
        covering.thin(config, items, HERE / name)


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    forking.settle()  # thousands of tests stay to the end: no collection looks at them, and no child that is forked copies them


@pytest.fixture
def workspace(request: pytest.FixtureRequest, tmp_path: Path) -> Folder:
    """A workspace from the template; for who is marked `demo` with an English and a Chinese role of 60 memories each."""
    return Folder.make(tmp_path / "memory", demo=request.node.get_closest_marker("demo") is not None)


@pytest.fixture
def short_dir() -> Iterator[Path]:
    """A directory with a path short enough for a socket."""
    path = Path(tempfile.mkdtemp(prefix="memd-t"))
    yield path
    shutil.rmtree(path, ignore_errors=True)


@pytest.fixture
def daemon(workspace: Folder, short_dir: Path) -> Iterator[Daemon]:
    """A running daemon of the workspace."""
    running = Daemon(workspace, short_dir / "s")
    running.start()
    yield running
    running.stop()


@pytest.fixture(scope="module")
def standing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    """A running daemon with the demo roles, the same one for all tests of a module: for who only asks, or is refused."""
    path = tmp_path_factory.mktemp("standing")
    with own_places(path):
        running = Daemon(Folder.make(path / "w"), path / "s")
        running.start()
        yield running
        running.stop()


@pytest.fixture(autouse=True)
def _own_places(request: pytest.FixtureRequest) -> Iterator[None]:
    """Nothing of the machine's user is read or written by a test."""
    if request.path.relative_to(HERE).parts[0] in PURE:
        yield
        return
    tmp_path: Path = request.getfixturevalue("tmp_path")
    monkeypatch: pytest.MonkeyPatch = request.getfixturevalue("monkeypatch")
    for name in ("MEMD_WORKSPACE", "MEMD_SOCKET"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}:{os.environ['PATH']}")  # as where memd is installed
    monkeypatch.setenv("MEMD_EMBEDDINGS", "none")  # the model that comes with memd runs where a test asks for it
    runtime = tempfile.mkdtemp(prefix="memd-r")
    monkeypatch.setenv("XDG_RUNTIME_DIR", runtime)
    os.makedirs(tmp_path / "home", exist_ok=True)
    yield
    shutil.rmtree(runtime, ignore_errors=True)
