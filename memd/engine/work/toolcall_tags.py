"""The forms of tool calls that begin with a tag or a special token, and how the end of such a call looks."""

from __future__ import annotations

from memd.engine.work.toolcall_json import NAME
from memd.engine.work.toolcall_parts import (
    AFTER_TOKEN,
    BODY,
    CALL,
    NAMESPACE,
    NO_END,
    PARAMETER,
    PREFIX,
    SUFFIX,
    form,
)

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
