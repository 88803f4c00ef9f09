"""memory.json as a list of pieces: what is not changed keeps its bytes, what is changed is spliced in.

A document is literal bytes around the four arrays, and each array is a list of elements whose bytes are known. Loading
and dumping without a change gives the same bytes by construction; a change costs one element and a join.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import lru_cache
from itertools import accumulate
from typing import Any, NamedTuple

from memd.formats.json_style import Style, dump_value, patch_object, style_of
from memd.model.memory import VALIDITY_WORDS, Kind, Validity

ARRAYS = {
    "episodic": Kind.EPISODIC,
    "semantic": Kind.SEMANTIC,
    "traits": Kind.TRAIT,
    "goals": Kind.GOAL,
}
KEYS = {kind: key for key, kind in ARRAYS.items()}


class Element(NamedTuple):
    """One record's bytes with the blanks around it; `id` is "" where it cannot be addressed."""

    raw: bytes
    start: int
    stop: int
    id: str

    @property
    def body(self) -> bytes:
        """The bytes of the record itself."""
        return self.raw[self.start : self.stop]

    def value(self) -> dict[str, Any]:
        """The record as a raw object."""
        result: dict[str, Any] = json.loads(self.body)
        return result


class Array(NamedTuple):
    """The records of one kind; `inner` is what an empty array has between its brackets."""

    kind: Kind
    elements: tuple[Element, ...]
    inner: bytes


@dataclass(frozen=True, slots=True)
class Document:
    """The whole file. `literals` stand before, between and after the arrays."""

    literals: tuple[bytes, ...]
    arrays: tuple[Array, ...]
    style: Style

    def dump(self) -> bytes:
        """Return the bytes of the file."""
        pieces: list[bytes] = []
        for literal, array in zip(self.literals, self.arrays, strict=False):
            pieces.append(literal)
            pieces.append(b",".join([one.raw for one in array.elements]) if array.elements else array.inner)
        pieces.append(self.literals[-1])
        return b"".join(pieces)

    def elements(self) -> Iterator[tuple[Kind, Element]]:
        """Yield every record in file order."""
        for array in self.arrays:
            for element in array.elements:
                yield array.kind, element

    def has_records(self) -> bool:
        """Tell whether there is any record."""
        return any(array.elements for array in self.arrays)

    def find(self, ids: frozenset[tuple[Kind, str]]) -> dict[tuple[Kind, str], Element]:
        """Return the records with these kinds and ids."""
        found: dict[tuple[Kind, str], Element] = {}
        for kind in {kind for kind, _ in ids}:
            wanted = {one for of, one in ids if of is kind}
            for array in self.arrays:
                if array.kind is kind:
                    found.update({(kind, e.id): e for e in array.elements if e.id in wanted})
        return found

    def with_records(self, edits: Mapping[tuple[Kind, str], dict[str, Any] | None]) -> Document:
        """Return the document with these records put or, where None, removed."""
        document = self
        for kind in Kind:
            wanted = {one: value for (of, one), value in edits.items() if of is kind}
            if not wanted:
                continue
            if not any(array.kind is kind for array in document.arrays):
                if all(value is None for value in wanted.values()):
                    continue
                document = _with_array(document, kind)
            arrays = tuple(
                _edited(array, wanted, document.style) if array.kind is kind else array for array in document.arrays
            )
            document = replace(document, arrays=arrays)
        return document


def new_document(role_uuid: str) -> Document:
    """Return an empty document in memd's own form."""
    uuid = json.dumps(role_uuid, ensure_ascii=False)
    parts = [f'{{\n  "characterUuid": {uuid},\n  "episodic": [', '],\n  "semantic": [']
    parts += ['],\n  "traits": [', '],\n  "goals": [', "]\n}\n"]
    arrays = tuple(Array(kind, (), b"") for kind in ARRAYS.values())
    return Document(tuple(part.encode() for part in parts), arrays, Style())


def shell_of(document: Document) -> dict[str, Any]:
    """Return a file's members with its arrays empty: characterUuid, and what memd keeps and does not read."""
    return _shell_in(document.literals)


def _shell_in(literals: tuple[bytes, ...]) -> dict[str, Any]:
    shell: dict[str, Any] = json.loads(b"".join(literals).decode("utf-8").removeprefix("\ufeff") or "{}")
    return shell


def character_uuid(document: Document) -> str:
    """Return the characterUuid of a file, "" where it has none that is a text."""
    return _uuid_in(document.literals)


@lru_cache(maxsize=128)  # every address that is no directory's name asks it of each open role
def _uuid_in(literals: tuple[bytes, ...]) -> str:
    found = _shell_in(literals).get("characterUuid")
    return found if isinstance(found, str) else ""


def with_character_uuid(document: Document, uuid: str) -> Document:
    """Return an empty document with another characterUuid; the other members keep their bytes where it had one already."""
    old = json.dumps(character_uuid(document), ensure_ascii=False).encode()
    new = json.dumps(uuid, ensure_ascii=False).encode()
    pattern = re.compile(rb'("characterUuid"\s*:\s*)' + re.escape(old))
    places = [n for n, one in enumerate(document.literals) if pattern.search(one)]
    if len(places) != 1:
        return new_document(uuid)
    literals = list(document.literals)
    literals[places[0]] = pattern.sub(lambda found: found[1] + new, literals[places[0]], count=1)
    return replace(document, literals=tuple(literals))


def _edited(array: Array, edits: Mapping[str, dict[str, Any] | None], style: Style) -> Array:
    """Return the array with records patched, removed and inserted; blanks at both ends stay where they were."""
    old, rest = array.elements, dict(edits)
    first_lead, middle_lead, last_tail, middle_tail = _blanks(old, style)
    elements: list[Element] = []
    for position, element in enumerate(old):
        kept = element
        if element.id and element.id in rest:
            value = rest.pop(element.id)
            if value is None:
                continue
            kept = patched(element, value, style)
        # For now every record stands as one in the middle does.
        lead = middle_lead if position == 0 else None
        tail = middle_tail if position == len(old) - 1 else None
        elements.append(kept if lead is None and tail is None else _spaced(kept, lead=lead, tail=tail))
    inserts = sorted((one, value) for one, value in rest.items() if value is not None)
    highest = list(accumulate((element.id for element in elements), max))
    inline = bool(old) and b"\n" not in old[0].body
    for offset, (one, value) in enumerate(inserts):
        body = dump_value(value, style, middle_lead.decode().rpartition("\n")[2], inline=inline).encode()
        raw = middle_lead + body + middle_tail
        at = bisect_right(highest, one) + offset
        elements.insert(at, Element(raw, len(middle_lead), len(middle_lead) + len(body), one))
    if not elements:
        return Array(array.kind, (), b"")
    elements[0] = _spaced(elements[0], lead=first_lead)
    elements[-1] = _spaced(elements[-1], tail=last_tail)
    return Array(array.kind, tuple(elements), b"")


def _blanks(old: tuple[Element, ...], style: Style) -> tuple[bytes, bytes, bytes, bytes]:
    """Return the blanks before the first and other records, after the last and after others."""
    if old:
        first, last = old[0], old[-1]
        lead = first.raw[: first.start]
        middle = old[1].raw[: old[1].start] if len(old) > 1 else lead or style.comma[1:].encode()
        between = first.raw[first.stop :] if len(old) > 1 else b""
        return lead, middle, last.raw[last.stop :], between
    if style.unit is None:
        return b"", style.comma[1:].encode(), b"", b""
    lead = (style.newline + style.unit * 2).encode()
    return lead, lead, (style.newline + style.unit).encode(), b""


def _spaced(element: Element, *, lead: bytes | None = None, tail: bytes | None = None) -> Element:
    before = element.raw[: element.start] if lead is None else lead
    after = element.raw[element.stop :] if tail is None else tail
    body = element.body
    return Element(before + body + after, len(before), len(before) + len(body), element.id)


def patched(element: Element, value: dict[str, Any], style: Style) -> Element:
    """Return a record with another value; the members that are the same keep their bytes."""
    own = (
        style if b"\n" in element.body else replace(style, unit=None, colon=_colon(element.body), comma=_comma(element))
    )
    body = patch_object(element.body.decode(), value, own).encode()
    lead, tail = element.raw[: element.start], element.raw[element.stop :]
    return Element(lead + body + tail, len(lead), len(lead) + len(body), element.id)


def restyled(element: Element, style: Style) -> Element:
    """Return a record of another file as this style would have it, without the blanks around it."""
    body = dump_value(element.value(), style, (style.unit or "") * 2, inline=style.unit is None).encode()
    return Element(body, 0, len(body), element.id)


def arranged(document: Document, kind: Kind, elements: Sequence[Element]) -> Document:
    """Return the document with these records of a kind, in this order; each keeps its bytes, and its own blanks."""
    if not any(array.kind is kind for array in document.arrays):
        if not elements:
            return document
        document = _with_array(document, kind)
    return replace(
        document,
        arrays=tuple(
            _arranged(array, elements, document.style) if array.kind is kind else array for array in document.arrays
        ),
    )


def _arranged(array: Array, elements: Sequence[Element], style: Style) -> Array:
    old = array.elements
    if not elements:
        return Array(array.kind, (), b"" if old else array.inner)
    first_lead, middle_lead, last_tail, middle_tail = _blanks(old, style)
    middle = {id(one) for one in old[1:-1]}
    placed = [one if id(one) in middle else _spaced(one, lead=middle_lead, tail=middle_tail) for one in elements]
    placed[0] = _spaced(placed[0], lead=first_lead)
    placed[-1] = _spaced(placed[-1], tail=last_tail)
    return Array(array.kind, tuple(placed), b"")


def _colon(body: bytes) -> str:
    return style_of(body.decode()).colon


def _comma(element: Element) -> str:
    return style_of(element.body.decode()).comma


def _with_array(document: Document, kind: Kind) -> Document:
    """Return the document with an empty array of this kind as the last member of the object."""
    last, style = document.literals[-1], document.style
    brace = last.rindex(b"}")
    head = last[:brace].rstrip()
    comma = b"" if head.endswith(b"{") else b","
    lead = b"" if style.unit is None else (style.newline + style.unit).encode()
    if style.unit is None and comma:
        lead = style.comma[1:].encode()
    opening = head + comma + lead + f'"{KEYS[kind]}"{style.colon}['.encode()
    closing = b"]" + (style.newline.encode() if style.unit is not None and not comma else b"") + last[len(head) :]
    return replace(
        document,
        literals=(*document.literals[:-1], opening, closing),
        arrays=(*document.arrays, Array(kind, (), b"")),
    )


# PromptX's way of writing a memory: one line, tags behind, a score and a validity among them.
#
#     - 2026/11/21 14:30 用户喜欢简洁界面 #用户偏好 #id:1f0c2a9b #评分:8.5 #有效期:长期
#
# Source
#     docs/design/origins.md#promptx. `#id:` is memd's own, so that a line is written once only.

HEADER = "# 陈述性记忆\n\n## 高价值记忆（评分 ≥ 7）\n"
_WORDS = {Validity.SHORT: "短期", Validity.MEDIUM: "中期", Validity.LONG: "长期"}
_SCORE = re.compile(r"(?:^|(?<=\s))#(?:评分|score)[:：](\d{1,2}(?:\.\d)?)(?=\s|$)", re.IGNORECASE)
_VALIDITY = re.compile(
    r"(?:^|(?<=\s))#(?:有效期|validity)[:：](短期|中期|长期|short|medium|long)(?=\s|$)",
    re.IGNORECASE,
)
_TAG = re.compile(r"#[^\s#:：]+")
_BLANKS = re.compile(r"\s+")


class Inline(NamedTuple):
    """A text without its inline tags, and what they said; None and "" where they were absent."""

    content: str
    tags: tuple[str, ...]
    score: float | None
    validity: str


def read_inline(text: str) -> Inline:
    """Take tags off the end of a text, and the score and validity from wherever they stand.

    Only words with a letter are tags, and only behind the text: `fixed in #123` and `use C#` keep their ends.
    """
    scores, validities = _SCORE.findall(text), _VALIDITY.findall(text)
    score = float(scores[-1]) if scores and float(scores[-1]) <= 10 else None
    if scores or validities:
        text = _VALIDITY.sub(" ", _SCORE.sub(" ", text))
        text = "\n".join(_BLANKS.sub(" ", line).strip() for line in text.split("\n")).strip()
    words = text.split()
    count = next((n for n, word in enumerate(reversed(words)) if not _is_tag(word)), len(words) - 1)
    tags = [word[1:] for word in words[len(words) - count :]] if count > 0 else []
    stop = len(text)
    for tag in reversed(tags):
        while stop and text[stop - 1].isspace():
            stop -= 1
        stop -= len(tag) + 1
    text = text[: max(0, stop)]
    validity = VALIDITY_WORDS[validities[-1].lower()] if validities else ""
    return Inline(text.strip(), tuple(tags), score, validity)


def _is_tag(word: str) -> bool:
    return _TAG.fullmatch(word) is not None and any(map(str.isalpha, word))


def dump_line(
    content: str,
    *,
    tags: tuple[str, ...],
    memory_id: str,
    total: float,
    validity: str,
    now_s: float,
) -> str:
    """Return one line for declarative.md; the content is brought onto one line, its words unchanged.

    What was stored without a validity has no known end: it is written as 长期.
    """
    stamp = datetime.fromtimestamp(now_s, UTC).strftime("%Y/%m/%d %H:%M")
    words = [f"#{_BLANKS.sub('_', tag)}" for tag in tags] or ["#其他"]
    words += [
        line_key(memory_id),
        f"#评分:{total:g}",
        f"#有效期:{_WORDS[VALIDITY_WORDS.get(validity, Validity.LONG)]}",
    ]
    return f"- {stamp} {_BLANKS.sub(' ', content).strip()} {' '.join(words)}\n"


def line_key(memory_id: str) -> str:
    """Return the tag by which a line of declarative.md is known."""
    return f"#id:{memory_id}"
