"""Replies as text, for clients that show the text and not the structure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from memd.doors.mcp import replies as r

ID_CHARS = 8
MEMORY_KINDS = ("episodic", "semantic", "trait", "goal")
LINE_CHARS = 400
NOT_WORDS = ("id", "seq", "kind", "at", "speaker", "content", "session", "snippet", "lineage", "score", "visible")


def of_trigger(reply: r.TriggerReply) -> str:
    """Return the block first, then the ids behind it."""
    lines = [reply.content or f"Nothing in the memory of {reply.role} bears on this."]
    if reply.activated:
        lines.append("ids (for memory_get, memory_update, memory_forget):")
        lines += [f"- {short(one.id)} {one.kind}: {one.text}" for one in reply.activated]
    if reply.in_window:
        lines.append(f"told lately in this session, not repeated: {', '.join(map(short, reply.in_window))}")
    if reply.dropped_for_room:
        lines.append(f"no room for: {', '.join(map(short, reply.dropped_for_room))} (a larger budget_chars shows them)")
    lines += [f"not recalled: {short(one.id)} {one.why}; {one.detail}: {one.text}" for one in reply.refused]
    lines += [f"note: {one}" for one in reply.notes]
    return "\n".join(lines)


def of_search(reply: r.SearchReply) -> str:
    """Return a line for each hit."""
    if not reply.hits:
        return "Nothing found. Try fewer or other words."
    lines = [f"{len(reply.hits)} of {reply.total} found:"]
    for one in reply.hits:
        of = f" of {one.role}" if one.role else ""
        title = f" {one.title}:" if one.title else ""
        day = f" [{one.time[:10]}]" if one.time else ""
        address = short(one.id) if one.kind in MEMORY_KINDS else one.name
        lines.append(f"- {one.kind}{of} {address}{day}:{title} {flat(one.snippet)}")
    if reply.index and reply.index.behind:
        lines.append(f"the index is {reply.index.state}; phrases and patterns may miss {reply.index.behind} documents")
    return "\n".join(lines)


def of_memory(reply: r.MemoryReply) -> str:
    """Return a memory's text first, then what is known of it."""
    told = {
        "id": reply.id, "kind": reply.kind, "role": reply.role, "name": reply.name, "keys": reply.keys,
        "tags": reply.tags, "topics": reply.topics, "time": reply.time, "validity": reply.validity,
        "score": reply.score, "source": reply.source, "file": reply.file, "digest": reply.digest,
    }  # fmt: skip
    lines = [reply.content, *_pairs(told)]
    lines += [name for name in ("constant", "disabled") if getattr(reply, name)]
    lines += [f"remark: {one}" for one in reply.remarks]
    lines += [f"history: {one.how} {one.at} {short(one.id)}: {flat(one.content)}" for one in reply.history]
    return "\n".join(lines)


def of_remember(reply: r.RememberReply) -> str:
    """Return the verdict, and what to do about a refusal."""
    head = f"{'Stored' if reply.stored else 'Not stored'} ({reply.verdict}): {reply.reason}"
    told = {"id": reply.id, "role": reply.role, "kind": reply.kind, "try": reply.hint, "review": reply.review}
    lines = [head, *_pairs(told), *(f"remark: {one}" for one in reply.remarks)]
    if reply.relation:
        lines.append(f"{reply.relation.relation} of {short(reply.relation.to)}: {flat(reply.relation.content)}")
    if reply.receipt:
        lines.append(f"receipt: {reply.receipt.file} {reply.receipt.digest}")
    return "\n".join(lines)


def of_forget(reply: r.ForgetReply) -> str:
    """Return where it went, and what remains."""
    went = "Erased from memd's files" if reply.erased else f"Moved to {reply.archived}"
    also = f"also in: {', '.join(reply.also_in)}" if reply.also_in else ""
    remarks = [f"remark: {one}" for one in reply.remarks]
    return "\n".join(one for one in (f"{went}: {reply.id} of {reply.role}", reply.remains, also, *remarks) if one)


def of_snapshot(reply: r.SnapshotReply) -> str:
    """Return the sections as they stand in a prompt."""
    parts = [f"## {one.title}\n\n{one.content}" for one in reply.sections]
    return "\n\n".join(parts) or "MEMORY.md and USER.md are empty."


def of_sessions(reply: r.SessionsReply) -> str:
    """Return what was said, a line each, with the place to scroll to."""
    shown = SHAPES.get(reply.shape)
    return ("\n".join(shown(reply)) if shown else "") or "Nothing was said of this in any session."


def short(memory_id: str) -> str:
    """Return the beginning of an id, which means the same."""
    return memory_id[:ID_CHARS]


def flat(text: str) -> str:
    """Return a text on one line, cut where it is long."""
    text = " ".join(text.split())
    return text if len(text) <= LINE_CHARS else text[: LINE_CHARS - 1] + "…"


def event_line(event: Mapping[str, Any]) -> str:
    """Return one event: its place, who spoke, and what."""
    said = event.get("content") or event.get("snippet")
    if not said:
        rest = {key: value for key, value in event.items() if key not in NOT_WORDS}
        said = ", ".join(f"{key} {value}" for key, value in rest.items())
    who = event.get("speaker") or event.get("kind", "")
    return f"{event.get('seq', '')} {who}: {flat(str(said))}".strip()


def _pairs(told: Mapping[str, Any]) -> list[str]:
    return [
        f"{name}: {', '.join(value) if isinstance(value, list) else value}" for name, value in told.items() if value
    ]


def _discovered(reply: r.SessionsReply) -> Iterable[str]:
    for hit in reply.hits:
        yield f"session {hit['session']}, {hit.get('at', '')}, around {hit.get('seq', '')}:"
        yield from (f"  {event_line(one)}" for one in hit.get("window") or [hit])


def _scrolled(reply: r.SessionsReply) -> Iterable[str]:
    yield f"session {reply.session}, {reply.earlier} events earlier, {reply.later} later:"
    yield from (f"  {event_line(one)}" for one in reply.events)


def _read(reply: r.SessionsReply) -> Iterable[str]:
    yield f"session {reply.session}:"
    yield from (f"  {event_line(one)}" for one in reply.begins)
    if reply.between:
        yield f"  ({reply.between} events between)"
    yield from (f"  {event_line(one)}" for one in reply.ends)


def _browsed(reply: r.SessionsReply) -> Iterable[str]:
    for one in reply.sessions:
        title = f" {one['title']}" if one.get("title") else ""
        yield f"- {one['session']}{title}: {one.get('events', 0)} events, last {one.get('last_at', '')}"


SHAPES: dict[str, Callable[[r.SessionsReply], Iterable[str]]] = {
    "discover": _discovered,
    "scroll": _scrolled,
    "read": _read,
    "browse": _browsed,
}
