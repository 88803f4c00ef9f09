"""Why a statement should wait for a person, in a short word: what is private of others, diagnoses, faith, money, the law.

What one must not eat or take is not delicate: it has to be known.

Source
    Own lists, after what data protection calls special categories of personal data.
"""

from __future__ import annotations

from memd.text import expressions as re

READ_CHARS = 1000

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
        r"\b(?:muslim|christian|catholic|protestant|jewish|jew|hindu|buddhist|sikh|mormon|atheist|agnostic|jehovah|baptist|orthodox|converted to|church|mosque|synagogue|temple|pray(?:s|er|ing)?|ramadan|my faith|religious|baptis(?:ed|m)|bible|quran|koran)\b"
        r"|穆斯林|回民|基督|天主教|信教|信佛|佛教|道教|伊斯兰|礼拜(?!天|[一二三四五六日])|受洗|教会|清真寺|斋月|无神论|宗教|信仰",
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
    text = text[:READ_CHARS]
    must_not = _MUST_NOT.search(text) is not None
    if _PRIVATE.search(text) and _OTHER.search(text):
        return "others' affairs"
    if not must_not and _DIAGNOSED.search(text):
        return "others' affairs" if _OTHER.search(text) and not _OWN.match(text) else "health"
    return next((reason for reason, words in _REASONS if words.search(text)), "")
