"""Lay the runs of a task beside each other: the steps they share, and the inputs that varied.

Units
    *_CHARS are characters; STORIES, STEPS, ARGUMENTS and EXAMPLES are counts: what is beyond them is not looked at.
Source
    docs/learning.md#6-skills: a draft is made from the steps the runs share. Common subsequence: Wagner and Fischer, 1974.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import chain, count, islice
from typing import Any, NamedTuple

from memd.model.runs import Acceptance, RunState, Step, Story

STORIES, STEPS, ARGUMENTS, EXAMPLES = 50, 500, 12, 5
VALUE_CHARS, EXAMPLE_CHARS, WORD_CHARS, TOOL_CHARS = 160, 60, 40, 80
# More than all arguments of a run together: no likeness of arguments is worth a step less in common.
MATCH = STEPS * ARGUMENTS + 1
BREAK = " ⏎ "  # where a line ended: a script in one line would be another script

_COLOUR = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]")
# What nobody sees, what turns the direction of reading, and what no file of UTF-8 or YAML can hold.
_UNSEEN = re.compile(
    "[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ud800-\udfff"
    "\ufeff\ufff9-\ufffb\ufffe\uffff\U000e0000-\U000e0fff]"
)
_SPAN = re.compile(r"(`[^`]+`)")
# What such a tool is given is the step itself: five commands are five steps and not one step done five times.
_RUNS_COMMANDS = re.compile(r"(?i)bash|shell|terminal|command|cmd|exec|python")
_COMMANDS = frozenset({"command", "commands", "cmd", "script", "code", "sql"})


@dataclass(frozen=True, slots=True)
class Learned:
    """What there is to learn from: an accepted task with all its runs, oldest first, and perhaps those of other tasks."""

    task: str
    title: str
    asked: str
    role: str
    stories: tuple[Story, ...]


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument of a shared step. One that varied has a placeholder as its value.

    `each`: it varied within one run, from call to call.
    """

    name: str
    value: str
    varied: bool = False
    examples: tuple[str, ...] = ()
    each: bool = False


@dataclass(frozen=True, slots=True)
class SharedStep:
    """A step of the leading run; `runs` counts those that took it, `sample` is what it gave in the leading run.

    `repeated`: several calls in a row, told as one.
    """

    tool: str
    runs: int
    arguments: tuple[Argument, ...] = ()
    sample: str = ""
    repeated: bool = False


class _Call(NamedTuple):
    tool: str
    given: dict[str, str]
    items: frozenset[tuple[str, str]]
    result: str


_Column = dict[int, _Call]  # a step of the leading run: number of a run -> its call; 0 is the leading run

_Values = dict[int, tuple[str, ...]]  # number of a run -> what it gave for one argument
_Taken = dict[str, tuple[str, _Values]]  # placeholder -> the argument it stands for. Two that vary together are one


def without_unseen(text: str) -> str:
    """Return a text without colours of terminals, control characters and invisible ones; line ends stay."""
    return _UNSEEN.sub("", _COLOUR.sub("", text))


def one_line(text: str, chars: int) -> str:
    """Return a text in one line of at most so many characters, "…" where it went on."""
    room = chars * 4 + 400
    line = " ".join(without_unseen(text[:room]).split())
    return line if len(line) <= chars and len(text) <= room else line[: chars - 1].rstrip() + "…"


def in_short(text: str, chars: int = VALUE_CHARS) -> str:
    """Return a value in one line, with a mark where its lines ended."""
    room = chars * 4 + 400
    line = one_line(BREAK.join(text[:room].strip().splitlines()), chars)
    return line if len(text) <= room or line.endswith("…") else line[: chars - 1] + "…"


def code(text: str, chars: int = VALUE_CHARS + WORD_CHARS) -> str:
    """Return a text as code within a line."""
    inner = one_line(text.replace("`", "'"), chars)
    return f"`{inner}`" if inner else '`""`'


def plain(text: str, chars: int) -> str:
    """Return a text as prose within a line: what would be a tag, a link or a picture is read as it was written."""
    # A backslash before our own would undo it.
    line = re.sub(r"\\+(?=`)", "", re.sub("`{2,}", "'", one_line(text, chars)))
    parts = _SPAN.split(line)
    parts[::2] = [re.sub(r"\\*([<`])|(?<=\])(\()|(?<=!)(\[)", r"\\\1\2\3", part) for part in parts[::2]]
    return "".join(parts)


def given_to(step: Step) -> dict[str, str]:
    """Return the arguments of a step by name, each as a text; a text instead of arguments is named `input`."""
    if isinstance(step.arguments, str):
        return {"input": step.arguments} if step.arguments.strip() else {}
    first = islice(step.arguments.items(), ARGUMENTS)
    return {one_line(str(name), WORD_CHARS) or "input": _as_text(value) for name, value in first}


def tool_of(step: Step) -> str:
    """Return how the tool of a step is called, in one line."""
    return one_line(step.tool, TOOL_CHARS) or "?"


def lead_of(stories: Iterable[Story]) -> Story | None:
    """Return the run to learn from: the newest final one, else the newest accepted, else the newest completed."""
    newest = list(stories)[::-1]
    found = (story for is_wanted in _RANKS for story in newest if is_wanted(story))
    return next(found, None)


def bounded(stories: tuple[Story, ...]) -> tuple[Story, ...]:
    """Return the newest runs, as many as are looked at; the leading one is always among them."""
    newest, lead = stories[-STORIES:], lead_of(stories)
    return newest if lead is None or any(story is lead for story in newest) else (lead, *newest[1:])


def compared_runs(stories: tuple[Story, ...]) -> tuple[Story, ...]:
    """Return the runs whose steps are compared: the leading one with steps, then the others, oldest first."""
    stepped = [story for story in bounded(stories) if story.steps]
    lead = lead_of(stepped)
    others = [story for story in stepped if story is not lead and _is_completed(story)]
    return (lead, *others) if lead else ()


def shared_steps(stories: tuple[Story, ...]) -> tuple[SharedStep, ...]:
    """Return the steps of the leading run, with how many runs took each, and which arguments were inputs."""
    runs = [_calls(story) for story in compared_runs(stories)]
    if not runs:
        return ()
    columns: list[_Column] = [{0: call} for call in runs[0]]
    for number, calls in enumerate(runs[1:], 1):
        for at, to in _aligned(runs[0], calls):
            columns[at][number] = calls[to]
    taken: _Taken = {}
    groups = _folded(columns)
    # What most runs did comes first: it tells which inputs there are, and a call of one run alone may be of them.
    order = sorted(range(len(groups)), key=lambda at: -len(frozenset().union(*groups[at])))
    made = {at: _shared(groups[at], taken) for at in order}
    return tuple(made[at] for at in range(len(groups)))


def is_accepted(story: Story) -> bool:
    """Tell whether a person took what a run came to."""
    return story.final or story.acceptance is Acceptance.ACCEPTED


def _is_completed(story: Story) -> bool:
    return story.state is RunState.COMPLETED and story.acceptance is not Acceptance.ABANDONED


_RANKS: tuple[Callable[[Story], bool], ...] = (lambda story: story.final, is_accepted, _is_completed)


def _as_text(value: Any) -> str:
    if isinstance(value, str):
        return value
    try:
        return json.dumps(value, ensure_ascii=False, sort_keys=True, default=lambda one: type(one).__name__)
    except (TypeError, ValueError, RecursionError):
        return type(value).__name__


def _calls(story: Story) -> list[_Call]:
    """Return the calls of a run without those that failed and that a later call of the same tool made good."""
    kept: list[_Call] = []
    worked: set[str] = set()
    for step in reversed(story.steps[:STEPS]):
        if step.failed and step.tool in worked:
            continue
        if not step.failed:
            worked.add(step.tool)
        given = given_to(step)
        kept.append(_Call(step.tool, given, frozenset(given.items()), step.result))
    return kept[::-1]


def _aligned(lead: list[_Call], other: list[_Call]) -> list[tuple[int, int]]:
    """Return which calls belong together: as many as can by tool, and among such choices the likest by arguments."""
    rows = [[0] * (len(other) + 1)]
    for tool, _, items, _ in lead:
        left, corner, row = 0, 0, [0]
        for two, above in zip(other, islice(rows[-1], 1, None), strict=True):
            if above > left:  # noqa: PLR1730 - a quarter of a million times a run; `max` takes as long again
                left = above
            if two[0] == tool and (best := corner + MATCH + len(items & two[2])) > left:
                left = best
            corner = above
            row.append(left)
        rows.append(row)
    pairs: list[tuple[int, int]] = []
    at, to = len(lead), len(other)
    while at and to:
        if rows[at][to] == rows[at - 1][to]:
            at -= 1
        elif rows[at][to] == rows[at][to - 1]:
            to -= 1
        else:
            at, to = at - 1, to - 1
            pairs.append((at, to))
    return pairs[::-1]


def _folded(columns: list[_Column]) -> list[list[_Column]]:
    """Return the columns in groups; a group is one step, done once or again and again."""
    groups: list[list[_Column]] = []
    for column in columns:
        if groups and _is_repetition(groups[-1][-1], column):
            groups[-1].append(column)
        else:
            groups.append([column])
    return groups


def _is_repetition(before: _Column, after: _Column) -> bool:
    one, two = before[0], after[0]
    if one.tool != two.tool:
        return False
    differing = [name for name in one.given.keys() & two.given.keys() if one.given[name] != two.given[name]]
    if differing and (_RUNS_COMMANDS.search(one.tool) or not _COMMANDS.isdisjoint(differing)):
        return False
    # What every run did alike at this place and otherwise at the next one is a sequence, not a repetition.
    return not any(_is_fixed(before, name) and _is_fixed(after, name) for name in differing)


def _is_fixed(column: _Column, name: str) -> bool:
    return len(column) > 1 and len({call.given.get(name) for call in column.values()}) == 1


def _shared(group: list[_Column], taken: _Taken) -> SharedStep:
    calls: dict[int, list[_Call]] = {}
    for column in group:
        for number, call in column.items():
            calls.setdefault(number, []).append(call)
    names = dict.fromkeys(name for call in calls[0] for name in call.given)
    arguments = tuple(_argument(name, calls, taken) for name in islice(names, ARGUMENTS))
    last = calls[0][-1]
    return SharedStep(tool_of(Step(last.tool)), len(calls), arguments, in_short(last.result), len(group) > 1)


def _argument(name: str, calls: dict[int, list[_Call]], taken: _Taken) -> Argument:
    values = {run: tuple(call.given[name] for call in made if name in call.given) for run, made in calls.items()}
    distinct = dict.fromkeys(value for run in sorted(values) for value in values[run])
    known = next((key for key, (of, seen) in taken.items() if of == name and _agree(seen, values)), "")
    if len(distinct) == 1 and (len(values) > 1 or not known):
        return Argument(name, in_short(next(iter(distinct))))
    key = known or _free(re.sub(r"[^\w.-]+", "-", name).strip("-") or "input", taken)
    taken[key] = name, (taken[key][1] if known else {}) | values
    examples = tuple(dict.fromkeys(in_short(value, EXAMPLE_CHARS) for value in distinct))[:EXAMPLES]
    return Argument(name, f"<{key}>", True, examples, len(set(values[0])) > 1)


def _agree(one: _Values, two: _Values) -> bool:
    return all(one[run] == two[run] for run in one.keys() & two.keys())


def _free(word: str, taken: _Taken) -> str:
    return next(key for key in chain([word], (f"{word}-{number}" for number in count(2))) if key not in taken)
