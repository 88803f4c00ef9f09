"""What a figure amounts to, and in which figures two statements part.

Equal amounts are equal in whatever unit: 2 GB and 2048 MB, 65 公斤 and 130 斤, 90 days and three months. What may be read in two ways
has both readings, and differs from nothing that one of them fits: eight o'clock is of the morning or of the evening, 154 pounds are a
weight or a sum. A "one" counts only against another number of the same thing: it is mostly an article.

Units
    Seconds, months, metres, grams, litres, square metres, bytes, degrees Celsius, shares of 1, minutes of the day.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

NUMBER, CLOCK, WEEKDAY, MONTH, DAY, YEAR, SECONDS, SPAN_MONTHS, SHARE = (
    "number", "clock", "weekday", "month", "day", "year", "seconds", "months", "share",
)  # fmt: skip
MINUTES_OF_DAY, NOON = 1440, 720
MONTH_SECONDS = 30.4375 * 86400
EXACT, CALENDAR, IMPERIAL = 1e-6, 0.02, 0.011  # of a quantity: how far two may be from each other and are one
Reading = tuple[str, float, float]  # the kind, the amount, and how exact it is


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure: what it may mean, the number as it is written, what is counted, and how it stands in the plain text."""

    readings: tuple[Reading, ...]
    number: float | None
    of: str
    said: str

    @property
    def is_sure(self) -> bool:
        """Whether it is more than an article: 一, "a", "once"."""
        return self.number != 1.0 or self.readings[0][0] not in (NUMBER, SECONDS, SPAN_MONTHS)

    def __str__(self) -> str:
        return self.said


def _unit(kind: str, names: str, size: float, slack: float = EXACT) -> Iterator[tuple[str, Reading]]:
    return ((name, (kind, size, slack)) for name in names.split())


# What stands behind a number, as words, and what one of it is. A word of two meanings has both.
UNITS: dict[str, list[Reading]] = {}
for _name, _meaning in (
    *_unit(SECONDS, "毫秒 ms millisecond milliseconds", 0.001),
    *_unit(SECONDS, "秒钟 秒 s sec secs second seconds", 1),
    *_unit(SECONDS, "分钟 min mins minute minutes", 60),
    *_unit(SECONDS, "刻钟", 900),
    *_unit(SECONDS, "个小时 小时 个钟头 钟头 个钟 h hr hrs hour hours", 3600),
    *_unit(SECONDS, "天 d day days", 86400),
    *_unit(SECONDS, "周 个星期 星期 个礼拜 礼拜 week weeks wk wks", 604800),
    *_unit(SPAN_MONTHS, "个月 month months", 1),
    *_unit(SPAN_MONTHS, "个季度", 3),
    *_unit(SPAN_MONTHS, "年 岁 yr yrs year years", 12),
    *_unit(SPAN_MONTHS, "decade decades", 120),
    *_unit(SPAN_MONTHS, "个世纪 世纪 century centuries", 1200),
    *_unit("metres", "毫米 mm millimetre millimetres millimeter millimeters", 0.001),
    *_unit("metres", "公分 厘米 cm centimetre centimetres centimeter centimeters", 0.01),
    *_unit("metres", "米 m metre metres meter meters", 1),
    *_unit("metres", "公里 千米 km kms kilometre kilometres kilometer kilometers", 1000),
    *_unit("metres", "里地 里路 里", 500),
    *_unit("metres", "英里 mile miles mi", 1609.344, IMPERIAL),
    *_unit("metres", "英尺 foot feet ft", 0.3048, IMPERIAL),
    *_unit("metres", "英寸 inch inches", 0.0254, IMPERIAL),
    *_unit("grams", "毫克 mg milligram milligrams", 0.001),
    *_unit("grams", "克 g gram grams gramme grammes", 1),
    *(("g", ("bytes", float(size), EXACT)) for size in (10**9, 2**30)),
    *_unit("grams", "公斤 千克 kg kgs kilo kilos kilogram kilograms", 1000),
    *_unit("grams", "市斤 斤", 500),
    *_unit("grams", "两", 50),
    *_unit("grams", "吨 t ton tons tonne tonnes", 1e6),
    *_unit("grams", "磅 lb lbs pound pounds", 453.592, IMPERIAL),
    *_unit("grams", "oz ounce ounces", 28.3495, IMPERIAL),
    *_unit("grams", "stone", 6350.29, IMPERIAL),
    *_unit("litres", "毫升 ml millilitre millilitres milliliter milliliters", 0.001),
    *_unit("litres", "升 l litre litres liter liters", 1),
    *_unit("square metres", "平方米 平米 平方 平 ㎡ m² m2 sqm", 1),
    *_unit("square metres", "亩", 666.667, IMPERIAL),
    *_unit("square metres", "公顷 hectare hectares ha", 1e4),
    *_unit("square metres", "acre acres", 4046.86, IMPERIAL),
    *((f"{name}{ending}", ("bytes", float(base**power), EXACT)) for power, name in enumerate(("k", "m", "g", "t"), 1) for base, ending in ((1000, "b"), (1024, "b"), (1024, "ib"))),
    *((name + ending, ("bytes", float(base**power), EXACT)) for power, name in enumerate(("kilo", "mega", "giga", "tera"), 1) for base in (1000, 1024) for ending in ("byte", "bytes")),
    *((name + ending, ("bytes", 1024.0**power, EXACT)) for power, name in enumerate(("kibi", "mebi", "gibi", "tebi"), 1) for ending in ("byte", "bytes")),
    *_unit("celsius", "°c ℃ 摄氏度 celsius", 1),
    *_unit(SHARE, "% percent pct", 0.01),
    *_unit("money", "元 块钱 块 镑 令吉 欧元 美元 美金 人民币 rmb cny usd eur gbp euro euros dollar dollars quid bucks kuai yuan naira rupees yen pounds pound £ € $ ¥ ₦", 1),
):  # fmt: skip
    UNITS.setdefault(_name, []).append(_meaning)
UNITS["per cent"] = UNITS["percent"]


def lacking(one: Iterable[Figure], other: Iterable[Figure]) -> tuple[Figure, ...]:
    """Return the figures that are none of the other's."""
    theirs = tuple(other)
    return tuple(mine for mine in one if not any(is_equal(mine, their) for their in theirs))


def parting(old: tuple[Figure, ...], new: tuple[Figure, ...]) -> dict[str, float]:
    """Return how the figures of two statements stand to each other, as named amounts of 0 or 1.

    They differ where each has one that the other has not, of things that exclude each other.
    """
    gone, come = lacking(old, new), lacking(new, old)
    lost = [one for one in gone if one.is_sure or any(_is_counted(one, other) for other in come)]
    won = [one for one in come if one.is_sure or any(_is_counted(one, other) for other in gone)]
    shared = float(len(gone) < len(old))
    if not lost and not won:
        return {"figures equal": 1.0} if shared else {"no figures": 1.0}
    if not won:
        return {"figures fewer": 1.0} if shared else {"figures gone": 1.0}
    if not lost:
        return {"figures more": 1.0} if shared else {"figures added": 1.0}
    differ = any(_is_comparable(one, other) for one in lost for other in won)
    return {"figures differ" if differ else "figures of other kinds": 1.0, "figures in part": shared}


def is_equal(one: Figure, other: Figure) -> bool:
    """Tell whether some reading of one figure is some reading of another, or a bare number is the other's number."""
    return any(_fits(mine, their) for mine in one.readings for their in other.readings) or (
        one.number is not None and one.number == other.number and (_is_bare(one) or _is_bare(other))
    )


def _fits(mine: Reading, their: Reading) -> bool:
    (kind, amount, slack), (other, theirs, other_slack) = mine, their
    if kind == other:
        return amount == theirs or abs(amount - theirs) <= max(slack, other_slack) * max(abs(amount), abs(theirs))
    if {kind, other} == {SECONDS, SPAN_MONTHS}:
        seconds, months = (amount, theirs) if kind == SECONDS else (theirs, amount)
        return abs(seconds - months * MONTH_SECONDS) <= CALENDAR * seconds
    if {kind, other} == {NUMBER, CLOCK}:
        hour, minutes = (amount, theirs) if kind == NUMBER else (theirs, amount)
        return hour <= 24 and (hour * 60 - minutes) % NOON == 0
    return False


def _is_bare(one: Figure) -> bool:
    return one.readings[0][0] == NUMBER


def _is_comparable(one: Figure, other: Figure) -> bool:
    kinds, theirs = {kind for kind, _, _ in one.readings}, {kind for kind, _, _ in other.readings}
    if NUMBER in kinds or NUMBER in theirs:
        return not (kinds | theirs) & {WEEKDAY, MONTH}
    return bool(kinds & theirs) or {SECONDS, SPAN_MONTHS} <= kinds | theirs


def _is_counted(one: Figure, other: Figure) -> bool:
    """Tell whether two figures are numbers of the same thing: 一个女儿, 两个女儿."""
    return bool(one.of) and one.of == other.of and _is_comparable(one, other)
