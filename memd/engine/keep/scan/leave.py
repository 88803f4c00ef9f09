"""Leave to give away keys and passwords: no order by its words, and yet whoever reads it later would act on it.

A person may say so to somebody in a message. As a memory it would hold for every conversation to come, whoever asks in it, so
a person looks at it first, also where they said it themselves. What forbids it, asks about it, or speaks of a door's key is none.
"""

from __future__ import annotations

from memd.model.scan import Danger, Found
from memd.text import expressions as re
from memd.text.expressions import is_in

REACH_CHARS = 300
_PRIVATE = (
    r"(?:(?:api|ssh|gpg|pgp|private|secret|access|signing|encryption|wallet)[ _-]?keys?|(?<!house )(?<!car )(?<!flat )(?<!door )(?<!home )(?<!bike )(?<!spare )(?<!front )(?<!office )(?<!garage )(?<!shed )keys"
    r"|passwords?|passphrases?|passcodes?|credentials?|(?:access |auth )?tokens?|secrets|cookies|(?:seed|recovery) (?:phrases?|words|codes?)|2fa codes?|pin(?: codes?)?)\b"
)
_GIVES = r"(?:send|share|giv|post|upload|e-?mail|forward|publish|reveal|show|tell|disclos|past|hand|transmit|leak|copy|expos|print|pass)\w{0,4}"
_OWN = r"(?:my|our|the users?['’]s?|the person['’]s)"
_MAY = (
    r"(?:you|the (?:assistant|agent|model|ai)|an? (?:assistant|agent)|claude|codex|gemini|memd)(?:['’]re| are| is| have| has|['’]ve|['’]s)?"
    r" (?:(?:always|also|now|then|just|freely) )?(?:may|can(?!['’]t|not)|could|should|shall|must|allowed to|free to|permitted to|welcome to|cleared to|authori[sz]ed to|supposed to|trusted to|(?:my |our |the |full )?(?:permission|leave|consent|approval|ok) to)"
)
_LEFT = r"(?:(?:allow|permit|authori[sz]e|let|trust|want|approve|instruct|told|asked?)\w{0,3} (?:you|the (?:assistant|agent|model|ai))(?: to)?|(?:permission|leave|consent|approval|it is (?:ok|okay|fine)|it['’]s (?:ok|okay|fine)|(?:ok|okay|fine|happy) (?:for you|with you))(?: to)?)"
_ENGLISH = re.compile(
    rf"(?:{_MAY}|\b{_LEFT})(?! (?:not|never|no)\b)(?:(?!\b(?:not|never|without)\b)[^.!?\n]){{0,30}}\b{_GIVES}\b[^.!?\n]{{0,30}}?\b{_OWN}\b[^.!?\n]{{0,20}}?\b{_PRIVATE}"
)
_PRIVATE_ZH = r"(?:私钥|密钥|密码|口令|令牌|凭证|助记词|我的验证码|(?:我们?的|用户的) ?(?:cookies?|tokens?|api ?keys?|ssh ?keys?))"
_GIVES_ZH = r"(?:发|给(?![改换删重])|告诉|交|传|泄露|分享|公开|提供|透露|转|贴|说出|寄)"
_MAY_ZH = r"(?<![不我他她没])(?:可以|允许|准许|同意|授权|随便|尽管|有权|放心|准你|许你)"
_NO_ZH = r"(?![^。！？!?\n]{0,20}(?:[吗么嘛]|[?？]))"
_CHINESE = re.compile(
    rf"{_MAY_ZH}(?:(?!不|别|勿)[^。！？!?\n]){{0,12}}?(?:把|将)[^。！？!?\n]{{0,10}}?{_PRIVATE_ZH}(?:(?!不|别|勿)[^。！？!?\n]){{0,8}}?{_GIVES_ZH}{_NO_ZH}"
    rf"|{_MAY_ZH}(?:(?!不|别|勿)[^。！？!?\n]){{0,8}}?{_GIVES_ZH}[^。！？!?\n]{{0,6}}?我们?的[^。！？!?\n]{{0,6}}?{_PRIVATE_ZH}{_NO_ZH}"
    rf"|{_PRIVATE_ZH}[^。！？!?\n，,]{{0,6}}{_MAY_ZH}[^。！？!?\n不别勿]{{0,6}}?{_GIVES_ZH}[^。！？!?\n]{{0,4}}(?:任何人|谁|别人|所有人|陌生人){_NO_ZH}"
)


def find_leave(folded: str) -> list[Found]:
    """Return the leave that a folded text gives to give away what is secret, if it does; its span is the whole text."""
    if not (is_in(_ENGLISH, folded, REACH_CHARS) or is_in(_CHINESE, folded, REACH_CHARS)):
        return []
    return [Found(Danger.EXFILTRATION, "leave", 0, len(folded), "it gives leave to give away keys or passwords")]
