"""Which statements stand for every conversation, and which questions are about all that is known.

A standing instruction is addressed to the assistant and to all that comes: how to answer, what to call someone. A
preference that is only told ("User prefers short answers") is none: it comes where it bears on something.

Source
    Own lists.
"""

from __future__ import annotations

import re

READ_CHARS = 300

_STANDING = re.compile(
    r"^\W*(?:(?:please|and|also|hey|ok|note)\b[\s,:]*)*(?:"
    r"from now on,? (?:please )?(?:always |never |only )?(?:answer|reply|respond|keep (?:your|all|answers|replies|it)|write to me|write back|speak|talk|call me"
    r"|address me|be (?:brief|short|blunt|direct|polite)|explain|use (?:emoji|bullet|metric|simple|plain)|(?:do not|don't|no) (?:emoji|bullet|use|answer)|in \w+\b)"
    r"|(?:you can |just )?(?:call|address) me\b|(?:always|never) (?:answer|reply|respond|address|call|write to me|speak|talk to me)\b"
    r"|(?:keep|make) (?:all |your |the )*(?:answers|replies|responses)\b|(?:answer|reply|respond|speak|talk) (?:to me )?(?:only |always |briefly\b|shortly\b"
    r"|in (?:english|chinese|french|german|spanish|japanese|plain|short|simple|one|two|three|full)\b)"
    r"|(?:don't|do not|never) (?:use|add|send) (?:emoji|emojis|bullet|bullets|exclamation)"
    r"|(?:the )?user (?:wants|asked|likes|prefers|wishes) (?:to be (?:called|addressed)|you to (?:call|answer|reply))\b|(?:refer to|address) the user as\b"
    r"|(?:从现在起|从今往后|今后|以后).{0,8}(?:回答|回复|叫我|称呼|用[中英]文|跟我说|说话|语气|表情|啰嗦)|(?:请)?(?:叫|喊|称呼)我|(?:回答|回复)(?:我)?(?:时|的时候|要|都|请|一律|别|不要|用|尽量|控制|保持|简)"
    r"|(?:请)?(?:一直|始终|总是|都)?用(?!户).{1,6}(?:回答|回复)|用户(?:希望|要求|喜欢)(?:被|你|我们|大家)?(?:称|叫|喊)"
    r")",
    re.IGNORECASE,
)
_ABOUT_ALL = re.compile(
    r"\bwhat (?:do|did|all do|else do) you (?:actually |really |already )?(?:know|remember|recall|have)(?: so far)?(?: stored| saved| written down)?"
    r" (?:about|of|on) (?:me|myself|us)\b"
    r"|\b(?:tell me|say|list|summari[sz]e|show me)(?: me)? (?:everything|all|what)(?: that)? you (?:know|remember|have)(?: \w+)? (?:about|of|on) (?:me|us)\b"
    r"|\bwho am i\W*$|\bwhat have i told you(?: about (?:me|myself))?\s*[?.!]*$"
    r"|(?:你|您)(?:都|到底|还|现在)?(?:知道|了解|记得|记住了?|记着)(?:关于)?我(?:的)?(?:些|的)?(?:什么|哪些|多少|啥|一切|情况|所有)"
    r"|(?:说说|讲讲|总结|列出|列一下)(?:一下)?你(?:对我的了解|知道的我|所知道的关于我)|关于我.{0,4}(?:知道|记得|了解)(?:些)?(?:什么|哪些|多少|啥)|我是谁",
    re.IGNORECASE,
)


def is_standing(text: str) -> bool:
    """Tell whether a text tells the assistant how to be, in every conversation from now on."""
    return _STANDING.match(text[:READ_CHARS]) is not None


def asks_about_all(text: str) -> bool:
    """Tell whether a message asks for all that is known of who asks."""
    return len(text) <= READ_CHARS and _ABOUT_ALL.search(text) is not None
