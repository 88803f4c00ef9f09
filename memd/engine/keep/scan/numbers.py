"""Numbers that are somebody's: payment cards, US social security numbers, Chinese resident identities, IBANs.

A number is one of these by its length, its beginning and its check digits, and, where these alone are too weak, by how
it is grouped or by a word beside it: one random number in ten passes Luhn. What stands inside a longer word, number or
address, or behind a word for another kind of number, is none.

Source
    ISO/IEC 7812 (Luhn, ranges of the issuers), SSA's rules for numbers that were never given out, GB 11643-1999,
    ISO 13616 and the SWIFT registry (lengths by country).
"""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Iterator
from typing import NamedTuple

from memd.text import expressions as re
from memd.text.expressions import matches_in

CARD, SSN, IDENTITY, IBAN = "payment card", "social security number", "身份证号", "iban"
BEFORE, BEHIND, NAMED = 48, 32, 28  # characters in which a word speaks of a number, or names it


class Number(NamedTuple):
    """What a number is, and where it stands."""

    rule: str
    start: int
    stop: int


# Wide figures, and the blanks and dashes people group them with, one for one, so that places in the text stay.
_PLAIN = str.maketrans(
    "０１２３４５６７８９Ｘｘ－\u3000\u00a0\u202f\u2007\u2010\u2011\u2012\u2013", "0123456789Xx-    ----"
)
_OPEN, _SHUT = r"(?<![A-Za-z0-9_.+/@%-])(?<!\d )", r"(?![A-Za-z0-9_@%]|[-./+][A-Za-z0-9])"
_CARD = re.compile(
    rf"{_OPEN}(?:\d{{13,19}}|\d{{4}}([ -])(?:\d{{4}}\1){{2}}\d{{4}}(?!\1\d{{4}})(?P<last>\1\d{{3}})?|\d{{4}}([ -])\d{{6}}\3\d{{4,5}}|\d{{6}} \d{{10,13}}){_SHUT}"
)
_ISSUERS = re.compile(
    r"4(?:\d{12}|\d{15}|\d{18})|(?:5[1-5]\d\d|222[1-9]|22[3-9]\d|2[3-6]\d\d|27[01]\d|2720)\d{12}|3[47]\d{13}"
    r"|3(?:0[0-5]|095|[689]\d)\d{11}|(?:3528|3529|35[3-8]\d)\d{12,15}|(?:6011|64[4-9]\d|65\d\d)\d{12,15}"
    r"|(?:62|81)\d{14,17}|220[0-4]\d{12,15}"
)
_OF_CARDS = re.compile(
    r"\b(?:cards?|visa|master ?card|amex|american express|discover|diners|jcb|union ?pay|mir|ccn?|pan|debit|credit|cvv2?|cvc2?"
    r"|exp(?:ir\w{1,5})?|valid (?:thru|until))\b|卡号|[行用蓄记行张的]卡|卡片|银联|有效期|安全码|刷卡|(?<![\d/])(?:0[1-9]|1[0-2]) ?/ ?(?:20)?\d\d(?![\d/])",
    re.IGNORECASE,
)
_OTHER = re.compile(
    r"\b(?:orders?|invoice|tracking|tickets?|references?|refs?|ids?|uid|uuid|sku|parts?|model|imei|isbn|ean|upc|gtin|serial|phone|tel|fax|mobile"
    r"|timestamp|transaction|txn|case|job|build|parcel|shipment|waybill|barcode|confirmation|booking|policy|issue|version)"
    r"(?: ?(?:no\.?|nr\.?|numbers?|codes?|ids?|is|was|of))*[^A-Za-z0-9\u4e00-\u9fff]{0,4}$"
    r"|(?:订单|单号|运单|快递|流水|编号|工单|手机|电话|序列|条码|时间戳|交易|发票|型号|版本|学号|工号)(?:号码?|编号|单号)?(?:是|为)?[^A-Za-z0-9\u4e00-\u9fff]{0,4}$",
    re.IGNORECASE,
)
_SSN = re.compile(rf"{_OPEN}\d{{3}}([ -]?)\d\d\1\d{{4}}{_SHUT}")
_OF_SSN = re.compile(r"\bssns?\b|\bsocial[ -]?sec\w{0,8}\b|社会安全号?|社安号|社会保障号|美国社保", re.IGNORECASE)
_IDENTITY = re.compile(
    r"(?<![A-Za-z0-9])(?P<place>[1-9]\d{5})(?P<gap>[ -]?)(?P<born>(?:19|20)\d{6})(?P=gap)(?P<rest>\d{3}[\dXx])(?![A-Za-z0-9])"
)
_OLD_IDENTITY = re.compile(r"(?<![A-Za-z0-9])(?P<place>[1-9]\d{5})(?P<born>\d{6})\d{3}(?![A-Za-z0-9])")
_OF_IDENTITY = re.compile(r"身份证|证件号|居民证|\b(?:chinese|resident|national|prc) (?:identity|id)\b", re.IGNORECASE)
_PLACE_CODES = (
    "11 12 13 14 15 21 22 23 31 32 33 34 35 36 37 41 42 43 44 45 46 50 51 52 53 54 61 62 63 64 65 71 81 82 83"
)
_PLACES = frozenset(_PLACE_CODES.split())
_WEIGHTS, _CHECK = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2), "10X98765432"
_IBAN = re.compile(r"(?<![A-Za-z0-9])(?P<country>[A-Za-z]{2})\d\d(?:[ -]?[A-Za-z0-9]){11,30}")
_REGISTRY = """
15 NO
16 BE
18 DK FI FO GL NL SD
19 MK SI
20 AT BA EE KZ LT LU MN XK
21 CH HR LI LV
22 BG BH CR DE GB GE IE ME RS VA
23 AE GI IL IQ OM SO TL
24 AD CZ ES MD PK RO SA SE SK TN VG
25 LY PT ST
26 IS TR
27 BI DJ FR GR IT MC MR SM
28 AL AZ BY CY DO GT HU LB NI PL SV
29 BR EG PS QA UA
30 JO KW MU YE
31 MT SC
32 LC
33 RU
"""
_LENGTHS = {
    country: int(size) for size, *countries in map(str.split, _REGISTRY.strip().split("\n")) for country in countries
}


def find_numbers(text: str) -> Iterator[Number]:
    """Yield the numbers in a text that are somebody's."""
    plain = text if text.isascii() else text.translate(_PLAIN)
    yield from _cards(plain)
    yield from _security_numbers(plain)
    yield from _identities(plain)
    yield from _accounts(plain)


def _cards(text: str) -> Iterator[Number]:
    for match in matches_in(_CARD, text):
        figures, stop = _figures(match[0]), match.end()
        if match["last"] and not _is_card(figures):  # what stands behind four blocks may be another number
            figures, stop = figures[:16], match.start("last")
        if not _is_card(figures) or _is_other(text, match.start()):
            continue
        if len(figures) < stop - match.start() or _is_spoken_of(_OF_CARDS, text, match):
            yield Number(CARD, match.start(), stop)


def _is_card(figures: str) -> bool:
    return _ISSUERS.fullmatch(figures) is not None and _is_luhn(figures)


def _security_numbers(text: str) -> Iterator[Number]:
    for match in matches_in(_SSN, text):
        figures = _figures(match[0])
        area, group, serial = figures[:3], figures[3:5], figures[5:]
        if area in ("000", "666") or area[0] == "9" or group == "00" or serial == "0000":
            continue
        named = _is_spoken_of(_OF_SSN, text, match)
        if named or (match[1] == "-" and not _is_other(text, match.start())):
            yield Number(SSN, *match.span())


def _identities(text: str) -> Iterator[Number]:
    for match in matches_in(_IDENTITY, text):
        figures = f"{match['place']}{match['born']}{match['rest']}".upper()
        total = sum(int(figure) * weight for figure, weight in zip(figures, _WEIGHTS, strict=False))
        if match["place"][:2] in _PLACES and _is_day(match["born"]) and _CHECK[total % 11] == figures[-1]:
            yield Number(IDENTITY, *match.span())
    for match in matches_in(_OLD_IDENTITY, text):
        is_one = match["place"][:2] in _PLACES and _is_day(f"19{match['born']}")
        if is_one and _is_spoken_of(_OF_IDENTITY, text, match):
            yield Number(IDENTITY, *match.span())


def _accounts(text: str) -> Iterator[Number]:
    for match in matches_in(_IBAN, text):
        size = _LENGTHS.get(match["country"].upper(), 0)
        stop = _place_of(text, match.start(), match.end(), size)
        said = text[match.start() : stop]
        if not size or not stop or (text[stop : stop + 1].isalnum() and text[stop].isascii()):
            continue
        if said.isupper() or "iban" in text[max(0, match.start() - NAMED) : match.start()].lower():
            letters = "".join(char for char in said.upper() if char.isalnum())
            if int("".join(str(int(char, 36)) for char in letters[4:] + letters[:4])) % 97 == 1:
                yield Number(IBAN, match.start(), stop)


def _place_of(text: str, start: int, stop: int, size: int) -> int:
    """Return where so many letters and figures end; 0 where there are fewer."""
    for place in range(start, stop):
        size -= text[place].isalnum()
        if not size:
            return place + 1
    return 0


def _figures(said: str) -> str:
    return "".join(char for char in said if char.isdigit())


def _is_luhn(figures: str) -> bool:
    doubled = (int(figure) * (1 + at % 2) for at, figure in enumerate(reversed(figures)))
    return sum(value - 9 if value > 9 else value for value in doubled) % 10 == 0


def _is_day(born: str) -> bool:
    year, month, day = int(born[:4]), int(born[4:6]), int(born[6:])
    return 1900 <= year < 2100 and 1 <= month <= 12 and 1 <= day <= monthrange(year, month)[1]


def _is_other(text: str, start: int) -> bool:
    """Tell whether the words right before a number call it something else."""
    return _OTHER.search(text, max(0, start - NAMED), start) is not None


def _is_spoken_of(words: re.Pattern[str], text: str, match: re.Match[str]) -> bool:
    before, behind = max(0, match.start() - BEFORE), match.end() + BEHIND
    return bool(words.search(text, before, match.start()) or words.search(text, match.end(), behind))


# Keys and tokens that their issuer's form gives away.
#
# A form begins with what its issuer puts in front: that is looked for as it stands, and only there is the pattern asked.
#
# Source
#     The formats that issuers publish (AWS, GitHub, GitLab, Slack, Stripe, OpenAI, Anthropic, Google, npm, PyPI, SendGrid,
#     Twilio, Telegram, Alibaba and Tencent Cloud), RFC 7519, RFC 7468; docs/design/security.md#secrets.

LEAST_CHARS, LONGEST = 16, 32_768  # characters of one key


class Issued(NamedTuple):
    """A key: whose it is, and where it stands."""

    rule: str
    start: int
    stop: int


# Name, what a key may begin with, and its whole form from there.
_TOKENS: tuple[tuple[str, str, str], ...] = (
    ("aws", "AKIA ASIA ABIA ACCA", r"\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\b"),
    ("github", "ghp_ gho_ ghu_ ghs_ ghr_ github_pat_", r"\b(?:gh[pousr]_[A-Za-z0-9]{30,255}|github_pat_[A-Za-z0-9_]{40,255})\b"),
    ("gitlab", "glpat- glptt- gldt- glrt- glcbt- glft- glsoat- glagent-", r"\bgl(?:pat|ptt|dt|rt|cbt|ft|soat|agent)-[A-Za-z0-9_-]{16,}"),
    ("slack", "xox xapp-", r"\bxox[abeoprs]-[A-Za-z0-9-]{16,}|\bxapp-\d-[A-Za-z0-9-]{16,}"),
    ("slack webhook", "hooks.slack.com/", r"\bhooks\.slack\.com/(?:services|workflows)/[A-Za-z0-9_/]{16,}"),
    ("discord webhook", "discord.com/api/ discordapp.com/api/", r"\bdiscord(?:app)?\.com/api/webhooks/\w{8,64}+/[A-Za-z0-9_-]{16,}"),
    ("chat webhook", "open.feishu.cn/ open.larksuite.com/ oapi.dingtalk.com/ qyapi.weixin.qq.com/", r"\b(?:open\.feishu\.cn|open\.larksuite\.com)/open-apis/bot/\S{16,}|\boapi\.dingtalk\.com/robot/send\?access_token=\w{16,}|\bqyapi\.weixin\.qq\.com/cgi-bin/webhook/send\?key=[\w-]{16,}"),
    ("anthropic", "sk-ant-", r"\bsk-ant-[A-Za-z0-9_-]{16,}"),
    ("openai", "sk-", r"\bsk-(?:proj|svcacct|admin|or-v1)-[A-Za-z0-9_-]{16,}|\bsk-(?=[A-Za-z]*\d)[A-Za-z0-9]{24,}\b"),
    ("stripe", "sk_ rk_ pk_ whsec_", r"\b(?:sk|rk|whsec|pk)_(?:live|test)_[A-Za-z0-9]{14,}|\bwhsec_[A-Za-z0-9+/=]{16,}"),
    ("google", "AIza ya29. GOCSPX-", r"\bAIza[A-Za-z0-9_-]{30,}|\bya29\.[A-Za-z0-9_-]{16,}|\bGOCSPX-[A-Za-z0-9_-]{16,}"),
    ("npm", "npm_", r"\bnpm_[A-Za-z0-9]{24,}"),
    ("pypi", "pypi-", r"\bpypi-[A-Za-z0-9_-]{24,}"),
    ("huggingface", "hf_ api_org_", r"\b(?:hf|api_org)_[A-Za-z0-9]{24,}"),
    ("sendgrid", "SG.", r"\bSG\.[A-Za-z0-9_-]{12,256}+\.[A-Za-z0-9_-]{16,}"),
    ("twilio", "SK AC", r"\b(?:SK|AC)(?=[A-Za-z]{0,40}\d)[0-9a-fA-Z]{28,36}\b"),
    ("digitalocean", "doo_v1_ dop_v1_ dor_v1_", r"\bdo[opr]_v1_[a-f0-9A-Z]{24,}"),
    ("shopify", "shpat_ shpca_ shppa_ shpss_", r"\bshp(?:at|ca|pa|ss)_[A-Za-z0-9]{24,}"),
    ("databricks", "dapi", r"\bdapi[a-fA-F0-9A-Z]{24,}"),
    ("doppler, linear, postman and others", "dp.pt. dp.st. lin_api_ PMAK- ntn_ secret_ figd_ gsk_ xai- r8_ pplx- tvly- nvapi- vercel_ sntrys_ glsa_ hvs. age-secret-key-1 rubygems_ dckr_pat_ EAAC", r"\b(?:dp\.(?:pt|st)\.|lin_api_|PMAK-|ntn_|secret_|figd_|gsk_|xai-|r8_|pplx-|tvly-|nvapi-|vercel_|sntrys_|glsa_|hvs\.|age-secret-key-1|rubygems_|dckr_pat_|EAAC)[A-Za-z0-9_.-]{20,}"),
    ("heroku, square and others", "HRKU- sq0atp- sq0csp- sq0idp- SCT SESSDATA= key- AGE-SECRET-KEY-1 PuTTY-User-Key-File-", r"\bHRKU-[A-Za-z0-9-]{24,}|\bsq0(?:atp|csp|idp)-[A-Za-z0-9_-]{16,}|\bSCT\d{4,20}T[A-Za-z0-9]{16,}|\bSESSDATA=\S{16,}|\bkey-[A-Za-z0-9]{28,}\b|\bAGE-SECRET-KEY-1[A-Za-z0-9]{24,}|\bPuTTY-User-Key-File-\d[\s\S]{60,2000}"),
    ("alibaba cloud", "LTAI", r"\bLTAI[A-Za-z0-9]{12,}"),
    ("tencent cloud", "AKID", r"\bAKID[A-Za-z0-9]{16,}"),
    ("jwt", "eyJ", r"\beyJ[A-Za-z0-9_-]{8,2048}+\.eyJ[A-Za-z0-9_-]{8,16384}+\.[A-Za-z0-9_-]{8,}"),
    ("azure", "AccountKey= SharedAccessSignature= ?sig= &sig=", r"\bAccountKey=[A-Za-z0-9+/=]{30,}|\bSharedAccessSignature=\S{20,}|[?&]sig=[A-Za-z0-9%+/=]{30,}"),
    ("private key", "-----BEGIN ", r"-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----(?:[\s\S]{0,20000}?-----END [A-Z0-9 ]{0,40}-----|[\s\S]{0,20000})"),
    ("telegram", ":AA", r"(?<=\d{8}):AA[A-Za-z0-9_-]{24,}"),
)  # fmt: skip
_FORMS = tuple(
    (rule, begin, re.compile(form)) for rule, begins, form in _TOKENS for begin in begins.split(" ") if begin
)
_BOT = re.compile(r"\b\d{8,10}\Z")

_PLACEHOLDER = re.compile(
    r"^(?:[x*•.·_#?-]{3,}|\w+://[A-Z]+:[A-Z]+@.*|<.*|\{.*|\$.*|%.*|\[.*|your[_-].*|my[_-].*|example.*|placeholder.*|change-?me|redacted.*|none|null|true|false|todo|n/?a|env\..*|process\.env.*"
    r"|os\.environ.*|secrets?\.\w+|sk-x+|xx.*xx|.*[xX]{6,}|\.{2,}.*|https?://.*|.*EXAMPLE(?:KEY)?)$"
)

_NAME = re.compile(r"[A-Z][A-Z_]+\Z")


def find_issued(text: str) -> list[Issued]:
    """Return the keys and tokens of known issuers, in order, none overlapping."""
    if len(text) < LEAST_CHARS:
        return []
    found = sorted(_all(text), key=lambda one: (one.start, -one.stop))
    kept: list[Issued] = []
    for one in found:
        if not kept or one.start >= kept[-1].stop:
            kept.append(one)
        elif one.stop > kept[-1].stop:
            kept[-1] = kept[-1]._replace(stop=one.stop)
    return kept


def _all(text: str) -> Iterator[Issued]:
    for rule, begin, form in _FORMS:
        at = text.find(begin)
        while at >= 0:
            match = form.match(text, at, at + LONGEST)
            start = _bot_start(text, at) if match and rule == "telegram" else at
            if match and start >= 0 and not _shows_a_form(text[start : match.end()]):
                yield Issued(rule, start, match.end())
            at = text.find(begin, match.end() if match else at + 1)


def _bot_start(text: str, at: int) -> int:
    """Return where the figures before a telegram key begin; -1 where they are none of a bot."""
    figures = _BOT.search(text, max(0, at - 10), at)
    return figures.start() if figures else -1


def is_placeholder(value: str) -> bool:
    """Tell whether a value only stands for one."""
    return _shows_a_form(value) or _NAME.match(value) is not None


def _shows_a_form(value: str) -> bool:
    """Tell whether a value shows what one looks like; a key of an issuer may well be capitals alone."""
    return _PLACEHOLDER.match(value) is not None or len(set(value.lower())) <= 3
