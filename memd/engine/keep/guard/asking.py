"""Does a message ask that something be remembered, and what?

An instruction is a clause that begins with words of asking and a verb of keeping; what it is about follows it, stands
between them, or came before. Questions of memory ("do you remember", 还记得吗), refusals ("no need to remember"),
errands ("don't forget to run the tests"), quoted words and other senses (a memo, 内存) are none.
"""

from __future__ import annotations

from collections.abc import Iterator

from memd.engine.keep.cues import find_cues
from memd.text import expressions as re
from memd.text.characters import fold
from memd.text.expressions import matches_in
from memd.text.simplified import simplified

# The words with which people ask that something be remembered, in English and Chinese.

_STORE = (
    r"(?:(?:your|the|my|our|its|long[- ]term|permanent|persistent|agent|assistant)[ -]+)*"
    r"(?:memory(?: (?:bank|file|store))?|memories|notes?(?: about me)?|records?|knowledge(?: base)?|profile|brain|file|mind)\b"
)
_IT = r"(?:this|that|it|these|those|them|the following|what follows|something)"
_ENDED = r"(?=\s*(?:[:,.;!?—–-]|$|for\b|away\b|down\b|please\b|somewhere\b|about me\b|as a\b|that\b|would you|will you|ok\b|哈|啊|吧|[\u4e00-\u9fff]))"
_KEEP = (
    r"(?:sav(?:e|ing)|stor(?:e|ing)|add(?:ing)?|put(?:ting)?|writ(?:e|ing)|record(?:ing)?|log(?:ging)?|keep(?:ing)?|commit(?:ting)?|fil(?:e|ing)|stash(?:ing)?|tuck(?:ing)?"
    r"|persist(?:ing)?|jot(?:ting)?|pin(?:ning)?|enter(?:ing)?|retain(?:ing)?|hold(?:ing)?|hang(?:ing)?|get(?:ting)?(?= [^.!?]{0,40}\b(?:down|memory|memories|notes?|record|file|mind|brain|profile)\b)|stick(?:ing)?|lock(?:ing)?|not(?:e|ing))"
)
ASK_EN = (
    r"(?:(?:please|pls|plz|kindly|just|also|and|ok|okay|hey|oh|so|yo|btw|by the way|fyi|now|then|hi|well|for|the|record|future|reference|next time|"
    r"from (?:now|here) on|one more thing|important|can|could|would|will|you|u|i|we|i'd|i’d|want|need|like|love|to|should|must|gotta|have|has|make|sure|be|let|let's|let’s|lets|me|us|"
    r"it|it's|is|that|help|if|might|ought|try|mind|do|whatever else you forget|when we next talk|know|talk|quick|thing|new|always|definitely|really|actually|"
    r"please do|don't mind|show|in|on|today|going forward|going|forward|请|你|帮我|麻烦)\b[\s,:;.—–-]*+){0,16}"
)
_DIRECT = (
    r"remember(?:ing|ed)?(?! (?:me|when|how|who|where|why|the (?:days?|times?|good|old|titans)|back|those|our|to be|last)\b)|memori[sz](?:e|ed|ing)|don[’']?t (?:you )?(?:ever )?forget|do not (?:ever )?forget|never (?:ever )?forget"
    rf"|(?:keep|keeping|bear|bearing) (?:{_IT} )?in mind|tak(?:e|ing) note(?: of| that)?|(?:mak|tak|leav|keep|add)(?:e|ing)? (?:yourself )?(?:an? )?(?:mental |quick |permanent |brief |long-term )*(?:note|memo|record)s?(?: to self)?(?: (?:of|about|down|that))?"
    rf"|note (?:down|to self|for (?:the future|later|next time|yourself|future \w+))|note(?= that\b|\s*:)|(?:jot|write|take)(?:ing)? (?:{_IT} )?down|put on record|(?:for|into) your (?:memory|notes|records)(?: bank)?(?=\s*[:,])"
    rf"|(?:updat|amend|correct)(?:e|ing)? (?:{_STORE}|what you know about me)|mark (?:my words|this down|it down)"
)
VERB_EN = (
    rf"(?:{_KEEP} (?:(?:on|down) )?(?:to )?(?:{_IT} )?(?:down |away )?(?:for (?:later|me|the future|next time) )?(?:to|in|into|on|under|as part of|到) ?{_STORE}|"
    rf"{_KEEP} (?P<inner>[^\"“]{{3,300}}?) (?:to|in|into) {_STORE}|"
    rf"{_KEEP} (?:on to )?{_IT}\b(?: (?:away|down))?(?: for (?:later|me|the future|future reference|next time))?{_ENDED}|{_DIRECT})(?![\w_(（])"
)
_OBJECT_EN = rf"(?: (?:{_IT}|down|so|all|for (?:later|next time|the future|future reference|me|good)|in mind|on (?:file|record)|(?:to|in|into) {_STORE}|somewhere(?: safe)?|this time)\b)"
TO_EN = (
    r"(?:(?:remember|memori[sz]e|don[’']?t forget|do not forget|never forget|(?:keep|bear|make|take)(?: an?)? (?:note|record)(?: of)?)\b"
    rf"{_OBJECT_EN}*|(?:log|{_KEEP})(?: on to)?\b(?:{_OBJECT_EN}+|(?=\W*(?:please|pls|thanks?|thank you|thx|ok|will you|would you)?\W*$)))"
)
NOT_EN = re.compile(
    r"\b(?:do|did|does|didn't) (?:you|we|i|they|he|she|anyone) (?:still |even |ever )?(?:remember|recall|forget|keep in mind)|\b(?:no need|don't need|needn't|not necessary|you don't have|unnecessary|nothing) to (?:remember|save|store|note|keep|write|record)"
    r"|\b(?:don't|do not|never|please don't|stop|no need|rather not|without|别) (?:bother |try |have )?(?:to )?(?:remember(?:ing)?|sav(?:e|ing)|stor(?:e|ing)|memori[sz](?:e|ing)|not(?:e|ing) (?:this|that|it)|record(?:ing)?|keep(?:ing)? (?:this|that|a note)|add(?:ing)? (?:this|that|it) to|writ(?:e|ing) (?:this|that|it) down|put(?:ting)? (?:this|that|it) in)"
    r"|\b(?:can't|cannot|couldn't|can not|hardly|barely|i|we|he|she|they|who|you'll|still|i'll) (?:quite |really |even |still |now |clearly |fondly |vaguely |make a )?(?:remember(?:ed|s)?|recall|forget|note)\b(?! (?:that|this|it)?[:,]? (?:please|from now))|\b(?:i|we) (?:don't|do not) (?:quite |really |even )?(?:remember|recall)\b|\bforget (?:it|about it|that|this)\b[^a-z]*$"
    r"|^\W*(?:what|how|why|when|where|which|who|is|are|does|did|has|have|was|were)\b[^.!:]*\?|\bhow (?:do|can|should|would|does|to)\b[^.?!]{0,40}\b(?:remember|store|save|memori)|\bif i asked\b|\bas far as\b"
    r"|\b(?:forget|forgot) what\b|\bdon'?t forget (?:to (?:eat|sleep|breathe|smile|vote))"
    r"|(?:^|[.,;:!?]|\bin order)\s*to (?:add|save|store|put|get|enter|pin|log|file|write|record|keep|install) (?:it|this|that|them|these|those)(?: \w+)?\s*:",
    re.IGNORECASE,
)  # fmt: skip

ASK_ZH = (
    r"(?:请|麻烦|劳驾|拜托|帮我|帮忙|替我|给我|你|您|能不能|能否|能|可以|可不可以|可|务必|一定要?|千万|要|得|都要|以后|都|先|也|再|顺便|好好|好|记得|把它|快|烦请|烦|往后|今后|从今以后|从今往后|下回|下次|聊天|另外|还有|"
    r"对了|哦|嗯|那|就|并且?|而且|然后|同时|接着|必须|应该|需要|最好|永远|永久|长期|牢牢|一直|替|帮|给|希望|这|个|条|点|件事|事|句话?|哈|，|,|\s){0,12}"
)
_STORE_ZH = r"(?:你的?|您的?|我的?|长期|永久|自己的?)*(?:记忆(?:库|文件)?|备忘录?|笔记(?:本)?|小本本?|脑子|脑海|心|档案|档|memory|notes?)(?:里(?:面)?|中|上|去)?"
VERB_ZH = (
    rf"(?:(?:把|将)(?P<inner>[^。！？\n]{{2,120}}?)(?:这(?:个|条|点|件事|句话?)|那件事)?(?:都)?(?:给)?)?"
    rf"(?:牢牢?记住?|记住(?!我[”\"」』]|你我|用户\()|记下来?|记一[下笔]|记[着牢好死清上低](?:住|楚)?了?|记到(?=[哈起咯，,：:])起?|牢记|记录在案|记起来|记得(?!吗|不|了?没|当时|那时|那年|以前|小时候|上次|去年|怎么|你以前)|记[录个作为进到在入](?:一?个?事儿?|一?笔|{_STORE_ZH})|"
    rf"(?:记录|登记|备注|备忘|归档|备案|存档)(?!仪|格式|栏)(?:一下|下来|下|好)?|(?:备|存|做|留|记)个?(?:长期|永久)?(?:备忘|记录|备注|笔记|底|档)(?!格式)|(?:在)?{_STORE_ZH}(?:再)?(?:加|补|添|记|写|存)(?:上|入)?(?:一?条|一?笔|一下)?(?=[:：，,]|上|$)|"
    rf"拿?小本本?记上|往{_STORE_ZH}(?:刻|记|写|存|加)|(?:存|写|加|放|录|收|保存|添加|补|更新|刻|列|留|save|add|记)\s?(?:进|入|到|在|下|录)\s?{_STORE_ZH}(?:去|里|中)?|(?:永久|长期)?保存(?:好)?(?=这|下面|以下|一下|下来)|"
    rf"更新(?:一下|下)?(?:{_STORE_ZH}|你?对我的(?:了解|认识|印象))|存(?:一下|起来|好)|收好|"
    rf"(?:别|不要|不能|不许|莫|勿|不可以?|可别|唔好)(?:再)?(?:给)?(?:忘了?|忘记|忘掉|唔记得)(?!我|带|关|拿|附|问|跟|去)|(?:remember|memo|note(?: down)?|mark|save)(?:\s*一下|(?=\s*[：，:]))|remember(?=\s*[\u4e00-\u9fff])|放在心上|印在脑子里|心里有数)(?:[咯喽喔哦啊]|了(?![解结却断不得])|啦(?!啦)|哈(?=[，,：:、\s我咱。！!]|$))*(?![a-z_(（])"
)
NOT_ZH = re.compile(
    r"you still|方法名|do you|记(?:不|忆棉|忆力|性|录片|录仪|账|号)|(?:还|有没有|可曾|是否|是不是|还能)记(?:得|住)|记得(?:吗|不|么|没|当时|那时|小时候)|(?:不用|不必|无需|别|不要|不需要|用不着|甭|没必要|不许|不准|先别|免得)(?:再|去|特意|帮我|给我|专门|往)?(?:记(?:住|下|录|着|得|忆|了|进|到|在)?|存|保存|备注|写进)(?!.{0,3}忘)"
    r"|[“\"‘「『《][^”\"’」』》]{0,6}记住[^”\"’」』》]*[”\"’」』》]|(?<![帮给替为请让对])我(?:们)?(?:自己)?(?:一直|都|还|总|也|只|好像|依稀|隐约|清楚|老)?(?:记得|记住|记着|记下|记在|忘)|(?:他|她|它|大家|谁|人们|老师|妈妈?|爸爸?|人)(?:们)?(?:都|还|总|老是)?(?:没|会|能)?(?:记(?:得|住|着|下)|忘)|怎么(?:才能)?(?:记|存)|如何(?:记|存)"
    r"|(?:什么|哪个|哪些|多少|为什么|谁)[^。，]{0,12}记|记住密码|记住登录|记住我的?(?:选项|勾选|按钮|功能|复选)|难忘|(?:函数|方法|类|变量|接口)(?:名)?(?:叫|是)|要是我|哪儿[?？]|翻成|翻译|remember_|写一篇",
)
HERE = re.compile(
    r"\s*(?:订(?!阅)|预[订约]|付|缴|充值|取(?!名)|接(?!受|口)|送|改|跑|提交|带|关|拿|交|买|发(?!票)|寄|回|打|做|吃|喝|附|问|跟|去|看|检查|备份|拉|推|开(?!户)|锁|洗|叫(?!我)|给|加(?!入)|补(?!习|课)|删|测|更新|合并|推送|部署|重启|保存|导[出入]|注释|格式化|通知|转发|约(?!在)|关闭|写(?:上|好|完|个|注释|测试|单测|文档))"
)
ERRAND = re.compile(r"\s+to (?!address me|call me|answer me)\w+", re.IGNORECASE)
# What is to be noted in another place than memory, and a thing of which nothing is said: "the semicolon", 日志.
ELSEWHERE = re.compile(
    r"(?:\s+(?:of|about|for)\b[^.!?。]{1,60}?)?\s+(?:in|on|to|into)\s+(?:(?:the|our|this|that|my|your|each|every|a)\s+)?(?:\w+\s+)?(?:change ?log|logs?|read ?me|docs?|documentation"
    r"|docstrings?|code|tickets?|issues?|prs?|pull requests?|commits?(?: messages?)?|comments?|release notes|wiki|calendar|spreadsheet|tests?|database|table|header)\b",
    re.IGNORECASE,
)
# A line of a chat that is pasted, with who wrote it; and how many make one.
_CHAT_LINE = re.compile(
    r"\s*(?:\[[^\]\n]{1,20}\]\s*)?(?!我|备注|注意|提醒|另外|还有|重要|附|问题|记|请|今后|以后)(?:[\u4e00-\u9fff]{1,4}|(?!Note|Todo|Ps|Fyi|Remember|Important|Also|Me\b|I\b)[A-Z][a-z]{1,11})\s*[:：]\s*(?=\S)"
)
CHAT_LINES = 2
_PRINTED = re.compile(r"\W*(?:NOTE|WARN(?:ING)?|INFO|HINT|DEBUG|ERROR)\s*:")
_OF_A_VERB = re.compile(r"(?:remember|forget|memori[sz]e|note(?: of)?)$", re.IGNORECASE)
THING = re.compile(
    r"\s+(?:(?:the|an?|your)\s(?![^.!?]*(?:\b(?:is|are|was|were|has|have|had|will|can|must|should|goes|comes|likes?|lives?|works?|starts?|ends?|needs?|costs?|wants?|called|named|said|says)\b"
    r"|['’]s\b|\d|[:=@]))|nothing\b)",
    re.IGNORECASE,
)
THING_ZH = re.compile(r"(?:日志|时间|笔记|账|用时|耗时|bug|问题|报错|错误|步骤|流水)[\s。.!！~～]*$", re.IGNORECASE)
STANDING = re.compile(
    r"\b(?:from (?:now|here|today) on(?:wards)?|always|never|every|whenever|each time|in future|in the future|next time|going forward|any ?time)\b|以后|今后|往后|从今|从现在|每次|每周|每天|一直|永远|长期|下次|下回",
    re.IGNORECASE,
)
HEAD = re.compile(
    r"(?:\s|[:：,，、;；\-—–~“\"「.。!！]|that\b|the fact that\b|of (?=th(?:is|at)\b)|about (?:me|us)\b|about\b(?!,? (?:\d+|half|an? |one|two|three|four|five|six|seven|eight|nine|ten|\w+teen|\w+ty)\b)|the following\b"
    r"|for (?:later|next time|the future|future reference|all future \w+)\b|for (?:good|me)\b(?=\s*[:,.—–-]|\s+that\b)|please\b(?! and\b)|(?:in mind|down|away|bank|permanently)\b(?=\s*[:,.;!—–-]|\s+(?:that|for)\b|\s*$)"
    r"|(?:this|it|these|something)\b(?=\s*(?:[:,.—-]|about))|(?:would|will|could) you\b|is\b(?=\s*:)|in your \w+\b(?=[:,])|so\b(?=,)|i want you to know(?: that)?\b|一下(?!子)|下来(?=[，,：:、\s])|下(?=[，：:])|着(?=[，：:])|了?(?=[，,：:])|了(?=我|咱|公司)"
    r"|[啊哦喔](?!\w{0,2}[，,]?$)|(?:呀|哈|吧|喽|咯|好了?|牢|记)(?=[，,：:、\s]|我|咱|以后|下次|下周|每)"
    r"|(?:这|那)(?:个|条|点|件事|一点|句话?|信息|条信息|件事儿?)(?=[：:，,])|(?:个)?事儿?(?=[，,：:])|以下(?:内容|信息|这些)?(?=[：:，,])|如下(?=[：:，,])|清楚(?=[，：:])|里(?=[，：:])|中(?=[，：:])|去(?=[，：:])|(?:一条|一笔)(?=[，,：:])|条(?=[:：])|点儿?啊?(?=[，：:。]|$)|(?:再)?补一条[,，]?|(?:聊)?之前你得?知道|你得?知道|to(?= address| answer| call)|as a permanent fact(?: please)?\b|somewhere \w+(?=:)|pls\b|->)",
    re.IGNORECASE,
)  # fmt: skip
# What ends a sentence, and the words of politeness that may stand behind a request; they are some only where a mark sets them off.
ENDS = re.compile(r"[\s。.!！?？,，;；~～…]+$")
COURTESY = re.compile(
    r"(?:[,;.!?，。；！？…~～、]|\s[—–-]+)\s*(?:please|pls|plz|ok(?:ay)?|thanks(?: a lot| so much| in advance| again)?|thank you(?: very much| so much)?|thx|cheers|will you|would you|won't you|alright|all right"
    r"|for me|for later|for next time|lol|(?:ha)+|哈|好吗|行吗|可以吗|好不好|行不行|谢谢(?:[你您]|啦|了|哈)?|多谢(?:了|啦)?|拜托(?:[你您]?[了啦])?|麻烦(?:[你您]?[了啦])?|辛苦(?:[你您]?[了啦])|感谢|[你请这都]|这个|帮我|以后)[\s.!?。！？~～…]*$",
    re.IGNORECASE,
)
TAG = re.compile(
    r"(?<![你您我他她它们家都还说问是叫写最不很真太也挺更样])(?:好吗|行吗|可以吗|好不好|行不行)[。？?!！~～\s]*$"
)
# Words that are said by somebody belong to what is told of them.
SAYS = re.compile(
    r"\b(?:say|says|said|saying|writes?|types?|typed|answers?|answered|repl(?:y|ies|ied)|spell(?:s|ed)?|words?|phrase|password|called|titled|named|means?|sign(?:s|ed)? off)\b|[说问讲喊写答称念]|口头禅|回复|密码|暗号",
    re.IGNORECASE,
)
# Behind an instruction that points back: words that close it, or another request.
CLOSING = re.compile(
    r"(?:[\s,.!?;:~…—–-]|(?:please|pls|ok|okay|thanks|thank you|for (?:me|us|later|good|next time|the future|future reference)|in mind|going forward|from now on|will you|would you|this time|somewhere(?: safe)?|forever|always|too|as well|now|then"
    r"|lol|haha|about me|about us|permanently|on (?:file|record)|properly|well|carefully|it|this|that|these|those|all|down|away|safely|so|somehow)\b|[，。！？；、啊哦喔吧哈呀喽咯啦了好哟呢]|一下|下来|好吗|行吗|可以吗|好不好|谢谢|拜托|这[个点条]|这件事|以后|别忘|清楚|[住牢去里]|心里)*",
    re.IGNORECASE,
)
FURTHER = re.compile(
    r"[\s,，。.;；]*(?:(?:(?:that|this|it|these|those|all that)\b(?: down| away)?|down\b|away\b)[\s,，]*(?=and\b|then\b|but\b|also\b|so\b|before\b|after\b)|这(?:个|一?点|条|件事|些)[\s，,、]*)?(?:(?:and|then|but|also|so)\b,? (?!(?:that|i|my|we|our|he|she|they|it|his|her|their|the|also (?:that|my|i))\b)\w|and also can\b|before\b|after that\b|然后|接着|再(?=帮|给|去|把|订|查|写|看)|并且?(?=帮|给|去|把|订|查|写|看)|顺便|另外(?=帮|给|请|能)|之后(?=帮|给|请))",
    re.IGNORECASE,
)
ASKS = re.compile(
    r"^\W*(?:and |so |now |then |also |btw,? )?(?:what|how|why|when|where|which|who|is|are|am|does|do|did|has|have|can|could|would|will|should|shall)\b|吗|呢|什么|怎么|多少|哪|几|谁|能不能|可不可以|是不是",
    re.IGNORECASE,
)
POINTER = re.compile(
    r"(?:下面|以下|上面|以上|刚才)?(?:的)?(?:这|那|我说的|如下|它)?(?:一)?(?:个|条|点|件事|句话?|段话?|些|内容|信息|话|事|几条)*|this|that|it|the following(?: \w+)?|these(?: \w+)?",
    re.IGNORECASE,
)


_LEADING = (
    (
        re.compile(
            rf"(?:^\W{{0,40}}+|[.!?;:,，。！？；：\n—–-]\s*+|\band\s|[”\"])(?:{ASK_EN})(?:{VERB_EN})", re.IGNORECASE
        ),
        NOT_EN,
    ),
    (
        re.compile(
            rf"(?:^\W{{0,40}}+|[。！？；：，,.!?;:、\n\s“\"(（](?![，,\s]))(?:{ASK_ZH})(?:{VERB_ZH})", re.IGNORECASE
        ),
        NOT_ZH,
    ),
)
_TRAILING = (
    (
        re.compile(
            rf"(?P<said>[\s\S]{{6,}}?)[.!;,。，！；—–-]{{1,3}}\s*(?:{ASK_EN})(?:{TO_EN})(?P<more>[^.!?。！？，]{{0,24}})[.!?…\s]*$",
            re.IGNORECASE,
        ),
        NOT_EN,
    ),
    (
        re.compile(
            rf"(?P<said>[\s\S]{{4,}}?)[，,。；;！!、\s]{{1,3}}(?:{ASK_ZH})(?:{VERB_ZH})(?P<more>[^。！!？?，,]{{0,8}})[。！!？?~～…\s]*$",
            re.IGNORECASE,
        ),
        NOT_ZH,
    ),
)
_SENTENCE_END = re.compile(r"[。！？!?](?=[^。！？!?]*\w)|\.\s(?=.*\w)")
_SENTENCE = re.compile(r"(?<=[。！？])(?=.)|(?<=[.!?])\s+")
_QUOTES = {"“": "”", "「": "」", '"': '"'}
LEAST_CHARS, LEAST_SAID = 2, 4
LONGEST = 4000  # characters of a message that are read
TRAILING = 240  # of its end, where an instruction may stand behind what it is about
SLICE_REACH = 800
Span = tuple[int, int]


def asked_to_remember(message: str) -> str:
    """Return what a message asks to have remembered, or "" where it asks for nothing.

    It is a piece of the message's own lines, blanks aside. What belongs to the instruction is left out, never what belongs to its clause.
    """
    text = " ".join(" ".join(_own_lines(message[:LONGEST])).split())
    plain = simplified(text)
    closed, trailing = _trailing(plain)
    found = trailing if closed else _leading(plain) or trailing
    return _unquoted(text[found[0] : found[1]]) if found else ""


def _own_lines(message: str) -> list[str]:
    """Return the lines that neither a program printed nor somebody else wrote: in a chat that is pasted, 浩浩：你存到起 asks another."""
    lines = [line for line in message.split("\n") if not _PRINTED.match(line)]
    named = [_CHAT_LINE.match(line) for line in lines]
    if sum(one is not None for one in named) < CHAT_LINES:
        return lines
    return [line for line, one in zip(lines, named, strict=True) if one is None or not _MAY_ASK.search(line, one.end())]


def asked_at_once(line: str) -> str:
    """Return what a line that begins with an instruction asks to have remembered, "" where it begins with anything else."""
    text = "" if _PRINTED.match(line) else " ".join(line[:LONGEST].split())
    found = _leading(simplified(text), at_once=True)
    return _unquoted(text[found[0] : found[1]]) if found else ""


def _trailing(text: str) -> tuple[bool, Span | None]:
    """Return what an instruction at the end is about, and whether nothing but courtesy stands behind its verb."""
    begin = max(0, len(text) - TRAILING)
    for pattern, doubt in _TRAILING:
        match = pattern.match(text, begin)
        if not match or doubt.search(text[match.end("said") :]) or _is_quoted(text, match.end("said")):
            continue
        closed = CLOSING.fullmatch(match["more"]) is not None
        found = _before(text, match.end("said"))
        if found and (closed or not _is_errand(text, match.start("more")) or _is_worth_it(text, found)):
            return closed, found
    return False, None


def _leading(text: str, *, at_once: bool = False) -> Span | None:
    for pattern, doubt in _LEADING:
        for match in matches_in(pattern, text, SLICE_REACH):
            if at_once and match.start():
                break
            inner = match.groupdict().get("inner") or ""
            within = bool(inner) and not POINTER.fullmatch(inner.strip())
            span = match.span("inner") if within else (match.end(), len(text))
            head = _SENTENCE_END.split(text[: match.end()])[-1]  # what was asked before is another matter
            if doubt.search(head + text[match.end() : match.end() + 16]) or _is_quoted(text, match.start()):
                continue
            before = _before(text, match.start())
            if _is_errand(text, match.end()):
                if before and _is_worth_it(text, before):
                    return before
                continue
            back = not within and (FURTHER.match(text, match.end()) or CLOSING.fullmatch(text, match.end()))
            if back and before:
                return before
            start, stop = _trimmed(text, *span, can="能" in match[0] or "可以" in match[0])
            if stop - start >= LEAST_CHARS and not (back and not before and FURTHER.match(text, match.end())):
                return start, stop
    return None


def _before(text: str, stop: int) -> Span | None:
    """Return what stands before an instruction and is what it points to: not the questions before that."""
    start = 0
    for match in _SENTENCE.finditer(text, 0, stop):
        if text[: match.start()].rstrip()[-1:] in ("?", "？"):
            start = match.end()
    found = _trimmed(text, start, stop)
    asks = text[:stop].rstrip()[-1:] in ("?", "？")
    return found if found[1] - found[0] >= LEAST_SAID and not asks else None


def _is_worth_it(text: str, span: Span) -> bool:
    """Tell whether what is said beside an errand is a fact about somebody, and not about the errand."""
    speaking_for, against = find_cues(fold(text[span[0] : span[1]]))
    return bool(speaking_for) and not against


def _is_errand(text: str, at: int) -> bool:
    """Something to be done once is no memory; something to be done from now on is."""
    if STANDING.search(text):
        return False
    before = text[max(0, at - 12) : at]
    if re.search(r"记得$|忘了?$", before) and HERE.match(text, at):
        return True
    if _OF_A_VERB.search(before) and THING.match(text, at):
        return True
    return any(one.match(text, at) for one in (ERRAND, ELSEWHERE, THING_ZH))


def _is_quoted(text: str, at: int) -> bool:
    """Tell whether a place stands inside quotation marks that hold the words of somebody else."""
    before = text[: at + 1]
    opened = any(before.count(left) > before.count(right) for left, right in ("“”", "「」", "『』", "《》"))
    return opened or before.count('"') % 2 == 1 or bool(re.search(r"(?:^|[\s,:])'[^']*$", before))


def _trimmed(text: str, start: int, stop: int, *, can: bool = False) -> Span:
    """Return a clause without what introduces it, and without courtesy and questions behind it; `can`: it was asked with 能."""
    while (match := HEAD.match(text, start, stop)) and match.end() > start:
        start = match.end()
    stop = max(start, _without_questions(text, start, stop))
    while match := COURTESY.search(text, max(start, stop - 60), stop):
        if _belongs(text, start, match.start()):
            break
        stop = match.start()
    match = TAG.search(text, start, stop)
    if match and match.start() - start >= LEAST_SAID and not SAYS.search(text, start, match.start()):
        stop = match.start()
    stop = _ended(text, start, stop)
    if can and text[start:stop].endswith("吗"):
        stop -= 1
    return start, max(start, stop)


def _without_questions(text: str, start: int, stop: int) -> int:
    """Return where a text ends without the sentences at its end that ask for something else."""
    borders = [start, *(match.end() for match in _SENTENCE.finditer(text, start, stop))]
    while len(borders) > 1:
        last = text[borders[-1] : stop].strip()
        if not (last.endswith(("?", "？")) and ASKS.search(last)) and last:
            break
        if COURTESY.search(text, max(start, borders[-1] - 3), stop):
            break
        stop = borders.pop()
    return stop


def _ended(text: str, start: int, stop: int) -> int:
    match = ENDS.search(text, max(start, stop - 60), stop)
    return match.start() if match else stop


def _belongs(text: str, start: int, at: int) -> bool:
    """Tell whether a word of courtesy is one that somebody says, or the last of a list."""
    clause = text[start:at]
    parts = re.split(r"[,，、;；]", clause)
    listed = len(parts) > 1 and (len(parts[-1].split()) <= 2 and len(parts[-1].strip()) <= 14)
    return SAYS.search(clause) is not None or (
        listed and text[at : at + 1] in (",", "，", "、") and bool(parts[-1].strip())
    )


def _unquoted(said: str) -> str:
    """Return a text without the quotes around it, and without one whose partner was left out."""
    said = said.strip()
    for left, right in _QUOTES.items():
        if (
            said[:1] == left
            and said[-1:] == right
            and len(said) > 2
            and left not in said[1:-1]
            and right not in said[1:-1]
        ):
            return said[1:-1].strip()
        if left != right and said.count(right) > said.count(left) and said[-1:] == right:
            return said[:-1].strip()
    if said.count('"') == 1:
        return said.strip('"').strip()
    return said


# Of a whole message the lines that ask for it.

LEAST_ASKED = 4  # characters of what somebody asks to have remembered
ASKING_LINES = 200  # lines of a message that may ask for it
_MAY_ASK = re.compile(r"remember|note|forget|save|keep|store|memor|record|log|jot|mind|记|忘|存|备|笔", re.IGNORECASE)
# What is told before somebody reminds themselves: 我妈下个月6号回诊，要记得带卡.
_OWN_REMINDER = re.compile(r"[^。！？!?]{8,}[，,\s]我?(?:要|得|可得)?(?:记得|别忘了?|不要忘了?)\s*\Z")
_SENTENCE_ENDED = re.compile(r"[.!?。！？]\s*\S")
_UNMARKED = re.compile(r"```|~~~")


def asked_in(text: str) -> Iterator[str]:
    """Yield what lines of a message ask to have remembered: where a line begins with it, not in code and not quoted."""
    fenced = False
    for line in text.split("\n")[:ASKING_LINES]:
        marked = len(_UNMARKED.findall(line)) % 2 == 1
        fenced = fenced != marked
        if fenced or marked or line.lstrip().startswith((">", '"', "“", "「", "|", "`")) or not _MAY_ASK.search(line):
            continue
        piece = asked_to_remember(line)
        plain = " ".join(line.split())
        at = plain.find(piece) if len(piece) >= LEAST_ASKED else -1
        if at > 0 and not _SENTENCE_ENDED.search(plain[:at]) and _MAY_ASK.search(plain[:at]):
            yield plain if _OWN_REMINDER.match(plain[:at]) else piece


def is_piece_of(text: str, piece: str) -> bool:
    """Tell whether a statement is a piece of what is asked to be remembered, or has it in itself."""
    said = " ".join(text.split())
    return bool(said) and (said in piece or piece in said)
