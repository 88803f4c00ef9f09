"""What a person says and does not state: hearsay, what somebody else thinks they should do, a supposition, a wish, what is open,
irony, a symptom told with a request.

Only what says so itself, in words that mean nothing else; everything doubtful is for the gate to judge.

Source
    Own lists.
"""

from __future__ import annotations

from memd.text import expressions as re

READ_CHARS = 300
SHORT_WORDS, SHORT_HAN = 14, 24

_LEAD = r"(?:\W*(?:so|and|but|oh|well|ok|okay|also|anyway|btw|by the way|hm+|ah|then|though)\b[\s,]*)*"
_KNOWS = re.compile(
    r"\b(?:doctor|physio\w*|dentist|vet|lawyer|gp|midwife|nurse|surgeon|landlord|boss|manager|client|customer)\b|医生|大夫|老师|律师|老板|领导|客户|房东|经理|甲方"
)
_HEARSAY = re.compile(
    rf"^{_LEAD}(?:supposedly|allegedly|rumou?r (?:has it|says)|word is|they say|people say|everyone says|some(?:one|body) (?:told me|said)|i(?:['’]ve| have)? (?:heard|read|saw)(?: \w+)? (?:somewhere|online|on (?:reddit|twitter|x|tiktok|facebook|the (?:news|internet)))|(?:some|one|an?|this) (?:article|study|guy|video|blog|post) (?:said|says|claims?))\b"
    r"|\bor so (?:\w+ ){0,2}(?:says?|said|claims?|heard)\b|\b(?:don['’]t|no idea|not sure|who) knows? if (?:it['’]s|that['’]s|it is) true\b"
    r"|听说|据说|传闻|传言|有人说|网上(?:说|看)|听(?!我|你)[^，。]{1,6}(?:说|讲)|不知(?:道)?(?:是)?真(?:的)?(?:还是|是)?假|別人說|聽說|據說|聽[^，。]{1,6}(?:說|講)|網路上(?:說|看)",
    re.IGNORECASE,
)
_ADVISED = re.compile(
    r"\b(?:my \w+|he|she|they|everyone|everybody|people|(?-i:[A-Z]\w+)) (?:also |really |still )?(?:thinks?|reckons?|says?|said|believes?|suggest(?:s|ed)?|keeps? saying|insists?) (?:that )?(?:i|we)(?:['’]d| should| could| ought| must| need| might)\b"
    r"|(?:觉得|认为|建议|劝|老说|總說|覺得|認為|建議|勸)(?:我们?|咱们?|我們)(?:该|应该|最好|不如|可以|去|要|跳|换|买|該|應該)",
    re.IGNORECASE,
)
_IF = re.compile(
    r"\bif (?:i|we|it|the|my|they|he|she|that|there|only|somebody|someone)\b(?![^.!?]{0,80}\b(?:you|always|never)\b)[^.!?]{0,80}(?:['’]d\b|\bwould(?:n['’]t)?\b|\bcould(?:n['’]t)?\b|\bmight\b)"
    rf"|^{_LEAD}if (?:i|we|it|the|my|me|they|he|she|that)\b(?![^.!?]{{0,80}}\b(?:you|always|never)\b)[^.!?]{{0,60}}\b(?:i|we|he|she|they|it)['’]?ll\b[^.!?]*\b(?:i (?:suppose|guess|reckon)|maybe|probably|perhaps)\b"
    r"|\bif (?:i|we) ever (?:win|won|get rich|retire|become|buy|make it|have (?:the|enough) (?:money|time))\b"
    rf"|^{_LEAD}(?:suppose|supposing|imagine|assuming|hypothetically|let['’]?s say|say i|what if|i wish|if only|in another life|in theory)\b|\b(?:would be|it['’]?d be) (?:so )?(?:nice|great|cool|fun|lovely|awesome) (?:if|to)\b"
    r"|(?:要是|如果|假如|假设|假設|万一|萬一|倘若|要不是|哪天)(?![^。！]{0,30}(?:你|每次|以后|以後|一律|必须|必須|别|不要|先|记得))[^。！？]{1,30}(?:就|会|會|该|該|得|多好|好了)|(?:真|多|好|很)希望(?:能|有|可以)|好想(?:有|去|要|吃|喝)|想(?:吃|喝)[^，。]{1,8}(?:…|\.\.\.|$)|就好了(?:$|[哈。！])",
    re.IGNORECASE,
)
_OPEN = re.compile(
    rf"^{_LEAD}(?:i|we) (?:might|may)\b(?! (?:not )?(?:have|need)\b)|^{_LEAD}(?:maybe|perhaps|possibly)\b|\b(?:thinking (?:of|about)|tempted to|considering|toying with|wondering (?:if|whether|about)|daydreaming)\b|\b(?:who knows|one day|some ?day|at some point)\W*$"
    r"|想(?:养|买|学|换|去|辞|报|搬|找|試|试|養|買|學|換|辭|報)[^。！]{0,14}(?:又怕|又担心|又擔心|但(?:是)?(?:又|没|怕)|可(?:是)?(?:又|没|怕)|就是怕|不知道|还没|還沒)|或许|或許|没准|沒準|(?:要不要|该不该|該不該)[^。]{0,12}(?:呢|好|吧)?$|(?:可能|也许)[^。，]{0,12}[，,]?也(?:可能|许)|以后再说|到时候再|哪天(?:有空|再)|改天",
    re.IGNORECASE,
)
_IRONY = re.compile(
    r"\b(?:exactly|just) what (?:i|we|everyone) (?:needed|wanted)\b|\b(?:i['’]?m|i am|we['’]?re) (?:so |just |absolutely |truly )?(?:thrilled|overjoyed)\W*$|\bas if\W*$|\byeah,? right\b|\bsure,? because\b|\bcouldn['’]t be happier\b|\blucky me\b|\bjust my luck\b"
    r"|可真(?:是)?(?:大方|行|会|棒|好|厉害)|太感动了|感动死|真是谢谢|呵呵|我谢谢(?:你|他|她|您)|可太(?:棒|好)了|好极了，",
    re.IGNORECASE,
)
_VENTS = re.compile(
    r"\b(?:worst|unbelievable|ridiculous|outrageous|a (?:total )?joke|nightmare|sick of|fed up|so annoying|annoys me|driving me (?:mad|crazy|nuts)|drowning in|going (?:mad|crazy|insane)|can['’]t even|ugh+|argh+|drives me)\b"
    r"|无语|無語|离谱|離譜|烦死|煩死|气死|氣死|受不了|垃圾|太(?:扯|坑|过分|過分)了?|超(?:扯|煩|烦)|要(?:疯|瘋|崩溃|崩潰)了|服了|醉了|心累|想哭|破防",
    re.IGNORECASE,
)
_SYMPTOM = re.compile(
    r"\b(?:fails?|failing|failed|broken|breaks|crash(?:es|ed|ing)?|hangs|freezes|won['’]t (?:start|build|load|compile|open|run)|(?:isn['’]t|not|doesn['’]t|stopped) work(?:ing)?|(?:an?|the|this) (?:error|exception|traceback|warning)|times? out|timing out|flaky|red again|complains about|acting up)\b"
    r"|报错|报\s?\d{3}|又报|挂了|崩了|打不开|跑不(?:动|起来|通|过)|连不上|不工作|卡住|卡死|超时|失败|白屏|闪退|報錯|當掉|打不開|連不上|失敗",
    re.IGNORECASE,
)
# One line of what a program printed: "HikariPool-1 - Connection is not available", "expected: 2026-11-20".
_LOGGED = re.compile(
    r"(?![^\n]*\b(?:[Ii]|my|My|we|We|our|Our)\b)\W*(?:[A-Z]\w*[a-z][A-Z][\w.$]*-\d+ - |(?:[\w.]+\.)?[A-Z]\w*(?:Exception|Error)\s*:\s|(?:expected|actual|got|received|exit(?: code| status)?|stderr|stdout)\s*[:=]\s*[\d\[{\"'<])"
)
_NAMED = re.compile(r"(?<=\s)[A-Z][a-z]+|\d")


def is_supposed(text: str) -> bool:
    """Tell whether a statement is hearsay, advice of others, a supposition, a wish, left open, ironic or only vents."""
    head = text[:READ_CHARS]
    if (_HEARSAY.search(head) or _ADVISED.search(head)) and not _KNOWS.search(head):
        return True
    if _IF.search(head) or _OPEN.search(head) or _IRONY.search(head):
        return True
    return _VENTS.search(head) is not None and _is_brief(head) and _NAMED.search(head) is None


def is_symptom(text: str, *, beside_request: bool) -> bool:
    """Tell whether a statement says no more than that something does not work: beside a request, without a date, or as a program printed it, it passes."""
    if _LOGGED.match(text):
        return True
    found = _SYMPTOM.search(text[:READ_CHARS]) is not None and _is_brief(text)
    return found and (beside_request or _NAMED.search(text) is None)


def _is_brief(text: str) -> bool:
    return len(text.split()) <= SHORT_WORDS and len(re.findall("[\u4e00-\u9fff]", text)) <= SHORT_HAN
