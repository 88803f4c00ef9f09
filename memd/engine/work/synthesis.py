"""Compose the draft of a skill from what the runs of an accepted task show, without a model.

Whatever comes from a run is a quotation: it stays in its line, opens no heading, list, fence or tag, and is bounded.

Units
    *_CHARS are characters of the text; the budgets of SECTIONS together are less than BODY_CHARS.
Source
    docs/learning.md#6-skills; agentskills.io, specification; CommonMark 0.31 for what may begin a block in a line.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memd.engine.work import alignment
from memd.engine.work.alignment import EXAMPLES, Learned, SharedStep, code, in_short, one_line, plain
from memd.engine.work.evidence import Pitfall, corrections, pitfalls
from memd.model.tasks import DESCRIPTION_CHARS, NAME_CHARS, SkillText, is_skill_name
from memd.text import expressions as re
from memd.text.characters import CJK

if TYPE_CHECKING:
    from memd.model.runs import Step, Story

BODY_CHARS, SECTION_LINES = 20_000, 70
TITLE_CHARS, ASKED_CHARS, SAID_CHARS, ID_CHARS, CALL_CHARS = 120, 400, 500, 64, 400
PITFALL_CHARS, ASKS, PLACES, RUNS_TOLD, TOOLS_IN_NAME = 240, 5, 4, 10, 4
UNNAMED = "learned-skill"

# Every sentence of a draft: in English, and the same in Chinese.
WORDS: dict[str, tuple[str, str]] = {
    "when": ("When to use", "何时使用"),
    "inputs": ("Inputs", "输入"),
    "steps": ("Steps", "步骤"),
    "corrections": ("Corrections", "修改要求"),
    "pitfalls": ("Pitfalls", "易错之处"),
    "check": ("Check", "检查"),
    "when_intro": ("When something like this is asked:", "遇到类似这样的请求时："),
    "inputs_intro": ("What differed from call to call; fill it in anew:", "各次调用中不同的内容，使用时要重新填写："),
    "steps_intro": (
        "Steps of run {run}, with how many of the runs took each:",
        "运行 {run} 的步骤，并注明几次运行这样做：",
    ),
    "steps_of_one": ("Steps of run {run}, the only one to learn from:", "运行 {run} 的步骤（只有这一次可供学习）："),
    "corrections_intro": ("Asked to be changed; keep to it from the start:", "曾被要求修改之处，从一开始就要做到："),
    "pitfalls_intro": ("What went wrong, and what was done instead:", "出过的问题，以及后来的做法："),
    "check_intro": ("How the run that was accepted ended:", "被接受的那次运行的结果："),
    "check_of_another": ("How the last completed run ended:", "最后一次完成的运行的结果："),
    "seen": ("{what} ({where}): {examples}", "{what}（{where}）：{examples}"),
    "place": ("{tool} in step {number}", "第 {number} 步 {tool}"),
    "call": ("{tool} with {given}", "{tool}，参数 {given}"),
    "each": ("For each {what}: {call}", "对每个 {what}：{call}"),
    "again": ("{call}, several times", "{call}，重复多次"),
    "taken": ("{call} ({runs} of {total} runs)", "{call}（{total} 次运行中有 {runs} 次）"),
    "step_failed": ("{call} failed{said}.", "{call} 失败{said}。"),
    "worked": (" What worked: {call}.", "后来可行的是：{call}。"),
    "worked_later": (" The same call worked later.", "后来同样的调用成功了。"),
    "worked_after": (" The same call worked after {tools}.", "在 {tools} 之后，同样的调用成功了。"),
    "failed": ("Run {run} failed{said}", "运行 {run} 失败{said}"),
    "interrupted": ("Run {run} was interrupted{said}", "运行 {run} 被中断{said}"),
    "cancelled": ("Run {run} was cancelled{said}", "运行 {run} 被取消{said}"),
    "abandoned": ("Run {run} was given up by the person{said}", "运行 {run} 被用户放弃{said}"),
    "said": (": {said}", "：{said}"),
    "also_used": (" (run {run} also used {tools})", "（运行 {run} 还用到 {tools}）"),
    "praise": ("Said when it was accepted: {said}", "接受时的评语：{said}"),
    "more": ("… and {number} more, left out here.", "……另有 {number} 项，此处从略。"),
    "origin": ("Learned from task {task}{role}: runs {runs}{final}", "学自任务 {task}{role}：运行 {runs}{final}"),
    "role": (" of role {role}", "（角色 {role}）"),
    "final": ("; accepted: {run}", "；被接受的是 {run}"),
    "comma": (", ", "、"),
    "described": ("{title}. Use when asked for something like: {asked}", "{title}。遇到这样的请求时使用：{asked}"),
    "described_shortly": ("{title}. Use when this is to be done again.", "{title}。再次需要做这件事时使用。"),
    "untitled": ("What accepted runs did", "已接受的运行中的做法"),
    "untitled_with": ("What accepted runs did with {tools}", "已接受的运行中使用 {tools} 的做法"),
}

_HAN = re.compile("[\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
_OTHER = re.compile(f"[\u3040-\u30ff\u3131-\u318e\uac00-\ud7ff]|[^\\W\\d_{CJK}]+")
# What begins a heading, quotation, list, rule, table, footnote or definition where a line begins.
_OPENING = re.compile(r"^(\d{1,9}(?=[.)])|(?=[#>+*=|~_\[:-]))")
_UUID = re.compile(r"[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}")


@dataclass(frozen=True, slots=True)
class _Draft:
    """What a section is written from."""

    learned: Learned
    stories: tuple[Story, ...]
    compared: tuple[Story, ...]
    steps: tuple[SharedStep, ...]
    lead: Story | None
    language: int

    def say(self, key: str, **values: object) -> str:
        return WORDS[key][self.language].format(**values)

    def listed(self, texts: Iterable[str], chars: int = alignment.VALUE_CHARS) -> str:
        return self.say("comma").join(code(text, chars) for text in texts)

    def call(self, tool: str, given: Iterable[tuple[str, str]], chars: int = CALL_CHARS) -> str:
        shown: list[str] = []
        for name, value in given:
            shown.append(code(f"{name}={in_short(value)}"))
            if sum(map(len, shown)) > chars:
                shown[-1] = "…"
                break
        return self.say("call", tool=code(tool), given=self.say("comma").join(shown)) if shown else code(tool)


def draft_skill(learned: Learned, name: str = "") -> SkillText:
    """Return the draft of a skill; a name that is none, or none at all, is made from title, task or tools."""
    stories = alignment.bounded(learned.stories)
    steps, compared = alignment.shared_steps(stories), alignment.compared_runs(stories)
    language = int(is_chinese(f"{learned.title} {learned.asked}"))
    draft = _Draft(learned, stories, compared, steps, alignment.lead_of(stories), language)
    named = _name(name, learned, steps)
    title = plain(learned.title, TITLE_CHARS) or plain(" ".join(_asks(draft)[:1]), TITLE_CHARS) or named
    lines = [f"# {title}", ""]
    for key, write, chars in SECTIONS:
        intro, said = write(draft)
        if said:
            lines += [f"## {draft.say(key)}", "", intro, "", *_fitted(draft, key, said, chars), ""]
    return SkillText(named, _description(draft), "\n".join([*lines, _origin(draft)]), _metadata(draft))


def is_chinese(text: str) -> bool:
    """Tell whether a text is mostly Chinese: one Han character weighs as much as one word of another script."""
    han = len(_HAN.findall(text))
    return han > 0 and han >= len(_OTHER.findall(text))


def _opened(text: str) -> str:
    """Return prose that may stand where a line or the text of a list item begins."""
    return _OPENING.sub(r"\1\\", text)


def _asks(draft: _Draft) -> list[str]:
    """Return what was asked for. A run that was sent back is asked anew in the words of the correction: not these."""
    accepted = (story.asked for story in draft.stories if alignment.is_accepted(story))
    again = {one_line(words, ASKED_CHARS) for words in corrections(draft.stories)}
    asked = (one_line(text, ASKED_CHARS) for text in (draft.learned.asked, *accepted))
    return list(dict.fromkeys(text for text in asked if text and text not in again))[:ASKS]


def _when(draft: _Draft) -> tuple[str, list[str]]:
    return draft.say("when_intro"), [_opened(plain(text, ASKED_CHARS)) for text in _asks(draft)]


def _inputs(draft: _Draft) -> tuple[str, list[str]]:
    found: dict[str, tuple[list[str], list[str]]] = {}
    for number, step in enumerate(draft.steps, 1):
        for argument in step.arguments:
            if argument.varied:
                places, seen = found.setdefault(argument.value, ([], []))
                places.append(draft.say("place", number=number, tool=code(step.tool)))
                seen.extend(argument.examples)
    lines: list[str] = []
    for what, (places, seen) in found.items():
        where, examples = draft.say("comma").join(places[:PLACES]), draft.listed(list(dict.fromkeys(seen))[:EXAMPLES])
        lines.append(draft.say("seen", what=code(what), where=where, examples=examples))
    return draft.say("inputs_intro"), lines


def _steps(draft: _Draft) -> tuple[str, list[str]]:
    total = len(draft.compared)
    lines: list[str] = []
    for step in draft.steps:
        line = draft.call(step.tool, ((one.name, one.value) for one in step.arguments))
        each = [one.value for one in step.arguments if one.each]
        if step.repeated:
            line = draft.say("each", what=draft.listed(each), call=line) if each else draft.say("again", call=line)
        lines.append(line if total == 1 else draft.say("taken", call=line, runs=step.runs, total=total))
    run = code(draft.compared[0].run, ID_CHARS) if total else ""
    return draft.say("steps_intro" if total > 1 else "steps_of_one", run=run, total=total), lines


def _corrections(draft: _Draft) -> tuple[str, list[str]]:
    return draft.say("corrections_intro"), [_opened(plain(words, SAID_CHARS)) for words in corrections(draft.stories)]


def _pitfalls(draft: _Draft) -> tuple[str, list[str]]:
    found = pitfalls(draft.stories)
    lines = [_run_line(draft, one) if one.step is None else _step_line(draft, one, one.step) for one in found]
    return draft.say("pitfalls_intro"), lines


def _step_line(draft: _Draft, pitfall: Pitfall, step: Step) -> str:
    given = alignment.given_to(step)
    call, result = draft.call(step.tool, given.items(), PITFALL_CHARS), in_short(step.result)
    line = draft.say("step_failed", call=call, said=draft.say("said", said=code(result)) if result else "")
    if pitfall.instead is None:
        return line
    other = alignment.given_to(pitfall.instead)
    if other != given:
        return line + draft.say("worked", call=draft.call(step.tool, other.items(), PITFALL_CHARS))
    key = "worked_after" if pitfall.between else "worked_later"
    return line + draft.say(key, tools=draft.listed(pitfall.between))


def _run_line(draft: _Draft, pitfall: Pitfall) -> str:
    story = pitfall.story
    said = plain(story.words or story.summary, SAID_CHARS)
    line = draft.say(pitfall.kind, run=code(story.run, ID_CHARS), said=draft.say("said", said=said) if said else "")
    if draft.lead is None or not pitfall.between:
        return line
    return line + draft.say("also_used", run=code(draft.lead.run, ID_CHARS), tools=draft.listed(pitfall.between))


def _check(draft: _Draft) -> tuple[str, list[str]]:
    lead = draft.lead
    if lead is None:
        return "", []
    is_accepted = alignment.is_accepted(lead)
    summary, praise = _opened(plain(lead.summary, SAID_CHARS)), plain(lead.words, SAID_CHARS) if is_accepted else ""
    lines = [summary, draft.say("praise", said=praise) if praise else ""]
    return draft.say("check_intro" if is_accepted else "check_of_another"), [line for line in lines if line]


SECTIONS: tuple[tuple[str, Callable[[_Draft], tuple[str, list[str]]], int], ...] = (
    ("when", _when, 1_800),
    ("inputs", _inputs, 2_400),
    ("steps", _steps, 7_000),
    ("corrections", _corrections, 2_500),
    ("pitfalls", _pitfalls, 2_500),
    ("check", _check, 1_300),
)


def _fitted(draft: _Draft, key: str, said: list[str], chars: int) -> list[str]:
    """Return the lines as a list, as many as fit, and how many do not."""
    lines: list[str] = []
    for number, line in enumerate(said, 1):
        lines.append(f"{number}. {line}" if key == "steps" else f"- {line}")
        chars -= len(lines[-1]) + 1
        if chars < 0 or number > SECTION_LINES:
            left = draft.say("more", number=len(said) - number + 1)
            lines[-1] = f"{number}. {left}" if key == "steps" else f"- {left}"
            break
    return lines


def _origin(draft: _Draft) -> str:
    learned, runs = draft.learned, [story.run for story in draft.stories]
    told = draft.listed(runs[:RUNS_TOLD], ID_CHARS) + ("…" if len(runs) > RUNS_TOLD else "")
    role = draft.say("role", role=code(learned.role, ID_CHARS)) if learned.role.strip() else ""
    finals = [story.run for story in draft.stories if story.final]
    final = draft.say("final", run=code(finals[-1], ID_CHARS)) if finals else ""
    return draft.say("origin", task=code(learned.task, ID_CHARS), role=role, runs=told, final=final)


def _metadata(draft: _Draft) -> tuple[tuple[str, str], ...]:
    runs = ["_".join(one_line(story.run, ID_CHARS).split()) for story in draft.stories]
    final = next((run for run, story in zip(runs[::-1], draft.stories[::-1], strict=True) if story.final), "")
    pairs = (
        ("memd-task", one_line(draft.learned.task, ID_CHARS)),
        ("memd-runs", " ".join(runs)),
        ("memd-final-run", final),
    )
    return tuple((key, value) for key, value in pairs if value)


def _description(draft: _Draft) -> str:
    asks = _asks(draft)
    asked = " / ".join(asks[:2])
    title = one_line(draft.learned.title, TITLE_CHARS * 2).rstrip(" .。!！?？:：;；") or one_line(asked, TITLE_CHARS)
    if not title:
        tools = draft.say("comma").join(dict.fromkeys(step.tool for step in draft.steps[:TOOLS_IN_NAME]))
        title = draft.say("untitled_with" if tools else "untitled", tools=tools)
    key = "described" if asked and one_line(asked, TITLE_CHARS) != title else "described_shortly"
    said = draft.say(key, title=title, asked=asked)
    return one_line(said.replace("<", "‹").replace(">", "›"), DESCRIPTION_CHARS)


def _name(wanted: str, learned: Learned, steps: tuple[SharedStep, ...]) -> str:
    tools = "-".join(list(dict.fromkeys(step.tool for step in steps))[:TOOLS_IN_NAME])
    title, task = _slug(learned.title), _slug(learned.task)
    # An identifier that a program drew says less than the tools; one that a person wrote says more.
    told = [name for name in (title, task) if _has_word(name)]
    return next(name for name in (_slug(wanted), *told, _slug(tools), title, task, UNNAMED) if is_skill_name(name))


def _slug(text: str) -> str:
    folded = unicodedata.normalize("NFKD", text[:400]).lower()
    name = "-".join(re.findall("[a-z0-9]+", re.sub("[\u0300-\u036f'’]", "", folded)))
    return name if len(name) <= NAME_CHARS else name[: NAME_CHARS + 1].rpartition("-")[0] or name[:NAME_CHARS]


def _has_word(name: str) -> bool:
    return not _UUID.search(name) and any(len(word) > 1 and word.isalpha() for word in name.split("-"))
