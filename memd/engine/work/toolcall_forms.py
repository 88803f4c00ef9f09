"""The forms in which models write a tool call, and which of them a text may have.

A form is told by its mark together with the beginning of what follows it: talk about a mark has the mark alone.
First tags and tokens, then brackets, lines, code and JSON.

Source
    The chat templates of Hermes, Qwen, Llama, Mistral, DeepSeek, Kimi, GLM, Granite, Phi, Gemma, MiniMax, LFM, Olmo,
    InternLM, Command-R, Seed, Step, Hunyuan, LongCat, Solar, PLaMo, GigaChat, HyperCLOVA, Doubao, Functionary, Gorilla,
    NexusRaven and ChatGLM, OpenAI's harmony format, and the prompts of Cline, LangChain, smolagents, OpenHands,
    UI-TARS, VCP and Qwen-Agent.
"""

from __future__ import annotations

from memd.engine.work.toolcall_json import (
    AFTER_TOKEN,
    BODY,
    CALL,
    HEAD,
    NAME,
    NAMESPACE,
    NO_END,
    PARAMETER,
    PREFIX,
    SUFFIX,
    Form,
    form,
)

# The forms of tool calls that begin with a tag or a special token, and how the end of such a call looks.

_EDITS = (
    "execute_command|read_file|write_to_file|replace_in_file|search_files|list_files|list_code_definition_names"
    "|browser_action|use_mcp_tool|access_mcp_resource|ask_followup_question|attempt_completion|new_task|apply_diff"
    "|insert_content|search_and_replace|switch_mode|fetch_instructions|codebase_search|update_todo_list|web_fetch"
    "|web_search|use_tool|plan_mode_respond"
    "|(?:run|create|delete|edit|get|write|send|fetch|apply|list|search|view|update|add|open|find|query|check|set)"
    "_[a-z_]{2,30}"
)
_FIELDS = (
    "command|path|file_?path|args|arguments|parameters|query|question|result|content|diff|regex|pattern|server_name|url"
    "|uri|action|mode|mode_slug|task|todos|message|response|file|input|recursive|text|code|operations|name|tool_name"
)
_TOKEN = (
    rf"<[|｜]{{1,2}}{NO_END}[^<>|｜\s/]{{0,24}}?(?i:tool[_▁]?(?:call|use|request|invo|json)|function[_▁]?call)"
    r"[^<>|｜\s]{0,24}[|｜]{0,2}>"
)
_LAST = (
    r"<[|｜]{1,2}(?:[^<>|｜\s]{0,30}tool[^<>|｜\s]{0,24}[_▁:]end|[^<>|｜\s]{0,24}CallEnd|END_ACTION|call)[|｜]{1,2}>"
)
_RUNS = r"(?=[ \t]{0,4}\n\s{0,9}\S|[^<\n]{1,300}</(?:execute|bash|shell|terminal|python))"
_GIVEN = rf"[\"']?(?P<tool>{NAME})[\"']?"

TAGS = (
    form("harmony", "<", "<|constrain|>", r"<\|constrain\|>\s{0,4}json\s{0,4}<\|message\|>(?=\s{0,9}\{)"),
    form(
        "python_tag",
        "<",
        "<|python_ <|interpreter <|execute",
        r"<\|python_(?:tag|start)\|>"
        r"(?=\s{0,9}(?:[\[{]|[\w.]{1,64}\(|(?:import|from|print|def|with|for)\b|#|\w{1,40} ?= ?\S|\Z))",
        r"<\|(?:action_start\|>\s?<\|interpreter|execute_start)\|>(?=\s{0,9}\S)",
    ),
    form(
        "deepseek",
        "<",
        "tool▁ ML｜ ML| <｜tool",
        rf"<[|｜]tool(?:▁calls?▁(?:begin|start)[|｜]|_calls?_begin｜)>{AFTER_TOKEN}",
        r"<(?P<tag>[|｜]{1,2}[A-Z]{2,9}[|｜]{1,2}(?:function_calls|tool_calls))>(?=\s{0,9}(?:<[|｜]|\Z))",
        rf"<(?P<tag_2>[|｜]{{1,2}}[A-Z]{{2,9}}[|｜]{{1,2}}invoke)\s{{1,4}}name=\"(?P<tool>{NAME})\""
        r"[^<>\n]{0,80}(?:>|\Z)",
    ),
    form(
        "kimi",
        "<",
        "<|tool_call <|open|>",
        rf"<\|tool_calls?(?:_section)?_begin\|>{AFTER_TOKEN}",
        rf"<\|open\|>\s?(?:tools?\s?)?call\s{{1,4}}tool=\"(?P<tool_2>{NAME})\"",
    ),
    form("START_ACTION", "<", "<|START_ACTION|>", rf"<\|START_ACTION\|>{AFTER_TOKEN}"),
    form(
        "tool_call token",
        "<",
        "<| <｜ <start_function_call> <<function>>",
        rf"{_TOKEN}{AFTER_TOKEN}",
        rf"<\|(?:action_start|tools_prefix|plugin)\|>{AFTER_TOKEN}",
        r"<\|(?:im_start|start_header_id|start)\|>\s?(?:tool|function)_?calls?(?:<\|[a-z_]{1,20}\|>)?(?=\s{1,4}[\[{])",
        r"\bfunction call<\|role_sep\|>(?=\s{0,9}\{)",
        r"<start_function_call>(?=\s{0,9}call:)",
        rf"<<function>>\s?(?P<tool>{NAME})(?=\()",
    ),
    form(
        "recipient",
        "<",
        "<|recipient|>",
        rf"(?:<\|from\|>\s?assistant\s{{0,4}})?<\|recipient\|>\s?(?!all\b)(?P<tool>{NAME})"
        r"\s{0,4}(?:<\|content\|>(?=\s{0,9}(?:[\[{]|\Z))|\Z)",
    ),
    form(
        "tool_call code",
        "`",
        "tool_call(",
        rf"^(?:<\|assistant\|>)?[ \t]{{0,4}}(?P<tool>{NAME})[ \t]{{0,4}}\n```(?:python|py)?[ \t]{{0,4}}\ntool_call(?=\()",
    ),
    form(
        "invoke tag",
        "<",
        "invoke unction",
        rf"<(?P<tag>{PREFIX}function[_\-]?calls{SUFFIX})>(?=\s{{0,20}}(?:{NAMESPACE})?(?:<{PREFIX}invoke\b|\Z))",
        rf"<(?P<tag_2>{PREFIX}invoke)\s{{1,4}}name={_GIVEN}[^<>\n]{{0,40}}"
        rf"(?:>(?=\s{{0,20}}(?:{PARAMETER}|</{PREFIX}invoke|\{{|\Z))|\Z)",
    ),
    form(
        "tool_use tag",
        "<",
        "<tool",
        r"<(?P<tag>tool_use)>(?=\s{0,20}(?:<(?:name|tool_name|server_name|tool)>|\{|\Z))",
        rf"<(?P<outer>tool|tool_name)>\s?(?P<tool>{NAME})\s?</(?P=outer)>"
        r"(?=\s{0,20}(?:<(?:tool_input|arguments|parameters)>|<(?:input|args|params|arg)>\s{0,9}[{<]))",
        rf"<(?P<tag_2>tool):\s?\w{{1,30}}>\s{{0,4}}\n\s{{0,9}}(?P<tool_2>{NAME})(?=\s)",
    ),
    form(
        "tool_call tag",
        "<",
        "tool Tool TOOL unction <call:",
        rf"<(?P<tag_3>{PREFIX}{CALL}{SUFFIX})\s{{1,4}}(?:name|tool)={_GIVEN}"
        r"(?:\s{1,4}(?:arg\w{0,7}|param\w{0,7}|input)=[\"'](?=\{)"
        rf"|[^<>\n]{{0,80}}>(?=\s{{0,20}}(?:{PARAMETER}|\{{|\Z)))",
        rf"<(?P<tag>{PREFIX}{CALL}{SUFFIX})(?:\s[^<>\n]{{0,80}})?(?:>{BODY}|\Z)",
        rf"<(?P<tag_2>tool_code)>(?=\s{{0,9}}(?:print\(|{NAME}\())",
        rf"<call:(?:default_api:)?(?P<tool_2>{NAME})(?=\{{)",
        rf"<<<\[TOOL_REQUEST\]>>>(?=[^<]{{0,200}}\btool_name:「始」(?P<tool_3>{NAME}))",
    ),
    form(
        "function tag",
        "<",
        "<function <parameter= <tool",
        rf"<(?P<tag>function)(?:=|\s{{1,4}}name=){_GIVEN}"
        r"(?:>(?=\s{0,20}(?:[{\[]|<parameter|</function|\Z))|(?=\s{0,4}\{)|\Z)",
        rf"<(?P<tag_4>function)[(/](?P<tool_4>{NAME})\)?>?(?=\s{{0,4}}\{{)",
        rf"<(?P<tag_5>function)>(?=\s{{0,9}}<name>{NAME}</name>\s{{0,9}}<(?:{_FIELDS})>)",
        rf"<(?P<tag_3>tool)\s{{1,4}}name=[\"'](?P<tool_2>{NAME})[\"'][^<>\n]{{0,40}}>(?=\s{{0,20}}(?:[{{\[]|<param))",
        r"^[ \t]{0,9}<(?P<tag_2>parameter)=[\w\-]{1,64}>(?=\s{0,9}\S)",
    ),
    form("cline tag", "<", "_", rf"<(?P<tag>(?P<tool>{_EDITS}))>(?=\s{{0,20}}(?:<(?:{_FIELDS})>|\{{\s{{0,9}}\"))"),
    form(
        "execute tag",
        "<",
        "<execute <bash> <shell> <terminal> <python>",
        rf"<(?P<tag>(?P<tool>execute(?:_[a-z]{{2,20}})?))>{_RUNS}",
        rf"^[ \t]{{0,4}}<(?P<tag_2>(?P<tool_2>bash|shell|terminal|python))>{_RUNS}",
    ),
    form(
        "tail",
        "<",
        "</ <| <｜",
        rf"</{PREFIX}(?:param|arg|content|input)\w{{0,12}}{SUFFIX}>"
        rf"\s{{0,9}}</(?P<tag>{PREFIX}(?:invoke|function|{CALL}|{_EDITS}){SUFFIX})>",
        rf"(?:(?<=[}}\]`])|(?<=[}}\]`]\s))(?:</(?P<tag_2>{PREFIX}{CALL}{SUFFIX})>|{_LAST})",
    ),
)


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
