"""The pages that are made from the declarations are those of the declarations as they are."""

from __future__ import annotations

import re
from typing import Annotated

import pytest
from msgspec import UNSET, Meta, Struct, UnsetType

from memd.doors.rpc import METHODS
from memd.protocol.fields import Reply, Request
from memd.verbs.declared import Service, Verb
from tests.support import ROOT
from tools import declarations, protocol_docs

PAGE = (ROOT / "docs/methods.md").read_text("utf-8")


def sections() -> dict[str, str]:
    """Return what stands under each heading of docs/methods.md."""
    parts = re.split(r"^#{2,4} (.+)$", PAGE, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def test_what_is_made_is_not_stale() -> None:
    assert list(protocol_docs.stale()) == [], "run `make docs`"


def test_every_method_stands_under_a_heading_with_every_parameter() -> None:
    told = sections()
    for method in METHODS.values():
        assert method.summary in told[method.name]
        shared = re.search(r"The parameters are those of \[([a-z.]+)\]", told[method.name])
        listed = told[shared[1]] if shared else told[method.name]
        for one in declarations.parameters(method):
            assert f"| `{one.name}`{'*' if one.required else ''} | " in listed, (method.name, one.name)


def test_every_key_of_every_reply_is_told() -> None:
    page, told = protocol_docs.Page(), sections()
    looked: set[type] = set()

    def look(cls: type, heading: str) -> None:
        if cls in looked or cls in declarations.COMMON:
            return
        looked.add(cls)
        shape = declarations.shape_of(cls)
        for one in shape.own:
            assert f"| `{one.name}`{'' if one.required else '?'} | " in told[heading], (heading, one.name)
        for inner in [*shape.bases, *(cls for one in shape.own for cls in declarations.within(one.kind))]:
            look(inner, page.headings.get(inner, ""))

    for method in METHODS.values():
        look(method.reply, page.headings.get(method.reply, method.name))
    assert len(looked) > 80


class Inner(Struct):
    """An inner thing."""

    size: Annotated[float, Meta(ge=0, le=1, description="a share | of it")]


class Ask(Request, kw_only=True):
    """What is asked."""

    order: Annotated[str, Meta(pattern="^(up|down)$", description="which way")] = "up"
    names: Annotated[list[Annotated[str, Meta(min_length=1, max_length=5)]], Meta(max_length=1000)]
    limit: Annotated[int, Meta(ge=1)] | None = None


class Told(Reply, kw_only=True):
    """What is told."""

    inner: dict[str, Inner]
    gone: Annotated[str, Meta(description="when it went")] | UnsetType | None = UNSET


async def _made(_: Service, __: Ask) -> Told:
    raise AssertionError


def test_a_new_method_is_told_with_its_types_bounds_defaults_and_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(METHODS, "new.one", Verb("new.one", Ask, Told, _made, "Do it.", writes=True))
    text = protocol_docs.Page().text()
    assert "| [`new.one`](#newone) | Do it. | yes |" in text
    assert text[text.index("### new.one") :].partition("\n## ")[0].split("\n") == [
        "### new.one", "", "Do it. It writes.", "",
        "| parameter | what | default | |", "|---|---|---|---|",
        "| `names`* | list of at most 1,000: text, 1 to 5 characters |  |  |",
        '| `order` | `up` or `down` | `"up"` | which way |',
        "| `limit` | whole number, 1 or more; or null |  |  |", "",
        "The reply: what is told.", "",
        "| key | what | |", "|---|---|---|",
        "| `inner` | object, by name: [Inner](#inner) |  |",
        "| `gone`? | text; or null | when it went |", "",
        "#### Inner", "", "An inner thing.", "",
        "| key | what | |", "|---|---|---|",
        "| `size` | number, 0 to 1 | a share \\| of it |", "",
    ]  # fmt: skip


def test_what_stands_around_a_region_stays() -> None:
    begin, end = protocol_docs.BEGIN.format("x"), protocol_docs.END.format("x")
    page = f"before\n{begin}\nold\n{end}\nafter\n"
    assert protocol_docs.with_region(page, "x", "new") == f"before\n{begin}\n\nnew\n\n{end}\nafter\n"
    for broken in ("before\nafter\n", f"{begin}\n", f"{begin}\n{begin}\n{end}\n"):
        with pytest.raises(ValueError, match="no region 'x'"):
            protocol_docs.with_region(broken, "x", "new")
