"""Numerals in digits: "four hundred and eighty-five", 四百八十五 and 485 become one text.

What is no numeral stays as it is: 万一, 统一, 一点都不. Where two numerals stand side by side a blank parts them: 周三十点 is
"周3 10点". What may be one of two is written as a range: 七八个 is "7-8个".
"""

from __future__ import annotations

from memd.text import expressions as re

DIGITS = {char: number for number, char in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2, "俩": 2}
_ONES = [
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
]  # fmt: skip
_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_NTHS = [
    "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh", "twelfth", "thirteenth", "fourteenth", "fifteenth", "sixteenth", "seventeenth", "eighteenth", "nineteenth",
]  # fmt: skip
_SMALL = {word: number for number, word in enumerate(_ONES)} | {"couple": 2, "thrice": 3, "twice": 2}
_SMALL |= {word: number for number, word in enumerate(_NTHS, 1)}
_TEN = {word: number * 10 for number, word in enumerate(_TENS, 2)}
_TEN |= {f"{word[:-1]}ieth": number for word, number in _TEN.items()}
_SCALE = {"hundred": 100, "dozen": 12, "thousand": 1000, "grand": 1000, "million": 10**6, "billion": 10**9}
_WORD = "|".join(sorted([*_SMALL, *_TEN, *_SCALE], key=len, reverse=True))
_RUN = re.compile(
    rf"\b(?:(?:(?:an?|half an?) (?=(?:hundred|dozen|thousand|million|billion|couple)\b)|(?!{'|'.join(_SCALE)}))(?:{_WORD}))(?:(?: and |, (?:and )?|[ -])(?:{_WORD})s?)*\b|\bhalf-dozen\b"
)
_PIECE = re.compile(r"( and |, (?:and )?|[ -])")
_GROUPED = re.compile(r"(?<=\d)[,，](?=\d{3}(?!\d))")
_BLANK = re.compile(
    r"(?<=\d) (?=[万千百亿点月日号年时分个块元岁斤公小天周米度%次层楼比])|(?<=[\u4e00-\u9fff])(?<![一二三四五六七八九]) (?=\d)"
)
_DIGITS_SCALED = re.compile(r"\b(\d+(?:\.\d+)?)[ -](thousand|grand|million|billion|hundred|dozen)\b")
_K = re.compile(r"(?<![\w.])(?:([$€£¥₦₹]) ?)?(\d+(?:\.\d+)?) ?(k|m|bn)(?![\w-])")
_LARGE = {"k": 1000, "m": 10**6, "bn": 10**9}
_AND_HALF = re.compile(r"\b(?:an?|(\d+))( [a-z]+)? and (?:a )?half\b( [a-z]+)?")
_HALF = re.compile(
    r"\bhalf(?:[ -]an?|-|(?= (?:hour|litre|liter|kilo|mile|pint)))[ -]?(?=(?:hour|year|litre|liter|kilo\w*|mile|kilomet\w+|pint|pound|tonn?e?|met(?:re|er))\b)"
)
_QUARTERS = re.compile(r"\b(?:(3) quarters|a quarter) of an hour\b")
_FORTNIGHT = re.compile(r"\b(?:a|1) fortnight\b|\bfortnight\b")
_NTH = re.compile(r"(?<=\d)(?:st|nd|rd|th)\b")
_NTH_MAY = re.compile(r"(?<=\d)(?:st|nd|rd|th)(?= may\b)")  # 3 may be left, the third of May is a date
_MEASURES = "年月日号点个次岁天周米公里元块分钟小时人只条本件层楼斤克度秒页行位台辆间套张份期步支家门袋杯片盒瓶颗粒级路队折倍章课节集班成毛遍轮场头匹棵把双对口回届版顿趟季晚月名倍寸亩吨升码两钱刻星礼世代类种座根串幅封门科桌箱宿笔角股厘毫米尺艘所群堆组趟道"
_HAN_CLASS = "零一二三四五六七八九十百千万亿两〇"
_HAN = re.compile(rf"[{_HAN_CLASS}]+")
_HAN_SCALE = {"十": 10, "百": 100, "千": 1000, "万": 10_000, "亿": 10**8}
_NO_NUMERAL = frozenset(
    ("万一", "千万", "一一", "万万", "百万", "三三", "两两", "十万八千", "一五一十", "七八", "百千")
)
_HUNDREDTHS = re.compile(rf"百分之(百|[{_HAN_CLASS}]+)")
_PARTS_OF = re.compile(r"(?<![\d.])(\d+(?:\.\d+)?)分之(\d+(?:\.\d+)?)")
_TENTHS = re.compile(r"(?<![\d.])(\d(?:\.5)?)成(?![功为了员年绩本立长品熟都份果语交人家名就效型分])")
_SCALED = re.compile(
    r"(?<![\d.a-z])\d+(?:\.\d+)?(?:[亿万百]|千(?![米克瓦卡赫]))(?:零?\d*(?:[万百]|千(?![米克瓦卡赫]))?)*(?!\d*[.:])"
)
_MIXED = re.compile(r"零?(\d+(?:\.\d+)?)([亿万千百]?)")
_UNIT_HALF = re.compile(
    r"(?<![\d.])(\d+)(?:个半(?=小时|钟头|月|星期|礼拜)|(年|岁|天|公斤|斤|公里|里|小时|块|个月|米|平米|升|吨|寸|亩)半(?![路天夜月年]))"
)
_HALF_UNIT = re.compile(
    r"半(?=个?(?:小时|钟头|月(?!板|亮)|学期)|年|公?斤|公?里|米|升|吨|亩|碗|颗|瓶|杯|片|粒|块|糖|价)"
)
_TAIL = re.compile(r"(?<![\d.])(\d+)块(\d)(?![\d个块张只本天年月人])")
_PREFIX = re.compile(r"(?:周|星期|礼拜)$")
_IDLE_ONE = re.compile(r"[统唯万专同划单惟逐进之合归如第][一]|一[些下起样直般定边旦面共切向致旁再律概]")
_NO_ONE_BEHIND = "统唯专同单惟逐"
LONGEST = 24  # characters of one number
_ONCE = ("个", "年", "天", "次", "月", "周", "人", "位", "只")
_AGREED = {"俩": "2个", "仨": "3个", "廿": "20", "一对": "2个", "半夜12": "0"}
_PAIR = re.compile(r"俩|仨|廿|[一1]对(?=[\u4e00-\u9fff])")


def in_digits(folded: str) -> str:
    """Return a folded text with its numerals in digits; ordinals lose their ending, groups of thousands their commas."""
    plain = _GROUPED.sub("", folded)
    if any("\u3400" <= char <= "\u9fff" for char in plain):
        plain = _chinese(plain)
    plain = _RUN.sub(lambda found: _english_run(found[0]), plain)
    plain = _AND_HALF.sub(lambda found: f"{found[1] or 1}.5{found[2] or ''}{found[3] or ''}", plain)
    plain = _DIGITS_SCALED.sub(lambda found: _plain(float(found[1]) * _SCALE[found[2]]), plain)
    plain = _K.sub(_large, plain)
    plain = _QUARTERS.sub(lambda found: f"{45 if found[1] else 15} minutes", plain)
    plain = _FORTNIGHT.sub("14 days", _HALF.sub("0.5 ", plain))
    return _NTH.sub("", _NTH_MAY.sub(" of", plain))


def _plain(amount: float) -> str:
    return f"{amount:.12g}"


def _large(found: re.Match[str]) -> str:
    sign, amount, size = found.groups()
    if size == "m" and not sign:
        return found[0]  # metres or minutes
    return (sign or "") + _plain(float(amount) * _LARGE[size])


def _english_run(run: str) -> str:
    """Return a row of English number words as numbers, those that make no one number side by side."""
    if run == "half-dozen":
        return "6"
    if half := re.match(r"half an? (\w+)", run):
        size, rest = half[1].rstrip("s"), _PIECE.match(run, half.end())
        number = "6" if size == "dozen" else _plain(_SCALE[size] / 2)
        return number + (rest[0] + _english_run(run[rest.end() :]) if rest else "")
    run = re.sub(r"^an? ", "one " if not run.endswith("couple") else "", run)
    pieces = _PIECE.split(run)
    found: list[_Number] = []
    between: list[str] = [""]
    for at in range(0, len(pieces), 2):
        word, sign = pieces[at], pieces[at - 1] if at else ""
        word = word if word in _SMALL or word in _TEN or word in _SCALE else word.removesuffix("s")
        if not (found and found[-1].takes(word, sign)):
            found.append(_Number(word))
            between.append(sign)
    told = _side_by_side([one.amount for one in found], between[2:])
    return told or "".join(f"{sign}{one.amount}" for sign, one in zip(["", *between[2:]], found, strict=True))


def _side_by_side(amounts: list[int], between: list[str]) -> str:
    """Return digits told one by one as one number, and years and times of day told in two; "" of anything else."""
    if not set(between) <= {" ", "-"}:
        return ""
    if len(amounts) > 2 and max(amounts) < 10:
        return "".join(map(str, amounts))
    if len(amounts) == 2 and 10 <= amounts[1] < 100:
        first, second = amounts
        if 13 <= first <= 20:
            return f"{first}{second}"
        if 0 < first < 13 and second < 60:
            return f"{first}:{second}"
    return ""


class _Number:
    """One number as it is read, word by word."""

    def __init__(self, word: str) -> None:
        self._whole, self._part, self._least, self._ended = 0, 0, 10**12, False
        self._joins: tuple[str, ...] = ("", " ", "-")
        if not self.takes(word, ""):
            self._part, self._ended = _SCALE.get(word, 0), True

    @property
    def amount(self) -> int:
        """What it comes to."""
        return self._whole + self._part

    def takes(self, word: str, sign: str) -> bool:
        """Add a word behind a sign, where both may go on with this number."""
        if self._ended or sign not in self._joins:
            return False
        if word in _SCALE:
            return self._scaled(_SCALE[word])
        size = _SMALL.get(word, _TEN.get(word, 0))
        room = self._part % 100
        if not (room == 0 or (room >= 20 and room % 10 == 0 and 0 < size < 10 and sign in (" ", "-"))):
            return False
        if self.amount and not (self._part or self._whole):
            return False
        self._part += size
        self._ended = word not in _ONES and word not in _TENS
        self._joins = (" ", "-")
        return True

    def _scaled(self, scale: int) -> bool:
        if not self._part or scale >= self._least or (scale == 100 and self._part >= 100):
            return False
        if scale <= 100:
            self._part *= scale
            self._ended = scale == 12  # a dozen
            self._joins = (" ", " and ", "-")
        else:
            self._whole, self._part, self._least = self._whole + self._part * scale, 0, scale
            self._joins = (" ", " and ", ", ", ", and ")
        return True


def _chinese(text: str) -> str:
    plain = _PAIR.sub(lambda found: _AGREED.get(found[0], "2个"), _BLANK.sub("", text))
    plain = _HUNDREDTHS.sub(lambda found: f"{100 if found[1] == '百' else _digits(found[1], '')}%", plain)
    plain = _HAN.sub(_han, plain)
    plain = _SCALED.sub(lambda found: _plain(_of_mixed(found[0])), plain)
    plain = _PARTS_OF.sub(_share, plain)
    plain = _TENTHS.sub(lambda found: f"{_plain(float(found[1]) * 10)}%", plain)
    plain = _UNIT_HALF.sub(lambda found: f"{found[1]}.5{found[2] or '个'}", plain)
    return _TAIL.sub(r"\1.\2块", _HALF_UNIT.sub("0.5", plain))


def _share(found: re.Match[str]) -> str:
    whole = float(found[1])
    return f"{_plain(round(100 * float(found[2]) / whole, 2))}%" if whole else found[0]


def _han(found: re.Match[str]) -> str:
    """Return one run of Chinese numerals in digits, as what stands before and behind it has it."""
    run, text = found[0], found.string
    before, behind = text[max(0, found.start() - 2) : found.start()], text[found.end() : found.end() + 2]
    if before[-1:] in ("几", "数"):
        return run
    if run in _NO_NUMERAL and not before[-1:].isdigit() and not (run == "七八" and behind[:1] in _MEASURES):
        return run
    if _PREFIX.search(before) and run[0] in "一二三四五六" and (behind[:1] in ("点", "时") or not _is_whole(run)):
        rest = run[1:]
        return str(DIGITS[run[0]]) + (f" {_digits(rest, behind)}" if rest else "")
    if run[0] == "一" and before[-1:] and before[-1:] in _NO_ONE_BEHIND and len(run) > 1:
        return run[0] + _digits(run[1:], behind)
    if len(run) == 1 and not _is_lone(run, before, behind):
        return run
    blank = " " if before[-1:].isdigit() and run[0] in DIGITS else ""
    if len(run) > 2 and run[-1] == "一" and run[-2] in "百千万亿" and behind[:1] in _ONCE:
        return f"{blank}{_digits(run[:-1], '')} 1"  # 一万一个月
    if len(run) == 2 and before[-1:] in ("米", "点", "号"):
        return "".join(str(DIGITS.get(char, char)) for char in run) if not _is_whole(run) else blank + _digits(run, "")
    return blank + _digits(run, behind)


def _is_whole(run: str) -> bool:
    """Tell whether a run is one number with a scale, as 三十 is and 三一 is not."""
    return len(run) > 1 and any(char in _HAN_SCALE for char in run) and len(_digits(run, "").split()) == 1


def _is_lone(char: str, before: str, behind: str) -> bool:
    """Tell whether a single character is a number where it stands."""
    if char in "百千万亿":
        return False
    if before == "分之" or (before[-1:] in ("块", "米") and (before[0] in _HAN_CLASS or before[0].isdigit())):
        return True
    if _IDLE_ONE.search(before[-1:] + char + behind[:1]) and before[-1:] != "第":
        return False
    if char == "一" and behind[:1] == "点":
        return before[-1:] in tuple("早晚午晨上夜") or behind[1:2] in tuple("半钟整前后到至一二三四五十0123456789")
    if char == "十" and behind[:1] == "分":
        return before[-1:] == "点" or behind[1:2] in ("钟", "之")
    if before[-1:] in ("第", "期", "拜", "周") or behind[:1].isdigit() or before[-1:].isdigit():
        return True
    return behind[:1] in _MEASURES if behind else False


def _digits(run: str, behind: str) -> str:
    """Return a run of Chinese numerals as numbers with blanks between them."""
    if not any(char in _HAN_SCALE for char in run):
        return _row_of_digits(run, behind)
    found: list[str] = []
    at = 0
    while at < len(run):
        size, amount = _longest(run[at : at + LONGEST])
        if size == 0:
            found.append(str(DIGITS.get(run[at], run[at])))
            at += 1
            continue
        found.append(amount)
        at += size
    return " ".join(found)


def _row_of_digits(run: str, behind: str) -> str:
    is_year = behind[:1] == "年" and behind[1:2] in tuple("一二三四五六七八九十0123456789春夏秋冬初底末")
    numbers = [DIGITS[char] for char in run]
    if (
        len(run) > 1
        and run[-1] == "两"
        and behind[:1] not in ("个", "年", "天", "次", "周", "点", "小", "块", "人", "位")
    ):
        return _row_of_digits(run[:-1], "两") + "两"  # fifty grams
    if len(run) == 2 and numbers[1] == numbers[0] + 1 and numbers[0] and not is_year:  # two of them
        return f"{numbers[0]}-{numbers[1]}"
    if len(run) == 2 and not (behind and (behind[0] in _MEASURES or behind[0] in "，。,.;；、 ")):
        return run
    return "".join(map(str, numbers))


def _longest(run: str) -> tuple[int, str]:
    """Return how many characters from the beginning are one number, and that number; a range where it is about."""
    if run[0] in "百千万亿":
        return 0, ""
    if (
        len(run) > 2
        and run[0] in DIGITS
        and run[1] in DIGITS
        and run[2] in _HAN_SCALE
        and DIGITS[run[1]] == DIGITS[run[0]] + 1
    ):
        scale = _HAN_SCALE[run[2]]
        return 3, f"{DIGITS[run[0]] * scale}-{DIGITS[run[1]] * scale}"
    whole = part = 0
    last, at, digit, was_zero = 10**9, 0, -1, False
    while at < len(run):
        char = run[at]
        if char in "零〇":
            was_zero = True
        elif char in _HAN_SCALE:
            scale = _HAN_SCALE[char]
            if scale >= 10_000:  # of all that went before
                whole, part, digit = whole + (part + max(digit, 0)) * scale, 0, -1
            elif digit > 0 or (scale == 10 and (at == 0 or was_zero or part)):
                part, digit = part + max(digit, 1) * scale, -1
            else:
                break
            last, was_zero = scale, False
        elif digit >= 0:
            if last == 10 and DIGITS[char] == digit + 1 and at + 1 == len(run):
                return at + 1, f"{whole + part + digit}-{whole + part + digit + 1}"  # 十八九
            break
        else:
            digit = DIGITS[char]
        at += 1
    if digit > 0:
        colloquial = last >= 100 and not was_zero and last < 10**9  # 三千五, not 三千零五
        return at, str(whole + part + digit * (last // 10 if colloquial else 1))
    return at, str(whole + part)


def _of_mixed(text: str) -> float:
    """Return what digits with Chinese scales come to: 3万5千, 1.2亿, 3万2."""
    total, last = 0.0, 0
    for amount, sign in _MIXED.findall(text):
        scale = (
            _HAN_SCALE[sign] if sign else (last // 10 if last >= 100 and len(amount) == 1 and "零" not in text else 1)
        )
        total += float(amount) * scale
        last = scale
    return total
