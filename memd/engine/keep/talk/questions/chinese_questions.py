"""An agent's Chinese question as a statement of the user: confirmed, denied, or with the answer at its place.

Chinese asks where it tells: the answer takes the place of the word of asking, and 你 becomes 我. Where the answer does not
fit there, question and answer stay beside each other.

Source
    Own lists.
"""

from __future__ import annotations

from memd.engine.keep.talk.questions.question import Asked, Kind
from memd.text import expressions as re
from memd.text.characters import is_cjk

_LEAD = re.compile(
    r"(?:\W|请问|好的?(?=[，,。！、\s])|那么?(?=[，,、\s你您]|是|几|什)|嗯+|哦|噢|对了|收到|明白了?|了解了?|顺便问(?:一下|一句)?|想问(?:一下|问)?|问(?:一下|一句)|确认一下|再确认(?:一下)?|另外|所以|方便(?:说|问|告诉我)?(?:一下|下)?(?:吗)?|能告诉我|可以告诉我|告诉我|还有(?=[，,])|谢谢|不客气|也就是说)*"
)
_OFFERS = re.compile(
    r"要不要我|需要我|要我|我来|我帮|帮你|给你|可以吗|行吗|好吗|可以么|能不能(?:发|贴|提供|给)|能(?:发|贴|提供|给)|(?:发|贴|提供|说|描述)一下|还有(?:别的|什么|其他)|想(?:让|要)我|对你有(?:帮助|用)|有帮助吗|这样(?:行|可以|好|对)"
    r"|建议|不如|要不|可以考虑|考虑|试试|推荐|提议|方案|干脆|满意|准备好了|怎么样|如何|为什么|为啥|怎么(?:办|看|回事|了)|要不要|需不需要|试(?:过|试|一下)|需要(?:什么)?帮|要(?:换|改|加|删|调|查|订|写|生成)"
)
_SELF = re.compile(r"我(?!们)")
_TAIL = re.compile(r"(?:[呢呀啊吧哦嘛么]|来着|[\s?？!！。.~～])+$")
_TAG = re.compile(r"[，,\s]*(?:对吧|对吗|对不对|是吧|是吗|没错吧|是不是|是这样吗?)[\s?？。！!~～]*$")
_IS_SO = re.compile(r"(?:吗|嘛|么)[\s?？。！!~～]*$")
_PERHAPS = re.compile(r"吧[\s?？。！!~～]*$")
_IS_IT = re.compile(r"是不是|是否")
_TOPIC_ALONE = re.compile(r"([^，,。！？?\s]{1,12}?)呢[\s?？。]*")
_OR_NOT = re.compile(r"(?P<one>[\u4e00-\u9fff])(?P<no>[不没])(?P=one)(?P<rest>[\u4e00-\u9fff]?)")
_WHEN = re.compile(
    r"(?:大概|具体|一般)?(?:什么时候|啥时候|什么时间|何时|哪一?天|哪个?(?:星期|月|年)|哪年|几月几[号日]|几[号日]|(?:周|星期|礼拜)几|几点(?:钟)?|几月份?|几时|多会儿)"
)
_WHO = re.compile(r"谁|哪位|哪个人|什么人")
_WHERE = re.compile(
    r"(?:哪里|哪儿|哪边|什么地方|啥地方|何处|哪个(?:城市|地方|国家|区)|哪(?:个)?城市|哪(?!个|些|种|款|家|位|天|年|一))"
)
_WHAT = re.compile(
    r"(?:什么|啥)(?:样的?)?(?:名字|工作|职业|专业|牌子|颜色|品种|型号|东西|药|口味|语言|框架|数据库|版本|车)?"
    r"|哪(?:个|些|种|款|家|一个|一家|支|条|所|部|本)[\u4e00-\u9fff]{0,4}?(?=[。？?呢，]|$|[是有在的])|哪(?:个|些|种|款|家|一个|一家|支|条|所|部|本)|多少[\u4e00-\u9fff]?|多大|多久|多高|多重|多远|多长|几(?P<unit>[\u4e00-\u9fff])?"
)
_WORDS = ((Kind.WHEN, _WHEN), (Kind.WHERE, _WHERE), (Kind.WHO, _WHO), (Kind.WHAT, _WHAT))
_OPEN = re.compile(r"什么|啥|谁|哪|几(?![乎])|多少|多[大久高重远长]|怎么")
_VERB = re.compile(
    r"(?P<subject>我们?(?:的?[\u4e00-\u9fff]{1,3}?)??)(?:还|也|都)?(?P<verb>有|会|吃|喝|喜欢|用|在|是|想|要|住|能|养|抽|怕|爱|开车|信)"
)
_SUBJECT = re.compile(
    r"(?P<subject>[^，,。！？\s]{1,16}?)(?:是|在|要|打算|准备|都|一般|平时|大概|具体|定在?|安排在?|的时间|[住叫用对做开去来到交搬走上下结出])*$"
)
_BY_ITSELF = re.compile(r"[^，,。]{2,}(?:不能|不可以|不要|不会|不行)[^，,。]")
_PREDICATE = re.compile(r"(?:改|推迟|提前|取消|延|定|订|约|已经|还没|还在|没|不|搬|是|在|由|归|叫|有|要|会|去|来)")
_AUXILIARY = re.compile(r"在$")
_JOB = re.compile(r"(?:是)?(?:做|干)什么(?:工作|行业|职业)?的?$|(?:从事)?什么(?:工作|职业)$")


def read_chinese(sentence: str) -> Asked | None:
    """Return an agent's question, in the words of the user; None where it offers, asks leave, or speaks of itself."""
    lead = _LEAD.match(sentence)
    said = sentence[lead.end() if lead else 0 :].strip()
    said = re.sub(r"\s+", "", said) if not re.search(r"[A-Za-z]\s+[A-Za-z]", said) else said
    if not said or _OFFERS.search(said) or _SELF.search(said):
        return None
    if _TAG.search(said) and not _OPEN.search(_TAG.sub("", said)):
        told = as_user_zh(_TAG.sub("", said))
        return Asked(Kind.TOLD, told, subject=_topic(told)) if told else None
    if topic := _TOPIC_ALONE.fullmatch(said):
        words = as_user_zh(topic[1])
        return Asked(Kind.WHAT, f"{words}：{{}}", subject=words)
    asks = any(form.search(said) for _, form in _WORDS)
    if asks and _IS_SO.search(said):
        return None  # 有什么忌口吗: the answer says all
    if not asks:
        return _whether(said)
    bare = _TAIL.sub("", said)
    if job := _JOB.search(bare):
        whose = as_user_zh(bare[: job.start()])
        return Asked(Kind.WHAT, f"{whose}的工作是{{}}", beside=as_user_zh(bare), subject=whose)
    for kind, form in _WORDS:
        found = form.search(bare)
        if not found:
            continue
        before, behind = bare[: found.start()], bare[found.end() :]
        if not (before + behind).strip("是的在，, "):
            return Asked(kind, "", bare=True)
        unit = found["unit"] if kind is Kind.WHAT and found["unit"] else ""
        form_words = as_user_zh(f"{before}{{}}{unit}{behind}")
        return Asked(kind, form_words, beside=as_user_zh(bare), subject=_topic(as_user_zh(before)))
    return None


def _whether(said: str) -> Asked | None:
    """Return a question that is answered with yes or no, or something that is told."""
    if found := _OR_NOT.search(said):
        bare = _TAIL.sub("", said)
        one, no = (
            found["one"],
            "没有" if found["no"] == "没" and found["one"] == "有" else f"{found['no']}{found['one']}",
        )
        yes = "" if one == "是" and found["no"] == "不" and not bare[: found.start()].strip() else one
        form = bare.replace(found[0], f"{yes}{found['rest']}", 1)
        denied = bare.replace(found[0], f"{no}{found['rest']}", 1)
        if one == "是":
            form = bare.replace("是不是", "", 1)
            denied = bare.replace("是不是", "不是", 1)
        return Asked(
            Kind.YES_NO, as_user_zh(form), denied=as_user_zh(denied), subject=_topic(as_user_zh(bare[: found.start()]))
        )
    ends = _IS_SO.search(said)
    told = as_user_zh(_TAIL.sub("", _IS_SO.sub("", _PERHAPS.sub("", said))))
    told = _IS_IT.sub("", told, count=1)
    if not told:
        return None
    return Asked(Kind.YES_NO if ends else Kind.TOLD, told, denied=_not(told), subject=_topic(told))


def _not(told: str) -> str:
    """Return a statement denied, where its verb is known; else ""."""
    found = _VERB.match(told)
    if not found:
        return ""
    no = "没" if found["verb"] == "有" else "不"
    return f"{found['subject']}{no}{told[found.start('verb') :]}"


def _topic(before: str) -> str:
    found = _SUBJECT.match(before.strip("，, "))
    return found["subject"] if found and before else ""


_IT_IS = re.compile(r"^(?:就?是|应该是|大概是?)(?=.)")


def answered_chinese(asked: Asked, answer: str) -> str:
    """Return a Chinese question with its answer as one statement."""
    answer = answer.strip().strip("。！!~～，,").removesuffix("吧").removesuffix("的") or answer
    answer = _IT_IS.sub("", answer) if "{}" in asked.form else answer
    if not asked.form:
        return ""
    if asked.kind is Kind.WHAT and not asked.form.endswith("{}") and _BY_ITSELF.match(answer):
        return answer  # 有什么要避开的, 花生不能碰
    if _PREDICATE.match(answer) and asked.subject and asked.kind is not Kind.WHO:
        before = asked.form.split("{}")[0]
        if before.endswith(answer[0]):
            return asked.form.replace("{}", answer[1:], 1)
        if answer[0] != "在" or asked.kind is not Kind.WHERE:
            return f"{asked.subject}{answer}"
    if answer.startswith("在") and _AUXILIARY.search(asked.form.split("{}")[0]):
        answer = answer[1:]
    unit = re.search(r"\{\}(.)", asked.form)
    form = asked.form
    if unit and answer.endswith(unit[1]) and len(answer) > 1:
        answer = answer[:-1]
    before = form.split("{}")[0]
    if len(answer) > 1 and before[-1:] == answer[0] and is_cjk(answer[0]):
        answer = answer[1:]  # 住哪里, 住徐汇
    first, comma, behind = answer.partition("，")
    return f"{form.replace('{}', first, 1)}{comma}{behind}"


_YOU = re.compile("[你您]")


def as_user_zh(said: str) -> str:
    """Return what an agent says to the user, as the user would say it of themselves."""
    return _YOU.sub("我", said).strip("，,。 ")
