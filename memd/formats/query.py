"""The language of search: words, "phrases", wild*cards, field:value, +must and -must not. docs/search.md explains it.

A word with a colon that names no field is a word: `16:30` and `https://x.org` are searched as they stand.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from memd.errors import BadQueryError
from memd.errors.root import meant
from memd.formats.times import to_seconds
from memd.model.search import MEMORY_KINDS, SEARCHED, Clause, Filter, Form, Need, Query
from memd.text.analysis import LONGEST

CHARS = 10_000  # of a whole search: a question with its context, not a book
CLAUSES = 64
STARS = 3  # wildcards in one word

FIELDS = {
    "role": "role", "角色": "role",
    "kind": "kind", "type": "kind", "类型": "kind", "种类": "kind",
    "tag": "tag", "tags": "tag", "标签": "tag",
    "file": "name", "name": "name", "path": "name", "文件": "name",
    "id": "id", "session": "id",
    "after": "after", "since": "after", "之后": "after",
    "before": "before", "until": "before", "之前": "before",
    "on": "on", "date": "on", "day": "on", "日期": "on",
    "title": "title", "标题": "title",
    "key": "key", "keys": "key", "关键词": "key",
    "topic": "topic", "主题": "topic",
}  # fmt: skip
WITHIN = ("title", "key", "topic")
_QUOTES = {'"': '"', "“": "”", "「": "」", "『": "』", "＂": "＂"}
_FIELD = re.compile(r"([^\W\d_]{2,10})[:：](?=\S)")
_TWO_DATES = re.compile(r"\[?(\S+?)\s*(?:\.\.|\bto\b|至|到)\s*(\S+?)\]?")


def parse(text: str) -> Query:
    """Return what a search asks, or raise BadQueryError. Days are those of UTC."""
    if len(text) > CHARS:
        raise BadQueryError(f"a search has {CHARS} characters at most, this one {len(text)}")
    reader = _Reader(unicodedata.normalize("NFC", text))
    reader.read()
    return Query(tuple(reader.done()), reader.asked)


class _Reader:
    def __init__(self, text: str) -> None:
        self.text, self.at = text, 0
        self.clauses: list[Clause] = []
        self.words: list[str] = []  # what the last clause says, where it is of plain words
        self.asked = Filter()

    def read(self) -> None:
        while self._skip():
            need = self._sign()
            field = self._field()
            quoted = self._quoted()
            if field and field not in WITHIN:
                self._filter(field, quoted if quoted is not None else self._word(), need)
            elif quoted is not None:
                if quoted.strip():  # a phrase must be there, unless it must not
                    self._add(Clause(Form.PHRASE, quoted.strip(), Need.NOT if need is Need.NOT else Need.MUST, field))
            else:
                self._add(self._worded(self._word(), need, field))

    def _add(self, clause: Clause) -> None:
        last = self.clauses[-1] if self.clauses else None
        if last and clause.form is Form.WORDS and (last.form, last.need, last.where) == (
            Form.WORDS, Need.SHOULD, "",
        ) == (clause.form, clause.need, clause.where):  # fmt: skip
            self.words.append(clause.text)
            return
        if len(self.clauses) >= CLAUSES:
            raise BadQueryError(f"a search has {CLAUSES} parts at most")
        self.done().append(clause)
        self.words = [clause.text]

    def done(self) -> list[Clause]:
        """Return the clauses so far, the last one with all its words."""
        if len(self.words) > 1:
            self.clauses[-1] = replace(self.clauses[-1], text=" ".join(self.words))
            self.words = []
        return self.clauses

    def _worded(self, word: str, need: Need, field: str) -> Clause:
        pattern = word.replace("＊", "*").rstrip("?")  # a question mark behind a word is punctuation
        if not set(pattern) & {"*", "?"} or not pattern.strip("*?"):
            return Clause(Form.WORDS, word, need, field)
        if pattern.count("*") + pattern.count("?") > STARS * 2 or pattern.count("*") > STARS:
            raise BadQueryError(f"{word[:60]!r} has more than {STARS} wildcards")
        if len(pattern) > LONGEST:
            raise BadQueryError(f"a pattern has {LONGEST} characters at most, {word[:20]!r}… has {len(word)}")
        return Clause(Form.WILDCARD, pattern, need, field)

    def _skip(self) -> bool:
        while self.at < len(self.text) and self.text[self.at].isspace():
            self.at += 1
        return self.at < len(self.text)

    def _sign(self) -> Need:
        sign = self.text[self.at]
        following = self.text[self.at + 1 : self.at + 2]
        if sign in "+-" and following and not following.isspace() and following not in "+-":
            self.at += 1
            return Need.MUST if sign == "+" else Need.NOT
        return Need.SHOULD

    def _field(self) -> str:
        found = _FIELD.match(self.text, self.at)
        field = FIELDS.get(found[1].casefold(), "") if found else ""
        if found and field and not self.text.startswith("//", found.end()):
            self.at = found.end()
            return field
        return ""

    def _quoted(self) -> str | None:
        closing = _QUOTES.get(self.text[self.at : self.at + 1])
        end = self.text.find(closing, self.at + 1) if closing else -1
        if end < 0:
            return None
        quoted, self.at = self.text[self.at + 1 : end], end + 1
        return quoted

    def _word(self) -> str:
        begin = self.at
        if self.text.startswith("[", begin) and (end := self.text.find("]", begin)) > 0:
            self.at = end + 1
            return self.text[begin : self.at]
        while self.at < len(self.text) and not self.text[self.at].isspace():
            self.at += 1
        return self.text[begin : self.at]

    def _filter(self, field: str, value: str, need: Need) -> None:
        _FILTERS[field](self, value.strip(), need)

    def _put(self, name: str, *values: str) -> None:
        changed: Any = {name: (*getattr(self.asked, name), *values)}
        self.asked = replace(self.asked, **changed)

    def _role(self, value: str, need: Need) -> None:
        self._put("without_roles" if need is Need.NOT else "roles", value)

    def _kind(self, value: str, need: Need) -> None:
        self._put("without_kinds" if need is Need.NOT else "kinds", *kinds_of(value))

    def _tag(self, value: str, need: Need) -> None:
        self._put("without_tags" if need is Need.NOT else "tags", value.removeprefix("#").casefold())

    def _refuse_not(self, need: Need) -> None:
        if need is Need.NOT:
            raise BadQueryError("only role, kind, tag and what is searched may have a '-'")

    def _name(self, value: str, need: Need) -> None:
        self._refuse_not(need)
        self._put("names", value)

    def _id(self, value: str, need: Need) -> None:
        self._refuse_not(need)
        self._put("ids", value)

    def _after(self, value: str, need: Need) -> None:
        self._refuse_not(need)
        self._narrow(span_of(value)[0], None)

    def _before(self, value: str, need: Need) -> None:
        self._refuse_not(need)
        self._narrow(None, span_of(value)[0])

    def _on(self, value: str, need: Need) -> None:
        self._refuse_not(need)
        two = _TWO_DATES.fullmatch(value[:100])
        if two:
            self._narrow(span_of(two[1])[0], span_of(two[2])[1])
        else:
            self._narrow(*span_of(value))

    def _narrow(self, after_s: float | None, before_s: float | None) -> None:
        known = self.asked
        afters = [one for one in (known.after_s, after_s) if one is not None]
        befores = [one for one in (known.before_s, before_s) if one is not None]
        self.asked = replace(known, after_s=max(afters) if afters else None, before_s=min(befores) if befores else None)


_FILTERS: dict[str, Callable[[Any, str, Need], None]] = {
    "role": _Reader._role,  # noqa: SLF001  a table of its own methods
    "kind": _Reader._kind,  # noqa: SLF001
    "tag": _Reader._tag,  # noqa: SLF001
    "name": _Reader._name,  # noqa: SLF001
    "id": _Reader._id,  # noqa: SLF001
    "after": _Reader._after,  # noqa: SLF001
    "before": _Reader._before,  # noqa: SLF001
    "on": _Reader._on,  # noqa: SLF001
}


def kinds_of(value: str) -> tuple[str, ...]:
    """Return the kinds a word names: one of them, or `memory` for all four of a role's; or raise BadQueryError."""
    folded = value.casefold().removesuffix("s") if value.casefold() not in SEARCHED else value.casefold()
    if folded in ("memory", "memorie", "记忆"):
        return MEMORY_KINDS
    if folded not in SEARCHED:
        raise BadQueryError(
            f"{value[:40]!r} is no kind; the kinds are memory, {', '.join(SEARCHED)}{meant(folded, SEARCHED)}"
        )
    return (folded,)


LAST_YEAR, LAST = 9999, datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC)
_COMPACT = re.compile(r"\d{8}|\d{4}-W\d\d-\d")
_MONTH = re.compile(r"(\d{4})-(\d{1,2})")
_DAY = re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2})")


def span_of(value: str) -> tuple[float, float]:
    """Return the half-open interval (seconds) of a year, a month, a day or a moment, or raise BadQueryError."""
    if len(value) > 64:
        raise BadQueryError(f"{value[:40]!r}… is no date")
    text = value.strip("[]").replace("/", "-").replace("年", "-").replace("月", "-").rstrip("日-")
    try:
        if re.fullmatch(r"\d{4}", text):
            begin = datetime(int(text), 1, 1, tzinfo=UTC)
            end = datetime(int(text) + 1, 1, 1, tzinfo=UTC) if int(text) < LAST_YEAR else LAST
        elif month := _MONTH.fullmatch(text):
            year, number = int(month[1]), int(month[2])
            begin = datetime(year, number, 1, tzinfo=UTC)
            end = (
                LAST
                if (year, number) == (LAST_YEAR, 12)
                else begin.replace(year=year + number // 12, month=number % 12 + 1)
            )
        elif day := _DAY.fullmatch(text):
            begin = datetime(int(day[1]), int(day[2]), int(day[3]), tzinfo=UTC)
            end = begin + timedelta(days=1) if begin.date() < LAST.date() else LAST
        elif _COMPACT.fullmatch(text):
            begin = datetime.fromisoformat(text).replace(tzinfo=UTC)
            end = begin + timedelta(days=1)
        else:
            at = to_seconds(value.strip("[]"))
            if at is None:
                raise ValueError(value)
            return at, at + 1.0
        return begin.timestamp(), end.timestamp()
    except (ValueError, OverflowError):
        raise BadQueryError(f"{value[:40]!r} is no date; write 2026, 2026-05, 2026-05-08 or ISO 8601") from None
