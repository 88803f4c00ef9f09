"""What a message is doing, as dialogue acts, and the few words of it that are asked of a memory.

A message asks, tells, orders, or hands over something to work on. Code, traces, logs, diffs and quotes are handed over:
their words are not the speaker's. What is left is cut into sentences; the question is made of those that ask, of the
last and the first, as many as MOST_UNITS has room for, in their order. Where a machine's words complain, the first
complaint goes with it: what went wrong before is found by it.

Units
    A unit is about one token of a multilingual model: four letters of a spaced script, or 4/3 characters of Han.
Source
    Acts after Searle (1976), coarsened to what decides whether a memory is wanted. Own lists of words.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from memd.text import expressions as re
from memd.text.characters import CJK, is_chinese
from memd.text.statement_words import NAMED, POINTS

MOST_UNITS = 40.0
READ_FIRST, READ_LAST = 1000, 3000  # characters of a message: what is asked stands at its beginning or its end
LINES = 400  # of those, the first and the last
COMPLAINT_UNITS = 16.0  # of a machine's complaint
EDGE = 2  # sentences at either end of what is handed over
HANDED_UNITS = 40.0  # before a rule of dashes, from which what stands there is handed over
LONG_UNITS = 90.0  # from which prose is handed over more likely than said
ASKINGS, ASKING_UNITS = (
    4,
    3.0,
)  # questions of one message that are asked apart, the last of them, and units of the shortest

_FENCE = re.compile(r"(?:```|~~~).*?(?:```|~~~|\Z)", re.DOTALL)
_QUOTED = re.compile(r"[\"“「『《][^\"“”「」『』]{60,}[\"”」』》]")
_MACHINE = re.compile(
    r"^\s*(?:at\s+\S+[(.:]|File\s+\"|Traceback\b|[\[{}<(]|[+@-]{1,3}\s|diff --git|index [0-9a-f]{6}|\|\s|[$#%>]\s|E\s{2,}"
    r"|\d{2,4}[-/:.]\d\d[-/:.]\d\d|[\w./\\-]+:\d+(?::\d+)?[: ]|[DIWEF]/\w|[A-Z_]{3,}[ =:]\S|(?:\w+\.)*\w+(?:Error|Exception|Warning)\b"
    r"|\"[\w$-]+\"\s*:|(?:\S+\s*[|│]\s*){2,})"
)
_MARKS = re.compile(r"[{}\[\]();=<>|/\\_*#$@+&^~]|::|->|\d{3,}|0x")
_COMPLAINS = re.compile(
    r"(?i)error|exception|fatal|panic|fail|denied|refused|timeout|timed out|cannot|can't|unable|missing|not found|invalid"
    r"|abort|crash|killed|warn|exceeded|错误|异常|失败|超时|拒绝|找不到|崩溃|无法"
)
_NOISE = re.compile(
    r"\S*0x[0-9a-f]+\S*|\[?\d{2,4}[-/]\d\d[-/]\d\d[T ]?[\d:.,]*Z?\]?|\b\d\d:\d\d:\d\d[.,\d]*|[\[\](){}\"'`]|\b\d{5,}\b"
)
_SIGN = re.compile(r"\d|[=/\\_{}\[\]()<>|]|\w[:.]\w|:$")  # of a word that a machine writes
_BEFORE_A_RULE = re.compile(r"(.*)(?:\n|\s|(?<=[。！？]))(?:-{2,}|—{1,4}|={3,}|\*{3,})\s*(\S[^\n]{3,300})\Z", re.DOTALL)
_SENTENCE = re.compile(r"(?<=[.!?…])\s+|(?<=[。！？；;])\s*|\n+|\s+(?:--+|—)\s+")
_HAN = re.compile(f"[{CJK}]")

_ASKS = re.compile(
    r"[?？]"
    r"|^(?:\W|\b(?:so|and|but|hey|hi|ok|okay|well|um|now|also|btw|oh|right|remind me)\b)*"
    r"(?:what|when|where|who|whose|whom|which|why|how|do|does|did|is|are|was|were|am|can|could|should|shall|would|will|have"
    r"|has|had|any|anything|what's|who's|where's|when's|how's|isn't|aren't|don't|doesn't|didn't)\b"
    r"|\b(?:do you (?:know|remember|recall)|remind me|i wonder|can't remember|forgot (?:what|when|where|who|which|how))\b"
    r"|什么|怎么|怎样|如何|哪|谁|几[点个号时天岁月年次位口号块]|多少|多久|多大|多远|吗|呢[？?]?$|是不是|有没有|能不能|要不要|可不可以|会不会|该不该"
    r"|为啥|为何|干嘛|咋|啥|还记得|记不记得|来着",
    re.IGNORECASE,
)
_ORDERS = re.compile(
    r"^(?:\W|\b(?:please|pls|ok|okay|now|then|hey|hi|just|also|and|so|quick|can you|could you|would you|will you|can u|let's"
    r"|i want you to|i need you to|help me(?: to)?|go)\b)*"
    r"(?:add|apply|build|bump|change|check|clean|commit|compare|compose|convert|copy|count|create|debug|delete|deploy|describe"
    r"|design|draft|edit|expand|explain|extract|find|fix|format|generate|give|implement|improve|insert|install|list|look|make"
    r"|merge|migrate|move|name|open|optimi[sz]e|order|outline|paraphrase|plan|polish|port|prepare|print|proofread|put|read"
    r"|refactor|release|remove|rename|replace|reply|rephrase|review|rewrite|run|send|set|shorten|show|simplify|sketch|sort"
    r"|split|suggest|summari[sz]e|switch|tell|test|tidy|translate|turn|update|upgrade|use|wire|write)\b"
    r"|^\W*(?:请|麻烦|帮|给我|给|把|将|写|翻译|改|加|删|生成|总结|重构|实现|列|起草|润色|检查|看看|看下|跑|建|做|算|画|编|拟|整理|提取|换|查|讲)",
    re.IGNORECASE,
)
_OWN = re.compile(r"\b(?:i|i'm|i've|i'd|i'll|im|ive|me|my|mine|myself|we|we're|our|ours|us)\b|我|咱|俺", re.IGNORECASE)
_QUESTION = re.compile(
    r"[?？]\W*$|^(?:\W|\b(?:and|so|but|also|then|ok|okay)\b)*(?:what|when|where|who|whose|whom|which|why|how)\b"
    r"|(?:(?<!没)什么|怎么|哪|谁|几[点个号天岁月年次位]|多少|多久|多大|多远|吗|为啥|啥时候)[^。！!.]*$",
    re.IGNORECASE,
)
_POINTS = re.compile(
    rf"{POINTS.pattern}|\b(?:that|this|these|those|there)\b|^\W*(?:那|这)(?!我|你|咱|么|时|年|天|周|次|样)",
    re.IGNORECASE,
)
_MORE_OF_IT = re.compile(r"\W*(?:and |so |but |then )*(?:what|how) about\b|\W*那?[^，。？]{1,8}呢\W*$", re.IGNORECASE)
_READER = re.compile(r"\b(?:you|your|yours|u|ur)\b|你|您", re.IGNORECASE)
_COURTESY = re.compile(
    r"\b(?:thanks|thank you|thx|ty|cheers|lol|haha+|great|awesome|perfect|cool|good (?:morning|night|evening)|morning|hello"
    r"|hi|hey|bye|ok|okay|nice|sounds good|got it)\b|谢谢|多谢|感谢|哈哈|好的|好嘞|晚安|早安|早上好|你好|嗯嗯|辛苦|收到|拜拜|太好了|不错",
    re.IGNORECASE,
)


class Said(NamedTuple):
    """A message as it is asked. `question`: the words that stand for it; `handed`: what is not the speaker's, or was not
    chosen; `size`: units of all of it; `asked`: the sentences that `question` is made of."""

    question: str
    handed: str
    chinese: bool
    asks: bool
    orders: bool
    pastes: bool
    complains: bool
    own: bool
    reader: bool
    courtesy: bool
    size: float
    asked: tuple[str, ...] = ()


def units_of(text: str) -> float:
    """Return about how many tokens a model makes of a text."""
    han = 0 if text.isascii() else len(_HAN.findall(text))
    return han * 0.75 + (len(text) - han) / 4


@lru_cache(maxsize=64)
def read_message(message: str) -> Said:
    """Return what a message is doing."""
    text = message.strip()
    if len(text) > READ_FIRST + READ_LAST:
        text = f"{text[:READ_FIRST]}\n{text[-READ_LAST:]}"
    handed = _BEFORE_A_RULE.match(text)
    if handed and units_of(handed[1]) > HANDED_UNITS:
        prose, machine = handed[2].split("\n"), handed[1].split("\n")
    else:
        prose, machine = _parted(text)
    sentences = [one.strip() for line in prose for one in _SENTENCE.split(line) if one and one.strip()]
    complaint = _complaint(machine)
    size = units_of(text)
    long = sum(map(units_of, sentences)) > LONG_UNITS
    own = [one for one in sentences if not long or _ASKS.search(one) or _ORDERS.search(one)] or sentences
    room = MOST_UNITS - (min(COMPLAINT_UNITS, units_of(complaint)) if complaint else 0.0)
    chosen = _chosen(sentences, room, long=long)
    question = " ".join([*chosen, *([_cut(complaint, COMPLAINT_UNITS)] if complaint else [])]) or _cut(text, MOST_UNITS)
    said = "\n".join(own)
    return Said(
        question,
        "\n".join([*(one for one in sentences if one not in chosen), *machine]),
        is_chinese(question),
        any(_ASKS.search(one) for one in own),
        any(_ORDERS.search(one) for one in own),
        bool(machine) or long or "```" in text or len(sentences) < len(prose) // 2,
        bool(complaint),
        _OWN.search(said) is not None,
        _READER.search(said) is not None,
        _COURTESY.search(said[:200]) is not None,
        size,
        tuple(chosen),
    )


@lru_cache(maxsize=64)
def askings(message: str) -> tuple[str, ...]:
    """Return the questions of a message that stand by themselves; none where there are not several, or one is made of it all.

    Of two matters each memory has one, and stands behind those that share words with both.
    """
    said = read_message(message)
    if said.pastes or not said.asks:
        return ()
    found = [one for one in said.asked if _QUESTION.search(one)]
    if len(found) < 2 or any(_ORDERS.search(one) for one in said.asked if one not in found):
        return ()
    return tuple(one for one in found if _is_whole(one))[-ASKINGS:]


def _is_whole(question: str) -> bool:
    """Tell whether a question can be understood by itself, and is not only about the reader."""
    if units_of(question) < ASKING_UNITS or _MORE_OF_IT.match(question):
        return False
    if _READER.search(question) and not _OWN.search(question):
        return False
    pointing = _POINTS.search(question)
    return pointing is None or NAMED.search(question, 0, pointing.start()) is not None


def _parted(text: str) -> tuple[list[str], list[str]]:
    """Return the lines a person says, and those that a machine or somebody else does."""
    bare = _QUOTED.sub(" ", _FENCE.sub("\n", text))
    handed = [line for block in _FENCE.findall(text) for line in block.split("\n")[1:]]
    lines = [one for one in bare.split("\n") if one.strip()]
    if len(lines) > LINES:
        lines = lines[: LINES // 2] + lines[-LINES // 2 :]
    prose: list[str] = []
    for line in lines:
        (handed if len(lines) > 1 and is_machine(line) else prose).append(line)
    return prose or lines[:1], [one for one in handed if one.strip()]


def orders(sentence: str) -> bool:
    """Tell whether a sentence begins as an order does."""
    return _ORDERS.search(sentence) is not None


def is_machine(line: str) -> bool:
    """Tell whether a machine wrote a line: a trace, a log, a diff, a table, code."""
    head = line[:400]
    if _MACHINE.match(head):
        return True
    words = head.split()
    signs = sum(_SIGN.search(one) is not None for one in words)
    return len(_MARKS.findall(head)) > max(3, len(head) / 12) or (len(words) > 2 and signs >= len(words) / 2)


def _complaint(lines: list[str]) -> str:
    """Return the last complaint of a trace, or the first of a log, without its times and addresses."""
    found = [one for one in lines if _COMPLAINS.search(one[:400])]
    if not found:
        return ""
    raised = [one for one in found if re.match(r"\s*(?:\w+\.)*\w*(?:Error|Exception)\b", one)]
    return " ".join(_NOISE.sub(" ", (raised or found)[0][:400]).split())


def _chosen(sentences: list[str], room: float, *, long: bool) -> list[str]:
    """Return the sentences that are asked: those that ask or order from the last on, then the last before the others.

    Where much is handed over, a request stands at its beginning or its end, and nothing else is the speaker's.
    """
    wanted = [n for n, one in enumerate(sentences) if _ASKS.search(one)]
    if long:
        ends = {*range(EDGE), *range(len(sentences) - EDGE, len(sentences))}
        ordered = [n for n, one in enumerate(sentences) if n in ends and _ORDERS.search(one)]
        order = [n for n in reversed(wanted) if n in ends] or ordered[::-1] or [len(sentences) - 1, 0]
    else:
        order = [*reversed(wanted), *reversed([n for n in range(len(sentences)) if n not in wanted])]
    taken: set[int] = set()
    for n in order:
        needed = units_of(sentences[n])
        if needed <= room:
            taken.add(n)
            room -= needed
        elif not taken:
            return [_cut(sentences[n], room)]
    return [sentences[n] for n in sorted(taken) if n >= 0]


def _cut(text: str, room: float) -> str:
    """Return the end of a text that is too long, from a word's border on."""
    units = units_of(text)
    if units <= room:
        return text
    end = text[-max(1, int(room * len(text) / units)) :]
    border = end.find(" ") + 1
    return end[border if border < len(end) // 3 else 0 :].strip()
