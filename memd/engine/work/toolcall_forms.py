"""The forms in which models write a tool call: how each begins, and how its tool, arguments and end are read.

A form is told by its mark together with the beginning of what follows it: talk about a mark has the mark alone. What
follows is read leniently, since it may be cut off anywhere.

Source
    The chat templates of Hermes, Qwen, Llama, Mistral, DeepSeek, Kimi, GLM, Granite, Phi, Gemma, MiniMax, LFM, InternLM
    and Command-R, OpenAI's harmony format, and the prompts of Cline, LangChain and Qwen-Agent.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from memd.engine.work.toolcall_json import HEAD, NAME, Written, call_in, value_end

# What follows the mark of a call: JSON, an element of a call, a name with its arguments; or the text is cut off there.
_JSON = r"\{\s{0,40}(?:[\"'}]|\w{1,30}\s?:|\Z)|\[\s{0,40}(?:[{\]\"]|[\w.]{1,40}\(|\Z)"
_BODY = (
    rf"(?=\s{{0,20}}(?:{_JSON}|<(?:function[=\s>]|(?:antml:)?invoke|name>|tool_name>|parameter|arg_key|parameters?>)"
    rf"|call:|{NAME}(?:[({{]|\[ARGS|\[CALL_ID|\s{{0,20}}<arg_)|(?:{NAME})?\s{{0,9}}\Z))"
)
_AFTER_TOKEN = (
    rf"(?=\s{{0,9}}(?:{_JSON}|functions?[.<]|call:)|\n{{0,3}}<(?![/|｜]{{0,2}}[\w▁]{{0,30}}[▁_]end)[^\s>]"
    rf"|\s{{0,9}}(?:{NAME}(?:[({{<]|\[ARGS|:\d)|(?:{NAME})?\s{{0,9}}\Z))"
)
_BOLD = r"\*{0,2}"
_ACTION = rf"^[ \t]{{0,9}}{_BOLD}(?P<head>Action|Tool|动作|行动|操作|工具)(?: \d{{1,2}})?{_BOLD}[ \t]?[:：]{_BOLD}[ \t]{{0,4}}"
_EDITS = (
    "execute_command|read_file|write_to_file|replace_in_file|search_files|list_files|list_code_definition_names"
    "|browser_action|use_mcp_tool|access_mcp_resource|ask_followup_question|attempt_completion|new_task|apply_diff"
    "|insert_content|search_and_replace|switch_mode|fetch_instructions|codebase_search|update_todo_list|web_fetch"
    "|web_search|plan_mode_respond|(?:run|create|delete|edit|get|write|send|fetch|apply)_[a-z_]{2,30}"
)
_FIELDS = (
    "command|path|file_?path|args|arguments|parameters|query|question|result|content|diff|regex|pattern|server_name|url"
    "|uri|action|mode|mode_slug|task|todos|message|response|file|input|recursive|text|code|operations"
)


JSON = "JSON"


class Form(NamedTuple):
    """A form: its name, the character all texts with it have, the marks of which they have one, and how it begins."""

    name: str
    gate: str
    marks: tuple[str, ...]
    opening: re.Pattern[str]


def form(name: str, gate: str, marks: str, *openings: str) -> Form:
    """Return a form from its marks, parted by spaces, and the ways it may begin; their groups are tag and tool."""
    return Form(name, gate, tuple(marks.split()), re.compile("|".join(openings), re.MULTILINE))


# Most messages have few of the gates, and are done with at once.
# Where two forms begin at the same place, the first in the table is meant.
FORMS = (
    form("harmony", "<", "<|constrain|>", r"<\|constrain\|>\s{0,4}json\s{0,4}<\|message\|>(?=\s{0,9}\{)"),
    form(
        "python_tag",
        "<",
        "<|python_tag|>",
        r"<\|python_tag\|>(?=\s{0,9}(?:[\[{]|[\w.]{1,64}\(|(?:import|from|print|def|with|for)\b|#|\w{1,40} ?= ?\S|\Z))",
    ),
    form(
        "deepseek",
        "<",
        "tool▁ DSML <｜tool",
        rf"<[|｜]tool(?:▁calls?▁begin[|｜]|_calls?_begin｜)>{_AFTER_TOKEN}",
        r"<(?P<tag>[|｜]{1,2}DSML[|｜]{1,2}(?:function_calls|tool_calls))>(?=\s{0,9}(?:<[|｜]|\Z))",
        rf"<(?P<tag_2>[|｜]{{1,2}}DSML[|｜]{{1,2}}invoke)\s{{1,4}}name=\"(?P<tool>{NAME})\"[^<>\n]{{0,80}}(?:>|\Z)",
    ),
    form(
        "kimi",
        "<",
        "<|tool_call <|open|>tool",
        rf"<\|tool_calls?(?:_section)?_begin\|>{_AFTER_TOKEN}",
        rf"<\|open\|>\s?tools?\s?call\s{{1,4}}tool=\"(?P<tool_2>{NAME})\"",
    ),
    form("START_ACTION", "<", "<|START_ACTION|>", rf"<\|START_ACTION\|>{_AFTER_TOKEN}"),
    form(
        "tool_call token",
        "<",
        "<|tool <|function <|action_start <start_function_call>",
        rf"<\|(?:tool_calls?|tool_call_start|function_?call|action_start|tools_prefix)\|?>{_AFTER_TOKEN}",
        r"<start_function_call>(?=\s{0,9}call:)",
    ),
    form(
        "invoke tag",
        "<",
        "invoke function_calls",
        r"<(?P<tag>(?:antml:|steptml:)?function_calls)>(?=\s{0,20}(?:<(?:antml:)?invoke\b|\Z))",
        rf"<(?P<tag_2>(?:antml:|steptml:)?invoke)\s{{1,4}}name=[\"']?(?P<tool>{NAME})[\"']?[^<>\n]{{0,40}}"
        r"(?:>(?=\s{0,20}(?:<(?:antml:|steptml:)?parameter|</(?:antml:|steptml:)?invoke|\{|\Z))|\Z)",
    ),
    form(
        "tool_call tag",
        "<",
        "tool_call toolcall TOOLCALL function_call functioncall tool_code",
        r"<(?P<tag>(?:minimax:|seed:|longcat_)?tool_calls?|toolcall|TOOLCALL|function_?calls?|tool_code)"
        rf"(?:\s[^<>\n]{{0,80}})?(?:>{_BODY}|\Z)",
        rf"<(?P<tag_2>tool_code)>(?=\s{{0,9}}(?:print\(|{NAME}\())",
    ),
    form(
        "function tag",
        "<",
        "<function <parameter= <tool",
        rf"<(?P<tag>function)(?:=|\s{{1,4}}name=)[\"']?(?P<tool>{NAME})[\"']?"
        r"(?:>(?=\s{0,20}(?:[{\[]|<parameter|</function|\Z))|(?=\s{0,4}\{)|\Z)",
        rf"<(?P<tag_3>tool)\s{{1,4}}name=[\"'](?P<tool_2>{NAME})[\"']>(?=\s{{0,20}}(?:[{{\[]|<param))",
        r"^[ \t]{0,9}<(?P<tag_2>parameter)=[\w\-]{1,64}>(?=\s{0,9}\S)",
    ),
    form(
        "tool_use tag",
        "<",
        "<tool",
        r"<(?P<tag>tool_use)>(?=\s{0,20}(?:<(?:name|tool_name|server_name|tool)>|\{|\Z))",
        rf"<tool>\s?(?P<tool>{NAME})\s?</tool>(?=\s{{0,20}}<(?:tool_input|input|args|arguments|parameters)>)",
    ),
    form("cline tag", "<", "_", rf"<(?P<tag>(?P<tool>{_EDITS}))>(?=\s{{0,20}}<(?:{_FIELDS})>)"),
    form(
        "name line",
        "{",
        "_",
        r"\A\s{0,9}(?P<tool>[A-Za-z]\w{0,40}_\w{1,40})[ \t]{0,9}\n(?=\{\s{0,40}\"[^\"\n]{1,60}\"\s?:)",
    ),
    form(JSON, "{", "{", HEAD),
    form("TOOL_CALLS", "[", "[TOOL_", rf"\[(?:TOOL_CALLS?|TOOL_REQUEST)\]{_BODY}"),
    form(
        "ReAct",
        "[",
        "Action",
        r"^[ \t]{0,9}Action(?: \d{1,2})?:[ \t]?(?P<tool>[A-Za-z]\w{0,40})(?=\[[^\[\]\n]{1,300}\][ \t]*$)",
    ),
    form("functools", "[", "functools[", r"(?<![\w.])functools(?=\[\s{0,9}\{)"),
    form("Calling tool", "[", "[Calling", rf"\[Calling tools?:\s?(?P<tool>{NAME})(?=\()"),
    form("pythonic", "[", ")]", rf"^[ \t]{{0,4}}(?=\[{NAME}\((?:\w{{1,40}}=[^\n]{{1,4000}}|\))\)?\]\s*$)"),
    form(
        "harmony",
        "=",
        "to=",
        r"(?:(?:<\|start\|>)?assistant)?(?:<\|channel\|>)?(?:commentary|analysis)?[ \t]{0,4}"
        r"(?<![\w=])to=(?:functions\.)?"
        r"(?P<tool>(?:(?<=functions\.)|(?:functions|browser|python|container|multi_tool_use|mcp)\b)[\w.\-]{0,64})"
        r"(?:\s{0,4}(?:<\|[a-z]{1,12}\|>|code\b|json(?![a-z])|commentary\b|analysis\b)){0,6}"
        r"(?:(?<=<\|message\|>)|\s{0,9}(?=[\[{])|\s{0,9}(?:<\|?[a-z]{0,12}\|?)?\Z)",
    ),
    form(
        "kimi",
        ":",
        "functions.",
        r"(?<![A-Za-z0-9_.])functions\.(?P<tool>[\w\-]{1,64}):\d{1,4}(?=\s{0,9}(?:\{|<\|tool_call_arg|\Z))",
    ),
    form("Action block", "`", "Action", r"^[ \t]{0,9}Action[ \t]?:\s{0,4}```(?:json)?\s{0,9}(?=\[?\s{0,9}\{)"),
    form(
        "tool_code block",
        "`",
        "```tool ```function_call",
        r"^[ \t]{0,12}```(?:tool_code|tool_calls?|tool_use|function_calls?)[ \t]*\n(?=\s{0,20}\S)",
    ),
    form(
        "ReAct",
        "\n",
        "Action Tool 动作 行动 操作 工具 函数",
        rf"{_ACTION}`?(?P<tool>{NAME})`?[ \t]{{0,4}}\r?\n\s{{0,9}}{_BOLD}(?P=head)[ _]?(?:\d{{1,2}} )?"
        rf"(?:Input|输入|参数)(?: \d{{1,2}})?{_BOLD}[ \t]?[:：]{_BOLD}",
        rf"{_ACTION.replace('head', 'head_2')}`?(?P<tool_2>{NAME})`?[ \t]{{0,4}}\r?\n\s{{0,9}}(?P=head_2)[ _]?"
        r"(?:I|In|Inp|Inpu|Input|输入?|参数?)?[ \t]?\Z",
        r"^(?:Thought|思考|想法)[:：][^\n]{0,400}\n\s{0,9}(?:Action|动作|行动|操作)[:：][ \t]{0,4}"
        rf"(?P<tool_3>{NAME})\s{{0,9}}\Z",
        r"^[ \t]{0,9}(?:调用工具|工具调用|调用函数|函数调用)[:：]\s?"
        rf"(?P<tool_4>{NAME})[ \t]{{0,9}}\n(?:参数|输入)[:：](?=\s?\{{)",
    ),
    form("recipient", "\n", ">>>", r"^>>>(?P<tool>[A-Za-z][\w.]{0,63})\n(?=\s{0,9}\{)"),
    form(
        "FUNCTION mark",
        "✿",
        "✿FUNCTION✿",
        rf"✿FUNCTION✿\s?[:：]\s?(?P<tool>{NAME})\s{{0,9}}(?:✿ARGS✿\s?[:：]\s?(?=\S)|\Z)",
    ),
)
_GATES = [(gate, [one for one in FORMS if one.gate == gate]) for gate in dict.fromkeys(one.gate for one in FORMS)]


def forms_in(text: str) -> list[Form]:
    """Return the forms whose marks a text has."""
    near = [one for gate, forms in _GATES if gate in text for one in forms]
    return [one for one in near if any(mark in text for mark in one.marks)]


_MARK = r"<[|｜]{1,2}[^<>\n]{1,40}>\s{0,9}"
GAP = re.compile(rf"\s{{0,20}}(?:{_MARK}){{0,4}}")
_HEAD = re.compile(
    rf"\s{{0,20}}(?:{_MARK}){{0,3}}(?:functions?(?:\.|<[|｜]tool[▁_]sep[|｜]>)|call:|print\(\s{{0,9}})?"
    rf"(?P<tool>{NAME})?(?::\d{{1,4}})?"
    rf"(?:\s{{0,9}}(?:{_MARK}|\[(?:ARGS|CALL_ID)\](?:[\w\-]{{1,20}}(?=\[))?|```j?s?o?n?)){{0,6}}\s{{0,20}}"
)
_LAST = r"<[|｜]{1,2}(?:[\w▁]{0,40}(?:[▁_]end|_suffix)|END_\w{1,20}|call|eom_id|eot_id|/\w{1,20})[|｜]{1,2}>"
_END = re.compile(_LAST)
CLOSING = re.compile(
    rf"(?:\s{{0,20}}(?:</[^<>\n]{{1,40}}>|{_LAST}|<tool_call\|>|<end_function_call>|\[(?:/|END_)TOOL_\w{{1,12}}\]"
    r"|```(?!\w))){0,8}"
)
_NAMED = re.compile(
    r"<(?:[|｜]{1,2}DSML[|｜]{1,2}|antml:|steptml:)?(?:function=|(?:invoke|tool|function)\s{1,4}name=[\"']?"
    rf"|(?:name|tool_name|tool)>\s{{0,9}})(?P<tool>{NAME})[\"']?(?:\s?</\w{{1,9}}>|[^<>\n]{{0,40}}>)"
)
_INNER = re.compile(r"<(arguments|input|args|parameters|tool_input)>")
_INNER_END = re.compile(r"</(?:[|｜]{1,2}DSML[|｜]{1,2}|antml:|steptml:)?(?:function|invoke|tool_use)>")
_ELEMENT = re.compile(r"\s{0,20}<(?![|｜])")


def read_call(text: str, match: re.Match[str], name: str) -> Written:
    """Return the tool, the arguments and the end of the call that the opening of a form begins."""
    groups = {key.partition("_")[0]: value for key, value in match.groupdict().items() if value}
    tool, tag, end = groups.get("tool", ""), groups.get("tag", ""), match.end()
    if tag and end == len(text) and match[0][-1].isalnum():
        return Written("", "", end, whole=False)
    if tag and ("DSML" in tag or _ELEMENT.match(text, end)):
        return _in_element(text, end, tag, tool)
    head = (GAP if tool else _HEAD).match(text, end)
    at = head.end() if head else end
    if head and not tool:
        tool = head["tool"] or ""
    if text[at : at + 1] in ("{", "[", "("):
        written = call_in(text, at) if not tool else _given(text, at, tool, bare=at == end)
        return written._replace(stop=_close(text, written.stop, tag))
    if tag:
        return _in_element(text, end, tag, tool)
    if at == len(text):
        return Written(groups.get("tool", ""), "", at, whole=False)
    if inner := _INNER.match(text, at):
        return _in_element(text, inner.end(), inner[1], tool)
    if name == "ReAct":
        line = text.find("\n", at)
        stop = len(text) if line < 0 else line
        return Written(groups.get("tool", ""), text[end:stop].strip(), stop)
    shut = _END.search(text, end)
    last, stop = shut.span() if shut else (len(text), len(text))
    return Written(groups.get("tool", ""), text[end:last].strip(), stop)


def _given(text: str, at: int, tool: str, *, bare: bool) -> Written:
    """Return the call of a known tool whose arguments stand in brackets."""
    stop, whole = value_end(text, at)
    inside = text[at] == "(" or (bare and text[at] == "[")
    arguments = text[at + 1 : stop - whole] if inside else text[at:stop]
    return Written(tool.removesuffix(".call"), arguments, stop, whole)


def _in_element(text: str, at: int, tag: str, tool: str) -> Written:
    """Return the call whose arguments are elements, or stand in one."""
    shut = text.find(f"</{tag}>", at)
    inner = text[at : shut if shut >= 0 else len(text)]
    stop = shut + len(tag) + 3 if shut >= 0 else len(text)
    if named := None if tool else _NAMED.search(inner, 0, 400):
        tool, inner = named["tool"], inner[named.end() :]
        end = _INNER_END.search(inner)
        inner = inner[: end.start()] if end else inner
    elif not tool and (head := _HEAD.match(inner)) and head["tool"]:
        tool, inner = head["tool"], inner[head.end() :]
    elif tool and inner.lstrip().startswith(tool):
        inner = inner.lstrip().removeprefix(tool)
    if (given := _INNER.search(inner)) is not None and tag not in given[0]:
        inner = inner[given.end() :].partition(f"</{given[1]}>")[0]
    return Written(tool, inner.strip(), stop, shut >= 0)


def _close(text: str, stop: int, tag: str) -> int:
    """Return where the closing marks behind a call's arguments end."""
    if tag == "tool_code" and (shut := text.find("</tool_code>", stop)) >= 0:
        return shut + len("</tool_code>")
    tail = CLOSING.match(text, stop)
    return tail.end() if tail else stop
