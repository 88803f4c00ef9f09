"""Tell whether a message has a tool call that was meant for a machine and came out as text.

A call is told by its form (toolcall_forms.py). It is let be where it is shown and not made: in inline code, in a block
of code of some language, in a quotation, or where the words beside it introduce or explain an example. Words of
somebody about to act ("let me", "我来") weigh against talk about requests and formats, not against "for example".
Of a call whose beginning was cut off, the paragraph that it ends is taken for its arguments.

Units
    Offsets and *_CHARS are characters.
Source
    Parsers of vLLM and llama.cpp for the forms, and bug reports of leaked calls for what surrounds them. Figures:
    tests/conformance/test_toolcall.py.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, replace
from typing import NamedTuple

from memd.engine.work.toolcall_forms import JSON, forms_in
from memd.engine.work.toolcall_json import CLOSING, GAP, NAME, NAMESPACE, Form, call_at, read_call, value_end
from memd.text import expressions as re
from memd.text.expressions import matches_in

READ_CHARS, LEAD_CHARS, AFTER_CHARS = 200_000, 400, 200
OPENING_CHARS = 1200  # the longest beginning of a call, with what must follow it, and the longest inline code
READ, TRIES = 500, 12  # marks read, and examples and unfinished JSON, after which the text is let be


@dataclass(frozen=True, slots=True)
class RawCall:
    """A leaked call: its vendor's form, its place in the text, its tool, and its arguments as written."""

    form: str
    start: int
    stop: int
    tool: str = ""
    arguments: str = ""


class _Block(NamedTuple):
    start: int
    inner: int
    stop: int
    language: str


_FENCE = re.compile(r"^[ \t]{0,12}(`{3,9}|~{3,9})[ \t]{0,4}([^\s`{<]{0,40})[^\n`]*$", re.MULTILINE)
_CODE = re.compile(r"(?<!`)(`{1,2})(?!`)[^`\n]{1,1000}\1(?!`)")
_PLAIN = frozenset({"", "json", "jsonc", "json5", "text", "txt", "plaintext", "plain"})

_PAD = "\x1c"  # a space that no message has: it keeps the places of what is written as &lt; and &gt;

# Code or words may follow these.
_OPEN_ENDED = frozenset({"python_tag", "harmony", "ReAct", "tool_code block", "code agent", "code line"})
_STEPS = frozenset({"ReAct", "code agent"})
_TRANSCRIPT = re.compile(
    r"(?:(?:\A|\n)[ \t]{0,9}(?:Thought|Question|Observation|思考|问题|观察|想法)[ \d]{0,3}[:：][^\n]{0,300}\s{0,9}){1,6}\Z"
)
_LAST_WORD = re.compile(rf"\s{{0,20}}(?:{NAME}\s{{0,20}})?\Z")
_THOUGHT = re.compile(r"(?:Thought|思考|想法)[ \d]{0,3}[:：]")
_NEXT_CALL = re.compile(rf"[\[,]\s{{0,40}}{NAME}\(")
_LIST_SHUT = re.compile(r"\s{0,40},?\s{0,40}\][ \t]{0,9}(?:$|</?[|\w]|[.。])|\s{0,40}\Z", re.MULTILINE)
# A line of a program has names and calls among its arguments; a tool is given strings and numbers.
_STRING = re.compile(r"\"[^\"\n]*\"|'[^'\n]*'")
_CODED = re.compile(r"[\w\"\])]\s+\w|\b(?!(?:True|False|None|true|false|null)\b)[^\W\d]\w*(?![\w\"]|\s?[=:])")
_NAMESPACE = re.compile(rf"{NAMESPACE}\Z")
_ENDS = "。.!！?？…~～"
_QUOTES = tuple("\"'“「『‘")

# Where an object may begin that stands for itself: on its own line, or behind a sentence.
_FREE = re.compile(r"(?:\A|[\n.!?。！？…>;；：)]|(?<![\"'\s]):|```(?:json)?)[ \t]{0,9}\Z")
_INSIDE = re.compile(r"[,\[{(=\"']\s{0,40}\Z|[\"']\s{0,4}:\s{0,40}\Z")


def find_raw_call(text: str) -> RawCall | None:
    """Return the first tool call in a message that stands there as text, or None."""
    text = text[:READ_CHARS]
    if "&lt;" not in text:
        return _first_call(text)
    text = text.replace("&lt;", f"{_PAD * 3}<").replace("&gt;", f">{_PAD * 3}")
    if (call := _first_call(text)) is None:
        return None
    start, stop = len(text[: call.start].rstrip(_PAD)), len(text) - len(text[call.stop :].lstrip(_PAD))
    return replace(call, start=start, stop=stop, arguments=call.arguments.replace(_PAD, "").strip())


def _first_call(text: str) -> RawCall | None:
    found = [(match, form) for form in forms_in(text) for match in matches_in(form.opening, text, OPENING_CHARS)]
    if not found:
        return None
    page, past, read, shown, cuts = _Page(text), 0, 0, 0, 0
    for match, form in sorted(found, key=lambda one: one[0].start()):
        if match.start() < past:
            continue
        past = page.quoted_until(match.start())
        if past > 0:
            continue
        call, past = _read_json(page, match) if form.name == JSON else _read(page, match, form)
        if call is not None:
            if not page.is_example(call, another=shown > 0):
                return call
            shown += 1
        elif past == len(text) or form.name == "tail":
            past, cuts = match.end(), cuts + 1
        read += 1
        if read > READ or shown + cuts > TRIES:
            return None
    return None


class _Page:
    """A message with its blocks of code and its inline code."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.blocks = _blocks_of(text) if "```" in text or "~~~" in text else []
        self.code = [one.span() for one in matches_in(_CODE, text, OPENING_CHARS)] if "`" in text else []

    def block_at(self, at: int) -> _Block | None:
        """Return the block of code that has this place inside its fences."""
        index = bisect_right(self.blocks, at, key=lambda block: block.start) - 1
        block = self.blocks[index] if index >= 0 else None
        return block if block and block.start < at < block.stop else None

    def quoted_until(self, at: int) -> int:
        """Return where the quotation or the code that has this place in it ends; 0 where it is in none."""
        if block := self.block_at(at):
            first = block.language in _PLAIN and not self.text[block.inner : at].strip()
            return 0 if first else block.stop
        index = bisect_right(self.code, at, key=lambda span: span[0]) - 1
        if index >= 0 and at < self.code[index][1]:
            return self.code[index][1]
        before = self.text[max(0, at - LEAD_CHARS) : at]
        marked = before.rstrip(_PAD)[-1:] in _QUOTES or before.rpartition("\n")[2].lstrip().startswith(">")
        return at + 1 if marked else 0

    def is_example(self, call: RawCall, *, another: bool) -> bool:
        """Whether the words beside a call say that it is shown and not made."""
        block = self.block_at(call.start)
        start = block.start if block else call.start
        fenced = block is not None or call.form == "fenced JSON"
        before = self.text[max(0, start - LEAD_CHARS) : start]
        lead = before.rpartition("</think>")[2].rstrip()
        alone = "\n" in before[len(before.rstrip()) :] and not fenced
        if call.form in _STEPS:
            lead = _TRANSCRIPT.sub("", lead).rstrip()
        after = self.text[call.stop : call.stop + AFTER_CHARS]
        said = SENTENCE.split(lead)[-1]
        acts, leads_in = bool(ACTS.search(said)), bool(said) and said[-1] not in _ENDS
        if SHOWS.search(said) and (leads_in or POINTS.search(said)):
            return True
        if acts:
            return False
        if another or EXPLAINS.match(after):
            return True
        if leads_in and (DESCRIBES.search(said) or ("JSON" in call.form and HOLDS_DATA.search(said))):
            return True
        goes_on = not alone and not said.endswith((":", "：")) and GOES_ON.match(after.lstrip() if fenced else after)
        if (leads_in or call.form == "call line") and (goes_on or (block and "JSON" not in call.form)):
            return True
        topics = {one.lower() for one in TOPIC.findall(f"{lead} {after}")}
        return len(topics) > (1 if leads_in else 2)


def _blocks_of(text: str) -> list[_Block]:
    blocks: list[_Block] = []
    opened: re.Match[str] | None = None
    for fence in matches_in(_FENCE, text, OPENING_CHARS):
        if opened is None:
            opened = fence
        elif fence[1].startswith(opened[1]) and not fence[2]:
            blocks.append(_Block(opened.start(), opened.end(), fence.end(), opened[2].lower()))
            opened = None
    if opened is not None:
        blocks.append(_Block(opened.start(), opened.end(), len(text) + 1, opened[2].lower()))
    return blocks


def _read_json(page: _Page, match: re.Match[str]) -> tuple[RawCall | None, int]:
    """Return the call that is all of a piece of JSON which stands for itself, and where the piece stops."""
    text, at, block = page.text, match.start(), page.block_at(match.start())
    before = text[max(0, at - 30) : at]
    if not block and (_INSIDE.search(before) or not _FREE.search(before)):
        return None, match.end()
    written = call_at(text, at)
    if written is None:
        return None, value_end(text, at)[0]
    tool, arguments, stop, _ = written
    if not block:
        closing = CLOSING.match(text, stop)
        stop = closing.end() if closing else stop
        return RawCall("bare JSON", at, stop, tool, arguments), stop
    rest = text[stop : block.stop].strip()
    if rest and rest[0] not in "`~{,":
        return None, block.stop
    stop = stop if rest[:1] in ("{", ",") else min(block.stop, len(text))
    return RawCall("fenced JSON", block.start, stop, tool, arguments), stop


def _read(page: _Page, match: re.Match[str], form: Form) -> tuple[RawCall | None, int]:
    """Return the call that begins with a mark, and where it stops."""
    text, end = page.text, match.end()
    if form.name == "tail":
        return _read_tail(page, match)
    start = match.start() + len(match[0]) - len(match[0].lstrip())
    if _LAST_WORD.match(text, end) and not _FREE.search(text[max(0, start - 20) : start]):
        return None, end  # a sentence that speaks of the mark and ends with it
    if form.name == "pythonic" and not _is_list(text, text.find("[", start)):
        return None, end
    block = page.block_at(end)
    limit = min(block.stop, len(text)) if block else len(text)
    tool, arguments, stop, _ = read_call(text[:limit], match, form.name)
    if not tool and form.name not in _OPEN_ENDED and GAP.sub("", arguments, 1)[:1] not in ("", "{", "[", "<"):
        return None, stop if stop == len(text) else end
    call = RawCall(form.name, start, stop, tool, arguments)
    if not _holds(text, call, limit):
        return None, end
    if text.startswith("]" if text[start] == "[" else ")", stop) and (text[start] == "[" or form.name == "code line"):
        stop += 1  # of the brackets or the print around the call
    if form.name.endswith("block") or (block and form.name == "code agent"):
        stop = limit
    before = _NAMESPACE.search(text, max(0, start - 40), start)
    return replace(call, start=before.start() if before else start, stop=stop), stop


def _holds(text: str, call: RawCall, limit: int) -> bool:
    """Whether what its form asks of a call beside its beginning is true of it."""
    match call.form:
        case "name line":
            return not text[call.stop :].strip()
        case "bare call":
            return not text[call.stop :].strip() and not _CODED.search(_STRING.sub('""', call.arguments))
        case "ReAct":
            return _is_step(text, call.start, call.tool, call.arguments)
        case "code agent":
            ended = text.find("<end_code>", call.start, limit + 20) >= 0
            return ended or bool(_THOUGHT.search(text[max(0, call.start - LEAD_CHARS) : call.start]))
        case "Action block":
            return bool(re.fullmatch(NAME, call.tool))
    return True


def _read_tail(page: _Page, match: re.Match[str]) -> tuple[RawCall | None, int]:
    """Return the call of which the text has the end alone: closing marks that nothing opened."""
    text, at = page.text, match.start()
    tag = match["tag"] or match["tag_2"]
    opened = (f"<{tag}",) if tag else ("<|tool", "<｜tool", "to=")
    if any(text.find(mark, 0, at) >= 0 for mark in opened):
        return None, match.end()
    closing = CLOSING.match(text, at)
    stop = closing.end() if closing else match.end()
    said = SENTENCE.split(text[max(0, at - LEAD_CHARS) : at].rstrip())[-1]
    after = text[stop : stop + AFTER_CHARS]
    if not said or said[-1] in ":：" or TOPIC.search(said) or GOES_ON.match(after.lstrip()) or EXPLAINS.match(after):
        return None, stop
    start = max(0, text.rfind("\n\n", 0, at))
    start += len(text[start:at]) - len(text[start:at].lstrip())
    if said[-1] in _ENDS and text[at - 1] == "\n":
        start = at  # whole sentences, and marks on lines of their own
    return RawCall("tail", start, stop, "", text[start:at].strip()), stop


def _is_list(text: str, at: int) -> bool:
    """Whether brackets hold nothing but calls, and stand on lines of their own; or are cut off."""
    whole = True
    while whole and (call := _NEXT_CALL.match(text, at)):
        at, whole = value_end(text, call.end() - 1)
    return _LIST_SHUT.match(text, at) is not None


def _is_step(text: str, start: int, tool: str, arguments: str) -> bool:
    """Whether a pair of lines is a step of an agent: Chinese notes have such pairs too, but no thoughts and no JSON."""
    before, line = text[max(0, start - LEAD_CHARS) : start], text[start : start + 40].lstrip(" \t*")
    plain = line[:1].isascii() or tool.isascii()
    return plain or arguments.startswith(("{", "[")) or bool(_THOUGHT.search(before))


# The words that tell whether a call is made or shown.
#
# Some are of somebody about to act, some introduce or explain an example, and some are of talk about formats.

ACTS = re.compile(
    r"\b(?:i(?:['’](?:ll|m)| will| am| need| should| can| must| have to| want to)\b(?! (?:show|explain|demonstrate))"
    r"|let(?: me|['’]s| us)\b(?! (?:show|explain|demonstrate))|(?:now|first|next|then),? i\b"
    r"|one (?:moment|sec)|hold on|right away|(?:check|search|look|read|runn|call|fetch|open|load|send|query|gett"
    r"|creat|updat|writ|execut|retriev)ing\b)"
    r"|我(?:来|先|去|会|将|要|再|需要|这就|现在|马上|帮|给|得|想|查|看|读)|让我|正在|马上|这就|稍等|接下来"
    r"|[为帮][您你](?![^，。：:]{0,8}了)|[先再现在](?:[去来]?[看查读搜]|确认|打开)|开始[执调查]",
    re.IGNORECASE,
)
SHOWS = re.compile(
    r"\bfor (?:example|instance)\b|\bexamples?\b\W{0,6}\Z|\bexample (?:of|call|output|message|response)\b"
    r"|\be\.g\.|\bsuch as\b"
    r"|\b(?:an?|this|one|another|following|simple|minimal|typical|complete) (?:\w{1,15} ){0,2}(?:example|sample)\b"
    r"|\blooks? (?:like|as follows|something like)\b|\blike (?:this|so|these)\b|\bsample (?:call|output)"
    r"|\b(?:syntax|format|template|schema|notation|convention|shape|structure)s?"
    r"(?: (?:is|are|of|for|looks|uses?)\b|\W{0,6}\Z)"
    r"|\b(?:written|expressed|encoded|represented|formatted|serialized|wrapped|emitted) (?:as|like|in|with|by)\b"
    r"|例如|比如|譬如|举例|举个|例子|(?<![看读开查写改行])示例(?!代码|文件|程序|项目|数据|配置|目录|脚本)|样例|范例"
    r"|格式(?:是|为|如|一般|通常|大致|[:：])|形如|写法|语法|长这样|这样写|写成|写作|形式(?:是|为|如)|样子"
    r"|模型(?:会|应|将|就)?(?:输出|生成|返回|写)",
    re.IGNORECASE,
)
DESCRIBES = re.compile(
    r"\b(?:requests?|responses?|repl(?:y|ies|ied)|answers?|payload|returns?|returned|outputs?|templates?|schema"
    r"|definition|logs?|logged|prints?|printed|writes?|wraps?|wrapped|emits?|emitted|produces?|generates?|encodes?"
    r"|represents?|expects?|accepts?|parses?|rejects?|recognizes?"
    r"|you (?:can|could|should|may|must|need)|docs?|documentation|spec"
    r"|format|syntax|snippet|fixture|test case|means?|consists?)\b"
    r"|请求|响应|返回|输出|日志|格式|模板|定义|如下|以下|下面|[你您]可以|使用|采用|表示|包裹|解析|文档|规范|收到",
    re.IGNORECASE,
)
HOLDS_DATA = re.compile(
    r"\b(?:body|config(?:uration)?|settings?|contains?|defines?|records?|data|recipe|events?|samples?|tests?|rows?"
    r"|fields?|keys?|(?:paste|put|add|send|post|save|store)s?|entr(?:y|ies)|[\w\-]{1,40}\.(?:json|ya?ml|toml|xml|md))\b"
    r"|样本|测试|事件|字段|这样一?[条行个]|配置|接口|数据|内容(?:是|为|如)|文件(?:里|中|内容)|保存为|写入|改成|粘贴|复制|添加|加上|发送",
    re.IGNORECASE,
)
POINTS = re.compile(r"\b(?:here(?:['’]s| is| are)|below|following|this|so)\b|如下|下面|以下|这样|示例", re.IGNORECASE)
TOPIC = re.compile(
    r"\b(?:hermes|qwen|llama|mistral|deepseek|kimi|openai|anthropic|cline|harmony|gpt|gemma|cohere|granite|parsers?"
    r"|parsed|tokenizer|tokens?|templates?|formats?|syntax|markup|tags?|schema|documentation|spec|models?"
    r"|function calling|tool call(?:s|ing)?)\b|格式|模板|解析|标记|标签|语法|文档|模型|协议|规范|工具调用|函数调用",
    re.IGNORECASE,
)
EXPLAINS = re.compile(
    r"\A[\W_]{0,9}(?:(?:this|that|the above|above|these)"
    r" (?:is|are|shows?|was|would|tells?|means?|format|syntax|line|string)\b"
    r"|(?:here|where),? \W?(?:the )?\W?(?:name|arguments|parameters|function|tool)\b"
    r"|(?:the|each|every) \W?(?:name|arguments?|parameters?|tags?|block|format|server|client|parser|json|field|key)\b"
    r"|(?:上面|以上|这)(?:就)?(?:是|表示|说明|段|个).{0,12}(?:格式|示例|写法|例子|样子|调用|标记)"
    r"|means?\b|stands for\b|表示|意思是|代表|说明|其中\W{0,3}(?:name|arguments|参数|工具|函数|名))",
    re.IGNORECASE,
)
SENTENCE = re.compile(r"(?<=[.!?])\s{1,9}(?=\S)|(?<=[。！？])(?=\s{0,9}\S)|\n")
GOES_ON = re.compile(r"[ \t]{0,4}(?:[,，、;；]|[a-z]{2}|[的是来这那表就并时])")
