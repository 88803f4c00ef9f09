"""Orders to whoever reads a text: to drop its instructions, to hide something, to do a deed, to send data away.

A linear model over the text's phrases and a few signs of form tells them from what people tell each other and their
assistants. A text is held back from LIMIT on; a firm sign holds it back by itself. Below
MILD it may be what a person tells an assistant: whoever knows that a person said it may let it through. To drop all
that was told before is such an order whatever the weights say.

Source
    OWASP LLM01 and ASI06 for the kinds; docs/design/security.md#orders-in-stored-text. Weights:
    memd/lexicons/orders.txt, made by `python -m tools.training` from tools/training/sets/attack_*.jsonl. Figures:
    tests/conformance/test_attack.py.
"""

from __future__ import annotations

from typing import NamedTuple

from memd.engine.keep.scan.order_words import kinds_in
from memd.engine.linear import Linear, as_features, shown
from memd.model.scan import Danger, Found
from memd.text import expressions as re
from memd.text.phrases import READ_CHARS, phrases
from memd.text.slices import is_in

LIMIT, MILD = 0.0, 4.0  # log odds
SIGN, KIND = 1.5, 0.7
REACH_CHARS = 2400  # the longest sign
TOLD = 3  # phrases that are named to a person


class Sign(NamedTuple):
    """One sign of form: its name, what it looks like, and whether it is enough by itself."""

    name: str
    pattern: re.Pattern[str]
    firm: bool = False


def _sign(name: str, *patterns: str, firm: bool = False) -> Sign:
    return Sign(name, re.compile("|".join(patterns), re.MULTILINE), firm)


_RULES = r"(?:instruction|directive|guideline|rule|polic(?:y|ies)|prompt|restriction|constraint|safeguard|programming|training|order)s?\b"
_RULES_ZH = (
    r"(?:指令|指示|提示词?|系统提示|规则|规定|准则|设定|限制|约束|要求|命令|守则|安全(?:检查|限制|规则|策略|设置))"
)
_PRIVATE = (
    r"api[ _-]?keys?|ssh keys?|private keys?|secrets?\b|passwords?|credentials?|tokens?\b|cookies?\b|\.env\b|~/\.(?:ssh|aws|netrc|gnupg|kube)|id_(?:rsa|ed25519)|/etc/passwd"
    r"|environment variables?|\b(?:chat|conversation|message|session|browsing) (?:history|log|transcript)s?|transcripts?\b|memor(?:y|ies)\b|system prompt|contacts\b|address book"
    r"|密钥|私钥|密码|口令|令牌|凭证|环境变量|(?:聊天|对话|会话|浏览)(?:记录|历史|内容)|记忆(?:内容|库|文件)?|通讯录|联系人|身份证|银行卡|手机号|住址|个人信息|隐私"
)
_AWAY = r"(?:https?|ftps?|wss?)://|\bwebhooks?\b|(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}\.[\w.]{1,63}|(?<![\w-])[\w-]{1,63}\.(?:test|example|evil|attacker|invalid|xyz|top|tk)\b|\bpastebin\b|\bgist\b|\bdns\b|\bt\.me/"
_PLACE = r"(?:\{\{?[^}\s]*\}|\$\{?\w|<[a-z][a-z_ -]*>|\[[a-z][a-z_ ]*\]|%7b|insert_|your_|【[^】]*】)"

SIGNS = (
    _sign(
        "a chat template's marks",
        r"^\W{0,4}<\|/?(?:im_start|im_end|system|assistant|user|start_header_id|eot_id)\|>|<\|im_start\|>\s*(?:system|user|assistant)\b|\[inst\](?:(?!\[inst\])[\s\S]){0,2000}?\[/inst\]|<<sys>>[\s\S]|^<start_of_turn>",
        r"</?(?:system|memory|context|recalled|memd)[\w -]{0,20}>\s*\S[\s\S]{0,400}<(?:/?system|/?instructions?)[\w -]{0,20}>",
        firm=True,
    ),
    _sign("the system's voice", r"^\W{0,4}(?:system|admin|developer|root|operator)\b[^:：\n]{0,30}[:：\]]|^\W{0,4}(?:系统|管理员|开发者|官方)[^:：\n]{0,10}[:：】]|<system>|\"role\"\s*:\s*\"(?:system|developer)\"|###\s*(?:system|new instructions?)"),
    _sign(
        "instructions to be dropped",
        rf"\b(?:ignor|disregard|overrid|bypass|forget|discard|abandon|suspend|set aside|stop following)\w*\b[^.!?\n]{{0,40}}\b(?:previous|prior|earlier|above|all|any|your|system|former|original|existing)\b[^.!?\n]{{0,30}}\b{_RULES}",
        rf"(?:忽略|无视|忘(?:记|掉)|绕过|违反|停止遵守|取消|作废|跳过|抛开|推翻)[^。！？\n]{{0,12}}(?:之前|以前|先前|上面|以上|前面|原有|所有|全部|一切|任何|你的|系统|现有|安全)[^。！？\n]{{0,12}}{_RULES_ZH}",
    ),
    _sign("speaks to the machine that reads it", r"\b(?:a\.?i\.?|assistants?|language model|llms?|chat ?bot|agents?|bot|gpt|claude|chatgpt|gemini|copilot|models?)\b|人工智能|大模型|语言模型|模型|智能体|助手|助理|机器人"),
    _sign("to be kept from the user", r"\b(?:do not|don't|never|without)\b[^.!?\n]{0,24}\b(?:tell|inform|mention|reveal|disclose|notify|alert|letting|asking|warn)\w*\b", r"\b(?:silently|secretly|quietly|discreetly|behind)\b", r"(?:不要|别|不得|不必|无需|不用|勿)[^。，\n]{0,6}(?:告诉|告知|通知|提及|提到|透露|询问|确认|声张|让)|悄悄|偷偷|暗中|瞒着|背着"),
    _sign("tied to what the user says", r"\b(?:when(?:ever)?|every time|each time|any ?time|if|once|as soon as|should)\b[^.!?\n]{0,24}\b(?:the user|user|anyone|someone|they|he|she|asked)\b", r"(?:只要|凡是|每当|每次|一旦|以后|如果|无论|下次|要是)[^。！？\n]{0,14}(?:用户|有人|对方|客户|问|提到|说)"),
    _sign("without asking", r"\bwithout (?:asking|confirm\w*|permission|approval|review|consent|checking)\b|\bno (?:need to (?:ask|confirm)|confirmation|further confirmation)\b|\bskip\w* (?:the )?(?:confirmation|approval|review|check)", r"(?:无需|不用|不必|不再|免|跳过)(?:再)?(?:询问|征求|确认|审批|批准|经过|请示|同意|授权|核实)|直接执行"),
    _sign("a command that harms", r"\brm -[a-z]*r[a-z]* (?:~|/(?!tmp)|\$home|\*|\.\s)|\bcurl\b[^|\n]{0,120}\|\s*(?:sudo )?(?:ba|z|da)?sh\b|\bwget\b[^|\n]{0,120}\|\s*(?:ba)?sh\b|\bcurl\b[^\n]{0,80}(?:-d @|--data\S* @|-t )|/dev/tcp/|authorized_keys|\bcrontab\b|\bchmod -r 777\b|base64 -d[^|\n]{0,40}\|"),
    _sign("an address", _AWAY),
    _sign("what is private", _PRIVATE),
    _sign("an address with a place for data", rf"!?\[[^\]]{{0,80}}\]\(\s?https?://[^)]{{0,200}}{_PLACE}|https?://\S{{0,160}}[?&/=]{_PLACE}|https?://\S{{0,120}}[?&][a-z]{{1,12}}=(?=[\s,，。）)\"'+]|$)"),
    _sign("hidden from the eye", r"display:\s?none|visibility:\s?hidden|font-size:\s?0|opacity:\s?0\b|color:\s?(?:white|#fff)\b|<!--|白色小字"),
)  # fmt: skip
# Told to drop what it was told before, at the beginning of a sentence: an order by itself, though a person may tell an assistant so.
_DROPS_ALL = re.compile(
    r"(?:^|[.!?;:,\n\"'“(>\]]\s*|\b(?:and|then|please|now|must|should|will|instead)\s+)(?:ignore|disregard|forget|override|bypass|discard)\s+(?:about\s+)?(?:(?:all|any|every|of|the|your|these|those|other)\s+){0,4}"
    r"(?:previous|prior|above|earlier|preceding|former|foregoing|original|initial|system)\s+(?:(?:given|system|safety|security|developer)\s+){0,2}"
    r"(?:instruction|directive|guideline|prompt|programming|training|restriction|safeguard)s?\b(?!\s+(?:in|on|about|from|for|of|regarding)\b)"
    r"|(?:^|[。！？；，：:,\n“「]\s*)(?:请|现在|立即|立刻|马上|你(?:必须|应该|要|需要)?|从现在起|接下来){0,3}(?:忽略|无视|忘(?:记|掉)|绕过|抛开|推翻)(?:掉)?你?(?:之前|以前|先前|上面|以上|前面|此前|原有|所有|全部|一切|任何|系统)"
    r"(?:的|所有|全部|一切|任何|给你|收到|系统){0,4}(?:指令|指示|提示词?|系统提示|守则|准则|安全(?:限制|规则|策略|设置))"
)
LEAK = "sends what is private to an address"
_LEAKS = (LEAK, "an address with a place for data")
_SPACED = re.compile(r"(?<=\b\w)[ ._-](?=\w\b)")


def order_features(folded: str) -> dict[str, float]:
    """Return what the model looks at in a folded text: its phrases, and the signs by name."""
    named = dict.fromkeys(kinds_in(folded), KIND)
    named.update({sign.name: SIGN for sign in SIGNS if is_in(sign.pattern, folded, REACH_CHARS)})
    if all(name in named for name in ("sends", "an address", "what is private")):
        named[LEAK] = SIGN
    begin = folded[: READ_CHARS * 2]
    joined = _SPACED.sub("", begin)
    return as_features(phrases(begin) | (phrases(joined) if joined != begin else set()), named)


def find_orders(folded: str, model: Linear) -> list[Found]:
    """Return the order that a folded text gives its reader, if it does; its span is the whole text."""
    features = order_features(folded)
    firm = next((sign for sign in SIGNS if sign.firm and f"[{sign.name}]" in features), None)
    value = model.value(features)
    drops = firm is None and value < LIMIT and is_in(_DROPS_ALL, folded, REACH_CHARS)
    if firm is None and value < LIMIT and not drops:
        return []
    sends = "[an address]" in features and "[sends+private]" in features
    leaks = sends or any(f"[{name}]" in features for name in _LEAKS)
    told = (
        [firm.name]
        if firm
        else ["instructions to be dropped"]
        if drops
        else [shown(name) for name, _ in model.telling(features, TOLD)]
    )
    danger = Danger.EXFILTRATION if leaks else Danger.INJECTION
    what = "would send data away" if leaks else "reads as an order to the model"
    mild = not firm and not leaks and value < MILD
    return [Found(danger, "orders", 0, len(folded), f"it {what} ({', '.join(told)})", mild)]
