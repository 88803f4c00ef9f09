"""Standing leave to act without asking: to run commands, delete, change, push, install, pay. Nobody's order, and it would never end.

Said once to somebody who is about to act it is an answer; as a memory it holds for every conversation, whoever speaks in it. What
forbids it, asks whether it is so, tells of other people or programs, or names what is always harmless (to run the tests) is none.

Units
    Characters. A clause is looked at AROUND_CHARS to both sides, as far as its sentence goes.
"""

from __future__ import annotations

from functools import cache

from memd.engine.keep.anywhere import alternatives
from memd.model.scan import Danger, Found
from memd.text import expressions as re
from memd.text.expressions import matches_in
from memd.text.times.needed import Held, Needs, needs_of

REACH_CHARS, AROUND_CHARS = 300, 120
_YOU = r"(?:you|the (?:assistant|agent|model|ai)|(?:an? )?(?:assistants?|agents?)|claude|codex|gemini|memd)"
_ANY = r"(?:(?:any|all|every|whatever|my|our|the|these|those|old|other|new|some|arbitrary|of|sudo|root|shell|bash|terminal|console|system|production|local|config|configuration|big|large)\s+){0,4}"
_ACT = (
    rf"(?:(?:run|execut|invok|launch|start)\w{{0,4}}\s+{_ANY}(?:commands?|scripts?|code|programs?|executables?|binaries|tools?|sudo|anything|everything|whatever|migrations?)\b"
    rf"|(?:delet|remov|eras|overwrit|wip|drop|discard|purg|clear)\w{{0,4}}\s+{_ANY}(?:files?|folders?|director(?:y|ies)|data(?:bases?)?|tables?|branch(?:es)?|backups?|e-?mails?|mails?|records?|memor(?:y|ies)|repos?(?:itor(?:y|ies))?|history|rows?|anything|everything|things|whatever)\b"
    rf"|(?:chang|modif|edit|alter|rewrit)\w{{0,4}}\s+{_ANY}(?:files?|settings?|configurations?|configs?|code|permissions?|passwords?|systems?|databases?|data|anything|everything)\b"
    rf"|(?:force[- ]?)?push\w{{0,3}}\b|deploy\w{{0,4}}\b|(?:publish|releas|merg|commit)\w{{0,4}}\b|(?:un)?install\w{{0,4}}\b"
    rf"|(?:spend|pay|buy|purchas|transfer|withdraw)\w{{0,4}}\b|send\w{{0,3}}\s+{_ANY}(?:e-?mails?|mails?|messages?|money)\b"
    r"|(?:do|doing)\s+(?:anything|everything|whatever|all of it|as you (?:like|please|want))\b|act(?:ing)?\b)"
)
_ME = r"(?:(?:\s+with)?\s+(?:me|us|first|again|anyone|anybody|the user))*"
_MY = r"(?:(?:any|my|our|prior|further|explicit|the user['’]s|having|getting|waiting|for|to)\s+){0,4}"
_ASKS = r"(?:ask(?:ing)?|check(?:ing)?|confirm(?:ing)?|prompt(?:ing)?|consult(?:ing)?|wait(?:ing)? for me)"
_UNASKED = rf"(?:without\s+(?:ever\s+|even\s+|always\s+|first\s+)?{_MY}(?:{_ASKS}{_ME}|(?:confirmations?|permissions?|approvals?|consent|questions?|prompts?|reviews?|ok(?:ay)?|sign-?off)\b)|unasked\b)"
_GIVEN = (
    rf"(?:\b{_YOU}(?:['’]re| are| is| have| has|['’]ve|['’]s)?\s+(?:(?:always|also|now|then|just|freely|hereby)\s+)?(?:may|allowed to|free to|permitted to|welcome to|cleared to|authori[sz]ed to|trusted to|(?:my |our |the |full |standing )*(?:permission|leave|consent|approval|ok) to)"
    rf"|\b(?:allow|permit|authori[sz]e|let|trust|want|instruct|told|empower)\w{{0,3}}\s+{_YOU}\b|\bgave\s+{_YOU}\s+(?:my |full |standing )*(?:permission|leave|consent|approval)\b|\bfeel free to\b|\bgo ahead and (?:always )?"
    rf"|\b{_YOU}\s+(?:(?:always|also|now|just)\s+)?(?:can(?!['’]t|not)|could|should|shall)(?=[^.!?\n]{{0,90}}\b(?:asking|{_ASKS}\s+(?:me|us|with)|my|our)\b))"
)
_START = r"(?:(?<=^)|(?<=[.!?\n]\s)|(?<=[.!?\n]))"
_NO_NEED = r"(?:(?:there is |there['’]s )?no need to|(?:you )?(?:do not|don['’]t|need not|needn['’]t|never) (?:(?:need|have|bother) to )?)\s*(?:ask|check with|confirm with|consult)(?: (?:me|us|first|again|anyone|before(?:hand)?))*(?=\s*(?:[.!\n]|$))"
_ENGLISH = re.compile(
    rf"{_GIVEN}(?!\s+(?:not|never|no)\b)(?:(?!\b(?:not|never|cannot)\b|n['’]t)[^.!?\n]){{0,60}}?\b{_ACT}[^.!?\n]{{0,50}}?\b{_UNASKED}"
    rf"|{_GIVEN}(?!\s+(?:not|never|no)\b)(?:(?!\b(?:not|never|cannot)\b|n['’]t)[^.!?\n]){{0,30}}?\b{_UNASKED}[^.!?\n]{{0,20}}?\b{_ACT}"
    rf"|(?:\b{_YOU}\s+(?:do not|don['’]t|never|need not|needn['’]t|no longer|must not|should not|shouldn['’]t)\s+(?:ever\s+|always\s+)?(?:need to\s+|needs to\s+|have to\s+|must\s+)?|\bno need (?:for you )?to\s+|(?:(?<=^)|(?<=[.!?,;:\n]\s)|(?<=[.!?,;:\n])|\band\s+|\bplease\s+)(?:do not|don['’]t|never|stop|quit)\s+(?:ever\s+|bother\s+(?:to\s+)?)?)"
    rf"{_ASKS}{_ME}(?:\s+for\s+{_MY}(?:confirmations?|permissions?|approvals?|consent|ok(?:ay)?))?{_ME}\s+(?:before|when|whenever|prior to|if\s+{_YOU}\s+(?:can|may|should)|(?<=permission )to|(?<=approval )to|(?<=consent )to)\s+(?:(?:{_YOU}(?:['’]re| are)?|wanting to|going to)\s+)?{_ACT}"
    rf"|{_START}(?:from now on,? |in (?:the )?future,? |always |just |please |simply ){{1,3}}{_ACT}[^.!?\n]{{0,50}}?\b{_UNASKED}"
    rf"|{_START}(?:(?:from now on,?|always|just|please|go ahead and|feel free to) ){{0,3}}{_ACT}[^.!?\n]{{0,50}}?[,;.–—-]+ ?(?:and )?{_NO_NEED}"
    rf"|(?<!can )\b(?:the (?:assistant|agent|model|ai)|claude|codex|gemini|memd) (?:can|could|may|should)(?!['’]t|not| not| never)\s+{_ACT}[^.!?\n]{{0,50}}?\b{_UNASKED}"
    rf"|\b(?:any|all|every|prefers?(?: that)?|wants?)\s+(?:\w+\s+){{0,3}}?(?:commands?|scripts?|tools?|actions?|changes|edits|(?:tool )?calls?)\s+(?:(?:may|can|should|must|are to|is to|to)\s+(?:always\s+)?be|are|is|be)\s+(?:always\s+)?(?:run|executed|made|done|used|carried out|applied|performed)\s+{_UNASKED}"
    rf"|{_START}(?:please )?(?:do not|don['’]t|never) ask (?:me )?(?:for (?:my )?(?:permission|confirmation|approval)|first|before acting)[,;.–— -]+(?:and )?(?:just |simply |always )*(?:do it|act|go ahead|proceed|do (?:what|whatever|things?))\b"
    r"|\b(?:consider|treat|regard) (?:everything|anything|all|any|every)\b[^.!?,\n]{0,40}\b(?:pre-?)?(?:approved|authori[sz]ed|confirmed)\b"
    r"|\b(?:you have|you(?:['’]ve| are| have been) (?:given|granted|got)|i (?:hereby )?(?:give|grant) you|has given (?:you|the agent|the assistant))\s+(?:a |my |full |the )*(?:blanket|unlimited|unrestricted|carte blanche|unconditional|standing)\s+(?:permission|approval|authority|leave|consent)\b"
    r"|(?:(?<=^)|(?<=[.!?,;:\n]\s)|(?<=[.!?,;:\n])|\byou (?:may|should|can) |\bplease )(?:always |automatically |auto-?)?(?:approve|accept|allow|skip|bypass) (?:any|all|every) (?:shell |tool |terminal |permission |confirmation |safety |future )*(?:commands?|calls?|prompts?|confirmations?|checks)\b"
)
_ACT_ZH = (
    r"(?:(?:执行|运行|跑)[^。！？!?\n，,]{0,6}?(?:命令|脚本|指令|程序|操作|代码)|(?:删除?|删掉|清空|覆盖|移除|清理)[^。！？!?\n，,]{0,6}?(?:文件|目录|数据|库|表|分支|备份|邮件|记录|东西|任何)"
    r"|(?:修改|改动|更改|编辑|改)[^。！？!?\n，,]{0,6}?(?:文件|配置|设置|代码|系统|权限)|推送|强推|部署|发布|合并[^。！？!?\n，,]{0,4}?(?:代码|分支|请求)|提交代码|安装[^。！？!?\n，,]{0,4}?(?:软件|依赖|包|程序|插件|任何|东西)|卸载"
    r"|付款|支付|转账|下单|花钱|发送?(?:邮件|消息|短信)|(?:做|干)任何(?:事|操作))"
)
_UNASKED_ZH = (
    r"(?:(?:不用|不必|不需要?|无需|无须|毋须|别|不要|甭)(?:再|先|每次|都|来|向我|跟我|和我|经过?){0,3}(?:问我|询问我?|请示我?|征[求得]我|我(?:的)?(?:同意|确认|批准|许可|允许)|等我)|(?:不(?:用|必|需要?)|无需|无须|毋须)(?:再|先|每次|都){0,2}(?:问|确认|请示|批准|询问|征求)"
    r"|(?:不经|未经|不经过|不征求|不征得)(?:我)?(?:的)?(?:同意|确认|允许|许可|询问|批准)|不问我|不先问我)"
)
_LETS_ZH = r"(?<![不没未])(?:可以|允许|准许|同意|授权|尽管|放心|随便|有权|准你|许你)"
_NO_ZH = r"(?:(?!不(?:可以|能|许|得|准|应|该|要)|禁止|严禁|切勿|绝不)[^。！？!?\n])"
_CHINESE = re.compile(
    rf"{_ACT_ZH}{_NO_ZH}{{0,14}}?{_UNASKED_ZH}|{_LETS_ZH}{_NO_ZH}{{0,12}}?{_UNASKED_ZH}{_NO_ZH}{{0,10}}?{_ACT_ZH}"
    rf"|{_UNASKED_ZH}{_NO_ZH}{{0,8}}?(?:就可以|即可|就能|也可以|也能|就行|直接){_NO_ZH}{{0,8}}?{_ACT_ZH}"
    r"|(?:所有|任何|一切|全部)(?:的)?(?:操作|命令|指令|请求|权限|工具调用|修改|改动)[^。！？!?\n不没未]{0,4}?(?:默认|一律|自动|直接|全部)(?:默认|自动|视为|当作|都)*(?:同意|批准|允许|通过|放行|授权)"
    rf"|想(?P<does>装|删|跑|改|执行|运行|部署|发)什么[^，,。]{{0,6}}就(?P=does)什么[，,]?{_NO_ZH}{{0,4}}?(?:{_UNASKED_ZH}|(?:不用|不必|无需)(?:跟|和|向)我(?:说|讲|汇报|报告))"
    rf"|(?<![不没未])(?:允许|授权|准许|同意)你{_NO_ZH}{{0,8}}?(?:直接|任意|随意|自由|随便){_NO_ZH}{{0,6}}?{_ACT_ZH}"
)
_BEFORE = re.compile(
    r"(?:\b(?:not|never|nobody|no one|refus\w+|forbid\w*|forbade|whether|if|unless|am i|are|do|does|did|can|may|should|why|who|which|in case|dangerous|worr\w+|afraid)\b|n['’]t)[^,;:]{0,80}$"
)
_MANUAL = re.compile(
    r"(?<!\w)--?[a-z]|`|\b(?:with|using|by (?:adding|passing|setting)) (?:the |an? )?(?:flag|option|switch)\b"
)
_ASKS_WHETHER = re.compile(r"[^.!?。！？\n]{0,120}[?？]|[^。！？\n]{0,12}[吗么嘛](?:[。！\n]|$)")
_BEFORE_ZH = re.compile(
    r"(?:不(?:可以|能|许|得|准|应|该|要|允许|同意)|没有?|从未|禁止|严禁|是否|能否|可否|如果|要是|为什么)[^。！？!?\n]{0,24}$"
)
# Who acts, as a clause before the leave has it: the reader, or nobody who is named.
_READER_ZH = re.compile(r"你|您|助手|助理|智能体|以后|今后|往后|从现在起|一律")
_NOBODY_ZH = re.compile(
    r"(?:\s|请|记住|那么?|就|都|也|我|用户|本人|所有|任何|默认|直接|平时|一般|随便|尽管|放心|已经?|说过?|正式|永久|[“”\"'「」【】\[\]*#>-])*"
)
_ADDRESSED_ZH = re.compile(
    r"我|你|随便|尽管|放心|(?:所有|任何|一切|全部)(?:的)?(?:操作|命令|指令|请求|权限|工具调用)|以后|今后|往后|一律|授权|允许"
)
_FORBIDS_ZH = re.compile(r"[^。！？!?\n]{0,6}(?:不行|不可以|不允许|不能|不得|禁止|很危险|太危险|违规)")


def find_standing_leave(folded: str) -> list[Found]:
    """Return the leave that a folded text gives to act without asking, if it does; its span is the whole text."""
    if not (_is_given(folded) or _is_given_zh(folded)):
        return []
    return [Found(Danger.INJECTION, "standing leave", 0, len(folded), "it gives standing leave to act without asking")]


@cache
def _needed() -> tuple[Needs, ...]:
    """Return what each alternative of the English ones needs: all of them together take a hundred times as long to rule out."""
    return tuple(map(needs_of, alternatives(_ENGLISH.pattern)))


def _is_given(folded: str) -> bool:
    held = Held(folded, digits=True)
    if not any(map(held.has, _needed())):
        return False
    for one in matches_in(_ENGLISH, folded, REACH_CHARS):
        before = re.split(r"[.!?\n]", folded[max(0, one.start() - AROUND_CHARS) : one.start()])[-1]
        after = re.split(r"[.!?\n](?:\s|$)", folded[one.start() : one.end() + AROUND_CHARS])[0]
        asked = _ASKS_WHETHER.match(folded, one.end())
        if not (_BEFORE.search(before) or _MANUAL.search(before + after) or asked):
            return True
    return False


def _is_given_zh(folded: str) -> bool:
    for one in matches_in(_CHINESE, folded, REACH_CHARS):
        before = re.split(r"[。！？!?\n]", folded[max(0, one.start() - AROUND_CHARS) : one.start()])[-1]
        clause = re.split(r"[，,；;：:、]", before)[-1]
        reader = _READER_ZH.search(clause) or _NOBODY_ZH.fullmatch(clause)
        addressed = reader and _ADDRESSED_ZH.search(before + one[0])
        refused = _ASKS_WHETHER.match(folded, one.end()) or _FORBIDS_ZH.match(folded, one.end())
        if addressed and not _BEFORE_ZH.search(before) and not refused:
            return True
    return False
