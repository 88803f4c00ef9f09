"""Which statements stand for every conversation.

A standing instruction is addressed to the assistant and to all that comes: how to answer, what to call someone. So is,
for what is kept of it, the name that somebody gives as theirs. A preference that is only told ("User prefers short
answers") is none, nor what holds for this once, what is quoted, and what a character says: they come where they bear
on something. What is told of the user in the third person counts whoever tells it, an order in the first person only
from the user.

Source
    Own lists.
"""

from __future__ import annotations

from enum import StrEnum
from functools import lru_cache
from typing import NamedTuple

from memd.text import expressions as re
from memd.text.simplified import simplified
from memd.text.story import QUOTED_NAME, is_of_story, own_words, remark_of

READ_CHARS = 300
SENTENCES = 4  # of a text that may be one, whichever of them it is
NAME_WORDS = 4


_TOPIC = re.compile(r"[^.!?。！？\n:：]{2,40}[:：](?=\s|[^\x00-\x7f])")
_OF_ALL = re.compile(
    r"\b(?:note|rule|rules|reminder|instruction|instructions|preference|preferences|style|tone|answers?|repl(?:y|ies)|responses?|from now on|language)\b"
    r"|注意|规则|提醒|要求|偏好|风格|语气|回答|回复|以后|今后|语言",
    re.IGNORECASE,
)


class Lasting(StrEnum):
    """What stands for every conversation."""

    INSTRUCTION = "a standing instruction"
    NAME = "the user's own name"


class Standing(NamedTuple):
    """What a text is. `reported`: told of the user in the third person."""

    what: Lasting
    reported: bool

    def counts_from(self, source: str) -> bool:
        """Tell whether it counts from a source: the user's own word, or an agent's of the user; never a tool's or an import's."""
        return source in {"", "user", "file-edit"} or (source == "agent" and self.reported)


_NAME = "(?P<name>.{1,60})"  # what is one, _is_name and _is_name_zh tell
_NOW = (
    r"(?:from (?:now|today|here) on(?:wards?)?|going forward|henceforth|starting (?:now|today)|as of (?:now|today)|in (?:the )?future"
    r"|in (?:all|every) (?:our |your |future )?(?:chats?|conversations?|answers?|repl(?:y|ies)|responses?|messages?))"
)
_DO = (
    r"(?:address|add|answer|ask|assume|avoid|be|begin|call|check|cite|commit|confirm|convert|do|don't|do not|end|explain|finish|format|give"
    r"|include|keep|leave|limit|make|never|number|only|put|quote|refer|remind|reply|respond|run|say|show|sign|skip|speak|spell|start|stick"
    r"|stop|summari[sz]e|talk|tell|translate|treat|use|write|always)"
)
_TONGUE = (
    r"(?:english|chinese|mandarin|french|german|spanish|italian|portuguese|dutch|russian|japanese|korean|plain|short|simple|one|two|three|full"
    r"|bullet|british|american)"
)
_ADDRESS = r"(?:call|address)(?: me)(?: as)?"
_POLITE = r"(?:can|could|would|will) you (?:please |just |always |also )*"
_TELLING = (  # what an assistant does
    r"(?:suggest|recommend|mention|bring (?:\w+ )?up|propose|offer|lecture|apologi[sz]e|patroni[sz]e|sugar-?coat|joke about|remind me|ask me|tell me|send me|show me|give me|push me)"
)
_GIVING = r"(?:give|show|send|write|suggest|recommend|quote|list|translate|summari[sz]e|mention|draft|cite|convert|propose|offer|tell me|ask me|help me|review)"
_INSTRUCTIONS = (
    rf"(?:please )?(?:never(?: ever)?|(?:don't|do not) ever|always) {_TELLING}\b",
    r"(?:please )?(?:stop|quit) (?:suggesting|recommending|mentioning|bringing|proposing|offering|lecturing|apologi[sz]ing|reminding me|asking me|telling me|sending me)\b",
    rf"(?:before|when(?:ever)?|if|each time|every time|any ?time) you {_GIVING}\b[^.!?]{{0,80}}?, (?:please |then |first )*{_DO}\b",
    r"(?:don't|do not) (?:explain|tell me|suggest|recommend|give me) (?:things|stuff|anything|what) ",
    rf"{_NOW}[,:]? (?:please )?(?:you (?:should|must|can|are to|will|need to) )?(?:try to |make sure to |be sure to |just )?{_DO}\b",
    rf"{_NOW}[,:]? (?:in|no|only) \w+",
    rf"(?:{_POLITE})?{_DO}\b[^?]{{2,200}}[, ]{_NOW}\W*(?:please|thanks|thank you)?\W*\Z",
    rf"(?:{_POLITE})?(?:always|never) (?:answer|reply|respond|address me|call me|write to me|speak|talk to me|explain)\b",
    r"(?:keep|make) (?:all |your |the )*(?:answers|replies|responses|explanations)\b",
    rf"(?:answer|reply|respond|speak|talk) (?:to me )?(?:only |always |briefly\b|shortly\b|concisely\b|in {_TONGUE}\b)",
    r"(?:don't|do not|never|no) (?:use |add |send |more )*(?:emojis?|bullets?|bullet points|exclamation|em[ -]dashes|jargon|filler|disclaimers|pleasantries)\b",
    r"(?:always )?be (?:brief|concise|blunt|direct|polite|honest|formal|informal) (?:with me|in (?:your|all|every))\b",
    r"when(?:ever)? you (?:answer|reply|respond|explain|write to me|talk to me|address me)\b.{0,80}?,? \w+",
    r"(?:use|my pronouns are) (?:they/them|she/her|he/him|she/they|he/they)\b",
)
_ASKS = r"(?:wants|asks|asked|has asked|requests|requested|insists|would like|likes|prefers|wishes)"
_WHOM = r"(?:you|me|us|agents|assistants|the assistant|everyone)"
_HOW = r"(?:call|answer|reply|respond|keep|address|speak|write|use|avoid)"
_REPORTED = (
    rf"(?:the )?user {_ASKS} (?:that )?(?:to be (?:called|addressed|referred|known)\b|{_WHOM}(?: to)? (?:always |never |only |not to )?{_HOW}\b)",
    r"(?:the )?user (?:wants|asks|asked|has asked|requests|requested|insists)(?: for| on| that)? (?:all |the )?(?:answers|replies|responses)\b",
    r"(?:always |never )?(?:refer to|address|call) the user (?:as|by|with)?\b",
    r"(?:always |never )?(?:answer|reply to|respond to) the user (?:in|with|only|briefly)\b",
    r"(?:the )?user's pronouns are\b",
)
_NAMED = (  # the name decides
    (Lasting.INSTRUCTION, False, rf"(?:{_NOW},? )?(?:please )?(?:you (?:can|may|should) )?(?:just |always |feel free to )*{_ADDRESS} {_NAME}"),
    (Lasting.INSTRUCTION, False, rf"{_POLITE}{_ADDRESS} {_NAME}"),
    (Lasting.INSTRUCTION, False, rf"(?:don't|do not|never|stop)(?: ever)? (?:call|calling|address|addressing) me(?: as)? {_NAME}"),
    (Lasting.INSTRUCTION, False, rf"i(?:'d| would)? (?:want|prefer|like) (?:you to call me|to be (?:called|addressed as|known as)) {_NAME}"),
    (Lasting.INSTRUCTION, False, rf"(?:please )?refer to me as {_NAME}"),
    (Lasting.NAME, False, rf"(?:my (?:(?:full|first|real|last|given|nick) ?)?name(?:'s| is)|i go by|i am called|i'm called|the name(?:'s| is)|my nickname is) {_NAME}"),
    (Lasting.NAME, True, rf"(?:the )?user(?:'s (?:(?:full|first|real|last|given|nick) ?)?name is| is (?:called|named)| goes by) {_NAME}"),
)  # fmt: skip
_NOW_ZH = r"(?:从现在(?:开始|起)|从今(?:以后|往后|天起)|今后|以后|往后)"
_MODE_ZH = r"(?:[，,、\s]|请|麻烦|都|就|你|您|要|得|务必|不要|不许|不用|别|一律|尽量|只能?|再也?|记得|跟我|和我|给我|对我|每次|所有|统一|全部|一直|始终|能不能|可以|直接)*"
_WITH_ZH = r"用(?!户).{1,8}(?:回答|回复|答复|说|写|交流|沟通|聊|跟我|和我|称呼)"
_SAY_ZH = r"(?:回答|回复|答复|说话|交流|沟通|语气|表情|啰嗦|废话|客套|简短|简洁|提醒我|称呼|解释|用(?:公制|英制|敬语|繁体|简体|列表|表格|表情|[中英日法德韩]文|您|markdown)|先(?:问|给|说|讲|列|确认))"
_TELL_ZH = r"(?:推荐|推销|说|发|提(?!醒|前|交|升|供)|讲|建议|解释|问(?!题)|劝|安排|催|夸)"
_INSTRUCTIONS_ZH = (
    rf"(?:请|拜托)?(?:以后)?(?:都)?(?:别|不要|不许|不用|不准)(?:再|老是?|总是?|一直|动不动就?)(?:给我|跟我|和我|对我|向我)?{_TELL_ZH}",
    rf"(?:请)?(?:别|不要|不许|不准)(?:给我|跟我|和我|对我|向我){_TELL_ZH}",
    r"(?:你|您)?(?:每次)?(?:给我|帮我|跟我|对我|替我)?(?:写|讲|推荐|回答|解释|翻译|列|报|总结|回复|聊|介绍|安排)[^，。！？我]{0,8}(?:的时候|时|之前|前)[，,]?(?:请|都|一定|必须|得|要|记得)*(?:先(?!生)|别|不要|不许|用(?!户)|尽量|只|一律|统一|控制|附上|标(?:上|明))",
    r"所有(?:的)?(?:金额|价格|钱数|回答|回复|答案|日期|时间|单位|数字|文案|建议)(?:都|一律|统一|全部?)(?:请|得|要)?(?:用(?!户)|写|按|以|给|保留|换算)",
    r"(?:请)?(?:别|不要|不许)用.{1,8}(?:称呼|叫)我",
    rf"{_NOW_ZH}[^，。！？]{{0,8}}(?:别|不要|不用)(?:再|老|总)?(?:叫|称|喊)(?:我)?(?:您|全名|老师|先生|女士)",
    rf"{_NOW_ZH}{_MODE_ZH}(?:{_WITH_ZH}|{_SAY_ZH})",
    rf"{_NOW_ZH}(?![我咱])[^我。！？]{{0,8}}(?:回答|回复|跟我说|说话|语气)",
    r"(?:请)?(?:回答|回复)(?:我)?(?:时|的时候|要|都|请|一律|别|不要|用|尽量|控制|保持|简)",
    rf"(?:请)?(?:一直|始终|总是|都|永远|一律|只)?{_WITH_ZH}",
    r"(?:请)?(?:别|不要|不许)(?:再|老|总)?(?:用|发|加|带)(?:表情|颜文字|感叹号|列表|客套话|敬语)",
)
_REPORTED_ZH = (
    r"用户(?:希望|要求|喜欢|想让|想|要|让)(?:被|你|我|我们|大家|别人|助手|助理|AI)*(?:以后|今后|一律|都|始终|总是)*(?:称|叫|喊)",
    rf"用户(?:希望|要求|让|想让)(?:你|我|我们|大家|助手|助理|AI)*(?:以后|今后|一律|都|始终|总是|从现在起|只)*(?:{_WITH_ZH}|回答|回复|不要用|别用)",
    r"(?:以后|今后)?(?:请|都)?称呼用户(?:为|叫)?",
)
_CALL_ZH = r"(?:叫|喊|称呼|称)"
_NAMED_ZH = (
    (Lasting.INSTRUCTION, False, rf"(?:{_NOW_ZH})?(?:你们?|您|大家|请|麻烦|可以|就|直接|都|一律|还是|统一)*{_CALL_ZH}我(?:为|作|做)?{_NAME}"),
    (Lasting.INSTRUCTION, False, rf"(?:请|大家|你们?|都|以后|今后)*(?:别|不要|不许)(?:再|老)?{_CALL_ZH}我(?:为|作|做)?{_NAME}"),
    (Lasting.NAME, False, rf"(?:大家|朋友|同事|家里?人|别人|他们|同学)们?(?:都|平时|一般)*{_CALL_ZH}我{_NAME}"),
    (Lasting.NAME, False, rf"(?:我(?:的)?(?:名字|昵称|小名|网名|花名|英文名|中文名|全名|大名)?(?:就)?(?:是叫|叫做?|名叫|名为)|我的(?:名字|昵称|小名|网名|花名|英文名|中文名|全名|大名)(?:就)?是|本人(?:名?叫|姓)|我姓){_NAME}"),
    (Lasting.NAME, True, rf"用户(?:的(?:名字|姓名|昵称|小名|英文名|中文名|全名)(?:是|叫做?)|(?!名)(?:名?叫做?|姓)){_NAME}"),
)  # fmt: skip

# One of these stands in whatever a rule below fits: most texts are done with then.
_TELLTALE_WORDS = (
    "call|address|referred|refer to|name|go by|goes by|now on|today on|here on|going forward|henceforth|starting now|starting today|as of now"
    "|as of today|in future|in the future|in all |in every |answer|reply|replies|respon|explain|explanation|speak|talk|write to me|emoji|bullet"
    "|exclamation|dashes|jargon|filler|disclaimer|pleasantr|brief|concise|blunt|direct|polite|honest|formal|/them|/him|/her|/they|pronouns"
    "| you to | me to | us to |agents |assistant|everyone"
    "|suggest|recommend|mention|bring |propose|offer|lecture|apologi|patroni|sugar|joke about|remind me|ask me|tell me|send me|show me|give me|push me"
    "|before you |when you |whenever you |if you |time you "
    "|别再|别老|别总|别动|别一直|不要再|不要老|不要总|不许再|不用再|不准再|给我|对我|向我|推荐|时候|之前|所有|称呼|写|讲|解释|翻译|总结|介绍"
    "|从现在|从今|今后|以后|往后|回答|回复|答复|跟我|和我|叫|喊|称|我姓|户姓|人姓|名|昵称|交流|沟通|聊|用中文|用英文|表情|颜文字|感叹号|列表|客套|敬语|不要用|别用"
)
_TELLTALES = tuple(_TELLTALE_WORDS.split("|"))
_LEAD = re.compile(
    r"(?:\W|\b(?:please|and|also|hey|hi|hello|ok|okay|oh|so|note|btw|by the way|but|then|well|remember(?: that)?|keep in mind(?: that)?)\b"
    r"|请?(?:记住|记得|另外|还有|对了|嗯|好的|那么|嘿|你好|您好|哦|顺便说一下|顺便))*",
    re.IGNORECASE,
)
_ENDS = re.compile(r"(?<=[.!?;])\s+|(?<=[。！？；])|\n+")
_TITLE = re.compile(r"\b(dr|mr|mrs|ms|prof|st|jr|sr)\.", re.IGNORECASE)
_ONCE = re.compile(
    r"\b(?:just (?:this )?once|this time|for now|for the moment|until (?!told|i say)\w+"
    r"|(?:for|in) this (?:task|answer|reply|message|one|file|chat|conversation|session|email|test|request))\b|(?<!from )(?<!as of )(?<!starting )\btoday\b"
    r"|这次|这一次|这回|暂时|本次|今天(?!起)|这个(?:任务|会话|对话|文件|邮件)|这[封份条]",
    re.IGNORECASE,
)
_ASKED = re.compile(r"[?？]\s*\Z|吗\W*\Z")
_POLITELY = re.compile(rf"(?:{_POLITE})|.{{0,12}}(?:能不能|可不可以|能否|可以|能)", re.IGNORECASE)
_NAME_WORD = re.compile(rf"{QUOTED_NAME}|[^\W\d_][\w'’-]*")
_NO_NAME_WORDS = (
    "a about after again also an and any anything anytime are as asap at back because before being but by crazy during even ever every first for"
    " from hard how i if immediately in is it its later lazy maybe mean missing my names naive next not now often old-fashioned on once or"
    " out over paranoid pronounced right soon sometime spelled spelt stupid that the there this to today tomorrow tonight too under up what"
    " whatever when whenever where with wrong your already common very really unusual monday tuesday wednesday thursday friday saturday sunday"
)
_NO_NAMES = frozenset(_NO_NAME_WORDS.split())
_BEHIND = re.compile(
    r"\s*(?:\Z|[,.;:!?()–—-]|(?:from now|please|instead|not|rather|and|or|if you|for short|only|always|thanks|thank|ok|okay|everyone|everybody|when"
    r"|because|since|as|at work|going forward|with|but|which|though|in future)\b)",
    re.IGNORECASE,
)
_BY_NAME = re.compile(r"by (?:my )?(?:first |last |full |given |nick)?name\b", re.IGNORECASE)
_NAME_ZH = re.compile(
    rf"\s*(?:{QUOTED_NAME}|[A-Za-z][\w.'’-]*(?: [A-Z][\w.'’-]*){{0,2}}|[\u4e00-\u9fff·]{{1,6}}?)"
    r"(?=\s*(?:\Z|[，,。.！!；;、~～（(?？]|就(?:行|好|可以|成|ok)|即可|吧|好了|可以了|[啦哦喔呀啊了]\W*\Z|而不是|不要叫|不要再|别叫|谢谢|或者?|和|也行))",
    re.IGNORECASE,
)
_NO_NAME_ZH = re.compile(
    r"\s*(?:[去来回吃帮做看写买交到在给跟为上下出进别不过怎等几两明今后早晚什啥哪谁它他她你我咱们的了是把让得起睡打开关走跑坐喝听说讲发拿声人车号停]|一[声下起个]|外卖|出租|滴滴|救命|大家|快递|醒|[\u4e00-\u9fff]{1,5}(?:来|去|回家|吃饭|起床|帮忙|小心|快点|一起))"
)
_OWN_RULES = tuple(re.compile(f"(?:{'|'.join(some)})", re.IGNORECASE) for some in (_INSTRUCTIONS, _INSTRUCTIONS_ZH))
_TOLD_RULES = tuple(re.compile(f"(?:{'|'.join(some)})", re.IGNORECASE) for some in (_REPORTED, _REPORTED_ZH))
_NAMES = tuple((what, told, re.compile(form, re.IGNORECASE)) for what, told, form in _NAMED)
_NAMES_ZH = tuple((what, told, re.compile(form, re.IGNORECASE)) for what, told, form in _NAMED_ZH)


@lru_cache(maxsize=1024)
def read_standing(text: str) -> Standing | None:
    """Return what of a text stands for every conversation, None where nothing does or it is too long for that."""
    said = remark_of(text) or text.strip()
    if not said or len(said) > READ_CHARS or not _may_stand(simplified(said.lower())):
        return None
    plain = _TITLE.sub(r"\1", own_words(said).replace("’", "'"))
    sentences = [one for one in _ENDS.split(plain) if one and one.strip()]
    if len(sentences) > SENTENCES or _ONCE.search(plain) or _is_of_a_thing(plain):
        return None
    found = [standing for one in sentences if (standing := _of_sentence(one.strip()))]
    if not found or is_of_story(said):
        return None
    return min(found, key=lambda one: one.what is Lasting.NAME)


def _is_of_a_thing(plain: str) -> bool:
    """Tell whether a text begins with what its rules are for: "Commit messages: lower case. No emoji."."""
    topic = _TOPIC.match(plain)
    return topic is not None and _OF_ALL.search(topic[0]) is None


def _may_stand(lowered: str) -> bool:
    return any(one in lowered for one in _TELLTALES)


# Where an instruction begins behind its reason: "I'm no good with computers, so please always explain things in plain words".
_SO = re.compile(
    r"[,;] (?:so |and )*(?=(?:please )?(?:always|never|from now on)\b|please (?:don't|do not|keep|call|answer|explain|talk|write|use)\b)|[，,；](?:所以|那)?(?=(?:请|麻烦|以后|今后)|叫我|喊我)",
    re.IGNORECASE,
)


def _of_sentence(sentence: str) -> Standing | None:
    found = _of_clause(sentence)
    if found is None and (so := _SO.search(sentence)) and not _ASKED.search(sentence):
        found = _of_clause(sentence[so.end() :])
    return found


def _of_clause(sentence: str) -> Standing | None:
    begin = _LEAD.match(sentence)
    said = sentence[begin.end() if begin else 0 :]
    if QUOTED_NAME in sentence[: len(sentence) - len(said)] or (_ASKED.search(said) and not _POLITELY.match(said)):
        return None
    for names, is_name in ((_NAMES, _is_name), (_NAMES_ZH, _is_name_zh)):
        for what, reported, pattern in names:
            if (match := pattern.match(said)) and is_name(match["name"]):
                return Standing(what, reported)
    for rules, reported in ((_TOLD_RULES, True), (_OWN_RULES, False)):
        if any(one.match(said) for one in rules):
            return Standing(Lasting.INSTRUCTION, reported)
    return None


def _is_name(words: str) -> bool:
    """Tell whether words begin with a name that ends where a name may end."""
    if _BY_NAME.match(words):
        return True
    at = 0
    for count in range(NAME_WORDS):
        found = _NAME_WORD.match(words, at)
        if not found or found[0].casefold() in _NO_NAMES:
            return False
        at = found.end()
        if _BEHIND.match(words, at):
            return count == 0 or found[0][0].isupper() or words.islower()
        at += len(words[at:]) - len(words[at:].lstrip())
    return False


def _is_name_zh(words: str) -> bool:
    return _NAME_ZH.match(words) is not None and _NO_NAME_ZH.match(words) is None


def is_standing(text: str, source: str = "") -> bool:
    """Tell whether a text tells the assistant how to be, in every conversation from now on."""
    standing = read_standing(text)
    return standing is not None and standing.what is Lasting.INSTRUCTION and standing.counts_from(source)


# What an instruction settles, and how: two settle the same, or have nothing to do with each other.
_LANGUAGES = {
    "english": "english|英[文语]", "chinese": "chinese|mandarin|中文|汉语|普通话|国语", "french": "french|法[文语]", "german": "german|德[文语]",
    "spanish": "spanish|西班牙[文语]", "italian": "italian|意大利[文语]", "portuguese": "portuguese|葡萄牙[文语]", "dutch": "dutch|荷兰[文语]",
    "russian": "russian|俄[文语]", "japanese": "japanese|日[文语]", "korean": "korean|韩[文语]", "cantonese": "cantonese|粤语|广东话",
}  # fmt: skip
_LENGTHS = {
    "short": r"\b(?:short(?:er)?|brief(?:ly)?|concise(?:ly)?|terse|to the point|one[- ]sentence|in a (?:sentence|line)|no (?:long|summar)\w*)\b|简短|简洁|简练|简单点|少说|短一?[些点]|一句话",
    "long": r"\b(?:long(?:er)?|detailed|in (?:full )?detail|at length|thorough(?:ly)?|elaborate)\b|详细|展开|多说|长一?[些点]|仔细",
}
_SETTLES = (
    ("language", {one: re.compile(words, re.IGNORECASE) for one, words in _LANGUAGES.items()}),
    ("length", {one: re.compile(words, re.IGNORECASE) for one, words in _LENGTHS.items()}),
    ("emojis", {"any": re.compile("emoji|表情|颜文字", re.IGNORECASE)}),
    (
        "units",
        {"metric": re.compile("metric|公制", re.IGNORECASE), "imperial": re.compile("imperial|英制", re.IGNORECASE)},
    ),
    ("address", {"any": re.compile(rf"{_ADDRESS}|refer to me|叫我|称呼我|喊我|我叫", re.IGNORECASE)}),
)


_DENIED = re.compile(
    r"\b(?:no longer|not|never|don't|do not|stop|rather than|instead of)\b[^,.;!?]*|(?:不要|别|不用|不再|不许|而不是)[^，。；！？,]*",
    re.IGNORECASE,
)


def settled_by(text: str, *, denied: bool = False) -> dict[str, frozenset[str]]:
    """Return what an instruction settles of how to answer, by name, and as what: the language, the length, emojis, units, the address.

    `denied`: also what it says not to be so any more.
    """
    plain = simplified(text[:READ_CHARS]).replace("’", "'")
    plain = plain if denied else _DENIED.sub(" ", plain)
    found = {name: frozenset(one for one, words in ways.items() if words.search(plain)) for name, ways in _SETTLES}
    return {name: ways for name, ways in found.items() if ways}
