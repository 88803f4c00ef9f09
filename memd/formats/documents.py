"""The bytes of any searchable file to the documents in it, with what is wrong and where.

A file that cannot be read as a whole raises RejectedFileError; a part that cannot is a fault, and the rest serves.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator
from datetime import date
from typing import Any, NamedTuple

from memd.errors import BadSettingsError, Fault, RejectedFileError
from memd.formats import front_matter
from memd.formats.receipt_file import load_receipt
from memd.formats.records import read_event
from memd.formats.role_reader import load as load_role
from memd.formats.settings import load_table
from memd.formats.strict_json import StrictError, loads
from memd.formats.texts import decoded, oddities
from memd.formats.times import to_seconds
from memd.model.files import Purpose, purpose_of, role_of
from memd.model.search import Document, file_key, of_memory

PAGE_BYTES = 4 * 1024 * 1024
SESSION_BYTES = 64 * 1024 * 1024
LISTED = 100  # keys and tags of one header

_HEADING = re.compile(r"\ufeff?#{1,6}[ \t]+(\S.*)")
_FENCE = ("```", "~~~")
_CODE = re.compile(r"`[^`\n]*`")
_TAG = re.compile(r"(?:^|(?<=[\s(（，。、；：！？]))#([\w/-]*[^\W\d_][\w/-]*)")  # with a letter in it: #12 is a number
_DAY = re.compile(r"(?<!\d)(\d{4})-?(\d\d)-?(\d\d)(?!\d)")
_SAID = ("tool", "content", "text", "message", "value", "summary", "arguments", "result", "output", "input")


class Documents(NamedTuple):
    """What a file holds for search, and what is wrong with it."""

    documents: tuple[Document, ...]
    faults: tuple[Fault, ...] = ()


def limit_of(name: str) -> int:
    """Return how many bytes of a file are read at most."""
    return SESSION_BYTES if purpose_of(name) is Purpose.SESSION else PAGE_BYTES


def is_searched(name: str) -> bool:
    """Tell whether a file has documents."""
    return purpose_of(name) in _READERS


def documents_of(name: str, data: bytes) -> Documents:
    """Return the documents of a file, or raise RejectedFileError."""
    purpose = purpose_of(name)
    if purpose is None or purpose not in _READERS:
        return Documents(())
    return _READERS[purpose](name, data)


def digest_of(document: Document) -> bytes:
    """Return 8 bytes that change with anything of a document that is indexed."""
    parts = (
        document.kind, document.title, document.text, "\1".join(document.keys), "\1".join(document.topics),
        "\1".join(document.tags), repr(document.when_s), str(document.line),
    )  # fmt: skip
    return hashlib.blake2b("\0".join(parts).encode("utf-8", "surrogatepass"), digest_size=8).digest()


def _heading_in(text: str) -> str:
    """Return the first heading of a Markdown text outside of code, or ""."""
    fenced = ""
    for line in text[:100_000].split("\n"):
        bare = line.strip()
        if fenced:
            fenced = "" if bare.startswith(fenced) else fenced
        elif bare.startswith(_FENCE):
            fenced = bare[:3]
        elif found := _HEADING.match(line):
            title = found[1].strip()
            closed = title.rstrip("#")
            return closed.rstrip() if closed != title and (not closed or closed[-1] in " \t") else title
    return ""


def _tags(header: dict[str, Any], body: str) -> tuple[str, ...]:
    """Return the tags of a header, and those that stand in a text as #word, outside of code; each once."""
    found = [tag.removeprefix("#") for tag in (*_listed(header.get("tags")), *_listed(header.get("tag")))]
    fenced = ""
    for line in body.split("\n") if "#" in body else ():
        bare = line.lstrip()
        if fenced:
            fenced = "" if bare.startswith(fenced) else fenced
        elif bare.startswith(_FENCE):
            fenced = bare[:3]
        elif "#" in line:
            found += (one.rstrip("/-") for one in _TAG.findall(_CODE.sub(" ", line)))
    return tuple(dict.fromkeys(found))[: 2 * LISTED]


def _memories(name: str, data: bytes) -> Documents:
    role = role_of(name)
    parsed = load_role(data, name, role)
    return Documents(tuple(of_memory(role, entry.memory, name) for entry in parsed.entries), parsed.faults)


def _page(name: str, data: bytes) -> Documents:
    text = decoded(name, data)
    page = front_matter.split(text, name)
    header = page.header
    heading = _heading_in(page.body)
    stem = name.rpartition("/")[2].removesuffix(".md")
    folder = name.rpartition("/")[0].rpartition("/")[2]
    title = _text(header.get("title")) or heading or (folder if stem == "SKILL" else stem)
    purpose = purpose_of(name) or Purpose.PAGE
    document = Document(
        key=file_key(name),
        kind=purpose.value,
        name=name,
        role=_text(header.get("role")) or role_of(name),
        id=folder if purpose is Purpose.SKILL else stem,
        title=title[:200],
        text=page.body,
        keys=(*_listed(header.get("keys")), *_listed(header.get("keywords")), *_listed(header.get("aliases"))),
        topics=_listed(header.get("description")),
        tags=_tags(header, page.body if purpose is Purpose.PAGE else ""),
        when_s=_when(header, stem),
        line=page.line,
    )
    return Documents((document,), (*page.faults, *oddities(name, text)))


def _run(name: str, data: bytes) -> Documents:
    """A receipt is searched like a page; what its header cannot mean, and that a person edited it, is told."""
    found = _page(name, data)
    receipt, faults = load_receipt(data.decode("utf-8"), name)
    told = [fault for fault in faults if fault.code.startswith("run.")]
    if receipt.run and receipt.edited:
        told.append(Fault(name, 1, 1, "this receipt was edited; it counts as it stands", "run.edited"))
    return Documents(found.documents, (*found.faults, *told))


def _session(name: str, data: bytes) -> Documents:
    return session_documents(name, data.removeprefix(b"\xef\xbb\xbf"), 1)


def session_documents(name: str, data: bytes, first: int) -> Documents:
    """Return a document for each line that says something, the first line counted so; a bad one costs no other."""
    found: list[Document] = []
    faults: list[Fault] = []
    session = name.rpartition("/")[2].removesuffix(".jsonl")
    lines = data.split(b"\n")
    for number, line in enumerate(lines, first):
        if not line.strip():
            continue
        value = read_event(line)[0]
        if value is None:
            torn = number == first + len(lines) - 1
            code, why = ("session.torn", "the last line is not finished") if torn else ("session.line", _why_not(line))
            faults.append(Fault(name, number, 1, why, code))
            continue
        if said := event_text(value):
            when_s = to_seconds(value.get("at", value.get("timestamp", value.get("time"))))
            speaker = _text(value.get("speaker") or value.get("role") or value.get("kind") or value.get("type"))
            key = file_key(name, number)
            found.append(Document(key, "session", name, "", session, speaker[:80], said, when_s=when_s, line=number))
    return Documents(tuple(found), tuple(faults))


def _task(name: str, data: bytes) -> Documents:
    try:
        text, table = load_table(data, name)
    except BadSettingsError as error:
        raise RejectedFileError(error.faults[0]) from None
    title = _text(table.get("title") or table.get("name"))
    stem = name.rpartition("/")[2].removesuffix(".toml")
    when_s = next((at for key in ("created_at", "created", "at") if (at := _moment(table.get(key)))), None)
    document = Document(
        file_key(name), "task", name, role=_text(table.get("role")), id=stem, title=title or stem,
        text="\n".join(_strings(table)), tags=_listed(table.get("tags")), when_s=when_s,
    )  # fmt: skip
    return Documents((document,), tuple(oddities(name, text)))


_READERS: dict[Purpose, Callable[[str, bytes], Documents]] = {
    Purpose.MEMORY: _memories,
    Purpose.CURATED: _page,
    Purpose.PAGE: _page,
    Purpose.RUN: _run,
    Purpose.SKILL: _page,
    Purpose.SESSION: _session,
    Purpose.TASK: _task,
}


def _why_not(line: bytes) -> str:
    try:
        loads(line)
    except StrictError as error:
        return error.why
    return "this is no JSON object"


def event_text(value: dict[str, Any]) -> str:
    """Return what an event of a session says, as one text."""
    pieces = [piece for key in _SAID if key in value for piece in _strings(value[key])]
    return "\n".join(piece for piece in pieces if piece.strip())


def _strings(value: Any) -> Iterator[str]:
    """Yield every text inside a value, in order."""
    stack = [value]
    while stack:
        one = stack.pop()
        if isinstance(one, str):
            yield one
        elif isinstance(one, dict):
            stack.extend(reversed(list(one.values())))
        elif isinstance(one, list):
            stack.extend(reversed(one))


def _text(value: Any) -> str:
    return value.strip() if isinstance(value, str) else ""


def _listed(value: Any) -> tuple[str, ...]:
    """Return a header's list, written as a list or as words between commas."""
    if isinstance(value, str):
        parts = re.split(r"[,，、]", value) if re.search(r"[,，、]", value) else [value]
        return tuple(part.strip() for part in parts[:LISTED] if part.strip())
    if isinstance(value, list):
        return tuple(one.strip() for one in value[:LISTED] if isinstance(one, str) and one.strip())
    return ()


def _moment(value: Any) -> float | None:
    return to_seconds(value.isoformat() if isinstance(value, date) else value)


def _when(header: dict[str, Any], stem: str) -> float | None:
    for key in ("date", "created", "created_at", "updated", "time", "at"):
        at = to_seconds(_text(header.get(key)))
        if at is not None:
            return at
    day = _DAY.search(stem)
    return to_seconds(f"{day[1]}-{day[2]}-{day[3]}") if day else None
