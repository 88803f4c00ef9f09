"""What stands in for a model and a person, so that the loop in agent.py can be shown: two scenarios, written out.

`en`: the weekly sales report, from the figures of two regions. `zh`: 产品周会的纪要，由会议转写稿整理而来。
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Call:
    """A tool call."""

    tool: str
    arguments: dict[str, Any]


@dataclass(frozen=True)
class Reply:
    """What a model answers: text, tool calls, or both; `usage` as its vendor counts it."""

    text: str = ""
    calls: tuple[Call, ...] = ()
    usage: dict[str, int] = field(default_factory=dict)


class ScriptedModel:
    """A model that answers from a list. A real one would be sent the sections, the messages and its tools."""

    def __init__(self, replies: Iterable[Reply]) -> None:
        self.replies = iter(replies)

    def reply(self, given: dict[str, Any]) -> Reply:
        """Return the next reply of the list; its tokens are a guess, four characters each."""
        answer = next(self.replies)
        said = len(answer.text) + sum(len(str(call.arguments)) for call in answer.calls)
        return Reply(answer.text, answer.calls, {"input_tokens": given["chars"] // 4, "output_tokens": said // 4})


@dataclass(frozen=True)
class Attempt:
    """One run: what is asked, what the model answers, and what the person then says of it."""

    asked: str
    replies: tuple[Reply, ...]
    verdict: str
    words: str


@dataclass(frozen=True)
class Job:
    """A task, and the runs it takes until it is accepted."""

    title: str
    asked: str
    attempts: tuple[Attempt, ...]


# Of a file, with what returns the lines of a file: what to say of it, and whether it passed.
Check = Callable[[str, Callable[[str], list[str]]], tuple[str, bool]]


@dataclass(frozen=True)
class Scenario:
    """A project and two tasks in it: what is learned from the first is used in the second.

    `known` is what the person asked to be remembered, `check` what the project's files must pass, `approval` what the
    person says to the draft. `skill` is its name: played again, the scenario publishes its next version.
    """

    person: str
    known: str
    files: dict[str, str]
    check: Check
    first: Job
    approval: str
    skill: str
    later: Job

    def laid_out(self, place: Path) -> Path:
        """Write the project's files into a directory, and return it."""
        for name, text in self.files.items():
            (place / name).parent.mkdir(parents=True, exist_ok=True)
            (place / name).write_text(text, "utf-8")
        return place


SOURCE = re.compile(r"\[([^\[\]:]+):(\d+)(?:-(\d+))?\]")  # [sales/week-36-north.csv:2-3], [转写/9月7日.txt:4]


def check(path: str, lines_of: Callable[[str], list[str]], *, words: tuple[str, str, str]) -> tuple[str, bool]:
    """Look whether every list item of a file names its source and agrees with it; return what to say, and if it passed."""
    passed, no_source, not_there = words
    items = [(number, line) for number, line in enumerate(lines_of(path), 1) if line.startswith("- ")]
    faults: list[str] = []
    for number, item in items:
        cited = [line for found in SOURCE.findall(item) for line in _cited(lines_of, *found)]
        known = [_figures(line) for line in cited]
        founded = {figure for line in known for figure in line} | {sum(line[-1] for line in known if line)}
        wrong = [one for one in _figures(SOURCE.sub("", item)) if one not in founded]
        why = no_source if not cited else not_there.format(*wrong) if wrong else ""
        faults += [f"{path}:{number}: {why}"] if why else []
    return ("\n".join(faults), False) if faults else (passed.format(path=path, items=len(items)), bool(items))


def _cited(lines_of: Callable[[str], list[str]], path: str, first: str, last: str) -> list[str]:
    return lines_of(path)[int(first) - 1 : int(last or first)]


def _figures(text: str) -> list[int]:
    return [int(figure) for figure in re.findall(r"\d+", text)]


def _read(*paths: str) -> tuple[Call, ...]:
    return tuple(Call("read_file", {"path": path}) for path in paths)


def _write(path: str, *lines: str) -> Call:
    return Call("write_file", {"path": path, "content": "\n".join(lines) + "\n"})


def _check(path: str) -> Call:
    return Call("run_checks", {"path": path})


def _sales(north: tuple[int, int], south: tuple[int, int]) -> tuple[str, str]:
    rows = "product,euros\nmugs,{}\nbowls,{}\n"
    return rows.format(*north), rows.format(*south)


_WEEKS = {
    36: _sales((1440, 1350), (960, 1480)),
    37: _sales((1520, 1290), (1105, 1370)),
    38: _sales((1610, 1420), (890, 1555)),
    39: _sales((1385, 1460), (1030, 1610)),
}
_NORTH, _SOUTH = "[sales/week-{0}-north.csv:2-3]", "[sales/week-{0}-south.csv:2-3]"


def _regions(week: int) -> tuple[str, str]:
    return f"sales/week-{week}-north.csv", f"sales/week-{week}-south.csv"


def _report(week: int, *items: str) -> Call:
    text = "\n".join((f"# Sales, week {week}", "", *(f"- {item}" for item in items), ""))
    named = text.replace("(n)", _NORTH.format(week)).replace("(s)", _SOUTH.format(week))
    return Call("write_file", {"path": f"reports/week-{week}.md", "content": named})


_REPORT = Job(
    "Weekly sales report",
    "Write the sales report of a week from the figures of the two regions.",
    (
        Attempt(
            "Write the sales report for week 36.",
            (
                Reply("I read the figures of both regions first.", _read(*_regions(36))),
                Reply("", (_report(36, "North: 2790 euros", "South: 2440 euros", "Total: 5230 euros"),)),
                Reply("The report for week 36 is in reports/week-36.md."),
            ),
            "revise",
            "Name the file and the lines behind every figure, and run the checks before you hand it in.",
        ),
        Attempt(
            "Do the same for week 37.",
            (
                Reply("", _read(*_regions(37))),
                Reply(
                    "", (_report(37, "North: 2810 euros (n)", "South: 2475 euros (s)", "Total: 5825 euros (n) (s)"),)
                ),
                # This one wrote its call into the text: memd names it, and the loop makes it all the same.
                Reply(
                    "Let me run the checks.\n<tool_call>\n"
                    '{"name": "run_checks", "arguments": {"path": "reports/week-37.md"}}\n</tool_call>'
                ),
                Reply(
                    "The total was a slip of mine; 2810 and 2475 are 5285.",
                    (
                        _report(37, "North: 2810 euros (n)", "South: 2475 euros (s)", "Total: 5285 euros (n) (s)"),
                        _check("reports/week-37.md"),
                    ),
                ),
                Reply("The report for week 37 is in reports/week-37.md, and the checks pass."),
            ),
            "revise",
            "Put the total first: I read it on my phone and stop after one line.",
        ),
        Attempt(
            "Write the sales report for week 38.",
            (
                Reply("", _read(*_regions(38))),
                Reply(
                    "The total goes first.",
                    (
                        _report(38, "Total: 5475 euros (n) (s)", "North: 3030 euros (n)", "South: 2445 euros (s)"),
                        _check("reports/week-38.md"),
                    ),
                ),
                Reply("The report is written: the total first, a source behind each figure, the checks pass."),
            ),
            "accept",
            "Yes, like this every week.",
        ),
    ),
)
_NEXT_REPORT = Job(
    "Sales report for week 39",
    "Write the sales report for week 39.",
    (
        Attempt(
            "Write the sales report for week 39.",
            (
                Reply("I follow the skill.", _read(*_regions(39))),
                Reply(
                    "",
                    (
                        _report(39, "Total: 5485 euros (n) (s)", "North: 2845 euros (n)", "South: 2640 euros (s)"),
                        _check("reports/week-39.md"),
                    ),
                ),
                Reply("The report for week 39 is written, the total first, and the checks pass."),
            ),
            "accept",
            "Right at the first try.",
        ),
    ),
)

_TRANSCRIPTS = {
    "9月7日": """老周：人齐了就开始吧。昨晚的球赛看了没有？
小赵：看了，补时进的球。说正事，首页设计稿昨天定了。
老周：那首页就按第2版设计稿做，9月21日上线，没意见吧？
小陈：没意见。埋点我来补，9月16日前弄完。
小赵：客服说登录慢，我去查，9月11日给结论。
老周：行，散会。""",
    "9月14日": """老周：先说登录的事。
小赵：查过了，慢在短信网关，换一家就好，合同我来谈，9月25日前签。
老周：好，短信网关换掉。小陈，埋点呢？
小陈：还差支付页，9月18日补完。对了，楼下新开了家面馆，味道不错。
老周：首页上线改到9月23日，给测试多留两天。散会。""",
    "9月21日": """小陈：我先说，埋点都补完了。
老周：好。首页23日上线，上线当晚谁值班？
小赵：我值班，23日晚上10点发版。
老周：国庆前不再发新版，9月28日起封版。
小陈：那发版说明我9月24日写好。中秋月饼领了吗？
老周：领了领了，散会。""",
    "9月28日": """老周：首页上线一周，说说数据。
小陈：跳出率从41%降到35%，周报我10月9日发。
老周：封版期间只修线上故障，别的都放到10月8日以后。
小赵：短信网关合同签了，10月12日切换。
老周：好，节日快乐。""",
}


def _transcript(day: str) -> str:
    return f"转写/{day}.txt"


def _minutes(day: str, *lines: str) -> Call:
    # 「@4」即出自转写稿第 4 行。
    cited = (re.sub(r"@(\d+)", rf"[{_transcript(day)}:\1]", line) for line in lines)
    return _write(f"纪要/{day}.md", f"# {day}产品周会", "", *cited)


_MINUTES = Job(
    "整理产品周会纪要",
    "把产品周会的转写稿整理成纪要。",
    (
        Attempt(
            "整理9月7日周会的纪要。",
            (
                Reply("先读转写稿。", _read(_transcript("9月7日"))),
                Reply(
                    "",
                    (
                        _minutes(
                            "9月7日",
                            "- 会前聊了昨晚的球赛",
                            "- 小陈补埋点",
                            "- 小赵查登录慢的原因",
                            "- 首页按第2版设计稿做",
                        ),
                    ),
                ),
                Reply("9月7日的纪要写好了，在 纪要/9月7日.md。"),
            ),
            "revise",
            "每条都注明出自转写稿第几行，待办要写清负责人和截止日期，交稿前先核对一遍。",
        ),
        Attempt(
            "接着整理9月14日的周会。",
            (
                Reply("", _read(_transcript("9月14日"))),
                Reply(
                    "",
                    (
                        _minutes(
                            "9月14日",
                            "- 待办：小赵谈短信网关的合同，9月25日前签 @2",
                            "- 待办：小陈补支付页的埋点，9月16日前完成 @4",
                            "- 楼下新开了面馆 @4",
                            "- 决定：更换短信网关 @3",
                            "- 决定：首页上线改到9月23日 @5",
                        ),
                    ),
                ),
                # 这一次把工具调用写进了正文：memd 会指出来，循环照样执行。
                Reply(
                    "我来核对一下出处。\n<tool_call>\n"
                    '{"name": "run_checks", "arguments": {"path": "纪要/9月14日.md"}}\n</tool_call>'
                ),
                Reply(
                    "支付页埋点的日期抄错了，转写稿里是9月18日，这就改。",
                    (
                        _minutes(
                            "9月14日",
                            "- 待办：小赵谈短信网关的合同，9月25日前签 @2",
                            "- 待办：小陈补支付页的埋点，9月18日前完成 @4",
                            "- 楼下新开了面馆 @4",
                            "- 决定：更换短信网关 @3",
                            "- 决定：首页上线改到9月23日 @5",
                        ),
                        _check("纪要/9月14日.md"),
                    ),
                ),
                Reply("9月14日的纪要写好了，出处都核对过。"),
            ),
            "revise",
            "决定放最前面，待办放后面；跟工作无关的闲聊一句都不要写。",
        ),
        Attempt(
            "整理9月21日周会的纪要。",
            (
                Reply("", _read(_transcript("9月21日"))),
                Reply(
                    "先写决定，再写待办，月饼的事不写。",
                    (
                        _minutes(
                            "9月21日",
                            "- 决定：首页23日上线 @2",
                            "- 决定：国庆前不发新版，9月28日起封版 @4",
                            "- 待办：小赵值班，23日晚上10点发版 @3",
                            "- 待办：小陈写发版说明，9月24日前完成 @5",
                        ),
                        _check("纪要/9月21日.md"),
                    ),
                ),
                Reply("纪要写好了：决定在前，待办在后，每条都有出处，核对通过。"),
            ),
            "accept",
            "可以，以后的周会都照这样整理。",
        ),
    ),
)
_NEXT_MINUTES = Job(
    "9月28日周会纪要",
    "整理9月28日周会的纪要。",
    (
        Attempt(
            "整理9月28日周会的纪要。",
            (
                Reply("按技能里的步骤来。", _read(_transcript("9月28日"))),
                Reply(
                    "",
                    (
                        _minutes(
                            "9月28日",
                            "- 决定：封版期间只修线上故障，其余放到10月8日以后 @3",
                            "- 待办：小陈发数据周报，10月9日 @2",
                            "- 待办：小赵切换短信网关，10月12日 @4",
                        ),
                        _check("纪要/9月28日.md"),
                    ),
                ),
                Reply("9月28日的纪要写好了，核对通过。"),
            ),
            "accept",
            "一次就对了。",
        ),
    ),
)

SCENARIOS = {
    "en": Scenario(
        person="Mara",
        known="Sales reports are in euros without VAT, one file a week.",
        files={path: text for week, texts in _WEEKS.items() for path, text in zip(_regions(week), texts, strict=True)},
        check=partial(
            check, words=("{path}: {items} items, each with its source", "no source", "{0} is not in its source")
        ),
        first=_REPORT,
        approval="That is how I want it.",
        skill="weekly-sales-report",
        later=_NEXT_REPORT,
    ),
    "zh": Scenario(
        person="老周",
        known="产品周会的纪要要发给老周过目，每次周会一个文件。",
        files={_transcript(day): f"{text}\n" for day, text in _TRANSCRIPTS.items()},
        check=partial(check, words=("{path}：共 {items} 条，每条都有出处", "没有注明出处", "出处里没有“{0}”")),
        first=_MINUTES,
        approval="就按这个来。",
        skill="meeting-minutes",  # the format wants ASCII
        later=_NEXT_MINUTES,
    ),
}
