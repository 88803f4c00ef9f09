"""The client's typed methods and the types they speak of, as modules of memd.client, made from the declarations.

A reply says None where a key is not there. A parameter that is UNSET is not sent.
"""

from __future__ import annotations

import ast
import keyword
import re
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from functools import cache
from inspect import getsource
from pathlib import Path
from textwrap import wrap

from msgspec import UNSET, inspect

from memd.verbs.declared import Request, Verb
from tools import declarations as told

ROOT = Path(__file__).parent.parent
METHODS, TYPES = "memd/client/methods", "memd/client/types"
NOTE = "Made from the declarations by `make docs`: change those, not this."
PLAIN = "plain"  # the module of methods whose names are one word
# Which families, and the types that which modules of verbs declare, stand in one module. What is named nowhere has its own.
FAMILIES = {
    "memories": ("memory", "traits", "goals", "review", "upkeep"),
    "keeping": ("capture", "consolidate", "guard", "hook"),
    "roles": ("config", "role"),
    "sessions": ("context", "curated", "session", "snapshot"),
    "work": ("learning", "run", "skill", "task"),
}
DECLARING = {
    "views": ("declared", "fields", "history", "judged", "memory_views", "searches", "session_views", "walks"),
    "memories": ("collections", "conflicts", "corrections", "guard", "links", "memories", "reviews"),
    "keeping": ("consolidation", "proposals", "remembering", "verdicts"),
    "recall": ("context", "curated", "profiles", "recall_views"),
    "sessions": ("capture", "hooks", "packs", "run_events", "session_search", "sessions"),
    "runs": ("runs", "tasks"),
    "skills": ("learning", "skills"),
    "status": ("outside", "settings", "status"),
    "statistics": ("happenings", "statistics", "tuning"),
    "roles": ("exchange", "roles", "upkeep"),
}
READING = ("rpc.discover",)  # what answers without being declared
LISTED = 12  # more parameters than these are told one after another, so that a method fits on a screen


def modules() -> dict[str, str]:
    """Return the text of every module that is made, by its name below the repository."""
    types = Types(told.methods())
    made = {f"{TYPES}/{name}.py": text for name, text in types.modules()}
    families: dict[str, dict[str, list[Verb]]] = defaultdict(lambda: defaultdict(list))
    for method in told.methods():
        family = told.family_of(method.name)
        families[_module(family)][family].append(method)
    made |= {f"{METHODS}/{module}.py": _methods(found, types) for module, found in families.items()}
    made[f"{METHODS}/__init__.py"] = _roots([name for found in families.values() for name in found if name])
    return _formatted(made)


class Types:
    """The objects that methods speak of: each in a module named as the one that declares it."""

    def __init__(self, methods: list[Verb]) -> None:
        self.given, self.answered = dict[type, None](), dict[type, None]()
        for method in methods:
            given, answered = dict[type, None](), dict[type, None]()
            for one in told.parameters(method):
                self._look(one.kind, given)
            self._add(method.reply, answered)
            self.given |= given
            self.answered |= answered
        self.all = sorted({**self.given, **self.answered}, key=lambda cls: (cls.__module__, _line(cls)))
        if twice := [name for name, count in Counter(cls.__name__ for cls in self.all).items() if count > 1]:
            raise ValueError(f"two types have one name: {', '.join(twice)}")

    def modules(self) -> Iterator[tuple[str, str]]:
        """Yield the name and text of each module."""
        found: dict[str, list[type]] = defaultdict(list)
        for cls in self.all:
            found[self.module(cls)].append(cls)
        for name, classes in found.items():
            yield name, "\n\n".join([self._head(name, classes), *(self._class(cls) for cls in _in_order(classes))])
        yield "__init__", self._index(found)

    def module(self, cls: type) -> str:
        """Return the module of a type."""
        return _placed(cls.__module__.rpartition(".")[2], DECLARING)

    def _look(self, kind: inspect.Type, into: dict[type, None]) -> None:
        for cls in told.within(kind):
            self._add(cls, into)

    def _add(self, cls: type, into: dict[type, None]) -> None:
        if cls in into:
            return
        shape = told.shape_of(cls)
        for base in shape.bases:
            self._add(base, into)
        into[cls] = None
        for one in shape.own:
            self._look(one.kind, into)

    def _head(self, name: str, classes: list[type]) -> str:
        others: dict[str, set[str]] = defaultdict(set)
        for cls in classes:
            shape = told.shape_of(cls)
            for one in [*shape.bases, *(inner for field in shape.own for inner in told.within(field.kind))]:
                if self.module(one) != name:
                    others[self.module(one)].add(one.__name__)
        imports = [
            f"from {_dotted(TYPES)}.{other} import {', '.join(sorted(names))}" for other, names in others.items()
        ]
        body = "\n".join(self._class(cls) for cls in classes)
        known = [one for one in ("Any", "Literal") if re.search(rf"\b{one}\b", body)]
        spec = ["Struct", *(one for one in ("UNSET", "UnsetType", "field") if re.search(rf"\b{one}\b", body))]
        return "\n".join(
            [f'"""{NOTE}"""', "", "from __future__ import annotations", "",
             *([f"from typing import {', '.join(known)}", ""] if known else []),
             f"from msgspec import {', '.join(sorted(spec, key=lambda one: (one.islower(), one != 'UNSET', one)))}",
             *([""] if imports else []), *sorted(imports), ""]
        )  # fmt: skip

    def _class(self, cls: type) -> str:
        shape = told.shape_of(cls)
        bases = ", ".join(one.__name__ for one in shape.bases) or "Struct"
        options = "kw_only=True" if shape.bases else "kw_only=True, omit_defaults=True"
        lines = [f"class {cls.__name__}({bases}, {options}):", f'    """{shape.words or cls.__name__}"""', ""]
        for one in shape.own:
            lines += [f"    {self._field(one, asked=cls not in self.answered)}"]
            lines += [f'    """{_sentence(one.words)}"""'] if one.words else []
        return "\n".join(lines) + "\n"

    def _field(self, one: told.Field, *, asked: bool) -> str:
        kind, default = typed(one.kind, asked=asked), ""
        if not one.required:
            if one.default is UNSET:
                default = "UNSET" if asked else "None"
                kind = _or(kind, "UnsetType" if asked else "None")
            else:
                default = repr(one.default)
        if one.attribute != one.name:
            inner = f"default={default}, " if default else ""
            return f'{one.attribute}: {kind} = field({inner}name="{one.name}")'
        return f"{one.attribute}: {kind}" + (f" = {default}" if default else "")

    def _index(self, modules: Iterable[str]) -> str:
        imports = [f"from {_dotted(TYPES)}.{module} import *" for module in sorted(modules)]
        return "\n".join([f'"""The types of parameters and replies. {NOTE}"""', "", *imports]) + "\n"


def typed(kind: inspect.Type, *, asked: bool, mapping: str = "dict") -> str:
    """Return a type as Python writes it. What is asked is exact; what is answered may become more one day."""
    if isinstance(kind, inspect.Metadata):
        return typed(kind.type, asked=asked, mapping=mapping)
    if isinstance(kind, inspect.UnionType):
        return _or(*(typed(one, asked=asked, mapping=mapping) for one in kind.types))
    if isinstance(kind, inspect.ListType):
        return f"list[{typed(kind.item_type, asked=asked)}]"
    if isinstance(kind, inspect.DictType):
        return f"{mapping}[str, {typed(kind.value_type, asked=asked)}]"
    if isinstance(kind, (inspect.StructType, inspect.DataclassType)):
        return kind.cls.__name__
    if asked and (listed := told.choices(kind)):
        return f"Literal[{', '.join(map(repr, listed))}]"
    return NAMES[type(kind)]


NAMES: dict[type[inspect.Type], str] = {
    inspect.StrType: "str", inspect.IntType: "int", inspect.FloatType: "float", inspect.BoolType: "bool",
    inspect.NoneType: "None", inspect.AnyType: "Any", inspect.LiteralType: "str", inspect.EnumType: "str",
}  # fmt: skip


def _methods(families: dict[str, list[Verb]], types: Types) -> str:
    """Return a module: a class for each family."""
    classes = []
    for name, methods in families.items():
        words = f"The methods `{name}.*`." if name else "Methods whose names are one word."
        lines = [f"class {_class_of(name)}(Asks[K]):", f'    """{words}"""', ""]
        names = {_python(method.name) for method in methods}
        classes.append("\n".join([*lines, *(line for one in methods for line in _method(one, names))]))
    return "\n\n\n".join([_imports("\n".join(classes), families, types), *classes]) + "\n"


def _imports(body: str, families: dict[str, list[Verb]], types: Types) -> str:
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
    lines += sorted(f"    from {_dotted(TYPES)}.{types.module(cls)} import {cls.__name__}" for cls in spoken)
    return "\n".join(lines)


def _method(method: Verb, names: set[str]) -> list[str]:
    """Return a method as it is declared; `names` are those of its class."""
    parameters = [_parameter(one) for one in [*told.parameters(method), *_common()]]
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


def _parameter(one: told.Field) -> str:
    name = f"{one.name}_" if keyword.iskeyword(one.name) else one.name
    kind = typed(one.kind, asked=True, mapping="Mapping")
    if one.required:
        return f"{name}: {kind}"
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


def _in_order(classes: list[type]) -> list[type]:
    """Return classes so that each stands behind those it is made of."""
    done: dict[type, None] = {}

    def put(cls: type) -> None:
        for base in told.shape_of(cls).bases:
            if base in classes:
                put(base)
        done[cls] = None

    for cls in classes:
        put(cls)
    return list(done)


def _line(cls: type) -> int:
    return _lines(cls.__module__)[cls.__name__]


@cache
def _lines(module: str) -> dict[str, int]:
    """Return where the classes of a module begin."""
    return {
        one.name: one.lineno for one in ast.parse(getsource(sys.modules[module])).body if isinstance(one, ast.ClassDef)
    }


def _or(*kinds: str) -> str:
    parts = list(dict.fromkeys(part for kind in kinds for part in kind.split(" | ") if part))
    return " | ".join([*(one for one in parts if one != "None"), *(["None"] if "None" in parts else [])])


def _unhidden(line: str, names: set[str]) -> str:
    for name in names:
        line = line.replace(f" {name}[", f" builtins.{name}[").replace(f"[{name}[", f"[builtins.{name}[")
    return line


def _sentence(words: str) -> str:
    return words[:1].upper() + words[1:] + ("" if words.endswith(".") else ".")


def _python(name: str) -> str:
    word = name.rpartition(".")[2]
    return f"{word}_" if keyword.iskeyword(word) else word


def _module(family: str) -> str:
    return _placed(family, FAMILIES) if family else PLAIN


def _placed(name: str, table: dict[str, tuple[str, ...]]) -> str:
    return next((module for module, names in table.items() if name in names), name)


def _class_of(family: str) -> str:
    return "".join(word.capitalize() for word in (family or PLAIN).split(".")) + "Methods"


def _dotted(path: str) -> str:
    return path.replace("/", ".")
