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
_DID = (
    r"(?:add|bump|chang|configur|creat|delet|deploy|disabl|downgrad|drop|enabl|extract|fix|install|keep|kept|merg|migrat|mov|patch|pinn|port|push|put"
    r"|refactor|releas|remov|renam|replac|revert|rewr[io]t|roll|set|split|switch|tagg|updat|upgrad|wir)"
)
_HOME = r"(?:job|jobs|house|flat|apartment|city|town|country|sofa|bed|car|gym|doctor|dentist|school|diet|kettle|bins?|cat|dog|kids?)"
_DONE_ZH = "(?:改|换|升|降|设|调|删|加|移|挪|迁|关|开|合并?|回滚|重命名|部署|配|放|翻译)"
_DONE = re.compile(
    rf"\b(?:i|i've|i have|i'll|i will)(?: (?:just|already|now|also))? {_DID}\w*(?: (?:up|back|out|over|on|off|down))?"
    rf" (?:(?:all|both|the|this|that|these|those)\b(?! {_HOME}\b)|(?:support|tests?) for\b|[a-z][\w.-]* (?:to|from) v?\d)"
    rf"|\b(?:i|i've|i have) (?:bump|upgrad|pinn|migrat|refactor|deploy|merg|revert)\w* (?!my\b|to\b)"
    rf"|\b(?:i|i've|i have) {_DID}\w* [^.!?]{{0,40}}(?:\w+/[\w./-]+|\b[\w-]+\.(?:py|tsx?|jsx?|go|rs|md|json|ya?ml|toml|env|sql)\b|\bas an? (?:cache|queue|proxy|dependency|database|fallback|sidecar)\b|\bin front of\b)"
    rf"|(?<!的)[a-z0-9_./-]{{2,}}[^，,。！？]{{0,12}}我(?:已经|刚刚?|昨天|今天|先|都)*(?:给|把)?{_DONE_ZH}(?:级|到|成|为|了|掉|好|上|置)"
    rf"|我(?:已经|刚刚?|昨天|今天|先|都)*[把将](?!我|自己|工作|手机|电话|房|车|家|名字|作息|头)[^，,。！？]{{1,24}}{_DONE_ZH}(?:级|到|成|为|了|掉|好|上|置|在)"
    rf"|我(?:已经|刚刚?|昨天|今天|先|都)*(?:升级|合并|回滚|重命名|部署)了 ?[a-z0-9]"
)
_WRITTEN = re.compile(
    r"\b(?:commits?|code|comments?|docs?|documentation|docstrings?|changelog|readme|prs?|pull requests?|tickets?|issues?|tests?|logs?|branch(?:es)?|ui|interface|pages?|copy)\b"
    r"|提交|代码|注释|文档|日志|合并请求|工单|分支|测试|界面|页面|文案"
)
_ORDERS = re.compile(
    r"(?:please |from now on,? |always |never |going forward,? )*(?:write|use|don't|do not|add|keep|put|format|name|sign|prefix|never|always)\b|(?:请|以后|今后|从现在起|都|一律|记住|[，,：: ])*(?:用|写|别|不要|把|给)?"
    r"(?:提交|代码|注释|文档|日志|工单|分支|测试|界面|页面)"
)
_ANSWER = re.compile(
    r"\b(?:answers?|repl(?:y|ies)|respon(?:d|ses?)|speak|talk|explain|explanations?|emojis?|brief|concise|blunt|polite|formal|informal|apologi[sz]e|bullets?|bullet points)\b"
    r"|回答|回复|答复|说话|交流|沟通|语气|表情|啰嗦|废话|客套|简短|简洁|称呼|解释"
)


def is_of_the_person(text: str) -> bool:
    """Tell whether a text is what somebody says of themselves, or how they want to be answered."""
    read = fold(text[:READ_CHARS])
    if _WORK.search(read) or (_WRITTEN.search(read) and _ORDERS.match(read)):
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
