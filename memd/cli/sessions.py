"""Verbs over sessions: open, append, history, search, show, list, close."""

from __future__ import annotations

from typing import Any

import click

from memd.cli.options import asks, given
from memd.cli.reach import ask, json_option, workspace_option
from memd.cli.runs import MESSAGE_OPTIONS, appended, message_options, message_ways, only_way
from memd.cli.show import Part, emit, facts, marked, moment, own_call, said_of, table, tell, transcript
from memd.cli.tables import Column, Table, cut_text, listing
from memd.cli.verbs import Family
from memd.text.counting import counted


@click.group("session", cls=Family)
def session_command() -> None:
    """Keep conversations: open one, append what is said, read it again, search all of them.

    \b
    memd session open s1 --role main --title "The kiln"
    memd session append s1 --user "When is the kiln free?"
    memd session history s1
    memd session search kiln
    """


def _found(events: list[dict[str, Any]], mark: int = 0) -> Table:
    """Return events, each with what it is asked for by; a gap is shown where some between them are not."""
    rows: list[tuple[Any, ...]] = []
    last = events[0]["seq"] if events else 0
    for one in events:
        rows += [("", "…", "", "", "")] if one["seq"] > last + 1 else []
        hidden = "(hidden) " if one.get("context_visible") is False else ""
        marked_here = ">" if one["seq"] == mark else ""
        rows.append((marked_here, one["seq"], one["id"], moment(one.get("at")), hidden + said_of(one)))
        last = one["seq"]
    return listing(rows, *map(Column, ("mark", "seq", "id", "at")), cut_text("said"), indent=2)


@session_command.command("open")
@asks(
    "session.open", "session", session=given(metavar="NAME"), resumes=given(metavar="SESSION"),
    forks=given(metavar="SESSION", words="The session that this one forks from, at --at."), at=given(metavar="EVENT"),
)  # fmt: skip
@json_option
@workspace_option
def open_session(as_json: bool, workspace: str, **asked: Any) -> None:
    """Open a session, and print its name alone; one that is open already stays as it is.

    \b
    memd session open s1 --role main
    SESSION=$(memd session open --title "Glazes")
    memd session open again --forks s1 --at 395f5882-6-1
    """
    if asked["resumes"] and asked["forks"]:
        raise click.UsageError("give --resumes or --forks, not both")
    if asked["at"] and not (asked["resumes"] or asked["forks"]):
        raise click.UsageError("--at belongs to --forks or --resumes")
    reply = ask(workspace, "session.open", **asked)
    emit(reply, as_json, reply["session"])
    if not as_json:
        origin = _origin(reply)
        tell(f"{'open already' if reply['existed'] else 'opened'}: {reply['file']}{', ' + origin if origin else ''}")


def _origin(reply: dict[str, Any]) -> str:
    origin = reply.get("from") or {}
    if not origin:
        return ""
    how = "continues" if origin.get("how") == "resume" else "forked from"
    return f"{how} {origin.get('session', '')}{' after ' + origin['at'] if origin.get('at') else ''}"


@session_command.command("append")
@asks(
    "session.append", "session", session=given(metavar="NAME"),
    after=given(metavar="N", default=None, words="Refuse unless the session has N events."),
)  # fmt: skip
@message_options
@json_option
@workspace_option
def append_events(session: str, after: int | None, hidden: bool, as_json: bool, workspace: str, **typed: Any) -> None:
    """Append one message or note, or the events of a file: all of them, or none.

    \b
    memd session append s1 --user "When is the kiln free?"
    memd session append s1 --assistant "周四下午有空。"
    memd session append s1 --events chat.jsonl     {"speaker": "user", "content": "…"} on each line
    """
    events = only_way(message_ways(typed), MESSAGE_OPTIONS, hidden=hidden)
    reply = ask(workspace, "session.append", session=session, events=events, after=after)
    text = appended(reply) if not as_json else ""
    again = " (it was there already)" if reply.get("already") else ""
    emit(reply, as_json, f"{text}; {reply['session']} has {reply['count']}{again}")


@session_command.command("history")
@asks(
    "session.history", "session", session=given(metavar="NAME"), max_messages=given("--limit"),
    budget_chars=given("--chars"), before=given(metavar="EVENT", words="The page before this event."),
    lineage=given(words="Leave out the sessions that this one comes from."),
)  # fmt: skip
@json_option
@workspace_option
def read_history(as_json: bool, workspace: str, **asked: Any) -> None:
    """Read a session as a model is shown it again, with the sessions that it goes on from.

    \b
    memd session history s1
    memd session history s1 --limit 20 --before 395f5882-6-1
    """
    reply = ask(workspace, "session.history", **asked)
    emit(reply, as_json, transcript(reply["messages"]) or "Nothing was said.")
    if as_json:
        return
    tell(f"{len(reply['messages'])} of {reply['visible']}, {reply['chars']} characters")
    if reply.get("lineage"):
        tell(f"from {' <- '.join(reply['lineage'])}")
    if reply.get("before"):
        tell(f"older: {own_call('session history', reply['session'], '--before', reply['before'])}")


@session_command.command("search")
@asks(
    "session.search", "query", query=given(many=True), around=given(metavar="EVENT"), speaker=given(free=True),
)  # fmt: skip
@json_option
@workspace_option
def search_sessions(query: list[str], as_json: bool, workspace: str, **asked: Any) -> None:
    """Find what was said; scroll around it; read a session; or, without anything, browse them.

    \b
    memd session search kiln glaze --speaker user
    memd session search 釉料 --session s1
    memd session search --session s1 --around 12
    memd session search --session s1
    """
    reply = ask(workspace, "session.search", query=" ".join(query), **asked)
    shown = {"discover": _discovered, "scroll": _scrolled, "read": _read, "browse": browsed}
    emit(reply, as_json, *shown[reply["shape"]](reply))
    if reply.get("hits") and not as_json:
        first = reply["hits"][0]
        tell(f"more of it: {own_call('session search --session', first['session'], '--around', str(first['seq']))}")


def _discovered(reply: dict[str, Any]) -> list[Part]:
    parts: list[Part] = []
    for number, hit in enumerate(reply["hits"], 1):
        where = f"{hit['session']}  {hit['seq']}  {hit['id']}  {moment(hit['at'])}"
        parts += [
            f"{number}. {hit['score']:.2f}  {where}  {hit['speaker'] or hit['kind']}  {hit.get('title', '')}".rstrip(),
            ("    ", *marked(hit["snippet"])),
        ]
        near = {one["seq"]: one for key in ("begins", "window", "ends") for one in hit.get(key, [])}
        parts.append(_found([near[seq] for seq in sorted(near)], hit["seq"]))
    return parts or ["Nothing was found."]


def _scrolled(reply: dict[str, Any]) -> list[Part]:
    told = f"{reply['session']}: {reply['earlier']} before these, {reply['later']} after"
    return [_found(reply["events"], reply["seq"]), told]


def _read(reply: dict[str, Any]) -> list[Part]:
    between = [f"      … {reply['between']} between …"] if reply["between"] else []
    return [_summary(reply), "", _found(reply["begins"]), *between, _found(reply["ends"])]


@session_command.command("show")
@asks("session.get", "session", session=given(metavar="NAME"))
@json_option
@workspace_option
def show_session(session: str, as_json: bool, workspace: str) -> None:
    """Show what a session comes to: events, usage, runs, where it goes on from.

    \b
    memd session show s1
    """
    reply = ask(workspace, "session.get", session=session)
    emit(reply, as_json, _summary(reply))


def _summary(one: dict[str, Any]) -> Table:
    named = [(key, one.get(key)) for key in ("title", "role", "engine")]
    spent = [(key.replace("_", " "), value) for key, value in one["usage"].items()]
    odd = [(key, one.get(key)) for key in ("damaged", "foreign", "twice")]
    return facts(
        (
            ("session", one["session"]), ("state", "closed" if one["closed"] else "open"), *named,
            ("from", _origin(one)), ("opened", moment(one.get("opened_at"))), ("last", moment(one["last_at"])),
            ("events", ", ".join(f"{count} {kind}" for kind, count in one["kinds"].items())),
            ("visible", one["visible"]), ("runs", ", ".join(one["runs"])), *spent, *odd,
            ("file", f"{one['file']}, {one['bytes']} bytes"),
        )
    )  # fmt: skip


@session_command.command("list")
@asks("session.search", only=("limit", "offset"), limit=given(default=20))
@json_option
@workspace_option
def list_sessions(as_json: bool, workspace: str, **asked: Any) -> None:
    """List the sessions, the one that was last written to first.

    \b
    memd session list
    """
    reply = ask(workspace, "session.search", **asked)
    emit(reply, as_json, *browsed(reply))


def browsed(reply: dict[str, Any]) -> list[Part]:
    """Return a list of sessions for a person."""
    rows = []
    for one in reply["sessions"]:
        if one.get("fault"):
            rows.append((one["session"], "broken", "", "", "", "", one["fault"]))
            continue
        state = "closed" if one["closed"] else "open"
        rows.append(
            (one["session"], state, one.get("role", ""), one["events"], one["visible"], moment(one["last_at"]),
             one.get("title", ""))
        )  # fmt: skip
    if not rows:
        return ["No sessions."]
    heads = ("session", "state", "role", "events", "visible", "last", cut_text("title"))
    return [table(heads, rows), f"{len(rows)} of {reply['total']}"]


@session_command.command("close")
@asks("session.close", "session", session=given(metavar="NAME"))
@json_option
@workspace_option
def close_session(as_json: bool, workspace: str, **asked: Any) -> None:
    """Close a session: it takes no more events; another may go on from where it ends.

    \b
    memd session close s1 --reason "the kiln is booked"
    """
    reply = ask(workspace, "session.close", **asked)
    emit(reply, as_json, f"closed {reply['session']}, {counted(reply['events'], 'event')}")
    if not as_json and reply.get("runs_still_open"):
        tell(f"still under way in it: {', '.join(reply['runs_still_open'])}")
