"""Whether a text tells of the person who speaks, or of what they work on.

Pure. In a project only what a person says of themselves is theirs; a decision, a habit of a team or a fact about the code stays
with the project. Who says "I" and names the project speaks of the project.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memd.text import expressions as re
from memd.text.characters import fold

READ_CHARS = 600
# "I", and how models write of the user.
_SELF = re.compile(
    r"\b(?:i|i'm|i've|i'd|i'll|my|me|mine|myself)\b|\b(?:the )?user(?:'s)? (?!interface|stor|table|model|id\b|account|input|name\b|service|role|group|schema)"
    r"|(?<!自)我(?!们|司|方|国|院|校)|(?<![用客])本人|俺|用户(?:本人|自己|喜欢|偏好|住|叫|对|是|不|习惯|在)"
)
_WORK = re.compile(
    r"\b(?:this|our|the) (?:\w+[ -]){0,2}(?:project|repo|repository|monorepo|code ?base|code|branch|branches|module|package|service|server|pipeline|build|ci|release|sprint|backend|frontend|api|app|database|schema|tests?|test suite|team)\b"
    r"|\b(?:in|for|of|on) (?:this|our) (?:one|place|folder|directory|checkout)\b|\bour\b|\bwe\b|\bus\b"
    r"|(?:这个|该|本|我们(?:的)?|咱们(?:的)?)(?:项目|仓库|代码库?|分支|模块|服务|接口|数据库|流水线|版本|团队|系统|工程|组)|我们|咱们|项目(?:里|中|的)|仓库(?:里|中|的)"
)


def is_of_the_person(text: str) -> bool:
    """Tell whether a text is what somebody says of themselves."""
    read = fold(text[:READ_CHARS])
    return bool(_SELF.search(read)) and not _WORK.search(read)


def routed(scope: Mapping[str, Any], method: str, params: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """Return the workspace that a call in a project goes to ("": the person's own) and its parameters; `scope` is role.of's reply."""
    if not scope["elsewhere"]:
        return "", dict(params)
    if method == "remember" and is_of_the_person(str(params.get("content", ""))):
        return "", {**params, "role": scope["person"]}
    return scope["elsewhere"], dict(params)
