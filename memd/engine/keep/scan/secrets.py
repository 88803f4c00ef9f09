"""Keys, tokens, passwords and numbers of a person in a text.

A token is known by its issuer's prefix and length (issued.py); a card or an identity by its form and its check digits
(numbers.py); a password, by being named as one and by not being a word.

Source
    BIP 39; docs/design/security.md#secrets.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from itertools import groupby

from memd.engine.keep.scan.invisible import find_invisible
from memd.engine.keep.scan.numbers import find_issued, find_numbers, is_placeholder
from memd.model.scan import Danger, Found
from memd.text import expressions as re
from memd.text.analysis import ENGLISH
from memd.text.commonness import telling_words
from memd.text.expressions import is_in, matches_in

_URL = re.compile(r"\b[a-z][a-z0-9+.-]{1,20}://[^\s:/@]{0,64}:(?P<value>[^\s@/]{3,128})@[\w.-]", re.IGNORECASE)
_HEADER = re.compile(
    r"\b(?:authorization:? ?(?:bearer|basic|token)|bearer|x-api-key:)\s+(?P<value>[A-Za-z0-9._~+/=-]{16,})",
    re.IGNORECASE,
)

_LOGIN = re.compile(
    r"\bcurl\b[^\n]{0,60}? (?:-u|--user) ?[\w.-]{1,128}:(?P<a>[^\s'\"]{5,})|\b(?:docker|podman|az|gh|oc) login\b[^\n]{0,60}? -p ?(?P<b>[^\s'\"]{5,})|\bmysql\w*\b[^\n]{0,60}? -p(?P<c>[^\s'\"]{5,})|\bsshpass -p ?(?P<d>[^\s]{4,})"
)

# A password of words and figures, where it is said to be one: "the wifi password is bluefish22", password 係 mango-river-77.
_SAID_TO_BE = re.compile(
    r"(?:(?<![a-z])(?:pass ?words?|passwd|passphrase|pass ?code|pwd)(?![a-z])|密码(?!学)|口令)(?: (?:for|of|to) (?:the |my |our )?[\w-]{1,24}){0,2}\s{0,3}(?:\bis\b|\bwas\b|=|:|：|是|为|系)\s{0,3}[\"'“‘`「]?"
    r"(?P<value>(?=[!-~]{0,40}\d)(?=(?:[^a-z\s]{0,20}[a-z]){3})[A-Za-z0-9!#$%&*+@^_~-]{6,64})(?![\w/:(-]|\.\w)",
    re.IGNORECASE,
)
_OF_A_MEASURE = re.compile(
    r"\d+-(?:char|digit|bit|letter|word|day|week|month|year|hour)|(?:sha|md|base|utf|aes|rsa|argon|bcrypt|scrypt|pbkdf|ed|min|max|version|v)-?\d",
    re.IGNORECASE,
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
_CANDIDATE = re.compile(r"[^\s，。、；：！？“”\"'‘’`「」()（）<>【】《》]{4,4096}+")
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
_LEAD = re.compile(r"[\u2e80-\uffff]+|[\w.]{0,24}(?:=>|:=|=|:)")
_WIDE = re.compile(r"[\u2e80-\u9fff\uff00-\uffef]")
WINDOW, NEAR = 56, 28
LEAST_VALUE, LONGEST_VALUE = 4, 4096
TOLD, PARTS = 256, 32  # characters that tell what a value is; how many names within one piece are asked

_WALLET = re.compile(
    r"seed|recovery|mnemonic|wallet|phrase|restore|twelve|12 words|24 words|助记词|恢复|种子|钱包|个词", re.IGNORECASE
)
_WORD_RUN = re.compile(r"(?:\b[a-z]{3,8}[ ,、/-]{1,3}){11,23}[a-z]{3,8}\b")
_HAN_RUN = re.compile(r"(?:[\u4e00-\u9fff][ ,，、/]){11,23}[\u4e00-\u9fff]")

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


def _all(text: str) -> Iterator[Found]:
    for key in find_issued(text):
        yield _secret(key.rule, key.start, key.stop)
    for number in find_numbers(text):
        yield _secret(number.rule, number.start, number.stop)
    for pattern, rule in (
        (_URL, "password in an address"),
        (_HEADER, "authorization"),
        (_LOGIN, "password of a command"),
    ):
        for match in matches_in(pattern, text):
            name = next(name for name, value in match.groupdict().items() if value)
            if not is_placeholder(match[name]) and match[name].lower() not in ("password", "pass", "secret", "pwd"):
                yield _secret(rule, *match.span(name))
    for match in matches_in(_SAID_TO_BE, text):
        if not is_placeholder(match["value"]) and not _OF_A_MEASURE.match(match["value"]):
            yield _secret("named as one", *match.span("value"))
    yield from _named(text)
    yield from _codes(text)
    yield from _seeds(text)


def _secret(rule: str, start: int, stop: int) -> Found:
    return Found(Danger.SECRET, rule, start, stop, f"a secret ({rule})")


def _named(text: str) -> Iterator[Found]:
    """Values that look made up by chance, or stand in quotes, a little behind a word that names a secret."""
    values, done = _Values(text), 0
    for match in matches_in(_NAMES, text):
        if match.start() < done:
            continue
        value = values.first(match.end(), _window(text, match.end(), WINDOW))
        if value is not None:
            start, stop = value
            while start > match.end() and "!" <= text[start - 1] <= "~" and text[start - 1] not in _OPENS:
                start -= 1
            done = _end_of(text, start, stop)
            yield _secret("named as one", start, done)


class _Values:
    """The unbroken pieces of a text, each judged once, whoever asks for it; ask from the left to the right."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.coming = matches_in(_CANDIDATE, text, LONGEST_VALUE)
        self.pieces: deque[tuple[int, int]] = deque()
        self.judged: dict[int, tuple[int, int] | None] = {}
        self.asked = 0  # how often parts of the piece at hand were asked for

    def first(self, at: int, stop: int) -> tuple[int, int] | None:
        """Return the first value that begins in this window, or the rest of the piece that the window cuts."""
        self._pass(at)
        for start, end in self.pieces:
            if start >= stop:
                break
            if start < at:
                self.asked += 1
                rest = end - at >= LEAST_VALUE and self.asked <= PARTS
                value = _judged(self.text, at, end) if rest else None
            else:
                if start not in self.judged:
                    self.judged[start] = _judged(self.text, start, end)
                value = self.judged[start]
            if value is not None:
                return value
        return None

    def _pass(self, at: int) -> None:
        """Let go what ends before a place, and read on for as far as a window goes."""
        while self.pieces and self.pieces[0][1] <= at:
            self.judged.pop(self.pieces.popleft()[0], None)
            self.asked = 0
        while not self.pieces or self.pieces[-1][0] < at + WINDOW:
            piece = next(self.coming, None)
            if piece is None:
                break
            if piece.end() > at:
                self.pieces.append(piece.span())


def _judged(text: str, start: int, stop: int) -> tuple[int, int] | None:
    """Return where the value in a piece stands, None where it is none. Of a long one its two ends tell what it is."""
    # A name may be joined to its value: `token=abc`, `密码abc`.
    lead = _LEAD.match(text, start, stop)
    start = lead.end() if lead else start
    value = text[start : min(stop, start + TOLD)].rstrip(".,;:!?)]}*")
    value = _WIDE.split(value, maxsplit=1)[0]
    if _is_chance(value) or _is_quoted(text, start, value):
        return start, start + len(value)
    if stop - start > TOLD and _is_chance(text[stop - TOLD : stop]):
        return start, stop
    return None


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
    if len(value) < 6 or not value.isascii() or is_placeholder(value) or _NO_SECRET.match(value):
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


_JOINED = re.compile(r"(?:[=:：]|\bis|\bto|是|为|叫|成)\s*[\"'“‘`「]$")


def _is_quoted(text: str, start: int, value: str) -> bool:
    """A password of words is one where it is joined to its name by a sign, or by "is" and quotes."""
    before = text[max(0, start - 12) : start]
    joined = _JOINED.search(before) is not None
    return (
        joined
        and len(value) >= 5
        and value.isascii()
        and "-" in value
        and not _is_everyday(value)
        and not is_placeholder(value)
    )


def _is_everyday(value: str) -> bool:
    return telling_words(value.lower()) < 1 or value.lower() in ENGLISH


def _codes(text: str) -> Iterator[Found]:
    """Figures behind a word for a code of a door, a card or a safe."""
    for match in matches_in(_CODES, text):
        digits = _DIGITS.search(text, match.end(), _window(text, match.end(), NEAR))
        between = text[match.end() : digits.start()] if digits else ""
        if digits and not re.search(r"\b(?:from|until|since|by|every|last|in|error|of)\s*$|[年月]", between):
            yield _secret("code", *digits.span())
        turns = _TURNS.search(text, match.end(), match.end() + WINDOW)
        if turns:
            yield _secret("combination", *turns.span())


def _seeds(text: str) -> Iterator[Found]:
    """Twelve words in a row that make no sentence, where a wallet is spoken of."""
    if not is_in(_WALLET, text):
        return
    for match in matches_in(_WORD_RUN, text):
        if sum(word in ENGLISH for word in re.findall(r"[a-z]+", match[0])) <= 1:
            yield _secret("seed phrase", *match.span())
    for match in matches_in(_HAN_RUN, text):
        yield _secret("seed phrase", *match.span())


def without_secrets(text: str) -> str:
    """Return a text without keys, tokens and passwords; the same text where it has none.

    Characters nobody sees do not hide one: where they stand in one, they go too.
    """
    found = find_secrets(text)
    if unseen := find_invisible(text):
        plain = _without(text, unseen)
        more = find_secrets(plain)
        if len(more) > len(found):
            text, found = plain, more
    return "".join(_parts(text, [(one, f"[secret:{one.rule} redacted]") for one in found])) if found else text


def _without(text: str, found: Iterable[Found]) -> str:
    return "".join(_parts(text, [(one, "") for one in found]))


def _parts(text: str, found: Iterable[tuple[Found, str]]) -> Iterator[str]:
    at = 0
    for one, instead in found:
        yield text[at : one.start] + instead
        at = one.stop
    yield text[at:]
