"""What check does when it is asked for more: --index proves index and files against each other, --secrets looks for keys in any
text file and tells them by kind and place, --fix mends what is certain as an editor would. Only the last writes.
"""

from __future__ import annotations

import codecs
import re
import uuid
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from memd.engine.keep.scan.secrets import find_secrets
from memd.errors import BadIndexError, Fault, RejectedFileError, StorageError
from memd.formats.documents import digest_of, documents_of, is_searched, limit_of
from memd.formats.role_reader import load, mend
from memd.model.files import Purpose, Told, purpose_of, role_of, untold
from memd.storage.files import UNFINISHED_SUFFIX, Tree, identity_of
from memd.storage.index import Reader, open_reader
from memd.storage.listing import walk
from memd.storage.replace import replace_if

if TYPE_CHECKING:
    from memd.formats.derived import Manifest

OLD_S = 60.0  # a temporary younger than this may be somebody's who is writing


def fix(tree: Tree, faults: Iterable[Fault], now_s: float, limit_bytes: int) -> list[str]:
    """Mend what these faults tell and can be mended without a choice; return a sentence for each thing done."""
    done: list[str] = []
    told = list(faults)
    for name in sorted(
        {fault.name for fault in told if fault.code in ("memory.dead_key", "memory.duplicate_id", "memory.unbacked")}
    ):
        if purpose_of(name) is Purpose.MEMORY:
            done += [f"{name}: {change}" for change in _mend(tree, name, limit_bytes)]
    for fault in told:
        if (
            fault.code == "file.leftover"
            and fault.name.endswith(UNFINISHED_SUFFIX)
            and _is_old(tree, fault.name, now_s)
        ):
            tree.remove(fault.name)
            done.append(f"{fault.name}: removed; it was never put in place")
    return done


def _mend(tree: Tree, name: str, limit_bytes: int) -> tuple[str, ...]:
    data = tree.read(name, limit_bytes)[0]
    try:
        parsed = load(data, name, role_of(name))
    except RejectedFileError:
        return ()
    mended = mend(parsed, _new_ids())
    if mended.changes:
        replace_if(tree, name, mended.document.dump(), data)
    return mended.changes


def _new_ids() -> Iterator[str]:
    while True:
        yield str(uuid.uuid4())


def _is_old(tree: Tree, name: str, now_s: float) -> bool:
    with tree.directory(name) as (at, leaf):
        state = identity_of(tree.system.stat(leaf, at=at))
    return now_s - state.modified_ns / 1e9 > OLD_S


CODE = "secret.found"
BINARY_BYTES = 8192  # a NUL in so many first bytes: not a text
BLOCK_CHARS = 20_000
_MARKS = (  # the longer mark first: one begins as the other
    (codecs.BOM_UTF32_LE, "utf-32"), (codecs.BOM_UTF32_BE, "utf-32"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"),
)  # fmt: skip
_ESCAPE = re.compile(r'\\(?:u([0-9a-fA-F]{4})|([nrtbf"/\\]))')
_PARAGRAPH = re.compile(r"\n[ \t]*\n")
_BEGINS_WITH_COLON = re.compile(r"[ \t\r]*:")


def secrets_in(name: str, data: bytes) -> list[Fault]:
    """Return a finding for each secret in a file's bytes, at its line and column; none where it is no text."""
    text = _text_of(data)
    of_lines = name.endswith((".json", ".jsonl"))
    found: list[Fault] = []
    line = begin = last = 0  # how many lines end before `last`, and where the line that it is in begins
    for start, stop in _records(text) if of_lines else _paragraphs(text):
        block = text[start:stop].replace("\n", " ") if of_lines else text[start:stop]
        plain, places = _unescaped(block) if of_lines and "\\" in block else (block, [])
        for one in find_secrets(plain):
            at = start + (_place(places, one.start) if places else one.start)
            line += text.count("\n", last, at)
            begin = max(begin, text.rfind("\n", last, at) + 1)
            last = at
            why = f"{one.why}: take it out, and change it where it is used"
            found.append(Fault(name, line + 1, at - begin + 1, why, CODE))
    return found


def _text_of(data: bytes) -> str:
    """Return a file's text as its byte order mark says, else as UTF-8; "" where it is no text."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return data.decode(encoding, "replace")
    return "" if b"\0" in data[:BINARY_BYTES] else data.decode("utf-8-sig", "replace")


def _records(text: str) -> Iterator[tuple[int, int]]:
    """Yield each line, one record of a log; a key and its value on lines of their own belong together."""
    start = at = 0
    open_key = False
    while at < len(text):
        end = text.find("\n", at)
        end = len(text) if end < 0 else end
        said = text[at:end].rstrip()
        open_key = said.endswith(":") if said else open_key
        at = end + 1
        goes_on = open_key or _BEGINS_WITH_COLON.match(text, at)
        if not goes_on or end - start > BLOCK_CHARS:
            yield start, end
            start, open_key = at, False
    if start < len(text):
        yield start, len(text)


def _paragraphs(text: str) -> Iterator[tuple[int, int]]:
    """Yield what belongs together: up to a blank line, or to the end of a line where it is long."""
    start = 0
    while start < len(text):
        end = _PARAGRAPH.search(text, start, start + BLOCK_CHARS)
        line = text.find("\n", start + BLOCK_CHARS) if end is None else 0
        stop = end.end() if end else line + 1 if line >= 0 else len(text)
        yield start, stop
        start = stop


def _unescaped(block: str) -> tuple[str, list[tuple[int, int]]]:
    """Return JSON text as a person reads it, and where its pieces stood: places in it beside places in the block.

    Without this a key behind `\\n` would seem to begin with an n, and 密码 in its escaped form would say nothing.
    """
    pieces: list[str] = []
    places: list[tuple[int, int]] = [(0, 0)]
    length = last = 0
    for match in _ESCAPE.finditer(block):
        char = chr(int(match[1], 16)) if match[1] else match[2] if match[2] in '"/\\' else " "
        piece = block[last : match.start()] + (" " if char in "\n\r" else char)
        pieces.append(piece)
        length, last = length + len(piece), match.end()
        places.append((length, last))
    pieces.append(block[last:])
    return "".join(pieces), places


def _place(places: list[tuple[int, int]], at: int) -> int:
    here, there = places[bisect_right(places, (at, len(places) * 1_000_000)) - 1]
    return there + at - here


TOLD = 1000  # differences are told one by one up to here


def check_index(tree: Tree, cache_dir: str, role_bytes: int, told: Told = untold) -> tuple[list[Fault], int]:
    """Return where index and files differ, and how many documents were compared; `told` hears of files."""
    try:
        cache = Tree(cache_dir)
        try:
            manifest, reader = open_reader(cache)
        finally:
            cache.close()
    except (BadIndexError, StorageError, OSError) as error:
        return [Fault(".", 1, 1, str(error), "index.unusable")], 0
    try:
        wanted = _documents(tree, role_bytes, manifest, told)
        faults = list(_differences(wanted, reader))
    finally:
        reader.close()
    return faults[:TOLD], len(wanted)


def _documents(tree: Tree, role_bytes: int, manifest: Manifest, told: Told) -> dict[str, tuple[str, int, bytes]]:
    """Return name, line and digest of every document by its key, as the files are now.

    Of a file that cannot be read, what the index has stands.
    """
    found: dict[str, tuple[str, int, bytes]] = {}
    names = [name for name in walk(tree).files if is_searched(name)]
    for number, name in enumerate(names):
        told(number, len(names), "comparing")
        try:
            data = tree.read(name, role_bytes if purpose_of(name) is Purpose.MEMORY else limit_of(name))[0]
            documents = documents_of(name, data).documents
        except (RejectedFileError, StorageError, FileNotFoundError):
            held = manifest.files.get(name)
            found.update({key: (name, 1, digest) for key, digest in (held.documents if held else {}).items()})
            continue
        found.update({one.key: (name, one.line, digest_of(one)) for one in documents})
    return found


def _differences(wanted: dict[str, tuple[str, int, bytes]], reader: Reader) -> Iterator[Fault]:
    left = dict(wanted)
    for found in reader.read(sorted(reader.everything)):
        document = found.document
        name, line, digest = left.pop(document.key, ("", 1, b""))
        if not name:
            twice = document.key in wanted
            why = f"the index has {document.key} {'twice' if twice else 'and no file has it'}"
            yield Fault(document.name, document.line, 1, why, "index.extra")
        elif digest != found.digest or digest_of(document) != found.digest:
            yield Fault(name, line, 1, f"the index has another state of {document.key}", "index.differs")
    for key, (name, line, _) in left.items():
        yield Fault(name, line, 1, f"the index does not have {key}", "index.missing")
