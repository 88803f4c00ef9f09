"""The client's typed methods, as modules of memd.client, made from the declarations. A parameter that is UNSET is not sent."""

from __future__ import annotations

import keyword
import re
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path
from textwrap import wrap

from msgspec import UNSET, inspect

from memd.protocol.fields import Request
from memd.verbs.declared import Verb
from tools import declarations as told

ROOT = Path(__file__).parent.parent
METHODS = "memd/client/methods"
NOTE = "Made from the declarations by `make docs`: change those, not this."
PLAIN = "plain"  # the module of methods whose names are one word
# Which families stand in one module. What is named nowhere has its own.
FAMILIES = {
    "memories": ("memory", "traits", "goals", "review", "upkeep", "git"),
    "keeping": ("capture", "config", "consolidate", "guard", "hook", "role"),
    "sessions": ("context", "curated", "session", "snapshot"),
    "work": ("learning", "run", "skill", "task"),
}
READING = ("rpc.discover",)  # what answers without being declared
LISTED = 12  # more parameters than these are told one after another, so that a method fits on a screen


def modules() -> dict[str, str]:
    """Return the text of every module that is made, by its name below the repository."""
    families: dict[str, dict[str, list[Verb]]] = defaultdict(lambda: defaultdict(list))
    for method in told.methods():
        family = told.family_of(method.name)
        families[_module(family)][family].append(method)
    made = {f"{METHODS}/{module}.py": _methods(found) for module, found in families.items()}
    made[f"{METHODS}/__init__.py"] = _roots([name for found in families.values() for name in found if name])
    return _formatted(made)


def typed(kind: inspect.Type, mapping: str = "Mapping") -> str:
    """Return the type of a parameter as Python writes it."""
    if isinstance(kind, inspect.Metadata):
        return typed(kind.type)
    if isinstance(kind, inspect.UnionType):
        return _or(*(typed(one) for one in kind.types))
    if isinstance(kind, inspect.ListType):
        return f"list[{typed(kind.item_type, 'dict')}]"
    if isinstance(kind, inspect.DictType):
        return f"{mapping}[str, {typed(kind.value_type, 'dict')}]"
    if isinstance(kind, (inspect.StructType, inspect.DataclassType)):
        return kind.cls.__name__
    if listed := told.choices(kind):
        return f"Literal[{', '.join(map(repr, listed))}]"
    return NAMES[type(kind)]


NAMES: dict[type[inspect.Type], str] = {
    inspect.StrType: "str", inspect.IntType: "int", inspect.FloatType: "float", inspect.BoolType: "bool",
    inspect.NoneType: "None", inspect.AnyType: "Any",
}  # fmt: skip


def _methods(families: dict[str, list[Verb]]) -> str:
    """Return a module: a class for each family."""
    classes = []
    for name, methods in families.items():
        words = f"The methods `{name}.*`." if name else "Methods whose names are one word."
        lines = [f"class {_class_of(name)}(Asks[K]):", f'    """{words}"""', ""]
        names = {_python(method.name) for method in methods}
        classes.append("\n".join([*lines, *(line for one in methods for line in _method(one, names))]))
    return "\n\n\n".join([_imports("\n".join(classes), families), *classes]) + "\n"


def _imports(body: str, families: dict[str, list[Verb]]) -> str:
    methods = [method for found in families.values() for method in found]
    spoken = {cls for method in methods for one in told.parameters(method) for cls in told.within(one.kind)}
    spoken |= {method.reply for method in methods}
    typing = ["TYPE_CHECKING", *(one for one in ("Any", "Literal") if re.search(rf"\b{one}\b", body))]
    lines = [f'"""{NOTE}"""', "", "# mypy: disable-error-code=empty-body", "", "from __future__ import annotations", ""]
    lines += ["import builtins"] if "builtins." in body else []
    lines += ["from collections.abc import Mapping"] if "Mapping[" in body else []
    lines += [f"from typing import {', '.join(typing)}", ""]
    lines += ["from msgspec import UNSET, UnsetType", ""] if "UNSET" in body else []
    lines += ["from memd.client.asking import Asks, K, method", "", "if TYPE_CHECKING:"]
    lines += sorted(f"    from {cls.__module__} import {cls.__name__}" for cls in spoken)
    return "\n".join(lines)


def _method(method: Verb, names: set[str]) -> list[str]:
    """Return a method as it is declared; `names` are those of its class."""
    plain = not told.family_of(method.name)
    parameters = [_parameter(one, plain=plain) for one in [*told.parameters(method), *_common()]]
    line = f"    def {_python(method.name)}({', '.join(['self', '*', *parameters])}) -> {method.reply.__name__}:"
    hidden = names & {"list", "dict"}  # a method of the name of a type hides it from the annotations
    return [f'    @method("{method.name}")', _unhidden(line, hidden), *_words(method), ""]


def _words(method: Verb) -> list[str]:
    """Return a docstring: what the method does, and the words of each parameter that has some."""
    told_of = [f"{one.name}: {one.words}" for one in told.parameters(method) if one.words]
    if not told_of:
        return [f'        """{method.summary}"""']
    if len(told_of) > LISTED:
        told_of = wrap(f"{'. '.join(told_of)}.", 110, break_long_words=False, break_on_hyphens=False)
    return [f'        """{method.summary}', "", *(f"        {line}" for line in told_of), '        """']


def _parameter(one: told.Field, *, plain: bool) -> str:
    """Return a parameter as it is declared. Of a `plain` method, which imports nothing, null says as little as what is not there."""
    name = f"{one.name}_" if keyword.iskeyword(one.name) else one.name
    kind = typed(one.kind)
    if one.required:
        return f"{name}: {kind}"
    if one.default is UNSET and plain:
        return f"{name}: {_or(kind, 'None')} = None"
    if one.default is UNSET:
        return f"{name}: {_or(kind, 'UnsetType')} = UNSET"
    return f"{name}: {kind} = {one.default!r}"


def _common() -> list[told.Field]:
    return told.all_fields(Request)


def _roots(families: list[str]) -> str:
    names = sorted([method.name for method in told.methods() if not method.writes] + list(READING))
    lines = [f'"""Every method of the protocol, by its name. {NOTE}"""', "", "from __future__ import annotations", ""]
    lines += ["from typing import TYPE_CHECKING", "", "from memd.client.asking import K, family"]
    lines += [f"from {_dotted(METHODS)}.{PLAIN} import PlainMethods", "", "if TYPE_CHECKING:"]
    lines += [f"    from {_dotted(METHODS)}.{_module(one)} import {_class_of(one)}" for one in families]
    lines += ["", "# What writes nothing may be asked twice.", f"REPEATABLE = frozenset({names!r})", "", ""]
    lines += ["class Methods(PlainMethods[K]):", '    """The methods of a client."""', ""]
    lines += [
        f'    {_python(one)}: {_class_of(one)}[K] = family("{_module(one)}.{_class_of(one)}")'
        for one in sorted(families)
    ]
    return "\n".join(lines) + "\n"


def _formatted(texts: dict[str, str]) -> dict[str, str]:
    """Return modules as the formatter has them, with imports in order."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in texts.items():
            path = Path(folder) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")
        for words in (("check", "--select", "I,F401", "--fix"), ("format",)):
            ran = [
                sys.executable,
                "-m",
                "ruff",
                *words,
                "--quiet",
                "--no-cache",
                "--config",
                str(ROOT / "pyproject.toml"),
            ]
            ran += ["--config", "lint.isort.known-first-party = ['memd']"]
            subprocess.run([*ran, folder], check=True)  # noqa: S603  our own words
        return {name: (Path(folder) / name).read_text("utf-8") for name in texts}


def _or(*kinds: str) -> str:
    parts = list(dict.fromkeys(part for kind in kinds for part in kind.split(" | ") if part))
    return " | ".join([*(one for one in parts if one != "None"), *(["None"] if "None" in parts else [])])


def _unhidden(line: str, names: set[str]) -> str:
    for name in names:
        line = line.replace(f" {name}[", f" builtins.{name}[").replace(f"[{name}[", f"[builtins.{name}[")
    return line


def _python(name: str) -> str:
    word = name.rpartition(".")[2]
    return f"{word}_" if keyword.iskeyword(word) else word


def _module(family: str) -> str:
    return next((module for module, names in FAMILIES.items() if family in names), family or PLAIN)


def _class_of(family: str) -> str:
    return "".join(word.capitalize() for word in (family or PLAIN).split(".")) + "Methods"


def _dotted(path: str) -> str:
    return path.replace("/", ".")
