"""Signs in a text that tell what kind of statement it is, in English and Chinese.

Each cue is a name, the importance it stands for (0 to 10), and a pattern over the folded text. Cues above 5 speak for
keeping; those below speak against, and are strong: a question about an allergy is still a question.
The patterns name forms of speech, not subjects, so that they carry over to texts nobody has seen.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from memd.engine.keep.anywhere import Anywhere, anywhere
from memd.model.memory import READ_CHARS


class Cue(NamedTuple):
    """One sign: its name, the importance it stands for, and what it looks like."""

    name: str
    importance: float
    pattern: Anywhere


def _cue(name: str, importance: float, *patterns: str) -> Cue:
    return Cue(name, importance, anywhere(*patterns, flags=re.MULTILINE))


FOR = (
    _cue(
        "a health matter",
        9.5,
        r"\ballerg|\bintoleran|\bdiabet|\basthma|\bepilep|\bc(?:o)?eliac|\bdeaf\b|\bblind|\bpregnan|\bdiagnos|\bmigraine|\bseizure|\bcancer\b|\bchemo|\bdialysis|\bpacemaker|\binsulin|\binhaler",
        r"\bsurgery\b|\bmedication\b|\b(?:doctor|physio\w*|dentist|specialist|surgeon|nurse|therapist|gp) (?:said|says|told)\b|\bcan(?:'|no)?t (?:take|eat|have)\b|\bdisabilit|\bhearing aid|\bwheelchair|\bblood (?:type|pressure|thinner|sugar)",
        r"\bheart (?:attack|condition|failure|murmur|disease)|\bthyroid|\barthritis|\bgout\b|\ban(?:a)?emi|\bbipolar|\badhd\b|\bautis|\bdyslexi|\binsomnia|\bsciatica|\bhernia|\btransplant|\bprosthe|\btinnitus|\bvertigo",
        r"\bhepatitis|\blactose|\bgluten|\bpeanuts?\b|\bshellfish|\bpenicillin|\bibuprofen|\baspirin|\bantibiotic|\bprescri|\bphobia|\bpanic attack|\bdepression\b|\bcolou?r-?blind|\bglaucoma|\bcataract|\breflux|\bulcer|\bmeniscus|\bligament|\bfractur|\bsprain|\btorn\b|\bblood test|\b\d+ ?mg\b|\bkidney|\binjur",
        r"过敏|不耐受|糖尿病|高血压|低血糖|哮喘|癫痫|确诊|医生(?:说|让|叮嘱)|手术|怀孕|失眠|恐惧症?|聋|失明|色盲|色弱|不能吃|服药|忌口|呼吸机|缺乏症|起搏器|胰岛素|助听器|轮椅|偏头痛|癌|化疗|透析|中风|心脏病|血型",
        r"血糖|甲状腺|关节炎|痛风|贫血|抑郁|焦虑症|多动症|自闭|阅读障碍|椎间盘|支架|移植|乙肝|肾病|胃病|乳糖|麸质|义肢|白内障|青光眼|耳鸣|眩晕|头孢|青霉素|阿司匹林|布洛芬|处方|湿疹|鼻炎|慢性|戒(?:酒|烟|糖)|血压|膝盖|韧带|半月板|骨折|扭伤|水肿|停药|换药|降压|毫克|复查|住院",
    ),
    _cue(
        "a correction",
        9.0,
        r"\bcorrection\b|^(?:no|wait|actually)\b[,， ]|\bi (?:told you wrong|misspoke|was wrong)|\bnot the \w+|\byou keep (?:saying|calling)",
        r"(?:isn't|is not|wasn't) \w+[,;.] (?:it's|it is|we)|\bspelled\b|\bno longer\b|\binstead of what\b",
        r"^(?:不对|不是|更正|纠正)|更正|说错|记错|写错|改一下|不再是|别再|，不是.{1,14}$|换人了",
    ),
    _cue(
        "a standing rule",
        9.0,
        r"\bfrom now on\b|\balways\b|\bnever\b|\bwhenever\b|\bevery time\b|\bask (?:me )?(?:first|before)|\bdo(?:n't| not) ever\b",
        r"^when(?:ever)? i \w{1,40}.{0,200}, |^(?:please )?(?:keep|use|write|answer|reply|start|convert)\b.*\b(?:unless|only|without)\b",
        r"(?<![岁月日号年周天点时])以后|从现在起|从今以后|每次|一律|必须|禁止|不许|不允许|绝不|绝对不|永远不|规矩|之前(?:必须|要)?先|先.{1,12}再|默认",
    ),
    _cue(
        "a decision",
        9.0,
        r"\b(?:decided|settled on|we(?:'re| are) (?:going with|using)|going with|chose|agreed (?:to|on|with)|switched (?:to|from))\b",
        r"\bwill (?:not )?(?:drop|use|move|stop)\b|\binstead of\b",
        r"决定|拍板|商定|定了|选定|敲定|说好|改用|换成|不用.{1,10}了|约定|投票|想清楚了",
    ),
    _cue(
        "a commitment",
        9.0,
        r"\b(?:promised|committed|deadline|due (?:on|by)|booked for|appointment|expires? (?:on|in)|owe[sd]?)\b|\bopens? on\b|\bbefore the end of\b",
        r"\b(?:by|on|before) (?:\d{1,2} )?(?:january|february|march|april|may|june|july|august|september|october|november|december)\b",
        r"答应|承诺|截止|到期|期限|之前(?:必须|要|得)?交|约在|预约|还清|逾期|最迟|\d{1,2}\s*月\s*\d{0,2}\s*[日号]?前",
    ),
    _cue(
        "who somebody is",
        8.5,
        r"\bmy name is\b|\bi(?:'m| am) (?:a|an|the|\d{1,2}|from|left|right)\b|\bi(?:'ve| have) been (?:a|an)\b|\bi live in\b|\bi work (?:as|at|for|in)\b",
        r"\bcall me\b|\bpronouns?\b|\bthey/them\b|\bshe/her\b|\bmy time zone\b|\bborn (?:in|on)\b|\bcalls me\b",
        r"我(?:的名字)?叫|我是(?:一[名个位]|聋|左|做)|本人|我住|我在.{1,10}(?:工作|上班|做|教|读)|我姓|我今年|岁|我人在|时区|生日",
    ),
    _cue(
        "somebody close",
        8.5,
        r"\bmy (?:\w+ )?(?:wife|husband|partner|son|daughter|sister|brother|mother|father|boss|manager|supervisor|co-?founder|friend|neighbou?r|aunt|uncle|teacher|dentist|doctor|cat|dog)(?:'s)?\b.{0,40}\b(?:is|are|was|has|called|named|works|lives|answers)\b",
        r"\b(?:is|are) my (?:\w+ )?(?:wife|husband|partner|boss|manager|supervisor|co-?founder|friend|mentor|landlord)\b|\bnext door\b|\bspare key\b",
        r"我(?:的)?(?:老婆|老公|妻子|丈夫|爱人|儿子|女儿|孩子|妈|爸|母亲|父亲|姐|妹|哥|弟|老板|导师|师父|领导|朋友|同事|邻居)|"
        r"[小大]?[姨姑舅叔婶].{0,4}是|导师是|监护人|备用钥匙|(?:猫|狗)叫",
    ),
    _cue(
        "a preference",
        8.5,
        r"\bi(?:'d| would)? (?:prefer|like|love|hate|dislike|can't stand|do(?:n't| not) (?:drink|eat|like|follow|want))\b|\bfavou?rite\b|\bi only\b|\bi (?:always )?take the\b",
        r"\bplease (?:don't|do not|use|keep|avoid)\b|\bleave .{1,30} out\b|^keep your\b|^when you \w+ .{0,40}(?:,|to me)",
        r"我(?:更|最|只|不太|不)?(?:喜欢|爱|讨厌|偏好|习惯|坐|吃|喝|要)|我不(?:吃|喝|用)|不要用|别用|请用|避开|用户(?:喜欢|偏好|讨厌|习惯)|看不清|先打个比方|列出来",
    ),
    _cue(
        "a verified finding",
        8.5,
        r"\broot cause\b|\bverified\b|\bconfirmed\b|\bbisect|\bfix(?:ed|es) (?:it|by)\b|\b(?:load|soil|lab|scan|test|audit)\b.{0,30}\b(?:result|finished|from the lab)",
        r"\bpinning\b|\bsaturates\b|\brecommendation is\b|\bcauses? (?:was|is)\b",
        r"根因|已验证|已确认|定位(?:完成|到)|结论|瓶颈|检测[:：]|压测|扫描完成|由.{1,20}引入|主因",
    ),
    _cue(
        "how a project stands",
        8.0,
        r"\b(?:our|the) (?:\w+[ -]){0,3}(?:project|repo|repository|monorepo|cluster|database|server|api|app|team|release|branch(?:es)?|production|staging|tests?|pipeline|build)(?:'s)?\b.{0,60}\b(?:is|are|was|needs?|runs?|builds?|uses?|has|have|only|named|told)\b",
        r"^production runs\b|\bmerge rights\b|\bruns? (?:on|in) \S+ only\b",
        r"(?:我们|咱们|本|该|我的)(?:的|组|团队|公司|项目|代码|仓库|数据库|服务器|集群|产品|网站)|项目.{0,12}(?:用|只能|需要|是)|统一用|迭代|编译|分支",
    ),
)

AGAINST = (
    _cue(
        "a question",
        2.0,
        r"[?？]\s*$|^(?:how|what|why|when|where|who|which|could you|can you|do you|does|is there|would you)\b[^.!]*$",
        r"(?:什么|怎么|为什么|哪里|哪个|多少|吗|呢|如何|该听谁的)[^，。！]{0,12}[?？]?\s*$|^(?:请问|想请教)",
    ),
    _cue(
        "thanks or praise",
        1.5,
        r"^(?:ok(?:ay)? )?(?:great |perfect,? |nice )*(?:thanks|thank you|thx|ty|cheers)\b|\bthank you so much\b|\blifesaver\b|\breally appreciate\b|^ok great\b",
        r"^(?:真的)?(?:非常|太)?(?:谢谢|感谢|多谢)|感谢感谢|辛苦啦|辛苦了|^3q|祝你一切顺利|就是这个效果",
    ),
    _cue(
        "small talk",
        1.5,
        r"^(?:good )?(?:morning|evening|afternoon|hello|hi|hey)\b[!,. ]|^happy \w+day\b|\bweekend\b.{0,10}$|^(?:nice|great|ok),? sounds good|^haha",
        r"^(?:早啊|早安|早上好|晚上好|你好|嗨|哈喽|嗯+|哎呀|哈哈)|吃了没|挺好。?$|今天可?真[冷热]",
    ),
    _cue(
        "a passing state",
        1.5,
        r"\bright now\b|\bgive me a (?:minute|sec)|^(?:currently|just got|brb)\b|\bjust (?:ran|got|went|came)\b|\bback in (?:a|\d+)|\bone moment\b|\bhang on\b",
        r"等(?:会儿?|下|一下)(?:再)?(?:说|ping|回|聊)|正在(?!使用|考虑|学)|我现在(?:有点|在)|先去|信号不好|稍等|马上回",
    ),
    _cue(
        "a hypothesis",
        2.0,
        r"^(?:suppose|imagine|what if|let(?:'s| us) say|assume|pretend|hypothetically)\b|\bfor the sake of argument\b|(?<!\bas )\bif i (?:(?:ever )?(?:won|were|had|was)|ever (?:win|get rich|retire|become|buy|make it))\b|\b(?:let['’]?s|we can|just) pretend\b|\bpretend(?:ing)? (?:that )?(?:i|we|you)\b",
        r"^(?:假设|假如|如果当初|要是|打个比方|比方说|设想|万一)|就当我|会是什么样|假装我",
    ),
    _cue(
        "a story",
        2.0,
        r"\bin (?:the|a|this|that|my) (?:novel|book|film|movie|show|series|game|story|podcast|episode|manga|anime|comic) (?:i['’]m|i am|i was|we['’]re|that i|about|where)\b|\bthe (?:heroine|hero|protagonist|villain|main character|narrator)\b",
        r"(?:小说|电影|电视剧|剧|漫画|动漫|游戏|故事|书)里(?:面)?(?:的|，|那个|有个|说)|[男女]主角?(?!持)|主人公",
    ),
    _cue(
        "a joke",
        2.0,
        r"^why do(?:es)? .{0,80}\? because\b|\bjust kidding\b|\bjoking\b|\bpun intended\b",
        r"为什么.{1,40}？因为|开玩笑|说笑|段子",
    ),
    _cue("a laugh", 2.0, r"\blol\b|\bhaha", r"哈哈"),
    _cue(
        "a guess",
        2.0,
        r"\b(?:probably|perhaps|maybe|i suspect|i guess|it (?:looks|seems) like|might be|could be|judging by|seemed)\b",
        r"可能|也许|大概(?!\s*[\d一二三四五六七八九十百千万两几半])|感觉用户|纯属猜测|估计|似乎|应该是|我还没查|猜",
    ),
    _cue(
        "debugging noise",
        1.5,
        r"\[(?:debug|trace|info|调试)\]|console\.log|\bprint\(|\bheartbeat\b|\btried (?:again|with)\b|\b(?:x|y|i|len|flag) ?(?:\(\w+\))? ?= ?\w+, |no change\b",
        r"加了(?:个|一行)(?:print|打印|日志)|打印 ?\d|重跑|还是一样|临时变量|心跳正常|看看有没有",
    ),
    _cue(
        "a stack trace",
        1.0,
        r"traceback \(most recent|^[ \t]{0,20}at \S{1,200} ?\(.{0,200}:\d+|\bexception\b.{0,200}\bat\b|stack trace|panicked at|^[ \t]{1,20}file \"|uncaught \w*error|\bnullpointer",
        r"fatal error|\b\w+error: ",
    ),
    _cue(
        "passing tool output",
        1.5,
        r"^total \d+|^总计 \d+|\badded \d+ packages|nothing to commit|^http/\d|^on branch|drwx|-rw-r--|\bbuilt in \d|\b100% ?\b.{0,30}/s|^[ \t]{0,20}\d+ passing",
        r"已安装 \d+|无文件要提交|下载完成|位于分支|剩余 \d|用时 \d+|无 warning",
    ),
    _cue(
        "an instruction file",
        1.5,
        r"\b(?:agents|soul|memory|user|claude|gemini)\.md\b|\bsystem prompt\b|^you are \w+, an?\b|available tools|session started\b|loaded user",
        r"系统提示|启动时先读|已加载|可以使用.{0,20}工具|我会遵守",
    ),
    _cue(
        "recalled memory",
        1.0,
        r"<recalled|relevant memories|from memory i|\bmemory_search\(|search\(.{0,200}(?:results|返回)|retrieved:|\(score \d|\"score\" ?:",
        r"从记忆中|相关记忆|记忆开始|记忆结束|角色记忆|常驻记忆|检索到",
    ),
    _cue(
        "vague",
        2.5,
        r"\bsomehow\b|\ba bit more\b|\bi do(?:n't| not) know\b|\byou know\b[.?!]*$|\bvarious (?:topics|things)\b|\bmany (?:relevant )?aspects\b|\bsome things\b|\bwent well\b",
        r"说不好|怪怪的|你看着[弄办]|很多方面|若干|整体上|总之",
    ),
)


def find_cues(folded: str) -> tuple[list[Cue], list[Cue]]:
    """Return the cues that speak for keeping and those that speak against, strongest first."""
    folded = folded[:READ_CHARS]
    speaking_for = sorted((cue for cue in FOR if cue.pattern.search(folded)), key=lambda cue: -cue.importance)
    against = sorted((cue for cue in AGAINST if cue.pattern.search(folded)), key=lambda cue: cue.importance)
    return speaking_for, against
