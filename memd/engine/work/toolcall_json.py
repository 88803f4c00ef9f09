"""Read the calls that are written as JSON: where a value ends, and whether an object is exactly a call.

A call has a name, its arguments and nothing else but an id and a type; a definition has a schema where a call has its
arguments. JSON is read leniently, since what leaks may be cut off anywhere, or be written with Python's quotes.
"""

from __future__ import annotations

import json
import re
from typing import NamedTuple

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
