"""How the tool, the arguments and the end of a call are read, once its beginning is known.

What is read may be cut off anywhere, and is written leniently: JSON, elements, tokens or code, whatever the form.
"""

from __future__ import annotations

from memd.engine.work.toolcall_json import NAME, Written, call_at, call_in, value_end
from memd.engine.work.toolcall_parts import CALL, PREFIX, SUFFIX
from memd.text import expressions as re

_MARK = r"<[|｜]{1,2}[^<>\n]{1,40}>\s{0,9}"
GAP = re.compile(rf"\s{{0,20}}(?:{_MARK}){{0,4}}")
_HEAD = re.compile(
    rf"\s{{0,20}}(?:{_MARK}){{0,4}}(?:```\w{{0,8}}\s{{1,9}})?(?:function\s{{1,4}}(?={NAME}\s))?"
    rf"(?:functions?(?:\.|<[|｜]tool[▁_]sep[|｜]>)|call:|print\(\s{{0,9}})?(?:default_api[.:])?"
    rf"(?:[\w\-]{{0,40}}<[|｜](?![^<>\n]{{0,12}}end_)[^<>\n]{{0,24}}name[^<>\n]{{0,12}}[|｜]>)?"
    rf"(?P<tool>{NAME})?(?::\d{{1,4}})?"
    rf"(?:\s{{0,9}}(?:{_MARK}|\[(?:ARGS|CALL_ID)\](?:[\w\-]{{1,20}}(?=\[))?|```j?s?o?n?)){{0,6}}\s{{0,20}}"
)
_END = re.compile(
    r"<<<\[END_TOOL_REQUEST\]>>>"
    r"|<[|｜]{1,2}(?:[\w▁:]{0,40}(?:[▁_:]end|_suffix|End|:end_\w{1,20}:\w{1,12})|END_\w{1,20}|end(?:_\w{1,12})?"
    r"|call|close\|>call<\|sep|eom_id|eot_id|/\w{1,20})[|｜]{1,2}>"
)
CLOSING = re.compile(
    rf"(?:[\"']?\s?/>)?(?:\s{{0,20}}(?:</[^<>\n]{{1,40}}>|(?:{_END.pattern})|<tool_call\|>|<end_function_call>"
    r"|<bot_end>|endtoolcall|\[unused12\]|\[(?:/|END_)(?:TOOL|FUNCTION)_\w{1,12}\]|\[TOOL_REQUEST_END\]|```(?!\w))){0,8}"
)
_NAMED = re.compile(
    rf"<{PREFIX}(?:function[=(/]|(?:invoke|tool|function|{CALL})\s{{1,4}}name=[\"']?|{CALL}{SUFFIX}>\s{{0,9}}"
    rf"|(?:name|tool_name|tool)>\s{{0,9}})(?P<tool>{NAME})[\"']?(?:\s?</\w{{1,9}}>|[^<>\n]{{0,40}}>)?"
)
_INNER = re.compile(r"<(arguments|input|args|parameters|tool_input)>")
_INNER_END = re.compile(rf"</{PREFIX}(?:function|invoke|{CALL})>")
_ELEMENT = re.compile(r"\s{0,20}(?:\]<\]\w{1,20}\[>\[\s{0,9})?<(?![|｜])")
_LINES = ("ReAct", "call line")


def read_call(text: str, match: re.Match[str], name: str) -> Written:
    """Return the tool, the arguments and the end of the call that the opening of a form begins."""
    groups = {key.partition("_")[0]: value for key, value in match.groupdict().items() if value}
    tool, tag, end = groups.get("tool", ""), groups.get("tag", ""), match.end()
    if tag and end == len(text) and match[0][-1].isalnum():
        return Written("", "", end, whole=False)
    if name == "code agent":
        mark = "</code>" if tag else "\n```"
        code, shut, _ = text[end:].partition(mark)
        return Written("", code.strip(), end + len(code) + len(shut))
    if tag and ("ML" in tag or name == "execute tag" or _ELEMENT.match(text, end)):
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
    if head and "tool" not in groups and tool and text[head.end("tool") : at].strip():
        groups["tool"], end = tool, head.end("tool")  # a mark ends its name, and its arguments are in marks as well
    if at == len(text):
        return Written(groups.get("tool", ""), "", at, whole=False)
    if inner := _INNER.match(text, at):
        return _in_element(text, inner.end(), inner[1], tool)
    if name in _LINES:
        line = text.find("\n", at)
        stop = len(text) if line < 0 else line
        return Written(groups.get("tool", ""), text[end:stop].strip(), stop)
    ended = _END.search(text, end)
    last, stop = ended.span() if ended else (len(text), len(text))
    return Written(groups.get("tool", ""), text[end:last].strip(), _close(text, stop, tag))


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
    elif not tool and (brace := inner.find("{", 0, 200)) >= 0 and (written := call_at(inner, brace, named=True)):
        return written._replace(stop=stop, whole=shut >= 0)
    elif not tool and (head := _HEAD.match(inner)) and head["tool"]:
        tool, inner = head["tool"], inner[head.end() :]
    elif tool and inner.lstrip().startswith(tool):
        inner = inner.lstrip().removeprefix(tool)
    if (given := _INNER.search(inner)) is not None and tag not in given[0]:
        inner = inner[given.end() :].partition(f"</{given[1]}>")[0]
    return Written(tool, inner.strip(), stop, shut >= 0)


def _close(text: str, stop: int, tag: str) -> int:
    """Return where the closing marks behind a call's arguments end."""
    code = tag == "tool_code" or text[stop - 1 : stop] == ")"  # more code may follow, up to the end of the element
    if tag and code and (shut := text.find(f"</{tag}>", stop)) >= 0:
        return shut + len(tag) + 3
    tail = CLOSING.match(text, stop)
    return tail.end() if tail else stop
