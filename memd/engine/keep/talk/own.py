"""What of a person's message is their own word: not what they hand over, quote, play, or want nobody to keep.

Handed over is what stands below "translate this:" or above "what does this mean?", a letter with its greeting and its
name below, and whatever a statement marks as code, quoted or a machine's. Off the record counts only as a person's own
words: not in code and not in quotes.

Units
    Characters. Of a message the first READ_CHARS are looked at.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import Enum

from memd.engine.keep.talk.supposed import is_supposed
from memd.text import expressions as re
from memd.text.borders import has_words, is_polite, stands
from memd.text.characters import is_cjk
from memd.text.statements import READ_CHARS, Statement, statements
from memd.text.story import is_played, own_words, remark_of

LEAST_HANDED = 80  # characters on one line below a request that are somebody's text
LINE_CHARS = 400
SHORT_CHARS = 40

_TEXT_EN = r"(?:this|that|these|those|it|the (?:following|text|paragraph|email|e-mail|message|article|abstract|letter|draft|below|above|ticket|thread|log|review|post|bio|passage|notes|transcript)|below|following|my (?:draft|text|email|letter|essay|abstract|bio|cv|paragraph|cover letter|message|poem|story))"
_HANDS = re.compile(
    rf"(?<!\band we )(?<!\bas we )(?<!\bthat we )(?<!, we )(?<!\band i )(?<!\bthat i )(?<!\bthey )(?<!\bhe )(?<!\bshe )(?<!\bthe )(?<!\bmy )(?<!\bour )(?<!\bfirst )(?<!\bhave )(?<!\bhas )(?<!\bhad )(?<!['’]ve )\b(?:translate|summari[sz]e|proofread|rewrite|rephrase|paraphrase|edit|shorten|polish|fix|review|improve|check|explain|correct|tidy|clean|convert|format|turn|read|tl;?dr|tldr|analy[sz]e|answer(?! me| us)|reply to(?! me| us)|respond to|draft|classify|extract)\b[^.!?\n]{{0,60}}\b{_TEXT_EN}\b"
    rf"|\b(?:here(?:['’]s| is| are)|what does|what do you (?:make|think) of|is|does|can you (?:read|look at|make sense of)|look at|see|got|received|from)\b[^.!?\n]{{0,30}}\b{_TEXT_EN}\b[^.!?\n]{{0,40}}[:?]"
    r"|(?:翻译|润色|总结|概括|改写|校对|检查|修改|缩写|精简|提炼|解释|帮我?[看改回读写]|回复|回一下|读一下|分析)[^。！？\n]{0,12}(?:这(?:段|封|篇|句|份|条)|下面|以下|如下|原文|草稿|正文|内容)"
    r"|\b(?:translate|say|put|render|write|rewrite|rephrase)\b[^.!?\n:：]{0,30}\b(?:in|into|to|as) (?:\w+ ){0,2}\w+\s*[:：](?!\d)"
    r"|(?:把|将)?(?:这|那|下面|以下)[^。！？\n：:]{0,8}(?:翻译?|译|润色|改写|写|换|改)成?[^。！？\n：:]{0,12}[:：](?!\d)"
    r"|(?:翻译?|译|润色|改写)成[^。！？\n：:]{1,8}[:：](?!\d)"
    r"|(?:翻译|润色|总结|概括|改写|校对|回复)(?:一下|下)?\s*[:：]|(?:这段|这封|这篇|下面|以下|如下|原文|草稿|正文|内容是)[^。！？\n]{0,20}[:：]"
    r"|(?:是什么意思|啥意思|怎么回|写得怎么样|通顺吗|有没有(?:语法)?(?:错|问题))",
    re.IGNORECASE,
)
_ENDS_OPEN = re.compile(r"[:：]\s*$")
_LETTER = re.compile(
    r"\s*(?:dear|hi|hello|hey)\b[^.!?\n]{0,40},\s*$|\s*尊敬的|\s*[^，。\n]{1,12}(?:您好|你好)[：:，,！!]\s*$|\s*(?:from|to|subject|发件人|收件人|主题)\s*[:：]",
    re.IGNORECASE,
)
_SIGNED = re.compile(
    r"\s*(?:best|best wishes|kind regards|best regards|regards|cheers|sincerely|yours|many thanks|love|此致|敬礼|祝好|顺祝商祺|谢谢！?)\s*,?\s*$",
    re.IGNORECASE,
)
_OTHERS = re.compile(
    r"(?:\b(?:he|she|they|(?-i:[A-Z][\w’'-]+)|my \w+|the \w+|someone|it) (?:said|says|wrote|writes|texted|replied|goes|was like|asked|answered|went|reads?|told me)\s*[:,]?\s*[\"“「]"
    r"|\b(?:he|she|they|(?-i:[A-Z][\w’'-]+)|my \w+|the (?:email|letter|message|note|sign|review)) (?:said|says|wrote|writes|texted|replied|reads?)\s*:)"
    r"|(?:他们?|她们?|[\u4e00-\u9fff]{1,6})(?:[就还又]?(?:跟我|对我|和我|给我)?(?:说|讲|问|写|回复?|发|喊|留言)(?:道|了)?)\s*[:：]"
    r"|(?:说|写|讲|回)(?:道)?[，,]?\s*[“「\"]",
    re.IGNORECASE,
)
_LINE = re.compile(r"[^\n]*\n|[^\n]+")

# Who plays what: one of both is somebody with an article, or is said to play. "I am 34, I am married" is nobody else.
_YOU_ARE = r"(?:(?:you are|you['’]re) (?:now )?(?:an?|the|my) (?!best|one\b|only|right|first|last)[\w -]{1,30}|(?:you play|you be|you['’]ll (?:be|play)) [\w -]{1,30})"
_I_AM = r"(?:(?:i am|i['’]m) (?:now )?(?:an?|the|your) [\w -]{1,30}|(?:i play|i be|i['’]ll (?:be|play)) [\w -]{1,30})"
_AND = r"(?:,| and)(?: and)? "
_PLAYS = re.compile(
    r"\b(?:let['’]?s|can we|want to|wanna|we['’]ll|i want to|i['’]d like to) (?:do (?:a |some )?)?(?:role-?play|rp\b|play (?:a|the) (?:scene|character)|pretend)"
    rf"|\b{_YOU_ARE}{_AND}{_I_AM}\b|\b{_I_AM}{_AND}{_YOU_ARE}\b"
    r"|\bpretend (?:you|i|we|that)\b|\b(?:act|speak|answer) as (?:if you were|a|an|the)\b|\bstay in character\b"
    r"|(?:我们|咱们?)?(?:来|玩)(?:个|一?场|一?段)?角色扮演|你(?:来)?扮演|我(?:来)?扮演|假装(?:你|我)|你来演|我来演",
    re.IGNORECASE,
)
_STOPS_PLAYING = re.compile(
    r"\b(?:end (?:of )?(?:the )?(?:scene|role-?play|rp)|stop (?:the )?(?:role-?play(?:ing)?|pretending|rp)|out of character|ooc|end scene|back to (?:normal|real life|reality|work)|break character|enough (?:role-?play|pretending))\b"
    r"|不演了|不玩了|出戏|结束(?:扮演|角色|游戏)|回到(?:现实|正题)|说正事|停止扮演",
    re.IGNORECASE,
)

_KEEP = r"(?:remember(?:ing)?|sav(?:e|ing)|stor(?:e|ing)|record(?:ing)?|log(?:ging)?|keep(?:ing)?|not(?:e|ing)|memori[sz](?:e|ing)|writ(?:e|ing) down|put(?:ting)?|add(?:ing)?)"
_OFF = re.compile(
    rf"\boff[- ](?:the[- ])?record\b|\b(?:don['’]?t|do not|please don['’]?t|never|no need to|rather you didn['’]t|you (?:needn['’]t|shouldn['’]t|don['’]t have to)|without) (?:ever )?{_KEEP} (?:any of )?(?:this|that|it|these|those|any of (?:it|this)|anything|everything|a word|what (?:i|comes)|the (?:next|following|last))\b"
    rf"|\b(?:this|that|it) (?:should|must|is) (?:not|n['’]t)(?: to)? (?:be )?(?:{_KEEP}|saved|stored|remembered|recorded|noted|logged|for the record)"
    r"|\bnot for the (?:record|memory|notes)\b|\b(?:stop|pause) (?:recording|remembering|taking notes|memory|the memory)\b|\b(?:this stays |keep (?:this|that|it) |just |strictly )between (?:us|you and me)\b|\bforget (?:that )?i (?:said|told you|mentioned) (?:that|this|it|anything)\b"
    r"|(?:别|不要|不用|不许|不能|请勿|勿|甭|莫|先别|可别|千万别)(?:再)?(?:把)?(?:这个|这些|这条|这句(?:话)?|这段|那个|它|刚才(?:的|那个|说的)?|下面(?:的|这些)?|接下来(?:的|说的)?)?(?:给|都)?(?:帮我)?(?:记(?!得|错|仇|恨)|存(?!钱)|保存|记录|写进|留底|备注)(?:住|下来?|录|忆|到|进)?"
    r"|(?:这(?:个|些|条|句(?:话)?|段|事)|那(?:个|些|条|句(?:话)?|段)|刚才(?:那个|说的|的)?|下面(?:的|这些)?|接下来(?:的|说的)?)(?:话|事|内容)?(?:你)?(?:就|都)?(?:别|不要|不用|不能|不许|莫)(?:记(?!错|得)|存|保存|往外)"
    r"|(?:只|就)?(?:咱们?|我们|你我)(?:俩|两个?)?之间(?:的秘密|说说)|当我没说|私下(?:说|跟你说|讲)|不要留(?:记录|痕迹)|不(?:要|用)?计入记忆",
    re.IGNORECASE,
)
_NOT_OFF = re.compile(
    r"(?:don['’]?t|do not) (?:ever )?(?:forget|remember (?:if|whether|when|where|what|who|how|why|that (?:well|much)|which))|(?:别|不要)忘",
    re.IGNORECASE,
)
_ONWARD = re.compile(
    r"\bfrom (?:here|now|this point) on\b|\b(?:the rest|everything|anything|whatever)\b[^.!?\n]{0,40}\b(?:from (?:here|now)|next|say|follows|session|chat|conversation)|\bwhat (?:comes|follows|i say) (?:next|now)\b|\b(?:stop|pause) (?:recording|remembering|taking notes|memory|the memory)\b|\bthe (?:next|following)\b|\bfor (?:the rest of )?(?:this|today['’]?s) (?:chat|session|conversation)\b|\buntil i (?:say|tell)\b"
    r"|从(?:现在|这里|这儿|此刻|这句)(?:开始|起)?|接下来|下面(?:的|说|聊|这)|后面(?:的|说|聊|这)|之后(?:的|说|聊)|这次(?:聊天|对话)|整个(?:对话|会话)",
    re.IGNORECASE,
)
_ON = re.compile(
    r"\b(?:back )?on (?:the )?record(?: again)?\b|\byou can (?:remember|save|record|note|take notes|keep)\b[^.!?\n]{0,20}\b(?:again|now)\b|\b(?:resume|start) (?:recording|remembering|taking notes|the memory|memory)\b"
    r"|(?:可以|继续|恢复|重新|开始)(?:再)?(?:记|存|保存)(?:了|录|忆|住|下来)?(?:吧|啦|了)?|恢复(?:记录|记忆)",
    re.IGNORECASE,
)
_BACK = re.compile(
    r"\b(?:what i (?:just )?(?:said|told you|wrote|mentioned)|(?:that|the) last (?:bit|part|message|thing|one)|my last message|i (?:just )?(?:said|told you|mentioned))\b|刚才|刚刚|上面|前面|上一[条句]|那(?:个|句|条|段)|我(?:[跟给对]你)?[说讲]的|骂[^，。]{0,8}的话",
    re.IGNORECASE,
)
_JOKES = r"(?:(?:i(?:['’]m| was|['’]m only| was only) )?(?:just |only )?(?:kidding|joking|messing(?: with you)?|codding(?: ya| you)?)|(?:just |only )?pulling your leg|j/?k)"
_JOKES_ZH = r"(?:开(?:个)?玩笑(?:的|啦|呢|哈|而已)?|逗你(?:玩)?(?:的|呢|耍的)?|说着玩(?:的|儿的)?|闹着玩(?:的)?|骗你的|瞎说的|讲笑(?:啫|咋|嘅)?)"
_UNSAYS = r"(?:(?:actually )?(?:scratch|strike) that(?: last (?:bit|part|one|message))?|never ?mind(?: that)?|forget (?:it|that)(?: i said(?: it| that)?)?|(?:ignore|disregard) (?:that|what i said|my last (?:message|one))|i take (?:that|it) back|that was a joke|not really,? (?:just )?(?:kidding|joking))"
_UNSAYS_ZH = r"(?:算了(?:吧)?|当我没[说问]|不算数?|撤回|作废|收回(?:刚才的话|前面的话|我的话)?|(?:刚才|前面)(?:那个|那句|说的)?(?:不算|作废))"
_BEFORE_IT = r"\W*(?:(?:haha+|lol|no|nah|hey|ok|and|actually|oh)\W+)*"
_TAKES_BACK = re.compile(
    rf"{_BEFORE_IT}(?:{_JOKES}|{_UNSAYS})\b\W*(?:lol|haha+|please|sorry|jk)?\W*\Z|\W*(?:哈+|嘿+|嗯)?\W*(?:{_JOKES_ZH}|{_UNSAYS_ZH})\W*(?:哈+|啦|了)?\W*\Z",
    re.IGNORECASE,
)
# The same with what is so instead behind it: "just kidding, I rent a flat".
_INSTEAD = re.compile(
    rf"{_BEFORE_IT}(?:{_JOKES}|{_UNSAYS})(?:[\s,;.!:–—-]+)(?:actually |really )?(?=\w)|\W*(?:哈+)?(?:刚刚|刚才)?(?:那句|那个|说的)?(?:{_JOKES_ZH}|{_UNSAYS_ZH})(?:啦|哈|的)?[，,。！!：:]+\s*(?=\w)",
    re.IGNORECASE,
)
# A statement that ends with it says nothing: "I own a castle, only joking", 我有一座城堡，骗你的.
_JOKED = re.compile(
    rf"(?:\A\W*(?:no,? )?(?:i['’]?m|i am) not (?:just |even )?(?:kidding|joking)|[,.!~…;–—-]\s*(?:haha+ |lol )?{_JOKES}|\s(?:lol |haha+ )?(?:j/?k|i(?:['’]?m| am| was) (?:just |only )?(?:kidding|joking|messing))|[\s，。！～…]+哈*(?:{_JOKES_ZH}))\W*(?:lol|haha+|哈+|啦)?\W*\Z",
    re.IGNORECASE,
)
# Behind a joke it says no more than that it was one: "just kidding, I'd never do that", 开玩笑的，我才不会呢.
_ONLY_DENIES = re.compile(
    r"\W*(?:of course not|i(?:['’]d| would| could) never|i(?:['’]m| am) not (?:really|actually|that)|i(?:['’]d| would)n['’]?t (?:really )?(?:dare|do)|as if)\b|(?:我|咱)?(?:才不|怎么(?:可能|会|敢|舍得)|哪(?:会|敢|能|舍得)|不会真)",
    re.IGNORECASE,
)
LEAST_QUESTION, LEAST_HAN = 4, 6  # words, and characters of Han, of a question that is more than an exclamation
_ENDS = re.compile(r"[.!?。！？…\n]\W*\Z")


class Record(Enum):
    """What a person says of keeping their words."""

    ON = "as ever"
    OFF = "not this message"
    BEFORE = "not this one and not the one before"
    ONWARD = "nothing from here on"
    AGAIN = "back on the record"


_FILLING = re.compile(
    r"\W|\b(?:please|anywhere|somewhere|at all|either|actually|oh|and|but|hey|ok|just|though|thanks|btw)\b|[请哦啊吧了你呢这个那刚才说的啦哈嗯住下来]"
)


def record_of(text: str) -> Record:
    """Return what a message says of keeping it."""
    plain = own_words(text[:READ_CHARS])
    off = _OFF.search(plain)
    if off and _NOT_OFF.match(plain, off.start()):
        off = None
    if not off:
        return Record.AGAIN if _ON.search(plain) else Record.ON
    if _ONWARD.search(plain):
        return Record.ONWARD
    rest = _FILLING.sub("", plain[: off.start()] + plain[off.end() :])
    return Record.BEFORE if len(rest) < 3 or _BACK.search(plain) else Record.OFF


def takes_back(text: str) -> bool:
    """Tell whether a message or a statement says nothing but that what stands before it does not count."""
    return len(text) < LINE_CHARS and _TAKES_BACK.match(text) is not None


def instead_of_it(text: str) -> str:
    """Return what a statement tells behind words that take back what stood before: "just kidding, I rent a flat"; "" where it does not."""
    found = _INSTEAD.match(text[:LINE_CHARS])
    return text[found.end() :].strip() if found else ""


class Meant(Enum):
    """What a joke takes back."""

    QUESTION = "the question right before it"
    TURN = "what its own turn says, if that is told"
    BEFORE = "that, or else all of the turn before"


def only_denies(instead: str) -> bool:
    """Tell whether what stands behind a joke says no more than that it was one."""
    return _ONLY_DENIES.match(instead) is not None


def meant_by_joke(said: str, cut: Sequence[Statement], joke: Statement) -> Meant:
    """Return what a joke in a message takes back, by what stands around it; `cut` are the statements of the message."""
    before = [one for one in cut if one.end <= joke.begin and has_words(one.text)]
    if before and (before[-1].question or before[-1].request):
        asked = before[-1].text
        if (len(asked.split()) >= LEAST_QUESTION or sum(map(is_cjk, asked)) >= LEAST_HAN) and "believe" not in asked:
            return Meant.QUESTION
    if any(one.tells and not is_polite(one.text) for one in before):
        return Meant.TURN
    goes_on = "" if _ENDS.search(said[joke.begin : joke.end]) else said[joke.end :].strip()
    return Meant.TURN if goes_on and is_supposed(goes_on) else Meant.BEFORE


def is_joked(text: str) -> bool:
    """Tell whether a statement takes itself back at its end."""
    return len(text) < LINE_CHARS and _JOKED.search(text) is not None


def is_of_the_record(text: str) -> bool:
    """Tell whether a statement only ends a game, or says that what follows may be kept again."""
    return len(text) < SHORT_CHARS and (stops_playing(text) or record_of(text) is Record.AGAIN)


def begins_playing(text: str) -> bool:
    """Tell whether from here on a role is played."""
    return _PLAYS.search(text[:LINE_CHARS]) is not None and not _STOPS_PLAYING.search(text[:LINE_CHARS])


def stops_playing(text: str) -> bool:
    """Tell whether a person speaks as themselves again."""
    return _STOPS_PLAYING.search(text[:LINE_CHARS]) is not None


def own_text(text: str) -> str:
    """Return what of a message is not handed over and not played; "" where all of it is."""
    text = text[:READ_CHARS]
    if remark := remark_of(text):
        return remark
    return "" if is_played(text) else _without_handed(text)


def _without_handed(text: str) -> str:
    lines: list[str] = _LINE.findall(text)
    at = next((n for n, line in enumerate(lines) if hands_over(line)), None)
    if at is not None:
        below, above = "".join(lines[at + 1 :]).strip(), "".join(lines[:at]).strip()
        if _ENDS_OPEN.search(lines[at]) or len(below) >= LEAST_HANDED or below.count("\n"):
            return "".join(lines[:at]) if below else "".join(lines[:at]) + _before_colon(lines[at])
        if not below and len(above) >= LEAST_HANDED:
            return lines[at]
        return "".join(lines[:at]) + _before_colon(lines[at]) + "".join(lines[at + 1 :])
    begun = next((n for n, line in enumerate(lines) if len(lines) > 2 and _LETTER.match(line[:LINE_CHARS])), None)
    if begun is not None:
        ends = next((n for n in range(begun + 1, len(lines)) if _SIGNED.match(lines[n][:LINE_CHARS])), len(lines))
        return "".join(lines[:begun] + lines[ends + 2 :])
    return text


def hands_over(line: str) -> bool:
    """Tell whether a line asks for something to be done with a text."""
    return _HANDS.search(line[:LINE_CHARS]) is not None


def _before_colon(line: str) -> str:
    """Return what of a line stands before the text that it hands over: "translate this: I am ill" is not ill."""
    found = _HANDS.search(line[:LINE_CHARS])
    cut = re.compile(r"[:：]").search(line, found.start() if found else 0)
    return f"{line[: cut.start()]}\n" if cut else line


def is_others(text: str) -> bool:
    """Tell whether a statement gives the words of somebody else: he said: "…", 他说：…; or is mostly quoted."""
    if _OTHERS.search(text):
        return True
    bare = own_words(text).replace("\ufffc", " ")
    return len(text) > 12 and len(bare.strip()) < len(text) / 2


# What an agent states as a finding: what it found out and says so, without a perhaps, not what it does, plans or offers.
#
# Source
#     Own lists.

MOST = 6  # findings of one message

_FINDING = re.compile(
    r"\b(?:root cause|(?:i(?:['’]ve)?|we) (?:found|confirmed|verified|measured|traced|reproduced|determined|discovered|checked and)|turns out|(?:it )?turned out|the (?:(?:actual|real) )?(?:problem|issue|bug|cause|culprit|reason|bottleneck|failure|crash|leak|error)s? (?:is|was|comes|came)|verified|confirmed(?! by you)|bisect(?:ed|ing)?|(?:fixed|solved|caused|resolved) by|the fix (?:is|was)|(?:tests?|benchmarks?|logs?|profil\w+|measurements?|docs|documentation) (?:show|shows|showed|confirm|confirms|confirmed|say|says)|conclusion|findings?:|result:|measured at|reproducible|only (?:works|fails|happens) (?:when|on|with|if))\b"
    r"|^\W*(?:found (?:it|the (?:\w+ ){0,2}(?:cause|problem|bug|issue|culprit|reason|leak)|one (?:more )?thing|something)\b\s*[:,;.—–-]|(?:fyi|heads[- ]up|note|caveat|gotcha|good to know|worth (?:knowing|noting)|(?:looked|dug) into (?:it|this))\b\s*[:,;—–-])"
    r"|\b(?:i(?:['’]ve)?|also|while \w+[^,.]{0,30},?|and) noticed\b|^\W*noticed (?:that )?(?=\w+ \w+ \w+)|\bit (?:was|is|['’]s) the [\w-]+(?: [\w-]+)?(?: all along)?[:,—–]|\b(?:fails?|breaks?|crash(?:es|ed)?|hangs?|leaks?|times? out|flak\w+)\b[^.]{0,40}\bbecause\b|(?<=\w)\b(?: is| are| was| were|s) (?:caused by|due to|coming from)\b"
    r"|根因|根本原因|原因(?:是|在于|查到|找到)|(?:找到|查到|查出)(?:了)?(?:问题|原因|根源|毛病)|(?:已|经)(?:验证|确认|查明|核实|证实)|结论|查到了?|定位到|排查(?:发现|结果)|实测|测试(?:表明|结果|发现)|发现(?=.{4})|证实|瓶颈(?:在|是)|问题(?:出在|在于|是)"
    r"|(?:注意到|留意到|顺便看到|提醒一下|注意)[：:，,]?(?=.{4})|(?:看了|查了|翻了)[^，。]{0,8}[，,：:]\s*(?=.{4})|^\W*原来(?:是|[^，。]{2,})|(?:就|都)?是因为|[是由][^，。]{2,24}(?:导致|引起|造成)的?",
    re.IGNORECASE,
)
_HEDGED = re.compile(
    r"\b(?:probabl[ey]|perhaps|maybe|might|may|could be|likely|possibl[ey]|i (?:think|guess|suspect|believe|assume)|seems?|appears?|should be|not (?:yet )?(?:confirmed|verified|sure)|unclear|i['’]ll|i will|let me|going to|would|if)\b"
    r"|可能|也许|大概|估计|应该|似乎|好像|猜|怀疑|不确定|尚未|还没|如果|我(?:来|会|去|先|再|马上)",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z])|(?<=[。！？])")
_FOUND = re.compile(
    r"^(?:ok(?:ay)?|great|good news|so|well|done|right|alright)?[\s,:;.!—–-]*(?:(?:i(?:['’]ve)?|we(?:['’]ve)?) (?:just |now |also )?(?:found|confirmed|verified|determined|discovered|noticed|checked and found)(?: out)?(?: that)?|(?:it )?turn(?:s|ed) out(?: that)?|found (?:it|(?:the|one|some)[\w ]{2,24})(?=\s*[:,;.—–-])|(?:also |while [^,.]{2,36},? (?:i )?)?noticed(?: that)?|fyi|heads[- ]up|note|gotcha|caveat|good to know|worth (?:knowing|noting)|(?:looked|dug) into (?:it|this))[\s,:;.—–-]+"
    r"|^(?:好的?|嗯|改好了|搞定|完成)?[，,]?(?:我|顺便|另外)*(?:查到了?|发现了?|确认了?|已确认|排查发现|已查明|经确认|注意到|留意到|找到(?:问题|原因|根源)?了?|提醒一下|注意|(?:看了|查了|翻了)[^，。]{0,8}(?=[，,：:]))[，,：:]?\s*(?=.{4})",
    re.IGNORECASE,
)
_OF_THE_USER = re.compile(r"you(?:r|['’]\w+)?\b|[你您]", re.IGNORECASE)


def findings(text: str) -> Iterator[str]:
    """Yield what an agent's message states as found out, at most MOST statements."""
    count = 0
    for one in statements(text):
        if not one.tells or one.request or is_others(one.text):
            continue
        for sentence in _SENTENCE.split(one.text):
            if count < MOST and _FINDING.search(sentence) and not _HEDGED.search(sentence):
                said = _FOUND.sub("", sentence, count=1).strip(" .。")
                if stands(said) and not _OF_THE_USER.match(said):
                    count += 1
                    yield said[:1].upper() + said[1:]
