"""What says of itself that something is no longer as it was: "moved to", "not any more", 改成, 不再.

Source
    Own lists.
"""

from __future__ import annotations

import re

READ_CHARS = 400

_ENDS = re.compile(
    r"\b(?:no longer|not \w+(?: \w+){0,4} any ?more|instead(?! of (?:me|you))|moved|moving|switched|switching|changed|upgraded|downgraded|migrated|transferred|swapped|converted|renamed|relocated|gave up|given up|quit|stopped|dropped|retired|leaving|cancel\w*|postponed|brought forward|pushed (?:back|to)|rescheduled|extended|called off|replaced|sold|closed down|shut down|ended|took over|taken over|takes over|used to|over to|off the|went bust|back to|gets? archived|from now on|as of)\b|\bnot (?:the )?\w+(?: \w+)?(?: any ?more)?(?=[\s.!]*$)"
    r"|改(?:成|为|到|在|用|去|吃|喝|报|坐|叫|由|為|報)|换(?:成|到|了|为|人)|換(?:成|到|了|為|人)|不再|不(?:去|用|吃|喝|做|住|在|玩|养|考|学|骑|开|上|跑|抽|打|负责)[^，。]{0,8}了|没再|戒(?:了|掉)|停(?:掉|用|刊|产|產)|取消|推迟|提前|延(?:到|期|后)|搬(?:到|去|家|走|进|来|進|來)|离职|辞职|辞了|離職|辭職|跳槽|转(?:到|去|岗|行|学|正)|轉(?:到|去|職)|升(?:到|为|級)|降(?:到|为)|涨到|漲到|减(?:到|为)|減(?:到|為)|加到|增加到|卖(?:了|掉)|賣(?:了|掉)|退(?:租|休|掉|出)|分手|离婚|離婚|合并|合併|以后都|以後都|接手|接替|调(?:到|去|走)|調(?:到|去|走)|新来的|新來的|不是[^，。]{1,12}了",
    re.IGNORECASE,
)
_HOLDS = re.compile(
    r"\b(?:now|nowadays|these days|left|since (?:last|yesterday|monday|tuesday|wednesday|thursday|friday|saturday|sunday|january|february|march|april|may|june|july|august|september|october|november|december|this|half|the \d|\d)|(?:got|bought|have|has) (?:a|some|an) new|up to|down to|gone|closed|closing|new (?=\w+ is\b)|any ?more)\b"
    r"|改(?:完|了)|现在|如今|目前|現在|今年起|从[^，。]{1,10}(?:起|开始)|從[^，。]{1,10}(?:起|開始)|走了|迷上|比[^，。]{1,10}(?:还|更)|停(?:了)|升了|退了|转正|涨了",
    re.IGNORECASE,
)


def says_end(text: str) -> bool:
    """Tell whether a statement says that something ended or that something else took its place."""
    return _ENDS.search(text[:READ_CHARS]) is not None


def says_change(text: str) -> bool:
    """Tell whether a statement has words by which something is no longer as it was, or holds only since lately."""
    return says_end(text) or _HOLDS.search(text[:READ_CHARS]) is not None
