"""Cut a text into the tokens that every index of memd uses.

Spaced scripts give stemmed words, and the parts of user_id, python3.11 and camelCase beside the whole.
Han, Kana and Hangul give overlapping bigrams, and single characters where the lexicon asks for them; a change of
script is a break. Stop words give nothing.
A date in digits is a token of its own, and its digits are none: a day is 11-21 in whatever form it stands (2026年11月21日,
Nov 21st, 2026-11-21), and with its year 2026-11-21 beside it. A text also gives what a wider question may ask for, its
year, month and day of the month; a question gives only the day that it says. Of 26th the `th` is no word.

Source
    docs/design/retrieval.md#chinese: characters and bigrams beat a dictionary segmenter; stop and question words
    are worth 0.09 recall. Raise ANALYZER when a change alters any token, so that caches are made anew.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

import Stemmer

from memd.text import expressions as re
from memd.text.characters import CJK, fold, is_cjk

# Forms whose stem no suffix rule reaches.
IRREGULAR = {
    "ate": "eat", "eaten": "eat", "began": "begin", "begun": "begin", "bought": "buy", "brought": "bring",
    "broke": "break", "broken": "break", "built": "build", "caught": "catch", "children": "child", "chose": "choose",
    "chosen": "choose", "drank": "drink", "drunk": "drink", "drove": "drive", "driven": "drive", "drew": "draw",
    "drawn": "draw", "fed": "feed", "feet": "foot", "fell": "fall", "fallen": "fall", "felt": "feel",
    "flew": "fly", "flown": "fly", "forgot": "forget", "forgotten": "forget", "fought": "fight", "found": "find",
    "froze": "freeze", "frozen": "freeze", "grew": "grow", "grown": "grow", "heard": "hear", "held": "hold",
    "hid": "hide", "hidden": "hide", "kept": "keep", "knives": "knife", "laid": "lay", "led": "lead",
    "left": "leave", "lent": "lend", "lives": "live", "lost": "lose", "meant": "mean", "men": "man", "met": "meet",
    "mice": "mouse", "paid": "pay", "people": "person", "ran": "run", "rode": "ride", "ridden": "ride",
    "sang": "sing", "sung": "sing", "sat": "sit", "saw": "see", "seen": "see", "sent": "send", "shook": "shake",
    "shot": "shoot", "slept": "sleep", "sold": "sell", "spent": "spend", "spoke": "speak", "spoken": "speak",
    "stole": "steal", "stolen": "steal", "stood": "stand", "swam": "swim", "swum": "swim", "taken": "take",
    "taught": "teach", "teeth": "tooth", "threw": "throw", "thrown": "throw", "took": "take", "thought": "think",
    "understood": "understand", "wives": "wife", "woke": "wake", "woken": "wake", "women": "woman", "won": "win",
    "wore": "wear", "worn": "wear", "wrote": "write", "written": "write", "photo": "picture", "photos": "picture",
    "photograph": "picture", "pic": "picture", "pics": "picture", "mum": "mother", "mom": "mother", "mommy": "mother",
    "dad": "father", "bike": "bicycle", "tv": "television", "fridge": "refrigerator",
}  # fmt: skip

_stemmer = Stemmer.Stemmer("english", 0)


@lru_cache(maxsize=16_384)
def stem(word: str) -> str:
    """Return the stem of one folded word; words that are not plain ASCII letters are their own stem."""
    if not word.isascii() or not word.isalpha() or len(word) < 3:
        return word
    return str(_stemmer.stemWord(IRREGULAR.get(word, word)))


_ENGLISH = """
a about above after again ago all almost already also although always am an and another any anybody anyone
anything anyway are aren't around as ask asked at away back be because been before being below between both but
by came can can't cannot come could couldn't did didn't do does doesn't doing don don't done down during each
either else even ever every everyone everything few for from further gave get gets getting give given go goes
going gonna got had hadn't has hasn't have haven't having he he'd he'll he's her here here's hers herself hey hi
him himself his how how's however i i'd i'll i'm i've if in into is isn't it it'd it'll it's its itself just
know knew let let's like lot lots made make makes many may maybe me might mine more most much must my myself
near need needs neither no nor not nothing now of off often oh ok okay on once one ones only or other others our
ours ourselves out over own perhaps please quite rather really right said same say says see seem seems shall
shan't she she'd she'll she's should shouldn't since so some somebody someone something sometimes soon still
such sure tell than thank thanks that that's the their theirs them themselves then there there's these they
they'd they'll they're they've thing things think this those though through to told too toward under until up
upon us use used using very want wanted wants was wasn't way we we'd we'll we're we've well went were weren't
what what's whatever when when's where where's whether which while who who's whom whose why why's will with
within without won't would wouldn't yeah yes yet you you'd you'll you're you've your yours yourself yourselves
hello wow lol haha hmm um uh btw remember remind something's d ll m re s t ve
"""
ENGLISH = frozenset(_ENGLISH.split())

# Single characters that carry grammar; a bigram made of two of them, or the character alone, is no evidence.
CHINESE_CHARS = frozenset(
    "的了着过吗呢吧啊呀嘛哦哈嗯么是在有和与及或也都还又就才再很太更最不没别我你他她它们这那哪谁个些把被给让对从到向"
    "于以为之其而且但若如因所得地个中上下里能会要可想说去来做看"
)

_CHINESE_PHRASES = """
你还记得 还记得吗 为什么 怎么样 怎么办 是不是 有没有 能不能 可不可以 要不要 什么时候 多少钱 哪一个 这一个 那一个 请告诉我 告诉我 我们的 你们的 他们的 什么 怎么 如何 哪里
哪儿 哪些 哪个 多少 几点 几个 谁的 是谁 记得 请问 一下 一个 一些 这个 那个 这些 那些 这样 那样 我们 你们 他们 她们 自己 因为 所以 但是 如果 虽然 而且 或者 还是 然后
就是 不是 没有 可以 可能 应该 需要 知道 觉得 现在 时候 已经 还有 一直 一起 有点 非常 真的 好的 谢谢 你好 哈哈
"""

# Words and phrases cut out of a Chinese query before bigrams are made, longest first.
CHINESE_PHRASES = tuple(_CHINESE_PHRASES.split())


ANALYZER = 6
BORDER = "\u200b"
LONGEST = 80  # characters of one word: what is longer is no word, and is cut
PIECE = 16_000  # characters that an expression looks through at once: other threads wait meanwhile

_RUN = re.compile(f"([{CJK}]+)|([^\\W_{CJK}]+(?:['’._+#-]*[^\\W_{CJK}]+)*(?:\\+\\+|#)?)")
_MARKED_RUN = re.compile(_RUN.pattern.replace("['’._+#-]", f"['’._+#{BORDER}-]"))
_PART = re.compile(r"[^\W\d_]+|\d+")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_PHRASES = re.compile("|".join(sorted(CHINESE_PHRASES, key=len, reverse=True)))
_POSSESSIVE = re.compile(r"['’](?:s|S)?$")

_MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december",
)  # fmt: skip
_YEAR = r"(?:1[89]|20|21)\d\d"
_NAME = "|".join(f"{one}|{one[:3]}" if len(one) > 3 else one for one in _MONTHS) + "|sept"
_DATE = re.compile(
    rf"(?<![\w./+#'-])(?P<year>{_YEAR})(?P<mark>[-/.])(?P<month>\d{{1,2}})(?P=mark)(?P<day>\d{{1,2}})(?![\d/+#_]|[-.]\w)"
    rf"|(?<![\d.])(?:(?P<year_zh>{_YEAR})[ ]?年[ ]?)?(?P<month_zh>\d{{1,2}})[ ]?月(?:[ ]?(?P<day_zh>\d{{1,2}})[ ]?[日号])?"
    r"|(?<![\d.])(?P<alone_zh>\d{1,2})日"
    rf"|(?<![\w'-])(?P<name>{_NAME})\.?[ ](?P<day_en>\d{{1,2}})(?:st|nd|rd|th)?(?![\w:%]|[.,-]\d)(?:,?[ ](?P<year_en>{_YEAR})(?!\w))?"
    rf"|(?<![\w.:-])(?P<day_of>\d{{1,2}})(?P<nth>st|nd|rd|th)?(?P<of>[ ]of)?[ ](?P<name_of>{_NAME})(?!\w)"
    rf"(?:\.?,?[ ](?P<year_of>{_YEAR})(?!\w))?"
)
_HAS_DIGIT = re.compile(r"\d")
_ORDINAL = re.compile(r"\d+(?:st|nd|rd|th)")


READ_CHARS = 2000  # of a text's beginning, which tells what kind of statement it is
BEGIN, END = "^", "$"
_FIGURES = re.compile(r"\d+")


class Date(NamedTuple):
    """Where a date stands in a text, and its parts; 0 for what is not written; `name`: the word of its month."""

    begin: int
    end: int
    year: int
    month: int
    day: int
    name: str = ""

    def tokens(self, *, query: bool) -> Iterator[str]:
        """Yield what it is known by; of a question, that alone which it says."""
        if self.month and self.day:
            if self.year:
                yield f"{self.year:04}-{self.month:02}-{self.day:02}"
            yield f"{self.month:02}-{self.day:02}"
            if query:
                return
        if self.name:
            yield from dict.fromkeys((stem(self.name), stem(_MONTHS[self.month - 1])))
        elif self.month:
            yield f"{self.month}月"
        if self.day:
            yield _nth(self.day)
        if self.year:
            yield f"{self.year}"


def tokens(text: str, *, unigrams: bool = True) -> list[str]:
    """Return the tokens of a text in order, repeated as often as they occur."""
    return list(_tokens(text, unigrams, query=False))


def query_tokens(text: str, *, unigrams: bool = True) -> Counter[str]:
    """Return the tokens of a message with their counts; question phrases are cut out first."""
    return Counter(_tokens(text, unigrams=unigrams, query=True))


def words(text: str) -> list[str]:
    """Return the folded words of spaced scripts and single characters of the others, stop words included."""
    found: list[str] = []
    for piece in _pieces(text):
        for run in _RUN.finditer(fold(piece).replace(BORDER, " ")):
            found.extend(run[1] or (run[2],))
    return found


def _pieces(text: str) -> Iterator[str]:
    """Yield a text in pieces of `PIECE` characters at most, cut behind a line, a sentence or a word."""
    at = 0
    while len(text) - at > PIECE:
        cuts = (text.rfind(mark, at + PIECE // 2, at + PIECE) + 1 for mark in ("\n", "。", ". ", " "))
        end = next(filter(None, cuts), at + PIECE)
        yield text[at:end]
        at = end
    yield text[at:]


def _tokens(text: str, unigrams: bool, *, query: bool) -> Iterator[str]:
    for piece in _pieces(text):
        yield from _piece_tokens(piece, unigrams, query=query)


def _piece_tokens(text: str, unigrams: bool, *, query: bool) -> Iterator[str]:
    # A blank without width marks the border inside userId: the whole word and its parts are both tokens, whatever the case.
    marked = text if text.isascii() and text.islower() else _CAMEL.sub(BORDER, text.replace(BORDER, " "))
    folded, at = fold(marked), 0
    for date in dates_in(folded):
        yield from _run_tokens(folded, at, date.begin, unigrams, query=query)
        yield from date.tokens(query=query)
        at = date.end
    yield from _run_tokens(folded, at, len(folded), unigrams, query=query)


def _run_tokens(folded: str, begin: int, end: int, unigrams: bool, *, query: bool) -> Iterator[str]:
    for run in _MARKED_RUN.finditer(folded, begin, end):
        cjk, spaced = run[1], run[2]
        if cjk:
            pieces = _PHRASES.sub(" ", cjk).split() if query else (cjk,)
            for piece in pieces:
                yield from _cjk_tokens(piece, unigrams)
        else:
            yield from _spaced_tokens(spaced)


def _cjk_tokens(run: str, unigrams: bool) -> Iterator[str]:
    if unigrams or len(run) == 1:
        for char in run:
            if char not in CHINESE_CHARS:
                yield char
    for first, second in pairwise(run):
        if first not in CHINESE_CHARS or second not in CHINESE_CHARS:
            yield first + second


def _spaced_tokens(word: str) -> Iterator[str]:
    plain = word.replace(BORDER, "")
    yield from _plain_tokens(plain)
    if len(plain) < len(word):
        whole = word.replace(BORDER, "_")
        yield whole[:LONGEST]
        yield from (stem(part[:LONGEST]) for part in _PART.findall(whole) if part not in ENGLISH)


def _plain_tokens(word: str) -> Iterator[str]:
    apostrophe = word.replace("’", "'")
    if apostrophe in ENGLISH:
        return
    whole = _POSSESSIVE.sub("", apostrophe)
    if whole in ENGLISH:
        return
    if whole.isalpha():
        yield stem(whole[:LONGEST])
        return
    yield whole[:LONGEST]
    parts = _PART.findall(whole)
    if parts != [whole] and not _ORDINAL.fullmatch(whole):
        yield from (stem(part[:LONGEST]) for part in parts if part not in ENGLISH)


def dates_in(folded: str) -> Iterator[Date]:
    """Yield the dates of a folded text in their order; what cannot be one, such as 2026-13-40, is none."""
    if not _HAS_DIGIT.search(folded):
        return
    for found in _DATE.finditer(folded):
        date = _read(found)
        if date is not None:
            yield date


def _read(found: re.Match[str]) -> Date | None:
    part = found.groupdict()
    name = part["name"] or part["name_of"] or ""
    if part["name_of"] == "may" and not (part["nth"] or part["of"] or part["year_of"]):
        return None  # chapter 2 may help
    month_of_name = (
        next((number for number, one in enumerate(_MONTHS, 1) if one.startswith(name[:3])), 0) if name else 0
    )
    year = int(part["year"] or part["year_zh"] or part["year_en"] or part["year_of"] or 0)
    month = int(part["month"] or part["month_zh"] or month_of_name)
    day = int(part["day"] or part["day_zh"] or part["alone_zh"] or part["day_en"] or part["day_of"] or 0)
    numbered = part["day"] or part["day_zh"] or part["alone_zh"] or part["day_en"] or part["day_of"]
    if (numbered and not 1 <= day <= 31) or (not part["alone_zh"] and not 1 <= month <= 12):
        return None
    return Date(found.start(), found.end(), year, month, day, name)


def _nth(day: int) -> str:
    ending = "th" if 10 < day < 14 else {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")
    return f"{day}{ending}"


@lru_cache(maxsize=64)
def phrases(text: str) -> frozenset[str]:
    """Return the phrases of a text: words, pairs of words, and runs of up to three characters of Han; `^` and `$` stand for its ends.

    Unlike tokens, nothing is left out: "I", "not" and 了 tell what kind of statement a text is. Figures are one word, so that what
    is learned of a date holds for every date.
    """
    row = [BEGIN, *map(_word, words(text[:READ_CHARS])), END]
    found = set(row)
    for first, second in pairwise(row):
        found.add(f"{first} {second}")
    for first, second, third in zip(row, row[1:], row[2:], strict=False):
        if is_cjk(second[0]):
            found.add(f"{first} {second} {third}")
    return frozenset(found - {BEGIN, END})


def as_said(phrase: str, text: str) -> str:
    """Return a phrase in the words that stand in a text, not as stems and 0; as it is where it is none of the text."""
    wanted, row = phrase.split(), [BEGIN, *words(text[:READ_CHARS]), END]
    stems = [BEGIN, *map(_word, row[1:-1]), END]
    at = next((at for at in range(len(stems)) if stems[at : at + len(wanted)] == wanted), None)
    return phrase if at is None else " ".join(row[at : at + len(wanted)])


def _word(word: str) -> str:
    return word if is_cjk(word[0]) else stem(_FIGURES.sub("0", word)[:40])
