"""Keys, tokens and passwords in a text.

A token is known by its issuer's prefix and length; a password, by being named as one and by not being a word.

Source
    The formats that issuers publish (AWS, GitHub, GitLab, Slack, Stripe, OpenAI, Anthropic, Google, npm, PyPI, SendGrid,
    Twilio, Telegram, Alibaba and Tencent Cloud), RFC 7519, RFC 7468, BIP 39; facts on reliability, section 3, row 16.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby

from memd.model.scan import Danger, Found
from memd.text.commonness import telling_words
from memd.text.stopwords import ENGLISH

_TOKENS: tuple[tuple[str, str], ...] = (
    ("aws", r"\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\b"),
    ("github", r"\b(?:gh[pousr]_[A-Za-z0-9]{30,255}|github_pat_[A-Za-z0-9_]{40,255})\b"),
    ("gitlab", r"\bgl(?:pat|ptt|dt|rt|cbt|ft|soat|agent)-[A-Za-z0-9_-]{16,}"),
    ("slack", r"\bxox[abeoprs]-[A-Za-z0-9-]{16,}|\bxapp-\d-[A-Za-z0-9-]{16,}"),
    ("slack webhook", r"\bhooks\.slack\.com/(?:services|workflows)/[A-Za-z0-9_/]{16,}"),
    ("discord webhook", r"\bdiscord(?:app)?\.com/api/webhooks/\w{8,}/[A-Za-z0-9_-]{16,}"),
    ("chat webhook", r"\b(?:open\.feishu\.cn|open\.larksuite\.com)/open-apis/bot/\S{16,}|\boapi\.dingtalk\.com/robot/send\?access_token=\w{16,}|\bqyapi\.weixin\.qq\.com/cgi-bin/webhook/send\?key=[\w-]{16,}"),
    ("anthropic", r"\bsk-ant-[A-Za-z0-9_-]{16,}"),
    ("openai", r"\bsk-(?:proj|svcacct|admin|or-v1)-[A-Za-z0-9_-]{16,}|\bsk-(?=[A-Za-z]*\d)[A-Za-z0-9]{24,}\b"),
    ("stripe", r"\b(?:sk|rk|whsec|pk)_(?:live|test)_[A-Za-z0-9]{14,}|\bwhsec_[A-Za-z0-9+/=]{16,}"),
    ("google", r"\bAIza[A-Za-z0-9_-]{30,}|\bya29\.[A-Za-z0-9_-]{16,}|\bGOCSPX-[A-Za-z0-9_-]{16,}"),
    ("npm", r"\bnpm_[A-Za-z0-9]{24,}"),
    ("pypi", r"\bpypi-[A-Za-z0-9_-]{24,}"),
    ("huggingface", r"\b(?:hf|api_org)_[A-Za-z0-9]{24,}"),
    ("sendgrid", r"\bSG\.[A-Za-z0-9_-]{12,}\.[A-Za-z0-9_-]{16,}"),
    ("twilio", r"\b(?:SK|AC)(?=[A-Za-z]*\d)[0-9a-fA-Z]{28,36}\b"),
    ("telegram", r"\b\d{8,10}:AA[A-Za-z0-9_-]{24,}"),
    ("digitalocean", r"\bdo[opr]_v1_[a-f0-9A-Z]{24,}"),
    ("shopify", r"\bshp(?:at|ca|pa|ss)_[A-Za-z0-9]{24,}"),
    ("databricks", r"\bdapi[a-fA-F0-9A-Z]{24,}"),
    ("doppler, linear, postman and others", r"\b(?:dp\.(?:pt|st)\.|lin_api_|PMAK-|ntn_|secret_|figd_|gsk_|xai-|r8_|pplx-|tvly-|nvapi-|vercel_|sntrys_|glsa_|hvs\.|age-secret-key-1|rubygems_|dckr_pat_|EAAC)[A-Za-z0-9_.-]{20,}"),
    ("heroku, square and others", r"\bHRKU-[A-Za-z0-9-]{24,}|\bsq0(?:atp|csp|idp)-[A-Za-z0-9_-]{16,}|\bSCT\d{4,}T[A-Za-z0-9]{16,}|\bSESSDATA=\S{16,}|\bkey-[A-Za-z0-9]{28,}\b|\b(?i:age-secret-key-1)[A-Za-z0-9]{24,}|\bPuTTY-User-Key-File-\d[\s\S]{60,2000}"),
    ("alibaba cloud", r"\bLTAI[A-Za-z0-9]{12,}"),
    ("tencent cloud", r"\bAKID[A-Za-z0-9]{16,}"),
    ("jwt", r"\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}"),
    ("azure", r"\bAccountKey=[A-Za-z0-9+/=]{30,}|\bSharedAccessSignature=\S{20,}|[?&]sig=[A-Za-z0-9%+/=]{30,}"),
    ("private key", r"-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----(?:[\s\S]{0,20000}?-----END [A-Z0-9 ]{0,40}-----|[\s\S]{0,20000})"),
)  # fmt: skip
_ISSUED = re.compile("|".join(f"(?P<t{number}>{pattern})" for number, (_, pattern) in enumerate(_TOKENS)))
_URL = re.compile(r"\b[a-z][a-z0-9+.-]{1,20}://[^\s:/@]{0,64}:(?P<value>[^\s@/]{3,128})@[\w.-]", re.IGNORECASE)
_HEADER = re.compile(
    r"\b(?:authorization:? ?(?:bearer|basic|token)|bearer|x-api-key:)\s+(?P<value>[A-Za-z0-9._~+/=-]{16,})",
    re.IGNORECASE,
)

_LOGIN = re.compile(
    r"\bcurl\b[^\n]{0,60}? (?:-u|--user) ?[\w.-]+:(?P<a>[^\s'\"]{5,})|\b(?:docker|podman|az|gh|oc) login\b[^\n]{0,60}? -p ?(?P<b>[^\s'\"]{5,})|\bmysql\w*\b[^\n]{0,60}? -p(?P<c>[^\s'\"]{5,})|\bsshpass -p ?(?P<d>[^\s]{4,})"
)

# What is named as a secret, and how far behind the name it may stand.
_NAMES = re.compile(
    r"(?<!\w)(?:pass ?words?(?! manager)|passwd|passphrase|pass ?code|pass(?=,? \S*\d)|pwd|secret(?:[ _-]?(?:access)?[ _-]?key| word)?|client[ _-]?secret|app[ _-]?secret|api[ _-]?(?:key|secret|token)|access[ _-]?(?:key|token)"
    r"|[a-z]{0,20}[ _-]?token|private[ _-]?key|signing[ _-]?key|encryption[ _-]?key|master[ _-]?key|setup key|secret ?key|licen[sc]e[ _-]?key|recovery[ _-]?(?:code|key)s?|backup[ _-]?codes?|wpa2?(?: key)?|psk|credentials?|ak|sk|auth)(?![a-z])"
    r"|(?<![a-z0-9_])[a-z][a-z0-9_]{0,40}(?:password|passwd|secret|token|api_?key|access_?key|private_?key)(?![a-z])"
    r"|密码(?!学)|密碼|口令|密钥|秘钥|令牌|私钥|授权码|恢复码|备用码|安全码|提取码|门禁码|开锁码|暗号|通行码|密保|秘密|api ?key|key\s?(?:是|给|填|=|：|:)",
    re.IGNORECASE,
)
_CODES = re.compile(
    r"\b(?:(?:alarm|door|gate|entry|security|lock|safe|unlock\w*|garage|keypad|access|vault|backup|recovery|phone|bike|locker|card)\b[\w ',]{0,24}?\b(?:code|combination|opens)|pin(?: code)?|cvv|combination|passcode)\b"
    r"|密码(?!学)|密碼|口令|门禁码|开锁|解锁|暗号|pin码?|备用码|取件码|保险[柜箱]|安全码",
    re.IGNORECASE,
)
_CANDIDATE = re.compile(r"[^\s，。、；：！？“”\"'‘’`「」()（）<>【】《》]{4,4096}")
_DIGITS = re.compile(
    r"(?<![\d.:/])(?<!\d-)\d(?:[ #*-]?\d){3,11}(?![\d:/]|\.\d|\s?(?:年|月|位|天|个|次|元|块|%|days|characters|chars|bits|hours|times))"
)
_TURNS = re.compile(
    r"\d{1,3}\D{0,6}\b(?:left|right)\b[^\n]{0,24}\d{1,3}\D{0,6}\b(?:left|right)\b|(?:左|右)(?:转|拧)?(?:到|至)?\s?\d{1,3}[^\n]{0,16}(?:左|右)(?:转|拧)?(?:到|至)?\s?\d{1,3}",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"[。！？\n]|[.!?;](?=\s)")
_OPENS = "=:\"'`"
_UNBROKEN = re.compile(r"[!-~]*")
WINDOW, NEAR = 56, 28

_WALLET = re.compile(
    r"seed|recovery|mnemonic|wallet|phrase|restore|twelve|12 words|24 words|助记词|恢复|种子|钱包|个词", re.IGNORECASE
)
_WORD_RUN = re.compile(r"(?:\b[a-z]{3,8}[ ,、/-]{1,3}){11,23}[a-z]{3,8}\b")
_HAN_RUN = re.compile(r"(?:[\u4e00-\u9fff][ ,，、/]){11,23}[\u4e00-\u9fff]")

_PLACEHOLDER = re.compile(
    r"^(?:[x*•.·_#?-]{3,}|\w+://[A-Z]+:[A-Z]+@.*|<.*|\{.*|\$.*|%.*|\[.*|your[_-].*|my[_-].*|example.*|placeholder.*|change-?me|redacted.*|none|null|true|false|todo|n/?a|env\..*|process\.env.*"
    r"|os\.environ.*|secrets?\.\w+|[A-Z][A-Z_]+|sk-x+|x{2,}.*x{2,}|\.{2,}.*|https?://.*|.*EXAMPLE(?:KEY)?)$"
)
_NO_SECRET = re.compile(
    r"^(?:\d+(?:[.:/,-]\d+)*[a-z%]{0,4}|v?\d+(?:\.\d+)+\S{0,8}|sha-?\d+|md5|base\d+|utf-?\d+|ed25519|rsa-?\d+|aes-?\d+\S{0,6}|oauth2?|http/?\d\S*|(?-i:[a-z]+[._/-][a-z._/-]+)|[A-Za-z]+\d{0,2}|\S+@[\w-]+\.[a-z]{2,}"
    r"|(?:~|\.{0,2})/\S+|\S+\.(?:md|py|js|ts|json|toml|ya?ml|txt|pem|sh|env|com|org|net|io|cn|dev|example)(?:/\S*)?|\S+\(\S*\)?|[\w.]+\[\S*\]?|--?\w[\w-]*|[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|\d{4}-\d\d-\d\d\S*)$",
    re.IGNORECASE,
)


def find_secrets(text: str) -> list[Found]:
    """Return keys, tokens and passwords, in order, none overlapping."""
    found: list[Found] = []
    for one in sorted(_all(text), key=lambda one: (one.start, -one.stop)):
        if not found or one.start >= found[-1].stop:
            found.append(one)
        elif one.stop > found[-1].stop:
            found[-1] = _secret(found[-1].rule, found[-1].start, one.stop)
    return found


def without_issued(text: str) -> str:
    """Return a text without keys and tokens that their issuer's form gives away; all else stays as it is."""

    def redacted(match: re.Match[str]) -> str:
        return match[0] if _is_placeholder(match[0]) else f"[secret:{_rule_of(match)} redacted]"

    return _ISSUED.sub(redacted, text)


def _rule_of(match: re.Match[str]) -> str:
    return _TOKENS[int((match.lastgroup or "t0")[1:])][0]


def _all(text: str) -> Iterator[Found]:
    for match in _ISSUED.finditer(text):
        if not _is_placeholder(match[0]):
            yield _secret(_rule_of(match), match.start(), match.end())
    for pattern, rule in (
        (_URL, "password in an address"),
        (_HEADER, "authorization"),
        (_LOGIN, "password of a command"),
    ):
        for match in pattern.finditer(text):
            name = next(name for name, value in match.groupdict().items() if value)
            if not _is_placeholder(match[name]) and match[name].lower() not in ("password", "pass", "secret", "pwd"):
                yield _secret(rule, *match.span(name))
    yield from _named(text)
    yield from _codes(text)
    yield from _seeds(text)


def _secret(rule: str, start: int, stop: int) -> Found:
    return Found(Danger.SECRET, rule, start, stop, f"a secret ({rule})")


def _named(text: str) -> Iterator[Found]:
    """Values that look made up by chance, or stand in quotes, a little behind a word that names a secret."""
    for match in _NAMES.finditer(text):
        stop = _window(text, match.end(), WINDOW)
        for candidate in _CANDIDATE.finditer(text, match.end()):
            if candidate.start() >= stop:
                break
            # A name may be joined to its value: `token=abc`, `密码abc`.
            lead = re.match(r"[\u2e80-\uffff]+|[\w.]{0,24}(?:=>|:=|=|:)", candidate[0])
            start = candidate.start() + (lead.end() if lead else 0)
            value = text[start : candidate.end()].rstrip(".,;:!?)]}*")
            value = re.split(r"[\u2e80-\u9fff\uff00-\uffef]", value, maxsplit=1)[0]
            if _is_chance(value) or _is_quoted(text, start, value):
                stop = start + len(value)
                while start > match.end() and "!" <= text[start - 1] <= "~" and text[start - 1] not in _OPENS:
                    start -= 1
                yield _secret("named as one", start, _end_of(text, start, stop))
                break


def _end_of(text: str, start: int, least: int) -> int:
    """Return where a value ends that may go on behind quotes and brackets: at the next blank, without a closing mark."""
    whole = _UNBROKEN.match(text, start)
    said = whole[0].rstrip("\"'`.,;:)]}>") if whole else ""
    return max(least, start + len(said))


def _window(text: str, start: int, size: int) -> int:
    """Return where the part of a sentence behind a place ends."""
    end = _SENTENCE.search(text, start, start + size)
    return end.start() if end else min(len(text), start + size)


def _is_chance(value: str) -> bool:
    """Tell whether a value looks chosen by chance: letters mixed with figures or signs, and no word, path or version."""
    if len(value) < 6 or not value.isascii() or _is_placeholder(value) or _NO_SECRET.match(value):
        return False
    kinds = [name for name, run in groupby(value, key=_sort) if list(run)]
    figures, letters = sum(map(str.isdigit, value)), sum(map(str.isalpha, value))
    if figures and letters and len(kinds) >= 3 and not re.fullmatch(r"[a-z]+(?:[-_][a-z]+)*[-_]?\d{1,2}", value):
        return True
    if figures >= 3 and letters >= 3 and len(value) >= 8:
        return True
    capitals = sum(map(str.isupper, value[1:])) >= 2 and any(map(str.islower, value))
    return (
        capitals and letters >= 12 and "/" not in value and not re.fullmatch(r"(?:[A-Z]?[a-z]{2,})+", value)
    ) or bool(
        letters >= 5
        and re.search(r"[!#$^&*~+]", value)
        and re.fullmatch(r"[\w!#$^&*~+@%-]+", value)
        and len(kinds) >= 4
    )


def _sort(char: str) -> str:
    return "9" if char.isdigit() else "a" if char.islower() else "A" if char.isupper() else char


def _is_quoted(text: str, start: int, value: str) -> bool:
    """A password of words is one where it is joined to its name by a sign, or by "is" and quotes."""
    before = text[max(0, start - 12) : start]
    joined = re.search(r"(?:[=:：]|\bis|\bto|是|为|叫|成)\s*[\"'“‘`「]$", before) is not None
    return (
        joined
        and len(value) >= 5
        and value.isascii()
        and "-" in value
        and not _is_everyday(value)
        and not _is_placeholder(value)
    )


def _is_everyday(value: str) -> bool:
    return telling_words(value.lower()) < 1 or value.lower() in ENGLISH


def _codes(text: str) -> Iterator[Found]:
    """Figures behind a word for a code of a door, a card or a safe."""
    for match in _CODES.finditer(text):
        digits = _DIGITS.search(text, match.end(), _window(text, match.end(), NEAR))
        between = text[match.end() : digits.start()] if digits else ""
        if digits and not re.search(r"\b(?:from|until|since|by|every|last|in|error|of)\s*$|[年月]", between):
            yield _secret("code", *digits.span())
        turns = _TURNS.search(text, match.end(), match.end() + WINDOW)
        if turns:
            yield _secret("combination", *turns.span())


def _seeds(text: str) -> Iterator[Found]:
    """Twelve words in a row that make no sentence, where a wallet is spoken of."""
    if not _WALLET.search(text):
        return
    for match in _WORD_RUN.finditer(text):
        if sum(word in ENGLISH for word in re.findall(r"[a-z]+", match[0])) <= 1:
            yield _secret("seed phrase", *match.span())
    for match in _HAN_RUN.finditer(text):
        yield _secret("seed phrase", *match.span())


def _is_placeholder(value: str) -> bool:
    return _PLACEHOLDER.match(value) is not None or len(set(value.lower())) <= 3
