"""PromptX's way of writing a memory: one line, tags behind, a score and a validity among them.

    - 2026/11/21 14:30 用户喜欢简洁界面 #用户偏好 #id:1f0c2a9b #评分:8.5 #有效期:长期

Source
    docs/design/origins.md#promptx. `#id:` is memd's own, so that a line is written once only.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import NamedTuple

from memd.model.memory import VALIDITY_WORDS, Validity

HEADER = "# 陈述性记忆\n\n## 高价值记忆（评分 ≥ 7）\n"
_WORDS = {Validity.SHORT: "短期", Validity.MEDIUM: "中期", Validity.LONG: "长期"}
_SCORE = re.compile(r"(?:^|(?<=\s))#(?:评分|score)[:：](\d{1,2}(?:\.\d)?)(?=\s|$)", re.IGNORECASE)
_VALIDITY = re.compile(
    r"(?:^|(?<=\s))#(?:有效期|validity)[:：](短期|中期|长期|short|medium|long)(?=\s|$)",
    re.IGNORECASE,
)
_TAG = re.compile(r"#[^\s#:：]+")
_BLANKS = re.compile(r"\s+")


class Inline(NamedTuple):
    """A text without its inline tags, and what they said; None and "" where they were absent."""

    content: str
    tags: tuple[str, ...]
    score: float | None
    validity: str


def read_inline(text: str) -> Inline:
    """Take tags off the end of a text, and the score and validity from wherever they stand.

    Only words with a letter are tags, and only behind the text: `fixed in #123` and `use C#` keep their ends.
    """
    scores, validities = _SCORE.findall(text), _VALIDITY.findall(text)
    score = float(scores[-1]) if scores and float(scores[-1]) <= 10 else None
    if scores or validities:
        text = _VALIDITY.sub(" ", _SCORE.sub(" ", text))
        text = "\n".join(_BLANKS.sub(" ", line).strip() for line in text.split("\n")).strip()
    words = text.split()
    count = next((n for n, word in enumerate(reversed(words)) if not _is_tag(word)), len(words) - 1)
    tags = [word[1:] for word in words[len(words) - count :]] if count > 0 else []
    stop = len(text)
    for tag in reversed(tags):
        while stop and text[stop - 1].isspace():
            stop -= 1
        stop -= len(tag) + 1
    text = text[: max(0, stop)]
    validity = VALIDITY_WORDS[validities[-1].lower()] if validities else ""
    return Inline(text.strip(), tuple(tags), score, validity)


def _is_tag(word: str) -> bool:
    return _TAG.fullmatch(word) is not None and any(map(str.isalpha, word))


def dump_line(
    content: str,
    *,
    tags: tuple[str, ...],
    memory_id: str,
    total: float,
    validity: str,
    now_s: float,
) -> str:
    """Return one line for declarative.md; the content is brought onto one line, its words unchanged.

    What was stored without a validity has no known end: it is written as 长期.
    """
    stamp = datetime.fromtimestamp(now_s, UTC).strftime("%Y/%m/%d %H:%M")
    words = [f"#{_BLANKS.sub('_', tag)}" for tag in tags] or ["#其他"]
    words += [
        line_key(memory_id),
        f"#评分:{total:g}",
        f"#有效期:{_WORDS[VALIDITY_WORDS.get(validity, Validity.LONG)]}",
    ]
    return f"- {stamp} {_BLANKS.sub(' ', content).strip()} {' '.join(words)}\n"


def line_key(memory_id: str) -> str:
    """Return the tag by which a line of declarative.md is known."""
    return f"#id:{memory_id}"
