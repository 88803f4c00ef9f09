"""What says of itself that it holds only for the moment, for the text at hand, or not yet: nobody asks for it tomorrow.

It is left out where its own words say so, as only the talk shows it: a rest of a request ("this email should be short"), a
state ("I'm on the bus"), a reaction ("that works now"), what is not decided. Everything doubtful is for the gate to judge.

Source
    Own lists.
"""

from __future__ import annotations

from memd.engine.keep.talk.changes import says_end
from memd.text import expressions as re
from memd.text.borders import requests, tells
from memd.text.characters import is_cjk

READ_CHARS = 300
SHORT_WORDS, SHORT_HAN = 10, 16

_LASTS = re.compile(
    r"\b(?:always|never|every|from (?:now|today) on|by default|usually|in general|whenever|any ?time|permanent(?:ly)?|for good|allerg\w*)\b|以后|今后|每(?!个字)|一律|永远|默认|从现在|从今|总是|一直|长期|过敏|平时|(?:现在|如今)都(?=自己|在|坐|骑|开|用|喝|吃|走|去|改|是)|我(?:们)?(?:一般|都)(?=[早中晚上下周在去坐骑开用喝吃])",
    re.IGNORECASE,
)
_PIECE = r"(?:email|e-mail|mail|letter|message|text|post|caption|headline|title|subject(?: line)?|intro(?:duction)?|paragraph|sentence|tweet|tone|bio|essay|poem|speech|toast|slide|summary|draft|cover letter|abstract|translation|rewrite|blurb|recipe|invitation|outline|opening|ending|closing|wording)"
_TASK = re.compile(
    rf"\b(?:for|in|on|with) this (?:{_PIECE}|task|time|chat|session|question)\b|\b(?:just )?this (?:once|time)\b|\b(?:the|this|that) {_PIECE} (?:should|needs to|need to|must|has to|can|could|may|shouldn['’]t|is (?:for|to|too)|goes to|doesn['’]t need|reads?|sounds?|looks?)\b"
    r"|^(?:and |but |also |please |maybe |just )*(?:keep|make|cut|put|drop|leave|add|change|shorten|move|swap|replace|highlight) (?:it|this|that|them|the \w+|a (?:bit|line|joke|sentence|note|table))\b"
    r"|\b(?:no more than|under|at most|around|about|max(?:imum)?) \d{1,3} (?:words|characters|lines|sentences|paragraphs|slides|pages|bullets?)\b|\b(?:a bit|slightly|much|way|too|less|more) (?:shorter|longer|formal|casual|friendlier|warmer|stiff|long|polite|direct|wordy|cheesy|generic)\b"
    r"|^i(?:['’]d| would)? (?:just |only )?(?:need|want|like) (?:(?:a|an|the|some|another|two|three|\d+|only|just) )+(?:\w+ ){0,3}?(?:summary|draft|email|list|table|version|example|idea|ideas|haiku|poem|recipe|outline|plan|explanation|overview|translation|names?|titles?|sentence|sentences|paragraph|one-liner|bullets?|bullet points|script|regex|query|function|snippet|options?|suggestions?|help|hand|reminder|quote|questions?|slides?|tips|jokes?|captions?|reasons|steps|translations?|rewrite)\b"
    r"|(?<!\bif you )\b(?:please|pls|plz|thx)\W*$"
    r"|(?:这|本|那)(?:一)?(?:封|篇|段|份|张|次(?!月考|期[中末]|考|体检|检查|复查|复诊|手术|住院)|回|版|句|则|首|页|稿|条(?:微博|朋友圈|消息|短信|推文))|(?:语气|口吻|标题|字数|篇幅|开头|结尾|段落|措辞|格式|排版|文案|正文|落款|称呼语?|署名|文风|风格)(?!化)[^，。]{0,8}(?:要|用|别|不要|改|控制|正式|短|长|简|活泼|轻松|不用|就|得|写|太|再|偏|别太)"
    r"|^(?:再|先|就|那就|那)?(?:不用|不要|别)?(?:太|再)?(?:写|改|加|删|换|弄|做|来|列|缩|精简|短|长|正式|口语|活泼)(?:得|成|个|一?[点些]|到|短|长|上|掉|几|三|两|五|一)(?![^，。]{0,14}了)|(?:控制|限制)在?[^，。]{0,6}(?:字|行|段|页|条)|\d+字(?:以内|左右)|改(?:得|成)?(?:更)?(?:口语|正式|短|简|活泼|通俗|委婉|客气|直接|書面|口語)[^，。]{0,2}(?:一?[点些點])|(?:加上|删掉|去掉|删了|改掉|标红|加粗|重写|重来|刪掉|(?:看|查|改|弄|试|跑|列|翻|算|写|查看|检查|确认)一下)(?:吧|啊|呗|哈)?[。！~]*$|(?:要|用|写)(?:简体|繁体|英文|中文)就(?:行|好)",
    re.IGNORECASE,
)
_OF_TEXT = re.compile(
    r"\b\d+(?:[-–]\d+)? ?(?:words?|characters?|chars|lines?|sentences?|paragraphs?|slides?|pages?|bullets?(?: points)?|columns?|rows?|versions?|options?|examples?|ideas|stanzas|verses)\b|\d+ ?(?:字|行|段|页|頁|条|條|句|个点|個點|版|张图|張圖)(?!年|前)",
    re.IGNORECASE,
)
_PERSON = re.compile(r"\b(?:i|my|we|our|us)\b|我|咱", re.IGNORECASE)
_ASKS_HAN = re.compile(
    r"^(?:再|先|那|好|請|请|麻煩|麻烦|可以|能|順便|顺便)*(?:幫|替|帮)(?:我|忙)|^(?:請|请|麻煩|麻烦)(?:你|您|幫|帮|把|再|用|給|给)|^把[^，。]{1,16}(?:改|換|换|刪|删|加|放|調|调|弄|寫|写|縮|缩)"
    r"|^(?:顺便|順便|再|另外|那)+(?:给我|給我)?(?:写|寫|做|列|算|查|画|畫|翻|拟|擬|想)(?:[一个個条條段封份篇张張]|一?下)"
)
# Orders that begin with their verb, and which nobody says of themselves: "Book a table for two.", 部署一下, 订一张去上海的票.
_ORDERS_BARE = re.compile(
    r"(?:now |then |ok |and |just )*(?:(?:book|cancel|schedule|reschedule) (?:a|an|the|my|our|me|us)\b|(?:email|ping|phone|ring|google|call) (?:the|my|it|him|her|them|(?-i:[A-Z])\w+)\b|(?:push|pull|rebase|clone|lint|ship|mark|save|file) (?:the|it|this|that|to|onto|all|my)\b"
    r"|(?:start|stop|restart|lock|unlock|water|sum|work out|turn (?:on|off)|switch (?:on|off)) (?:the|this|it|up)\b|(?:record|play|sing|wake) (?:me|us|some|this|it)\b|cook (?:dinner|lunch|breakfast|something|it)\b)(?![^.]*\b(?:i|we|is|are|every|always|daily)\b)"
    r"|(?:[\u4e00-\u9fff]{1,3}一下(?!子)|(?:运行|重启|打开|导出|列出|移动到|编译|提交并|发邮件给|发消息给|打电话给|播放|订一?张|订个|叫个车|放一?首|画一[只张个幅]|列清单|设置?(?:个|一个)?(?:闹钟|提醒)|[开关](?:空调|灯|窗帘)))[^了过着我，。]*[。！]?\Z",
    re.IGNORECASE,
)
_AFTER = re.compile(
    r"(?:shorter|longer|simpler|bigger|smaller|more|less|again|another|one more|next|same|both|the (?:first|second|last|other) one)\b[^.!?]{0,24}$",
    re.IGNORECASE,
)
_MOMENT = re.compile(
    r"\b(?:brb|bbl|afk|gtg|g2g|one sec|hang on|hold on|in a (?:sec|second|minute|bit|moment)|give me a|be right back|gotta (?:run|go)|got to (?:run|go)|talk (?:later|soon)|ttyl|running late|back (?:now|in (?:a|\d+|ten|five))|just (?:woke|ate|sat|spilled|stepped|missed)\b)"
    r"|\bi(?:['’]m| am|m) (?:(?:so|really|a bit|a little|very|super|kinda|pretty|just|still|currently|quite|too|absolutely|completely) )*(?:tired|hungry|starving|exhausted|knackered|bored|busy|late|stuck|cold|hot|sleepy|thirsty|freezing|back(?! (?:to|with|on (?!the|my))\b)|here|ready|on (?:the|a|my) (?:bus|train|tram|phone|way|move|road|plane|call|mobile)|in (?:a|the) (?:meeting|call|rush|hurry|taxi|cab|car|queue|middle|kitchen|bath|office|train|lobby|library|café|cafe)|at (?:the|my) (?:desk|office|gym|airport|station|supermarket|table|moment)|done|going to (?:bed|lunch|grab|sleep|make)|having (?:lunch|coffee|breakfast|dinner|a)|waiting for|cooking|typing)\b"
    r"|\bmy (?:phone|laptop|battery|wifi|wi-fi|internet|connection|coffee|tea|head|back|feet|eyes|brain|legs|neck)(?:['’]s| is| are)? (?:at \d|dying|almost|nearly|about|cold|getting|hurts?|hurting|killing|sore|fried|tired|down|out|lagging|slow|spinning|so)\b|\bit['’]?s (?:raining|pouring|snowing|freezing|so (?:hot|cold|late|early)|late|getting late|cold|hot|windy|sunny)\b"
    r"|\b(?:slept (?:badly|terribly|so)|long day|rough (?:day|night|morning)|what a (?:day|week|morning)|headache|need (?:a )?(?:coffee|nap|break|drink)|can['’]t think|my brain)\b|\b(?:today|tonight|this morning) (?:is|was|has been) (?:so|a|such|really|just|long|rough)"
    r"|(?:好|太|有点儿?|真|快|累|困|饿|忙|冷|热|烦)(?:累|困|饿|忙|冷|热|烦|晕|渴|无聊|撑|堵|吵|崩溃|死了?)|(?:我)?(?:现在|正|正在|刚|刚刚|人)?(?:在|到)(?:地铁|路|高铁|车|公交|飞机|外面|公司|食堂|排队|等车|开会|吃饭|机场|床)(?:上|里|了|呢|站)*(?:$|[，,。！~])|(?:我)?刚(?:刚)?(?:吃|到|起|下班|下课|开完|睡|洗|回|出|坐|忙完|醒|跑完)"
    r"|马上(?:要)?(?:开会|出门|走|下车|上|到|去|回|睡)|(?:等|过|待)(?:会儿?|一会儿?|一下)(?:再|还|就|要|去)|(?:我)?先(?:去|吃|忙|下|走|睡|撤|这样|不聊|挂|喝|缓)|头(?:疼|痛|晕|大)|(?:今天|今晚|外面|这会儿|此刻)(?:好|太|真|又|有点|也太|怎么|下雨|下雪|雨)|(?:手机|电脑|网)(?:快)?(?:没电|不好|卡|断|慢)|稍等|晚点再|没睡好|下(?:着)?(?:大)?(?:雨|雪)(?:了|呢)",
    re.IGNORECASE,
)
_DOING = re.compile(
    r"\b(?:i['’]m|im|i am|we['’]re|we are|he['’]s|she['’]s|they['’]re|kids? (?:is|are)|the \w+ (?:is|are)) (?:just |still |currently |only |now |already |about |finally |literally |half |all )*(?:stopping(?= (?:at|here|for|off|by)\b|\W*\Z)|passing|pulling in|landing|taking off|getting off|on the \d\d?[:.]\d\d|sitting|standing|waiting|walking|eating|drinking|cooking|making (?:tea|coffee|dinner|lunch|breakfast)|watching|listening|heading|running (?:late|out|around|behind|on)|looking (?:at|for)|staring|lying|trying to|typing|about to|to (?:leave|go)|on (?:my|our|the) way|halfway|dying|freezing|struggling|rushing|packing up|cleaning|tidying|shopping|queue?ing|stuck|nearly (?:there|done|home)|almost (?:there|done|home)|asleep|awake|crying|barking|napping|sleeping|screaming|at the door|hungover|half asleep|delayed|boarding|loading|compiling|rebooting|buffering|wrapping up|signing off|heading (?:out|off|home)|off to (?:bed|lunch|the (?:gym|shops?|school)))\b"
    r"|\b(?:gotta|got to|have to|need to|must|should) (?:go|run|leave|dash|head|jump|get back|pick (?:up|him|her|them)|feed|walk the|log off)\b(?!.{0,40}\b(?:every|always)\b)|\bit['’]?s (?:past|nearly|almost|already|gone|only|just gone) (?:midnight|noon|\d|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\b|\b(?:the|my) (?:train|bus|flight|tram|taxi|uber|meeting|call|kettle|oven|food|pizza|delivery|signal|screen|doorbell) (?:is|was|just|has|got|keeps|won['’]t)\b(?!.{0,30}\b(?:on|at|for) (?:mon|tues|wednes|thurs|fri|satur|sun|\d))|\b(?:didn['’]t|barely|hardly) (?:sleep|slept|eat|get any sleep)\b|\bonly (?:got|slept|had) \w+ hours?\b|\bsomeone(?:['’]s| is) (?:at|calling|knocking)\b|\bsaid i['’]d be quick\b"
    r"|正(?:在)?[^，。]{1,8}(?:着|呢)|(?:^|[，,])(?:我|人|我们)?在[^，。]{1,8}(?:呢|着呢|着)(?:$|[，,。！~])|(?:快|都|已经)(?:\d{1,2}|[一二两三四五六七八九十]+)点(?:半|多)?了|堵车|堵在|塞車|排(?:着)?队|晚点了|误点(?=了|$|[，,。！~])|(?:得|要|该)(?:走|出门|下线|去接|去(?:做饭|洗澡|开会|上课|睡|遛狗)|睡觉|开会|上车|登机)了|(?:孩子|娃|宝宝|猫|狗|他|她)(?:刚|又|在|正)?(?:睡着|哭|闹|醒|叫|吐)(?:了|呢|着)|(?:昨晚|昨天晚上|昨夜)(?:没|只|才)?(?:怎么)?睡|只睡|失眠了|(?:今天|今晚|今早|早上)(?:好|真|太|有点|特别|超|一直|都)?(?:忙|累|困|冷|热|烦|堵|饿|倒霉|没精神|不想|没胃口|不舒服|睏|餓|熱|煩)|(?:电|手机|电脑|耳机|信号|网)(?:快|要|只剩|又)(?:没|断|卡|\d)|好(?:睏|餓|熱|煩|想睡)|肚子(?:饿|餓|疼|痛)|(?:刚|剛)(?:刚|才|剛)?(?:吃完|到家|到公司|下课|下班|起床|睡醒|开完会|洗完|跑完|回来|回到|坐下|上车|下車|回來)",
    re.IGNORECASE,
)
_DATED = re.compile(
    r"\d{4}|\b\d{1,2}(?:st|nd|rd|th)\b|\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b|\b(?:january|february|march|april|june|july|august|september|october|november|december)\b|\b(?:next|last) (?:week|month|year|spring|summer|autumn|winter)\b|月|[周週][一二三四五六日末]|星期|礼拜|禮拜|[号號]|明年|去年|下[个個]?[周週月]",
    re.IGNORECASE,
)
_DAY = re.compile(
    r"\b\d{1,2}(?:st|nd|rd|th)\b|\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b|\b(?:jan(?:uary)?|feb(?:ruary)?|march|april|june|july|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b|\d[月号號]|[一二三四五六七八九十][月号號]|[周週][一二三四五六日末]|(?:星期|礼拜|禮拜)[一二三四五六日天]",
    re.IGNORECASE,
)
_CLAUSE = re.compile(r"(?:(?![,，;；。!！?？\n]|\.\s|(?<=[\u4e00-\u9fff])\s+(?=[\u4e00-\u9fff])).)+")
LEAST_CLAUSE = 10  # of its characters, a Han one counted twice
_TODAY = re.compile(
    r"\b(?:today|tonight|right now|this (?:morning|afternoon|evening)|rn|currently|at the moment|for now|for the moment)\b|今天|今晚|这会儿|此刻|现在|暂时",
    re.IGNORECASE,
)
_ENDURES = re.compile(
    r"\b(?!need\b|feed\b|bed\b|red\b|tired\b|bored\b)\w{2,}ed\b|\b(?:was|were|got|had|went|did|bought|met|came|left|told|said|sold|found|began|became|won|lost|broke|made|took|live|lives|work|works|use|uses|study|rent|starts?|moved?|since|until|from)\b"
    r"|了|住|用|上班|工作|读|学|开始|改|搬|起|是|叫|到(?!处)",
    re.IGNORECASE,
)
_ERRAND = re.compile(
    r"^(?:so |ok |and |but |well )*(?:i(?:['’]m| am)(?: just)? (?:looking for|trying to|hoping)|i was (?:hoping|wondering)|i (?:just )?(?:need|have|want|got) to (?:write|send|draft|email|reply|figure|prepare|fix|finish|print|check|find|buy|pick|call))\b|^我(?:现在|今天|就)?(?:想|要|得|需要)(?:写|发|回|查|改|找|问|准备|做)(?:一|个|封|份|下|点|篇)",
    re.IGNORECASE,
)
_LAUGHS = re.compile(
    r"(?:\b(?:lol|lmao|rofl|ha(?:ha)+)|哈哈+|hh+|笑死(?:我了)?|狗头|[😂🤣😜😝])[\s。.!！~～)）]*$|^(?:lol|lmao|ha(?:ha)+\b|哈哈+|笑死)",
    re.IGNORECASE,
)
# What is so for long though it is told with a laugh: "I'm scared of spiders lol", 我不会游泳hhh.
_OF_ONESELF = re.compile(
    r"\b(?:i['’]?m|i am) (?:an? |in (?:my |the )?)?(?:first|second|third|fourth|final|last)[ -]year\b|\b(?:i['’]?m|i am) (?:[\w-]+ ){0,2}(?:scared|afraid|terrified|frightened|allergic|intolerant|colou?r[ -]?blind|co?eliac|diabetic|left[- ]handed|short[- ]sighted|vegan|vegetarian|single|married|an? \w+(?: \w+)? by (?:trade|training))\b"
    r"|\b(?:i )?can(?:['’]?t|not) (?:swim|drive|cook|ride|whistle|ski|skate|dance|sing|read|stand|abide|eat|drink)\b|\bi (?:live|work|hate|loathe|have (?:a|an|two|three|four|five|six|\d+)) |\bmy (?:\w+ )?(?:name|dog|cat|son|daughter|wife|husband|sister|brother|boss)(?:['’]s| is) "
    r"|我[^，。]{0,4}(?:怕|不会(?!吧|是)|不吃|不喝|过敏|社恐|恐高|近视|左撇子|单身|不婚|属[鼠牛虎兔龙蛇马羊猴鸡狗猪]|住在|在[^，。]{1,10}(?:上班|工作|读|上学)|叫(?!我)|养了)",
    re.IGNORECASE,
)
_WHEN_OF_IT = re.compile(
    r"\W*(?:and |with |maybe |but )?(?!no\b|not\b)(?:\w+ ){1,3}(?:on|at|for|by|in) (?:the )?(?:mon|tues|wednes|thurs|fri|satur|sun)days?\W*|\W*(?:and |with |maybe |but )?(?!no\b|not\b)(?:\w+ ){1,3}(?:at|for|in) (?:the )?(?:weekend|morning|afternoon|evening|night|end|start|beginning|top|bottom|lunch|dinner|breakfast)\W*",
    re.IGNORECASE,
)
_POLITELY = re.compile(r"(?:please|pls|plz|thx)\b", re.IGNORECASE)
_LAUGH_BEHIND = re.compile(
    r"[\s,，~～]*(?:\b(?:lol|lmao|rofl|ha(?:ha)+h?)|哈哈+|hh+|[😂🤣😜😝])[\s。.!！~～)）]*$", re.IGNORECASE
)
# A question that has lost its apostrophe and its mark: "whats a good name for a bairn then".
_ASKS_BARE = re.compile(
    r"(?:so |and |but |ok |hey |um+ |well |right |oh |any(?:one|body) know )*(?:whats|wheres|whos|hows|whens|whys)\b(?! (?:more|done is done)\b)",
    re.IGNORECASE,
)
# The same in Chinese, at the end: 我住几楼, 老师姓什么, 四月去好还是五月去好, 怎么回比较好.
_ASKS_BARE_ZH = re.compile(
    r"(?:几楼|几(?:号楼|层|路|单元)|哪(?:一)?(?:家|间|层|站|路)|(?<![不没道忘清])(?:姓|叫|住|用的?|属|穿)(?:什[么麼]|啥|谁|誰|哪(?:里|裡|儿)?|几[点号码]?)|[^，。]好[还還]是[^，。]{1,10}好|怎[么麼][^，。]{1,6}比[较較]好)"
    r"(?:来着|來著|呢|啊|呀)?\W*\Z"
)
_HAPPENS = re.compile(
    r"\b(?:diagnos|born|died|married|engaged|moved|hired|fired|promoted|pregnan|deadline|due|appointment|got back together|back with|broke up|split up)|复合|分手|分[了咗]手|离婚|结婚|出生|去世|确诊|搬家|入职|离职|升职|怀孕|预约|截止",
    re.IGNORECASE,
)
# What is otherwise from then on, whatever else is told of the day: 我走路现在改成晚上了早上太冷了.
_ANEW = re.compile(r"[改换換调調][成到在][\u4e00-\u9fff]|搬[到去咗了]")
_UNDECIDED = re.compile(
    r"\b(?:have(?:n['’]t| not) (?:\w+ )?decided|not (?:yet )?decided|undecided|can['’]t decide|not sure (?:yet|if|whether|which|about)|dunno\b|don['’]t know (?:yet|if|whether)|(?:still )?(?:thinking about|torn between|on the fence|weighing)|no idea (?:yet|if|whether)|maybe i(?:['’]ll| will| should| could)|perhaps i|we(?:['’]ll| will) see|just an idea|toying with)\b"
    r"|还没(?:有)?(?:想好|决定|定(?!期)(?:下来)?|确定|谱)|没(?:想好|决定|定下来)|拿不定|在(?:考虑|犹豫|纠结)|(?:还在|有点)(?:考虑|犹豫|纠结|观望)|再(?:看看|想想|说吧|考虑)|[说說]不定|也許|看情況|沒(?:想好|決定)|在(?:考慮|猶豫|糾結)|還沒(?:有)?(?:想好|決定|定(?!期)(?:下來)?|確定)|也许|看情况|八字(?:还)?没",
    re.IGNORECASE,
)
_REACTS = re.compile(
    r"(?:ok(?:ay)?|yeah|ah|oh|hm+|great|nice|well|so|haha|wow)?[\s,!.]*(?:it|this|that|these|those|they)(?:['’](?:s|re|ll|d))?\b|(?:looks?|sounds?|seems?|works?|worked|makes? sense|fair|good|not bad|love it|perfect|got it|will do|no worries|all good|i (?:see|get it|like (?:it|that|this|the (?:first|second|last|third) \w+)|love (?:it|that|this)|hate (?:it|that|this)|agree|guess(?: so)?|think so|hope so|know))\b"
    r"|(?:好|行|可以|嗯|哦|哈)*[，,]?(?:它|这(?!周|个?月|[两几年])|那(?!边|年|天)|就这|就那|看着|听起来|感觉|挺|还行|还不错|不错|搞定|解决|懂|明白|知道|理解|原来|果然|有道理|没(?:问题|事|关系))",
    re.IGNORECASE,
)
_NAMES = re.compile(r"\d|[A-Z][a-z]|(?<= )[A-Z]{2,}|月|周[一二三四五六日]|星期|号")
_DECLINES = re.compile(
    r"\W*(?:no|nah|nope|not (?:now|today|really|yet|necessary|needed)|rather not|i(?:['’]d| would) rather not|let['’]?s not|don['’]?t (?:bother|need)|leave it|never ?mind|i(?:['’]ll| will) (?:pass|skip|stick|leave|keep|do it myself)|i(?:['’]ll| will| can) (?:manage|cope|do (?:it|that) myself)(?=\W*$|[,.!;])|skip|pass|no need|\w+ (?:doesn['’]t|does not|won['’]t|wouldn['’]t) (?:help|work|do|fit)|(?:that|this|it) never (?:works|helps)|too (?:expensive|much|complicated|early|late))\b"
    r"|\W*(?:不了|不用|不要|算了|先不|暂时不|不必|没必要|还是(?:不|算)|别|不(?:想|行|太|考虑|至于|急)|太(?:贵|麻烦|早|晚)|以后再|改天|下次|再说|免了|就(?:先)?(?:这样|不)|我自己(?:来|弄|搞|可以|行|有数|心里有数|想[办辦]法)(?:吧|就行|就好|了)?(?=[\s，,。！!~～]*$))",
    re.IGNORECASE,
)
_OWN_CLAUSE = re.compile(
    r"[,;.–—-]\s*(?:because |since |as )?(?:i['’]ve|i (?:have|am|live|work|use|drive|eat|take)|i['’]m (?:a|an|on|allergic|vegan)|we['’]ve|my \w+ (?:is|are|has)|we (?:have|live|use))\b"
    r"|[，,；](?:我|我们|我們)?(?:现在|現在|平时|一般|都|每)[^，。]{2,}",
    re.IGNORECASE,
)
_ACCEPTS = re.compile(
    r"\W*(?:yes|yeah|yep|sure|ok(?:ay)?|please|go (?:ahead|for it)|do (?:it|that|so)|sounds|that (?:would|['’]d)|why not|let['’]?s|fine)\b|\W*(?:要(?=[，,。！]|$)|好(?=[的啊呀吧，,。！]|$)|行|可以|来吧|麻烦|那就|就这|嗯|试试)",
    re.IGNORECASE,
)
_PROPOSES = re.compile(
    r"\b(?:could|might want|how about|what about|let['’]?s|suggest|propose|recommend|would it|would you|do you want|want me|shall|should (?:i|we)|option|alternatively|consider|maybe|perhaps|if you like|happy to|i can|we can|you can|why not|worth|try|need me|like me)\b"
    r"|\b(?:anything|something) else(?: (?:i can (?:do|help with)|you need|today|tonight|this \w+|for (?:you|now|today)|to do))?\s*[?？]\s*$"
    r"|[还還](?:有|需要)(?:什[么麼]|[别別]的)(?:事|需要|要我[帮幫]的)?[吗嗎呢]?\s*[?？]\s*$|建议|不如|要不|可以(?:考虑|试|换|用|帮)|考虑|或者|试试|推荐|提议|方案|需要我|帮你|要我|我来|我可以|如何|怎么样|何不|干脆",
    re.IGNORECASE,
)

# A word that goes on to the next thing, and what that is: "ok, dinner", 好，下一题.
_GOES_ON = re.compile(
    r"(?:(?:ok(?:ay)?|alright|anyway)[,\s]+|(?:right|next)[,:]\s*)(?:the )?[a-z'’-]+(?: [a-z'’-]+)?[.!…]*\Z|(?:好|行|嗯)的?[，,\s]+[\u4e00-\u9fff]{1,4}[。！…]*\Z",
    re.IGNORECASE,
)


def is_passing(text: str) -> bool:
    """Tell whether a statement holds only for the moment, for the text at hand, or says that nothing is decided."""
    head = text[:READ_CHARS]
    if _LASTS.search(head):
        return False
    if _ASKS_HAN.search(head) or (_OF_TEXT.search(head) and _is_brief(head) and not _PERSON.search(head)):
        return True
    task = _TASK.search(head)
    if task and _dates_else(head, task.start()):
        task = None
    if task and _POLITELY.match(head, task.start()) and _OF_ONESELF.search(head, 0, task.start()):
        task = None
    if _ASKS_BARE.match(head) or _ASKS_BARE_ZH.search(head) or task or _AFTER.match(head) or _UNDECIDED.search(head):
        return True
    if _ORDERS_BARE.match(head) or (_GOES_ON.match(head) and not tells(head)):
        return True
    anew = _ANEW.search(head) is not None and not _is_brief(head)
    if _DOING.search(head) and not (_DATED.search(head) or _HAPPENS.search(head) or anew or _tells_more(head)):
        return True
    dated = anew or _NAMES.search(head[1:]) is not None or _HAPPENS.search(head) is not None
    laughs = _LAUGHS.search(head) is not None and _is_brief(head) and not _OF_ONESELF.search(head)
    if not dated and (_MOMENT.search(head) or laughs or _ERRAND.match(head)):
        return True
    today = _TODAY.search(head)
    # 现在 is "these days" as well, where more is told than a state.
    if not dated and today and not _ENDURES.search(head) and (today[0] != "现在" or _is_brief(head)):
        return True
    reacts = _is_brief(head) and _REACTS.match(head) is not None and _NAMES.search(head) is None
    return reacts and not _tells_more(head)


def _dates_else(head: str, task: int) -> bool:
    """Tell whether another clause than the one about the text at hand tells what is on a day."""
    others = (one[0].strip() for one in _CLAUSE.finditer(head) if not one.start() <= task < one.end())
    return any(
        len(one) + sum(map(is_cjk, one)) >= LEAST_CLAUSE and _DAY.search(one) and tells(one) and not requests(one)
        for one in others
    )


def is_of_request(text: str) -> bool:
    """Tell whether a few words behind a request say only when or where something of it is to be: "Fish on the Friday."."""
    head = text[:READ_CHARS]
    return _WHEN_OF_IT.fullmatch(head) is not None and not tells(head) and not _LASTS.search(head)


def without_laugh(text: str) -> str:
    """Return a statement without the laugh behind it."""
    return _LAUGH_BEHIND.sub("", text) or text


def proposes(text: str) -> bool:
    """Tell whether an agent's message offers or proposes something."""
    return _PROPOSES.search(text) is not None


def settles(text: str) -> bool:
    """Tell whether a statement does no more than take or turn down what was proposed."""
    return _is_brief(text) and (_DECLINES.match(text) or _ACCEPTS.match(text)) is not None and not _tells_more(text)


def _tells_more(text: str) -> bool:
    """Tell whether behind a few words of reacting a clause says what changed or holds: "no eggs, I've gone vegan since March"."""
    return says_end(text) or _OWN_CLAUSE.search(text) is not None


def _is_brief(text: str) -> bool:
    return len(text.split()) <= SHORT_WORDS and len(re.findall("[\u4e00-\u9fff]", text)) <= SHORT_HAN
