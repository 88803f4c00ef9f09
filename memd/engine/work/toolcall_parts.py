"""What the forms of tool calls are made of: the names of their elements and tokens, and what follows those.

Vendors give one another's marks a prefix, a suffix or another spelling, so a mark is told by its local name.
"""

from __future__ import annotations

from typing import NamedTuple

from memd.engine.work.toolcall_json import NAME
from memd.text import expressions as re

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
