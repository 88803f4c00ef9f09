"""Read the calls that are written as JSON: where a value ends, and whether an object is exactly a call.

A call has a name, its arguments and nothing else but an id and a type; a definition has a schema where a call has its
arguments. JSON is read leniently, since what leaks may be cut off anywhere, or be written with Python's quotes.
"""

from __future__ import annotations

import json
from typing import NamedTuple

from memd.text import expressions as re

NAME = r"[\w.\-/]{1,64}"
DEEPEST = 100  # brackets within brackets: no call has more
NAMES = frozenset({"name", "tool", "tool_name", "function", "function_name", "recipient_name", "action"})
ARGUMENTS = frozenset({"arguments", "parameters", "input", "args", "tool_input", "tool_args", "action_input", "params"})
_BESIDE = frozenset({"id", "type", "index", "call_id", "tool_call_id", "status"})
_THINKS = frozenset({"thought", "thoughts", "headline", "reasoning"})
_SCHEMA_TYPES = frozenset({"object", "array", "string", "integer", "number", "boolean"})
_WRAPPERS = frozenset(
    {"tool_calls", "tool_call", "function_call", "function_calls", "functionCall", "tool_uses", "command"}
)
_AROUND = _BESIDE | {"role", "content", "refusal", "thought", "thoughts", "reasoning", "reasoning_content"}
_KEYS = "|".join(sorted(NAMES | ARGUMENTS | _AROUND | _WRAPPERS))
# An object, or a list of objects, whose first key a call could have.
HEAD = rf"[{{\[]\s{{0,40}}(?:\{{\s{{0,40}})?[\"'](?:{_KEYS})[\"']\s{{0,9}}:"

_STEP = re.compile(r"[\"'(){}\[\]]")
_IN_STRING = {'"': re.compile(r'["\\]'), "'": re.compile(r"['\\]")}
_KEY = re.compile(r"\s{0,200},?\s{0,200}([\"'])(?P<key>[^\"'\n]{1,80})\1\s{0,20}:\s{0,200}")
_CUT_KEY = re.compile(r"\s{0,200},?\s{0,200}(?:[\"'][^\"'\n]{0,80}[\"']?\s{0,20})?\Z")
_SCALAR = re.compile(r"[^,}\]\s]*")
_SHUT = re.compile(r"\s{0,200},?\s{0,200}[}\]]")
_NEXT = re.compile(r"[\s,]{0,200}\{")
_CALLED = re.compile(rf"\[\s{{0,9}}(?P<tool>{NAME})(?=\()")
_KIND = re.compile(r"tool|function|call", re.IGNORECASE)


class Written(NamedTuple):
    """A call as it is written: its tool, its arguments, where it stops; whole is False where it is cut off."""

    tool: str
    arguments: str
    stop: int
    whole: bool = True


def value_end(text: str, at: int) -> tuple[int, bool]:
    """Return where the string, the brackets or the word at `at` end, and whether they end at all."""
    if (quote := text[at : at + 1]) in _IN_STRING:
        return _string_end(text, at + 1, quote)
    if quote not in ("{", "[", "("):
        word = _SCALAR.match(text, at)
        return (word.end(), word.end() < len(text)) if word else (at, False)
    depth = 0
    while step := _STEP.search(text, at):
        at = step.end()
        if (char := step.group()) in _IN_STRING:
            at, whole = _string_end(text, at, char)
            if not whole:
                break
        else:
            depth += 1 if char in "([{" else -1
            if depth == 0:
                return at, True
            if depth > DEEPEST:
                break
    return len(text), False


def _string_end(text: str, at: int, quote: str) -> tuple[int, bool]:
    while step := _IN_STRING[quote].search(text, at):
        if step.group() == quote:
            return step.end(), True
        at = step.end() + 1
    return len(text), False


def members(text: str, at: int) -> tuple[dict[str, str], int, bool]:
    """Return the members of the object at `at` as written, where it stops, and whether it is whole.

    What is cut off stops at the end of the text, and what is no JSON before that.
    """
    found: dict[str, str] = {}
    at += 1
    while key := _KEY.match(text, at):
        at, whole = value_end(text, key.end())
        found[key["key"]] = text[key.end() : at]
        if not whole:
            return found, len(text), False
    shut = _SHUT.match(text, at)
    if shut is None and _CUT_KEY.match(text, at):
        at = len(text)
    return found, shut.end() if shut else at, shut is not None


def call_at(text: str, at: int, *, named: bool = False) -> Written | None:
    """Return the call that is all of the JSON at `at`, the first one of a list of calls; None for other data.

    What is `named` a call beforehand may be cut off before its arguments.
    """
    if text[at : at + 1] != "[":
        return _call_in_object(text, at, named)
    first: Written | None = None
    inner = at + 1
    while brace := _NEXT.match(text, inner):
        call = _call_in_object(text, brace.end() - 1, named or first is not None)
        if call is None:
            return None
        first, inner = first or call, call.stop
        if not call.whole:
            break
    shut = _SHUT.match(text, inner)
    if first is None or (shut is None and text[inner:].strip()):
        return None
    return first._replace(stop=shut.end() if shut else len(text), whole=shut is not None)


def _call_in_object(text: str, at: int, named: bool) -> Written | None:
    found, stop, whole = members(text, at)
    if not whole and stop < len(text):
        return None
    keys = found.keys()
    nested = found.get("function", "").startswith("{")
    around, beside = ({"function"}, _BESIDE) if nested else (keys & _WRAPPERS, _AROUND)
    if around:
        inner = [call_at(found[key], 0, named=True) for key in around if found[key][:1] in ("{", "[")]
        if len(inner) != 1 or inner[0] is None or not keys - around <= beside:
            return None
        return inner[0]._replace(stop=stop, whole=whole)
    names, given = keys & NAMES, keys & ARGUMENTS
    if len(names) > 1 or len(given) > 1 or not keys - names - given <= _BESIDE | _THINKS:
        return None
    if named and not whole and not given:
        return Written(_plain(found[next(iter(names))]) if names else "", "", stop, whole)
    if not names or not given:
        return None
    key = next(iter(given))
    tool, arguments = _plain(found[next(iter(names))]), found[key]
    if not re.fullmatch(NAME, tool) or not _KIND.search(found.get("type", "tool")):
        return None
    cut = not whole and not arguments and key in ("arguments", "parameters")
    if not cut and not _are_arguments(key, arguments):
        return None
    return Written(tool, arguments, stop, whole)


def _are_arguments(key: str, value: str) -> bool:
    """Whether a member holds arguments: neither data of another kind nor the schema of a definition."""
    if key == "action_input":
        return True
    if value[:1] in _IN_STRING:
        return key == "arguments" and value[1:40].lstrip(" \\n").startswith("{")
    if not value.startswith("{"):
        return False
    inner = members(value, 0)[0]
    typed = [one.startswith("{") and _is_schema(members(one, 0)[0]) for one in inner.values()]
    return not _is_schema(inner) and not (typed and all(typed))


def _is_schema(found: dict[str, str]) -> bool:
    return "properties" in found or "$schema" in found or _plain(found.get("type", "")) in _SCHEMA_TYPES


def _plain(value: str) -> str:
    """Return what a string says; nothing for another value, or one that is cut off."""
    if len(value) < 2 or value[0] not in _IN_STRING or value[-1] != value[0]:
        return ""
    if "\\" in value:
        try:
            return str(json.loads(value))
        except ValueError:
            return ""
    return value[1:-1]


def call_in(text: str, at: int) -> Written:
    """Return what the value after a mark calls, leniently: whatever of tool and arguments can be read."""
    stop, whole = value_end(text, at)
    if called := _CALLED.match(text, at):
        end, shut = value_end(text, called.end())
        return Written(called["tool"], text[called.end() + 1 : end - shut], stop, whole)
    start = at
    if text[at] == "[":
        start = text.find("{", at, at + 40)
    if (exact := call_at(text, at)) is not None:
        return exact._replace(stop=stop, whole=whole)
    found = members(text, start)[0] if start >= 0 else {}
    tool = next((_plain(found[key]) for key in found if key in NAMES), "")
    given = next((found[key] for key in found if key in ARGUMENTS), "" if tool else text[at:stop])
    return Written(tool, given, stop, whole)


# What the forms of tool calls are made of: the names of their elements and tokens, and what follows those.
#
# Vendors give one another's marks a prefix, a suffix or another spelling, so a mark is told by its local name.

# <xai:function_call>, <longcat_tool_call>, <ifm|tool_call>, <｜DSML｜invoke>, <tool_call:6124c78e>
PREFIX = r"(?:[|｜]{1,2}[A-Z]{2,9}[|｜]{1,2}|[A-Za-z][\w.\-]{0,19}[:|_\-])??"
SUFFIX = r"(?::[\w\-]{1,16})?"
CALL = r"(?:(?i:tool[_\-]?(?:call|use|request|invocation)s?|function[_\-]?calls?)|tool_code)"
NAMESPACE = r"\]<\][a-z]{1,20}\[>\["  # what MiniMax writes before each of its tags
PARAMETER = rf"(?:{NAMESPACE}\s{{0,9}}<|<{PREFIX}(?:param|arg))"
CHILD = rf"(?:{NAMESPACE}\s{{0,9}})?<{PREFIX}(?:function|invoke|tool|name>|server_name>|param|arg)"
FENCE = r"(?:```\w{0,8}\s{1,9})?"

# What follows the mark of a call: JSON, an element of a call, a name with its arguments; or the text is cut off there.
_JSON = r"(?:\{\s{0,40}(?:[\"'}]|\w{1,30}\s?:|\Z)|\[\s{0,40}(?:[{\]\"]|[\w.]{1,40}\(|\Z))"
_ARGUMENTS = (
    rf"[({{]|\[ARGS|\[CALL_ID|\s{{0,20}}<{PREFIX}arg|[ \t]{{0,9}}\n\s{{0,9}}{FENCE}\{{|\s\w{{1,30}}=[\"']"
    r"|[ \t]\{\s?[\"'}]|\s{0,9}\Z"
)
BODY = (
    rf"(?=\s{{0,20}}(?:{FENCE}{_JSON}|{CHILD}|call:|function\s{{1,4}}{NAME}\s{{1,4}}\{{|{NAME}(?:{_ARGUMENTS})"
    r"|[A-Za-z]{1,30}_\w{1,30}\s{0,9}</|\Z))"
)
NO_END = r"(?![^<>|｜\n]{0,40}(?:end[_▁:|｜]|[_▁:]end|End|END|result|response|output|suffix))"
AFTER_TOKEN = (
    rf"(?=\s{{0,9}}(?:{FENCE}(?:{_JSON}|functions?[.<]|call:|{NAME}\()|\Z)"
    rf"|\n{{0,3}}<(?:[|｜]{{1,2}}{NO_END}|(?![/|｜]))[^\s>]"
    rf"|\s{{0,9}}{NAME}(?:[{{<]|\[ARGS|:\d|[ \t]{{0,9}}\n\s{{0,9}}(?:```|\{{|<[|｜])|\s{{0,9}}\Z)"
    rf"|\s{{0,9}}[A-Za-z]\w{{0,30}}[_.:]\w{{1,30}}\s{{1,3}}<[|｜]{NO_END})"
)


class Form(NamedTuple):
    """A form: its name, the character all texts with it have, the marks of which they have one, and how it begins."""

    name: str
    gate: str
    marks: tuple[str, ...]
    opening: re.Pattern[str]


def form(name: str, gate: str, marks: str, *openings: str) -> Form:
    """Return a form from its marks, parted by spaces, and the ways it may begin; their groups are tag and tool."""
    return Form(name, gate, tuple(marks.split()), re.compile("|".join(openings), re.MULTILINE))


# How the tool, the arguments and the end of a call are read, once its beginning is known.
#
# What is read may be cut off anywhere, and is written leniently: JSON, elements, tokens or code, whatever the form.

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
