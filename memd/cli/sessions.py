"""Verbs over sessions: open, append, history, search, show, list, close."""

from __future__ import annotations

from typing import Any

import click

from memd.cli.families import Family
from memd.cli.reach import ask, json_option, workspace_option
from memd.cli.runs import MESSAGE_OPTIONS, appended, message_options, message_ways, only_way
from memd.cli.show import Part, emit, marked, table
from memd.cli.tables import Column, Table, cut_text, listing
from memd.cli.telling import facts, moment, said_of, tell, transcript


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
@click.argument("name", default="")
@click.option("--role", default="", help="Whose session it is.")
@click.option("--title", default="", help="What it is about.")
@click.option("--resumes", default="", metavar="SESSION", help="It goes on from the end of this one.")
@click.option("--forks", default="", metavar="SESSION", help="It leaves this one, at --at.")
@click.option("--at", default="", metavar="EVENT", help="After which event, by its id; else the end.")
@json_option
@workspace_option
def open_session(as_json: bool, workspace: str, name: str, **given: Any) -> None:
    """Open a session, and print its name alone; one that is open already stays as it is.

    \b
    memd session open s1 --role main
    SESSION=$(memd session open --title "Glazes")
    memd session open again --forks s1 --at 395f5882-6-1
    """
    if given["resumes"] and given["forks"]:
        raise click.UsageError("give --resumes or --forks, not both")
    if given["at"] and not (given["resumes"] or given["forks"]):
        raise click.UsageError("--at belongs to --forks or --resumes")
    reply = ask(workspace, "session.open", session=name, **given)
    emit(reply, as_json, reply["session"])
    if not as_json:
        origin = _origin(reply)
        tell(f"{'open already' if reply['existed'] else 'opened'}: {reply['file']}{', ' + origin if origin else ''}")


def _origin(reply: dict[str, Any]) -> str:
    origin = reply.get("from") or {}
    if not origin:
        return ""
    how = "goes on from" if origin.get("how") == "resume" else "leaves"
    return f"{how} {origin.get('session', '')}{' after ' + origin['at'] if origin.get('at') else ''}"


@session_command.command("append")
@click.argument("name")
@message_options
@click.option("--after", type=int, default=-1, metavar="N", help="Refuse unless the session has N events.")
@json_option
@workspace_option
def append_events(name: str, hidden: bool, after: int, as_json: bool, workspace: str, **given: Any) -> None:
    """Append one message or note, or the events of a file: all of them, or none.

    \b
    memd session append s1 --user "When is the kiln free?"
    memd session append s1 --assistant "周四下午有空。"
    memd session append s1 --events chat.jsonl     {"speaker": "user", "content": "…"} on each line
    """
    events = only_way(message_ways(given), MESSAGE_OPTIONS, hidden=hidden)
    reply = ask(workspace, "session.append", session=name, events=events, after=after)
    text = appended(reply) if not as_json else ""
    again = " (it was there already)" if reply.get("already") else ""
    emit(reply, as_json, f"{text}; {reply['session']} has {reply['count']}{again}")


@session_command.command("history")
@click.argument("name")
@click.option("--limit", type=int, default=0, help="How many messages; else what memd.toml says.")
@click.option("--chars", type=int, default=0, help="How many characters of them.")
@click.option("--before", default="", metavar="EVENT", help="The page before this event.")
@json_option
@workspace_option
def read_history(name: str, limit: int, chars: int, before: str, as_json: bool, workspace: str) -> None:
    """Read a session as a model is shown it again, with the sessions that it goes on from.

    \b
    memd session history s1
    memd session history s1 --limit 20 --before 395f5882-6-1
    """
    reply = ask(workspace, "session.history", session=name, max_messages=limit, budget_chars=chars, before=before)
    emit(reply, as_json, transcript(reply["messages"]) or "Nothing was said.")
    if as_json:
        return
    tell(f"{len(reply['messages'])} of {reply['visible']}, {reply['chars']} characters")
    if reply.get("lineage"):
        tell(f"from {' <- '.join(reply['lineage'])}")
    if reply.get("before"):
        tell(f"older: memd session history {reply['session']} --before {reply['before']}")


@session_command.command("search")
@click.argument("query", nargs=-1)
@click.option("--session", default="", help="In this session and those it comes from; without QUERY: read it.")
@click.option("--around", default="", metavar="EVENT", help="What stood around an event, by its id or number.")
@click.option("--window", type=int, default=5, show_default=True, help="How many events on each side.")
@click.option("--speaker", default="", help="With QUERY: only what this one said: user, assistant, system, tool.")
@click.option("--after", default="", help="With QUERY: from this year, month, day or moment on.")
@click.option("--before", default="", help="With QUERY: before this year, month, day or moment.")
@click.option("--limit", type=int, default=10, show_default=True, help="How many at once, 50 at most.")
@click.option("--offset", type=int, default=0, help="How many to pass over.")
@json_option
@workspace_option
def search_sessions(query: tuple[str, ...], as_json: bool, workspace: str, **given: Any) -> None:
    """Find what was said; scroll around it; read a session; or, without anything, browse them.

    \b
    memd session search kiln glaze --speaker user
    memd session search 釉料 --session s1
    memd session search --session s1 --around 12
    memd session search --session s1
    """
    reply = ask(workspace, "session.search", query=" ".join(query), **given)
    shown = {"discover": _discovered, "scroll": _scrolled, "read": _read, "browse": browsed}
    emit(reply, as_json, *shown[reply["shape"]](reply))
    if reply.get("hits") and not as_json:
        first = reply["hits"][0]
        tell(f"more of it: memd session search --session {first['session']} --around {first['seq']}")


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
@click.argument("name")
@json_option
@workspace_option
def show_session(name: str, as_json: bool, workspace: str) -> None:
    """Show what a session comes to: events, usage, runs, where it goes on from.

    \b
    memd session show s1
    """
    reply = ask(workspace, "session.get", session=name)
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
@click.option("--limit", type=int, default=20, show_default=True, help="How many at once, 50 at most.")
@click.option("--offset", type=int, default=0, help="How many to pass over.")
@json_option
@workspace_option
def list_sessions(limit: int, offset: int, as_json: bool, workspace: str) -> None:
    """List the sessions, the one that was last written to first.

    \b
    memd session list
    """
    reply = ask(workspace, "session.search", limit=limit, offset=offset)
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
@click.argument("name")
@click.option("--reason", default="", help="Why.")
@json_option
@workspace_option
def close_session(name: str, reason: str, as_json: bool, workspace: str) -> None:
    """Close a session: it takes no more events, and may be gone on from.

    \b
    memd session close s1 --reason "the kiln is booked"
    """
    reply = ask(workspace, "session.close", session=name, reason=reason)
    emit(reply, as_json, f"closed {reply['session']}, {reply['events']} events")
    if not as_json and reply.get("runs_still_open"):
        tell(f"still under way in it: {', '.join(reply['runs_still_open'])}")
