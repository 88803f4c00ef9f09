"""Who a she or a 她 is: the only person that fits among those whom the last turns name; else nobody, and the word stays.

A person is a name by the words around it (sent to Martina Keane, Priya says, 跟小王, 王医生) or somebody's kin (my sister,
Sue's husband, 我妈). A name fits either word, kin only its own. Two that fit prove nothing, nor does anybody where a word that may be
a name stands nearer (Graham's tablets).

Units
    Characters. Of a text the first READ_CHARS are looked at.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from memd.text import expressions as re
from memd.text.simplified import simplified

READ_CHARS = 2000

HER, HIS, ANY = "f", "m", ""
_KIN = {
    "mother": HER, "mom": HER, "mum": HER, "mama": HER, "sister": HER, "wife": HER, "daughter": HER, "aunt": HER, "grandmother": HER, "grandma": HER, "nan": HER, "girlfriend": HER, "niece": HER,
    "father": HIS, "dad": HIS, "brother": HIS, "husband": HIS, "son": HIS, "uncle": HIS, "grandfather": HIS, "grandpa": HIS, "boyfriend": HIS, "nephew": HIS,
    "boss": ANY, "manager": ANY, "landlord": HIS, "landlady": HER, "partner": ANY, "friend": ANY, "neighbour": ANY, "neighbor": ANY, "doctor": ANY, "dentist": ANY, "teacher": ANY, "colleague": ANY,
    "cousin": ANY, "therapist": ANY, "accountant": ANY, "lawyer": ANY, "tutor": ANY, "coach": ANY, "client": ANY, "flatmate": ANY, "roommate": ANY, "supervisor": ANY, "midwife": HER, "physio": ANY, "vet": ANY,
}  # fmt: skip
_KIN_ZH = {
    "妈妈": HER, "母亲": HER, "妈": HER, "姐姐": HER, "妹妹": HER, "姐": HER, "妹": HER, "老婆": HER, "妻子": HER, "太太": HER, "媳妇": HER, "女儿": HER, "闺女": HER, "奶奶": HER, "外婆": HER, "姥姥": HER,
    "女朋友": HER, "女友": HER, "阿姨": HER, "姑姑": HER, "舅妈": HER, "婆婆": HER, "岳母": HER, "爸爸": HIS, "父亲": HIS, "爸": HIS, "哥哥": HIS, "弟弟": HIS, "哥": HIS, "弟": HIS, "老公": HIS, "丈夫": HIS,
    "儿子": HIS, "爷爷": HIS, "外公": HIS, "姥爷": HIS, "男朋友": HIS, "男友": HIS, "叔叔": HIS, "舅舅": HIS, "公公": HIS, "岳父": HIS, "老板": ANY, "领导": ANY, "房东": ANY, "室友": ANY, "同事": ANY,
    "导师": ANY, "邻居": ANY, "医生": ANY, "老师": ANY,
}  # fmt: skip
_NOT_NAMES_WORDS = (
    "I The A An My Our Your His Her Their This That It We You He She They And But So Or If When What Who Where Why How Yes No Ok Okay Thanks Thank Please Also Then Now Well Oh Hi Hey Hello Dear"
    " Monday Tuesday Wednesday Thursday Friday Saturday Sunday January February March April May June July August September October November December Mon Tue Wed Thu Fri Sat Sun"
    " English French German Spanish Italian Chinese Christmas Easter Google Slack Zoom Teams Github Python Postgres Linux Windows Dr Mr Mrs Ms Prof Not Just Is Are Was Did Do Does Sure Got Sent Let Send Done"
    " Draft Email Call Meeting Maybe Perhaps Sounds Great Here There In On At For From To With By Of As All Some Any Both Each Every"
)
_TITLES = {"Mr": HIS, "Mrs": HER, "Ms": HER}
_NOT_NAMES = frozenset(_NOT_NAMES_WORDS.split())
_CAP = r"[A-Z][a-zà-öø-ÿ’'-]+"
_NAME = rf"(?:(?:Dr|Mr|Mrs|Ms|Prof)\.? )?{_CAP}(?: (?:(?:van|de|von|der|la|da|al|bin) )*{_CAP}){{0,2}}"
_WITH = r"(?:with|told|tell|asked|ask|called|call|met|meet|meeting|emailed|email|messaged|texted|invited|saw|seeing|phoned|rang|wrote to|write to|talked to|talk to|spoke to|spoken to|speak to|sent to|married|named|by|thanks to|send (?:it|this|that) to|sent (?:it|this|that|them) to|sent [\w ]{1,24} to|(?:friend|colleague|boss|manager|sister|brother|wife|husband|daughter|son|cousin|dentist|doctor|partner|teacher|neighbou?r|landlord|client|flatmate|aunt|uncle),?)"
_SAYS = r"(?:said|says|told|asked|asks|wants|wanted|thinks|called|emailed|wrote|replied|texted|is (?:going|coming|visiting|running|leading|moving|getting|on|in|a|the|an|my|our|off|out|back)|was|has|will|moved|works?|lives?|likes?|prefers?|needs?|can|can['’]t|starts?|leads?|runs?|owns?|teaches|just|and I)"
_NAMED = (
    re.compile(rf"\b(?i:{_WITH}) (?P<name>{_NAME})"),
    re.compile(rf"(?<![\w’'])(?P<name>{_NAME})(?=,? {_SAYS}\b)"),
    re.compile(
        rf"\b(?i:(?:email|note|letter|message|reply|invite|draft|write|send|text|answer)(?: (?:it|this|that|one))? (?:to|for)) (?P<name>{_NAME})"
    ),
    re.compile(
        rf"\bto (?P<name>(?!New|San|Los|Saint|St|North|South|East|West|Las|Costa|Hong|Sri|United|Great|El|Port|Cape|Santa|Buenos|Rio|Tel|Abu|Kuala){_CAP} {_CAP})\b"
    ),
    re.compile(r"(?<![\w’'])(?P<name>(?:Dr|Mr|Mrs|Ms|Prof)\.? " + _CAP + ")"),
    # whom a question is about
    re.compile(
        rf"(?:\A|[.!?] )(?i:will|is|does|did|has|was|can|would|should|shall|could|how is|how['’]s|how was|where is|where['’]s) (?P<name>{_CAP})(?= [a-z][^.?!]*\?)"
    ),
)
_KIN_EN = re.compile(
    rf"\b(?P<whose>my|our|your) (?:(?:older|younger|little|big|eldest|best|old|new|ex|step|twin|next-door|upstairs)[- ])*(?P<kin>{'|'.join(sorted(_KIN, key=len, reverse=True))})\b(?P<of>['’]s)?",
    re.IGNORECASE,
)
_KIN_OF = re.compile(
    rf"(?P<name>{_CAP}['’]s) (?:(?:older|younger|little|big|eldest|best|old|new|ex|step|twin|late)[- ])*(?P<kin>{'|'.join(sorted(_KIN, key=len, reverse=True))})\b(?!['’]s)"
)
_PLACED = r"(?<!\bin )(?<!\bat )(?<!\bto )(?<!\bfrom )(?<!\bnear )(?<!\bon )(?<!\bof )(?<!\bthe )(?<!['’]s )(?<!\bmy )(?<!\bour )(?<!\bher )(?<!\bhis )(?<!\ba )(?<!\ban )"
_MAY_BE = re.compile(rf"(?<=[\w,;:] ){_PLACED}(?P<name>{_CAP})|(?P<owner>{_CAP})(?=['’]s [a-z])")
_FOLLOWS = re.compile(rf",? {_NAME}")
_SURNAME = "王李张刘陈杨黄赵吴周徐孙马朱胡郭何高林罗郑梁谢宋唐许韩冯邓曹彭曾肖田董袁潘蒋蔡余杜叶程苏魏吕丁任沈姚卢姜崔钟谭陆汪范金石廖贾夏韦付方白邹孟熊秦邱江尹薛闫段雷侯龙史陶黎贺顾毛郝龚邵万钱严覃武戴莫孔向汤"
_TITLE = "总|老师|医生|大夫|教授|经理|主任|律师|阿姨|叔叔?|工|哥|姐|师傅|博士|导"
# No names, though they look like one: 小龙虾, 老方法, 小白菜.
_NO_NAME_ZH = "(?!虾|包|葱|菜|花|麦|米|姜|蒜|排骨|面|路|费|法|式|案|向|便|糖|萝卜|鞋|衣|裙|车|票|点|段|品|类|写|本)"
_NAMED_ZH = (
    re.compile(rf"(?P<name>[小老阿][{_SURNAME}])(?![\u4e00-\u9fff]{{0,1}}(?:板|师|公|婆)){_NO_NAME_ZH}"),
    re.compile(rf"(?<![小老阿])(?P<name>[{_SURNAME}][\u4e00-\u9fff]?(?:{_TITLE}))(?!作|程)"),
    re.compile(r"(?:\A|[。！？；，,])(?P<name>阿(?![姨姐哥妈里们])[\u4e00-\u9fff])(?=[^，。？?]{1,16}[？?])"),
    re.compile(
        rf"(?:跟|和|叫|找|约|给|问|让|请|见|是|发给|交给)(?P<name>[{_SURNAME}][\u4e00-\u9fff]{{1,2}}?)(?=说|聊|谈|见|开|吃|打|发|写|一起|了|要|去|来|[，,。！？\s]|$)"
    ),
)
# Who may be a person: 小满, 年糕说, 方琪不来了. What begins so and is a word of its own is none.
_MAY_BE_ZH = re.compile(
    r"(?P<name>[小老阿大][\u4e00-\u9fff])(?<!小时)(?<!小心)(?<!小区)(?<!小学)(?<!小吃)(?<!小说)(?<!小组)(?<!小票)(?<!小费)(?<!老家)(?<!老是)(?<!老实)(?<!大家)(?<!大概)(?<!大学)(?<!大约)(?<!大小)(?<!大部)(?<!大多)(?<!大夫)(?<!大门)(?<!大事)(?<!小事)(?<!大力)(?<!大量)(?<!小声)(?<!大声)(?<!大楼)(?<!小型)(?<!大型)(?<!老公)(?<!老婆)(?<!老妈)(?<!老爸)(?<!老师)(?<!老板)(?<!小龙(?=虾))"
    rf"|(?:^|[，。！？,;；\s])(?P<subject>[{_SURNAME}][\u4e00-\u9fff]{{1,2}}?)(?=说|不|也|又|还|已经?|刚|下周|明天|今天|周[一二三四五六日天末]|要|想|在|是|有|去|来|把|给|跟|和)"
)
_KIN_FORM_ZH = re.compile(
    rf"(?P<whose>我们?|咱们?|你们?|您)?(?:的|家)?(?P<kin>{'|'.join(sorted(_KIN_ZH, key=len, reverse=True))})(?![们者])"
)
_PRONOUN = re.compile(
    r"\b(?P<she>she(?P<is>['’](?:s|ll|d))?|her(?:s|self)?)\b|\b(?P<he>he(?P<is2>['’](?:s|ll|d))?|him|his|himself)\b",
    re.IGNORECASE,
)
_LEADS_ZH = re.compile(
    r"(?:而且|但是?|不过|所以|因为|然后|听说|其实|原来|对了|另外|还有|反正|昨天|今天|明天|后天|最近|现在|以后|上周|下周|周[一二三四五六日天末]|[我咱]们?|给|跟|和|陪|帮|带|问|让|请|叫|约|见|送|把|把?要|想|打算|得|去|说|觉得|谁|什么时候|哪天|[^\u4e00-\u9fff])*"
)
_PRONOUN_ZH = re.compile(r"(?P<she>她)(?!们)|(?<![其吉])(?P<he>他)(?![们人乡律])")
_OWNING = re.compile(
    r"(?:her|his)\s+(?!to\b|a\b|an\b|the\b|that\b|at\b|on\b|in\b|about\b|for\b|and\b|if\b|when\b|back\b|again\b|every\b|each\b|with\b|as\b|so\b|or\b|but\b|this\b|once\b|twice\b|because\b|from\b|tomorrow\b|today\b|yesterday\b|last\b|next\b)[a-z]",
    re.IGNORECASE,
)


# Who or what is told of is not named: "She's due in March", "It goes in for its service". The weather is no such thing.
_UNNAMED = re.compile(
    r"(?:(?:and|but|so|also|well|oh),? )*(?:(?:she|he|her|his)\b|(?:it['’]s|it(?!['’]s))\b(?! ?(?:is |was )?(?:\w+ing\b|only\b|just\b|not that\b|(?:so |too |very |really )?(?:hot|cold|warm|late|early)\b)))"
    r"|(?:而且|但是?|不过|所以)?[她他它](?!们)",
    re.IGNORECASE,
)


class Person(NamedTuple):
    """Somebody whom a turn names: how the user would, which pronoun fits, and in which turn. `perhaps`: a word that may be a name."""

    name: str
    fits: str
    turn: int
    perhaps: bool = False


def persons_of(text: str, turn: int) -> list[Person]:
    """Return the persons whom a turn names, each once."""
    found = {name.casefold(): Person(name, fits, turn) for name, fits in _named(text[:READ_CHARS])}
    whole = {
        key: one
        for key, one in found.items()
        if not any(key != other and key in other for other in found if "'s " not in other)
    }
    perhaps = {name.casefold(): Person(name, ANY, turn, perhaps=True) for name in _may_be_named(text[:READ_CHARS])}
    return [*whole.values(), *(one for key, one in perhaps.items() if not any(key in other for other in found))]


def _named(text: str) -> Iterator[tuple[str, str]]:
    for pattern in _NAMED:
        for match in pattern.finditer(text):
            words = match["name"].split()
            while words and words[0] in _NOT_NAMES and not words[0].startswith(("Dr", "Mr", "Ms", "Prof")):
                words = words[1:]
            if words and words[-1].rstrip(".") not in _NOT_NAMES:
                yield re.sub(r"['’]s$", "", " ".join(words)), _TITLES.get(words[0].rstrip("."), ANY)
    for match in _KIN_EN.finditer(text):
        if _FOLLOWS.match(text, match.end()) and not match["of"]:
            continue  # my sister Ines: the name is hers
        whose = "our" if match["whose"].lower() == "our" else "my"
        yield f"{whose} {match['kin'].lower()}", _KIN[match["kin"].lower()]
    for match in _KIN_OF.finditer(text):
        if fits := _KIN[match["kin"]]:  # of Mateo's teacher Mateo is more often told
            yield f"{match['name']} {match['kin']}", fits
    yield from _named_zh(text)


def _named_zh(text: str) -> Iterator[tuple[str, str]]:
    for pattern in _NAMED_ZH:
        for match in pattern.finditer(text):
            yield match["name"], ANY
    for match in _KIN_FORM_ZH.finditer(text):
        if match["whose"] or len(match["kin"]) > 1:
            yield (
                f"我{match['kin']}" if match["whose"] or len(match["kin"]) == 1 else match["kin"],
                _KIN_ZH[simplified(match["kin"])],
            )


def is_unnamed(text: str) -> bool:
    """Tell whether a statement begins with a word for somebody or something that stood before it."""
    return _UNNAMED.match(text) is not None


def _may_be_named(text: str) -> Iterator[str]:
    """Yield the words that may be a name: capitals where no sentence begins and no place stands, and whoever has something."""
    for match in _MAY_BE_ZH.finditer(text):
        yield match["name"] or match["subject"]
    for match in _MAY_BE.finditer(text):
        name = match["name"] or match["owner"]
        if name.rstrip(".") not in _NOT_NAMES:
            yield name


def points_at_person(text: str) -> bool:
    """Tell whether a text has a pronoun of a person."""
    return (_PRONOUN_ZH.search(text) or _PRONOUN.search(text)) is not None


def named_for(text: str, known: Iterable[Person]) -> tuple[str, int]:
    """Return a text whose first pronoun of a person is their name, and the turn that names them; 0 where nobody is proved."""
    found = _PRONOUN_ZH.search(text) or _PRONOUN.search(text)
    if (
        not found
        or persons_of(text[: found.start()], 0)
        or (found[0] in ("她", "他") and not _leads_zh(text[: found.start()]))
    ):
        return text, 0
    wants = HER if found["she"] else HIS
    fitting = {one.name.casefold(): one for one in known if one.fits in (ANY, wants)}
    sure = [one for one in fitting.values() if not one.perhaps]
    if len(sure) != 1 or any(one.fits in (ANY, wants) for one in persons_of(text, 0)):
        return text, 0
    (person,) = sure
    if any(one.perhaps and one.turn >= person.turn for one in fitting.values()):
        return text, 0
    return _replaced(text, found, person.name), person.turn


def _leads_zh(before: str) -> bool:
    """Tell whether what stands before a pronoun names no subject of its own: nothing, a word that goes on, the speaker, or a day."""
    return _LEADS_ZH.fullmatch(before) is not None


def _replaced(text: str, found: re.Match[str], name: str) -> str:
    said = found[0]
    ending = ""
    if said in ("她", "他"):
        return text[: found.start()] + name + text[found.end() :]
    if re.search(r"['’](?:s|ll|d)$", said):
        ending = said[-2:] if said[-2] in "'’" else said[-3:]
    elif said.lower() in ("her", "his") and (said.lower() == "his" or _OWNING.match(text, found.start())):
        ending = "'s"
    elif said.lower() in ("hers", "herself", "himself"):
        return text
    name = name[:1].upper() + name[1:] if found.start() == 0 else name
    return text[: found.start()] + name + ending + text[found.end() :]


# Why a statement should wait for a person, in a short word: what is private of others, diagnoses, faith, money, the law.
#
# What one must not eat or take is not delicate: it has to be known.
#
# Source
#     Own lists, after what data protection calls special categories of personal data.

TOLD_CHARS = 1000

_MUST_NOT = re.compile(
    r"\ballerg|\bintoleran|\bc(?:o)?eliac|\banaphyla|\bepipen|\b(?:can['’]?t|cannot|can not|must not|mustn['’]t|not allowed to|shouldn['’]t|do(?:es)?n['’]t|do(?:es)? not|avoid(?:s|ing)?) (?:eat|have|take|tolerate|drink|any)\b|\bside effects?\b|\breact(?:s|ed)? (?:badly )?to\b"
    r"|过敏|不耐受|不能[吃喝碰用服打]|忌口|禁忌|不可以[吃喝服]",
    re.IGNORECASE,
)
_OWN = re.compile(r"\b(?:i|i['’]m|im|i['’]ve|my|me|we|our|mine)\b|我|咱|本人", re.IGNORECASE)
_OTHER = re.compile(
    r"\b(?:he|she|they|his|her|their|him|them|my (?:\w+ )?(?:boss|manager|friend|sister|brother|mother|mum|mom|dad|father|wife|husband|partner|ex|colleague|coworker|cousin|neighbou?r|son|daughter|flatmate|roommate|aunt|uncle|landlord|client|teacher|best friend|in-laws?)|(?-i:[A-Z][a-z]+)(?:['’]s)?)\b"
    r"|[他她](?!人)|我?(?:妈|爸|姐|妹|哥|弟|老公|老婆|丈夫|妻子|朋友|同事|老板|领导|邻居|前任|室友|闺蜜|儿子|女儿|表[姐妹哥弟]|堂[姐妹哥弟]|房东|客户)|[小老][\u4e00-\u9fff]|[\u4e00-\u9fff]{1,2}[总姐哥]",
    re.IGNORECASE,
)
_PRIVATE = re.compile(
    r"\bdivorc|\bseparat(?:ed|ing) from\b|\baffair\b|\bcheat(?:ed|ing|s)\b|\bpregnan|\bmiscarr|\babortion|\bivf\b|\brehab|\balcoholi|\bdrinking (?:problem|again|too much)|\baddict|\brelaps|\bsuicid|\bself-harm|\babus(?:ed|ive|e)|\b(?:got|was|been|being|is getting|getting) (?:fired|sacked|laid off|dumped)|\bbroke(?:n)? up|\bbreak(?:ing)? up|\bsplit up|\bdementia|\balzheimer|\bstroke\b|\b(?:is|was|are) (?:dying|terminal|sick|ill)\b|\bquitting\b|\blooking for (?:a new|another) job|\bon a pip\b|\b(?:the )?secret"
    r"|离婚|分居|出轨|外遇|小三|怀孕|流产|堕胎|试管|酗酒|戒毒|吸毒|自杀|自残|家暴|被(?:开除|辞退|裁|甩|分手)|分手|痴呆|中风|病危|去世前|想辞职|要辞职|准备跳槽|偷偷|秘密|别告诉|隐瞒",
    re.IGNORECASE,
)
_DIAGNOSED = re.compile(
    r"\bdiagnos|\bcancer|\btumou?r|\bchemo|\bhiv\b|\baids\b|\bstd\b|\bsti\b|\bherpes|\bhepatitis|\bdepress(?:ed|ion)|\banxiety\b|\bbipolar|\bschizo|\bptsd|\badhd\b|\bautis|\beating disorder|\banorexi|\bbulimi|\bpanic (?:attack|disorder)|\btherap(?:y|ist)\b|\bpsychiatr|\bantidepress|\bssri|\bpregnan|\bmiscarr|\bivf\b|\bfertility|\bepilep|\bseizure|\bdiabet|\bmultiple sclerosis|\bparkinson|\bdementia|\balzheimer|\bburn-?out\b|\bmethadone|\bsober\b|\brehab"
    r"|确诊|癌|肿瘤|化疗|艾滋|性病|梅毒|疱疹|乙肝|丙肝|抑郁|焦虑症|躁郁|双相|精神分裂|强迫症|自闭|多动症|厌食|暴食|惊恐|心理(?:医生|咨询|治疗)|精神科|抗抑郁|怀孕|流产|试管|不孕|癫痫|糖尿病|帕金森|痴呆|戒酒|戒毒|病理|复发",
    re.IGNORECASE,
)
_REASONS = (
    ("sexuality", re.compile(
        r"\b(?:gay|lesbian|bisexual|queer|transgender|trans (?:man|woman|guy|girl|person)|non-?binary|asexual|closeted|came out (?:to|as)|coming out|sexual(?:ity)?|sex life|sleeping with|one-night stand|erectile|libido|contracepti|birth control)\b"
        r"|同性恋|双性恋|出柜|跨性别|性取向|性生活|约炮|一夜情|避孕|性功能",
        re.IGNORECASE,
    )),
    ("faith", re.compile(
        r"\b(?:muslim|christian|catholic|protestant|jewish|jew|hindu|buddhist|sikh|mormon|atheist|agnostic|jehovah|baptist|orthodox|converted to|(?:go(?:es|ing)?|went|attends?|attended|belongs?|back|sing|sings|sang|volunteers?|volunteered|pray|raised|grew up|every \w+|always|confirmed) (?:to |in |at |for |with )?(?:\w+ ){0,2}(?:church|mosque|synagogue|temple)|(?<!near )(?<!from )(?<!behind )\bat (?:church|mosque|synagogue|temple|mass)|(?:my|our|his|her|their) (?:church|mosque|synagogue|temple|parish|congregation)|(?<!say a )pray(?:s|er|ing)?|ramadan|my faith|religious|baptis(?:ed|m)|bible|quran|koran)\b"
        r"|穆斯林|回民|基督|天主教|信教|信佛|佛教|道教|伊斯兰|(?<![个两几一二三四五六七八九十半每上下这])礼拜(?!天|[一二三四五六日几])|受洗|教会|清真寺|斋月|无神论|宗教|信仰",
        re.IGNORECASE,
    )),
    ("politics", re.compile(
        r"\b(?:vot(?:e|ed|ing) (?:for|against)|(?:labour|tory|tories|conservatives?|democrats?|republicans?|greens?|liberals?|socialist|communist) (?:party|member|voter)|(?:democrat|republican|communist|socialist|anarchist|left-wing|right-wing)\b|party member|trade union|union (?:rep|member)|protest(?:ed|ing)?\b|demonstration|petition|election campaign|canvass)"
        r"|党员|入党|民进党|国民党|共产党|投票给|投了.{0,6}(?:票|党)|游行|示威|抗议|工会|政治立场|上访|请愿",
        re.IGNORECASE,
    )),
    ("the law", re.compile(
        r"\b(?:arrest(?:ed)?|lawsuit|su(?:ed|ing)\b|court (?:date|case|hearing|order)|convict(?:ed|ion)|probation|parole|prison|jail|custody|restraining order|charged with|pleaded|plea|dui\b|dwi\b|criminal record|police (?:report|came|caution)|immigration (?:case|status)|visa (?:refused|denied|expired)|asylum|undocumented|deport|bankrupt(?:cy)?|evict(?:ed|ion)|subpoena|settle(?:ment|d) (?:with|out of court)|my lawyer|solicitor)\b"
        r"|被(?:捕|抓|拘|起诉|判|告)|官司|诉讼|起诉|开庭|坐牢|监狱|取保|缓刑|抚养权|酒驾|案底|签证被拒|遣返|破产|仲裁|律师函|立案",
        re.IGNORECASE,
    )),
    ("money", re.compile(
        r"\b(?:salary|salaries|wage|earn(?:s|ed|ing)?\b[^.!?]{0,20}\d|mak(?:e|es|ing) \W?\d+k?\b|debts?|in debt|owe[sd]?\b|loan|mortgage|credit (?:card|score)|overdraft|savings|net worth|inherit(?:ed|ance)|pay ?rise|bonus of|payslip|gambl|alimony|child support|broke\b(?=[^a-z]*$)|benefits claim|pension pot|tax (?:debt|bill|arrears)|invest(?:ed)? \W?\d)"
        r"|工资|月薪|年薪|薪水|收入|欠(?:债|款|了|我|他|她|钱)|贷款|房贷|车贷|负债|信用卡|存款|网贷|借(?:了|给|钱)|遗产|赌|身家|奖金|公积金|理财|亏了|炒股",
        re.IGNORECASE,
    )),
)  # fmt: skip


def why_delicate(text: str) -> str:
    """Return why a statement should wait for a person: health, sexuality, faith, politics, the law, money, others' affairs; or ""."""
    text = text[:TOLD_CHARS]
    must_not = _MUST_NOT.search(text) is not None
    if _PRIVATE.search(text) and _OTHER.search(text):
        return "others' affairs"
    if not must_not and _DIAGNOSED.search(text):
        return "others' affairs" if _OTHER.search(text) and not _OWN.match(text) else "health"
    return next((reason for reason, words in _REASONS if words.search(text)), "")
