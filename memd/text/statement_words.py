"""The words by which borders.py sees where a statement ends: subjects that begin anew, words that lean, ask, order and greet.

Every pattern is matched at a place or in a window of some hundred characters; none begins in more than one way at a
place without an end that is near, so that all of them are linear.

Source
    Own lists.
"""

from __future__ import annotations

from memd.text import expressions as re
from memd.text.characters import CJK

VERB = (
    r"(?:am|is|are|was|were|has|have|had|do|does|did|can|could|will|would|should|must|may|might|shall|cannot|ain['’]t"
    r"|(?:can|wo|is|are|was|were|has|have|had|do|does|did|could|would|should|must)n?['’]?t|goes|go|gets?|got|likes?|liked"
    r"|loves?|hates?|lives?|works?|prefers?|owns?|speaks?|drives?|plays?|uses?|wants?|needs?|keeps?|kept|runs?|ran|takes?|took"
    r"|makes?|made|eats?|ate|drinks?|sleeps?|says?|said|tells?|told|thinks?|knows?|starts?|ends?|closes?|opens?|meets?|met"
    r"|moves?|turns?|teaches|taught|studies|dies|left|leaves?|bought|buys?|sold|sells?|broke|comes?|came|went|costs?|expires?"
    r"|retires?|calls?|lost|found|gave|gives?|sees?|saw|feels?|felt|leaks?|lies|sits?|stands?|wears?|wakes?|woke|[a-z]{2,12}ed)"
)
VERBS = re.compile(rf"\b{VERB}\b|\w['’](?:m|re|ve|s|ll|d)\b", re.IGNORECASE)
_AUX = (
    r"(?:do|does|did|is|are|was|were|can|could|should|shall|would|will|have|has|had|am|may|might"
    r"|(?:is|are|was|were|do|does|did|ca|could|wo|would|should|has|have)n['’]?t)"
)
_WHOM = r"(?:i|you|u|we|he|she|it|they|there|anyone|anybody|someone|somebody|everyone)"
_WHAT = r"(?:this|that|these|those|my|your|our|the|any)"
_MY = r"(?:(?:both|all|one|some|two|three|most)\s+(?:of\s+)?)?(?:my|our)"
OWN_EN = (
    r"(?:i['’](?:m|ve|d|ll)|im|ive|i\s+(?!and\b|or\b|who\b)[a-z’']{1,20}|we['’](?:re|ve|d|ll)|we\s+(?!and\b|or\b|who\b)[a-z’']{1,20}"
    rf"|{_MY}(?:\s+[\w'’-]{{1,24}}){{1,5}}?(?:['’]s\s+|\s+{VERB}\b)"
    rf"|(?:the\s+)?user(?:['’]s(?:\s+[\w'’-]{{1,24}}){{1,4}}?\s+{VERB}|\s+(?:{VERB}|[a-z]{{2,16}}s))\b)"
)
_NAME = rf"(?-i:[A-Z][\w’'-]{{1,24}}(?:\s+[A-Z][\w’'-]{{1,24}})?)\s+(?!(?:do|have|am|are|were)\b){VERB}\b"
KIN_ZH = (
    "老婆|老公|爱人|媳妇|妻子|丈夫|太太|先生|儿子|女儿|闺女|孩子|娃|爸|妈|父亲|母亲|父母|爷爷|奶奶|外公|外婆|姥姥|姥爷|哥|姐|弟|妹"
    "|男朋友|女朋友|男友|女友|对象|老板|领导|同事|公司|团队|导师|老师|医生|大夫|室友|房东|邻居"
)
_TIME_ZH = (
    r"(?:从?(?:今天|明天|后天|昨天|昨晚|今晚|前天|今年|明年|去年|前年|这周|下周|上周|这个月|下个月|上个月|最近|现在|目前|平时|周末|早上|晚上|中午"
    r"|下午|上午|以前|从前|小时候|以后|刚才|刚刚|周[一二三四五六日天]|星期[一二三四五六日天]|\d{1,2}月(?:\d{1,2}[号日])?)[起开始]{0,3}){0,2}"
)
OWN_ZH = (
    rf"(?:{_TIME_ZH}(?:我(?!的天|靠|去[，。！])|咱|俺|本人|用户|(?:{KIN_ZH})(?![们者的]?[，。]))[^，。！？；,.\s]{{2}}"
    rf"|(?:帮我|给我)?(?:提醒)我[^，。]{{4}})"
)

# --- what stands before a statement and says nothing of it: marks of a list, words of going on and of hesitating

MARKER = re.compile(
    r"[ \t]*+(?:(?:[-*+•·‣◦–—]|\[[ xX]\]|\d{1,3}[.)]|[a-zA-Z][.)])[ \t]++(?:\[[ xX]\][ \t]++)?"
    r"|(?:[（(]?(?:\d{1,3}|[一二三四五六七八九十]{1,3})[）)、．]|第[一二三四五六七八九十]{1,3}[，、,：:]|[①-⑳•·])[ \t]*+)"
)
_BEFORE_OWN = (
    r"(?=[ \t]*[,…:]|\s+(?:i\b|i['’]|im\b|ive\b|my\b|we\b|we['’]|our\b|both my\b|the user\b|user\b|um+\b|uh+\b"
    rf"|so\b|and\b|but\b|what\b|how\b|where\b|who\b|can (?:you|u|i|we)\b|could (?:you|i|we)\b|do (?:you|i)\b|please\b|by the way\b|btw\b|help me\b|{_AUX}\s+{_WHOM}\b|(?-i:[A-Z])))"
)
_GAP = r"[\s,，:：、…—–]*+"
_BEFORE_ZH = r"(?=[，,：:、…\s]|我|用户|咱|你能|你可|能不能|可不可以|帮我|请问)"
LEAD = re.compile(
    r"(?:(?:(?:and|but|also|btw|by the way|um+|uh+|erm*|hmm+|fyi|anyway|anyways|besides|moreover|furthermore|additionally"
    r"|in addition|just so you know|one more thing|another thing)\b(?!['’-])"
    rf"|(?:so|plus|well|oh|ah|ok|okay|yeah|yep|yes|no|right|alright|now|look|listen|like|actually|basically|i mean|you know|honestly|then)\b{_BEFORE_OWN}"
    r"|而且|并且|但是|不过|此外|对了|另外|顺便(?:说|提|讲)(?:一下|一句|一嘴|句)?|补充一?[点下]|说起来|话说|嗯+|呃+|额(?=[，,\s…])|哎呀|唉|哦|噢|哎"
    rf"|(?:但|还有|同时|顺便|再说|那个|啊|就是|就是说|然后|所以|那|其实|反正){_BEFORE_ZH})"
    rf"{_GAP})++",
    re.IGNORECASE,
)
LISTED = re.compile(
    r"(?:also|plus|btw|by the way|besides|moreover|furthermore|additionally|in addition|one more thing|another thing)\b[\s,:]*(?=[a-z]+\s+[a-z'’]+\s+[a-z])"
    r"|(?:另外|此外|对了|顺便(?:说|提|讲)(?:一下|一句|一嘴|句)?|补充一?[点下])[，,：:\s]*+(?=[^，。！？,.!?\s]{4})",
    re.IGNORECASE,
)
JOINS = re.compile(r"(?:and|but|so|plus|also)\b|而且|并且|但|不过|另外|还有|此外|同时|所以", re.IGNORECASE)
SO = re.compile(r"(?:so)\b|所以|然后", re.IGNORECASE)
OWN_START = re.compile(r"(?:i|i['’]m|my|we|our)\b|我|用户", re.IGNORECASE)
CAUSE = re.compile(
    rf"(?:since|because|as|given that|cos|cuz)\s+(?={OWN_EN})|(?:因为|由于|既然)(?=我|用户|{KIN_ZH})", re.IGNORECASE
)
ONWARD = re.compile(
    r"(?:and|but|also|plus|btw|by the way|um+|uh+|anyway|oh|so)\b|而且|但是|不过|另外|还有|对了|此外|并且|嗯|呃|然后",
    re.IGNORECASE,
)

NUMBERED = re.compile(r"[（(]?\d{1,2}[)）][ \t]?\S|[①-⑳]")

# --- what begins anew, and what leans on its forerunner

ANEW = re.compile(rf"{OWN_EN}|{_NAME}|{OWN_ZH}", re.IGNORECASE)
STRONG = re.compile(
    r"i['’]?m\b|i['’]?ve\b|i\s+(?:am|have|had|live|work|like|love|hate|prefer|moved|was|use|need|want|can['’]?t|don['’]?t|never|always|also|just|got|go|study|teach|speak|own|drive)\b"
    r"|my\s|our\s|we\s|we['’]|(?:the\s+)?user\b|我(?:叫|姓|是|住|在|有|家|妈|爸|老|儿|女|对|喜欢|不|没|爱|最|平时|每|的|今年|现在|去年|昨天|明天|下周|上周|刚|搬|想|要|会|从)|用户",
    re.IGNORECASE,
)
STRONGER = re.compile(
    r"i['’]?m\b|i\s+(?:am|live|work|moved|was\s+born|study|teach|speak|don['’]?t|hate)\b|my\s|our\s|(?:the\s+)?user\b|我",
    re.IGNORECASE,
)
_OUR_TIME = r"(?!\s+(?:year|week|weekend|month|morning|afternoon|evening|summer|winter|spring|autumn|fall|time)\b)"
LEANS = re.compile(
    rf"(?:which|that['’]?s|that|it|its|it['’]s|this{_OUR_TIME}|these|those|they|they['’]?(?:re|ve|ll)|he|she|s?he['’]?s|him|her|his|their|them"
    r"|because|so that|otherwise|therefore|thus|hence|for example|for instance|e\.g|such as|including|especially|namely|nor|or"
    r"|the (?:other|latter|former)|(?:both|one|each|all|none) of (?:them|these|those|which))\b"
    r"|因为|由于|因此|于是|其中|否则|不然|比如|例如|也就是|即(?!将|使)|[它他她]|这(?!周|个?月|[两几]?[年天]|次|学期|里|边|辈子|么|段)"
    r"|那(?!我|你|咱|么|能|可以|有|时候|年|天|里)|其(?![实他它])|也(?![门许])|都(?![江城])|就(?![业职读诊在])|才(?![华能艺])|结果|所以",
    re.IGNORECASE,
)
# How something is to be done from now on.
RULE = re.compile(
    r"(?:(?:from\s+(?:now|today)\s+on|going\s+forward|in\s+future)\b[\s,]*+(?:(?:please|always|never|just|only)\s+)*+|(?:please\s+)?(?:always|never)\s+)"
    r"(?:do\s+not\s+|don['’]?t\s+)?(?:add|answer|ask|avoid|book|build|buy|call|change|check|commit|delete|deploy|edit|format|give|include|keep|leave|let|lint|make"
    r"|mention|merge|name|open|order|pay|post|push|put|read|rebase|remove|reply|run|send|share|show|sign|squash|start|stick|stop|tag|tell|test|touch|use|write)\b"
    r"|(?:以后|今后|从现在起|从今天起|从今往后)[，,\s]*+(?:请|都|一律|全|统一|只|就)*+[用不别写叫发跑回给先把按放走改加测提]",
    re.IGNORECASE,
)
SAME = re.compile(
    r"(?:i|we|i['’]\w+|im|ive|user)\b|我(?!妈|爸|老|家|们?的|儿|女|哥|姐|弟|妹|爷|奶|同)|用户(?!的)", re.IGNORECASE
)
POINTS = re.compile(
    r"\b(?:it|him|her|them|they|he|she|its|his|their|theirs|hers)\b|[它她](?!们?人)|(?<![其吉])他(?![人乡律])"
    r"|[这那](?:个(?!月|星期|周|学期)|只|件|家|本|部|种|辆|位|套|款|样|些)",
    re.IGNORECASE,
)
NAMED = re.compile(
    rf"\b(?:my|our|a|an|the|another)\s+\w|(?-i:(?<=\s)[A-Z][a-z])|{KIN_ZH}|[一两三\d][个只条位家]|叫\w", re.IGNORECASE
)
FORWARD = re.compile(
    r"(?:when|if|while|since|because|as|although|though|before|after|until|unless|once|whenever|whether|given|in case|even if"
    r"|even though|wherever|the (?:moment|day|time|year|first time|last time|more|less))\b"
    r"|如果|要是|假如|假设|倘若|万一|虽然|虽说|尽管|因为|由于|既然|当|只要|只有|除非|除了|即使|就算|不但|不仅|不光|一旦|等",
    re.IGNORECASE,
)
CONDITION = re.compile(
    r"(?:if|unless|in case|even if|whether)\b|如果|要是|假如|假设|倘若|万一|除非|只要|即使|就算|一旦", re.IGNORECASE
)
HANGS = re.compile(
    r"(?:in|on|at|near|with|without|for|from|to|by|of|about|into|over|under|around|between|during|within|like|despite|per)\b"
    r"|(?:在|对于|关于|至于|作为|自从|从|随着|根据|按照|为了|除)[^，。]{0,8}$",
    re.IGNORECASE,
)
TIME_ALONE = re.compile(
    r"[今明昨前后上下本去这那每早晚中周星期月年日号天点半午夜底初末\d\s一二三四五六七八九十两几个第第的时候之后以前以后最近现在目前平时经常有刚才其实真小]+$"
)
PREDICATE_ZH = re.compile(
    r"[是有在住叫姓了过着会要想爱喜不没得养做吃喝用去来到搬买卖学教读写说看玩开怕能患属带给租岁敏认讨信加换签约报考干当跑骑坐定改升调退休睡起病疼爱忙累考]"
)
SAYS = re.compile(
    r"(?:\b(?:think|thinks|thought|know|knows|knew|guess|hope|wish|believe|feel|say|says|said|saying|tell|tells|told|mean|means|suppose"
    r"|swear|bet|doubt|wonder|wondering|realize|realise|remember|forgot|forget|sure|sorry|glad|afraid|ask|asks|asked|that"
    r"|(?:tell|told|telling|ask|asked|remind|reminded|promise|promised|warned|convinced|show|showed)\s+(?:[\w'’-]+\s+){0,2}[\w'’-]+)"
    r"|[说问道想]|觉得|认为|以为|告诉我|记得|希望|表示)[\s,，:：]*$",
    re.IGNORECASE,
)
HOLDS = re.compile(
    r"(?:\b(?:see|saw|hear|heard|happy|what|when|if|where|who|whom|whose|which|why|how|while|because|cos|coz|cuz|bc|since|as|than|before|after|until|till"
    r"|unless|though|although|whatever|whenever|wherever|once|whether|like|nor|or|and|but|so|of|about|with|for|to|from|in|on|at|by|me|you|him|us"
    r"|them|care|matter|check|decide|idea|question|only|is|was|are|do|does|did|can|could|should|would|will|am|have|got|get|the|a|an|my|our|not)"
    r"|\w['’](?:s|m|re)|\w(?:n['’]t)|\b(?:dont|never|always|god|lord|heaven)|\b(?:what|which|how)\s+[\w'’-]+|[的把被让给跟对和与得叫为替向比带送帮请使令当因如果望怕是但且在从于像同陪看见谢由者及或没不也都就还成咗紧]|发现|听说|时候|之后|之前|以后|以前|的话)\s*$",
    re.IGNORECASE,
)
RELATIVE = re.compile(
    r"\b(?:the|this|that|these|those|every|each|all|any|no|only|first|last|best|worst|next|same|other|thing|things|way|time|something"
    r"|everything|anything|nothing|someone|people|everyone)(?:\s+[\w'’-]+){0,3}$",
    re.IGNORECASE,
)
OBJECT = re.compile(
    rf"\b(?:(?:i|we|you|they|he|she|to|not|never|also|can|could|will|would|should|must|do|does|did)\s+[\w'’-]+|{VERB})$",
    re.IGNORECASE,
)
MINE = re.compile(r"(?:my|our|both)\b", re.IGNORECASE)
LOOSE = re.compile(
    r"\b(?:a|an|some|my|our|his|her|two|three|four|five|many|few|\d+)(?:\s+[\w'’-]+){1,2}$", re.IGNORECASE
)

ASIDE = re.compile(
    r"(?:i|we)\s+(?:think|guess|mean|say|suppose|believe|swear|know|reckon|hope|fear)\s*[,，]", re.IGNORECASE
)

# --- what asks, orders, greets

_WH = r"(?:what|when|where|who|whose|whom|which|why|how)"
_NOT_WH = r"(?!(?:i|we|you|he|she|they|it|my|our|the|is\s+why)\b)"
ASKS_EN = re.compile(
    rf"(?:{_WH}['’](?:s|d|re|ll)\b|{_WH}\s+{_NOT_WH}(?:[\w'’-]{{1,24}}\s+){{0,3}}?{_AUX}\b|{_AUX}\s+{_WHOM}\b"
    rf"|(?P<named>(?:is|are|was|were|does|will|would|can|could|should|isn['’]?t|aren['’]?t)\s+{_WHAT}\b)"
    r"|(?:what|how)\s+(?:about|if|come|to)\b|any\s+(?:idea|ideas|tips?|suggestions?|advice|thoughts|chance|recommendations?)\b"
    r"|(?:i\s+wonder|i(?:['’]m| was|['’]ve been)\s+wondering|wondering)\b|remind\s+me\s+(?:what|when|where|who|how|which)\b)",
    re.IGNORECASE,
)
ASKS_BARE = re.compile(
    rf"(?:what|when|where|why|how)(?:['’](?:s|d|re|ll)\b|\s+{_NOT_WH}(?:[\w'’-]{{1,24}}\s+){{0,3}}?{_AUX}\b)"
    r"|(?:can|could|would|will|do|did|should|shall)\s+(?:you|u|we|i)\b|(?:what|how)\s+about\b|any\s+(?:idea|ideas|tips?|suggestions?|advice)\b",
    re.IGNORECASE,
)
RELATIVE_WH = re.compile(r"(?:which|who|whose|whom)\b", re.IGNORECASE)
NOT_ASKING = re.compile(
    r"(?:so|neither|nor)\s+\w+\s+(?:i|we|do|they|he|she)\b|do\s+(?:it|that|this|so|both)\b(?![^?]*\?)", re.IGNORECASE
)
_ASKS_ZH = (
    r"什么|啥|怎么|怎样|如何|哪|谁|(?<![十好这那几二上下住待呆玩过前后歇])几[点个号时天岁月年次位口块]|多少|多久|多大|多远|吗(?=[?？。！~～\s]*$)|是不是|有没有|能不能"
    r"|要不要|可不可以|会不会|该不该|为啥|为何|干嘛|咋|还记得|来着(?=[?？。\s]*$)|行不行(?=[?？。\s]*$)"
    r"|(?<![冇无])乜(?!都)|(?<![冇无])咩(?![咩都])|(?<![旁身窗海湖河江路左右这那里外东西南北上下前后桌床周城林村山])边(?:度|个(?![人界])|间|位)(?!都)"
    r"|(?<![重早晚优缺几一二三四五六七八九十两半有特要难观地热焦起终知明白晓得零])点(?:解(?![决释散放开读答除雇])|样(?![样子起都]))"
    r"|几(?:多|耐)(?=[?？。\s]*$|[^，。都也]{1,4}[?？\s]*$)|系咪|有冇(?!关系)"
    r"|(?<![了过有还又欠花赚存赔亏借费这那咗])好多(?:[钱斤岁号米]|块钱)(?:一?个月|一[斤年天碗份次位盒箱])?了?(?=[?？\s]*$)|(?:租|价|薪|工资|费|身高|体重|年纪|多高)好多(?=[?？\s]*$)|好多(?=\s*[?？])"
)
ASKS_ZH = re.compile(_ASKS_ZH)
INDEFINITE = re.compile(
    r"我(?:们|家|店里)?有几[个位只条][^，。?？]{1,8}(?:是|在|都|也|会|住|做|当|来自)|几(?:个月|个星期|年|天|周)(?:前|后|来(?!着))|几岁就|(?:晓得|明白)(?:咋|怎么|点解|哪)|咋[^，。]{0,3}都|"
    r"(?:没有?|不)(?:什么|啥|怎么|多少|几|太)|(?:什么|谁|哪|怎么|啥|多少)[^，。]{0,5}[都也]|谁[^，。]{1,8}谁|什么[^，。]{1,8}什么|哪[^，。]{1,6}哪|(?:确认|判断|检查|猜|取决于|讨论|在乎|研究)[^，。]{0,6}|无论|不管|不论|多少[有会能]点|不知道|不清楚|不晓得|不记得|(?:他|她|[医老][生师板]|[妈爸])问|记不住|说不清|搞不清|知道(?:什么|怎么|谁|哪)|什么的|几[个天]就"
)
_OPENS_ZH = re.compile(
    r"(?:请问|那?(?:我|咱|你)?(?:们)?(?:该|能不能|可不可以|要不要|会不会|应该|可以|能|会|还能)?[^，。]{0,6}?"
    rf"(?:{_ASKS_ZH}))"
)
_OWN_FACT_ZH = re.compile("(?:我|咱)(?!该|能|应该|可以|要不要|会不会|是不是)")
TAG = re.compile(
    r"[\s,，]*(?:ok|okay|please|pls|alright|deal|will you|would you|行不行?|行吗|行么|好吗|好么|好不好|可以吗|可以不|成不|好嘛)[\s?？!！。.~～]*$",
    re.IGNORECASE,
)
TAG_ASKS = re.compile(
    r"[\s,，]*(?:right|correct|you know|isn['’]t it|don['’]t you think|对吧|对吗|对不对|是吧|是不是|你说呢|知道吧|你懂的?)[\s?？!！。.~～]*$",
    re.IGNORECASE,
)
REQUEST = re.compile(
    r"(?:do\s+(?:it|that|this|so|both)\b(?![^?]*\?)|(?:please|pls|plz)\b(?!\s+(?:always|never|remember|note|keep in mind|call me)\b)|(?:can|could|would|will)\s+(?:you|u)\b(?! (?:always|never|remember))"
    r"|help me\b|tell me\b|give me\b|show me\b|let me know\b|suggest\b|recommend\b|find me\b|write me\b|let['’]?s\b|i(?:['’]?d like| need| want) you to\b(?! (?:always|never|remember|call))"
    r"|remind me\b|look up\b|don['’]t forget to\b|(?:walk|talk|run|guide|take|coach|lead) me through\b|(?:quiz|test|brief|drill) me (?:on|about)\b"
    r"|(?:请(?!问|记|叫|称|一直|始终)|麻烦|劳驾|拜托|求你|帮(?:我|忙|个忙|他|她|咱)|你?(?:能不能|可不可以|可以|能)帮|给我(?![妈爸家们的])|替我|你(?:来|先|给|再)(?=[^，。]{2})|带我(?:过|走)一遍|考考我"
    r"|(?:写|翻译|改写?|生成|总结|起草|润色|检查|推荐|查|讲|列|画|算|念|起|编|安排|规划|解释|介绍|分析|整理|设计|想|拟|排|归纳|提炼|梳理|精简|扩写|缩写|续写|仿写|校对|核对|估算|换算|点评|优化|对比)"
    r"(?:几|些|首|份|段|篇|给我|一?(?:个|下|点|封|张|遍)|一版|(?:这|下面|上面|以下)(?!样|么|[^，。；！？]*(?:了|的[是人])))"
    r"|把(?:这|那|它|下面|上面|以下|刚才)))",
    re.IGNORECASE,
)
# What begins as an order does and has a verb of its own behind it: "commit subjects begin with a ticket", "release notes are in Polish".
_NO_NOUN = (
    "the|a|an|my|our|your|his|her|its|their|this|that|these|those|it|me|us|them|him|what|which|who|how|why|when|where|if|whether|all|any"
    "|and|or|but|to|for|in|on|at|of|with|from|by|as|so|sure|up|out|not|no|please|only|also|just|until|till|because|than|then|like|before|after|since|while|whenever|wherever|whichever|whatever|whose|though|although|unless|once|there|every\\w*|any\\w*|some\\w*|nothing"
)
_HAS_A_VERB = rf"(?:(?!(?:{_NO_NOUN})\b)(?-i:[a-z\d])[\w'’-]{{0,24}}\s+){{1,3}}"
NAMED_THING = re.compile(
    rf"(?:(?:change of plans?|order of the day|(?:check|move|sign|log|read|write|run|open|show)-\w+|(?:read|write) (?:access|replicas?|permissions?)|(?:design|release|deploy|support|print|copy|make) (?:is|was)|(?:deploy|release|merge)\s+(?:freezes?|windows?|trains?)"
    r"|plan (?:is|for\s+[^,.;:]{1,30}\s(?:is|was))|(?:name|list|set|price|time)\s+\w+s\s+(?:are|were))"
    rf"|(?:build|change|commit|copy|count|deploy|design|draft|fix|format|install|merge|move|open|order|plan|port|print|release|set|split|switch|update|upgrade|wire)(?:['’]s)?\s+{_HAS_A_VERB}"
    r"(?:is|are|was|were|has|have|had|lives?|goe?s?|begins?|starts?|needs?|runs?|sits?|stays?|belongs?|comes?|takes?|happens?|must|should|may|contains?|changed|moved|slipped|shifted|ends?|falls?|will|won['’]?t|can['’]?t|don['’]?t|aren['’]?t|isn['’]?t)"
    rf"|(?:check|list|name|review|show|sort|test|report)(?:['’]s)?\s+{_HAS_A_VERB}(?:lives?|goe?s?|begins?|starts?|needs?|stays?|belongs?|comes?|happens?|must|should|(?:has|have) to))\b",
    re.IGNORECASE,
)
HABIT = re.compile(
    r"\b(?:always|never|every|each|daily|usually|from now on|whenever|any ?time|by default)\b|以后|今后|从现在|一律|总是|永远|从不|每[次天周月回]|凡是|别再|不要再"
    r"|^\W*(?:use|prefer|keep|stick|avoid|call)\b"
    # "please use bun here, not npm" is of all that comes there, "please use the second one" is not.
    r"|^\W*(?:please|pls|plz)\W+(?:use|prefer|avoid|stick (?:to|with))\b(?=[^.!?]{1,60}\b(?:here|in (?:this|our|the) (?:repo|repository|project|codebase|code|workspace|monorepo)|not \w+|instead of|rather than|over \w+))",
    re.IGNORECASE,
)
BARE_REMEMBER = re.compile(
    r"(?:please|pls|can you|could you|so|ok|and|请|你|帮我|麻烦)*[\s,，]*(?:remember|save|note|keep|store|write down|记住|记下来?|记一下|记着|记好)"
    r"[\s,，]*(?:that|this|it|these|for (?:me|later)|down|哦|吧|了|一下|please|ok)*[\s?？!！。.~～]*",
    re.IGNORECASE,
)
_ADDRESS = r"(?:[\s,，]*(?!(?:i|my|we|im|for|to|and|but|so|that|what|can|how)\b)[\w’'-]{1,14})?"
_BEHIND = rf"(?![a-z]){_ADDRESS}"  # "hi there", and not "hives"
_POLITE = (
    rf"(?:(?:hi+|hello+|hey+|hiya|heya|yo|dear|greetings|good (?:morning|evening|afternoon|night|day)|morning|evening|bye|goodbye|good ?night){_BEHIND}"
    rf"|(?:thanks|thank you|thank u|thx|ty|cheers|much appreciated|many thanks)(?: (?:again|so much|very much|a lot|a million|a bunch|in advance|you))*(?: (?:for|to you)\b[^,.!?，。]{{0,40}}){_ADDRESS}"
    rf"|(?:thanks|thank you|thank u|thx|ty|cheers|much appreciated|many thanks)(?: (?:again|so much|very much|a lot|a million|a bunch|in advance))*{_ADDRESS}"
    r"|good|morning|evening|ok|okay|well|great|awesome|perfect|cool|nice|nice one|lovely|wonderful|brilliant|lol|haha+|hehe+|see you|see ya|sorry|no worries|no problem|please|yes|yep|yeah|no|nope|sure|right|wow|oh|ah|um+|uh+|hmm+"
    r"|so|anyway|got it|sounds good|how are you(?: doing| today)*|how['’]?s it going|what['’]?s up|hope you(?:['’]re| are) (?:well|doing well|good)|long time no see|you['’]re welcome|that helped|that['’]s great|that['’]s all|welcome back"
    r"|(?:你们?|您|大家|老师)好[呀啊哇]?|嗨|哈[喽啰]|早(?:上好|安|啊)?|[上中下]午好|晚上好|晚安|在吗|打扰了|谢谢[你您](?:[^，。！？我]{0,8})|谢谢|谢啦|谢了|多谢[你您]?了?|感谢[^，。！？]{0,8}|辛苦了?|好[的嘞吧]|嗯+|哈哈+|嘿嘿+|拜拜|再见|收到|行|哦|噢|啊|哎|唉|对了|对|是的|不是|没事|太好了|太棒了|厉害|不错|不客气"
    r"|最近(?:怎么样|还?好吗)|你?(?:还|最近)好吗|好久不见)"
)
COURTESY = re.compile(rf"(?:[\W_]*{_POLITE}(?=[\W_]|$|[{CJK}]))++[\W_]*", re.IGNORECASE)
GREETS = re.compile(
    r"(?:hi|hello|hey|thanks|thank you|thx|cheers|many thanks)(?: (?:again|so much|very much|a lot|a million|in advance))?(?! (?:to|for|that)\b)(?!\w)"
    r"|(?:谢谢|多谢|感谢)(?:[你您](?!的?我))?[了啦]?|[你您]好[呀啊]?|嗨",
    re.IGNORECASE,
)


def opens_question_zh(text: str, *, mark: bool) -> bool:
    """Tell whether a clause asks within its first words, and not of anything whatever; `mark`: punctuation stands before it."""
    if not mark and _OWN_FACT_ZH.match(text):
        return False
    return _OPENS_ZH.match(text) is not None and INDEFINITE.search(text) is None
