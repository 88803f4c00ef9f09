"""The steps of a run as lines of its receipt: tool calls with their arguments, and what failed."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from memd.formats.strict_json import StrictError, loads
from memd.model.work.run import Step

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
