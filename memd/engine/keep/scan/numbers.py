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
from memd.text.slices import matches_in

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
