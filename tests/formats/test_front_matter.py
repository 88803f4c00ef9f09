"""Headers of Markdown: read within bounds, every value a text, every fault with its line."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memd.formats.front_matter import split


@pytest.mark.parametrize(
    ("text", "header", "body", "line"),
    [
        pytest.param(
            "---\ntitle: 你好\nzip: 01234\n---\nbody\n", {"title": "你好", "zip": "01234"}, "body\n", 5, id="texts"
        ),
        pytest.param("\ufeff---\r\na: 1\r\n---\r\nx\r\n", {"a": "1"}, "x\r\n", 4, id="a mark and CR LF"),
        pytest.param("---\ntags: [a, b]\n---\n", {"tags": ["a", "b"]}, "", 4, id="a list"),
        pytest.param("---\n---\nx", {}, "x", 3, id="an empty header"),
        pytest.param("# no header\n", {}, "# no header\n", 1, id="no header"),
        pytest.param("---\non: yes\n---\n", {"on": "yes"}, "", 4, id="on and yes are words"),
    ],
)
def test_header(text: str, header: dict[str, object], body: str, line: int) -> None:
    page = split(text, "n.md")
    assert (page.header, page.body, page.line) == (header, body, line)


@pytest.mark.parametrize(
    ("text", "code", "line"),
    [
        pytest.param("---\na: &x 1\nb: *x\n---\nbody", "yaml.alias", 2, id="an anchor"),
        pytest.param("---\na: !!python/object/apply:os.system [id]\n---\nbody", "yaml.tag", 2, id="a tag"),
        pytest.param("---\n" + "[" * 9000 + "\n---\nbody", "yaml.too_deep", 2, id="a deep list"),
        pytest.param("---\na:\n" + "- x\n" * 1200 + "---\nbody", "yaml.too_many", 1000, id="many values"),
        pytest.param("---\na: " + "x" * 17_000 + "\n---\nbody", "yaml.too_large", 2, id="a large header"),
        pytest.param("---\nok: 1\na: b: c\n---\nbody", "yaml.syntax", 3, id="no YAML"),
        pytest.param("---\n- a\n- b\n---\nbody", "yaml.not_a_mapping", 2, id="a list for a header"),
        pytest.param("---\n[a, b]: c\n---\nbody", "yaml.key", 2, id="a key that is no word"),
        pytest.param("---\na: 1\n\nno end", "yaml.unclosed", 1, id="no end"),
        pytest.param("---\na: 1\non: yes\n---\nbody", "yaml.truth", 3, id="a truth value for a key"),
        pytest.param("---\na: 1\na: 2\n---\nbody", "yaml.twice", 3, id="a key twice"),
    ],
)
def test_fault(text: str, code: str, line: int) -> None:
    page = split(text, "n.md")
    assert [(fault.code, fault.line) for fault in page.faults] == [(code, line)]
    assert page.body.endswith("body") or "no end" in page.body, "the text serves all the same"


def test_bombs_cost_nothing() -> None:
    begun = time.process_time()
    for source in ("{a: " * 50_000, "- " * 50_000, "? " * 50_000, "a: &a [*a, *a]\n" * 1000, "&a " * 60_000):
        assert split(f"---\n{source}\n---\nbody", "n.md").faults
    assert time.process_time() - begun < 5


@given(st.text(max_size=300))
def test_no_text_breaks_it(text: str) -> None:
    split(f"---\n{text}\n---\nbody", "n.md")
