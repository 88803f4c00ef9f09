"""What a person's prompt wants of memory: keep this, forget that, not for the record. At the beginning of their own lines alone.

A line is the person's own unless it stands in a block of code, is indented as one, is quoted (by `>`, by quotation marks that
were opened before, between the tags of a document), or comes after a line that hands something over ("Translate this:"). What
is handed over may still be a list of the person's own, so of that it is only said that it is not sure.

Units
    Characters; lines. MOST_LINES of a prompt's first LONGEST characters are read, MOST_WISHES of what they want is told.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import Enum, auto
from typing import NamedTuple

from memd.engine.keep.guard.asking import COURTESY, LONGEST, POINTER, asked_at_once, asked_to_remember
from memd.text import expressions as re
from memd.text.analysis import tokens
from memd.text.characters import fold
from memd.text.simplified import simplified
from memd.text.standing import is_standing
from memd.text.statements import statements, trimmed

MOST_LINES, MOST_WISHES = 200, 10
LINE_CHARS = 300  # of a line that wants something forgotten

_FENCE = re.compile(r"\s*(`{3,}|~{3,})")
_NOT_OWN = re.compile(r"\s*>|(?: {4,}|\t)")
_OPENS = re.compile(r"\s*<([A-Za-z][\w:.-]{0,40})(?:\s[^<>]{0,400})?>")
_RULE = re.compile(r"\s*(?:-{3,}|={3,}|\*{3,}|_{3,}|—{2,})\s*$")
_BULLET = re.compile(r"\s*(?:[-*•]\s+|\d{1,2}[.)、）]\s*)?(?=\w)")
_PAIRS = (("“", "”"), ("「", "」"), ("『", "』"))

_ASK = r"(?:(?:please|pls|ok(?:ay)?|actually|sorry|no|wait|oh|hey|hm+|can you|could you|would you|will you|you can|you should|just|and|then|now|memd)[\s,.!—–-]+){0,4}"
_END = r"(?:[\s,.!?;:…~—–-]|\b(?:please|pls|ok(?:ay)?|thanks|thank you|again|now|then|at all|will you|would you)\b)*"
_SAID = r"(?:i|we|i'?ve|i have|we have) (?:just )?(?:said|told (?:you|u)|mentioned|wrote|asked (?:you )?(?:to (?:remember|keep|save)))"
_LAST_EN = re.compile(
    rf"{_ASK}(?:(?:forget|un-?remember) (?:about )?(?:that|this)(?: (?:one|again|memory|last one|last thing))?"
    r"|(?:forget|pretend) (?:that )?(?:i|we) (?:(?:ever|just|even) )?(?:(?:said|mentioned|wrote|brought up|told (?:you|u)) (?:that|this|it|any of (?:that|this|it)|anything|so)|(?:didn['’]?t|never) (?:say|mention|write) (?:that|this|it|anything))(?: (?:just|right) now| last| before| at all)?"
    rf"|forget (?:about )?(?:what|the (?:last|thing)(?: (?:thing|one))?(?: that)?) {_SAID}(?: (?:just|right) now| last| before)?"
    r"|(?:don['’]?t|do not) (?:remember|keep|save|store|memori[sz]e) (?:that|this)(?: one)?"
    rf"|(?:delete|remove|drop|erase) (?:that|this|it)(?: one)? (?:from|in) (?:your |the |memd'?s? )?(?:memory|memories|notes))(?P<more>,\s.*|{_END})",
    re.IGNORECASE | re.DOTALL,
)
_ABOUT_EN = re.compile(
    rf"{_ASK}(?:(?:forget|delete|remove|erase) (?:what(?:ever)?|everything|all|anything)(?: that)? {_SAID}"
    r" (?:about|regarding|on|of) (?P<a>.+?)(?: (?:from|in) (?:your |the )?(?:memory|memories|notes))?"
    r"|forget (?:that )?(?:i|we) (?:(?:ever|just) )?(?:said|mentioned|told (?:you|u))(?: anything| something)?(?: that| about)? (?P<f>.+?)"
    r"|forget (?:about )?that (?P<b>(?:i|i'm|i’m|i'?ve|my|mine|we|we're|our)\b.+)|forget (?:about )?(?P<c>(?:my|our) .+)"
    r"|(?:forget|delete|erase) (?:what(?:ever)?|everything|all|anything)(?: that)? (?:you|memd)(?: have| has|['’]ve)? (?:knows?|remembers?|kept|keeps?|stored?|noted?|have|has) (?:about|on|regarding|of) (?P<e>[^,.;!?]+)[\s.!]*"
    r"|(?:forget|delete|erase) (?:everything|all|anything) about (?P<g>[^,.;!?]+)[\s.!]*"
    r"|(?:delete|remove|erase) (?P<d>.+) from (?:your |the |memd'?s? )?(?:memory|memories))",
    re.IGNORECASE | re.DOTALL,
)
_ALL_EN = re.compile(
    rf"{_ASK}forget (?:everything|all)(?: of (?:it|that|this))?(?: (?:that )?{_SAID})?{_END}", re.IGNORECASE
)
_ASK_ZH = r"(?:请|麻烦你?|拜托|你|那么?|就|还是|算了|哦|哎|不|好|帮我|把|，|,|\s){0,6}"
_THAT_ZH = r"(?:刚刚?才?|上面|上一|前面)?(?:那|这|它)?(?:一)?(?:个|条|点|句话?|件事|事情?|段话?|些)?"
_SAID_ZH = r"(?:我)?(?:刚刚?才?|之前|上次|前面|刚刚)?(?:跟你|对你)?(?:说|讲|提|告诉你|让你记)(?:过|到)?的?"
_GO_ZH = r"(?:给)?(?:都)?(?:忘掉|忘了|忘记)"
_END_ZH = r"(?:[\s。！!，,~～]|了|吧|啦|哈|嘛|噻|哦|好吗|谢谢|好了|掉|(?:也)?(?:不要|别|莫)再?(?:存|记|留)(?:到|下来?|着|起)?|(?:不要|别|莫)(?:跟|给|对)[^，。\s]{1,4}[说讲])*"
_LAST_ZH = re.compile(
    rf"{_ASK_ZH}(?:{_THAT_ZH}(?:{_SAID_ZH})?(?:话|内容|事)?{_GO_ZH}(?:吧|它|掉)|(?:{_SAID_ZH}|(?:刚刚?才?)?[那这]{_THAT_ZH})(?:话|内容|那?[条句件]话?)?(?:{_GO_ZH})"
    rf"|(?:忘掉|忘记|忘了)(?:它|{_THAT_ZH}{_SAID_ZH}(?:话|内容|那?[条句件]话?)?|(?:刚刚?才?)?[这那](?:一)?(?:个|条|点|句话?|件事|些)?)|忘掉|(?:(?:刚刚?才?的?|上面)?[那这](?:一)?(?:[句条段](?:话|消息)?|些话?)?)?就?当(?:作|做)?我(?:刚刚?才?)?(?:什么(?:都|也))?没(?:有)?说过?(?:这|那)?(?:句话?|些话?|话|事)?|(?:刚刚?才?的?)?(?:这|那)?(?:个|条|句话?|件事)?(?:别|不要|不用|甭|莫)(?:再)?记(?:住|着|下)?了){_END_ZH}"
)
_ABOUT_ZH = re.compile(
    rf"{_ASK_ZH}(?:(?:忘掉(?:{_SAID_ZH})?|(?:忘记|忘了){_SAID_ZH})(?:有?关于|跟|和)?(?P<a>.+?)(?:有关)?(?:的(?:事情?|话|内容|那些?话?)|这件事|那件事)?"
    rf"|(?<=把)(?:{_SAID_ZH})?(?:有?关于)?(?P<b>.+?)(?:有关)?(?:的(?:事情?|话|内容)|[这那](?:件|个)事|[这那]些事?|[这那][条个点])?{_GO_ZH}"
    rf"|(?:我)?(?:刚刚?才?|之前|上次|前面)?(?:跟你|对你|给你)(?:说|讲|提)(?:过|到)?的?(?P<c>.+?)(?:[这那]些|的?(?:事情?|话|内容)|[这那]个)?(?:请?你)?(?:都|就)?把(?:它|他)们?{_GO_ZH}){_END_ZH}"
)
_TOPIC_ZH = re.compile(
    rf"{_ASK_ZH}(?:(?:忘掉|忘记|忘了(?=.+吧[\s。！!~～]*$))(?:有?关于|有关)(?P<a>.+?)的(?:事情?|话|内容|记忆|一切|那些?(?:事|话))"
    rf"|(?<=把)(?:有?关于|有关)(?P<b>.+?)的(?:事情?|话|内容|记忆|一切|那些?(?:事|话))?(?:全)?{_GO_ZH}){_END_ZH}"
)
_OF_SELF_ZH = re.compile(r"我|咱|[这那](?:件|个)事")
_ALL_ZH = re.compile(
    rf"{_ASK_ZH}(?:忘掉|忘记|忘了)(?:我(?:跟你|对你)?说(?:过)?的)?(?:所有|一切|全部)(?:的?(?:话|事|东西|内容))?{_END_ZH}"
)
_OFF_EN = re.compile(
    rf"{_ASK}(?P<begins>from (?:now|here|this point)(?: on)?[\s,]+)?(?:(?:this|that|it|what follows|the following|everything here|strictly|let'?s|let us|we|we'?re|(?:this|it)'?s|is|are|be|stays?|going|go|keep|speaking|talking|between us|for now|off)[\s,]+){{0,5}}"
    r"off[ -]the[ -]record\b(?P<more>[\s\S]*)"
    rf"|{_ASK}(?:(?:(?:this|that|it|what follows|what i(?:['’]m| am| will|['’]ll)? (?:say|tell|saying|telling|about to say|about to tell you)(?: you)?)(?:['’]s| is| stays?| remains?| (?:should|must|has to|will|is to|needs to) (?:stay|remain|be))|(?:let['’]?s |let us )?keep (?:this|that|it|what follows)) (?:(?:just|only|strictly|entirely) )?|(?:just|only|strictly) |(?=between [\w ]{{2,14}}\s*[:：]))"
    r"between (?:us|you and me|the two of us|ourselves)(?: (?:two|only|alone|please))?(?=\s*(?:[:：,，.。!！;—–-]|$))(?P<between>[\s\S]*)"
    rf"|{_ASK}(?:stop|quit|pause|no more) (?:recording|taking notes|note[- ]taking|keeping (?:a )?records?|writing (?:this|that|it|things|everything) down|logging (?:this|our) (?:conversation|chat))(?: (?:this|that|me|us|everything|here|(?:this|our|the) (?:conversation|chat)))?"
    r"(?: (?:from (?:now|here)(?: on)?|for (?:now|a (?:bit|while|moment))|please|now))*(?=\s*(?:[.。!！;:：—–]|$))(?P<stopped>[\s\S]*)"
    r"|(?:please )?(?:don['’]?t|do not) (?:(?:record|keep a record of|write down) (?:this|that|what (?:i|we) say)(?: conversation| chat)?(?=\W|$)"
    r"|(?:remember|keep|save|store) (?:(?:this|our) (?:conversation|chat)(?=\W|$)|(?:any of (?:this|that)|the following|what follows)(?=\s*[:：—–]))"
    r"|(?:remember|(?P<object>keep|save|store)) (?:this|that)(?=\s*[:：—–]))(?P<rest>[\s\S]*)",
    re.IGNORECASE,
)
_OFF_ZH = re.compile(
    r"(?:请|麻烦|先|暂时|你|，|,|\s)*(?:接下来|下面|以下|从现在起|从现在开始|这|那)?(?:一)?(?:段话?|条|句话?|个|些|部分|次|轮|件事|会儿)?(?:我)?(?:说)?(?:的)?(?:话|内容|事)?(?:都|先|就|你)?"
    r"(?:别|不要|不用|甭|莫)(?:再)?(?:记(?:录了?|下来?)?|(?P<object>存|保存)(?=这)|存|记住(?=这|\s*[:：]))"
    r"(?:我(?:接下来|下面)?说的(?:话|内容|事)?|这(?:段(?:对?话)?|条|句话?|个|些|次(?:对话|聊天|谈话)?)?|哈|啊|哦)?(?=[\s，。：:,！!；;]|$)(?P<more>[\s\S]*)"
)
_BETWEEN_ZH = re.compile(
    r"(?:请|那|，|,|\s)*(?:接下来|下面|以下)?(?:我说的|说的)?(?:这|那)?(?:件事情?|个事|事情?|句?话|些话?|段话?|个)?"
    r"(?:(?:只|就|仅)(?:有|是|在|限于)?(?:我们|咱们?)(?:俩|两个?人?|二人|之间)(?:知道|说说)|是?(?:我们|咱们?)(?:俩|两个?人?|二人|之间)(?:知道就[好行]|的秘密)|你知我知)(?:就[好行])?(?=[\s，。：:,！!；;]|$)(?P<more>[\s\S]*)"
)
_STOPS_ZH = re.compile(
    r"(?:请|麻烦|先|暂时|现在|你|那|，|,|\s)*(?:停止|停下|暂停|停)(?:记录|做?笔记|记笔记)(?:我(?:说)?的?(?:话|内容)|这(?:段|次)?(?:对话|聊天|谈话))?(?:吧|了|一下|一会儿?)*(?=[\s，。：:,！!；;]|$)(?P<stopped>[\s\S]*)"
)
# Amid a line: "Just venting, don't remember this: ...", "..., off the record.", 跟你吐槽一句，这个别记啊：...
_AMID = re.compile(
    r"(?:[.,;:!…—–(-]|\b(?:but|and|so))\s*(?:please |just |so )*(?:(?:don['’]?t|do not) (?:remember|record|write down|note|(?P<object>keep|save|store)) (?:this|that|any of (?:this|that))(?: one| bit| part| down)?"
    r"|(?:(?:this|that|it)(?:['’]s| is)(?: all)? |strictly |all )?off[ -]the[ -]record|(?:(?:this|that|it)(?:['’]s| is)? )?(?:strictly |just )?between (?:us|you and me))(?=\s*(?:[.,!:;)—–-](?! that\b)|$|(?:please|ok|okay|though|thanks)\b))"
    r"|(?:[，。！？,;；：:（(]|^)\s*(?P<what>接下来|下面|以下)?(?:我)?(?:说)?(?:的)?(?:这|那)?(?:一)?(?:段话?|条|句话?|个|些|部分|件事|会儿)?(?:话|内容|事)?(?<![，。！？,;；：:（(\s])(?:你|都|先|就|可|千万)*(?:别|不要|不用|甭|莫)(?:再|给我|帮我)?(?:记(?!得|错|仇|恨)|存(?!钱))(?:录|下来?|住|着)?(?:啊|哦|哈|了|呀|噢|喔|吧|嘛|哟|好吗)*(?=[\s，。：:,！!；;～~）)]|$)",
    re.IGNORECASE,
)
# Behind "don't keep this:" something is told of a life, or an object of work is named, which is about files.
_OWN_WORD = re.compile(r"\b(?:i|me|my|mine|we|us|our)\b|我|咱", re.IGNORECASE)
_TOLD = re.compile(
    r"\b(?:is|are|was|were|am|has|have|had|will|would|does|did|can|said|says|told|got|wants?|owes?)\b|['’](?:s|re|ve|ll|m|d)\b|[是有了在会想要说]",
    re.IGNORECASE,
)
_WORK = re.compile(
    r"\b(?:functions?|methods?|class(?:es)?|files?|variables?|imports?|branch(?:es)?|tests?|code|modules?|commits?|flags?|columns?|tables?|configs?|lines?|comments?|types?|fields?|folders?|scripts?|logs?|caches?|backups?|versions?|copy|copies)\b|[`{}();=]|\w_\w|函数|方法|文件|变量|分支|测试|代码|模块|提交|配置|注释|字段|目录|脚本|日志|缓存|备份|版本",
    re.IGNORECASE,
)
_ON = re.compile(
    rf"{_ASK}(?:(?:we|we'?re|you|i|i'?m|let'?s|let us|are|go|going|can|keep)[\s,]+){{0,4}}(?:back on(?:to)? the record|on the record again|(?:record|keep records) again|(?:start|resume|begin) recording(?: again)?){_END}"
    r"|(?:好了?|那|你|现在|，|,|\s)*(?:可以(?:继续|重新)?记录?了|恢复记录|继续记(?:录)?(?:吧|了)?|重新(?:开始)?记录?(?:吧|了)?)[\s。！!]*",
    re.IGNORECASE,
)
_FROM_HERE = re.compile(
    r"\s*(?:from (?:now|here)(?: on)?|for now|until\b.*|for a (?:bit|while|moment)|[,.!…\s])*", re.IGNORECASE
)
_FROM_NOW = re.compile(r"from (?:now|here|this point|this moment)\b|for the rest of\b|until\b", re.IGNORECASE)
_FROM_HERE_ZH = re.compile(r"接下来|下面|以下|从现在|暂时|[这次段](?:对话|聊天|谈话)")
_SOMEBODYS = re.compile(r"\s*[\"“‘「『《`]")
_HANDS_OVER = re.compile(r"[:：]\s*$")
# Behind what is to be forgotten, why: "forget what I said about owing Darren, he let us off".
_WHY = re.compile(
    r"(?:[,;.–—]\s*|\s+)(?:(?:be)?cos|coz|(?:be)?cause|since|as|he|she|they|it|that['’]?s|i|we)(?:['’]\w+)?\s.*|\s*[，；。].*|[.;!]\s.*",
    re.IGNORECASE,
)
_BEHIND = ("more", "rest", "between", "stopped")  # the groups that have what is said off the record
_ASKED = re.compile(r"\s*[?？]")


class Wish(Enum):
    """What is wanted: LAST is to forget what was kept last, THIS_TURN and FROM_HERE are off the record, BACK is on it again."""

    KEEP = auto()
    LAST = auto()
    ABOUT = auto()
    THIS_TURN = auto()
    FROM_HERE = auto()
    BACK = auto()


class Wished(NamedTuple):
    """One wish. `text`: what is to be kept, or what the forgotten is about ("": everything).

    `surely`: it may be carried out; else it is only asked, of the reader.
    """

    wish: Wish
    text: str = ""
    surely: bool = True


class Prompt(NamedTuple):
    """A prompt as it is read. `rest`: the person's own lines without those whose wishes may be carried out."""

    wishes: list[Wished]
    rest: str


class OwnLine(NamedTuple):
    """A line of the person's own. `handed`: it comes after one that hands something over."""

    text: str
    handed: bool


def own_lines(message: str) -> list[OwnLine]:
    """Return the lines of a prompt that are neither code nor quoted, as far as it is read."""
    found: list[OwnLine] = []
    lines = message[:LONGEST].splitlines()[:MOST_LINES]
    closing, handed = "", False
    for number, line in enumerate(lines):
        if closing:
            closing = "" if closing in line else closing
            continue
        if fence := _FENCE.match(line):
            closing = "" if fence[1] in line[fence.end() :] else fence[1]
            continue
        if (tag := _OPENS.match(line)) and not line.rstrip().endswith("/>"):
            end = f"</{tag[1]}>"
            closing = "" if end in line else end
            continue
        if _NOT_OWN.match(line) or not line.strip():
            continue
        if _RULE.match(line):
            handed = True
            continue
        closing = _opened(line, "\n".join(lines[number + 1 :]))
        found.append(OwnLine(line, handed))
        handed = handed or (_HANDS_OVER.search(line) is not None and not _begins(line))
    return found


def _opened(line: str, rest: str) -> str:
    """Return the mark that ends a quotation which a line begins and does not end, "" where it begins none."""
    for left, right in _PAIRS:
        if line.count(left) > line.count(right):
            return right
    return '"' if line.count('"') % 2 and '"' in rest else ""


def _begins(line: str) -> bool:
    """Tell whether a line is the head of what is to be remembered ("Remember the following:")."""
    return bool(asked_at_once(f"{_plain(line)} so"))


def _plain(line: str) -> str:
    """Return a line without its bullet; "" where it begins with a quotation mark, a sign of code, or the like."""
    head = _BULLET.match(line)
    return line[head.end() :].strip() if head else ""


def read_prompt(message: str) -> Prompt:
    """Return what a prompt wants of memory, in its order, at most MOST_WISHES, and what else its own lines say."""
    own, cut = own_lines(message), len(message) > LONGEST
    found: list[Wished] = []
    rest: list[str] = []
    at = 0
    while at < len(own):
        line, begin = own[at], at
        plain, at = _plain(line.text), at + 1
        wished = _not_kept(plain) if plain else []
        if plain and not wished and (text := asked_at_once(plain)):
            wished = [_kept(text, plain)]
        elif plain.endswith((":", "：")) and not wished and _begins(line.text):
            items, at = _items(own, at)
            wished = [Wished(Wish.KEEP, item) for item in items]
        if line.handed or (cut and at == len(own)):
            wished = [one._replace(surely=False) for one in wished]
        found += wished
        if not any(one.surely for one in wished):
            rest += [one.text for one in own[begin:at] if not _SOMEBODYS.match(one.text)]
    return Prompt(found[:MOST_WISHES], "\n".join(rest))


def forgotten_among(wishes: Iterable[Wished]) -> list[str]:
    """Return what is surely to be forgotten, each as the words that say what it is about."""
    return [one.text for one in wishes if one.wish is Wish.ABOUT and one.surely and one.text]


def forgets_last(wishes: Iterable[Wished]) -> bool:
    """Tell whether what was said last is surely to be forgotten."""
    return any(one.wish is Wish.LAST and one.surely for one in wishes)


def those_about(texts: Sequence[str], subject: str, *, nearly: bool = False) -> list[int]:
    """Return the places of the texts that have all telling words of a subject; of one without such words, or of one character,
    the subject itself.

    `nearly`: where no text has all of them, those that have most, half at least.
    """
    wanted = frozenset(tokens(subject, unigrams=False))
    if not wanted or (len(wanted) == 1 and len(subject) == 1):
        plain = fold(subject).strip()
        return [at for at, one in enumerate(texts) if plain and plain in fold(one)]
    shared = [len(wanted & set(tokens(one, unigrams=False))) for one in texts]
    least = len(wanted) if not nearly else max(max(shared, default=0), (len(wanted) + 1) // 2)
    return [at for at, count in enumerate(shared) if count >= least]


def _items(own: list[OwnLine], at: int) -> tuple[list[str], int]:
    """Return what stands below a head, item by item, and the place of the line behind it."""
    items: list[str] = []
    while at < len(own) and (text := _plain(own[at].text)) and not _not_kept(text) and not asked_to_remember(text):
        if items and text == own[at].text.strip():
            break  # no item any more
        items.append(text)
        at += 1
    return items, at


def _kept(text: str, line: str) -> Wished:
    """Return the wish to keep what a line asks for: without requests behind it, and not surely where it is a question."""
    behind = line[line.find(text) + len(text) :] if text in line else ""
    question = _ASKED.match(behind) is not None or POINTER.fullmatch(text) is not None
    parts = statements(text)
    last = len(parts)
    while last > 1 and (one := parts[last - 1]) and (one.request or one.question or one.courtesy):
        if is_standing(one.text, "user"):
            break
        last -= 1
    plain = trimmed(text, [number < last for number in range(len(parts))]).strip() if last < len(parts) else text
    plain = COURTESY.sub("", plain).strip() or plain
    return Wished(Wish.KEEP, plain, not question)


def _not_kept(line: str) -> list[Wished]:
    """Return what a line wants forgotten, or kept off the record."""
    plain = simplified(line)
    if len(plain) > LINE_CHARS:
        return _off(plain[:LINE_CHARS])
    if _ON.fullmatch(plain):
        return [Wished(Wish.BACK)]
    if last := _LAST_EN.fullmatch(plain) or _LAST_ZH.fullmatch(plain):
        goes_on = (last.groupdict().get("more") or "").startswith(",") and len((last["more"]).strip(" ,.!")) > 8
        return [Wished(Wish.LAST, "", not goes_on)]
    if _ALL_EN.fullmatch(plain) or _ALL_ZH.fullmatch(plain):
        return [Wished(Wish.ABOUT, "", False)]
    if off := _off(plain):
        return off
    if about := _ABOUT_EN.fullmatch(plain) or _about_zh(plain):
        text = next(one for one in about.groupdict().values() if one)
        start = plain.find(text)
        surely = not about.groupdict().get("g")  # all about a subject, whoever said it: the reader asks
        subject = line[start : start + len(text)].strip(" .!?,。！？，")
        return [Wished(Wish.ABOUT, _WHY.sub("", subject) or subject, surely)]
    return []


def _off(plain: str) -> list[Wished]:
    """Return that a line, or its beginning, keeps something off the record: this turn, or all from here where it says no more."""
    off = _OFF_EN.match(plain) or _OFF_ZH.match(plain) or _BETWEEN_ZH.match(plain) or _STOPS_ZH.match(plain)
    if not off:
        amid = _AMID.search(plain)
        if not amid or (amid["object"] and not _tells(plain[: amid.start()] + plain[amid.end() :])):
            return []
        nothing_more = not plain[amid.end() :].strip(" ,.!。，！…")
        return [Wished(Wish.FROM_HERE if amid["what"] and nothing_more else Wish.THIS_TURN)]
    groups = off.groupdict()
    more = next((one for name in _BEHIND if (one := groups.get(name))), "").strip(" ,.!。，！…")
    if groups.get("object") and more and not _tells(more):
        return []
    from_here = (
        groups.get("begins")
        or groups.get("stopped") is not None
        or _FROM_HERE.fullmatch(more)
        or _FROM_NOW.match(more)
        or _FROM_HERE_ZH.search(off[0].removesuffix(groups.get("more") or ""))
    )
    return [Wished(Wish.FROM_HERE if from_here else Wish.THIS_TURN)]


def _tells(said: str) -> bool:
    """Tell whether what stands behind "don't keep this:" is something told, and no object of work."""
    return bool(_OWN_WORD.search(said) or (_TOLD.search(said) and not _WORK.search(said)))


def _about_zh(plain: str) -> re.Match[str] | None:
    """Return what is to be forgotten in Chinese: what the speaker said, or is theirs, or all about a subject."""
    if topic := _TOPIC_ZH.fullmatch(plain):
        return topic
    found = _ABOUT_ZH.fullmatch(plain)
    return found if found and _OF_SELF_ZH.search(plain) else None
