"""What a memory is worth as it ages: its score, worn down by time and kept up by use.

    worth = score × wear × use, 0 to 10
    wear  = 1 / (1 + days × decay / 4)      days since it was made or last came to mind
    use   = 1 + log2(1 + uses) / 10         at most 1.5

Source
    Forgetting follows a power of time, not an exponential (Wixted and Ebbesen 1991): a memory that is never used loses
    half of its worth in 40 days as an episode, in 80 as a fact, in more than a year as a trait.
"""

from __future__ import annotations

from math import log2
from typing import TYPE_CHECKING

from memd.text import expressions as re
from memd.text.characters import fold

if TYPE_CHECKING:
    from memd.model.memory import Memory

SCORE = 7.0  # of a memory that nobody scored
DAY_S = 86_400.0
SLOWER = 4.0
MOST_USE = 1.5


def worth_now(memory: Memory, uses: int, used_s: float | None, now_s: float) -> float:
    """Return what a memory is worth at a time (seconds since the epoch), 0 to 10."""
    since_s = max((one for one in (memory.when_s, used_s) if one is not None), default=now_s)
    days = max(0.0, now_s - since_s) / DAY_S
    wear = 1 / (1 + days * memory.decay_per_day / SLOWER)
    return min(10.0, _fresh(memory, uses) * wear)


def falls_below(memory: Memory, uses: int, used_s: float | None, worth: float) -> float | None:
    """Return when a memory that is not used again is worth less than this (seconds since the epoch), None where it never is."""
    since_s = max((one for one in (memory.when_s, used_s) if one is not None), default=None)
    if since_s is None or worth <= 0 or memory.decay_per_day <= 0:
        return None
    return since_s + max(0.0, _fresh(memory, uses) / worth - 1) * SLOWER / memory.decay_per_day * DAY_S


def _fresh(memory: Memory, uses: int) -> float:
    """Return what a memory is worth while no time has passed."""
    score = SCORE if memory.score is None else memory.score
    return score * min(MOST_USE, 1 + log2(1 + uses) / 10)


# Which facts about the user last, such that USER.md might have them: who they are, what they like, their health, home and work.
#
# Pure. What is found here is proposed and nothing else: no person's page is written by a rule.

READ_CHARS = 400
_SELF = re.compile(r"\b(?:i|i'm|i've|my|me|mine)\b|我|咱|本人|\b(?:the )?user\b|用户")

# What such a text tells is somebody else's, but for what they are called.
_ANOTHERS = re.compile(
    r"^(?:my|the user's|user's) (?:\w+ )?(?:wife|husband|partner|girlfriend|boyfriend|sons?|daughters?|kids?|children|sisters?|brothers?"
    r"|mother|mum|mom|father|dad|parents|grand\w+|aunt|uncle|cousin|friend|flatmate|roommate|neighbou?r|boss|colleague|landlord)\b"
    r"|^(?:我|用户)(?:的|们?家)?(?:老婆|老公|妻子|丈夫|爱人|对象|[男女]朋?友|儿子|女儿|孩子|妈|爸|母亲|父亲|爷爷|奶奶|外公|外婆|姥|哥|姐|弟|妹|[表堂][哥姐弟妹]"
    r"|舅|姑|姨|叔|朋友|同学|室友|邻居|老板|同事|房东)"
)
# "Sam my flatmate is allergic to nuts", "Priya told me she's coeliac": whoever is named first is who it is about.
_OF_SOMEBODY = re.compile(
    r"(?!(?:I|I['’]\w+|The|My|We|Our|User|Users?['’]s|This|That|It|Here|There)\b)[A-Z][\w’'-]*(?: (?:and|&) [A-Z]\w+)? (?:(?:my|our) (?!\w+ is\b\W*\Z)\w+|told (?:me|us)|(?:is|was|has|can['’]?t|cannot|does|doesn['’]?t|says?|said|likes?|loves?|hates?|lives?|works?)\b)"
)
_NAMED = re.compile(r"\b(?:called|named|name is|name's)\b|叫|名字")
# The first group that fits is told.
_GROUPS = {
    "health": re.compile(
        r"\b(?:allerg\w+|intoleran\w+|asthma\w*|diabet\w+|coeliac|celiac|insulin|medication|pregnant|blind|deaf)\b"
        r"|\b(?:vegan|vegetarian|gluten|lactose|halal|kosher)\b|过敏|哮喘|糖尿病|素食|吃素|忌口|乳糖|怀孕|用药|服药|不能吃"
    ),
    "home": re.compile(
        r"\b(?:live|living|moved|reside|rent|home ?town)\b.{0,20}\b(?:in|to|at|is|near)\b|\bmy (?:address|flat|apartment|house)\b"
        r"|住在|搬到|搬去|家在|老家|租(?:了|的)"
    ),
    "work": re.compile(
        r"\b(?:work|working|job|employed|study|studying|teach)\b.{0,12}\b(?:at|as|for|in|is|with)\b|\bi(?:'m| am) (?:a|an) \w+(?:er|or|ist|ian|se)\b"
        r"|\bmy (?:job|employer|company|profession|boss)\b|工作|上班|就职|任职|职业|公司|我是一?[名个位]"
    ),
    "identity": re.compile(
        r"\b(?:my|user's) (?:name|birthday|pronouns|wife|husband|partner|son|daughter|child\w*|mother|father|native language)\b"
        r"|\bcall me\b|\bi(?:'m| am) (?:from|born|\d{1,3} years)\b|\bi speak\b|我叫|叫我|我的(?:名字|生日|妻子|丈夫|老婆|老公|儿子|女儿|母语)|我是.{1,6}人|我今年"
    ),
    "preference": re.compile(
        r"\b(?:prefer\w*|favou?rite|love|hate|like|dislike|can't stand|always (?:use|want|take)|never (?:use|want|eat|drink))\b"
        r"|喜欢|偏好|讨厌|最爱|习惯|更愿意|从不|一向"
    ),
}


def lasting(text: str) -> str:
    """Return of what a text tells that lasts (health, home, work, identity, preference), "" where of nothing of the user's."""
    read = fold(text[:READ_CHARS])
    if not _SELF.search(read) or _OF_SOMEBODY.match(text):
        return ""
    if _ANOTHERS.search(read):
        return "identity" if _NAMED.search(read) else ""
    return next((group for group, words in _GROUPS.items() if words.search(read)), "")
