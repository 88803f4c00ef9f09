"""Is a prompt too small to bring anything to mind? "yes", 好的, "/compact" and the like.

Pure. Such a prompt is answered from the conversation, and what it recalled would be about the word "yes".
"""

from __future__ import annotations

from memd.text import expressions as re
from memd.text.characters import fingerprint

MOST_CHARS = 40
_COMMAND = re.compile(r"\s*/[a-zA-Z][\w:.-]*(?:\s|$)")
# What stands at the top of a disk, and is spoken of more often than a command of that name is given.
_PATH = re.compile(
    r"\s*/(?:bin|boot|dev|etc|home|lib|lib64|media|mnt|opt|proc|root|run|sbin|srv|sys|tmp|usr|var|Users|Library|Applications"
    r"|Volumes|private|workspace|app|data|[\w-]*\.[\w.-]+)(?:\s|$)"
)
_WORD = re.compile(  # as text.characters.fingerprint leaves them
    "y|yes|yeah|yep|yup|no|n|nope|ok|okay|k|kk|sure|right|correct|exactly|agreed|fine|good|great|nice|cool|perfect|"
    "thanks|thankyou|thx|ty|please|goahead|doit|continue|goon|proceed|next|more|again|retry|stop|wait|done|"
    "yesplease|nothanks|okthanks|soundsgood|looksgood|lgtm|gotit|isee|hi|hello|hey|bye|"
    "是|是的|对|对的|对呀|对啊|嗯|嗯嗯|好|好的|好吧|好啊|好呀|行|行吧|可以|可以的|没问题|不|不是|不用|不用了|不要|不对|没有|"
    "谢谢|多谢|感谢|谢谢你|好的谢谢|继续|请继续|接着|下一步|再来|重试|停|停止|等等|等一下|知道了|明白|明白了|收到|了解|"
    "你好|您好|嗨|再见|没事|算了"
)


def is_trivial(prompt: str) -> bool:
    """Tell whether a prompt is a command of the agent's own, or a word of assent and the like."""
    if _COMMAND.match(prompt) and not _PATH.match(prompt):
        return True
    if len(prompt) > MOST_CHARS:
        return False
    said = fingerprint(prompt)
    return not said or _WORD.fullmatch(said) is not None
