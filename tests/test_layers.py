"""The house plan, checked: who may import whom, and where each library may live."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent / "memd"

# Top to bottom. A room may import rooms on lines below its own, never beside or above.
PLAN = """
    __main__
    cli
    daemon
    config
    doors client adapters
    verbs
    service
    engine storage
    formats
    text
    model
    whereabouts
    errors places
"""
FLOOR = {room: number for number, line in enumerate(PLAN.split("\n")) for room in line.split()}

# Every third-party library has an address; one without fails. Some of the standard library has one too.
HOME: dict[str, tuple[str, ...]] = {
    "Stemmer": ("text.stems",),
    "ahocorasick_rs": ("engine.recall.keywords",),
    "anthropic": ("adapters.anthropic_memory",),
    "click": ("cli",),
    "ctypes": ("storage.system",),
    "fcntl": ("storage.system", "storage.lock", "adapters.pages"),
    "inotify_simple": ("doors.watcher",),
    "mcp": ("doors.mcp",),
    "numpy": ("engine.recall.vectors", "storage.onnx_model"),
    "onnxruntime": ("storage.onnx_model",),
    "tokenizers": ("storage.onnx_model",),
    "msgspec": (
        "formats",
        "verbs",
        "service.memory.scenes",  # a trigger's request is declared where a scene is made of it
        "doors.rpc",
    ),
    "platformdirs": ("config", "client", "doors.hooks"),
    "pickle": (),
    "pydantic": ("doors.mcp",),
    "re2": ("engine.recall.patterns",),
    "regex": ("engine.recall.patterns",),
    "subprocess": ("storage.history", "storage.child", "storage.programs"),
    "tomlkit": ("formats",),
    "tomllib": ("formats",),
    "uvicorn": ("doors.mcp",),
    "watchfiles": ("doors.portable_watcher",),
    "whoosh": ("storage.index",),
    "yaml": ("formats",),
}
STANDARD = frozenset(__import__("sys").stdlib_module_names)
PURE = ("engine", "formats", "model", "places", "text")
IMPURE = {"asyncio", "logging", "os", "pathlib", "random", "secrets", "socket", "tempfile", "threading", "time", "uuid"}
CLOCKS = {"now", "today", "utcnow"}
OPENER = "storage.system"  # the seam under storage.files: whoever opens a file asks for it by name below a directory

MODULES = sorted(path for path in ROOT.rglob("*.py") if path != ROOT / "__init__.py")


def name_of(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def imports_of(tree: ast.AST, path: Path) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{path}:{node.lineno}: relative import"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def import_faults(here: str, targets: Iterator[str]) -> Iterator[str]:
    room = here.split(".", maxsplit=1)[0]
    for target in targets:
        top, *rest = target.split(".")
        if top == "memd":
            if rest and rest[0] in FLOOR and rest[0] != room and FLOOR[rest[0]] <= FLOOR[room]:
                yield f"{here} imports upward or sideways: {target}"
        elif top in HOME:
            if not here.startswith(HOME[top]):
                yield f"{top} lives in {HOME[top]}, not in {here}"
        elif top not in STANDARD:
            yield f"{here} imports {top}, which has no address"
        if top in IMPURE and room in PURE:
            yield f"{here} is pure and may not import {top}"


def call_faults(here: str, tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        called = node.func
        opens = (isinstance(called, ast.Name) and called.id == "open") or (
            isinstance(called, ast.Attribute)
            and called.attr == "open"
            and isinstance(called.value, ast.Name)
            and called.value.id in ("os", "io")
        )
        if opens and here != OPENER:
            yield f"{here}:{node.lineno} opens a file"
        if here.split(".", maxsplit=1)[0] in PURE and isinstance(called, ast.Attribute) and called.attr in CLOCKS:
            yield f"{here}:{node.lineno} reads the clock"


def faults_of(path: Path) -> list[str]:
    tree = ast.parse(path.read_text("utf-8"))
    here = name_of(path)
    return [*import_faults(here, imports_of(tree, path)), *call_faults(here, tree)]


def test_every_room_is_on_the_plan() -> None:
    assert {name_of(path).split(".")[0] for path in MODULES} <= set(FLOOR)


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_imports_point_down(path: Path) -> None:
    assert faults_of(path) == []


@pytest.mark.parametrize(
    ("here", "source"),
    [
        pytest.param("engine.new", "import os", id="the disk in a pure room"),
        pytest.param("engine.new", "from memd.storage.files import Tree", id="the engine knows the storage"),
        pytest.param("storage.new", "from memd.engine.merge import diff", id="the storage knows the engine"),
        pytest.param("formats.new", "from memd.service.role import Role", id="an import upward"),
        pytest.param("service.new", "import click", id="a library away from its address"),
        pytest.param("service.new", "import requests", id="a library without an address"),
        pytest.param("service.new", "import pickle", id="pickle anywhere"),
        pytest.param("service.new", "open('x')", id="a file opened elsewhere"),
        pytest.param("engine.new", "from datetime import datetime\ndatetime.now()", id="a clock in a pure room"),
    ],
)
def test_the_plan_catches(here: str, source: str) -> None:
    tree = ast.parse(source)
    assert [*import_faults(here, imports_of(tree, ROOT / "x.py")), *call_faults(here, tree)]


# A ceiling is met by a simpler thing, not by slicing what belongs together.
MODULE_LINES = 400


def test_no_module_is_too_long_to_read_in_one_sitting() -> None:
    long = {name_of(path): lines for path in MODULES if (lines := path.read_text("utf-8").count("\n")) > MODULE_LINES}
    assert long == {}


def test_no_function_is_longer_than_a_screen() -> None:
    long = []
    for path in MODULES:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.end_lineno:
                lines = node.end_lineno - node.lineno + 1
                if lines > 45:
                    long.append(f"{name_of(path)}.{node.name}: {lines}")
    assert long == []
