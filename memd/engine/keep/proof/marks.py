"""Words that change what a statement comes to: a doubt, a plan, a condition, a time that is over, an exception, a wish.

What a turn says under one of these, a statement that is taken from it must say under it too.

Source
    Own lists.
"""

from __future__ import annotations

from memd.text import expressions as re

_MARKS: dict[str, re.Pattern[str]] = {
    "a doubt": re.compile(
        r"\b(?:maybe|perhaps|probably|possibly|might|may(?= (?:be|have|not|need|go|do|get|take|move|change|\w+ (?:to|in|on|at))\b)|could be|not sure|unsure|i (?:think|guess|suppose|suspect|believe|assume|doubt)|apparently|supposedly|seems?|seemed|likely|rumou?r|allegedly)\b"
        r"|可能|也许|大概|或许|说不定|好像|似乎|估计|应该是|不确定|不一定|据说|听说|我猜|我想是|八成|没准",
        re.IGNORECASE,
    ),
    "a plan": re.compile(
        r"\b(?:going to|gonna|plan(?:s|ning|ned)? (?:to|on)|hop(?:e|es|ing) to|want(?:s|ed)? to|wanna|thinking (?:of|about)|consider(?:s|ing)?|intend(?:s|ing)? to|about to|tr(?:y|ies|ying) to|would like to|'?d like to|dream(?:s|ing)? of|will|['’]ll|shall|meant to|used to plan)\b"
        r"|打算|计划|准备|考虑|想要?(?=去|买|学|搬|换|做|当|辞|试|养|开|找|住|养)|希望|将要?|会(?=去|搬|换|来|在|把)|快要|正想|要(?=去|搬|换|辞|结婚|出差)",
        re.IGNORECASE,
    ),
    "a condition": re.compile(
        r"\b(?:if|unless|whether|in case|provided|assuming|suppose|otherwise|as long as|would(?! like)|could(?! be))\b|如果|要是|假如|假设|倘若|除非|万一|只要|的话|是否|否则",
        re.IGNORECASE,
    ),
    "a time that is over": re.compile(
        r"\b(?:used to|formerly|previously|former|once (?:was|had|lived|worked)|no longer|not any ?more|any ?more|back (?:then|when)|in the past|as a (?:kid|child|student)|ex-\w+|until (?:last|recently|yesterday)|stopped|quit|gave up)\b"
        r"|以前|曾经?|过去|原来|之前|从前|当年|小时候|不再|前(?:任|夫|妻|男友|女友)|戒了|[\u4e00-\u9fff]过(?![敏年程来去分期节度于渡桥])",
        re.IGNORECASE,
    ),
    "an exception": re.compile(
        r"\b(?:except|apart from|other than|only|just (?:one|once|on|for)|hardly|barely|almost|nearly|instead of|rather than|at (?:most|least)|less than|more than|unless)\b|除了|只(?!要|是|有?好)|仅|几乎|差点|而不是|至少|至多|不到|超过|将近",
        re.IGNORECASE,
    ),
    "a wish": re.compile(
        r"\b(?:i wish|wish(?:es)?|if only|should have|ought to|supposed to|pretend\w*|dreamt|dreamed|as if|joking|kidding)\b|要是.{0,12}就好|真希望|巴不得|恨不得|本来(?:应该|想)|假装|梦见|开玩笑",
        re.IGNORECASE,
    ),
}  # fmt: skip


def marks_in(text: str) -> set[str]:
    """Return the names of what stands in a text."""
    return {name for name, words in _MARKS.items() if words.search(text)}


def doubts_in(text: str) -> set[str]:
    """Return the names of what puts a whole statement in doubt, its clauses with it."""
    return marks_in(text) & {"a doubt", "a condition", "a wish"}
