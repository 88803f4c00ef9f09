"""The words around a phrase of time that say what it is: over or to come, a habit, denied, a beginning, an end.

English time phrases follow their verb (the nearest sign before counts), Chinese ones precede it (the nearest behind).
"""

from __future__ import annotations

from memd.text import expressions as re

_IRREGULAR = (
    "went|was|were|had|did|got|came|saw|met|bought|took|gave|made|said|told|found|left|felt|held|brought|began|broke|built|caught|chose|drew|drank"
    "|drove|ate|fell|flew|forgot|froze|grew|heard|hid|kept|knew|laid|learnt|lent|lost|meant|paid|ran|rode|rose|sang|sat|sent|shook|shot|slept|sold"
    "|spent|spoke|stole|stood|struck|swam|taught|thought|threw|understood|woke|won|wore|wrote|quit|hurt|dealt|dug|dreamt|fought|fed|led|lit|sank"
    "|spilt|spoilt|swept|tore|wept|rang|bit|bled|blew|burnt|bent|became|overslept|withdrew|stuck|hung|rebuilt|rewrote|redid|gone|done|seen|been"
    "|given|taken|written|eaten|fallen|broken|chosen|driven|shown|grown|flown|forgotten|spoken|stolen|wound|sought|swore|ground|shrank|sped|strove"
    "|shed|swung|undertook|overcame|withstood|foresaw|misread|mistook|oversaw|outgrew|arose|awoke|bore|bound|clung|crept|dove|fled|flung|forgave|knelt"
    "|leapt|slid|spun|sprang|stung|stank|strode|swelled|trod|wove"
)
_NO_PAST = (
    "need|feed|seed|speed|bed|red|wed|shed|indeed|hundred|embed|exceed|proceed|succeed|weed|bleed|breed|supposed|interested|excited|med|led|ted|fred|ned"
    "|advanced|limited|united|required|tired|rated|based|unlimited|naked|sacred"
)
_BE = r"(?:am|is|are|be|being|(?<=\w)['’](?:m|re)|(?<=\bit)['’]s|(?<=\bhe)['’]s|(?<=\bshe)['’]s|(?<=\bthat)['’]s|(?<=\bthere)['’]s|gets?|getting)"
# "I've got married, back, round to it": not what somebody has ahead of them.
_NO_HOLDING = r"(?:\w+ed|back|home|here|there|rid|used|over|through|into|in|up|out|round|around|away|down|on|off|better|worse|sick|ill)"
_PARTICIPLE = rf"(?:\w+ed|{_IRREGULAR})"
ENGLISH = re.compile(
    r"(?P<ahead>\b(?:will|won['’]?t|shall|gonna|about\s+to|plan(?:s|ning)?(?:\s+(?:to|for|on))?|intends?|hopes?|hoping|wants?|wanna|needs?|must|should|ought"
    r"|might|may(?!\s+\d)|can|could|would|let['’]s|remind(?:er)?|don['’]?t\s+forget|due|deadline|upcoming|appointments?|(?:decided|agreed|promised|asked|told\s+\w+|chose|arranged|voted|offered|wanted|hoped|meant|got)\s+to\s+\w+|starts|begins|opens|closes|leaves|arrives|departs|ends"
    r"|fl(?:y|ies)|goes|comes|takes\s+place|happens|expects?|expecting|looking\s+forward|remember\s+to|scheduled\s+for|planned\s+for|booked\s+for)\b"
    # As it is typed in a hurry and spoken at home: "im movin", "its the 14th", "goin to Malta".
    r"|\b(?:im|hes|shes|theyre)\s+\w{2,}ing?\b|(?:\A|[,.;!?]\s*|\b(?:and|so|but|then|cos|when)\s+)were\s+\w{2,}in['’]?g?\b|(?:\A|[,;]\s*)(?:going?|off)\s+to\b|\bits(?=\s+(?:on\s+|the\s+)*(?:\Z|\d))"
    rf"|(?<=\w)['’]ll\b|(?<=\w)['’]d\s+(?!(?:been|had|just|already|never|better|rather|{_PARTICIPLE})\b)[a-z]+\b|(?<=\w)['’]s\s+\w{{2,}}ing\b(?:\s+{_PARTICIPLE}\b)?|(?:\b(?:have|has|(?:i|we|they|you|who)ve|hes|shes|whos)|['’]ve|['’]s)\s+got\s+(?:my|our|his|her|their|an?|the|another|two|to)\b|(?:\b(?:i|we|they|you)|['’])ve\s+got\s+(?!{_NO_HOLDING}\b)\w+|\b(?:have|has|['’]ve)\s+(?!been\b|had\b|just\b|already\b|{_PARTICIPLE}\b)|(?:(?<!\w)|(?=['’])){_BE}\b(?:\s+(?:not|also|now|still|already|just|\w+ly))?(?:\s+{_PARTICIPLE}\b)?)"
    rf"|(?P<past>\b(?!(?:{_NO_PAST})\b)\w{{2,}}ed\b|\b(?:{_IRREGULAR}|ago|already|didn['’]?t|wasn['’]?t|weren['’]?t)\b"
    r"|\b(?:I|we|he|she|they|you|doc(?:tor)?|dr|gp|nurse|boss|mum|mom|dad|(?:my|our|the|me)\s+\w+(?<!s)|and\s+\w+)\s+(?:put|set|let|read|cut|hit|shut|split|cast|beat|bet)\b)",
    re.IGNORECASE,
)
ARRANGED = re.compile(
    r"\b(?:re)?(?:booked|scheduled|reserved|arranged|planned|set|moved|postponed|pushed|delayed|extended|slipped|changed|put (?:off|back)|bumped|agreed|tickets?|registered|enrolled|invited|slated"
    r"|fixed|asked for|ordered|requested|demanded|promised|pencill?ed|signed up|appointment|reservation|brought forward|shifted|invitation|decided|settled)\b",
    re.IGNORECASE,
)
# What is on another day than it was, or is settled on one: told before it, though the word is past.
ARRANGES = re.compile(
    r"\b(?:moved|changed|shifted|pushed|bumped|booked|(?:re)?scheduled|switched|confirmed)\s+(?:my|our|your|his|her|their|its|the|an?|it|us|me|[a-z]+['’]s)\b[^.!?;\n]{0,40}\Z"
    r"|\bgot\b[^.!?;\n]{0,24}\b(?:instead|slot|appointment|tickets?|booking|room|venue|gig|show|interview|viewing|flights?|exam|recital|concert|match|audition|check-?up|scan|physio|surgery|operation|wedding|tournament)\b(?!\s+(?:results?|back|done|over|grades?|marks?|photos?|cancell?ed))[^.!?;\n]{0,12}\Z",
    re.IGNORECASE,
)
_HAN_ON = "起(?![来床飞诉初码名身])"  # from then on
HAN_COMES = re.compile(
    r"(?:就|才|要|再)?(?:来上班|来|走|到店|到岗|到|去|回来|入职|上班|报到|开学|开业|出发|交房|搬)(?![了过的])(?=[\s，。！,!]|\Z)"
    r"|(?:我们?|咱们?|他们?|她们?)?就[^，。,\s]{1,8}了(?=[\s，。！,!]|\Z)"
    rf"|(?:份|初|底)?{_HAN_ON}"
)
TOWARDS = re.compile(r"\b(?:for|to|until|till|by|before|moved?\s+(?:it\s+)?on)\s+(?:the\s+)?\Z", re.IGNORECASE)
MOVED = re.compile(
    r"\b(?:moved|postponed|rescheduled|pushed|shifted|changed|delayed|brought forward)\b|改到|改成|改在|推迟到|提前到|延到|延期到|挪到|调到|推到"
)

CHINESE = re.compile(
    r"(?P<ahead>(?<![重主只需不没])要[^，。！？\s]{1,4}了(?=[\s，。！？]|\Z)|(?<![重主只需])要(?![求点是])|需要|(?<![开聚晚大机社年例周议宴的体])会(?![议员场计儿])|将(?!军|就|近)|打算|准备|计划|预定|预计|安排|(?:约|预约|订|预订|定|买|报|报名|请)了|约好|定在|定于|改到|改在|改成|推迟到|提前到|延到|挪到|调到"
    r"|预产期|預產期|(?:入职|报到|复诊|复查|开工|开业|交房|面试|体检)(?!了|的|过|那|时|完|后|查出|检出|发现|结果|报告)|记得|别忘了?|不要忘了?|提醒|到期|截止|必须|得去|即将|马上|希望|想(?!起|到|过|了))"
    r"|(?P<past>(?<![除为不])(?<![说弄搞记写看听算]错)了(?<!改了(?=[^，。]{0,8}[是说到成]))(?![解结不])|咗|(?<=月)里[\u4e00-\u9fff]{1,3}的(?=[\s，,。]|\Z)|(?<=[\u4e00-\u9fff])(?<=家)过的|结束的|(?<![通超不经难家])过(?![年节生去来敏程期得完])|(?:领|结|办|买|生|签|毕|开)的(?=证|婚|车|房|业|合同|孩子|娃|店|刀)|刚刚?(?!好)|已经|已(?!知)|曾|当时|那天|那时|那次"
    r"|(?:见|遇|收|买|看|听|拿|碰|找|想|吃|接|得|学)到|遇见|碰见|看见|听见|查出|检出|确诊|搞定|完成|考上|去世|病逝|离世|出生|毕业于|是(?=[^，。]{1,16}的\Z))"
)

HAN_MOVED = re.compile(
    r"(?<![不没])(?:[要得拖]|改|推迟|提前|延期?|挪|调|推|定|约|订|排|安排)[咗了]?(?:到|成|在|至|于|去)\s*\Z"
)
HAN_SHIFTED = re.compile(r"(?:改|推迟|提前|延期|延后|挪|调|换)了\Z")  # 会挪了，10号开: that it was moved is past

HABIT = re.compile(
    r"\b(?:every|each|always|usually|often|sometimes|typically|generally|normally|regularly|whenever|daily|weekly|monthly|yearly|annually|"
    r"per\s+(?:day|week|month|year)|(?:once|twice|times)\s+an?|(?:mon|tues|wednes|thurs|fri|satur|sun)days|weekends|mornings|afternoons|evenings|nights)\b"
    r"|每|固定|总是|总会|总要|通常|一般|经常|常常|平时|往往|(?<![周期拜月号日])一到|逢|年年|天天|周周|月月|向来",
    re.IGNORECASE,
)
_WEEKDAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_ANY_WEEK = rf"(?:on\s+)?(?:a\s+)?{_WEEKDAY}\b(?!\s+(?:this|next|week|the|\d))"
# A day that is named by what comes with it every week or month: bin day is Tuesday, payday is the 28th, 周二收垃圾.
COMES_AGAIN = re.compile(
    rf"\b(?!(?:moving|wedding|big|due|exam|results?|polling|election|opening|closing|first|last|next|release|launch|court|interview|delivery|match|travel"
    rf"|departure|arrival|graduation)\b)[a-z]+\s+(?:day|night)(?:['’]?s|\s+(?:is|=|falls))\s+{_ANY_WEEK}"
    rf"|\bdays?\s+off(?:['’]?s|\s+(?:is|are))\s+{_ANY_WEEK}"
    rf"|\b(?:bins?|rubbish|trash|garbage|recycling)\b[^.,;]{{0,24}}\b(?:go(?:es)?\s+out|(?:is|are|gets?)\s+(?:collected|emptied|picked\s+up)|collection(?:['’]?s|\s+is))\s+{_ANY_WEEK}"
    r"|\b(?:pay\s?day(?:['’]?s|\s+is)|gets?\s+paid|(?:salary|wages)\s+(?:comes?|arrives?)(?:\s+in)?|(?:rent|mortgage)\s+(?:is\s+)?due)\s+(?:on\s+)?the\s+\d{1,2}(?:st|nd|rd|th)\b(?!\s+of)"
    r"|(?<![上下这本那个\d])(?:周|星期|礼拜)[一二三四五六日天](?:都|才|固定)?(?:是(?:我|他|她|我们|店里|公司)?的?)?(?:休息日?|轮休|公休|闭馆|关门|打烊|赶集|(?:收|倒|扔)垃圾)(?!了|一天|两天|半天|一下)"
    r"|(?:周|星期|礼拜)[一二三四五六日天](?:换|调)成(?:周|星期|礼拜)[一二三四五六日天]|(?:店休|轮休|公休|休息日|例会|周会)[^，。]{0,6}(?:换|改|调|挪)(?:成|到|为)(?:周|星期|礼拜)[一二三四五六日天]|周末才"
    r"|(?:店休|休息|轮休|公休|闭馆|值班|上课|例会|周会)(?:日|时间)?(?:还|照旧|仍旧?|都|固定)*(?:是|在)(?:周|星期|礼拜)[一二三四五六日天]"
    r"|(?:休息|公休|轮休|垃圾|赶集|发薪|会员|闭馆)日(?:是|在)(?:周|星期|礼拜)[一二三四五六日天]|(?:发工资|发薪日?|工资|交?房租|还房贷|还信用卡)(?:都?是|在)?\d{1,2}[号日](?!了)|(?<![月\d])\d{1,2}[号日](?:发工资|发薪|交房租|还房贷|还信用卡)(?!了)",
    re.IGNORECASE,
)
# What opens, works or is taught from one weekday to another does so every week.
HOURS = re.compile(
    r"\b(?:works?|working|opens?|open|hours|available|shifts?|commutes?|classes|lectures)\b|上班|营业|开门|上课|工作|值班|办公|开放|坐诊|门诊|限行|出诊",
    re.IGNORECASE,
)
# 刚才说的, "what I said just now": of the words, not of what they tell.
OF_WORDS = re.compile(r"\s*(?:我|你|咱们?)?(?:跟你|和你|对你)?(?:说|讲|提|写|问)")
WEEKDAYS = re.compile(rf"{_WEEKDAY}\b|周|星期|礼拜", re.IGNORECASE)
# Two days of the week without a word for the past: 只在周二和周四看邮件; and a weekend of who earns by it: 周末在奶茶店兼职, "I do a
# Sunday shift at the pub".
OF_EVERY_WEEK = re.compile(
    r"(?:周|星期|礼拜)[一二三四五六日天][和、与及跟](?:周|星期|礼拜)?[一二三四五六日天]|[只仅]在(?:周|星期|礼拜)"
    rf"|(?<![这下本上个])周末[^，。]{{0,10}}(?:兼职|打工)|\b(?:do|does|work|works|have|has)\s+(?:a|the|my|his|her)\s+{_WEEKDAY}\s+(?:\w+\s+)?(?:shift|job|stall|class)\b",
    re.IGNORECASE,
)
# Three of them in a row are those of every week: "Friday, Saturday, Sunday, one till half eight", 周一、三、五.
IN_A_ROW = re.compile(
    rf"\b{_WEEKDAY}s?\b(?:\W+(?:and\s+)?{_WEEKDAY}s?\b){{2}}(?!\s+(?:this|next|last|of)\b)|(?:周|星期|礼拜)[一二三四五六日天](?:[、，和及](?:周|星期|礼拜)?[一二三四五六日天]){{2}}",
    re.IGNORECASE,
)
SEASON = re.compile(r"(?:early |late )?(?:spring|summer|autumn|fall|winter)\Z|[春夏秋冬][天季]\Z", re.IGNORECASE)
INTENDED = re.compile(
    r"\b(?:will|won['’]t|going\s+to|gonna|plan(?:s|ning|ned)?|want|hope|due)\b|['’]ll\b|打算|准备|计划|预计|要|将",
    re.IGNORECASE,
)
HABIT_BEFORE = re.compile(
    r"\b(?:every|each|any|most|of\s+an?)\s+(?:other\s+|single\s+)?\Z|(?:每|逢)(?:个|年|到|逢|月|年的|个月)*的?\Z",
    re.IGNORECASE,
)
TASTE = re.compile(
    r"\b(?:likes?|loves?|hates?|prefers?|enjoys?|favou?rite|dislikes?)\b|喜欢|最爱|讨厌|偏爱|热爱|不爱", re.IGNORECASE
)
YEARLY = re.compile(
    r"\b(?:birthday|anniversary|born|name\s+day|celebrates?)\b|生日|纪念日|出生|诞辰|忌日|生于", re.IGNORECASE
)
ONCE = re.compile(
    r"\b(?:party|dinner|trip|lunch|celebration|gathering|present|gift|(?:off|going?|away|fly(?:ing?)?|travel+ing?|driving?)\s+to)\b|聚会|派对|聚餐|吃饭|宴|礼物",
    re.IGNORECASE,
)
# With its apostrophe, or as it is typed in a hurry: "can't", "cant".
_NOT = r"\b(?:is|are|was|were|do|does|did|wo|ca|could|have|has|had|would|should)n['’]?t\b"
DENIED = re.compile(
    rf"(?!\bdon['’]?t\s+(?:let\s+\w+\s+)?forget){_NOT}"
    r"|\b(?:cannot|never(?!\s+forget)|no\s+longer|not(?!\s+(?:only|just|until|till|forget|long|far))|neither|nor|without)\b"
    r"|没(?!问题|想到|忘)|不(?!过|久|错|好意思|仅|但|光|管|要忘|忘|少|同|断|禁)|别(?!忘|人|的|墅)|并非|取消不了",
    re.IGNORECASE,
)
DENIES = re.compile(
    rf"(?:\bnot|{_NOT}|\bnever|\brather\s+than|\binstead\s+of)\s+(?:be\s+)?(?:(?:on|in|at|for|by|the|this)\s+)*\Z|(?:不是|并非|不在|不会在|唔(?:系|係|喺))\s*\Z",
    re.IGNORECASE,
)
FORGET = re.compile(
    r"\b(?:don['’]?t|do\s+not|never|not)\s+(?:let\s+\w+\s+)?forget\b|(?:别|不要|不能|千万别)忘", re.IGNORECASE
)
NOT_UNTIL = re.compile(rf"(?:\bnot\b|{_NOT})[^.,;]{{0,60}}\b(?:until|till|before)\s+(?:the\s+)?\Z", re.IGNORECASE)
SUPPOSED = re.compile(
    r"\b(?:if|unless|suppose|wish|(?:would|could|should|might)(?:n['’]t)?\s+have|imagine|what\s+if)\b"
    r"|如果|要是|假如|假设|万一|除非|倘若|的话|本来应该|本该",
    re.IGNORECASE,
)

SINCE = re.compile(
    r"(?:\bsince|\bstarting(?:\s+(?:from|on|in|with))?|\bbeginning(?:\s+(?:on|in|with))?|\bas\s+of|\beffective(?:\s+from)?)"
    r"\s+(?:(?:about|around|the|on|in)\s+)*\Z",
    re.IGNORECASE,
)
STARTING = re.compile(r"\b(?:starting|beginning|effective|as)\b[^.,;]*\Z", re.IGNORECASE)
# What will be so from a time on: "the rent goes up from January"; not where something comes from: "the invoice from January".
FROM_AHEAD = re.compile(
    r"\b(?:goes?|going|rises?|rising|will|starts?|starting|changes?|changing|becomes?|moves?|moving|works?|working|opens?|closes?|costs?|pays?|paying|live|stay|staying|teach\w*|study\w*|be)\b|\w['’]ll\b|\b(?:i['’]?m|we['’]?re|(?:is|are|am)) (?:on|off|in|at|with|going|paying|working|closed|open|back|away|free|available|part-time|full-time|\w+ing (?:to|for|in|at))\b",
    re.IGNORECASE,
)
FROM_NOUN = re.compile(
    r"\b(?:invoices?|photos?|pictures?|e-?mails?|letters?|notes?|reports?|figures|numbers|statements?|bills?|minutes|messages?|data|logs?|ones?|those|that|away|back|off|moved|pushed|postponed|changed|shifted|switched)\s+from\s+(?:the\s+)?\Z",
    re.IGNORECASE,
)
HAN_FROM_NOW = re.compile(
    r"(?:份|初|底)?起(?:[^，。了过没]*(?:改|换|要|将|会|涨|降|满|不再|统一|一律)|(?:我们?|他|她|店里)?不[^，。过没就]{1,6}了)"
)  # 从元旦起改成六点开门
FOR_SO_LONG = re.compile(
    r"\bfor\s+(?:a\s+couple\s+of|a\s+few|about|only|just)?\s*(?:\d+|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fourteen|several|few)\s+(?:nights|mornings|afternoons|evenings|weekends)\b",
    re.IGNORECASE,
)
FROM, ONWARDS = (
    re.compile(r"(?P<first>(?:\A|[.!?;,\n])\s*)?\bfrom\s+(?:the\s+)?\Z", re.IGNORECASE),
    re.compile(r"\s*(?:on\b(?!\s+the)|onwards?\b|forward\b)", re.IGNORECASE),
)
HAN_FROM, HAN_EVER = re.compile(r"(?:从|自从?|打从?)\Z"), re.compile(r"自从\Z")
HAN_SINCE = re.compile(rf"(?:份|初|底)?(?:以来|至今|到现在|{_HAN_ON})")
# 三月份开始吱吱响: the last March, and ever since
HAN_BEGAN = re.compile(rf"(?:份|初|底)?(?:就?开始|{_HAN_ON})")
HAN_FROM_NOT = re.compile(r"(?:的|到|至|回|来|改|推|提前|延|挪|调|换)")
UNTIL = re.compile(
    r"\b(?P<whole>through|thru|up\s+to\s+and\s+including|(?:until|till|to)\s+the\s+end\s+of)\s+(?:the\s+)?\Z"
    r"|(?:\b(?:until|till|up\s+to|valid\s+to)|['’]til)\s+(?:the\s+)?\Z",
    re.IGNORECASE,
)
END_OF = re.compile(r"(?:the\s+)?end\s+of\b", re.IGNORECASE)
HAN_UNTIL = re.compile(
    r"(?:直到|一直到|一直|持续到|撑到|熬到|延续到|有效期[到至]|有效[到至]|截至|截止到?|(?:租|住|待|呆|休|放|假|差|干|做|读|用|合同|租约|签|开|停|忙|留|工作|交|付|缴|排|续|展|延)[到至])\Z"
)
HAN_TO, HAN_ENDS = re.compile(r"[到至]\Z"), re.compile(r"\s*(?:为止|止(?!痛|血|步))")
LATELY = re.compile(r"the\s+(?:last|past)|过去|最近|近|这(?=[一二两三四五六七八九十几半\d])", re.IGNORECASE)
STILL = re.compile(r"\b(?:have|has)\b|['’]ve\b|['’]s\s+been\b|一直|都在|始终", re.IGNORECASE)

CORRECTION = re.compile(
    r"\b(?:not|n['’]t|actually|correction|rather|instead|wrong|mistake|moved|postponed|rescheduled|changed)\b|n['’]t\b|不是|其实|更正|纠正|说错|记错|搞错|改|推迟|提前",
    re.IGNORECASE,
)
TELLING = re.compile(
    r"\b(?:decided|agreed|said|says|told|announced|heard|learn(?:ed|t)|found\s+out|confirmed|(?:re)?booked|(?:re)?scheduled|moved(?!\s+(?:here|there|in|out|away|back|house|flats?|apartments?)\b)|postponed|planned|promised"
    r"|arranged|reserved|ordered|called|emailed|wrote|asked|reminded|registered|signed\s+up|bought|got|received|invited)\b"
    r"|决定|商定|说|约|预订|订|定|通知|告诉|确认|计划|安排|改到|推迟|答应|报名|买|听说|收到",
    re.IGNORECASE,
)
ERRAND = re.compile(
    r"\b(?:meetings?|stand-?up|calls?|deadline|due|reminder|remind|pick\s+up|drop\s+off|deliver(?:y|ed|s)|haircut|errand|reservation|hand\s+in|submit|return\s+the|renew)\b"
    r"|开会|会议|例会|电话|截止|到期|提醒|取快递|快递|送货|理发|交(?:房租|作业|报告|材料|水电)|还书|续费",
    re.IGNORECASE,
)
