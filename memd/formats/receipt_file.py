"""The receipt of a run: Markdown with a header, bytes <-> Receipt. A person may edit it, and what it then says counts.

The header has what is counted and compared; the body, what is read. `seal` is the sha256 of all the rest: where it does not
fit, a person was at work, which is told and changes nothing else.

    ---
    run: "r20261121-1500-1f0c2a9b"
    state: completed
    acceptance: accepted
    …
    seal: "…"
    ---

    # Run r20261121-1500-1f0c2a9b

    ## Asked
    …
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from memd.errors import Fault
from memd.formats.front_matter import Page, split
from memd.formats.strict_json import StrictError, loads
from memd.model.runs import Acceptance, Receipt, RunState, SkillUse, Step

STEP_CHARS = 400
_STEP = re.compile(r"(?P<n>\d+)\. `(?P<tool>[^`]*)`(?P<failed> \(failed\))?(?: (?P<arguments>.*))?")


def one_line(text: str) -> str:
    """Return a text on one line, cut where it is long."""
    return " ".join(text.split())[:STEP_CHARS]


def dump_step(number: int, step: Step) -> str:
    """Return a step's line, and below it what it failed with."""
    tool = " ".join(step.tool.replace("`", "'").split())
    given = step.arguments
    said = " ".join(given.split()) if isinstance(given, str) else json.dumps(given, ensure_ascii=False)
    line = f"{number}. `{tool}`{' (failed)' if step.failed else ''} {said[:STEP_CHARS]}".rstrip()
    return line + (f"\n   {one_line(step.result)}" if step.result and step.failed else "")


def load_steps(text: str) -> Iterator[Step]:
    """Yield the steps that a receipt tells."""
    waiting: Step | None = None
    for line in text.split("\n"):
        found = _STEP.fullmatch(line)
        if found:
            if waiting:
                yield waiting
            waiting = Step(found["tool"], _arguments(found["arguments"] or ""), bool(found["failed"]))
        elif waiting and line.startswith("   ") and line.strip():
            waiting = Step(waiting.tool, waiting.arguments, waiting.failed, line.strip())
    if waiting:
        yield waiting


def _arguments(text: str) -> Mapping[str, Any] | str:
    try:
        value = loads(text.encode("utf-8"))
    except StrictError:
        return text
    return value if isinstance(value, dict) else text


LIST_BYTES = 3500  # of each list in the header, which may have 16 KiB in all
SKILLS = 50
LISTED = 200  # of injected memories and changed things in the header; the body has the number
TEXT_CHARS = 20_000  # of each part of the body
STEPS = 500
SECTIONS = ("Asked", "Done", "Said of it", "Evidence", "Injected", "Changed", "Steps")
_PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.@/+-]*")
_SEAL = re.compile(r'^seal: "?([0-9a-f]*)"?[ \t]*\r?\n', re.MULTILINE)
_UNREAD = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff\ud800-\udfff]")
TRUTHS = frozenset(("yes", "no", "on", "off", "y", "n", "true", "false", "null"))


def dump_receipt(receipt: Receipt, more: str = "") -> str:
    """Return the text of a receipt, sealed; `more`: sections that a person had added to an earlier one."""
    lines = ["---", *_header(receipt), "---", "", f"# Run {receipt.run}", *_body(receipt)]
    return sealed("\n".join(lines) + "\n" + (f"\n{more.strip()}\n" if more.strip() else ""))


def persons_own(text: str) -> str:
    """Return what a receipt that is made anew takes over: sections of a person's own, and all of an edited one as it stood."""
    pieces = re.split(r"^(?=## )", split(text, "").body.replace("\r\n", "\n"), flags=re.MULTILINE)[1:]
    own = [one.strip() for one in pieces if one[3:].partition("\n")[0].strip() not in SECTIONS]
    if _SEAL.search(_split(text)[1]) and not is_sealed(text):
        stood = "\n".join(f"    {line}".rstrip() for line in text.replace("\r\n", "\n").split("\n"))
        own.append(f"## As it stood before\n\n{stood.rstrip()}")
    return "\n\n".join(own)


def sealed(text: str) -> str:
    """Return a receipt's text with its seal made anew, as the last line of its header."""
    opened, header, body = _split(_unsealed(text))
    end = "\r\n" if "\r\n" in text else "\n"
    return f'{opened}{header}seal: "{_digest(opened + header + body)}"{end}{body}'


def is_sealed(text: str) -> bool:
    """Tell whether a text is as memd wrote it; line ends do not count."""
    found = _SEAL.search(_split(text)[1])
    return found is not None and found[1] == _digest(_unsealed(text))


def _unsealed(text: str) -> str:
    opened, header, body = _split(text)
    return opened + _SEAL.sub("", header, count=1) + body


def judged(text: str, acceptance: Acceptance, words: str, *, final: bool) -> str:
    """Return a receipt with what a person said of its run; the seal is made anew only where it fitted before."""
    fitted = is_sealed(text)
    end = "\r\n" if "\r\n" in text else "\n"
    opened, header, body = _split(text)
    header = _with_line(header, "acceptance", acceptance.value, end)
    header = _with_line(header, "final", "true" if final else "", end)
    if words:
        said = _indented(words).replace("\n", end)
        mark = re.search(r"^## Said of it[ \t]*\r?\n", body, re.MULTILINE)
        if mark:
            body = f"{body[: mark.end()]}{end}{said}{end}{body[mark.end() :]}"
        else:
            body = f"{body.rstrip()}{end}{end}## Said of it{end}{end}{said}{end}"
    whole = opened + header + body
    return sealed(whole) if fitted else whole


def _split(text: str) -> tuple[str, str, str]:
    """Return the line that opens a header, the header's lines, and all the rest."""
    opened = re.match(r"\ufeff?---[ \t]*\r?\n", text)
    closed = re.compile(r"^---[ \t]*\r?$", re.MULTILINE).search(text, opened.end()) if opened else None
    if opened is None or closed is None:
        return "---\n", "", f"---\n\n{text}"
    return text[: opened.end()], text[opened.end() : closed.start()], text[closed.start() :]


def _with_line(header: str, key: str, value: str, end: str) -> str:
    """Return a header with one plain value set, or taken out where it is ""."""
    line = re.compile(rf"^{key}:.*\r?\n", re.MULTILINE)
    fresh = f"{key}: {value}{end}" if value else ""
    if line.search(header):
        return line.sub(fresh, header, count=1)
    return header + fresh


def _digest(text: str) -> str:
    return hashlib.sha256(text.replace("\r\n", "\n").encode("utf-8", "surrogatepass")).hexdigest()


def _header(receipt: Receipt) -> Iterator[str]:
    yield f"run: {_quoted(receipt.run)}"
    yield f"state: {receipt.state.value}"
    yield f"acceptance: {receipt.acceptance.value}"
    if receipt.final:
        yield "final: true"
    for key in ("task", "session", "role", "started_at", "ended_at", "snapshot"):
        value = getattr(receipt, key)
        if value:
            yield f"{key}: {_quoted(value)}"
    if receipt.skills:
        yield "skills:"
        yield from (f"  - {_quoted(str(one))}" for one in receipt.skills[:SKILLS])
    yield from _bounded("injected", _items(receipt.injected))
    yield from _bounded("tools", [f"  {_quoted(tool)}: {count}" for tool, count in receipt.tools.items()])
    yield f"iterations: {receipt.iterations}"
    if receipt.max_tool_iterations:
        yield f"max_tool_iterations: {receipt.max_tool_iterations}"
    yield f"events: {receipt.events}"
    if receipt.usage:
        yield "usage:"
        yield from (f"  {key}: {value}" for key, value in receipt.usage.items())


def _items(values: Sequence[str]) -> list[str]:
    return [f"  - {_quoted(one)}" for one in values]


def _fitting(lines: Sequence[str]) -> int:
    """Return how many lines of a list leave the header short enough to be read."""
    size = 0
    for number, line in enumerate(lines[:LISTED]):
        size += len(line.encode("utf-8", "surrogatepass")) + 1
        if size > LIST_BYTES:
            return number
    return min(len(lines), LISTED)


def _bounded(key: str, lines: Sequence[str]) -> Iterator[str]:
    kept = lines[: _fitting(lines)]
    if kept:
        yield from (f"{key}:", *kept)


def _quoted(text: str) -> str:
    """Return a text as YAML reads it back: quoted where it must be, with what YAML does not read escaped."""
    if _PLAIN.fullmatch(text) and not text[0].isdigit() and text.casefold() not in TRUTHS:
        return text
    return _UNREAD.sub(lambda found: f"\\u{ord(found[0]):04x}", json.dumps(text, ensure_ascii=False))


def _body(receipt: Receipt) -> Iterator[str]:
    parts: dict[str, str] = {
        "Asked": _indented(receipt.asked),
        "Done": _indented(receipt.summary),
        "Said of it": _indented(receipt.words),
        "Evidence": "\n".join(f"- {one_line(one)}" for one in receipt.evidence),
        "Injected": "\n".join(f"- {one_line(one)}" for one in receipt.injected[_fitting(_items(receipt.injected)) :]),
        "Changed": "\n".join(f"- {one_line(one)}" for one in receipt.changed),
        "Steps": "\n".join(dump_step(number, one) for number, one in enumerate(receipt.steps[:STEPS], 1)),
    }
    for title in SECTIONS:
        if parts[title]:
            yield from ("", f"## {title}", "", parts[title])


def _indented(text: str) -> str:
    """Return a text in which no line is a heading of ours: what looks like one is escaped."""
    clean = text[:TEXT_CHARS].replace("\r\n", "\n").replace("\0", "").strip()
    return "\n".join(f"\\{line}" if re.match(r"\\*#|\\*---", line) else line for line in clean.split("\n"))


def _unindented(text: str) -> str:
    return "\n".join(line[1:] if re.match(r"\\+(?:#|---)", line) else line for line in text.strip().split("\n"))


def as_kept(text: str) -> str:
    """Return a text as a receipt gives it back."""
    return _unindented(_indented(text))


def load_receipt(text: str, name: str) -> tuple[Receipt, tuple[Fault, ...]]:
    """Return what a receipt says, and what of it could not be read; what a person changed counts."""
    page = split(text, name)
    faults = list(page.faults)
    header = page.header

    def said(key: str) -> str:
        value = header.get(key)
        return value if isinstance(value, str) else ""

    def one_of(kind: type[RunState | Acceptance], key: str, default: Any) -> Any:
        try:
            return kind(said(key)) if said(key) else default
        except ValueError:
            why = f"{said(key)!r:.60} is no {key} of a run; {default.value} is taken"
            faults.append(Fault(name, _line(text, key), 1, why, "run.value"))
            return default

    parts = _parts(page)
    return Receipt(
        run=said("run") or name.rpartition("/")[2].removesuffix(".md"),
        state=one_of(RunState, "state", RunState.COMPLETED),
        acceptance=one_of(Acceptance, "acceptance", Acceptance.PENDING),
        final=said("final") == "true",
        task=said("task"), session=said("session"), role=said("role"),
        started_at=said("started_at"), ended_at=said("ended_at"), snapshot=said("snapshot"),
        skills=tuple(map(SkillUse.read, _texts(header.get("skills")))),
        injected=(*_texts(header.get("injected")), *_bullets(parts.get("Injected", ""))),
        tools={tool: _number(count) for tool, count in _pairs(header.get("tools"))},
        iterations=_number(said("iterations")), max_tool_iterations=_number(said("max_tool_iterations")), events=_number(said("events")),
        usage={key: _amount(value) for key, value in _pairs(header.get("usage"))},
        asked=_unindented(parts.get("Asked", "")), summary=_unindented(parts.get("Done", "")),
        words=_unindented(parts.get("Said of it", "")),
        evidence=_bullets(parts.get("Evidence", "")), changed=_bullets(parts.get("Changed", "")),
        steps=tuple(load_steps(parts.get("Steps", ""))),
        edited=bool(said("seal")) and not is_sealed(text),
    ), tuple(faults)  # fmt: skip


def _parts(page: Page) -> dict[str, str]:
    found: dict[str, str] = {}
    for piece in re.split(r"^## ", page.body.replace("\r\n", "\n"), flags=re.MULTILINE)[1:]:
        title, _, rest = piece.partition("\n")
        found.setdefault(title.strip(), rest.strip("\n"))
    return found


def _texts(value: Any) -> tuple[str, ...]:
    if isinstance(value, str):
        return tuple(part.strip() for part in value.split(",") if part.strip())
    return tuple(one for one in value if isinstance(one, str)) if isinstance(value, list) else ()


def _pairs(value: Any) -> list[tuple[str, str]]:
    return [(key, one) for key, one in value.items() if isinstance(one, str)] if isinstance(value, dict) else []


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 16 else 0


def _amount(text: str) -> float | int:
    return (
        _number(text)
        if text.isdigit()
        else float(text)
        if re.fullmatch(r"\d{1,15}(?:\.\d{1,9})?(?:e-\d{1,3})?", text)
        else 0
    )


def _bullets(text: str) -> tuple[str, ...]:
    return tuple(line[2:].strip() for line in text.split("\n") if line.startswith("- "))


def _line(text: str, key: str) -> int:
    at = text.find(f"\n{key}:")
    return text.count("\n", 0, at) + 2 if at >= 0 else 1
