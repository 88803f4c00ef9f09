"""What is made from the declarations: docs/methods.md, tables of errors and settings, the template's memd.toml, the client's typed methods,
commands' options, MCP's tools.

python -m tools.protocol_docs            write what is stale
python -m tools.protocol_docs --check    name what is stale, and end with 1
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from msgspec import UNSET, inspect

from memd.cli.main import status_of
from memd.doors.rpc import number_of
from memd.errors import by_code
from memd.protocol.fields import Reply, Request
from memd.verbs.declared import OF_A_ROLE, OF_EVERY, OF_WRITING, Errors, Verb
from tools import client_methods, command_parameters, mcp_tools, settings_docs
from tools import declarations as told

ROOT = Path(__file__).parent.parent
METHODS, PROTOCOL = "docs/methods.md", "docs/protocol.md"
BEGIN, END = "<!-- made from the declarations by `make docs`: {0} -->", "<!-- end of what is made: {0} -->"

HEAD = """# Methods

<!-- The whole page is made from the declarations by `make docs`: change those, not this. -->

What every method takes and answers, as it is declared in `memd/verbs/` and checked when a request comes. Frames, versions,
errors, and the rules that no table tells, are in [protocol.md](protocol.md). `rpc.discover` answers the same as an OpenRPC document.

A parameter with * must be given. A key with ? is there only where it has something to say. Objects have tables of their own,
below the first method that speaks of them.
"""
FIRST = "The daemon, and what comes to mind"  # the heading of methods whose names are one word


def made() -> dict[str, str]:
    """Return every page that is made, by its name below the repository."""
    pages = {METHODS: Page().text(), settings_docs.TEMPLATE: settings_docs.template()}
    for page, name, lines in (
        (PROTOCOL, "errors", errors()),
        ("docs/workspace.md", "settings", settings_docs.table()),
        ("docs/agents.md", "hooks", settings_docs.table("hooks")),
    ):
        pages[page] = with_region((ROOT / page).read_text("utf-8"), name, "\n".join(lines))
    return (
        pages
        | {mcp_tools.FILE: mcp_tools.text()}
        | client_methods.modules()
        | {command_parameters.TABLE: command_parameters.table()}
    )


def stale() -> dict[str, str | None]:
    """Return what is made and does not stand so; a module that nobody makes any more with None."""
    found = made()
    there = {str(path.relative_to(ROOT)) for path in (ROOT / client_methods.METHODS).rglob("*.py")}
    return {name: text for name, text in found.items() if _read(name) != text} | dict.fromkeys(there - set(found))


def with_region(page: str, name: str, text: str) -> str:
    """Return a page with this text between the marks of a region; what stands around it stays."""
    begin, end = BEGIN.format(name), END.format(name)
    before, _, rest = page.partition(begin)
    inside, mark, after = rest.partition(end)
    if not mark or begin in inside:
        raise ValueError(f"the page has no region {name!r}")
    return f"{before}{begin}\n\n{text}\n\n{end}{after}"


def errors() -> Iterator[str]:
    """Yield the table of every code that an error may have."""
    yield from ("| code | number | exit status | when |", "|---|---|---|---|")
    for code, kind in sorted(by_code().items()):
        yield f"| `{code}` | {number_of(code)} | {status_of(code)} | {_cell(kind.__doc__ or '')} |"


class Page:
    """docs/methods.md. An object has a heading where more than one place speaks of it, or a field holds it."""

    def __init__(self) -> None:
        self.methods = told.methods()
        replies = Counter(method.reply for method in self.methods)
        self.objects = list(dict.fromkeys(cls for method in self.methods for cls in _spoken_of(method)))
        self.objects += [cls for cls, count in replies.items() if count > 1 and cls not in self.objects]
        names = Counter(_name(cls) for cls in self.objects)
        self.headings = {
            cls: _name(cls) if names[_name(cls)] == 1 else f"{_name(cls)} of {cls.__module__.rpartition('.')[2]}"
            for cls in self.objects
        }
        self.shown: set[type] = set()

    def text(self) -> str:
        """Return the page."""
        lines = [HEAD, *self._index(), *self._common()]
        family = None
        for method in self.methods:
            if told.family_of(method.name) != family:
                family = told.family_of(method.name)
                lines += [f"## {family}.*" if family else f"## {FIRST}", ""]
            lines += [*self._method(method), *self._objects(method)]
        return "\n".join(lines).rstrip() + "\n"

    def _index(self) -> Iterator[str]:
        yield from ("| method | does | writes |", "|---|---|---|")
        for method in self.methods:
            link = f"[`{method.name}`](#{_anchor(method.name)})"
            yield f"| {link} | {_cell(method.summary)} | {'yes' if method.writes else ''} |"
        yield ""

    def _common(self) -> Iterator[str]:
        yield from ("## Every method", "", "Every method takes also", "", *self._parameters(told.all_fields(Request)))
        yield from ("and every reply may have", "", *self._keys(told.all_fields(Reply)))
        yield from (
            f"Every method may be answered with {_codes(OF_EVERY)} instead (and what else of `storage.*` there is); one",
            "",
        )
        yield from (f"that takes a `role` with {_codes(OF_A_ROLE)}; one that writes with {_codes(OF_WRITING)}.", "")

    def _method(self, method: Verb) -> Iterator[str]:
        yield from (f"### {method.name}", "", f"{method.summary}{' It writes.' if method.writes else ''}", "")
        first = next(one.name for one in self.methods if one.request is method.request)
        if not (asked := told.parameters(method)):
            yield from ("No parameters.", "")
        elif first != method.name:
            yield from (f"The parameters are those of [{first}](#{_anchor(first)}).", "")
        else:
            yield from self._parameters(asked)
        if method.reply in self.headings:
            yield from (f"The reply: {self._link(method.reply)}.", "")
        else:
            yield from self._shape(method.reply, "The reply: ")
        if method.errors:
            yield from (f"Errors of its own: {_codes(method.errors)}.", "")

    def _objects(self, method: Verb) -> Iterator[str]:
        """Yield the objects that this method is the first to speak of."""
        shared = [method.reply] if method.reply in self.headings else []
        for cls in [*shared, *_spoken_of(method)]:
            if cls not in self.shown:
                self.shown.add(cls)
                yield from (f"#### {self.headings[cls]}", "", *self._shape(cls, ""))

    def _shape(self, cls: type, before: str) -> Iterator[str]:
        shape = told.shape_of(cls)
        bases = [self._link(base) for base in shape.bases if base not in told.COMMON]
        words = shape.words[:1].lower() + shape.words[1:] if before else shape.words
        if bases:
            words = f"{words} It has all of {' and '.join(bases)}{', and' if shape.own else ''}".rstrip()
        yield from (f"{before}{words}{':' if bases and shape.own else ''}", "")
        yield from self._keys(list(shape.own)) if shape.own else ()

    def _parameters(self, fields: list[told.Field]) -> Iterator[str]:
        yield from ("| parameter | what | default | |", "|---|---|---|---|")
        for one in fields:
            default = "" if one.required or one.default in (UNSET, None) else f"`{_dumped(one.default)}`"
            star = "*" if one.required else ""
            yield f"| `{one.name}`{star} | {_cell(self._said(one.kind))} | {default} | {_cell(one.words)} |"
        yield ""

    def _keys(self, fields: list[told.Field]) -> Iterator[str]:
        yield from ("| key | what | |", "|---|---|---|")
        for one in fields:
            mark = "" if one.required else "?"
            yield f"| `{one.name}`{mark} | {_cell(self._said(one.kind))} | {_cell(one.words)} |"
        yield ""

    def _link(self, cls: type) -> str:
        return f"[{self.headings[cls]}](#{_anchor(self.headings[cls])})"

    def _said(self, kind: inspect.Type) -> str:
        """Return a type with its bounds, for people."""
        if isinstance(kind, inspect.Metadata):
            return _one_of(told.choices(kind)) or self._said(kind.type)
        if isinstance(kind, inspect.UnionType):
            some = [self._said(one) for one in kind.types if not isinstance(one, inspect.NoneType)]
            return " or ".join(some) + ("; or null" if len(some) < len(kind.types) else "")
        if isinstance(kind, inspect.ListType):
            many = f" of {_sized(kind)}" if _sized(kind) else ""
            return f"list{many}: {self._said(kind.item_type)}"
        if isinstance(kind, inspect.DictType):
            anything = isinstance(kind.value_type, inspect.AnyType)
            return "object" if anything else f"object, by name: {self._said(kind.value_type)}"
        if isinstance(kind, (inspect.StructType, inspect.DataclassType)):
            return self._link(kind.cls)
        if isinstance(kind, (inspect.IntType, inspect.FloatType)):
            return f"{'whole number' if isinstance(kind, inspect.IntType) else 'number'}{_ranged(kind)}"
        if listed := told.choices(kind):
            return _one_of(listed)
        if isinstance(kind, inspect.StrType):
            size = f", {_sized(kind)} characters" if _sized(kind) else ""
            return f"text{size}{f' like `{kind.pattern}`' if kind.pattern else ''}"
        return WORDS[type(kind)]


WORDS: dict[type[inspect.Type], str] = {
    inspect.BoolType: "true or false",
    inspect.NoneType: "null",
    inspect.AnyType: "anything",
}


def _spoken_of(method: Verb) -> list[type]:
    """Return the objects inside a method's parameters and reply, and what they have in common with others."""
    found: dict[type, None] = {}

    def look(cls: type, *, nested: bool) -> None:
        if cls in found:
            return
        if nested:
            found[cls] = None
        shape = told.shape_of(cls)
        for base in shape.bases:
            if base not in told.COMMON:
                look(base, nested=True)
        for one in shape.own:
            for inner in told.within(one.kind):
                look(inner, nested=True)

    for one in told.parameters(method):
        for cls in told.within(one.kind):
            look(cls, nested=True)
    look(method.reply, nested=False)
    return list(found)


def _one_of(listed: list[str]) -> str:
    return " or ".join(", ".join(f"`{one}`" if one else "empty" for one in listed).rsplit(", ", 1))


def _codes(errors: Errors) -> str:
    return ", ".join(f"`{one.code}`" for one in errors)


def _name(cls: type) -> str:
    return cls.__name__.lstrip("_")


def _anchor(heading: str) -> str:
    return "".join(one for one in heading.lower().replace(" ", "-") if one.isalnum() or one in "-_")


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _dumped(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _sized(kind: inspect.StrType | inspect.ListType) -> str:
    least, most = kind.min_length, kind.max_length
    if least and most:
        return f"{least} to {most:,}"
    return f"at most {most:,}" if most else f"at least {least}" if least else ""


def _ranged(kind: inspect.IntType | inspect.FloatType) -> str:
    if kind.ge is not None and kind.le is not None:
        return f", {kind.ge:,} to {kind.le:,}"
    return f", {kind.ge} or more" if kind.ge is not None else f", at most {kind.le:,}" if kind.le is not None else ""


def _read(name: str) -> str:
    path = ROOT / name
    return path.read_text("utf-8") if path.is_file() else ""


def main(words: list[str]) -> int:
    """Write what is stale, or with --check only name it."""
    found = stale()
    for name, text in found.items():
        sys.stdout.write(f"{'stale' if '--check' in words else 'wrote'}: {name}\n")
        if "--check" not in words and text is None:
            (ROOT / name).unlink()
        elif "--check" not in words and text is not None:
            (ROOT / name).parent.mkdir(parents=True, exist_ok=True)
            (ROOT / name).write_text(text, "utf-8")
    return 1 if found and "--check" in words else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
