"""What statements are about, beside their values: that something moved to another day changes the day that is known of it, and of nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from memd.text.analysis import stem

if TYPE_CHECKING:
    from memd.engine.keep.relation.units import Statement, Unit

# Words of days, times and sums, and those by which they change: any two things have them in common.
_ENGLISH_VALUES = (
    "monday tuesday wednesday thursday friday saturday sunday january february march april may june july august september october november december"
    " day days week weeks month months year years weekend morning afternoon evening noon night tonight today tomorrow yesterday clock am pm hour hours"
    " minute minutes euro euros dollar dollars pound pounds quid buck bucks cent cents percent grand monthly weekly yearly daily annual"
)
_ENGLISH_CHANGES = (
    "on in at to by from of until till since next last this every each per"
    " now new only instead move moved moving push pushed put back forward bring brought change changed shift shifted reschedule"
    " rescheduled postpone postponed delay delayed go goes went gone up down cost costs pay raise raised rise rose drop dropped cut increase increased become became"
    " get got have has had be cancel cancelled start starts begin begins end ends take takes place set switch switched is was will"
)
_CHINESE_VALUES = (
    "月 号 日 天 周 年 点 钟 半 元 块 万 千 百 周一 周二 周三 周四 周五 周六 周日 周末 星期 礼拜 上午 下午 晚上 早上 中午 今天 明天 后天 昨天 今年 明年 下周 上周 本周 这周 下个月 这个月"
    " 每月 每周 每天 每年 一个月 一年 欧元 美元 块钱 元钱"
)
_CHINESE_CHANGES = (
    "每 每次 改 改到 改成 改为 改在 换 换成 换到 换在 推迟 推迟到 推到 提前 提前到 延 延到 延期 延后 挪 挪到 调 调到 调整 调成 涨 涨到 涨价 涨成"
    " 降 降到 降价 变 变成 变为 取消 了 到 是 在 要 有 现在 目前 如今 以后 从 起 开始 新 定 定在 定于 安排 安排在"
)


def _listed(english: str, chinese: str) -> frozenset[str]:
    return frozenset((*map(stem, english.split()), *english.split(), *chinese.split()))


_VALUES, _CHANGES = _listed(_ENGLISH_VALUES, _CHINESE_VALUES), _listed(_ENGLISH_CHANGES, _CHINESE_CHANGES)
_EITHER = _VALUES | _CHANGES
BOTH = "both tell a day or a sum"


def topics(old: Statement, new: Statement, pairs: Mapping[int, Unit]) -> dict[str, float]:
    """Return how much of what either statement is about the other has too, where both tell a day or a sum: what else changes, as
    a town or a name, is a topic itself.

    `pairs`: units of the old one, by identity, with those of the new.
    """
    if not (_tells_value(old.units) and _tells_value(new.units)):
        return {}
    known = _about(old.units)
    told = _about(new.units)
    if not told:
        return {BOTH: 1.0, "names no topic": 1.0}
    matched = {id(unit) for unit in pairs.values()}
    kept = _share(known, {id(unit) for unit in known if id(unit) in pairs})
    shared = _share(told, matched)
    found = {BOTH: 1.0, "topic kept": kept, "topic of new known": shared}
    if known and not shared:
        found["a topic of its kind" if _kinds(known) & _kinds(told) else "another topic"] = 1.0
    return found


def _kinds(units: list[Unit]) -> set[str]:
    """Return of what kinds the things are that units name: two towns, two dogs."""
    return {kind for unit in units for kind in unit.sense.kinds}


def _about(units: Iterable[Unit]) -> list[Unit]:
    return [unit for unit in units if not _is_of(unit.form, _EITHER)]


def _tells_value(units: Iterable[Unit]) -> bool:
    """Tell whether some unit is a day, a time or a sum."""
    return any(_is_value(unit.form) for unit in units)


def _is_value(form: str) -> bool:
    return _is_of(form, _VALUES)


def _is_of(form: str, words: frozenset[str]) -> bool:
    single = form.split()
    return "".join(single) in words or all(word in words or any(map(str.isdigit, word)) for word in single)


def _share(units: list[Unit], held: set[int]) -> float:
    whole = sum(unit.weight for unit in units)
    return sum(unit.weight for unit in units if id(unit) in held) / whole if whole else 0.0
