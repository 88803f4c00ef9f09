"""Into which part of a profile a memory goes: the first that fits.

Source
    Own lists.
"""

from __future__ import annotations

import re
from enum import StrEnum
from functools import lru_cache

from memd.engine.recall.profile.kin import is_family, is_of_another
from memd.model.memory import Kind, Memory
from memd.text.characters import fold
from memd.text.standing import is_standing

READ_CHARS = 400


class Group(StrEnum):
    """The parts, in the order of a profile."""

    WHO = "who"
    PEOPLE = "people"
    PLACES = "places"
    WORK = "work"
    HEALTH = "health"
    LIKES = "preferences"
    RULES = "rules"
    PLANS = "plans"
    PROJECTS = "projects"
    RECENT = "recent"
    OTHER = "other"


TITLES = {
    Group.WHO: ("Who they are", "是谁"),
    Group.PEOPLE: ("People around", "身边的人"),
    Group.PLACES: ("Places", "地方"),
    Group.WORK: ("Work", "工作"),
    Group.HEALTH: ("Health", "健康"),
    Group.LIKES: ("Likes and habits", "喜好与习惯"),
    Group.RULES: ("Standing instructions", "一贯的要求"),
    Group.PLANS: ("Plans and goals", "计划与目标"),
    Group.PROJECTS: ("Projects", "项目"),
    Group.RECENT: ("Episodes", "经历"),
    Group.OTHER: ("Other", "其他"),
}
WEIGHTS = {Group.WHO: 1.25, Group.RULES: 1.2, Group.HEALTH: 1.15, Group.PEOPLE: 1.1, Group.PLANS: 1.05, Group.PROJECTS: 0.9, Group.RECENT: 0.8, Group.OTHER: 0.7}  # fmt: skip

_GROUPS = (
    (Group.WHO, re.compile(
        r"\b(?:my|user's|the user's|\w+'s|his|her|their) (?:full |first |last |real |nick)?(?:name|birthday|pronouns|age|star sign|native language|mother tongue|nationality)\b"
        r"|\b(?:i|user|they|he|she) (?:was|were|am|is|are)? ?born\b|\b(?:i'm|i am|user is|is|are) \d{1,2}(?: years old\b|\s*$|\.)|\b(?:am|'m|user is|he is|she is) (?:called|named)\b|\bcall me\b|\bgoes by\b|\b(?:am|is|'m) from [a-z]"
        r"|\bspeaks? (?:fluent |some |a little )?(?:english|chinese|mandarin|cantonese|french|german|spanish|italian|portuguese|dutch|russian|japanese|korean|arabic|hindi)\b"
        r"|(?:名字|生日|年龄|属相|星座|母语|国籍|籍贯)|我叫|叫我|(?:名叫|叫做)|今年[\d一二三四五六七八九十]+岁|[\d一二三四五六七八九十]+岁|出生|会说(?:英|中|法|德|日|韩|西)"
    )),
    (Group.HEALTH, re.compile(
        r"\b(?:allerg\w+|intoleran\w+|asthma\w*|diabet\w+|co?eliac|insulin|medication|medicine|pills?|pregnan\w+|blind|deaf|vegan|vegetarian|gluten|lactose|halal|kosher|migraines?|blood (?:type|pressure)|doctor|dentist|surgery|diagnos\w+|therap\w+|insomnia|injur\w+)\b"
        r"|过敏|哮喘|糖尿病|素食|吃素|忌口|乳糖|怀孕|用药|服药|吃药|不能吃|血压|血型|失眠|手术|医生|牙医|体检|近视|偏头痛|受伤|膝盖|确诊"
    )),
    (Group.LIKES, re.compile(
        r"\b(?:prefers?|preferred|preference|favou?rites?|loves?|hates?|likes?|enjoys?|dislikes?|can't stand|cannot stand|fond of|fan of|into|(?:always|never|usually) (?:uses?|wants?|takes?|eats?|drinks?|reads?|wears?|orders?|has|have)|collects?|plays? the|hobb(?:y|ies)|habit)\b"
        r"|喜欢|偏好|讨厌|最爱|爱(?:吃|喝|看|听|玩|好)|习惯|更愿意|从不|从来不|一向|受不了|爱好|不吃|不喝|口味|迷上|每天早上|每晚"
    )),
    (Group.PLANS, re.compile(
        r"\b(?:plans?|planning|hopes?|intends?|aims?|wants?|would like|going) to\b|\bgoals?\b|\bdeadline\b|\bby (?:the end of|next)\b|\bis due\b|\bresolution\b|\bsaving (?:up )?for\b|\bwill (?:visit|move|start|run|travel|fly|marry|take|go)\b"
        r"|打算|计划|目标|准备(?:去|在|考|买|学|搬|换)|想(?:在|去|学|考|要)|截止|之前(?:完成|交)|争取|攒钱|将要|下(?:个?月|周|星期|礼拜)要?|明年"
    )),
    (Group.WORK, re.compile(
        r"\b(?:works? (?:at|as|for|from|nights?|part|full|shifts?)|working|job|employed|employer|employee|company|profession|career|office|salary|colleagues?|clients?|boss|manager|stud(?:y|ies|ying|ent)|teach(?:es|er)?|university|degree|thesis|freelanc\w+|shift)\b"
        r"|\b(?:i'm|i am|user is|he is|she is) an? (?:\w+ ){0,2}(?:\w{3,}(?:er|or|ist|ian|ect)|nurse|chef|cook|judge|pilot|clerk|vet|surgeon|accountant)\b"
        r"|工作|上班|就职|任职|职业|公司|同事|老板|客户|办公室|当(?:老师|医生|护士|律师|程序员)|读(?:研|博|大学|书)|大学|专业|论文|加班|值班|轮班|是一?[名位个].{0,6}[师员家生士]"
    )),
    (Group.PLACES, re.compile(
        r"\b(?:lives?|living|moved|resides?|rents?|stays?|based|home ?town|located)\b.{0,24}\b(?:in|to|at|is|near|on|with|from)\b|\b(?:(?:my|her|his|user's|home|postal) address|flat|apartment|house|neighbou?rhood|postcode|street|hotel|city|village)\b"
        r"|住在|住(?:的|过|进)|搬到|搬去|搬家|家在|老家|租(?:了|的|房)|地址|小区|公寓|房子|门牌|路\d+号|城市"
    )),
    (Group.PROJECTS, re.compile(
        r"\b(?:projects?|repo(?:sitory)?|code(?:base)?|deploy\w*|servers?|database|branch|release|pull request|api|backend|frontend|pipeline|docker|tests?|build|sprint|roadmap|port \d+|staging|production|app|website|script|bug)\b"
        r"|项目|仓库|代码|部署|服务器|数据库|分支|发布|接口|后端|前端|流水线|测试|构建|迭代|端口|上线|网站|脚本|需求|缺陷"
    )),
)  # fmt: skip


@lru_cache(maxsize=32_768)
def read_group(text: str, *, own: bool) -> Group:
    """Return the part that a text's words speak for. `own`: the profile is the user's."""
    text = text[:READ_CHARS]
    if own and (is_family(text) or is_of_another(text)):
        return Group.PEOPLE
    read = fold(text)
    return next((group for group, words in _GROUPS if words.search(read)), Group.OTHER)


def group_of(memory: Memory, now_s: float, *, standing: bool, own: bool, text: str = "") -> Group:
    """Return a memory's part. `standing`: it is always in mind; `own`: the profile is the user's; `text`: its own, else.

    What is always in mind is a rule where it is put as one, and so is a trait that does not tell who they are.
    """
    found = read_group(text or memory.text, own=own)
    may_rule = standing and not memory.is_of_world and found is not Group.WHO
    if may_rule and (memory.kind is Kind.TRAIT or is_standing(memory.text, memory.source)):
        return Group.RULES
    span = memory.event.span() if memory.event else None
    if memory.kind is Kind.GOAL or (memory.planned and span is not None and span[1] > now_s):
        return Group.PLANS
    if memory.kind is Kind.EPISODIC and found not in (Group.HEALTH, Group.WHO, Group.PLANS):
        return Group.RECENT
    return found
