"""Whether a text tells of the person who speaks, or of what they work on.

Pure. In a project only what a person says of themselves is theirs, and how they want to be answered; a decision, a habit of a team
or a fact about the code stays with the project. Who says "I" and names the project, or what they did to something of it, speaks
of the project.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memd.text import expressions as re
from memd.text.characters import fold
from memd.text.standing import is_standing

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
# "I moved the config", 端口我改成 5545 了: what was done to a thing that is not one's own.
_DONE = re.compile(
    r"\b(?:i|i've|i have|i'll|i will)(?: (?:just|already|now|also))? (?:add|bump|chang|configur|creat|delet|deploy|disabl|downgrad|enabl|extract|fix|install|merg|migrat|mov"
    r"|patch|pinn|port|push|refactor|releas|remov|renam|replac|revert|rewr[io]t|roll|set|split|switch|tagg|updat|upgrad|wir)\w*(?: (?:up|back|out|over|on|off|down))?"
    r" (?:all|both|the|this|that|these|those)\b(?! (?:job|jobs|house|flat|apartment|city|town|country|sofa|bed|car|gym|doctor|dentist|school|diet)\b)"
    r"|(?<!的)[a-z0-9_./-]{2,}[^，,。！？]{0,12}我(?:已经|刚刚?|昨天|今天|先|都)*(?:给|把)?(?:改|换|升|降|设|调|删|加|移|迁|关|开|合并?|回滚|重命名|部署|配)(?:级|到|成|为|了|掉|好|上|置)"
    r"|我(?:已经|刚刚?|昨天|今天|先|都)*[把将](?!我|自己|工作|手机|电话|房|车|家|名字|作息|头)[^，,。！？]{1,24}(?:改|换|升|降|设|调|删|加|移|迁|关|开|合并?|回滚|重命名|部署|配)(?:级|到|成|为|了|掉|好|上|置)"
)
_WRITTEN = re.compile(
    r"\b(?:commits?|code|comments?|docs?|documentation|docstrings?|changelog|readme|prs?|pull requests?|tickets?|issues?|tests?|logs?|branch(?:es)?)\b"
    r"|提交|代码|注释|文档|日志|合并请求|工单|分支|测试"
)
_ANSWER = re.compile(
    r"\b(?:answers?|repl(?:y|ies)|respon(?:d|ses?)|speak|talk|explain|explanations?|emojis?|brief|concise|blunt|polite|formal|informal|apologi[sz]e|bullets?|bullet points)\b"
    r"|回答|回复|答复|说话|交流|沟通|语气|表情|啰嗦|废话|客套|简短|简洁|称呼|解释"
)


def is_of_the_person(text: str) -> bool:
    """Tell whether a text is what somebody says of themselves, or how they want to be answered."""
    read = fold(text[:READ_CHARS])
    if _WORK.search(read):
        return False
    if _SELF.search(read):
        return not _DONE.search(read)
    return bool(_ANSWER.search(read)) and not _WRITTEN.search(read) and is_standing(text)


def routed(scope: Mapping[str, Any], method: str, params: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """Return the workspace that a call in a project goes to ("": the person's own) and its parameters; `scope` is role.of's reply."""
    if not scope["elsewhere"]:
        return "", dict(params)
    if method == "remember" and is_of_the_person(str(params.get("content", ""))):
        return "", {**params, "role": scope["person"]}
    return scope["elsewhere"], dict(params)
