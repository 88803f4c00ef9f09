"""Take a text out of what was recorded while it was said: sessions, receipts of runs, tasks, what is learned from them.

A line keeps its key and its place, so that nothing else of a conversation changes; where the text stood, ERASED stands. A text that is too
short to be anybody's own is left where it is but in the turn that told it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import partial, reduce
from typing import TYPE_CHECKING, Any, NamedTuple

from memd.errors import StorageError
from memd.formats.records import dump_record, load_record
from memd.formats.spooled import TEXTS, dump_spooled, load_spooled
from memd.formats.strict_json import dumps
from memd.storage.layout import AUDIT, LEARNING, PRIVATE, RUNNING, RUNS, SCORES, SESSIONS, SNAPSHOTS, TASKS
from memd.store.writing.erasing import put_edited
from memd.text.analysis import tokens

if TYPE_CHECKING:
    from memd.storage.files import Tree

ERASED = "[erased]"
GONE = "\0"  # which no text has: what was erased before says nothing of what stands beside it
MOST, HALF = 0.75, 0.5  # of the words of a memory, that a sentence has which tells it; or the turn it came from
_SENTENCE = re.compile(r"(?<=[.!?。！？\n])")
_MARKS = " .!?。！？…"
LEAST_CHARS = 8  # of a text that is looked for everywhere; of one beyond ASCII, which says more in a character:
LEAST_WIDE_CHARS = 4
PUBLISHED = f"{LEARNING}/published"  # a person's own by then, like the skill


class Told(NamedTuple):
    """What an erased memory said, longest first; the session it was told in, and the turn: its place among all events."""

    texts: tuple[str, ...]
    session: str = ""
    turn: int = 0


class Erased(NamedTuple):
    """The files that changed, and lines of sessions as they are now, by their keys."""

    files: list[str]
    lines: dict[tuple[Any, ...], str]


def erase_from_texts(tree: Tree, told: Told) -> Erased:
    """Take a text out of every file that memd keeps of what was said and done. Blocks."""
    done = Erased([], {})
    forms = forms_of(told.texts)
    for name in _names(tree):
        own = bool(told.session) and name.endswith(f"/{told.session}.jsonl")
        try:
            data = tree.read(name)[0]
        except (FileNotFoundError, StorageError):
            continue
        if not own and not any(form.search(data) for form in forms):
            continue
        edit = partial(_lines_without, told=told, own=own, lines=done.lines) if name.endswith(".jsonl") else None
        edit = edit or partial(_without, forms=forms)
        if edit(data) != data:
            put_edited(tree, name, data, edit)
            done.files.append(name)
    return done


def without_text(operation: dict[str, Any], told: Told, lines: Mapping[tuple[Any, ...], str]) -> dict[str, Any]:
    """Return an operation of the log as it is without a text; a line of a session as the file has it now."""
    if operation.get("do") == "line":
        value = load_record(str(operation.get("text", "")).encode("utf-8", "surrogatepass"))
        if value is None:
            return operation
        new = lines.get(_key(value)) if str(operation.get("name", "")).startswith(f"{SESSIONS}/") else None
        return {**operation, "text": new or _line_without(value, told) or operation["text"]}
    edited: dict[str, Any] = _edited(operation, partial(_text_without, told=told))
    return edited


def _names(tree: Tree) -> list[str]:
    """Return the files that are looked through."""
    names = [name for folder in (SESSIONS, RUNS, TASKS, LEARNING, SCORES) for name, _ in list(tree.sizes(folder))]
    private = [name for name, _ in list(tree.sizes(PRIVATE)) if name.startswith(AUDIT.removesuffix(".jsonl"))]
    return [
        one
        for one in dict.fromkeys([*names, *private, RUNNING])
        if not one.startswith((f"{PUBLISHED}/", f"{SNAPSHOTS}/"))
    ]


def _is_telling(text: str) -> bool:
    return len(text.strip(_MARKS)) >= (LEAST_CHARS if text.isascii() else LEAST_WIDE_CHARS)


def pattern_of(text: str) -> re.Pattern[str]:
    """Return what finds a text in whatever case and with whatever blanks it was said; its last mark may be missing."""
    bare = text.rstrip(_MARKS) or text
    mark = f"[{re.escape(_MARKS)}]?" if bare != text else ""
    return re.compile(_spaced(bare, r"\s+") + _end_of(bare, text) + mark, re.IGNORECASE)


def forms_of(texts: tuple[str, ...]) -> tuple[re.Pattern[bytes], ...]:
    """Return what finds texts as files of ours have them: as they are, and as they stand in JSON or TOML."""
    found: dict[str, None] = {}
    for text in filter(_is_telling, texts):
        plain = text.rstrip(_MARKS) or text
        words = [plain, dumps(plain)[1:-1], dumps(plain)[1:-1].encode("ascii", "backslashreplace").decode()]
        found |= dict.fromkeys(_spaced(one, r"(?:\s|\\[nrt])+") + _end_of(plain, text) for one in words)
    return tuple(re.compile(one.encode("utf-8", "surrogatepass"), re.IGNORECASE) for one in found)


def _end_of(bare: str, text: str) -> str:
    """Return what keeps a text without its last mark from ending within a longer word."""
    return "(?![A-Za-z0-9])" if bare != text and bare[-1].isascii() and bare[-1].isalnum() else ""


def _spaced(text: str, blank: str) -> str:
    return blank.join(map(re.escape, text.split()))


# Take an erased text out of what hooks left and nobody has taken in yet: it would come back with it.


def _without(data: bytes, forms: Iterable[re.Pattern[bytes]]) -> bytes:
    return reduce(lambda left, form: form.sub(ERASED.encode(), left), forms, data)


def _lines_without(data: bytes, told: Told, lines: dict[tuple[Any, ...], str], *, own: bool) -> bytes:
    kept, place = [], 0
    forms = forms_of(told.texts)
    for line in data.splitlines(keepends=True):
        value = load_record(line)
        if value is None:
            kept.append(_without(line, forms))  # another program's, or torn
            continue
        place += 1
        content = value.get("content")
        if own and isinstance(content, str):
            value["content"] = _words_without(content, told, is_turn=told.turn == place)
        new = _line_without(value, told, changed=value.get("content") != content)
        kept.append(new.encode("utf-8", "surrogatepass") if new else line)
        if new:
            lines[_key(value)] = new
    return b"".join(kept)


def _line_without(value: dict[str, Any], told: Told, *, changed: bool = False) -> str:
    """Return a record's line without a text, "" where it has none of it."""
    before = {key: one for key, one in value.items() if key != "c"}
    new = _edited(before, partial(_text_without, told=told))
    return dump_record(new).decode("utf-8", "surrogatepass") if changed or new != before else ""


def _words_without(content: str, told: Told, *, is_turn: bool) -> str:
    """Return what was said in the session that told a memory, without the sentences that tell it in other words."""
    content = _text_without(content, told)
    pieces = _SENTENCE.split(content)
    found = [ERASED if _tells(one, told.texts, MOST) else one for one in pieces]
    if is_turn and found == pieces and ERASED not in content and _tells(content, told.texts, HALF):
        return ERASED
    return content if found == pieces else "".join(found)


def said_without(content: str, told: Told) -> str:
    """Return what was said without each sentence that tells one of the texts: what was asked of it is not to be done either.

    Of a line that has nothing else nothing stays, so that the next item of a list is still one.
    """
    texts = tuple(filter(_is_telling, told.texts))
    lines = reduce(lambda said, text: pattern_of(text).sub(GONE, said), texts, content).split("\n")
    kept = []
    for line in lines:
        pieces = [one for one in _SENTENCE.split(line) if one]
        erased = [GONE in one or _tells(one, texts, MOST) for one in pieces]
        if not any(erased):
            kept.append(line)
        elif not all(erased):
            kept.append(" ".join(ERASED if gone else one.strip() for one, gone in zip(pieces, erased, strict=True)))
    return content if kept == content.split("\n") else "\n".join(kept).strip() or ERASED


def _tells(said: str, texts: tuple[str, ...], share: float) -> bool:
    """Tell whether a text has most words of what was made of it."""
    known = set(tokens(said, unigrams=True))
    found = [set(tokens(text, unigrams=True)) for text in texts]
    return any(one and len(one & known) >= share * len(one) for one in found)


def _key(value: Mapping[str, Any]) -> tuple[Any, ...]:
    return value.get("w"), value.get("n"), value.get("i")


def _text_without(text: str, told: Told) -> str:
    return reduce(lambda left, one: pattern_of(one).sub(ERASED, left), filter(_is_telling, told.texts), text)


def _edited(value: Any, edit: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return edit(value)
    if isinstance(value, list):
        return [_edited(one, edit) for one in value]
    if isinstance(value, dict):
        return {key: _edited(one, edit) for key, one in value.items()}
    return value


def editing(texts: tuple[str, ...]) -> Callable[[bytes], bytes]:
    """Return what edits the bytes of a file of the spool; b"" where it has such a text and cannot be read as ours."""
    told = Told(texts)
    return partial(_event_without, told=told, forms=forms_of(texts))


def _event_without(data: bytes, told: Told, forms: Iterable[re.Pattern[bytes]]) -> bytes:
    try:
        one = load_spooled(data)
    except ValueError:
        return b"" if any(form.search(data) for form in forms) else data
    event = {
        key: said_without(value, told) if key in TEXTS and isinstance(value, str) else value
        for key, value in one.event.items()
    }
    return data if event == one.event else dump_spooled(one._replace(event=event))
