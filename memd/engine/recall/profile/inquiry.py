"""Which messages ask for all that is held of somebody or something, and of whom.

Asked is what the memory has ("what do you know about …", 关于…你知道什么), not what there is to say ("tell me about …"). A
whole sentence has to ask it, in the speaker's own words: neither quoted nor behind a colon. A pronoun of somebody else
names nobody here.

Source
    Own lists.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from memd.text import expressions as re
from memd.text.simplified import simplified
from memd.text.story import QUOTED_NAME, own_words

READ_CHARS = 300
SENTENCES = 6  # the last of a message


class Inquiry(NamedTuple):
    """Of whom all is asked, in the asker's words; `loose` where they may be more than a name ("你记得小雨 …")."""

    subject: str
    chinese: bool
    loose: bool = False


ME = "me"
_ENDS = re.compile(r"(?<=[.!?;])\s+|(?<=[。！？；])\s*|\n+")
_LEAD = re.compile(
    r"(?:\W|\b(?:hey|hi|hello|ok|okay|so|and|but|well|now|right|please|pls|just|also|first|btw|by the way|honestly|actually|oh"
    r"|quick question|out of curiosity|just curious|i wonder|i was wondering|i(?:'m| am) curious|before we (?:start|begin|go on)"
    r"|(?:can|could|would|will) you(?: please| just)?(?: tell me| say| show me| list| remind me)?"
    r"|(?:tell|show|remind) me(?= (?:what|how|who|again))|let me know|i(?:'d| would) (?:like|love) to (?:know|hear|see)|i want to (?:know|see)"
    r"|do you mind telling me)\b)*",
    re.IGNORECASE,
)
_LEAD_ZH = re.compile(
    r"(?:\W|请问?|那么?|嗨|嘿|喂|你好|您好|好的?|对了|话说|顺便问一?下?|我想(?:知道|问|了解|看看)(?:一下)?|我很?好奇|想问(?:一下)?|麻烦|能不能|能否|可以|能"
    r"|(?:请|帮我|给我|跟我|和我)?(?:告诉我|说说看?|讲讲|列出来?|列一下|总结(?:一下)?|概括(?:一下)?|汇总(?:一下)?|整理(?:一下)?|回忆(?:一下)?|看看)(?:一下)?|现在)*"
)

_S = r"(?P<subject>[^?!,;:]{1,60}?)"
_KNOW = (
    r"(?:know|remember|recall|have(?: (?:got )?(?:stored|saved|noted|recorded|kept|written down|on (?:file|record)|in (?:your )?memory)?)?"
    r"|(?:have )?(?:stored|saved|noted|recorded|kept|learned|learnt|memori[sz]ed|remembered|gathered))"
)
_MUCH = r"(?:actually|really|already|currently|still|even|exactly|now|ever|all)"
_FACTS = r"(?:facts|things|information|info|memories|notes|details|data|stuff|records?|knowledge)"
_ABOUT = r"(?:about|of|on|regarding|concerning)"
_TAIL = (
    r"(?:[\s,]*\b(?:so far|already|right now|now|by now|at (?:this|the) (?:point|moment)|today|currently|then|please|pls|thanks|again|exactly"
    r"|until now|in (?:your |the )?memory|from (?:your )?memory|in general|overall|altogether|these days|as a person|though|anyway|by the way|btw"
    r"|from (?:our |the )?(?:past|previous|earlier|other) (?:chats?|conversations?|sessions?|talks?)))*[\s.?!…]*"
)
_EN = tuple(
    re.compile(form + _TAIL, re.IGNORECASE)
    for form in (
        rf"what(?:'s| is| are)?(?: all| else| exactly| sort of {_FACTS}| kind of {_FACTS}| {_FACTS})?(?: things)?(?: that)? (?:do|did|have|can|could) you(?: guys| all)?(?: {_MUCH})* {_KNOW}(?: so far| down)? {_ABOUT} {_S}",
        rf"how (?:much|well) do you(?: {_MUCH})* (?:know|remember|recall)(?: {_ABOUT})? {_S}",
        rf"(?:do|did|have) you(?: {_MUCH})* {_KNOW} (?:anything|something|much|a lot|any|any {_FACTS})(?: at all| else)? {_ABOUT} {_S}",
        rf"(?:(?:tell me|show me|give me|list|summari[sz]e|recap|print|share|say|write down|sum up|repeat)(?: me)? )?(?:a (?:short |quick |brief )?(?:summary|overview|list) of )?(?:everything|all|all the {_FACTS}|anything|whatever|the {_FACTS})(?: that)? you(?: {_MUCH})* {_KNOW} {_ABOUT} {_S}",
        rf"(?:(?:tell me|show me|list|summari[sz]e|recap|share|say|sum up|repeat)(?: me)? )(?:a (?:short |quick |brief )?(?:summary|overview|list) of )?what you(?: {_MUCH})* {_KNOW} {_ABOUT} {_S}",
        rf"what you(?: {_MUCH})* {_KNOW} {_ABOUT} {_S}",
        rf"what(?: all| else| {_FACTS})? (?:have|did) i(?: {_MUCH})* (?:told|tell|said|say|shared?|mentioned?)(?: to)?(?: you| with you)?(?: so far)?(?: {_ABOUT} {_S})?",
        rf"what(?:'s| is)(?: {_MUCH})* (?:stored|saved|recorded|kept|noted|known|remembered|written down|on (?:file|record)|in (?:your |the )?memory) {_ABOUT} {_S}",
        rf"(?:what )?{_FACTS} (?:is|are)(?: {_MUCH})* (?:stored|saved|recorded|kept|noted|known|remembered)(?: here)? {_ABOUT} {_S}",
        r"(?:(?:what(?:'s| is| does| do)|show|show me|give me|print|see|tell me)(?: in| the| on)? )?(?P<subject>my) (?:memory )?profile(?: (?:say|look like|contain|have))?",
    )
)  # fmt: skip
_OF_ME = re.compile(
    r"(?:who am i(?: to you)?|do you (?:still |even |really )?(?:know|remember) (?:who i am|me)|what am i like|describe me|sum me up"
    rf"|tell me (?:something |everything |all |a bit |what you know )?about (?:me|myself)){_TAIL}",
    re.IGNORECASE,
)

_YOU = r"(?:你|您|你们)"
_SO = r"(?:都|到底|究竟|还|现在|目前|已经|一共|总共|真的|对|所)*"
_KNOWS = r"(?:知道|了解|记得|记住了?|记着|记了|记下了?|掌握了?|记录了?|存了?|保存了?|收集了?|清楚)"
_WHAT = r"(?:一?些?什么|哪些|多少|一?些?啥|什么样的?)"
_THINGS = r"(?:事情?|事儿|信息|情况|东西|内容|方面|细节|资料|记忆|记录|印象)"
_SZ = r"(?P<subject>[^，,。？?！!：:；;]{1,40}?)"
_TAIL_ZH = r"(?:[\s，,]*(?:呢|呀|啊|吗|吧|了|呐|来着|目前|现在|到现在|至今|谢谢))*[\s。？?！!…~～]*"
_ZH = tuple(
    re.compile(form + _TAIL_ZH)
    for form in (
        rf"(?:关于|有关|对于){_SZ}(?:的(?:{_THINGS}|一切))?[，,、\s]*{_YOU}?{_SO}(?:{_KNOWS}|有|说得出)(?:关于[她他它]的?)?(?:{_WHAT}{_THINGS}?|吗|多不多)",
        rf"{_YOU}?{_SO}{_KNOWS}(?:关于|有关){_SZ}的?(?:{_WHAT}{_THINGS}?|一切|所有{_THINGS}?|全部{_THINGS}?)",
        rf"{_YOU}{_SO}{_KNOWS}(?P<subject>我|咱们?|我自己)(?:的|是个?|有)?(?:{_WHAT}的?人?{_THINGS}?|一切|所有{_THINGS}?|全部{_THINGS}?)",
        rf"{_YOU}?对{_SZ}(?:的|了|都|还|现在|目前|一共)*(?:{_KNOWS}|印象|认识|记忆)(?:的?有|了|到)?(?:{_WHAT}{_THINGS}?|多[深少]|如何|怎么样|怎样)",
        rf"{_YOU}?对{_SZ}{_SO}有(?:{_WHAT}|哪方面的?)的?(?:了解|印象|认识|记忆|记录)",
        rf"{_YOU}?对{_SZ}有多(?:了解|熟悉|清楚)",
        rf"{_YOU}对{_SZ}的(?:了解|印象|认识|记忆|全部记忆)",
        rf"(?:把)?{_YOU}{_SO}{_KNOWS}的(?:关于|有关){_SZ}的?(?:一切|所有|全部)?(?:{_THINGS})?(?:都?(?:告诉我|说出来|列出来|说一遍))?",
        rf"{_YOU}(?:这里|那里|这儿|那儿|的记忆里|记忆里|脑子里)?{_SO}(?:有|存着?|保存着?|记着?)(?:关于|有关)?(?P<subject>我)的?(?:{_WHAT})(?:{_THINGS})?",
        rf"我{_SO}(?:跟|和|对|给)?{_YOU}?(?:都)?(?:说过|讲过|聊过|提过|告诉过{_YOU}?)(?:关于|有关){_SZ}的?(?:{_WHAT}{_THINGS}?)",
        rf"(?:把)?(?:关于|有关){_SZ}的(?:{_THINGS}|一切)?[，,]?{_YOU}?(?:都)?(?:知道|记得)的?(?:都|全)(?:说|告诉我|列)(?:出来|一下|一遍)?",
        r"(?:给我看看?|看看?|打开|显示)(?P<subject>我)的(?:档案|画像|个人资料|个人档案)",
    )
)  # fmt: skip
_OF_ME_ZH = re.compile(
    rf"(?:我是谁|{_YOU}{_SO}(?:认识|记得|了解)我(?:是谁)?吗?|{_YOU}觉得我是(?:个)?(?:什么样|怎样|怎么样)的?人|{_YOU}(?:有多|多)了解我|我在{_YOU}(?:心里|眼里|眼中)是(?:什么样|怎样)的?人?){_TAIL_ZH}"
)
_LOOSE_ZH = tuple(
    re.compile(form + _TAIL_ZH)
    for form in (
        rf"{_YOU}{_SO}{_KNOWS}{_SZ}的?(?:哪些{_THINGS}?|些什么|些啥|多少{_THINGS}?|什么{_THINGS}|啥{_THINGS}|一切|所有{_THINGS}?)",
        rf"{_YOU}{_SO}(?:记得|认识|了解){_SZ}吗",
    )
)
_LOOSE = tuple(re.compile(form + _TAIL, re.IGNORECASE) for form in (rf"do you(?: {_MUCH})* remember {_S}",))
_MYSELF = frozenset(
    ("me", "myself", "my", "us", "ourselves", "i", "mine", "我", "我自己", "咱", "咱们", "我们", "我这个人", "本人")
)
_OTHERS = re.compile(
    r"(?:\b(?:it|this|that|these|those|them|him|her|himself|herself|he|she|they|there|each other|everyone|anyone|who|what|how|when|why|where"
    r"|which|whether|if)\b|[她他它](?:们|$)|^(?:这|那|谁|什么|哪|它|他|她|怎么|如何|为什么))",
    re.IGNORECASE,
)
_THEIR_OWN = re.compile(
    r"\b(?:saying|to|when|because|whether|if|that|who|and|or|was|were|is|are|did|does|how)\b", re.IGNORECASE
)


@lru_cache(maxsize=64)
def inquiry_of(message: str) -> Inquiry | None:
    """Return of whom a message asks all that is held, ME for the one who asks; None where it asks something else."""
    if not message or len(message) > READ_CHARS:
        return None
    plain = own_words(message.strip().replace("’", "'"))
    for sentence in reversed([one for one in _ENDS.split(plain) if one and one.strip()][-SENTENCES:]):
        if QUOTED_NAME not in sentence and (found := _of_sentence(sentence.strip())):
            return found
    return None


def _of_sentence(sentence: str) -> Inquiry | None:
    for lead, of_me, firm, loose, chinese in (
        (_LEAD, _OF_ME, _EN, _LOOSE, False),
        (_LEAD_ZH, _OF_ME_ZH, _ZH, _LOOSE_ZH, True),
    ):
        begun = lead.match(sentence)
        asked = sentence[begun.end() if begun else 0 :]
        for said in dict.fromkeys((asked, sentence.strip())):
            if of_me.fullmatch(said):
                return Inquiry(ME, chinese)
            for forms, is_loose in ((firm, False), (loose, True)):
                for form in forms:
                    if (match := form.fullmatch(said)) and (subject := _subject(match["subject"])):
                        return Inquiry(subject, chinese, is_loose)
    return None


def _subject(words: str | None) -> str:
    """Return whom words name, "" where they name nobody: a pronoun, or a whole clause."""
    said = (words or ME).strip(" .?!…\"'“”「」")
    if simplified(said.casefold()) in _MYSELF:
        return ME
    return "" if not said or _OTHERS.search(said) or _THEIR_OWN.search(said) else said
