"""How an agent's work reads in a terminal: facts, times, a conversation as a transcript, a draft."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from memd.cli.show import Part, say, short
from memd.cli.tables import Column, Table, listing, whole_text
from memd.formats.strict_json import dumps

ARGUMENT_COLUMNS, RESULT_COLUMNS = 160, 160


def tell(*words: str) -> None:
    """Say something beside the result, on standard error."""
    say(*words, err=True)


def facts(pairs: Iterable[tuple[str, Any]]) -> Table:
    """Return names with their values, one a line; what says nothing is left out."""
    rows = [(name, value) for name, value in pairs if value not in (None, "", [], {})]
    return listing(rows, Column("name"), whole_text("value"))


def counted(number: int, word: str) -> str:
    """Return a number with what is counted: 1 event, 2 events, 2 memories."""
    several = f"{word[:-1]}ies" if word.endswith("y") else f"{word}s"
    return f"{number} {word if number == 1 else several}"


def lasted(seconds: float) -> str:
    """Return how long something lasted, in its largest unit: 40 seconds, 3 minutes, 2 days."""
    for word, unit_s in (("day", 86_400), ("hour", 3600), ("minute", 60)):
        if seconds >= unit_s:
            return counted(int(seconds // unit_s), word)
    return counted(max(0, int(seconds)), "second")


def moment(at: Any) -> str:
    """Return a time as tables and transcripts show it."""
    return short(str(at or ""), 24).replace("T", " ")


def transcript(entries: Iterable[dict[str, Any]]) -> str:
    """Return a conversation for a person: time, speaker, text; what tools were asked, and what came of it."""
    return "\n".join(map(_entry, entries))


def _entry(one: dict[str, Any]) -> str:
    said = said_of(one).replace("\n", "\n    ")
    if one["kind"] == "tool_result":
        return f"    {said}"
    call = one.get("raw_tool_call")
    leaked = f"\n    [a call of {call.get('tool') or 'a tool'} was written as text; {call['fallback']}]" if call else ""
    return f"{moment(one.get('at')) or '-'}  {said}{leaked}"


def said_of(one: dict[str, Any]) -> str:
    """Return what an event says: a message whole, a tool's call and result shortened."""
    content = str(one.get("content", ""))
    match one["kind"]:
        case "message":
            return f"{short(str(one.get('speaker', '?')), 40)}: {content}"
        case "tool_call":
            return f"{one.get('tool', '')}({_arguments(one.get('arguments'))})"
        case "tool_result":
            return f"→ {'failed: ' if one.get('is_error') else ''}{short(content, RESULT_COLUMNS)}"
        case "task_evidence":
            return f"evidence{' [' + str(one['status']) + ']' if one.get('status') else ''}: {content}"
        case "acceptance":
            return f"{one.get('verdict', '')} {one.get('task', '')}: {one.get('words', '')}".rstrip(": ")
        case _:
            return f"{one['kind']} {one.get('run', '')}".rstrip() + (f": {content}" if content else "")


def _arguments(given: Any) -> str:
    if isinstance(given, dict):
        given = ", ".join(f"{key}={dumps(value)}" for key, value in given.items())
    text = given if isinstance(given, str) else "" if given is None else dumps(given)
    return short(text, ARGUMENT_COLUMNS)


def draft_text(one: dict[str, Any]) -> list[Part]:
    """Return a draft for a person: where it comes from, what is wrong with it, all of it, and what it changes."""
    named = [(key.replace("_", " "), one.get(key)) for key in ("skill", "candidate", "made_by")]
    parts: list[Part] = [
        facts(
            (
                *named, ("made", moment(one["made_at"])), ("over version", one["based_on"] or "none, it is new"),
                ("declined", one.get("declined")), ("file", one["file"]), ("sha256", one["digest"]),
            )
        )
    ]  # fmt: skip
    odd = [f"fault: {why}" for why in one["faults"]] + [f"remark: {why}" for why in one.get("remarks", [])]
    parts += ["", *odd] if odd else []
    parts += ["", one["text"].rstrip("\n")]
    if one["diff"] and not one["diff"].startswith("--- /dev/null"):
        parts += ["", "What it changes:\n\n" + one["diff"].rstrip("\n")]
    return parts
