"""What a memory was before: its earlier texts, those it took the place of, those that took its place; what git has of it; what is forgotten.

git's part goes back to the commit that the memory came with, and no further: what had its id before that was another life of it, whose
text may have been erased, and an erased memory is none of which anybody can ask.

Units
    LOOKED commits of a role's file at most, and LOOKED_BYTES of it; CUT characters of a text.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

from memd.errors import GitBusyError, GitFailedError, GitMissingError
from memd.formats.records import read_lines
from memd.formats.times import to_iso, to_seconds
from memd.model.memory import Kind
from memd.protocol.views import Past
from memd.service.edge import NOT_SAID
from memd.service.memory.records import resolve
from memd.storage.history import Git
from memd.storage.layout import ARCHIVE
from memd.storage.listing import folder_pieces
from memd.text.characters import fingerprint

if TYPE_CHECKING:
    from memd.model.memory import Memory
    from memd.store.role.role import Role
    from memd.store.store import Store

LONGEST = 200  # links that are followed
LOOKED, LOOKED_BYTES, AT_ONCE_BYTES = 1000, 400_000_000, 16_000_000
CUT = 4000
_FORM = "%x1e%H%x1f%aI%x1f%an%x1f%s"
_NONE = "0" * 40
_AS_IT_IS = {"GIT_LITERAL_PATHSPECS": "1", "GIT_NO_LAZY_FETCH": "1"}
_DECODER = json.JSONDecoder()


def history_of(role: Role, memory: Memory) -> list[Past]:
    """Return the texts of one subject, oldest first: how each came to be, and when."""
    chain = [*_named(role, memory), memory, *_after(role, memory)]
    told: list[Past] = []
    for one in chain:
        record = role.raw(one.kind, one.id) or {}
        past = record.get("history")
        for entry in past if isinstance(past, list) else ():
            if isinstance(entry, dict) and isinstance(entry.get("content"), str):
                until_s = to_seconds(entry.get("until", ""))
                told.append(Past("said until", _shown(until_s), one.id, entry["content"], ""))
        how = "superseded, from" if one.superseded_by else "holds in part, from" if one.holds else "holds, from"
        told.append(Past(how, _shown(one.when_s), one.id, one.content, one.event.told if one.event else ""))
    return told


def _named(role: Role, memory: Memory) -> list[Memory]:
    """Return those that a memory took the place of, and whose place they had taken, the oldest first."""
    found: dict[str, Memory] = {}
    waiting = list(memory.supersedes)
    while waiting and len(found) < LONGEST:
        other = role.compiled.memories.get(waiting.pop(0))
        if other is not None and other.id not in found and other.id != memory.id:
            found[other.id] = other
            waiting += other.supersedes
    return sorted(found.values(), key=lambda one: (one.when_s or 0.0, one.id))


def _after(role: Role, memory: Memory) -> list[Memory]:
    """Return those that took its place, and theirs, the oldest first."""
    found: dict[str, Memory] = {}
    waiting = [memory.id]
    while waiting and len(found) < LONGEST:
        for other in role.compiled.succession.successors(waiting.pop(0), role.compiled.memories):
            if other.id not in found and other.id != memory.id:
                found[other.id] = other
                waiting.append(other.id)
    return sorted(found.values(), key=lambda one: one.when_s or 0.0)  # what has one time stays as it follows


def _shown(seconds: float | None) -> str:
    return to_iso(seconds) if seconds is not None else ""


async def forgotten_of(store: Store, role: str) -> dict[str, dict[str, Any]]:
    """Return what is forgotten of a role and not restored, by id, the newest text of each."""
    return await asyncio.to_thread(_archived, store, role, store.writer.waiting_lines(ARCHIVE))


async def unwanted_of(store: Store, role: str) -> dict[str, float]:
    """Return the letters and figures of what a person wanted forgotten of a role, with the last second in which they did."""
    found: dict[str, float] = {}
    for value in (await forgotten_of(store, role)).values():
        if not str(value.get("reason", "")).startswith(NOT_SAID):
            said = fingerprint(str(value["entry"].get("content") or value["entry"].get("value") or ""))
            found[said] = max(found.get(said, 0.0), to_seconds(value.get("at")) or 0.0)
    return found


def _archived(store: Store, role: str, waiting: list[str]) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for data in chain(folder_pieces(store.tree, ARCHIVE), ["".join(waiting).encode()]):
        for line in read_lines(data):
            value = line.value or {}
            if value.get("role") != role or not isinstance(value.get("id"), str):
                continue
            if value.get("what") == "restored":
                found.pop(value["id"], None)
            elif isinstance(value.get("entry"), dict):
                found[value["id"]] = value
    return {one: value for one, value in found.items() if not store.writer.is_being_erased(role, one)}


@dataclass(frozen=True, slots=True)
class Change:
    """What one commit made of a memory; commit, at, author and subject are "" of what is not committed yet.

    `how`: made, changed, or settled where a merge chose. `fields` are the keys of its record that changed, but for its text.
    """

    commit: str
    at: str
    author: str
    subject: str
    how: str
    before: str
    after: str
    fields: list[str]


class Committed(NamedTuple):
    """Changes of a memory, the newest first, and how many commits were looked at; `whole`: down to the one that made it.

    `why` nothing can be told: no_git, no_repository, refused (with git's words in `detail`), no_id, not_committed; "" where all is well.
    """

    changes: list[Change]
    looked: int = 0
    whole: bool = False
    why: str = ""
    detail: str = ""


class _Commit(NamedTuple):
    at: tuple[str, str, str, str]
    old: tuple[str, ...]
    new: str


def committed(path: str, file: str, memory_id: str, record: Mapping[str, Any], most: int) -> Committed:
    """Return what git has of a memory as its file has it now, at most so many changes. `path` of the workspace. Blocks."""
    if record.get("id") != memory_id:
        return Committed([], why="no_id")
    try:
        git = Git(path, ("log.showSignature=false",))
        git.root()
        commits = _commits(git, file)
        return _walked(git, commits, memory_id, record, most) if commits else Committed([], why="not_committed")
    except GitMissingError as error:
        return Committed([], why="no_repository" if "repository" in str(error) else "no_git")
    except (GitFailedError, GitBusyError) as error:
        return Committed([], why="refused", detail=str(error))


def _commits(git: Git, file: str) -> list[_Commit]:
    """Return the commits that changed a file, the newest first, with what it was and what it became; a merge was several things."""
    words = ("log", "-c", "--raw", "--no-abbrev", "-n", str(LOOKED), f"--format={_FORM}", "HEAD", "--", file)
    ran = git.run(*words, env=_AS_IT_IS, check=False)
    found = []
    for part in ran.out.decode("utf-8", "replace").split("\x1e")[1:]:
        head, *raw = part.splitlines()
        line = next((one for one in raw if one.startswith(":")), "")
        parents = len(line) - len(line.lstrip(":"))
        blobs = line.split("\t")[0].split(" ")[parents + 1 : 2 * parents + 2]
        commit, at, author, subject = head.split("\x1f", 3)
        if blobs:
            found.append(_Commit((commit, at, author, subject), tuple(blobs[:-1]), blobs[-1]))
    return found


def _walked(git: Git, commits: list[_Commit], memory_id: str, record: Mapping[str, Any], most: int) -> Committed:
    changes: list[Change] = []
    looked, whole = 0, False
    for commit, old, new in _states(git, commits, memory_id):
        if not looked and new != record:
            changes.append(_change(("", "", "", ""), new, record, "changed" if new else "made"))
            whole = new is None
        looked += 1
        if not whole and new is not None and all(one != new for one in old):
            how = "made" if all(one is None for one in old) else "settled" if len(old) > 1 else "changed"
            changes.append(_change(commit.at, next((one for one in old if one), None), new, how))
            whole = how == "made"
        if whole or len(changes) >= most:
            break
    return Committed(changes[:most], looked, whole)


def _change(at: tuple[str, str, str, str], old: Mapping[str, Any] | None, new: Mapping[str, Any], how: str) -> Change:
    was = old or {}
    fields = sorted(key for key in {*was, *new} if was.get(key) != new.get(key) and key not in ("content", "value"))
    return Change(*at, how, _said(was), _said(new), fields if old else [])


def _said(record: Mapping[str, Any]) -> str:
    text = record.get("content") or record.get("value") or ""
    text = text if isinstance(text, str) else ""
    return text if len(text) <= CUT else f"{text[:CUT]}…"


def _states(
    git: Git, commits: list[_Commit], memory_id: str
) -> Iterator[tuple[_Commit, list[dict[str, Any] | None], dict[str, Any] | None]]:
    """Yield each commit with a memory's record before, in each parent, and after; several versions of the file are read at once."""
    names = list(dict.fromkeys(blob for one in commits for blob in (one.new, *one.old) if blob != _NONE))
    sizes = {}
    for line in git.run("cat-file", "--batch-check", given="\n".join(names).encode(), env=_AS_IT_IS).text.splitlines():
        name, _, told = line.partition(" blob ")
        if told:
            sizes[name] = int(told)
    known: dict[str, dict[str, Any] | None] = {_NONE: None}
    waiting: list[_Commit] = []
    total = coming = 0
    for one in (*commits, None):
        size = sum(sizes.get(blob, 0) for blob in {one.new, *one.old} - known.keys()) if one else 0
        total += size
        if waiting and (one is None or coming + size > AT_ONCE_BYTES or total > LOOKED_BYTES):
            wanted = {
                blob: None for each in waiting for blob in (each.new, *each.old) if blob in sizes and blob not in known
            }
            known |= _records(git, list(wanted), memory_id)
            for each in waiting:
                yield each, [known.get(blob) for blob in each.old], known.get(each.new)
            waiting, coming = [], 0
        if one is None or total > LOOKED_BYTES:
            return
        waiting.append(one)
        coming += size


def _records(git: Git, blobs: list[str], memory_id: str) -> dict[str, dict[str, Any] | None]:
    """Return a memory's record as each version of its file has it."""
    out = git.run("cat-file", "--batch", given="\n".join(blobs).encode(), env=_AS_IT_IS).out if blobs else b""
    found: dict[str, dict[str, Any] | None] = {}
    at = 0
    while at < len(out):
        line = out.index(b"\n", at)
        name, _, size = out[at:line].decode().split(" ")
        found[name] = record_in(out[line + 1 : line + 1 + int(size)].decode("utf-8", "replace"), memory_id)
        at = line + 2 + int(size)
    return found


def record_in(text: str, memory_id: str) -> dict[str, Any] | None:
    """Return the record with an id in a memory.json, None where it has none; the others are not read, and the file may be broken there."""
    sought = (json.dumps(memory_id, ensure_ascii=False), json.dumps(memory_id))
    for word in dict.fromkeys(sought):
        at = text.find(word)
        while at >= 0:
            begins = at
            for _ in range(LONGEST):  # the objects that stand before it: the nearest that has the id is the record
                begins = text.rfind("{", 0, begins)
                if begins < 0:
                    break
                try:
                    value, end = _DECODER.raw_decode(text, begins)
                except (ValueError, RecursionError):
                    continue
                if end > at and isinstance(value, dict):
                    if value.get("id") == memory_id:
                        return value
                    break
            at = text.find(word, at + 1)
    return None


# What was said that made a memory: erased from sessions, receipts and tasks before the memory itself goes.
#
# It is done first and once more wherever it was cut off, since the memory is there until the log has its erasure: who was told of no success asks again.

FLUSH_S = 5.0


async def said_by(store: Store, role: Role, memory_id: str) -> tuple[str, Kind, tuple[str, ...]]:
    """Return a memory's id in full, its kind, and what it says; MemoryUnknownError, MemoryAmbiguousError. Call in the role's turn."""
    archived = await forgotten_of(store, role.name)
    chosen = resolve(role.name, memory_id, tuple(dict.fromkeys([*role.compiled.memories, *archived])))
    memory = role.compiled.memories.get(chosen)
    entry = archived.get(chosen, {}).get("entry") or {}
    said = [memory.content] if memory else []
    said += [str(entry.get(key) or "") for key in ("content", "value")]
    texts = tuple(dict.fromkeys(one.strip() for one in said if one.strip()))
    return chosen, memory.kind if memory else Kind(archived[chosen]["kind"]), texts


async def erase_what_was_said(store: Store, role: Role, memory_id: str) -> str:
    """Take what a memory says out of the records of what was said and done; return why not of the spool, "" where it did."""
    from memd.store.writing.erasing_texts import Told  # noqa: PLC0415  most who forget a memory erase nothing

    async with role.turn:
        await store.refresh(role)
        chosen, _, texts = await said_by(store, role, memory_id)
        told = Told(texts, *await _told_at(store, role, chosen))
    trouble = await _erase_unheard(store, chosen, texts)
    await store.writer.flush(FLUSH_S)  # what was acknowledged a moment ago may stand in the log alone
    store.working.attended.forget_said(texts)
    if store.writer.applier is not None:
        await store.writer.applier.erase_texts(told)
    return trouble


async def _erase_unheard(store: Store, memory_id: str, texts: tuple[str, ...]) -> str:
    """Take it out of what hooks left: first, since what is taken in meanwhile has it in a session by then."""
    from memd.storage.leaving import SpoolError  # noqa: PLC0415
    from memd.store.writing.erasing_texts import editing  # noqa: PLC0415

    unheard = store.unheard
    try:
        async with unheard.turn:
            await asyncio.to_thread(unheard.forget, memory_id, texts)
            await asyncio.to_thread(unheard.spooling.edit, editing(texts))
    except SpoolError as error:
        return str(error)
    return ""


async def _told_at(store: Store, role: Role, memory_id: str) -> tuple[str, int]:
    """Return the session and the turn in which a memory was told, also of one that was forgotten; "" and 0 where it names none."""
    memory = role.compiled.memories.get(memory_id)
    if memory is not None:
        return memory.session, memory.turn or 0
    entry = (await forgotten_of(store, role.name)).get(memory_id, {}).get("entry")
    session, turn = (entry.get("session"), entry.get("turn")) if isinstance(entry, dict) else ("", 0)
    return session if isinstance(session, str) else "", turn if type(turn) is int else 0
