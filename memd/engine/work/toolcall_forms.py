"""The forms in which models write a tool call, and which of them a text may have.

A form is told by its mark together with the beginning of what follows it: talk about a mark has the mark alone. Tags
and tokens are in toolcall_tags.py; here are brackets, lines, code and JSON.

Source
    The chat templates of Hermes, Qwen, Llama, Mistral, DeepSeek, Kimi, GLM, Granite, Phi, Gemma, MiniMax, LFM, Olmo,
    InternLM, Command-R, Seed, Step, Hunyuan, LongCat, Solar, PLaMo, GigaChat, HyperCLOVA, Doubao, Functionary, Gorilla,
    NexusRaven and ChatGLM, OpenAI's harmony format, and the prompts of Cline, LangChain, smolagents, OpenHands,
    UI-TARS, VCP and Qwen-Agent.
"""

from __future__ import annotations

from memd.engine.work.toolcall_json import HEAD, NAME
from memd.engine.work.toolcall_parts import BODY, Form, form
from memd.engine.work.toolcall_tags import TAGS

JSON = "JSON"

_BOLD = r"\*{0,2}"
_ACTION = rf"^[ \t]{{0,9}}{_BOLD}(?P<head>Action|Tool|动作|行动|操作|工具)(?: \d{{1,2}})?{_BOLD}[ \t]?[:：]{_BOLD}[ \t]{{0,4}}"
_ARGUMENT = r"\((?:\s{0,9}\w{1,40}\s?=(?!=)|\s{0,9}\{|[\"']|\))"
# A list of calls is written as Python prints a list of objects, whose classes have capitals.
_NO_CLASS = (
    r"(?!(?!(?:Get|Set|Search|Find|List|Create|Send|Fetch|Check|Open|Run|Read|Write|Update|Delete|Add|Book|Play)[A-Z])"
    r"[A-Z][A-Za-z0-9]{0,40}\(|(?:\w{1,20}\.)?(?:timedelta|datetime|array|tensor|dict|namespace)\()"
)
# What GPT leaks between the recipient and the JSON: the type of the content, or words of any language.
_JUNK = r"(?:(?>[ \t]{0,4}[^\x00-\x7f\s]{1,30})){0,3}"
_TO_JSON = (
    r"(?:\s{0,4}(?:<\|[a-z]{1,12}\|>|code\b|json(?![a-z])|commentary\b|analysis\b)){0,6}"
    rf"(?:(?<=<\|message\|>)|{_JUNK}[ \t]{{0,4}}(?:json|code)?\s{{0,9}}(?=[\[{{])"
    r"|\s{0,9}(?:<\|?[a-z]{0,12}\|?)?\Z)"
)
_LABEL = (
    rf"^[ \t]{{0,9}}{_BOLD}(?:(?i:(?:tool|function)[ _]calls?)|调用工具|工具调用|调用函数|函数调用){_BOLD}[:：]{_BOLD}"
    r"[ \t]{0,4}"
)

# Most messages have few of the gates, and are done with at once.
# Where two forms begin at the same place, the first in the table is meant.
FORMS = (
    *TAGS,
    form(
        "name line",
        "{",
        "_",
        r"\A\s{0,9}(?P<tool>[A-Za-z]\w{0,40}_\w{1,40})[ \t]{0,9}\n(?=\{\s{0,40}\"[^\"\n]{1,60}\"\s?:)",
    ),
    form(JSON, "{", "{", HEAD),
    form("TOOL_CALLS", "[", "[TOOL_ [tool_ [FUNCTION_", rf"\[(?i:TOOL_CALLS?|TOOL_REQUEST|FUNCTION_CALLS?)\]{BODY}"),
    form(
        "tool_call brackets",
        "[",
        "[TOOL_ ool",
        rf"\[TOOL_CALLS?\](?=\s{{0,9}}\{{\s{{0,9}}(?:tool|name)\s?=>\s?[\"'](?P<tool_3>{NAME}))",
        r"->\s?tool/function_call(?=\s{1,9}[\[{])",
        rf"\[(?i:tool call):\s?(?P<tool_2>{NAME})(?:\s?\([^()\n]{{0,60}}\))?\]\s{{0,4}}"
        r"(?:(?i:arguments|args|input|parameters)[:：]\s{0,4})?(?=\{)",
    ),
    form(
        "call line",
        "[",
        "[TOOL_CALL: [Calling [调用",
        rf"\[TOOL_CALL:(?P<tool>{NAME}):(?=\s?[^\s\]])",
        rf"\[(?:Calling tools?:|调用工具[:：])\s?(?P<tool_2>{NAME})(?=\()",
    ),
    form(
        "ReAct",
        "[",
        "Action",
        r"^[ \t]{0,9}Action(?: \d{1,2})?:[ \t]?(?P<tool>[A-Za-z]\w{0,40})(?=\[[^\[\]\n]{1,300}\][ \t]*$)",
    ),
    form(
        "functools",
        "[",
        "functools[ starttoolcall[ [unused11]",
        r"(?<![\w.])(?:functools|starttoolcall)(?=\[\s{0,9}\{)|\[unused11\]\s?(?=\[\s?\{)",
    ),
    form(
        "pythonic",
        "[",
        ")",
        rf"(?:^|(?<=</think>))[ \t]{{0,4}}(?=\[\s{{0,9}}{_NO_CLASS}{NAME}\((?:\s{{0,9}}\w{{1,40}}\s?=(?!=)|\)))",
    ),
    form(
        "harmony",
        "=",
        "to=",
        r"(?:(?:<\|start\|>)?assistant)?(?:<\|channel\|>)?(?:commentary|analysis)?[ \t]{0,4}"
        r"(?<![\w=])to=(?:(?>(?:functions\.)?)"
        r"(?P<tool>(?:(?<=functions\.)|(?:functions|browser|python|container|multi_tool_use|mcp)\b)(?>[\w.\-]{0,64}))"
        r"|(?:(?<=assistant to=)|(?<=commentary to=)|(?<=analysis to=))(?P<tool_2>(?>\w{2,30})\.(?>\w{2,30})))"
        rf"{_TO_JSON}",
    ),
    form(
        "kimi",
        ":",
        "functions.",
        r"(?<![A-Za-z0-9_.])functions\.(?P<tool>[\w\-]{1,64}):\d{1,4}(?=\s{0,9}(?:\{|<\|tool_call_arg|\Z))",
    ),
    form(
        "call line",
        ":",
        "all: all** alls: ALL: ALLS: 工具 函数",
        rf"{_LABEL}`?(?P<tool>{NAME})`?(?={_ARGUMENT})",
    ),
    form("call line", ":", "<bot_end>", rf"^Call:[ \t]{{0,4}}(?P<tool>{NAME})(?=\([^\n]{{0,1000}}<bot_end>)"),
    form(
        "call line",
        "{",
        "alling ",
        rf"\b[Cc]alling (?:the )?(?:(?:tool|function):? )?[`'\"]?(?P<tool>{NAME})[`'\"]? with "
        r"(?:input|arguments?|args|param\w{0,7})[:：]?\s{0,4}(?=\{)",
    ),
    form(
        "code line",
        "(",
        "tool_code default_api do(action",
        r"^tool_code[ \t]{0,4}\n(?=print\(|[\w.]{1,64}\(|import |from )",
        rf"^[ \t]{{0,9}}(?:print\()?default_api[.:](?P<tool>{NAME})(?=[({{])",
        r"^(?:<answer>)?[ \t]{0,4}(?P<tool_2>do)(?=\(action=[\"'])",
    ),
    form("ReAct", "(", "Action:", rf"^[ \t]{{0,9}}Action:[ \t]{{0,4}}(?P<tool>{NAME})(?=\(\{{\s?[\"'])"),
    form(
        "bare call",
        "(",
        "=",
        r"\A\s{0,9}(?P<tool>(?!(?:print|dict|sorted|range|open|round|max|min)\()[^\W\dA-Z_][\w\-]{0,63})"
        r"(?=\(\w{1,40}\s?=\s?[\"'\d\[{TFN-])",
    ),
    form("Action block", "`", "Action", r"^[ \t]{0,9}Action[ \t]?:\s{0,4}```(?:json)?\s{0,9}(?=\[?\s{0,9}\{)"),
    form(
        "tool_code block",
        "`",
        "```tool ```function_call",
        r"^[ \t]{0,12}```(?:tool_code|tool_calls?|tool_use|function_calls?|tool(?=[ \t]*\nTOOL_NAME:))[ \t]*\n"
        r"(?=\s{0,20}\S)",
    ),
    form(
        "code agent",
        "\n",
        "Code: 代码 <code>",
        r"^(?:Code|代码)[:：][ \t]{0,4}\n{1,2}```(?:py|python)?[ \t]{0,4}\n(?=\s{0,20}[^\s`])",
        r"^(?P<tag><code>)[ \t]{0,4}\n(?=\s{0,20}\S)",
    ),
    form(
        "ReAct",
        "\n",
        "Action Tool Function 动作 行动 操作 工具 函数",
        rf"{_ACTION}`?(?P<tool>{NAME})`?[ \t]{{0,4}}\r?\n\s{{0,9}}{_BOLD}(?P=head)[ _]?(?:\d{{1,2}} )?"
        rf"(?:Input|输入|参数)(?: \d{{1,2}})?{_BOLD}[ \t]?[:：]{_BOLD}",
        rf"{_ACTION.replace('head', 'head_2')}`?(?P<tool_2>{NAME})`?[ \t]{{0,4}}\r?\n\s{{0,9}}(?P=head_2)[ _]?"
        r"(?:I|In|Inp|Inpu|Input|输入?|参数?)?[ \t]?\Z",
        r"^(?:Thought|思考|想法)[:：][^\n]{0,400}\n\s{0,9}(?:Action|动作|行动|操作)[:：][ \t]{0,4}"
        rf"(?P<tool_3>{NAME})(?:\s{{0,9}}\Z|(?={_ARGUMENT}))",
        rf"^[ \t]{{0,9}}{_BOLD}(?:Function|Tool|工具|函数)(?:[ _][Nn]ame|名称?)?{_BOLD}[:：]{_BOLD}[ \t]{{0,4}}"
        rf"`?(?P<tool_5>{NAME})`?[ \t]{{0,4}}\n\s{{0,9}}{_BOLD}(?:Arguments|Args|Input|参数|输入){_BOLD}[:：]{_BOLD}"
        r"(?=\s{0,9}\{(?!\s?\"type\"))",
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
