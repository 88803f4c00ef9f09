"""What a message wants done: whether it is a task, what a task touches, and what needs nothing but itself.

A task that nobody asks a memory for still wants the rules of what it touches: who adds a column wants what is held of
migrations, though no word of either stands in the other. Which words of a task touch which words of a rule is a list
(`lexicons/touches.txt`). A lesson, a text made over, a change of what is before both, and a word to go on hold all that they need.

Source
    Own lists.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

from memd.text import expressions as re
from memd.text.acts import Said
from memd.text.analysis import tokens

LONGEST_WORD_ON = 12.0  # units of a message that only goes on

_MARK = re.compile(r"[?？]")
_GOES_ON = re.compile(
    r"^\W*(?:(?:yes|yep|yeah|yup|ok(?:ay)?|sure|right|good|great|nice|cool|perfect|wow|lol|haha\w*|hm+|no|nope|and|then|now|please|pls|just|so|try|do"
    r"|run|start|go|keep|carry|it|that|this|the|all|them)\W+)*(?:yes|yep|yeah|yup|ok(?:ay)?|sure|right|go on|go ahead|continue|proceed|carry on|again|once more|do (?:it|that"
    r"|this)|that one|next(?: one)?|same again|thanks|thank you|great|perfect|never mind|not yet|undo|revert|wait|stop|back|shorter|longer|fine|done|好的?"
    r"|嗯+|行|可以|对(?!了)|继续|接着|再来|再跑|再试|下一个|就这样|就这么|算了|等等|等一下|撤|退回|不对|没错)(?=$|[\W_]|[a-z了吧啊呢嘛哈一试做下就的])(?<![a-z](?=[a-z]))",
    re.IGNORECASE,
)
_LESSON = re.compile(
    r"\b(?:explain|differences? (?:of|between|to)|when (?:should|do|would) (?:i|we|you|one) (?:use|prefer|choose|pick)|which (?:one )?is (?:better"
    r"|faster|safer)|meaning of|what does .{1,40} mean|what (?:is|are) (?:a|an|the difference)\b|in general|in plain words|how (?:does|do) (?:a |an "
    r"|the )?\w+(?: \w+)? work|one example|an example|cheat ?sheet|vs\.?|versus|compared? (?:to|with))\b|区别|差别|两样|什么意思|是啥意思|啥意思|讲明白|讲一下|讲讲|讲两|解释|科普|举个例"
    r"|举例|通俗|怎么理解|原理|干嘛的|干什么用|什么时候用|啥时候用|一般(?:是|来说|怎|用)|到底是|搞混|和.{1,12}有(?:啥|什么)不同",
    re.IGNORECASE,
)
_HOW_TO = re.compile(
    r"\bhow (?:do|can|could|would|to|i)\b|\bwhat(?:'s| is) the (?:command|syntax|flag|shortcut|way)\b|\bwhat do i (?:press|miss|type)\b|\bwhy (?:does|is"
    r"|do|are)\b|怎么(?:看|写|用|拿|弄|改|查|才能|样才能)|如何|咋个?(?:看|写|用|弄|改)|为什么|为啥",
    re.IGNORECASE,
)
_MAKEOVER = re.compile(
    r"\b(?:translat\w+|convert|turn (?:this|these|it|the (?:following|text|list)).{0,30}into|sort (?:this|these|the)|alphabeti\w+|shorten|summari[sz]e"
    r"|summary|gist|one[- ]line|proofread|spell(?:ing)?|typos?|rephrase|paraphrase|rewrite (?:this|it)|reply (?:to|that|with)|answer (?:this"
    r"|the) (?:mail|email|message)|regex(?:p)? (?:for|to|that|matching)|macro to|one[- ]?liner|in \d+ lines|bullet points|pretty[- ]?print|reformat"
    r"|format (?:this|these))\b|翻译|译成|转成|换成|改成.{0,6}(?:格式|语法)|排序|排一下|改错别字|错别字|标点|断句|润色|缩(?:短|写)|总结|概括|一句话|回一?[句封]|回复一|拟.{0,3}(?:回复|一句)|写个.{0,3}(?:正则"
    r"|regex)|正则|归纳|提炼",
    re.IGNORECASE,
)
_HERE = re.compile(
    r"\b(?:lines? \d+|\w+ is (?:declared|defined|imported|spelled|spelt|indented|unused)|shadow(?:s|ed|ing)|leave the rest|nothing else|find and replace"
    r"|(?:this|that|these|those|the (?:first|second|third|last|next|other|same|above|below|previous)) (?:line|one|loop|function|variable|file|block"
    r"|bracket|import|argument|arguments|method|edit|change|step|word|paragraph|test|row|case)|above|below|typo|misspelled|semicolon|bracket|unused"
    r"|indent\w*|rename|undo|revert)\b|第.{1,3}行|其他别动|其余别|别的不动|别碰|全文件|替换|上面|下面|刚才|刚那|这行|那行|这句|那句|这个(?:方法|函数|变量|文件|类)|错别字|拼错|没用到|改名|撤回|括号|分号|缩进|旁边"
    r"|这段.{0,10}(?:改|换|排)",
    re.IGNORECASE,
)
_TASK = re.compile(
    r"(?:^|[.;,:!?]\s+|\n|\b(?:and|then|please|pls|just|also|now|to|can you|could you|let's|lets|ok|okay|hey|so)\s+)(?:accept|add|allow|append|archive"
    r"|attach|bring|build|bump|cache|calculate|call|cap|change|check in|clean|clear|collapse|commit|compute|connect|convert|copy|count|create|cut"
    r"|debounce|decode|deploy|desugar|detect|disable|display|download|draft|draw|drop|edit|emit|enable|encode|encrypt|expand|expose|export|extend"
    r"|extract|fetch|fill|filter|find a|fix|generate|get rid|give|group|handle|hide|hook|implement|import|improve|increase|inline|insert|install"
    r"|integrate|introduce|invalidate|join|keep|kick|let|limit|link|list|load|lock|log|lower|make|map|mark|measure|merge|migrate|mirror|mock|move|name"
    r"|notify|open|optimi[sz]e|order|pad|paginate|parse|play|plot|port|prefetch|prepare|print|process|publish|pull|push|put|raise|random\w+|read|record"
    r"|reduce|refactor|register|reject|release|remove|render|replace|report|require|reset|resize|restrict|retry|return|review|roll|round|run the|save"
    r"|scale|schedule|scrape|search|seed|send|serve|set|ship|show|shrink|shuffle|simplify|skip|snap|sort|speed|split|squash|start|stop|store|stream"
    r"|strip|support|switch|sync|tag|throttle|tighten|train|treat|trigger|trim|try|tune|turn|unify|update|upgrade|upload|use|validate|wire|wrap|write)\b"
    r"|^\W*(?:new|another|a|an) [^.?!]{2,40}:|\b(?:should|must|needs? to|ought to|has to|have to|can|could) (?:be|also|not|no longer|have|get|keep|see"
    r"|show|go|come|stay|wear|work|run|use|take|return|\w+ (?:it|them|their|the|a))\b|\b(?:i want|i need|i'd like|we need|we want|would be (?:nice"
    r"|good))\b|加(?:个|一|上|到|点|列|字段|条)?|新增|新建|新开|做(?:个|一|成)|写(?:个|一|出|好|成)?|改(?:成|为|掉|一)|算(?:一下|出)|展示|显示|补(?:个|几|上|一)|接(?:个|一|入)|去掉|删掉|拿掉|换(?:成|掉|个)|支持"
    r"|要能|让|提(?:交|上)|开个|打出来|打条|抛|发(?:个|一|到|条)|建(?:个|一|张)?|画(?:个|一|张)?|生成|实现|封装|合并|拆|迁|上线|部署|导出|导入|缓存|跳到|搞(?:个|一|成)|弄(?:个|一|成)|存(?:到|进|一|下)|调(?:成|大|小|低"
    r"|高)|先糊|引入",
    re.IGNORECASE,
)


class Doing(NamedTuple):
    """What a message wants done. `task`: something made or changed; `goes_on`, `lesson`, `makeover` and `here` need nothing but
    themselves; `how_to` may."""

    task: bool
    goes_on: bool
    lesson: bool
    how_to: bool
    makeover: bool
    here: bool

    @property
    def needs_nothing(self) -> bool:
        """It holds all that it needs."""
        return self.goes_on or self.lesson or self.makeover or self.here


@lru_cache(maxsize=64)
def doing_of(said: Said) -> Doing:
    """Return what a message wants done."""
    text = said.question.strip()
    is_short = said.size <= LONGEST_WORD_ON and not said.own and not _MARK.search(text)
    goes_on = is_short and _GOES_ON.match(text) is not None
    lesson, how_to, makeover, here = (one.search(text) is not None for one in (_LESSON, _HOW_TO, _MAKEOVER, _HERE))
    task = not (said.asks or goes_on or lesson or makeover or here) and _TASK.search(text) is not None
    return Doing(task, goes_on, lesson, how_to, makeover, here)


@dataclass(frozen=True, slots=True)
class Touches:
    """Which groups a word of a task belongs to, and the words of rules that each group touches."""

    groups: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    rules: tuple[tuple[str, ...], ...] = ()


def touches_of(text: str) -> Touches:
    """Return what the lines of touches.txt say: words of tasks, `>`, words of rules; `#` begins a remark."""
    groups: dict[str, dict[int, None]] = {}
    rules: list[tuple[str, ...]] = []
    for line in text.splitlines():
        if line.strip() and not line.startswith("#"):
            tasks, _, touched = line.partition(">")
            for token in _tokens_of(tasks):
                groups.setdefault(token, {})[len(rules)] = None
            rules.append(_tokens_of(touched))
    return Touches({token: tuple(found) for token, found in groups.items()}, tuple(rules))


def _tokens_of(words: str) -> tuple[str, ...]:
    found = (token for word in words.split() for token in tokens(word, unigrams=len(word) == 1))
    return tuple(dict.fromkeys(found))
