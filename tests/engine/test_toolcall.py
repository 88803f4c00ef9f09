"""Leaked tool calls are found, what is shown or talked about is let be, and no text makes the look hang."""

from __future__ import annotations

import pytest

from memd.engine.work.toolcall import RawCall, find_raw_call

FENCE = "```"
LONG = 64_000


def found(text: str) -> RawCall:
    call = find_raw_call(text)
    assert call is not None
    return call


@pytest.mark.parametrize(
    ("text", "form", "tool", "arguments"),
    [
        pytest.param(
            '<tool_call>\n{"name": "get_tide", "arguments": {"port": "Bergen"}}\n</tool_call>',
            "tool_call tag",
            "get_tide",
            '{"port": "Bergen"}',
            id="Hermes writes JSON in a tag",
        ),
        pytest.param(
            '<tool_call>{"arguments": {"name": "Bo"}, "name": "greet"}</tool_call>',
            "tool_call tag",
            "greet",
            '{"name": "Bo"}',
            id="a name among the arguments is not the tool's",
        ),
        pytest.param(
            "我来查潮汐。\n<tool_call>查潮汐\n<arg_key>港口</arg_key>\n<arg_value>青岛</arg_value>\n</tool_call>",
            "tool_call tag",
            "查潮汐",
            "<arg_key>港口</arg_key>\n<arg_value>青岛</arg_value>",
            id="GLM writes keys and values in tags",
        ),
        pytest.param(
            "<tool_call>\n<function=bash>\n<parameter=cmd>make</parameter>\n</function>\n</tool_call>",
            "tool_call tag",
            "bash",
            "<parameter=cmd>make</parameter>",
            id="Qwen's coder writes parameters in tags",
        ),
        pytest.param(
            '先查一下。<function=search>{"q": "船票"}</function>',
            "function tag",
            "search",
            '{"q": "船票"}',
            id="Llama's function",
        ),
        pytest.param(
            '<|python_tag|>maps.call(place="Bergen")', "python_tag", "maps", 'place="Bergen"', id="Llama's python tag"
        ),
        pytest.param(
            '[TOOL_CALLS] [{"name": "mail", "arguments": {"to": "ana"}}]',
            "TOOL_CALLS",
            "mail",
            '{"to": "ana"}',
            id="Mistral's list",
        ),
        pytest.param(
            '[TOOL_CALLS]note[ARGS]{"title": "milk"}',
            "TOOL_CALLS",
            "note",
            '{"title": "milk"}',
            id="Mistral's newer form",
        ),
        pytest.param(
            '<function_calls>\n<invoke name="todo">\n<parameter name="text">call Bo</parameter>\n'
            "</invoke>\n</function_calls>",
            "invoke tag",
            "todo",
            '<parameter name="text">call Bo</parameter>',
            id="Anthropic's invoke",
        ),
        pytest.param(
            '<antml:invoke name="订票">\n<antml:parameter name="人数">4</antml:parameter>\n</antml:invoke>',
            "invoke tag",
            "订票",
            '<antml:parameter name="人数">4</antml:parameter>',
            id="Anthropic's invoke with a prefix",
        ),
        pytest.param('functions.now:0{"zone": "CET"}', "kimi", "now", '{"zone": "CET"}', id="Kimi's numbered call"),
        pytest.param(
            '<|tool_calls_section_begin|><|tool_call_begin|>functions.查询:2<|tool_call_argument_begin|>{"词": "猫"}'
            "<|tool_call_end|><|tool_calls_section_end|>",
            "kimi",
            "查询",
            '{"词": "猫"}',
            id="Kimi's tokens",
        ),
        pytest.param(
            "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>stock\n"
            f'{FENCE}json\n{{"s": "X"}}\n{FENCE}<｜tool▁call▁end｜>',
            "deepseek",
            "stock",
            '{"s": "X"}',
            id="DeepSeek's tokens",
        ),
        pytest.param(
            '<｜DSML｜invoke name="sql">\n<｜DSML｜parameter name="q">select 1</｜DSML｜parameter>\n</｜DSML｜invoke>',
            "deepseek",
            "sql",
            '<｜DSML｜parameter name="q">select 1</｜DSML｜parameter>',
            id="DeepSeek's later tags",
        ),
        pytest.param(
            '<|channel|>commentary to=functions.play <|constrain|>json<|message|>{"song": "晴天"}<|call|>',
            "harmony",
            "play",
            '{"song": "晴天"}',
            id="OpenAI's harmony",
        ),
        pytest.param(
            'assistantcommentary to=functions.play json{"song": "x"}',
            "harmony",
            "play",
            '{"song": "x"}',
            id="harmony without its tokens",
        ),
        pytest.param(
            "<write_to_file>\n<path>a.py</path>\n<content>1</content>\n</write_to_file>",
            "cline tag",
            "write_to_file",
            "<path>a.py</path>\n<content>1</content>",
            id="Cline's tags",
        ),
        pytest.param(
            '<tool_use><name>grep</name><arguments>{"p": "x"}</arguments></tool_use>',
            "tool_use tag",
            "grep",
            '{"p": "x"}',
            id="a tool_use with a name",
        ),
        pytest.param(
            f'{FENCE}tool_code\nprint(tide(port="Bergen"))\n{FENCE}',
            "tool_code block",
            "tide",
            'port="Bergen"',
            id="Gemma's block",
        ),
        pytest.param(
            f'Action: {FENCE}json\n[{{"tool_name": "tide", "parameters": {{}}}}]\n{FENCE}',
            "Action block",
            "tide",
            "{}",
            id="Command-R",
        ),
        pytest.param(
            '<|START_ACTION|>[{"tool_name": "ls", "parameters": {}}]<|END_ACTION|>',
            "START_ACTION",
            "ls",
            "{}",
            id="Command-R's tokens",
        ),
        pytest.param(
            '<|tool_call|>[{"name": "stock", "arguments": {"t": "X"}}]',
            "tool_call token",
            "stock",
            '{"t": "X"}',
            id="Granite and Phi",
        ),
        pytest.param(
            '<|tool_call>call:tide{port:<|"|>Bergen<|"|>}<tool_call|>',
            "tool_call token",
            "tide",
            '{port:<|"|>Bergen<|"|>}',
            id="Gemma's later token",
        ),
        pytest.param(
            "Thought: the population.\nAction: wikipedia\nAction Input: Ghent population",
            "ReAct",
            "wikipedia",
            "Ghent population",
            id="ReAct",
        ),
        pytest.param('行动：查票\n行动输入：{"车次": "G7"}', "ReAct", "查票", '{"车次": "G7"}', id="ReAct in Chinese"),
        pytest.param(
            f'{FENCE}json\n{{"name": "run", "arguments": {{"cmd": "ls"}}}}\n{FENCE}',
            "fenced JSON",
            "run",
            '{"cmd": "ls"}',
            id="a block of JSON",
        ),
        pytest.param(
            '{"name": "\\u67e5\\u7968", "parameters": {"n": 1}}',
            "bare JSON",
            "查票",
            '{"n": 1}',
            id="bare JSON with an escaped name",
        ),
        pytest.param(
            '我去翻记录\n{"tool_calls": [{"id": "c", "type": "function", "function": {"name": "log", "arguments": "{}"}}]}',
            "bare JSON",
            "log",
            '"{}"',
            id="OpenAI's message as text",
        ),
        pytest.param(
            "{'name': 'say', 'arguments': {'text': \"it's\"}}",
            "bare JSON",
            "say",
            "{'text': \"it's\"}",
            id="a call in Python's quotes",
        ),
        pytest.param(
            '[tide(port="Bergen"), now()]', "pythonic", "tide", 'port="Bergen"', id="a list of Python's calls"
        ),
        pytest.param(
            'get_tide\n{"port": "Bergen"}', "name line", "get_tide", '{"port": "Bergen"}', id="a name above its JSON"
        ),
        pytest.param(
            '<xai:function_call name="find">\n<parameter name="q">tide</parameter>\n</xai:function_call>',
            "tool_call tag",
            "find",
            '<parameter name="q">tide</parameter>',
            id="a tag with the prefix of a vendor",
        ),
        pytest.param(
            "<tool_call:6a2f>tide<arg_key:6a2f>port</arg_key:6a2f><arg_value:6a2f>Oslo</arg_value:6a2f></tool_call:6a2f>",
            "tool_call tag",
            "tide",
            "<arg_key:6a2f>port</arg_key:6a2f><arg_value:6a2f>Oslo</arg_value:6a2f>",
            id="a tag with a suffix",
        ),
        pytest.param(
            f'<tool_calls>\n<tool_call>tide\n{FENCE}json\n{{"port": "Oslo"}}\n{FENCE}\n</tool_call>\n</tool_calls>',
            "tool_call tag",
            "tide",
            f'{FENCE}json\n{{"port": "Oslo"}}\n{FENCE}',
            id="a tag of several calls",
        ),
        pytest.param(
            '<function_calls>\ntide(port="Oslo")\nnow()\n</function_calls>',
            "tool_call tag",
            "tide",
            'port="Oslo"',
            id="Python's calls in a tag",
        ),
        pytest.param(
            '<tool-use>{"name": "tide", "input": {"port": "Oslo"}}</tool-use>',
            "tool_call tag",
            "tide",
            '{"port": "Oslo"}',
            id="a tag with a hyphen",
        ),
        pytest.param(
            '&lt;invoke name="tide"&gt;\n&lt;parameter name="port"&gt;Oslo&lt;/parameter&gt;\n&lt;/invoke&gt;',
            "invoke tag",
            "tide",
            '<parameter name="port">Oslo</parameter>',
            id="escaped tags",
        ),
        pytest.param(
            ']<]minimax[>[<tool_call>]<]minimax[>[<invoke name="tide">]<]minimax[>[<port>Oslo]<]minimax[>[</port>'
            "]<]minimax[>[</invoke>]<]minimax[>[</tool_call>",
            "tool_call tag",
            "tide",
            "]<]minimax[>[<port>Oslo]<]minimax[>[</port>]<]minimax[>[",
            id="MiniMax's later tags",
        ),
        pytest.param(
            '<function(tide)>{"port": "Oslo"}</function>', "function tag", "tide", '{"port": "Oslo"}', id="Groq's tag"
        ),
        pytest.param(
            "<tool>tide</tool>\n<tool_input>Oslo</tool_input>", "tool_use tag", "tide", "Oslo", id="LangChain's XML"
        ),
        pytest.param(
            '<list_dir>{"path": "."}</list_dir>', "cline tag", "list_dir", '{"path": "."}', id="a tag and JSON"
        ),
        pytest.param("<execute_bash>\nls -l\n</execute_bash>", "execute tag", "execute_bash", "ls -l", id="OpenHands"),
        pytest.param(
            '<|FunctionCallBegin|>[{"name": "tide", "parameters": {"port": "青岛"}}]<|FunctionCallEnd|>',
            "tool_call token",
            "tide",
            '{"port": "青岛"}',
            id="Doubao's tokens",
        ),
        pytest.param(
            "<|tool_call:start|>tide\n<|tool_arg:start|>port<|tool_arg:value|>Oslo<|tool_arg:end|>\n<|tool_call:end|>",
            "tool_call token",
            "tide",
            "<|tool_arg:start|>port<|tool_arg:value|>Oslo",
            id="Solar's tokens",
        ),
        pytest.param(
            f'<|tool_call_start|>\n{FENCE}python\ntide(port="Oslo")\n{FENCE}\n<|tool_call_end|>',
            "tool_call token",
            "tide",
            'port="Oslo"',
            id="a token and a block of Python",
        ),
        pytest.param(
            '<|action_start|><|plugin|>\n{"name": "潮汐", "parameters": {"港口": "青岛"}}<|action_end|>',
            "tool_call token",
            "潮汐",
            '{"港口": "青岛"}',
            id="InternLM's tokens",
        ),
        pytest.param(
            '<|from|>assistant\n<|recipient|>tide\n<|content|>{"port": "Oslo"}',
            "recipient",
            "tide",
            '{"port": "Oslo"}',
            id="Functionary's recipient",
        ),
        pytest.param(
            f"<|assistant|>tide\n{FENCE}python\ntool_call(port='Oslo')\n{FENCE}",
            "tool_call code",
            "tide",
            "port='Oslo'",
            id="ChatGLM's code",
        ),
        pytest.param(
            'assistant to=functions.tide մեկնաբանություն 彩票json {"port": "Oslo"}',
            "harmony",
            "tide",
            '{"port": "Oslo"}',
            id="harmony with other words in it",
        ),
        pytest.param('Call: tide(port="Oslo")<bot_end>', "call line", "tide", 'port="Oslo"', id="NexusRaven's line"),
        pytest.param(
            '调用工具：tide({"port": "青岛"})', "call line", "tide", '{"port": "青岛"}', id="a line with a label"
        ),
        pytest.param(
            '[Tool Call: tide (ID: call_7)]\nArguments: {"port": "Oslo"}',
            "tool_call brackets",
            "tide",
            '{"port": "Oslo"}',
            id="a label in brackets",
        ),
        pytest.param(
            f'Thought: I look it up.\nCode:\n{FENCE}py\nprint(tide(port="Oslo"))\n{FENCE}<end_code>',
            "code agent",
            "",
            'print(tide(port="Oslo"))',
            id="an agent that acts in code",
        ),
        pytest.param(
            'tool_code\nprint(default_api.tide(port="Oslo"))', "code line", "tide", 'port="Oslo"', id="Gemini's code"
        ),
        pytest.param('tide(port="Oslo", days=2)', "bare call", "tide", 'port="Oslo", days=2', id="a call and no more"),
        pytest.param(
            "Thought: I press it.\nAction: click(start_box='(512,88)')",
            "ReAct",
            "click",
            "start_box='(512,88)'",
            id="UI-TARS",
        ),
        pytest.param(
            'starttoolcall[{"name": "tide", "arguments": {}}]endtoolcall', "functools", "tide", "{}", id="Rubra's words"
        ),
        pytest.param(
            '✿FUNCTION✿: tide\n✿ARGS✿: {"port": "Oslo"}', "FUNCTION mark", "tide", '{"port": "Oslo"}', id="Qwen-Agent"
        ),
        pytest.param(
            '{"thoughts": ["Oslo it is."], "tool_name": "tide", "tool_args": {"port": "Oslo"}}',
            "bare JSON",
            "tide",
            '{"port": "Oslo"}',
            id="a call with thoughts beside it",
        ),
    ],
)
def test_a_leaked_call_is_read_in_its_form(text: str, form: str, tool: str, arguments: str) -> None:
    call = found(text)
    assert (call.form, call.tool, call.arguments) == (form, tool, arguments)
    assert text[call.stop :] == ""


@pytest.mark.parametrize(
    ("text", "tool"),
    [
        pytest.param('<tool_call>\n{"name": "get_ti', "", id="in the tool's name"),
        pytest.param('<tool_call>{"name": "tide", "arguments": {"por', "tide", id="in the arguments"),
        pytest.param("One moment.\n\n<tool_call>", "", id="behind the opening tag"),
        pytest.param("好的，我来运行。\n<function=run_te", "", id="in a function's name"),
        pytest.param('Now I run it. <invoke name="run">\n<parameter name="cmd">npm te', "run", id="in a parameter"),
        pytest.param('[TOOL_CALLS]查订单[ARGS]{"单号": "1', "查订单", id="in Mistral's arguments"),
        pytest.param(
            '<|tool_calls_section_begin|><|tool_call_begin|>functions.ls:3<|tool_call_argument_begin|>{"d',
            "ls",
            id="in Kimi's",
        ),
        pytest.param(
            f'我来找。\n{FENCE}json\n{{"name": "find", "arguments": {{"q": "猫"', "find", id="in a block of JSON"
        ),
        pytest.param(
            '{"tool_calls": [{"function": {"name": "find", "arguments": {"q": "x"', "find", id="in OpenAI's message"
        ),
        pytest.param(
            '{"tool_calls": [{"function": {"name": "find", "argu', "find", id="before the arguments of a message"
        ),
        pytest.param('[{"name": "a", "arguments": {}}, {"name": "b", "ar', "a", id="in the second call of a list"),
        pytest.param("Thought: look it up\nAction: find\nAction In", "find", id="in ReAct's second line"),
        pytest.param(
            "<write_to_file>\n<path>a.py</path>\n<content>\nprint(", "write_to_file", id="in a file's content"
        ),
        pytest.param(
            '{"name": "tide", "arguments": {"port": "Bergen"}}\n</tool_call>', "tide", id="before its beginning"
        ),
        pytest.param("remember the ferns</parameter>\n</invoke>", "", id="before its last parameter"),
        pytest.param('"port": "Oslo"}}\n</tool_call>', "", id="before the end of its JSON"),
        pytest.param('{"port": "Oslo"}<|call|>', "", id="before the token that ends it"),
        pytest.param("[tide(port='Oslo'), now(", "tide", id="in a list of Python's calls"),
    ],
)
def test_a_call_that_is_cut_off_is_found(text: str, tool: str) -> None:
    call = found(text)
    assert call.tool == tool
    assert call.stop == len(text)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("The search tool takes a query and returns ten hits.", id="talk about a tool"),
        pytest.param("Hermes models wrap a call in a `<tool_call>` element.", id="a mark in inline code"),
        pytest.param("The element <tool_call> wraps the JSON, and </tool_call> closes it.", id="a mark in a sentence"),
        pytest.param("Mistral 的 [TOOL_CALLS] 后面跟着 JSON 数组。", id="a mark in a Chinese sentence"),
        pytest.param("Granite calls begin with <|tool_call|> tokens", id="a mark and a last word"),
        pytest.param("DeepSeek 的特殊标记包括：\n<｜tool▁calls▁begin｜>\n<｜tool▁sep｜>", id="a list of marks"),
        pytest.param('Use `<tool_call>{"name": "f", "arguments": {}}</tool_call>` for it.', id="a call in inline code"),
        pytest.param(
            'The Hermes format looks like this:\n\n<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>',
            id="an example",
        ),
        pytest.param(
            'Hermes 的格式如下：\n<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>', id="an example in Chinese"
        ),
        pytest.param('### 示例\n\n<function=search>{"q": "x"}</function>', id="an example below a heading"),
        pytest.param(
            'For example:\n<function=a>{}</function>\nand with an argument:\n<function=a>{"x": 1}</function>',
            id="a second example",
        ),
        pytest.param(
            '调用写成 <function=名字>{"参数": 1}</function>，参数为 JSON。', id="a call within a Chinese sentence"
        ),
        pytest.param('The model sent <function=f>{"a": 1}</function> and then stopped.', id="a call within a sentence"),
        pytest.param(
            f'{FENCE}xml\n<tool_call>{{"name": "f", "arguments": {{}}}}</tool_call>\n{FENCE}', id="a block of XML"
        ),
        pytest.param(f'{FENCE}python\ncall = {{"name": "f", "arguments": {{}}}}\n{FENCE}', id="a block of Python"),
        pytest.param(
            '> <tool_call>{"name": "f", "arguments": {}}</tool_call>\n\nThat line is a bug.', id="a quotation"
        ),
        pytest.param(
            'The log has "<tool_call>{"name": "f", "arguments": {}}</tool_call>" in it.', id="quotation marks"
        ),
        pytest.param(
            f'Send a body such as:\n{FENCE}json\n{{"name": "f", "arguments": {{}}}}\n{FENCE}', id="a request's body"
        ),
        pytest.param(
            f'接口的请求体是：\n{FENCE}json\n{{"name": "f", "arguments": {{}}}}\n{FENCE}',
            id="a request's body in Chinese",
        ),
        pytest.param(f'{FENCE}json\n{{"name": "Ana", "email": "ana@example.com"}}\n{FENCE}', id="data with a name"),
        pytest.param(
            f'{FENCE}json\n{{"name": "files", "args": ["-y", "server"]}}\n{FENCE}', id="a configuration with args"
        ),
        pytest.param(f'{FENCE}json\n{{"name": "my-app", "version": "1.0.0"}}\n{FENCE}', id="a package"),
        pytest.param(
            '{"name": "tide", "parameters": {"type": "object", "properties": {"port": {"type": "string"}}}}',
            id="a tool's definition",
        ),
        pytest.param(
            '{"status": "ok", "result": {"name": "tide", "arguments": {"port": "x"}}}', id="a call within other data"
        ),
        pytest.param('{"tool_calls": []}', id="no calls at all"),
        pytest.param("会议纪要\n行动：小李交报告\n行动输入：无", id="minutes in Chinese"),
        pytest.param("Action: Anna sends the minutes.\nAction: Bo books the room.", id="minutes"),
        pytest.param("ReAct alternates Thought, Action and Action Input lines.", id="talk about ReAct"),
        pytest.param("In a cell, get_tide(port='Bergen') prints a table; [a(1)](b) links to it.", id="code in prose"),
        pytest.param(
            "std::function<void(int)> f; Vec<Tool> t; if (a < b && c > d) { f(a[0]); }", id="angle brackets in code"
        ),
        pytest.param(
            "Look for <xai:function_call> and <longcat_tool_call> in the text.", id="marks with a prefix in a sentence"
        ),
        pytest.param(
            'Grok writes it like this:\n<xai:function_call name="f">\n<parameter name="a">1</parameter>\n'
            "</xai:function_call>",
            id="an example with a prefix",
        ),
        pytest.param('BPEL has <bpel:invoke name="check" partnerLink="bank"/> for it.', id="an element of BPEL"),
        pytest.param("The type is Array<ToolCall>{ first }, and <ToolCall call={call} /> shows it.", id="a type"),
        pytest.param("Write &lt;tool_call&gt; in the page.", id="an escaped mark in a sentence"),
        pytest.param("First </parameter>, then </invoke>.", id="closing marks in a sentence"),
        pytest.param("The text stops like this:\n</parameter>\n</invoke>", id="closing marks that are shown"),
        pytest.param("<|recipient|>all\n<|content|>Good morning.", id="a recipient that is everybody"),
        pytest.param("早期版本用 <execute_bash> 标签包住命令。", id="a mark to run commands in a sentence"),
        pytest.param("Call:\nlm(formula = mpg ~ wt, data = cars)", id="R prints a model"),
        pytest.param("   Call: (10) member(b, [a,b]) ? creep", id="Prolog prints a trace"),
        pytest.param('Calling f with arguments {"a": 1} returns 2.', id="a sentence about a call"),
        pytest.param(f"Code:\n{FENCE}python\nprint(1)\n{FENCE}\n\nIt prints 1.", id="code that nobody thought of"),
        pytest.param("setup(name='boat', sails=[main, jib()])", id="a line of a program"),
        pytest.param('[User(id=1, name="Ana"), User(id=2, name="Bo")]', id="a list of objects"),
        pytest.param("if (a) { b(); }</span></div>\n</body>", id="closing marks of HTML"),
        pytest.param("In the header, to=functions.tide names the recipient.", id="talk about a recipient"),
        pytest.param("", id="nothing"),
    ],
)
def test_what_is_shown_or_talked_about_is_let_be(text: str) -> None:
    assert find_raw_call(text) is None


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param("", "", id="alone"),
        pytest.param("Let me read that file.\n\n", "\n\nI will wait for it.", id="between sentences"),
        pytest.param(
            "I'll look at the request format first: ", "", id="behind words about formats, by somebody about to act"
        ),
        pytest.param(
            "The parser is `<tool_call>` aware. Let me check: ", " and then I answer.", id="behind inline code"
        ),
        pytest.param("我先看看示例代码文件。\n", "\n看完告诉你。", id="between Chinese sentences"),
        pytest.param(f"{FENCE}bash\nls\n{FENCE}\n\n", "", id="behind a block of code"),
        pytest.param("<think>\nThe format is for example XML:\n</think>\n", "", id="behind a thought about examples"),
        pytest.param(
            "For example:\n<function=a>{}</function>\nNow I read it.\n",
            "",
            id="behind an example, by somebody about to act",
        ),
    ],
)
def test_the_offsets_are_those_of_the_markup(before: str, after: str) -> None:
    markup = '<tool_call>{"name": "read", "arguments": {"path": "a.md"}}</tool_call>'
    call = found(before + markup + after)
    assert call == RawCall("tool_call tag", len(before), len(before) + len(markup), "read", '{"path": "a.md"}')


@pytest.mark.parametrize(
    ("text", "start", "arguments"),
    [
        pytest.param("buy\n\nmilk</parameter>\n</invoke>", 5, "milk", id="the paragraph that it ends"),
        pytest.param("I bought milk.\n</parameter>\n</invoke>\n\nBye.", 15, "", id="marks behind whole sentences"),
    ],
)
def test_of_a_call_that_has_its_end_alone_the_arguments_are(text: str, start: int, arguments: str) -> None:
    call = found(text)
    assert (call.form, call.start, call.arguments) == ("tail", start, arguments)
    assert text[: call.stop].endswith("</invoke>")


def test_escaped_marks_have_the_places_that_they_have_in_the_text() -> None:
    markup = '&lt;tool_call&gt;{"name": "read", "arguments": {}}&lt;/tool_call&gt;'
    call = found(f"Let me see.\n{markup}\nWait.")
    assert (call.start, call.stop, call.tool) == (12, 12 + len(markup), "read")


def test_a_block_counts_with_its_fences_and_only_the_first_call_is_returned() -> None:
    block = f'{FENCE}json\n{{"name": "a", "arguments": {{}}}}\n{FENCE}'
    text = f"I run both.\n{block}\n<function=b>{{}}</function>"
    assert found(text) == RawCall("fenced JSON", 12, 12 + len(block), "a", "{}")


@pytest.mark.parametrize(
    "seed",
    [
        "<tool_call>", "<tool_call>{", "<tool_code>print(", "{", "[", '{"name":', '\n{"name":"a"',
        "[TOOL_CALLS]", "to=", "`", "```json\n", "```\n", "Action: ", "Action: a\n", "Thought: a\n",
        "functions.", "functions.a:0", '<invoke name="a">',
        '{"name":"a","x":[{"name":"b","arguments":{}}]}\n', '"', "\\", "<", "<｜tool▁call▁begin｜>",
        "<read_file><path>", "。", 'such as <tool_call>{"a":1}</tool_call>\n',
        'Action: ```json\n[{"a":1}]\n```\n', "[f(a=1", "`<tool_call>{` ", ">>>a\n{",
        "<a_tool_call", "<|a_tool_call", "<|tool_call_begin|>", "</parameter>\n</invoke>\n", "}<|call|>", "&lt;", "<ns_",
        "assistant to=functions.a", "to=functions.a éé ", "\n[a(b=1),", "Code:\n```py\n", "Call: a(", "Tool call: a(",
        "<execute_bash>", "<|recipient|>a", "]<]a[>[", "<tool>a</tool>", '<invoke name="a" ', "<tool_call>a ",
    ],
)  # fmt: skip
def test_no_long_text_makes_the_look_hang(seed: str) -> None:
    for opening in (
        "",
        "Action Tool 工具 to= functions. _ )] <bot_end> Thought: tool_call( ",
        'such as {"name": "a", "arguments": {',
    ):
        call = find_raw_call((opening + seed * (LONG // len(seed) + 1))[:LONG])
        assert call is None or 0 <= call.start < call.stop <= LONG


def test_a_call_beyond_what_is_read_is_not_looked_for() -> None:
    assert find_raw_call("a " * 100_000 + "<function=b>{}</function>") is None
