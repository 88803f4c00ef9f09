"""Tell whether a message has a tool call that was meant for a machine and came out as text.

A call is told by its form (toolcall_forms.py). It is let be where it is shown and not made: in inline code, in a block
of code of some language, in a quotation, or where the words beside it introduce or explain an example. Words of
somebody about to act ("let me", "我来") weigh against talk about requests and formats, not against "for example".

Units
    Offsets and *_CHARS are characters.
Source
    Parsers of vLLM and llama.cpp for the forms, and bug reports of leaked calls for what surrounds them. Figures:
    tests/conformance/test_toolcall.py.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from typing import NamedTuple

from memd.engine.work.toolcall_forms import CLOSING, GAP, JSON, Form, forms_in, read_call
from memd.engine.work.toolcall_json import NAME, call_at, value_end

READ_CHARS, LEAD_CHARS, AFTER_CHARS = 200_000, 400, 200
LOOKED_AT, TRIES = 3000, 12  # marks looked at; examples and unfinished JSON after which the text is let be


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


_FENCE = re.compile(r"^[ \t]{0,12}(`{3,9}|~{3,9})[ \t]{0,4}([^\s`{]{0,40})[^\n`]*$", re.MULTILINE)
_CODE = re.compile(r"(?<!`)(`{1,2})(?!`)[^`\n]{1,1000}\1(?!`)")
_PLAIN = frozenset({"", "json", "jsonc", "json5", "text", "txt", "plaintext", "plain"})

_OPEN_ENDED = frozenset({"python_tag", "harmony", "ReAct", "tool_code block"})  # code or words may follow these
_TRANSCRIPT = re.compile(
    r"(?:(?:\A|\n)[ \t]{0,9}(?:Thought|Question|Observation|思考|问题|观察|想法)[ \d]{0,3}[:：][^\n]{0,300}\s{0,9}){1,6}\Z"
)
_LAST_WORD = re.compile(rf"\s{{0,20}}(?:{NAME}\s{{0,20}})?\Z")
_THOUGHT = re.compile(r"(?:Thought|思考|想法)[ \d]{0,3}[:：]")
_QUOTES = tuple("\"'“「『‘")

# Where an object may begin that stands for itself: on its own line, or behind a sentence.
_FREE = re.compile(r"(?:\A|[\n.!?。！？…>;；：)]|(?<![\"'\s]):|```(?:json)?)[ \t]{0,9}\Z")
_INSIDE = re.compile(r"[,\[{(=\"']\s{0,40}\Z|[\"']\s{0,4}:\s{0,40}\Z")

_ACTS = re.compile(
    r"\b(?:i(?:['’](?:ll|m)| will| am| need| should| can| must| have to| want to)\b(?! (?:show|explain|demonstrate))"
    r"|let(?: me|['’]s| us)\b(?! (?:show|explain|demonstrate))|(?:now|first|next|then),? i\b"
    r"|one (?:moment|sec)|hold on|right away|(?:check|search|look|read|runn|call|fetch|open|load|send|query|gett"
    r"|creat|updat|writ|execut|retriev)ing\b)"
    r"|我(?:来|先|去|会|将|要|再|需要|这就|现在|马上|帮|给|得|想|查|看|读)|让我|正在|马上|这就|稍等|接下来"
    r"|[为帮][您你](?![^，。：:]{0,8}了)|[先再现在](?:[去来]?[看查读搜]|确认|打开)|开始[执调查]",
    re.IGNORECASE,
)
_SHOWS = re.compile(
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
_DESCRIBES = re.compile(
    r"\b(?:requests?|responses?|repl(?:y|ies|ied)|answers?|payload|returns?|returned|outputs?|templates?|schema"
    r"|definition|logs?|logged|prints?|printed|writes?|wraps?|wrapped|emits?|emitted|produces?|generates?|encodes?"
    r"|represents?|expects?|accepts?|parses?|rejects?|recognizes?"
    r"|you (?:can|could|should|may|must|need)|docs?|documentation|spec"
    r"|format|syntax|snippet|fixture|test case|means?|consists?)\b"
    r"|请求|响应|返回|输出|日志|格式|模板|定义|如下|以下|下面|[你您]可以|使用|采用|表示|包裹|解析|文档|规范|收到",
    re.IGNORECASE,
)
_HOLDS_DATA = re.compile(
    r"\b(?:body|config(?:uration)?|settings?|contains?|defines?|records?|data|recipe|events?|samples?|tests?|rows?"
    r"|fields?|keys?|(?:paste|put|add|send|post|save|store)s?|entr(?:y|ies)|[\w\-]{1,40}\.(?:json|ya?ml|toml|xml|md))\b"
    r"|样本|测试|事件|字段|这样一?[条行个]|配置|接口|数据|内容(?:是|为|如)|文件(?:里|中|内容)|保存为|写入|改成|粘贴|复制|添加|加上|发送",
    re.IGNORECASE,
)
_POINTS = re.compile(r"\b(?:here(?:['’]s| is| are)|below|following|this|so)\b|如下|下面|以下|这样|示例", re.IGNORECASE)
_TOPIC = re.compile(
    r"\b(?:hermes|qwen|llama|mistral|deepseek|kimi|openai|anthropic|cline|harmony|gpt|gemma|cohere|granite|parsers?"
    r"|parsed|tokenizer|tokens?|templates?|formats?|syntax|markup|tags?|schema|documentation|spec|models?"
    r"|function calling|tool call(?:s|ing)?)\b|格式|模板|解析|标记|标签|语法|文档|模型|协议|规范|工具调用|函数调用",
    re.IGNORECASE,
)
_EXPLAINS = re.compile(
    r"\A[\W_]{0,9}(?:(?:this|that|the above|above|these)"
    r" (?:is|are|shows?|was|would|tells?|means?|format|syntax|line|string)\b"
    r"|(?:here|where),? \W?(?:the )?\W?(?:name|arguments|parameters|function|tool)\b"
    r"|(?:the|each|every) \W?(?:name|arguments?|parameters?|tags?|block|format|server|client|parser|json|field|key)\b"
    r"|(?:上面|以上|这)(?:就)?(?:是|表示|说明|段|个).{0,12}(?:格式|示例|写法|例子|样子|调用|标记)"
    r"|means?\b|stands for\b|表示|意思是|代表|说明|其中\W{0,3}(?:name|arguments|参数|工具|函数|名))",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"(?<=[.!?])\s{1,9}(?=\S)|(?<=[。！？])(?=\s{0,9}\S)|\n")
_GOES_ON = re.compile(r"[ \t]{0,4}(?:[,，、;；]|[a-z]{2}|[的是来这那表就并时])")


def find_raw_call(text: str) -> RawCall | None:
    """Return the first tool call in a message that stands there as text, or None."""
    text = text[:READ_CHARS]
    found = [(match, form) for form in forms_in(text) for match in form.opening.finditer(text)]
    if not found:
        return None
    page, past, shown, cuts = _Page(text), 0, 0, 0
    for match, form in sorted(found, key=lambda one: one[0].start())[:LOOKED_AT]:
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
        elif past == len(text):
            past, cuts = match.end(), cuts + 1
        if shown + cuts > TRIES:
            return None
    return None


class _Page:
    """A message with its blocks of code and its inline code."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.blocks = _blocks_of(text) if "```" in text or "~~~" in text else []
        self.code = [one.span() for one in _CODE.finditer(text)] if "`" in text else []

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
        marked = before[-1:] in _QUOTES or before.rpartition("\n")[2].lstrip().startswith(">")
        return at + 1 if marked else 0

    def is_example(self, call: RawCall, *, another: bool) -> bool:
        """Whether the words beside a call say that it is shown and not made."""
        block = self.block_at(call.start)
        start = block.start if block else call.start
        fenced = block is not None or call.form == "fenced JSON"
        before = self.text[max(0, start - LEAD_CHARS) : start]
        lead = before.rpartition("</think>")[2].rstrip()
        alone = "\n" in before[len(before.rstrip()) :] and not fenced
        if call.form == "ReAct":
            lead = _TRANSCRIPT.sub("", lead).rstrip()
        after = self.text[call.stop : call.stop + AFTER_CHARS]
        said = _SENTENCE.split(lead)[-1]
        acts, leads_in = bool(_ACTS.search(said)), bool(said) and said[-1] not in "。.!！?？…~～"
        if _SHOWS.search(said) and (leads_in or _POINTS.search(said)):
            return True
        if acts:
            return False
        if another or _EXPLAINS.match(after):
            return True
        if leads_in and (_DESCRIBES.search(said) or ("JSON" in call.form and _HOLDS_DATA.search(said))):
            return True
        goes_on = not alone and said[-1:] not in ":：" and _GOES_ON.match(after.lstrip() if fenced else after)
        if leads_in and (goes_on or (block and "JSON" not in call.form)):
            return True
        topics = {one.lower() for one in _TOPIC.findall(f"{lead} {after}")}
        return len(topics) > (1 if leads_in else 2)


def _blocks_of(text: str) -> list[_Block]:
    blocks: list[_Block] = []
    opened: re.Match[str] | None = None
    for fence in _FENCE.finditer(text):
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
    start = match.start() + len(match[0]) - len(match[0].lstrip())
    if _LAST_WORD.match(text, end) and not _FREE.search(text[max(0, start - 20) : start]):
        return None, end  # a sentence that speaks of the mark and ends with it
    block = page.block_at(end)
    limit = min(block.stop, len(text)) if block else len(text)
    tool, arguments, stop, _ = read_call(text[:limit], match, form.name)
    if not tool and form.name not in _OPEN_ENDED and GAP.sub("", arguments, 1)[:1] not in ("", "{", "[", "<"):
        return None, stop if stop == len(text) else end
    if form.name == "name line" and text[stop:].strip():
        return None, end
    if form.name == "ReAct" and not _is_step(text, start, tool, arguments):
        return None, end
    if form.name.endswith("block"):
        if form.name == "Action block" and not re.fullmatch(NAME, tool):
            return None, end
        stop = limit
    return RawCall(form.name, start, stop, tool, arguments), stop


def _is_step(text: str, start: int, tool: str, arguments: str) -> bool:
    """Whether a pair of lines is a step of an agent: Chinese notes have such pairs too, but no thoughts and no JSON."""
    before, line = text[max(0, start - LEAD_CHARS) : start], text[start : start + 40].lstrip(" \t*")
    plain = line[:1].isascii() or tool.isascii()
    return plain or arguments.startswith(("{", "[")) or bool(_THOUGHT.search(before))
